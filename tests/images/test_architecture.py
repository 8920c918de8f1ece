"""Images for another processor architecture: from locks of its own, and nothing of it is run."""

import json
import platform
import tarfile

import pytest

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_records import Different, ImageFault
from agzamov_images import architecture, declaration
from agzamov_images.architecture import ARCHITECTURES
from agzamov_images.build import build
from agzamov_images.tree import file
from images import small
from images.small import Small

AMD64, ARM64 = ARCHITECTURES["amd64"], ARCHITECTURES["arm64"]


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")


@pytest.fixture
def both(made: Small) -> Small:
    """A checkout whose small image is locked for arm64 too."""
    data = small.deb({"./usr/bin/tool": small.elf(183)})
    (made.folder / "debs.arm64.lock.json").write_text(small.lock_of(data, "arm64"))
    small.put(made.cache, "tool_2_arm64.deb", data)
    return made


def test_an_image_of_another_architecture_is_built_beside_this_ones(both: Small) -> None:
    both.agzamov("build", "--all")
    both.agzamov("build", "--all", "--arch", "arm64")
    here, there = image_records.load("small", both.built), image_records.load("small", both.built / "arm64")
    assert (here.architecture, there.architecture) == ("amd64", "arm64")
    assert here.config_digest != there.config_digest
    with tarfile.open(both.built / "arm64" / "small.tar") as tar:
        read = {info.name: opened.read() for info in tar if (opened := tar.extractfile(info))}
    (row,) = json.loads(read["index.json"])["manifests"]
    config = json.loads(read[f"blobs/sha256/{there.config_digest}"])
    assert row["platform"] == {"architecture": "arm64", "os": "linux"}
    assert (config["architecture"], config["os"]) == ("arm64", "linux")
    both.agzamov("pin", "--arch", "arm64")
    assert (both.checkout / "images" / "ground" / "pin.arm64.json").is_file()
    assert both.agzamov("verify", "ground", "--arch", "arm64").startswith("ground: equal to its record and its pin")


def test_a_program_for_another_architecture_is_refused(both: Small) -> None:
    data = small.deb({"./usr/bin/tool": small.elf(62)})
    (both.folder / "debs.arm64.lock.json").write_text(small.lock_of(data, "arm64"))
    small.put(both.cache, "tool_2_arm64.deb", data)
    told = both.agzamov("build", "small", "--arch", "arm64", code=1)
    assert "usr/bin/tool: expected a program for arm64 (ELF machine 183), found ELF machine 62" in told


def test_a_missing_lock_says_what_to_type(made: Small) -> None:
    told = made.agzamov("build", "small", "--arch", "arm64", code=2)
    assert "run `agzamov images lock small --arch arm64`" in told


def test_an_image_that_is_declared_for_one_architecture_is_built_for_no_other(both: Small) -> None:
    path = both.folder / declaration.DECLARATION
    path.write_text(path.read_text() + "[platforms.amd64]\n")
    assert "small: built for amd64 alone, not for arm64" in both.agzamov("build", "small", "--arch", "arm64", code=2)
    assert "small" not in both.agzamov("build", "--all", "--arch", "arm64")


def test_what_holds_for_one_architecture_alone_stays_there(both: Small) -> None:
    path = both.folder / declaration.DECLARATION
    path.write_text(
        path.read_text() + '[platforms.amd64.labels]\nof = "amd64"\n[platforms.arm64.labels]\nof = "arm64"\n'
    )
    labels = {
        one.name: build(both.workshop(both.built / one.name)._replace(architecture=one), "small").start["Labels"]["of"]
        for one in ARCHITECTURES.values()
    }
    assert labels == {"amd64": "amd64", "arm64": "arm64"}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (small.elf(62), 62),
        (small.elf(183), 183),
        (b"\x7fELF\2\2" + bytes(12) + b"\0\x16", 22),
        (b"#!", None),
        (b"\x7fELF", None),
    ],
)
def test_a_programs_architecture_is_read_from_its_head(content: bytes, found: int | None) -> None:
    assert architecture.elf_machine(content) == found


def test_files_that_are_no_programs_are_of_every_architecture() -> None:
    architecture.require(ARM64, [file("a", b"text"), file("b", small.elf(183))])
    with pytest.raises(Different, match="b: expected a program for amd64"):
        architecture.require(AMD64, [file("a", b"text"), file("b", small.elf(183))])


@pytest.mark.parametrize(("machine", "name"), [("x86_64", "amd64"), ("AMD64", "amd64"), ("arm64", "arm64")])
def test_a_machine_is_known_by_what_systems_call_it(monkeypatch: pytest.MonkeyPatch, machine: str, name: str) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert architecture.here().name == name


def test_a_machine_without_images_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "s390x")
    with pytest.raises(ImageFault, match="images are built for amd64, arm64, found a machine of s390x"):
        architecture.here()
