"""The processor that a preflight ran on: another one may answer with other bits."""

import platform
from pathlib import Path

import msgspec

CPUINFO = Path("/proc/cpuinfo")
FLAG_KEYS = ("flags", "Features")


class Cpu(msgspec.Struct, frozen=True):
    """Its architecture, its model's name, and its flags in alphabetical order."""

    machine: str
    name: str
    flags: tuple[str, ...]


def this_cpu() -> Cpu:
    """The processor of this machine, as far as the system tells."""
    try:
        lines = CPUINFO.read_text().splitlines()
    except OSError:
        lines = []
    first: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(":")
        first.setdefault(key.strip(), value.strip())
    flags = next((first[key] for key in FLAG_KEYS if key in first), "")
    return Cpu(platform.machine(), first.get("model name", ""), tuple(sorted(flags.split())))
