"""Hostile tars: entries that are no files, names that lead outside, headers that lie. Nothing is extracted."""

import hashlib
import io
import os
import subprocess
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from agzamov_verify import bundle
from agzamov_verify.core.untrusted_input import TarSource
from bundles.bundle_factory import CHESS1, Draft, check, told
from bundles.hostile.refusals import refused, shown

TOP = "run"
BLOCK = 512


@pytest.fixture
def files(tiny: Path) -> dict[str, bytes]:
    return dict(Draft.of(tiny).files)


def info(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.type = len(data), kind
    return member


Member = tuple[tarfile.TarInfo, bytes]


def members(files: dict[str, bytes]) -> list[Member]:
    return [(info(f"{TOP}/{name}", data), data) for name, data in sorted(files.items())]


def write_tar(path: Path, content: Iterable[Member]) -> Path:
    """A plain tar of exactly these headers, whatever they say."""
    with path.open("wb") as file:
        for member, data in content:
            file.write(member.tobuf(tarfile.USTAR_FORMAT))
            file.write(data.ljust(-(-len(data) // BLOCK) * BLOCK, b"\0"))
        file.write(bytes(2 * BLOCK))
    return path


@pytest.fixture
def tar(files: dict[str, bytes], tmp_path: Path) -> Callable[..., Path]:
    """Writes a good tar with some more members, before or after the good ones."""

    def make(*more: Member, first: bool = False) -> Path:
        good = members(files)
        return write_tar(tmp_path / "bundle.tar", [*more, *good] if first else [*good, *more])

    return make


Tar = Callable[..., Path]


def test_a_plain_tar_is_read_like_its_folder(tar: Tar, tiny: Path) -> None:
    packed, unpacked = check(tar()), check(tiny)
    assert (packed.level, packed.run) == ("V1", unpacked.run), told(packed)
    assert packed.results == unpacked.results


def test_a_tar_by_python_with_folders_is_read(tiny: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "bundle.tar", "w", format=tarfile.USTAR_FORMAT) as packed:
        packed.add(tiny, arcname=tiny.name)
    assert check(tmp_path / "bundle.tar").level == "V1"


def test_a_game_of_a_tar_is_shown(tar: Tar) -> None:
    code, text = shown(tar(), "--game", f"{CHESS1}-g00000", "--details")
    assert (code, "MOVE: " in text) == (0, True)


KINDS = {
    "a symbolic link": tarfile.SYMTYPE,
    "a hard link": tarfile.LNKTYPE,
    "a character device": tarfile.CHRTYPE,
    "a block device": tarfile.BLKTYPE,
    "a pipe": tarfile.FIFOTYPE,
    "a contiguous file": tarfile.CONTTYPE,
    "an old-style file": tarfile.AREGTYPE,
    "a GNU long name": tarfile.GNUTYPE_LONGNAME,
    "a GNU long link": tarfile.GNUTYPE_LONGLINK,
    "a GNU sparse file": tarfile.GNUTYPE_SPARSE,
    "a pax header": tarfile.XHDTYPE,
    "a global pax header": tarfile.XGLTYPE,
    "a Solaris header": tarfile.SOLARIS_XHDTYPE,
    "a kind that nobody knows": b"Z",
}


@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_an_entry_that_is_no_plain_file_is_refused(kind: bytes, first: bool, tar: Tar) -> None:
    member = info(f"{TOP}/data/odd", b"", kind)
    member.linkname = "/etc/passwd"
    verdict = refused(tar((member, b""), first=first), 1, f"{TOP}/data/odd")
    assert f"type {kind!r}" in verdict.findings[0].found


def test_a_link_before_a_file_of_the_same_name_writes_nothing_outside(tar: Tar, tmp_path: Path) -> None:
    """The classic: a link to a place outside, then a file through that link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    link = info(f"{TOP}/data/out", b"", tarfile.SYMTYPE)
    link.linkname = str(outside)
    refused(tar((link, b""), (info(f"{TOP}/data/out/owned", b"x"), b"x")), 1)
    assert not list(outside.iterdir())


NAMES = [
    "/etc/passwd",
    "../run/data/x",
    f"{TOP}/../../x",
    f"{TOP}/data/../x",
    f"{TOP}/./data/x",
    f"{TOP}//data/x",
    f"./{TOP}/data/x",
    f"{TOP}/data/",
    "x",
    "",
    f"{TOP}/data/-rf",
    f"{TOP}/data/a b",
    f"{TOP}/data/a\\b",
    f"{TOP}/data/C:x",
    f"{TOP}/data/\x1b[2J",
    f"{TOP}/data/a\nb",
    f"{TOP}/data/.ssh",
    f"{TOP}/a/b/c/d/e/f/g/h",
]


@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_not_plain_is_refused(name: str, first: bool, tar: Tar, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    path = tar((info(name, b"x"), b"x"), first=first)
    refused(path, 1)
    assert sorted({*before, path}) == sorted(tmp_path.rglob("*"))


FOLDERS = ["/etc", "../..", f"{TOP}/../x", f"{TOP}/\x1b[2J", f"{TOP}/.hidden", f"{TOP}/nul", f"{TOP}/1/2/3/4/5/6/7/8"]


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_with_such_a_name_is_refused_too(name: str, tar: Tar) -> None:
    refused(tar((info(name, b"", tarfile.DIRTYPE), b"")), 1)


def test_a_folder_with_content_is_refused(tar: Tar) -> None:
    refused(tar((info(f"{TOP}/data", b"hidden", tarfile.DIRTYPE), b"hidden")), 1, f"{TOP}/data")


@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
def test_a_second_top_folder_is_refused(first: bool, tar: Tar) -> None:
    refused(tar((info("other/data/x", b"x"), b"x"), first=first), 1)
    refused(tar((info("other", b"", tarfile.DIRTYPE), b""), first=first), 1)


def test_the_same_name_twice_is_refused(tar: Tar, files: dict[str, bytes]) -> None:
    again = b'{"won":"everything"}'
    verdict = refused(tar((info(f"{TOP}/{bundle.RESULTS_FILE}", again), again)), 1, bundle.RESULTS_FILE)
    assert verdict.findings[0].found == "the same name twice"


def test_names_that_differ_in_case_only_are_refused(tar: Tar) -> None:
    refused(tar((info(f"{TOP}/DATA/manifest.json", b"{}"), b"{}")), 1, "DATA")


def test_a_file_named_as_a_folder_is_refused(tar: Tar) -> None:
    refused(tar((info(f"{TOP}/data", b"x"), b"x")), 1, "data")
    refused(tar((info(f"{TOP}/data", b"x"), b"x"), first=True), 1, "data")
    refused(tar((info(f"{TOP}/bagit.txt", b"", tarfile.DIRTYPE), b"")), 1, "bagit.txt")


def test_folders_that_differ_in_case_only_are_refused(tar: Tar) -> None:
    refused(tar((info(f"{TOP}/DATA", b"", tarfile.DIRTYPE), b"")), 1, "DATA")


def test_a_folder_named_twice_is_one_folder(tar: Tar) -> None:
    again = info(f"{TOP}/data", b"", tarfile.DIRTYPE), b""
    assert check(tar(again, again)).level == "V1"


@pytest.mark.parametrize("size", [10 * 2**30, 2**63, 8 * 2**30 - 1])
def test_a_size_beyond_the_file_is_refused(size: int, files: dict[str, bytes], tmp_path: Path) -> None:
    lying = info(f"{TOP}/data/huge")
    lying.size = size
    header = lying.tobuf(tarfile.GNU_FORMAT)
    path = write_tar(tmp_path / "bundle.tar", members(files))
    path.write_bytes(path.read_bytes()[: -2 * BLOCK] + header + bytes(2 * BLOCK))
    refused(path, 1, f"{TOP}/data/huge")


def test_a_negative_size_is_refused(files: dict[str, bytes], tmp_path: Path) -> None:
    header = bytearray(info(f"{TOP}/data/x").tobuf(tarfile.USTAR_FORMAT))
    header[124:136] = b"\xff" * 11 + b"\xfe"
    path = tmp_path / "bundle.tar"
    path.write_bytes(resummed(header) + bytes(2 * BLOCK))
    refused(path, 1)


def resummed(header: bytearray) -> bytes:
    """The header with its checksum made right again."""
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def test_a_sparse_tar_that_claims_ten_gigabytes_is_refused_unread(files: dict[str, bytes], tmp_path: Path) -> None:
    """The file really is as long as it says, without taking any room."""
    huge = info(f"{TOP}/data/huge")
    huge.size = 8 * 2**30 - 1
    path = write_tar(tmp_path / "bundle.tar", [*members(files), (huge, b"")])
    os.truncate(path, path.stat().st_size + huge.size + BLOCK)
    refused(path, 1, "data/huge")


@pytest.mark.parametrize("at", [0, 100, 148, 257, 500])
def test_a_header_with_a_changed_byte_is_refused(at: int, tar: Tar) -> None:
    path = tar()
    data = bytearray(path.read_bytes())
    data[at] ^= 0x41
    path.write_bytes(data)
    refused(path, 1, "tar offset 0")


@pytest.mark.parametrize("kept", [1, 511, 512, 700, 5_000])
def test_a_tar_that_is_cut_is_refused(kept: int, tar: Tar) -> None:
    path = tar()
    os.truncate(path, kept)
    refused(path, 1)


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_a_compressed_tar_is_refused(mode: str, tiny: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "bundle.tar", mode) as packed:  # type: ignore[call-overload]
        packed.add(tiny, arcname=TOP)
    refused(tmp_path / "bundle.tar", 1, "tar offset 0")


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_tar_that_needs_extended_headers_is_refused(form: int, tiny: Path, tmp_path: Path) -> None:
    long = info(f"{TOP}/data/" + "n" * 90 + "/" + "m" * 90, b"x")
    long.uname = "é" if form == tarfile.PAX_FORMAT else ""
    with tarfile.open(tmp_path / "bundle.tar", "w", format=form) as packed:
        packed.add(tiny, arcname=TOP)
        packed.addfile(long, io.BytesIO(b"x"))
    refused(tmp_path / "bundle.tar", 1)


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_tar_with_extended_headers_is_refused_with_what_to_do(form: int, tmp_path: Path) -> None:
    (tmp_path / TOP / ("m" * 90)).mkdir(parents=True)
    (tmp_path / TOP / ("m" * 90) / ("n" * 90)).write_bytes(b"x")
    with tarfile.open(tmp_path / "bundle.tar", "w", format=form) as packed:
        packed.add(tmp_path / TOP, arcname=TOP)
    told_to = refused(tmp_path / "bundle.tar", 1).findings[0]
    assert told_to.expected.endswith("unpack the tar and check the folder, or make it with tar --format=ustar")
    assert told_to.found.startswith("an extended header, type ")
    with tarfile.open(tmp_path / "plain.tar", "w", format=tarfile.USTAR_FORMAT) as packed:
        packed.add(tmp_path / TOP, arcname=TOP)
    assert list(TarSource(tmp_path / "plain.tar").sizes) == [f"{'m' * 90}/{'n' * 90}"]


NO_TARS = {
    "nothing": b"",
    "zeros": bytes(1024),
    "a zip": b"PK\3\4" + bytes(2000),
    "noise": hashlib.shake_128(b"noise").digest(4096),
    "escapes": b"\x1b[2J" * 300,
}


@pytest.mark.parametrize("data", NO_TARS.values(), ids=NO_TARS.keys())
def test_a_file_that_is_no_tar_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "bundle.tar").write_bytes(data)
    refused(tmp_path / "bundle.tar", 1)


def test_the_tar_of_the_system_makes_one_that_is_read(tiny: Path, tmp_path: Path, contained: None) -> None:
    path = tmp_path / "bundle.tar"
    command = ["tar", "--format=ustar", "--sort=name", "-C", str(tiny.parent), "-cf", str(path), tiny.name]
    subprocess.run(command, check=True)
    assert check(path).level == "V1"
