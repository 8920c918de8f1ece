"""How long, and in how much memory, a large bundle is verified without asking the engine again.

    python bench/big_bundle.py [FACTOR]

Makes a bundle of FACTOR x (500 games + 10,000 hands) whose answers are invented on the spot, drawn at
random from what is legal, with engine scores of 0: coherent, so V1's steps pass but for the engine's.
Verifies it in a process of its own on all cores, then thirteen times, two at a time with one worker each, as the
conditions of a protocol would be. As the thing beside it, `sha256sum` reads the same files: the least that any check
must do. PYTHONDONTWRITEBYTECODE should not be set: each check would compile its modules anew, 0.8 s.
"""

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from invented import ADJUDICATED, Size, bundle_of
from took import Took, timed

GAMES, HANDS = 500, 10_000
CONDITIONS, BAR_S = 13, 120
"""Conditions of a normative protocol, each of so many games and hands, and the bar for all of them on two cores."""

# Its own peak and its workers', read inside it: from outside, the memory of this process would count too.
CHECK = """
import resource, sys
from agzamov_verify.cli import main
try:
    main()
finally:
    status = open("/proc/self/status").read().split()
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(max(int(status[status.index("VmHWM:") + 1]), workers) // 1024, file=sys.stderr)
"""


def said_and_took(command: list[str], folder: Path) -> tuple[Took, str]:
    """What a command takes, and what it said last on standard error."""
    said = ""

    def run() -> None:
        nonlocal said
        ran = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        said = ran.stderr.strip().rpartition("\n")[2]

    return timed(run), said


def all_conditions(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds by the clock of a check of each condition, two at a time, and CPU seconds of one on average."""

    def check(_: int) -> None:
        subprocess.run(command, cwd=folder, check=False, capture_output=True)

    with ThreadPoolExecutor(2) as pool:
        spent = timed(lambda: list(pool.map(check, range(CONDITIONS))))
    return spent.clock_s, spent.cpu_s / CONDITIONS


def main() -> None:
    factor = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    with tempfile.TemporaryDirectory() as name:
        bundle = bundle_of(Size(GAMES * factor, HANDS * factor), Path(name), ADJUDICATED)
        size = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file())
        sums, _ = said_and_took(["sha256sum", "--check", "--quiet", "manifest-sha256.txt"], bundle)
        command = [sys.executable, "-c", CHECK, "check", "--engine", "/none", str(bundle)]
        spent, peak = said_and_took(command, bundle)
        all_s, each_s = all_conditions([*command, "--jobs", "1"], bundle)
    print(f"{GAMES * factor} games + {HANDS * factor} hands, {size / 2**20:.0f} MiB packed")
    print(f"verify {spent.clock_s:.1f} s on the clock (bar {20 * factor} s), {spent.cpu_s:.1f} s of CPU")
    print(f"{spent.cpu_s / sums.cpu_s:.0f} times the CPU of sha256sum")
    print(f"{CONDITIONS} checks, two at a time: {all_s:.0f} s by the clock (bar {BAR_S * factor} s)")
    print(f"each {each_s:.1f} s of CPU")
    print(f"largest process {peak} MiB (bar 500)")


if __name__ == "__main__":
    main()
