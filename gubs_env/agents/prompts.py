"""The prompts of text agents: system text, news, table, question, and earlier wrong answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gubs_env.agents.invented_names import Names
from gubs_env.engine.game import Game
from gubs_env.engine.table import Table
from gubs_env.engine.text import painter, player_name, table_text
from gubs_env.engine.view import View

SYSTEM = """\
You are {player} at a table of {num_players} players. The game is {title}. {sides}

{rules}

{options}How to play. Each message tells what happened since your last decision, shows the table
as you see it, and asks you for one decision. You are asked only when you have a choice. Players are
numbered from 0, clockwise.

How to answer. You may think first. End your answer with your move, as JSON on a line of its own:
{{"move": "…"}}
{moves}"""
"""The template of the system text."""
HOW_WRITTEN = """\
Write the move in the words below, with the cards, players and places that you mean:
{moves}"""
AS_LISTED = "Write the move exactly as it is listed."
NEWS, MOVES = "Since your last decision:", "Your legal moves:"
"""The headings of two parts of a prompt."""
NO_TEXT = "(no text)"
"""The text in place of an answer without one: some servers refuse an empty message."""


class FailedAnswer(NamedTuple):
    """An answer that named no legal move."""

    answer: str
    error: str
    """The reason, which the model is told."""


@dataclass(frozen=True)
class Prompt:
    """Everything that a text agent is told at one decision, in parts; `str` joins them."""

    system: str
    """The goal, the rules, the card texts and the form of an answer: the same all game."""
    news: tuple[str, ...]
    """The events that the seat saw since its last decision; empty without a log."""
    table: str
    """The table as the seat sees it."""
    question: str
    """The decision of the seat."""
    moves: tuple[str, ...] = ()
    """The legal moves, if they are listed."""
    failed: tuple[FailedAnswer, ...] = ()
    """The wrong answers at this decision so far."""

    @property
    def user(self) -> str:
        """News, table, question and listed moves as one text."""
        news = ["\n".join([NEWS, *(f"- {line}" for line in self.news)])] if self.news else []
        listed = ["\n".join([MOVES, *(f"- {move}" for move in self.moves)])] if self.moves else []
        return "\n\n".join([*news, self.table, self.question, *listed])

    def messages(self) -> list[dict[str, str]]:
        """Return the prompt as messages of a chat: `role` and `content`."""
        messages = [
            {"role": "system", "content": self.system},
            {"role": "user", "content": self.user},
        ]
        for answer, error in self.failed:
            messages.append({"role": "assistant", "content": answer if answer.strip() else NO_TEXT})
            messages.append(
                {"role": "user", "content": f"That does not work: {error}. Answer again."}
            )
        return messages

    def __str__(self) -> str:
        return "\n\n".join(message["content"] for message in self.messages())


def system_text(table: Table, view: View, names: Names, list_moves: bool) -> str:
    """Return the system text of a seat.

    Args:
        table: the table.
        view: any view of the seat.
        names: the names of the cards.
        list_moves: whether the prompts list the legal moves.
    """
    game = table.game
    how = HOW_WRITTEN.format(moves=game.moves_text)
    text = SYSTEM.format(
        player=player_name(view.seat),
        num_players=table.num_players,
        title=game.title,
        sides=sides_text(table, view.seat),
        rules=game.rules_text(),
        options=rules_line(table),
        moves=AS_LISTED if list_moves or not game.moves_text else how,
    )
    return names.hide(text)


def sides_text(table: Table, seat: int) -> str:
    """Return who plays with a seat, in words."""
    partners = np.flatnonzero(table.sides == table.sides[seat])
    named = " and ".join(player_name(partner) for partner in partners.tolist() if partner != seat)
    return f"Your partner is {named}." if named else "You play for yourself."


def rules_line(table: Table) -> str:
    """Return the options of the rules that differ from the official ones, in words."""
    changed = table.changed_options()
    return f"Rule options of this table: {', '.join(changed)}.\n\n" if changed else ""


def table_as_text(game: Game, view: View, names: Names) -> str:
    """Return the table as a seat sees it, in words."""
    return names.hide(table_text(game.table_words(view), painter(False)))
