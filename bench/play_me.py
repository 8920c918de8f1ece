"""How soon `agzamov play-me` has a board on the page, and a reply of the reference player after a person's move.

    python bench/play_me.py

The command is started as a person starts it, with a folder of its own; Chromium opens the page, accepts the page of
consent at once, and plays. Two figures, over some rounds: from the start of the command to the first board in the
browser, and from a move to the frame that shows the reply. Wall times: read them beside the load of the machine, and
the first beside the CPU time of the command. Bars: 10 s, 300 ms.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from playwright.sync_api import Browser, Page

from browser import chromium

ROUNDS, MOVES = 5, 30
LATE = 0.95
ADDRESS = re.compile(r"plays at: (\S+)")
COMMAND = [sys.executable, "-m", "agzamov_harness", "play-me", "--no-browser", "--game", "chess"]
REPLY = """async (move) => {
  const own = play.state.question.id, begun = performance.now();
  play.answer(move);
  while (!(play.state.question && play.state.question.id !== own) && play.state.step !== "result")
    await new Promise((done) => setTimeout(done, 1));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - begun;
}"""
"""Milliseconds from a move to the frame in which the reply is drawn. The page's own state says when it came."""


@contextmanager
def started(folder: Path) -> Iterator[tuple[str, int]]:
    """The address of the page of a command that runs, and its process."""
    pipe = subprocess.PIPE
    command = [*COMMAND, "--folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=pipe, text=True) as process:
        assert process.stderr
        try:
            yield next(found[1] for line in process.stderr if (found := ADDRESS.search(line))), process.pid
        finally:
            process.kill()


def cpu_s(pid: int) -> float:
    """CPU seconds of a process and of those that it has waited for (proc(5): utime, stime, cutime, cstime)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def first_board(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="I have read this and want to play").click()
    page.locator("#scene table.board").wait_for()


def replies(page: Page) -> Iterator[float]:
    """Milliseconds until each reply of one game."""
    for _ in range(MOVES):
        if page.evaluate("play.state.step") != "question":
            return
        yield page.evaluate(REPLY, page.evaluate("play.state.question.choices.moves[0].action"))


def measured(browser: Browser) -> tuple[float, float, list[float]]:
    """Seconds and CPU seconds of the command until the first board, and milliseconds until each reply."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        with started(Path(folder)) as (address, pid):
            page = browser.new_page()
            first_board(page, address)
            board_s, used_s = time.monotonic() - begun, cpu_s(pid)
            waited = list(replies(page))
            page.close()
    return board_s, used_s, waited


def main() -> None:
    with chromium() as browser:
        rounds = [measured(browser) for _ in range(ROUNDS)]
    boards, used, replied = zip(*rounds, strict=True)
    waited = sorted(one for some in replied for one in some)
    load, late = os.getloadavg()[0], waited[int(len(waited) * LATE)]
    cpu = f"{statistics.median(used):.1f} s of CPU"
    print(f"first board: {statistics.median(boards):.1f} s, {cpu} (bar 10; most {max(boards):.1f}; load {load:.1f})")
    spread = f"{LATE:.0%} within {late:.0f}, most {waited[-1]:.0f}; {len(waited)} replies"
    print(f"reply: {statistics.median(waited):.0f} ms (bar 300; {spread})")


if __name__ == "__main__":
    main()
