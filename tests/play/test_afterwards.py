"""A look back at a game: its course, and its mistakes."""

from __future__ import annotations

import re
from itertools import pairwise
from types import SimpleNamespace

import pytest

from gubs_env import gubs_v0
from gubs_env.play import afterwards, story
from gubs_env.play.afterwards import AFTERWARDS, ending, mistakes, sentences
from gubs_env.records.record import Record
from gubs_env.replays import frames, judging, weighing
from gubs_env.replays.weighing import chance_of
from tests.play.tables import dealt, every_game, play_to_the_end, rng_of, seated


def over(game, seed=6, **options):
    """Return a session of a random game that is over, with a person in player_0's seat."""
    env = dealt(game, seed=seed, **options)
    play_to_the_end(env, rng_of(4))
    return seated(env)


@pytest.fixture(scope="module")
def gubs():
    return over("gubs", seed=4, num_players=3)


def test_scores_are_told_as_they_came_about(gubs):
    told = ending(gubs, "player_0")
    outcome = gubs.env.outcome()
    assert [player["score"] for player in told["players"]] == list(outcome.scores)
    assert [player["won"] for player in told["players"]] == [s in outcome.winners for s in range(3)]
    assert [player["name"] for player in told["players"]] == ["You", "Ada", "Bo"]
    numbers = [number for number, _, _ in told["changes"]]
    assert numbers == sorted(numbers)
    names = zip(["You", "Ada", "Bo"], outcome.scores, strict=True)
    assert told["changes"][-1][2] == ", ".join(f"{name} {score}" for name, score in names)
    for (_, _, before), (_, words, after) in pairwise(told["changes"]):
        assert before != after
        assert "player_" not in words
        assert words.startswith(("You ", "Ada ", "Bo ")), "who played what takes effect"


def test_no_sentence_ends_with_two_stops():
    assert sentences(["A", "B.", 'C: "D."', "1.5 E"]) == 'A. B. C: "D." 1.5 E'
    assert sentences(["A", "B."], ".") == "A. B."


def test_a_colony_is_told_with_its_states():
    env = gubs_v0.raw_env(2)
    places = "Gub; Gub; Gub + Mushroom; Gub + Sud Spout", "Esteemed Elder"
    env.set_state(gubs_v0.position(["", "Gub"], [*places], deck="Letter B", letters="GU", seed=1))
    session = seated(env)
    while not session.is_over:
        env.play(env.legal_moves()[0])
    you, ada = ending(session, "player_0")["players"]
    assert you["things"] == [
        "Gub, Free ×2",
        "Gub beneath Mushroom, Protected",
        "Gub beneath a Sud Spout, Trapped",
    ]
    assert (you["score"], you["won"]) == (3, True)
    assert (ada["things"], ada["score"]) == (["Esteemed Elder"], 1)


def test_one_point_and_none_are_points_too():
    env = gubs_v0.raw_env(2)
    env.set_state(gubs_v0.position(["", "Gub"], ["Gub", ""], deck="Letter B", letters="GU", seed=1))
    session = seated(env)
    while not session.is_over:
        env.play(env.legal_moves()[0])
    assert [player["score"] for player in ending(session, "player_0")["players"]] == [1, 0]


def test_who_went_out_is_told_with_the_card_and_the_move():
    told = ending(over("bad_bad_turtle", seed=6, num_players=3), "player_0")
    why = "out by the card Eliminated, whose owner leaves the game"
    assert [(player["won"], player["things"]) for player in told["players"]] == [
        (False, [why, "move 114 of 130"]),
        (False, ["still in, no Turtle"]),
        (True, ["by revealing the Turtle"]),
    ]
    assert told["curve"][-2:] == [[114, 0], [130, 0]]
    assert (told["turn"]["first"], told["turn"]["last"]) == (113, 114)
    assert told["turn"]["lines"][1:] == ["You reveal Eliminated", "You are eliminated"]


def test_who_had_no_choice_is_not_praised_for_it(gubs, monkeypatch):
    own = afterwards._decisions(gubs, "player_0")
    costs = {number: each.weighed.cost for number, each in own if each.weighed}
    told = mistakes(gubs, "player_0")
    worse = sum(cost > 0 for cost in costs.values())
    assert 2 < worse < len(costs), "some moves were better than the network's"
    assert told["none"].startswith(f"No mistake was found beyond doubt. {worse} times, the network")
    assert told["seen"] == max(costs, key=lambda number: costs[number])
    most = dict(own)[told["seen"]]
    chosen, better = (
        gubs.addressed(x.text, "player_0") for x in (most.played.move, most.preferred)
    )
    wins = f"“{better}” is not surely better: it wins {100 * max(costs.values()) * 2 / 3:.0f} more"
    assert f"you chose “{chosen}”. {wins} games in 100 (± " in told["none"]
    assert wins in gubs.addressed(most.comparison, "player_0"), "the replay says the same"
    monkeypatch.setattr(afterwards, "_choices", lambda *_: [])
    assert mistakes(gubs, "player_0")["none"].startswith("You had nothing to choose")
    monkeypatch.setattr(afterwards, "_own", lambda *_: [])
    assert mistakes(gubs, "player_0")["none"] == "The game ended before your first move."


def test_the_turning_point_begins_with_who_played_what_takes_effect(monkeypatch):
    session = over("gubs", seed=17, num_players=3)
    lines = ending(session, "player_0")["turn"]["lines"]
    assert lines[0] == "Bo plays Double Ring at Ada's first Gub and Ada's second Gub"
    monkeypatch.setattr(afterwards, "MOST_LINES", 1)
    assert ending(session, "player_0")["turn"]["lines"] == lines


def test_the_turning_point_lies_between_two_decisions():
    session = over("fubnub", num_players=3, rules={"mode": "royal"})
    told = ending(session, "player_0")
    own = [number for number, _ in afterwards._decisions(session, "player_0")]
    first, last = (int(told["turn"][end]) for end in ("first", "last"))
    assert [number for number in own if first < number < last] == []
    assert len(told["curve"]) < len(own), "the rest of the curve has a few points"
    assert told["words"]["curve"] == "Your chance of winning, at some of your moves"


@every_game
def test_the_curve_ends_with_the_result_and_its_largest_step_is_the_turning_point(
    game, monkeypatch
):
    monkeypatch.setattr(judging, "MOST_POINTS", 3)
    monkeypatch.setattr(weighing, "GAMES", 16)
    session = over(game)
    told, seat = ending(session, "player_0"), 0
    moves, chances = zip(*told["curve"], strict=True)
    assert [*moves] == sorted(set(moves))
    assert all(0 <= chance <= 1 for chance in chances)
    winners = session.env.outcome().winners
    assert chances[-1] == (seat in winners)
    turn = told["turn"]
    way = 1 if chances[-1] > chances[0] else -1
    steps = [way * (after - before) for before, after in pairwise(chances)]
    before_the_end = [step for step, move in zip(steps, moves[1:], strict=True) if move < moves[-1]]
    most = max(before_the_end)
    gain = way * (turn["after"] - turn["before"])
    assert gain == (most if most >= 0.1 else max(steps)) > 0
    assert turn["lines"]
    monkeypatch.setattr(judging.Decision, "mistake", None)
    found = list[int]()
    monkeypatch.setattr(judging, "expected", lambda *asked: found.append(asked[2].seat) or 0.0)
    record = Record.of(session.env, session.names)
    replayed = frames.frames_of(record, [], session.decisions)
    assert seat not in found, "it was found for the curve"
    points = [
        [number, round(chance_of(session.env.table, frame.value), 3)]
        for number, frame in enumerate(replayed)
        if frame.played and frame.played.view.seat == seat and frame.value is not None
    ]
    assert 1 <= len(told["curve"]) - len(points) <= 2, "the result, and when the person went out"
    assert told["curve"][: len(points)] == points != [], "the replay has another curve"


@pytest.mark.parametrize(
    ("curve", "told"),
    [
        (
            [[0, 0.5], [4, 0.75], [9, 0.55], [12, 1]],
            "The turning point: … from 50 % at one of your moves to 75 % at the next.",
        ),
        (
            [[0, 0.5], [4, 0.52], [9, 0.2], [12, 1]],
            "Decided after your last move: … from 20 % to 100 %.",
        ),
        (
            [[0, 0.5], [4, 0.82], [9, 0.67], [12, 0]],
            "Decided after your last move: … from 67 % to 0 %.",
        ),
        (
            [[0, 0.5], [4, 0.52], [9, 0.5], [12, 1]],
            "Decided after your last move: … from 50 % to 100 %.",
        ),
        (
            [[0, 0.9], [4, 0.92], [12, 1]],
            "No single move decided it; the largest step: … from 92 % to 100 %.",
        ),
        ([[0, 0.5], [12, 0]], "Decided after your last move: … from 50 % to 0 %."),
    ],
)
def test_the_turning_point_lies_before_the_end_where_it_can(curve, told):
    moments = [afterwards.Moment([f"move {number}"], (0,), (0,), "") for number in range(12)]
    settled = {12: "Decided after your last move"}
    turn = afterwards._turning_point(moments, curve, settled, 0)
    assert turn["told"] == told.replace("…", "your chance of winning went")
    assert turn["lines"][0] == f"move {turn['seen']}", "its link leads to another move"


def test_a_turning_point_and_a_mistake_say_in_which_hand_they_were(monkeypatch):
    session = over("fubnub", num_players=3, rules={"mode": "royal"})
    hands = [int(each.view.state.hands) for each in session.env.saved().course().moves()]
    assert hands[0] == 1 < hands[-1]
    moments = afterwards._moments(session, "player_0")
    assert [moment.hand for moment in moments] == [f"In hand {hand}, " for hand in hands]
    assert moments[0].lines == ["You play Gold 2"], "the line of the hand is no part of it"
    turn = ending(session, "player_0")["turn"]
    assert f": in hand {hands[turn['seen']]}, your chance of winning went" in turn["told"]
    number, decision = afterwards._decisions(session, "player_0")[-1]
    about = {"played": decision.played, "weighed": SimpleNamespace(cost=0.1), "comparison": "So"}
    chosen = f"hand {hands[number]}, you chose “Play "
    for told, mistake in ("none", None), ("found", SimpleNamespace(told="So", **about)):
        judged = SimpleNamespace(mistake=mistake, **about)
        monkeypatch.setattr(afterwards, "_decisions", lambda *_, judged=judged: [(number, judged)])
        assert f"In {chosen}" in str(mistakes(session, "player_0")[told])


def test_a_turning_point_tells_who_took_the_trick():
    session = over("fubnub", num_players=3, rules={"mode": "royal"})
    moments = afterwards._moments(session, "player_0")
    own = [number for number, _ in afterwards._own(session, "player_0")]
    for first, last in pairwise(own):
        curve = [[0, 0.5], [first, 0.5], [last, 0.9], [len(moments), 1]]
        turn = afterwards._turning_point(moments, curve, {len(moments): "The end"}, 0)
        assert any("the trick" in line for line in turn["lines"])


def test_partners_end_with_the_same_things_which_are_told_once():
    whole = ending(over("fubnub", num_players=4), "player_0")
    told = whole["players"]
    assert [(row["name"], row["own"], row["called"]) for row in told] == [
        ("You and Bo", True, "winners"), ("Ada and Cleo", False, "winners"),
    ]  # fmt: skip
    assert len(whole["changes"]) > 1
    assert not any("Hand " in words for _, words, _ in whole["changes"]), (
        "the next hand is another thing"
    )
    for row in told:
        assert len("".join(row["things"]).split(", ")) == row["score"]
    scores = [scores for *_, scores in whole["changes"]]
    assert re.fullmatch(r"You and Bo \d+, Ada and Cleo \d+", scores[-1])
    royal = over("fubnub", num_players=2, rules={"mode": "ghost_royal"})
    ghosts = [row for row in ending(royal, "player_0")["players"] if "ghost" in row["name"]]
    assert all(len("".join(row["things"]).split(", ")) == row["score"] for row in ghosts)
    points = {row["name"]: row["score"] for row in ghosts}
    assert ", ".join(f"{name} {n}" for name, n in points.items()) in royal.question("player_0")
    ghosts = ending(over("fubnub", num_players=1, rules={"mode": "ghost"}), "player_0")["players"]
    assert [row["name"] for row in ghosts] == ["You and ghost 2", "ghost 1 and ghost 3"]
    assert {row["called"] for row in ghosts} == {"winner"}


def test_mistakes_are_the_persons_own_and_the_worst_comes_first():
    gubs = over("gubs", seed=2, num_players=2)
    played = list(gubs.env.saved().course().moves())
    found = mistakes(gubs, "player_0")["found"]
    own = [each for each in gubs.decisions if each.played.view.seat == 0]
    assert len(found) == sum(each.mistake is not None for each in own) > 0
    for each in found:
        decision = played[each["decision"]]
        assert decision.view.seat == 0
        move = gubs.addressed(decision.move.text, "player_0")
        assert each["told"].startswith(f"You chose “{move}”. “")
        assert " is better: it wins " in each["told"]
        assert "player_" not in each["told"]
    costs = [int(each["told"].split(" is better: it wins ")[1].split()[0]) for each in found]
    assert costs == sorted(costs, reverse=True)


def test_the_terminal_tells_the_same_in_lines(gubs, monkeypatch):
    told = ending(gubs, "player_0")
    learnt = {"found": [{"decision": 3, "told": "You chose “Pass”. So."}], "none": ""}
    for name, value in (("ending", told), ("mistakes", learnt), ("is_interpreted", False)):
        monkeypatch.setattr(story, name, lambda *_, value=value: value)
    lines = [*story.story(gubs, "player_0", lambda *_: None)]
    winner = next(player for player in told["players"] if player["won"])
    assert lines[1].startswith(f"{winner['name']} (winner) {winner['score']}: ")
    _, what, scores = told["changes"][-1]
    assert f"  {what} ({scores})" in lines
    assert f"{told['turn']['told']} {'. '.join(told['turn']['lines'])}." in lines
    assert lines[-2:] == ["One thing to learn", "  You chose “Pass”. So."]


@pytest.mark.parametrize("what", AFTERWARDS)
def test_nothing_is_told_while_the_game_goes_on(what):
    with pytest.raises(ValueError, match="the game is not over yet"):
        AFTERWARDS[what](seated(dealt()), "player_0")
