"""Measure the browser game: bytes of the page and of a game, and the time from click to picture.

    python benchmarks/browser.py

Whole games against scripted agents, with random moves of the person, in a headless Chromium beside
the server. Bytes are those sent, compressed as they are.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile

from playwright.sync_api import Page, sync_playwright

from gubs_env.support.output import print_everywhere

TABLES = ("gubs", 2), ("gubs", 4), ("fubnub", 4), ("bad_bad_turtle", 3)
PLAY_A_GAME = """async () => {
  const previews = [], answers = [], rest = (time) => new Promise((done) => setTimeout(done, time));
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const until = async (isDone) => { while (!isDone()) await rest(2); };
  const asked = () => state.over || (!busy && state.moves?.length);
  for (;;) {
    await until(asked);
    if (state.over) return [previews, answers];
    while (!stage().move) {
      const buttons = [...document.querySelectorAll("#moves button")];
      const before = stages.length, start = performance.now();
      buttons[Math.floor(Math.random() * buttons.length)].click();
      await until(() => stages.length !== before);
      await drawn();
      previews.push(performance.now() - start);
    }
    const version = state.version, start = performance.now();
    document.querySelector("#moves .yes").click();
    await until(() => state.version !== version && asked());
    await drawn();
    answers.push(performance.now() - start);
  }
}"""
"""A script that plays a game to its end.

It returns the times from clicks on answers to pictures of their effects, and those from clicks on
*Confirm* to pictures of the next decision, in milliseconds.
"""


def main() -> None:
    """Play a game at each table and print its row."""
    print(
        "| table | page kB | game kB | choices | preview ms | moves | next decision ms |\n"
        "|---|---|---|---|---|---|---|"
    )
    for game, players in TABLES:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "gubs_env", "play", "--web", "--no-open-browser"]
            options = ["--game", game, "--players", str(players), "--opponents", "heuristic"]
            with subprocess.Popen(
                [*command, *options, "--seed", "1"], stdout=subprocess.PIPE, text=True, cwd=folder
            ) as server:
                assert server.stdout
                row = measured(server.stdout.readline().split()[-1])
                server.terminate()
        print(f"| {game} {players} | {row} |", flush=True)


def measured(link: str) -> str:
    """Play the game behind a link; return its row of the table."""
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium)
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        sent = count_bytes(tab)
        tab.goto(link)
        tab.wait_for_selector("#table svg")
        page = tab.evaluate("performance.getEntriesByType('navigation')[0].encodedBodySize")
        tab.select_option("#delay", index=0)
        times = tab.evaluate(PLAY_A_GAME)
        browser.close()
    parts = [f"{len(each)} | {statistics.median(each):.0f}" for each in times]
    return " | ".join([f"{page / 1000:.0f}", f"{sum(sent) / 1000:.0f}", *parts])


def count_bytes(tab: Page) -> list[int]:
    """Return a list to which the bytes of each answer that a page receives are added."""
    sent: list[int] = []
    session = tab.context.new_cdp_session(tab)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: sent.append(event["encodedDataLength"]))
    return sent


if __name__ == "__main__":
    print_everywhere()
    main()
