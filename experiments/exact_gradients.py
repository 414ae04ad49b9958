"""Self-play in Leduc poker by exact gradients and by sampled ones, with a network and a table.

    python experiments/exact_gradients.py  # a table of docs/research/reference-algorithms.md

The loss of the preset `equilibrium`, with the policy gradient of the whole tree instead of that of
sampled games, and with a table of scores instead of a network. The sampled games have the exact
value of each information state as their baseline, so their noise is less than in training.
"""

from __future__ import annotations

import copy
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import tyro
from tqdm import tqdm

from gubs_agents.exploit import WholeGame
from gubs_agents.exploit.equilibrium import Solver
from gubs_agents.exploit.exact import OVER, Listed, listed, tree_to_list
from gubs_agents.networks.descent import falling
from gubs_agents.training.torch_network import new_network, positions_of
from gubs_env import find_table
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

ROOT = Path(__file__).parents[1]
GAME = "leduc_poker_v0"
STEPS_AN_UPDATE, SNAPSHOTS = 8, 128
CLIP, REFERENCE, RANDOM_SHARE, LARGEST_DEVIATION = 0.2, 0.3, 0.02, 7.0
ENTROPY, FOLLOW = (0.05, 0.005), (0.06, 0.005)
"""Options of the preset, and those that fall from the first value to the second."""
RATES = {0: (0.02, 0.002), 512: (2e-3, 1e-4), 2048: (1e-3, 1e-4)}
"""Learning rates by the width of the network; 0 is a table."""


class Slopes(NamedTuple):
    """The policy gradient, before the network."""

    weights: np.ndarray
    """float64[states], how often each information state is met, in parts of 1."""
    gains: np.ndarray
    """float64[states, actions], that part times what each action adds to the surrogate objective,
    its probability times its advantage."""


class Scores(torch.nn.Module):
    """A table of scores in place of a network."""

    def __init__(self, masks: torch.Tensor) -> None:
        super().__init__()
        self.masks, self.scores = masks, torch.nn.Parameter(torch.zeros(masks.shape))

    def forward(self, *_: object) -> tuple[torch.Tensor, None]:
        """Return the log probabilities of all actions, and no values."""
        return torch.log_softmax(torch.where(self.masks, self.scores, -1e9), 1), None


class Tree:
    """A game as a tree, from which both kinds of gradients are taken."""

    def __init__(self, tree: Listed) -> None:
        self.tree, self.masks = tree, tree.masks.astype(np.bool_)
        uniform = self.masks / self.masks.sum(1, keepdims=True)
        self.uniform = uniform[tree.state_of, tree.action_of]
        nodes = np.arange(len(tree.parent))
        self.first = np.searchsorted(tree.parent, nodes)
        self.last = np.searchsorted(tree.parent, nodes, "right") - 1

    def shares(self, policy: np.ndarray) -> np.ndarray:
        """Return the probabilities of pairs as a table, float64[states, actions]."""
        shares = np.zeros(self.masks.shape)
        shares[self.tree.state_of, self.tree.action_of] = policy
        return shares

    def exact(self, policy: np.ndarray) -> tuple[Slopes, np.ndarray]:
        """Return the slopes of the whole tree, and the value of each information state.

        In a part of the games the opponent is random, as in training.
        """
        tree, pairs = self.tree, np.zeros((2, len(policy)))
        for seat in tree.seats:
            own, nodes = tree.seat_of == seat, np.flatnonzero(tree.edge_seat == seat)
            for share, others in ((1 - RANDOM_SHARE, policy), (RANDOM_SHARE, self.uniform)):
                mixed = np.where(own, policy, others)
                worths, reach = tree.worths(mixed, seat)
                _, by_others = tree.reaches(mixed, seat)
                led = by_others[tree.parent[nodes]]
                counts = np.bincount(tree.choice[nodes], led, len(policy))
                pairs += share * reach * np.stack([counts, worths]) * own
        met, worths = pairs
        weights, totals = (np.bincount(tree.state_of, each * policy) for each in (met, worths))
        values = np.divide(totals, weights, out=np.zeros_like(totals), where=weights > 0)
        gains = np.zeros(self.masks.shape)
        advantages = worths - met * values[tree.state_of]
        gains[tree.state_of, tree.action_of] = policy * advantages
        return Slopes(weights / weights.sum(), gains / weights.sum()), values

    def sampled(self, policy: np.ndarray, games: int, rng: np.random.Generator) -> Slopes:
        """Return the slopes of games that are played, in which a random seat learns."""
        tree, (_, values) = self.tree, self.exact(policy)
        seats, is_random = rng.integers(len(tree.seats), size=games), rng.random(games)
        edges = [tree.edges(each) for each in (policy, self.uniform)]
        sums = [each.cumsum() for each in edges]
        at, met = np.zeros(games, np.int64), []
        while (going := np.flatnonzero(tree.seat[at] != OVER)).size:
            nodes, draws = at[going], rng.random(len(going))
            learns = tree.seat[nodes] == seats[going]
            kinds = (is_random[going] < RANDOM_SHARE) & ~learns
            first = self.first[nodes]
            found = [
                np.searchsorted(total, total[first] - each[first] + draws, "right")
                for each, total in zip(edges, sums, strict=True)
            ]
            at[going] = np.where(kinds, found[1], found[0]).clip(first, self.last[nodes])
            met.append(np.stack([going[learns], tree.choice[at[going[learns]]]]))
        games_of, pairs = np.concatenate(met, 1)
        states = tree.state_of[pairs]
        advantages = tree.payoffs[at[games_of], seats[games_of]] - values[states]
        gains = np.zeros(self.masks.shape)
        np.add.at(gains, (states, tree.action_of[pairs]), advantages / len(states))
        return Slopes(np.bincount(states, minlength=len(values)) / len(states), gains)


class Run:
    """A run of self-play.

    Args:
        tree: the game.
        width: units of the network; 0 for a table.
        games: games of an update; 0 for exact gradients.
        updates: number of updates.
        seed: seed of the network and of the games.
    """

    def __init__(self, tree: Tree, width: int, games: int, updates: int, seed: int) -> None:
        self.tree, self.games, self.updates = tree, games, updates
        self.rates, self.rng = RATES[width], np.random.default_rng(seed)
        torch.manual_seed(seed)
        listed = tree.tree
        self.positions = positions_of(listed.observations, tree.masks, torch.device("cpu"))
        self.legal = torch.from_numpy(tree.masks)
        inputs, actions = listed.observations.shape[1], tree.masks.shape[1]
        self.network = new_network(inputs, width, 1, actions) if width else Scores(self.legal)
        self.reference = copy.deepcopy(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), eps=1e-5, fused=True)
        self.snapshots: list[np.ndarray] = []

    def policy(self, network: torch.nn.Module) -> np.ndarray:
        """Return the probability of each pair."""
        with torch.no_grad():
            shares = torch.softmax(network(*self.positions)[0].double(), 1).numpy()
        return shares[self.tree.tree.state_of, self.tree.tree.action_of]

    def train(self) -> None:
        """Learn, and keep snapshots of the policy."""
        for number in range(self.updates):
            progress, policy = number / self.updates, self.policy(self.network)
            if number % max(1, self.updates // SNAPSHOTS) == 0:
                self.snapshots.append(policy)
            slopes = (
                self.tree.sampled(policy, self.games, self.rng)
                if self.games
                else self.tree.exact(policy)[0]
            )
            self._learn(slopes, progress)
            with torch.no_grad():
                pairs = zip(self.reference.parameters(), self.network.parameters(), strict=True)
                for followed, new in pairs:
                    followed.lerp_(new, falling(*FOLLOW, progress))

    def _learn(self, slopes: Slopes, progress: float) -> None:
        """Take some steps of Adam on the loss of `gubs_agents.training.ppo`."""
        self.optimizer.param_groups[0]["lr"] = falling(*self.rates, progress)
        weights = torch.from_numpy(slopes.weights).float()
        gains = torch.from_numpy(slopes.gains).float() / LARGEST_DEVIATION
        with torch.no_grad():
            before = self.network(*self.positions)[0]
            reference = self.reference(*self.positions)[0]
        for _ in range(STEPS_AN_UPDATE):
            log_probs = self.network(*self.positions)[0]
            ratios = (log_probs - before).clamp(-5, 5).exp()
            stays = ((gains > 0) & (ratios > 1 + CLIP)) | ((gains < 0) & (ratios < 1 - CLIP))
            bound = falling(*ENTROPY, progress) * log_probs + REFERENCE * (log_probs - reference)
            shares = log_probs.clamp(min=-80).exp()
            bonds = (weights * (shares * bound).sum(1)).sum()
            loss = bonds - (gains * ratios * ~stays).sum()
            self.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
            self.optimizer.step()


@dataclass(frozen=True)
class Options:
    """Sampled returns, or the network?"""

    updates: int = 3000
    """Updates of each run."""
    widths: tuple[int, ...] = tuple(RATES)
    """Units of the networks; 0 is a table."""
    games: tuple[int, ...] = (0, 8192, 1024)
    """Games of an update; 0 is the whole tree."""
    seeds: int = 1
    """Seeds of each row."""


def main(options: Options) -> None:
    """Print a table: gains of best responses to what each kind of run learned."""
    sys.path.insert(0, str(ROOT))
    from tests import poker

    poker.register("wait", {GAME: "tests.poker.leduc_poker"})
    torch.set_num_threads(1)
    tree, whole = Tree(listed(tree_to_list(find_table(GAME)))), WholeGame(find_table(GAME))
    rows = []
    runs = [(width, games) for games in options.games for width in options.widths]
    for width, games in tqdm(runs, unit=" rows"):
        found = []
        for seed in range(options.seeds):
            run = Run(tree, width, games, options.updates, seed)
            run.train()
            kept = run.policy(run.reference)
            average = Solver(tree.tree).mixture(run.snapshots[len(run.snapshots) // 2 :])
            found.append([whole.exact(tree.shares(each)).gain for each in (kept, average)])
        texts = [", ".join(f"{gain:.3f}" for gain in gains) for gains in zip(*found, strict=True)]
        name = f"{width:,} units" if width else "a table"
        rows.append((f"{games:,} games" if games else "the whole tree", name, *texts))
    print(table(("gradient", "policy", "reference policy", "average of the second half"), rows))


if __name__ == "__main__":
    print_everywhere()
    main(tyro.cli(Options, description=__doc__))
