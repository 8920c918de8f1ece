"""Limits that an engine does not enforce are said before a run, not asked for, and never reported as enforced."""

from typing import Any

import pytest

from agzamov_harness.containers.container_engine import ContainerEngine, NoGpu
from agzamov_harness.containers.container_options import PROFILE_SHA256, EnforcedOptions, enforced_by, options_of
from agzamov_harness.foundation.container_spec import ContainerLimits, ContainerSpec
from agzamov_harness.run.execution_record import EnforcedLimits as Kept

Json = dict[str, Any]

WELL: Json = {
    "CgroupDriver": "systemd",
    "CgroupVersion": "2",
    "CpuCfsQuota": True,
    "MemTotal": 2**33,
    "MemoryLimit": True,
    "NCPU": 4,
    "PidsLimit": True,
    "Runtimes": {"runc": {}},
    "SecurityOptions": ["name=seccomp,profile=default"],
    "ServerVersion": "20.10.24",
}
ROOTLESS = ["name=seccomp,profile=default", "name=rootless"]
BOX = ContainerSpec("engine", "engine", ContainerLimits(2**20, 64, 2))
CASES = [
    ({}, EnforcedOptions()),
    ({"SecurityOptions": ROOTLESS}, EnforcedOptions()),
    ({"SecurityOptions": ROOTLESS, "CgroupVersion": "1"}, EnforcedOptions(memory=False, pids=False, cpus=False)),
    ({"SecurityOptions": ROOTLESS, "CgroupDriver": "none"}, EnforcedOptions(memory=False, pids=False, cpus=False)),
    ({"MemoryLimit": False}, EnforcedOptions(memory=False)),
    ({"PidsLimit": False}, EnforcedOptions(pids=False)),
    ({"CpuCfsQuota": False}, EnforcedOptions(cpus=False)),
    ({"SecurityOptions": None}, EnforcedOptions(seccomp=False)),
]


class FakeClient:
    """An engine's client that only answers `docker info`."""

    def __init__(self, info: Json) -> None:
        self._info = info

    def info(self) -> Json:
        return self._info


def engine_saying(**changes: Any) -> ContainerEngine:
    return ContainerEngine(FakeClient({**WELL, **changes}), "unix:///fake")  # type: ignore[arg-type]


@pytest.mark.parametrize(("changes", "enforced"), CASES)
def test_what_an_engine_enforces_is_read_from_what_it_says(changes: Json, enforced: EnforcedOptions) -> None:
    assert engine_saying(**changes).enforced == enforced


def test_an_engine_that_says_nothing_of_its_limits_has_none() -> None:
    assert enforced_by({}) == EnforcedOptions(memory=False, pids=False, cpus=False, seccomp=False)


def test_a_limit_that_does_not_hold_is_warned_of_and_kept_as_null() -> None:
    engine = engine_saying(SecurityOptions=ROOTLESS, CgroupVersion="1")
    assert "does not enforce: memory, pids, cpus; a container may use all of this machine" in engine.enforced.warning()
    assert engine.enforced.of(BOX.limits) == Kept(None, None, None)
    assert engine.facts()["not_enforced"] == "memory, pids, cpus"
    assert engine_saying().enforced.warning() == ""
    assert engine_saying().enforced.of(BOX.limits) == Kept(2**20, 64, 2)
    assert engine_saying().facts()["seccomp_profile_sha256"] == PROFILE_SHA256


def test_a_limit_that_does_not_hold_is_not_asked_for() -> None:
    asked = options_of(BOX, "agz-", EnforcedOptions())
    assert (asked["mem_limit"], asked["memswap_limit"], asked["pids_limit"], asked["nano_cpus"]) == (
        2**20,
        2**20,
        64,
        2 * 10**9,
    )
    nothing = options_of(BOX, "agz-", EnforcedOptions(memory=False, pids=False, cpus=False, seccomp=False))
    assert not {"mem_limit", "memswap_limit", "pids_limit", "nano_cpus"} & set(nothing)
    assert nothing["security_opt"] == ["no-new-privileges:true"]


def test_gpus_are_refused_by_an_engine_that_has_no_way_to_give_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    engine_saying(Runtimes={"runc": {}, "nvidia": {}}).require_gpus()
    engine_saying(DiscoveredDevices=[{"Source": "cdi", "ID": "nvidia.com/gpu=0"}]).require_gpus()
    with pytest.raises(NoGpu, match=r"expected a container engine that can give a container a GPU .* write gpus: 0"):
        engine_saying().require_gpus()
