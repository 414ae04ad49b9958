"""A game between people and agents: who decides, what people are told, hints."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, gubs_v0
from gubs_env.drawing.pieces import cards_at
from gubs_env.gubs_v0 import Phase, position
from gubs_env.play.choice import Choice
from gubs_env.play.opponents import bounded, make_adviser, make_player
from gubs_env.play.session import Player, Session, brought
from gubs_env.play.terminal import TerminalGame
from gubs_env.replays import weighing
from gubs_env.replays.weighing import Weighed
from tests.games.cases import main_tables
from tests.play.tables import Typist, dealt, every_game, play_to_the_end, rng_of, seated


@every_game
def test_people_and_agents_play_a_game_to_its_end(game):
    env = dealt(game, seed=2)
    session = seated(env, people=["player_1"])
    rng = rng_of(1)
    heard, decided = 0, 0
    while not session.is_over:
        if (seat := session.person) is None:
            session.play_opponent()
            continue
        assert seat == "player_1"
        news = session.news(seat)
        assert news == session.log(seat)[heard:]
        heard += len(news)
        moves = session.moves(seat)
        session.play(seat, moves[rng.integers(len(moves))])
        decided += 1
    assert decided > 5
    assert session.person is None
    assert session.question("player_1").startswith("The game is over")
    with pytest.raises(ValueError, match="does not decide now"):
        session.moves("player_1")


def test_the_same_seed_and_moves_give_the_same_game():
    games = []
    for _ in range(2):
        session = seated(dealt(seed=6, num_players=4))
        for _ in range(100):
            if (seat := session.person) is None:
                session.play_opponent()
            else:
                session.play(seat, session.moves(seat)[0])
            if session.is_over:
                break
        games.append(session.log(None))
    assert games[0] == games[1]


def test_only_the_one_to_decide_plays_and_only_legal_moves():
    session = seated(dealt(num_players=3), people=["player_0", "player_1", "player_2"])
    other = next(seat for seat in session.people if seat != session.person)
    move = session.moves(session.person)[0]
    before = session.env.to_json()
    for call in (session.moves, session.hint, lambda seat: session.play(seat, move)):
        with pytest.raises(ValueError, match=f"{other} does not decide now"):
            call(other)
    with pytest.raises(ValueError, match="no legal move"):
        session.play(session.person, move._replace(picks=(10**6,)))
    assert session.env.to_json() == before


class Stuck:
    """An agent that answers with an action that is never legal."""

    def act(self, observations, masks, rngs=None):
        return np.full(len(masks), masks.shape[1] - 1)


def test_an_agent_with_an_illegal_answer_is_named_and_nothing_is_played():
    env = dealt()
    session = Session(env, {seat: Player("stuck", Stuck()) for seat in env.possible_agents})
    before = env.to_json()
    with pytest.raises(ValueError, match="agent 'stuck' chose action"):
        session.play_opponent()
    assert env.to_json() == before


def test_the_account_goes_back_to_the_end_of_ones_last_turn():
    env = gubs_v0.raw_env(2)
    hands, colonies = ["Mushroom", "Gub"], ["Gub; Gub", "Gub"]
    env.set_state(gubs_v0.position(hands, colonies, turn=1, deck="Gub ×3", seed=1))
    session = seated(env, ["player_0", "player_1"])
    for move in ("Lay a Gub in your colony", "End your play"):
        session.play("player_1", next(m for m in session.moves("player_1") if m.text == move))
    for wanted in ("Draw", "Lay Mushroom"):
        told = [line for line, _ in session.account("player_0")]
        assert "Player 2 plays Gub; points: Player 2 1 → 2" in told
        move = next(m for m in session.moves("player_0") if m.text.startswith(wanted))
        session.play("player_0", move)
    assert "You lay Mushroom on your first Gub" in session.log("player_0")
    session.play("player_0", session.moves("player_0")[0])
    assert session.account("player_0")[0][0] == "You end your play"


def test_a_trick_that_was_taken_is_told_as_the_log_tells_it():
    session = seated(dealt("fubnub", 2, seed=4, rules={"mode": "royal"}), people=["player_1"])
    number, endings, forecasts = 0, list[str](), set[str]()
    while not session.is_over:
        if (seat := session.person) is None:
            session.play_opponent()
        else:
            move = session.moves(seat)[0]
            forecasts.add(session.previews(seat).forecast(move).split(":")[0])
            session.play(seat, move)
        log, trick = session.log("player_1"), session.trick("player_1")
        if not trick or trick["number"] == number:
            continue
        number, cards = trick["number"], dict(trick["cards"])
        taken = next(at for at in reversed(range(len(log))) if " the trick with " in log[at])
        winner = re.match(r"(\w+) takes? the trick with (.+?),", log[taken])
        assert winner.groups() == (trick["winner"], cards[trick["winner"]])
        laid = [re.match(r"(\w+) plays? (.+)", line) for line in log[:taken]]
        assert dict([each.groups() for each in laid if each][-2:]) == cards
        picture = session.drawn(session.laid_trick(), "player_1")
        drawn = re.findall(r'data-card="(.+?)" .*?use href=', cards_at(picture, "trick, laid by"))
        assert sorted(drawn) == sorted(cards.values())
        laid = session.laid_trick("player_1").state
        assert laid.hand_size.sum() + laid.played.sum() + laid.trick.sum() == 10
        assert laid.tricks_won.sum() == laid.played.sum() // 2 + 1, "the winner has it already"
        assert [*laid.hand.sum(1)[:2]] == [0, laid.hand_size[1]], "other hands stay hidden"
        told = [line for line in log[taken + 1 :] if re.search(" wins? ", line)]
        hand = next(line for line in reversed(log[:taken]) if line.startswith("Hand "))
        assert trick["ending"] == (f"{hand.split(':')[0]}: {'. '.join(told)}" if told else "")
        endings += filter(None, [trick["ending"]])
    assert forecasts == {"", "Tricks", "Points"}
    assert number == 5 * len(endings) > 5
    assert "The game is over: " in endings[-1]


# ------------------------------------------------------------------------------------------ hints


@every_game
def test_a_hint_is_a_legal_move_and_plays_nothing(game, monkeypatch):
    monkeypatch.setattr(weighing, "GAMES", 16)
    env = dealt(game, seed=5)
    adviser = make_player("heuristic", env.table, 0.1)
    session = seated(env, env.possible_agents, adviser=adviser)
    for _ in range(8):
        if session.is_over:
            break
        before, seat = env.to_json(), session.person
        hint = session.hint(seat)
        assert hint.move in session.moves(seat)
        assert hint.adviser == "heuristic"
        assert env.to_json() == before
        session.play(seat, hint.move)


@every_game
def test_a_hint_says_what_the_replay_says(game, monkeypatch):
    monkeypatch.setattr(weighing, "GAMES", 16)
    if game == "gubs":  # the others play games to their ends
        monkeypatch.setattr("gubs_env.play.session.is_fast", lambda entry: True)
    env = dealt(game, seed=5)
    session = seated(env, env.possible_agents, adviser=make_adviser(env.table, 0.1))
    hints = []
    for _ in range(6):
        seat = session.person
        hints.append(hint := session.hint(seat))
        assert session.hint(seat) is hint, "whoever asks again gets the same answer"
        session.play(seat, hint.move)
    for hint, each in zip(hints, session.decisions, strict=True):
        assert hint.adviser == "the network"
        assert not each.mistake
        likeliest, value = each.judgement.likeliest(each.played.legal), each.value
        if value is not None and hint.move.picks == likeliest.picks:
            assert hint.worth == pytest.approx(value)
        if value is not None:
            assert hint.told[0].startswith("It brings about ")


def test_a_hint_gives_its_reasons():
    env = gubs_v0.raw_env(2)
    hands, colonies = ["Sud Spout, Lure", "Gub"], ["Gub", "Gub; Gub; Gub"]
    env.set_state(gubs_v0.position(hands, colonies, turn=0, seed=1))
    adviser = make_player("heuristic", env.table, 0.1)
    session = seated(env, ["player_0"], adviser=adviser)
    hint = session.hint("player_0")
    assert hint.told[-1] == "Points: You 1 → 2, Ada 3 → 2, if nobody answers."
    env.set_state(gubs_v0.position(["Gub", "Gub"], ["Gub", "Gub"], turn=0, seed=1))
    adviser = make_player("greedy", env.table, 0.1)
    hint = seated(env, ["player_0"], adviser=adviser).hint("player_0")
    assert hint.told[-1] == "Points: You 1 → 2.", "nobody can answer a Gub"
    env.set_state(gubs_v0.position(["Spear", ""], ["Gub + Sud Spout", "Gub"], turn=0, seed=1))
    previews = seated(env, ["player_0"]).previews("player_0")
    assert {move.text: previews.forecast(move) for move in previews.moves} == {
        "Spear: discard the Sud Spout on your own Gub": "Points: You 0 → 1",
        "Spear: discard Ada's Gub": "Points: Ada 1 → 0, if nobody answers",
        "End your play": "",
    }, "a Spear that frees a Gub is a Tool"


def test_an_answer_that_ends_the_game_says_so_and_has_no_chance_left(monkeypatch):
    monkeypatch.setattr("gubs_env.replays.judging.is_fast", lambda entry: True)
    monkeypatch.setattr("gubs_env.play.session.is_fast", lambda entry: True)
    env = bad_bad_turtle_v0.raw_env(3)
    aside = {"No Way": 0, "Never Happened": 1}
    env.set_state(
        bad_bad_turtle_v0.position(["", "blank ×2, Turtle", ""], set_aside=aside, turn=1, seed=1)
    )
    while env.agent_selection != "player_0":
        env.step(env.legal_moves()[0].picks[0])
    session = seated(env, ["player_0"], adviser=make_adviser(env.table, 0.1))
    previews = session.previews("player_0")
    told = {move.text: previews.forecast(move) for move in previews.moves}
    assert told.pop("Pass: let Turtle stand") == "The game ends: Ada reveals the Turtle and wins"
    assert not any(told.values())
    hint = session.hint("player_0")
    assert hint.told[0].startswith("It brings about 0 wins in 100")


def test_partners_gain_points_together():
    env, rng, told = dealt("fubnub", num_players=4, seed=2), rng_of(3), set[str]()
    while not env.is_done(env.agent_selection) and len(told) < 3:
        if len(moves := env.legal_moves()) == 1:
            seat = env.agent_selection
            told |= {seated(env, [seat]).previews(seat).forecast(moves[0])}
        env.play(moves[rng.integers(len(moves))])
    won = [line for line in told if line.startswith("Points: ")]
    assert won
    assert all(re.fullmatch(r"Points: [A-Z]\w+ and \w+ \d → \d", line) for line in won)


def test_no_hint_is_called_a_mistake_afterwards(monkeypatch):
    monkeypatch.setattr("gubs_env.play.session.is_fast", lambda entry: True)
    env = dealt(num_players=2)
    session, hints = seated(env, adviser=make_player("random", env.table, 0.1)), []
    while not session.is_over and len(env.actions) < 60:
        if session.person is None:
            session.play_opponent()
        else:
            hints.append(session.hint("player_0"))
            session.play("player_0", hints[-1].move)
    own = [each for each in session.decisions if each.played.view.seat == 0]
    assert [each.mistake for each in own if each.mistake] == []
    assert all(bool(each.comparison) == bool(each.preferred) for each in own)
    assert any(" Compared with " in hint.told[0] for hint in hints)
    assert any("” about " in hint.told[0] for hint in hints), "which may be as good"
    assert all(hint.worth is not None for hint in hints), "whichever move it proposes"


def test_of_moves_that_are_as_good_a_hint_takes_the_one_that_loses_no_points(monkeypatch):
    monkeypatch.setattr("gubs_env.play.session.is_fast", lambda entry: True)
    env = dealt(num_players=2)
    hands, colonies = ["Sud Spout", "Gub"], ["Gub; Gub", "Gub; Gub + Mushroom"]
    env.set_state(gubs_v0.position(hands, colonies, turn=0, seed=1))
    session = seated(env, ["player_0"])
    own = next(move for move in session.moves("player_0") if "your own" in move.text)
    equal = Weighed(0.0, 0.1, "")
    monkeypatch.setattr("gubs_env.play.session.weigh", lambda *_: equal)
    hint = session._judged("player_0", session.judge, own)
    assert session.previews("player_0").forecast(own).startswith("Points: You 2 → 1")
    assert "your own" not in hint[0].text
    monkeypatch.setattr("gubs_env.play.session.weigh", lambda *_: equal._replace(cost=0.2))
    assert session._judged("player_0", session.judge, own)[0] == own, "it is better"


PAYOFF = "an expected payoff of +0.40, where the most is +1.00"


@pytest.mark.parametrize(
    ("game", "payoffs", "told"),
    [
        ("gubs", (-0.22, -0.16), "about 39 wins in 100, and “Pass” about as many."),
        ("gubs", (-0.222, -0.224), "about 39 wins in 100, and “Pass” about as many."),
        ("gubs", (-0.58, -0.72), "about 21 wins in 100, “Pass” about 14."),
        ("points", (0.4, 0.41), f"{PAYOFF}, and “Pass” about as much."),
        ("points", (0.4, 0.21), f"{PAYOFF}, “Pass” about +0.21."),
    ],
)
def test_a_hint_tells_no_higher_number_for_the_other_move(game, payoffs, told, monkeypatch):
    if game == "points":
        monkeypatch.setattr("gubs_env.play.session.chance_of", lambda *_: None)
    worth, other = payoffs
    assert brought(dealt(num_players=2).table, worth, "Pass", other) == f"It brings {told}"


def test_targets_in_one_colony_are_told_apart():
    env = gubs_v0.raw_env(2)
    colonies = ["Gub + Toad Rider; Gub", "Gub"]
    env.set_state(gubs_v0.position(["Velvet Moth, Lure", ""], colonies, turn=0, seed=1))
    previews = seated(env, ["player_0"]).previews("player_0")
    begun = {picks: begun for picks, begun in previews.ahead(20)}
    assert [answer.text for each in begun.values() for answer in each.answers] == [
        "your own first Gub beneath Toad Rider, Protected (lay Velvet Moth on it)",
        "your own second Gub, Free (lay Velvet Moth on it)",
    ]
    assert [each.move.text for each in begun.values() if each.move] == [
        "End your play",
        "Lure Ada's Gub",
        "Lay Velvet Moth on your own first Gub",
        "Lay Velvet Moth on your own second Gub",
    ]


def test_without_an_adviser_there_is_no_hint():
    session = seated(dealt(), people=("player_0", "player_1"))
    assert session.hint(session.person) is None


# ---------------------------------------------------------------------------------------- secrets


@main_tables
def test_what_is_printed_tells_no_secret(case, num_players, options, capsys):
    """Draw everything hidden anew: the page of a person, and what everybody sees, stay the same."""
    games = case.games(1, num_players, options, seed=31)
    rng = rng_of(num_players)
    seen = 0
    for decision in range(60):
        if not games.under_way.any():
            break
        if decision % 6 == 0:
            player = int(rng.integers(num_players))
            player = int(games.actors[0]) if decision % 4 else player
            pages = []
            for state in (games.states[:1], case.scramble(games.states[:1], player, rng)):
                env = case.module.raw_env(num_players, case.game.rules(**options))
                env._states[:] = state  # `set_state` refuses what lies where nobody looks
                env._begin(None)
                pages.append(printed(env, f"player_{player}", capsys))
            assert pages[0] == pages[1]
            seen += 1
        games.random_step()
    assert seen


def printed(env, seat, capsys):
    """Return what a person sees, and what a spectator sees."""
    player = Player("random", None)
    session = Session(env, {name: player for name in env.possible_agents if name != seat})
    screen = Typist()
    terminal = TerminalGame(session, screen, 0)
    if session.person == seat:
        terminal._choice = Choice(session.moves(seat), session.pick_texts)
        terminal._table()
    for eyes in (seat, None):
        screen.say(*screen.layout.table(session.table(eyes)), session.question(eyes))
    return capsys.readouterr().out


@every_game
def test_hands_are_shown_at_the_end_and_not_before(game):
    env = dealt(game, seed=8)
    session = seated(env)
    with pytest.raises(RuntimeError, match="when the game is over"):
        session.open_hands()
    play_to_the_end(env, rng_of(3))
    assert session.is_over
    hands = session.open_hands()
    assert bool(hands) == (game != "bad_bad_turtle")  # nobody holds a hand there


def test_a_shared_win_is_told_with_whom_it_is_shared_and_why():
    env = dealt(num_players=4)
    hands, colonies = ["", "Lure", "", ""], ["Gub"] * 4
    env.set_state(position(hands, colonies, "Letter B", letters="GU", phase=Phase.DRAW))
    session = seated(env)
    session.play("player_0", session.moves("player_0")[-1])
    assert session.result("player_0") == "You have won together with Bo and Cleo."
    assert session.result("player_1") == "You have lost."
    assert "share the win by the fewest cards in hand" in session.question("player_0")


def test_agents_bear_their_levels_at_the_table():
    session = seated(dealt(num_players=3), opponent="random")
    table = session.table("player_0")
    assert [list(seat.marks)[:1] for seat in table.seats[1:]] == [["beginner"], ["beginner"]]


# ----------------------------------------------------------------------------------------- agents


def test_thinking_is_limited_unless_the_agent_has_a_budget():
    table = dealt().table
    assert bounded("ismcts", table, 0.3) == "ismcts:ms=300"
    assert bounded("ismcts:playouts=50", table, 0.3) == "ismcts:playouts=50"
    assert bounded("ismcts:ms=7+threads=2", table, 0.3) == "ismcts:ms=7+threads=2"
    assert bounded("heuristic", table, 0.3) == "heuristic"


@every_game
def test_the_strongest_agent_is_there_for_every_table(game):
    env = dealt(game)
    assert make_player("", env.table, 0.1).name.startswith("ismcts")
    assert make_player("strongest", env.table, 0.1).name.startswith("ismcts")
    assert make_player("medium", env.table, 0.1).name == "heuristic"


def test_where_no_agent_is_installed_that_is_said(monkeypatch):
    monkeypatch.setattr("gubs_env.agents.registry.plugins", lambda *groups: [])
    from gubs_env.agents.registry import levels, registered

    found = levels, registered
    for each in found:
        each.cache_clear()
    try:
        with pytest.raises(ValueError, match="no agent is installed for Gubs: install gubs_agents"):
            make_player("", dealt().table, 0.1)
    finally:
        for each in found:
            each.cache_clear()
