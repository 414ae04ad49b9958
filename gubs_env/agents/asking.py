"""Asking an agent of any kind for its actions, and checking its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from gubs_env.agents.registry import Agent, AnyAgent, MemoryAgent, TextAgent, has_memory

if TYPE_CHECKING:
    from gubs_env.agents.memory import Remembered
    from gubs_env.agents.text_game import TextGame


class Decisions(NamedTuple):
    """Decisions that an agent is asked for; its kind says what it is given of them."""

    observations: np.ndarray
    """As for `Agent.act`; so are `masks` and `rngs`."""
    masks: np.ndarray
    rngs: np.ndarray
    views: Callable[[], np.ndarray]
    """Returns the views, STATE[batch], for an agent that searches."""
    games: Callable[[], Sequence[TextGame]]
    """Returns the games, one for each decision, for an agent that answers in text."""
    recall: Callable[[], Remembered]
    """Returns what the agent remembers, which it writes anew, and the events that are new to it;
    for an agent with a memory."""


def next_decision(
    env: Any,
    observed: Mapping[str, np.ndarray],
    rng: np.ndarray,
    text: Callable[[], TextGame],
    recall: Callable[[np.ndarray], Remembered],
) -> Decisions:
    """Return the decision of the seat that decides in an AEC environment.

    Args:
        env: the environment.
        observed: what the seat observes.
        rng: int64[4], the RNG of the agent.
        text: returns the game as text.
        recall: (history of the seat) → what the agent remembers, as `Memory.recall` returns it.
    """
    seat = env.agent_selection
    return Decisions(
        observed["observation"][None],
        observed["action_mask"][None].copy(),
        rng[None],
        views=lambda: np.array([env.view(seat).state]),
        games=lambda: [text()],
        recall=lambda: recall(env.history(seat)),
    )


def ask(agent: AnyAgent, decisions: Decisions) -> np.ndarray:
    """Return the answer of an agent as an array, unchecked (`check_answer`)."""
    observations, masks, rngs = decisions[:3]
    # isinstance would inspect the protocols at every call, which takes longer than small networks
    if hasattr(agent, "search"):
        answer = agent.search(decisions.views(), rngs)
    elif hasattr(agent, "choose"):
        from gubs_env.agents.text_game import answers

        answer = answers(cast(TextAgent, agent), decisions.games(), rngs)
    elif has_memory(agent):
        answer = cast(MemoryAgent, agent).act(observations, masks, rngs, *decisions.recall())
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
