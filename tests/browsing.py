"""Helpers for the tests of pages; the fixtures `browser` and `tab` are in conftest.py."""

from __future__ import annotations

import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PHONE = {"viewport": {"width": 380, "height": 800}, "has_touch": True, "is_mobile": True}
COUNT_MOVES = """
window.moves = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, ...rest) {
  if (frames[0].transform) window.moves += 1;
  return animate.call(this, frames, ...rest);
};
"""
"""A script that counts the cards that move, for `add_init_script`."""

WITHOUT = """
const refuse = () => { throw new DOMException("refused", "SecurityError"); };
for (const name of ["localStorage", "sessionStorage", "navigator"])
  Object.defineProperty(window, name, { get: refuse });
for (const name of ["matchMedia", "ResizeObserver"])
  Object.defineProperty(window, name, { value: undefined });
Element.prototype.animate = undefined;
history.replaceState = getSelection = refuse;
"""
"""A script that takes from a page all that it could do without."""


def comes_true(tab, condition, seconds):
    """Return whether a condition comes true in time; a page's content policy forbids Playwright's
    own way."""
    return tab.evaluate(f"""(async () => {{
        for (const end = performance.now() + {1000 * seconds}; performance.now() < end;) {{
            if ({condition}) return true;
            await new Promise((resolve) => setTimeout(resolve, 10));
        }}
        return false;
    }})()""")


def until(tab, condition):
    """Wait for a condition."""
    assert comes_true(tab, condition, 60), f"never came true: {condition}"


def barriers(tab):
    """Return what hinders people with disabilities on a page: (rule, elements)."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe")
    found = axe.Axe().run(tab).response["violations"]
    return [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found]


def width_of(tab):
    """Return how wide a page is, sideways scrolling included."""
    return tab.evaluate("document.documentElement.scrollWidth")
