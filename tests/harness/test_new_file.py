"""Files that commands write where none was."""

import resource
from pathlib import Path

import pytest

from agzamov_harness.foundation.new_file import require_new, write_new
from agzamov_verify.plan.manifest import ManifestError


def test_a_new_file_is_written_and_the_same_one_again(tmp_path: Path) -> None:
    file = tmp_path / "new"
    require_new(file, "--out")
    assert not file.exists()
    for _ in range(2):
        write_new(file, b"data", "--out")
    assert file.read_bytes() == b"data"


@pytest.mark.parametrize("there", ["another file", "a folder", "a link to nothing"])
def test_what_is_there_is_kept(tmp_path: Path, there: str) -> None:
    path = tmp_path / "there"
    if there == "a folder":
        path.mkdir()
    elif there == "another file":
        path.write_bytes(b"a key")
    else:
        path.symlink_to(tmp_path / "nothing")
    for attempt in (lambda: require_new(path, "--out"), lambda: write_new(path, b"data", "--out")):
        with pytest.raises(ManifestError, match="exists already; name another file by --out"):
            attempt()
    assert there != "another file" or path.read_bytes() == b"a key"
    assert not (tmp_path / "nothing").exists()


def test_a_file_that_cannot_be_written_whole_leaves_nothing(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            write_new(tmp_path / "new", bytes(100_000), "--out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []
