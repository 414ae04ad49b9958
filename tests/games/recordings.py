"""Recorded games in words: how they are made and replayed, and what each game adds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.seats import NOBODY


def any_legal_action(environment: Any, rng: np.random.Generator, game: Mapping[str, Any]) -> int:
    mask = environment.observe(environment.agent_selection)["action_mask"]
    return int(rng.choice(np.flatnonzero(mask)))


class Recordings(NamedTuple):
    """The recorded games of one game."""

    module: ModuleType
    """The public module, as `gubs_v0`."""
    folder: Path
    games: Mapping[str, Mapping[str, Any]]
    """By name of the file: `num_players`, `seed`, `rules` and what `choose` needs."""
    state_words: Callable[[Any], str]
    """(state) → the whole state in words."""
    begins_section: Callable[[Any, Any], bool]
    """(state, state at the start of the section before or None) → whether to write it out."""
    log_at_the_end: bool = False
    """Whether the log stands at the end; else each decision is followed by its words."""
    choose: Callable[[Any, np.random.Generator, Mapping[str, Any]], int] = any_legal_action
    """(environment, rng, game) → the next action."""

    def start(self, name: str) -> Any:
        game = self.games[name]
        rules = self.module.Rules(**game.get("rules", {}))
        environment = self.module.raw_env(game["num_players"], rules)
        environment.reset(seed=game["seed"])
        return environment

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.txt"

    def record(self, name: str) -> str:
        """Return a game as text: each decision, its words, and the whole state now and then."""
        game, environment, agents = self.games[name], self.start(name), []
        rng = np.random.default_rng(game["seed"])
        while not environment.is_done(environment.agent_selection):
            agents.append(environment.agent_selection)
            environment.step(self.choose(environment, rng, game))
        lines, log, section = [f"# {json.dumps(game)}"], [], None
        for agent, (before, action, after) in zip(agents, environment.transitions(), strict=True):
            if self.begins_section(before, section):
                section = before.copy()
                lines += ["", self.state_words(before)]
            lines.append(f"{agent} {environment.action_name(action)}")
            told = environment.game.narrate(before, action, after, NOBODY)
            log += told
            if not self.log_at_the_end:
                lines += [f"    {line}" for line in told]
        lines += ["", self.state_words(environment.state()), f"rewards {environment.rewards}", ""]
        return "\n".join([*lines, *log, ""] if self.log_at_the_end else lines)

    def replay(self, name: str) -> Iterator[tuple[Any, int, Any]]:
        """Play the actions recorded in a file; yield (state before, action, state after)."""
        environment = self.start(name)
        for line in self.path(name).read_text().splitlines():
            if environment.is_done(environment.agent_selection):
                break
            if line.startswith("player_"):
                agent, action = line.split(" ", 1)
                assert environment.agent_selection == agent
                environment.step(environment.action_index(action))
        yield from environment.transitions()
