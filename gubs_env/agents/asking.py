"""Asking an agent of any kind for its actions, and checking its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from gubs_env.agents.registry import Agent, AnyAgent, MemoryAgent, TextAgent, has_memory

if TYPE_CHECKING:
    from gubs_env.agents.memory import Remembered
    from gubs_env.agents.text_game import TextGame


def ask(
    agent: AnyAgent,
    views: Callable[[], np.ndarray],
    observations: np.ndarray,
    masks: np.ndarray,
    rngs: np.ndarray,
    games: Callable[[], Sequence[TextGame]],
    remembered: Callable[[], Remembered],
) -> np.ndarray:
    """Return the answer of an agent as an array, unchecked (`check_answer`).

    Args:
        agent: the agent.
        views: returns the views, STATE[batch]; it is called for an agent that searches.
        observations, masks, rngs: as for `Agent.act`.
        games: returns the games, one for each decision; it is called for an agent that answers in
            text.
        remembered: returns what the agent remembers, which it writes anew, and the events that are
            new to it; it is called for an agent with a memory.
    """
    # isinstance would inspect the protocols at every call, which takes longer than small networks
    if hasattr(agent, "search"):
        answer = agent.search(views(), rngs)
    elif hasattr(agent, "choose"):
        from gubs_env.agents.text_game import answers

        answer = answers(cast(TextAgent, agent), games(), rngs)
    elif has_memory(agent):
        answer = cast(MemoryAgent, agent).act(observations, masks, rngs, *remembered())
    else:
        answer = cast(Agent, agent).act(observations, masks, rngs)
    try:
        return np.asarray(answer)
    except ValueError:  # lists of different lengths
        return np.asarray(None)


def check_answer(answer: np.ndarray, masks: np.ndarray, label: str) -> None:
    """Raise ValueError unless an agent's answer is one legal action for each mask.

    Args:
        answer: what the agent returned, as an array.
        masks: int8[batch, num_actions], the masks that it was given.
        label: the name of the agent, for the error.
    """
    if answer.shape != (len(masks),) or answer.dtype.kind not in "iu":
        raise ValueError(
            f"agent {label!r} answered {len(masks)} decisions with {answer.dtype} of shape "
            f"{answer.shape}; it must return integers of shape ({len(masks)},), an action for each"
        )
    legal = are_legal(answer, masks)
    if not legal.all():
        row = int(np.flatnonzero(~legal)[0])
        raise ValueError(
            f"agent {label!r} chose action {answer[row]}, which is not legal; the legal actions "
            f"are {masks[row].nonzero()[0].tolist()}"
        )


def are_legal(actions: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return whether each action, int[count], is legal in its mask, int8[count, num_actions]."""
    inside = (actions >= 0) & (actions < masks.shape[1])
    return inside & (masks[np.arange(len(masks)), np.where(inside, actions, 0)] != 0)
