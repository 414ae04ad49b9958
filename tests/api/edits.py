"""Random damage to JSON texts, as a broken disk, a bad tool or an attacker does it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

NESTED = "[" * 40 + "]" * 40
VALUES = (
    "-1", "0", "1", "2", "7", "255", "-129", str(2**31), str(2**32), str(2**63), str(10**30),
    "9" * 60, "1.9", "1.0", "1e300", "1e999", '"x"', '""', '"0"', "null", "true", "false", "[]",
    "{}", "[0]", "[[0, 1], [2]]", '{"a": 1}', "NaN", "Infinity", NESTED, "[" * 3000 + "]" * 3000,
)  # fmt: skip
"""Texts that take the place of a value; some are no JSON at all."""
MARK = "\x00here\x00"


def places_in(value: Any, place: tuple = ()) -> list[tuple]:
    """Return the path of every value inside a value of JSON, its own included."""
    found = [place]
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        found += [path for key, inner in items for path in places_in(inner, (*place, key))]
    return found


def edited(text: str, rng: np.random.Generator, times: int = 1) -> str:
    """Return a JSON text after a number of random edits."""
    for _ in range(times):
        kind = rng.integers(10)
        if kind == 0:
            at = int(rng.integers(len(text)))
            text = text[:at] + (text[at + 1 :] if rng.integers(2) else "")
            return text
        saved = json.loads(text)
        place = _pick(saved, rng)
        if kind <= 2:
            _change_keys(saved, place, rng)
            text = json.dumps(saved)
        else:
            value = VALUES[rng.integers(len(VALUES))]
            text = json.dumps(_with(saved, place, MARK)).replace(json.dumps(MARK), value)
            if times > 1 and not _is_json(text):
                return text
    return text


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _pick(saved: Any, rng: np.random.Generator) -> tuple:
    """Return a random path; half of them lead to what is not deep inside."""
    places = places_in(saved)
    if rng.integers(2):
        places = [place for place in places if len(place) <= 2]
    return places[rng.integers(len(places))]


def _with(saved: Any, place: tuple, value: Any) -> Any:
    if not place:
        return value
    inner = saved
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return saved


def _change_keys(saved: Any, place: tuple, rng: np.random.Generator) -> None:
    """Remove, double, rename or swap an item of the object or list that a path leads into."""
    inner = saved
    for key in place[:-1]:
        inner = inner[key]
    if not place or not isinstance(inner, dict | list):
        return
    if isinstance(inner, list):
        other = int(rng.integers(len(inner)))
        inner[place[-1]], inner[other] = inner[other], inner[place[-1]]
        change = rng.integers(3)
        if change == 0:
            del inner[place[-1]]
        elif change == 1:
            inner.append(inner[other])
        return
    keys = list(inner)
    other = keys[rng.integers(len(keys))]
    change = rng.integers(3)
    if change == 0:
        inner[place[-1]], inner[other] = inner[other], inner[place[-1]]
    else:
        value = inner.pop(place[-1])
        if change == 1:
            inner[f"{place[-1]}_"] = value
