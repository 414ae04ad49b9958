"""Invented names for the cards of a game, to tell a model's reasoning from its recall."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

import numpy as np

from gubs_env.engine.game import Game
from gubs_env.engine.moves import Move

ONSETS, VOWELS = "bdfgklmnprtvz", "aeiou"
CODAS = "klmnrt"
"""No name ends in s or e, so that a plural is never another name."""


class Names:
    """A bijection between the words that name things in a game and other words.

    Args:
        to_invented: the invented word of each word, in lower case; empty for real names.
    """

    def __init__(self, to_invented: Mapping[str, str]) -> None:
        self.to_invented = dict(to_invented)
        self._to_real = {invented: real for real, invented in self.to_invented.items()}
        if len(self._to_real) < len(self.to_invented):
            raise ValueError("two words have the same invented name")
        self._real, self._invented = map(pattern, (self.to_invented, self._to_real))

    def hide(self, text: str) -> str:
        """Return a text of the game in invented names."""
        return replaced(text, self._real, self.to_invented)

    def restore(self, text: str) -> str:
        """Return a text in invented names in real ones; the inverse of `hide`."""
        return replaced(text, self._invented, self._to_real)

    def hide_moves(self, moves: Iterable[Move]) -> list[Move]:
        """Return moves with their texts in invented names."""
        return [move._replace(text=self.hide(move.text)) for move in moves]


def pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of whole words, the longest first; a plural matches without its ending."""
    listed = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"\b(?:{listed})(?=(?:s|es)?\b)" if listed else r"(?!)")


def replaced(text: str, words: re.Pattern[str], by: Mapping[str, str]) -> str:
    """Return a text in which each match of a pattern is replaced by its entry in a mapping."""
    return words.sub(lambda match: by[match[0]], text)


REAL_NAMES = Names({})
"""The names that the cards have: nothing is replaced."""


@cache
def invented_names(game: Game, seed: int) -> Names:
    """Return names that a seed determines for all words of `Game.card_words`, and for the title.

    Words that differ only in case get invented words that differ only in case.
    """
    words = [*game.card_words]
    if game.title.removesuffix("s") not in words:
        words.append(game.title)
    taken = {word.casefold() for word in re.findall(r"\w+", game.rules_text())}
    rng, by_word = np.random.default_rng(seed), dict.fromkeys(map(str.casefold, words), "")
    for word in by_word:
        while not by_word[word] or by_word[word] in taken:
            by_word[word] = invented_word(rng)
        taken.add(by_word[word])
    return Names({word: cased(by_word[word.casefold()], word) for word in words})


def invented_word(rng: np.random.Generator) -> str:
    """Return a word of two syllables and a consonant, such as `mirot`."""
    letters = (ONSETS, VOWELS, ONSETS, VOWELS, CODAS)
    return "".join(choices[rng.integers(len(choices))] for choices in letters)


def cased(word: str, like: str) -> str:
    """Return a word with a capital letter if another begins with one."""
    return word.capitalize() if like[0].isupper() else word
