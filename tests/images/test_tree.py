"""Trees and their tars: one spelling for one tree, and nothing outside it."""

import io
import tarfile
from pathlib import Path

import pytest

from agzamov_harness.containers.image_records import ImageFault
from agzamov_images import tree
from agzamov_images.tree import Entry, arranged, directory, file, first_difference, kept, leaves, link, write_tar

ENTRIES = (file("b/" + "long/" * 30 + "name", b"x", program=True), link("a", "b"), file("é", "ü".encode()))
# Written down when the format was fixed: another value means that every image has another digest.
GOLDEN = "d7f84d2e6b53ebd2672522f0dcadd43167458491fc8b6d0cc769209867afaf21"


def packed(*members: tuple[tarfile.TarInfo, bytes]) -> tarfile.TarFile:
    """A tar of these members, opened for reading."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return tarfile.open(fileobj=io.BytesIO(out.getvalue()))


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", **fields: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    for field, value in fields.items():
        setattr(info, field, value)
    return info


def test_a_tar_is_the_same_in_any_order_on_any_day(tmp_path: Path) -> None:
    forwards, _ = write_tar(tmp_path / "one.tar", arranged(ENTRIES, frozenset()))
    backwards, size = write_tar(tmp_path / "two.tar", arranged(ENTRIES[::-1], frozenset()))
    assert forwards == backwards == GOLDEN
    assert size == (tmp_path / "two.tar").stat().st_size


def test_parents_are_made_once_and_not_where_they_stand() -> None:
    paths = [entry.path for entry in arranged([file("a/b/c", b""), file("d/e", b"")], frozenset({"d"}))]
    assert paths == ["a", "a/b", "a/b/c", "d/e"]


def test_a_later_file_replaces_an_earlier_one_and_never_a_directory() -> None:
    (entry,) = arranged([file("a", b"1"), file("a", b"2")], frozenset())
    assert entry.content == b"2"
    with pytest.raises(ImageFault, match="a: expected one kind of file, found two"):
        arranged([file("a", b"1"), directory("a")], frozenset())
    with pytest.raises(ImageFault, match="a/b: expected a directory at a"):
        arranged([file("a", b"1"), file("a/b", b"2")], frozenset())


def test_what_is_dropped_is_dropped_with_all_below_it() -> None:
    entries = [file("doc/x/copyright", b""), file("doc/x/changelog", b""), file("doc/x/deep/readme", b"")]
    assert [entry.path for entry in kept(entries, ["doc/*/[!c]*", "doc/*/changelog*"])] == ["doc/x/copyright"]


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/a/../x", "a\0b"])
def test_no_path_leaves_the_tree(path: str) -> None:
    with pytest.raises(ImageFault, match="expected a path inside the image"):
        file(path, b"")


def test_a_tree_digest_forgets_times_names_of_owners_order_and_hard_links() -> None:
    one = packed((member("./a", mode=0o644, mtime=5), b"x"), (member("./b", mode=0o644), b"x"))
    two = packed((member("b", mode=0o644), b"x"), (member("a", tarfile.LNKTYPE, "b", mode=0o644), b""))
    assert tree.tree_digest(leaves(one)) == tree.tree_digest(leaves(two))


@pytest.mark.parametrize(
    "changed",
    [
        (member("a", mode=0o600), b"x"),
        (member("a", mode=0o644, uid=1), b"x"),
        (member("a", mode=0o644, gid=1), b"x"),
        (member("a", mode=0o644), b"y"),
        (member("c", mode=0o644), b"x"),
        (member("a", tarfile.SYMTYPE, "x", mode=0o644), b""),
    ],
)
def test_a_tree_digest_sees_mode_owner_content_name_and_kind(changed: tuple[tarfile.TarInfo, bytes]) -> None:
    plain = packed((member("a", mode=0o644), b"x"))
    assert tree.tree_digest(leaves(plain)) != tree.tree_digest(leaves(packed(changed)))


def test_what_an_engine_puts_into_every_container_is_not_of_the_tree() -> None:
    ours = packed((member("etc/passwd"), b"x"))
    engines = [member(name) for name in (".dockerenv", "etc/hosts", "etc/resolv.conf", "dev/console", "proc/x")]
    exported = packed(
        (member("dev/null", tarfile.CHRTYPE), b""), *((one, b"") for one in engines), (member("etc/passwd"), b"x")
    )
    assert tree.tree_digest(leaves(ours)) == tree.tree_digest(leaves(exported))


def test_a_device_is_no_file_of_an_image() -> None:
    with pytest.raises(ImageFault, match="disk: expected a file, a directory or a link"):
        list(leaves(packed((member("disk", tarfile.BLKTYPE), b""))))


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ([file("a", b"1")], "b: expected a file, found none"),
        ([file("a", b"1"), file("b", b"2"), file("c", b"3")], "c: expected no such file, found one"),
        (
            [file("a", b"1"), file("b", b"2", program=True)],
            "b: expected file 0644 0:0 d4735e3a265e16ee, found file 0755",
        ),
        ([file("a", b"1"), link("b", "a")], "b: expected file 0644 0:0 d4735e3a265e16ee, found link 0777 0:0 a"),
    ],
)
def test_the_first_difference_of_two_tars_is_told(tmp_path: Path, other: list[Entry], told: str) -> None:
    wanted, _ = write_tar(tmp_path / "wanted.tar", [file("a", b"1"), file("b", b"2")])
    write_tar(tmp_path / "found.tar", other)
    assert first_difference(tmp_path / "wanted.tar", tmp_path / "found.tar", wanted).startswith(told)
    gone = first_difference(tmp_path / "none.tar", tmp_path / "found.tar", wanted)
    assert gone.endswith("the other tar is not here")
