"""The games as a taskset and an environment of verifiers, one seat against agents.

Each task is a deal. A model plays it turn by turn; its reward is the payoff of its seat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gubs_env.adapters.solo import SoloGame
from gubs_env.play.dealing import DealOptions
from gubs_env.support.checks import require_extra

require_extra("verifiers", "verifiers")

import verifiers.v1 as vf  # noqa: E402

__all__ = ["GameEnv", "GameTaskset"]  # verifiers looks for its plugins here
ALLOWED: Mapping[str, str] | None = None
"""The agents that a configuration may name, as for `SoloGame`; a program that imports this module
may set it (`gubs_env.agents.registry.allow_list`)."""
FAILED = -1.0
"""The reward of a model whose answers named no legal move."""


class GameConfig(vf.TasksetConfig):
    """The table, and the deals: `games` of them from `seed` on."""

    game: str = "gubs"
    players: int = 0
    rules: str = ""
    opponents: str = "random"
    seat: str = "player_0"
    games: int = 100
    seed: int = 0


class GameData(vf.TaskData):
    """A deal: the options of the table and the seed. The model is told only the prompts."""

    info: dict[str, Any]


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    """One deal."""


class GameTaskset(vf.Taskset[GameTask, GameConfig]):
    """Deals of one table, each with the prompt of the first decision."""

    def load(self) -> Iterator[GameTask]:
        """Yield the tasks, in the order of their seeds."""
        config = self.config
        for seed in range(config.seed, config.seed + config.games):
            info = {name: getattr(config, name) for name in ("game", "players", "rules")}
            info |= {"opponents": config.opponents, "seat": config.seat, "seed": seed}
            game = game_of(info)
            data = GameData(
                name=f"{config.game}#{seed}",
                system_prompt=game.system(),
                prompt=game.situation(),
                info=info,
            )
            yield GameTask(data, config.task)


class GameEnvConfig(vf.EnvConfig):
    """The agent that plays."""

    player: vf.AgentConfig = vf.AgentConfig()


class GameEnv(vf.Env[GameEnvConfig]):
    """One game of a model against agents."""

    async def run(self, task: GameTask, agents: vf.Agents) -> None:
        """Let the model play until the end, or until it has failed to name a legal move."""
        game, wrong = game_of(task.data.info), 0
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                try:
                    game.play(segment.last_reply)
                    wrong, message = 0, game.situation()
                except ValueError as error:
                    wrong, message = wrong + 1, f"That does not work: {error}. Answer again."
                if game.is_over or wrong == game.text.options.attempts:
                    break
                segment = await interaction.turn(message)
        trace = interaction.trace
        trace.record_reward("payoff", game.payoff if game.is_over else FAILED, 1.0)
        trace.info["ending"] = game.text.question(game.seat)


def game_of(info: dict[str, Any]) -> SoloGame:
    """Return the game of a task, at the first decision of the model."""
    table = {name: info[name] for name in ("game", "players", "rules", "seed")}
    return SoloGame(DealOptions(**table), info["opponents"], info["seat"], allowed=ALLOWED)
