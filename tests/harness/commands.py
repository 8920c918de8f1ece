"""Starts `agzamov` commands as processes of their own, quickly: a parent that has imported all forks one for each.

    with Commands() as commands:
        running = commands.start("resume", folder, cwd=tmp_path)
        running.kill()
        assert commands.run("resume", folder, cwd=tmp_path).code == 0

A command leads a session of its own, so whatever it leaves behind can be found by that. All `Commands` of a process
have one parent, since its imports take seconds; a command has the environment of whoever starts it.
"""

import atexit
import gc
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

PATIENCE_S = 300


class Ended:
    """What a command came to: its exit code (negative: the signal that killed it), and what it printed."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def __repr__(self) -> str:
        return f"exit code {self.code}\n{self.out}{self.err}"


class Running:
    """A command on its way."""

    def __init__(self, commands: "Commands", pid: int, printed: Path) -> None:
        self.pid = pid
        self._commands, self._printed = commands, printed
        self._handle = os.pidfd_open(pid)

    def printed(self) -> str:
        """What it has printed to standard output so far."""
        return _text(self._printed.with_suffix(".out"))

    def errors(self) -> str:
        """What it has printed to standard error so far."""
        return _text(self._printed.with_suffix(".err"))

    def signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, number)

    def alive_after(self, seconds: float) -> bool:
        """Wait up to so long for its end."""
        return not select.select([self._handle], [], [], seconds)[0]

    def ended(self, seconds: float = PATIENCE_S) -> Ended:
        """Its end, which must come within this time."""
        late = self.alive_after(seconds)
        if late:
            self.signal(signal.SIGKILL)
        code = self._commands.reap(self.pid)
        os.close(self._handle)
        out, err = (_text(self._printed.with_suffix(suffix)) for suffix in (".out", ".err"))
        assert not late, f"still running after {seconds} s: {out}{err}"
        return Ended(code, out, err)

    def kill(self) -> Ended:
        """End it as a power cut would."""
        self.signal(signal.SIGKILL)
        return self.ended()

    def signal_all(self, number: int) -> None:
        """Send a signal to its whole group, as a terminal does."""
        os.killpg(self.pid, number)

    def family(self) -> dict[int, str]:
        """The command lines of all processes of its session, itself among them."""
        return _session(self.pid)

    def left_behind(self, seconds: float = PATIENCE_S) -> dict[int, str]:
        """The processes of its session that are still there after this time."""
        end = time.monotonic() + seconds
        while (left := _session(self.pid)) and time.monotonic() < end:
            time.sleep(0.05)
        return left


class Parent:
    """The process that forks, started when first asked, with this process's environment or `environment`."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = environment
        self._asking = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    def asked(self, what: object) -> int:
        """Its answer to an order."""
        with self._asking:
            process = self._process = self._process or self._started()
            assert process.stdin
            assert process.stdout
            process.stdin.write(json.dumps(what) + "\n")
            return int(process.stdout.readline())

    def close(self) -> None:
        """End it, if it was started."""
        with self._asking:
            process, self._process = self._process, None
            if process:
                with process:
                    process.communicate("")

    def _started(self) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        command = [sys.executable, __file__]
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1, env=self._environment)


PARENT = Parent()
atexit.register(PARENT.close)


class Commands:
    """Commands that print into a folder. Those with an `environment` of their own have a parent of their own."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._folder, self._number = folder, 0
        self._environment = environment
        self._parent = PARENT if environment is None else Parent(environment)

    def start(self, *arguments: object, cwd: Path) -> Running:
        self._number += 1
        printed = self._folder / f"command-{self._number}"
        words, environment = [str(argument) for argument in arguments], dict(self._environment or os.environ)
        order = {"arguments": words, "cwd": str(cwd), "environment": environment, "printed": str(printed)}
        return Running(self, self._parent.asked(order), printed)

    def run(self, *arguments: object, cwd: Path) -> Ended:
        return self.start(*arguments, cwd=cwd).ended()

    def reap(self, pid: int) -> int:
        """The exit code of a command that has ended."""
        return os.waitstatus_to_exitcode(self._parent.asked({"reap": pid}))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End a parent of its own; the one of all forks for others."""
        if self._parent is not PARENT:
            self._parent.close()


def _text(path: Path) -> str:
    """What is in a file, nothing if the command was killed before it made one."""
    return path.read_text() if path.exists() else ""


def _session(leader: int) -> dict[int, str]:
    """The command lines of all processes of a session that are no zombies."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
    return found


def _serve(orders: TextIO) -> None:
    """The parent's loop: fork a command, or reap one, for each line of standard input."""
    # What most commands import, and what seats and memories import when a run begins.
    import click  # noqa: PLC0415 - as below
    import openai.resources.chat  # noqa: F401, PLC0415 - only the forking process needs it

    import agzamov_harness.adapters.endpoint  # noqa: PLC0415
    import agzamov_harness.commands.run_commands  # noqa: PLC0415
    import agzamov_harness.servers.mcp_client  # noqa: F401, PLC0415
    import agzamov_verify.commands.check_command  # noqa: F401, PLC0415
    from agzamov_harness.cli import main  # noqa: PLC0415

    for line in orders:
        order = json.loads(line)
        if "reap" in order:
            answer = os.waitpid(order["reap"], 0)[1]
        else:
            with suppress(Exception):  # the fork tells of it
                main.get_command(click.Context(main), *order["arguments"][:1])
            gc.freeze()  # what is there already is shared by all forks
            answer = os.fork()
            if not answer:
                _become(order)
                main(order["arguments"], prog_name="agzamov")
        print(answer, flush=True)  # noqa: T201 - this is the parent's wire


def _become(order: dict[str, Any]) -> None:
    """Turn this fork into a process like any other."""
    os.setsid()
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["cwd"])
    for number, suffix in ((1, ".out"), (2, ".err")):
        descriptor = os.open(order["printed"] + suffix, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)


if __name__ == "__main__":
    _serve(sys.stdin)
