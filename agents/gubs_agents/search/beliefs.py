"""Beliefs about hidden hands, learned from the games of an agent.

What others have done says much about what they still hold. A network reads the observation of a
seat and weighs every kind of card in each of the other hands. A determinization with the hands x is
then exp(Σ x · weights) times as likely as it is without beliefs. This is Fisher's noncentral
hypergeometric distribution, which fits what the seat knows whatever the weights are. Learned
beliefs in search: Hu et al., "Learned belief search" (2021); ours are fitted by
`training/supervised/beliefs.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.common.symmetry import show_hands
from gubs_agents.networks.architecture import NAME, PLAYERS, RULES, trained_rules
from gubs_agents.networks.files import COUNT, SHIPPED, Format, read_layers, shipped_file, write
from gubs_agents.networks.layers import LARGEST_SHOWN, Weights
from gubs_agents.scripted.by_game import scripted_in, symmetry_of
from gubs_env.engine.game import Game
from gubs_env.engine.table import Table

BELIEFS = SHIPPED / "beliefs"
KINDS = {"game": NAME, "players": PLAYERS, "rules": RULES, "agent": NAME, "decisions": COUNT}
FORMAT = Format("gubs_env beliefs 1", KINDS)
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

    def weights(self, table: Table, view: np.ndarray) -> np.ndarray:
        """Return the weights of a view, float64[num_seats, kinds]; those of its own hand are zero.

        Args:
            table: the table.
            view: STATE[1], a view of the player to decide.
        """
        game, observation = table.game, np.zeros((1, table.observation_size), np.int8)
        game.kernel.observe(view, 0, int(view[0]["actor"]), observation[0])
        shown, cards = show_hands(symmetry_of(game), table, observation)
        outputs = self.weights_shown(shown)
        seats, seat = int(view[0]["num_seats"]), int(view[0][scripted_in(game).seat_field])
        weights = np.zeros((seats, cards.shape[1]))
        others = (seat + np.arange(1, seats)) % seats
        weights[others[:, None], cards] = outputs.reshape(seats - 1, -1)
        return weights

    def weights_shown(self, observations: np.ndarray) -> np.ndarray:
        """Return the weights of observations as a network sees them, float64[batch, outputs]."""
        outputs = self.network.forward(np.log1p(observations.astype(np.float32)))
        return LARGEST_WEIGHT * np.tanh(outputs.astype(np.float64) / LARGEST_WEIGHT)


def has_hands(game: Game) -> bool:
    """Return whether players of a game hold cards that the others do not see."""
    return scripted_in(game).seat_field is not None


def shipped(table: Table) -> Path:
    """Return the path of the beliefs about `policy` that this package ships for a table.

    Raises:
        ValueError: if none are shipped for this table; the message lists those that are.
    """
    advice = "learn some with `gubs beliefs` and give them as beliefs=FILE.safetensors"
    return shipped_file(BELIEFS, "beliefs", advice, table)


def sizes_of(table: Table) -> tuple[int, int]:
    """Return the numbers of inputs and outputs of beliefs at a table."""
    states = table.new_states(1)
    others = int(states["num_seats"][0]) - 1
    return table.observation_size, others * states["hand"].shape[2]


def save(path: str | Path, beliefs: Beliefs, table: Table) -> None:
    """Write beliefs to `path`, which ends in .safetensors."""
    fields = {"agent": beliefs.agent, "decisions": beliefs.decisions}
    write(path, FORMAT, beliefs.network, identity_of(table) | fields)


def identity_of(table: Table) -> dict[str, Any]:
    """Return a table as the description of beliefs names it."""
    rules = trained_rules(table, varied=True)
    return {"game": table.game.name, "players": table.num_players, "rules": rules}


def load(path: str | Path, table: Table) -> Beliefs:
    """Read beliefs that `save` wrote, and check that they fit a table.

    Raises:
        ValueError: for a game without hands.
        FileNotFoundError: if the file is missing.
        WeightsError: for beliefs of another table, or files that were edited or are damaged, or
            whose numbers can overflow.
    """
    if not has_hands(table.game):
        raise ValueError(f"beliefs: nobody has a hand in {table.game.name}; leave them out")
    sizes = sizes_of(table)
    network, fields = read_layers(path, FORMAT, identity_of(table), *sizes, LARGEST_SHOWN)
    return Beliefs(network, fields["agent"], fields["decisions"])
