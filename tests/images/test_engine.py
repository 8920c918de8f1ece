"""Images in an engine, spoken to by a stand-in: what is taken for our image, and what is not."""

from pathlib import Path
from typing import Any

import pytest
from docker.errors import APIError, ImageNotFound

from agzamov_harness.images import engine, records
from agzamov_harness.images.build import build
from agzamov_harness.images.faults import Different, ImageFault
from agzamov_harness.images.records import ImageRecord
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

    def inspect_image(self, reference: str) -> dict[str, Any]:
        if reference not in self.held:
            raise ImageNotFound(reference)
        return self.held[reference]

    def load(self, opened: Any) -> None:
        assert self.timeout > 60
        self.loads += 1
        opened.read(1)
        self.held |= self.taken


def shown(record: ImageRecord, image_id: str, **changed: Any) -> dict[str, Any]:
    """An image as an engine shows it."""
    config = {**record.start, "Volumes": None, "Image": "", **changed}
    return {
        "Id": image_id,
        "Config": config,
        "RootFS": {"Layers": [f"sha256:{one}" for one in record.diff_ids]},
        "Size": 5,
    }


@pytest.fixture
def record(made: Small) -> ImageRecord:
    return build(made.workshop(), "small")


def ensure(door: Engine, record: ImageRecord, folder: Path) -> engine.Loaded:
    return engine.ensure_loaded(door, record, folder)  # type: ignore[arg-type]


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
    records.archive(made.built, "small").unlink()
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

    def test_an_engine_on_containerd_shows_nothing_to_pin(self, theirs: Path, record: ImageRecord) -> None:
        wanted = "their/server@sha256:" + "a" * 64
        with pytest.raises(ImageFault, match="keeps images in containerd"):
            self.adopt(Engine({wanted: shown(record, "sha256:" + "a" * 64)}), theirs, wanted)

    def test_an_image_of_ours_is_built_not_adopted(self, theirs: Path) -> None:
        with pytest.raises(ImageFault, match="run `agzamov images build small`"):
            engine.adopted(Engine({}), theirs, "small", None)  # type: ignore[arg-type]


def test_no_engine_is_one_line_that_says_what_to_do(made: Small) -> None:
    told = made.agzamov("build", "ground", "--load", code=2, DOCKER_HOST="unix:///no/such/socket")
    assert "no Docker engine answers" in told
    assert "set DOCKER_HOST" in told
