"""Self-play with a reference policy learns Kuhn poker: what is kept is hard to exploit."""

from __future__ import annotations

import kuhn_poker
import pytest

pytest.importorskip("stable_baselines3", reason="the train extra is not installed")

from gubs_agents.exploit import best_responses
from gubs_agents.networks.network import Network, load
from gubs_agents.training.options import Options
from gubs_agents.training.run import Run
from gubs_env import find_table
from tests.poker import leduc_poker

UNIFORM_GAIN = 11 / 24


def test_a_short_run_leaves_little_to_gain_in_kuhn_poker(tmp_path):
    options = Options(
        game="kuhn_poker_v0", reference=0.4, entropy=0.0, last_entropy=0.0, baseline_share=0.0,
        newest_share=1.0, games=64, rollout=4, batch=128, width=32, gae_lambda=1.0,
        learning_rate=4e-3, last_learning_rate=1e-4, precision="float32", steps=16_000,
        evaluate_every=10_000, evaluation_deals=2, checkpoint_every=10_000, out=str(tmp_path),
    )  # fmt: skip
    Run(options).train()
    kept = load(tmp_path / "best.safetensors", find_table(kuhn_poker.GAME))
    assert best_responses(Network(kept, draw=True), kuhn_poker.GAME).gain < UNIFORM_GAIN / 2


def test_errors_of_the_value_count_in_the_most_that_the_game_pays():
    games = (kuhn_poker.GAME, leduc_poker.GAME)
    assert [Options(game=game.name).table.max_payoff for game in games] == [2, 13]
    assert Options(game="gubs").table.max_payoff == 1
