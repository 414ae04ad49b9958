"""Measure how well the hidden hands of Gubs can be guessed: uniform determinization and a network.

    python experiments/belief.py --players 2
    python experiments/belief.py --players 4

At every decision with several legal actions, the player to decide sees an observation. The target
is the part of each opponent's hand that the player does not know, as counts of the 24 kinds. The
score is the mean of −log P(that part), divided by the number of its cards: nats for a hidden card.

Both beliefs are Fisher's noncentral hypergeometric distribution: P(x) ∝ Π C(u_k, x_k) exp(x_k θ_k)
over all hands of the right size, where u_k cards of kind k are unseen. Uniform determinization is
the case θ = 0. The network predicts θ from the observation.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import tyro
from torch import nn

import gubs_env
from gubs_agents.deals import REPORT_DEALS
from gubs_env import find_table
from gubs_env.engine.compiling import entry
from gubs_env.games.gubs.cards import NUM_HAND_KINDS, NUM_KINDS
from gubs_env.games.gubs.determinization import count_unseen
from gubs_env.games.gubs.rules import MAX_CARDS
from gubs_env.records.dataset import DataSet
from gubs_env.support.output import print_everywhere, progress_bars

TEST_DEALS = REPORT_DEALS.start
"""Seed of the first deal of the test games, far from those that a model is fitted to."""
BINS = 20
RESAMPLES = 1000
LARGEST_LOGIT = 6.0
BINOMIALS = torch.tensor(
    [[comb(n, k) for k in range(MAX_CARDS + 1)] for n in range(MAX_CARDS + 1)], dtype=torch.float64
)
CHUNK = 4096
"""Number of hands that are scored together."""


@dataclass
class Args:
    """Options of the benchmark; the docstring of this file has examples."""

    players: int = 2  # players at the table
    agent: str = "policy"  # agent that plays all seats
    games: int = 2000  # games that the networks are fitted to
    test_games: int = 1000  # games that all beliefs are scored on
    seeds: int = 3  # networks, each with a seed of its own
    hands: int = 600_000  # hands that a network is fitted to, drawn with replacement
    width: int = 128  # units in each of the two hidden layers
    batch: int = 1024  # hands in a minibatch
    learning_rate: float = 1e-3  # initial learning rate of Adam; falls linearly to 0
    processes: int = 1  # processes that record
    out: str = "runs/belief"  # folder for the data sets


class Hands(NamedTuple):
    """Hidden hands, one for each decision and opponent."""

    observations: torch.Tensor
    """int8[decisions, observation_size]: what the players to decide see."""
    decision: torch.Tensor
    """int64[hands]: the index of the decision."""
    opponent: torch.Tensor
    """int64[hands]: steps from the player to decide to the opponent, less one."""
    hidden: torch.Tensor
    """float64[hands, kinds]: the cards of the hand that the player does not know."""
    unseen: torch.Tensor
    """float64[hands, kinds]: the cards that can be among them."""
    game: torch.Tensor
    """int64[hands]: the number of the game."""


@entry
def unseen_by_actor(states, unseen):
    """Write what the player to decide cannot locate, int64[states, kinds of card]."""
    for row in range(len(states)):
        unseen[row] = count_unseen(states[row], states[row].actor)


def read_hands(data: DataSet) -> Hands:
    """Return the hidden hands at all decisions with several legal actions."""
    observations, columns, players = [], [], data.metadata["num_players"]
    decisions = 0
    for group in data.groups:
        rows = data.read(group, ["observation", "action_mask", "states", "game"])
        open_rows = rows["action_mask"].sum(1) > 1
        seen, states, games = (rows[k][open_rows] for k in ("observation", "states", "game"))
        unseen = np.zeros((len(states), NUM_KINDS), np.int64)
        unseen_by_actor(states, unseen)
        every, actors = np.arange(len(states)), states["actor"]
        for steps in range(1, players):
            other = (actors + steps) % players
            hidden = states["hand"][every, other] - states["known"][every, actors, other]
            some = np.flatnonzero(hidden.sum(1) > 0)
            opponents = np.full(len(some), steps - 1)
            possible = unseen[some, :NUM_HAND_KINDS]
            columns.append((some + decisions, opponents, hidden[some], possible, games[some]))
        observations.append(seen)
        decisions += len(seen)
    parts = [np.concatenate(column) for column in zip(*columns, strict=True)]
    assert bool((parts[2] <= parts[3]).all())
    decision, opponent, hands, others, game = map(torch.from_numpy, parts)
    shown = torch.from_numpy(np.concatenate(observations))
    return Hands(shown, decision, opponent, hands.double(), others.double(), game)


def log_choose(total: torch.Tensor, taken: torch.Tensor) -> torch.Tensor:
    """Return the logarithm of the binomial coefficient."""
    return (total + 1).lgamma() - (taken + 1).lgamma() - (total - taken + 1).lgamma()


def log_sum(unseen: torch.Tensor, logits: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    """Return log Σ Π C(u_k, x_k) exp(x_k θ_k) over all hands x of a size, float64[hands].

    It is a coefficient of the product of one polynomial for each kind.
    """
    largest = int(size.max())
    product = torch.zeros(len(size), largest + 1, dtype=torch.float64)
    product[:, 0] = 1
    for kind, weight in enumerate(logits.exp().unbind(1)):
        have, term, total = unseen[:, kind].long(), product, product
        for count in range(1, min(int(have.max()), largest) + 1):
            term = nn.functional.pad(term[:, :-1], (1, 0)) * weight[:, None]
            total = total + term * BINOMIALS[have, count, None]
        product = total
    return product.gather(1, size[:, None])[:, 0].log()


def log_likelihood(hands: Hands, rows: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    """Return the log probability of some hands under a belief, float64[rows]."""
    hidden, unseen = hands.hidden[rows], hands.unseen[rows]
    weight = (log_choose(unseen, hidden) + hidden * logits).sum(1)
    return weight - log_sum(unseen, logits, hidden.sum(1).long())


def holds(hands: Hands, rows: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    """Return the probability that each kind is among the hidden cards, float64[rows, kinds]."""
    unseen, size = hands.unseen[rows], hands.hidden[rows].sum(1).long()
    all_hands, without = log_sum(unseen, logits, size), []
    for kind in range(unseen.shape[1]):
        others = unseen.clone()
        others[:, kind] = 0
        without.append(log_sum(others, logits, size))
    return 1 - torch.exp(torch.stack(without, 1) - all_hands[:, None])


class Belief(nn.Module):
    """A network that predicts θ, float64[rows, kinds], from what the player to decide sees."""

    def __init__(self, observation_size: int, opponents: int, width: int) -> None:
        super().__init__()
        first, second = nn.Linear(observation_size, width), nn.Linear(width, width)
        last = nn.Linear(width, opponents * NUM_HAND_KINDS)
        nn.init.zeros_(last.weight)  # θ = 0: learning begins at uniform determinization
        nn.init.zeros_(last.bias)
        self.layers = nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), last)

    def forward(self, hands: Hands, rows: torch.Tensor) -> torch.Tensor:
        seen = hands.observations[hands.decision[rows]]
        logits = self.layers(torch.log1p(seen.float())).view(len(rows), -1, NUM_HAND_KINDS)
        own = logits[torch.arange(len(rows)), hands.opponent[rows]].double()
        return LARGEST_LOGIT * torch.tanh(own / LARGEST_LOGIT)


class Uniform(nn.Module):
    """Uniform determinization: all hands that fit are equally likely."""

    def forward(self, hands: Hands, rows: torch.Tensor) -> torch.Tensor:
        return torch.zeros(len(rows), NUM_HAND_KINDS, dtype=torch.float64)


def fit(hands: Hands, players: int, seed: int, args: Args) -> Belief:
    """Return a network fitted to the likelihood of hands."""
    torch.manual_seed(seed)
    network = Belief(hands.observations.shape[1], players - 1, args.width)
    optimizer = torch.optim.Adam(network.parameters())
    for done in range(0, args.hands, args.batch):
        rows = torch.randint(len(hands.game), (args.batch,))
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - done / args.hands)
        likelihood = log_likelihood(hands, rows, network(hands, rows))
        loss = -likelihood.sum() / hands.hidden[rows].sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network


@torch.no_grad()
def score(belief: nn.Module, hands: Hands) -> tuple[np.ndarray, float, float]:
    """Return nats for a hidden card with its 95 % interval, the calibration error, and the Brier
    score of "at least one card of this kind"; the interval is a bootstrap over games.
    """
    nats, chances = [], []
    for rows in torch.arange(len(hands.game)).split(CHUNK):
        logits = belief(hands, rows)
        nats.append(-log_likelihood(hands, rows, logits))
        chances.append(holds(hands, rows, logits))
    by_game = np.unique(hands.game, return_inverse=True)[1]
    sums = [np.bincount(by_game, each) for each in (torch.cat(nats), hands.hidden.sum(1))]
    drawn = np.random.default_rng(0).integers(len(sums[0]), size=(RESAMPLES, len(sums[0])))
    means = sums[0][drawn].sum(1) / sums[1][drawn].sum(1)
    interval = [sums[0].sum() / sums[1].sum(), *np.quantile(means, (0.025, 0.975))]
    possible = hands.unseen > 0
    said, true = torch.cat(chances)[possible].numpy(), (hands.hidden > 0)[possible].numpy()
    bins = np.minimum((said * BINS).astype(int), BINS - 1)
    gaps = np.abs(np.bincount(bins, said, BINS) - np.bincount(bins, true, BINS))
    return np.array(interval), gaps.sum() / len(said), float(np.mean((said - true) ** 2))


def open_games(args: Args, name: str, games: int, seed: int) -> Hands:
    """Record games, or those that are missing, and return their hidden hands."""
    folder = Path(args.out) / f"{name}_{args.players}"
    with progress_bars("games") as tell:
        gubs_env.record(
            folder, args.agent, find_table("gubs", args.players), games=games, seed=seed,
            resume=True, processes=args.processes, progress=tell,
        )  # fmt: skip
    return read_hands(gubs_env.load_dataset(folder))


def main() -> None:
    """Record, fit and print the table of docs/research/hidden-hands.md."""
    args = tyro.cli(Args)
    torch.set_num_threads(1)
    train = open_games(args, "train", args.games, 0)
    test = open_games(args, "test", args.test_games, TEST_DEALS)
    print(f"{args.players} players: {len(test.game):,} hands in {args.test_games:,} test games, "
          f"{test.hidden.sum(1).mean():.1f} hidden cards in each")  # fmt: skip
    print("| belief | nats a hidden card | calibration error | Brier score | CPU seconds |")
    print("|---|---|---|---|---|")
    for seed in range(-1, args.seeds):
        start = time.process_time()
        belief = Uniform() if seed < 0 else fit(train, args.players, seed, args)
        seconds = time.process_time() - start
        (mean, low, high), error, brier = score(belief, test)
        name = "uniform determinization" if seed < 0 else f"network, seed {seed}"
        print(f"| {name} | {mean:.4f} ({low:.4f} – {high:.4f}) | {error:.4f} | {brier:.4f} | "
              f"{seconds:.0f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    print_everywhere()
    main()
