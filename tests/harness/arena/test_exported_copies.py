"""`agzamov arena export` of a folder that holds a bundle more than once: as a folder, as a tar beside it, as a copy."""

import csv
import shutil
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from bundles.bundle_factory import make
from bundles.golden_arena import ARENA

PLAN = {
    **ARENA,
    "title": "Draughts",
    "seats": {"best": {"kind": "reference"}, "dice": {"kind": "random"}},
    "matches": [{"phase": 6, "game": "draughts", "a": "best", "b": "dice", "games": 2}],
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(PLAN, tmp_path_factory.mktemp("exported"))


def folder_with(folder: Path, bundle: Path, *, has_folder: bool = True) -> Path:
    """A folder of bundles: this one as a tar, and as a folder if it shall be there."""
    folder.mkdir()
    with tarfile.open(folder / f"{bundle.name}.tar", "w") as archive:
        archive.add(bundle, arcname=bundle.name)
    if has_folder:
        shutil.copytree(bundle, folder / bundle.name)
    return folder


def exported(bundles: Path, to: str, out: Path) -> tuple[int, list[str]]:
    """The exit code, and the lines of standard error that name a bundle."""
    ran = CliRunner().invoke(main, ["arena", "export", str(bundles), "--to", to, "--out", str(out)])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.exit_code, [line for line in ran.stderr.splitlines() if line.startswith("left out ")]


def episodes_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.slow
def test_a_bundle_with_its_tar_beside_it_is_exported_once(bundle: Path, tmp_path: Path) -> None:
    assert exported(bundle.parent, "episodes", tmp_path / "alone") == (0, [])
    both = folder_with(tmp_path / "both", bundle)
    code, left_out = exported(both, "episodes", tmp_path / "episodes")
    unpack = "not a folder; unpack it here (tar -xf), and it is looked at"
    assert (code, left_out) == (1, [f"left out {bundle.name}.tar: {unpack}"])
    assert episodes_in(tmp_path / "episodes") == episodes_in(tmp_path / "alone")
    assert len(episodes_in(tmp_path / "alone")) == 2
    code, _ = exported(both, "pairs", tmp_path / "pairs.csv")
    with (tmp_path / "pairs.csv").open() as file:
        assert (code, len(list(csv.DictReader(file)))) == (1, 2)


def test_a_tar_unpacked_under_another_name_is_found_twice(bundle: Path, tmp_path: Path) -> None:
    both = folder_with(tmp_path / "both", bundle)
    shutil.copytree(bundle, both / "unpacked")
    code, left_out = exported(both, "episodes", tmp_path / "episodes")
    assert code == 1
    assert "left out unpacked: found twice" in left_out
    assert len(episodes_in(tmp_path / "episodes")) == 2


def test_a_tar_without_its_folder_is_named_and_nothing_is_written(bundle: Path, tmp_path: Path) -> None:
    packed = folder_with(tmp_path / "packed", bundle, has_folder=False)
    for to in ("episodes", "pairs"):
        code, (named,) = exported(packed, to, tmp_path / to)
        assert (code, f"{bundle.name}.tar: not a folder" in named) == (1, True)
        assert not (tmp_path / to).exists()
