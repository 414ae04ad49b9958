"""The secret links of a table, which lead to its game for as long as it goes on."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gubs_env.engine.compiling import cache_folders
from gubs_env.support.files import private_key, read_object, replace_file

TOKEN_BYTES = 16
PORTS = range(61_000, 65_536)
"""Ports that Linux gives to nobody who does not ask for them."""
KEY_FILE = "links.key"
NOTES = "links"
"""The folder beside the key, with a note for each game that followed another at its table."""


class Links:
    """The tokens and the port of a table, which follow from its first game and a key of the user.

    They stay when another game follows, everybody changes seats, or the game goes on in another
    file, so that an open tab finds its game again. Without a file, or where no key can be kept,
    they are random.

    Args:
        path: the file of the game; None for a game without one.
        seats: all seats of the table.
        game: number of the game in a file of several.
    """

    def __init__(self, path: Path | None, seats: Sequence[str], game: int | None = None) -> None:
        self._seats = seats
        self._secret, self._notes = kept_key(path)
        self.first, self.shift = _game(path) + (f"#{game}" if game else ""), 0
        """The first game of the table, and by how many seats everybody has moved on since."""
        if self._notes:
            with suppress(OSError, ValueError):
                note = read_object(self._note(self._notes, self.first), "a note of links")
                proof = str(note.pop("proof", "")).encode()
                if hmac.compare_digest(proof, self._proof(self.first, note).encode()):
                    self.first, self.shift = note["first"], note["shift"]

    @property
    def port(self) -> int:
        """The port that the table would like to be served at."""
        return PORTS[int.from_bytes(self._digest(self.first, "port")) % len(PORTS)]

    def tokens(self, viewers: Iterable[str]) -> dict[str, str]:
        """Return the viewer of each token, for viewers that are seats or watchers."""
        return {self._token(viewer): viewer for viewer in viewers}

    def lead_to(self, path: Path | None) -> None:
        """Lead to the game in another file too; where that cannot be noted, its links are new."""
        game, note = _game(path), {"first": self.first, "shift": self.shift}
        if self._notes and path and game != self.first:
            with suppress(OSError):
                self._notes.mkdir(exist_ok=True)
                proven = note | {"proof": self._proof(game, note)}
                replace_file(self._note(self._notes, game), json.dumps(proven))

    def _token(self, viewer: str) -> str:
        if viewer in self._seats:
            viewer = self._seats[(self._seats.index(viewer) - self.shift) % len(self._seats)]
        token = self._digest(self.first, viewer)[:TOKEN_BYTES]
        return base64.urlsafe_b64encode(token).rstrip(b"=").decode()

    def _note(self, notes: Path, game: str) -> Path:
        return notes / f"{self._digest(game, 'note').hex()[:32]}.json"

    def _proof(self, game: str, note: dict[str, Any]) -> str:
        """Return what only this user can write beside a note about a game."""
        return self._digest(game, json.dumps(note)).hex()

    def _digest(self, *texts: str) -> bytes:
        """Return 32 bytes that only who has the key can find."""
        digest = self._secret
        for text in texts:
            digest = hmac.digest(digest, text.encode(errors="surrogateescape"), hashlib.sha256)
        return digest


def _game(path: Path | None) -> str:
    return f"{path and path.resolve()}"


def kept_key(path: Path | None) -> tuple[bytes, Path | None]:
    """Return the key for the game in a file, and the folder for notes.

    It is the user's key; without a file, or if that cannot be kept, it is random, without notes.
    """
    for folder in cache_folders() if path else ():
        with suppress(OSError):
            return private_key(folder / KEY_FILE), folder / NOTES
    return secrets.token_bytes(32), None
