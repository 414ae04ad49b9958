"""The rule options, their checks, and the bound on the length of a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gubs_env.engine.options import RuleOptions, check_choice, check_flag, is_whole
from gubs_env.engine.table import Table
from gubs_env.games.gubs.cards import (
    IS_EVENT,
    LETTERS,
    MAX_CARDS,
    MAX_SLOTS,
    NUM_COLONY_KINDS,
    NUM_KINDS,
    PRINTED_DECK,
    Answerable,
    Card,
)

MAX_PLAYERS = 6
player_counts = range(2, MAX_PLAYERS + 1)
HAND_LIMIT = 8
DEALT_CARDS = 3

CHOICES = {
    "letters": ("thirds", "anywhere"),
    "flood_to": ("discard", "deck"),
    "reward": ("win", "margin"),
}
FLAGS = ("plague_redraw", "stacked_barricades", "ask_everyone")
varied_options = (
    "letters", "flood_to", "plague_redraw", "stacked_barricades", "ask_everyone", "deck"
)  # fmt: skip
"""The options that change how to play (`Game.varied_options`)."""


@dataclass(frozen=True)
class Rules(RuleOptions):
    """The rule options of Gubs (docs/rules/gubs.md, section 12).

    Raises ValueError for a value that is not allowed or a deck that is not valid, and TypeError for
    an option that does not exist.
    """

    letters: str = "thirds"
    """"thirds": one Letter in each third of the deck [G1]; "anywhere": each at a random place."""
    flood_to: str = "discard"
    """Where Flash Flood sends Free Gubs: the "discard" pile, or shuffled into the "deck"."""
    plague_redraw: bool = True
    """Whether players struck by Gargok Plague draw as many cards as they lost [G11]."""
    stacked_barricades: bool = True
    """Whether a Gub may lie beneath several Barricades [G10]."""
    ask_everyone: bool = False
    """Whether every player is asked in every window, and passes are public [G6]."""
    reward: str = "win"
    """"win": zero-sum share of the win; "margin": own score less the best other score."""
    deck: Mapping[Card | str, int] | None = field(default=None, hash=False)
    """Another deck, {kind: count}, kinds as `Card` or by title; a kind left out has no cards."""

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            object.__setattr__(self, name, check_choice(name, getattr(self, name), allowed))
        for name in FLAGS:
            object.__setattr__(self, name, check_flag(name, getattr(self, name)))
        if self.deck is not None:
            object.__setattr__(self, "deck", _by_title(self.deck))
        _check_deck(self.composition())

    def composition(self) -> np.ndarray:
        """Return how many cards of each kind the full deck has, int8[NUM_KINDS]."""
        if self.deck is None:
            return PRINTED_DECK.copy()
        counts = np.zeros(NUM_KINDS, np.int64)
        for kind, count in self.deck.items():
            counts[Card.named(kind)] = count
        if counts.sum() > MAX_CARDS:
            raise ValueError(
                f"deck {dict(self.deck)}: it has {counts.sum()} cards; the most are {MAX_CARDS}"
            )
        return counts.astype(np.int8)


def _by_title(deck: Mapping[Card | str, int]) -> dict[str, int]:
    """Return a deck by title; raise ValueError for a kind given twice or a bad count."""
    if not isinstance(deck, Mapping):
        raise ValueError(f"rules option deck={deck!r}: a mapping of cards to counts is wanted")
    counts: dict[str, int] = {}
    for kind, count in deck.items():
        title = Card.named(kind).title
        if title in counts:
            raise ValueError(f"deck {dict(deck)}: {title} is given twice")
        if not is_whole(count):
            raise ValueError(f"deck: {title} ×{count!r} is not a whole number of cards")
        if not 0 <= count <= MAX_CARDS:
            raise ValueError(
                f"deck: {title} ×{count}: counts must not be negative, and at most {MAX_CARDS}"
            )
        counts[title] = int(count)
    return {title: count for title, count in counts.items() if count}


def _check_deck(counts: np.ndarray) -> None:
    """Raise ValueError for a deck with wrong numbers of Letters, Elders or Gubs (section 1)."""
    letters = {card.title: int(counts[card]) for card in LETTERS}
    if set(letters.values()) != {1}:
        raise ValueError(f"a deck must hold each Letter exactly once, not {letters}")
    if counts[Card.ESTEEMED_ELDER] > 1:
        raise ValueError("a deck may hold at most one Esteemed Elder")
    if counts[Card.GUB] + counts[Card.ESTEEMED_ELDER] > MAX_SLOTS:
        raise ValueError(f"a deck may hold at most {MAX_SLOTS} Gubs, including the Elder")


def check_players(num_players: int, rules: Rules) -> None:
    """Raise ValueError unless these rules allow this number of players."""
    if not is_whole(num_players) or num_players not in player_counts:
        raise ValueError(f"num_players={num_players!r}: Gubs is for 2 to {MAX_PLAYERS} players")
    counts = rules.composition()
    if counts[Card.GUB] < num_players:
        raise ValueError(
            f"{num_players} players need {num_players} Gubs; the deck has {counts[Card.GUB]}"
        )
    dealable = int(counts[~IS_EVENT].sum()) - num_players
    if dealable < DEALT_CARDS * num_players:
        raise ValueError(
            f"{num_players} players are dealt {DEALT_CARDS * num_players} cards, no Events; "
            f"the deck has {dealable} besides their first Gubs"
        )


def is_zero_sum(table: Table) -> bool:
    """Return whether the payoffs of a finished game sum to zero: margins of two players do."""
    return table.rules.reward == "win" or table.num_players == 2


def max_payoff(table: Table) -> float:
    """Return the most that a game pays: a win, or all Gubs of the deck against none."""
    if table.rules.reward == "win":
        return 1.0
    counts = table.rules.composition()
    return float(counts[Card.GUB] + counts[Card.ESTEEMED_ELDER])


def sample_table(rng: np.random.Generator) -> tuple[int, Rules]:
    """Return a random number of players and rules that allow it; `vary_rules` varies the rest."""
    num_players = int(rng.integers(player_counts.start, player_counts.stop))
    rules = Rules(reward=str(rng.choice(CHOICES["reward"])))
    return num_players, rules


def vary_rules(rng: np.random.Generator, table: Table) -> Rules:
    """Return rules with random values of varied_options that allow this number of players.

    One in four has a deck of its own: a random share of the kinds is left out, and of the others it
    has at most twice as many cards as the printed one.
    """
    options: dict[str, Any] = {
        name: str(rng.choice(CHOICES[name])) if name in CHOICES else bool(rng.random() < 0.5)
        for name in varied_options
        if name != "deck"
    }
    rules = replace(table.rules, **options, deck=None)
    if rng.random() >= 0.25:
        return rules
    while True:
        kept = rng.random(NUM_KINDS) < rng.random()
        counts = rng.integers(2 * PRINTED_DECK, endpoint=True) * kept
        counts[list(LETTERS)] = 1
        deck: dict[Card | str, int] = {card: int(counts[card]) for card in Card}
        try:
            varied = replace(rules, deck=deck)
            check_players(table.num_players, varied)
        except ValueError:
            continue
        return varied


def max_decisions(table: Table) -> int:
    """Return an upper bound on the number of decisions in a game (section 7 of the rules).

    Draws. Every draw takes a card off the deck. Cards return to the deck in two ways: by an answer
    to an Event (one card for each Flop Boat or Cricket Song, which then stays in the discard pile)
    and by the cards that refill the deck, such as Plague, Wasps and Flood (each takes effect once
    and returns at most the whole deck). So draws ≤ T·(1 + F) + A, with T cards in all, F cards that
    refill the deck and A cards that answer Events. Cricket Song counts in F too if it can be played
    as a card that refills the deck.

    Turns. Nobody skips the draw twice in a row, so each seat draws in at least every second of its
    turns: turns ≤ 2·draws + n.

    Plays. A Tool, Hazard, Interrupt or Cricket Song is played, or used as an answer, at most once.
    A card that is laid (Gub, Barricade, Trap) can be laid again only after one of those cards or an
    Event returned it to a hand or the deck, and each effect returns at most all L laid cards. So
    plays ≤ S + L·(1 + S + E), with S cards of the first sort and E Events. Each Event card takes
    effect at most once; a cancelled one does not take effect.

    Decisions. A turn asks for the draw and for the end of play. A play asks for at most the card,
    the kind, three places or two of the Scout's picks, the card meant, and an answer from each
    other player. A draw asks for at most one answer from each player, an Event for at most one
    choice by each player. A card is discarded from a hand once, or again if an Age-Old Cure fetched
    it (Gubs only): discards ≤ T + plays.
    """
    counts, num_players = table.rules.composition().astype(int), table.num_players
    total = int(counts.sum())
    answers = sum(int(counts[card]) for card in Card if card.kind.answers & Answerable.EVENT)
    refilling = [card for card in Card if card.kind.refills_deck and counts[card]]
    refills = sum(int(counts[card]) for card in refilling)
    if not IS_EVENT[refilling].all():
        refills += int(counts[Card.CRICKET_SONG])
    draws = total * (1 + refills) + answers
    turns = 2 * draws + num_players

    laid = int(counts[:NUM_COLONY_KINDS].sum())
    events = int(counts[IS_EVENT].sum())
    used_up = total - laid - events
    plays = used_up + laid * (1 + used_up + events)
    discards = total + plays
    per_play = 6 + (num_players - 1)
    return 2 * turns + plays * per_play + draws * num_players + events * num_players + discards
