"""This machine is asked straight and without its name, other servers as the environment says."""

from __future__ import annotations

import os
import socket
import sys

import pytest

pytest.importorskip("httpx", reason="needs the extra llm")

import gubs_agents
from gubs_agents.language import route
from gubs_agents.language.chat import ChatClient, ModelError, ModelServer
from tests.language.server import completion, serving

HERE = ["localhost", "LOCALHOST", "localhost.", "model.localhost", "127.0.0.1", "127.9.9.9",
        "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]"]  # fmt: skip


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """An environment without proxies, to set some in."""
    for name in filter(lambda name: name.lower().endswith("_proxy"), list(os.environ)):
        monkeypatch.delenv(name)
    return monkeypatch


def nobody() -> str:
    """Return an address of this machine at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


def asked(url: str, retries: int = 0) -> str:
    return ChatClient(ModelServer(url, retries=retries)).complete({})[0].text


@pytest.mark.parametrize("host", HERE)
def test_this_machine_is_asked_through_no_proxy(host, environment):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        environment.setenv(name, "http://proxy.example:3128")
    assert route.proxy_to(f"http://{host}:8000/v1") is None
    assert route.proxy_to(f"https://{host}/v1") is None
    assert route.proxy_to("http://localhost.example/v1") is not None


@pytest.mark.parametrize("addresses", [("127.0.0.1", "::1"), ("127.0.0.2", "127.0.0.1")])
def test_localhost_is_reached_where_no_resolver_knows_it(addresses, environment):
    def nameless(host, *args, **options):
        raise socket.gaierror(f"no such name: {host}")

    environment.setattr(socket, "getaddrinfo", nameless)
    environment.setattr(route, "LOOPBACK", addresses)
    environment.setenv("HTTP_PROXY", f"http://{nobody()}")
    with serving(lambda request: completion("hello")) as server:
        assert asked(server.url.replace("127.0.0.1", "localhost")) == "hello"
    with pytest.raises(ModelError, match="does not answer: ConnectError"):
        asked(f"http://{nobody().replace('127.0.0.1', 'localhost')}/v1")


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("HTTP_PROXY", "http://me:secret@{}"),
        ("http_proxy", "http://{}"),
        ("ALL_PROXY", "http://me:secret@{}/"),
        ("all_proxy", "{}"),
    ],
)
def test_another_server_is_asked_through_the_proxy_that_an_error_names(name, named, environment):
    with serving(lambda request: completion("hello")) as proxy:
        at = f"127.0.0.1:{proxy.server_address[1]}"
        environment.setenv(name, named.format(at))
        assert asked("http://models.example/v1") == "hello"
        proxy.script = lambda request: (502, "cannot reach models.example", {})
        says = rf"/chat/completions \(through the proxy {at} of {name}\) "
        with pytest.raises(ModelError, match=says + "answered 502: cannot reach"):
            asked("http://models.example/v1")
    with pytest.raises(ModelError, match=says + "does not answer: ConnectError") as error:
        asked("http://models.example/v1")
    assert "secret" not in str(error.value)


def test_a_proxy_that_refuses_to_connect_is_quoted(environment):
    with serving(completion) as proxy:
        environment.setenv("https_proxy", proxy.url.removesuffix("/v1"))
        with pytest.raises(ModelError, match=r"of https_proxy\) does not answer: ProxyError: 501"):
            asked("https://models.example/v1")


@pytest.mark.parametrize(
    ("excepted", "host", "straight"),
    [
        ("models.example", "models.example", True),
        (".example", "models.example", True),
        ("other.example, models.example:8000", "models.example:8000", True),
        ("*", "models.example", True),
        ("10.0.0.0/8", "10.1.2.3:8000", True),
        ("10.1.2.3", "10.1.2.3", True),
        ("fd00::/8", "[fd00::7]:8000", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("odels.example", "models.example", False),
        ("", "models.example", False),
    ],
)
def test_the_servers_of_no_proxy_are_asked_straight(excepted, host, straight, environment):
    environment.setenv("HTTP_PROXY", "http://proxy.example:3128")
    environment.setenv("NO_PROXY", excepted)
    assert (route.proxy_to(f"http://{host}/v1") is None) is straight


@pytest.mark.parametrize(
    ("named", "error", "said"),
    [
        ("socks5://me:secret@p.example:1080", ModuleNotFoundError,
         r"the proxy p.example:1080 of ALL_PROXY needs the package socksio, which is not "
         r"installed: pip install socksio, unset ALL_PROXY, or list models.example in NO_PROXY"),
        ("socks4://me:secret@p.example", ValueError, "ALL_PROXY holds no address of a proxy"),
        ("http://me:secret@p.example:port", ValueError, "ALL_PROXY holds no address of a proxy"),
    ],
)  # fmt: skip
def test_a_proxy_that_cannot_be_used_is_refused_before_work_begins(named, error, said, environment):
    environment.setitem(sys.modules, "socksio", None)
    environment.setenv("ALL_PROXY", named)
    with pytest.raises(error, match=said) as raised:
        gubs_agents.make("llm", base_url="http://models.example/v1", model="m")
    assert "secret" not in str(raised.value)
    gubs_agents.make("llm", base_url="http://localhost:8000/v1", model="m")
