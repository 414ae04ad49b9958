"""What a game leaves out of its record: parts that follow from the others, or that say nothing.

They are functions of a module, bound to the parts they need, so that a game can be pickled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import Enum
from functools import partial
from typing import Any

import numpy as np

from gubs_env.engine.compiling import compiled
from gubs_env.engine.fields import COMMON_FIELDS, Field, Seen, state_dtype
from gubs_env.engine.history import History, new_event, relative
from gubs_env.engine.kernel import make_kernel
from gubs_env.engine.mechanics import Mechanics
from gubs_env.engine.options import is_whole
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.slices import lay_out
from gubs_env.engine.text import Line, SeatWords, TableWords, Trick, player_name, viewer_name
from gubs_env.engine.view import View

FEW_MOVES = 4
"""The most moves that are named in a question."""
TRIES = 20
"""The most random rules that are tried before a table has the default ones."""
DEFAULT: Any = None
"""The value of a part of a record that the game leaves out."""


def parts_of(game: Any) -> dict[str, Any]:
    """Return the parts of a `Game` that follow from its others, by name."""
    fields = game.state_fields
    outcome = game.outcome or partial(outcome_of, game.mechanics)
    pick_text = game.pick_text or partial(name_of_pick, game.action_names)
    allows = game.check_players or partial(check_players, game.title, game.player_counts)
    return {
        "outcome": outcome,
        "pick_text": pick_text,
        "kernel": game.kernel or make_kernel(game.name, game.mechanics),
        "check_players": allows,
        "sample_table": partial(
            sample_table,
            game.player_counts,
            game.rules,
            [field for field in fields if field.name in game.option_fields],
            allows,
        ),
        "new_states": partial(new_states, fields, game.option_fields, game.deck_field),
        "table_words": partial(
            table_words, game.title, fields, game.player_counts[-1], game.mechanics
        ),
        "question_words": partial(question_words, game.mechanics, outcome, pick_text),
        "move_texts": partial(move_texts, pick_text),
        "rules_text": partial(text, game.title),
        "narrate": partial(narrate, game.mechanics, game.action_names, outcome),
    }


# ---------------------------------------------------------------------------- players and options


def check_players(title: str, counts: range, num_players: int, rules: Any) -> None:
    """Raise ValueError unless this number of players can play."""
    if not is_whole(num_players) or num_players not in counts:
        most = "" if len(counts) == 1 else f" to {counts[-1]}"
        allowed = f"{counts[0]}{most}"
        raise ValueError(f"num_players={num_players!r}: {title} is for {allowed} players")


def always_zero_sum(table: Any) -> bool:
    """Return True."""
    return True


def one_win(table: Any) -> float:
    """Return 1, which a game pays that pays for the win only."""
    return 1.0


def sample_table(
    counts: range,
    rules: type[Any],
    options: Sequence[Field],
    allows: Callable[[int, Any], None],
    rng: np.random.Generator,
) -> tuple[int, Any]:
    """Return a random number of players, and random rules that allow it; the default rules if few
    do."""
    for _ in range(TRIES if options else 0):
        num_players = int(rng.integers(counts.start, counts.stop))
        drawn = {field.name: int(rng.integers(field.low, field.high + 1)) for field in options}
        try:
            sampled = rules(**drawn)
            allows(num_players, sampled)
        except (TypeError, ValueError):
            continue
        return num_players, sampled
    return int(rng.integers(counts.start, counts.stop)), rules()


def same_rules(rng: np.random.Generator, table: Any) -> Any:
    """Return the rules of a table as they are: nothing varies."""
    return table.rules


def each_alone(table: Any) -> np.ndarray:
    """Return the sides of a game without partners."""
    return np.arange(table.num_players)


def new_states(
    fields: Sequence[Field], options: Sequence[str], deck: str, count: int, table: Any
) -> np.ndarray:
    """Return states before anything is dealt: least values, the options of the rules, the deck."""
    states = np.zeros(count, state_dtype(fields))
    for field in fields:
        states[field.name] = field.low
    states["num_players"] = states["num_seats"] = table.num_players
    states["actor"] = 0
    for name in options:
        states[name] = getattr(table.rules, name)
    if deck:
        states[deck] = table.rules.composition()
    return states


# ------------------------------------------------------------------------------ points and payoffs


class Decided(Enum):
    """The reason why a game ended as it did."""

    PAYOFF = "the payoff"
    SHARED = "shared"


def outcome_of(mechanics: Mechanics, state: Any) -> Outcome:
    """Return the outcome by payoffs: the largest one wins; whole payoffs are the scores."""
    payoffs = payoffs_of(mechanics, state).tolist()
    is_won = not mechanics.is_truncated(state)
    won = [player for player, paid in enumerate(payoffs) if is_won and paid == max(payoffs)]
    scores = [int(paid) for paid in payoffs]
    if scores != payoffs:
        scores = [int(player in won) for player in range(len(payoffs))]
    return Outcome(tuple(scores), tuple(won), Decided.PAYOFF if len(won) == 1 else Decided.SHARED)


def payoffs_of(mechanics: Mechanics, state: Any) -> np.ndarray:
    """Return the payoffs, float32[num_players]."""
    payoffs = np.zeros(state.num_players, np.float32)
    mechanics.write_payoffs(state, payoffs)
    return payoffs


def no_lead(observations: np.ndarray, num_players: int) -> np.ndarray:
    """Return zeros, for a game without points."""
    return np.zeros(len(observations), np.float32)


# ------------------------------------------------------------------------------------------ words


def table_words(
    title: str, fields: Sequence[Field], most: int, mechanics: Mechanics, view: View
) -> TableWords:
    """Return the fields in words: those with an entry for each seat there, the others between."""
    state, side_of = view.state, mechanics.side_of
    shown = [field for field in fields[len(COMMON_FIELDS) :] if field.seen is not Seen.BY_NOBODY]
    by_seat = [field for field in shown if field.shape[:1] == (most,)]
    middle = [field for field in shown if field not in by_seat]
    seats = []
    for seat in range(view.state.num_players):
        marks = ["you"] if seat == view.seat else []
        if seat != view.seat != NOBODY and side_of(state, seat) == side_of(state, view.seat):
            marks = ["partner"]
        own = view.seat == seat or state.phase == mechanics.Phase.OVER
        facts = [_field_words(field, state, state[field.name][seat], own) for field in by_seat]
        seats.append(SeatWords(player_name(seat), marks, ", ".join(facts)))
    lines = [Line(_field_words(field, state, state[field.name])) for field in middle]
    return TableWords(f"{title}, seen by {viewer_name(view.seat)}", seats, view.seat, lines)


def _field_words(field: Field, state: Any, value: Any, own: bool = True) -> str:
    """Return a field in words: its name and its values, or that a player may not see them."""
    is_hidden = field.seen is Seen.BY_OWNER and not own and np.all(value == field.low)
    words = "hidden" if is_hidden else field.words(value, state)
    return f"{field.name.replace('_', ' ')}: {words}"


def question_words(
    mechanics: Mechanics,
    outcome: Callable[[Any], Outcome],
    pick_text: Callable[[View, int], str],
    view: View,
    legal: Collection[int],
) -> str:
    """Return who has to decide what, or how the game ended."""
    if view.state.phase == mechanics.Phase.OVER:
        return ending(mechanics, outcome, view.state)
    if view.state.actor != view.seat:
        return f"Waiting for {player_name(view.state.actor)}"
    if len(legal) > FEW_MOVES:
        return f"You: choose one of {len(legal)} moves"
    return "You: " + " or ".join(small(pick_text(view, action)) for action in legal)


def small(text: str) -> str:
    """Return a text with a small first letter, unless the first word is all in capitals."""
    return text if text[:2].isupper() else text[:1].casefold() + text[1:]


def ending(mechanics: Mechanics, outcome: Callable[[Any], Outcome], state: Any) -> str:
    """Return how a game ended: the winners, and the payoff of each player."""
    winners = outcome(state).winners
    how = f"won by {' and '.join(map(player_name, winners)) or 'nobody'}"
    how = "a draw" if len(winners) == state.num_players else how
    paid = " : ".join(f"{payoff + 0:+g}" for payoff in payoffs_of(mechanics, state))
    return f"The game is over: {how} ({paid})"


def name_of_pick(names: Callable[[int, Any], Sequence[str]], view: View, action: int) -> str:
    """Return the name of an action as a word: `Bet`."""
    return action_words(names(int(view.state.num_players), view.state)[action], str.capitalize)


def action_words(name: str, written: Callable[[str], str] = str.casefold) -> str:
    """Return the name of an action as words, which are `written` if the name is all in capitals."""
    words = name.replace("_", " ")
    return written(words) if words.isupper() else words


def move_texts(
    pick_text: Callable[[View, int], str], view: View, moves: Sequence[tuple[int, ...]]
) -> list[str]:
    """Return whole moves in words, pick by pick."""
    return [", ".join(pick_text(view, pick) for pick in picks) for picks in moves]


def narrate(
    mechanics: Mechanics,
    names: Callable[[int, Any], Sequence[str]],
    outcome: Callable[[Any], Outcome],
    before: Any,
    action: int,
    after: Any,
    viewer: int,
) -> list[str]:
    """Return who chose which action, and how the game ended."""
    chosen = action_words(names(int(before.num_players), before)[action])
    lines = [f"{player_name(before.actor)}: {chosen}"]
    is_over = after.phase == mechanics.Phase.OVER
    return [*lines, ending(mechanics, outcome, after)] if is_over else lines


def no_trick(before: Any, action: int, after: Any) -> Trick | None:
    """Return None, for a game without tricks."""
    return None


def text(words: str) -> str:
    """Return a text that is always the same."""
    return words


def no_answers() -> dict[str, list[str]]:
    return {}


def fault_words(fault: int, where: int) -> str:
    """Return a fault in words, for a game that declares none."""
    return f"fault {fault} at {where}"


def nothing_is_meaningless(state: Any, field: str, entry: tuple[int, ...]) -> bool:
    """Return False, for a game in whose states every entry means something."""
    return False


# ---------------------------------------------------------------------------------------- history

SEATS, ACTIONS = COMMON_FIELDS[0].high, 127


@compiled
def write_chosen(before, action, after, viewer, events, count):
    """Write the event of one decision: its seat and its action."""
    event = new_event(events, count)
    event[0] = relative(before, viewer, before.actor)
    event[1] = action


COLUMNS = (
    ("seat", (1,), SEATS - 1, "who decided, in places clockwise of the viewer"),
    ("action", (1,), ACTIONS, "the action"),
)
OPEN_ACTIONS = History(lay_out(COLUMNS), write_chosen, most_events=1)
"""The history of a game whose actions all players see."""
