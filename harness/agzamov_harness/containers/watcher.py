"""A process that outlives a killed run just long enough to take its containers down.

Its standard input is a pipe from the run. The run writes a word there when it has taken everything down itself; an
end without that word means that it was killed, however that was done.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

PASSES, PASS_S = 20, 0.5
DONE = b"done"


class Watcher:
    """The process, as the run sees it. It leads a session, so that a terminal's Ctrl-C does not reach it."""

    def __init__(self, host: str, labels: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, host, json.dumps(dict(labels))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def dismiss(self) -> None:
        """Everything is taken down: nothing is left to do."""
        with suppress(OSError):
            self._process.communicate(DONE)

    def leave(self) -> None:
        """Let it try what could not be done here, and do not wait."""
        with suppress(OSError):
            assert self._process.stdin
            self._process.stdin.close()


def main(host: str, labels: str) -> None:
    """Wait for the end of the run; take down what it left, until nothing is left or the engine stays silent."""
    heard = sys.stdin.buffer.read()
    if heard == DONE:
        return
    os.environ["DOCKER_HOST"] = host
    from ..ports import PortFault  # noqa: PLC0415 - a run that ends well needs none of this
    from .engine import connect  # noqa: PLC0415

    for _ in range(PASSES):
        with suppress(PortFault):
            engine = connect()
            engine.remove_all(json.loads(labels))
            if not engine.any_left(json.loads(labels)):
                return
        time.sleep(PASS_S)  # what the engine was asked for a moment ago may still be on its way


if __name__ == "__main__":
    main(*sys.argv[1:])
