"""Court intrigue, for three or four players, who bluff about the figures in their hands.

The deck has three cards each of Steward, Thief, Poisoner, Guard and Physician. Each player begins
with two cards and two coins. Who has lost both cards is out.
On their turn, players take a coin, or claim a figure, whether they have it or not: the Steward to
take three coins, the Thief to rob another player of two, the Poisoner to have another player lose a
card, for three coins. For seven coins they denounce another player, who loses a card; with ten or
more coins they must. Whatever happens, the coins are spent.
The others answer a claim in turn: they allow it or challenge it, and the victim may block it, by
claiming the Guard against a robbery and the Physician against poison. A block is answered in the
same way. If a challenged claim was a lie, its player loses a card of their choice. If it was true,
the challenger does; the card that proves it leaves the game and is replaced from the deck. All
cards that leave the game lie face up. Everybody remembers which figure a liar did not have.
The game ends when one player is left, or after 32 turns. Those who are left share a prize of 12,
and keep their coins.
"""

from gubs_env import (
    NOBODY,
    PLAYERS,
    Field,
    Seen,
    compiled,
    define_game,
    environments,
    random_choice,
    writes,
)

FIGURES = ("Steward", "Thief", "Poisoner", "Guard", "Physician")
KINDS, COPIES, HAND, SEATS = len(FIGURES), 3, 2, 4
TURNS, PRIZE, RICH, MOST_COINS = 32, 12, 10, 12

# Deeds are in the order of figures: number d is done by figure d - 1, and blocked by d + 1.
DEEDS = ("none", "tax", "rob", "poison", "denounce")  # an income is over at once
INCOME, TAX, ROB, POISON, DENOUNCE = range(5)
GAINS, COSTS = (1, 3, 0, 0, 0), (0, 0, 0, 3, 7)

# What the actor decides about. After a loss the turn ends, or the deed is still to be done.
STAGES = ("turn", "claim", "block", "loss", "loss, then the deed")
ON_TURN, ON_CLAIM, ON_BLOCK, ON_LOSS, ON_LOSS_THEN_DEED = range(5)

# From action 2 on there are three actions of each deed against a player, by their place.
PLACES = ("next", "second", "third")  # clockwise from the player on turn
VICTIMS = tuple(f"{deed}_{place}".upper() for deed in DEEDS[ROB:] for place in PLACES)
LOSSES = tuple(f"LOSE_{figure}".upper() for figure in FIGURES)
ACTIONS = ("INCOME", "TAX", *VICTIMS, "ALLOW", "CHALLENGE", "BLOCK", *LOSSES)
ALLOW, CHALLENGE, BLOCK, LOSE = range(11, 15)

FIELDS = (
    Field("hand", (SEATS, KINDS), "cards", 0, HAND, Seen.BY_OWNER, entries=FIGURES),
    Field("cards", (SEATS,), "number of cards in hand", 0, HAND),
    Field("coins", (SEATS,), "coins", 0, MOST_COINS),
    Field("lacks", (SEATS, KINDS), "flags: shown not to have it", entries=FIGURES),
    Field("gone", (KINDS,), "cards that have left the game", 0, COPIES, entries=FIGURES),
    Field("past_turns", (), "turns that are over", 0, TURNS),
    Field("turn", (), "whose turn it is", 0, SEATS - 1),
    Field("deed", (), "the deed of the turn", 0, DENOUNCE, names=DEEDS),
    Field("victim", (), "whom it is against; whose turn it is, if nobody", 0, SEATS - 1),
    Field("stage", (), "what the actor decides about", 0, ON_LOSS_THEN_DEED, names=STAGES),
)


@compiled
def fill(state, rng, seat):
    """Draw the missing cards of a hand from those that are in no hand, and not gone."""
    while state.hand[seat].sum() < state.cards[seat]:
        state.hand[seat, random_choice(rng, COPIES - state.gone - state.hand.sum(axis=0))] += 1


@compiled
def deal(state):
    state.turn = state.victim = state.actor
    for seat in range(state.num_players):
        state.cards[seat] = state.coins[seat] = HAND
        fill(state, state.rng, seat)


@compiled
def redeal(state, rng):
    """Fill the hands of the others, which are empty in a view, until they fit what is known."""
    hands = state.hand.copy()
    for _ in range(1000):
        state.hand[:] = hands
        for seat in range(state.num_players):
            fill(state, rng, seat)
        if not (state.hand * state.lacks).any():
            return


@compiled
def claimant(state):
    return state.victim if state.stage == ON_BLOCK else state.turn


@compiled
def next_player(state, seat):
    """Return the next player clockwise who is not out."""
    seat = (seat + 1) % state.num_players
    while state.cards[seat] == 0:
        seat = (seat + 1) % state.num_players
    return seat


@compiled
def legal(state, mask):
    own, coins = state.actor, state.coins[state.actor]
    if state.stage == ON_TURN:
        mask[INCOME] = mask[TAX] = coins < RICH
        for place in range(1, state.num_players):
            if state.cards[(own + place) % state.num_players] > 0:
                mask[1 + place] = coins < RICH
                mask[4 + place] = COSTS[POISON] <= coins < RICH
                mask[7 + place] = COSTS[DENOUNCE] <= coins
    elif state.stage >= ON_LOSS:
        mask[LOSE:] = state.hand[own] > 0
    else:
        mask[ALLOW] = mask[CHALLENGE] = 1
        mask[BLOCK] = state.stage == ON_CLAIM and own == state.victim


@compiled
def finish(state, is_done):
    """Do the deed, if it is to be done, and end the turn; a victim may lose a card before that."""
    if is_done and state.deed >= POISON and state.cards[state.victim] > 0:
        state.stage, state.actor = ON_LOSS, state.victim
        return
    loot = min(2, state.coins[state.victim]) if is_done and state.deed == ROB else 0
    state.coins[state.victim] -= loot
    state.coins[state.turn] += loot + GAINS[state.deed] * is_done
    state.turn = state.victim = state.actor = next_player(state, state.turn)
    state.stage, state.deed, state.past_turns = ON_TURN, INCOME, state.past_turns + 1


@compiled
def challenge(state):
    """Replace a card that proves the claim; ask the challenger, or else the liar, for a card."""
    own, is_block = claimant(state), state.stage == ON_BLOCK
    figure = state.deed + 1 if is_block else state.deed - 1
    is_true = state.hand[own, figure] > 0
    if is_true:
        state.hand[own, figure] -= 1
        state.gone[figure] += 1
        state.lacks[own] = 0
        fill(state, state.rng, own)
    else:
        state.lacks[own, figure] = 1
        state.actor = own
    state.stage = ON_LOSS_THEN_DEED if is_true != is_block else ON_LOSS


@compiled
def play(state, action):
    if state.stage == ON_TURN:
        deed, place = (action, 0) if action <= TAX else ((action + 4) // 3, (action + 4) % 3 + 1)
        state.deed, state.victim = deed, (state.turn + place) % state.num_players
        state.coins[state.turn] -= COSTS[deed]
        if deed in (INCOME, DENOUNCE):
            finish(state, True)
        else:
            state.stage, state.actor = ON_CLAIM, next_player(state, state.turn)
    elif state.stage >= ON_LOSS:
        state.hand[state.actor, action - LOSE] -= 1
        state.cards[state.actor] -= 1
        state.gone[action - LOSE] += 1
        finish(state, state.stage == ON_LOSS_THEN_DEED)
    elif action == CHALLENGE:
        challenge(state)
    else:
        state.stage = ON_BLOCK if action == BLOCK else state.stage
        state.actor = next_player(state, state.actor)
        if state.actor == claimant(state):  # all others have allowed it
            finish(state, state.stage == ON_CLAIM)


@compiled
def is_over(state):
    return (state.cards > 0).sum() == 1 or state.past_turns == TURNS


@compiled
def payoffs(state, payoffs):
    for seat in range(state.num_players):
        if state.cards[seat] > 0:
            payoffs[seat] = PRIZE // (state.cards > 0).sum() + state.coins[seat]


@compiled
def is_sound(state, viewer):
    """Return whether the cards are those of a deck, and the actor has something to decide."""
    own, deed = state.actor, state.deed
    for seat in range(SEATS):
        known = state.cards[seat] if viewer in (NOBODY, seat) else 0
        least = seat in (own, state.turn, state.victim)
        most = HAND if seat < state.num_players else 0
        if state.hand[seat].sum() != known or not least <= state.cards[seat] <= most:
            return False
    lost, proofs = HAND * state.num_players - state.cards.sum(), state.stage >= ON_LOSS
    is_deck = (state.gone + state.hand.sum(axis=0) <= COPIES).all()
    is_shown = not (state.hand * state.lacks).any()
    is_paid = lost <= state.gone.sum() <= 2 * lost + proofs  # each proof costs another card
    is_aimed = (state.victim != state.turn) == (deed >= ROB)
    is_turn = deed == INCOME and own == state.turn
    is_deed = deed != INCOME and state.coins[state.turn] < RICH
    is_answer = is_deed and deed != DENOUNCE and own != claimant(state)
    is_asked = (is_turn, is_answer, is_answer and deed != TAX, is_deed, is_deed)[state.stage]
    return is_deck and is_shown and is_paid and is_aimed and is_asked


@writes(
    ("hand", (KINDS,), HAND, "your cards, by figure"),
    ("gone", (KINDS,), COPIES, "cards that have left the game, by figure"),
    ("players", (PLAYERS, 4), MOST_COINS, "clockwise from you: cards, coins, on turn, victim"),
    ("lacks", (PLAYERS, KINDS), 1, "what they were shown not to have, by figure"),
    ("deed", (len(DEEDS),), 1, "the deed: none, tax, rob, poison, denounce"),
    ("stage", (len(STAGES),), 1, "turn, claim, block, loss, loss before the deed"),
    ("past_turns", (1,), TURNS, "turns that are over"),
)
def observe(state, player, observation, hand, gone, players, lacks, deed, stage, past_turns):
    observation[hand : hand + KINDS] = state.hand[player]
    observation[gone : gone + KINDS] = state.gone
    for place in range(state.num_players):
        seat = (player + place) % state.num_players
        observation[players + 4 * place] = state.cards[seat]
        observation[players + 4 * place + 1] = state.coins[seat]
        observation[players + 4 * place + 2] = seat == state.turn
        observation[players + 4 * place + 3] = seat == state.victim
        observation[lacks + KINDS * place : lacks + KINDS * (place + 1)] = state.lacks[seat]
    observation[deed + state.deed] = observation[stage + state.stage] = 1
    observation[past_turns] = state.past_turns


GAME = define_game(
    name="court_intrigue_v0", title="Court intrigue", players=range(3, 5), bound=9 * TURNS,
    max_payoff=float(PRIZE + MOST_COINS), actions=ACTIONS, fields=FIELDS, observation=[observe],
    text=__doc__, deal=deal, redeal=redeal, legal=legal, play=play, is_over=is_over,
    payoffs=payoffs, is_sound=is_sound, is_zero_sum=lambda table: False,
)  # fmt: skip
env, raw_env, single_agent_env, single_agent_vector_env, vector_env = environments(GAME, __name__)
