"""How long the help of commands takes, beside a bare Python and one that imports click.

    python bench/start.py

Wall-clock time of whole processes, run in turns, medians; and CPU seconds, which another process on the machine
disturbs less. Bar: below 150 ms. A command's module declares its options, and what it does is imported when it is
carried out, so this is the price of a typing error too.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROUNDS = 20
BAR_MS = 150.0
AGZAMOV = str(Path(sys.executable).with_name("agzamov"))
BARE, CLICK = "python -c pass", "python -c 'import click'"
COMMANDS = {
    BARE: [sys.executable, "-c", "pass"],
    CLICK: [sys.executable, "-c", "import click"],
    "agzamov --help": [AGZAMOV, "--help"],
    "agzamov --version": [AGZAMOV, "--version"],
    "agzamov run --help": [AGZAMOV, "run", "--help"],
    "agzamov plan --help": [AGZAMOV, "plan", "--help"],
}


class Taken(NamedTuple):
    """Milliseconds of one process: by the clock, and of the CPU."""

    wall_ms: float
    cpu_ms: float


def taken(command: list[str]) -> Taken:
    """One run of a command."""
    began, before = time.perf_counter(), os.times()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    return Taken(1000 * (time.perf_counter() - began), 1000 * cpu_s)


def main() -> None:
    runs: dict[str, list[Taken]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, command in COMMANDS.items():
            runs[name].append(taken(command))
    wall = {name: statistics.median(one.wall_ms for one in rounds) for name, rounds in runs.items()}
    cpu = {name: statistics.mean(one.cpu_ms for one in rounds) for name, rounds in runs.items()}
    for name in COMMANDS:
        held = "" if name in (BARE, CLICK) else f", bar {BAR_MS:.0f} ms: {'holds' if wall[name] < BAR_MS else 'MISSED'}"
        print(
            f"{name:<24} {wall[name]:4.0f} ms, {cpu[name]:4.0f} ms of CPU:"
            f" {wall[name] / wall[CLICK]:.2f} x an import of click{held}"
        )


if __name__ == "__main__":
    main()
