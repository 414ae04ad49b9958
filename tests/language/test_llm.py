"""Language models as agents, with a local server in place of a model."""

from __future__ import annotations

import gzip
import json
from threading import Barrier

import numpy as np
import pytest

import gubs_agents
from gubs_agents.arena import report
from gubs_agents.arena.tournaments import tournament
from gubs_agents.language.chat import ChatClient, ModelError, ModelServer, seconds_of
from gubs_agents.language.llm import LanguageModel
from gubs_env import find_table, record
from gubs_env.records.running import PlannedGames, play_planned
from tests.language.server import completion, sending, serving, slowly, well

httpx = pytest.importorskip("httpx", reason="needs the extra llm")
pytest.importorskip("tenacity", reason="needs the extra llm")

KEY = "sk-secret-0123456789"
DECK = {"Gub": 10, "Spear": 6, "Lure": 4, "Letter G": 1, "Letter U": 1, "Letter B": 1}
TWO = find_table("gubs", 2, {"deck": DECK})
"""A table of short games: every move of a model is a request."""


@pytest.fixture(autouse=True)
def key_in_the_environment(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)


def model(server, **options):
    """Return a factory of the agent, which waits for nothing."""
    given = {"list_moves": True, "retries": 2, "backoff": 0, "timeout": 5} | options
    return lambda table, seed: LanguageModel(
        table, seed, base_url=server.url, model="local", **given
    )


def play(factory, deals=1):
    """Play games of a model against random; return their `Chunk`."""
    field = {
        "model": factory,
        "random": lambda table, seed: gubs_agents.make("random", table, seed=seed),
    }
    seatings = np.array([[0, 1], [1, 0]])[np.arange(deals) % 2]
    games = PlannedGames(TWO, np.arange(deals), seatings, field=field)
    return play_planned(games)


def test_a_server_that_answers_well_plays_legally_and_its_tokens_are_counted():
    with serving(well) as server:
        played = play(model(server, input_price=2.0, output_price=10.0))
    usage = played.times["usage"]["model"]
    assert usage["asked"] == usage["requests"] == len(server.requests) > 8
    assert usage["illegal"] == usage["unparsable"] == usage["retries"] == usage["forfeited"] == 0
    assert usage["prompt_tokens"] == 100 * usage["requests"]
    assert usage["completion_tokens"] == 7 * usage["requests"]
    assert usage["cost"] == pytest.approx(usage["requests"] * (100 * 2 + 7 * 10) / 1e6)
    request = server.requests[0]
    assert request["model"] == "local"
    assert request["temperature"] == 0
    assert [message["role"] for message in request["messages"]] == ["system", "user"]


def test_illegal_and_unparsable_answers_are_told_apart_and_fed_back():
    def badly(request):
        wrong = [completion("Fly to the moon"), completion("{"), completion(None)]
        failed = (len(request["messages"]) - 2) // 2
        return wrong[failed] if failed < len(wrong) else well(request)

    with serving(badly) as server:
        usage = play(model(server)).times["usage"]["model"]
    assert usage["illegal"] == usage["asked"]
    assert usage["unparsable"] == 2 * usage["asked"]
    assert usage["failed"] == 0
    roles = [message["role"] for message in server.requests[3]["messages"]]
    assert roles == ["system", "user", *["assistant", "user"] * 3]
    told = [message["content"] for message in server.requests[3]["messages"][3::2]]
    assert "'Fly to the moon' is not a legal move; legal moves near it are: " in told[0]
    assert "not valid JSON" in told[1]
    assert "empty" in told[2]
    assert usage["empty"] == usage["asked"]
    assert server.requests[3]["messages"][6]["content"], "some servers refuse an empty message"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(status):
    asked = []

    def busy(request):
        asked.append(request)
        return (status, "busy", {"Retry-After": "0"}) if len(asked) % 2 else well(request)

    with serving(busy) as server:
        usage = play(model(server, concurrency=1)).times["usage"]["model"]
    assert usage["retries"] == usage["asked"]
    assert usage["requests"] == 2 * usage["asked"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, f"no such key: {KEY}", {}), r"answered 401: no such key: … \("),
        ((404, "no such\nmodel", {}), r"answered 404: no such model \("),
        ((500, "", {}), r"answered 500: nothing \(3 attempts\) \("),
        ((200, "<html>", {}), r"v1/chat/completions answered 200: <html> \(.* \(3 attempts\) \("),
        ((200, '{"choices": []}', {}), r"not a chat completion\) \(3 attempts\) \("),
    ],
)
def test_a_server_that_refuses_ends_the_run_with_one_line(answer, said):
    with (
        serving(lambda request: answer) as server,
        pytest.raises(ValueError, match=said) as error,
    ):
        play(model(server, key_variable="MY_KEY"))
    assert str(error.value).startswith("agent 'model' failed: ModelError: http://127.0.0.1:")
    assert "\n" not in str(error.value)
    assert KEY not in str(error.value)
    assert server.keys[0] == f"Bearer {KEY}"


def test_a_server_that_is_slow_or_gone_is_an_error_after_all_retries():
    with serving(slowly) as server:
        with pytest.raises(ValueError, match=r"no answer within 0.05 s \(2 attempts\)"):
            play(model(server, timeout=0.05, retries=1))
        gone = model(server)
    with pytest.raises(ValueError, match=r"does not answer: ConnectError: .* \(3 attempts\)"):
        play(gone)


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
UNTIL_CLOSED = OK + b"Connection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "again", "pause", "said"),
    [
        (b"", b"H", 0.05, "no answer within 0.3 s"),
        (OK, b"X: y\r\n", 0.05, "no answer within 0.3 s"),
        (UNTIL_CLOSED, b" ", 0.05, "no answer within 0.3 s"),
        (b"HTTP/1.1 401 No\r\nConnection: close\r\n\r\n", b" ", 0.05, "no answer within 0.3 s"),
        (b"", b"", 0, "does not answer: RemoteProtocolError"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", b"", 0, "does not answer: RemoteProtocolError"),
        (OK + b"Content-Length: 9\r\n\r\n{", b"", 0, "does not answer: RemoteProtocolError"),
    ],
)
def test_a_server_that_does_not_end_its_answer_is_given_up(head, again, pause, said):
    with sending(head, again, pause) as url, pytest.raises(ModelError, match=said):
        ChatClient(ModelServer(url, timeout=0.3, retries=0)).complete({})


@pytest.mark.parametrize(
    ("head", "again", "said"),
    [
        (UNTIL_CLOSED, b" " * 65536, "answers with more than 4,000,000 bytes"),
        (OK, b"X: " + b"y" * 65536 + b"\r\n", "does not answer: RemoteProtocolError"),
        (b"", b"HTTP/1.1 103 Early Hints\r\n" + b"X: y\r\n" * 99999, "RemoteProtocolError"),
        (
            OK + b"Transfer-Encoding: chunked\r\n\r\n",
            b"10000\r\n" + b" " * 65536 + b"\r\n",
            "answers with more than 4,000,000 bytes",
        ),
        (
            OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(10**7)),
            b"",
            "compresses its answer",
        ),
        (OK + b"Content-Encoding: gzip, gzip, br\r\n\r\n", b" " * 65536, "compresses its answer"),
    ],
)
def test_a_server_that_sends_without_end_fills_no_memory(head, again, said):
    with sending(head, again) as url, pytest.raises(ModelError, match=said):
        ChatClient(ModelServer(url, timeout=60, retries=0)).complete({})


TEXT = '{"choices": [{"message": {"content": "x"}}], "usage": %s}'


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("[" * 100_000, "nested too deeply"),
        (TEXT % '{"prompt_tokens": %s}' % ("9" * 4000), "a number of 4,000 digits"),
        (TEXT % '{"prompt_tokens": %s}' % ("9" * 5000), "a number of 5,000 digits"),
        (TEXT % '{"prompt_tokens": %s}' % ("9" * 39), "tokens of the answer must be numbers"),
        (TEXT % '{"prompt_tokens": -1}', "tokens of the answer must be numbers from 0 to"),
        (TEXT % '{"prompt_tokens": 1.5}', "tokens of the answer must be numbers from 0 to"),
        (TEXT % '{"prompt_tokens": true}', "tokens of the answer must be numbers from 0 to"),
        (TEXT % '{"prompt_tokens": NaN}', "NaN is not a number"),
        (TEXT % '{"cost": 1e999}', "the number 1e999 is too large"),
        (TEXT % '"many"', "not a chat completion"),
        ('{"choices": {}}', "not a chat completion"),
        ('{"choices": ["text"]}', "not a chat completion"),
        ('{"choices": [{"message": []}]}', "not a chat completion"),
        ('{"choices": [{"message": {"content": ["x"]}}]}', "not a chat completion"),
        ('{"choices": [{"message": {"content": [{"text": "x"}]}}]}', "not a chat completion"),
        ('{"choices": [{"message": {"content": [{"type": "text"}]}}]}', "not a chat completion"),
        ('{"choices": [{"message": {"content": [{"type": "text", "text": 1}]}}]}', "not a chat"),
        ('{"choices": null, "error": "no model is loaded"}', "no model is loaded.* not a chat"),
        ('{"error": {"code": 502, "message": "no provider"}}', "no provider.* not a chat"),
        ('{"detail": [{"msg": "field required"}]}', "field required.* not a chat completion"),
        (
            '{"choices": [{"message": {"content": "Draw"}, "finish_reason": "error"}]}',
            "model failed",
        ),
        ('{"choices": [{"message": {"content": ""}, "error": {"code": 502}}]}', "the model failed"),
        ('{"choices": [{"message": {"content": 7}}]}', "not a chat completion of text"),
        ("null", "not a chat completion"),
    ],
)
def test_an_answer_of_another_form_is_an_error_of_one_line(body, said):
    with (
        serving(lambda request: (200, body, {})) as server,
        pytest.raises(ModelError, match=said) as error,
    ):
        ChatClient(ModelServer(server.url, retries=0)).complete({})
    assert str(error.value).startswith(server.url)
    assert str(error.value).isprintable()


def message(**parts):
    """Return the body of a completion whose message has these parts, and no usage."""
    return json.dumps({"choices": [{"message": parts, "finish_reason": "stop"}]})


THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "Skip the draw?"}]}
SAID = [{"type": "text", "text": "Draw "}, {"type": "text", "text": "a card"}]


@pytest.mark.parametrize(
    ("body", "reply"),
    [
        (message(content=[THOUGHT, *SAID]), ("Draw a card", 0, 0)),
        (message(content=[THOUGHT]), ("", 0, 0)),
        (message(content=[]), ("", 0, 0)),
        (message(content=None, refusal="I cannot play."), ("", 0, 0)),
        (message(content=None, reasoning_content="Skip the draw?"), ("", 0, 0)),
        (message(content=None, tool_calls=[{"function": {"name": "play"}}]), ("", 0, 0)),
        (message(role="assistant", reasoning="Skip the draw?"), ("", 0, 0)),
        ("\n   \n" + message(content="x", refusal=None), ("x", 0, 0)),
        (TEXT % '{"prompt_tokens": 12.0, "completion_tokens": 3}', ("x", 12, 3)),
        (TEXT % '{"prompt_tokens": null, "total_tokens": 5}', ("x", 0, 0)),
        (TEXT % "null", ("x", 0, 0)),
    ],
)
def test_an_answer_is_read_as_servers_write_it(body, reply):
    with serving(lambda request: (200, body, {})) as server:
        found, _ = ChatClient(ModelServer(server.url, retries=0)).complete({})
    assert found == reply
    assert all(type(count) is int for count in found[1:])


def test_the_limit_of_an_answer_has_the_name_that_the_server_knows():
    with serving(well) as server:
        for field in ("max_tokens", "max_completion_tokens"):
            server.requests.clear()
            play(model(server, max_tokens=50, max_tokens_field=field))
            limits = {name: n for name, n in server.requests[0].items() if name.startswith("max")}
            assert limits == {field: 50}


@pytest.mark.parametrize(
    ("after", "seconds"),
    [
        ("7", 7),
        ("1.5", 1.5),
        ("-7", 0),
        ("soon", 0),
        ("", 0),
        ("Wed, 21 Oct 2015 07:28:30 GMT", 30),
        ("Wednesday, 21-Oct-15 07:28:30 GMT", 30),
        ("Wed Oct 21 07:28:30 2015", 30),
        ("Wed, 21 Oct 2015 07:27:00 GMT", 0),
        ("Wed, 21 Oct 99999 07:27:00 GMT", 0),
    ],
)
def test_a_server_says_in_seconds_or_by_a_date_when_to_ask_again(after, seconds):
    headers = {"Retry-After": after, "Date": "Wed, 21 Oct 2015 07:28:00 GMT"}
    assert seconds_of(httpx.Response(429, headers=headers)) == seconds


def test_half_a_surrogate_pair_in_an_answer_can_be_kept_and_sent(tmp_path):
    body = TEXT.replace('"x"', r'"Draw \ud800 a card"') % "null"
    with serving(lambda request: (200, body, {})) as server:
        client = ChatClient(ModelServer(server.url, cache=str(tmp_path)))
        reply, _ = client.complete({})
        assert reply.text == "Draw ? a card"
        assert client.complete({"messages": [reply.text]}) == (reply, False)
        assert client.complete({}) == (reply, True)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_the_key_reaches_no_other_server(status):
    def elsewhere(request):
        return status, "", {"Location": f"{other.url}/chat/completions"}

    with (
        serving(well) as other,
        serving(elsewhere) as server,
        pytest.raises(ModelError, match=f"{status}: a redirect, .*{other.url}"),
    ):
        ChatClient(ModelServer(server.url, key_variable="MY_KEY")).complete({})
    assert not other.requests


def escaped(form: str) -> str:
    return "".join(form.format(ord(letter), letter) for letter in KEY)


@pytest.mark.parametrize(
    "said",
    [
        f"wrong: {KEY[:-1]}",
        f"wrong: {KEY[3:12]} is no key",
        f"wrong: {KEY.upper()[1:]}",
        f"wrong: {'X' * 170}{KEY[:-1]}",
        " ".join(KEY),
        "-".join(KEY),
        "\u200b".join(KEY),
        "\x1b[1m".join(KEY),
        escaped("<b>{1}</b>"),
        escaped("%{0:02x}"),
        escaped("%25{0:02x}"),
        escaped("\\u{0:04x}"),
        escaped("\\x{0:02x}"),
        escaped("\\\\u{0:04X}"),
        escaped("&#{0};"),
        escaped("&#x{0:x};"),
        escaped("={0:02X}"),
        json.dumps({"error": {"message": f"key={KEY[2:14]}"}}),
    ],
)
def test_no_error_shows_the_key_however_a_server_writes_it(said):
    with serving(lambda request: (401, said, {})) as server, pytest.raises(ModelError) as error:
        ChatClient(ModelServer(server.url, key_variable="MY_KEY")).complete({})
    assert str(error.value).endswith("answered 401: a message that holds parts of the API key")


def test_a_server_cannot_write_to_the_terminal():
    said = "\x1b]0;title\x07\x1b[2J\r\n\u202eno\x9b31m such model\u2028"
    with (
        serving(lambda request: (404, said, {})) as server,
        pytest.raises(ModelError, match="such model") as error,
    ):
        ChatClient(ModelServer(server.url, key_variable="MY_KEY")).complete({})
    assert str(error.value).isprintable()


def test_the_cache_answers_without_the_server_and_holds_no_key(tmp_path):
    options = {"cache": str(tmp_path / "cache"), "key_variable": "MY_KEY", "input_price": 1.0}
    with serving(well) as server:
        first = play(model(server, **options))
        asked = len(server.requests)
        again = play(model(server, **options))
        assert len(server.requests) == asked
        assert (
            play(model(server, **options, temperature=0.5)).times["usage"]["model"]["cache_hits"]
            == 0
        )
    assert [r.line() for r in again.records] == [r.line() for r in first.records]
    usage = again.times["usage"]["model"]
    assert (usage["cache_hits"], usage["requests"]) == (usage["asked"], 0)
    assert usage["cost"] == usage["cost_cached"] == pytest.approx(100 * usage["asked"] / 1e6)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(path.suffix == ".json" for path in files)
    assert not any(KEY.encode() in path.read_bytes() for path in files)


def test_a_damaged_answer_in_the_cache_is_asked_for_again(tmp_path):
    with serving(well) as server:
        factory = model(server, cache=str(tmp_path))
        first = play(factory)
        files = sorted(tmp_path.rglob("*.json"))
        damages = [b"", b"[]", b"{}", b"\xff", files[4].read_bytes().replace(b"local", b"other")]
        damages += [b"[" * 100_000, files[6].read_bytes().replace(b": 7", b": " + b"9" * 5000)]
        damages += [files[7].read_bytes().replace(b": 7", b": -7")]
        for path, damage in zip(files, damages, strict=False):
            path.write_bytes(damage)
        again = play(factory)
    assert again.times["usage"]["model"]["requests"] == len(damages)
    assert [r.line() for r in again.records] == [r.line() for r in first.records]
    assert all(json.loads(path.read_bytes())["request"] for path in files)


def test_an_interrupted_tournament_goes_on_and_asks_only_for_the_rest(tmp_path):
    asked = []

    def until_30(request):
        asked.append(request)
        return well(request) if len(asked) <= 30 else (403, "no money left", {})

    def run(server, folder, resume=False, **options):
        agents = {"model": model(server, **options), "random": "random"}
        once = {"deals": 2, "batch": 1, "resamples": 10, "out": tmp_path / folder}
        return tournament(agents, TWO, **once, resume=resume)

    with serving(well) as server:
        whole = run(server, "whole")
        needed = len(server.requests)
    cache = str(tmp_path / "cache")
    with serving(until_30) as server:
        with pytest.raises(ValueError, match="no money left"):
            run(server, "cut", cache=cache)
        kept = (tmp_path / "cut" / "games.jsonl").read_text()
        assert kept.count("\n") >= 2, "no game was kept"
        server.script = well
        resumed = run(server, "cut", resume=True, cache=cache)
        sent = len(server.requests) - 1  # the one that was refused
    assert sent <= needed, "something was asked for twice"
    cut, uncut = ((tmp_path / name / "games.jsonl").read_text() for name in ("cut", "whole"))
    assert cut.split("\n")[1:] == uncut.split("\n")[1:]
    for name in ("asked", "illegal", "prompt_tokens"):
        assert resumed.times["model"].usage[name] == whole.times["model"].usage[name]
    assert "| agent | asked | illegal |" in report.times_markdown(resumed)


def test_games_are_asked_for_side_by_side():
    meeting = Barrier(2, timeout=20)  # the model begins two of the four games

    def together(request):
        if len(server.requests) <= 2:
            meeting.wait()
        return well(request)

    with serving(together) as server:
        play(model(server, concurrency=2, retries=0, timeout=30), deals=4)
    assert not meeting.broken


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "needs a server and a name"),
        ({"base_url": "http://x/v1"}, "needs a server and a name"),
        ({"base_url": "localhost:8000", "model": "m"}, "must begin with http"),
        ({"base_url": "http://x:99999/v1", "model": "m"}, "must begin with http"),
        ({"base_url": "http://x/\x1b[2J", "model": "m"}, "must begin with http"),
        ({"base_url": "https://me:pw@x/v1", "model": "m"}, "keys belong in an environment"),
        ({"base_url": "http://x", "model": "m", "key_variable": "NOT_SET"}, "NOT_SET: this env"),
        ({"base_url": "http://x", "model": "m", "on_failure": "cry"}, "allowed are forfeit, rand"),
        ({"base_url": "http://x", "model": "m", "timeout": 0}, "timeout=0.0: must be 0.001 to"),
        ({"base_url": "http://x", "model": "m", "temperature": "hot"}, "temperature='hot'"),
        ({"base_url": "http://x", "model": "m", "cache": 5}, "cache=5: must be a text"),
        ({"base_url": "http://x", "model": 7}, "model=7: must be a text"),
        ({"base_url": "http://x", "model": "m", "concurrency": 0}, "must be at least 1"),
        ({"base_url": "http://x", "model": "m", "max_tokens_field": "n"}, "are max_tokens, max_c"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_played(options, said):
    with pytest.raises(ValueError, match=said):
        gubs_agents.make("llm", **options)


def test_a_recording_keeps_what_was_played_when_the_server_fails(tmp_path):
    asked = []

    def mortal(request):
        asked.append(request)
        return well(request) if len(asked) <= 30 else (403, "gone", {})

    path = tmp_path / "games.jsonl"
    with serving(mortal) as server:
        agents = {"model": model(server)(TWO, 0), "random": "random"}
        with pytest.raises(ValueError, match="answered 403"):
            record(path, agents, TWO, games=6, batch=1)
    assert 1 <= path.read_text().count("\n") < 6
