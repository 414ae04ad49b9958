"""A first hand-written player of Gubs: scores every action by simple ideas, takes the best."""

from __future__ import annotations

import numpy as np

from agents.uniform import best_of
from gubs_env.games.gubs.actions import (
    ACTIONS_PER_SEAT,
    DECK,
    FIRST_CARD,
    FIRST_SEAT,
    PASS,
    num_actions,
)
from gubs_env.games.gubs.cards import BARRICADES, NUM_HAND_KINDS, NUM_KINDS, RINGS, Card
from gubs_env.games.gubs.observation import observation_slices
from gubs_env.games.gubs.rules import MAX_SLOTS
from gubs_env.games.gubs.state import Phase

# What a card is worth in the hand: the least is discarded first, the most kept from the Merchant.
WORTH = {
    Card.GUB: 6.0, Card.ESTEEMED_ELDER: 9.0, Card.MUSHROOM: 4.0, Card.TOAD_RIDER: 4.2,
    Card.VELVET_MOTH: 3.5, Card.SUD_SPOUT: 3.0, Card.SINGLE_RING: 4.0, Card.DOUBLE_RING: 5.0,
    Card.TRIPLE_RING: 5.0, Card.LURE: 5.0, Card.SUPER_LURE: 8.0, Card.CYCLONE: 2.5,
    Card.LIGHTNING: 4.0, Card.SMAHL_THIEF: 5.5, Card.OMEN_BEETLE: 2.0, Card.HAKI_FLUTE: 3.0,
    Card.SPEAR: 3.8, Card.SCOUT: 1.5, Card.RETREAT: 1.0, Card.AGE_OLD_CURE: 3.2,
    Card.FEATHER: 5.0, Card.BLINDFOLD: 3.5, Card.FLOP_BOAT: 4.5, Card.CRICKET_SONG: 5.2,
}  # fmt: skip


def by_kind(worth: dict[Card, float]) -> np.ndarray:
    values = np.zeros(NUM_KINDS)
    values[list(worth)] = list(worth.values())
    return values


class Heuristic:
    """Plays by simple rules: always draw, protect, take from the leader, answer what hurts."""

    def __init__(self, num_players: int = 2, seed: int | None = None) -> None:
        self.slices = observation_slices(num_players)
        self.num_players = num_players
        self.rng = np.random.default_rng(seed)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, choosers: np.ndarray | None = None
    ) -> np.ndarray:
        table = Table({name: s.of(observations) for name, s in self.slices.items()})
        scores = np.zeros((len(masks), num_actions(self.num_players)))
        score_choice = {
            Phase.DRAW: score_draw,
            Phase.PLAY: score_play,
            Phase.NAME: score_play,
            Phase.TARGET: score_targets,
            Phase.MEANT: score_meant,
            Phase.ORDER: score_worst,
            Phase.ANSWER: score_answer,
            Phase.CURE: score_cure,
            Phase.MERCHANT: score_best,
            Phase.DISCARD: score_worst,
        }
        for phase, score in score_choice.items():
            rows = table.decision[:, phase] == 1
            if rows.any():
                scores[rows] = score(table.only(rows), scores[rows])
        return best_of(scores, masks, self.rng)


class Table:
    """A batch of observations with what the rules below ask of them; seat 0 is one's own."""

    def __init__(self, pieces: dict[str, np.ndarray]) -> None:
        self.pieces = pieces
        self.decision = pieces["decision"]
        self.played_as = pieces["played_as"].argmax(1)
        self.hand_sizes = pieces["hand_sizes"]
        self.points = pieces["points"].astype(int)
        self.colonies = pieces["colonies"]
        on_gub = self.colonies[..., 2:].sum(-1)
        self.gubs = self.colonies[..., Card.GUB]
        self.free = (self.gubs == 1) & (on_gub == 0)
        self.barricades = self.colonies[..., list(BARRICADES)].sum(-1)
        self.spouts = self.colonies[..., Card.SUD_SPOUT]
        self.lead = self.points[:, 0] - self.points[:, 1:].max(1)

    def only(self, rows: np.ndarray) -> Table:
        return Table({name: piece[rows] for name, piece in self.pieces.items()})

    def is_played(self, *cards: Card) -> np.ndarray:
        return np.isin(self.played_as, cards)


def score_draw(table: Table, scores: np.ndarray) -> np.ndarray:
    scores[:, DECK] = 1
    return scores


def score_play(table: Table, scores: np.ndarray) -> np.ndarray:
    """A card is played when its score is above 0, that of passing."""
    others_free = table.free[:, 1:].sum((1, 2))
    others_takeable = (table.free | (table.barricades > 0))[:, 1:].sum(2).max(1)
    others_barricades = table.barricades[:, 1:].sum(2).max(1)
    mushrooms = (table.colonies[..., Card.MUSHROOM] > 0).sum(2)
    own_trapped = (table.gubs[:, 0] - table.free[:, 0] - (table.barricades[:, 0] > 0)).sum(1)
    own_open = table.free[:, 0].sum(1)
    own_elders = table.colonies[:, 1:, :, Card.ESTEEMED_ELDER].any((1, 2))
    rings = table.colonies[..., list(RINGS)].sum((1, 2, 3))

    def play(card: Card, worth: float | np.ndarray) -> None:
        scores[:, FIRST_CARD + card] = worth

    play(Card.ESTEEMED_ELDER, 30)
    play(Card.AGE_OLD_CURE, 29)
    play(Card.HAKI_FLUTE, np.where(rings > 0, 28, -1))
    play(Card.SUPER_LURE, np.where(others_takeable >= 3, 27, -1))
    play(Card.LURE, 26)
    play(Card.SMAHL_THIEF, 25)
    for ring in RINGS:
        play(ring, np.where(others_free >= 1 + RINGS.index(ring), 24, -1))
    play(Card.GUB, 23)
    for barricade in BARRICADES:
        play(barricade, np.where(own_open > 0, 22, -1))
    play(Card.SPEAR, 20)
    play(Card.SUD_SPOUT, np.where(others_free > 0, 19, -1))
    play(Card.LIGHTNING, np.where(own_elders | (table.hand_sizes[:, 1:].max(1) >= 4), 18, -1))
    play(Card.CYCLONE, np.where(others_barricades >= 2, 17, -1))
    play(Card.OMEN_BEETLE, np.where(mushrooms[:, 1:].max(1) > mushrooms[:, 0], 16, -1))
    play(Card.SCOUT, 15)
    play(Card.RETREAT, np.where(own_trapped >= 2, 31, -1))
    play(Card.CRICKET_SONG, -1)
    return scores


def score_targets(table: Table, scores: np.ndarray) -> np.ndarray:
    """Own Gubs are protected and freed, everything else goes at whoever has most."""
    n = table.points.shape[1]
    helps = table.is_played(*BARRICADES)
    for steps in range(n):
        seat = FIRST_SEAT + ACTIONS_PER_SEAT * steps
        places = slice(seat + 1, seat + 1 + MAX_SLOTS)
        if steps == 0:
            freed = table.spouts[:, 0] + table.colonies[:, 0][..., list(RINGS)].sum(-1)
            protected = np.where(helps[:, None], 10 * table.free[:, 0] - table.barricades[:, 0], 0)
            scores[:, places] = protected + 10 * freed - 10 * (~helps[:, None] & table.free[:, 0])
        else:
            strength = table.points[:, steps] + 0.1 * table.hand_sizes[:, steps]
            thief = table.is_played(Card.SMAHL_THIEF)[:, None]
            guarded = table.barricades[:, steps] * np.where(thief, 0.5, -0.1)
            elder = 5 * table.colonies[:, steps, :, Card.ESTEEMED_ELDER]
            harmless = 20 * (table.is_played(Card.SPEAR)[:, None] & (table.spouts[:, steps] > 0))
            ring_size = sum(i * table.colonies[:, steps, :, r] for i, r in enumerate(RINGS, 1))
            worth = strength[:, None] + guarded + elder - harmless + 2 * ring_size
            scores[:, places] = np.where(helps[:, None], -5 + guarded, worth)
            scores[:, seat] = strength
    scores[:, DECK] = 0.05
    return scores


def score_meant(table: Table, scores: np.ndarray) -> np.ndarray:
    scores[:, FIRST_CARD : FIRST_CARD + 9] = [5, 5, 3, 2, 1, 4, 4, 4, 4]
    return scores


def score_answer(table: Table, scores: np.ndarray) -> np.ndarray:
    """Answer what strikes oneself; of the cards that can, spend the least."""
    aimed = table.pieces["target_seats"][:, 0] + table.pieces["target_places"][:, 0].sum(1)
    hand = table.hand_sizes[:, 0] >= 4
    drew = table.pieces["turn"][:, 0] == 1
    own_free = table.free[:, 0].sum(1) > table.free[:, 1:].sum(2).max(1)
    own_mushrooms = (table.colonies[:, 0, :, Card.MUSHROOM] > 0).any(1)
    last_letter = table.is_played(Card.LETTER_G, Card.LETTER_U, Card.LETTER_B) & (
        table.pieces["letters"].sum(1) == 2
    )
    hurts = (
        (aimed > 0)
        | (table.is_played(Card.FLASH_FLOOD) & own_free)
        | (table.is_played(Card.OMEN_BEETLE) & own_mushrooms)
        | (table.is_played(Card.DANGEROUS_ALCHEMY) & drew)
        | (table.is_played(Card.GARGOK_PLAGUE) & hand)
        | (last_letter & (table.lead < 0))
    )
    scores[:, FIRST_CARD : FIRST_CARD + NUM_KINDS] = 10 - by_kind(WORTH)
    scores[:, PASS] = np.where(hurts, 0, 20)
    return scores


def score_cure(table: Table, scores: np.ndarray) -> np.ndarray:
    scores[:, FIRST_CARD : FIRST_CARD + NUM_KINDS] = 10 - by_kind(WORTH)
    scores[:, PASS] = np.where(table.hand_sizes[:, 0] >= 4, 0, 20)
    return scores


def score_best(table: Table, scores: np.ndarray) -> np.ndarray:
    scores[:, FIRST_CARD : FIRST_CARD + NUM_KINDS] = by_kind(WORTH)
    return scores


def score_worst(table: Table, scores: np.ndarray) -> np.ndarray:
    return -score_best(table, scores)


assert len(WORTH) == NUM_HAND_KINDS
