"""A game between people and agents, without a screen; the terminal and the browser show it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gubs_env.agents.asking import ask, check_answer, next_decision
from gubs_env.agents.memory import Memory
from gubs_env.agents.naming import addressed, addressed_table, level_of, names_at
from gubs_env.agents.registry import AnyAgent, EstimatingAgent, Judge, parse_agent
from gubs_env.agents.text_game import TextGame
from gubs_env.api.aec import AECGame
from gubs_env.engine.card_texts import card_texts
from gubs_env.engine.compiling import is_long_work_interpreted
from gubs_env.engine.moves import Move, picks_of
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.table import Table
from gubs_env.engine.text import Line, TableWords, Trick
from gubs_env.engine.view import Size, View
from gubs_env.play.choice import begun_by
from gubs_env.play.previews import Previews, walked
from gubs_env.play.rules import explained, goal
from gubs_env.play.saves import go_on, keep_game
from gubs_env.records.record import PERSON
from gubs_env.replays.judging import (
    Decision,
    decisions,
    is_fast,
    judge_all,
    judge_at,
    picks_at,
    worth_at,
)
from gubs_env.replays.weighing import PASS, chance_of, weigh
from gubs_env.support.errors import described, outlined
from gubs_env.support.output import command_line

EVERYBODY, ALL = "everybody", "all"
"""Viewers without a seat: one who sees what all players see, and one who sees all hands too."""
HINTS = "hints"
"""The key of the RNG for hints, among those of the seats."""
HAS_TURN = "has the turn"
"""The mark of a seat in a table in words."""
HURRIED = "The strongest agents play weaker for the first minutes, until the program is prepared."


class Player(NamedTuple):
    """An agent that plays or gives hints, and its name."""

    name: str
    agent: AnyAgent

    @property
    def short_name(self) -> str:
        """The name without options."""
        return parse_agent(self.name).name

    @property
    def level(self) -> str:
        """The level, as "hard"; the name without options for an agent without one."""
        return level_of(self.short_name) or self.short_name


class AgentFailed(ValueError):
    """An agent raised an error, or its answer is not legal; nothing is played.

    Args:
        message: what happened, with all that is known, for whoever chose the agent.
        outline: what everybody at the table may know: no message of the agent, which sees its hand.
    """

    def __init__(self, message: str, outline: str) -> None:
        super().__init__(message)
        self.outline = outline


class Hint(NamedTuple):
    """The advice of an agent to a person."""

    move: Move
    """The move that the agent would play, or one that the replay could not call worse."""
    adviser: str
    """The name of the agent."""
    worth: float | None = None
    """The payoff that the network expects with the move; None if it does not judge the decision, or
    while much work takes long."""
    told: tuple[str, ...] = ()
    """Sentences, as far as something is known: the wins or the payoff that the move brings, beside
    those of the likeliest other move, and the points that it changes."""


def brought(table: Table, worth: float, other: str = "", others: float = 0) -> str:
    """Return what a move brings in words, as wins where only the win is paid.

    Args:
        table: the table.
        worth: the payoff that is expected with the move.
        other: another move, which cannot be told apart from it; "" for none.
        others: the payoff that is expected with the other one, told if it is less, as rounded.
    """

    def told(payoff: float) -> str:
        chance = chance_of(table, payoff)
        return f"{payoff:+.2f}" if chance is None else f"{100 * chance:.0f}"

    are_wins = chance_of(table, worth) is not None
    best, less = told(worth), told(others)
    brings = f"It brings about {best} wins in 100"
    scale = f", where the most is {told(table.max_payoff)}"
    brings = brings if are_wins else f"It brings an expected payoff of {best}{scale}"
    if not other:
        return f"{brings}."
    if others >= worth or less == best:
        return f"{brings}, and “{other}” about as {'many' if are_wins else 'much'}."
    return f"{brings}, “{other}” about {less}."


class Session:
    """One game with a person or an agent in each seat.

    People are told only what their seat may know: a method that takes the name of a seat returns
    only what follows from its view, its moves and its log.

    Args:
        env: the game, dealt; nobody else may step it.
        opponents: the agents by the name of their seat; people sit in all other seats.
        adviser: the agent that gives hints; None means no hints.
        seed: seed of the agents' RNGs; None draws one.
        path: the file that the game is written to; None for a game without a file.
        is_guided: whether the guide explains each step (`guide`).
    """

    def __init__(
        self,
        env: AECGame[Any],
        opponents: Mapping[str, Player],
        adviser: Player | None = None,
        seed: int | None = None,
        path: Path | None = None,
        is_guided: bool = False,
    ) -> None:
        self.env = env
        self.opponents = dict(opponents)
        self.adviser, self.path, self.is_guided = adviser, path, is_guided
        self.people = [seat for seat in env.possible_agents if seat not in self.opponents]
        self.called = names_at(env.possible_agents, self.people)
        """What everybody is called, by seat."""
        rngs = spawn_rngs(np.random.default_rng(seed), len(env.possible_agents) + 1)
        self.rngs = dict(zip([*env.possible_agents, HINTS], rngs, strict=True))
        """The RNG of the agent in each seat, and of HINTS; whoever draws from one advances it."""
        self._news_from = {seat: len(env.log(seat)) for seat in self.people}
        """Where the news of each person begin: with what follows, if a saved game goes on."""
        self._account_from = dict(self._news_from)
        """Where the account of each person begins."""
        self._beginners = set() if env.actions or is_guided else set(self.people)
        """The people who are to be told the goal of the game."""
        self._memories = {seat: Memory() for seat in self.opponents}
        self._hints: dict[int, Hint] = {}
        """The newest hint, by the number of actions before it: whoever asks again gets it again."""
        self._text = TextGame(env, skip_forced=False)
        self._tricks: list[Trick] = []
        """The tricks that were taken since the session began."""

    def copied(self) -> Session:
        """Return the same game for another thread, which reads it."""
        session = copy.copy(self)
        session.env = self.env.clone()
        return session

    @property
    def names(self) -> list[str]:
        """The name of the agent in each seat; PERSON for a person."""
        seats = self.env.possible_agents
        return [self.opponents[s].name if s in self.opponents else PERSON for s in seats]

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.env.is_done(self.env.agent_selection)

    @property
    def person(self) -> str | None:
        """The seat of the person to decide; None if an agent decides, or the game is over."""
        seat = self.env.agent_selection
        return None if self.is_over or seat in self.opponents else seat

    @property
    def note(self) -> str:
        """A sentence about agents that do not play their best yet; empty if all do."""
        is_slow = any(isinstance(each.agent, EstimatingAgent) for each in self.opponents.values())
        return HURRIED if is_slow and is_long_work_interpreted() else ""

    @cached_property
    def judge(self) -> Judge | None:
        """The network that judges decisions; None if none is installed for this table."""
        with suppress(ValueError):
            return judge_at(self.env.table)
        return None

    @cached_property
    def decisions(self) -> list[Decision]:
        """The moves of a game that is over, as `judge` judges them; empty without it."""
        moves = list(self.env.saved().course().moves())
        return decisions(self.env.table, self.judge, moves) if self.judge else []

    # ------------------------------------------------------------------------- what people see

    def view(self, seat: str | None) -> View:
        """Return the view of a seat, or of a spectator for None."""
        if seat is None:
            return self.env.game.spectator_view(np.array([self.env.state()]), 0)
        return self.env.view(seat)

    def addressed(self, text: str, seat: str | None) -> str:
        """Return a text in which everybody is called by their name, and a seat "you"."""
        return addressed(text, self.called, seat)

    def table(self, seat: str | None) -> TableWords:
        """Return the table in words as a seat sees it, or a spectator for None.

        The seats of agents are marked with their levels.
        """
        table = self.env.game.table_words(self.view(seat))
        levels = {name: [agent.level] for name, agent in self.opponents.items()}
        seats = [s._replace(marks=[*levels.get(s.name, []), *s.marks]) for s in table.seats]
        return addressed_table(table._replace(seats=seats), self.called, seat)

    def interrupted(self, seat: str) -> str:
        """Return who is interrupted if a seat is asked out of turn, in words; "" otherwise."""
        table = self.table(seat)
        due = (s.name for s in table.seats if HAS_TURN in s.marks and "you" not in s.marks)
        return next(due, "another player") if table.interrupts else ""

    def question(self, seat: str | None) -> str:
        """Return who has to decide what, or how the game ended; None is a spectator."""
        return self.addressed(self.env.game.question(self.view(seat)), seat)

    def result(self, seat: str) -> str:
        """Return whether a seat has won, and with whom; empty while the game goes on, or if it was
        cut off.
        """
        if not self.is_over or self.env.saved().outcome is None:
            return ""
        winners = self.env.outcome().winners
        won = [self.env.possible_agents[player] for player in winners]
        if seat not in won:
            return "You have lost."
        *most, last = [self.called[each] for each in won if each != seat] or [""]
        others = f"{', '.join(most)} and {last}" if most else last
        return f"You have won together with {others}." if others else "You have won."

    def log(self, seat: str | None, since: int = 0) -> list[str]:
        """Return the log from line `since` on, as a seat saw it, or a spectator for None."""
        return [self.addressed(line, seat) for line in self.env.log(seat, since)]

    def news(self, seat: str) -> list[str]:
        """Return the lines of the log that a seat saw since it last decided."""
        return self.log(seat, self._news_from[seat])

    def account(self, seat: str) -> list[tuple[str, str]]:
        """Return the log since a seat's last turn ended, with what the cards in it do.

        First of all comes the goal, with the note. In a game that does not say who has the turn,
        each decision is one.
        """
        account = explained(self.log(seat, self._account_from[seat]), self.card_texts)
        table = self.env.table
        aim = goal(table) if seat in self._beginners else ""
        modes = [
            f" ({title})" for o in table.changed_options() if (title := table.rules.titles.get(o))
        ]
        return [(f"The goal{''.join(modes)}: {aim}", self.note), *account] if aim else account

    def trick(self, seat: str | None) -> dict[str, Any] | None:
        """Return the last trick that was taken, and its number, as JSON; None if none was yet."""
        if not self._tricks:
            return None
        winner, cards, _, ending = self._tricks[-1]
        return {
            "number": len(self._tricks),
            "winner": self.addressed(winner, seat),
            "cards": [[self.addressed(name, seat), card] for name, card in cards],
            "ending": ". ".join(self.addressed(line, seat) for line in ending),
        }

    def laid_trick(self, seat: str | None = None) -> View:
        """Return the table with the last trick that was taken, as a seat saw it, or everybody."""
        states, game = np.array([self._tricks[-1].state]), self.env.game
        if seat is None:
            return game.spectator_view(states, 0)
        return game.view(states, 0, self.env.possible_agents.index(seat))

    @cached_property
    def card_texts(self) -> dict[str, str]:
        """The rules of the cards, by their names."""
        return card_texts(self.env.game)

    def drawn(
        self, view: View, reader: str | None, size: Size | None = None, open_hands: bool = False
    ) -> str:
        """Return the picture of a view of this game, in which everybody is called by their name.

        Args:
            view: a view, or a whole state for open hands.
            reader: the seat of the person who looks at it, if there is one.
            size: the width and height of its window, in pixels; None for the usual width.
            open_hands: whether to draw all hands open.
        """
        return self.addressed(self.env.game.draw(view, open_hands, size), reader)

    def open_hands(self) -> dict[int, Sequence[Line]]:
        """Return the hand of each seat that has one, if the game is over or has no people.

        Raises:
            RuntimeError: while a person still plays.
        """
        if self.people and not self.is_over:
            raise RuntimeError("hands are shown when the game is over")
        tables = map(self.table, self.env.possible_agents)
        return {table.own_seat: table.private[:1] for table in tables if table.private}

    # ------------------------------------------------------------------------------- the file

    def save(self, tell: Callable[[str], None]) -> None:
        """Write the game to its file, if it has one, or to another one (`keep_game`).

        Args:
            tell: called with the reason in words, if the file cannot be written.

        Raises:
            OSError: if no other file can be written either.
        """
        if self.path is not None:
            self.path = keep_game(self.path, self.env, self.names, tell)

    def next_steps(self, *options: str) -> list[str]:
        """Return how the game in its file is seen again, or gone on with, in two lines.

        Args:
            options: further options of the command that goes on with it.
        """
        path = self.path or Path()
        if self.is_over:
            return ["See it again with:", f"  {command_line('replay', str(path))}"]
        return ["Go on with:", f"  {go_on(path, self.names, *options)}"]

    # ------------------------------------------------------------------------ what people decide

    def moves(self, seat: str) -> list[Move]:
        """Return the whole moves of the person to decide; raise ValueError for anybody else."""
        self._check_decides(seat)
        moves = self.env.legal_moves()
        return [move._replace(text=self.addressed(move.text, seat)) for move in moves]

    def is_pass(self, seat: str, move: Move) -> bool:
        """Return whether with this move the person to decide, asked out of turn, does nothing."""
        names = [self.env.action_name(pick) for pick in move.picks]
        return names == [PASS] and bool(self.interrupted(seat))

    def previews(self, seat: str) -> Previews:
        """Return the previews of the person to decide; raise ValueError for anybody else."""
        return Previews(self.env, self.moves(seat), partial(self.addressed, seat=seat))

    def pick_texts(self, prefix: tuple[int, ...], picks: Sequence[int]) -> list[str]:
        """Return the texts of next picks of the person to decide, after the picks of `prefix`."""
        seat = self.env.agent_selection
        view = walked(self.env.view(seat), prefix)[-1].view
        return [self.addressed(view.game.pick_text(view, pick), seat) for pick in picks]

    def play(self, seat: str, move: Move, is_forced: bool = False) -> None:
        """Play a whole move of the person to decide; after a forced one, old news stay news.

        Raises:
            ValueError: if another seat decides, or this is not one of its moves.
        """
        self._check_decides(seat)
        begun, whose = len(self.env.log(seat)), self._turn()
        for pick in picks_of(move, self.env.legal_moves()):
            self._step(pick)
        if not is_forced:
            self._news_from[seat] = begun
            self._beginners.discard(seat)
            if whose in (None, seat) and self._turn() != seat:
                self._account_from[seat] = begun

    def _turn(self) -> str | None:
        """Return the seat that has the turn; None in a game that does not say so."""
        seats = self.env.game.table_words(self.view(None)).seats
        return next((seat.name for seat in seats if HAS_TURN in seat.marks), None)

    def _check_decides(self, seat: str) -> None:
        if self.person != seat:
            raise ValueError(f"{seat} does not decide now")

    def hint(self, seat: str) -> Hint | None:
        """Return the advice for the person to decide; None without an adviser.

        Raises:
            ValueError: if another seat decides.
            AgentFailed: if the adviser fails.
        """
        self._check_decides(seat)
        if self.adviser is None:
            return None
        decision = len(self.env.actions)
        if decision not in self._hints:
            self._hints = {decision: self._hint(seat, self.adviser)}
        return self._hints[decision]

    def _hint(self, seat: str, adviser: Player) -> Hint:
        if isinstance(adviser.agent, Judge):
            move, worth, told = self._judged(seat, adviser.agent)
        else:
            picks: tuple[int, ...] = ()
            trial, left = self.env.clone(), self.moves(seat)
            while not picks or len(left) > 1:
                picks += (self._answer(trial, adviser, HINTS),)
                trial.step(picks[-1])
                left = begun_by(picks, left)
            (move,), worth, told = left, None, ""
            if self.judge:
                move, worth, told = self._judged(seat, self.judge, move)
        forecast = self.previews(seat).forecast(move)
        sentences = told, forecast and f"{forecast}."
        return Hint(move, adviser.short_name, worth, tuple(filter(None, sentences)))

    def _judged(
        self, seat: str, judge: Judge, advised: Move | None = None
    ) -> tuple[Move, float | None, str]:
        """Return the better one of two moves, what it is worth, and that and the other in words.

        They are weighed as the replay weighs them, which cannot call this move a mistake then. Of
        two that cannot be told apart, it is the one by which the seat loses nothing at once.

        Args:
            seat: the person to decide.
            judge: a network.
            advised: one of the moves; None for the network's likeliest. The other one is its
                likeliest other one.
        """
        view, moves, table = self.view(seat), self.moves(seat), self.env.table
        (judgement,) = judge_all(judge, [picks_at(table.game, np.array([view.state]), moves)])
        likeliest, worth = judgement.likeliest(moves), judgement.value
        move = advised or likeliest
        others = [each for each in moves if each.picks != move.picks]
        if not is_fast(table.game.kernel.advance):  # games are played on by the hundred
            worth = worth if move == likeliest else None
            return move, worth, "" if worth is None else brought(table, worth)
        worth = worth_at(table, judge, view, judgement)
        if not others:
            return move, worth, brought(table, worth)
        other, cost = judgement.likeliest(others), partial(weigh, table, judge, view)
        weighed = cost(other.picks, move.picks)
        if weighed.cost < -weighed.margin and (turned := cost(move.picks, other.picks)).better:
            move, other, weighed = other, move, turned
        elif weighed.cost < weighed.margin and self._loses(move) and not self._loses(other):
            move, other, weighed = other, move, weighed._replace(cost=-weighed.cost)
        best = worth + weighed.cost * (move != likeliest)
        told = brought(table, best, other.text, best - weighed.cost)
        if weighed.better:
            better = self.addressed(weighed.better, seat)
            told = f"{brought(table, best)} Compared with “{other.text}”, it is {better}."
        return move, best, told

    def _loses(self, move: Move) -> bool:
        """Return whether the player to decide loses points by their own move, not by another's."""
        seat = self.env.agent_selection
        if self.interrupted(seat):
            return False
        now, then = self.previews(seat).changes(move)[1].get(seat, (0, 0))
        return then < now

    # ------------------------------------------------------------------------------- the agents

    def play_opponent(self) -> None:
        """Play one decision of the agent to decide.

        Raises:
            AgentFailed: if the agent fails, or its answer is not a legal action.
        """
        seat = self.env.agent_selection
        self._step(self._answer(self.env, self.opponents[seat], seat))

    def _step(self, action: int) -> None:
        """Play a decision, and keep the trick that it ends."""
        before = self.env.state()
        self.env.step(action)
        trick = self.env.game.ended_trick(before, action, self.env.state())
        self._tricks += [trick] if trick else []

    def _answer(self, env: AECGame[Any], player: Player, rng: str) -> int:
        """Return the action of an agent for the seat to decide.

        An agent with a memory that advises, or that takes a seat of a game that goes on, remembers
        nothing: it is shown the events of the whole game, as many as it can be.
        """
        seat = env.agent_selection
        memory = Memory() if rng == HINTS else self._memories[seat]
        observed = env.observe(seat)
        recall = partial(memory.recall, player.agent)

        def text() -> TextGame:
            return self._text if env is self.env else TextGame(env, skip_forced=False)

        with failing(player):
            answer = ask(player.agent, next_decision(env, observed, self.rngs[rng], text, recall))
        check_legal(answer, observed["action_mask"][None], player)
        return int(answer[0])


@contextmanager
def failing(player: Player) -> Iterator[None]:
    """Raise AgentFailed for whatever an agent raises, but for Ctrl-C."""
    try:
        yield
    except (Exception, SystemExit) as error:
        raise AgentFailed(
            f"agent {player.name!r} failed: {described(error)}",
            f"the agent {player.short_name} failed: {outlined(error)}",
        ) from error


def check_legal(answer: np.ndarray, masks: np.ndarray, player: Player) -> None:
    """Raise AgentFailed unless an answer is a legal action for each mask (`check_answer`)."""
    try:
        check_answer(answer, masks, player.name)
    except ValueError as error:  # it tells the legal actions
        outline = f"the agent {player.short_name} chose what is no legal action"
        raise AgentFailed(str(error), outline) from None


def seat_of(eyes: str) -> str | None:
    """Return the seat that these eyes belong to; None for EVERYBODY and ALL."""
    return None if eyes in (EVERYBODY, ALL) else eyes
