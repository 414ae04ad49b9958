"""The page of a replay: complete in itself, true to the game, and without secrets of others."""

from __future__ import annotations

import base64
import doctest
import gzip
import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import gubs_env
from gubs_env import bad_bad_turtle_v0, find_table, gubs_v0
from gubs_env.agents.registry import build
from gubs_env.engine.card_texts import card_help
from gubs_env.engine.view import View
from gubs_env.records.record import Record
from gubs_env.replays import frames, judging
from gubs_env.replays.frames import ALL_HANDS, LOW, SMALL
from gubs_env.replays.judging import judge_all, picks_at
from tests.amounts import MORE
from tests.api.tables import every_module
from tests.browsing import CHROMIUM
from tests.commands import ends_with, gubs

MOST_BYTES = 450_000


def played(module, num_players=None, seed=4, names=None, most=1_000):
    """Return the record of a game of moves chosen at random: the whole game, or the first moves."""
    environment = module.env(num_players)
    environment.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while (moves := environment.legal_moves()) and most:
        environment.play(moves[rng.integers(len(moves))])
        most -= 1
    return Record.of(environment, names or ["random"] * environment.num_players, seed)


def content_of(page):
    packed = re.search(r'id="data">([^<]+)<', page.html)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def pictures_in(content, eyes, size="frames"):
    """Return the first line and the pieces of every picture, as the script of the page does."""
    pictures, before = [], []
    for head, tail, *between in content[size][eyes]:
        before = [*before[:head], *between, *before[len(before) - tail :]]
        pictures.append([content["lines"][number] for number in before])
    return pictures


def pieces(picture):
    lines = picture.splitlines()
    return [lines[0], *lines[lines.index("</defs>") + 1 : -1]]


@pytest.fixture(scope="module")
def record():
    """A game of which it is not known who plays: everybody is called by their seat."""
    return played(gubs_v0, 3, names=["player_0", "player_1", "player_2"])


@pytest.fixture(scope="module")
def page(record):
    return gubs_env.replay(record)


@every_module
def test_a_page_is_one_small_file_that_loads_nothing(module):
    page = gubs_env.replay(played(module, seed=1, most=90 * MORE))
    assert page.title.startswith(f"{module.GAME.title}: ")
    assert len(page.html.encode()) < MOST_BYTES
    assert "default-src 'none'" in page.html
    assert not re.search(r'(src|href)="(?!#)', page.html)
    assert "@" not in re.sub(r"@media", "", page.html.split('id="data"')[0])
    content = content_of(page)
    assert content["cards"] == card_help(module.GAME)
    assert len({len(content["frames"][eyes]) for eyes in content["eyes"]}) == 1


def test_a_page_shows_what_the_environment_draws(record, page):
    content = content_of(page)
    assert content["eyes"] == ["player_0", "player_1", "player_2", ALL_HANDS]
    shown = {eyes: pictures_in(content, eyes) for eyes in content["eyes"]}
    small, low = (
        {eyes: pictures_in(content, eyes, size) for eyes in content["eyes"]}
        for size in ("small", "low")
    )
    environment = gubs_v0.env(3)
    environment.reset(seed=4)
    for number, decision in enumerate(content["decisions"]):
        is_drawn = decision is None or number % 5 < MORE
        for agent in ("player_0", "player_2") if is_drawn else ():
            view = environment.view(agent)
            assert shown[agent][number] == pieces(gubs_v0.GAME.draw(view))
            assert small[agent][number] == pieces(gubs_v0.GAME.draw(view, size=SMALL))
            assert low[agent][number] == pieces(gubs_v0.GAME.draw(view, size=LOW))
        if is_drawn:
            whole = View(0, environment.state())
            expected = pieces(gubs_v0.GAME.draw(whole, open_hands=True))
            assert shown[ALL_HANDS][number] == expected
        if decision is not None:
            assert decision["agent"] == environment.agent_selection
            environment.play(decision["move"])
    assert environment.legal_moves() == []
    assert content["decisions"][-1] is None
    for agent in ("player_0", "player_1"):
        told = [line for lines in content["log"][agent] for line in lines]
        assert told == environment.log(agent)
    told = [line for lines in content["log"][ALL_HANDS] for line in lines]
    drawn = [line for line in told if " draws " in line]
    assert drawn
    assert not any(line.endswith("draws a card") for line in drawn), "all hands are open"


def test_a_page_for_a_player_holds_what_they_saw_and_nothing_else(record, page):
    own, everything = content_of(gubs_env.replay(record, eyes="player_1")), content_of(page)
    assert own["eyes"] == ["player_1"]
    seen = {everything["lines"][number] for number in everything["asked"]["player_1"]}
    for size in ("frames", "small", "low"):
        seen.update(*pictures_in(everything, "player_1", size))
    assert set(own["lines"]) <= seen
    assert "hidden" not in json.dumps(own)
    for line in own["lines"]:
        where = re.search(r'data-card="[^"]+" data-where="hand of (player_\d)"', line)
        assert not where or where[1] == "player_1" or "gt-veil" in line
    assert {d["agent"] for d in own["decisions"] if d} == {"player_1"}
    assert "seed" not in own
    frames = pictures_in(own, "player_1")
    for number in range(1, len(frames)):
        is_told = own["log"]["player_1"][number] or own["decisions"][number]
        assert is_told or frames[number] != frames[number - 1], "a frame tells of a secret pass"
    assert len(frames) <= len(everything["decisions"])


def test_a_secret_pass_leaves_no_frame():
    """The second player passes in the window or cannot answer at all: the third cannot tell."""
    contents = []
    for held in ("Feather", "Scout"):
        environment = gubs_v0.env(3)
        hands = ["Lure, Spear", held, "Feather"]
        environment.set_state(gubs_v0.position(hands, ["", "", "Gub"], deck="Letter G", seed=1))
        environment.play("Lure player_2's Gub")
        while environment.agent_selection != "player_2":
            environment.play("Pass: let Lure take effect")
        environment.play("Answer Lure with Feather")
        page = gubs_env.replay(environment, eyes="player_2")
        contents.append(content_of(page))
    one, other = contents
    assert one["log"] == other["log"]
    assert one["decisions"] == other["decisions"]
    assert pictures_in(one, "player_2") == pictures_in(other, "player_2")


@pytest.fixture(scope="module")
def judged():
    """The content of a page with the judgement of a network."""
    return content_of(gubs_env.replay(played(gubs_v0, 2, seed=2, most=60 * MORE), judge="policy"))


def test_a_network_says_what_it_thinks(page, judged):
    decisions = [decision for decision in judged["decisions"] if decision]
    assert all(-1.5 < decision["value"] < 1.5 for decision in decisions)
    with_choices = [decision for decision in decisions if decision["choices"]]
    assert len(with_choices) > len(decisions) / 4
    for decision in with_choices:
        chosen = [text for text, _, is_chosen in decision["choices"] if is_chosen]
        assert chosen == [decision["move"]]
        assert 0 <= sum(probability for _, probability, _ in decision["choices"]) <= 1.001
    assert not any(decision["choices"] for decision in content_of(page)["decisions"] if decision)


def test_a_page_of_one_viewer_judges_their_decisions_only():
    record = played(gubs_v0, 2, most=20)
    pages = [gubs_env.replay(record, judge="policy", **eyes) for eyes in ({}, {"eyes": "player_1"})]
    all_of_them, own = ([d for d in content_of(each)["decisions"] if d] for each in pages)
    assert own == [decision for decision in all_of_them if decision["agent"] == "player_1"] != []


def test_decisions_are_judged_while_they_are_drawn_so_that_progress_is_even(monkeypatch):
    record, told, judged_after = played(gubs_v0, 2, most=20), [], []
    mistake = property(lambda _: judged_after.append(len(told)))
    monkeypatch.setattr(judging.Decision, "mistake", mistake)
    moves = [*record.course().moves()]
    judged = judging.decisions(record.table, build("policy", record.table), moves)
    shown = frames.frames_of(record, [], judged, lambda *progress: told.append(progress))
    with_choice = [at for at, frame in enumerate(shown) if frame.choices]
    assert judged_after == with_choice != []
    count = len(record.actions)
    assert [done for done, _ in told] == [f.played.number for f in shown[:-1]] + [count]
    assert {steps for _, steps in told} == {count}


def test_a_mistake_is_told_with_its_cost_and_the_better_move(judged):
    mistakes = [d for d in judged["decisions"] if d and d["mistake"]]
    assert mistakes
    for decision in mistakes:
        better = decision["choices"][0][0]
        told = re.match(
            rf"“{re.escape(better)}” is better: it wins (\d+) more games in 100 \(± (\d+)\)",
            decision["mistake"],
        )
        assert int(told[1]) > int(told[2])
        assert decision["move"] != better


def test_the_moves_of_others_are_told_of_them():
    record = played(gubs_v0, 2, names=["person", "random"], most=120)
    decisions = [each for each in content_of(gubs_env.replay(record))["decisions"] if each]
    for agent, whose, other in (
        ("player_0", "your own", "their"),
        ("player_1", "their own", "your own"),
    ):
        moves = [each["move"] for each in decisions if each["agent"] == agent]
        assert any(whose in move for move in moves)
        assert not any(other in move for move in moves)


def test_the_decisions_of_others_are_told_of_them():
    record = played(bad_bad_turtle_v0, 2, seed=6, names=["person", "random"], most=30)
    content = content_of(gubs_env.replay(record))
    decisions = filter(None, content["decisions"])
    told = {(each["agent"], each["question"], each["move"]) for each in decisions}
    reveal = "discard 2 cards unseen, then reveal one"
    assert ("player_0", f"take your turn: {reveal}", "Take your turn") in told
    assert ("player_1", f"take the turn – {reveal}", "Take the turn") in told
    banners = " ".join(content["lines"])
    for who in ("Your", "Ada's"):
        assert f">{who} decision: take the turn – {reveal}<" in banners


def test_a_page_opens_with_the_eyes_of_the_first_person():
    record = played(gubs_v0, 3, names=["random", "person", "person"], most=4)
    assert content_of(gubs_env.replay(record))["first"] == "player_1"
    own = content_of(gubs_env.replay(record, reader="player_2"))
    assert own["first"] == "player_2"
    assert [*own["agents"].values()] == ["Ada, beginner", "Player 2", "You"]


def test_only_a_page_for_all_viewers_says_where_the_record_lies():
    record = played(gubs_v0, 3, most=4)
    assert content_of(gubs_env.replay(record, source="a.jsonl#1"))["source"] == "a.jsonl#1"
    own = gubs_env.replay(record, eyes="player_1", source="a.jsonl#1")
    assert "source" not in content_of(own)


def by_stepping(judge, environment, picks):
    """Return the probability of a move: that of each pick, made after the ones before on a copy."""
    product, trial = 1.0, environment.clone()
    for pick in picks:
        seen = trial.observe(trial.agent_selection)
        product *= judge.judge(seen["observation"][None], seen["action_mask"][None])[0][0, pick]
        trial.step(pick)
    return product


@pytest.mark.parametrize("num_players", [2, 4])
def test_the_probability_of_a_move_is_the_product_of_those_of_its_picks(num_players):
    judge = build("policy", find_table("gubs", num_players))
    environment = gubs_v0.raw_env(num_players)
    environment.reset(seed=3)
    rng = np.random.default_rng(3)
    decisions, expected = [], []
    while len(decisions) < 12 and (moves := environment.legal_moves()):
        if max(len(move.picks) for move in moves) > 1:
            states = np.array([environment.state()])
            decisions.append(picks_at(gubs_v0.GAME, states, moves))
            few = [moves[k] for k in rng.permutation(len(moves))[:8]]
            expected.append({m.picks: by_stepping(judge, environment, m.picks) for m in few})
        environment.play(moves[rng.integers(len(moves))])
    assert len(decisions) == 12
    judgements = judge_all(judge, decisions)
    for (found, _), picks, naive in zip(judgements, decisions, expected, strict=True):
        assert sum(found[move.picks] for move in picks.moves) == pytest.approx(1, abs=1e-5)
        assert {picks: found[picks] for picks in naive} == pytest.approx(naive, rel=1e-4)


def test_a_move_that_was_never_completed_is_as_likely_as_all_its_completions():
    environment = gubs_v0.raw_env(2)
    hands = ["Lure, Spear", "Feather"]
    environment.set_state(gubs_v0.position(hands, ["Gub", "Gub; Gub + Mushroom"], seed=1))
    chosen = environment.legal_moves()
    begun = max(chosen, key=lambda move: len(move.picks)).picks[0]
    picks = picks_at(gubs_v0.GAME, np.array([environment.state()]), chosen)
    judged = judge_all(build("policy", find_table("gubs")), [picks])[0]
    environment.step(begun)
    assert environment.agent_selection == "player_0"
    choices = content_of(gubs_env.replay(environment, judge="policy"))["decisions"][0]["choices"]
    completions = [move.picks for move in chosen if move.picks[0] == begun]
    expected = sum(judged.probabilities[picks] for picks in completions)
    assert [p for _, p, is_chosen in choices if is_chosen] == pytest.approx([expected], abs=1e-4)


def test_names_are_text():
    names = ["</title><script>alert(1)</script>", '"><b>', "&"]
    page = gubs_env.replay(played(gubs_v0, 3, names=names, most=4))
    assert "<script>alert" not in page.html
    assert "&lt;script&gt;alert(1)" in page.html
    assert content_of(page)["agents"]["player_1"] == 'Bo, "><b>'
    assert page._repr_html_().count("<iframe") == 1
    assert "<b>" not in page._repr_html_()


def test_a_game_under_way_is_replayed_from_its_environment(tmp_path):
    environment = gubs_v0.env(2)
    environment.reset(seed=1)
    assert len(content_of(gubs_env.replay(environment))["decisions"]) == 1
    environment.play("Draw a card")
    page = gubs_env.replay(environment)
    assert [d and d["move"] for d in content_of(page)["decisions"]] == ["Draw a card", None]
    path = page.save(tmp_path / "game.html")
    assert path.read_text() == page.html
    assert repr(page).startswith("<ReplayPage: Gubs: player_0, player_1, ")


def test_the_documentation_is_true():
    page = Path(__file__).parents[2] / "docs" / "replays.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried
    assert not failed


def test_wrong_arguments_are_named(record):
    with pytest.raises(ValueError, match="eyes='player_3': allowed are player_0, player_1"):
        gubs_env.replay(record, eyes="player_3")
    with pytest.raises(TypeError, match="has no method judge"):
        gubs_env.replay(record, judge="greedy")
    with pytest.raises(TypeError, match="a record or an environment"):
        gubs_env.replay("games.jsonl")


def test_the_command_writes_a_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gubs_env.record("games.jsonl", "random", games=2, seed=1)
    gubs("replay", "games.jsonl", "--game", "1", "--html", "one.html", "--eyes", "player_0")
    assert capsys.readouterr().out == "one.html: Gubs: Ada, Bo, beginner\n"
    assert Path("one.html").read_text().startswith("<!doctype html>")
    for wrong in (["games.jsonl", "--game", "2"], ["none.jsonl"], ["games.jsonl", "--eyes", "me"]):
        with ends_with(capsys, "^gubs replay: "):
            gubs("replay", *wrong)


@pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium")
def test_a_browser_shows_the_move_that_the_address_names(page, tmp_path):
    path = page.save(tmp_path / "game.html")
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000",
        f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1280,800", "--dump-dom",
        f"file://{path}#move=7&eyes=player_1",
    ]  # fmt: skip
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    content = content_of(page)
    last = len(content["decisions"]) - 1
    assert f">7 / {last}</output>" in shown
    for piece in pictures_in(content, "player_1")[7][1:]:
        assert re.search(r'data-where="[^"]*"|<text', piece) is None or piece[:40] in shown
    assert shown.count("<li ") == sum(map(len, content["log"]["player_1"]))


def test_a_name_that_looks_like_a_part_of_the_page_is_shown_as_it_is():
    page = gubs_env.replay(played(gubs_v0, seed=1, names=["@DATA@", "@SCRIPT@"], most=4))
    assert "<title>Gubs: Ada, @DATA@ · Bo, @SCRIPT@</title>" in page.html
    agents = {"player_0": "Ada, @DATA@", "player_1": "Bo, @SCRIPT@"}
    assert content_of(page)["agents"] == agents


def test_people_and_agents_have_names():
    names = ["person", "ismcts:weights=shipped+ms=300"]
    page = gubs_env.replay(played(gubs_v0, 2, names=names, most=12))
    content = content_of(page)
    assert page.title == "Gubs: You · Ada, strongest"
    assert content["agents"] == {"player_0": "You", "player_1": "Ada, strongest"}
    told = {who: str(content["log"][who]) for who in content["eyes"]}
    assert all("You " in told[who] and "Ada " in told[who] for who in content["eyes"])
    assert "Player 1" not in str(content)
    assert not any("player_" in str(content[key]) for key in ("lines", "symbols"))
    assert not any("player_" in lines for lines in told.values())
