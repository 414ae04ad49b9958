"""The record of a game: everything that the interfaces, agents and training need of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property, partial
from importlib import import_module
from inspect import signature
from types import ModuleType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from gubs_env.engine import defaults
from gubs_env.engine.chance import ChanceEvents
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.compiling import Compiled
from gubs_env.engine.defaults import DEFAULT
from gubs_env.engine.fields import Field, copied
from gubs_env.engine.history import History, make_teller
from gubs_env.engine.kernel import Batch, Kernel
from gubs_env.engine.mechanics import Mechanics, move_ends
from gubs_env.engine.moves import Move, find_moves, make_lister
from gubs_env.engine.options import RuleOptions
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.slices import Slice, size_of
from gubs_env.engine.text import TableWords, Trick, painter, table_text
from gubs_env.engine.view import Picture, Size, View


@dataclass(frozen=True, kw_only=True)
class Game:
    """The functions of one game.

    Functions of a `table` receive a `Table`: this game with a number of players and rules.
    `states` is always an array with one row for each game, as `new_states` makes it; `state` is one
    row. Every row has the fields of `fields.COMMON_FIELDS`.
    """

    name: str
    """The name of its public module, as "gubs_v0"."""
    title: str
    """The name on the box."""
    player_counts: range
    """The numbers of players for which some rules exist."""
    players: int
    """The default number of players."""
    state_fields: tuple[Field, ...]
    """The fields of a state, in order (`fields.with_common`)."""
    action_names: Callable[[int, Any], tuple[str, ...]]
    """(num_players, rules) → the names of all actions, in order. A state can stand for the rules:
    it has those options on which the names depend."""
    observation_slices: Callable[[int, Any], dict[str, Slice]]
    """(num_players, rules) → the named slices of the observation. A state can stand for the rules,
    as above."""
    max_decisions: Callable[[Any], int]
    """(table) → an upper bound on the number of decisions in a game."""
    mechanics: Mechanics
    """The compiled rules, which your own Numba code can call."""

    rules: type[Any] = RuleOptions
    """The class of the rule options."""
    option_fields: tuple[str, ...] = ()
    """The names of the fields that hold rule options, apart from `deck_field`."""
    check_players: Callable[[int, Any], None] = DEFAULT
    """(num_players, rules): raises ValueError unless these can be played together. Default: any of
    `player_counts` with any rules."""
    is_zero_sum: Callable[[Any], bool] = defaults.always_zero_sum
    """(table) → whether the payoffs of a finished game sum to zero."""
    sample_table: Callable[[np.random.Generator], tuple[int, Any]] = DEFAULT
    """(rng) → a random number of players, and rules that allow it, with random values of what
    `vary_rules` leaves as it is. Default: `option_fields` at random in their ranges."""
    new_states: Callable[[int, Any], np.ndarray] = DEFAULT
    """(count, table) → states before anything is dealt. Default: all fields hold
    their least values, and `option_fields` the options of the same names."""
    outcome: Callable[[Any], Outcome] = DEFAULT
    """(state) → the outcome of the game: as it ended, or as if it ended now. Default: those
    with the largest payoff have won, and whole payoffs are the scores."""
    lead: Callable[[np.ndarray, int], np.ndarray] = defaults.no_lead
    """(observations, num_players) → float32[batch]: the points of the viewer less those of the best
    opponent, as far as the viewer can see them."""
    table_words: Callable[[View], TableWords] = DEFAULT
    """(view) → the table in words, in parts; seat NOBODY in the view of a spectator. Default: the
    fields by name, each value in the words of `Field.names`."""
    question_words: Callable[[View, Collection[int]], str] = DEFAULT
    """(view, legal actions of the viewer) → who has to decide what, or how the game ended. Who
    decides is asked as "You: draw a card"; then others can be told it too."""
    pick_text: Callable[[View, int], str] = DEFAULT
    """(view, action) → one legal pick of the viewer in words. Default: the name of the action."""
    move_texts: Callable[[View, Sequence[tuple[int, ...]]], list[str]] = DEFAULT
    """(view, all picks of each move) → the moves in words. Default: the picks in words."""
    rules_text: Callable[[], str] = DEFAULT
    """() → the rules on one page, for beginners and for prompts. Default: the title."""
    narrate: Callable[[Any, int, Any, int], list[str]] = DEFAULT
    """(state before, action, state after, viewer) → one decision in words, as a player saw it; for
    NOBODY, as everybody saw it. Default: who
    chose which action, which everybody sees."""
    ended_trick: Callable[[Any, int, Any], Trick | None] = defaults.no_trick
    """(state before, action, state after) → the trick that the decision ended, for pictures that
    move; None if it ended none."""
    history: History = defaults.OPEN_ACTIONS
    """The events of a game as rows of numbers. Default: who chose which action, which everybody
    sees."""
    fault_words: Callable[[int, int], str] = defaults.fault_words
    """(fault, where) → a fault of `Mechanics.find_fault` in words."""
    means_nothing: Callable[[Any, str, tuple[int, ...]], bool] = defaults.nothing_is_meaningless
    """(state, field, index of an entry) → whether the entry means nothing in this state, such as
    that of an empty seat."""
    sides: Callable[[Any], np.ndarray] = defaults.each_alone
    """(table) → the side of each player, int64[num_players], numbered from 0.
    Partners, who win and lose together, share a side. `Mechanics.side_of` does this for a state."""
    max_payoff: Callable[[Any], float] = defaults.one_win
    """(table) → the most that a game pays a player or costs them. 1 is for a game that
    pays for the win: its agents are measured by their win rates. With any other number they are
    measured by their payoffs (`Table.pays_wins`)."""
    vary_rules: Callable[[np.random.Generator, Any], Any] = defaults.same_rules
    """(rng, table) → its rules with random values of `varied_options`, which allow its number of
    players."""
    varied_options: tuple[str, ...] = ()
    """The rule options that change how to play and that every observation shows."""
    table_options: tuple[str, ...] = ()
    """The rule options that decide who plays with whom for what, or on which actions and
    observations depend: for each of their values, an agent is trained anew."""
    moves_text: str = ""
    """How `move_texts` writes each kind of move, one example a line, for prompts."""
    card_words: tuple[str, ...] = ()
    """The words by which all texts of the game name cards: titles, colours, short names."""
    answers: Callable[[], Mapping[str, Sequence[str]]] = defaults.no_answers
    """() → the titles of the cards that can answer each card out of turn, by its title. Default:
    nothing is answered."""
    drawing: str = ""
    """The module whose `draw(view, open_hands, size)` makes pictures, imported for the first of
    them; "" for a game that cannot be drawn. `define_game` gives one that shows the words."""
    chance: str = ""
    """The module whose `CHANCE_EVENTS` are those of the game, imported when they are first asked
    for; "" if nobody wrote them."""
    deck_field: str = ""
    """The field that counts the cards of the whole deck by kind, of which a position may leave some
    out; "" if there is none."""
    module: str = ""
    """The module that holds this record as `GAME`; the game is pickled by its name."""
    kernel: Kernel = DEFAULT
    """The compiled functions that Python calls, made from `mechanics`."""

    @classmethod
    def of_modules(cls, modules: Sequence[ModuleType], **parts: Any) -> Game:
        """Return the game whose parts and `mechanics` are in some modules by their names.

        Args:
            modules: the modules of the game.
            parts: the parts that are not there.
        """
        mechanics = Mechanics(**parts_in(modules, Mechanics._fields))
        names = [field.name for field in fields(cls) if field.name not in parts]
        return cls(mechanics=mechanics, **parts, **parts_in(modules, names))

    def __post_init__(self) -> None:
        for name, part in defaults.parts_of(self).items():
            if getattr(self, name) is DEFAULT:
                object.__setattr__(self, name, part)
        check_signatures(self.name, Game, vars(self))
        check_signatures(self.name, Mechanics, self.mechanics._asdict())

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a game by its module, if that holds it: its functions would be compiled anew."""
        if self.module != "__main__" and game_in(sys.modules.get(self.module)) is self:
            return game_in, (self.module,)
        return partial(
            Game, **{field.name: getattr(self, field.name) for field in fields(self)}
        ), ()

    def make_rules(self, options: Any = None) -> Any:
        """Return the rules with these options.

        Args:
            options: a mapping of options by name, such as `Rules.as_dict()`; None for the defaults;
                or rules, which are returned as they are.

        Raises:
            TypeError: for anything else, such as the rules of another game.
            ValueError: for an option that the rules do not have, or a value that is not allowed.
        """
        if isinstance(options, self.rules):
            return self._in_range(options)
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(
                f"rules of {self.name} are its {self.rules.__name__}(…), a dict of options or "
                f"None, not {options!r}"
            )
        known = [option.name for option in fields(self.rules)]
        if unknown := [str(name) for name in options or () if name not in known]:
            raise ValueError(
                f"the rules of {self.name} have no option {', '.join(unknown)}: there are "
                f"{', '.join(known)}"
            )
        return self._in_range(self.rules(**(options or {})))

    def _in_range(self, rules: Any) -> Any:
        """Return rules; raise ValueError for an option that the field of its name cannot hold."""
        for field in self.state_fields:
            if field.name in self.option_fields and hasattr(rules, field.name) and not field.shape:
                value = getattr(rules, field.name)
                is_number = isinstance(value, int | np.integer | np.bool_)
                if not is_number or not field.low <= value <= field.high:
                    raise ValueError(
                        f"rules option {field.name}={value!r}: {self.title} takes {field.low} to "
                        f"{field.high}"
                    )
        return rules

    @property
    def size_options(self) -> tuple[str, ...]:
        """The options on which the numbers of actions and of entries of an observation depend: all
        states of an array have the same."""
        return tuple(name for name in self.table_options if name in self.option_fields)

    def chance_events(self) -> ChanceEvents:
        """Return the chance events; raise ValueError for a game that has none."""
        if not self.chance:
            raise ValueError(
                f"the chance events of {self.name} are not known: name a module in `chance` of its "
                "record, see gubs_env/engine/chance.py"
            )
        events: ChanceEvents = import_module(self.chance).CHANCE_EVENTS
        return events

    def event_slices(self) -> dict[str, Slice]:
        """Return the named slices of an event; a column that says nothing is −1."""
        return dict(self.history.slices)

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
        """Return empty arrays for games with these states.

        All have one number of players, and the same values of `size_options`.
        """
        count, first, num_players = len(states), states[0], int(states["num_players"][0])
        observation_size = size_of(self.observation_slices(num_players, first))
        num_actions = len(self.action_names(num_players, first))
        return Batch(
            states,
            observations=np.zeros((count, observation_size), np.int8),
            masks=np.zeros((count, num_actions), np.int8),
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
        every, played = self.legal_picks(view)
        return list(map(Move, self.move_texts(view, every), played))

    def legal_picks(self, view: View) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
        """Return (all picks of each legal move, those of them that are actions to play)."""
        picks: list[tuple[int, ...]] = [(action,) for action in self.legal_actions(view).tolist()]
        if not picks or self.mechanics.next_pick is move_ends:
            return picks, picks
        num_actions = len(self.action_names(int(view.state.num_players), view.state))
        return find_moves(self.move_lister, view.state, num_actions)

    @cached_property
    def move_lister(self) -> Compiled:
        """`moves.list_moves` for this game, compiled on its first call."""
        return make_lister(self.name, self.mechanics.next_pick, self.mechanics.write_mask)

    @cached_property
    def teller(self) -> Compiled:
        """`history.tell` for this game, compiled on its first call."""
        return make_teller(self.name, self.history)

    def view(self, states: np.ndarray, index: int, player: int) -> View:
        """Return the view of a player in one game, as a copy."""
        copy = copied(states[index : index + 1])
        self.kernel.hide(copy, 0, player)
        return View(player, copy[0], self)

    def draw(self, view: View, open_hands: bool = False, size: Size | None = None) -> Picture:
        """Return the picture of a view as SVG.

        Args:
            view: a view of this game.
            open_hands: whether the state in it is a whole one, to be drawn with all hands open.
            size: the width and height in pixels of the window or phone that the picture is for; it
                is larger where the table needs more. None for the usual width.

        Raises:
            ValueError: for a game without a drawing.
        """
        if not self.drawing:
            raise ValueError(
                f"{self.name} has no drawing: give its record `drawing`, the name of a module with "
                "draw(view, open_hands, size), as gubs_env.drawing.plain"
            )
        module = import_module(self.drawing)
        return Picture(module.draw(view._replace(game=self), open_hands, size))

    def spectator_view(self, states: np.ndarray, index: int) -> View:
        """Return what everybody sees of one game, as a copy: its `seat` is NOBODY."""
        copy = copied(states[index : index + 1])
        for player in range(copy[0].num_players):
            self.kernel.hide(copy, 0, player)
        return View(NOBODY, copy[0], self)

    def has_points(self, outcome: Outcome) -> bool:
        """Return whether the scores of an outcome are points, and not just who won."""
        wins = [player in outcome.winners for player in range(len(outcome.scores))]
        return self.lead is not defaults.no_lead or [*outcome.scores] != wins

    def payoffs(self, state: Any) -> np.ndarray:
        """Return the payoffs, float32[num_players]: as the game ended, or as if it ended now."""
        return defaults.payoffs_of(self.mechanics, state)


def parts_in(modules: Sequence[ModuleType], names: Collection[str]) -> dict[str, Any]:
    """Return what modules call by these names; raise TypeError for a name that means two things."""
    parts: dict[str, Any] = {}
    for module in modules:
        for name in vars(module).keys() & set(names):
            if parts.setdefault(name, vars(module)[name]) is not vars(module)[name]:
                raise TypeError(f"{module.__name__}: {name} is something else in another module")
    return parts


def game_in(module: str | ModuleType | None) -> Game | None:
    """Return the game that a module holds as `GAME`; None if there is none."""
    holder = import_module(module) if isinstance(module, str) else module
    game: Game | None = getattr(holder, "GAME", None)
    return game


def check_signatures(game: str, declared: Any, functions: Mapping[str, Any]) -> None:
    """Raise TypeError for a function that does not take the arguments declared for its name.

    Args:
        game: the name of the game.
        declared: a record or a function that declares the types of the functions by name.
        functions: the functions by name; others are not looked at.
    """
    for name in arguments_of(declared).keys() & functions.keys():
        wanted, given = arguments_of(declared)[name], signature(functions[name])
        try:
            given.bind(*range(wanted))
        except TypeError:
            raise TypeError(f"{game}: {name}{given} is called with {wanted} arguments") from None


@cache
def arguments_of(declared: Any) -> dict[str, int]:
    """Return the number of arguments of each function that is declared, by name."""
    hints = get_type_hints(declared)
    return {
        name: len(get_args(kind)[0])
        for name, hint in hints.items()
        for kind in (get_args(hint) if get_origin(hint) is UnionType else (hint,))
        if get_origin(kind) is Callable
    }
