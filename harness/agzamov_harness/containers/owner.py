"""Whose containers are whose: the process that made them, named so that no later one can be taken for it.

An owner is "<boot id>:<pid namespace>:<pid>:<start in ticks>". One that lives in another namespace of the same boot
cannot be judged from here, and is taken to live.
"""

import os
from pathlib import Path

PROC = Path("/proc")
STARTTIME = 19  # field 22 of proc(5), counted from the one after the command's name


def this_owner() -> str:
    """The owner that this process is."""
    return f"{_place()}:{os.getpid()}:{_start_ticks(os.getpid())}"


def is_gone(owner: str) -> bool:
    """Whether the process that an owner names has ended. What is not of our form was not made by us: it stays."""
    boot, _, rest = owner.partition(":")
    namespace, _, process = rest.partition(":")
    pid, _, ticks = process.partition(":")
    if not (boot and pid.isdecimal() and ticks.isdecimal()):
        return False
    here_boot, _, here_namespace = _place().partition(":")
    if boot != here_boot:
        return True
    return namespace == here_namespace and _start_ticks(int(pid)) != int(ticks)


def _place() -> str:
    """The boot and the pid namespace of this process; where the system names neither, its host's name."""
    try:
        boot = (PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}:{(PROC / 'self/ns/pid').stat().st_ino}"
    except OSError:
        return f"{os.uname().nodename}:0"


def _start_ticks(pid: int) -> int:
    """When a process began, in clock ticks since the boot; 0 if there is none, or only what is left of one."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return 0 if fields[0] == "Z" else int(fields[STARTTIME])
    except (OSError, IndexError, ValueError):
        return 0
