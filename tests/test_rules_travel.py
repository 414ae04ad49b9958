"""No public way to play drops the rules: an option that changes who wins changes it everywhere."""

from __future__ import annotations

import io
import json
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import gubs_agents
import gubs_env
from gubs_agents import arena
from gubs_env.agents.text_game import TextGame
from gubs_env.api.self_play import Pool, SelfPlay
from gubs_env.commands.main import main
from gubs_env.exact.tree import Decision, tree_of
from gubs_env.play.dealing import DealOptions
from gubs_env.support.plugins import Plugin
from tests.poker import low_card

RULES = {"lowest_wins": True}
TABLE = gubs_env.find_table(low_card.GAME, rules=RULES)
AGENT = f"{__name__}:Witness"


class Witness:
    """An agent that is built for the rules of this page only."""

    def __init__(self, table, seed=None):
        assert table == TABLE, f"built for {table}"

    def act(self, observations, masks, rngs=None):
        return masks.argmax(axis=1)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """Let the game be found by its name, as if its package were installed."""
    point = EntryPoint("low_card_v0", low_card.__name__, gubs_env.games.GROUP)
    brought = gubs_env.games._brought() | {point.name: Plugin(point.name, "tests", point)}
    monkeypatch.setattr(gubs_env.games, "_brought", lambda: brought)


def played(env):
    """Return the payoffs of a game of a PettingZoo environment."""
    env.reset(seed=1)
    paid = {}
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            paid[agent] = reward
        env.step(None if terminated or truncated else 1)
    return [paid[agent] for agent in env.possible_agents]


def winners_in(path):
    """Return who won the games of a file."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {tuple(line["outcome"]["winners"]) for line in lines if "outcome" in line}


def test_without_the_option_the_other_player_wins():
    assert played(low_card.env()) == [-1, 1]


@pytest.mark.parametrize("kind", ["env", "raw_env"])
def test_pettingzoo(kind):
    env = getattr(low_card, kind)(rules=RULES)
    assert played(env) == [1, -1]
    again = low_card.raw_env.from_json(env.to_json())
    assert again.table == TABLE
    assert again.outcome().winners == (0,)


def test_gymnasium():
    one = low_card.single_agent_env(opponents=AGENT, seat=0, rules=RULES)
    one.reset(seed=1)
    assert one.step(0)[1] == 1
    many = low_card.single_agent_vector_env(3, opponents=AGENT, seat=0, rules=RULES)
    many.reset(seed=1)
    assert many.step(np.zeros(3, int))[1].tolist() == [1, 1, 1]


def test_many_games_at_once():
    games = low_card.vector_env(3, rules=[RULES, {}, RULES], seed=0, autoreset=False)
    assert games.play_out(seed=0)[:, 0].tolist() == [1, -1, 1]
    assert games.set_rules(RULES).tolist() == [False, True, False]
    games.reset(0)
    assert games.play_out(seed=0)[:, 0].tolist() == [1, 1, 1]


def test_self_play():
    games = SelfPlay(TABLE, 4, Pool({"witness": Witness(TABLE)}), seat=0)
    games.start()
    _, rewards, dones, *_ = games.play(np.zeros(4, int))
    assert dones.all()
    assert (rewards == 1).all()


def test_agents_are_built_for_them():
    assert isinstance(gubs_agents.make(AGENT, TABLE), Witness)
    with pytest.raises(AssertionError, match="built for low_card_v0 with 2 players"):
        gubs_agents.make(AGENT, low_card.GAME)


def test_the_arena(tmp_path):
    agents = [gubs_agents.make(AGENT, TABLE) for _ in range(2)]
    assert (arena.play(agents, TABLE, deals=3)[:, 0] == 1).all()
    duel = arena.Duel(*agents, TABLE, deals=3)
    assert duel.by_deal().tolist() == [[1, 0]] * 3
    assert arena.win_rate(*agents, TABLE, deals=3).rate == duel.result().rate == 0.5
    assert duel.difference().value == 0
    assert arena.seats(AGENT, TABLE, deals=3).share.value.tolist() == [1, 0]
    seeds = arena.over_seeds({"one": agents}, agents[0], TABLE, deals=3)
    assert seeds.methods["one"].mean[0] == 0.5
    field = {"a": AGENT, "b": Witness}
    arena.tournament(field, TABLE, deals=3, resamples=2, out=tmp_path / "arena")
    arena.sprt(field, (0, 100), TABLE, deals=3, out=tmp_path / "sprt")
    for folder in ("arena", "sprt"):
        assert winners_in(tmp_path / folder / "games.jsonl") == {(0,)}


def test_records_and_what_is_made_of_them(tmp_path):
    path = gubs_env.record(tmp_path / "games.jsonl", AGENT, TABLE, games=3)
    records = list(gubs_env.read_records(path))
    assert [record.outcome.winners for record in records] == [(0,)] * 3
    assert {record.table for record in records} == {TABLE}
    assert gubs_env.replay(records[0]).title.startswith("Low card")
    pytest.importorskip("pyarrow")
    gubs_env.to_parquet(path, tmp_path / "data")
    assert gubs_env.load_dataset(tmp_path / "data").table == TABLE


def test_text_and_the_tree():
    env = low_card.raw_env(rules=RULES)
    env.reset(seed=1)
    text = TextGame(env)
    while not text.is_over:
        text.play(text.moves()[0])
    assert env.outcome().winners == (0,)
    ahead, ends = [tree_of(TABLE, True).root()], set()
    while ahead:
        node = ahead.pop()
        if not isinstance(node, Decision):
            ahead += [node.after(number) for number in range(len(node.outcomes))]
        elif node.seat < 0:
            ends.add(tuple(node.returns))
        else:
            ahead += [node.after(action) for action in node.legal]
    assert ends == {(1, -1)}


def test_solo_games():
    from gubs_env.adapters.solo import SoloGame

    options = DealOptions(game="low_card", rules="lowest_wins=true", seed=1)
    solo = SoloGame(options, allowed={"witness": AGENT})
    while not solo.is_over:
        solo.play(solo.moves()[0])
    assert solo.text.env.outcome().winners == (0,)


def test_commands(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = ["--game", "low_card", "--rules", "lowest_wins=true"]

    def gubs(*words):
        assert main([*words]) == 0, words
        return capsys.readouterr().out

    gubs("record", *table, "--agents", AGENT, "--games", "3", "--out", "games.jsonl")
    gubs("arena", *table, "--agents", f"a={AGENT},b={AGENT}", "--deals", "3", "--out", "arena")
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 6))
    play = ("--opponents", AGENT, "--humans", "player_0", "--seed", "1", "--pace", "0")
    gubs("play", *table, *play, "--replay", "play.jsonl")
    for name in ("games.jsonl", "arena/games.jsonl", "play.jsonl"):
        assert winners_in(Path(name)) == {(0,)}
