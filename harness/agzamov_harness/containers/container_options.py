"""The options with which every container of a run is made, all that harden it among them, and which of them hold.

seccomp.json is the filter of system calls; compose.yaml names the same file, and its digest stands in a bundle's
environment. Where an engine does not enforce a limit or the filter, it is not asked for, since an engine may refuse it;
what is missing is said before a run and stands in the environment. What holds is taken from the engine's own report: a
rootless engine on version 1 of control groups accepts every limit without an error and enforces none.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from docker.types import DeviceRequest, LogConfig, Mount, Ulimit

from ..foundation.container_spec import ContainerLimits, ContainerSpec
from ..foundation.container_spec import Mount as Place
from ..run import execution_record

PROFILE = Path(__file__).with_name("seccomp.json")
PROFILE_SHA256 = hashlib.sha256(PROFILE.read_bytes()).hexdigest()
SCRATCH = "size=64m"
LOG = {"max-file": "2", "max-size": "64m"}
"""Limits of the engine's own log files. They are not read: a container's output is streamed (container_logs)."""

NO_NAMES: dict[str, Any] = {"dns": ["127.0.0.1"], "dns_opt": ["timeout:1", "attempts:1"]}
ALL_GPUS = -1
NVIDIA, NVIDIA_HOOK = "nvidia", "nvidia-container-runtime-hook"


class EnforcedOptions(NamedTuple):
    """Flags for the limits that are enforced, and for our seccomp filter of system calls."""

    memory: bool = True
    pids: bool = True
    cpus: bool = True
    seccomp: bool = True

    def of(self, limits: ContainerLimits) -> execution_record.EnforcedLimits:
        """The limits of a container that hold; None for those that do not."""
        return execution_record.EnforcedLimits(
            limits.memory_bytes if self.memory else None,
            limits.pids if self.pids else None,
            limits.cpus if self.cpus else None,
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the limits that are not enforced."""
        return tuple(name for name, holds in self._asdict().items() if not holds)

    def warning(self) -> str:
        """Warning for the user before a run; empty if every limit is enforced."""
        if not self.missing:
            return ""
        missing = ", ".join(self.missing)
        return (
            f"this container engine does not enforce: {missing}; a container may use all of this machine,"
            " and the bundle's environment says so (null)"
        )


def options_of(box: ContainerSpec, prefix: str, enforced: EnforcedOptions) -> dict[str, Any]:
    """The options of a box, whose volumes have this prefix."""
    return {
        "cap_drop": ["ALL"],
        "detach": not box.attended,
        "device_requests": _devices(box),
        "environment": dict(box.environment),
        "hostname": box.name.replace("_", "-"),
        "init": True,
        "ipc_mode": "private",
        "log_config": LogConfig(type="json-file", config=LOG),
        "mounts": [_mount(place, prefix) for place in box.mounts],
        "read_only": True,
        "security_opt": security_options(enforced),
        "stdin_open": box.attended,
        "tmpfs": {"/tmp": f"rw,nosuid,nodev,noexec,{SCRATCH},mode=1777"},  # noqa: S108 - inside
        "ulimits": [Ulimit(name="core", soft=0, hard=0)],
        "user": box.user,
        **_limits(box, enforced),
        **(NO_NAMES if box.networks else {}),
    }


def security_options(enforced: EnforcedOptions) -> list[str]:
    """No new privileges, and our filter of system calls in the form that the engine's interface takes."""
    compact = json.dumps(json.loads(PROFILE.read_bytes()), separators=(",", ":"))
    return ["no-new-privileges:true", *([f"seccomp={compact}"] if enforced.seccomp else [])]


def _limits(box: ContainerSpec, enforced: EnforcedOptions) -> dict[str, int]:
    limits: dict[str, int] = {}
    if enforced.memory:
        limits |= {"mem_limit": box.limits.memory_bytes, "memswap_limit": box.limits.memory_bytes}
    if enforced.pids:
        limits["pids_limit"] = box.limits.pids
    if enforced.cpus:
        limits["nano_cpus"] = box.limits.cpus * 10**9
    return limits


def _devices(box: ContainerSpec) -> list[DeviceRequest] | None:
    if not box.gpus:
        return None
    count = ALL_GPUS if box.gpus == "all" else box.gpus
    return [DeviceRequest(count=count, capabilities=[["gpu"]])]


def _mount(place: Place, prefix: str) -> Mount:
    if place.is_volume:
        return Mount(str(place.target), f"{prefix}{place.source}", "volume", place.read_only, no_copy=True)
    return Mount(str(place.target), str(place.source), "bind", place.read_only)


def enforced_by(info: Mapping[str, Any]) -> EnforcedOptions:
    """Limits that an engine enforces, from its answer to `docker info`; a limit not mentioned there is not enforced."""
    options = [str(option) for option in info.get("SecurityOptions") or ()]
    rootless = any("name=rootless" in option for option in options)
    no_groups = str(info.get("CgroupDriver") or "none") == "none"
    believed = not (rootless and str(info.get("CgroupVersion") or "1") == "1") and not no_groups
    return EnforcedOptions(
        memory=believed and info.get("MemoryLimit") is True,
        pids=believed and info.get("PidsLimit") is True,
        cpus=believed and info.get("CpuCfsQuota") is True,
        seccomp=any("name=seccomp" in option for option in options),
    )


def has_gpus(info: Mapping[str, Any]) -> bool:
    """True if an engine of this machine can give a container a GPU: by NVIDIA's runtime, its hook, or CDI."""
    runtimes = info.get("Runtimes") or {}
    devices = info.get("DiscoveredDevices") or ()
    by_cdi = any(NVIDIA in str(device) for device in devices)
    return NVIDIA in runtimes or by_cdi or shutil.which(NVIDIA_HOOK) is not None
