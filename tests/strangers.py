"""Names of agents by which somebody else tried to reach files, modules and servers."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager

ADDRESS = "http://127.0.0.1:{port}/v1"
TEXTS = (
    "llm:base_url={address}+model=x+key_variable=SOME_SECRET+cache={folder}/cache",
    "llm",
    "evil_mod:X",
    "evil_mod:X:depth=2",
    "policy:weights=/etc/passwd",
    "policy:weights={folder}/w.safetensors",
    "ismcts:weights={folder}/w.safetensors",
    "os:system",
    "my_package.bots:Cautious",
)
"""Texts that name no agent of a list; `reaching` fills the braces."""


@contextmanager
def reaching(folder, monkeypatch):
    """Yield the texts; raise AssertionError if one of them reached a server, a module, a folder.

    The folder is the working folder, and holds evil_mod.py, as does the path of modules.
    """
    ran = folder / "ran"
    body = f"open({str(ran)!r}, 'w').close()\nclass X:\n    def act(self, o, m, r=None): pass\n"
    (folder / "evil_mod.py").write_text(body)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    monkeypatch.setenv("SOME_SECRET", "xyzzy")
    with socket.create_server(("127.0.0.1", 0)) as server:
        visits = []
        thread = threading.Thread(target=_count, args=(server, visits))
        thread.start()
        port = server.getsockname()[1]
        try:
            yield [text.format(address=ADDRESS.format(port=port), folder=folder) for text in TEXTS]
        finally:
            socket.create_connection(("127.0.0.1", port)).close()
            thread.join()
    assert not visits, "a server was asked"
    assert not ran.exists(), "a module was imported"
    assert not (folder / "cache").exists(), "a folder was made"


def _count(server, visits):
    """Note each visit with something to say, until one says nothing."""
    while True:
        visit, _ = server.accept()
        with visit:
            said = visit.recv(1)
        if not said:
            return
        visits.append(said)
