"""Beliefs about hidden hands, learned from the games of an agent.

What others have done says much about what they still hold. A network reads the observation of a
seat and weighs every kind of card in each of the other hands. A determinization with the hands x is
then exp(Σ x · weights) times as likely as it is without beliefs. This is Fisher's noncentral
hypergeometric distribution, which fits what the seat knows whatever the weights are. Learned
beliefs in search: Hu et al., "Learned belief search" (2021); ours are fitted by
`training/beliefs.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.common.symmetry import show_hands
from gubs_agents.networks.architecture import NAME, PLAYERS, RULES, trained_rules
from gubs_agents.networks.files import COUNT, Format, read_layers, write
from gubs_agents.networks.layers import LARGEST_SHOWN, Weights
from gubs_agents.networks.network import SHIPPED, file_of_table
from gubs_agents.scripted.by_game import seat_field, symmetry_of
from gubs_env.engine.game import Game

BELIEFS = SHIPPED / "beliefs"
FORMAT = Format(
    "gubs_env beliefs 1",
    {"game": NAME, "players": PLAYERS, "rules": RULES, "agent": NAME, "decisions": COUNT},
)
"""The format of beliefs."""
LARGEST_WEIGHT = 6.0
"""Bound on the absolute value of a weight, approached smoothly."""


class Beliefs(NamedTuple):
    """A frozen network of beliefs."""

    network: Weights
    """The network, whose outputs are a weight for every kind of card in each of the other hands, in
    the order of the seats after the one that observes."""
    agent: str
    """The agent that played the games."""
    decisions: int
    """The number of decisions that the network was fitted to."""

    def weights(self, game: Game, num_players: int, view: np.ndarray) -> np.ndarray:
        """Return the weights of a view, float64[num_seats, kinds]; those of its own hand are zero.

        Args:
            game, num_players: the table.
            view: STATE[1], a view of the player to decide.
        """
        observation = np.zeros((1, game.observation_size(num_players)), np.int8)
        game.kernel.observe(view, 0, int(view[0]["actor"]), observation[0])
        shown, cards = show_hands(symmetry_of(game), game, num_players, observation)
        told = self.weights_shown(shown)
        seats, seat = int(view[0]["num_seats"]), int(view[0][seat_field(game)])
        weights = np.zeros((seats, cards.shape[1]))
        others = (seat + np.arange(1, seats)) % seats
        weights[others[:, None], cards] = told.reshape(seats - 1, -1)
        return weights

    def weights_shown(self, observations: np.ndarray) -> np.ndarray:
        """Return the weights of observations as a network sees them, float64[batch, outputs]."""
        told = self.network.forward(np.log1p(observations.astype(np.float32))).astype(np.float64)
        return LARGEST_WEIGHT * np.tanh(told / LARGEST_WEIGHT)


def has_hands(game: Game) -> bool:
    """Return whether players of a game hold cards that the others do not see."""
    return seat_field(game) is not None


def shipped(game: Game, num_players: int, rules: Any = None) -> Path:
    """Return the path of the beliefs about `policy` that this package ships for a table.

    Raises:
        ValueError: if none are shipped for this table; the message lists those that are.
    """
    advice = "learn some with `gubs beliefs` and give them as beliefs=FILE.safetensors"
    return file_of_table(BELIEFS, "beliefs", advice, game, num_players, rules)


def sizes_of(game: Game, num_players: int, rules: Any) -> tuple[int, int]:
    """Return the numbers of inputs and outputs of beliefs at a table."""
    states = game.new_states(1, num_players, game.make_rules(rules))
    others = int(states["num_seats"][0]) - 1
    return game.observation_size(num_players), others * states["hand"].shape[2]


def save(
    path: str | Path, beliefs: Beliefs, game: Game, num_players: int, rules: Any = None
) -> None:
    """Write beliefs to `path`, which ends in .safetensors."""
    told = told_of(game, num_players, rules)
    told |= {"agent": beliefs.agent, "decisions": beliefs.decisions}
    write(path, FORMAT, beliefs.network, told)


def told_of(game: Game, num_players: int, rules: Any) -> dict[str, Any]:
    """Return a table as the description of beliefs names it."""
    fitted = trained_rules(game, rules, varied=True)
    return {"game": game.name, "players": num_players, "rules": fitted}


def load(path: str | Path, game: Game, num_players: int, rules: Any = None) -> Beliefs:
    """Read beliefs that `save` wrote, and check that they fit a table.

    Args:
        path: the file.
        game, num_players: the table.
        rules: its rules, as for `Game.make_rules`.

    Raises:
        ValueError: for a game without hands.
        FileNotFoundError: if the file is missing.
        WeightsError: for beliefs of another table, or files that were edited or are damaged, or
            whose numbers can overflow.
    """
    if not has_hands(game):
        raise ValueError(f"beliefs: nobody has a hand in {game.name}; leave them out")
    wanted, sizes = told_of(game, num_players, rules), sizes_of(game, num_players, rules)
    network, found = read_layers(path, FORMAT, wanted, *sizes, LARGEST_SHOWN)
    return Beliefs(network, found["agent"], found["decisions"])
