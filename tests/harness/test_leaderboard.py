"""A leaderboard of good, bad and hostile submissions: what holds is ranked by intervals, all else is listed."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_harness.leaderboard.leaderboard_pages import leaderboard_page
from agzamov_harness.leaderboard.ranking import BoardRow, opponent_of, ranked
from agzamov_harness.leaderboard.site import MARKER
from agzamov_harness.leaderboard.submissions import RECORD, Policy, SubmissionEntry, SubmissionOutcome, load_policy
from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.envelope import key_id
from agzamov_verify.plan.manifest import Manifest, ManifestError
from agzamov_verify.scoring.deltas import DeltaAnalysis
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.exact import Figure
from agzamov_verify.scoring.inference.samples import Interval
from bundles.bundle_factory import STRANGER, SUBMITTER, TINY, Draft, make
from stack_world import HANDS, bundle_of, plan_of

RULES = f"title: Board\nkeys:\n  ada: {key_id(SUBMITTER.public_key())}\ndepartures: true\nlevel: V1\n"


def row(
    name: str,
    value: float,
    bounds: tuple[float, float] | None,
    weights: str = "sealed",
    submitter: str = "",
    lineage: str = "A verbatim",
) -> BoardRow:
    interval = Interval(*(f"{bound:.6f}" for bound in bounds), "t") if bounds else None
    effect = Estimate(Figure("1/2", f"{value:.6f}"), interval, (5,), None, None, "score")
    board = ("chess960", "memory", "itself", "score")
    return BoardRow(
        board, name, submitter or name, "0" * 16, "model", "fts", effect, "V1", "compliant", lineage, weights
    )


def test_a_rank_is_what_the_interval_leaves_open() -> None:
    rows = [row("d", 0.1, (0.05, 0.15)), row("a", 0.5, (0.4, 0.6)), row("c", 0.3, (0.12, 0.5)), row("b", 0.9, None)]
    found = [(place.row.submission, place.ranks) for place in ranked(rows)]
    assert found == [("a", (1, 2)), ("c", (1, 3)), ("d", (2, 3)), ("b", None)]


MODEL = {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
DELTA = DeltaAnalysis("holdem", "openai:m", "full", "full", 2, *(None,) * 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("b", "words"),
    [
        ({}, "itself"),
        ({"patterns": ["limps_button", "castles_early"]}, "itself, which keeps limps_button"),
        ({"briefing": "- It bluffs."}, "itself, briefed by a text of SHA-256 "),
    ],
)
def test_an_opponent_is_named_by_what_it_is_told_in_this_game(b: dict[str, Any], words: str) -> None:
    plan = plan_from(plan_of(HANDS, seats={"novice": MODEL, "habit": {**MODEL, **b}}))
    found = opponent_of(Manifest("agz-manifest-1", plan, "0" * 64, {}, None, "0" * 64, "0" * 64, "0" * 32), DELTA)
    assert found.startswith(words) if "SHA" in words else found == words


def test_a_script_has_no_rank_and_pushes_nobody_down() -> None:
    rows = [row("gpt", 0.9, (0.8, 1.0), "script"), row("a", 0.5, (0.4, 0.6))]
    assert [place.ranks for place in ranked(rows)] == [None, (1, 1)]


def test_nobody_gains_by_more_runs() -> None:
    many = [row(f"many{number}", 0.9, (0.8, 1.0), submitter="bob") for number in range(20)]
    poor = row("poor", 0.5, (0.35, 0.65), submitter="bob")
    ada = row("ada", 0.5, (0.4, 0.6))
    ranks = {place.row.submission: place.ranks for place in ranked([*many, ada])}
    assert (ranks["ada"], ranks["many0"]) == ((2, 2), (1, 1))
    ranks = {place.row.submission: place.ranks for place in ranked([*many, poor, ada])}
    assert ranks["ada"] == (1, 2)


def test_rows_can_be_chosen_by_what_they_differ_in_and_by_nothing_else() -> None:
    """Filters stood there that hid nothing, and none was of the tier of a memory's lineage."""
    rows = [row("a", 0.5, (0.4, 0.6)), row("b", 0.4, (0.3, 0.5), lineage="B traced")]
    page = leaderboard_page(Policy("Board", {}), rows, [])
    assert re.findall(r'<select name="(.*?)"', page) == ["lineage"]
    assert re.findall(r'<option value="([^"]+)"', page) == ["A verbatim", "B traced"]
    assert page.count('data-lineage="B traced"') == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: x\n", "keys"),
        ("title: x\nkeys: {ada: no-key}\n", "keys"),
        (RULES + "level: V9\n", "twice"),
        (RULES.replace("V1", "V9"), "level"),
        (RULES + "colour: red\n", "colour"),
        ("- a\n", "policy"),
    ],
)
def test_a_policy_with_one_defect_is_refused_by_name(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(text)
    with pytest.raises(ManifestError, match=message) as error:
        load_policy(file)
    assert str(file) in str(error.value)


@pytest.fixture(scope="module")
def augmented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle that holds an augmentation with its control."""
    return bundle_of(plan_of({**HANDS, "hands": 16, "careers": 2}), tmp_path_factory.mktemp("augmented"))


def built(folder: Path, out: Path, rules: str = RULES, *more: str) -> Result:
    policy = folder.parent / "policy.yaml"
    policy.write_text(rules)
    arguments = ["leaderboard", "build", str(folder), "--policy", str(policy), "--out", str(out), "--jobs", "1", *more]
    return CliRunner().invoke(main, arguments)


def record_of(folder: Path) -> list[SubmissionEntry]:
    return [msgspec.json.decode(line, type=SubmissionEntry) for line in (folder / RECORD).read_bytes().splitlines()]


def changed(bundle: Path, into: Path, change: Callable[[Draft], None]) -> None:
    draft = Draft.of(bundle)
    change(draft)
    shutil.move(draft.write(into.parent / f".{into.name}"), into)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(TINY, tmp_path_factory.mktemp("tiny"))


def test_what_holds_is_shown_and_what_does_not_is_listed_with_why(augmented: Path, tiny: Path, tmp_path: Path) -> None:
    folder, secret = tmp_path / "submissions", tmp_path / "secret"
    shutil.copytree(augmented, folder / "good")
    shutil.copytree(augmented, folder / "good-again")
    shutil.copytree(tiny, folder / "plain")
    shutil.copytree(make(TINY, tmp_path / "other", key=STRANGER), folder / "stranger")
    changed(tiny, folder / "tampered", lambda draft: draft.files.update({"data/results/results.json": b"{}"}))
    (folder / "<img src=x onerror=alert(1)>").mkdir()
    shutil.copytree(tiny, folder / "b; touch owned #")
    (folder / "broken.tar").write_bytes(b"\0" * 10)
    (folder / "zipped.zip").write_bytes(b"PK")
    (folder / "linked").mkdir()
    (folder / "linked" / "bagit.txt").symlink_to("/etc/passwd")
    (folder / "outside").symlink_to(augmented)
    deep = folder / "deep"
    deep.mkdir()
    (deep / "bagit.txt").write_text("")
    deep.joinpath(*["d"] * 300).mkdir(parents=True)
    secret.write_text("mine")
    (folder / ".record.jsonl.partial").symlink_to(secret)
    result = built(folder, tmp_path / "site")
    assert result.exit_code == 1, result.output
    assert result.output.endswith(f"leaderboard: {tmp_path / 'site' / 'index.html'}, 2 accepted\n")
    assert secret.read_text() == "mine"
    entries = {entry.name: entry for entry in record_of(folder)}
    assert {name for name, entry in entries.items() if entry.outcome is SubmissionOutcome.ACCEPTED} == {"good", "plain"}
    reasons = {name: entry.reason for name, entry in entries.items() if entry.reason}
    expected = {
        "good-again": "is submitted already, as good",
        "stranger": "which the policy does not name",
        "tampered": "step 2 data/results/results.json: expected sha256",
        "<img src=x onerror=alert(1)>": "expected a name of letters",
        "b; touch owned #": "expected a name of letters",
        "broken.tar": "expected a bundle",
        "zipped.zip": "a zip file: unpack it first",
        "linked": "a symbolic link",
        "outside": "found a symbolic link",
        "deep": "",
    }
    assert reasons.keys() == expected.keys()
    assert all(words in reasons[name] for name, words in expected.items()), reasons
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    boards, _, rest = page.partition('id="accepted"')
    accepted, _, refused = rest.partition('id="refused"')
    assert (boards.count("/index.html"), accepted.count("/index.html")) == (1, 2)
    assert (tmp_path / "site" / augmented.name / "index.html").is_file()
    assert "script" in boards
    assert "A verbatim" in boards
    assert "<select" not in boards  # one row, so there is nothing to choose
    assert "<img" not in page
    assert str(tmp_path) not in page
    assert all(name.replace("<", "&lt;").replace(">", "&gt;") in refused for name in reasons)


def test_the_record_keeps_every_bundle_that_was_ever_there(augmented: Path, tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    shutil.copytree(augmented, folder / "mine")
    assert built(folder, tmp_path / "first").exit_code == 0
    assert built(folder, tmp_path / "again").exit_code == 0
    shutil.copytree(augmented, folder / "a-copy")
    copied = built(folder, tmp_path / "copied")
    assert f"refused: a-copy: the run {augmented.name} is submitted already, as mine" in copied.output
    shutil.rmtree(folder / "mine")
    shutil.rmtree(folder / "a-copy")
    shutil.copytree(tiny, folder / "mine")
    replaced = built(folder, tmp_path / "replaced")
    assert replaced.exit_code == 1
    assert f"gone: mine: {augmented.name}" in replaced.output
    found = [(entry.name, entry.run, entry.outcome.value, entry.present) for entry in record_of(folder)]
    assert found == [
        ("mine", augmented.name, "accepted", False),
        ("a-copy", augmented.name, "refused", False),
        ("mine", tiny.name, "accepted", True),
    ]
    gone = (tmp_path / "replaced" / "index.html").read_text("utf-8").partition('id="gone"')[2]
    assert gone.count(augmented.name) >= 2


def test_pages_are_built_again_in_their_place_and_nothing_else_is_replaced(
    augmented: Path, tiny: Path, tmp_path: Path
) -> None:
    """The second build of a leaderboard into its folder ended in an error, though one comes after each submission."""
    folder, site = tmp_path / "submissions", tmp_path / "site"
    shutil.copytree(augmented, folder / "mine")
    assert built(folder, site).exit_code == 0
    shutil.rmtree(folder / "mine")
    shutil.copytree(tiny, folder / "other")
    again = built(folder, site)
    assert (again.exit_code, f"gone: mine: {augmented.name}" in again.output) == (1, True), again.output
    assert {path.name for path in site.iterdir()} == {tiny.name, "index.html", MARKER}
    assert augmented.name in (site / "index.html").read_text("utf-8").partition('id="gone"')[2]
    assert [entry.present for entry in record_of(folder)] == [False, True]
    before = record_of(folder)
    for strange in (site / tiny.name / "notes.txt", site / "empty"):
        strange.mkdir() if strange.name == "empty" else strange.write_text("mine")
        refused = built(folder, site)
        assert (refused.exit_code, f"it holds {strange.relative_to(site)}, which" in refused.output) == (2, True)
        strange.rmdir() if strange.is_dir() else strange.unlink()
    (site / "link").symlink_to(tiny)
    assert "it holds link, which" in built(folder, site).output
    assert (tiny / "bagit.txt").is_file()
    (site / "link").unlink()
    assert built(folder, site).exit_code == 0
    assert record_of(folder) == before
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".site")]


def test_a_policy_may_refuse_departures_and_large_bundles(augmented: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    shutil.copytree(augmented, folder / "good")
    strict = built(folder, tmp_path / "site", RULES.replace("departures: true", "departures: false"))
    assert "refused: good: its plan departs from agz-0.1 in " in strict.output
    (folder / "good" / "data" / "padding").write_bytes(b"\0" * (2**20 + 1))
    large = built(folder, tmp_path / "second", RULES + "bundle_mib_max: 1\n")
    assert "refused: good: expected at most 1 MiB" in large.output


def test_a_check_that_its_limits_end_is_a_refusal(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    shutil.copytree(tiny, folder / "plain")
    ended = built(folder, tmp_path / "site", RULES.replace("V1", "V0"), "--memory-max", "64")
    assert ended.exit_code in (0, 1), ended.output
    assert ended.exception is None or isinstance(ended.exception, SystemExit)


def test_nothing_is_written_over_and_nothing_is_written_where_submissions_lie(tiny: Path, tmp_path: Path) -> None:
    folder, there = tmp_path / "submissions", tmp_path / "there"
    shutil.copytree(tiny, folder / "plain")
    there.mkdir()
    assert "it exists already; name another folder" in built(folder, there).output
    for text in ("{}", '{"files":[],"format":"agz-leaderboard-2"}', "["):
        (there / MARKER).write_text(text)
        assert "it exists already; name another folder" in built(folder, there).output
    (tmp_path / "link").symlink_to(there)
    assert "it exists already; name another folder" in built(folder, tmp_path / "link").output
    assert "outside of that of the submissions" in built(folder, folder / "site").output
    (folder / RECORD).write_text("{}\n")
    broken = built(folder, tmp_path / "site")
    assert (broken.exit_code, "record.jsonl line 1" in broken.output) == (2, True)
    (folder / RECORD).unlink()
    (folder / RECORD).symlink_to(tmp_path / "policy.yaml")
    assert "expected a regular file" in built(folder, tmp_path / "site").output
    assert not (tmp_path / "site").exists()
