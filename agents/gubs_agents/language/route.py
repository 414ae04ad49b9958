"""The way to a server: straight, or through the proxy that the environment names for it."""

from __future__ import annotations

import os
from contextlib import suppress
from ipaddress import ip_address, ip_network
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from gubs_env.support.checks import is_installed

LOOPBACK = "127.0.0.1", "::1"
"""The addresses of this machine that `localhost` stands for."""


class Transport(httpx.AsyncHTTPTransport):
    """A transport that reaches `localhost` by its addresses: a resolver need not know the name."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        name = request.url.host
        if not is_localhost(name):
            return await super().handle_async_request(request)
        request.extensions["sni_hostname"] = name
        failures = []
        for address in LOOPBACK:
            request.url = request.url.copy_with(host=address)
            try:
                return await super().handle_async_request(request)
            except httpx.ConnectError as error:
                failures.append(error)
        raise failures[0]


class Proxy(NamedTuple):
    """A proxy, and where it is named."""

    url: httpx.Proxy
    variable: str
    """The environment variable, or "the settings of this system"."""

    def __str__(self) -> str:
        """The proxy without user and password."""
        return f"the proxy {self.url.url.netloc.decode()} of {self.variable}"


def proxy_to(url: str) -> Proxy | None:
    """Return the proxy through which a server is asked; None for none.

    This machine is always asked straight; so are the servers that NO_PROXY lists, by name, address
    or network, as 10.0.0.0/8.

    Raises:
        ValueError: for a proxy that cannot be used.
        ModuleNotFoundError: for a SOCKS proxy without the package that it needs.
    """
    parts, known = urlsplit(url), getproxies()
    kind = parts.scheme if known.get(parts.scheme) else "all"
    if not known.get(kind) or goes_straight(parts, known.get("no", "")):
        return None
    spelled = (f"{kind}_proxy", f"{kind.upper()}_PROXY")
    variable = next(filter(os.environ.get, spelled), "the settings of this system")
    named = known[kind] if "://" in known[kind] else f"http://{known[kind]}"
    try:
        proxy = Proxy(httpx.Proxy(named), variable)
    except (ValueError, httpx.InvalidURL):
        raise ValueError(
            f"{variable} holds no address of a proxy that begins with http://, https:// or "
            f"socks5://: correct it, or list {parts.hostname} in NO_PROXY"
        ) from None
    if proxy.url.url.scheme.startswith("socks") and not is_installed("socksio"):
        raise ModuleNotFoundError(
            f"{proxy} needs the package socksio, which is not installed: pip install socksio, "
            f"unset {variable}, or list {parts.hostname} in NO_PROXY"
        )
    return proxy


def goes_straight(parts: SplitResult, excepted: str) -> bool:
    """Return whether a server is on this machine, or among those that NO_PROXY excepts."""
    host, entries = parts.hostname or "", [entry.strip() for entry in excepted.split(",")]
    if is_localhost(host) or "*" in entries or proxy_bypass(parts.netloc):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_loopback or address.is_unspecified:
        return True
    for entry in entries:
        with suppress(ValueError):
            if address in ip_network(entry.strip("[]"), strict=False):
                return True
    return False


def is_localhost(host: str) -> bool:
    """Return whether a name stands for this machine everywhere (RFC 6761)."""
    return f".{host}".removesuffix(".").endswith(".localhost")
