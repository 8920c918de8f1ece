"""A small checkout to build images from."""

from pathlib import Path

import pytest

from agzamov_harness.containers import image_records
from images import small
from images.small import Small


@pytest.fixture(autouse=True)
def _checkouts_own_build_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of other folders name one in the environment, which would stand above every checkout's own."""
    monkeypatch.delenv(image_records.VARIABLE, raising=False)


@pytest.fixture
def made(tmp_path: Path) -> Small:
    """A checkout with two small images, and a cache with their packages."""
    return small.make(tmp_path)
