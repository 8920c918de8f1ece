"""The good registered run of each module, and a copy of it for each test."""

from pathlib import Path

import pytest

from agzamov_verify.checks import registration_check
from registration.registered_case import Case
from registration.registered_run import World, played


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Path]:
    return played(tmp_path_factory.mktemp("good"))


@pytest.fixture
def case(good: tuple[World, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """The good case. Signatures of rounds are checked in test_beacon; here every round is of its chain."""
    monkeypatch.setattr(registration_check, "is_of_chain", lambda found, chain: True)
    return Case(*good, tmp_path)
