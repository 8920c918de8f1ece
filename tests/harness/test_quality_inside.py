"""A plan may promise the engine's judgement of every chess move: it is made before packing, and checked as step 12."""

import gzip
import json
import re
from itertools import count
from pathlib import Path

import pytest

from agzamov_harness import rundir
from agzamov_harness.pack import pack
from agzamov_harness.progress import State
from agzamov_harness.quality.promised import judge_promised
from agzamov_harness.run import Runner, Stop
from agzamov_harness.seal import plan_from, seal
from agzamov_verify import bundle, envelope
from agzamov_verify.checks.ledger import Status
from agzamov_verify.manifest import ManifestError
from bundles.workshop import SEATS, SUBMITTER, TINY, Draft, check, engine_path, make, reseal, told, world_of, zipped

STEP = 12
PROMISING = {
    "title": "Judged inside",
    "seats": SEATS,
    "quality": {"nodes": 300},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 12},
    "matches": [{"phase": 1, "game": "chess960", "a": "dice", "b": "dice", "games": 4, "block_games": 2}],
}
ENGINE = engine_path()
needs_engine = pytest.mark.skipif(ENGINE is None, reason="no Stockfish 15.1 here")


def run_of(wished: object, folder: Path) -> tuple[rundir.RunDirectory, dict]:  # type: ignore[type-arg]
    plan = plan_from(wished)
    manifest, secret = seal(plan, envelope.key_id(SUBMITTER.public_key()), ENGINE)
    directory = rundir.create(folder / "runs", manifest, secret)
    ticks = count(step=1_000_000)
    world = world_of(plan, ENGINE)
    return directory, Runner(directory, world, lambda: next(ticks), State(plan, None), Stop(), 1).play()


@pytest.fixture(scope="module")
def promised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("promised")
    directory, blocks = run_of(PROMISING, folder)
    judge_promised(directory, blocks, ENGINE, Stop())
    judge_promised(directory, blocks, ENGINE, Stop())  # a run that is resumed finds it done
    return pack(directory, blocks, SUBMITTER, folder / "bundles")


@needs_engine
def test_a_promised_judgement_is_in_the_bundle_and_is_asked_again(promised: Path) -> None:
    verdict = check(promised, ENGINE)
    step = verdict.steps[STEP - 1]
    assert (step.status, verdict.level) == (Status.PASS, "V1"), told(verdict)
    assert "answers asked again" in step.remark


@needs_engine
def test_without_an_engine_it_is_not_checked_and_that_is_no_pass(promised: Path) -> None:
    verdict = check(promised, None)
    assert verdict.steps[STEP - 1].status is Status.NOT_CHECKED
    assert verdict.level == "V0"


@needs_engine
def test_one_altered_answer_is_found(promised: Path, tmp_path: Path) -> None:
    draft = Draft.of(promised)
    name = next(name for name in sorted(draft.files) if name.endswith(".jsonl.gz") and bundle.QUALITY_FOLDER in name)
    lines = gzip.decompress(draft.files[name]).splitlines()
    first = json.loads(lines[0])
    first["value"] = "cp 900" if first["value"] != "cp 900" else "cp 901"
    lines[0] = json.dumps(first, separators=(",", ":"), sort_keys=True).encode()
    draft.files[name] = zipped(b"".join(line + b"\n" for line in lines))
    reseal(draft)
    verdict = check(draft.write(tmp_path), ENGINE)
    assert verdict.steps[STEP - 1].status is Status.FAIL
    assert any(finding.step == STEP for finding in verdict.findings)


@needs_engine
def test_a_promise_that_was_not_kept_is_not_packed_and_not_accepted(promised: Path, tmp_path: Path) -> None:
    directory, blocks = run_of(PROMISING, tmp_path)
    with pytest.raises(ManifestError, match="expected the engine's judgement that the plan promises"):
        pack(directory, blocks, SUBMITTER, tmp_path / "bundles")
    draft = Draft.of(promised)
    for name in [name for name in draft.files if name.startswith(bundle.QUALITY_FOLDER)]:
        del draft.files[name]
    reseal(draft)
    assert check(draft.write(tmp_path / "without"), ENGINE).steps[STEP - 1].status is Status.FAIL


def test_without_a_promise_the_step_does_not_apply_and_no_file_may_be_there(tmp_path: Path) -> None:
    made = make(TINY, tmp_path)
    assert check(made).steps[STEP - 1].status is Status.NOT_APPLICABLE
    draft = Draft.of(made)
    draft.files[f"{bundle.QUALITY_FOLDER}index.json"] = b"{}"
    reseal(draft)
    verdict = check(draft.write(tmp_path / "more"))
    assert verdict.steps[STEP - 1].status is Status.FAIL
    assert verdict.findings[0].place == f"{bundle.QUALITY_FOLDER}index.json"


@pytest.mark.parametrize(
    ("changes", "told_of"),
    [
        (
            {"matches": [{"phase": 1, "game": "holdem", "a": "dice", "b": "dice", "hands": 100, "block_hands": 100}]},
            "quality.nodes: expected 0: no chess is played",
        ),
        (
            {"isolation": "container"},
            "quality.nodes: expected 0 with isolation: container; judge the bundle with `agzamov quality`",
        ),
    ],
)
def test_a_promise_without_chess_or_in_containers_is_refused(changes: dict[str, object], told_of: str) -> None:
    with pytest.raises(ManifestError, match=f"^{re.escape(told_of)}$"):
        plan_from({**PROMISING, **changes})
