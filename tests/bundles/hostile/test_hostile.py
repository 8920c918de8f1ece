"""Hostile folders: links, pipes, holes, and names that a terminal would act on."""

import os
import socket
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from agzamov_verify import bundle
from bundles.bundle_factory import (
    Draft,
    check,
)
from bundles.hostile.refusals import ESCAPE, refused


def spoil(root: Path, name: str, put: Callable[[Path], object]) -> Path:
    """Replace a file by something that is no regular file."""
    (root / name).unlink()
    put(root / name)
    return root


@pytest.mark.parametrize("name", [bundle.RESULTS_FILE, bundle.PAYLOAD_FILE, bundle.ENVELOPE_FILE])
def test_a_symbolic_link_is_refused_even_to_the_right_bytes(name: str, draft: Draft, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(draft.files[name])
    root = spoil(draft.write(tmp_path), name, lambda path: path.symlink_to(kept))
    assert refused(root, 1, name).findings[0].found == "a symbolic link"


def test_a_symbolic_link_to_a_folder_is_refused(draft: Draft, tmp_path: Path) -> None:
    root = draft.write(tmp_path)
    (root / "data" / "etc").symlink_to("/etc")
    refused(root, 1, "data/etc")


def test_a_link_to_itself_is_refused(draft: Draft, tmp_path: Path) -> None:
    refused(spoil(draft.write(tmp_path), bundle.BAGIT_FILE, lambda path: path.symlink_to(path.name)), 1, "bagit.txt")


def test_a_pipe_is_refused_and_never_waited_for(draft: Draft, tmp_path: Path) -> None:
    root = spoil(draft.write(tmp_path), bundle.INDEX_FILE, os.mkfifo)
    assert refused(root, 1, bundle.INDEX_FILE).findings[0].found == "a pipe"


def test_a_socket_is_refused(draft: Draft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)  # a socket's whole path must be short
    root = draft.write(Path())
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("bundle/data/socket")
        refused(root, 1, "data/socket")


def test_a_hard_link_is_a_regular_file(draft: Draft, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(draft.files[bundle.RESULTS_FILE])
    root = spoil(draft.write(tmp_path), bundle.RESULTS_FILE, lambda path: path.hardlink_to(kept))
    assert check(root).level == "V1"


def test_a_folder_where_a_file_should_be_is_refused(draft: Draft, tmp_path: Path) -> None:
    refused(spoil(draft.write(tmp_path), bundle.ENVELOPE_FILE, Path.mkdir), 1, bundle.ENVELOPE_FILE)


def test_a_file_that_claims_ten_gigabytes_is_refused_unread(draft: Draft, tmp_path: Path) -> None:
    root = draft.write(tmp_path)
    os.truncate(root / bundle.RESULTS_FILE, 10 * 2**30)
    assert "10737418240 bytes" in refused(root, 1, bundle.RESULTS_FILE).findings[0].found


def test_many_files_that_claim_too_much_together_are_refused_unread(draft: Draft, tmp_path: Path) -> None:
    root = draft.write(tmp_path)
    for number in range(65):
        (root / "data" / f"hole{number}").touch()
        os.truncate(root / "data" / f"hole{number}", 2**30)
    refused(root, 1, "bundle")


@pytest.mark.parametrize("name", [f"data/{ESCAPE}", "data/\N{RIGHT-TO-LEFT OVERRIDE}txt", "data/-rf", "data/a\nb"])
def test_a_file_name_with_control_characters_is_shown_escaped(name: str, draft: Draft, tmp_path: Path) -> None:
    draft.files[name.replace("/owned", "owned")] = b""
    refused(draft.write(tmp_path), 1, "data/")


def test_a_file_name_that_is_not_unicode_is_shown_escaped(draft: Draft, tmp_path: Path) -> None:
    root = draft.write(tmp_path)
    (root / os.fsdecode(b"data/\xff\xfe")).write_bytes(b"")
    refused(root, 1, "data/\\udcff\\udcfe")


def test_a_folder_that_goes_down_and_down_is_refused(draft: Draft, tmp_path: Path) -> None:
    root = draft.write(tmp_path)
    (root / "data" / "/".join("d" * 200)).mkdir(parents=True)
    refused(root, 1, "data/d/d/d/d")


EMPTY = {
    "spare": "",
    "1/2/3/4/5/6/7": "",
    "1/2/3/4/5/6/7/8": "1/2/3/4/5/6/7/8",
    ".hidden": ".hidden",
    "data/a b": "data/a b",
    "data/nul": "data/nul",
    "DATA": "data",
}
"""Empty folders, and the place where a bundle with each is refused."""


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_folder_has_one_verdict_in_folder_and_tar(name: str, draft: Draft, tmp_path: Path) -> None:
    root = draft.write(tmp_path)
    (root / name).mkdir(parents=True)
    with tarfile.open(tmp_path / "bundle.tar", "w", format=tarfile.USTAR_FORMAT) as packed:
        packed.add(root, "run")
    for place in (root, tmp_path / "bundle.tar"):
        if EMPTY[name]:
            refused(place, 1, EMPTY[name])
        else:
            assert check(place).level == "V1"


def test_a_path_that_is_no_bundle_is_a_finding(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "nowhere", tmp_path / "pipe"):
        refused(place, 1, str(place))
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", 1, bundle.BAGIT_FILE)
