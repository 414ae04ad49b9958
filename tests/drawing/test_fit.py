"""In a real browser, words stay within their cards and mats."""

from __future__ import annotations

import shutil

import pytest

from tests.drawing.test_references import PICTURES

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium")

LEAVING = """(pairs) => pairs.flatMap(([group, ...grounds]) =>
  [...document.querySelectorAll(group)].flatMap((one, at) => {
    const seat = group === ".gt-head" && document.querySelectorAll(".gt-seat")[at];
    const shape = seat || grounds.map((ground) => one.querySelector(ground)).find((found) => found);
    if (!shape) return [];
    const around = shape.getBoundingClientRect();
    return [...one.querySelectorAll("text")].filter((text) => {
      const at = text.getBoundingClientRect();
      return at.width && (at.left < around.left || at.right > around.right);
    }).map((text) => text.textContent);
  }))"""
"""Returns the words that leave the ground of their group: [group, grounds …] as selectors; the head
of a seat has the mat of that seat as its ground."""
GROUNDS = [
    ["[data-where]", ".gt-strip", "use"],
    [".gt-head"],
    [".gt-decision", "rect"],
    [".gt-place", "rect"],
]
CROSSING = """() => [...document.querySelectorAll(".gt-head, .gt-decision")].flatMap((group) => {
  const shown = [...group.querySelectorAll("text")].map((text) => {
    const at = text.getBoundingClientRect(), third = at.height * 0.3;
    return { text, left: at.left, right: at.right, top: at.top + third, bottom: at.bottom - third };
  }).filter((one) => one.right > one.left);
  return shown.flatMap((a, index) => shown.slice(index + 1)
    .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
    .map((b) => `${a.text.textContent} / ${b.text.textContent}`));
})"""
"""Returns the words on a mat that are written over each other."""


@pytest.fixture(scope="module")
def page():
    with sync_api.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched.new_page()
        launched.close()


def show(page, path):
    page.set_content(f'<body style="margin:0">{path.read_text(encoding="utf-8")}</body>')


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_words_stay_within_their_cards_and_mats(page, path):
    show(page, path)
    assert page.evaluate(LEAVING, GROUNDS) == []
    assert page.evaluate(CROSSING) == []
