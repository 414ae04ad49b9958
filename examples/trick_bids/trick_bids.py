"""Trick Bids is Spades with twenty cards: ten, jack, queen, king and ace of four suits.

Partners sit across from each other. Everybody gets five cards and bids nil or a number of tricks.

Then the first player leads. Everybody follows suit if they can, and else plays any card. The
highest spade takes the trick, or, without spades, the highest card of the suit that was led. Who
takes a trick leads to the next one. Nobody leads a spade before the first spade is played, unless
they have nothing else.

The bids of partners add up to their contract. If they take as many tricks, they score 10 for each
trick of the contract and 1 for each more. Otherwise they lose 10 for each trick of the contract.
Nil scores 50 for a player who takes no trick, and costs 50 otherwise. A side wins the difference
of the scores.
"""

import numpy as np

from gubs_env import Field, Seen, compiled, define_game, environments, random_choice, writes

SUITS = ("clubs", "diamonds", "hearts", "spades")
RANKS = ("10", "J", "Q", "K", "A")
CARDS = tuple(rank + symbol for symbol in "♣♦♥♠" for rank in RANKS)  # a higher card is later
SUIT = np.arange(20) // 5  # of each card
SPADES = 3
BIDS = ("nil", "1", "2", "3", "4", "5")
ACTIONS = [f"Bid {bid}" for bid in BIDS] + [f"Play {card}" for card in CARDS]
PLAY = len(BIDS)  # the action that plays the first card

FIELDS = (
    Field("bid", (4,), "the bid of each player", -1, 5, names=("none", *BIDS)),
    Field("hand", (4, 20), "the hand of each player", seen=Seen.BY_OWNER, entries=CARDS),
    Field("table", (4,), "the card of each player in this trick", -1, 19, names=("none", *CARDS)),
    Field("led", (), "the suit that was led", -1, 3, names=("none", *SUITS)),
    Field("tricks", (4,), "tricks taken by each player", 0, 5),
    Field("played", (4, 20), "cards that each player has played", entries=CARDS),
    Field("void", (4, 4), "suits that each player has shown to lack", entries=SUITS),
)


@compiled
def deal(state):
    for card in range(20):
        room = 5 - np.sum(state.hand, axis=1)
        state.hand[random_choice(state.rng, room), card] = 1


@compiled
def legal(state, mask):
    mask[:PLAY] = state.decisions < 4
    hand = state.hand[state.actor] * (state.decisions >= 4)
    may_lead = (SUIT != SPADES) | np.any(state.played[:, SUIT == SPADES])
    asked = may_lead if state.decisions % 4 == 0 else state.led == SUIT
    mask[PLAY:] = hand * asked if np.any(hand * asked) else hand


@compiled
def play(state, action):
    player, card = state.actor, action - PLAY
    state.actor = (player + 1) % 4
    if card < 0:
        state.bid[player] = action
        return
    if state.decisions % 4 == 1:  # the decision that is played counts
        if SUIT[card] == SPADES and not np.any(state.played[:, SUIT == SPADES]):
            state.void[player, :SPADES] = 1
        state.led = SUIT[card]
        state.table[:] = -1  # the last trick has lain there until now
    elif SUIT[card] != state.led:
        state.void[player, state.led] = 1
    state.hand[player, card], state.played[player, card] = 0, 1
    state.table[player] = card
    if state.decisions % 4 == 0:
        counts = (SUIT[state.table] == state.led) | (SUIT[state.table] == SPADES)
        state.actor = np.argmax(state.table * counts)
        state.tricks[state.actor] += 1


@compiled
def count_deals(state, viewer):
    """Return the other players, the cards that may be theirs, their room, and the number of deals.

    The deals are counted for the first n cards, by n and the room that these cards take in two of
    the hands. Room counts from 1: at 0, where a hand has one card less than none, is no deal.
    """
    others = (viewer + np.arange(1, 4)) % 4
    cards = np.nonzero(np.sum(state.played, axis=0) + state.hand[viewer] == 0)[0]
    room = 6 - np.sum(state.played, axis=1)[others]
    deals = np.zeros((len(cards) + 1, 7, 7), np.int64)
    deals[0, 1, 1] = 1
    for n in range(len(cards)):
        may = 1 - state.void[others, SUIT[cards[n]]]
        deals[n + 1, 1:] += may[0] * deals[n, :-1]
        deals[n + 1, :, 1:] += may[1] * deals[n, :, :-1]
        deals[n + 1] += may[2] * deals[n]
    return others, cards, room, deals


@compiled
def redeal(state, rng):
    others, cards, room, deals = count_deals(state, state.actor)
    state.hand[others] = 0
    for n in range(len(cards) - 1, -1, -1):
        a, b = room[0], room[1]
        to_each = np.array([deals[n, a - 1, b], deals[n, a, b - 1], deals[n, a, b]])
        owner = random_choice(rng, to_each * (1 - state.void[others, SUIT[cards[n]]]))
        room[owner] -= 1
        state.hand[others[owner], cards[n]] = 1


@compiled
def is_sound(state, viewer):
    rounds, turn = divmod(state.decisions, 4)  # of bids first, and then five tricks
    seats, cards = np.arange(4), state.hand + state.played
    turns = rounds + ((seats - state.actor) % 4 >= 4 - turn)
    is_on_table = (turns > 1) & ((turns > rounds) | (turn == 0))
    room, deals = count_deals(state, state.actor)[2:]
    return (
        np.all((state.bid >= 0) == (turns > 0))
        and np.all(np.sum(state.played, axis=1) == np.maximum(turns - 1, 0))
        and np.all((np.sum(cards, axis=1) == 5) | (viewer >= 0) & (seats != viewer))
        and np.max(np.sum(cards, axis=0)) == 1
        and not np.any(state.hand * state.void[:, SUIT])
        and deals[-1, room[0], room[1]] > 0
        and np.all((state.table >= 0) == is_on_table)
        and np.all(np.array([state.played[i, state.table[i]] for i in seats]) >= is_on_table)
        and (turn == 0 or rounds == 0 or state.led == SUIT[state.table[(state.actor - turn) % 4]])
        and np.sum(state.tricks) == max(rounds - 1, 0)
    )


@compiled
def is_over(state):
    return state.decisions == 24


@compiled
def score(state, side):
    bids, tricks = state.bid[side::2], state.tricks[side::2]
    contract, taken = np.sum(bids), np.sum(tricks)
    nil = 50 * np.sum((bids == 0) & (tricks == 0)) - 50 * np.sum((bids == 0) & (tricks > 0))
    return nil - 10 * contract if taken < contract else nil + 9 * contract + taken


@compiled
def payoffs(state, payoffs):
    payoffs[0::2] = score(state, 0) - score(state, 1)
    payoffs[1::2] = score(state, 1) - score(state, 0)


@writes(
    ("hand", (20,), 1, "your cards"),
    ("led", (4,), 1, "the suit that was led, one-hot"),
    ("bid", (4, 6), 1, "the bid of each player, one-hot, you first"),
    ("table", (4, 20), 1, "the card of each player in this trick, you first"),
    ("tricks", (4,), 5, "tricks taken by each player, you first"),
    ("played", (4, 20), 1, "cards that each player has played, you first"),
    ("void", (4, 4), 1, "suits that each player has shown to lack, you first"),
)
def observe(state, viewer, observation, hand, led, bid, table, tricks, played, void):
    order = (viewer + np.arange(4)) % 4
    observation[hand : hand + 20] = state.hand[viewer]
    observation[led : led + 4] = np.arange(4) == state.led
    observation[bid : bid + 24] = (np.arange(6) == state.bid[order].reshape(4, 1)).ravel()
    observation[table : table + 80] = (np.arange(20) == state.table[order].reshape(4, 1)).ravel()
    observation[tricks : tricks + 4] = state.tricks[order]
    observation[played : played + 80] = state.played[order].ravel()
    observation[void : void + 16] = state.void[order].ravel()


GAME = define_game(
    name="trick_bids_v0", title="Trick Bids", players=range(4, 5), bound=24, max_payoff=200.0,
    sides=2, actions=ACTIONS, fields=FIELDS, observation=[observe], text=__doc__, deal=deal,
    redeal=redeal, legal=legal, play=play, is_over=is_over, payoffs=payoffs, is_sound=is_sound,
)  # fmt: skip
env, raw_env, single_agent_env, single_agent_vector_env, vector_env = environments(GAME, __name__)
