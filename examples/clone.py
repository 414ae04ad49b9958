"""Behaviour cloning of `ismcts` in one file: record its games, fit a network, let it play.

    pip install -e ".[train,data,arena]"
    python examples/clone.py --processes 2     # most of the time goes into recording
    gubs arena --agents heuristic,policy:weights=runs/clone/clone.safetensors

The search takes milliseconds for a decision, the network microseconds. Read this file from top to
bottom: options, network, learning, evaluation, main. An interrupted recording goes on where it was.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import tyro
from torch import nn
from torch.nn.functional import cross_entropy

import gubs_agents
import gubs_env
from gubs_agents.arena import win_rate
from gubs_agents.networks.network import Weights, load, save
from gubs_agents.training.torch_network import set_layers
from gubs_env.records.dataset import DataSet
from gubs_env.support.output import print_everywhere, progress_bars

COLUMNS = ["observation", "action_mask", "action", "returns"]


@dataclass
class Args:
    """Clone an agent of two-player Gubs from its recorded games."""

    teacher: str = "ismcts:playouts=32+weights=shipped"  # agent that plays both seats
    games: int = 1000  # games to record, all of different deals
    processes: int = 1  # processes that record
    weights: str = ""  # file of the network to start from; random weights without one
    seed: int = 0  # seed of the initial weights and of the order of the decisions
    epochs: int = 12  # passes over the recorded decisions
    width: int = 256  # units in each of the two hidden layers
    minibatch: int = 512  # rows in a minibatch, of which those with one legal action are left out
    learning_rate: float = 1e-3  # initial learning rate of AdamW; falls linearly to 0
    weight_decay: float = 0.05  # weight decay of AdamW
    dropout: float = 0.1  # fraction of the hidden units that is dropped in learning
    value_weight: float = 0.25  # weight of the value loss
    opponent: str = "heuristic"  # agent that the clone is measured against
    deals: int = 2500  # deals of the evaluation, each played from both seats
    out: str = "runs/clone"  # folder for the data set and the network


class Network(nn.Module):
    """Policy and value heads over two shared hidden layers, for `gubs_agents.networks.network`."""

    def __init__(self, observation_size: int, num_actions: int, args: Args) -> None:
        super().__init__()
        first, second = nn.Linear(observation_size, args.width), nn.Linear(args.width, args.width)
        drop = nn.Dropout(args.dropout)
        self.hidden = nn.Sequential(first, nn.ReLU(), drop, second, nn.ReLU(), drop)
        self.policy, self.value = nn.Linear(args.width, num_actions), nn.Linear(args.width, 1)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return logits [batch, num_actions], −10⁹ if illegal, and values [batch]."""
        hidden = self.hidden(torch.log1p(observations.float()))
        return self.policy(hidden).masked_fill(masks == 0, -1e9), self.value(hidden)[:, 0]

    @property
    def linears(self) -> list[nn.Linear]:
        """The layers, the hidden ones first, the value head last."""
        return [layer for layer in self.modules() if isinstance(layer, nn.Linear)]

    def weights(self) -> Weights:
        """Return the weights in the form that the agent `policy` plays and checks."""
        *policy, value = [
            (layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in self.linears
        ]
        return Weights(policy, value)


def losses(network: Network, rows: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Return policy loss, value loss and accuracy over the rows with several legal actions."""
    open_rows = rows["action_mask"].sum(1) > 1
    seen, masks, actions, returns = (rows[name][open_rows] for name in COLUMNS)
    logits, values = network(seen, masks)
    accuracy = (logits.argmax(1) == actions).float().mean()
    return cross_entropy(logits, actions.long()), (values - returns).square().mean(), accuracy


def learn(network: Network, data: DataSet, args: Args) -> None:
    """Fit the network to the games of the split "train"; print the losses on "validation"."""
    optimizer = torch.optim.AdamW(
        network.parameters(), args.learning_rate, weight_decay=args.weight_decay
    )
    batches = data.torch(COLUMNS, "train", batch_size=args.minibatch, seed=args.seed)
    held_out = {k: torch.from_numpy(v) for k, v in data.arrays(COLUMNS, "validation").items()}
    rows_in_all = args.epochs * len(data.arrays(["action"], "train")["action"])
    report("before learning", network, held_out)
    seen = 0
    for epoch in range(args.epochs):
        network.train()
        batches.set_epoch(epoch)
        for rows in batches:
            seen += len(rows["action"])
            optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - seen / rows_in_all)
            policy_loss, value_loss, _ = losses(network, rows)
            optimizer.zero_grad()
            (policy_loss + args.value_weight * value_loss).backward()
            optimizer.step()
        report(f"epoch {epoch + 1}", network, held_out)


def report(when: str, network: Network, held_out: dict[str, torch.Tensor]) -> None:
    """Print the losses on the validation games, without dropout."""
    network.eval()
    with torch.no_grad():
        policy_loss, value_loss, accuracy = losses(network, held_out)
    print(f"{when}: on validation games, policy loss {policy_loss:.3f}, value loss "
          f"{value_loss:.3f}, same move as the teacher {accuracy:.1%}", flush=True)  # fmt: skip


def record(folder: Path, args: Args) -> DataSet:
    """Record the games of the teacher, or those that are still missing, and open the data set."""
    with progress_bars("games") as tell:
        gubs_env.record(
            folder, args.teacher, games=args.games, hidden_state=False, resume=True,
            processes=args.processes, progress=tell,
        )  # fmt: skip
    return gubs_env.load_dataset(folder)


def evaluate(path: Path, args: Args) -> Any:
    """Return the win rate of a saved network on deals that were not recorded, with an interval."""
    clone = gubs_agents.make("policy", seed=0, weights=str(path))
    return win_rate(clone, gubs_agents.make(args.opponent, seed=0), deals=args.deals)


def main() -> None:
    """Record, learn, save and evaluate."""
    args = tyro.cli(Args)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    out, start = Path(args.out), time.process_time()
    data = record(out / "data", args)
    table = gubs_env.find_table("gubs")
    network = Network(table.observation_size, table.num_actions, args)
    if args.weights:
        set_layers(network.linears, load(args.weights, table))
    learn(network, data, args)
    path = out / "clone.safetensors"
    save(path, network.weights(), table)
    print(f"{path}: {evaluate(path, args)} against {args.opponent}, 95 % interval over deals; "
          f"{(time.process_time() - start) / 60:.1f} CPU minutes in this process")  # fmt: skip


if __name__ == "__main__":
    print_everywhere()
    main()
