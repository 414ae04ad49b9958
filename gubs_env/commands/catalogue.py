"""The catalogue of all commands. Nothing that a command needs is imported before it is called."""

from __future__ import annotations

import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, NamedTuple

from gubs_env.support.checks import require_extra
from gubs_env.support.errors import described

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
        """
        if self.needs:
            require_extra(*self.needs)
        module, _, name = self.place.partition(":")
        function: Callable[..., int | None] = getattr(import_module(module), name)
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
    Command("agents", TOOLS, "List the agents that can play a game.",
            "gubs_env.commands.tools:agents"),
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
    found: list[Command] = []
    for point in entry_points(group=GROUP):
        try:
            found += point.load()
        except Exception as error:  # whatever the code of another package raises
            print(f"gubs: the commands of {point.name} are left out: {described(error)}",
                  file=sys.stderr)  # fmt: skip
    ours, theirs = ({command.name: command for command in some} for some in (COMMANDS, found))
    return ours | theirs | ours


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
    told = f"no command is called {words[0]!r}: there are {', '.join(known)}"
    if nearest := get_close_matches(words[0], known, 1):
        told += f"; the nearest is {nearest[0]}"
    if len(known) == len(COMMANDS):
        told += "; the package gubs_agents, which has more, is not installed"
    raise ValueError(told)


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
