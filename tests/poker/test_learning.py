"""Self-play with a reference policy learns Kuhn poker: what is kept is hard to exploit."""

from __future__ import annotations

import kuhn_poker
import pytest

pytest.importorskip("stable_baselines3", reason="the train extra is not installed")

from gubs_agents.exploit import best_responses
from gubs_agents.networks.network import Network, load
from gubs_agents.training.options import PRESETS, Options, parse
from gubs_agents.training.run import Run
from gubs_env import find_table
from tests.poker import leduc_poker

UNIFORM_GAIN = 11 / 24


def test_a_short_run_with_the_preset_leaves_little_to_gain_in_kuhn_poker(tmp_path):
    words = "--game kuhn_poker_v0 --config equilibrium --steps 16000 --games 64 --rollout 4"
    shorter = "--batch 64 --width 64 --learning-rate 4e-3 --evaluation-deals 2 --out"
    options, _ = parse([*words.split(), *shorter.split(), str(tmp_path)])
    assert options.reference == PRESETS["equilibrium"]["reference"]
    Run(options).train()
    kept = load(tmp_path / "best.safetensors", find_table(kuhn_poker.GAME))
    assert best_responses(Network(kept, draw=True), kuhn_poker.GAME).gain < UNIFORM_GAIN / 2


@pytest.mark.parametrize(
    ("game", "players", "sizes"),
    [
        ("kuhn_poker_v0", 2, (256, 8)),
        ("leduc_poker_v0", 2, (256, 8)),
        ("gubs", 2, (1024, 32)),
        ("fubnub", 4, (1024, 32)),
        ("bad_bad_turtle", 2, (1024, 32)),
    ],
)
def test_a_small_game_is_learned_in_small_updates(game, players, sizes):
    options = Options(game=game, players=players)
    assert (options.games, options.rollout) == sizes
    given = Options(game=game, players=players, games=12, rollout=5)
    assert (given.games, given.rollout) == (12, 5)


def test_errors_of_the_value_count_in_the_most_that_the_game_pays():
    games = (kuhn_poker.GAME, leduc_poker.GAME)
    assert [Options(game=game.name).table.max_payoff for game in games] == [2, 13]
    assert Options(game="gubs").table.max_payoff == 1
