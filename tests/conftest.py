"""Which tests share a process when there are several (`pytest -n`): those of one container engine, so that it is not
started, fed with images and kept busy twice; and those of one file with a fixture of the module or a cached function,
so that each process does not make again what it makes. And what the collection of the tests leaves is kept from the
garbage collector: thousands of tests and the modules that they import live as long as the process does, and every full
collection would visit them all again (statsmodels asks for one in each of its corrections).

Sharing a process is what pytest-xdist's own mark `xdist_group` is for. With pytest 9.2 xdist 3.8 loses it: it writes
the group to an attribute of a test that is no longer read.

The owner's own folder, in which commands keep what they were allowed and where runs were sealed, is an empty one.

Hypothesis draws the same examples each time and has no limit of time for one: a busy machine is no defect.
"""

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling

ENGINE, OWN_ENGINE = "an engine of this machine", "an engine of the tests' own"
FORECASTS = "forecasts of the protocol's plans"
SHARING = {
    "tests/containers/test_chaos.py": ENGINE,
    "tests/containers/test_compose.py": ENGINE,
    "tests/containers/test_container_logs.py": ENGINE,
    "tests/containers/test_egress.py": OWN_ENGINE,
    "tests/containers/test_engine_dies.py": OWN_ENGINE,
    "tests/containers/test_engine_script.py": ENGINE,
    "tests/containers/test_host_endpoint.py": ENGINE,
    "tests/containers/test_hosted.py": OWN_ENGINE,
    "tests/containers/test_memory.py": ENGINE,
    "tests/containers/test_memory_kills.py": ENGINE,
    "tests/containers/test_quality.py": ENGINE,
    "tests/containers/test_repetition.py": ENGINE,
    "tests/containers/test_reproduce.py": ENGINE,
    "tests/containers/test_run.py": ENGINE,
    "tests/containers/test_small_profile.py": ENGINE,
    "tests/containers/test_systems.py": ENGINE,
    "tests/harness/test_plan_contrasts.py": FORECASTS,
    "tests/harness/test_plan_load.py": FORECASTS,
    "tests/harness/test_plan_phases.py": FORECASTS,
    "tests/harness/test_readme_forecast.py": FORECASTS,
    "tests/images/test_committed_builds.py": ENGINE,
    "tests/images/test_real.py": ENGINE,
}
MADE_ONCE = (
    'scope="module"',
    "@cache",
    "@lru_cache",
    "from verify.agzamov.generator import",
    "from registration.registered_case import",
)
"""What the text of a file says whose tests share something that is made once."""

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("repeatable")


RECURSION_LIMIT = sys.getrecursionlimit()
OWN_FOLDER = tempfile.TemporaryDirectory(prefix="agzamov-tests-")
os.environ["XDG_CONFIG_HOME"] = OWN_FOLDER.name
os.environ["AGZAMOV_ENGINE_ANSWERS"] = "off"  # a test's engine is asked, whatever another test has asked it


class ByShared(LoadGroupScheduling):
    """Tests that share an engine or a fixture go to one process; any other test goes wherever there is room.

    The scheduler hands out what has most tests first: single tests come last and fill what the files leave.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return SHARING.get(file, file if makes_once(self.config.rootpath / file) else nodeid)


@cache
def makes_once(file: Path) -> bool:
    """Whether tests of a file share what is made once: spread over processes, each of these would make it again."""
    text = file.read_text("utf-8")
    return any(mark in text for mark in MADE_ONCE)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadGroupScheduling | None:
    """Our scheduler in the place of xdist's, where tests are to be grouped at all."""
    return ByShared(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: the one with an engine's tests mostly waits for its containers."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_collection() -> None:
    """Nothing that the collection of the tests makes is garbage before its end."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What is there now stays: the garbage collector looks at what the tests make."""
    assert sys.getrecursionlimit() == RECURSION_LIMIT, "a module of tests raises the recursion limit"
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """A test that leaves the recursion limit raised fails: reading many brackets would then end the process."""
    yield
    assert sys.getrecursionlimit() == RECURSION_LIMIT, "the test leaves another recursion limit"
