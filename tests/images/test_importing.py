"""Published images taken without building: only what is pinned or signed, byte for byte."""

import io
import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from agzamov_harness.containers import image_records
from agzamov_harness.run import signing_keys
from agzamov_images.oci import LAYOUT
from agzamov_verify.core import canon
from images.small import Small, sha256

FILES = ("tar", "json", "cdx.json", "provenance.json", "provenance.dsse.json")


@pytest.fixture
def key(made: Small) -> Path:
    path = made.checkout.parent / "key.pem"
    signing_keys.generate(path)
    return path


@pytest.fixture
def shop(made: Small, key: Path) -> Path:
    """A folder of published images; the checkout has the pins and no build of its own."""
    made.agzamov("build", "--all")
    made.agzamov("pin", "--key", str(key))
    folder = made.checkout.parent / "published"
    folder.mkdir()
    for name in ("ground", "small"):
        for ending in FILES:
            shutil.copy(made.built / f"{name}.{ending}", folder)
    shutil.rmtree(made.built)
    shutil.rmtree(made.cache)
    return folder


def test_published_images_are_kept_as_if_they_were_built_here(made: Small, key: Path, shop: Path) -> None:
    told = made.agzamov("import", str(shop), "--key", f"{key}.pub")
    assert [line.split(":")[0] for line in told.splitlines()] == ["ground", "small"]
    assert told.splitlines()[0].endswith("is as signed")
    for name in ("ground", "small"):
        for ending in FILES:
            assert (made.built / f"{name}.{ending}").read_bytes() == (shop / f"{name}.{ending}").read_bytes()
    states = {row["name"]: row["state"] for row in json.loads(made.agzamov("list", "--json"))}
    assert states == {"ground": "as pinned", "small": "built"}
    made.agzamov("build", "--all")  # nothing is left to build, so no package is missed


def test_the_pin_is_enough_where_there_is_one(made: Small, shop: Path) -> None:
    for path in shop.glob("*.dsse.json"):
        path.unlink()
    assert made.agzamov("import", str(shop), "ground").endswith("is as pinned\n")
    assert image_records.load("ground", made.built).name == "ground"


def test_an_image_with_our_own_source_must_be_signed(made: Small, shop: Path) -> None:
    assert "small: it has no committed pin, so name the key of who signed it" in made.agzamov(
        "import", str(shop), "small", code=2
    )


def rewritten(folder: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """The published tar of `ground` with other files in it."""
    path = folder / "ground.tar"
    with tarfile.open(path) as tar:
        files = {info.name: opened.read() for info in tar if (opened := tar.extractfile(info))}
    change(files)
    with tarfile.open(path, "w") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def other_layer(files: dict[str, bytes]) -> None:
    name = next(name for name, data in files.items() if b"agz:x:10001" in data)
    files[name] = files[name].replace(b"agz:x:10001", b"agz:x:00000")


def other_tag(files: dict[str, bytes]) -> None:
    files["manifest.json"] = files["manifest.json"].replace(b"localhost/", b"publichost")


def other_configuration(files: dict[str, bytes]) -> None:
    name = next(name for name, data in files.items() if b'"rootfs"' in data)
    files[name] = files[name].replace(b"10001:10001", b"00000:00000")


def one_more(files: dict[str, bytes]) -> None:
    files["blobs/sha256/" + "0" * 64] = b""


def no_layout(files: dict[str, bytes]) -> None:
    del files["oci-layout"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (other_layer, "ground.tar: layer "),
        (other_tag, "ground.tar: manifest.json: expected the table of the recorded image"),
        (other_configuration, "ground.tar: expected the configuration and the manifest of the record"),
        (one_more, "ground.tar: expected the recorded image alone, each file once"),
        (no_layout, "ground.tar: expected oci-layout, found no such file"),
    ],
)
def test_a_tar_with_one_other_thing_in_it_is_not_taken(
    made: Small, shop: Path, change: Callable[[dict[str, bytes]], None], told: str
) -> None:
    rewritten(shop, lambda _: None)
    made.agzamov("import", str(shop), "ground")
    shutil.rmtree(made.built)
    rewritten(shop, change)
    assert told in made.agzamov("import", str(shop), "ground", code=1)
    assert not (made.built / "ground.json").exists()
    assert not (made.built / "ground.tar").exists()


def test_a_file_that_stands_twice_in_the_tar_is_not_taken(made: Small, shop: Path) -> None:
    with tarfile.open(shop / "ground.tar", "a") as tar:
        info = tarfile.TarInfo("oci-layout")
        info.size = len(LAYOUT)
        tar.addfile(info, io.BytesIO(LAYOUT))
    assert "each file once, found oci-layout too" in made.agzamov("import", str(shop), "ground", code=1)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("tree_digest", "0" * 64, "expected the image that"),
        ("tag", "ollama/ollama:latest", "ground.json: expected a record of ground as localhost/agzamov/ground:"),
        ("environment", {"LD_PRELOAD": "/x"}, "without environment"),
        ("start", {}, "expected the configuration of the record"),
    ],
)
def test_a_record_with_one_other_field_is_not_taken(
    made: Small, shop: Path, field: str, value: object, told: str
) -> None:
    path = shop / "ground.json"
    path.write_bytes(canon.dumps({**json.loads(path.read_bytes()), field: value}))
    assert told in made.agzamov("import", str(shop), "ground", code=1)


def test_an_image_that_is_not_the_pinned_one_is_not_taken_even_if_it_is_signed(
    made: Small, key: Path, shop: Path
) -> None:
    path = made.checkout / "images" / "ground" / "pin.amd64.json"
    path.write_text(path.read_text().replace(image_records.load("ground", shop).tree_digest, "0" * 64))
    assert "ground: expected the image that" in made.agzamov(
        "import", str(shop), "ground", "--key", f"{key}.pub", code=1
    )


def test_a_folder_without_images_is_told(made: Small, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "expected images with a tar and a record each, found none" in made.agzamov(
        "import", str(tmp_path / "empty"), code=2
    )


def test_a_name_cannot_lead_out_of_the_folder(made: Small, shop: Path) -> None:
    assert "expected the name of an image, found '../ground'" in made.agzamov("import", str(shop), "../ground", code=2)


def test_the_digest_that_is_reported_is_that_of_the_configuration(made: Small, shop: Path) -> None:
    told = made.agzamov("import", str(shop), "ground")
    with tarfile.open(shop / "ground.tar") as tar:
        data = [opened.read() for info in tar if (opened := tar.extractfile(info))]
    (config,) = [one for one in data if b'"rootfs"' in one]
    assert f"ground: sha256:{sha256(config)} is" in told
