"""A folder that somebody else made: commands that are typed in it, and a run's folder that others may write to."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from agzamov_harness.foundation.append_only import cut_torn_line, open_append, write_over, write_whole
from agzamov_harness.run import signing_keys
from harness.commands import Commands
from harness.sealed_runs import finish, resume, seal

pytestmark = pytest.mark.slow

PLAN = {
    "title": "Shared",
    "seats": {"agent": {"kind": "random"}, "dice": {"kind": "reference"}},
    "holdem": {"session_hands": 2},
    "matches": [{"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 4}],
}
SECRET = "the owner's own words\n"


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


@pytest.fixture(scope="module")
def sealed(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seal(commands, tmp_path_factory.mktemp("sealed"), plan=PLAN)


def test_a_module_in_the_present_folder_is_loaded_by_nobody(tmp_path: Path) -> None:
    """The attack: a downloaded folder with `multiprocessing.py`, which workers loaded unasked, as the owner."""
    for module in ("multiprocessing", "signal", "tempfile"):
        (tmp_path / f"{module}.py").write_text(f"open({str(tmp_path / 'RUN')!r}, 'w')")
    signing_keys.generate(tmp_path / "key.pem")
    wished = {**PLAN, "matches": [{**PLAN["matches"][0], "a": "dice", "b": "dice"}]}  # type: ignore[index]
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(wished))
    program = Path(sys.executable).with_name("agzamov")
    done = subprocess.run(
        [program, "run", "plan.yaml", "--key", "key.pem", "--quiet"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "RUN").exists()


def links(run: Path, target: Path) -> dict[str, Path]:
    """Places in a run's folder, by what they hold, in which somebody puts a link to a file or folder of the owner's."""
    stream = run / "journal" / "p1-holdem-naked-agent-b00000"
    stream.mkdir()
    return {
        "calls": stream / "calls.ndjson",
        "journal": stream / "000000.jsonl",
        "log": run / "journal" / "executions.jsonl",
        "notes": run / "notes" / "addresses.json",
        "lock": run / "lock",
        "folder": run / "memory",
    }


@pytest.mark.parametrize("what", ["calls", "journal", "log", "notes", "lock", "folder"])
def test_a_link_in_a_runs_folder_leads_nobody_to_a_file_of_the_owners(
    commands: Commands, sealed: Path, tmp_path: Path, what: str
) -> None:
    """The attack: `calls.ndjson` on a shared volume is a link, and `resume` emptied the file that it leads to."""
    shutil.copytree(sealed.parents[1], tmp_path, dirs_exist_ok=True)
    run = tmp_path / "runs" / sealed.name
    (tmp_path / "mine").write_text(SECRET)
    (tmp_path / "folder").mkdir()
    place = links(run, tmp_path / "mine")[what]
    place.unlink(missing_ok=True)
    place.symlink_to(tmp_path / ("folder" if what == "folder" else "mine"))
    for command in (resume(run), ("play", str(run), "--share", "0/1", "--quiet")):
        ended = commands.run(*command, cwd=tmp_path)
        assert (ended.code, f"{place}: expected a file or a folder" in ended.err) == (4, True), ended
    assert (tmp_path / "mine").read_text() == SECRET
    place.unlink()
    shutil.rmtree(run / "journal" / "p1-holdem-naked-agent-b00000")
    if what in {"calls", "folder"}:  # a link to a file, and one to a folder
        finish(commands, run)


def test_a_link_that_is_put_there_while_a_run_goes_on_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text(SECRET + "torn")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "mine")
    for written in (open_append, cut_torn_line, lambda path: write_over(path, b"other")):
        with pytest.raises(OSError, match="symbolic links"):
            written(link)
    assert (tmp_path / "mine").read_text() == SECRET + "torn"
    os.unlink(link)
    write_over(link, b"a\nb")
    cut_torn_line(link)
    with open_append(link) as file:
        assert file.tell() == len(b"a\n")
        file.write(b"c\n")
    assert link.read_bytes() == b"a\nc\n"


def test_a_file_that_a_full_disk_leaves_is_the_old_one(tmp_path: Path) -> None:
    """Files may have 8 bytes in the writing process, as on a disk that is full."""
    kept = tmp_path / "preflight.json"
    write_whole(kept, b"old")
    program = (
        "import resource, signal; from pathlib import Path;"
        "from agzamov_harness.foundation.append_only import write_whole;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8));"
        f"write_whole(Path({str(kept)!r}), b'longer than eight bytes')"
    )
    ended = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=False)
    assert "File too large" in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == [kept.name]
    assert kept.read_bytes() == b"old"
    (tmp_path / "mine").write_bytes(b"old")
    kept.unlink()
    kept.symlink_to(tmp_path / "mine")
    write_whole(kept, b"new")
    assert (kept.read_bytes(), (tmp_path / "mine").read_bytes()) == (b"new", b"old"), "a link is replaced"
