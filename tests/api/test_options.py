"""Options in dataclasses: their declared types and ranges are checked in one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest

from gubs_env.support.checks import Range, check_options


@dataclass(frozen=True)
class Options:
    count: Annotated[int, Range(1)] = 1
    share: Annotated[float, Range(0, 1)] = 0.5
    rate: Annotated[float, Range(0, open=True)] = 0.1
    clip: Annotated[float | None, Range(0)] = None
    kind: Literal["a", "b"] = "a"
    name: str = ""
    out: Path = Path("runs")

    def __post_init__(self):
        check_options(self)


def test_options_that_are_allowed_are_kept_and_whole_numbers_become_floats():
    options = Options(3, 1, 2, 0, "b", "x", Path("y"))
    assert (options.count, options.kind, options.out) == (3, "b", Path("y"))
    assert [type(v) for v in (options.share, options.rate, options.clip)] == [float] * 3
    assert Options().clip is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"count": 0}, "count=0: must be at least 1"),
        ({"count": 1.5}, "count=1.5: must be a whole number"),
        ({"count": True}, "count=True: must be a whole number"),
        ({"share": 1.5}, "share=1.5: must be 0 to 1"),
        ({"share": "x"}, "share='x': must be a number"),
        ({"share": True}, "share=True: must be a number"),
        ({"rate": 0}, "rate=0.0: must be above 0"),
        ({"rate": float("nan")}, "rate=nan: must be a finite number"),
        ({"rate": float("inf")}, "rate=inf: must be a finite number"),
        ({"clip": -1}, "clip=-1.0: must be at least 0"),
        ({"kind": "c"}, "kind='c': allowed are a, b"),
        ({"kind": []}, r"kind=\[\]: allowed are a, b"),
        ({"name": None}, "name=None: must be a text"),
        ({"out": 3}, "out=3: must be Path"),
    ],
)
def test_what_is_not_allowed_is_named(given, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        Options(**given)
