"""A game for one player who reads and writes text; agents hold the other seats."""

from __future__ import annotations

from collections.abc import Mapping

from gubs_env.agents.registry import allow_list, chosen
from gubs_env.agents.text_game import TextGame
from gubs_env.play.dealing import DealOptions, new_game, seat_players
from gubs_env.play.session import Session

THINK = 0.3
"""Seconds for a decision of an opponent that takes a time limit."""


class SoloGame:
    """One game: a seat that is played in text, and agents in all other seats.

    Whatever needs no choice of the seat is played at once.

    The table, the opponents and the seat may be words of somebody else.

    Args:
        table: the game, the number of players, the rules and the seed.
        opponents: the agents in the other seats by their labels in `allowed`, separated by commas;
            they repeat if there are more seats. Blank means the first one there.
        seat: the seat that is played in text.
        allowed: the agents by label (`allow_list`); None means all harmless ones, and the
            strongest installed agent for blank `opponents`.

    Attributes:
        seat: that seat.
        text: the game as text.

    Raises:
        ValueError, TypeError: for a table, an agent or a seat that is not allowed.
    """

    def __init__(
        self,
        table: DealOptions,
        opponents: str = "",
        seat: str = "player_0",
        allowed: Mapping[str, str] | None = None,
    ) -> None:
        names = chosen(opponents, allow_list() if allowed is None else allowed)
        if allowed and not names:
            names = [next(iter(allowed.values()))]
        env, seed = new_game(table, seat, names)
        if seat not in env.possible_agents:
            raise ValueError(f"seat={seat!r}: allowed are {', '.join(env.possible_agents)}")
        self.seat = seat
        self.text = TextGame(env, skip_forced=False)
        self._session = Session(env, seat_players(env, [seat], names, THINK), seed=seed)
        self._play_on()

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.text.is_over

    @property
    def payoff(self) -> float:
        """The payoff of the seat; 0 until the game is over."""
        return self.text.env.rewards[self.seat]

    def system(self) -> str:
        """Return the rules, the card texts and the form of an answer."""
        return self.text.system(self.seat)

    def situation(self) -> str:
        """Return news, table and question as the seat sees them, or how the game ended."""
        if not self.is_over:
            return self.text.prompt().user
        news = "\n".join(self.text.news(self.seat))
        ending = f"{self.text.question(self.seat)}\n{self._session.result(self.seat)}"
        return f"{news}\n\n{self.text.table(self.seat)}\n\n{ending}".strip()

    def moves(self) -> list[str]:
        """Return the legal moves of the seat in words; none at the end of the game."""
        return [move.text for move in self.text.moves()]

    def play(self, answer: str) -> None:
        """Play the move that an answer names, and on to the next choice of the seat.

        Raises:
            RuntimeError: at the end of the game.
            ValueError: if the answer names no legal move; nothing is played then.
        """
        if self.is_over:
            raise RuntimeError("the game is over: start a new one")
        self.text.play(self.text.parse(answer))
        self._play_on()

    def _play_on(self) -> None:
        while not self.is_over:
            legal = self.text.legal_actions()
            if len(legal) == 1:
                self.text.env.step(int(legal[0]))
            elif self.text.seat == self.seat:
                return
            else:
                self._session.play_opponent()
