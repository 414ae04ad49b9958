"""Pictures of all games at random points of random games: well formed, small, and true."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict

import numpy as np
import pytest

from gubs_env import find_game, gubs_v0
from gubs_env.drawing.board import Board, Heading
from gubs_env.drawing.layout import Box
from gubs_env.drawing.table import OWN_NOTES
from gubs_env.engine.text import plural
from gubs_env.engine.view import View
from gubs_env.games.bad_bad_turtle.cards import Card as TurtleCard
from gubs_env.games.bad_bad_turtle.state import UNKNOWN_CARD
from gubs_env.games.fubnub.cards import FAVOURED, NUM_CARDS, NUMBER_TITLES, POINT_TITLES
from gubs_env.games.fubnub.state import UNDEALT, Phase, pile_of
from gubs_env.games.fubnub.words import seat_name
from gubs_env.games.gubs.cards import LETTERS, Card
from gubs_env.games.gubs.state import Phase as GubsPhase
from gubs_env.games.gubs.words import letter_lines
from tests.drawing.reading import Picture
from tests.drawing.scenes import Scene
from tests.games.cases import GUBS, all_tables

UNSEEN = ("PASS", "DECLINE", "ACCEPT")
"""The actions that no card, pile or seat stands for in every phase."""


def views(case, num_players, options, count):
    """Yield (view, legal actions of the viewer) at random points of a random game."""
    games = case.games(1, num_players, options, seed=num_players)
    rng = np.random.default_rng(num_players)
    while count:
        for _ in range(int(rng.integers(1, 15))):
            games.random_step()
        if not games.under_way.any():
            yield case.game.view(games.states, 0, 0), []
            return
        count -= 1
        player = int(rng.integers(num_players)) if count % 3 == 0 else int(games.actors[0])
        legal = np.flatnonzero(games.masks[0]) if player == games.actors[0] else []
        yield case.game.view(games.states, 0, player), legal


def titles(kinds, counts):
    return Counter({kinds(int(k)).title: int(counts[k]) for k in np.flatnonzero(counts)})


def marks(view, seat):
    """Return the marks of a seat as a picture shows them: the viewer's, at the bottom, no "you"."""
    told = find_game(view.game.name).table_words(view).seats[seat].marks
    if "you" not in told:
        return told
    own = [mark.replace("their", "your") for mark in told if mark != "you"]
    return [OWN_NOTES.get(mark, mark) for mark in own]


def check_gubs(view, picture):
    state = view.state
    for seat in range(state.num_players):
        hand = picture.at(f"hand of player_{seat}")
        assert hand.total() == state.hand_size[seat]
        known = state.hand[seat] if seat == view.seat else state.known[view.seat, seat]
        assert hand - Counter({None: 99}) == titles(Card, known)
        for slot in range(state.colony_size[seat]):
            lying = titles(Card, state.colony[seat, slot])
            rings = [name for name in lying if name.endswith("Ring")]
            shown = picture.at(f"place {slot + 1} of player_{seat}")
            assert {n: c for n, c in lying.items() if n not in rings} == {
                n: c for n, c in shown.items() if n and not n.endswith("Ring")
            }
        assert_words(picture, marks(view, seat))
    assert picture.at("discard pile") == titles(Card, state.discard_pile)
    opened = Counter(
        card.title for card, is_open in zip(LETTERS, state.letters, strict=True) if is_open
    )
    assert picture.at("Letters") == opened
    assert {str(state.deck_size), plural(state.deck_size, "card")} & set(picture.words)
    assert_words(picture, letter_lines(view, is_current=True))
    assert bool(picture.at("table")) == bool(state.announced)


def check_fubnub(view, picture):
    state, own = view.state, int(view.state.seat_of[view.seat])
    lying = defaultdict(list)
    for seat in range(state.num_seats):
        name = seat_name(state, seat)
        hand = picture.at(f"hand of {name}")
        assert hand.total() == state.hand_size[seat]
        known = state.hand[seat] if seat == own else state.known[own, seat]
        assert hand - Counter({None: 99}) == Counter(
            NUMBER_TITLES[card] for card in np.flatnonzero(known)
        )
        lying[int(pile_of(state, seat))].append(picture.at(f"pile of {name}"))
        assert_words(picture, marks(view, seat))
    for pile, shown in lying.items():  # that of a side lies once
        assert sum(map(bool, shown)) <= 1
        earned = Counter(POINT_TITLES[card] for card in np.flatnonzero(state.owned[pile]))
        assert sum(shown, Counter()) == earned
    tricks = Counter({card.name: 1 for card in picture.cards if card.where.startswith("trick ")})
    assert tricks == Counter(NUMBER_TITLES[card] for card in np.argwhere(state.played)[:, 1])
    laid = [card.name for card in picture.cards if card.where.startswith("trick, ")]
    assert sorted(laid) == sorted(NUMBER_TITLES[card] for card in state.trick_card if card >= 0)
    if state.point_card >= 0:
        open_cards = [*np.flatnonzero(state.hand[own]), *state.trick_card[state.trick_card >= 0]]
        favoured = [NUMBER_TITLES[card] for card in open_cards if FAVOURED[state.point_card, card]]
        upright = picture.root.iterfind(".//*[@href='#gt-heart']/..[@data-card]")
        turned = picture.root.iterfind(".//*[@href='#gt-heart']/../..[@data-card]")
        assert sorted(one.get("data-card") for one in (*upright, *turned)) == sorted(favoured)
    limbo = np.flatnonzero(state.limbo)
    assert picture.at("limbo") == Counter(POINT_TITLES[card] for card in limbo)
    for card in np.flatnonzero(state.hand[own]) if state.point_card >= 0 else []:
        favour = "" if FAVOURED[state.point_card, card] else "not "
        told = f"{NUMBER_TITLES[card]}: {favour}favoured by "
        assert any(said.startswith(told) for said in picture.said)
    shown = [words for words in picture.words if "side: tricks" in words]
    goals = (
        f"; {state.num_points // 2 + 1} win",
        f": the first with {state.num_points // 2 + 1} wins",
    )
    assert all(words.endswith(goals) for words in shown)
    assert len(shown) == state.teams
    if state.phase == Phase.OVER:
        known, undealt = state.known[own, UNDEALT].sum(), picture.at("undealt")
        dealt = state.hand_size.sum() + state.played.sum() + state.trick.sum()
        assert bool(undealt[None]) == (dealt + known < NUM_CARDS), "open cards lie in no pile"
        assert undealt.total() - undealt[None] == known
        assert "undealt" in " ".join(picture.words)


def check_turtle(view, picture):
    state = view.state
    for seat in range(state.num_players):
        pile = state.reveal_pile[seat, : state.reveal_size[seat]]
        shown = picture.at(f"reveal pile of player_{seat}")
        assert shown == Counter(TurtleCard(int(kind)).title for kind in pile)
        discards = state.discard_pile[seat, : state.discard_size[seat]]
        seen = Counter(TurtleCard(int(k)).title for k in discards if k != UNKNOWN_CARD)
        shown = picture.at(f"discard pile of player_{seat}")
        if state.living[seat]:
            assert shown - Counter({None: 99}) == seen
        asides = picture.at(f"set aside by player_{seat}")
        assert asides.total() == (state.aside == seat).sum()
        if seat == view.seat and state.peeking[seat] and state.living[seat]:
            stack = state.stack[seat, : state.stack_size[seat]]
            shown = picture.at(f"stack of player_{seat}") - Counter({None: 99})
            assert shown == Counter(TurtleCard(int(kind)).title for kind in stack)
        assert_words(picture, marks(view, seat))
    told = [word for word in picture.words if word.startswith("stack")]
    listed = state.living.sum() + state.peeking.sum()
    assert len(told) <= listed, (
        "the size of each is told once, and a stack that is seen has a title"
    )
    assert picture.at("table").total() == (0 if state.pending < 0 else 1 + state.depth)


def assert_words(picture, said):
    """Check that words stand in the picture, on however many lines, or are told on a click."""
    shown = " ".join([*picture.words, *picture.said])
    for words in said:
        assert " ".join(words.split()) in shown, words


def check_plain(view, picture):
    """Check the picture of a game that has no drawing of its own: the facts of every seat."""
    for seat in view.game.table_words(view).seats:
        assert seat.facts in picture.words


CHECKS = {"gubs_v0": check_gubs, "fubnub_v0": check_fubnub, "bad_bad_turtle_v0": check_turtle}


@all_tables
def test_a_picture_shows_what_the_words_tell(case, num_players, options):
    for view, _ in views(case, num_players, options, count=6):
        svg = case.game.draw(view)
        assert len(svg) < 60_000
        picture = Picture(svg)
        CHECKS.get(case.game.name, check_plain)(view, picture)
        decision = case.game.describe(view, False).splitlines()[-1]
        assert decision in picture.words
        assert picture.root.get("role") == "img"
        assert picture.root.get("aria-label")


@all_tables
def test_actions_of_a_picture_are_those_of_the_viewer(case, num_players, options):
    """Check that whatever can be named can be found, and bears the number of its action."""
    known = case.game.action_names(num_players)
    for view, legal in views(case, num_players, options, count=8):
        picture = Picture(case.game.draw(view))
        assert all(0 <= action < len(known) for action in picture.actions)
        names = {int(action): known[action] for action in legal}
        missing = {name for action, name in names.items() if action not in picture.actions}
        assert missing <= set(UNSEEN), f"no piece of the picture is {missing}"
        own = f"hand of player_{view.seat}"
        for card in picture.cards:
            if card.where == own and card.name and card.action is not None:
                assert known[card.action] == f"CARD[{card.name}]"


@all_tables
def test_a_spectator_sees_backs_and_has_no_actions(case, num_players, options):
    games = case.games(1, num_players, options, seed=num_players)
    for _ in range(25):
        games.random_step()
    svg = case.game.draw(case.game.spectator_view(games.states, 0))
    picture = Picture(svg)
    assert picture.root.get("aria-label") == f"{case.game.title}, seen by all"
    assert case.game.question(case.game.spectator_view(games.states, 0)) in picture.words
    assert not picture.actions
    assert "player_-1" not in svg
    for seat in range(num_players):
        assert f"player_{seat}" in svg
        if num_players > 1:  # what everybody sees is what the only player sees
            assert set(picture.at(f"hand of player_{seat}")) <= {None}


@all_tables
def test_a_picture_is_made_of_one_piece_a_line(case, num_players, options):
    view, _ = next(views(case, num_players, options, count=1))
    svg = case.game.draw(view)
    assert svg == case.game.draw(view), "the same view gives another picture"
    head, _, pieces = svg.partition("</defs>\n")
    assert head.startswith("<svg ")
    for line in pieces.removesuffix("\n</svg>").splitlines():
        Picture(line)
    assert "#gt-" not in pieces or all(
        f'<g id="{name}">' in head for name in set(pieces_used(pieces))
    )


def pieces_used(pieces):
    return (part.split('"')[0] for part in pieces.split('href="#')[1:])


def test_names_are_escaped():
    board = Board()
    nasty = "<script>alert('1')</script> & \"quotes\" \x00\ud800 ]]>"
    board.mat(Box(0, 0, 300, 200), Heading(nasty, nasty, [nasty]))
    board.banner(Box(0, 0, 300, 40), nasty, nasty, is_own=True)
    svg = board.svg((300, 300), 1, nasty, nasty)
    picture = Picture(svg)
    assert "<script" not in svg
    shown = nasty.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
    assert shown in picture.words
    assert picture.root.get("aria-label") == shown


def test_the_cards_that_the_scout_has_seen_lie_on_the_table_until_all_are_put_back():
    env = Scene(gubs_v0, 4, {}, lambda state: state.phase == GubsPhase.ORDER).found()
    where = "deck, to be put back"
    seen = Picture(env.draw()).at(where)
    first = int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0])
    env.step(first)
    picture = Picture(env.draw())
    assert picture.at(where) == seen
    assert first not in picture.actions


def test_a_view_of_a_game_without_a_drawing_shows_the_words_of_its_table():
    games = GUBS.games(1, 2, {})
    view = GUBS.game.view(games.states, 0, 0)
    assert View(*view[:2])._repr_svg_() is None
    assert view._repr_svg_() == GUBS.game.draw(view)
    assert repr(view) == "<View of Gubs by player_0, 2 players>"
    plain = dataclasses.replace(GUBS.game, drawing="gubs_env.drawing.plain")
    picture = Picture(plain.draw(view))
    for seat in GUBS.game.table_words(view).seats:
        for line in seat.lines:
            assert set(line.text.split()) <= set(" ".join(picture.words).split())
    bare = dataclasses.replace(GUBS.game, drawing="")
    with pytest.raises(ValueError, match="gubs_v0 has no drawing: give its record `drawing`"):
        bare.draw(view)
    assert view._replace(game=bare)._repr_svg_() is None
