"""The most memory that a container's processes have held at once, as the kernel counts it."""

from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
PROC = Path("/proc")


def peak_bytes(pid: int, cgroups: Path = CGROUPS, proc: Path = PROC) -> int:
    """The peak of the control group of process `pid` in bytes; 0 where it cannot be read.

    Version 2 counts it in memory.peak (Linux 5.19), version 1 in memory/…/memory.max_usage_in_bytes.
    """
    try:
        groups = [line.split(":", 2) for line in (proc / str(pid) / "cgroup").read_text().splitlines()]
        for _, controllers, path in groups:
            inside = path.lstrip("/")
            if "memory" in controllers.split(","):
                return int((cgroups / "memory" / inside / "memory.max_usage_in_bytes").read_text())
            if not controllers and inside and (cgroups / inside / "memory.peak").exists():
                return int((cgroups / inside / "memory.peak").read_text())
    except (OSError, ValueError):
        return 0
    return 0
