"""Whole moves of Gubs in words, at positions set by hand."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env import gubs_v0
from gubs_env.engine.card_texts import card_texts
from gubs_env.games.gubs.cards import LETTERS, Card
from gubs_env.games.gubs.words import letter_ranges
from gubs_env.gubs_v0 import Phase, position
from gubs_env.play.rules import explained


def at(*arguments, **options):
    state = position(*arguments, **options)
    environment = gubs_v0.raw_env(state.num_players)
    environment.set_state(state)
    return environment


def texts(environment):
    return [move.text for move in environment.legal_moves()]


def question(environment):
    return environment.game.question(environment.view(environment.agent_selection))


COLONIES = ["Gub; Gub + Mushroom; Gub + Sud Spout; Esteemed Elder", "Gub; Gub + Toad Rider"]


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("Gub", ["Lay a Gub in your colony"]),
        ("Lure", ["Lure player_1's first Gub"]),
        ("Super Lure", ["Super Lure: lure every Free and Protected Gub of player_1"]),
        ("Cyclone", ["Cyclone: discard every Barricade of player_1"]),
        ("Lightning", ["Lightning: discard the hand of player_1"]),
        ("Scout", ["Scout: look at the top of the deck", "Scout: look at the hand of player_1"]),
        ("Velvet Moth", ["Lay Velvet Moth on your own first Gub",
                         "Lay Velvet Moth on your own second Gub"]),
        ("Toad Rider", ["Lay Toad Rider on your own first Gub",
                        "Lay Toad Rider on your own second Gub",
                        "Toad Rider: discard the Mushroom on your own second Gub",
                        "Toad Rider: discard the Toad Rider on player_1's second Gub"]),
        ("Smahl Thief", ["Smahl Thief: take player_1's first Gub into your hand",
                         "Smahl Thief: take player_1's second Gub into your hand",
                         "Smahl Thief: take the Toad Rider on player_1's second Gub into your "
                         "hand"]),
        ("Spear", ["Spear: discard the Sud Spout on your own third Gub",
                   "Spear: discard player_1's first Gub",
                   "Spear: discard the Toad Rider on player_1's second Gub"]),
        ("Double Ring", ["Double Ring: trap your own first Gub and player_1's first Gub"]),
        ("Retreat", ["Retreat: take every card on your side into your hand, save the Elder"]),
        ("Feather", []),
    ],
)  # fmt: skip
def test_the_plays_of_a_card(hand, expected):
    environment = at([hand, "Feather"], COLONIES, seed=1)
    assert texts(environment) == ["End your play", *expected]


def test_cricket_song_says_what_it_stands_for():
    environment = at(["Cricket Song", "Feather"], COLONIES, seed=1)
    assert "Cricket Song as Spear: discard the Sud Spout on your own third Gub" in texts(
        environment
    )
    assert "Cricket Song as Lure: lure player_1's first Gub" in texts(environment)


def test_players_go_by_their_absolute_names():
    environment = at(["", "", "Lure"], ["Gub", "Gub; Gub", ""], turn=2, seed=1)
    environment.step(environment.action_index("CARD[Lure]"))
    assert texts(environment) == ["Lure player_0's Gub", "Lure player_1's first Gub"]
    assert targets(environment) == [
        "player_0's Gub, Free (lure it)",
        "player_1's first Gub, Free (lure it)",
    ]
    assert question(environment) == "You: choose the target for Lure"


def targets(environment):
    mask = environment.observe(environment.agent_selection)["action_mask"]
    return [environment.action_text(action) for action in np.flatnonzero(mask)]


def test_a_target_says_what_lies_there_and_what_would_happen():
    environment = at(["Toad Rider, Spear", ""], COLONIES, seed=1)
    spear = environment.clone()
    environment.step(environment.action_index("CARD[Toad Rider]"))
    assert targets(environment) == [
        "your own first Gub, Free (lay Toad Rider on it)",
        "your own second Gub beneath Mushroom, Protected (lay Toad Rider on it, or discard the "
        "Mushroom on it)",
        "player_1's second Gub beneath Toad Rider, Protected (discard the Toad Rider on it)",
    ]
    spear.step(spear.action_index("CARD[Spear]"))
    assert targets(spear)[:2] == [
        "your own third Gub beneath a Sud Spout, Trapped (discard the Sud Spout on it)",
        "player_1's first Gub, Free (discard it)",
    ]
    scout = at(["Scout", "Gub"], COLONIES, seed=1)
    scout.step(scout.action_index("CARD[Scout]"))
    assert targets(scout) == ["look at the top of the deck", "look at the hand of player_1"]


def test_a_move_begun_is_completed_and_its_other_picks_are_listed():
    environment = at(["Triple Ring", ""], ["Gub; Gub", "Gub; Gub"], seed=1)
    environment.step(environment.action_index("CARD[Triple Ring]"))
    asked = "choose the second of 3 Gubs for Triple Ring, which traps player_0's first Gub too"
    assert question(environment) == f"You: {asked}"  # that Gub is clear
    assert [move.picks[0] for move in environment.legal_moves()] == [
        environment.action_index(name) for name in ("PLACE[0, 1]", "PLACE[1, 0]")
    ]
    environment.play(environment.legal_moves()[1])
    assert environment.log()[-1].startswith("Triple Ring takes effect")


def test_passing_has_words_of_its_own():
    environment = at(["Lure", "Feather"], ["", "Gub"], phase=Phase.DRAW, seed=1)
    assert texts(environment) == ["Skip the draw", "Draw a card"]
    environment.play("Skip the draw")
    assert texts(environment) == ["End your play", "Lure player_1's Gub"]
    environment.play("Lure player_1's Gub")
    assert texts(environment) == ["Pass: let Lure take effect", "Answer Lure with Feather"]
    assert question(environment) == "You: answer Lure, or let it take effect"


def test_a_forced_decision_says_why():
    environment = at(["Feather", ""], ["", "Gub"], seed=1)
    assert question(environment) == "You: no card in your hand can be played now: end the play"
    environment = at(["", ""], phase=Phase.DRAW, skipped=[0], seed=1)
    assert question(environment) == "You: your last draw was skipped: draw"
    environment.play("Draw a card")


def test_the_plague_is_answered_in_words():
    environment = at(["Age-Old Cure, Lure", ""], phase=Phase.DRAW, deck="Gargok Plague", seed=1)
    environment.play("Draw a card")
    assert texts(environment) == [
        "Pass: lose your hand to the Plague",
        "Keep your hand: discard the Age-Old Cure",
    ]


def test_the_merchant_and_the_limit_of_the_hand():
    hands = ["Lure, Feather", "Scout", "Spear ×2"]
    environment = at(hands, phase=Phase.DRAW, deck="Traveling Merchant", seed=1)
    environment.play("Draw a card")
    assert texts(environment) == ["Keep Lure and pass on the rest",
                                  "Keep Feather and pass on the rest"]  # fmt: skip
    assert question(environment) == (
        "You: choose one card to keep; the rest go to player_2, on your right"
    )
    environment.play("Keep Lure and pass on the rest")
    assert texts(environment) == ["Keep Scout"]
    assert question(environment) == "You: your hand holds one card: keep it"
    environment.play("Keep Scout")
    assert question(environment) == "You: your hand holds one kind of card: keep one"
    environment = at(["Feather ×2, Mushroom ×6, Blindfold", ""], seed=1)
    environment.play("End your play")
    assert texts(environment) == ["Discard Mushroom", "Discard Feather", "Discard Blindfold"]
    assert question(environment) == "You: your hand holds 9 cards, 8 may stay: discard one"


def test_the_order_of_the_scout_is_one_move():
    environment = at(["Scout", ""], deck="Lure, Feather, Lure", seed=1)
    environment.play("Scout: look at the top of the deck")
    assert texts(environment) == [
        f"Put back, top first: {order}"
        for order in ("Lure, Lure, Feather", "Lure, Feather, Lure", "Feather, Lure, Lure")
    ]
    environment.play("put back, top first: feather, lure, lure")
    assert environment.state().deck[environment.state().deck_size - 1] == gubs_v0.Card.FEATHER


def test_many_moves_are_listed():
    """The hand holds a card of every kind, at six colonies with as many different places."""
    hand = ", ".join(card.title for card in list(gubs_v0.Card)[2:24])
    colonies = ["Gub; Gub + Mushroom", "Gub; Gub + Toad Rider", "Gub; Gub + Mushroom; Gub",
                "Gub; Gub + Sud Spout", "Gub; Gub + Mushroom", "Gub; Gub"]  # fmt: skip
    environment = at([hand, *["Lure"] * 5], colonies, seed=1)
    moves = environment.legal_moves()
    assert len(moves) > 150
    assert len({move.text for move in moves}) == len(moves)


def test_a_triple_ring_lists_each_choice_of_places_once():
    """Free Gubs of one colony are alike: 3 of 6 colonies with repetition, less 5 that hold two."""
    environment = at(["Triple Ring", *[""] * 5], ["Gub; Gub; Gub", *["Gub; Gub"] * 5], seed=1)
    assert len([text for text in texts(environment) if text.startswith("Triple Ring")]) == 56 - 5


def last_words(environment, *moves):
    """Return the last line of the log after some moves."""
    for move in moves:
        environment.play(move)
    return environment.log()[-1]


def test_the_log_tells_what_an_effect_did():
    thief = at(["Smahl Thief", ""], ["", "Gub + Mushroom"], seed=1)
    assert last_words(thief, thief.legal_moves()[-1].text) == (
        "Smahl Thief takes effect: the stolen card goes into the hand of whoever played the Thief"
    )
    thief = at(["Smahl Thief", ""], ["", "Gub + Mushroom"], seed=1)
    assert last_words(thief, thief.legal_moves()[-2].text) == (
        "Smahl Thief takes effect: the stolen card goes into the hand of whoever played the Thief, "
        "1 Barricade goes back into player_1's hand; points: player_1 1 → 0"
    )
    lure = at(["Super Lure", ""], ["", "Gub + Mushroom + Velvet Moth"], seed=1)
    assert last_words(lure, lure.legal_moves()[-1].text) == (
        "Super Lure takes effect: 2 Barricades go back into player_1's hand; "
        "points: player_0 0 → 1, player_1 1 → 0"
    )
    retreat = at(["Retreat", ""], ["Gub + Mushroom; Gub", ""], seed=1)
    assert last_words(retreat, retreat.legal_moves()[-1].text) == (
        "player_0 plays Retreat: 3 cards go into their hand; points: player_0 2 → 0"
    )
    wasps = at(["", ""], ["", "Gub + Toad Rider + Mushroom"], phase=Phase.DRAW,
               deck="Rumor of Wasps", seed=1)  # fmt: skip
    assert last_words(wasps, "Draw a card") == (
        "Rumor of Wasps takes effect: 2 cards go into the deck; discarded: Mushroom; "
        "points: player_1 1 → 0"
    )
    calm = at(["", ""], ["", "Gub"], phase=Phase.DRAW, deck="Rumor of Wasps", seed=1)
    assert last_words(calm, "Draw a card") == "Rumor of Wasps takes effect: nothing changes"
    plague = at(["Lure", ""], ["", ""], phase=Phase.DRAW, deck="Gargok Plague", seed=1)
    assert last_words(plague, "Draw a card").startswith(
        "Gargok Plague takes effect: every hand that was not kept goes into the deck, and as many"
    )


def test_an_event_that_only_turned_up_is_not_explained():
    lines = ["Gargok Plague, Letter B turned up and went back into the deck", "player_0 draws Gub"]
    told = explained(lines, card_texts(gubs_v0.GAME))
    assert [clause[:5] for _, clause in told] == ["", "Gub: "]


def test_the_letters_are_told_in_words():
    """Cards are counted from the top, so that somebody who draws can see how near a Letter is."""
    environment = gubs_v0.raw_env(2)
    environment.reset(seed=0)
    told = environment.describe("player_0")
    assert (
        "Counted from the top of the deck, a Letter lies among cards 1 to 16, "
        "another among cards 17 to 39, another among cards 40 to 62"
    ) in told


def test_where_a_letter_lies_follows_from_what_the_viewer_knows():
    """Who has looked at the top of the deck knows that no Letter lies there, or that one does."""
    state = position(["", ""], ["Gub", "Gub"], deck="Gub, Letter G, Letter U, Lure, Spear, Feather")
    state.letter_loose[:] = 0
    size = int(state.deck_size)
    state.third_start[:2], state.third_end[:2] = (size - 6, size - 3), (size - 3, size)

    def ranges(*top):
        state.deck[size - len(top) : size] = top[::-1]
        state.known_top[0] = len(top)
        views = [gubs_v0.GAME.view(state.reshape(1), 0, seat) for seat in range(2)]
        return [letter_ranges(view) for view in views]

    assert ranges() == [[(1, 3), (4, 6)]] * 2
    assert ranges(Card.LURE, Card.SPEAR) == [[(3, 3), (4, 6)], [(1, 3), (4, 6)]]
    assert ranges(Card.LURE, Card.LETTER_B) == [[(2, 2), (4, 6)], [(1, 3), (4, 6)]]


def test_every_letter_lies_where_its_viewer_is_told():
    rng, told = np.random.default_rng(0), 0
    environment = gubs_v0.raw_env(2)
    for seed in range(12):
        environment.reset(seed=seed)
        for name in environment.agent_iter():
            if environment.terminations[name]:
                break
            view, state = environment.view(name), environment.state()
            if state.known_top[view.seat]:
                deck = state.deck[: state.deck_size][::-1].tolist()
                loose = [
                    card for card, is_so in zip(LETTERS, state.letter_loose, strict=True) if is_so
                ]
                lying = [k for k, card in enumerate(deck, 1) if card in {*LETTERS} - {*loose}]
                ranges = letter_ranges(view)
                assert all(a <= k <= b for k, (a, b) in zip(lying, ranges, strict=True))
                told += 1
            mask = environment.observe(name)["action_mask"]
            environment.step(rng.choice(np.flatnonzero(mask)))
    assert told > 20


def test_a_card_played_as_another_is_answered_as_the_other():
    environment = at(["Cricket Song", "Feather"], ["", "Gub; Gub + Mushroom"], seed=1)
    environment.play("Cricket Song as Lightning: discard the hand of player_1")
    assert texts(environment) == [
        "Pass: let Lightning take effect",
        "Answer Lightning with Feather",
    ]
    (account,) = explained(environment.log("player_1")[-1:], card_texts(environment.game))
    assert account[1].startswith("Lightning: ")
    picture = environment.game.draw(environment.view("player_1"))
    assert 'data-as="Lightning"' in picture
