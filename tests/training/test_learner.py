"""The interface for learning algorithms: ours behind it, and another one in its place."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the train extra is not installed")

import torch

from gubs_agents.arena import Duel
from gubs_agents.common.decisions import form_of
from gubs_agents.common.symmetry import show
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.network import Network, Weights, load, save
from gubs_agents.networks.perceptron import best_by_network, make_perceptron, value_by_network
from gubs_agents.scripted.by_game import symmetry_of
from gubs_agents.training import worker as training_worker
from gubs_agents.training.errors import TrainingError
from gubs_agents.training.maskable_ppo import MaskablePPOLearner
from gubs_agents.training.metrics import read_table
from gubs_agents.training.options import Options
from gubs_agents.training.ppo import PPOLearner
from gubs_agents.training.run import Run
from gubs_agents.training.supervised.imitation import minibatches
from gubs_env.agents.registry import MemoryAgent
from gubs_env.engine.rng import spawn_rngs
from tests.agents.test_weights_travel import part_of_gubs
from tests.commands import gubs
from tests.training.learners import AttentionLearner, MemoryLearner
from tests.training.test_training import contents, tiny, words

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning"),
]


class Linear:
    """REINFORCE with a single layer: a `Learner` in NumPy."""

    def __init__(self, options, env):
        self.rng = np.random.default_rng(options.seed)
        shape = env.action_space.n, env.observation_space.shape[0]
        self.matrix, self.biases = np.zeros(shape, np.float32), np.zeros(shape[0], np.float32)

    def probabilities(self, observations, masks):
        scores = np.log1p(observations.astype(np.float32)) @ self.matrix.T + self.biases
        weights = np.where(masks, np.exp(scores - scores.max(1, keepdims=True)), 0)
        return weights / weights.sum(1, keepdims=True)

    def act(self, observations, masks):
        probabilities = self.probabilities(observations, masks)
        draws = self.rng.random((len(masks), 1))
        return (probabilities.cumsum(1) > draws).argmax(1), {"draws": draws}

    def learn(self, rollout, progress):
        assert rollout.extras["draws"].shape == (*rollout.rewards.shape, 1)
        followed = np.zeros(rollout.rewards.shape, np.float32)
        gain = np.zeros(rollout.rewards.shape[1], np.float32)
        for step in reversed(range(len(followed))):
            gain = rollout.rewards[step] + np.where(rollout.dones[step], 0, gain)
            followed[step] = gain
        flat = (part.reshape(-1, *part.shape[2:]) for part in rollout[:3])
        self.ascend(*flat, followed.ravel(), 0.01 * (1 - progress))
        return {"mean_gain": float(followed.mean())}

    def imitate(self, batches):
        for observations, masks, actions, _ in batches:
            self.ascend(observations, masks, actions, np.ones(len(actions), np.float32), 0.1)

    def ascend(self, observations, masks, actions, gains, rate):
        slopes = np.eye(len(self.biases))[actions] - self.probabilities(observations, masks)
        slopes = (rate / len(gains) * gains[:, None] * slopes).astype(np.float32)
        self.matrix += slopes.T @ np.log1p(observations.astype(np.float32))
        self.biases += slopes.sum(0)

    def weights(self):
        return Weights([(self.matrix.copy(), self.biases.copy())])

    def set_weights(self, weights):
        ((self.matrix, self.biases),) = weights.policy

    def state(self):
        arrays = {"matrix": self.matrix, "biases": self.biases}
        return arrays, {"rng": self.rng.bit_generator.state}

    def restore(self, arrays, numbers):
        self.matrix, self.biases = arrays["matrix"], arrays["biases"]
        self.rng.bit_generator.state = numbers["rng"]


def test_another_learner_trains_evaluates_and_reports(tmp_path):
    run = Run(tiny(tmp_path, imitate=20_000, report_deals=100), make_learner=Linear)
    run.train()
    results = run.report()
    assert results["random"].rate > 0.5
    rows = read_table(tmp_path / "metrics.csv")
    assert list(rows[0])[:4] == ["timesteps", "update", "mean_gain", "shaping"]
    assert len(rows) == 8
    assert len(load(tmp_path / "best.safetensors", run.table).policy) == 1


def test_snapshots_of_a_network_that_is_no_perceptron_are_played_by_its_learner(tmp_path):
    options = tiny(tmp_path, imitate=20_000, steps=2560, report_deals=60, baselines="random")
    run = Run(options, make_learner=AttentionLearner)
    run.train()
    taken = {row["opponent"]: row["taken_at"] for row in read_table(tmp_path / "evaluations.csv")}
    assert taken["update 4"] == "2048"
    earlier = run.worker.opponents.snapshots["update 4"]
    kept = run.worker.player(run.worker.weights(), draw=True)
    run.worker.collector.reset()
    seen, masks = run.worker.env.games.observations, run.worker.env.games.masks
    rngs = spawn_rngs(np.random.default_rng(0), len(seen))
    found = [each.act(seen, masks, rngs.copy()) for each in (earlier, earlier, kept)]
    assert (found[0] == found[1]).all()
    assert any(
        not np.array_equal(array, kept.weights[name]) for name, array in earlier.weights.items()
    )
    results = run.report()
    assert results["random"].rate > 0.5
    card = (tmp_path / "best.md").read_text()
    assert "tests.training.learners:AttentionLearner" in " ".join(card.split())


def test_such_a_learner_sees_and_plays_cards_by_their_ranks(tmp_path):
    met = {"newest_share": 1, "baseline_share": 0, "baselines": "random", "rules": "num_points=3"}
    options = tiny(tmp_path, game="fubnub", imitate=0, steps=1024, evaluation_deals=2, **met)
    run = Run(options, make_learner=AttentionLearner)
    run.train()
    assert run.update == 2, "an action that is not legal would have been refused"


def test_a_run_begins_with_a_saved_network_that_is_no_perceptron(tmp_path):
    few = {"steps": 0, "baselines": "random"}
    first = Run(tiny(tmp_path / "first", imitate=512, **few), make_learner=AttentionLearner)
    first.train()
    file = tmp_path / "first" / "best.safetensors"
    options = tiny(tmp_path / "second", weights=str(file), **few)
    second = Run(options, make_learner=AttentionLearner)
    second.train()
    for name, array in first.worker.weights().items():
        assert np.array_equal(array, second.worker.weights()[name])
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(WeightsError, match=r"best\.safetensors does not fit: it is not valid"):
        Run(replace(options, out=str(tmp_path / "third")), make_learner=AttentionLearner).train()


def test_numbers_that_are_not_finite_end_training_whatever_the_network(tmp_path):
    class Exploding(AttentionLearner):
        def learn(self, rollout, progress):
            metrics = super().learn(rollout, progress)
            with torch.no_grad():
                self.network.scores.bias[0] = float("nan")
            return metrics

    run = Run(tiny(tmp_path, imitate=0), make_learner=Exploding)
    with pytest.raises(
        TrainingError, match=r"in update 1 scores\.bias holds numbers that are not f"
    ):
        run.train()


def test_a_learner_with_a_memory_is_given_what_it_remembered_and_what_happened_since(tmp_path):
    run = Run(tiny(tmp_path, imitate=0), make_learner=MemoryLearner)
    run.worker.reset()
    learner, collector = run.worker.learner, run.worker.collector
    first, second = (collector.collect(learner, 20) for _ in range(2))
    for rollout in first, second:
        memories, events = rollout.extras["memories"], rollout.extras["events"]
        assert ((memories == 0).all(2) == rollout.starts).all()
        is_event = (events >= 0).any(3)
        assert (np.diff(is_event.astype(int), axis=2) >= 0).all(), "events are the last rows"
        assert is_event[~rollout.starts].any(1).mean() > 0.5
        with torch.no_grad():
            _, walked = learner.walk(rollout)
        np.testing.assert_allclose(walked, memories, atol=1e-6)
    for name, following in zip(("memories", "events"), first.next_remembered, strict=True):
        assert np.array_equal(following, second.extras[name][0])
    games, (_, events) = run.worker.env.games, second.next_remembered
    told, every = (events[:, -1] >= 0).any(1), np.arange(len(events))
    newest = games.recent.events[every, games.actors, -1]
    assert (events[told, -1] == newest[told]).all()


def test_a_learner_with_a_memory_plays_as_its_snapshots_do(tmp_path):
    options = tiny(tmp_path, imitate=0, steps=1536, baselines="random")
    run = Run(options, make_learner=MemoryLearner)
    run.train()
    snapshots = run.worker.opponents.snapshots
    assert len(snapshots) > 1
    assert all(isinstance(snapshot, MemoryAgent) for snapshot in snapshots.values())
    player = run.worker.player(run.worker.weights(), draw=False)
    twin = run.worker.learner.make_player(run.worker.weights(), draw=False)
    assert Duel(player, twin, run.table, deals=10).result().rate == 0.5


def test_a_learner_with_a_memory_imitates_nobody(tmp_path):
    with pytest.raises(TrainingError, match="a learner with a memory cannot imitate decisions one"):
        Run(tiny(tmp_path), make_learner=MemoryLearner)


def test_the_command_trains_a_learner_of_ones_own_and_resumes_it(tmp_path, capsys):
    name = "tests.training.learners:MemoryLearner"
    gubs(*words(tmp_path, imitate=0, steps=1024, learner=name, baselines="random"))
    assert "network, model card, curves and logs" in capsys.readouterr().out
    gubs("train", "--resume", tmp_path, "--steps", 2048)
    assert read_table(tmp_path / "metrics.csv")[-1]["timesteps"] == "2048"
    assert name in (tmp_path / "best.md").read_text()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dqn", "learner='dqn': allowed are ppo, sb3 and package.module:Class"),
        ("nowhere:Learner", "learner 'nowhere:Learner': No module named 'nowhere'; write package"),
    ],
)
def test_learners_that_are_not_there_are_refused(name, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        Options(learner=name)


@pytest.mark.parametrize("learner", [PPOLearner, MaskablePPOLearner, Linear, MemoryLearner])
def test_every_learner_resumes_exactly(tmp_path, monkeypatch, learner):
    monkeypatch.setattr(training_worker, "UPDATES_A_PERIOD", 2)
    alone, stopped = tmp_path / "alone", tmp_path / "stopped"
    imitate = 0 if learner is MemoryLearner else 1024
    changed = {"variety": 0.5, "rollout": 16, "steps": 256 * 7, "imitate": imitate,
               "baselines": "random,heuristic", "evaluation_deals": 2}  # fmt: skip
    Run(tiny(alone, **changed), make_learner=learner).train()
    run = Run(tiny(stopped, **changed), make_learner=learner)
    write_row = run.metrics.write

    def stop_in_the_fifth_update(name, timesteps, row):
        if name == "metrics.csv" and row["update"] == 5:
            raise KeyboardInterrupt
        write_row(name, timesteps, row)

    run.metrics.write = stop_in_the_fifth_update
    with pytest.raises(KeyboardInterrupt):
        run.train()
    resumed = Run(tiny(stopped, **changed), resume=True, make_learner=learner)
    assert resumed.update == 3
    resumed.train()
    assert contents(stopped) == contents(alone)


def learners(tmp_path, *changes):
    """Return learners with one network, and a rollout; an update has one minibatch."""
    made = [
        Run(tiny(tmp_path / str(number), epochs=1, batch=16 * 32, **changed)).worker
        for number, changed in enumerate(changes)
    ]
    first = made[0]
    for worker in made[1:]:
        worker.learner.set_weights(first.weights())
    first.reset()
    return [worker.learner for worker in made], first.collector.collect(first.learner, 32)


def test_an_update_is_that_of_stable_baselines3(tmp_path):
    options = {"discount": 0.9, "reward": "lead", "value_clip": 0.1}
    changes = options | {"learner": "sb3"}, options | {"precision": "float32"}
    (theirs, ours), rollout = learners(tmp_path, *changes)
    before = ours.weights().layers
    found, expected = ours.learn(rollout, 0.5), theirs.learn(rollout, 0.5)
    assert found == pytest.approx(expected, rel=1e-3, abs=1e-5)
    for old, mine, other in zip(
        before, ours.weights().layers, theirs.weights().layers, strict=True
    ):
        assert not np.array_equal(old[0], mine[0])
        np.testing.assert_allclose(mine[0], other[0], atol=2e-5)
        np.testing.assert_allclose(mine[1], other[1], atol=2e-5)


def test_a_subclass_adds_a_term_to_the_loss(tmp_path):
    class Cautious(PPOLearner):
        def extra_loss(self, log_probs, values, positions):
            assert log_probs.shape == positions.masks.shape == (len(values), log_probs.shape[1])
            added = 100 * values.square().mean()
            return super().extra_loss(log_probs, values, positions) + added

    plain, cautious = (
        Run(tiny(tmp_path / make.__name__, imitate=0, epochs=20), make_learner=make).worker
        for make in (PPOLearner, Cautious)
    )
    plain.reset()
    rollout = plain.collector.collect(plain.learner, 32)
    seen = rollout.observations.reshape(-1, rollout.observations.shape[-1])
    for worker in (plain, cautious):
        worker.learner.learn(rollout, 0.0)
    spread = [np.abs(worker.learner._values(seen)).mean() for worker in (plain, cautious)]
    assert spread[1] < spread[0] / 2


def test_a_rollout_of_an_earlier_network_is_judged_by_the_one_that_learns(tmp_path):
    (learner,), rollout = learners(tmp_path, {"precision": "float32"})
    first = learner.learn(rollout, 0.0)
    again = learner.learn(rollout, 0.0)
    for metrics in first, again:
        assert metrics["clip_fraction"] == 0
        assert metrics["approx_kl"] == pytest.approx(0, abs=1e-6)
    assert again["entropy"] != first["entropy"]


def test_an_update_in_bfloat16_is_nearly_the_same(tmp_path):
    (exact, coarse), rollout = learners(
        tmp_path, {"precision": "float32"}, {"precision": "bfloat16"}
    )
    found, expected = coarse.learn(rollout, 0.0), exact.learn(rollout, 0.0)
    assert found["policy_loss"] != expected["policy_loss"]
    assert found == pytest.approx(expected, rel=0.05, abs=5e-3)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_gpu_learns_the_same(tmp_path):
    exact = {"precision": "float32"}
    (here, there), rollout = learners(tmp_path, exact, exact | {"device": "cuda"})
    assert there.learn(rollout, 0.0) == pytest.approx(here.learn(rollout, 0.0), rel=1e-2, abs=1e-4)
    run = Run(tiny(tmp_path / "whole", device="cuda", imitate=1024, steps=1024))
    run.train()
    resumed = Run(tiny(tmp_path / "whole", device="cuda", imitate=1024, steps=1024), resume=True)
    pairs = zip(run.worker.weights().layers, resumed.worker.weights().layers, strict=True)
    for kept, again in pairs:
        assert np.array_equal(kept[0], again[0])


@pytest.mark.parametrize("name", ["gubs", "fubnub"])
def test_learner_batch_player_and_compiled_player_agree(tmp_path, name):
    run = Run(tiny(tmp_path, game=name, games=64, steps=0, imitate=8192))
    run.train()
    run.worker.collector.reset()
    games, symmetry = run.worker.env.games, symmetry_of(run.table.game)
    shown = show(symmetry, games.observations, games.masks)
    network, weights = run.worker.learner.network, run.worker.learner.weights()
    with torch.no_grad():
        features = network.trunk(torch.from_numpy(shown.observations))
        scores, values = network.policy(features), network.value(features)[:, 0]
    batch = Network(weights, symmetry=symmetry)
    np.testing.assert_allclose(batch.scores(shown.observations), scores, rtol=1e-4, atol=1e-4)
    actions = shown.played(np.where(shown.masks, scores, -np.inf).argmax(1))
    assert (batch.act(games.observations, games.masks) == actions).all()
    compiled = make_perceptron(weights, symmetry)
    for seen, mask, action, value in zip(
        games.observations, games.masks, actions, values.numpy(), strict=True
    ):
        way = symmetry.naming(seen) if symmetry else 0
        assert best_by_network(compiled, seen, mask, way) == action
        found = value_by_network(compiled, seen, len(mask), way)
        assert found == pytest.approx(value, rel=1e-4, abs=1e-4)


def test_training_goes_on_from_a_network_over_some_slices(tmp_path):
    run = Run(tiny(tmp_path / "run", imitate=0, width=16, layers=1))
    weights = part_of_gubs(["decision", "hand"])
    save(tmp_path / "part.safetensors", weights, run.table)
    run.worker.learner.set_weights(load(tmp_path / "part.safetensors", run.table))
    run.worker.collector.reset()
    seen, trained = run.worker.env.games.observations, run.worker.learner.weights()
    expected = Network(weights, form=form_of(run.table)).scores(seen)
    np.testing.assert_allclose(Network(trained).scores(seen), expected, rtol=1e-4, atol=1e-4)
    others = np.setdiff1d(np.arange(seen.shape[1]), weights.inputs)
    assert not trained.policy[0][0][:, others].any()
    run.worker.reset()
    run.worker.update(0.5)
    assert run.worker.learner.weights().policy[0][0][:, others].any()


def test_a_teacher_that_answers_nothing_legal_ends_the_imitation(tmp_path):
    class Silent:
        def act(self, observations, masks, rngs=None):
            return np.full(len(masks), -1)

    options = tiny(tmp_path, imitate=100)
    with pytest.raises(ValueError, match="the agent answered -1, which is not legal"):
        next(minibatches(Silent(), options))


def test_games_that_a_limit_cut_off_are_recorded_with_their_last_observation(tmp_path):
    run = Run(tiny(tmp_path, game="fubnub", rules="max_cycles=60"))
    run.worker.collector.reset()
    rollout = run.worker.collector.collect(run.worker.learner, 64)
    assert rollout.observations.shape[:2] == rollout.actions.shape == (64, 16)
    assert rollout.starts[0].all()
    assert (rollout.starts[1:] == rollout.dones[:-1]).all()
    assert sum(map(len, rollout.results.values())) >= rollout.dones.sum()
    assert len(rollout.cut_off) == len(rollout.last_observations) > 0
    assert rollout.dones[tuple(rollout.cut_off.T)].all()
    assert rollout.last_observations.any(axis=1).all()
    steps = np.arange(64)[:, None], np.arange(16)
    assert rollout.masks[(*steps, rollout.actions)].all()
