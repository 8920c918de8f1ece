"""What the machine and its containers say of themselves: attested, never checked beyond the images' digests.

agz-environment-1   the harness, its Python, the machine; isolation "process"
agz-environment-2   the same as the harness's container saw it, the container engine, and every container of
                    every sitting: image, limits, exit code, whether it ran out of memory, its peak
"""

import platform
from importlib.metadata import version
from pathlib import Path

import msgspec

from agzamov_verify import canon
from agzamov_verify.workers import cores

from .containers.sitting import Sitting, sittings
from .rundir import RunDirectory


def environment_of(directory: RunDirectory) -> dict[str, canon.Json]:
    """The environment of a run, as its bundle keeps it."""
    if directory.manifest.plan.isolation == "process":
        return {**about_machine(), "format": "agz-environment-1", "isolation": "process"}
    kept = [one for _, one in sittings(directory)]
    last = kept[-1] if kept else Sitting(())
    told: dict[str, canon.Json] = {**last.environment}
    rows: list[canon.Json] = [
        {**msgspec.to_builtins(row), "sitting": at} for at, one in enumerate(kept) for row in one.containers
    ]
    outcomes: list[canon.Json] = [one.outcome for one in kept]
    return {
        **told,
        "containers": rows,
        "container_engine": {**last.engine},
        "format": "agz-environment-2",
        "isolation": "container",
        "sittings": outcomes,
    }


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
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")
