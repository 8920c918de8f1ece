"""The engine, the images and a run in containers, shared by the tests of this folder."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_harness.containers import container_engine as engines_of_ours
from agzamov_harness.containers import image_records
from agzamov_harness.containers.container_engine import ContainerEngine
from agzamov_harness.run import signing_keys
from containers.built_images import OF_RUNS, Unreachable, build, built_or_unavailable
from containers.engines import ROOT, OwnEngine, started, unavailable
from harness.commands import Commands


@pytest.fixture(scope="session")
def host() -> str:
    """The DOCKER_HOST of an engine that answers; it may be everybody's."""
    host = started()
    os.environ["DOCKER_HOST"] = host
    return host


@pytest.fixture(scope="session")
def images(host: str) -> Path:
    """The folder of the images, built from this checkout and loaded into the engine."""
    built_or_unavailable(*OF_RUNS)
    folder = Path(os.environ.get(image_records.VARIABLE) or ROOT / "build" / "images")
    os.environ[image_records.VARIABLE] = str(folder)  # for commands that run in other folders
    return folder


@pytest.fixture
def server(images: Path, request: pytest.FixtureRequest) -> str:
    """The name of a memory server from outside, whose image is built for the tests that name it."""
    name: str = request.param
    try:
        build(f"memory-{name}")
    except Unreachable as error:
        pytest.skip(str(error))
    return name


@pytest.fixture(scope="session")
def own(images: Path) -> Iterator[OwnEngine]:
    """An engine of our own, in a network namespace of its own; it has no image yet."""
    if os.geteuid() != 0:
        unavailable("a second engine in a network namespace of its own needs root")
    state = Path(tempfile.mkdtemp(prefix="agz-engine-"))  # a short path: sockets have at most 107 characters
    own = OwnEngine(state)
    try:
        own.start()
        yield own
    finally:
        own.close()
        shutil.rmtree(state, ignore_errors=True)


@pytest.fixture
def engine(images: Path) -> Iterator[ContainerEngine]:
    """The door to the engine that the environment names."""
    door = engines_of_ours.connect()
    yield door
    door.close()


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "key.pem"
    signing_keys.generate(path)
    return path


@pytest.fixture(scope="session")
def commands(tmp_path_factory: pytest.TempPathFactory, images: Path) -> Iterator[Commands]:
    """Starts `agzamov` as processes of their own, which find the engine and the images by the environment."""
    with Commands(tmp_path_factory.mktemp("commands")) as commands:
        yield commands
