"""A small checkout to build images from; and the committed images, in an engine."""

from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from agzamov_harness.containers import image_records
from containers.built_images import OF_RUNS, built_or_unavailable
from containers.engines import started
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


@pytest.fixture(scope="session")
def client() -> Iterator[docker.DockerClient]:
    client = docker.DockerClient(base_url=started())
    yield client
    client.close()


@pytest.fixture(scope="session")
def built(client: docker.DockerClient) -> str:
    """What `agzamov images build` said of the images of runs, which are in the engine."""
    return built_or_unavailable(*OF_RUNS)
