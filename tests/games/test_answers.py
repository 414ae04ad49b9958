"""The cards that a game says can answer another are those that players answer with."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gubs_env.engine.card_texts import card_help
from tests.play.tables import dealt

SAID = {
    "gubs": re.compile(r"Answer (?P<answered>.+) with (?P<answer>.+)"),
    "bad_bad_turtle": re.compile(r"(?P<answer>.+) on (?:.+'s|your own) (?P<answered>.+)"),
}
"""How a move of a game says what answers what."""


@pytest.mark.parametrize("game", SAID)
def test_the_answers_are_those_of_the_rules(game):
    env, rng, seen = dealt(game, 5), np.random.default_rng(2), set()
    answers = env.game.answers()
    for seed in range(12):
        env.reset(seed)
        while not env.is_done(env.agent_selection):
            moves = env.legal_moves()
            said = filter(None, (SAID[game].fullmatch(move.text) for move in moves))
            seen |= {(each["answered"], each["answer"]) for each in said}
            env.play(moves[rng.integers(len(moves))])
    assert len(seen) > 2
    assert all(answer in answers[answered] for answered, answer in seen)


def test_the_help_of_a_card_says_what_answers_it():
    told = card_help(dealt("gubs").game)
    assert told["Lure"].endswith("Answered by Feather, Blindfold or Cricket Song.")
    assert told["Gub"].endswith("Nothing answers it.")
    assert "nswer" not in card_help(dealt("fubnub").game)["Peek"]
