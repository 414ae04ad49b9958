"""The probabilities of chance events, against enumerations of all orders of small decks."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import gubs_agents
from gubs_agents.luck.walking import Walk, followers
from gubs_env import find_game, find_table
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.chance import Events, joined
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import ANY_PLAYER
from gubs_env.engine.table import Table
from gubs_env.exact.chance import Chance
from gubs_env.games.bad_bad_turtle.cards import Card as Turtles
from gubs_env.games.gubs.cards import Card
from gubs_env.games.gubs.deals import all_deals
from gubs_env.games.gubs.state import Phase
from gubs_env.records.playing import Games, play_games


def events_without_shuffles(env, tracks):
    """Return the events of games that are played to the end with the first legal actions.

    The events of a game count up to the decision in which its RNG is used for the first time.
    """
    chance = env.game.chance_events()
    _, decide = followers(env.game.name, chance)
    shape = chance.num_features(env.num_players), chance.num_outcomes
    rngs, rows, parts = env.states["rng"].copy(), np.arange(env.num_envs), []
    while (env.actors >= 0).any():
        rows = rows[env.actors[rows] >= 0]
        before, actions = env.states.copy(), env.masks.argmax(axis=1)
        env.step(np.where(env.actors >= 0, actions, -1))
        room = Events.empty(len(rows) * chance.most_events, *shape)
        arguments = before, env.states, tracks, rows, actions[rows], room
        at, done = decide(*arguments, chance.most_events, 0)
        assert done == len(rows)
        parts.append(room.first(at))
        rows = rows[(env.states["rng"] == rngs).all(axis=1)[rows]]
    return joined(parts)


def surprises(events, chances):
    """Return the mean of (what happened − its probability) times functions of what was known."""
    happened = np.zeros_like(events.weights, dtype=float)
    happened[np.arange(len(events.outcomes)), events.outcomes] = 1
    rng = np.random.default_rng(0)
    known = np.sign(events.features @ rng.normal(size=(events.features.shape[1], 20)))
    weighted = (happened - events.weights) * chances[events.games][:, None]
    return weighted.T @ known


def test_gubs_draws_follow_from_all_deals_of_a_small_deck():
    letters = {"Letter G": 1, "Letter U": 1, "Letter B": 1}
    deck = {"Gub": 3, "Lure": 1, "Feather": 5, "Scout": 1, **letters}
    table = find_table("gubs", 2, {"deck": deck, "letters": "anywhere"})
    deals = all_deals(table)
    env = VectorEnv(table, len(deals), seed=0, autoreset=False)
    env.set_states(np.concatenate([np.atleast_1d(state) for state, _ in deals]))
    env.look()
    tracks = env.game.chance_events().new_tracks(len(deals))
    tracks[:, -1] = 2  # the classes of the thirds are in use
    events = events_without_shuffles(env, tracks)
    assert len(events.games) > len(deals) / 2
    found = surprises(events, np.array([float(chance) for _, chance in deals]))
    np.testing.assert_allclose(found, 0, atol=1e-6)


def test_reveals_follow_from_all_orders_of_a_small_deck():
    table = find_table("bad_bad_turtle", 2)
    kinds = [Turtles.TURTLE, Turtles.PEEK, Turtles.DOUBLE_DIP, Turtles.REFUND]
    kinds += [Turtles.STACK_SWAP_LEFT, *[Turtles.BLANK] * 3]
    orders = np.unique(np.array(list(permutations(kinds))), axis=0)
    env = VectorEnv(table, len(orders), seed=0, autoreset=False)
    states = np.repeat(env.states[:1], len(orders))
    states["stack"], states["stack_size"] = -1, 0
    states["composition"] = 0
    for kind in kinds:
        states["composition"][:, kind] += 1
    for place in range(len(kinds)):
        states["stack"][:, place % 2, place // 2] = orders[:, place]
        states["stack_size"][:, place % 2] += 1
    env.set_states(states)
    env.look()
    tracks = table.game.chance_events().new_tracks(len(orders))
    events = events_without_shuffles(env, tracks)
    found = surprises(events, np.full(len(orders), 1 / len(orders)))
    np.testing.assert_allclose(found, 0, atol=1e-6)


def test_swaps_of_fubnub_have_the_probabilities_of_chance():
    table = find_table("fubnub", 4)
    chance, events = Chance(table), table.game.chance_events()
    _, decide = followers(table.game.name, events)
    env, rng = VectorEnv(table, 1, seed=3), np.random.default_rng(0)
    checked = 0
    while checked < 2:
        action = int(rng.choice(env.masks[0].nonzero()[0]))
        before = env.states.copy()
        env.step(np.array([action]))
        room = Events.empty(events.most_events, events.num_features(4), events.num_outcomes)
        at, _ = decide(
            before.copy(), env.states, events.new_tracks(1), np.array([0]), np.array([action]),
            room, events.most_events, 0,
        )  # fmt: skip
        if at == 1:
            outcomes = chance.after(before, action)
            told = sorted(float(outcome.probability) for outcome in outcomes)
            weights = room.weights[0]
            np.testing.assert_allclose(np.sort(weights[weights > 0]), told, atol=1e-6)
            checked += 1


@pytest.mark.parametrize(
    ("name", "players", "rules"),
    [
        ("gubs", 4, {}),
        ("gubs", 3, {"flood_to": "deck", "letters": "anywhere"}),
        ("gubs", 2, {"deck": {card.title: 1 if card >= Card.LETTER_G else 2 for card in Card
                              if card is not Card.ESTEEMED_ELDER}}),
        ("bad_bad_turtle", 3, {}),
        ("fubnub", 4, {}),
    ],
)  # fmt: skip
def test_outcomes_are_as_frequent_as_their_probabilities_say(name, players, rules):
    table, seeds = find_table(name, players, rules), np.arange(7000, 7300)
    seatings = np.zeros((len(seeds), players), np.int64)
    agents = [gubs_agents.make("random", table, seed=0)]
    played, _ = play_games(Games(table, seeds, seatings), agents)
    walk = Walk(table, seeds.tolist(), played.actions, [""] * len(seeds))
    events = joined(list(walk.events()))
    np.testing.assert_allclose(events.weights.sum(axis=1), 1, atol=1e-5)
    happened = np.zeros_like(events.weights)
    happened[np.arange(len(events.outcomes)), events.outcomes] = 1
    assert (events.weights[happened == 1] > 0).all()
    # Not only on the whole, but also where any function of what was known says so.
    columns = np.random.default_rng(0).normal(size=(events.features.shape[1], 10))
    known = np.sign(events.features @ columns)
    for chosen in (np.ones(len(known)), *known.T):
        spread = np.sqrt((events.weights * (1 - events.weights)).sum(axis=0))
        found = ((happened - events.weights) * chosen[:, None]).sum(axis=0)
        assert (np.abs(found) <= 4.5 * spread + 1e-3).all()


@pytest.mark.parametrize("rules", [{}, {"flood_to": "deck", "letters": "anywhere"}])
def test_the_deck_of_gubs_that_is_followed_is_that_of_the_rules(rules):
    table, seeds = find_table("gubs", 3, rules), np.arange(60)
    chance, rng = table.game.chance_events(), np.random.default_rng(0)
    deal, decide = followers(table.game.name, chance)
    env = VectorEnv(table, len(seeds), seed=seeds.tolist(), autoreset=False)
    room = Events.empty(1 << 13, chance.num_features(3), chance.num_outcomes)
    states, tracks = table.new_states(len(seeds)), chance.new_tracks(len(seeds))
    states["rng"] = [seed_rng(seed) for seed in seeds]
    every, first = np.arange(len(seeds)), np.full(len(seeds), ANY_PLAYER)
    arguments = states, env.states, tracks, every, first, room
    assert deal(*arguments, chance.most_events, 0)[1] == len(seeds)
    np.testing.assert_array_equal(states["deck"], env.states["deck"])
    while (env.actors >= 0).any():
        rows = np.flatnonzero((env.actors >= 0) & (env.states["phase"] != Phase.ORDER))
        before = env.states.copy()
        actions = (rng.random(env.masks.shape) * env.masks).argmax(axis=1)
        env.step(np.where(env.actors >= 0, actions, -1))
        arguments = before, env.states, tracks, rows, actions[rows], room
        assert decide(*arguments, chance.most_events, 0)[1] == len(rows)
        np.testing.assert_array_equal(before["deck"][rows], env.states["deck"][rows])


def test_a_game_brings_its_own_chance_events_or_is_refused(tmp_path, monkeypatch):
    game = find_game("gubs")
    (tmp_path / "own_chance.py").write_text(
        "from gubs_env.games.gubs import chance\n"
        "CHANCE_EVENTS = chance.CHANCE_EVENTS._replace(new_tracks=lambda games: None)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    own = replace(game, name="own_v0", chance="own_chance")
    assert Walk(Table(own, 2), [1], [[]], [""]).tracks is None
    none = replace(game, name="own_v0", chance="")
    for reads in (lambda: Walk(Table(none, 2), [1], [[]], [""]), none.chance_events):
        with pytest.raises(ValueError, match="the chance events of own_v0 are not known: name a"):
            reads()


def test_the_first_letter_of_gubs_is_one_of_the_cards_left_in_the_highest_third():
    table, seeds = find_table("gubs", 2), np.arange(200)
    env = VectorEnv(table, len(seeds), seed=0, autoreset=False)
    draws = [[int(mask.nonzero()[0][-1])] for mask in env.masks]  # to draw, not to skip the draw
    walk = Walk(table, seeds.tolist(), draws, [""] * len(seeds))
    steps = walk.events()
    next(steps)
    dealt_without_events = (walk.env.states["returned"] == 0).all(axis=1)
    drawn = next(steps)
    assert dealt_without_events.sum() > 20
    # 65 cards are no Letters or first Gubs; 21 of them and a Letter are the third, 6 were dealt.
    letter = drawn.weights[dealt_without_events[drawn.games], -1]
    np.testing.assert_allclose(letter, 1 / 16, rtol=1e-6)
