"""Previews of the moves of a person, pick by pick, before they are played.

Everything follows from what the person sees, and nothing is played.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gubs_env.api.aec import AECGame
from gubs_env.engine.mechanics import Next
from gubs_env.engine.moves import Move
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.text import TableWords
from gubs_env.engine.view import View
from gubs_env.play.choice import begun_by, grouped, shared_picks
from gubs_env.replays.weighing import PASS

ASK_EVERYONE = "ask_everyone"
"""The rule option by which all players are asked, not only those who hold an answer."""

TRICKS = "Tricks"
COUNTED = ("Points", TRICKS)
"""The things whose numbers a forecast tells, the more important first."""

OVER = "The game is over: "
"""The beginning of the words about the end of a game with scores."""

ORDINAL = re.compile(r"(?<=(?:your|.own|..'s) )(?:first|second|third|\w+th) (?=[A-Z])")
"""The number by which a text names a thing of somebody."""


class Pick(NamedTuple):
    """A pick of a move, made or asked for."""

    view: View
    """The view of the person before it."""
    action: int | None = None
    """The action; None if it is asked for."""


class Begun(NamedTuple):
    """A move that a person is choosing, pick by pick."""

    picks: tuple[int, ...]
    """The actions so far, with those that follow because all moves left share them."""
    made: list[Pick]
    """The picks so far, with those that the rules make because nothing else is legal; then, unless
    the move is complete, the pick asked for next."""
    shown: int
    """The index of the pick before which to show the table: the one asked for next, or the last
    that the person made of a complete move."""
    question: str
    """The question asked next; "" for a complete move."""
    answers: list[Move]
    """The next picks in words, each with the picks up to it; none for a complete move."""
    move: Move | None = None
    """The move, once it is complete."""


class Previews:
    """The moves of the person to decide, as far as they can be chosen.

    Args:
        env: the game, which is not played on while previews are made.
        moves: the moves of the person to decide, in words for them.
        say: (text) → the text as the person is addressed.
    """

    def __init__(self, env: AECGame[Any], moves: Sequence[Move], say: Callable[[str], str]) -> None:
        self.moves = moves
        self._env, self._seat, self._say = env, env.agent_selection, say
        self._view = env.view(self._seat)

    def begun(self, picks: tuple[int, ...]) -> Begun:
        """Return a move as far as it is chosen; raise ValueError for picks that begin none.

        Actions that follow because all moves left share them are added, but for the first.
        """
        moves = begun_by(picks, self.moves)
        if not moves:
            raise ValueError("this is no legal move")
        picks = shared_picks(moves) if picks else picks
        if picks and len(moves) == 1:
            last = len(walked(self._view, picks[:-1])) - 1
            return Begun(picks, walked(self._view, picks)[:-1], last, "", [], moves[0])
        made = walked(self._view, picks)
        view = made[-1].view
        entries = grouped(moves, picks, lambda prefix, several: self._texts(view, several))
        texts = [text for text, _ in entries]
        nexts = [each[0].picks[: len(picks) + 1] for _, each in entries]
        if len({ORDINAL.sub("", text) for text in texts}) < len(texts):  # say what lies there too
            texts = self._texts(view, [chosen[-1] for chosen in nexts])
        answers = [*map(Move, texts, nexts)]
        return Begun(picks, made, len(made) - 1, self._say(view.game.question(view)), answers)

    def ahead(self, most: int) -> Iterator[tuple[tuple[int, ...], Begun]]:
        """Yield (picks chosen, the move begun so) for all choices, the shortest first.

        Args:
            most: the largest number of them.
        """
        waiting = [self.begun(())]
        while waiting and most:
            for answer in waiting.pop(0).answers[:most]:
                most -= 1
                waiting.append(self.begun(answer.picks))
                yield answer.picks, waiting[-1]

    def _texts(self, view: View, picks: Sequence[int]) -> list[str]:
        return [self._say(view.game.pick_text(view, pick)) for pick in picks]

    # ----------------------------------------------------------------------------- forecasts

    def forecast(self, move: Move) -> str:
        """Return the end, points or tricks that a move would bring if nobody answers; "" for none.

        It says so if others could answer, whatever they hold.
        """
        condition = ", if nobody answers" if self._is_answerable(move) else ""
        if ends := self._end(move):
            return self._say(f"{ends}{condition}")
        things, changed = self.changes(move)
        if not changed:
            return ""
        sides: dict[tuple[int | str, int, int], list[str]] = defaultdict(list)  # partners' points
        known = dict(zip(self._env.possible_agents, self._env.table.sides.tolist(), strict=True))
        for name, (now, then) in changed.items():
            side = name if things == TRICKS else known.get(name, name)
            sides[side, now, then].append(name)
        changes = ", ".join(
            f"{' and '.join(names)} {now} → {then}" for (_, now, then), names in sides.items()
        )
        return self._say(f"{things}: {changes}{condition}")

    def changes(self, move: Move) -> tuple[str, dict[str, tuple[int, int]]]:
        """Return what a move would change if nobody answers, points or tricks, and their numbers.

        The numbers are those before and after, by the name of the seat. The hidden cards are drawn
        anew, and what differs between two draws is left out.
        """
        before = counts(self._view.game.table_words(self._view))
        draws = [counts(x.game.table_words(x.view(self._seat))) for x in self._after(move)]
        for things in COUNTED:
            after, other, now = (each[things] for each in (*draws, before))
            if things == TRICKS and any(after[name] < now[name] for name in after):
                continue  # a new hand begins
            changed = {
                name: (now[name], count)
                for name, count in after.items()
                if other[name] == count != now[name]
            }
            if changed:
                return things, changed
        return "", {}

    def _end(self, move: Move) -> str:
        """Return how a move ends the game if nobody answers; "" if it goes on, or that depends on
        hidden cards.
        """
        ended = [trial for trial in self._after(move) if trial.is_done(trial.agent_selection)]
        told = {trial.game.question(trial.view(self._seat)) for trial in ended}
        is_sure = len(ended) == len(self._drawn) and len(told) == 1
        return f"The game ends: {told.pop().removeprefix(OVER)}" if is_sure else ""

    def _after(self, move: Move) -> list[AECGame[Any]]:
        """Return the games with the hidden cards drawn anew after a move that nobody answers."""
        trials = [drawn.clone() for drawn in self._drawn]
        for trial in trials:
            for pick in move.picks:
                trial.step(pick)
            let_pass(trial, self._seat)
        return trials

    def _is_answerable(self, move: Move) -> bool:
        """Return whether others could answer a move, whatever they hold."""
        game, states = self._view.game, np.array([self._drawn[0].state()])
        if ASK_EVERYONE in game.option_fields:
            states[ASK_EVERYONE] = True
        batch = game.new_batch(states)
        for pick in move.picks:
            game.kernel.advance(*batch, np.array([pick]), 1, False, False)
        actor = int(batch.actors[0])
        words = game.table_words(game.view(batch.states, 0, actor))
        return actor != self._view.seat and words.interrupts

    @cached_property
    def _drawn(self) -> list[AECGame[Any]]:
        """The game with the hidden cards drawn anew, twice."""
        trials = []
        for rng in spawn_rngs(np.random.default_rng(0), 2):
            states = np.array([self._view.state])
            self._view.game.kernel.determinize(states, 0, rng)
            trials.append(self._env.clone())
            trials[-1].set_state(states[0])
        return trials


def walked(view: View, picks: Sequence[int]) -> list[Pick]:
    """Return the picks of a move or its beginning, in order; the last is the one asked for next.

    Inside a move nothing is left to chance. If the move is complete, the last view means nothing.
    """
    made = []
    for pick in picks:
        made.append(Pick(view, pick))
        view, follows = _after(view, pick)
        while follows == Next.ASKED_IF_OPEN and len(legal := view.game.legal_actions(view)) == 1:
            made.append(Pick(view, int(legal[0])))
            view, follows = _after(view, int(legal[0]))
    return [*made, Pick(view)]


def _after(view: View, pick: int) -> tuple[View, int]:
    """Return the view after a pick, and how the move goes on."""
    states = np.array([view.state])
    follows = view.game.mechanics.next_pick(states[0], pick)
    return view._replace(state=states[0]), follows


def counts(table: TableWords) -> dict[str, dict[str, int]]:
    """Return how many of the things counted each seat has, by its name."""
    told = {
        seat.name: " ".join([seat.facts, *(line.text for line in seat.lines)])
        for seat in table.seats
    }

    def count(things: str, text: str) -> int:
        match = re.search(rf"\b(\d+) {things[:-1].lower()}s?\b", text)
        return int(match[1]) if match else 0

    return {
        things: {name: count(things, text) for name, text in told.items()} for things in COUNTED
    }


def let_pass(env: AECGame[Any], seat: str) -> None:
    """Let everybody but a seat pass until somebody has to do more, or the seat decides."""
    while not env.is_done(env.agent_selection) and env.agent_selection != seat:
        mask = env.observe(env.agent_selection)["action_mask"]
        names = env.table.action_names
        if PASS not in names or not mask[names.index(PASS)] or env.view(seat).state.actor >= 0:
            return
        env.step(names.index(PASS))
