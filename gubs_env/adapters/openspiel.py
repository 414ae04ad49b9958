"""The games for OpenSpiel; needs the extra `openspiel`. Importing this module registers them.

game = pyspiel.load_game("gubs_env_gubs(players=3)")
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np

from gubs_env.engine.game import Game
from gubs_env.engine.history import NONE
from gubs_env.engine.option_texts import parse_value
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.table import Table
from gubs_env.exact.tree import MOST_OUTCOMES, Decision, Draw, Tree, tree_of
from gubs_env.games import all_games
from gubs_env.support.checks import check_number, require_extra

require_extra("openspiel", "pyspiel")

import pyspiel  # noqa: E402

PREFIX = "gubs_env_"
CHANCE = ("sampled", "explicit")
RECENT_EVENTS = 64
"""Number of events in the tensor of an information state."""


class SpielGame(pyspiel.Game):
    """A game of ours as a game of OpenSpiel; `register` makes a subclass for each.

    Args:
        params: `players`, `chance`, `rng_seed` and the options of the rules, as OpenSpiel parsed
            them; those left out have their defaults.

    Raises:
        ValueError: for values that are not allowed.
    """

    game: ClassVar[Game]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        values = _specification(self.game) | dict(params or {})
        chance, seed = values["chance"], values["rng_seed"]
        if chance not in CHANCE:
            raise ValueError(f"chance={chance!r}: allowed are {', '.join(CHANCE)}")
        table = Table(self.game, values["players"], _options(self.game, values))
        try:
            self.tree = tree_of(table, chance == "explicit")
        except ValueError as error:
            raise ValueError(
                f"chance={chance}: {error}; chance=sampled is for every table"
            ) from None
        self._seeds = np.random.default_rng(None if seed < 0 else seed)
        info = pyspiel.GameInfo(
            num_distinct_actions=table.num_actions,
            max_chance_outcomes=MOST_OUTCOMES if self.tree.explicit else 1,
            num_players=table.num_players,
            min_utility=-table.max_payoff,
            max_utility=table.max_payoff,
            max_game_length=table.max_decisions,
            **({"utility_sum": 0.0} if table.is_zero_sum else {}),
        )
        super().__init__(_game_type(table, self.tree.explicit), info, params or {})

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (str(self), deepcopy(self._seeds))

    def new_initial_state(self) -> SpielState:
        """Return the node before the deal."""
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return a bound on the number of chance nodes: the deal, and one after each action."""
        return 1 + self.max_game_length() * self.tree.explicit

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer | None:
        """Return an observer of one seat; None for other observers, as of public information."""
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        one_seat = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if not wanted.public_info or wanted.private_info != one_seat:
            return None
        return Observer(self.tree, wanted.perfect_recall)


def _loaded(text: str, seeds: np.random.Generator) -> SpielGame:
    game: SpielGame = pyspiel.load_game(text)
    game._seeds = seeds
    return game


class SpielState(pyspiel.State):
    """A node of the tree of a game."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.node: Decision | Draw = game.tree.root(game._seeds)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.get_game().deserialize_state, (self.serialize(),)

    def current_player(self) -> int:
        """Return the seat to decide, or OpenSpiel's number for chance or the end."""
        if isinstance(self.node, Draw):
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.node.seat < 0 else self.node.seat

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return isinstance(self.node, Decision) and self.node.seat < 0

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.legal  # type: ignore[union-attr]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the number and the probability of each outcome of chance."""
        if isinstance(self.node, Decision):
            raise ValueError("no chance node: chance has no outcomes here")
        return self.node.probabilities()

    def _apply_action(self, action: int) -> None:
        node = self.node
        after = node.after(action)
        if self.node is not node:
            raise RuntimeError(
                "another thread played in this state meanwhile: give each thread a clone() of it"
            )
        self.node = after

    def resample_from_infostate(self, player: int, probability: Callable[[], float]) -> SpielState:
        """Return a state that is the same to the player to decide, with all else drawn at random.

        Its `history()` stays that of this state.

        Args:
            player: the player to decide.
            probability: returns a random number in [0, 1), as `pyspiel.UniformProbabilitySampler`.

        Raises:
            ValueError: for another player.
        """
        node = self.node
        if isinstance(node, Draw) or player < 0 or player != node.seat:
            raise ValueError(
                f"player {player} does not decide: only a player who does is resampled"
            )
        state: SpielState = self.clone()
        state.node = node.resampled(seed_rng([int(probability() * (1 << 32)) for _ in range(4)]))
        return state

    # OpenSpiel's own check says the same of explicit chance, and fails to say it of sampled chance.
    apply_action_with_legality_check = pyspiel.State.apply_action

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}"
        return self.node.tree.table.action_name(action)

    def returns(self) -> list[float]:
        """Return the payoffs of a game that is over, else zeros."""
        node = self.node
        return node.returns if isinstance(node, Decision) else [0.0] * node.tree.table.num_players

    def __str__(self) -> str:
        """Return the table as the seat to decide sees it, in words."""
        return _words(self.node, max(self.current_player(), 0))


class Observer(threading.local):
    """The observation or information state of a seat, by OpenSpiel's protocol.

    Each thread has arrays of its own, because all states of a game share an observer.

    Args:
        tree: the tree.
        perfect_recall: whether to tell the information state instead of the observation.

    Attributes:
        tensor: float32[…], the observation; with perfect recall what the seat saw at its last
            decision, and then the last `RECENT_EVENTS` events that it saw, the newest last; rows
            before the first event hold −1. Its string tells everything since the deal.
        dict: the parts of the tensor by name: `observation` and `events`.
    """

    def __init__(self, tree: Tree, perfect_recall: bool) -> None:
        self._recalls = perfect_recall
        size = len(tree.nothing)
        width = tree.game.history.event_size if perfect_recall else 0
        self.tensor = np.zeros(size + RECENT_EVENTS * width, np.float32)
        self.dict = {"observation": self.tensor[:size]}
        if perfect_recall:
            self.dict["events"] = self.tensor[size:].reshape(RECENT_EVENTS, width)

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the tensor of a seat, which has seen nothing before the deal."""
        node = self._decided(state, player)
        if node is None:
            self.dict["observation"][:] = 0
        elif self._recalls:
            self.dict["observation"][:] = node.last_observation(player)
        else:
            self.dict["observation"][:] = node.tree.observe(node.states, player)
        if self._recalls:
            self.dict["events"][:] = NONE
            if node is not None and (rows := node.recent_events(player, RECENT_EVENTS)):
                self.dict["events"][-len(rows) :] = rows

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the view of a seat in words, or with perfect recall its information state."""
        node = self._decided(state, player)
        if node is None or not self._recalls:
            return _words(state.node, player)
        return node.information(player)

    def _decided(self, state: SpielState, player: int) -> Decision | None:
        check_number("player", player, 0, state.num_players() - 1)
        return _decided(state.node)


def _decided(node: Decision | Draw) -> Decision | None:
    """Return the last decision; None before the deal."""
    return node.parent if isinstance(node, Draw) else node


def _words(node: Decision | Draw, seat: int) -> str:
    decision, game = _decided(node), node.tree.game
    text = f"chance decides, {len(node.probabilities())} outcomes" if isinstance(node, Draw) else ""
    if decision is None:
        return text
    return f"{game.describe(game.view(decision.states, 0, seat))}\n{text}"


# ----------------------------------------------------------------------------------- registration


def _specification(game: Game) -> dict[str, Any]:
    """Return OpenSpiel's parameters of a game, each with its default."""
    return {"players": game.players, "chance": "sampled", "rng_seed": -1} | {
        option.name: _plain(option.default) for option in fields(game.rules)
    }


def _plain(default: Any) -> Any:
    return default if isinstance(default, bool | int | str) else ""


def _options(game: Game, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the rules that are not the default.

    A list or a deck is a text with "+" in place of ",", as "Gub:4+Lure:2".
    """
    options = {}
    for option in fields(game.rules):
        value = values[option.name]
        if value != _plain(option.default):
            is_text = isinstance(option.default, bool | int | str)
            options[option.name] = value if is_text else parse_value(value.replace("+", ","))
    return options


def _game_type(table: Table, explicit: bool) -> pyspiel.GameType:
    game, kind = table.game, pyspiel.GameType
    chance, utility = kind.ChanceMode, kind.Utility
    return kind(
        short_name=PREFIX + game.name.removesuffix("_v0"),
        long_name=game.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if explicit else chance.SAMPLED_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=utility.ZERO_SUM if table.is_zero_sum else utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=game.player_counts[-1],
        min_num_players=game.player_counts[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_specification(game),
    )


def register(game: Game) -> None:
    """Register a game with OpenSpiel."""
    # A class, which OpenSpiel may keep until after the end of Python; another object it may not.
    kind = type(f"Spiel{game.name}", (SpielGame,), {"game": game})
    pyspiel.register_game(_game_type(Table(game), False), kind)


for _game in all_games():
    register(_game)
