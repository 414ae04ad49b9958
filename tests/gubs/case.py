"""The test case of Gubs for the tests of all games."""

from __future__ import annotations

import numpy as np

from gubs_env import gubs_v0
from gubs_env.games.gubs.cards import (
    LETTERS,
    NO_CARD,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    NUM_KINDS,
    PLACES,
    Card,
)
from gubs_env.games.gubs.state import Phase
from tests.games.case import Case, Games

SIZES = range(2, 7)
OPTIONS = {
    "the rules proper": {},
    "letters anywhere": {"letters": "anywhere"},
    "flood to the deck": {"flood_to": "deck"},
    "no redraw": {"plague_redraw": False},
    "single barricades": {"stacked_barricades": False},
    "everyone asked": {"ask_everyone": True},
    "margin": {"reward": "margin"},
    "three Plagues": {
        "deck": {"Gub": 8, "Mushroom": 6, "Lure": 6, "Sud Spout": 6, "Feather": 4, "Scout": 4,
                 "Retreat": 4, "Double Ring": 3, "Haki Flute": 3, "Cricket Song": 3,
                 "Age-Old Cure": 3, "Gargok Plague": 3, "Traveling Merchant": 3, "Flop Boat": 2,
                 "Letter G": 1, "Letter U": 1, "Letter B": 1},
    },
}  # fmt: skip
TABLES = {
    f"{num_players} players, {name}": (num_players, options)
    for name, options in OPTIONS.items()
    for num_players in SIZES
}
PROPER = {name: table for name, table in TABLES.items() if not table[1]}
MOST_SECRETS = tuple(
    name for name in TABLES if name.endswith(("proper", "everyone asked", "three Plagues"))
)
NOWHERE = 1000
"""A place above every deck."""


def cards_everywhere(states):
    """Return the cards of each kind wherever they are, int[states, 32]."""
    count = states["discard_pile"].astype(int)
    count[:, :NUM_HAND_KINDS] += states["hand"].sum(1, dtype=int)
    laid = states["colony"].sum((1, 2), dtype=int)
    assert (laid % PLACES[:NUM_COLONY_KINDS] == 0).all(), "a Ring with the wrong number of Gubs"
    count[:, :NUM_COLONY_KINDS] += laid // PLACES[:NUM_COLONY_KINDS]
    count[:, list(LETTERS)] += states["letters"]
    in_deck = np.arange(states["deck"].shape[1]) < states["deck_size"][:, None]
    deck = np.where(in_deck, states["deck"], NUM_KINDS) + (NUM_KINDS + 1) * np.arange(
        len(states)
    ).reshape(-1, 1)
    piled = np.bincount(deck.ravel(), minlength=len(states) * (NUM_KINDS + 1))
    count += piled.reshape(len(states), -1)[:, :NUM_KINDS]
    announced = np.flatnonzero(states["announced"])
    count[announced, states["played"][announced]] += 1
    return count


def check_letters(states):
    """Check that each Letter of a third lies where everybody thinks it can."""
    in_deck = np.arange(states["deck"].shape[1]) < states["deck_size"][:, None]
    places = np.full((len(states), 3), NOWHERE)
    for letter in LETTERS:
        lies = (states["deck"] == letter) & in_deck
        tied = lies.any(1) & (states["letter_loose"][:, letter - Card.LETTER_G] == 0)
        places[tied, letter - Card.LETTER_G] = lies[tied].argmax(1)
    places.sort(axis=1)
    open_thirds = states["third_end"] > 0
    starts = np.where(open_thirds, states["third_start"], NOWHERE)
    ends = np.where(open_thirds, states["third_end"], NOWHERE + 1)
    order = np.argsort(~open_thirds, axis=1, kind="stable")
    starts, ends = (np.take_along_axis(each, order, axis=1) for each in (starts, ends))
    assert ((starts <= places) & (places < ends)).all(), "a Letter lies where nobody expects it"
    tops = np.where(open_thirds, states["third_end"], 0)
    assert (tops <= states["deck_size"][:, None]).all()


def check(games: Games):
    """Check everything that must hold between two decisions."""
    states = games.states
    assert (cards_everywhere(states) == states["composition"]).all(), "cards lost or doubled"
    check_letters(states)
    assert (states["hand"].sum(2) == states["hand_size"]).all()
    assert (states["hand"] >= 0).all()
    gubs = states["colony"][..., :2].sum(-1)
    slots = np.arange(gubs.shape[2])
    taken = slots < states["colony_size"][:, :, None]
    assert (gubs == taken).all(), "one Gub or Elder a place, and no gaps"
    barricaded = states["colony"][..., 2:5].sum(-1) > 0
    trapped = states["colony"][..., 5:].sum(-1) > 0
    assert not (barricaded & trapped).any(), "a Barricade and a Trap on the same Gub"
    elder = states["colony"][..., 1] > 0
    assert not (elder & (barricaded | trapped)).any(), "a card on the Elder"
    known, hand = states["known"], states["hand"][:, None]
    assert ((known >= 0) & (known <= hand)).all(), "remembered more than is true"
    assert (states["letters"].sum(1) == 3)[~games.under_way].all()
    assert (states["letters"].sum(1) < 3)[games.under_way].all()


def unseen(state, viewer):
    """Return the cards that a seat cannot locate, in other hands and in the deck."""
    pool = []
    for seat in range(state.num_players):
        if seat != viewer:
            extra = state.hand[seat] - state.known[viewer, seat]
            pool += np.repeat(np.arange(NUM_HAND_KINDS), extra).tolist()
    return pool + state.deck[: state.deck_size - state.known_top[viewer]].tolist()


def scramble(states, viewer, rng):
    """Return a state that looks the same to the viewer, with all secrets drawn anew."""
    scrambled = states.copy()
    state = scrambled[0]
    pool = list(rng.permutation(unseen(state, viewer)))
    others = [seat for seat in range(state.num_players) if seat != viewer]
    for seat in others:
        state.hand[seat] = state.known[viewer, seat]
        for _ in range(state.hand_size[seat] - state.hand[seat].sum()):
            held = next(i for i, kind in enumerate(pool) if kind < NUM_HAND_KINDS)
            state.hand[seat, pool.pop(held)] += 1
        state.known[seat] = rng.integers(0, 3, state.known[seat].shape)
        state.known_top[seat] = rng.integers(0, 3)
        if state.kept[seat] != NO_CARD:
            state.kept[seat] = rng.integers(0, NUM_HAND_KINDS)
    state.deck[: len(pool)] = pool
    state.decisions = rng.integers(0, 500)  # it counts secret passes
    state.rng[:] = rng.integers(0, 2**32, 4)
    hide_others_decision(state, viewer, others, rng)
    return scrambled


def hide_others_decision(state, viewer, others, rng):
    """Change whose answer is awaited and the unfinished picks of others to anything possible."""
    asking = state.phase in (Phase.ANSWER, Phase.CURE, Phase.MERCHANT)
    openly = state.ask_everyone and state.phase != Phase.MERCHANT
    if asking and not openly and state.actor != viewer:
        state.actor = rng.choice(others)
        state.asked = rng.integers(1, state.num_players + 1)
    if state.phase in (Phase.PLAY, Phase.NAME, Phase.TARGET, Phase.MEANT) and state.turn != viewer:
        state.phase = rng.choice([Phase.PLAY, Phase.NAME, Phase.TARGET, Phase.MEANT])
        state.played = rng.integers(0, NUM_HAND_KINDS)
        state.played_as = rng.integers(0, NUM_HAND_KINDS)
        state.num_targets = rng.integers(0, 2)
        state.target_seat[0] = state.turn
        state.target_slot[0] = 0
    if state.phase == Phase.ORDER and state.turn != viewer:
        state.ordered = rng.integers(0, 2)


CASE = Case(
    module=gubs_v0,
    tables=TABLES,
    main=MOST_SECRETS,
    max_decisions=lambda table: table.max_decisions,
    check=check,
    scramble=scramble,
    secret="hand",
    relabelled=tuple(PROPER),
    num_games=80,
    is_zero_sum=lambda options: options.get("reward") != "margin",
)
