"""Recorded games as data sets of Minari (https://minari.farama.org), for offline learning.

Each seat of a game is an episode, as the environment for one agent shows it: an observation is a
dict of `observation` and `action_mask`, and the payoff comes with the last action.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from gubs_env.api.observations import ObservationForm
from gubs_env.api.registering import environment_id
from gubs_env.engine.table import Table
from gubs_env.records.record import Record, read_records
from gubs_env.support.checks import require_extra
from gubs_env.support.version import __version__

require_extra("minari", "minari")

import minari  # noqa: E402
from minari.data_collector import EpisodeBuffer  # noqa: E402

AT_ONCE = 1000
"""The most episodes that are kept in memory."""
FORM = ObservationForm(as_dict=True)


def to_minari(
    path: str | Path,
    dataset_id: str,
    agents: Collection[str] = (),
    progress: Callable[[int], object] = lambda done: None,
    **details: Any,
) -> minari.MinariDataset:
    """Write recorded games as a data set of Minari, in the folder that Minari keeps its data in.

    Games that are not over are left out, and so are seats that had no decision.

    Args:
        path: a file of records; all games must be of one table.
        dataset_id: the name of the data set, as "gubs/policy-v0".
        agents: only the seats of agents of these names; by default all seats.
        progress: called with the number of episodes so far.
        details: further arguments of `minari.create_dataset_from_buffers`, as `author`.

    Returns:
        The data set. Each episode has as its observations `observation`, int8[T + 1,
        observation_size], and `action_mask`, int8[T + 1, num_actions], the last one at the end of
        the game, with a mask of zeros; and `actions`, int64[T], `rewards`, `terminations` and
        `truncations`, [T].

    Raises:
        ValueError: for games of several tables, no episode, a name that Minari does not allow or
            already has, or a line that is not the record of a game.
        OSError: for files that cannot be read or written.
    """
    episodes, dataset, done = _episodes(path, agents), None, 0
    while chunk := list(islice(episodes, AT_ONCE)):
        buffers = [buffer for _, buffer in chunk]
        if dataset is None:
            dataset = _created(dataset_id, chunk[0][0], buffers, details)
        else:
            dataset.update_dataset_from_buffer(buffers)
        progress(done := done + len(chunk))
    if dataset is None:
        who = f" of {', '.join(sorted(agents))}" if agents else ""
        raise ValueError(f"{path}: no finished game has a decision{who}")
    return dataset


def _created(
    dataset_id: str, table: Table, buffers: list[EpisodeBuffer], details: Mapping[str, Any]
) -> minari.MinariDataset:
    """Return a new data set with some episodes."""
    spec = deepcopy(gymnasium.registry.get(environment_id(table.game.name)))
    if spec is not None:
        players, rules = table.num_players, table.rules.as_dict()
        spec.kwargs = {"num_players": players, "rules": rules, "dict_observations": True}
    described: dict[str, Any] = {
        "description": f"Recorded games of {table.citation}: an episode for each seat.",
        "code_permalink": f"https://pypi.org/project/gubs_env/{__version__}",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # one for each detail that is left out
        return minari.create_dataset_from_buffers(
            dataset_id,
            buffers,
            env=spec,
            observation_space=FORM.space(table),
            action_space=gymnasium.spaces.Discrete(table.num_actions),
            **{**described, **details},
        )


def _episodes(path: str | Path, agents: Collection[str]) -> Iterator[tuple[Table, EpisodeBuffer]]:
    """Yield the episodes of a file of records, each with its table."""
    table = None
    for number, record in enumerate(read_records(path)):
        table = table or record.table
        if record.table != table:
            raise ValueError(
                f"{path}: game {number} is of {record.table}, the first one of {table}: write the "
                "games of each table to a data set of their own"
            )
        if record.outcome is not None:
            for buffer in _seats(record, agents):
                yield table, buffer


def _seats(record: Record, agents: Collection[str]) -> Iterator[EpisodeBuffer]:
    """Yield the episode of each seat of a game."""
    seats = [s for s, name in enumerate(record.agents) if not agents or name in agents]
    seen: dict[int, list[Any]] = {seat: [] for seat in seats}
    played: dict[int, list[int]] = {seat: [] for seat in seats}
    for env, action in record.replay():
        seat = env.possible_agents.index(env.agent_selection)
        if seat in seen:
            seen[seat].append(env.observe(env.agent_selection))
            played[seat].append(action)
    for seat in seats:
        if played[seat]:
            name = env.possible_agents[seat]
            seen[seat].append(env.observe(name))
            yield _episode(seen[seat], played[seat], env.unwrapped, name, record.seed)


def _episode(
    seen: list[dict[str, np.ndarray]], actions: list[int], env: Any, name: str, seed: int | None
) -> EpisodeBuffer:
    """Return an episode that ends as a game in `env` has ended for an agent."""
    last = np.arange(len(actions)) == len(actions) - 1
    return EpisodeBuffer(
        seed=seed,
        observations={key: np.stack([one[key] for one in seen]) for key in seen[0]},
        actions=np.array(actions, np.int64),
        rewards=list(np.where(last, env.rewards[name], 0.0)),
        terminations=list(last & env.terminations[name]),
        truncations=list(last & env.truncations[name]),
    )
