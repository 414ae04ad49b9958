"""The network of two-player Gubs under every other value of a rule option, and with smaller decks.

    python experiments/variants.py

Prints the table of docs/research/shipped-networks.md: win rates against the heuristic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tyro

import gubs_agents
from gubs_agents.arena import win_rate
from gubs_agents.deals import REPORT_DEALS
from gubs_env import find_table
from gubs_env.games.gubs.cards import IS_EVENT, LETTERS, PRINTED_DECK
from gubs_env.gubs_v0 import Card
from gubs_env.support import markdown
from gubs_env.support.output import print_everywhere

PRINTED = {card.title: int(PRINTED_DECK[card]) for card in Card if PRINTED_DECK[card]}
EVENTS = {card.title for card in Card if IS_EVENT[card] and card not in LETTERS}
LETTERS_ONCE = {card.title: 1 for card in LETTERS}
SMALL = {
    "Gub": 8, "Mushroom": 4, "Toad Rider": 2, "Velvet Moth": 2, "Lure": 4, "Lightning": 1,
    "Smahl Thief": 1, "Spear": 4, "Feather": 2,
}  # fmt: skip
FOREIGN = {
    "Gub": 8, "Mushroom": 4, "Toad Rider": 2, "Velvet Moth": 2, "Single Ring": 3, "Lure": 4,
    "Lightning": 2, "Spear": 6, "Feather": 2,
}  # fmt: skip
"""A deck with more Single Rings, Lightning and Spears than the printed one."""
VARIANTS: dict[str, dict[str, Any]] = {
    "the default": {},
    "`letters=anywhere`": {"letters": "anywhere"},
    "`flood_to=deck`": {"flood_to": "deck"},
    "`plague_redraw=false`": {"plague_redraw": False},
    "`stacked_barricades=false`": {"stacked_barricades": False},
    "`ask_everyone=true`": {"ask_everyone": True},
    "`reward=margin`": {"reward": "margin"},
    "half of the printed deck": {"deck": {title: -(-n // 2) for title, n in PRINTED.items()}},
    "no Events": {"deck": {title: n for title, n in PRINTED.items() if title not in EVENTS}},
    "31 cards of 12 kinds": {"deck": SMALL | LETTERS_ONCE},
    "36 cards, more of some kinds than printed": {"deck": FOREIGN | LETTERS_ONCE},
}


@dataclass(frozen=True)
class Options:
    """The network of two-player Gubs under other rules, against the heuristic."""

    deals: int = 2500
    """Number of deals, each played from both seats."""
    weights: str = ""
    """File of the network; by default the shipped one."""


def main() -> None:
    options = tyro.cli(Options)
    rows = []
    for name, given in VARIANTS.items():
        table = find_table("gubs", rules=given)
        policy = gubs_agents.make("policy", table, seed=0, weights=options.weights or None)
        heuristic = gubs_agents.make("heuristic", table, seed=0)
        found = win_rate(policy, heuristic, table, options.deals, REPORT_DEALS.start)
        rows.append((name, f"{found.rate:.1%} ({found.low:.1%} – {found.high:.1%})"))
    print(markdown.table(("rules", "heuristic"), rows))


if __name__ == "__main__":
    print_everywhere()
    main()
