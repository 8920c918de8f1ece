"""The machine that this process runs on, or the container around it, by its operating system's report.

A model may answer with other bits on another processor, so a preflight keeps which one it ran on.
"""

import platform
from importlib.metadata import version
from pathlib import Path

import msgspec

from agzamov_verify.workers import cores

CPUINFO = Path("/proc/cpuinfo")
FLAG_KEYS = ("flags", "Features")


class Cpu(msgspec.Struct, frozen=True):
    """A processor: architecture, model name, and flags in alphabetical order."""

    machine: str
    name: str
    flags: tuple[str, ...]


def this_cpu() -> Cpu:
    """The processor of this machine, as far as the system reports it."""
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


def about_machine() -> dict[str, str | int]:
    """The machine that this process runs on, or the container around it."""
    return {
        "harness": version("agzamov-harness"),
        "verify": version("agzamov-verify"),
        "python": platform.python_version(),
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "cpu": _cpu_model(),
        "cores": cores(),
    }


def _cpu_model() -> str:
    try:
        lines = CPUINFO.read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")
