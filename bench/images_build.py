"""All images from empty caches, from full ones, and with nothing changed: wall and CPU time, and sizes.

    python bench/images_build.py

Needs a network for the first figure. The ratio is to reading and hashing as many bytes as the images have.
"""

import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agzamov_harness.containers import image_records
from agzamov_images.cache import VARIABLE

ROOT = Path(__file__).parents[1]
AGZAMOV = Path(sys.executable).with_name("agzamov")
COLD_S, WARM_S = 180, 60


def built(cache: Path, out: Path) -> tuple[float, float]:
    """Wall and CPU seconds of a build of all images."""
    environment = {**os.environ, VARIABLE: str(cache), image_records.VARIABLE: str(out)}
    before, start = cpu(), time.monotonic()
    command = [str(AGZAMOV), "images", "build", "--all"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - start, cpu() - before


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def hashed(folder: Path) -> float:
    """CPU seconds to read and hash the layers."""
    start = time.process_time()
    for path in folder.glob("*/*.tar"):
        with path.open("rb") as opened:
            hashlib.file_digest(opened, "sha256")
    return time.process_time() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        cache, out = Path(name) / "cache", Path(name) / "built"
        for told, bar in (("empty caches", COLD_S), ("full cache", WARM_S), ("unchanged", WARM_S)):
            if told == "full cache":
                shutil.rmtree(out)
            wall, used = built(cache, out)
            print(f"{told:<13} {wall:6.1f} s wall (bar {bar} s), {used:5.1f} s CPU, {used / hashed(out):.0f} x hashing")
        for path in sorted(out.glob("*.json")):
            if path.suffixes == [".json"]:
                print(f"  {path.stem:<13} {image_records.load(path.stem, out).size_bytes / 1e6:6.1f} MB")


if __name__ == "__main__":
    main()
