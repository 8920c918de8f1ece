"""A leaderboard of good, bad and hostile submissions: what holds is ranked by intervals, all else is listed."""

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_harness.leaderboard.policy import load_policy
from agzamov_harness.leaderboard.ranking import Row, ranked
from agzamov_harness.leaderboard.submissions import GONE, Recorded
from agzamov_verify.envelope import key_id
from agzamov_verify.manifest import ManifestError, MemoryPin, Plan
from agzamov_verify.questions import Answer, Chat, Question
from agzamov_verify.scoring.exact import Figure
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.statistics import Interval
from bundles.bundle_factory import STRANGER, SUBMITTER, TINY, Draft, make, world_of
from stack_world import HANDS, StackWorld, plan_of

RULES = f"title: Board\nkeys:\n  ada: {key_id(SUBMITTER.public_key())}\ndepartures: true\nlevel: V1\n"


def row(name: str, value: float, bounds: tuple[float, float] | None) -> Row:
    interval = Interval(*(f"{bound:.6f}" for bound in bounds), "t") if bounds else None
    effect = Estimate(Figure("1/2", f"{value:.6f}"), interval, (5,), None, None, "score")
    return Row(("chess960", "memory", "score"), name, "ada", "0" * 16, "model", "fts", effect, "V1", "compliant", True)


def test_a_rank_is_what_the_interval_leaves_open() -> None:
    rows = [row("d", 0.1, (0.05, 0.15)), row("a", 0.5, (0.4, 0.6)), row("c", 0.3, (0.12, 0.5)), row("b", 0.9, None)]
    found = [(place.row.submission, place.ranks) for place in ranked(rows)]
    assert found == [("a", (1, 2)), ("c", (1, 3)), ("d", (2, 3)), ("b", None)]


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
    wished = plan_of({**HANDS, "hands": 16, "careers": 2})
    world, seats = StackWorld(), world_of(msgspec.convert(wished, Plan), None)

    def answer(question: Question) -> Answer:
        return seats(question) if isinstance(question, Chat) else world(question)

    pins = {"recent": MemoryPin("0" * 64, "0" * 64, "recent", "1")}
    return make(wished, tmp_path_factory.mktemp("augmented"), answer, memories=pins)


def built(folder: Path, out: Path, rules: str = RULES) -> Result:
    policy = folder.parent / "policy.yaml"
    policy.write_text(rules)
    arguments = ["leaderboard", "build", str(folder), "--policy", str(policy), "--out", str(out), "--jobs", "1"]
    return CliRunner().invoke(main, arguments)


def record_of(folder: Path) -> dict[str, Recorded]:
    lines = (folder / "record.jsonl").read_bytes().splitlines()
    return {entry.name: entry for entry in (msgspec.json.decode(line, type=Recorded) for line in lines)}


def changed(bundle: Path, into: Path, change: Callable[[Draft], None]) -> None:
    draft = Draft.of(bundle)
    change(draft)
    shutil.move(draft.write(into.parent / f".{into.name}"), into)


def test_what_holds_is_ranked_and_what_does_not_is_listed_and_stays_so(augmented: Path, tmp_path: Path) -> None:
    folder, tiny = tmp_path / "submissions", make(TINY, tmp_path / "made")
    shutil.copytree(augmented, folder / "good")
    shutil.copytree(augmented, folder / "good-again")
    shutil.copytree(tiny, folder / "plain")
    shutil.copytree(make(TINY, tmp_path / "other", key=STRANGER), folder / "stranger")
    changed(tiny, folder / "tampered", lambda draft: draft.files.update({"data/results/results.json": b"{}"}))
    (folder / "<img src=x onerror=alert(1)>").mkdir()
    (folder / "broken.tar").write_bytes(b"\0" * 10)
    (folder / "linked").mkdir()
    (folder / "linked" / "bagit.txt").symlink_to("/etc/passwd")
    result = built(folder, tmp_path / "site")
    assert result.exit_code == 1, result.output
    assert result.output.endswith(f"leaderboard: {tmp_path / 'site' / 'index.html'}, 2 accepted\n")
    found = {name: (entry.outcome, entry.reason) for name, entry in record_of(folder).items()}
    assert found["good"] == found["plain"] == ("accepted", "")
    reasons = {name: reason for name, (outcome, reason) in found.items() if outcome == "refused"}
    assert reasons["good-again"].endswith("is submitted already, as good")
    assert "which the policy does not name" in reasons["stranger"]
    assert reasons["tampered"].startswith("step 2 data/results/results.json: expected sha256")
    assert "is not a bundle" in reasons["<img src=x onerror=alert(1)>"]
    assert len(reasons) == 6
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    ranks, _, refused = page.partition('id="refused"')
    boards, _, accepted = ranks.partition('id="accepted"')
    assert (boards.count("/index.html"), accepted.count("/index.html")) == (1, 2)
    assert str(tmp_path) not in page
    assert (tmp_path / "site" / augmented.name / "index.html").is_file()
    assert "<img" not in page
    assert all(name.replace("<", "&lt;").replace(">", "&gt;") in refused for name in reasons)
    assert not any(f">{name}<" in ranks for name in reasons)

    again = built(folder, tmp_path / "second")
    assert again.exit_code == 0, again.output
    shutil.rmtree(folder / "tampered")
    gone = built(folder, tmp_path / "third")
    assert gone.exit_code == 1
    assert f"refused: tampered: {GONE}" in gone.output
    assert "tampered" in (tmp_path / "third" / "index.html").read_text("utf-8").partition('id="refused"')[2]


def test_a_policy_may_refuse_departures_and_large_bundles(augmented: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    shutil.copytree(augmented, folder / "good")
    strict = built(folder, tmp_path / "site", RULES.replace("departures: true", "departures: false"))
    assert "refused: good: its plan departs from agz-0.1 in " in strict.output
    (folder / "good" / "data" / "padding").write_bytes(b"\0" * (2**20 + 1))
    large = built(folder, tmp_path / "second", RULES + "bundle_mib_max: 1\n")
    assert "refused: good: expected at most 1 MiB" in large.output
