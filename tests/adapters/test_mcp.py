"""The MCP server over real standard input and output, with the client of the package `mcp`."""

from __future__ import annotations

import os
import sys
from functools import partial

import pytest

pytest.importorskip("mcp", reason="the mcp extra is not installed")

import anyio
from mcp import Client, StdioServerParameters

from gubs_env import games
from gubs_env.adapters.solo import SoloGame
from gubs_env.agents.registry import allow_list
from gubs_env.play.dealing import DealOptions
from tests import poker
from tests.adapters.recipes import run_recipe
from tests.packages import ROOT, install, variables
from tests.strangers import reaching

PATIENCE = 120.0
EXAMPLES = ("kuhn_poker", "liars_dice", "trick_bids", "court_intrigue")


def with_client(play, *options, seed=5, env=os.environ):
    """Run a coroutine with a client of a new server process."""

    async def run():
        command = ["-m", "gubs_env", "mcp", "--seed", str(seed), *options]
        server = StdioServerParameters(command=sys.executable, args=command, env=dict(env))
        async with Client(server, read_timeout_seconds=PATIENCE) as client:
            await play(partial(call, client), client)

    anyio.run(run)


async def call(client, tool, **arguments):
    """Return (text, whether it is an error) of the result of a tool."""
    result = await client.call_tool(tool, arguments)
    return "\n".join(part.text for part in result.content), result.is_error


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder in which the games of `examples/` are installed."""
    folder = tmp_path_factory.mktemp("site")
    for name in EXAMPLES:
        install(ROOT / "examples" / name, folder)
    return folder


@pytest.mark.parametrize("name", ["gubs", *EXAMPLES])
def test_a_whole_game_is_played_over_standard_input_and_output(name, site, monkeypatch):
    """The server tells the same as the seat reads in that game without a server."""
    monkeypatch.setattr(games, "_brought", games._brought)
    poker.register(modules={f"{each}_v0": each for each in EXAMPLES})

    async def play(ask, client):
        assert name in client.instructions
        assert {tool.name for tool in (await client.list_tools()).tools} == {
            "start", "observe", "legal_moves", "play"
        }  # fmt: skip
        opponents = "heuristic" if name == "gubs" else "random"
        game = SoloGame(DealOptions(game=name, seed=5), opponents)
        told, failed = await ask("start", game=name, opponents=opponents)
        assert (told, failed) == (f"{game.system()}\n\n{game.situation()}", False)
        while not game.is_over:
            assert await ask("observe") == (game.situation(), False)
            moves = game.moves()
            assert await ask("legal_moves") == ("\n".join(moves), False)
            told, failed = await ask("play", move=moves[-1])
            game.play(moves[-1])
            assert (told, failed) == (game.situation(), False)
        assert "The game is over" in told
        assert (await ask("play", move=moves[-1]))[1]

    with_client(play, env=variables(site))


def test_the_server_says_what_was_wrong():
    async def play(ask, client):
        for tool, arguments, said in [
            ("observe", {}, "no game has been started: call start"),
            ("start", {"game": "gubz"}, "no game is called 'gubz'"),
            ("start", {"seat": "player_9"}, "player_9"),
            (
                "start",
                {"opponents": "nobody"},
                "the agent 'nobody' is not allowed here: allowed are",
            ),
            ("start", {"rules": "letters=nowhere"}, "letters='nowhere'"),
            ("start", {"rules": "deck=Gub:1000000"}, "counts must not be negative, and at most 70"),
            ("start", {"rules": "x" * 100_000}, "'xxx"),
            ("start", {"players": 10**9}, "Gubs is for 2 to 6 players"),
            ("start", {"players": 10**30}, "Gubs is for 2 to 6 players"),
            ("start", {"players": "many"}, "valid integer"),
            ("start", {"opponents": ["random"]}, "valid string"),
            ("play", {}, "Field required"),
        ]:
            told, failed = await ask(tool, **arguments)
            assert failed
            assert said in told
            assert "\n" not in told
            assert len(told) <= 1000
        assert not (await ask("start", opponents="random", game="fubnub", seat="player_2"))[1]
        before = await ask("observe")
        told, failed = await ask("play", move="fly away")
        assert failed
        assert "'fly away' is not a legal move" in told
        assert await ask("observe") == before

    with_client(play)


def test_a_model_names_no_modules_servers_options_or_files(tmp_path, monkeypatch):
    async def refused(ask, client):
        for text in (*texts, "random:seed=1", "random,llm"):
            told, failed = await ask("start", opponents=text, seat="player_1")
            assert failed
            assert "is not allowed here: allowed are greedy, heuristic, ismcts" in told
        assert not (await ask("start", opponents="random, heuristic", players=3))[1]

    with reaching(tmp_path, monkeypatch) as texts:
        with_client(refused)


def test_a_model_chooses_from_the_list_of_the_person():
    agents = "strong=policy:draw=true,plain=random,broken=policy:weights=/etc/passwd"
    first = SoloGame(DealOptions(seed=5), "", "player_1", allowed=allow_list(agents))

    async def play(ask, client):
        assert "Agents hold the other seats: strong, plain, broken." in client.instructions
        told, failed = await ask("start", seat="player_1")
        assert (told, failed) == (f"{first.system()}\n\n{first.situation()}", False)
        assert not (await ask("start", opponents="plain"))[1]
        for name in ("random", "policy:draw=true", "heuristic"):
            told, failed = await ask("start", opponents=name)
            assert failed
            assert "allowed are strong, plain, broken" in told
        told, failed = await ask("start", opponents="broken")
        assert failed
        assert "/etc/passwd does not fit: it is not valid safetensors" in told

    with_client(play, "--opponents", agents)


@pytest.mark.parametrize(
    ("opponents", "message"),
    [
        ("a=random,a=greedy", "agents named twice: a"),
        ("strong=nobody", "no agent is called 'nobody'"),
        ("strong=random:depth=3", "agent 'random' has no option depth"),
        ("evil_mod:X", "No module named 'evil_mod'"),
    ],
)
def test_a_list_that_is_not_allowed_ends_the_command_with_one_line(capfd, opponents, message):
    command = [sys.executable, "-m", "gubs_env", "mcp", "--opponents", opponents]
    assert os.spawnv(os.P_WAIT, sys.executable, command) == 2
    said = capfd.readouterr().err
    assert said.startswith("gubs mcp: ")
    assert message in said
    assert said.count("\n") == 1


def test_a_seed_that_is_not_allowed_ends_the_command_with_one_line(capfd):
    done = os.spawnv(
        os.P_WAIT, sys.executable, [sys.executable, "-m", "gubs_env", "mcp", "--seed", "-1"]
    )
    assert done == 2
    assert capfd.readouterr().err == "gubs mcp: seed=-1: must be at least 0\n"


def test_the_recipe():
    run_recipe("adapters.md", "Model Context Protocol")
