"""Liar's Dice: two players with one die each, whose highest face is wild (as in OpenSpiel)."""

from gubs_env import Field, Seen, compiled, define_game, environments, random_below, writes

TEXT = """Liar's Dice. Both players roll a die, which only they see. The highest face is wild.
In turn they bid that at least one die, or that both, show some face.
Each bid is for more dice than the last one, or for as many and a higher face.
Instead of bidding, a player may call the other a liar, and wins if the last bid is false."""


def liars_dice(sides, name):
    """Return the game for dice with so many sides."""
    liar = 2 * sides  # the actions before it are the bids, from the lowest to the highest
    faces = tuple(str(face) for face in range(1, sides + 1))
    names = (*(f"{number} x {face}" for number in (1, 2) for face in faces), "liar")
    fields = (
        Field("die", (2,), "the die of each player", 0, sides, Seen.BY_OWNER, ("hidden", *faces)),
        Field("said", (liar + 1,), "flags: the bids so far, and liar", entries=names),
    )

    @compiled
    def deal(state):
        for player in range(2):
            state.die[player] = 1 + random_below(state.rng, sides)

    @compiled
    def redeal(state, rng):
        state.die[1 - state.actor] = 1 + random_below(rng, sides)

    @compiled
    def last_bid(state):
        """Return the last bid, which is the highest so far; -1 before the first."""
        bid = liar - 1
        while bid >= 0 and state.said[bid] == 0:
            bid -= 1
        return bid

    @compiled
    def legal(state, mask):
        mask[last_bid(state) + 1 : liar] = 1
        mask[liar] = state.decisions > 0

    @compiled
    def play(state, action):
        state.said[action] = 1
        state.actor = 1 - state.actor

    @compiled
    def is_over(state):
        return state.said[liar] == 1

    @compiled
    def is_sound(state, viewer):
        own, other = state.actor, 1 - state.actor
        is_rolled = state.die[own] > 0 and (state.die[other] > 0 or viewer == own)
        return is_rolled and state.said[liar] == 0 and state.said.sum() == state.decisions

    @compiled
    def payoffs(state, payoffs):
        number, face = 1 + last_bid(state) // sides, 1 + last_bid(state) % sides
        showing = 0
        for player in range(2):
            showing += state.die[player] == face or state.die[player] == sides
        bidder = state.actor  # the call has passed the turn back
        payoffs[bidder] = 1 if showing >= number else -1
        payoffs[1 - bidder] = -payoffs[bidder]

    @writes(
        ("die", (sides,), 1, "your die, one-hot"),
        ("said", (liar + 1,), 1, "the bids so far, from the lowest one on, and liar"),
    )
    def observe(state, player, observation, die, said):
        observation[die + state.die[player] - 1] = 1
        observation[said : said + liar + 1] = state.said

    return define_game(
        name=name, title="Liar's Dice", players=range(2, 3), bound=liar + 1,
        actions=[name.upper().replace(" ", "_") for name in names], fields=fields,
        observation=[observe], text=TEXT, deal=deal, redeal=redeal, play=play, is_over=is_over,
        payoffs=payoffs, legal=legal, is_sound=is_sound,
    )  # fmt: skip


GAME = liars_dice(6, "liars_dice_v0")
env, raw_env, single_agent_env, single_agent_vector_env, vector_env = environments(GAME, __name__)
