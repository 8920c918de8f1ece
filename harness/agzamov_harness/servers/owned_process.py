"""A program that ends with its owner, even by kill -9: `owned_process.py COMMAND [ARGUMENT...]`.

Its standard input is a pipe from the owner, on which nothing is written. When the pipe ends, everything in its process
group is told to end, and after `STOP_S` killed. A server that is spoken to by HTTP reads no such pipe itself.

It is run as a file, by a Python that reads no settings: it imports nothing of ours.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final

STOP_S: Final = 2.0
"""From SIGTERM to SIGKILL."""


def words_of(words: list[str]) -> list[str]:
    """The command that runs `words` as such a program. It is to lead a process group of its own."""
    return [sys.executable, "-I", "-S", str(Path(__file__).resolve()), *words]


def main(words: list[str]) -> int:
    """Run a program until it ends or the owner does; its exit status, as a shell tells it."""
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # not before: the child would ignore it too
    threading.Thread(target=_end_after_owner, daemon=True).start()
    status = child.wait()
    return status if status >= 0 else 128 - status


def _end_after_owner() -> None:
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGTERM)
    time.sleep(STOP_S)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
