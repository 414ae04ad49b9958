"""Moving pictures of recorded games."""

from __future__ import annotations

import pytest

import gubs_env
from gubs_env.replays.gif import save_gif

image = pytest.importorskip("PIL.Image", reason="needs the extra draw")
pytest.importorskip("resvg_py", reason="needs the extra draw")


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    return next(gubs_env.read_records(gubs_env.record(path, "random", games=1, seed=1)))


def test_a_moving_picture_shows_each_position(record, tmp_path):
    told, path = list[tuple[str, int, int]](), tmp_path / "a.gif"
    save_gif(record, path, "player_1", lambda *step: told.append(step), first=3, count=4, width=300)
    with image.open(path) as shown:
        assert (shown.n_frames, shown.width, shown.info["duration"]) == (4, 300, 1000)
    actions = len(record.actions)
    assert {(what, count) for what, _, count in told} == {("drawing", actions), ("painting", 4)}
    assert [done for _, done, count in told if done == count] == [actions, 4]
    assert save_gif(record, path, None, count=1, width=100, milliseconds=50).stat().st_size < 50_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eyes": "me"}, "eyes='me': allowed are player_0, player_1 or None"),
        ({"count": 0}, "count"),
        ({"width": 10}, "width"),
        ({"milliseconds": 0}, "milliseconds"),
        ({"first": 10_000}, "first"),
    ],
)
def test_wrong_options_are_named_and_nothing_is_written(record, tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        save_gif(record, tmp_path / "a.gif", **options)
    assert not list(tmp_path.glob("*.gif"))
