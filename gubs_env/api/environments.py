"""The five environments of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from typing_extensions import NamedTuple, Unpack

from gubs_env.api.aec import AECGame, RulesT
from gubs_env.api.checked import CheckedAEC
from gubs_env.api.registering import register
from gubs_env.api.single import SingleAgentEnv
from gubs_env.api.single_vector import SingleAgentVectorEnv
from gubs_env.api.vector import VectorEnv, VectorOptions, tables_of
from gubs_env.engine.game import Game


@dataclass(frozen=True)
class MakeVectorEnv:
    """`vector_env` of a game."""

    game: Game
    """The game."""

    def __call__(
        self,
        num_envs: int,
        num_players: int | None = None,
        rules: Any = None,
        **options: Unpack[VectorOptions],
    ) -> VectorEnv:
        """Return many games in one array.

        Args:
            num_envs: number of games.
            num_players: number of players; None: the usual number of the game.
            rules: the options of the rules, as for the AEC environment; or a list with those of
                each game.
            options: options of `VectorEnv`.

        Raises:
            TypeError, ValueError: for numbers, players, rules, seeds or switches that are not
                allowed.
        """
        return VectorEnv(tables_of(self.game, num_players, rules, num_envs), num_envs, **options)


class Environments(NamedTuple, Generic[RulesT]):
    """The environments of one game."""

    env: type[CheckedAEC[RulesT]]
    """PettingZoo, with the conventions of its standard wrappers: an illegal action ends the game,
    with −1 for the agent that chose it and 0 for the others."""
    raw_env: type[AECGame[RulesT]]
    """PettingZoo; an illegal action raises ValueError and changes nothing."""
    single_agent_env: type[SingleAgentEnv]
    """Gymnasium: one agent, with others in the other seats."""
    single_agent_vector_env: type[SingleAgentVectorEnv]
    """The same in many games, for `gymnasium.make_vec`."""
    vector_env: MakeVectorEnv
    """Many games in one array."""


def environments(game: Game, module: str) -> Environments[Any]:
    """Return the environments of a game, and register them with Gymnasium and PettingZoo.

    Args:
        game: the game.
        module: the name of the module that keeps them under their names, `__name__`.
    """

    def made(name: str, *bases: type, **attributes: Any) -> Any:
        about = f"{game.title}: {bases[0].__doc__}"
        return type(name, bases, {"__module__": module, "__doc__": about, **attributes})

    raw = made("raw_env", AECGame, game=game)
    register(game.name, module)
    return Environments(
        env=made("env", CheckedAEC, raw),
        raw_env=raw,
        single_agent_env=made("single_agent_env", SingleAgentEnv, aec=raw),
        single_agent_vector_env=made("single_agent_vector_env", SingleAgentVectorEnv, game=game),
        vector_env=MakeVectorEnv(game),
    )
