"""The record of a game: everything that the interfaces, agents and training need of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from gubs_env.engine.chance import ChanceEvents
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.compilation import Compiled
from gubs_env.engine.fields import Field
from gubs_env.engine.history import History
from gubs_env.engine.kernel import Batch, Kernel, make_kernel
from gubs_env.engine.mechanics import Mechanics, move_ends
from gubs_env.engine.moves import Move, find_moves, make_lister
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.slices import Slice, highs_of, size_of
from gubs_env.engine.text import Table, painter, table_text
from gubs_env.engine.view import Picture, View


class RuleOptions(Protocol):
    """The options of the rules of a game: a frozen dataclass."""

    def as_dict(self) -> dict[str, Any]:
        """Return the options as plain values, for JSON and for `Rules(**…)`."""
        ...


def same_rules(rng: np.random.Generator, num_players: int, rules: Any) -> Any:
    """Return the rules as they are: nothing varies."""
    return rules


def each_alone(num_players: int, rules: Any) -> np.ndarray:
    """Return the sides of a game without partners."""
    return np.arange(num_players)


def one_win(num_players: int, rules: Any) -> float:
    """Return 1, which a game pays that pays for the win only."""
    return 1.0


def no_moves_text() -> str:
    """Return an empty text, for a game that does not say how its moves are written."""
    return ""


def no_words(fault: int, where: int) -> str:
    """Return a fault in words, for a game that declares none."""
    return f"fault {fault} at {where}"


def nothing_is_meaningless(state: Any, field: str, entry: tuple[int, ...]) -> bool:
    """Return False, for a game in whose states every entry means something."""
    return False


@dataclass(frozen=True)
class Game:
    """The functions of one game.

    `states` is always an array with one row for each game, as `new_states` makes it; `state` is one
    row. Every row has the fields of `fields.COMMON_FIELDS`.
    """

    name: str
    """The name of its public module."""
    title: str
    """The name on the box."""
    players: int
    """The default number of players."""
    player_counts: range
    """The numbers of players for which some rules exist."""
    rules: type[Any]
    """The class of the rule options (`RuleOptions`)."""
    state_fields: tuple[Field, ...]
    """The fields of a state, in order."""
    option_fields: tuple[str, ...]
    """The names of the fields that hold rule options, apart from `composition`."""
    check_players: Callable[[int, Any], None]
    """(num_players, rules): raises ValueError unless these can be played together."""
    max_decisions: Callable[[int, Any], int]
    """(num_players, rules) → an upper bound on the number of decisions in a game."""
    is_zero_sum: Callable[[int, Any], bool]
    """(num_players, rules) → whether the payoffs of a finished game sum to zero."""
    sample_table: Callable[[np.random.Generator], tuple[int, Any]]
    """(rng) → a random number of players, and random rules that allow it."""
    new_states: Callable[[int, int, Any], np.ndarray]
    """(count, num_players, rules) → states before anything is dealt."""
    mechanics: Mechanics
    """The compiled rules, which your own Numba code can call."""
    kernel: Kernel
    """The compiled functions that Python calls."""
    outcome: Callable[[Any], Outcome]
    """(state) → the outcome of the game: as it ended, or as if it ended now."""
    num_actions: Callable[[int], int]
    """(num_players) → size of the action space."""
    action_name: Callable[[int, int], str]
    """(action, num_players) → its name."""
    action_index: Callable[[str, int], int]
    """(name, num_players) → the action; inverse of `action_name`."""
    observation_slices: Callable[[int], dict[str, Slice]]
    """(num_players) → the named slices of the observation."""
    lead: Callable[[np.ndarray, int], np.ndarray]
    """(observations, num_players) → float32[batch]: the points of the viewer less those of the best
    opponent, as far as the viewer can see them."""
    table_words: Callable[[View], Table]
    """(view) → the table in words, in parts; seat NOBODY in the view of a spectator."""
    question_words: Callable[[View, Collection[int]], str]
    """(view, legal actions of the viewer) → who has to decide what, or how the game ended."""
    move_texts: Callable[[View, Sequence[tuple[int, ...]]], list[str]]
    """(view, all picks of each move) → the moves in words."""
    pick_text: Callable[[View, int], str]
    """(view, action) → one legal pick of the viewer in words."""
    rules_text: Callable[[], str]
    """() → the rules on one page, for beginners and for prompts."""
    narrate: Callable[[Any, int, Any, int | None], list[str]]
    """(state before, action, state after, viewer or None) → one decision in words."""
    fault_words: Callable[[int, int], str] = no_words
    """(fault, where) → a fault of `Mechanics.find_fault` in words."""
    means_nothing: Callable[[Any, str, tuple[int, ...]], bool] = nothing_is_meaningless
    """(state, field, index of an entry) → whether the entry means nothing in this state, such as
    that of an empty seat."""
    sides: Callable[[int, Any], np.ndarray] = each_alone
    """(num_players, rules) → the side of each player, int64[num_players], numbered from 0.
    Partners, who win and lose together, share a side. `Mechanics.side_of` does this for a state."""
    max_payoff: Callable[[int, Any], float] = one_win
    """(num_players, rules) → the most that a game pays a player or costs them. 1 is for a game that
    pays for the win: its agents are measured by their win rates. With any other number they are
    measured by their payoffs (`pays_wins`)."""
    vary_rules: Callable[[np.random.Generator, int, Any], Any] = same_rules
    """(rng, num_players, rules) → these rules with random values of `varied_options`, which allow
    this number of players."""
    varied_options: tuple[str, ...] = ()
    """The rule options that change how to play and that every observation shows."""
    table_options: tuple[str, ...] = ()
    """The rule options that decide who plays with whom for what: for each of their values, an agent
    is trained anew."""
    moves_text: Callable[[], str] = no_moves_text
    """() → how `move_texts` writes each kind of move, one example a line, for prompts."""
    card_words: tuple[str, ...] = ()
    """The words by which all texts of the game name cards: titles, colours, short names."""
    history: History | None = None
    """The events of a game as rows of numbers; None if nobody wrote them for this game."""
    drawing: str = ""
    """The module whose `draw(view, open_hands)` makes pictures, imported for the first of them; ""
    if the game has none."""
    chance: str = ""
    """The module whose `CHANCE_EVENTS` are those of the game, imported when they are first asked
    for; "" if nobody wrote them."""

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a game of this package by its name: its functions would be compiled anew."""
        if public_game(self.name) is self:
            return public_game, (self.name,)
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def make_rules(self, given: Any = None) -> Any:
        """Return the rules with these options.

        Args:
            given: a mapping of options by name, such as `Rules.as_dict()`; None for the defaults;
                or rules, which are returned as they are.

        Raises:
            TypeError: for anything else, such as the rules of another game.
            ValueError: for an option that the rules do not have, or a value that is not allowed.
        """
        if isinstance(given, self.rules):
            return given
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(
                f"rules of {self.name} are its {self.rules.__name__}(…), a dict of options or "
                f"None, not {given!r}"
            )
        known = [option.name for option in fields(self.rules)]
        if unknown := [str(name) for name in given or () if name not in known]:
            raise ValueError(
                f"the rules of {self.name} have no option {', '.join(unknown)}: there are "
                f"{', '.join(known)}"
            )
        return self.rules(**(given or {}))

    def pays_wins(self, num_players: int, rules: Any) -> bool:
        """Return whether a game pays for the win only, so that more wins are more payoff."""
        return self.max_payoff(num_players, rules) == 1

    def observation_size(self, num_players: int) -> int:
        """Return the length of the observation vector."""
        return size_of(self.observation_slices(num_players))

    def observation_highs(self, num_players: int) -> np.ndarray:
        """Return the largest value of each entry, int8[observation_size]; the least is 0."""
        return highs_of(self.observation_slices(num_players))

    def recorded_history(self) -> History:
        """Return `history`; raise NotImplementedError for a game that has none."""
        if self.history is None:
            raise NotImplementedError(
                f"{self.name} has no history: give its record one, see gubs_env/engine/history.py"
            )
        return self.history

    def chance_events(self) -> ChanceEvents:
        """Return the chance events; raise ValueError for a game that has none."""
        if not self.chance:
            raise ValueError(
                f"the chance events of {self.name} are not known: name a module in `chance` of its "
                "record, see gubs_env/engine/chance.py"
            )
        found: ChanceEvents = import_module(self.chance).CHANCE_EVENTS
        return found

    def event_slices(self) -> dict[str, Slice]:
        """Return the named slices of an event; a column that says nothing is −1."""
        return dict(self.recorded_history().slices)

    def legal_actions(self, view: View) -> np.ndarray:
        """Return the legal actions of the viewer, int64[…]; none if they do not decide."""
        is_over = view.state.phase == self.mechanics.Phase.OVER
        if is_over or view.seat == NOBODY or view.state.actor != view.seat:
            return np.zeros(0, np.int64)
        states = np.array([view.state])
        batch = self.new_batch(states)
        self.kernel.advance(*batch, np.array([LOOK]), 1, False, False)
        return np.flatnonzero(batch.masks[0])

    def new_batch(self, states: np.ndarray) -> Batch:
        """Return empty arrays for games with these states, all with one number of players."""
        count, num_players = len(states), int(states["num_players"][0])
        return Batch(
            states,
            observations=np.zeros((count, self.observation_size(num_players)), np.int8),
            masks=np.zeros((count, self.num_actions(num_players)), np.int8),
            rewards=np.zeros((count, num_players), np.float32),
            dones=np.zeros(count, np.bool_),
            truncations=np.zeros(count, np.bool_),
            actors=np.zeros(count, np.int64),
            rngs=np.zeros((count, 4), np.int64),
        )

    def question(self, view: View) -> str:
        """Return who has to decide what, and why if there is no choice, or how the game ended."""
        return self.question_words(view, self.legal_actions(view))

    def describe(self, view: View, colour: bool = False) -> str:
        """Return a view in words: the table and the question; `colour` adds terminal colours."""
        paint = painter(colour)
        question = paint(self.question(view), "cyan")
        return f"{table_text(self.table_words(view), paint)}\n{question}"

    def legal_moves(self, view: View) -> list[Move]:
        """Return the whole moves of the viewer; none if they do not decide."""
        picks: list[tuple[int, ...]] = [(action,) for action in self.legal_actions(view).tolist()]
        played = picks
        if picks and self.mechanics.next_pick is not move_ends:
            num_actions = self.num_actions(int(view.state.num_players))
            picks, played = find_moves(self.move_lister, view.state, num_actions)
        return list(map(Move, self.move_texts(view, picks), played))

    @cached_property
    def move_lister(self) -> Compiled:
        """`moves.list_moves` for this game, compiled on its first call."""
        return make_lister(self.name, self.mechanics.next_pick, self.mechanics.write_mask)

    def view(self, states: np.ndarray, index: int, player: int) -> View:
        """Return the view of a player in one game, as a copy."""
        copy = states[index : index + 1].copy()
        self.kernel.hide(copy, 0, player)
        return View(player, copy[0], self.drawing)

    def draw(self, view: View, open_hands: bool = False) -> Picture:
        """Return the picture of a view as SVG.

        Args:
            view: a view of this game.
            open_hands: whether the state in it is a whole one, to be drawn with all hands open.

        Raises:
            NotImplementedError: for a game without pictures.
        """
        if not self.drawing:
            raise NotImplementedError(f"{self.name} has no pictures: name a module in `drawing`")
        return Picture(import_module(self.drawing).draw(view, open_hands))

    def spectator_view(self, states: np.ndarray, index: int) -> View:
        """Return what everybody sees of one game, as a copy: its `seat` is NOBODY."""
        copy = states[index : index + 1].copy()
        for player in range(copy[0].num_players):
            self.kernel.hide(copy, 0, player)
        return View(NOBODY, copy[0])

    def payoffs(self, state: Any) -> np.ndarray:
        """Return the payoffs, float32[num_players]: as the game ended, or as if it ended now."""
        payoffs = np.zeros(state.num_players, np.float32)
        self.mechanics.write_payoffs(state, payoffs)
        return payoffs


def public_game(name: str) -> Game | None:
    """Return the game of the public module with this name; None if there is none."""
    try:
        return import_module(f"gubs_env.{name}").GAME
    except ModuleNotFoundError:
        return None


def make_game(
    name: str,
    title: str,
    players: int,
    turn_phase: int,
    modules: Iterable[ModuleType],
    drawing: str = "",
    chance: str = "",
) -> Game:
    """Assemble a game from the modules that define its parts, and compile its kernel.

    Each field of `Mechanics` and `Game` is the object that a module defines under that name;
    `rules` is the class `Rules`.

    Args:
        name: name of its public module, as "gubs_v0".
        title: the name on the box.
        players: default number of players.
        turn_phase: the Phase that begins a turn, or NO_TURNS.
        modules: the modules of the game.
        drawing: the name of the module that draws it; it is not imported now.
        chance: the name of the module of its chance events; it is not imported now.

    Raises:
        TypeError: for a part that no module defines, or that two define differently.
    """
    modules = list(modules)
    optional = set(Mechanics._field_defaults)
    wanted = [slot for slot in Mechanics._fields if slot != "turn_phase"]
    found: dict[str, Any] = {slot: _defined(slot, modules, slot in optional) for slot in wanted}
    mechanics = Mechanics(turn_phase=turn_phase, **_given(found))
    given: dict[str, Any] = {"name": name, "title": title, "players": players}
    given |= {"drawing": drawing, "chance": chance}
    given |= {"mechanics": mechanics, "kernel": make_kernel(name, mechanics)}
    given["rules"] = _defined("Rules", modules)
    parts = {
        field.name: _defined(field.name, modules, field.default is not MISSING)
        for field in fields(Game)
        if field.name not in given
    }
    return Game(**given, **_given(parts))


def _given(parts: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in parts.items() if part is not None}


def _defined(name: str, modules: list[ModuleType], is_optional: bool = False) -> Any:
    """Return the object that the modules define under a name; None for an absent optional part."""
    holders = [module for module in modules if hasattr(module, name)]
    if not holders and not is_optional:
        listed = ", ".join(module.__name__ for module in modules)
        raise TypeError(f"no module of the game defines {name}: looked in {listed}")
    values = {id(getattr(module, name)): getattr(module, name) for module in holders}
    if len(values) > 1:
        listed = ", ".join(module.__name__ for module in holders)
        raise TypeError(f"{name} means different things in {listed}")
    return next(iter(values.values()), None)
