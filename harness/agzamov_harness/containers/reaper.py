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
from typing import TYPE_CHECKING

from agzamov_verify.core.workers import child_environment

from ..foundation.first_use import imported_at_first_use
from ..ports import PortFault

if TYPE_CHECKING:
    from . import container_engine
else:  # a run that ends well needs none of this
    container_engine = imported_at_first_use("agzamov_harness.containers.container_engine")

PASSES, PASS_S = 20, 0.5
ENGINE_VARIABLES = ("DOCKER_CERT_PATH", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "PYTHONPATH")
DONE = b"done"


class Reaper:
    """The process, as the run sees it. It leads a session, so that a terminal's Ctrl-C does not reach it."""

    def __init__(self, host: str, labels: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __spec__.name, host, json.dumps(dict(labels))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=child_environment(os.environ, *ENGINE_VARIABLES),
            start_new_session=True,
        )

    def dismiss(self) -> None:
        """End the process: everything is removed already."""
        with suppress(OSError):
            self._process.communicate(DONE)

    def leave(self) -> None:
        """Leave the removal to the process, without waiting for it."""
        with suppress(OSError):
            assert self._process.stdin
            self._process.stdin.close()


def main(host: str, labels: str) -> None:
    """Wait for the end of the run; remove its containers until none is left or the engine stays silent."""
    heard = sys.stdin.buffer.read()
    if heard == DONE:
        return
    os.environ["DOCKER_HOST"] = host
    for _ in range(PASSES):
        with suppress(PortFault):
            client = container_engine.connect()
            client.remove_all(json.loads(labels))
            if not client.any_left(json.loads(labels)):
                return
        time.sleep(PASS_S)  # what the engine was asked for a moment ago may still be on its way


if __name__ == "__main__":
    main(*sys.argv[1:])
