"""A small checkout to build images from."""

from pathlib import Path

import pytest

from images import small
from images.small import Small


@pytest.fixture
def made(tmp_path: Path) -> Small:
    """A checkout with two small images, and a cache with their packages."""
    return small.make(tmp_path)
