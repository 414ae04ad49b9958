"""The outcomes of chance, counted by hand and drawn by the compiled rules."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import count, islice

import numpy as np
import pytest

from gubs_env import find_table, fubnub_v0, gubs_v0
from gubs_env.exact import chance
from gubs_env.exact.chance import NO_DRAW, Chance, Script


def answered_flood():
    """Return a game in which a Flash Flood was drawn, and Cricket Song sends it back."""
    env = gubs_v0.raw_env()
    env.set_state(
        gubs_v0.position(
            ["", "Cricket Song"],
            ["Gub", "Gub"],
            deck="Flash Flood, Letter G, Gub, Gub",
            letters="UB",
            phase=gubs_v0.Phase.DRAW,
            rest=False,
        )
    )
    env.step(env.action_index("DECK"))
    return env


def test_an_event_goes_back_to_each_gap_of_the_deck_with_equal_probability():
    """Two of the four gaps, beside the equal Gubs, make the same deck."""
    env = answered_flood()
    answer = env.action_index("CARD[Cricket Song]")
    outcomes = Chance(env.table).after(np.array([env.state()]), answer)
    decks = {
        tuple(int(kind) for kind in state.deck[: state.deck_size]): probability
        for states, probability in outcomes
        for state in states
    }
    gub, letter, flood = (gubs_v0.Card[name] for name in ("GUB", "LETTER_G", "FLASH_FLOOD"))
    quarter = Fraction(1, 4)
    assert decks == {
        (gub, gub, letter, flood): quarter,
        (gub, gub, flood, letter): quarter,
        (gub, flood, gub, letter): quarter,
        (flood, gub, gub, letter): quarter,
    }


def test_decisions_without_chance_have_one_outcome():
    env = gubs_v0.raw_env()
    env.reset(seed=3)
    [outcome] = Chance(env.table).after(np.array([env.state()]), env.action_index("DECK"))
    env.step(env.action_index("DECK"))
    expected = np.array([env.state()])
    expected["rng"] = NO_DRAW
    assert outcome.probability == 1
    assert outcome.states.tobytes() == expected.tobytes()


TABLES = {gubs_v0: (2, {}), fubnub_v0: (3, {"mode": "ghost"})}
"""Tables at which few cards are drawn at once: a ghost plays a random card of its hand."""
SAMPLES, ATTEMPTS = 2000, 12


@pytest.mark.parametrize("module", TABLES, ids=lambda module: module.GAME.name)
def test_the_compiled_rules_draw_these_outcomes_with_these_probabilities(module, monkeypatch):
    """Follow random games to decisions that draw; play each of them with many RNGs."""
    monkeypatch.setattr(chance, "MOST_SEQUENCES", 100)
    listed, rng = Chance(find_table(module.GAME, *TABLES[module])), np.random.default_rng(5)
    compared = [compare(listed, *draw, rng) for draw in islice(draws(module, rng), ATTEMPTS)]
    assert any(compared)


def draws(module, rng):
    """Yield the state and the action of decisions after which the RNG was used."""
    env = module.raw_env(*TABLES[module])
    for seed in count():
        env.reset(seed=seed)
        while not env.is_done(env.agent_selection):
            before = np.array([env.state()])
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            action = int(rng.choice(legal))
            env.step(action)
            if env.state().rng.tolist() != before["rng"][0].tolist():
                yield before, action


def compare(listed: Chance, before: np.ndarray, action: int, rng: np.random.Generator) -> int:
    """Compare frequencies with probabilities; return 0 for a draw with too many outcomes."""
    try:
        outcomes = listed.after(before, action)
    except ValueError:
        return 0
    states = np.repeat(before, SAMPLES)
    states["rng"] = rng.integers(1 << 32, size=(SAMPLES, 4))
    batch = listed.table.game.new_batch(states)
    listed.table.game.kernel.advance(*batch, np.full(SAMPLES, action), 1, False, False)
    batch.states["rng"] = NO_DRAW
    counts = Counter(batch.states[index : index + 1].tobytes() for index in range(SAMPLES))
    expected = {states.tobytes(): float(probability) for states, probability in outcomes}
    assert sum(outcome.probability for outcome in outcomes) == 1
    assert set(counts) <= set(expected)
    for key, share in expected.items():
        assert (
            abs(counts[key] / SAMPLES - share) < 5 * (share * (1 - share) / SAMPLES) ** 0.5 + 1e-9
        )
    return len(outcomes) > 1


def test_too_many_sequences_of_draws_are_refused(monkeypatch):
    env = answered_flood()
    monkeypatch.setattr(chance, "MOST_SEQUENCES", 3)
    with pytest.raises(ValueError, match="more than 3 sequences of draws here"):
        Chance(env.table).after(np.array([env.state()]), env.action_index("CARD[Cricket Song]"))


def test_a_shuffle_makes_every_order_of_equal_cards_once():
    script, orders = Script(), {}
    while not orders or script.advance():
        cards = np.array([4, 2, 2, 7])
        script.shuffle(None, cards, 3)  # the last card is not shuffled
        orders[tuple(cards.tolist())] = script.probability()
    third = Fraction(1, 3)
    assert orders == {(2, 2, 4, 7): third, (2, 4, 2, 7): third, (4, 2, 2, 7): third}
