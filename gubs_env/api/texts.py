"""Vectorised games that are followed in words, for agents that answer in text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gubs_env.api.aec import environment_of
from gubs_env.api.vector import Step, VectorEnv
from gubs_env.engine.choosing import LOOK, WAIT
from gubs_env.support.exclusive import exclusive

if TYPE_CHECKING:
    from gubs_env.agents.text_game import TextGame


class TextVectorEnv(VectorEnv):
    """A `VectorEnv` that agents of every kind can be asked in, those that answer in text too."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._texts: dict[int, TextGame] = {}
        super().__init__(*args, **options)

    def _forget(self, indices: np.ndarray | None = None) -> None:
        super()._forget(indices)
        if indices is None:
            self._texts = {}
        for index in indices.tolist() if self._texts and indices is not None else ():
            self._texts.pop(index, None)

    @exclusive
    def step(self, actions: np.ndarray) -> Step:
        """Play one action in every game, as `VectorEnv.step`, and in the games as text."""
        step = super().step(actions)
        for index, text in self._texts.items():
            if self.dones[index] and self.autoreset:
                self.follow(index)
            else:
                action = LOOK if self._chosen[index] == WAIT else int(self._chosen[index])
                text.follow(action, int(self._states["decisions"][index]))
        return step

    @exclusive
    def follow(self, index: int) -> None:
        """Follow a game in words from now on, for agents that answer in text.

        Such an agent is told what its seat saw since then. A game that nobody follows is followed
        from the first time on that such an agent is asked; so is a game that autoreset deals.

        Raises:
            TypeError, ValueError: for an index that is not allowed, or a game that is over.
        """
        # Without agents that answer in text, nothing about language is loaded.
        from gubs_env.agents.text_game import TextGame

        index = self._index(index)
        game = environment_of(self.table_of(index))
        game.set_state(self._states[index : index + 1])
        self._texts[index] = TextGame(game, skip_forced=False)

    @exclusive
    def text_game(self, index: int) -> TextGame:
        """Return one game as text, followed from now on if nobody followed it; not to be played."""
        index = self._index(index)
        if index not in self._texts:
            self.follow(index)
        return self._texts[index]

    def _as_text(self, indices: np.ndarray) -> list[TextGame]:
        return [self.text_game(index) for index in indices.tolist()]
