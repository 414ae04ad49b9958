"""A server of the Model Context Protocol: a client starts a game and plays one of its seats.

`gubs mcp` runs it on standard input and output. Needs the extra `mcp`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gubs_env.adapters.solo import SoloGame
from gubs_env.agents.registry import allow_list, harmless_agents, parse_agent
from gubs_env.games import all_games, game_names
from gubs_env.play.dealing import DealOptions
from gubs_env.support.checks import require_extra
from gubs_env.support.version import __version__

require_extra("mcp", "mcp")

from mcp.server import MCPServer  # noqa: E402
from mcp.server.mcpserver.exceptions import ToolError  # noqa: E402

INSTRUCTIONS = """\
Card games ({games}) with hidden hands. Call start, read the rules that it returns, then call play
with one of your moves until the game is over. Agents hold the other seats: {opponents}."""
LONGEST_ERROR = 1000
"""Largest number of characters of the message of an error."""


class Tools:
    """The tools of one client, and its game. Their docstrings are what the model is told.

    They are coroutines, so that the server runs one at a time. The client cannot choose the seed:
    it could deal a game again and look at it from another seat.

    Args:
        seed: seed of the first game; each further one adds 1. None draws seeds.
        allowed: the agents from which the client may choose, as for `SoloGame`.
    """

    def __init__(self, seed: int | None, allowed: Mapping[str, str] | None) -> None:
        self.seed, self.started, self.allowed = seed, 0, allowed
        self.game: SoloGame | None = None

    async def start(
        self,
        game: str = "gubs",
        players: int = 0,
        opponents: str = "",
        seat: str = "player_0",
        rules: str = "",
    ) -> str:
        """Start a new game and return the rules and your first decision.

        game is a game of this server, such as gubs. players 0 means the usual number. opponents are
        names of agents from the list of this server, separated by commas; blank means its choice.
        rules are options, such as letters=anywhere+ask_everyone=true.
        """
        seed = None if self.seed is None else self.seed + self.started
        table = DealOptions(game=game, players=players, rules=rules, seed=seed)
        try:
            self.game = SoloGame(table, opponents, seat, allowed=self.allowed)
        except (ValueError, TypeError, OSError, ImportError) as error:
            raise ToolError(str(error)) from None
        self.started += 1
        return f"{self.game.system()}\n\n{self.game.situation()}"

    async def observe(self) -> str:
        """Return what happened since your last decision, the table as you see it, and the question
        that you have to decide; or how the game ended."""
        return self._started().situation()

    async def legal_moves(self) -> list[str]:
        """Return your legal moves; none when the game is over."""
        return self._started().moves()

    async def play(self, move: str) -> str:
        """Play one of your legal moves, written as legal_moves lists it. The others play on to your
        next decision, which is returned."""
        game = self._started()
        try:
            game.play(move)
        except (ValueError, RuntimeError) as error:
            raise ToolError(str(error)) from None
        return game.situation()

    def _started(self) -> SoloGame:
        if self.game is None:
            raise ToolError("no game has been started: call start")
        return self.game


class Server(MCPServer):
    """A server whose errors of tools are one line, also for arguments that fit no tool."""

    async def call_tool(self, *args: Any, **options: Any) -> Any:
        try:
            return await super().call_tool(*args, **options)
        except ToolError as error:
            error.args = (" ".join(str(error).split())[:LONGEST_ERROR],)
            raise


def make_server(seed: int | None = None, opponents: str = "") -> MCPServer:
    """Return a server for one client.

    Args:
        seed: as for `Tools`.
        opponents: the agents from which the client may choose (`allow_list`); blank means all
            harmless ones.

    Raises:
        ValueError: for a list that is not allowed, or an agent that plays none of the games.
    """
    allowed = allow_list(opponents) if opponents else None
    for text in allowed.values() if allowed else ():
        check_agent(text)
    games, agents = ", ".join(game_names()), ", ".join(allowed or harmless_agents())
    instructions = INSTRUCTIONS.format(games=games, opponents=agents)
    server = Server("gubs_env", instructions=instructions, version=__version__)
    tools = Tools(seed, allowed)
    for tool in (tools.start, tools.observe, tools.legal_moves, tools.play):
        server.add_tool(tool)
    return server


def check_agent(text: str) -> None:
    """Raise ValueError unless there is an agent with these options for one of the games."""
    named, faults = parse_agent(text), []
    for game in all_games():
        try:
            named.factory(game)
            return
        except ValueError as error:
            faults.append(error)
    raise faults[-1]
