"""Writing a report, beside the check of its bundle; and its page in Chromium from a file: first view, another game.

    python bench/report.py [GAMES HANDS]

Random seats, no engine. Writing and checking are CPU seconds on one core; the browser's times are wall times, the
median of some games, so read them beside the load of the machine. Bars: first view 2 s, another game 150 ms.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from agzamov_verify.checks import Options, verify
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.html_report.site import write_report

ROUNDS = 9
PLAN = """title: Report
seats: {{agent: {{kind: random}}, dice: {{kind: random}}}}
chess960: {{adjudication: {{policy: none}}, plies_max: 80}}
matches:
  - {{phase: 1, game: chess960, a: agent, b: agent, games: {games}}}
  - {{phase: 1, game: holdem, a: agent, b: agent, hands: {hands}}}
"""


def bundle_of(folder: Path, games: int, hands: int) -> Path:
    """A bundle of so many games and hands."""
    (folder / "plan.yaml").write_text(PLAN.format(games=games, hands=hands))
    program = Path(sys.executable).with_name("agzamov")
    subprocess.run([program, "keygen", folder / "key.pem"], check=True, stdout=subprocess.DEVNULL)
    arguments = ["--key", folder / "key.pem", "--runs", folder / "runs", "--out", folder / "bundles", "--quiet"]
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


def browsed(page_file: Path, games: int, hands: int) -> None:
    """Print the times of the page in Chromium."""
    with sync_playwright() as driver:
        program = shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=300_000)
        views = []
        for _ in range(ROUNDS):
            page = browser.new_page()
            began = time.perf_counter()
            page.goto(page_file.as_uri())
            page.locator("#answer dd").first.wait_for()
            views.append(1000 * (time.perf_counter() - began))
            page.close()
        print(f"first view: {statistics.median(views):.0f} ms (bar 2,000)")
        page = browser.new_page()
        page.goto(page_file.as_uri())
        for noun, stem, digits, count in (
            ("game", "chess960-naked-agent-g", 5, games),
            ("hand", "holdem-naked-agent-h", 7, hands),
        ):
            places = [count * step // ROUNDS for step in range(ROUNDS)]
            times = [waited_ms(page, f"g=p1-{stem}{place:0{digits}d}") for place in places]
            print(f"another {noun}: {statistics.median(times):.0f} ms, at most {max(times):.0f} (bar 150)")
        browser.close()


def main() -> None:
    games, hands = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (60, 1000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bundle = bundle_of(folder, games, hands)
        began = time.process_time()
        verdict = verify(bundle, Options())
        checked_s, began = time.process_time() - began, time.process_time()
        page = write_report(open_bundle(bundle, CheckLog()), verdict, folder / "site", "command", 1)
        written_s = time.process_time() - began
        size = sum(file.stat().st_size for file in (folder / "site").rglob("*") if file.is_file())
        print(f"{games} games, {hands} hands; load {os.getloadavg()[0]:.1f}")
        print(f"written in {written_s:.1f} CPU s, {written_s / checked_s:.2f} of the check's")
        print(f"page {page.stat().st_size / 1000:.0f} kB, in all {size / 1e6:.1f} MB")
        browsed(page, games, hands)


if __name__ == "__main__":
    main()
