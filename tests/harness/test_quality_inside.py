"""A plan may promise the engine's judgement of every chess move: it is made before packing, and checked as step 12."""

import gzip
import json
from fractions import Fraction
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from agzamov_harness.pipeline.pack import pack
from agzamov_harness.ports import PortFault
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import Answering
from agzamov_harness.run.move_evaluations import judge_promised
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_verify import bundle
from agzamov_verify.checks.check_log import Status
from agzamov_verify.checks.move_quality import judged_sha256
from agzamov_verify.core import canon, envelope
from agzamov_verify.games.chess.cell import ChessCell
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.scoring.analysis import analysis_of
from agzamov_verify.scoring.match_cells import cells_of
from bundles.bundle_factory import (
    SEATS,
    SUBMITTER,
    TINY,
    Draft,
    check,
    dice_of,
    engine_path,
    make,
    reseal,
    told,
    world_of,
    zipped,
)

STEP = 12
OTHER_ENGINE = """#!/bin/sh
while read -r line; do
    case $line in
    uci) printf 'id name Fishstock 51\\nuciok\\n' ;;
    isready) echo readyok ;;
    esac
done
"""
PROMISING = {
    "title": "Judged inside",
    "seats": SEATS,
    "quality": {"nodes": 300},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 12},
    "matches": [{"phase": 1, "game": "chess960", "a": "dice", "b": "dice", "games": 4, "block_games": 2}],
}
ENGINE = engine_path()
needs_engine = pytest.mark.skipif(ENGINE is None, reason="no Stockfish 15.1 here")


def run_of(wished: object, folder: Path) -> tuple[run_folder.RunDirectory, dict]:  # type: ignore[type-arg]
    plan = plan_from(wished)
    manifest, secret = seal(plan, envelope.key_id(SUBMITTER.public_key()), ENGINE)
    directory = run_folder.create(folder / "runs", manifest, secret, SUBMITTER)
    ticks = count(step=1_000_000)
    world = world_of(plan, ENGINE)
    return directory, Runner(directory, Answering(world), lambda: next(ticks), State(plan, None), Stop(), 1).play()


@pytest.fixture(scope="module")
def promised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("promised")
    directory, blocks = run_of(PROMISING, folder)
    told: list[tuple[int, int]] = []
    judge_promised(directory, blocks, ENGINE, Stop(), lambda *counts: told.append(counts))
    assert told[-1][0] == told[-1][1] == len(told)
    judge_promised(directory, blocks, ENGINE, Stop())  # a run that is resumed finds it done
    return pack(directory, blocks, SUBMITTER, folder / "bundles").bundle


@needs_engine
def test_a_promised_judgement_is_in_the_bundle_and_is_asked_again(promised: Path) -> None:
    verdict = check(promised, ENGINE)
    step = verdict.steps[STEP - 1]
    assert (step.status, verdict.level) == (Status.PASS, "V1"), told(verdict)
    assert "answers asked again" in step.remark


@needs_engine
def test_the_analysis_is_made_with_the_answers_that_are_in_the_bundle(promised: Path) -> None:
    verdict = check(promised, ENGINE)
    assert verdict.manifest is not None
    (cell,) = cells_of(verdict.manifest, verdict.blocks, verdict.answers)
    assert isinstance(cell, ChessCell)
    figures = json.loads((promised / f"{bundle.QUALITY_FOLDER}figures.json").read_bytes())["seats"][0]["all"]
    lost = [stage for game in cell.games for stage in game.losses]
    moves, centipawns = sum(judged for _, judged in lost), sum(loss for loss, _ in lost)
    assert moves == figures["moves"]
    assert Fraction(centipawns, moves) == Fraction(figures["loss_centipawns"]["value"]["exact"])
    assert (
        analysis_of(verdict.manifest, dice_of(Draft.of(promised)), verdict.blocks, verdict.answers) == verdict.analysis
    )


@needs_engine
def test_answers_that_cannot_be_read_fail_before_the_figures_that_need_them(promised: Path, tmp_path: Path) -> None:
    draft = Draft.of(promised)
    name = next(name for name in sorted(draft.files) if name.endswith(".jsonl.gz") and bundle.QUALITY_FOLDER in name)
    draft.files[name] = zipped(b"".join(line + b"\n" for line in gzip.decompress(draft.files[name]).splitlines()[1:]))
    reseal(draft)
    verdict = check(draft.write(tmp_path), ENGINE)
    assert [step.status for step in verdict.steps[9:STEP]] == [Status.NOT_CHECKED] * 2 + [Status.FAIL]
    assert (verdict.level, verdict.analysis) == ("V0", None)


@needs_engine
def test_a_run_whose_answers_were_altered_is_not_packed(tmp_path: Path) -> None:
    directory, blocks = run_of(PROMISING, tmp_path)
    judge_promised(directory, blocks, ENGINE, Stop())
    path = next(iter(sorted(directory.quality.glob("*.jsonl.gz"))))
    path.write_bytes(zipped(gzip.decompress(path.read_bytes()).replace(b'"cp ', b'"cp 1', 1)))
    with pytest.raises(ManifestError, match="remove the folder, then resume to ask again"):
        pack(directory, blocks, SUBMITTER, tmp_path / "bundles")


@needs_engine
def test_answers_at_other_nodes_than_promised_are_not_packed(tmp_path: Path) -> None:
    directory, blocks = run_of(PROMISING, tmp_path)
    judge_promised(directory, blocks, ENGINE, Stop())
    for name in ("index.json", "figures.json"):
        path = directory.quality / name
        value = json.loads(path.read_bytes())
        value["nodes"] += 1
        if "departures" in value:
            value["departures"] = [f"quality at {value['nodes']} nodes, 50000 required"]
        path.write_bytes(canon.dumps(value))
    with pytest.raises(ManifestError, match=r"index\.json nodes: expected \d+, found"):
        pack(directory, blocks, SUBMITTER, tmp_path / "bundles")


@needs_engine
def test_a_link_among_the_answers_is_refused_in_words(tmp_path: Path) -> None:
    directory, blocks = run_of(PROMISING, tmp_path)
    judge_promised(directory, blocks, ENGINE, Stop())
    (directory.quality / "more.json").symlink_to("index.json")
    with pytest.raises(ManifestError, match=r"more\.json"):
        pack(directory, blocks, SUBMITTER, tmp_path / "bundles")


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
    with pytest.raises(ManifestError, match="expected the engine's evaluations that the plan promises"):
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


def test_a_promise_without_chess_is_refused() -> None:
    holdem = {"phase": 1, "game": "holdem", "a": "dice", "b": "dice", "hands": 100, "block_hands": 100}
    words = r"^quality\.nodes: expected 0: no game is played whose moves the engine evaluates$"
    with pytest.raises(ManifestError, match=words):
        plan_from({**PROMISING, "matches": [holdem]})


def test_another_engine_than_the_protocols_judges_nothing_and_the_run_can_go_on(tmp_path: Path) -> None:
    directory, blocks = run_of(PROMISING, tmp_path)
    other = tmp_path / "engine"
    other.write_text(OTHER_ENGINE)
    other.chmod(0o755)
    with pytest.raises(PortFault, match=r"expected Stockfish 15\.1 at .*, found Fishstock 51"):
        judge_promised(directory, blocks, other, Stop())
    assert not directory.quality.exists()


def test_other_answers_about_the_same_journals_draw_another_sample() -> None:
    """The sample was learnt from refusals, and all that lay outside of it forged."""
    files = {f"{bundle.QUALITY_FOLDER}index.json": "1" * 64, f"{bundle.JOURNAL_FOLDER}index.json": "2" * 64}
    drawn = judged_sha256(SimpleNamespace(journal_root="3" * 64, digests=files))  # type: ignore[arg-type]
    for name, is_other in ((f"{bundle.QUALITY_FOLDER}index.json", True), (f"{bundle.NOTES_FOLDER}digests.json", False)):
        changed = SimpleNamespace(journal_root="3" * 64, digests={**files, name: "4" * 64})
        assert (judged_sha256(changed) != drawn) is is_other  # type: ignore[arg-type]
