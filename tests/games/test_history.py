"""The history of a game in numbers: it tells what the log tells, to each seat, and no more."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.engine.choosing import LOOK, choose_all
from gubs_env.engine.history import NONE
from gubs_env.engine.seats import NOBODY
from gubs_env.games.fubnub.cards import NUMBER_TITLES, POINT_TITLES
from gubs_env.games.fubnub.words import seat_name
from tests.api.tables import TABLES, at, every_module, play, play_to_the_end, started
from tests.set_table import play_named

BIG = {name: TABLES[name] for name in (
    "gubs, 2 players", "gubs, 5 players", "gubs, everyone asked", "fubnub, team for 4",
    "fubnub, ghost for 1", "fubnub, full for 4", "turtle, 4 players", "turtle, cut off",
)}  # fmt: skip


def told(module, rows):
    """Return events as dicts of the columns that say something."""
    slices = module.event_slices()
    return [
        {name: tuple(piece.of(row).tolist()) if piece.size > 1 else int(piece.of(row)[0])
         for name, piece in slices.items() if (piece.of(row) != NONE).any()}
        for row in rows
    ]  # fmt: skip


def kinds(module, rows):
    return [module.Event(event["kind"]).name for event in told(module, rows)]


# -------------------------------------------------------------------------- as the log tells it

GUBS_CARDS, TURTLE_CARDS, ACTION_CARDS = (
    [card.title for card in cards]
    for cards in (gubs_v0.Card, bad_bad_turtle_v0.Card, fubnub_v0.ActionCard)
)
CARD_COLUMNS = {
    gubs_v0: {"card": GUBS_CARDS, "counts_as": GUBS_CARDS, "target_card": GUBS_CARDS},
    fubnub_v0: {
        "card": NUMBER_TITLES, "point_card": POINT_TITLES, "action_card": ACTION_CARDS,
    },
    bad_bad_turtle_v0: {"card": TURTLE_CARDS, "target_card": TURTLE_CARDS},
}  # fmt: skip
"""The titles that the columns of a game mean."""


def cards_in_words(module, lines):
    """Return the titles of cards in some lines, a longer title before a shorter one within it.

    A Gub on which a card lies says only where it lies.
    """
    lines = [re.sub(r"( the [\w ]+) on player_\d's( \w+)? Gub\b", r"\1", line) for line in lines]
    titles = {title for column in CARD_COLUMNS[module].values() for title in column}
    pattern = "|".join(map(re.escape, sorted(titles, key=len, reverse=True)))
    return {match[1] for line in lines for match in re.finditer(rf"\b({pattern})(?!\w)", line)}


def cards_in_numbers(module, rows):
    columns = CARD_COLUMNS[module]
    return {
        columns[name][value]
        for event in told(module, rows)
        for name, value in event.items()
        if name in columns
    }


def seats_in_words(lines):
    """Return the names in some lines, without a side that wins a hand: it is told by one seat."""
    lines = [re.sub(r"^.* and .* (?=win \d)", "", line) for line in lines]
    return {name for line in lines for name in re.findall(r"player_\d|ghost \d", line)}


def seats_in_numbers(module, rows, state, viewer):
    """Return the names of all seats in some events, which count from the viewer."""
    own = state.seat_of[viewer] if module is fubnub_v0 and viewer != NOBODY else viewer
    steps = {
        step
        for event in told(module, rows)
        if not (module is fubnub_v0 and state.teams and event["kind"] == module.Event.AWARD)
        for name in ("seat", "target_seat", "target_seats")
        for step in np.atleast_1d(event.get(name, NONE))
        if step != NONE
    }
    seats = {int(own + step) % int(state.num_seats) for step in steps}
    if module is fubnub_v0:
        return {seat_name(state, seat) for seat in seats}
    return {f"player_{seat}" for seat in seats}


@at(TABLES)
def test_each_decision_names_the_cards_and_seats_that_the_log_names(module, num_players, options):
    """Compare both ways: what the log tells a seat is in its history, and nothing else is.

    What everybody saw is told without the cards that somebody did not see.
    """
    environment = play_to_the_end(started(module, num_players, options, seed=3), seed=3)
    game, over = module.GAME, "The game is"
    for number, (before, action, after) in enumerate(environment.transitions()):
        public: set[str] = set()
        for viewer in (NOBODY, *{int(before.actor), number % num_players}):
            lines = game.narrate(before, action, after, viewer)
            lines = [line for line in lines if not line.startswith(over)]
            rows = game.history.events(before, action, after, viewer)
            rows = [row for row in rows if row[0] != module.Event.OVER]
            assert bool(lines) == bool(rows)
            cards = cards_in_words(module, lines)
            assert cards == cards_in_numbers(module, rows), lines
            public = cards if viewer == NOBODY else public
            assert public <= cards
            names = seats_in_numbers(module, rows, after, viewer)
            assert seats_in_words(lines) == names, lines


@at(TABLES)
def test_events_lie_in_their_ranges_and_end_with_the_outcome(module, num_players, options):
    environment = play_to_the_end(started(module, num_players, options))
    slices, outcome = environment.event_slices(), environment.outcome()
    for viewer, agent in enumerate(environment.possible_agents):
        rows = environment.history(agent)
        assert rows.dtype == np.int8
        for piece in slices.values():
            assert (piece.of(rows) >= NONE).all()
            assert (piece.of(rows) <= piece.high).all()
        ends = [each for each in told(module, rows) if each["kind"] == module.Event.OVER]
        assert len(ends) >= num_players
        winners = {each["seat"] for each in ends if each.get("won") == 1}
        state = environment.state()
        seats = state["seat_of"] if module is fubnub_v0 else np.arange(num_players)
        steps = {int(seats[w] - seats[viewer]) % int(state["num_seats"]) for w in outcome.winners}
        assert steps <= winners
        assert steps == winners or state["num_seats"] > num_players  # ghosts win too


SHOWING = {
    gubs_v0: [(3, {}), (3, {"ask_everyone": True})],
    fubnub_v0: [(4, {}), (4, {"mode": "full"})],
    bad_bad_turtle_v0: [(4, {})],
}
"""Tables at which random games show every kind of event but the rare ones."""
RARE = {gubs_v0.Event: {gubs_v0.Event.DISCARD}, fubnub_v0.Event: {fubnub_v0.Event.MISDEAL}}


@every_module
def test_random_games_show_every_kind_of_event(module):
    wanted, seen = set(module.Event) - RARE.get(module.Event, set()), set()
    for seed in range(30):
        num_players, options = SHOWING[module][seed % len(SHOWING[module])]
        environment = play_to_the_end(started(module, num_players, options, seed=seed), seed)
        for before, action, after in environment.transitions():
            rows = module.GAME.history.events(before, action, after, int(before.actor))
            seen |= {module.Event(row[0]) for row in rows}
        if seen >= wanted:
            break
    assert wanted - seen == set()


def test_discards_down_to_the_limit_are_events():
    environment = gubs(["Lure ×7, Super Lure ×2, Feather", ""], "PASS", "CARD[Lure]", "CARD[Lure]")
    discard = {"kind": gubs_v0.Event.DISCARD, "seat": 1, "card": gubs_v0.Card.LURE}
    assert told(gubs_v0, environment.history("player_1"))[1:] == [discard, discard]


def test_all_passing_twice_is_a_misdeal():
    environment = play_named(started(fubnub_v0, 4, {}), *["PASS"] * 8)
    passing = ["PASS"] * 4
    expected = ["HAND", *passing, "NEW_POINT", *passing, "MISDEAL", "HAND"]
    assert kinds(fubnub_v0, environment.history("player_2")) == expected


@every_module
def test_copies_have_the_same_history(module):
    environment = started(module, module.GAME.players, {}, decisions=30)
    again = module.raw_env.from_json(environment.to_json())
    for agent in environment.possible_agents:
        rows = environment.history(agent)
        assert rows.tobytes() == environment.clone().history(agent).tobytes()
        assert rows.tobytes() == again.history(agent).tobytes()
    environment.reset(seed=1)
    assert environment.history("player_0").shape == (0, rows.shape[1])


@every_module
def test_what_cannot_be_asked_is_an_error(module):
    environment = module.raw_env()
    with pytest.raises(RuntimeError, match="call reset"):
        environment.history("player_0")
    environment.reset(seed=0)
    with pytest.raises(ValueError, match="no agent is called 'player_9'"):
        environment.history("player_9")


# ------------------------------------------------------------------------------- secrets of Gubs


def gubs(hands, *names, rules=None, colonies=(), **setting):
    """Return a game of Gubs after some actions from a position."""
    environment = gubs_v0.raw_env(len(hands), rules)
    colonies = colonies or ["", "Gub"]
    environment.set_state(gubs_v0.position(hands, colonies, rules=rules, seed=1, **setting))
    return play_named(environment, *names)


def assert_tell_apart(one, other, alike, apart):
    """Assert that two games have the same history for some agents, and another one for others."""
    for agent in alike:
        assert one.history(agent).tobytes() == other.history(agent).tobytes(), agent
        assert one.log(agent) == other.log(agent)
    for agent in apart:
        assert one.history(agent).tobytes() != other.history(agent).tobytes(), agent


DRAW = {"phase": gubs_v0.Phase.DRAW}
OTHERS = ("player_1", "player_2")


def test_a_card_drawn_shows_to_who_draws_it():
    one, other = (gubs(["", "", ""], "DECK", deck=top, **DRAW) for top in ("Lure", "Spear"))
    assert_tell_apart(one, other, OTHERS, ["player_0"])
    assert told(gubs_v0, one.history("player_0")) == [
        {"kind": gubs_v0.Event.DRAW, "seat": 0, "card": gubs_v0.Card.LURE}
    ]
    assert told(gubs_v0, one.history("player_1")) == [{"kind": gubs_v0.Event.DRAW, "seat": 2}]


def test_a_card_that_one_player_had_seen_on_the_deck_is_drawn_unseen_for_all_together():
    names = "CARD[Scout]", "CARD[Lure]", "CARD[Spear]", "PASS", "DECK"
    environment = gubs(["", "", "Scout"], *names, deck="Lure, Spear, Mushroom", turn=2)
    assert environment.log("player_2")[-1] == "player_0 draws Lure"
    assert environment.log("player_1")[-1] == environment.log()[-1] == "player_0 draws a card"


def test_a_drawn_event_shows_to_all():
    environment = gubs(["", "", ""], "DECK", deck="Letter G", **DRAW)
    for viewer, agent in enumerate(environment.possible_agents):
        drawn, laid = told(gubs_v0, environment.history(agent))
        assert (drawn["seat"], drawn["card"]) == (-viewer % 3, gubs_v0.Card.LETTER_G)
        assert laid == {"kind": gubs_v0.Event.EFFECT, "card": gubs_v0.Card.LETTER_G}


def test_a_secret_pass_leaves_no_row_for_others():
    held = gubs(["Lure", "Feather", ""], "CARD[Lure]", "PASS")
    bare = gubs(["Lure", "Spear", ""], "CARD[Lure]")
    assert_tell_apart(held, bare, ("player_0", "player_2"), ["player_1"])
    assert kinds(gubs_v0, held.history("player_1"))[:2] == ["PLAY", "PASS"]


def test_where_everyone_is_asked_a_pass_is_a_row_for_all():
    rules = gubs_v0.Rules(ask_everyone=True)
    environment = gubs(["Lure", "", ""], "CARD[Lure]", "PASS", "PASS", rules=rules)
    for agent in environment.possible_agents:
        assert kinds(gubs_v0, environment.history(agent))[:3] == ["PLAY", "PASS", "PASS"]


def test_an_unfinished_move_leaves_no_row():
    environment = gubs(["Lure", "", ""], "CARD[Lure]", colonies=["", "Gub", "Gub"])
    assert [len(environment.history(agent)) for agent in environment.possible_agents] == [0, 0, 0]
    play_named(environment, "PLACE[1, 0]")
    first = told(gubs_v0, environment.history("player_1"))[0]
    assert (first["seat"], first["card"], first["target_seats"]) == (2, 9, (0, NONE, NONE))


def test_the_order_of_a_scout_leaves_no_row_for_others():
    deck = "Lure, Spear, Mushroom"
    one = gubs(["Scout", "", ""], "CARD[Scout]", "CARD[Lure]", "CARD[Spear]", deck=deck)
    other = gubs(["Scout", "", ""], "CARD[Scout]", "CARD[Spear]", "CARD[Lure]", deck=deck)
    assert_tell_apart(one, other, OTHERS, ["player_0"])
    assert kinds(gubs_v0, one.history("player_1")) == ["PLAY"]
    assert kinds(gubs_v0, one.history("player_0")) == ["PLAY", *["SEE"] * 3, *["ORDER"] * 2]


def test_cards_passed_by_the_merchant_show_to_the_two_whom_they_concern():
    one, other = (
        gubs(
            ["Lure", "Gub", f"Gub, {passed}, Spear", "Mushroom ×2"],
            "DECK", "CARD[Lure]", "CARD[Gub]", "CARD[Gub]", "CARD[Mushroom]",
            deck="Traveling Merchant", colonies=["", "", "", ""], **DRAW,
        )
        for passed in ("Lure", "Feather")
    )  # fmt: skip
    assert_tell_apart(one, other, ("player_0", "player_3"), ["player_1", "player_2"])
    did = "Traveling Merchant takes effect: each player keeps a card, and the rest go to the right"
    for agent, by_2, by_3 in (
        ("player_0", "2 cards", "1 card"),
        ("player_1", "Lure, Spear", "1 card"),
        ("player_2", "Lure, Spear", "Mushroom"),
        ("player_3", "2 cards", "Mushroom"),
    ):
        passes = [f"player_2 passes {by_2} to player_1", f"player_3 passes {by_3} to player_2"]
        assert one.log(agent)[-3:] == [did, *passes]
    row = {"kind": gubs_v0.Event.PASSED, "seat": 2, "target_seats": (1, NONE, NONE), "count": 2}
    assert row in told(gubs_v0, one.history("player_0"))
    assert row | {"card": gubs_v0.Card.LURE} not in told(gubs_v0, one.history("player_0"))


def test_a_scouted_hand_shows_to_the_scout():
    one = gubs(["Scout", "Lure ×2, Gub", "Gub"], "CARD[Scout]", "SEAT[1]")
    other = gubs(["Scout", "Spear ×2, Gub", "Gub"], "CARD[Scout]", "SEAT[1]")
    assert_tell_apart(one, other, ["player_2"], ["player_0"])
    seen = told(gubs_v0, one.history("player_0"))[1:]
    assert [(each["card"], each["count"]) for each in seen] == [(0, 1), (9, 2)]


def test_a_card_kept_from_the_merchant_shows_to_who_keeps_it():
    hands, deck = ["Lure, Spear", "Gub", "Gub"], "Traveling Merchant"
    one, other = (
        gubs(hands, "DECK", f"CARD[{kept}]", deck=deck, **DRAW) for kept in ("Lure", "Spear")
    )
    assert_tell_apart(one, other, OTHERS, ["player_0"])


def test_who_declines_a_cure_leaves_no_row_for_others():
    deck = "Gargok Plague"
    one = gubs(["", "Age-Old Cure", ""], "DECK", "PASS", deck=deck, **DRAW)
    other = gubs(["", "Spear", ""], "DECK", deck=deck, **DRAW)
    assert_tell_apart(one, other, ("player_0", "player_2"), ["player_1"])


def test_an_answer_names_what_it_answers_and_an_effect_what_it_does():
    environment = gubs(["Lure ×2", "Feather", ""], "CARD[Lure]", "CARD[Feather]", "CARD[Lure]")
    events = told(gubs_v0, environment.history("player_2"))
    answer = {"kind": gubs_v0.Event.ANSWER, "seat": 2, "card": gubs_v0.Card.FEATHER}
    assert events[1] == {**answer, "target_card": gubs_v0.Card.LURE}
    assert events[3] == {"kind": gubs_v0.Event.EFFECT, "card": gubs_v0.Card.LURE}
    assert [(each["seat"], each["points"]) for each in events[4:]] == [(1, (0, 1)), (2, (1, 0))]


# ----------------------------------------------------------------------------- secrets of FUBNUB


def full(*names, seed=1):
    environment = started(fubnub_v0, 4, {"mode": "full"}, seed=seed)
    return play_named(environment, *names)


def test_a_swap_shows_its_cards_to_the_dealer_alone():
    drawn = full("ACCEPT")
    dealer = drawn.agent_selection
    legal = np.flatnonzero(drawn.observe(dealer)["action_mask"])[:2]
    one, other = (play_named(drawn.clone(), drawn.action_name(action)) for action in legal)
    for game in (one, other):
        for agent in game.possible_agents:
            moved = [each for each in told(fubnub_v0, game.history(agent))
                     if each["kind"] in (fubnub_v0.Event.DRAW, fubnub_v0.Event.RETURN)]  # fmt: skip
            assert [("card" in each) for each in moved] == [agent == dealer] * 2
    others = [agent for agent in one.possible_agents if agent != dealer]
    rows = [[game.history(agent)[:3].tobytes() for agent in others] for game in (one, other)]
    assert rows[0] == rows[1]


def test_the_geckos_cards_show_to_taker_and_dealer():
    secret, shown = (fubnub_v0.Event.TAKE, fubnub_v0.Event.GIVE), 0
    for seed in range(8):
        environment = play(started(fubnub_v0, 4, {"mode": "full"}, seed=seed), seed=seed)
        for before, action, after in environment.transitions():
            rows = [fubnub_v0.GAME.history.events(before, action, after, v) for v in range(4)]
            tells = ["card" in told(fubnub_v0, each[:1])[0] for each in rows]
            if rows[0][0][0] in secret:
                involved = {int(before.asked), int(before.dealer)}
                assert tells == [seat in involved for seat in range(4)]
                shown += 1
    assert shown > 5


def test_ghosts_play_by_themselves():
    environment = play(started(fubnub_v0, 1, {"mode": "ghost"}), 30)
    cards = [each for each in told(fubnub_v0, environment.history("player_0"))
             if each["kind"] == fubnub_v0.Event.CARD]  # fmt: skip
    assert {each["seat"] for each in cards} == {0, 1, 2, 3}
    assert all(("by_itself" in each) == (each["seat"] != 0) for each in cards)


def test_everybody_sees_the_same_in_bad_bad_turtle():
    environment = play_to_the_end(started(bad_bad_turtle_v0, 4, {}))
    first = environment.history("player_0")
    seats = [name for name in environment.event_slices() if name in ("seat", "target_seat")]
    for player in range(1, 4):
        turned = environment.history(f"player_{player}")
        for name in seats:
            column = environment.event_slices()[name].start
            turned[:, column] = np.where(
                turned[:, column] == NONE, NONE, (turned[:, column] + player) % 4
            )
        assert turned.tobytes() == first.tobytes()


# ------------------------------------------------------------------------------------ many games


def last_of(rows, length):
    """Return the last events as `recent` keeps them: the newest last, empty rows first."""
    kept = np.full((length, rows.shape[1]), NONE, np.int8)
    if len(rows):
        kept[-min(length, len(rows)) :] = rows[-length:]
    return kept


@at(BIG)
def test_many_games_keep_the_last_events_of_every_player(module, num_players, options):
    count, length = 3, 6
    games = module.vector_env(count, num_players, rules=options, seed=5, history=length,
                              autoreset=False)  # fmt: skip
    singles = [module.raw_env(num_players, options) for _ in range(count)]
    for index, single in enumerate(singles):
        single.reset(seed=5 + index)
    rng = np.random.default_rng(0)
    for decision in range(60):
        legal = [np.flatnonzero(mask) for mask in games.masks]
        actions = np.array([rng.choice(each) if len(each) else LOOK for each in legal])
        games.step(actions)
        for single, action in zip(singles, actions.tolist(), strict=True):
            if action != LOOK:
                single.step(action)
        if decision % 20 == 19:
            for index, single in enumerate(singles):
                for player, agent in enumerate(single.possible_agents):
                    rows = single.history(agent)
                    assert games.recent.counts[index, player] == len(rows)
                    kept = games.recent.events[index, player]
                    assert kept.tobytes() == last_of(rows, length).tobytes()


def test_a_game_dealt_anew_begins_with_no_history():
    games = bad_bad_turtle_v0.vector_env(4, 2, seed=0, history=8)
    for _ in range(60):
        games.step(games.masks.argmax(1))
        counts = games.recent.counts
        assert (counts[games.dones] == 0).all()
        assert (games.recent.events[games.dones] == NONE).all()
        assert (counts[~games.dones] > 0).all()
    for change in (games.reset, lambda: games.set_states(games.states.copy())):
        games.step(games.masks.argmax(1))
        change()
        assert not games.recent.counts.any()
        assert (games.recent.events == NONE).all()
    games.step(games.masks.argmax(1))
    games.deal(2)
    assert (games.recent.counts.any(1) == [True, True, False, True]).all()


def test_looking_adds_no_event():
    games = gubs_v0.vector_env(2, history=3, seed=0)
    games.step(np.array([games.masks[0].argmax(), LOOK]))
    games.look()
    assert (games.recent.counts.any(1) == [True, False]).all()


def only_action(environment):
    """Return the legal action in a list, if there is only one and the game goes on."""
    if any(environment.terminations.values()) or any(environment.truncations.values()):
        return []
    mask = environment.observe(environment.agent_selection)["action_mask"]
    return np.flatnonzero(mask).tolist() if mask.sum() == 1 else []


@at(BIG)
def test_decisions_that_are_not_asked_are_told(module, num_players, options):
    count, length = 4, 12
    games = module.vector_env(count, num_players, rules=options, seed=7, history=length,
                              autoreset=False, skip_forced=True)  # fmt: skip
    singles = [started(module, num_players, options, seed=7 + index) for index in range(count)]
    rng = np.random.default_rng(0)
    for _ in range(20):
        for index, single in enumerate(singles):
            while len(forced := only_action(single)) == 1:
                single.step(forced[0])
            for player, agent in enumerate(single.possible_agents):
                rows = single.history(agent)
                assert games.recent.counts[index, player] == len(rows)
                kept = games.recent.events[index, player]
                assert kept.tobytes() == last_of(rows, length).tobytes()
        legal = [np.flatnonzero(mask) for mask in games.masks]
        actions = np.array([rng.choice(each) if len(each) else LOOK for each in legal])
        games.step(actions)
        for single, action in zip(singles, actions.tolist(), strict=True):
            if action != LOOK:
                single.step(action)


@at(BIG)
def test_machine_code_tells_what_plain_functions_tell(module, num_players, options):
    count, length = 80, 5
    batch = module.vector_env(count, num_players, rules=options, seed=2, history=length)
    parts = [
        module.vector_env(4, num_players, rules=options, seed=2 + index, history=length)
        for index in range(0, count, 40)
    ]
    rngs, actions = np.tile(np.arange(1, 5), (count, 1)), np.zeros(count, np.int64)
    for _ in range(60):
        choose_all(rngs, batch.masks, actions)
        batch.step(actions)
        for index, part in zip(range(0, count, 40), parts, strict=True):
            rows = slice(index, index + 4)
            part.step(actions[rows])
            assert part.recent.events.tobytes() == batch.recent.events[rows].tobytes()
            assert (part.recent.counts == batch.recent.counts[rows]).all()
            assert part.observations.tobytes() == batch.observations[rows].tobytes()


@pytest.mark.parametrize("threads", [1, 3])
def test_games_that_are_told_are_played_as_others(threads):
    options = {"seed": 4, "threads": threads, "skip_forced": True}
    told_games = gubs_v0.vector_env(100, 3, history=8, **options)
    plain_games = gubs_v0.vector_env(100, 3, **options)
    rng = np.random.default_rng(1)
    for _ in range(150):
        actions = (plain_games.masks * rng.random(plain_games.masks.shape)).argmax(1)
        for one, other in zip(told_games.step(actions), plain_games.step(actions), strict=True):
            assert one.tobytes() == other.tobytes()
        assert told_games.states.tobytes() == plain_games.states.tobytes()


def test_a_history_that_cannot_be_kept_is_refused():
    for wrong in (-1, 2.0, True, "4"):
        with pytest.raises((ValueError, TypeError), match=rf"history={wrong!r}: must be"):
            gubs_v0.vector_env(2, history=wrong)
    games = gubs_v0.vector_env(2, history=4, autoreset=False)
    for call in (lambda: games.play_randomly(1), games.play_out):
        with pytest.raises(RuntimeError, match="needs to be told the actions"):
            call()
    assert gubs_v0.vector_env(2).recent is None
