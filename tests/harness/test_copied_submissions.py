"""A bundle that was copied from another's is refused by every leaderboard that has the first one, and names it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from agzamov_harness.leaderboard.copies import Marks, Original, copied_from, marks_of
from agzamov_harness.leaderboard.submission_record import SubmissionOutcome
from agzamov_verify import bundle
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.journal import StreamRow
from bundles.bundle_factory import (
    STRANGER,
    SUBMITTER,
    TINY,
    Draft,
    chained,
    entries,
    make,
    put,
    reindex,
    replace_key,
    replace_manifest,
    reseal,
)
from harness.test_leaderboard import built, record_of

KEYS = {"ada": key_id(SUBMITTER.public_key()), "bob": key_id(STRANGER.public_key())}
RULES = "".join(
    ("title: Board\ndepartures: true\nkeys:\n", *(f"  {name}: {key}\n" for name, key in sorted(KEYS.items())))
)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(TINY, tmp_path_factory.mktemp("first"))


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another run of the same plan, by the other key."""
    return make(TINY, tmp_path_factory.mktemp("other"), key=STRANGER)


def copy_into(folder: Path, name: str, made: Path, *changes: Callable[[Draft], object]) -> None:
    """A bundle that was changed, sealed again and signed by the other key, as a submission."""
    draft = Draft.of(made)
    for change in changes:
        change(draft)
    replace_key(draft, STRANGER)
    reseal(draft, STRANGER)
    folder.mkdir(exist_ok=True)
    shutil.move(draft.write(folder.parent / f"made-{name}"), folder / name)


def key_sealed(draft: Draft) -> None:
    """The other key in the sealed manifest too: another run, by its digest."""
    replace_manifest(draft, lambda plain: plain.update(submitter_key_id=KEYS["bob"]))


def first_stream_told_anew(draft: Draft) -> None:
    """One stream of the copy is in lines of the run that its manifest makes."""
    stream = draft.streams()[0]
    put(draft, stream, chained(entries(draft, stream), run=draft.manifest.run_id))
    reindex(draft)


def reasons(folder: Path) -> dict[str, str]:
    return {entry.name: entry.reason for entry in record_of(folder) if entry.present}


def test_two_runs_of_a_plan_by_two_keys_are_no_copies(first: Path, other: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    shutil.copytree(first, folder / "first")
    shutil.copytree(other, folder / "other")
    assert built(folder, tmp_path / "site", RULES).exit_code == 0
    assert {entry.outcome for entry in record_of(folder)} == {SubmissionOutcome.ACCEPTED}
    assert copied_from(marks_of(other), [Original("first", first.name, KEYS["ada"], marks_of(first))]) == ""


@pytest.mark.parametrize("name", ["a-copy", "z-copy"])
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ((), "the same sealed manifest, which commits to that key; step 4 manifest submitter_key_id"),
        ((key_sealed,), "the same lines in 2 of the journal's 2 streams; step "),
        ((key_sealed, first_stream_told_anew), "the same lines in 1 of the journal's 2 streams; step "),
    ],
)
def test_a_bundle_signed_again_by_another_key_is_refused_and_names_the_first(
    changes: tuple[Callable[[Draft], object], ...], told: str, name: str, first: Path, tmp_path: Path
) -> None:
    """Whatever its name is: the first one by name is not always the original."""
    folder = tmp_path / "submissions"
    shutil.copytree(first, folder / "mine")
    copy_into(folder, name, first, *changes)
    result = built(folder, tmp_path / "site", RULES)
    assert (result.exit_code, "1 accepted" in result.output) == (1, True), result.output
    whose = f"a copy of mine (run {first.name}, signed by key {KEYS['ada'][:16]}): "
    assert reasons(folder)["mine"] == ""
    assert reasons(folder)[name].startswith(f"{whose}{told}")
    assert whose in (tmp_path / "site" / "index.html").read_text("utf-8").partition('id="refused"')[2]


def test_a_bundle_submitted_twice_under_two_names_names_the_first(first: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    shutil.copytree(first, folder / "mine")
    assert built(folder, tmp_path / "site", RULES).exit_code == 0
    shutil.copytree(first, folder / "again")
    assert built(folder, tmp_path / "site", RULES).exit_code == 1
    assert reasons(folder) == {"mine": "", "again": f"the run {first.name} is submitted already, as mine"}


def test_a_copy_of_a_bundle_that_is_gone_is_known_by_the_record(first: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    shutil.copytree(first, folder / "mine")
    assert built(folder, tmp_path / "site", RULES).exit_code == 0
    shutil.rmtree(folder / "mine")
    copy_into(folder, "copy", first)
    assert built(folder, tmp_path / "site", RULES).exit_code == 1
    assert reasons(folder)["copy"].startswith(f"a copy of mine (run {first.name}, ")


def test_a_copy_that_comes_alone_is_refused_and_keeps_nobody_out(first: Path, tmp_path: Path) -> None:
    """Somebody who submits a copy before its owner submits the bundle gains nothing."""
    folder = tmp_path / "submissions"
    copy_into(folder, "copy", first)
    assert built(folder, tmp_path / "site", RULES).exit_code == 1
    assert reasons(folder)["copy"].startswith("step 4 manifest submitter_key_id")
    shutil.copytree(first, folder / "mine")
    assert built(folder, tmp_path / "site", RULES).exit_code == 0, "the copy was refused before"
    assert reasons(folder)["mine"] == ""
    assert reasons(folder)["copy"].startswith("a copy of mine ")


def test_marks_of_a_hostile_bundle_are_those_that_can_be_read(first: Path, tmp_path: Path) -> None:
    assert marks_of(tmp_path) == Marks()
    draft = Draft.of(first)
    draft.files[bundle.INDEX_FILE] = b"[" * 100_000
    manifest_alone = marks_of(draft.write(tmp_path / "deep"))
    assert manifest_alone == Marks(marks_of(first).manifest)
    root = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    played = StreamRow(1, root, root, (), "played")
    draft.put_json(bundle.INDEX_FILE, bundle.Index("agz-journal-1", (played,)))
    assert marks_of(draft.write(tmp_path / "played")).streams == {root}
    draft.put_json(bundle.INDEX_FILE, bundle.Index("agz-journal-1", (msgspec.structs.replace(played, entries=0),)))
    assert marks_of(draft.write(tmp_path / "stopped")).streams == set(), "streams that were never played are all alike"
