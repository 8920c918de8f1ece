"""The golden bundle and journal of each protocol version say today what they said when they were made.

If a test here fails, a format, a rule or a word of a prompt has changed. Of a released protocol that is a new protocol
version, with golden files of its own; of one that is not released, make_golden.py makes them anew.
"""

import hashlib
import json
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_harness.run import signing_keys
from agzamov_verify.bundle import claims_of
from agzamov_verify.checks.check_log import Status
from agzamov_verify.checks.limits import VerificationLimits
from agzamov_verify.checks.opened_bundle import seed_dice
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.journal import Chain, Entry
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.core.script import Replay, drive
from agzamov_verify.experiment.matches import Arm, Augmentation
from agzamov_verify.plan.manifest import load_manifest
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.protocols import PROTOCOLS, RELEASED
from agzamov_verify.show.text import verdict_report
from agzamov_verify.table.game import Block
from bundles import make_golden
from bundles.bundle_factory import check, engine_path, told

GOLDEN = Path(__file__).parent / "golden"
ENGINE_STEP, QUALITY_STEP, SEATS_STEP, TOOLS_STEP = 9, 12, 13, 16
BYTES_MAX = 2_200_000
"""Of the golden files of one protocol."""
OF_PROTOCOL = {
    "agz-0.1": {"gates": [True, False], "matches": 6, "ends": {"adjudication", "forfeit", "fold", "showdown"}},
    "arena-0.1": {
        "gates": [],
        "matches": 7,
        "ends": {"forfeit", "fold", "showdown", "ply_limit", "no_wolves", "parity"},
    },
    "play-0.1": {"gates": [], "matches": 4},
    "people-0.1": {"gates": [], "matches": 6},
}
"""What the golden files of each protocol hold: results of gates, matches, and the ends of games of its journals."""
WITH_JOURNALS = [name for name, held in OF_PROTOCOL.items() if "ends" in held]


@pytest.fixture(scope="module", params=[name for name in PROTOCOLS if name in RELEASED or (GOLDEN / name).is_dir()])
def golden(request: pytest.FixtureRequest) -> Path:
    """The golden folder of each protocol version that this verifier knows."""
    return GOLDEN / str(request.param)


@pytest.fixture(scope="module", params=WITH_JOURNALS)
def with_journal(request: pytest.FixtureRequest) -> Path:
    """The golden folder of each protocol version that has journals beside its bundle."""
    return GOLDEN / str(request.param)


@pytest.fixture(scope="module")
def held(golden: Path) -> dict[str, Any]:
    return OF_PROTOCOL[golden.name]


@pytest.fixture(scope="module")
def figures(golden: Path) -> dict[str, Any]:
    return figures_of(golden)


@pytest.fixture(scope="module")
def verdict(golden: Path) -> Verdict:
    return check_all_of(golden / "bundle")


def check_all_of(bundle: Path) -> Verdict:
    """The verdict on a golden bundle of which no reply and no answer is left out."""
    return check(bundle, engine_path(), sample_permille=1000, limits=VerificationLimits())


def advice(protocol: str) -> str:
    """What to do where golden files of a protocol are no longer as they were."""
    if protocol in RELEASED:
        return (
            f"{protocol} is released: its bundles come to the same verdict for ever, so the code is wrong; what is "
            "meant to be new belongs to a new protocol version (docs/extending.md)"
        )
    return f"{protocol} is a draft: if the change is meant, type: python tests/bundles/make_golden.py {protocol}"


def digest_of(golden: Path) -> str:
    """The digest that RELEASED has of golden files."""
    files = sorted(f"./{path.relative_to(golden).as_posix()}" for path in golden.rglob("*") if path.is_file())
    sums = "".join(f"{hashlib.sha256((golden / name).read_bytes()).hexdigest()}  {name}\n" for name in files)
    return hashlib.sha256(sums.encode()).hexdigest()


def test_the_golden_files_of_released_protocols_are_unchanged() -> None:
    assert {name: digest_of(GOLDEN / name) for name in make_golden.RELEASED} == dict(make_golden.RELEASED)


def test_a_changed_golden_file_has_another_digest(golden: Path, tmp_path: Path) -> None:
    shutil.copytree(golden, tmp_path / golden.name)
    assert digest_of(tmp_path / golden.name) == digest_of(golden)
    figures = tmp_path / golden.name / "figures.json"
    figures.write_text(figures.read_text().replace("1", "2", 1))
    assert digest_of(tmp_path / golden.name) != digest_of(golden)


def test_released_golden_files_are_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_golden, "RELEASED", {make_golden.PROTOCOL: "0" * 64})
    with pytest.raises(SystemExit, match="golden files are never made again"):
        make_golden.main([make_golden.PROTOCOL])


def test_the_golden_bundle_is_at_v1(golden: Path, verdict: Verdict) -> None:
    """Without an engine, everything but the engine's steps passes."""
    allowed = {Status.PASS, Status.NOT_APPLICABLE}
    open_steps = [step.number for step in verdict.steps if step.status not in allowed]
    assert open_steps == ([] if engine_path() else [ENGINE_STEP, QUALITY_STEP]), (
        f"{told(verdict)}\n{advice(golden.name)}"
    )
    assert verdict.level == ("V1" if engine_path() else "V0")


def test_the_advice_for_a_draft_and_for_a_released_protocol_differ() -> None:
    assert "make_golden.py play-0.1" in advice("play-0.1")
    assert "the code is wrong" in advice("agz-0.1")


def test_the_golden_bundle_was_judged_by_the_engine_where_its_protocol_has_one(golden: Path, verdict: Verdict) -> None:
    judged = golden.name == "agz-0.1" and engine_path() is not None
    assert ("evaluations asked again" in verdict.steps[ENGINE_STEP - 1].remark) is judged


def test_its_recomputed_claims_are_the_figures_of_old(verdict: Verdict, figures: dict[str, Any]) -> None:
    assert verdict.results
    assert claims_of(verdict.results) == figures["bundle"]["claims"]
    assert verdict.run == figures["bundle"]["run"]


def test_the_verdict_for_a_program_says_whether_its_protocol_is_a_draft(golden: Path, verdict: Verdict) -> None:
    assert json.loads(verdict_report.json(verdict))["is_draft"] is (golden.name not in RELEASED)


def test_it_has_matches_that_were_played_passed_failed_and_flagged_as_departing(
    verdict: Verdict, held: dict[str, Any]
) -> None:
    assert verdict.results
    gates = [match.gate.passed for match in verdict.results.matches if match.gate]
    played = {match.id.partition("@")[0] for match in verdict.results.matches}
    assert (gates, len(played), bool(verdict.results.departures)) == (held["gates"], held["matches"], True)


def test_it_holds_what_a_bundle_can_hold(verdict: Verdict) -> None:
    assert verdict.manifest
    if verdict.manifest.plan.protocol != "agz-0.1":
        played = {match.game for match in verdict.manifest.plan.matches}
        assert played == set(PROTOCOLS[verdict.manifest.plan.protocol].games)
        return
    assert verdict.analysis
    plan = verdict.manifest.plan
    assert (plan.quality.nodes, plan.holdem.mirrored, "benchmark" in plan.seats) == (20, True, True)
    (watched,) = verdict.analysis.sequential
    assert (watched.ended_early, watched.observations) == (True, 2)
    status = verdict.steps[QUALITY_STEP - 1].status
    assert status is (Status.PASS if engine_path() else Status.NOT_CHECKED)


def test_no_reply_of_its_scripted_seats_is_left_out(verdict: Verdict) -> None:
    """A changed reference player gives some other reply, not every one."""
    assert "drawn at random" not in verdict.steps[SEATS_STEP - 1].remark


# --- the bundle of augmented play


AUGMENTED = make_golden.GOLDEN


@pytest.fixture(scope="module")
def of_systems() -> Verdict:
    return check_all_of(AUGMENTED / "systems")


def test_the_golden_bundle_of_systems_is_at_v1_with_the_figures_of_old(of_systems: Verdict) -> None:
    """Without an engine, its answers as a tool are the one thing that is not made again."""
    allowed = {Status.PASS, Status.NOT_APPLICABLE}
    open_steps = [step.number for step in of_systems.steps if step.status not in allowed]
    assert open_steps == ([] if engine_path() else [TOOLS_STEP]), told(of_systems)
    assert "drawn at random" not in of_systems.steps[TOOLS_STEP - 1].remark
    figures = json.loads((AUGMENTED / "figures.json").read_text())
    assert of_systems.results
    assert claims_of(of_systems.results) == figures["systems"]["claims"]
    assert of_systems.run == figures["systems"]["run"]


def test_it_holds_every_augmentation_in_every_arm(of_systems: Verdict) -> None:
    assert of_systems.manifest
    plan = of_systems.manifest.plan
    assert {match.phase for match in plan.matches} == {2, 3, 5}
    assert {system.kind for system in plan.systems.values()} == {"full", "memory", "rag", "tools"}
    played = {condition for match in plan.matches for condition in match.conditions}
    assert {(one.augmentation, one.arm) for one in played} >= {
        *product([Augmentation.FULL, Augmentation.RAG], (Arm.NAKED, Arm.PLACEBO, Arm.REAL)),
        (Augmentation.MEMORY, Arm.REAL),
        (Augmentation.TOOLS, Arm.REAL),
    }
    assert any(match.shifts for match in plan.matches)
    assert any(getattr(system, "texts", None) for system in plan.systems.values())


# --- the bundles of models


RARE_ENDS = {
    ("agz-0.1", "models"): {"adjudication", "fold", "ply_limit", "showdown"},
    ("agz-0.1", "rules"): {"checkmate", "fifty_moves", "insufficient_material", "stalemate", "threefold_repetition"},
    ("agz-0.1", "late_rules"): {"fivefold_repetition", "ply_limit", "seventy_five_moves"},
    ("arena-0.1", "models"): {"fold", "forfeit", "last_hand", "ply_limit", "showdown", "winner"},
    ("arena-0.1", "rules"): {
        "checkmate",
        "day_limit",
        "fifty_moves",
        "no_move",
        "no_progress",
        "ply_limit",
        "threefold_repetition",
        "winner",
    },
}


@pytest.fixture(scope="module", params=make_golden.OF_MODELS, ids="-".join)
def of_models(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The protocol and the folder of a golden bundle of models."""
    protocol, name = request.param
    return str(protocol), str(name)


@pytest.fixture(scope="module")
def models_verdict(of_models: tuple[str, str]) -> Verdict:
    return check_all_of(GOLDEN.joinpath(*of_models))


def test_a_golden_bundle_of_models_is_at_v1_with_the_figures_of_old(
    of_models: tuple[str, str], models_verdict: Verdict
) -> None:
    """Without an engine, its answers as a tool are the one thing that is not made again."""
    protocol, name = of_models
    allowed = {Status.PASS, Status.NOT_APPLICABLE}
    open_steps = [step.number for step in models_verdict.steps if step.status not in allowed]
    assert set(open_steps) <= (set() if engine_path() else {TOOLS_STEP}), f"{told(models_verdict)}\n{advice(protocol)}"
    assert "drawn at random" not in models_verdict.steps[TOOLS_STEP - 1].remark
    figures = figures_of(GOLDEN / protocol)[name]
    assert models_verdict.results
    assert claims_of(models_verdict.results) == figures["claims"]
    assert models_verdict.run == figures["run"]


def test_the_golden_bundles_of_models_end_as_games_seldom_do(of_models: tuple[str, str]) -> None:
    ends = make_golden.ends_by_game(make_golden.Draft.of(GOLDEN.joinpath(*of_models)))
    assert set().union(*ends.values()) == RARE_ENDS[of_models]


def test_golden_models_have_every_fault_and_an_interval(of_models: tuple[str, str], models_verdict: Verdict) -> None:
    if of_models[1] != "models":
        return
    assert models_verdict.results
    assert models_verdict.analysis
    seats = [seat for match in models_verdict.results.matches for seat in match.seat_stats]
    kinds = type(seats[0].faults).__struct_fields__
    absent = {kind for kind in kinds if not any(getattr(seat.faults, kind) for seat in seats)}
    assert absent <= (set() if of_models[0] == "agz-0.1" else {"final_illegal"})
    assert any(seat.first_normalised for seat in seats)
    assert any(seat.substituted or seat.forfeited for seat in seats)
    assert any(seat.failed_attempts for seat in seats)
    assert b'"ci":{"low"' in msgspec.json.encode(models_verdict.analysis)


def test_it_was_signed_with_the_test_key_and_no_other(verdict: Verdict, golden: Path) -> None:
    assert verdict.submitter == key_id(signing_keys.load(golden / "test-key.pem").public_key())


def story_of(golden: Path, stream: str) -> tuple[list[Entry], Block, list[Question]]:
    """The entries of a golden journal, chained, what its script makes of them, and what it asks."""
    manifest = load_manifest((golden / "journal" / "manifest.json").read_bytes())
    dice = seed_dice(manifest, bytes.fromhex((golden / "journal" / "secret.hex").read_text()))
    plan = next(one for match in manifest.plan.matches for one in streams_of(match) if one.id == stream)
    chain = Chain(manifest.run_id, stream)
    told_lines = (golden / "journal" / f"{stream}.jsonl").read_bytes().splitlines()
    story = list(chain.read_all(told_lines))
    replay, asked = Replay(stream, iter(story)), list[Question]()

    def noting(question: Question) -> Answer:
        asked.append(question)
        return replay(question)

    block = drive(block_script(plan, manifest.plan, dice), noting)
    replay.finish()
    return story, block, asked


def figures_of(golden: Path) -> dict[str, Any]:
    """The figures of golden files."""
    found: dict[str, Any] = json.loads((golden / "figures.json").read_text())
    return found


def test_every_golden_journal_replays_to_the_games_of_old(with_journal: Path) -> None:
    for stream, was in figures_of(with_journal)["journal"].items():
        story, block, _ = story_of(with_journal, stream)
        assert (was["entries"], was["ends"]) == (len(story), make_golden.ends_of(block)), stream


def test_the_golden_journals_are_all_listed(golden: Path) -> None:
    listed = figures_of(golden).get("journal", {})
    assert {path.stem for path in (golden / "journal").glob("*.jsonl")} == set(listed)


def test_the_golden_journals_hold_all_that_a_seat_can_do(with_journal: Path) -> None:
    golden = with_journal
    stories = [story_of(golden, stream) for stream in figures_of(golden)["journal"]]
    entries = [entry for story, _, _ in stories for entry in story]
    replies = [entry.answer for entry in entries if isinstance(entry.answer, Reply)]
    assert len(replies) < len(entries), "some seat gave no reply at all"
    assert {0, 1, 2, 3} == {entry.question.attempt for entry in entries if entry.question.ask == "chat"}
    assert any(entry.question.ask == "planted" for entry in entries), "prompts that are no part of a game"
    assert {0, 1, 2} == {len(reply.attempts) for reply in replies}
    assert {"stop", "length"} <= {reply.finish for reply in replies}
    assert golden.name == "arena-0.1" or any("O-O" in reply.text for reply in replies)
    assert any(not reply.text.isascii() for reply in replies)
    ends = {end[0] for _, block, _ in stories for end in make_golden.ends_of(block).values()}
    assert OF_PROTOCOL[golden.name]["ends"] <= ends


def test_a_golden_journal_of_the_arena_shows_images_in_first_tries_and_after_faults() -> None:
    _, _, questions = story_of(GOLDEN / "arena-0.1", "p6-chess-naked-seeing-agent-b00000")
    asked = [question for question in questions if isinstance(question, Chat) and question.to == "seeing"]
    assert {0, 1, 2, 3} <= {question.attempt for question in asked}
    assert all(any(message.shown for message in question.messages) for question in asked)


def test_the_golden_files_are_small(golden: Path) -> None:
    assert sum(path.stat().st_size for path in golden.rglob("*") if path.is_file()) < BYTES_MAX


def test_the_test_key_says_what_it_is() -> None:
    words = (GOLDEN / "README.md").read_text()
    assert "test key" in words
    assert "worth nothing" in words.replace("\n", " ")
