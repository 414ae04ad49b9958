"""The catalogue of all commands. Nothing that a command needs is imported before it is called."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from pkgutil import resolve_name
from reprlib import repr as shortened
from typing import Any, NamedTuple

from gubs_env.support.checks import require_extra
from gubs_env.support.errors import blamed
from gubs_env.support.plugins import first_of_each, leaving_out, plugins

GROUP = "gubs_env.commands"
"""The group of entry points of other packages; each names a sequence of `Command`."""
PLAY, RECORD, MEASURE, TRAIN, TOOLS = SECTIONS = ("Play", "Record", "Measure", "Train", "Tools")
CONTINUES = "the same command continues"
RESUMES = "the same command with --resume continues"


class Command(NamedTuple):
    """A command of `gubs`."""

    name: str
    """One word, or two: "luck fit"."""
    section: str
    """One of SECTIONS."""
    about: str
    """The first line of the function's docstring."""
    place: str
    """The function, as module:name. Its parameters are the options, and its result is the exit
    status, None for 0. With the one parameter `words` it gets its arguments as they are."""
    needs: tuple[str, ...] = ()
    """An extra, and the modules of it without which the function cannot be imported."""
    interrupted: str = ""
    """The hint that Ctrl-C prints, for example how to continue."""

    def load(self) -> Callable[..., int | None]:
        """Import the function.

        Raises:
            ModuleNotFoundError: says what to install if an extra is missing.
            ValueError: if the module cannot be imported, or has no such function.
        """
        if self.needs:
            require_extra(*self.needs)
        with blamed(f"its function {self.place} cannot be loaded"):
            function: Callable[..., int | None] = resolve_name(self.place)
            return function


COMMANDS = (
    Command("play", PLAY, "Play against agents, at the terminal or in the browser.",
            "gubs_env.play.commands:play"),
    Command("watch", PLAY, "Watch agents play, at the terminal or in the browser.",
            "gubs_env.play.commands:watch"),
    Command("record", RECORD, "Let agents play games, and write a record of each.",
            "gubs_env.commands.record:record", interrupted=RESUMES),
    Command("replay", RECORD, "Write a page that replays a recorded game, or a moving picture.",
            "gubs_env.commands.replay:replay"),
    Command("parquet", RECORD, "Write the decisions of recorded games as Parquet files.",
            "gubs_env.commands.record:parquet", interrupted=CONTINUES),
    Command("minari", RECORD, "Write recorded games as a data set of Minari.",
            "gubs_env.adapters.commands:minari"),
    Command("agents", TOOLS, "List the agents that can play a game.",
            "gubs_env.commands.tools:agents"),
    Command("describe", TOOLS, "Write the page of a game: actions, observation, events, state.",
            "gubs_env.commands.tools:describe"),
    Command("warm", TOOLS, "Compile the rules and the agents of games ahead of time.",
            "gubs_env.commands.tools:warm"),
    Command("soak", TOOLS, "Play random games, and check the invariants of all games.",
            "gubs_env.commands.tools:soak"),
    Command("mcp", TOOLS, "Serve games to a client of the Model Context Protocol.",
            "gubs_env.adapters.commands:mcp"),
    Command("versions", TOOLS, "Print the versions that a bug report should name.",
            "gubs_env.commands.tools:versions"),
)  # fmt: skip
"""The commands of this package."""


def commands() -> dict[str, Command]:
    """Return all commands by name: ours, and others, which replace none of ours."""
    ours = {command.name: command for command in COMMANDS}
    return ours | first_of_each("command", _brought(), reserved=ours)


def _brought() -> list[tuple[str, str, Command]]:
    """Return the commands that packages list, with their names and packages."""
    offers = []
    for plugin in plugins(GROUP):
        with leaving_out(f"the commands {plugin} cannot be loaded"):
            for given in plugin.point.load():
                with leaving_out(f"a command of {plugin.package} is left out"):
                    offers.append((_checked(given).name, plugin.package, given))
    return offers


def _checked(given: Any) -> Command:
    """Return a command of a package; raise TypeError for anything else."""
    if not isinstance(given, Command):
        raise TypeError(f"{shortened(given)} is no Command")
    for text in (*given[:4], *given.needs, given.interrupted):
        if not (isinstance(text, str) and text.isprintable()):
            raise TypeError(f"{shortened(text)} is no printable text")
    return given


def find(words: list[str]) -> tuple[Command, list[str]]:
    """Return the command that some words begin with, and the words after its name.

    Raises:
        ValueError: for words that begin with no command; names the nearest one, and all.
    """
    known = {command.name: command for command in COMMANDS}
    if words[0] not in known:
        known = commands()
    for count in (2, 1):
        if (name := " ".join(words[:count])) in known:
            return known[name], words[count:]
    message = f"no command is called {words[0]!r}: there are {', '.join(known)}"
    if nearest := get_close_matches(words[0], known, 1):
        message += f"; the nearest is {nearest[0]}"
    if len(known) == len(COMMANDS):
        message += "; the package gubs_agents, which has more, is not installed"
    raise ValueError(message)


def overview(paint: Callable[[str, Any], str]) -> str:
    """Return the list of all commands, a line each.

    Args:
        paint: returns a text in a style, "bold" or "name".
    """
    known = commands()
    width = max(map(len, known))
    lines = ["Environments and agents for the card games Gubs, FUBNUB and Bad, Bad, Turtle.", "",
             "usage: gubs COMMAND [options]", "       gubs COMMAND --help"]  # fmt: skip
    for section in dict.fromkeys([*SECTIONS, *(command.section for command in known.values())]):
        listed = [command for command in known.values() if command.section == section]
        if listed:
            lines += ["", paint(section, "bold")]
        lines += [f"  {paint(c.name.ljust(width), 'name')}  {c.about[:-1]}" for c in listed]
    return "\n".join(lines)
