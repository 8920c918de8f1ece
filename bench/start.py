"""How long `agzamov --help` takes, beside a bare Python that imports click.

    python bench/start.py

Wall-clock time of whole processes, run in turns, medians. Bar: below 150 ms. Every command is imported only when it is
used, so this is the price of a typing error too.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 20
BAR_MS = 150.0
AGZAMOV = Path(sys.executable).with_name("agzamov")
COMMANDS = {"agzamov --help": [str(AGZAMOV), "--help"], "python, click alone": [sys.executable, "-c", "import click"]}


def milliseconds(command: list[str]) -> float:
    """One run of a command."""
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return 1000 * (time.perf_counter() - began)


def main() -> None:
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, command in COMMANDS.items():
            taken[name].append(milliseconds(command))
    ours, bare = (statistics.median(times) for times in taken.values())
    print(f"agzamov --help {ours:.0f} ms, {ours / bare:.2f} x a Python that imports click alone ({bare:.0f} ms)")
    print(f"  bar {BAR_MS:.0f} ms: {'holds' if ours < BAR_MS else 'MISSED'}")


if __name__ == "__main__":
    main()
