"""A game at the terminal, for one person or for several who pass the keyboard around."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial

from gubs_env.engine.moves import Move
from gubs_env.engine.text import Line, TableWords, marked
from gubs_env.play import guide
from gubs_env.play.choice import Choice
from gubs_env.play.rules import card_words, rules_of
from gubs_env.play.screen import Leave, Screen, hanging
from gubs_env.play.session import Session
from gubs_env.play.story import story

LEAST_NEWS = 4
"""Least number of lines of news on a page; the command `log` shows all."""
MOST_ENTRIES = 20
"""Largest number of moves or groups of moves on a page."""
COMMANDS = {
    "help": "what can be typed",
    "rules": "the rules on one page",
    "card NAME": "what a card does",
    "hint": "what the network would do",
    "moves": "all moves, one by one",
    "more": "the next moves of a long list",
    "auto": "let forced moves play themselves, or stop that",
    "back": "take back the last choice; a move that was played stays played",
    "table": "show the table again",
    "log": "the whole game so far",
    "skip": "play on without the guide",
    "save": "write the game to its file, and play on",
    "quit": "save the game and leave",
}
WORDS = [command.split()[0] for command in COMMANDS]
"""The words that a person can type; `TerminalGame` has a method for each."""


class TerminalGame:
    """A game of people against agents, or among themselves; a guide allows only what it asks for.

    Args:
        session: the game.
        screen: the terminal.
        pace: the least number of seconds that a move of an agent is shown.
        auto: let forced moves play themselves; for one person only.
    """

    def __init__(self, session: Session, screen: Screen, pace: float, auto: bool = False) -> None:
        self.session, self.screen, self.pace, self.auto = session, screen, pace, auto
        is_alone = len(session.people) == 1
        self._reader = session.people[0] if is_alone else None
        """The seat whose log is shown while agents play: the only person's; None: a spectator's."""
        self._holder = self._reader
        """The seat whose person has the keyboard; None if nobody has."""
        self._heard = 0
        self._first = 0
        self._styles: Mapping[str, str] = {}
        self._choice = Choice((), session.pick_texts)

    def run(self) -> None:
        """Play to the end, or until the people leave; the game is saved either way.

        Raises:
            OSError: if the game cannot be saved.
            ValueError: if an agent fails, or its answer is not legal.
        """
        self.screen.complete(lambda: [*(move.text for move in self._choice.left), *WORDS])
        self._heard = len(self.session.log(self._reader))
        with self.screen.attended():
            try:
                while not self.session.is_over:
                    self._go_on()
                self._end()
            except (Leave, KeyboardInterrupt):
                if not self.session.is_over:
                    self.screen.say("")
                    self._save()
                    self.screen.say(*self.session.next_steps())
            except Exception:  # an agent's, perhaps; the game must not be lost
                self._save()
                raise

    def _go_on(self) -> None:
        """Let the next seat decide."""
        if (seat := self.session.person) is None or self._is_forced():
            self._play_on()
        else:
            if len(self.session.people) > 1 and self._holder != seat:
                self._hand_over(seat)
            self._decide(seat)

    # ------------------------------------------------------------------------------ the agents

    def _is_forced(self) -> bool:
        """Return whether the person to decide has one move, which is to play itself."""
        seat = self.session.person
        return self.auto and seat is not None and len(self.session.moves(seat)) == 1

    def _play_on(self) -> None:
        """Let agents and forced moves play until a person decides; show what happens.

        Secret answers are not shown, and their time is part of the pause before the next move.
        """
        session, screen = self.session, self.screen
        start = time.monotonic()
        while not session.is_over and (session.person is None or self._is_forced()):
            screen.note(f"{session.question(self._reader)} …")
            if (seat := session.person) is None:
                session.play_opponent()
            else:
                session.play(seat, session.moves(seat)[0], is_forced=True)
            if lines := session.log(self._reader, self._heard):
                self._heard += len(lines)
                screen.pause(start + self.pace - time.monotonic())
                start = time.monotonic()
                screen.note("")
                if screen.redraws:
                    screen.tell(*(f"  {line}" for line in lines), cards=self._styles)
            screen.check()
        screen.note("")
        screen.forget_typed()

    # ----------------------------------------------------------------------------- the people

    def _hand_over(self, seat: str) -> None:
        """Clear the last person's page, and wait until the next person has the keyboard."""
        self._holder = None
        self.screen.clear(forget=True)
        name = self.session.called[seat]
        self.screen.tell(f"Pass the keyboard to {name}.", "")
        while typed := self.screen.ask(f"{name}, press Enter to go on. "):
            if typed.casefold() == "quit":
                self._quit()
            else:
                self.screen.tell("Only Enter goes on; quit saves the game and leaves.")
        self._holder = seat

    def _decide(self, seat: str) -> None:
        """Ask a person until they have chosen a move, and play it, or until it plays itself."""
        self._choice = Choice(self.session.moves(seat), self.session.pick_texts)
        self._first = 0
        self._table()
        while True:
            typed = self.screen.ask("> ")
            word, _, rest = typed.partition(" ")
            if does := self._command(word.casefold(), rest):
                does()
                if self._is_forced():
                    return
                continue
            try:
                move = self._chosen(seat, typed)
            except ValueError as error:
                said = str(error)
                back = "back, " if self._choice.is_begun else ""
                self.screen.tell(f"{said[0].upper()}{said[1:]}. Type a number, {back}or help.")
                continue
            if move is not None:
                self.session.play(seat, move)
                self._heard = len(self.session.log(self._reader))
                return

    def _command(self, word: str, rest: str) -> Callable[[], None] | None:
        """Return what a command does; None for words that are no command."""
        if word == "card":
            return partial(self._card, rest)
        does: Callable[[], None] | None = getattr(self, f"_{word}", None)
        return does if word in WORDS and not rest else None

    def _chosen(self, seat: str, typed: str) -> Move | None:
        """Return the move that is to be played after a line; None if the choice goes on.

        A move that a line chooses among others is shown, and played by the next line that names it,
        or by Enter. Only a pass out of turn is played at once.
        """
        choice, before = self._choice, self._choice.left
        if not typed and len(before) > 1:
            raise ValueError("nothing is played")
        move = choice.take(typed) if typed else before[0]
        if self.session.is_guided and not {*choice.left} & {*guide.asked(self.session, seat)[1]}:
            self.screen.tell("The guide asks for another move; skip lets you play on alone.")
            self._choice = Choice(choice.all, self.session.pick_texts)
            return None
        if move is not None and (choice.left == before or self.session.is_pass(seat, move)):
            return move
        if choice.left == before:
            self.screen.say("All of these moves fit.")
        self._first = 0
        self.screen.say(*self._entries())
        return None

    # -------------------------------------------------------------------------------- a page

    def _table(self) -> None:
        """Show the table, the news, the question and the moves to the person to decide."""
        session, screen = self.session, self.screen
        seat = session.person or session.people[0]
        table = session.table(seat)
        self._styles = table.card_styles
        shown = screen.layout.table(table)
        asked = [*self._guide_lines(seat), ""]
        if whose := session.interrupted(seat):
            asked += screen.wrapped(f"It is {whose}'s turn, but you are asked now.", "yellow")
        asked += [*screen.wrapped(session.question(seat), "cyan"), *self._entries()]
        if not session.log(seat):
            asked += screen.wrapped("(type a number or some words, or help, or rules)", "faint")
        if session.note:
            asked += screen.wrapped(f"({session.note})", "faint")
        screen.clear()
        screen.say(*shown, *self._news(seat, table, len(shown) + len(asked)), *asked)

    def _guide_lines(self, seat: str | None) -> list[str]:
        """Return what the guide says to a person, after an empty line; nothing if it is silent."""
        screen, said = self.screen, guide.said(self.session, seat)
        lines = ["", *hanging(said, screen.layout.width)] if said else []
        return [screen.paint(line, "green") for line in lines]

    def _news(self, seat: str, table: TableWords, others: int) -> list[str]:
        """Return the news of a person, as much as fits on a page with `others` other lines."""
        layout, paint, session = self.screen.layout, self.screen.paint, self.session
        outcome = session.question(seat)
        wrapped = [
            f"  {part}"
            for line in session.news(seat)
            if line != outcome
            for part in layout.wrapped(Line(line), layout.width - 2, table.card_styles)
        ]
        most = max(LEAST_NEWS, self.screen.height - others - 4)
        lines = ["", paint("Since you last decided", "bold")]
        if len(wrapped) > most:
            lines.append(paint("  … (log shows all)", "faint"))
        return [*lines, *wrapped[-most:]] if wrapped else []

    def _entries(self) -> list[str]:
        """Return the moves or groups of moves to choose from, as many as fit on a page."""
        choice, screen = self._choice, self.screen
        shown = list(enumerate(choice.entries, 1))[self._first :][:MOST_ENTRIES]
        width = len(str(shown[-1][0])) if shown else 1
        texts = []
        for number, entry in shown:
            more = f"  ({len(entry.moves)} moves)" if len(entry.moves) > 1 else ""
            texts.append(f"{number:{width + 1}}  {entry.text}{more}")
        lines = screen.layout.columns(texts, self._styles)
        left = len(choice.entries) - self._first - len(shown)
        hints = [f"{left} more: type more, or some words"] if left else []
        hints += ["Enter plays it"] if len(choice.left) == 1 else []
        hints += ["back takes the choice back"] if choice.is_begun else []
        if len(choice.all) == 1 and self._reader is not None:
            hints += ["auto plays all that is forced"]
        return lines + (screen.wrapped(f"({'; '.join(hints)})", "faint") if hints else [])

    # ----------------------------------------------------------------------------- commands

    def _help(self) -> None:
        self.screen.tell(
            "Choose a move by its number, or type its beginning or some words of it.",
            "The move is shown before it is played: Enter plays it, back takes it back. Only a "
            "pass out of turn is played at once. Tab completes.",
            "",
            *(
                f"  {name:10} {meaning}"
                for name, meaning in COMMANDS.items()
                if self.session.is_guided or name != "skip"
            ),
        )

    def _rules(self) -> None:
        self.screen.page(rules_of(self.session.env.table))

    def _card(self, name: str) -> None:
        self.screen.page(card_words(self.session.env.game, name))

    def _hint(self) -> None:
        seat = self.session.person
        if seat is None or self.session.adviser is None:
            self.screen.tell("No agent is installed that could give a hint.")
            return
        self.screen.note(f"{self.session.adviser.short_name} is thinking …")
        hint = self.session.hint(seat)
        self.screen.note("")
        self.screen.forget_typed()
        if hint is not None:
            entries = enumerate(self._choice.entries, 1)
            notes = [f"number {number}" for number, entry in entries if hint.move in entry.moves]
            self.screen.tell(marked(f"{hint.adviser} would play: {hint.move.text}", notes))
            self.screen.tell(*hint.told)

    def _moves(self) -> None:
        self.screen.page([f"  {move.text}" for move in self._choice.all])

    def _more(self) -> None:
        left = self._first + MOST_ENTRIES < len(self._choice.entries)
        self._first = self._first + MOST_ENTRIES if left else 0
        self.screen.say(*self._entries())

    def _auto(self) -> None:
        if self._reader is None:
            self.screen.tell(
                "With several people at one keyboard each is asked, also where a move is forced: "
                "else the others would learn who had no choice."
            )
            return
        self.auto = not self.auto
        plays = "play themselves; auto ends that" if self.auto else "are asked again"
        self.screen.tell(f"Forced moves {plays}.")

    def _back(self) -> None:
        if not self._choice.is_begun:
            self.screen.tell("Nothing is chosen yet; a move that was played stays played.")
            return
        self._choice.take_back()
        self._first = 0
        self.screen.say(*self._entries())

    def _log(self) -> None:
        seat = self.session.person or self._holder
        self.screen.page([f"  {line}" for line in self.session.log(seat)] or ["  nothing yet"])

    def _skip(self) -> None:
        if self.session.is_guided:
            self.session.is_guided = False
            self._table()
        else:
            self.screen.tell("There is no guide at this table; gubs play --guided has one.")

    def _save(self) -> None:
        """Write the game to its file, or to another one that can be written."""
        self.session.save(self.screen.tell)
        self.screen.tell(f"The game is saved in {self.session.path}")

    def _quit(self) -> None:
        if self.screen.confirm("Save the game and leave?"):
            raise Leave

    # ------------------------------------------------------------------------------ the end

    def _end(self) -> None:
        session, screen, layout = self.session, self.screen, self.screen.layout
        seat = self._reader
        screen.clear(forget=len(session.people) > 1)
        table = session.table(seat)
        shown = layout.table(table)
        news = [] if seat is None else self._news(seat, table, len(shown))
        screen.say(*shown, *news, "", *screen.wrapped(session.question(seat), "cyan"))
        if seat is not None and (result := session.result(seat)):
            screen.tell(result, style="bold")
        if said := self._guide_lines(seat):
            screen.say(*said)
        self._save()
        if seat is not None:
            for line in story(session, seat, lambda *_: screen.note("Looking at your decisions …")):
                screen.note("")
                screen.tell(line, cards=table.card_styles)
        screen.say("", *session.next_steps())
        hands = session.open_hands()
        if hands and screen.confirm("Show all hands?"):
            screen.say(*layout.table(session.table(None), hands))
