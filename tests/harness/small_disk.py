"""A disk of a few KiB, which is soon full: a tmpfs that root mounts."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(at: Path, size_kib: int) -> Iterator[None]:
    """Mount it at a new folder."""
    at.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_kib}k", "tmpfs", at], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", at], check=True)  # an error that is kept may hold a file open


def can_mount(folder: Path) -> bool:
    """True for root where it may mount."""
    if os.geteuid():
        return False
    try:
        with small_disk(folder / "probe", 64):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False
