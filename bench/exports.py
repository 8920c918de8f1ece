"""How long 500 games and 10,000 hands take to export, and in how much memory.

    python bench/exports.py

Makes the bundle of big_bundle.py, whose answers are invented, and exports it, once in each format, in processes
of their own. As the thing beside it, `sha256sum` reads the same files.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agzamov_harness.commands.export_command import CSV, NOTATIONS, OF_TABLES
from big_bundle import GAMES, HANDS
from invented import ADJUDICATED, Size, bundle_of

BAR_S = 60
COMMAND = Path(sys.executable).parent / "agzamov"


def timed(*command: object) -> tuple[float, float]:
    """Wall and CPU seconds of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def size_of(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        bundle = bundle_of(Size(GAMES, HANDS), Path(name), ADJUDICATED)
        sums, _ = timed("sha256sum", *(path for path in bundle.rglob("*") if path.is_file()))
        print(f"{GAMES} games + {HANDS} hands, {size_of(bundle) / 2**20:.0f} MiB packed; sha256sum {sums:.2f} s")
        for to in (*NOTATIONS, CSV, *OF_TABLES):
            out = Path(name) / f"run.{to}"
            wall, cpu = timed(COMMAND, "export", bundle, "--to", to, "--out", out)
            print(f"{to:<16} {wall:5.1f} s wall (bar {BAR_S}), {cpu:5.1f} s CPU, {size_of(out) / 2**20:.0f} MiB")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"largest process {peak} MiB")


if __name__ == "__main__":
    main()
