"""The small profile of every ready plan that is played in containers, run and verified: all of it is played."""

from pathlib import Path

import pytest

from containers.built_images import built_or_unavailable
from journeys.test_small_profiles import IN_CONTAINERS, play_and_verify


@pytest.mark.exhaustive
@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("path", IN_CONTAINERS, ids=lambda path: path.stem)
def test_a_small_profile_in_containers_plays_all_that_it_promises_and_verifies(path: Path, tmp_path: Path) -> None:
    """Players are scripted, so the image of the harness is all that is started."""
    built_or_unavailable("harness")
    play_and_verify(path, tmp_path)
