"""Self-play training: it learns what can be learnt, writes all down, and survives a kill."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the train extra is not installed")

import torch
from matplotlib.figure import Figure

import gubs_agents
from gubs_agents.arena import MeanPayoff, play
from gubs_agents.arena.measures import Measure
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.network import SHIPPED, Network, Weights, load, shipped
from gubs_agents.scripted.by_game import scripted_agents
from gubs_agents.training import checkpoint
from gubs_agents.training.checkpoint import read_newest, write
from gubs_agents.training.errors import TrainingError
from gubs_agents.training.evaluation import evaluate
from gubs_agents.training.metrics import read_table
from gubs_agents.training.options import Options, parse
from gubs_agents.training.plots import draw_curves, draw_rates
from gubs_agents.training.report import compared_with
from gubs_agents.training.run import Run
from gubs_agents.training.supervised.imitation import discounted_gains, minibatches
from gubs_agents.training.supervised.imitation import play as play_examples
from gubs_env import GAMES, find_game, find_table, gubs_v0
from gubs_env.gubs_v0 import GAME, Phase
from gubs_env.support import cluster
from tests.commands import ends_with, gubs
from tests.gubs.table import Table

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    # A table of equal opponents leaves nothing to explain.
    pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning"),
    pytest.mark.usefixtures("quick_processes"),
]
ROOT = Path(__file__).parents[2]
KILLS = min(10, int(os.environ.get("GUBS_ENV_KILLS", "1")))
TINY = {
    "steps": 4096, "imitate": 1024, "games": 16, "rollout": 32, "batch": 128, "width": 16,
    "snapshot_every": 2, "snapshots": 3, "evaluate_every": 4, "evaluation_deals": 4,
    "checkpoint_every": 3, "report_deals": 6, "shaping": 0.1,
}  # fmt: skip


def tiny(folder, **changed):
    return Options(**TINY | {"out": str(folder)} | changed)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A finished run and its results; read only."""
    run = Run(tiny(tmp_path_factory.mktemp("whole")))
    run.train()
    return run, run.report()


@pytest.fixture
def copied(whole, tmp_path):
    """A copy of the folder of a finished run."""
    return shutil.copytree(whole[0].options.out, tmp_path / "run")


def test_a_run_varies_the_rules_of_some_games_and_says_so_in_its_network(tmp_path):
    options = tiny(tmp_path, variety=0.5, steps=1024, baselines="random")
    tables = options.tables(16, seed=3)
    assert tables.count(find_table()) >= 8
    assert len(set(tables)) > 4
    assert options.tables(16, seed=3) == tables
    later = options.tables(16, seed=3, period=1)
    assert later[:8] != tables[:8], "each period has random rules of its own"
    assert later[8:] == tables[8:]
    Run(options).train()
    load(tmp_path / "best.safetensors", find_table(GAME, 2, gubs_v0.Rules(ask_everyone=True)))
    examples = play_examples(gubs_agents.make("heuristic"), options, seed=1)
    shown = GAME.observation_slices(2)["rules"].of(examples.observations)
    assert len(np.unique(shown, axis=0)) > 8


# -------------------------------------------------------------------------------- what it can learn


def puzzle(table):
    """Gubs where every deal is the same position."""

    def deal(states, index, _):
        rng = states["rng"][index].copy()
        states[index] = table.games[0]
        states["rng"][index] = rng

    return dataclasses.replace(GAME, kernel=dataclasses.replace(GAME.kernel, deal=deal))


def learn(tmp_path, monkeypatch, table):
    """Payoffs of the trained learner in seat 0 against greedy in seat 1, which teaches nothing."""
    game = puzzle(table)
    monkeypatch.setattr(gubs_v0, "GAME", game)
    options = Options(
        baselines="greedy", baseline_share=1.0, newest_share=0.0, imitate=0,
        steps=20_000, games=64, rollout=16, batch=256, width=32, learning_rate=3e-3,
        evaluate_every=100, evaluation_deals=2, out=str(tmp_path),
    )  # fmt: skip
    run = Run(options)
    run.train()
    learner = Network(load(tmp_path / "best.safetensors", find_table(game)))
    return play([learner, run.baselines["greedy"]], game, deals=20)[:, 0]


def test_it_learns_to_hold_the_feather_for_the_lure(tmp_path, monkeypatch):
    """A Sud Spout comes first; against both there is one Feather, and the Lure costs more."""
    table = Table(
        ["Feather", "Sud Spout"], ["Gub; Gub", ""], deck="Omen Beetle, Lure, Letter B",
        letters="GU", turn=1, rest=False,
    )  # fmt: skip
    assert (learn(tmp_path, monkeypatch, table) == 1).all()


def test_it_learns_to_skip_the_draw_when_ahead(tmp_path, monkeypatch):
    """Dangerous Alchemy is on top, and who draws it loses all; the last Letter comes next."""
    table = Table(
        ["", ""], ["Gub; Gub", "Gub"], deck="Dangerous Alchemy, Letter B", letters="GU",
        phase=Phase.DRAW, rest=False,
    )  # fmt: skip
    assert (learn(tmp_path, monkeypatch, table) == 1).all()


def test_imitation_finds_the_teachers_moves_and_what_games_pay(tmp_path):
    options = tiny(tmp_path, width=64, imitate=300_000, seed=1)
    learner, teacher = Run(options).worker.learner, gubs_agents.make("heuristic", seed=0)
    learner.imitate(minibatches(teacher, options))
    fresh = play_examples(teacher, options, seed=2)
    weights = learner.weights()
    found = Network(weights).act(fresh.observations, fresh.masks)
    assert (found == fresh.actions).mean() > 0.7
    values = Network(Weights([*weights.policy[:-1], weights.value])).scores(fresh.observations)[
        :, 0
    ]
    assert np.corrcoef(values, fresh.returns)[0, 1] > 0.1


def test_what_follows_a_decision_is_discounted_by_the_decisions_of_its_seat():
    """Two games of two seats; in the first, seat 0 decides three times and gains 1, 2 and 4."""
    rounds = [([0, 1], [0, 0]), ([0], [1]), ([0], [0]), ([0], [0])]
    games, seats = ([np.array(part) for part in parts] for parts in zip(*rounds, strict=True))
    standings = np.float32([0, 5, 9, 1, 3])
    ends = np.float32([[7, 10], [3, 0]])
    returns = discounted_gains(standings, ends, games, seats, discount=0.5)
    assert returns.tolist() == [1 + 2 / 2 + 4 / 4, -2, 1, 2 + 4 / 2, 4]
    whole = discounted_gains(standings, ends, games, seats, discount=1.0)
    assert whole.tolist() == [7, -2, 1, 6, 4]


def test_the_learner_plays_what_it_means(tmp_path):
    """FUBNUB's cards are shown by their ranks; the games are played by the cards."""
    run = Run(tiny(tmp_path, game="fubnub"))
    collector, games, rng = run.worker.collector, run.worker.env.games, np.random.default_rng(0)

    class Random:
        def act(self, observations, masks):
            return np.where(masks, rng.random(masks.shape), -1).argmax(1), {}

    collector.reset()
    for _ in range(40):
        assert (collector.shown.masks.sum(1) == games.masks.sum(1)).all()
        assert (collector.shown.observations.sum(1) == games.observations.sum(1)).all()
        collector.collect(Random(), 1)


@pytest.mark.parametrize("name", GAMES)
def test_who_is_paid_by_the_lead_is_paid_all_of_it_by_the_end(tmp_path, name):
    options = tiny(tmp_path, game=name, players=4, reward="lead", shaping=0.0)
    game, teacher = find_game(name), gubs_agents.make("random", options.table, seed=0)
    examples = play_examples(teacher, options, seed=1)
    ends = examples.returns + game.lead(examples.observations, 4)
    assert np.unique(ends).size > 1 or name == "bad_bad_turtle", "where nobody ever leads"
    assert (ends == np.round(ends)).all()


# ---------------------------------------------------------------------------------- a run's folder


def test_a_run_writes_options_metrics_checkpoints_and_a_report(whole):
    run, results = whole
    folder = Path(run.options.out)
    assert set(results) == {"random", "greedy", "heuristic"}
    assert json.loads((folder / "options.json").read_text())["width"] == 16
    assert "torch" in json.loads((folder / "versions.json").read_text())
    metrics, times = read_table(folder / "metrics.csv"), read_table(folder / "times.csv")
    assert len(metrics) == len(times) == 8
    assert metrics[-1]["timesteps"] == "4096"
    evaluations = read_table(folder / "evaluations.csv")
    assert {"random", "greedy", "heuristic"} <= {row["opponent"] for row in evaluations}
    first = next(row for row in evaluations if row["opponent"] == "update 0")
    assert (first["timesteps"], float(first["rate"])) == ("0", 0.5), "it meets itself"
    rates = [float(row["learning_rate"]) for row in metrics]
    assert rates[0] == 1e-3
    assert rates == sorted(rates, reverse=True)
    shaping = [float(row["shaping"]) for row in metrics]
    assert (shaping[0], shaping[-1]) == (0.1, 0)
    assert list((folder / "tensorboard").glob("events*"))
    report = (folder / "results.md").read_text()
    assert "| heuristic |" in report
    assert "Each of 8 updates learned from 32 decisions in each of 16 games." in report
    card = " ".join((folder / "best.md").read_text().split())
    assert "gubs train --steps 4096 --checkpoint-every 3 --width 16" in card
    assert "imitated 1,024 decisions of `heuristic`" in card
    assert "learned from 4,096 decisions of self-play" in card
    assert (
        "against the baselines `random`, `greedy`, `heuristic`: 25%, its newest policy: 35%, up to "
        "3 snapshots of its earlier policies: 40%"
    ) in card
    assert (folder / "curves.png").stat().st_size > 10_000
    first_weights, _ = load(folder / "best.safetensors", find_table()).policy[0]
    assert first_weights.shape == (16, *run.worker.env.observation_space.shape)


def test_where_payoffs_differ_the_network_that_is_paid_most_is_kept(tmp_path):
    run = Run(tiny(tmp_path, rules="reward=margin", shaping=0.0, baselines="random,greedy"))
    run.train()
    run.report()
    rows = read_table(tmp_path / "evaluations.csv")
    own = [row for row in rows if row["opponent"] in run.baselines]
    steps = sorted({int(row["timesteps"]) for row in own})
    paid = [np.mean([float(r["rate"]) for r in own if int(r["timesteps"]) == at]) for at in steps]
    assert run.best == pytest.approx(max(paid))
    assert abs(run.best) > 1e-6
    assert "| against | payoff |" in (tmp_path / "results.md").read_text()
    assert "has the highest mean payoff" in " ".join((tmp_path / "best.md").read_text().split())
    assert "share_of_random" in read_table(tmp_path / "metrics.csv")[0]
    resumed = Run(run.options, resume=True)
    assert resumed.latest == run.latest
    assert type(resumed.latest["random"]) is type(run.latest["random"]) is MeanPayoff


def test_a_reference_policy_follows_and_is_kept(tmp_path):
    run = Run(tiny(tmp_path, reference=0.3, imitate=0, baselines="random"))
    run.train()
    run.report()
    learner = run.worker.learner
    kept, newest = (each.policy[0][0] for each in (learner.kept(), learner.weights()))
    assert not np.array_equal(kept, newest)
    saved = load(tmp_path / "best.safetensors", find_table())
    assert np.array_equal(saved.policy[0][0], kept), "the last one is kept, not that with most wins"
    assert "draw=true" in (tmp_path / "best.md").read_text()
    resumed = Run(run.options, resume=True)
    assert np.array_equal(resumed.worker.kept().policy[0][0], kept)
    assert resumed.worker.learner.deviation == learner.deviation > 0


@pytest.mark.parametrize(("name", "rules"), [("fubnub", "num_points=3"), ("bad_bad_turtle", "")])
def test_every_game_can_be_learnt(tmp_path, name, rules):
    game = find_game(name)
    run = Run(tiny(tmp_path, game=name, rules=rules, steps=1536, imitate=512))
    assert run.options.players == game.players
    run.train()
    results = run.report()
    assert set(results) == {"random", *scripted_agents(game)}
    assert all(0 <= result.rate <= 1 for result in results.values())
    learnt = gubs_agents.make("policy", run.table, weights=tmp_path / "best.safetensors")
    assert play([learnt] * game.players, run.table, deals=2).shape == (2, game.players)


def test_a_run_begins_with_a_saved_network_when_told_to(tmp_path):
    first = Run(tiny(tmp_path / "first", steps=0))
    first.train()
    first.report()
    saved = tmp_path / "first" / "best.safetensors"
    second = Run(tiny(tmp_path / "second", weights=str(saved), steps=0))
    assert second.options.imitate == 0
    second.train()
    assert (tmp_path / "second" / "best.safetensors").read_bytes() == saved.read_bytes()
    with pytest.raises(WeightsError, match=r"to begin with has layers .*; the learner's are"):
        Run(tiny(tmp_path / "third", weights=str(saved), width=8)).train()


def test_minutes_are_minutes_of_self_play(tmp_path):
    run = Run(tiny(tmp_path, minutes=1e-4, imitate=20_000, baselines="random"))
    run.train()
    assert run.progress == 1
    assert run.timesteps == 512
    # The first update is at the start of all schedules, though imitation took longer than the run.
    first = read_table(tmp_path / "metrics.csv")[0]
    assert (float(first["learning_rate"]), float(first["shaping"])) == (1e-3, 0.1)
    run.report()
    said = "20,000 decisions of heuristic imitated, 512 decisions of self-play in"
    assert said in (tmp_path / "results.md").read_text()


def test_baselines_and_teacher_have_options(tmp_path):
    run = Run(tiny(tmp_path, steps=512, baselines="random,policy:draw=true", teacher="policy"))
    assert run.baselines["policy:draw=true"].draw
    run.train()
    assert set(run.report()) == {"random", "policy:draw=true"}
    with pytest.raises(TrainingError, match="teacher 'ismcts:playouts=2' searches"):
        Run(tiny(tmp_path / "other", teacher="ismcts:playouts=2"))
    first = {"game": "fubnub", "players": 1, "rules": "mode=ghost+ghost_seats=0,1,2"}
    with pytest.raises(TrainingError, match="agent 'policy': no networks are shipped for"):
        Run(tiny(tmp_path / "last", **first, baselines="policy"))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"players": 3}, "equals win their fair share 33.3 %"),
        ({"game": "fubnub", "players": 4}, "equals win their fair share 50 %"),
        (
            {"game": "fubnub", "players": 2, "rules": "mode=ghost_royal"},
            "equals win their fair share 50 % of what the ghosts leave",
        ),
        (
            {"game": "fubnub", "players": 1, "rules": "mode=ghost"},
            "nobody else plays, so every row is the network by itself",
        ),
    ],
)
def test_reports_say_what_win_rates_are_compared_with(table, said):
    assert compared_with(Options(**table)) == said


def test_snapshots_are_evaluated_playing_as_the_network_does():
    """A network that takes its likeliest actions beats a copy of itself that samples."""
    table = find_table()
    shipped_weights = load(shipped(table), table).widened(table.observation_size)
    *hidden, (weights, biases) = shipped_weights.policy
    flat = Weights([*hidden, (weights / 4, biases / 4)])  # more entropy, the same likeliest actions
    player = Network(flat)
    copies = {"copy": Network(flat), "sampling": Network(flat, draw=True)}
    results = evaluate(player, copies, table, deals=400, first_deal=0)
    assert results["copy"].low <= 0.5 <= results["copy"].high
    assert results["sampling"].low > 0.5


# ---------------------------------------------------------------------------------------- pictures


def test_a_single_evaluation_is_drawn_as_a_point(tmp_path):
    run = Run(tiny(tmp_path, steps=0))
    run.train()
    axes = Figure().subplots()
    rows = read_table(tmp_path / "evaluations.csv")
    of = {label: [row for row in rows if row["opponent"] == label] for label in run.baselines}
    draw_rates(axes, of, run.measure)
    curves = [line for line in axes.lines if line.get_label() in run.baselines]
    assert [(len(line.get_xdata()), line.get_marker()) for line in curves] == [(1, "o")] * 3
    assert draw_curves(tmp_path, run.baselines, run.measure).stat().st_size > 10_000


def test_a_folder_without_a_run_is_not_drawn(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no run to draw: eval"):
        draw_curves(tmp_path, ["random"], Measure(find_table()))


def test_a_folder_with_a_run_is_not_overwritten(copied):
    with pytest.raises(TrainingError, match="holds a run already: continue it with --resume"):
        Run(tiny(copied))


# ------------------------------------------------------------------------------ kills and mishaps


def train_in_a_process(folder):
    torch.set_num_threads(1)
    sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    steps = 512 * (4 + 2 * KILLS)  # enough updates for that many kills
    Run(tiny(folder, steps=steps, imitate=0), (Path(folder) / "options.json").exists()).train()


def full_disk(_):
    raise OSError(errno.ENOSPC, "No space left on device")


def rows_written(folder):
    path = Path(folder) / "metrics.csv"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def contents(folder):
    newest, damaged = read_newest(folder / "checkpoints")
    assert not damaged
    files = {
        name: (folder / name).read_bytes()
        for name in ("best.safetensors", "metrics.csv", "evaluations.csv")
    }
    return files | {name: array.tobytes() for name, array in newest.arrays.items()}


def test_a_run_ends_with_the_same_bytes_with_one_core_and_with_two(tmp_path, monkeypatch):
    folders = [tmp_path / "one", tmp_path / "two"]
    for cores, folder in enumerate(folders, 1):
        monkeypatch.setattr("gubs_agents.training.worker.own_cores", lambda cores=cores: cores)
        Run(tiny(folder, imitate=0, steps=1536)).train()
    assert contents(folders[0]) == contents(folders[1])


def test_killed_again_and_again_a_run_ends_with_the_same_bytes_as_one_left_alone(tmp_path):
    rng, kills = np.random.default_rng(0), 0
    alone, killed = tmp_path / "alone", tmp_path / "killed"
    process = cluster.CONTEXT.Process(target=train_in_a_process, args=(alone,))
    process.start()
    process.join()
    while True:
        process = cluster.CONTEXT.Process(target=train_in_a_process, args=(killed,))
        process.start()
        if kills < KILLS:
            more = rows_written(killed) + rng.integers(1, 3)
            while process.is_alive() and rows_written(killed) != more:
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.1))
            process.kill()
            kills += 1
        process.join()
        if process.exitcode == 0:
            break
    assert kills == KILLS
    one, other = contents(killed), contents(alone)
    assert [name for name in one | other if one.get(name) != other.get(name)] == []


def test_a_torn_checkpoint_is_noticed_and_the_one_before_it_used(whole, copied, capsys):
    run, _ = whole
    newest = sorted((copied / "checkpoints").glob("0*"))[-1]
    path = newest / checkpoint.ARRAYS_FILE
    path.write_bytes(path.read_bytes()[:-100])
    again = Run(tiny(copied), resume=True)
    assert "is damaged" in capsys.readouterr().out
    assert 0 < again.update < run.update
    again.train()
    assert again.update == run.update
    for folder in (copied / "checkpoints").glob("0*"):
        (folder / checkpoint.HASHES_FILE).unlink()
    with pytest.raises(TrainingError, match=r"every checkpoint in .* is damaged"):
        Run(tiny(copied), resume=True)


def test_a_run_is_not_resumed_with_another_network_in_the_file_of_a_baseline(tmp_path):
    path = tmp_path / "net.safetensors"
    path.write_bytes((SHIPPED / "gubs_v0_2.safetensors").read_bytes())
    options = tiny(tmp_path / "run", baselines=f"policy:weights={path}", steps=512)
    Run(options).train()
    path.write_bytes((tmp_path / "run" / "best.safetensors").read_bytes())
    with pytest.raises(TrainingError, match=r"were \['policy.*sha256 .* a file .* was replaced"):
        Run(options, resume=True)


def test_a_full_disk_leaves_the_checkpoints_there_are(tmp_path, monkeypatch):
    write(tmp_path, 1, {"a": np.arange(3)}, {"b": 1})

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path, 2, {"a": np.arange(4)}, {"b": 2})
    newest, damaged = read_newest(tmp_path)
    assert (newest.arrays["a"].tolist(), newest.numbers, damaged) == ([0, 1, 2], {"b": 1}, [])


def test_numbers_that_are_not_finite_end_the_run_with_a_word_about_the_last_checkpoint(tmp_path):
    run = Run(tiny(tmp_path, imitate=0, learning_rate=1e30, baselines="random"))
    with pytest.raises(TrainingError, match="infinite or NaN; the last good checkpoint"):
        run.train()
    assert read_newest(tmp_path / "checkpoints")[0] is not None


def test_a_full_disk_leaves_the_options_when_a_run_is_resumed(copied, monkeypatch, capsys):
    before = {path: path.read_bytes() for path in copied.glob("*.*") if path.is_file()}

    monkeypatch.setattr(os, "fsync", full_disk)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # the command replaces it
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    with ends_with(capsys, "^gubs train: .*No space left on device: '.*options.json'$"):
        gubs("train", "--resume", copied, "--steps", 4608)
    assert {path: path.read_bytes() for path in before} == before
    monkeypatch.undo()
    Run(tiny(copied, steps=4608), resume=True).train()


def test_a_second_run_in_a_folder_is_refused(tmp_path, capsys):
    code = (
        "import sys, gubs_env.support.files as f; lock = f.lock_folder(sys.argv[1]); print('held', "
        "flush=True); input()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, stdin=subprocess.PIPE
    )
    assert process.stdout.readline().strip() == b"held"
    with ends_with(capsys, "^gubs train: .* is in use by another run: wait until it has ended"):
        gubs("train", "--out", tmp_path, "--steps", 0)
    process.kill()
    process.communicate()
    Run(tiny(tmp_path, steps=0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--resume", "nowhere"], "there is no run in that folder"),
        (["--baselines", "genius"], "no agent is called 'genius'"),
        (["--weights", "nowhere.safetensors"], "no such file: nowhere.safetensors"),
        (["--config", "nowhere.toml"], "No such file or directory: 'nowhere.toml'"),
        (["--baselines", "tests.arena.broken_agent:Bot"], "cannot be imported: ZeroDivisionErr"),
        (["--baselines", "tests.arena.test_bad_agents:Fails"], "failed: KeyError: .no idea"),
        (["--width", "999999999"], "no learner on device=cpu: .*memory"),
    ],
)
def test_what_a_user_can_do_wrong_ends_with_one_line(tmp_path, capsys, options, message):
    small = ["--steps", "512", "--games", "16", "--rollout", "32", "--imitate", "0"]
    arguments = [*small, *options] if "--resume" not in options else options
    out = [] if "--resume" in options else ["--out", str(tmp_path / "run")]
    with ends_with(capsys, f"^gubs train: .*{message}"):
        gubs("train", *arguments, *out)


def words(folder, **changed):
    """Return the words of a command that trains with the tiny options, some of them changed."""
    options = TINY | {"out": folder} | changed
    return ["train", *(f"--{name.replace('_', '-')}={value}" for name, value in options.items())]


def test_a_folder_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    with ends_with(capsys, "^gubs train: .*file"):
        gubs(*words(tmp_path / "file" / "run"))


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path, capsys, workers):
    learner = "tests.training.learners:InterruptedLearner"
    with pytest.raises(SystemExit) as raised:
        gubs(*words(tmp_path, imitate=0, workers=workers, learner=learner, baselines="random"))
    assert raised.value.code == 130
    said = capsys.readouterr().err
    assert f"interrupted; --resume {tmp_path} continues from the last checkpoint" in said
    newest, _ = read_newest(tmp_path / "checkpoints")
    assert newest.numbers["run"]["update"] == rows_written(tmp_path) - 1 == 3


# ---------------------------------------------------------------------------------------- options


def test_options_come_from_the_command_line_before_the_file_before_the_defaults(tmp_path):
    path = tmp_path / "options.toml"
    path.write_text('players = 4\nlearning_rate = 1e-3\nentropy = 0\nout = "runs/four"\n')
    options, resume = parse(["--config", str(path), "--players", "3"])
    assert (options.players, options.learning_rate, options.entropy) == (3, 1e-3, 0.0)
    assert (options.out, options.width, resume) == ("runs/four", Options().width, False)


def test_rules_are_given_as_text_and_in_a_file_also_as_a_table(tmp_path):
    deck = {"Gub": 6, "Lure": 2, "Letter G": 1, "Letter U": 1, "Letter B": 1}
    path = tmp_path / "options.toml"
    table = "\n".join(f'"{title}" = {count}' for title, count in deck.items())
    path.write_text(f"[rules]\nask_everyone = true\n[rules.deck]\n{table}\n")
    counts = "+".join(f"{title}:{count}" for title, count in deck.items())
    arguments = ["--config", str(path)], ["--rules", f"ask_everyone=true+deck={counts}"]
    for number, given in enumerate(arguments):
        options, _ = parse(given)
        run = Run(tiny(tmp_path / str(number), rules=options.rules, steps=512, baselines="random"))
        assert (run.table.rules.ask_everyone, run.table.rules.deck) == (True, deck)
        run.train()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("depth = 3", "options.toml: depth is not an option; --help lists the options"),
        ('players = "two"', "options.toml: players='two': must be a whole number"),
        ("width = 2.5", "options.toml: width=2.5: must be a whole number"),
        ("players 2", "options.toml is not valid TOML: Expected '='"),
        ("players = 9", "Gubs is for 2 to 6 players"),
        ('game = "chess"', "no game is called 'chess': there are"),
        ('reward = "money"', "reward='money': allowed are payoff, lead"),
        ("width = 0", "width=0: must be at least 1"),
        ('device = "tpu"', "device='tpu': allowed are cpu, cuda, cuda:NUMBER and mps"),
        ("minutes = inf", "minutes=inf: must be a finite number"),
        ("width = " + "[" * 10_000, "options.toml is not valid TOML"),
        ("baseline_share = 1.5", "baseline_share=1.5: must be 0 to 1"),
        ("baseline_share = 0.9\nnewest_share = 0.9", "together they must be at most 1"),
        ('baselines = "random,genius"', "no agent is called 'genius'"),
        ('baselines = "random,random"', "agents named twice: random"),
        ('teacher = "heuristic:depth=3"', "agent 'heuristic' has no option depth"),
        ('rules = "depth=3"', "the rules of gubs_v0 have no option depth"),
        ('[rules]\nletters = "here"', "letters='here': allowed are"),
    ],
)
def test_options_that_are_not_allowed_are_refused_in_one_line(tmp_path, text, message):
    path = tmp_path / "options.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        parse(["--config", str(path)])
    assert "\n" not in str(raised.value)


def test_a_mistyped_option_is_answered_with_the_nearest_one(capsys):
    with pytest.raises(SystemExit):
        parse(["--plyers", "3"])
    assert "--players" in capsys.readouterr().err


def test_help_shows_options_in_groups(capsys):
    with pytest.raises(SystemExit):
        parse(["--help"])
    said = capsys.readouterr().out
    for group in ("run", "network", "imitation", "learning", "reward", "opponents", "measuring"):
        assert f" {group} options " in said
    for name in Options.__dataclass_fields__:
        assert f"--{name.replace('_', '-')} " in said


def test_rows_are_told_as_they_are_written_and_can_stop_the_run(tmp_path):
    told = []

    def report(table, row):
        told.append((table, {column: str(value) for column, value in row.items()}))
        return table == "metrics.csv" and row["update"] == 3

    options = tiny(tmp_path, steps=2048, baselines="random")
    run = Run(options, on_row=report)
    run.train()
    assert (run.stopping, run.update) == (True, 3)
    for table in ("metrics.csv", "evaluations.csv", "times.csv"):
        rows = read_table(tmp_path / table)
        assert rows == [row for name, row in told if name == table]
    again = Run(options, resume=True)
    again.train()
    assert again.progress == 1


def test_a_resumed_run_keeps_its_options_and_counts_the_time_before(whole, copied):
    options, resume = parse(["--resume", str(copied), "--steps", "4608"])
    assert (options.steps, options.width, resume) == (4608, 16, True)
    run = Run(options, resume)
    assert run.seconds == whole[0].seconds > 0
    run.train()
    assert run.timesteps == 4608
    assert run.seconds > whole[0].seconds
    with pytest.raises(
        ValueError, match="width cannot change; only steps, minutes, device, backend, workers can"
    ):
        parse(["--resume", str(copied), "--width", "64"])
    with pytest.raises(ValueError, match="there is no run in that folder"):
        parse(["--resume", str(copied / "nowhere")])
    with pytest.raises(ValueError, match="--config and --resume exclude each other"):
        parse(["--resume", str(copied), "--config", "options.toml"])


def test_a_run_of_another_version_is_not_resumed(copied):
    numbers_of = sorted((copied / "checkpoints").glob("0*"))[-1]
    newest, _ = read_newest(copied / "checkpoints")
    older = newest.numbers | {"run": {"update": 1, "seconds": 3.0}}
    write(copied / "checkpoints", int(numbers_of.name) + 1, newest.arrays, older)
    before = (copied / "options.json").read_bytes()
    with pytest.raises(TrainingError, match="another version of gubs_env wrote this checkpoint"):
        Run(parse(["--resume", str(copied)])[0], resume=True)
    assert (copied / "options.json").read_bytes() == before
    for text, message in [
        ("{}", "unknown or missing options: backend, baseline_share"),
        (before.decode().replace('"width": 16', '"width": 0'), "width=0: must be at least 1"),
        ("{", "Expecting property name"),
        ("[]", "this is not the options of a run, which is an object with fields"),
        ("[" * 100_000, "nested too deeply"),
        (before.decode().replace("0.001", "NaN", 1), "NaN is not a number"),
    ]:
        (copied / "options.json").write_text(text)
        with pytest.raises(ValueError, match=f"cannot be read by this version .*{message}"):
            parse(["--resume", str(copied)])


def test_a_missing_package_is_named_before_any_work(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    message = r'gubs train: sb3_contrib is not installed: pip install "gubs_env\[train\]"'
    with ends_with(capsys, message):
        gubs("train")


def test_the_example_draws_what_there_is(tmp_path):
    example = runpy.run_path(str(ROOT / "examples" / "ppo.py"))
    with pytest.raises(SystemExit, match="has no evaluations to draw"):
        example["plot"](tmp_path, tmp_path / "none.png")
    header = ",".join(example["COLUMNS"])
    (tmp_path / "seed_0.csv").write_text(f"{header}\ngreedy,0,0.5,0.6,0.2,0.1,0.3\n")
    (tmp_path / "seed_1.csv").write_text(f"{header}\n")
    example["plot"](tmp_path, tmp_path / "one.png")
    assert (tmp_path / "one.png").stat().st_size > 10_000


def test_the_network_of_the_example_plays_everywhere(tmp_path):
    example = runpy.run_path(str(ROOT / "examples" / "ppo.py"))
    env = gubs_v0.vector_env(64, 2, seed=0)
    network = example["Network"](env.observations.shape[1], env.masks.shape[1], 32)
    torch.nn.init.normal_(network.policy.weight)
    example["save"](network, tmp_path / "mine.safetensors")
    agent = gubs_agents.make("policy", weights=str(tmp_path / "mine.safetensors"))
    expected = network.act(env.observations, env.masks)
    assert (agent.act(env.observations, env.masks) == expected).all()
    _, values = agent.judge(env.observations, env.masks)
    seen = torch.tensor(env.observations), torch.tensor(env.masks)
    assert np.allclose(values, network(*seen)[1].detach(), atol=1e-5)


def test_the_example_needs_an_update(monkeypatch, tmp_path):
    example = runpy.run_path(str(ROOT / "examples" / "ppo.py"))
    monkeypatch.setattr(sys, "argv", ["ppo.py", "--decisions", "1000", "--out", str(tmp_path)])
    with pytest.raises(SystemExit, match="--decisions 1000: an update takes"):
        example["main"]()
