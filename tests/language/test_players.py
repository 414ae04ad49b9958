"""Agents that answer in text play wherever agents play."""

from __future__ import annotations

import json

import gymnasium
import numpy as np
import pytest

import gubs_env
from gubs_agents.arena import report
from gubs_agents.arena.measures import Outcomes
from gubs_agents.arena.playing import win_rate
from gubs_agents.arena.tournaments import tournament
from gubs_env import bad_bad_turtle_v0, find_table, fubnub_v0, gubs_v0
from gubs_env.agents.registry import build
from gubs_env.agents.text_game import TextGame, choose_action
from gubs_env.api.texts import TextVectorEnv
from gubs_env.engine.rng import seed_rng
from gubs_env.play.session import Player, Session
from gubs_env.records.record import read_line
from tests.language.agents import Broken, Bungler, Guesser, Hopeless, Reader, Renaming, Unlucky

TWO = find_table("gubs", 2)
TABLES = {"gubs": 2, "fubnub": 4, "bad_bad_turtle": 3}


def recorded(path, agents, games=2, game="gubs", **options):
    table = find_table(game, TABLES[game])
    seats = [*agents, *["random"] * (table.num_players - len(agents))]
    return list(gubs_env.read_records(gubs_env.record(path, seats, table, games=games, **options)))


@pytest.mark.parametrize("game", TABLES)
@pytest.mark.parametrize("kind", [Reader, Renaming, Guesser])
def test_a_reader_of_prompts_plays_legally(kind, game, tmp_path):
    agent = kind()
    games = 2 if game != "bad_bad_turtle" else 12
    records = recorded(tmp_path / "games.jsonl", [agent], games, game)
    assert all(record.outcome and not record.forfeits for record in records)
    assert len(agent.prompts) > 3
    assert all(not prompt.failed for prompt in agent.prompts)


def test_the_same_seed_gives_the_same_prompts_in_any_company(tmp_path):
    """A game does not depend on those that are played beside it."""
    agents = [Reader() for _ in range(3)]
    lines = [
        [record.line() for record in recorded(tmp_path / f"{k}.jsonl", [agent], 3, batch=batch)]
        for k, (agent, batch) in enumerate(zip(agents, (3, 3, 1), strict=True))
    ]
    assert lines[0] == lines[1] == lines[2]
    prompts = [list(map(str, agent.prompts)) for agent in agents]
    assert prompts[0] == prompts[1]
    assert sorted(prompts[0]) == sorted(prompts[2])


def test_prompts_of_a_batch_are_those_of_a_single_game():
    agent, alone = Reader(), Reader()
    games = TextVectorEnv(TWO, 3, seed=4, autoreset=False, skip_forced=True)
    rngs = np.array([seed_rng(k) for k in range(3)])
    for index in range(3):
        games.follow(index)
    while (games.actors >= 0).any():
        actions = np.full(3, -1)
        rows = np.flatnonzero(games.actors >= 0)
        actions[rows] = games.ask(agent, rows, rngs[rows])
        games.step(actions)
    for seed in (4, 5, 6):
        env = gubs_v0.raw_env(2)
        env.reset(seed=seed)
        game = TextGame(env)
        while not game.is_over:
            env.step(choose_action(alone, game, seed_rng(0)))
            game._skip_forced()
    assert sorted(map(str, agent.prompts)) == sorted(map(str, alone.prompts))


def test_wrong_answers_are_counted_apart_and_may_be_put_right():
    env = gubs_v0.raw_env(2)
    env.reset(seed=0)
    game, agent = TextGame(env), Bungler()
    choose_action(agent, game, seed_rng(0))
    counts = game.counts["player_0"]
    assert (counts.asked, counts.illegal, counts.unparsable, counts.failed) == (1, 1, 1, 0)
    errors = [failed.error for failed in agent.prompts[-1].failed]
    assert errors[0].startswith("'Fly to the moon' is not a legal move; legal moves near it are:")
    assert errors[1].startswith("this is not valid JSON")


def test_a_forfeit_is_in_the_record_and_the_agent_is_not_asked_again(tmp_path):
    agent = Hopeless()
    records = recorded(tmp_path / "games.jsonl", [agent])
    assert [record.forfeits for record in records] == [(0,), (1,)]
    assert len(agent.prompts) == 2 * agent.text_options.attempts
    assert [read_line(r.line(), "here").forfeits for r in records] == [(0,), (1,)]
    assert all(record.outcome for record in records)


@pytest.mark.parametrize("forfeits", [[2], [-1], [1, 0], [0, 0], "0", [0.0], None])
def test_a_record_with_impossible_forfeits_is_refused(forfeits, tmp_path):
    [record] = recorded(tmp_path / "games.jsonl", ["random", "random"], 1)
    line = json.loads(record.line()) | {"forfeits": forfeits}
    with pytest.raises(ValueError, match=r"here: forfeits"):
        read_line(json.dumps(line), "here")


def test_a_failure_can_be_a_random_move_instead(tmp_path):
    agent = Unlucky()
    records = recorded(tmp_path / "games.jsonl", [agent])
    assert not any(record.forfeits for record in records)
    again = recorded(tmp_path / "again.jsonl", [Unlucky()])
    assert [r.line() for r in records] == [r.line() for r in again]


def test_the_arena_counts_a_forfeit_as_a_loss_and_reports_the_answers(tmp_path):
    field = "random,tests.language.agents:Hopeless,tests.language.agents:Reader"
    result = tournament(field, deals=2, resamples=10, out=tmp_path, batch=4)
    lost = result.labels.index("tests.language.agents:Hopeless")
    assert result.numbers.share.value[lost] == 0
    assert result.numbers.payoff.value[lost] == -1
    usage = result.times["tests.language.agents:Hopeless"].usage
    assert usage == {"asked": 8, "illegal": 24, "unparsable": 0, "failed": 8, "forfeited": 8}
    assert "| tests.language.agents:Hopeless | 8 | 24 | 0 | 8 | 8 |" in report.times_markdown(
        result
    )
    again = tournament(field, deals=2, resamples=10, out=tmp_path, batch=4, resume=True)
    assert again.times["tests.language.agents:Reader"].usage["asked"] > 100
    rate = win_rate(Hopeless(), build("random", TWO), deals=2)
    assert rate.rate == 0


def test_an_agent_may_have_a_label(tmp_path):
    field = "random,reader=tests.language.agents:Reader"
    result = tournament(field, deals=2, resamples=10)
    assert result.labels == ("random", "reader")
    assert result.plan.header()["agents"]["reader"] == "tests.language.agents:Reader"
    path = gubs_env.record(tmp_path / "games.jsonl", field, games=1)
    assert next(gubs_env.read_records(path)).agents == ("random", "reader")


def test_the_sides_that_do_not_forfeit_share_the_win():
    sides = np.array([0, 1, 2, 1])
    endings = Outcomes(np.zeros((4, 4)), [[0]] * 4, [[], [0], [1], [0, 1, 2]])
    shares = endings.win_shares(sides)
    assert shares.tolist() == [[1, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0, 0, 0]]


def test_an_agent_that_fails_is_named_in_the_error(tmp_path):
    with pytest.raises(ValueError, match="agent 'Broken' failed: ConnectionError: the server is"):
        recorded(tmp_path / "games.jsonl", [Broken(), "random"])


def test_text_opponents_in_gymnasium_are_told_the_news():
    agent = Reader()
    env = gymnasium.make("gubs_env:gubs_env/Gubs-v0", opponents=agent, disable_env_checker=True)
    _, info = env.reset(seed=3)
    done = False
    while not done:
        *_, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        done = terminated or truncated
    assert len(agent.prompts) > 5
    assert sum(len(prompt.news) > 0 for prompt in agent.prompts) > 3


def test_text_opponents_in_vectorised_gymnasium_are_told_the_news():
    agent = Reader()
    envs = fubnub_v0.single_agent_vector_env(2, opponents=agent)
    _, infos = envs.reset(seed=3)
    for _ in range(15):
        *_, infos = envs.step(infos["action_mask"].argmax(axis=1))
    envs.close()
    assert len(agent.prompts) > 20
    assert sum(len(prompt.news) > 0 for prompt in agent.prompts) > 10


def test_a_session_plays_with_text_agents():
    env = bad_bad_turtle_v0.env(3)
    env.reset(seed=9)
    agent = Reader()
    players = {seat: Player("reader", agent) for seat in env.possible_agents}
    session = Session(env, players, seed=0)
    while not session.is_over:
        session.play_opponent()
    assert session.env.log()


def test_a_text_agent_may_be_asked_without_a_log():
    games = TextVectorEnv(TWO, 2, seed=0)
    games.play_randomly(30, seed=1)
    agent = Reader()
    actions = games.ask(agent, np.arange(2), np.array([seed_rng(0), seed_rng(1)]))
    assert games.masks[np.arange(2), actions].all()
    assert all(prompt.news == () for prompt in agent.prompts)
    with pytest.raises(TypeError, match=r"is asked in a gubs_env\.api\.texts\.TextVectorEnv"):
        gubs_v0.vector_env(2, 2).ask(agent, np.arange(2), np.ones((2, 4), np.int64))


def test_something_that_does_not_choose_is_no_agent():
    with pytest.raises(TypeError, match="neither act, search nor choose"):
        build(object(), TWO)
    assert isinstance(build("tests.language.agents:Reader", TWO), Reader)
