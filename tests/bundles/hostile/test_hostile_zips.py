"""Hostile zip files on the verify page: names that lead outside, links, bombs, files that are cut or encrypted."""

import stat
import struct
import zipfile
from pathlib import Path

import pytest

from agzamov_images.verify_page.parts import zip_bundle
from agzamov_images.verify_page.parts.check_bundle import check
from agzamov_images.verify_page.parts.zip_bundle import unpacked
from agzamov_verify.core.untrusted_input import HostileBundle
from bundles.bundle_factory import Draft


def zip_of(path: Path, files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def checked(path: Path) -> tuple[int, str]:
    told = check(str(path), b"", lambda _: None)
    return told.code, told.verdict


@pytest.mark.parametrize("top", ["run/", ""])
def test_a_zip_of_a_bundle_has_the_verdict_of_its_folder(top: str, tiny: Path, tmp_path: Path) -> None:
    files = {f"{top}{name}": content for name, content in Draft.of(tiny).files.items()}
    files["__MACOSX/run/._bagit.txt"] = b"notes of the Finder"
    assert checked(zip_of(tmp_path / "run.zip", files)) == checked(tiny)


def test_a_zip_of_a_changed_bundle_fails(tiny: Path, tmp_path: Path) -> None:
    files = dict(Draft.of(tiny).files)
    files["data/environment.json"] += b" "
    packed = zip_of(tmp_path / "run.zip", {f"run/{name}": content for name, content in files.items()})
    assert checked(packed)[0] == 1


@pytest.mark.parametrize(
    "name", ["../out", "run/../../out", "/etc/passwd", "run/a\\..\\b", "C:/x", "run/.hidden", "run/nul", "run/\u202e"]
)
def test_a_name_that_is_not_plain_is_refused_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    packed, room = zip_of(tmp_path / "run.zip", {"run/bagit.txt": b"", name: b"x"}), tmp_path / "room"
    with pytest.raises(HostileBundle, match="plain parts"):
        unpacked(packed, room)
    assert not room.exists()


@pytest.mark.parametrize("name", ["run/.hidden/", "run/data/nul/", "run/a b/", "run//", "/", "", "run/\0/"])
def test_a_folder_with_such_a_name_is_refused_too(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        archive.writestr("run/bagit.txt", b"")
        entry = zipfile.ZipInfo("run/x")
        entry.filename = name
        archive.writestr(entry, b"")
    with pytest.raises(HostileBundle, match="plain parts"):
        unpacked(tmp_path / "run.zip", tmp_path / "room")


def test_an_empty_folder_is_unpacked_and_counts_as_in_the_folder(tiny: Path, tmp_path: Path) -> None:
    files = {f"run/{name}": content for name, content in Draft.of(tiny).files.items()}
    good = zip_of(tmp_path / "good.zip", {"run/": b"", "run/data/": b"", "run/spare/1/2/3/4/5/6/": b"", **files})
    assert checked(good) == checked(tiny)
    deep = zip_of(tmp_path / "deep.zip", {**files, "run/1/2/3/4/5/6/7/": b""})
    assert checked(deep) == checked(tiny)
    with pytest.raises(HostileBundle, match="plain parts"):
        unpacked(zip_of(tmp_path / "deeper.zip", {**files, "run/1/2/3/4/5/6/7/8/": b""}), tmp_path / "room")


@pytest.mark.parametrize("names", [("b/x", "b/x/y"), ("b/x/y", "b/x"), ("b", "b/y"), ("b/y", "b"), ("b/", "b")])
def test_a_file_that_is_a_folder_of_another_is_refused_in_one_line(names: tuple[str, str], tmp_path: Path) -> None:
    with pytest.raises(HostileBundle, match="a file or a folder, found both") as error:
        unpacked(zip_of(tmp_path / "run.zip", dict.fromkeys(names, b"")), tmp_path / "room")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "room").exists()


def test_a_name_that_is_not_the_unicode_that_it_says_is_refused(tmp_path: Path) -> None:
    packed = zip_of(tmp_path / "run.zip", {"run/\u00e9": b""})
    packed.write_bytes(packed.read_bytes().replace("\u00e9".encode(), b"\xff\xfe"))
    with pytest.raises(HostileBundle, match="a whole zip file"):
        unpacked(packed, tmp_path / "room")


def test_one_name_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HostileBundle, match="the same name twice"):
        unpacked(zip_of(tmp_path / "run.zip", {"run/a": b"", "run/A": b""}), tmp_path / "room")


def test_a_link_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("run/bagit.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(HostileBundle, match="a regular file, found a link"):
        unpacked(tmp_path / "run.zip", tmp_path / "room")


def test_more_than_a_tab_holds_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zip_bundle, "UNPACKED_BYTES_MAX", 2**20)
    bomb = zip_of(tmp_path / "run.zip", {f"run/{number}": bytes(2**19) for number in range(3)})
    assert bomb.stat().st_size < 2**14
    with pytest.raises(HostileBundle, match="at most 1 MiB unpacked"):
        unpacked(bomb, tmp_path / "room")
    assert not (tmp_path / "room").exists()


def test_an_entry_that_says_less_than_it_holds_is_refused(tmp_path: Path) -> None:
    packed = zip_of(tmp_path / "run.zip", {"run/bagit.txt": bytes(2**16)})
    content = packed.read_bytes()
    packed.write_bytes(content.replace(struct.pack("<L", 2**16), struct.pack("<L", 16)))
    with pytest.raises(HostileBundle, match="a whole zip file"):
        unpacked(packed, tmp_path / "room")


def test_an_encrypted_entry_and_a_method_that_browsers_lack_are_refused(tmp_path: Path) -> None:
    packed = zip_of(tmp_path / "run.zip", {"run/bagit.txt": b"x"})
    content = bytearray(packed.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "locked.zip").write_bytes(content)
    with pytest.raises(HostileBundle, match="without a password"):
        unpacked(tmp_path / "locked.zip", tmp_path / "room")
    with pytest.raises(HostileBundle, match="stored or compressed by Deflate"):
        unpacked(zip_of(tmp_path / "bz.zip", {"run/bagit.txt": b"x"}, zipfile.ZIP_BZIP2), tmp_path / "room")


@pytest.mark.parametrize("kept", [4, 30, -30])
def test_a_cut_zip_is_refused_with_a_way_out(kept: int, tiny: Path, tmp_path: Path) -> None:
    packed = zip_of(tmp_path / "run.zip", {f"run/{name}": content for name, content in Draft.of(tiny).files.items()})
    packed.write_bytes(packed.read_bytes()[:kept])
    told = check(str(packed), b"", lambda _: None)
    assert (told.code, told.verdict) == (2, "")
    assert told.text.startswith("The zip file: run.zip: expected a whole zip file")
    assert told.text.endswith("Unpack it yourself, and choose the folder.")
