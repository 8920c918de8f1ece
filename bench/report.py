"""Writing a report, beside the check of its bundle; and its page in Chromium from a file: first view, another game.

    python bench/report.py [GAMES HANDS [CONDITIONS]]      for the bars: 500 10000 13

Random seats, no engine. One condition is Phase 1; more are Phase 2, each of so many games and hands: without documents,
then with more and more of them, placebo and real. Writing and checking are CPU seconds on one core; the browser's times
are wall times, the median of some games, so read them beside the load of the machine. Bars: first view 2 s, another
game 150 ms.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.experiment.matches import Match
from agzamov_verify.show.html_report.site import write_report
from agzamov_verify.table.registry import GAMES

ROUNDS = 9


def plan_of(games: int, hands: int, conditions: int) -> dict[str, Any]:
    """The plan of so many games and hands in each condition."""
    match = {"phase": 2 if conditions > 1 else 1, "a": "agent", "b": "agent"}
    systems = [f"passages_{number}" for number in range(1, conditions // 2 + 1)]
    arms = [{"augmentation": "rag", "arm": arm, "system": name} for name in systems for arm in ("placebo", "real")]
    compared = [{"condition": one} for one in ({"augmentation": "rag"}, *arms)][:conditions]
    return {
        "title": "Report",
        "seats": {"agent": {"kind": "random"}},
        "systems": {
            name: {"kind": "rag", "passages_max": 1 + place % 5, "bytes_max": 1000 + 1000 * place}
            for place, name in enumerate(systems)
        },
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 80},
        "matches": [
            {**match, **size, **condition}
            for condition in (compared if conditions > 1 else [{}])
            for size in ({"game": "chess960", "games": games}, {"game": "holdem", "hands": hands})
        ],
    }


def bundle_of(folder: Path, plan: dict[str, Any]) -> Path:
    """The bundle of a plan."""
    (folder / "plan.yaml").write_text(json.dumps(plan))
    program = Path(sys.executable).with_name("agzamov")
    subprocess.run([program, "keygen", folder / "key.pem"], check=True, stdout=subprocess.DEVNULL)
    arguments: list[Path | str] = [
        "--key",
        folder / "key.pem",
        "--runs",
        folder / "runs",
        "--out",
        folder / "bundles",
        "--quiet",
    ]
    subprocess.run([program, "run", folder / "plan.yaml", *arguments], check=True, stdout=subprocess.DEVNULL)
    (bundle,) = (folder / "bundles").iterdir()
    return bundle


def waited_ms(page: Page, fragment: str) -> float:
    """Milliseconds from a change of the address until its game stands there."""
    return float(
        page.evaluate(
            """fragment => new Promise(resolve => {
                const began = performance.now();
                const name = fragment.slice(2);
                const look = () => document.querySelector("#view h1")?.textContent === name
                    ? resolve(performance.now() - began) : requestAnimationFrame(look);
                location.hash = fragment;
                look();
            })""",
            fragment,
        )
    )


def looked_at(matches: Sequence[Match], game: str) -> list[str]:
    """Names of results of a game, from all its matches."""
    those = [match for match in matches if match.game == game]
    steps = [(those[len(those) * step // ROUNDS], step) for step in range(ROUNDS)]
    return [GAMES[game].id_of(match, match.planned * step // ROUNDS) for match, step in steps]


def browsed(page_file: Path, matches: Sequence[Match]) -> None:
    """Print the times of the page in Chromium."""
    with sync_playwright() as driver:
        program = shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=300_000)
        views, paints = [], []
        for _ in range(ROUNDS):
            page = browser.new_page()
            began = time.perf_counter()
            page.goto(page_file.as_uri())
            page.locator("#answer .answer").first.wait_for()
            views.append(1000 * (time.perf_counter() - began))
            paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"))
            page.close()
        print(f"first view: {statistics.median(views):.0f} ms (bar 2,000)")
        print(f"first screen drawn, from the browser's own clock: {statistics.median(paints):.0f} ms (bar 300)")
        page = browser.new_page()
        page.goto(page_file.as_uri())
        for game in GAMES:
            times = [waited_ms(page, f"g={name}") for name in looked_at(matches, game)]
            print(f"another of {game}: {statistics.median(times):.0f} ms, at most {max(times):.0f} (bar 150)")
        browser.close()


def main() -> None:
    games, hands, conditions = (int(word) for word in (sys.argv[1:] + ["60", "1000", "1"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bundle = bundle_of(folder, plan_of(games, hands, conditions))
        began = time.process_time()
        verdict = verify(bundle, Options())
        checked_s, began = time.process_time() - began, time.process_time()
        opened = open_bundle(bundle, CheckLog())
        page = write_report(opened, verdict, folder / "site", "command", 1)
        written_s = time.process_time() - began
        size = sum(file.stat().st_size for file in (folder / "site").rglob("*") if file.is_file())
        print(f"{conditions} x ({games} games, {hands} hands); load {os.getloadavg()[0]:.1f}")
        print(f"written in {written_s:.1f} CPU s, {written_s / checked_s:.2f} of the check's")
        print(f"page {page.stat().st_size / 1000:.0f} kB, in all {size / 1e6:.1f} MB")
        browsed(page, opened.manifest.plan.matches)


if __name__ == "__main__":
    main()
