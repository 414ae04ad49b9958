"""The ledger of the gate: every test with its bounds, deals and result, refused candidates too.

The file is append-only. A test has a line when it begins and one when it ends, and each line holds
a hash of all lines before it. A test that was begun counts, whether it ended or not.

Alpha is spent over the tests of a table: its k-th accepts a candidate that is no stronger than the
champion with a probability of at most ALPHA / (k (k + 1)). These sum to ALPHA over all k. So in a
series of tries of any length, that is the probability that a network is shipped at this table
though it is no stronger than the one before.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from gubs_env.engine.border import read_json
from gubs_env.support.fields import NUMBER, OBJECT, TEXT, WHOLE, check_fields
from gubs_env.support.files import complete_lines, line_of, replace_file

LEDGER = "gate.jsonl"
ALPHA = 0.05
"""Bound on the error of all tests of a table."""
CHAMPION, FIRST = "champion", "first"
"""The opponents of a candidate: the network in its place, and the first one that was shipped."""
HASH_DIGITS = 16
BEGUN = {
    "test": WHOLE, "table": TEXT, "rules": TEXT, "candidate": TEXT, "against": TEXT,
    "opponent": TEXT, "elo0": NUMBER, "elo1": NUMBER, "alpha": NUMBER, "beta": NUMBER,
    "first_deal": WHOLE, "most_deals": WHOLE, "version": TEXT, "after": TEXT,
}  # fmt: skip
"""The fields of the line of a test that begins."""
ENDED = {"test": WHOLE, "result": OBJECT, "after": TEXT}
"""The fields of the line of one that ends."""


class Entry(NamedTuple):
    """A test in the ledger."""

    begun: dict[str, Any]
    """The fields of its first line."""
    ended: dict[str, Any] | None
    """Its result; None as long as it has none."""


class Ledger:
    """The ledger in a folder of shipped networks.

    Args:
        folder: the folder; without the file the ledger is empty.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: for one whose lines were changed, removed or moved.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / LEDGER
        self.entries: list[Entry] = []
        """All tests, in order."""
        self._content = b""
        lines, rest = complete_lines(self.path)
        for number, line in lines:
            try:
                self._read(read_json(line, "a line of the ledger"))
            except ValueError as error:
                raise ValueError(f"{self.path}, line {number}: {error}") from None
            self._content += line
        if rest:
            raise ValueError(f"{self.path}: its last line is cut off")

    def _read(self, values: Any) -> None:
        if type(values) is not dict or values.get("after") != self._after():
            raise ValueError("a line before it was changed, removed or moved")
        check_fields(values, ENDED if "result" in values else BEGUN, "a test")
        number, count = values["test"], len(self.entries)
        if "result" not in values and number == count + 1:
            self.entries.append(Entry(values, None))
        elif "result" in values and 0 < number <= count and not self.entries[number - 1].ended:
            self.entries[number - 1] = Entry(self.entries[number - 1].begun, values["result"])
        else:
            raise ValueError(f"test {number} cannot follow here, after {count} tests")

    def _after(self) -> str:
        return sha256(self._content).hexdigest()[:HASH_DIGITS]

    def _append(self, values: dict[str, Any]) -> None:
        values |= {"after": self._after()}
        content = self._content + line_of(values).encode()
        replace_file(self.path, content)
        self._read(values)
        self._content = content

    def alpha(self, table: str) -> float:
        """Return the alpha of the next test of a table against its champion.

        Args:
            table: the name of its files (`Table.name`), whatever rules a candidate is for.
        """
        k = 1 + sum(
            each.begun["table"] == table and each.begun["against"] == CHAMPION
            for each in self.entries
        )
        return ALPHA / (k * (k + 1))

    def begin(self, **fields: Any) -> Entry:
        """Return the test of a candidate against an opponent; it begins, unless it has begun.

        A candidate that is tried again against the same opponent is the same test: with the deals
        and the alpha that it had.

        Args:
            fields: those of BEGUN but `test` and `after`; `alpha` counts for a new test only.
        """
        names = "table", "candidate", "against", "opponent"
        for entry in self.entries:
            if all(entry.begun[name] == fields[name] for name in names):
                return entry
        self._append({"test": len(self.entries) + 1} | fields)
        return self.entries[-1]

    def end(self, entry: Entry, result: dict[str, Any]) -> None:
        """Write the result of a test, unless it is there.

        Raises:
            ValueError: for another result than the one that is there.
        """
        number = entry.begun["test"]
        if entry.ended is None:
            self._append({"test": number, "result": result})
        elif entry.ended != result:
            raise ValueError(
                f"{self.path}: test {number} ended with {entry.ended}, and now with {result}: the "
                "agents or the rules have changed since"
            )
