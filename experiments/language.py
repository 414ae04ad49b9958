"""Measure the prompts of language models, and what a rating of one costs.

    python experiments/language.py

Prints the tables of docs/research/prompt-sizes.md and docs/language_models.md: the sizes of prompts
with and without the legal moves, the decisions that a model is asked for in a game, and the budget
of a rating. No model is asked: a game of the heuristic is told as text, decision by decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import tyro

import gubs_agents
from gubs_env import find_table
from gubs_env.agents.text_game import TextGame
from gubs_env.agents.text_options import TextOptions
from gubs_env.api.aec import environment_of
from gubs_env.engine.table import Table
from gubs_env.records.playing import Games, play_games
from gubs_env.support.output import print_everywhere

TABLES = (("gubs", 2), ("gubs", 4), ("fubnub", 4), ("bad_bad_turtle", 4))
CHARACTERS_A_TOKEN = 4.0
"""A common estimate for English text; tokenizers differ by a fifth either way."""
ANSWER_TOKENS = 150
"""Tokens of an answer that thinks in a few sentences."""
PRICES = ((0.1, 0.4), (1.0, 4.0), (5.0, 20.0))
"""Prices of a million tokens, of prompts and of answers."""
SHOWN, LISTED = TextOptions(), TextOptions(list_moves=True)


def recorded_games(table: Table, games: int) -> list[list[int]]:
    """Return the actions of games of the heuristic; game k is the deal k."""
    agent = gubs_agents.make("heuristic", table, seed=0)
    seatings = np.zeros((games, table.num_players), int)
    played, _ = play_games(Games(table, np.arange(games), seatings), [agent])
    return played.actions


def decisions(table: Table, seed: int, actions: Sequence[int]) -> Iterator[TextGame]:
    """Yield a game as text at every decision that a text agent would be asked for."""
    env = environment_of(table)
    env.reset(seed=seed)
    text = TextGame(env, skip_forced=False)
    for number, action in enumerate(actions):
        if len(text.legal_actions()) > 1 and text.next_pick() is None:
            yield text
            rest = tuple(actions[number:])
            [move] = [move for move in text.moves() if rest[: len(move.picks)] == move.picks]
            text.begin(move)
        env.step(action)


def sizes_of(table: Table, games: int) -> tuple[np.ndarray, float]:
    """Return the characters of prompts and the decisions of one seat in a game.

    Returns:
        float64[decisions, 5]: system text and user text without the legal moves, the same with
        them, and the number of legal moves.
    """
    rows = []
    for seed, actions in enumerate(recorded_games(table, games)):
        for text in decisions(table, seed, actions):
            shown, listed = text.prompt(options=SHOWN), text.prompt(options=LISTED)
            texts = (shown.system, shown.user, listed.system, listed.user)
            rows.append([*map(len, texts), len(text.moves())])
    return np.array(rows, float), len(rows) / games / table.num_players


def size_row(name: str, sizes: np.ndarray, asked: float) -> str:
    """Return a row of the table of sizes."""
    mean, longest = sizes.mean(axis=0), sizes[:, [1, 3]].max(axis=0)
    tokens = [mean[[0, 1]].sum(), mean[[2, 3]].sum()]
    cells = [
        name,
        f"{asked:.0f}",
        f"{mean[4]:.1f} ({sizes[:, 4].max():.0f})",
        f"{mean[0]:,.0f}",
        f"{mean[1]:,.0f} ({longest[0]:,.0f})",
        f"{mean[2]:,.0f}",
        f"{mean[3]:,.0f} ({longest[1]:,.0f})",
        *(f"{count / CHARACTERS_A_TOKEN:,.0f}" for count in tokens),
    ]
    return f"| {' | '.join(cells)} |"


def budget_row(name: str, sizes: np.ndarray, asked: float, games: int, num_players: int) -> str:
    """Return a row of the budget of a number of games, without the legal moves in the prompts.

    Against one other agent, the arena seats a model in half of all seats.
    """
    decisions = games * asked * num_players / 2
    prompts = decisions * sizes[:, :2].sum(axis=1).mean() / CHARACTERS_A_TOKEN
    answers = decisions * ANSWER_TOKENS
    costs = [(prompts * price + answers * other) / 1e6 for price, other in PRICES]
    cells = [
        name,
        f"{games:,}",
        f"{decisions:,.0f}",
        f"{prompts / 1e6:,.1f}",
        f"{answers / 1e6:,.1f}",
        *(f"{cost:.3g}" for cost in costs),
    ]
    return f"| {' | '.join(cells)} |"


def main(games: int = 20, rated_games: int = 200) -> None:
    """Print the tables.

    Args:
        games: number of games of each table that are told as text.
        rated_games: number of games of a model in the budget.
    """
    rows = [(f"{name}, {n} players", *sizes_of(find_table(name, n), games)) for name, n in TABLES]
    print("\n".join(size_row(*row) for row in rows), end="\n\n")
    players = [num_players for _, num_players in TABLES]
    budget = [budget_row(*row, rated_games, n) for row, n in zip(rows, players, strict=True)]
    print("\n".join(budget))


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main)
