"""Learners whose networks are no perceptrons, for the tests of the trainer."""

from __future__ import annotations

import copy
import multiprocessing
import os
import signal

import numpy as np
import torch

from gubs_agents.training.distributed import average_gradients, rank
from gubs_agents.training.ppo import PPOLearner
from gubs_agents.training.torch_network import ILLEGAL, network_state, restore_network
from gubs_env import find_game
from gubs_env.agents.sampling import sample_actions


class Attention(torch.nn.Module):
    """Attention over patches of an observation."""

    def __init__(self, entries, num_actions, patch=64, width=32):
        super().__init__()
        self.patch, self.left = patch, -entries % patch
        patches = (entries + self.left) // patch
        self.place = torch.nn.Parameter(torch.randn(patches, width) / 10)
        self.token = torch.nn.Linear(patch, width)
        self.attention = torch.nn.MultiheadAttention(width, 2, batch_first=True)
        self.scores = torch.nn.Linear(patches * width, num_actions)

    def forward(self, observations, masks):
        counts = torch.log1p(torch.as_tensor(observations).float())
        counts = torch.nn.functional.pad(counts, (0, self.left))
        tokens = torch.relu(self.token(counts.unflatten(1, (-1, self.patch))) + self.place)
        found, _ = self.attention(tokens, tokens, tokens, need_weights=False)
        scores = self.scores((tokens + found).flatten(1))
        return torch.log_softmax(scores.masked_fill(torch.as_tensor(masks) == 0, ILLEGAL), 1)


class AttentionPlayer:
    """An agent that plays with an `Attention`."""

    def __init__(self, network, draw):
        self.network, self.draw = network, draw

    @torch.no_grad()
    def act(self, observations, masks, rngs=None):
        log_probs = self.network(observations, masks)
        return sample_actions(log_probs.exp(), rngs) if self.draw else log_probs.argmax(1).numpy()


class AttentionLearner:
    """REINFORCE with an `Attention`."""

    def __init__(self, options, env):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(options.seed)
            sizes = env.observation_space.shape[0], int(env.action_space.n)
            self.network = self.make_network(*sizes, find_game(options.game))
        self.optimizer = torch.optim.Adam(self.network.parameters(), 1e-2)
        self.rng = torch.Generator().manual_seed(options.seed)

    def make_network(self, entries, num_actions, game):
        return Attention(entries, num_actions)

    @torch.no_grad()
    def act(self, observations, masks):
        probabilities = self.network(observations, masks).exp()
        return probabilities.multinomial(1, generator=self.rng)[:, 0].numpy(), {}

    def make_player(self, weights, draw):
        return AttentionPlayer(self.network_of(weights), draw)

    def network_of(self, weights):
        network = copy.deepcopy(self.network)
        network.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
        return network

    def log_probs_of(self, rollout):
        return self.network(*(part.reshape(-1, part.shape[-1]) for part in rollout[:2]))

    def learn(self, rollout, progress):
        gains = torch.from_numpy(gains_of(rollout)).ravel()
        actions = torch.from_numpy(rollout.actions).ravel()
        chosen = self.log_probs_of(rollout).gather(1, actions[:, None])[:, 0]
        return {"loss": self._step(-(chosen * (gains - gains.mean())).mean())}

    def _step(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        average_gradients(self.network.parameters())
        self.optimizer.step()
        return loss.item()

    def imitate(self, batches):
        for observations, masks, actions, _ in batches:
            log_probs = self.network(observations, masks)
            self._step(torch.nn.functional.nll_loss(log_probs, torch.from_numpy(actions)))

    def weights(self):
        return {name: part.numpy().copy() for name, part in self.network.state_dict().items()}

    def set_weights(self, weights):
        self.network.load_state_dict({k: torch.tensor(array) for k, array in weights.items()})

    def state(self):
        rng = {"rng/act": self.rng.get_state().numpy()}
        return network_state(self.network, self.optimizer) | rng, {}

    def restore(self, arrays, numbers):
        restore_network(self.network, self.optimizer, arrays)
        self.rng.set_state(torch.from_numpy(arrays["rng/act"]))


def gains_of(rollout):
    """Return the sum of the rewards from each decision to the end of its game, [steps, games]."""
    gains, following = np.zeros_like(rollout.rewards), np.zeros_like(rollout.rewards[0])
    for step in reversed(range(len(gains))):
        following = rollout.rewards[step] + np.where(rollout.dones[step], 0, following)
        gains[step] = following
    return gains


class Memory(torch.nn.Module):
    """A GRU from one decision of a seat to its next, which reads the events in between."""

    def __init__(self, entries, num_actions, num_events, event_size, width):
        super().__init__()
        self.seen = torch.nn.Linear(entries, width)
        self.told = torch.nn.Linear(num_events * event_size, width)
        self.memory = torch.nn.GRUCell(width, width)
        self.scores = torch.nn.Linear(width, num_actions)

    def forward(self, observations, masks, memories, events):
        """Return log probabilities, and the memories after the decisions."""
        told = self.told(torch.as_tensor(events).float().flatten(1) + 1)
        seen = self.seen(torch.log1p(torch.as_tensor(observations).float()))
        memories = self.memory(torch.relu(seen + told), torch.as_tensor(memories))
        scores = self.scores(memories).masked_fill(torch.as_tensor(masks) == 0, ILLEGAL)
        return torch.log_softmax(scores, 1), memories


class MemoryPlayer:
    """An agent that plays with a `Memory`."""

    def __init__(self, network, num_events, draw):
        self.network, self.draw = network, draw
        self.memory_size, self.num_events = network.memory.hidden_size, num_events

    @torch.no_grad()
    def act(self, observations, masks, rngs, memories, events):
        log_probs, after = self.network(observations, masks, memories, events)
        memories[:] = after
        return sample_actions(log_probs.exp(), rngs) if self.draw else log_probs.argmax(1).numpy()


class MemoryLearner(AttentionLearner):
    """REINFORCE with a `Memory`, through all decisions of a rollout."""

    memory_size, num_events = 16, 6

    def make_network(self, entries, num_actions, game):
        event_size = game.history.event_size
        return Memory(entries, num_actions, self.num_events, event_size, self.memory_size)

    @torch.no_grad()
    def act(self, observations, masks, memories, events):
        log_probs, after = self.network(observations, masks, memories, events)
        memories[:] = after
        return log_probs.exp().multinomial(1, generator=self.rng)[:, 0].numpy(), {}

    def make_player(self, weights, draw):
        return MemoryPlayer(self.network_of(weights), self.num_events, draw)

    def walk(self, rollout):
        """Return the log probabilities of a rollout, and the memories before each decision."""
        memories, found = torch.from_numpy(rollout.extras["memories"][0]), []
        arrays = rollout.observations, rollout.masks, rollout.extras["events"], rollout.starts
        for observations, masks, events, starts in zip(*arrays, strict=True):
            before = memories * ~torch.from_numpy(starts)[:, None]
            log_probs, memories = self.network(observations, masks, before, events)
            found.append((log_probs, before))
        return (torch.stack(part) for part in zip(*found, strict=True))

    def log_probs_of(self, rollout):
        return next(self.walk(rollout)).flatten(0, 1)


class InterruptedLearner(PPOLearner):
    """PPO during whose third update somebody presses Ctrl-C: the command is interrupted."""

    updates = 0

    def learn(self, rollout, progress):
        self.updates += 1
        if self.updates == 3 and rank() == 0:
            command = multiprocessing.parent_process()
            os.kill(command.pid if command else os.getpid(), signal.SIGINT)
        return super().learn(rollout, progress)
