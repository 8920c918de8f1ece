"""Images in an engine, spoken to by a stand-in: what is taken for our image, and what is not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docker.errors import APIError, DockerException, ImageNotFound

from agzamov_harness.containers import image_loading, image_records
from agzamov_harness.containers.image_records import Different, ImageFault, ImageRecord
from agzamov_images import engine
from agzamov_images.build import build
from images.small import Small

THEIRS = """\
about = "Theirs"
licence = "MIT"
[config]
env = { QUIET = "1" }
[external]
repository = "their/server"
"""


class Engine:
    """An engine that holds images by reference, and takes what is loaded under the references given beforehand."""

    def __init__(self, held: dict[str, dict[str, Any]], taken: dict[str, dict[str, Any]] | None = None) -> None:
        self.held, self.taken, self.loads = held, taken or {}, 0
        self.api = self.images = self
        self.timeout = 60

    def info(self) -> dict[str, Any]:
        return {"DriverStatus": [["Backing Filesystem", "extfs"]]}

    def inspect_image(self, reference: str) -> dict[str, Any]:
        if reference not in self.held:
            raise ImageNotFound(reference)
        return self.held[reference]

    def load(self, opened: Any) -> None:
        assert self.timeout > 60
        self.loads += 1
        opened.read(1)
        self.held |= self.taken


class OnContainerd(Engine):
    """An engine that keeps its images in containerd: an id is a manifest's or an index's, and it saves OCI layouts."""

    def __init__(self, held: dict[str, dict[str, Any]], saved: Path) -> None:
        super().__init__(held)
        self.saved, self.asked = saved, ""

    def info(self) -> dict[str, Any]:
        return {"DriverStatus": [["driver-type", "io.containerd.snapshotter.v1"]]}

    def get_image(self, reference: str) -> Iterator[bytes]:
        self.asked = reference
        data = self.saved.read_bytes()
        yield from (data[at : at + 10_000] for at in range(0, len(data), 10_000))


def shown(record: ImageRecord, image_id: str, **changed: Any) -> dict[str, Any]:
    """An image as an engine shows it."""
    config = {**record.start, "Volumes": None, "Image": "", **changed}
    return {
        "Id": image_id,
        "Config": config,
        "RootFS": {"Layers": [f"sha256:{one}" for one in record.diff_ids]},
        "Size": 5,
        "Architecture": "amd64",
    }


@pytest.fixture
def record(made: Small) -> ImageRecord:
    return build(made.workshop(), "small")


def ensure(door: Engine, record: ImageRecord, folder: Path) -> image_loading.LoadedImage:
    return image_loading.ensure_loaded(door, record, folder)  # type: ignore[arg-type]


def test_an_image_that_is_there_is_not_loaded_again(made: Small, record: ImageRecord) -> None:
    door = Engine({record.reference: shown(record, record.reference)})
    assert ensure(door, record, made.built) == (record.reference, False)
    assert door.loads == 0


def test_an_image_that_is_missing_is_loaded_with_patience(made: Small, record: ImageRecord) -> None:
    door = Engine({}, {record.reference: shown(record, record.reference)})
    assert ensure(door, record, made.built) == (record.reference, True)
    assert (door.loads, door.timeout) == (1, 60)


def test_an_engine_on_containerd_is_asked_by_manifest_or_name(made: Small, record: ImageRecord) -> None:
    for reference in (f"sha256:{record.manifest_digest}", record.tag):
        door = Engine({}, {reference: shown(record, "sha256:another")})
        assert ensure(door, record, made.built).image_id == "sha256:another"


@pytest.mark.parametrize(
    ("field", "value"),
    [("User", "root"), ("Env", ["PATH=/evil"]), ("Entrypoint", ["/bin/sh"]), ("Cmd", ["-c"]), ("WorkingDir", "/evil")],
)
def test_on_containerd_another_way_to_start_is_another_image(
    made: Small, record: ImageRecord, field: str, value: object
) -> None:
    door = Engine({record.tag: shown(record, "sha256:another", **{field: value})})
    with pytest.raises(Different, match=f"small: {field}: expected "):
        ensure(door, record, made.built)


def test_on_containerd_other_layers_are_another_image(made: Small, record: ImageRecord) -> None:
    found = shown(record, "sha256:another")
    found["RootFS"]["Layers"][0] = "sha256:" + "0" * 64
    with pytest.raises(Different, match="small: expected the layers of the record"):
        ensure(Engine({record.tag: found}), record, made.built)


def test_an_engine_that_does_not_show_what_it_took_is_a_fault(made: Small, record: ImageRecord) -> None:
    with pytest.raises(ImageFault, match="does not show it as localhost/agzamov/small:"):
        ensure(Engine({}), record, made.built)


def test_a_missing_tar_says_what_to_type(made: Small, record: ImageRecord) -> None:
    image_records.archive(made.built, "small").unlink()
    with pytest.raises(ImageFault, match=r"small\.tar: no such file; run `agzamov images build`"):
        ensure(Engine({}), record, made.built)


def test_an_engine_that_refuses_is_quoted(made: Small, record: ImageRecord) -> None:
    class Full(Engine):
        def load(self, opened: Any) -> None:
            raise APIError("no space left on device")

    with pytest.raises(ImageFault, match=r"small\.tar: the engine does not load it: no space left"):
        ensure(Full({}), record, made.built)


def test_an_engine_that_breaks_off_is_quoted(made: Small, record: ImageRecord) -> None:
    class Broken(Engine):
        def inspect_image(self, reference: str) -> dict[str, Any]:
            raise ConnectionError("broken pipe")

    with pytest.raises(ImageFault, match="small: the engine does not say whether it holds it: broken pipe"):
        ensure(Broken({}), record, made.built)


class TestAdopted:
    """An image that others publish is recorded as the engine holds it."""

    @pytest.fixture
    def theirs(self, made: Small) -> Path:
        (made.checkout / "images" / "theirs").mkdir()
        (made.checkout / "images" / "theirs" / "image.toml").write_text(THEIRS)
        return made.checkout / "images"

    @pytest.fixture(autouse=True)
    def tree(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(engine, "tree_in", lambda client, image_id: "7" * 64)

    def adopt(self, door: Engine, images: Path, reference: str | None) -> ImageRecord:
        return engine.adopted(door, images, "theirs", reference)  # type: ignore[arg-type]

    def test_its_digests_and_its_environment_are_recorded(self, theirs: Path, record: ImageRecord) -> None:
        wanted = "their/server@sha256:" + "a" * 64
        found = self.adopt(Engine({wanted: shown(record, "sha256:" + "b" * 64)}), theirs, wanted)
        assert (found.config_digest, found.manifest_digest, found.tree_digest) == ("b" * 64, "a" * 64, "7" * 64)
        assert (found.diff_ids, found.environment) == (record.diff_ids, {"QUIET": "1"})

    @pytest.mark.parametrize("reference", [None, "their/server", "their/server:1", "other/server@sha256:" + "a" * 64])
    def test_what_is_not_named_by_their_digest_is_not_recorded(
        self, theirs: Path, record: ImageRecord, reference: str | None
    ) -> None:
        held = {name: shown(record, "sha256:" + "b" * 64) for name in ("their/server", "their/server:1")}
        held["other/server@sha256:" + "a" * 64] = held["their/server"]
        with pytest.raises(ImageFault, match=r"theirs: the engine holds no .*; published by others; type: docker pull"):
            self.adopt(Engine(held), theirs, reference)

    @pytest.mark.parametrize("image_id", ["a" * 64, "e" * 64], ids=["the index's id", "a platform's id"])
    def test_an_engine_on_containerd_gives_the_same_record(
        self, made: Small, theirs: Path, record: ImageRecord, image_id: str
    ) -> None:
        wanted = "their/server@sha256:" + "a" * 64
        plain = self.adopt(Engine({wanted: shown(record, record.reference)}), theirs, wanted)
        door = OnContainerd(
            {wanted: shown(record, f"sha256:{image_id}")}, saved=image_records.archive(made.built, "small")
        )
        found = self.adopt(door, theirs, wanted)
        assert found == plain
        assert (found.config_digest, found.manifest_digest) == (record.config_digest, "a" * 64)
        assert door.asked == f"sha256:{image_id}"

    def test_an_engine_on_containerd_that_saves_another_image_is_refused(
        self, made: Small, theirs: Path, record: ImageRecord
    ) -> None:
        wanted = "their/server@sha256:" + "a" * 64
        found = shown(record, "sha256:" + "a" * 64)
        found["RootFS"]["Layers"][0] = "sha256:" + "0" * 64
        with pytest.raises(ImageFault, match="theirs: expected a configuration of the layers that the engine shows"):
            self.adopt(OnContainerd({wanted: found}, saved=image_records.archive(made.built, "small")), theirs, wanted)

    def test_what_was_adopted_on_one_engine_is_accepted_on_the_other(
        self, made: Small, theirs: Path, record: ImageRecord
    ) -> None:
        wanted = "their/server@sha256:" + "a" * 64
        adopted = self.adopt(Engine({wanted: shown(record, record.reference)}), theirs, wanted)
        index = "sha256:" + "a" * 64
        assert ensure(Engine({index: shown(record, index)}), adopted, made.built) == (index, False)

    def test_an_image_of_ours_is_built_not_adopted(self, theirs: Path) -> None:
        with pytest.raises(ImageFault, match="run `agzamov images build small`"):
            engine.adopted(Engine({}), theirs, "small", None)  # type: ignore[arg-type]


def test_without_a_variable_the_engine_is_the_one_that_runs_use(made: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setattr(engine, "engine_host", lambda: "unix:///the/one/of/runs")
    asked: list[str] = []

    class Client:
        def __init__(self, base_url: str) -> None:
            asked.append(base_url)

        def ping(self) -> None:
            raise DockerException("nobody there")

    monkeypatch.setattr(engine.docker, "DockerClient", Client)
    assert "no Docker engine answers (nobody there)" in made.agzamov("build", "ground", "--load", code=2)
    assert asked == ["unix:///the/one/of/runs"]


def test_no_engine_is_one_line_that_says_what_to_do(made: Small) -> None:
    told = made.agzamov("build", "ground", "--load", code=2, DOCKER_HOST="unix:///no/such/socket")
    assert "no Docker engine answers" in told
    assert "set DOCKER_HOST" in told
