"""Games as text: one game with its prompts and moves, and the agents that answer in text.

>>> from gubs_env import gubs_v0
>>> from gubs_env.agents.text_game import TextGame
>>> env = gubs_v0.raw_env(num_players=2)
>>> env.reset(seed=0)
>>> game = TextGame(env)
>>> game.seat, game.is_over
('player_0', False)
>>> [move.text for move in game.moves()]
['Skip the draw', 'Draw a card']
>>> prompt = game.prompt()
>>> print(prompt.question)
You: draw, or skip the draw
>>> game.play(game.parse('{"move": "draw a card"}'))

`text_options` says what a prompt contains, `prompts` writes it, `answers` reads what a model
answered, and `invented_names` replaces the words that name cards.
docs/reference/prompts.md shows the prompts in full.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gubs_env.agents.answers import IllegalMove, UnparsableAnswer, parse_answer
from gubs_env.agents.invented_names import REAL_NAMES, Names, invented_names
from gubs_env.agents.prompts import FailedAnswer, Prompt, system_text, table_as_text
from gubs_env.agents.registry import TextAgent
from gubs_env.agents.text_options import FORFEIT, OBFUSCATED, TextOptions
from gubs_env.engine.choosing import LOOK, choose_all
from gubs_env.engine.moves import Move
from gubs_env.support.exclusive import Exclusive, exclusive


@dataclass
class Counts:
    """How a text agent answered in one seat of one game."""

    asked: int = 0
    """Number of decisions that it was asked for."""
    illegal: int = 0
    """Number of answers that named a move which was not legal."""
    unparsable: int = 0
    """Number of answers in which no move was found."""
    failed: int = 0
    """Number of decisions at which all attempts failed."""
    forfeited: int = 0
    """1 if the seat has forfeited the game, else 0."""


class TextGame(Exclusive):
    """One game as text, for the seat that decides.

    Decisions with a single legal action are not asked: they are played at once.

    Args:
        env: the game, dealt, an AEC environment. Unless `skip_forced` is False, nobody else may
            step it.
        options: the contents of prompts and the names of cards; None means the defaults.
        skip_forced: play decisions with a single legal action; False leaves them to whoever steps
            `env`.

    Attributes:
        counts: how the agent in each seat answered, by the name of the seat (`choose_action`).
    """

    def __init__(
        self, env: Any, options: TextOptions | None = None, skip_forced: bool = True
    ) -> None:
        self.env = env
        self.options = options or TextOptions()
        self.counts = {seat: Counts() for seat in env.possible_agents}
        self._systems: dict[tuple[str, TextOptions], str] = {}
        self._news_from: dict[str, int] = {}
        self._move: tuple[int, ...] = ()
        self._began = 0
        self._before = int(env.state().decisions) - len(env.actions)
        self._skips = skip_forced
        self._skip_forced()

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.env.is_done(self.env.agent_selection)

    @property
    def seat(self) -> str | None:
        """The name of the seat that decides, as "player_0"; None at the end of the game."""
        return None if self.is_over else self.env.agent_selection

    def counts_of(self, player: int) -> Counts:
        """Return how the agent in a seat answered."""
        return self.counts[self.env.possible_agents[player]]

    # ------------------------------------------------------------------------------- texts

    @exclusive
    def system(self, seat: str, options: TextOptions | None = None) -> str:
        """Return the system text of a seat: the rules, the card texts and the form of an answer.

        Args:
            seat: the name of the seat.
            options: None means those of the game; so for all methods.
        """
        options, env = options or self.options, self.env
        if (seat, options) not in self._systems:
            names, lists = self._names(options), options.list_moves
            text = system_text(env.table, env.view(seat), names, lists)
            self._systems[seat, options] = text
        return self._systems[seat, options]

    @exclusive
    def news(self, seat: str, options: TextOptions | None = None) -> list[str]:
        """Return the lines of the log that a seat saw since it began its last move."""
        names = self._names(options or self.options)
        return [names.hide(line) for line in self.env.log(seat, self._news_from.get(seat, 0))]

    @exclusive
    def table(self, seat: str, options: TextOptions | None = None) -> str:
        """Return the table as a seat sees it."""
        names = self._names(options or self.options)
        return table_as_text(self.env.game, self.env.view(seat), names)

    @exclusive
    def question(self, seat: str, options: TextOptions | None = None) -> str:
        """Return who has to decide what, or how the game ended, as a seat reads it."""
        names = self._names(options or self.options)
        return names.hide(self.env.game.question(self.env.view(seat)))

    @exclusive
    def prompt(
        self, failed: Sequence[FailedAnswer] = (), options: TextOptions | None = None
    ) -> Prompt:
        """Return the prompt of the seat that decides.

        Args:
            failed: the wrong answers at this decision so far.
            options: None means those of the game.

        Raises:
            RuntimeError: at the end of the game.
        """
        seat, options = self._decider(), options or self.options
        is_listed = options.list_moves or not self.env.game.moves_text
        return Prompt(
            self.system(seat, options),
            tuple(self.news(seat, options)),
            self.table(seat, options),
            self.question(seat, options),
            tuple(move.text for move in self.moves(options)) if is_listed else (),
            tuple(failed),
        )

    # ------------------------------------------------------------------------------- moves

    @exclusive
    def moves(self, options: TextOptions | None = None) -> list[Move]:
        """Return the legal moves of the seat that decides; none at the end of the game."""
        return self._names(options or self.options).hide_moves(self.env.legal_moves())

    @exclusive
    def parse(self, answer: str, options: TextOptions | None = None) -> Move:
        """Return the legal move that an answer names; raise as `parse_answer` does."""
        return parse_answer(answer, self.moves(options))

    @exclusive
    def play(self, move: Move) -> None:
        """Play a whole move of the seat that decides, then all decisions without a choice.

        Raises:
            ValueError: if it is not a legal move; the game is then unchanged.
        """
        self.begin(move)
        self.env.play(move)
        self._skip_forced()

    @exclusive
    def begin(self, move: Move) -> None:
        """Note the move of the seat that decides: its news begin here, `next_pick` goes on."""
        seat = self._decider()
        self._news_from[seat] = len(self.env.log(seat))
        self._move, self._began = move.picks, len(self.env.actions)

    @exclusive
    def next_pick(self) -> int | None:
        """Return the next pick of the move that has begun; None if a new move is to be chosen."""
        done = tuple(self.env.actions[self._began :])
        is_open = len(done) < len(self._move) and self._move[: len(done)] == done
        return self._move[len(done)] if is_open else None

    @exclusive
    def follow(self, action: int, decisions: int) -> None:
        """Play what was played in another copy of the game.

        Args:
            action: the action, or LOOK for none.
            decisions: number of decisions of the copy afterwards: decisions with a single legal
                action, which the copy played without being told, are played too.
        """
        if action != LOOK:
            self.env.step(action)
        while len(self.env.actions) + self._before < decisions:
            self.env.step(int(self.legal_actions()[0]))

    @exclusive
    def legal_actions(self) -> np.ndarray:
        """Return the legal actions of the seat that decides, int64[…]."""
        return np.flatnonzero(self.env.observe(self._decider())["action_mask"])

    def _decider(self) -> str:
        if self.is_over:
            raise RuntimeError("the game is over: nobody decides")
        return self.env.agent_selection

    def _skip_forced(self) -> None:
        while self._skips and not self.is_over and len(legal := self.legal_actions()) == 1:
            self.env.step(int(legal[0]))

    def _names(self, options: TextOptions) -> Names:
        if options.names != OBFUSCATED:
            return REAL_NAMES
        return invented_names(self.env.game, options.names_seed)


# ------------------------------------------------------------------------------------- agents


def answers(
    agent: TextAgent, games: Sequence[TextGame], rngs: np.ndarray | None = None
) -> np.ndarray:
    """Return the actions of a text agent for the seats that decide, int64[len(games)].

    It is asked only where a new move begins and there is a choice.

    Args:
        agent: the agent.
        games: the games, each made with `skip_forced=False`.
        rngs: int64[len(games), 4], an RNG for each decision, which is advanced where a random move
            is played; None means fresh entropy.
    """
    if rngs is None:
        rngs = np.random.default_rng().integers(1 << 32, size=(len(games), 4))
    threads = min(getattr(agent, "concurrency", 1), len(games))
    if threads <= 1:
        chosen = [choose_action(agent, *each) for each in zip(games, rngs, strict=True)]
    else:
        with ThreadPoolExecutor(threads) as pool:
            chosen = list(pool.map(choose_action, [agent] * len(games), games, rngs))
    return np.array(chosen, np.int64)


def choose_action(agent: TextAgent, game: TextGame, rng: np.ndarray) -> int:
    """Return the next action of a text agent in one game; see `answers`."""
    legal = game.legal_actions()
    if len(legal) == 1:
        return int(legal[0])
    pick = game.next_pick()
    if pick is None:
        game.begin(choose_move(agent, game, rng))
        pick = game.next_pick()
    assert pick is not None
    return pick


def choose_move(agent: TextAgent, game: TextGame, rng: np.ndarray) -> Move:
    """Return the move that a text agent answers with, or a random one after a failure."""
    assert game.seat is not None
    options = getattr(agent, "text_options", game.options)
    counts, moves = game.counts[game.seat], game.moves(options)
    if counts.forfeited:
        return random_move(moves, rng)
    counts.asked += 1
    prompt, wrong = game.prompt(options=options), Counter[type]()
    while max(wrong.values(), default=0) < options.attempts:
        answer = agent.choose(prompt, [move.text for move in moves])
        try:
            return parse_answer(answer, moves)
        except (UnparsableAnswer, IllegalMove) as error:
            wrong[type(error)] += 1
            counts.illegal += isinstance(error, IllegalMove)
            counts.unparsable += isinstance(error, UnparsableAnswer)
            prompt = replace(prompt, failed=(*prompt.failed, FailedAnswer(answer, str(error))))
    counts.failed += 1
    counts.forfeited = int(options.on_failure == FORFEIT)
    return random_move(moves, rng)


def random_move(moves: Sequence[Move], rng: np.ndarray) -> Move:
    """Return one of the moves, uniformly at random; `rng`, int64[4], is advanced."""
    chosen = np.zeros(1, np.int64)
    choose_all(rng[None], np.ones((1, len(moves)), np.int8), chosen)
    return moves[int(chosen[0])]
