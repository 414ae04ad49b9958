"""Scenes: positions of random games, each found by what is to be seen on the table."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.games.bad_bad_turtle.state import Phase as TurtlePhase
from gubs_env.games.fubnub.state import Phase as FubnubPhase
from gubs_env.games.gubs.state import Phase as GubsPhase

MOST_GAMES = 300
"""Number of games in which a scene is looked for."""


class Scene(NamedTuple):
    """A table, and the condition that a position must fulfil."""

    module: ModuleType
    num_players: int
    rules: dict[str, Any]
    fits: Callable[[Any], bool]
    """(state) → whether this is the scene."""
    decisions: int = 0
    """The least number of decisions before it."""
    open_hands: bool = False

    def found(self) -> Any:
        """Return an environment at the first such position of random games."""
        for seed in range(MOST_GAMES):
            environment = self.module.raw_env(self.num_players, self.rules)
            environment.reset(seed=seed)
            if _walk(environment, self, np.random.default_rng(seed)):
                return environment
        raise LookupError(f"no such scene in {MOST_GAMES} games: {self}")

    def drawn(self) -> str:
        """Return its picture, as the acting agent sees it."""
        return str(self.found().draw(open_hands=self.open_hands))


def _walk(environment: Any, scene: Scene, rng: np.random.Generator) -> bool:
    """Play at random until a scene is reached; return whether it is."""
    decisions = 0
    while True:
        if decisions >= scene.decisions and scene.fits(environment.state()):
            return True
        agent = environment.agent_selection
        if environment.is_done(agent):
            return False
        mask = environment.observe(agent)["action_mask"]
        environment.step(int(rng.choice(np.flatnonzero(mask))))
        decisions += 1


def always(state: Any) -> bool:
    return True


def is_over(state: Any) -> bool:
    """FUBNUB and Gubs end in the same phase, and Bad, Bad, Turtle in another."""
    over = TurtlePhase.OVER if "reveal_pile" in state.dtype.names else GubsPhase.OVER
    return bool(state.phase == over)


def in_window(state: Any) -> bool:
    """Somebody is asked out of turn about a card that is aimed at them."""
    targets = state.target_seat[: state.num_targets]
    return bool(state.phase == GubsPhase.ANSWER and (targets == state.actor).any())


def cards_held(state: Any) -> int:
    return int(state.hand[state.actor].sum())


SCENES = {
    "gubs_2_start": Scene(gubs_v0, 2, {}, always),
    "gubs_2_window": Scene(gubs_v0, 2, {}, in_window, 40),
    "gubs_2_eleven_cards": Scene(gubs_v0, 2, {}, lambda s: cards_held(s) >= 11),
    "gubs_4_scout": Scene(gubs_v0, 4, {}, lambda s: s.phase == GubsPhase.ORDER),
    "gubs_4_cricket_song": Scene(gubs_v0, 4, {}, lambda s: s.phase == GubsPhase.NAME),
    "gubs_4_all_hands": Scene(gubs_v0, 4, {}, lambda s: s.hand.sum() > 12, 30, open_hands=True),
    "gubs_6_window": Scene(gubs_v0, 6, {}, lambda s: in_window(s) and s.colony_size.max() > 4),
    "gubs_6_end": Scene(gubs_v0, 6, {}, is_over),
    "fubnub_2_ghosts": Scene(fubnub_v0, 2, {"mode": "ghost"}, always, 45),
    "fubnub_3_end": Scene(fubnub_v0, 3, {"mode": "royal"}, is_over),
    "fubnub_4_teams": Scene(fubnub_v0, 4, {}, lambda s: s.phase == FubnubPhase.PLAY, 90),
    "fubnub_4_full": Scene(
        fubnub_v0, 4, {"mode": "full"}, lambda s: s.phase == FubnubPhase.SOCIAL, 90
    ),
    "bad_bad_turtle_2_window": Scene(
        bad_bad_turtle_v0, 2, {}, lambda s: s.phase == TurtlePhase.REACT and s.depth > 0
    ),
    "bad_bad_turtle_4_peek": Scene(bad_bad_turtle_v0, 4, {}, lambda s: s.peeking[s.actor]),
    "bad_bad_turtle_8": Scene(bad_bad_turtle_v0, 8, {}, always, 40),
    "bad_bad_turtle_8_end": Scene(bad_bad_turtle_v0, 8, {}, is_over),
}
