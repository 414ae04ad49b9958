"""A game in the browser, on the wire: each seat gets its own view, strangers get nothing."""

from __future__ import annotations

import asyncio
import gc
import html
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from unittest import mock

import numpy as np
import pytest

from gubs_agents.networks.network import Network
from gubs_env.drawing.layout import LEAST_WIDTH, WIDTH
from gubs_env.engine.rng import seed_rng
from gubs_env.play import afterwards
from gubs_env.play.commands import dealt_again, lead_on
from gubs_env.play.saves import read_game
from gubs_env.play.session import Player, Session
from gubs_env.replays.judging import judge_at
from tests.amounts import MORE
from tests.commands import check_one_line
from tests.play.tables import dealt, every_game, seated

testclient = pytest.importorskip("starlette.testclient", reason="needs the extra web")
httpx = pytest.importorskip("httpx", reason="needs httpx")

from gubs_env.play.web import server  # noqa: E402
from gubs_env.play.web.ahead import key_of  # noqa: E402
from gubs_env.play.web.browser import LAST_WORDS, BrowserGame, Server, listening  # noqa: E402
from gubs_env.play.web.links import Links  # noqa: E402
from gubs_env.play.web.looks import Unfinished  # noqa: E402
from gubs_env.play.web.pace import Controls  # noqa: E402
from gubs_env.play.web.server import LARGEST_MESSAGE, application  # noqa: E402
from gubs_env.play.web.table import WebTable  # noqa: E402

PORT = 8765


def table_of(session, tmp_path):
    session.path = tmp_path / "game.jsonl"
    return WebTable(session, Controls(paused=False, delay=0))


@pytest.fixture(autouse=True)
def versions_from_one(monkeypatch):
    monkeypatch.setattr("gubs_env.play.web.table.FIRST_VERSIONS", 1)


@pytest.fixture
def two(tmp_path):
    """A table of two people, and a client of its server."""
    table = table_of(seated(dealt(seed=5), ["player_0", "player_1"]), tmp_path)
    with client_of(table) as client:
        yield table, client


def client_of(table):
    return testclient.TestClient(application(table, PORT), base_url=f"http://127.0.0.1:{PORT}")


def links(table):
    return {eyes: f"/{token}" for token, eyes in table.tokens.items()}


def news(client, link, version=-1):
    """Ask for news until there are some, as the page does."""
    while True:
        answer = client.get(f"{link}/news", params={"version": version})
        if answer.status_code != 204:
            assert answer.status_code == 200, answer.text
            return answer.json()
        time.sleep(0.005)


def chosen(client, link, page, rng, sent=None):
    """Choose a move pick by pick, as the page does, and return its picks; nothing is played.

    What the server sent of them is added to the list `sent`.
    """
    answers = page["moves"]
    while True:
        picks = answers[rng.integers(len(answers))][1]
        message = {"version": page["version"], "picks": picks}
        begun = client.post(f"{link}/choose", json=message).json()
        assert begun == page["previews"][key_of(picks)]
        if sent is not None:
            sent.append(json.dumps(begun))
        assert begun["picks"][: len(picks)] == picks
        if begun["move"]:
            assert not begun["answers"]
            return begun["picks"]
        answers = begun["answers"]
        assert len(answers) > 1


@pytest.mark.parametrize("before", [0, 190])
def test_each_seat_sees_what_it_may_know(tmp_path, before):
    """From the first moves of a game on, and from moves near its end up to it."""
    env, rng = dealt(seed=5), np.random.default_rng(1)
    for _ in range(before):
        moves = env.legal_moves()
        env.play(moves[rng.integers(len(moves))])
    table = table_of(seated(env, ["player_0", "player_1"]), tmp_path)
    with client_of(table) as client:
        pages = pages_of_a_game(table, client, rng, 800 if before else 30 * MORE)
    assert table.session.is_over or not before
    for seat, page in pages.items() if table.session.is_over else ():
        assert page["over"]
        for other in env.possible_agents:
            named = "hand of " + ("you" if other == seat else table.session.called[other])
            held = env.state().hand_size[env.possible_agents.index(other)]
            shown = re.findall(rf'(?:data-count="(\d+)" )?data-where="{named}"', page["picture"])
            assert sum(int(count or 1) for count in shown) == held or not held


def pages_of_a_game(table, client, rng, most):
    """Play at most so many decisions at a table, look at its pages, and return the last ones."""
    env, at = table.session.env, links(table)
    for number in range(most):
        all_look = number % 10 == 0 or number < 10 * MORE or table.session.is_over
        looking = at if all_look else [env.agent_selection]
        pages = {seat: news(client, at[seat]) for seat in looking}
        for seat, page in pages.items() if number % 10 == 0 else ():
            view = env.view(seat)
            assert page["eyes"] == seat
            if view.state.actor >= 0:
                assert page["picture"] == table.session.drawn(view, seat)
                assert page["question"] == table.session.question(seat)
                assert page["log"] == table.session.log(seat)
        if table.session.is_over:
            break
        decides = env.agent_selection
        other = next(seat for seat in at if seat != decides)
        assert not all_look or pages[other]["moves"] == []
        moves = env.legal_moves()
        assert {move.picks[0] for move in moves} == {p[0] for _, p in pages[decides]["moves"]}
        if number < 12 * MORE:
            picks = chosen(client, at[decides], pages[decides], rng)
            assert tuple(picks) in {move.picks for move in moves}
        else:
            picks = moves[rng.integers(len(moves))].picks
        message = {"version": pages[decides]["version"], "picks": picks}
        assert client.post(f"{at[other]}/move", json=message).status_code == 409
        assert client.post(f"{at[decides]}/move", json=message).status_code == 200
    return pages


def test_no_hidden_card_leaves_the_server(tmp_path):
    """Everything that player_0 is sent is the same, whatever player_1 and the deck hold."""
    told = []
    env = dealt(seed=5)
    env.play("Draw a card")
    view = env.view("player_0").state
    for number in range(3):
        rows, other = np.array([view]), dealt(seed=5)
        env.game.kernel.determinize(rows, 0, seed_rng(number))
        other.set_state(rows[0])
        table = table_of(seated(other, ["player_0", "player_1"]), tmp_path)
        with client_of(table) as client:
            link = links(table)["player_0"]
            page = news(client, link)
            asked = ("", "news", "news?size=374x520", "rules")
            sent = [client.get(f"{link}/{what}").text for what in asked]
            for seed in range(6):
                chosen(client, link, page, np.random.default_rng(seed), sent)
            told.append(sent)
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"127.0.0.1:{PORT}"}, 403),
        ({"origin": f"https://127.0.0.1:{PORT}"}, 403),
        ({"host": "127.0.0.1"}, 421),
        ({"host": f"127.0.0.1:{PORT}.evil.example"}, 421),
        ({"host": b"\xfc\xc3"}, 421),
        ({"origin": b"http://\xfc"}, 403),
        ({"origin": f"http://127.0.0.1:{PORT}"}, 200),
        ({"host": f"localhost:{PORT}", "origin": f"http://localhost:{PORT}"}, 200),
    ],
)
def test_other_hosts_and_origins_are_refused(two, headers, status):
    table, client = two
    link = links(table)["player_0"]
    for path in ("/", "/news", "/rules"):
        answer = client.get(link + path, headers=headers)
        assert answer.status_code == status
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"version":1,"picks":[1]}', "text/plain", 415),
        (b'{"version":1,"picks":[1]}', "application/x-www-form-urlencoded", 415),
        (b"x" * (LARGEST_MESSAGE + 1), "application/json", 413),
        (b"\xff", "application/json", 400),
        (b"[" * 2000, "application/json", 400),
        (b"NaN", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'{"version":1}', "application/json", 400),
        (b'{"version":1,"picks":[1],"seat":"player_1"}', "application/json", 400),
        (b'{"version":true,"picks":[1]}', "application/json", 400),
        (b'{"version":1,"picks":[1.5]}', "application/json", 400),
        (b'{"version":1,"picks":"1"}', "application/json", 400),
        (b'{"version":99,"picks":[1]}', "application/json", 409),
        (b'{"version":1,"picks":[]}', "application/json", 409),
        (b'{"version":1,"picks":[99999999999999999999]}', "application/json", 409),
    ],
)
def test_a_bad_message_is_refused_and_nothing_changes(two, body, kind, status):
    table, client = two
    link = links(table)["player_0"]
    before = table.session.env.to_json()
    news(client, link)
    answer = client.post(f"{link}/move", content=body, headers={"content-type": kind})
    assert answer.status_code == status
    assert answer.text.strip()
    assert "Traceback" not in answer.text
    assert table.session.env.to_json() == before
    assert news(client, link)["question"].startswith("You: draw")


def test_a_link_is_needed_and_opens_one_seat(two):
    table, client = two
    tokens = list(table.tokens)
    assert len(tokens) == len(set(tokens)) == 2
    assert min(map(len, tokens)) >= 20
    for wrong in (
        "/",
        "/x/",
        f"/{tokens[0][:-1]}/",
        f"/{tokens[0]}x/news",
        "/../",
        "/player_0/",
        "/%ff%c3%bc/",
        "/ü/news",
        f"/{tokens[0]}%00/",
    ):
        assert client.get(wrong).status_code == 404
    elsewhere = client.get("/x", headers={"host": "evil.example"}, follow_redirects=False)
    assert "location" not in elsewhere.headers
    assert client.get(f"/{tokens[0]}/move").status_code == 405
    for version in ("abc", "--5", "-5", "٣", "1" * 400, "%00"):
        assert client.get(f"/{tokens[0]}/news?version={version}").status_code == 200


def test_of_moves_that_are_sent_at_once_one_is_played(two):
    """Two tabs of one seat, or a double click."""
    table, client = two
    link = links(table)["player_0"]
    page = news(client, link)
    message = {"version": page["version"], "picks": page["moves"][1][1]}
    expected = table.session.env.clone()
    expected.play(expected.legal_moves()[1])
    with ThreadPoolExecutor(8) as tabs:
        sent = [tabs.submit(client.post, f"{link}/move", json=message) for _ in range(8)]
    statuses = sorted(each.result().status_code for each in sent)
    assert statuses == [200] + [409] * 7
    assert table.session.env.to_json() == expected.to_json()


def test_a_message_that_never_ends_is_refused(two, monkeypatch):
    monkeypatch.setattr("gubs_env.play.web.server.PATIENCE", 0.1)
    table, client = two
    link = links(table)["player_0"]

    async def slow():
        yield b"{"
        await asyncio.sleep(60)

    async def asked():
        transport = httpx.ASGITransport(client.app)
        async with httpx.AsyncClient(transport=transport, base_url=client.base_url) as other:
            kind = {"content-type": "application/json"}
            return await other.post(f"{link}/hint", content=slow(), headers=kind)

    answer = asyncio.run(asked())
    assert answer.status_code == 408
    assert "at most 0.1 seconds" in answer.text


BROKEN = """
import numpy as np

class Broken:
    def __init__(self, table, seed):
        self.left = 3

    def act(self, observations, masks, rngs):
        self.left -= 1
        if not self.left:
            raise RuntimeError("the agent is broken")
        return masks.argmax(axis=1)
"""


def test_an_agent_that_fails_ends_the_game_which_is_kept(tmp_path):
    pytest.importorskip("uvicorn", reason="needs the extra web")
    (tmp_path / "broken.py").write_text(BROKEN)
    command = [sys.executable, "-m", "gubs_env", "watch", "--web", "--no-open-browser"]
    command += ["--agents", "broken:Broken", "--delay", "0", "--replay", "game.jsonl"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    told = r"^gubs watch: agent 'broken:Broken' failed: RuntimeError: the agent is .*line 11\)$"
    check_one_line(ended.returncode, ended.stderr, told)
    assert "The game is saved in game.jsonl" in ended.stdout
    saved, _ = read_game(tmp_path / "game.jsonl")
    assert len(saved.log()) > 0


def test_a_page_holds_no_names_of_the_game(two):
    table, client = two
    page = client.get(f"{links(table)['player_0']}/").text
    assert "@" not in re.sub("@(media|keyframes)", "", page)
    assert page.startswith("<!doctype html>")


def test_the_game_is_saved_after_every_move(two, tmp_path):
    table, client = two
    link = links(table)["player_0"]
    page = news(client, link)
    message = {"version": page["version"], "picks": page["moves"][1][1]}
    assert client.post(f"{link}/move", json=message).status_code == 200
    saved, names = read_game(tmp_path / "game.jsonl")
    assert saved.to_json() == table.session.env.to_json()
    assert names == ["person", "person"]
    again = client.post(f"{link}/move", json=message)  # sent twice, as after a lost answer
    assert again.status_code == 409
    assert "look again" in again.text


def test_a_game_whose_file_cannot_be_written_is_kept_elsewhere(tmp_path, monkeypatch, capsys):
    (tmp_path / "spare").mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "spare"))
    table = table_of(seated(dealt(seed=5), ["player_0", "player_1"]), tmp_path / "gone")
    with client_of(table) as client:
        news(client, links(table)["player_0"])
    assert "cannot be written" in capsys.readouterr().out
    assert read_game(table.session.path)[0].to_json() == table.session.env.to_json()
    assert table.session.path.name == "game.jsonl"
    assert table.session.path.parent.parent == tmp_path / "spare"


def test_an_open_tab_finds_its_game_again(tmp_path, monkeypatch):
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path / "cache"))
    session, people = seated(dealt(seed=5), ["player_0", "player_1"]), ["player_0", "player_1"]
    table = table_of(session, tmp_path)
    again = table_of(seated(session.env, people), tmp_path)
    assert (again.tokens, again.links.port) == (table.tokens, table.links.port)
    assert len(table.tokens) == 2
    elsewhere = seated(session.env, people, path=tmp_path / "other.jsonl")
    other = WebTable(elsewhere, Controls(paused=False, delay=0))
    assert not other.tokens.keys() & table.tokens.keys()
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path / "of somebody else"))
    assert not table_of(session, tmp_path).tokens.keys() & table.tokens.keys()


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
@pytest.mark.parametrize("fault", ["a link", "read by others"])
def test_a_key_that_others_could_read_or_put_there_is_not_used(tmp_path, monkeypatch, fault):
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for folder in (tmp_path / "cache", tmp_path / "cache" / "gubs_env"):
        folder.mkdir()
        (tmp_path / "theirs").write_bytes(bytes(32))
        if fault == "a link":
            (folder / "links.key").symlink_to(tmp_path / "theirs")
        else:
            (folder / "links.key").write_bytes(bytes(32))
            (folder / "links.key").chmod(0o644)
    session = seated(dealt(seed=5), ["player_0"])
    tables = [table_of(session, tmp_path) for _ in range(2)]
    assert not tables[0].tokens.keys() & tables[1].tokens.keys()


def test_a_game_is_served_at_its_port_unless_that_is_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path / "cache"))
    table = table_of(seated(dealt(seed=5), ["player_0"]), tmp_path)
    with listening(0) as free:
        monkeypatch.setattr(Links, "port", free.getsockname()[1])
    first = BrowserGame(table, 0)
    second = BrowserGame(table, 0)
    assert first.port == table.links.port != second.port
    assert list(first.links.values()) == [
        f"http://127.0.0.1:{first.port}/{next(iter(table.tokens))}/"
    ]
    for game in (first, second):
        game._socket.close()


def test_agents_play_between_people_and_hints_are_given(tmp_path):
    session = seated(dealt(seed=5), ["player_0"])
    table = table_of(session, tmp_path)
    with client_of(table) as client:
        link = links(table)["player_0"]
        for _ in range(60):
            page = news(client, link)
            if page["over"]:
                break
            if not page["moves"]:
                news(client, link, page["version"])
                continue
            if session.adviser:
                said = client.post(f"{link}/hint", json={}).json()["hint"]
                assert said.startswith("A hint: ")
            picks = chosen(client, link, page, np.random.default_rng(1))
            message = {"version": page["version"], "picks": picks}
            way = "forced" if len(page["moves"]) == 1 else "move"
            assert client.post(f"{link}/{way}", json=message).status_code == 200
            if way == "forced":
                assert news(client, link)["news"][: len(page["news"])] == page["news"]
    assert len(session.env.log()) > 20


def test_json_of_a_page_has_no_other_keys(two):
    table, client = two
    page = news(client, links(table)["player_1"])
    assert set(page) - {"previews"} == {
        "version", "eyes", "seats", "picture", "question", "interrupt", "moves", "log", "news",
        "note", "over", "game", "result", "controls", "file", "guide",
        "name", "trouble", "before", "trick",
    }  # fmt: skip
    assert json.dumps(page).count("seed") == 0


# ------------------------------------------------------------------------------------- watching


def watched_table(env, eyes, path=None, paused=True):
    return WebTable(seated(env, [], path=path), Controls(paused, delay=0), eyes)


@pytest.fixture
def watched(tmp_path):
    """A table that is watched with the eyes of player_0, paused, and a client of its server."""
    table = watched_table(dealt("bad_bad_turtle", seed=5), "player_0", tmp_path / "game.jsonl")
    with client_of(table) as client:
        yield table, client


def other_secrets(env, seed):
    """Return a game that the acting player cannot tell from another."""
    rows = np.array([env.view(env.agent_selection).state])
    env.game.kernel.determinize(rows, 0, seed_rng(seed))
    other = dealt(env.game.name, env.num_players, seed=5)
    other.set_state(rows[0])
    return other


def sent_to(env, eyes):
    """Return everything that a watcher is sent of a game that is paused."""
    table = watched_table(env, eyes)
    with client_of(table) as client:
        link = links(table)[eyes]
        news(client, link)
        return tuple(client.get(f"{link}/{what}").text for what in ("", "news", "rules"))


@every_game
@pytest.mark.parametrize("decisions", [0, 3, 6, 9])
def test_no_hidden_card_is_sent_to_a_watcher(game, decisions):
    """Draw everything hidden anew, and check that a watcher is sent the same."""
    env, rng = dealt(game, seed=5), np.random.default_rng(decisions)
    for _ in range(decisions):
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    assert not env.is_done(env.agent_selection)
    for eyes in ("everybody", env.agent_selection):
        others = [other_secrets(env, number) for number in range(3)]
        assert len({other.state().tobytes() for other in others}) > 1
        assert len({sent_to(other, eyes) for other in others}) == 1


def test_a_watcher_steps_pauses_and_goes_on(watched):
    table, client = watched
    link = links(table)["player_0"]
    page = news(client, link)
    assert page["controls"] == {"paused": True, "delay": 0}
    assert "moves" not in page
    for _ in range(3):
        assert client.post(f"{link}/next", json={}).status_code == 200
        later = news(client, link, page["version"])
        assert later["version"] == page["version"] + 1
        assert len(later["log"]) >= len(page["log"])
        page = later
    assert client.post(f"{link}/controls", json={"paused": False, "delay": 60}).status_code == 200
    assert news(client, link)["controls"] == {"paused": False, "delay": 60}
    refused = client.post(f"{link}/next", json={})
    assert refused.status_code == 409
    assert "pause it" in refused.text
    client.post(f"{link}/controls", json={"paused": False, "delay": 0})
    while not page["over"]:
        page = news(client, link, page["version"])
    assert page["question"].startswith("The game is over")


def test_a_watched_game_is_saved_only_where_a_file_is_named(watched, tmp_path):
    table, client = watched
    news(client, links(table)["player_0"])
    assert (tmp_path / "game.jsonl").exists()
    (tmp_path / "game.jsonl").unlink()
    table = watched_table(dealt(seed=5), "everybody")
    with client_of(table) as client:
        news(client, links(table)["everybody"])
    assert not list(tmp_path.iterdir())


def test_a_watcher_plays_no_moves(watched):
    table, client = watched
    link = next(iter(links(table).values()))
    news(client, link)
    before = table.session.env.to_json()
    for path in ("move", "choose", "hint", "again"):
        answer = client.post(f"{link}/{path}", json={"version": 1, "picks": [0]})
        assert answer.status_code == 403
        assert "plays no moves" in answer.text
    assert client.get(f"{link}/after/mistakes").status_code == 403
    assert table.session.env.to_json() == before


def test_people_choose_the_pace_of_the_others(two):
    """Whoever changes a part leaves the rest as it is now, not as their page showed it."""
    table, client = two
    one, other = links(table).values()
    at = links(table)[table.session.person]
    shown = news(client, at)
    assert client.post(f"{one}/controls", json={"paused": True, "delay": 3}).status_code == 200
    assert client.post(f"{other}/controls", json={"delay": 2}).status_code == 200
    assert client.post(f"{one}/controls", json={"paused": False}).status_code == 200
    for link in (one, other):
        assert news(client, link)["controls"] == {"paused": False, "delay": 2}
    move = {"version": shown["version"], "picks": shown["moves"][0][1]}
    assert client.post(f"{at}/move", json=move).status_code == 200, "only the pace has changed"
    assert client.post(f"{at}/move", json=move).status_code == 409


def test_choosing_plays_nothing_and_is_refused_where_nothing_can_be_chosen(two):
    table, client = two
    at, before = links(table), table.session.env.to_json()
    decides = table.session.person
    other = next(seat for seat in at if seat != decides)
    page = news(client, at[decides])
    for _, picks in page["moves"]:
        message = {"version": page["version"], "picks": picks}
        assert client.post(f"{at[decides]}/choose", json=message).status_code == 200
        assert client.post(f"{at[other]}/choose", json=message).status_code == 409
    for message, status in (
        ({"version": page["version"], "picks": [10**6]}, 409),
        ({"version": page["version"] + 1, "picks": [0]}, 409),
        ({"version": page["version"], "picks": ["0"]}, 400),
    ):
        assert client.post(f"{at[decides]}/choose", json=message).status_code == status
    assert table.session.env.to_json() == before
    assert news(client, at[decides])["version"] == page["version"]


def test_a_picture_fits_the_size_that_is_asked_for_or_is_higher(two):
    table, client = two
    link = links(table)["player_0"]
    for size, shown in (
        ("884x744", (884, 744)),
        ("374x520", (374, 520)),
        ("300x80", (300, None)),
        ("100x100", (LEAST_WIDTH, None)),
        ("0x0", (LEAST_WIDTH, None)),
        ("9999x9999", (9999, 9999)),
        ("axb", (WIDTH, None)),
    ):
        answer = client.get(f"{link}/news", params={"version": -1, "size": size}).json()
        wide, high = shown
        assert f'width="{wide}"' in answer["picture"]
        assert high is None or f'height="{high}"' in answer["picture"]


def test_after_the_end_people_see_the_replay_and_their_mistakes_and_play_again(tmp_path):
    env = dealt("bad_bad_turtle", num_players=3, seed=5)
    played = seated(env, ["player_0"])
    while not played.is_over:
        if played.person:
            played.play("player_0", played.moves("player_0")[0])
        else:
            played.play_opponent()
    before = [*played.people]

    def deal(last, people, opponents, move):
        env = dealt("bad_bad_turtle", num_players=3, seed=6)
        return seated(env, people, path=tmp_path / "2.jsonl")

    played.path = tmp_path / "1.jsonl"
    table = WebTable(played, Controls(False, 0), deal=deal)
    with client_of(table) as client:
        link = links(table)["player_0"]
        page = news(client, link)
        assert page["over"]
        assert "<html" in replay_at(client, f"{link}/after/replay")
        told = client.get(f"{link}/after/ending").json()
        assert [player["name"] for player in told["players"]] == ["You", "Ada", "Bo"]
        found = client.get(f"{link}/after/mistakes").json()["found"]
        assert len(found) <= 3
        for each in found:
            assert "more games in 100" in each["told"]
        assert client.get(f"{link}/after/cards").status_code == 404
        for message in (
            {},
            {"opponents": "policy:weights=x", "swap": True, "game": "1.jsonl", "move": None},
        ):
            assert client.post(f"{link}/again", json=message).status_code == 400
        message = {"opponents": "", "swap": True, "game": "1.jsonl", "move": None}
        for move in (-1, True, 1.5, "0"):
            assert client.post(f"{link}/again", json=message | {"move": move}).status_code == 400
        for change, told in (
            ({"move": -1}, "or null for a new deal, not -1"),
            ({"opponents": "best"}, "easy, beginner, or an empty text for those of before, not 'b"),
        ):
            assert told in client.post(f"{link}/again", json=message | change).text
        assert client.post(f"{link}/again", json=message).status_code == 200
        assert links(table) == {"player_1": link}
        page = news(client, link)
        assert not page["over"]
        assert page["eyes"] == "player_1"
        assert client.post(f"{link}/again", json=message).status_code == 409
        left = message | {"swap": False, "game": "2.jsonl"}
        played_on = client.post(f"{link}/again", json=left | {"move": 1})
        assert played_on.status_code == 409, "nothing is taken back"
        assert client.post(f"{link}/again", json=left).status_code == 200
        assert news(client, link)["before"] == ["1.jsonl"], "a game that was left is not over"
    assert before == ["player_0"]
    assert (tmp_path / "2.jsonl").exists()


@pytest.mark.parametrize("names", [[], ['"easy" <b>', "very hard"]])
def test_levels_of_other_packages_are_data_in_the_page(two, monkeypatch, names):
    table, client = two
    monkeypatch.setattr("gubs_env.play.web.server.levels", lambda: dict.fromkeys(names, ()))
    page = client.get(f"{links(table)['player_0']}/").text
    (shown,) = re.findall('<body data-levels="([^"<>]*)">', page)
    assert json.loads(html.unescape(shown)) == names[::-1]


def test_without_a_network_nobody_judges_and_no_search_is_built(tmp_path, monkeypatch):
    """At such a table a level is played by agents that would judge all moves alike."""

    def build(*_, **__):
        raise AssertionError("a search was built")

    played = seated(dealt("bad_bad_turtle", num_players=2, seed=5), ["player_0"])
    while not played.is_over:
        if played.person:
            played.play("player_0", played.moves("player_0")[0])
        else:
            played.play_opponent()
    monkeypatch.setattr("gubs_agents.search.search.ISMCTS.__init__", build)
    assert isinstance(judge_at(played.env.table), Network)
    monkeypatch.setattr("gubs_agents.networks.network.SHIPPED", tmp_path)
    table = WebTable(played, Controls(False, 0))
    with client_of(table) as client:
        refused = client.get(f"{links(table)['player_0']}/after/mistakes")
    assert refused.status_code == 409
    assert refused.text == "no network is installed that could judge this game"


def test_a_game_is_played_on_from_any_of_its_moves(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "games"
    folder.mkdir()
    played = seated(dealt(num_players=2, seed=5), ["player_0"], path=folder / "first.jsonl")
    for _ in range(3):
        while played.person is None:
            played.play_opponent()
        played.play("player_0", played.moves("player_0")[-1])
    log = played.log("player_0")
    while not played.is_over:
        if played.person:
            played.play("player_0", played.moves("player_0")[0])
        else:
            played.play_opponent()
    table = WebTable(played, Controls(False, 0), deal=partial(dealt_again, 0.1))
    with client_of(table) as client:
        link = links(table)["player_0"]
        message = {"opponents": "beginner", "swap": False, "game": table.name, "move": 9_999}
        refused = client.post(f"{link}/again", json=message)
        assert refused.status_code == 409
        assert "there is no move 9999" in refused.text
        assert news(client, link)["over"]
        assert client.post(f"{link}/again", json=message | {"move": 2}).status_code == 200
        assert table.session.path.parent == folder, "beside the file of the last game"
        page = news(client, link)
        assert not page["over"]
        assert page["log"] == log[: len(page["log"])]
        assert page["news"] == []


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        ({}, "the controls are"),
        ({"paused": True, "delay": 1, "eyes": "all"}, "the controls are"),
        ([], "the controls are"),
        ({"paused": 1, "delay": 1}, "paused must be true or false"),
        ({"paused": True, "delay": True}, "delay must be a number"),
        ({"paused": True, "delay": "1"}, "delay must be a number"),
        ({"paused": True, "delay": -0.1}, "allowed are 0 to 60 seconds"),
        ({"paused": True, "delay": 61}, "allowed are 0 to 60 seconds"),
        ({"paused": True, "delay": 1e300}, "allowed are 0 to 60 seconds"),
        ({"paused": True, "delay": 10**300}, "a number of 301 digits"),
    ],
)
def test_controls_that_are_not_allowed_are_refused(watched, controls, message):
    table, client = watched
    link = links(table)["player_0"]
    news(client, link)
    answer = client.post(f"{link}/controls", json=controls)
    assert answer.status_code == 400
    assert message in answer.text
    assert news(client, link)["controls"] == {"paused": True, "delay": 0}


# ---------------------------------------------------------------------------- what goes wrong


class Failing:
    """An agent that fails in its own way and tells what it sees."""

    def __init__(self, fail):
        self.act = fail


def breaks(observations, masks, rngs):
    raise RuntimeError(f"my hand is {observations.tolist()}, my key is s3cret")


def leaves(observations, masks, rngs):
    raise SystemExit("my key is s3cret")


def cheats(observations, masks, rngs):
    return np.array([masks.shape[1] - 1 - masks[0, ::-1].argmin()])


@pytest.mark.parametrize(
    ("fail", "told"),
    [
        (
            breaks,
            rf"failed: RuntimeError \(test_web.py, line {breaks.__code__.co_firstlineno + 1}\)",
        ),
        (leaves, r"failed: SystemExit \(test_web.py, line \d+\)"),
        (cheats, "chose what is no legal action"),
    ],
)
def test_an_agent_that_fails_is_named_to_everybody_without_what_it_said(tmp_path, fail, told):
    env = dealt(num_players=3, seed=5)
    player = Player("module:Failing:key=s3cret", Failing(fail))
    session = Session(env, {env.agent_selection: player}, None, seed=3)
    table = table_of(session, tmp_path)
    with client_of(table) as client:
        for link in links(table).values():
            shown = news(client, link)
            while (
                answer := client.get(f"{link}/news?version={shown['version']}")
            ).status_code == 204:
                time.sleep(0.005)
            assert answer.status_code == 503
            assert re.search(
                rf"^The game has stopped: the agent module:Failing {told}\. ", answer.text
            )
            assert "how to go on" in answer.text
            for secret in (
                "s3cret",
                str(tmp_path),
                os.path.dirname(__file__),
                "hand",
                "legal actions",
            ):
                assert secret not in answer.text
            assert client.post(f"{link}/controls", json={}).text == answer.text
            assert news(client, link)["picture"], "a reload shows the table"
    assert "s3cret" in str(table.failure) or fail is cheats
    assert read_game(table.session.path)[0].to_json() == env.to_json()


def test_a_hint_that_fails_is_told_and_the_game_goes_on(tmp_path, capsys):
    session = seated(dealt(seed=5), ["player_0"], adviser=Player("mine", Failing(breaks)))
    table = table_of(session, tmp_path)
    with client_of(table) as client:
        link = links(table)["player_0"]
        answer = client.post(f"{link}/hint", json={})
        assert answer.status_code == 409
        assert answer.text.startswith("the agent mine failed: RuntimeError (test_web.py, line ")
        assert "s3cret" not in answer.text
        assert news(client, link)["moves"]
    assert "s3cret" in capsys.readouterr().err


def test_every_refusal_is_a_sentence(two, monkeypatch, capsys):
    """The page shows what the server says."""
    table, client = two
    link = links(table)["player_0"]
    news(client, link)
    answers = [
        client.get(f"{link}x/"),
        client.get(f"{link}/nowhere"),
        client.get("/"),
        client.get(f"{link}/move"),
        client.post(f"{link}/move", json={}),
        client.get(f"{link}/after/replay"),
        client.get(f"{link}/news", headers={"host": "evil.example"}),
    ]
    for fault in (ZeroDivisionError("s3cret\x1b[2J"), ValueError("s3cret")):
        monkeypatch.setattr(table, "page", mock.Mock(side_effect=fault))
        answers.append(client.get(f"{link}/news"))
        assert re.match(
            rf"The server could not answer: {type(fault).__name__} \(mock.py, line \d+\)\. ",
            answers[-1].text,
        )
    statuses = [answer.status_code for answer in answers]
    assert statuses == [404, 404, 404, 405, 400, 409, 421, 500, 500]
    for answer in answers:
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.text.strip()
        assert "s3cret" not in answer.text
    told = capsys.readouterr().err
    assert "ZeroDivisionError: s3cret\\x1b[2J" in told
    assert "\x1b" not in told


def test_a_table_that_cannot_be_drawn_is_shown_in_words_and_played(two, monkeypatch, capsys):
    table, client = two
    monkeypatch.setattr(
        Session, "drawn", mock.Mock(side_effect=ZeroDivisionError("a card of no size"))
    )
    link = links(table)["player_0"]
    for _ in range(3):
        page = client.get(f"{link}/news?size=360x480").json()
        assert "Player 2" in page["picture"]
        assert 'viewBox="0 0 360 ' in page["picture"], "as wide as the window"
        assert "ZeroDivisionError (" in page["trouble"]
    picks = page["moves"][-1][1]
    message = {"version": page["version"], "picks": picks}
    assert client.post(f"{link}/choose?size=360x480", json=message).json()["move"]
    assert client.post(f"{link}/move", json=message).status_code == 200
    assert news(client, link)["log"]
    assert capsys.readouterr().err.count("a card of no size") == 1


def test_a_server_that_fails_ends_once_open_pages_had_time_to_say_why(tmp_path, monkeypatch):
    uvicorn = pytest.importorskip("uvicorn", reason="needs the extra web")
    now = mock.Mock(return_value=0.0)
    monkeypatch.setattr("time.monotonic", now)
    for is_looked_at in (True, False):
        now.return_value = 0.0
        table = table_of(seated(dealt(seed=5), ["player_0"]), tmp_path)
        server = Server(uvicorn.Config(application(table, PORT)), table)
        assert not asyncio.run(server.on_tick(0))
        table.failure, table.is_looked_at = ValueError(), is_looked_at
        assert asyncio.run(server.on_tick(1)) == (not is_looked_at)
        now.return_value = LAST_WORDS
        assert asyncio.run(server.on_tick(2))


def test_a_browser_that_connects_as_the_server_ends_leaves_no_connection_open(tmp_path, capfd):
    uvicorn = pytest.importorskip("uvicorn", reason="needs the extra web")

    class Late(Server):
        """A server to which a browser connects so many turns of its loop before it ends."""

        turns = 0

        async def on_tick(self, counter):
            return True

        async def shutdown(self, sockets):
            with socket.create_connection(sockets[0].getsockname()):
                for _ in range(self.turns):
                    await asyncio.sleep(0)
                await super().shutdown(sockets)

    for turns in range(6):
        table = table_of(seated(dealt(seed=5), ["player_0"]), tmp_path)
        settings = uvicorn.Config(
            application(table, PORT), log_level="warning", timeout_graceful_shutdown=1
        )
        server = Late(settings, table)
        server.turns = turns
        with listening(0) as listener:
            server.run(sockets=[listener])
        del server
        gc.collect()
    assert not capfd.readouterr().err


@pytest.mark.parametrize("fault", ["it blocks", "it fails"])
def test_a_game_is_served_whatever_becomes_of_the_browser(tmp_path, monkeypatch, fault):
    released = threading.Event()
    monkeypatch.setattr(
        "webbrowser.open", released.wait if fault == "it blocks" else mock.Mock(side_effect=OSError)
    )
    monkeypatch.setattr(Server, "run", mock.Mock())
    game = BrowserGame(table_of(seated(dealt(seed=5), ["player_0"]), tmp_path), 0)
    game.run()
    game._socket.close()
    released.set()
    Server.run.assert_called_once()


def test_no_request_for_news_stays_open(two):
    """A browser opens six connections to a server, for all its tabs together."""
    table, client = two
    for link in links(table).values():
        page = news(client, link)
        assert client.get(f"{link}/news?version={page['version']}").status_code == 204


def test_pages_of_another_server_are_known_to_be_old(tmp_path, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path / "cache"))
    env, versions = dealt(seed=5), set()
    for _ in range(3):
        with client_of(table := table_of(seated(env, ["player_0"]), tmp_path)) as client:
            versions.add(news(client, links(table)["player_0"])["version"])
    assert len(versions) == 3


# ------------------------------------------------------------------------------- links that stay


def finished(people, path=None, seed=5):
    """Return a game of Bad, Bad, Turtle that these people have played to its end."""
    played = seated(dealt("bad_bad_turtle", num_players=3, seed=seed), people, path=path)
    while not played.is_over:
        if played.person:
            played.play(played.person, played.moves(played.person)[0])
        else:
            played.play_opponent()
    return played


@pytest.fixture
def key(tmp_path, monkeypatch):
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path / "cache"))


def test_old_links_lead_to_the_game_that_goes_on(tmp_path, monkeypatch, key):
    """After Ctrl-C and `--resume` of the newest file, whatever happened at the table before."""
    monkeypatch.chdir(tmp_path)
    people = ["player_0", "player_1"]
    first = finished(people, tmp_path / "1.jsonl")
    table = WebTable(first, Controls(False, 0), deal=partial(dealt_again, 0.1))
    before = dict(table.tokens)
    paths = iter(tmp_path / f"{number}.jsonl" for number in range(2, 9))
    monkeypatch.setattr("gubs_env.play.commands.new_path", lambda env, beside: next(paths))
    with client_of(table) as client:
        link = links(table)["player_0"]
        for changes in ({"swap": True}, {"move": 0}):
            message = {"opponents": "", "swap": False, "game": table.name, "move": None} | changes
            assert client.post(f"{link}/again", json=message).status_code == 200
            assert {token: before[token] for token in table.tokens} == before
            table.session = finished(table.session.people, table.session.path)
            seats = dict(table.tokens)
            resumed = WebTable(table.session, Controls(False, 0))
            assert (resumed.tokens, resumed.links.port) == (seats, table.links.port)
    assert set(seats.values()) == {"player_1", "player_2"}
    assert table.session.path.name == "3.jsonl"


def test_links_lead_to_a_game_that_is_resumed_in_another_file(tmp_path, key):
    env, people = dealt(seed=5), ["player_0"]
    table = table_of(seated(env, people), tmp_path)
    for text, is_same in (
        (table.session.path, True),
        (f"{table.session.path}#0:4", True),
        (f"{table.session.path}#1", False),
    ):
        path = tmp_path / f"{len(str(text))}.jsonl"
        again = seated(env, people, path=path)
        lead_on(str(text), again)
        resumed = WebTable(again, Controls(False, 0))
        assert (resumed.tokens == table.tokens) == is_same
    spare = tmp_path / "spare.jsonl"
    table.links.lead_to(spare)
    for note in (tmp_path / "cache").glob("**/links/*.json"):
        note.write_text(note.read_text().replace('"shift": 0', '"shift": 1'))
    forged = WebTable(seated(env, people, path=spare), Controls(False, 0))
    assert not forged.tokens.keys() & table.tokens.keys()


def replay_at(client, address):
    """Ask for a replay until it is made, as a browser does."""
    while 'http-equiv="refresh"' in (page := client.get(address).text):
        time.sleep(0.05)
    return page


def test_the_time_that_a_replay_still_takes_is_told():
    assert Unfinished(5, 200, 1.0).told == ""
    assert Unfinished(50, 200, 7.0).told == "about 20 seconds"
    assert Unfinished(50, 200, 40.0).told == "about 2 minutes"


def test_a_replay_that_takes_long_says_so_and_is_made_once(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "REPLAY_PATIENCE", 0)
    made = mock.Mock(side_effect=afterwards.AFTERWARDS["replay"])
    monkeypatch.setitem(afterwards.AFTERWARDS, "replay", made)
    table = table_of(finished(["player_0"], None), tmp_path)
    with client_of(table) as client:
        address = f"{links(table)['player_0']}/after/replay"
        assert "The replay is being made" in client.get(address).text
        page = replay_at(client, address)
        assert 'id="data"' in page
        assert client.get(address).text == page
    made.assert_called_once()


def test_what_is_being_made_ends_with_the_server(tmp_path, monkeypatch):
    begun, ended = threading.Event(), threading.Event()

    def endless(session, seat, progress):
        try:
            for step in range(10**9):
                begun.set()
                progress(step, 10**9)
        finally:
            ended.set()

    monkeypatch.setitem(afterwards.AFTERWARDS, "replay", endless)
    table = table_of(finished(["player_0"], None), tmp_path)

    async def look():
        asked = asyncio.create_task(table.after("player_0", "replay", table.name))
        await asyncio.to_thread(begun.wait)
        table.looks.end()
        with pytest.raises(ValueError, match="the server is about to end"):
            await asked

    asyncio.run(look())
    assert ended.wait(5)


def test_the_replay_of_a_game_stays_when_another_game_has_begun(tmp_path, key):
    def deal(last, people, opponents, move):
        name = "2.jsonl" if move is None else f"{len(last.env.log())}-{move}.jsonl"
        return finished(people, tmp_path / name, seed=6)

    first = finished(["player_0"], tmp_path / "1.jsonl")
    table = WebTable(first, Controls(False, 0), deal=deal)
    with client_of(table) as client:
        link = links(table)["player_0"]
        seen = replay_at(client, f"{link}/after/replay?game=1.jsonl")
        told = client.get(f"{link}/after/ending?game=1.jsonl").json()
        message = {"opponents": "", "swap": True, "game": "1.jsonl", "move": None}
        assert client.post(f"{link}/again", json=message).status_code == 200
        assert table.session.people == ["player_1"]
        assert news(client, link)["before"] == ["1.jsonl"]
        assert replay_at(client, f"{link}/after/replay?game=1.jsonl") == seen
        assert client.get(f"{link}/after/ending?game=1.jsonl").json() == told, "as they sat in it"
        assert replay_at(client, f"{link}/after/replay?game=2.jsonl") != seen
        missing = client.get(f"{link}/after/replay?game=3.jsonl")
        assert missing.status_code == 409
        assert "3.jsonl is no game of this table" in missing.text
        played_on = message | {"swap": False, "move": 2}
        assert client.post(f"{link}/again", json=played_on).status_code == 200
        assert table.name == f"{len(first.env.log())}-2.jsonl"
        assert links(table) == {"player_0": link}, "everybody sits where they sat in that game"
