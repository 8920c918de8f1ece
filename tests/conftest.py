"""Which tests share a process when there are several (`pytest -n`): those of one container engine, so that it is not
started, fed with images and kept busy twice.

This is what pytest-xdist's own mark `xdist_group` is for. With pytest 9.2 xdist 3.8 loses it: it writes the group to an
attribute of a test that is no longer read.
"""

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling

ENGINE, OWN_ENGINE = "an engine of this machine", "an engine of the tests' own"
SHARING = {
    "tests/containers/test_chaos.py": ENGINE,
    "tests/containers/test_compose.py": ENGINE,
    "tests/containers/test_egress.py": OWN_ENGINE,
    "tests/containers/test_engine_dies.py": OWN_ENGINE,
    "tests/containers/test_engine_script.py": ENGINE,
    "tests/containers/test_hosted.py": OWN_ENGINE,
    "tests/containers/test_quality.py": ENGINE,
    "tests/containers/test_replay.py": ENGINE,
    "tests/containers/test_run.py": ENGINE,
    "tests/images/test_real.py": ENGINE,
}


class ByEngine(LoadGroupScheduling):
    """Tests of one engine go to one process; any other test goes wherever there is room."""

    def _split_scope(self, nodeid: str) -> str:
        return SHARING.get(nodeid.partition("::")[0], nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadGroupScheduling | None:
    """Our scheduler in the place of xdist's, where tests are to be grouped at all."""
    return ByEngine(config, log) if config.getvalue("dist") == "loadgroup" else None
