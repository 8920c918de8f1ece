"""Container engines for tests: the one that this machine has, and one of our own in a network namespace of its own.

Nothing is installed and no engine of the system is started unless AGZ_REQUIRE_ENGINE=1; then one must be had.

In its own namespace an engine can be killed, and the addresses that a container must not reach can be put there.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import pytest
from docker.errors import APIError

from agzamov_harness.containers.container_engine import PAUSED, ContainerEngine

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "engine"
NO_ENGINE = 75
START_S, LINE_S, UNTIL_S = 300, 120, 300
ASK = "AGZ_REQUIRE_ENGINE=1 make test, as root on Debian, installs docker.io and iptables and starts one"
OF_OUR_OWN = ("dockerd", "iptables")
METADATA, RESOLVER = "169.254.169.254", "127.0.0.53"
# A machine in a cloud, as far as a container can tell: with a metadata address, and a resolver of its own on loopback.
# The engine's images are in memory, so that nothing is left to be removed.
NAMESPACE = f"""
ip link set lo up && ip address add {METADATA}/32 dev lo && mount --bind "$1/resolv.conf" /etc/resolv.conf &&
mkdir "$1/data" && mount -t tmpfs -o size=2g tmpfs "$1/data" && echo up || exit
cat  # until the tests end, however they end
kill "$(cat "$1/dockerd.pid")" 2>/dev/null
"""


def required() -> bool:
    """Must this machine have an engine?"""
    return os.environ.get("AGZ_REQUIRE_ENGINE") == "1"


def unavailable(reason: str) -> NoReturn:
    """Skip the test, unless this machine must have an engine."""
    if required():
        pytest.fail(f"AGZ_REQUIRE_ENGINE=1, and {reason}")
    pytest.skip(reason)


def started(*command: str | Path, **environment: str) -> str:
    """The DOCKER_HOST that scripts/engine prints; `command` starts it elsewhere, as an engine of our own."""
    if command and not required() and not all(map(shutil.which, OF_OUR_OWN)):
        unavailable(f"an engine of the tests' own needs {' and '.join(OF_OUR_OWN)}; {ASK}")
    order = ("start", "--own") if command else ("start",) if required() else ("status",)
    done = subprocess.run(
        [*command, "sh", SCRIPT, *order],
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
        env={**os.environ, **environment},
    )
    if done.returncode == NO_ENGINE:
        reason = done.stderr.strip().rpartition("\n")[2]
        unavailable(f"{reason}; {ASK}")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class OwnEngine:
    """An engine that only this test session uses. `state` is all of its state."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.host = ""
        (state / "resolv.conf").write_text(f"nameserver {RESOLVER}\n")
        # The namespaces must outlive a killed engine: a process that only waits holds them.
        self._namespace = subprocess.Popen(
            ["unshare", "--net", "--mount", "sh", "-c", NAMESPACE, "sh", str(state)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._namespace.stdout
        if self._namespace.stdout.readline().strip() != "up":
            _, error = self._namespace.communicate()
            unavailable(f"no network namespace of our own: {error.strip()}")

    @property
    def inside(self) -> tuple[str, ...]:
        """What to put in front of a command so that it runs in the engine's namespaces."""
        folder = f"/proc/{self._namespace.pid}/ns"
        return ("nsenter", f"--net={folder}/net", f"--mount={folder}/mnt", f"--wd={ROOT}")

    def start(self) -> str:
        """Its DOCKER_HOST; done at once if it runs."""
        self.host = started(*self.inside, AGZ_ENGINE_STATE=str(self.state))
        return self.host

    @property
    def pid(self) -> int:
        return int((self.state / "dockerd.pid").read_text())

    @contextmanager
    def running(self, *command: str | Path) -> Iterator[str]:
        """A Python program in the namespace, once it has printed its first line, which is given."""
        with subprocess.Popen(
            [*self.inside, sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout
            try:
                yield process.stdout.readline().strip()
            finally:
                process.kill()

    def close(self) -> None:
        subprocess.run(
            ["sh", SCRIPT, "stop"], env={**os.environ, "AGZ_ENGINE_STATE": str(self.state)}, check=False, timeout=LINE_S
        )
        self._namespace.communicate("")


def pause(engine: ContainerEngine, made: str) -> None:
    """Pause a container. The kernel may need more than one try while its processes are busy."""

    def is_paused() -> bool:
        with suppress(APIError):
            engine.client.api.pause(made)
        return engine.ending(made).state == PAUSED

    until(is_paused, f"{made} is paused")


def out_of_memory(name: str, mebibytes: str = r"\d+") -> str:
    """Pattern of the error when a container has run out of memory: engines may not know why a process was killed."""
    signal = f"{name} was killed by signal 9" if name == "harness" else rf"{name} ended with exit code 137 \(killed"
    return rf"container ({name} ran out of its {mebibytes} MiB of memory|{signal})"


def until(ready: object, what: str) -> None:
    """Wait for a condition, for as long as a busy machine may need."""
    assert callable(ready)
    deadline = time.monotonic() + UNTIL_S
    while not ready():
        assert time.monotonic() < deadline, f"not in {UNTIL_S} s: {what}"
        time.sleep(0.05)
