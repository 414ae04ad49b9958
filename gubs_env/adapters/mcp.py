"""A server of the Model Context Protocol: a client starts a game and plays one of its seats.

`python -m gubs_env mcp` runs it on standard input and output. Needs the extra `mcp`.
"""

from __future__ import annotations

from gubs_env import GAMES, __version__
from gubs_env.adapters.solo import SoloGame
from gubs_env.api.checks import require_extra
from gubs_env.play.commands import TableOptions

require_extra("mcp", "mcp")

from mcp.server import MCPServer  # noqa: E402
from mcp.server.mcpserver.exceptions import ToolError  # noqa: E402

INSTRUCTIONS = f"""\
Card games ({", ".join(GAMES)}) with hidden hands. Call start, read the rules that it returns, then
call play with one of your moves until the game is over. Agents hold the other seats."""


class Tools:
    """The tools of one client, and its game. Their docstrings are what the model is told.

    They are coroutines, so that the server runs one at a time. The client cannot choose the seed:
    it could deal a game again and look at it from another seat.

    Args:
        seed: seed of the first game; each further one adds 1. None draws seeds.
    """

    def __init__(self, seed: int | None) -> None:
        self.seed, self.started = seed, 0
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

        game is gubs, fubnub or bad_bad_turtle. players 0 means the usual number. opponents are
        agents by name, separated by commas, such as heuristic,random; blank means the strongest.
        rules are options, such as letters=anywhere+ask_everyone=true.
        """
        seed = None if self.seed is None else self.seed + self.started
        table = TableOptions(game=game, players=players, rules=rules, seed=seed)
        try:
            self.game = SoloGame(table, opponents, seat)
        except (ValueError, TypeError) as error:
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


def make_server(seed: int | None = None) -> MCPServer:
    """Return a server for one client; `seed` as for `Tools`."""
    server = MCPServer("gubs_env", instructions=INSTRUCTIONS, version=__version__)
    tools = Tools(seed)
    for tool in (tools.start, tools.observe, tools.legal_moves, tools.play):
        server.add_tool(tool)
    return server
