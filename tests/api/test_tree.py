"""The trees of games: shared by threads, checked, copied whole, and what a seat knows in them."""

from __future__ import annotations

import copy
import pickle
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, find_table, fubnub_v0, gubs_v0
from gubs_env.engine.rng import seed_rng
from gubs_env.exact.tree import Decision, Draw, Tree

LETTERS = {"Letter G": 1, "Letter U": 1, "Letter B": 1}


def table(module, num_players, explicit=False, **rules):
    return Tree(find_table(module.GAME, num_players, rules), explicit)


def small(**deck):
    """Return a table of Gubs whose chance is listed."""
    cards = {kind.replace("_", " "): count for kind, count in deck.items()} | LETTERS
    return table(gubs_v0, 2, explicit=True, deck=cards, letters="anywhere")


@pytest.fixture(scope="module")
def songs():
    """Return a table where a Letter may be sent back into the deck: chance after an action."""
    return small(Gub=2, Cricket_Song=1, Lure=1, Feather=4)


SAMPLED = [(gubs_v0, 2), (gubs_v0, 4), (fubnub_v0, 4), (bad_bad_turtle_v0, 3)]


@pytest.fixture(params=[*SAMPLED, None], ids=lambda kind: kind[0].GAME.name if kind else "explicit")
def any_table(request, songs):
    return table(*request.param) if request.param else songs


def walk(of, seed, steps=10_000):
    """Return the nodes of a random game."""
    rng, node = random.Random(seed), of.root(seed)
    nodes = [node]
    while len(nodes) < steps and not (isinstance(node, Decision) and node.seat < 0):
        node = node.after(rng.choice(choices(node)))
        nodes.append(node)
    return nodes


def choices(node):
    if isinstance(node, Draw):
        return [number for number, _ in node.probabilities()]
    return node.legal


def facts(node):
    if isinstance(node, Draw):
        return node.probabilities()
    seats = range(node.tree.table.num_players)
    return (
        node.states.tobytes(),
        node.legal,
        node.returns,
        [node.information(seat) for seat in seats],
    )


# ---------------------------------------------------------------------------------------- threads


def test_games_of_one_table_in_several_threads_are_the_games_played_alone(any_table):
    def play(seed):
        return [list(map(facts, walk(any_table, 10 * seed + game, 40))) for game in range(3)]

    alone = [play(seed) for seed in range(4)]
    any_table.outcomes.cache_clear()  # chance is listed by the threads themselves
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(play, range(4))) == alone
    finally:
        sys.setswitchinterval(usual)


# ----------------------------------------------------------------------------------------- checks


def test_only_legal_actions_and_outcomes_lead_on(any_table):
    for node in walk(any_table, seed=1, steps=60):
        before = facts(node)
        is_decision = isinstance(node, Decision)
        most = any_table.table.num_actions if is_decision else len(node.probabilities())
        for number in {-3, -2, -1, *range(most + 2), 1 << 40} - set(choices(node)):
            with pytest.raises(ValueError, match=rf"(action|outcome) {number} "):
                node.after(number)
        assert facts(node) == before


def test_what_is_refused_is_said():
    node = table(gubs_v0, 2).root(1)
    with pytest.raises(ValueError, match="outcome 1 of chance: allowed are 0 to 0"):
        node.after(1)
    with pytest.raises(ValueError, match="-2 is not legal for player_0; legal are: 0 PASS, 1 DECK"):
        node.after(0).after(-2)
    with pytest.raises(ValueError, match="action 0 is not legal: the game is over"):
        walk(node.tree, 1)[-1].after(0)


# ----------------------------------------------------------------------------------------- copies


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copied_node_has_the_same_past_and_future(any_table, copied):
    nodes = walk(any_table, seed=2, steps=30)
    for node in (nodes[0], nodes[1], nodes[-1]):
        twin = copied(node)
        assert facts(twin) == facts(node)
        number = choices(node)[-1:]
        assert [facts(twin.after(each)) for each in number] == [
            facts(node.after(each)) for each in number
        ]


def test_copies_of_an_undealt_game_deal_the_same_game():
    rng = np.random.default_rng(1)
    of = table(gubs_v0, 2)
    first, second = of.root(rng), of.root(rng)
    again = pickle.loads(pickle.dumps(second))
    assert facts(second.after(0)) == facts(again.after(0))
    assert facts(first.after(0)) != facts(second.after(0))


def test_a_pickle_that_cannot_have_happened_is_refused(any_table):
    make, arguments = walk(any_table, seed=3, steps=6)[-1].__reduce__()
    *start, numbers = arguments
    with pytest.raises(ValueError, match=r"(action|outcome) 99 "):
        make(*start, [*numbers[:-1], 99])


# ------------------------------------------------------------------------------------- resampling


def test_a_resampled_node_is_the_same_to_its_seat_and_differs_in_what_is_hidden(any_table):
    nodes = [node for node in walk(any_table, 4, 25) if isinstance(node, Decision) and node.legal]
    drawn = [(node, node.resampled(seed_rng(seed))) for node in nodes for seed in range(3)]
    for node, other in drawn:
        seat = node.seat
        assert (other.seat, other.legal, other.information(seat)) == (
            seat,
            node.legal,
            node.information(seat),
        )
        assert (other.last_observation(seat) == node.last_observation(seat)).all()
        events = [each.recent_events(seat, 9) for each in (node, other)]
        assert np.array_equal(*events)
        later = other.after(other.legal[0])
        assert facts(pickle.loads(pickle.dumps(later))) == facts(later)
    assert len({other.states.tobytes() for _, other in drawn}) > len(nodes)


def test_a_saved_resampled_node_passes_the_border():
    node = table(gubs_v0, 2).root(1).after(0).resampled(seed_rng(1))
    make, (begin, (of, states, news), numbers) = node.__reduce__()
    states = states.copy()
    states["deck_size"] = 120
    with pytest.raises(ValueError, match="deck_size is out of range"):
        make(begin, (of, states, news), numbers)


# ------------------------------------------------------------------------------ information states


def information_states(of, deals):
    """Yield (seat, what the usual loop tells it, node) at all decisions below some deals.

    The loop tells a seat the observation at its decisions, and the events of its history.
    """
    history = of.game.history
    nodes = [(of.root().after(deal), [()] * of.table.num_players) for deal in deals]
    while nodes:
        node, known = nodes.pop()
        if node.seat < 0:
            continue
        seat, known = node.seat, list(known)
        known[seat] = hash((known[seat], of.observe(node.states, seat).tobytes()))
        yield seat, known[seat], node
        for action in node.legal:
            told = list(known)
            told[seat] = hash((known[seat], action))
            child = node.after(action)
            assert isinstance(child, Decision)
            for viewer in range(of.table.num_players):
                for event in history.events(node.states[0], action, child.states[0], viewer):
                    told[viewer] = hash((told[viewer], event.tobytes()))
            nodes.append((child, told))


def test_information_states_are_those_of_the_agent_loop():
    """Player 0 holds a Lure; whether the other one is asked does not tell who holds the Feather."""
    of = small(**{"Gub": 2, "Lure": 1, "Feather": 1, "Age-Old Cure": 5})
    deals = [deal for deal in range(len(of.deals)) if holds_the_lure(of.deals[deal].states[0])]
    pairs = {
        (seat, known, node.information(seat)) for seat, known, node in information_states(of, deals)
    }
    assert len(pairs) == len({pair[:2] for pair in pairs}) == len({pair[::2] for pair in pairs})


def holds_the_lure(state):
    """Return whether player 0 holds the Lure and two Cures, and the Letters lie in their order."""
    card = gubs_v0.Card
    letters = [kind for kind in state.deck[: state.deck_size] if kind >= card.LETTER_G]
    return (
        state.hand[0, card.LURE] and not state.hand[0, card.FEATHER] and letters == sorted(letters)
    )
