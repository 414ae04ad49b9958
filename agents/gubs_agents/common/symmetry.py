"""Canonical positions: positions that differ only in the names of cards look the same to a network.

In FUBNUB, only the rank of a number card counts in the tricks of a hand, and the point card decides
the ranks. Shown ranks instead of cards, the network learns a trick once rather than once for each
of the fifteen point cards.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from gubs_env.engine.compiling import Compiled, Placeholder, Templates
from gubs_env.engine.table import Table

templates = Templates()


class Symmetry(NamedTuple):
    """The ways in which the cards of a game are renamed for a network."""

    naming: Compiled
    """An inlined function (observation) → the index of the way in which to rename it."""
    places: np.ndarray
    """int64[ways, observation_size]: the entry of the observation that is shown at each place."""
    actions: np.ndarray
    """int64[ways, num_actions]: the action of the game that each shown action stands for."""

    def reading(self, inputs: np.ndarray) -> Symmetry:
        """Return the symmetry of the entries of the observation that a network reads.

        Args:
            inputs: int64[inputs], the entries, whole slices that the symmetry maps to themselves.
        """
        position = np.full(self.places.shape[1], -1)
        position[inputs] = np.arange(len(inputs))
        return self._replace(places=position[self.places[:, inputs]])


class Shown(NamedTuple):
    """A batch of positions as a network sees them."""

    observations: np.ndarray
    """int8[batch, observation_size]"""
    masks: np.ndarray
    """[batch, num_actions], with the dtype of the masks given."""
    actions: np.ndarray | None
    """int64[batch, num_actions]: the action of the game that each shown action stands for; None if
    nothing is renamed."""

    def played(self, actions: np.ndarray) -> np.ndarray:
        """Return the actions of the game, int64[batch], for actions chosen as shown."""
        if self.actions is None:
            return actions
        return np.take_along_axis(self.actions, actions[:, None], 1)[:, 0]

    def in_the_game(self, numbers: np.ndarray) -> np.ndarray:
        """Return numbers of the shown actions, [batch, num_actions], by the action of the game."""
        if self.actions is None:
            return numbers
        found = np.empty_like(numbers)
        np.put_along_axis(found, self.actions, numbers, 1)
        return found

    def chosen(self, actions: np.ndarray) -> np.ndarray:
        """Return the shown actions, int64[batch], for actions of the game: `played` inverted."""
        if self.actions is None:
            return actions
        return (self.actions == actions[:, None]).argmax(1)


naming = Placeholder("naming")


@templates.entry_template
def name_all(observations, ways):
    """Write for each observation the index of the way in which to rename it, int64[batch]."""
    for index in range(len(observations)):
        ways[index] = naming(observations[index])


@cache
def name_all_by(naming: Compiled) -> Compiled:
    """Return `name_all` specialised for the naming of one symmetry."""
    label = f"{naming.__module__}.{naming.__name__}"
    return templates.specialise(label, {"naming": naming})["name_all"]


def ways_of(symmetry: Symmetry, observations: np.ndarray) -> np.ndarray:
    """Return the way in which to rename each observation, int64[batch]."""
    ways = np.zeros(len(observations), np.int64)
    name_all_by(symmetry.naming)(observations, ways)
    return ways


def show(symmetry: Symmetry | None, observations: np.ndarray, masks: np.ndarray) -> Shown:
    """Return positions as a network sees them; without a symmetry, unchanged.

    Args:
        symmetry: symmetry of the game, or None.
        observations: int8[batch, observation_size].
        masks: [batch, num_actions].
    """
    if symmetry is None:
        return Shown(observations, masks, None)
    ways = ways_of(symmetry, observations)
    shown = np.take_along_axis(observations, symmetry.places[ways], 1)
    actions = symmetry.actions[ways]
    return Shown(shown, np.take_along_axis(masks, actions, 1), actions)


def show_hands(
    symmetry: Symmetry | None, table: Table, observations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return observations as a network sees them, and which card each kind of card shown is.

    Args:
        symmetry: symmetry of the game, or None.
        table: the table; a slice of its observations is called `hand`.
        observations: int8[batch, observation_size].

    Returns:
        int8[batch, observation_size] and int64[batch, kinds].
    """
    hand = table.observation_slices["hand"]
    kinds = np.arange(hand.shape[0])
    if symmetry is None:
        return observations, np.tile(kinds, (len(observations), 1))
    ways = ways_of(symmetry, observations)
    shown = np.take_along_axis(observations, symmetry.places[ways], 1)
    return shown, symmetry.places[ways][:, hand.start + kinds] - hand.start
