"""A game of agents at the terminal, which a person watches."""

from __future__ import annotations

from gubs_env.play.screen import Leave, Screen
from gubs_env.play.session import ALL, Session, seat_of

MOST_LINES = 8
"""Number of lines of the log beneath the table; more if more are new."""


class Watching:
    """A game of agents, shown move by move.

    Args:
        session: the game, with an agent in every seat.
        screen: the terminal.
        eyes: the viewer: a seat, EVERYBODY or ALL.
        delay: seconds between two moves; None waits for Enter.
    """

    def __init__(self, session: Session, screen: Screen, eyes: str, delay: float | None) -> None:
        self.session, self.screen = session, screen
        self.seat = seat_of(eyes)
        self.shows_all = eyes == ALL
        self.delay = delay
        self._heard = 0

    def run(self) -> None:
        """Show the game to its end, or until the person leaves; it is saved if it has a file.

        Raises:
            OSError: if the game cannot be written.
            Exception: what an agent raises, or ValueError if its answer is not legal.
        """
        with self.screen.attended():
            try:
                self._show_all()
            except (Leave, KeyboardInterrupt):
                self.screen.say("")
        self.session.save(self.screen.tell)
        if self.session.path is not None:
            self.screen.tell(f"The game is saved in {self.session.path}")

    def _show_all(self) -> None:
        if self.screen.redraws:
            self._page([])
        while not self.session.is_over:
            self.session.play_opponent()
            if lines := self.session.log(self.seat, self._heard):
                self._heard += len(lines)
                self._show(lines)
        if not self.screen.redraws:
            self.screen.say("", *self._table())

    def _show(self, lines: list[str]) -> None:
        if self.screen.redraws:
            self._page(lines)
        else:
            self.screen.tell(*lines)
        if self.session.is_over:
            return
        if self.delay is None:
            self.screen.ask("(Enter goes on) ")
        else:
            self.screen.pause(self.delay)

    def _page(self, lines: list[str]) -> None:
        """Show the table, and the last lines of the log; those in `lines` are new."""
        screen = self.screen
        screen.clear()
        screen.say(*self._table(), "")
        cards = self.session.table(self.seat).card_styles
        log = self.session.log(self.seat)
        first = max(0, len(log) - max(MOST_LINES, len(lines)))
        for number, line in enumerate(log[first:], first):
            is_new = number >= len(log) - len(lines)
            screen.tell(line, style="" if is_new else "faint", cards=cards)
        question = self.session.question(self.seat)
        if log[-1:] != [question]:  # the outcome is a line of the log
            screen.tell(question, style="cyan")

    def _table(self) -> list[str]:
        hands = self.session.open_hands() if self.shows_all else {}
        return self.screen.layout.table(self.session.table(self.seat), hands)
