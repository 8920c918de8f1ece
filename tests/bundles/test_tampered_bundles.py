"""The tampered bundles: bundles with one defect each, named for it, refused at one step and at one place.

A defect that a third party could make leaves the signature alone. One that only the owner of the
key could make is sealed again, so that everything but the defect itself is consistent.
"""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from agzamov_harness.run import signing_keys
from agzamov_verify import bundle, cli
from agzamov_verify.checks.asking_engines import WRONG_MAX
from agzamov_verify.checks.check_log import Status
from agzamov_verify.checks.engine_scores import _confidence
from agzamov_verify.checks.random_sample import wrong_below
from agzamov_verify.commands import check_command
from agzamov_verify.core import envelope
from bundles.bundle_factory import (
    GAMES0,
    STRANGER,
    SUBMITTER,
    Draft,
    chained,
    check,
    edited,
    embellished,
    entries,
    failed_steps,
    put,
    reindex,
    rescore,
    reseal,
    told,
)
from bundles.tampered_bundles import containers, executions, figures, journals, promises, seats
from bundles.tampered_bundles.cases import Case
from bundles.tampered_bundles.engines import ENGINE_CASES, FORM_CASES, an_evaluation_that_ended_a_game_is_forged

CASES = [
    *containers.tampered,
    *promises.tampered,
    *journals.tampered,
    *figures.tampered,
    *seats.tampered,
    *executions.tampered,
]
REPLAY, ENGINE, QUALITY, SEATS, EXECUTIONS = 7, 9, 12, 13, 14
FEW = ("--jobs", "1", "--seat-replies-max", "3")
GOLDEN = Path(__file__).parent / "golden" / "agz-0.1" / "bundle"


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_bundle_with_one_defect_fails_one_step_at_one_place(case: Case, small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    case.forge(draft)
    verdict = check(draft.write(tmp_path))
    assert failed_steps(verdict) == [case.step], told(verdict)
    assert verdict.findings[0].place == case.place, told(verdict)
    assert verdict.level == "V0"
    before = [step for step in verdict.steps[: case.step - 1] if step.number != ENGINE]  # which is asked later
    assert all(step.status in {Status.PASS, Status.NOT_APPLICABLE} for step in before)
    assert check_command.exit_code(verdict) == 1


def test_the_tampered_bundles_have_a_piece_for_every_step_and_no_name_twice() -> None:
    assert {*range(1, 12), SEATS, EXECUTIONS} - {ENGINE} == {case.step for case in CASES}
    assert len(CASES) == len({case.name for case in CASES})


@pytest.mark.slow
@pytest.mark.parametrize("forge", ENGINE_CASES, ids=[forge.__name__ for forge in ENGINE_CASES])
def test_a_lie_about_the_engine_is_found_by_asking_it_again(
    forge: Callable[[Draft], str], judged: Path, engine: Path, tmp_path: Path
) -> None:
    draft = Draft.of(judged)
    place = forge(draft)
    verdict = check(draft.write(tmp_path), engine, sample_permille=0)
    assert failed_steps(verdict) == [ENGINE], told(verdict)
    assert 1 <= len(verdict.findings) <= WRONG_MAX
    assert all(finding.place.startswith(place) for finding in verdict.findings), told(verdict)


@pytest.mark.parametrize("forge", FORM_CASES, ids=[forge.__name__ for forge in FORM_CASES])
def test_an_evaluation_of_another_form_fails_the_replay_without_any_engine(
    forge: Callable[[Draft], str], judged: Path, tmp_path: Path
) -> None:
    draft = Draft.of(judged)
    place = forge(draft)
    verdict = check(draft.write(tmp_path))
    assert ([REPLAY], [place]) == (failed_steps(verdict), [finding.place for finding in verdict.findings])
    assert "in centipawns or in moves to mate" in told(verdict)


def test_what_ended_a_game_is_asked_again_without_any_sample(judged: Path, engine: Path, tmp_path: Path) -> None:
    draft = Draft.of(judged)
    place = an_evaluation_that_ended_a_game_is_forged(draft)
    verdict = check(draft.write(tmp_path), engine, sample_permille=0)
    assert ([ENGINE], [place]) == (failed_steps(verdict), [finding.place for finding in verdict.findings])


def test_without_an_engine_its_steps_are_not_checked_and_v1_not_reached() -> None:
    verdict = check(GOLDEN)
    assert [step.number for step in verdict.steps if step.status is Status.NOT_CHECKED] == [ENGINE, QUALITY]
    assert (verdict.level, verdict.failed, check_command.exit_code(verdict)) == ("V0", False, 3)


def test_without_an_engine_even_a_forged_score_is_only_not_checked(judged: Path, tmp_path: Path) -> None:
    draft = Draft.of(judged)
    an_evaluation_that_ended_a_game_is_forged(draft)
    verdict = check(draft.write(tmp_path))
    assert (verdict.level, check_command.exit_code(verdict)) == ("V0", 3)


def test_the_command_says_that_it_has_no_engine_with_exit_code_3() -> None:
    ran = CliRunner().invoke(cli.main, ["check", str(GOLDEN), "--details", "--engine", "/nowhere/stockfish", *FEW])
    assert ran.exit_code == 3
    assert "engine     NOT CHECKED  (no engine at /nowhere/stockfish" in ran.output


def test_another_program_than_the_pinned_engine_is_not_believed(tmp_path: Path) -> None:
    impostor = tmp_path / "stockfish"
    impostor.write_text("#!/bin/sh\necho id name Stockfish 16\necho uciok\ncat > /dev/null\n")
    impostor.chmod(0o755)
    verdict = check(GOLDEN, impostor)
    assert verdict.steps[ENGINE - 1].status is Status.NOT_CHECKED
    assert "found Stockfish 16" in verdict.steps[ENGINE - 1].remark


def test_the_good_bundles_are_at_v1(small: Path, tiny: Path) -> None:
    for good in (small, tiny):
        verdict = check(good)
        assert (verdict.level, verdict.findings, check_command.exit_code(verdict)) == ("V1", [], 0)


def test_the_good_bundle_with_an_engine_is_at_v1(judged: Path, engine: Path) -> None:
    verdict = check(judged, engine, sample_permille=1000)
    assert (verdict.level, verdict.findings) == ("V1", [])


@pytest.mark.slow
def test_a_small_sample_of_engine_scores_says_how_many_may_be_wrong(judged: Path, engine: Path) -> None:
    """Two scores that decide nothing can be swapped unseen: the step says how many may be."""
    all_asked = check(judged, engine, sample_permille=1000).steps[ENGINE - 1].remark
    none_drawn = check(judged, engine, sample_permille=0).steps[ENGINE - 1].remark
    some = check(judged, engine, sample_permille=500).steps[ENGINE - 1].remark
    assert re.fullmatch(r"(\d+) of \1 evaluations asked again", all_asked), all_asked
    assert re.search(r"; of the other \d+, which decided nothing, none was drawn$", none_drawn), none_drawn
    words = (
        r"and (\d+) of the other (\d+), drawn at random: of the \d+ not drawn at most (\d+) can be wrong \(95 % sure\)$"
    )
    drawn = re.search(words, some)
    assert drawn, some
    sampled, others, wrong = map(int, drawn.groups())
    assert wrong == wrong_below(others, sampled) - 1


def test_a_score_that_is_asked_because_none_decides_is_one_of_them() -> None:
    """One asked of twelve left "the other 12"."""

    def told(decisive: tuple[str, ...], total: int) -> str:
        report: Any = SimpleNamespace(decisive=decisive, sample=decisive[:1])
        replayed: Any = SimpleNamespace(reports={0: report})
        return _confidence(replayed, total)

    assert told((), 12) == ", drawn from all because none decided anything; none of the other 11 was asked"
    assert told((), 1) == ""
    assert told(("a", "b"), 12) == (
        ", 2 of them because they show where games end; of the other 10, which decided nothing, none was drawn"
    )
    assert told(("a", "b"), 2) == ""


def test_a_good_bundle_sealed_again_is_the_same_to_the_byte(small: Path) -> None:
    draft = Draft.of(small)
    before = dict(draft.files)
    reindex(draft)
    rescore(draft)
    reseal(draft)
    assert before == draft.files


def test_a_remark_that_changes_nothing_is_accepted_once_everything_is_sealed_again(small: Path, tmp_path: Path) -> None:
    """The owner's own fiction: V1 does not show that a reply was given, and says so."""
    draft = Draft.of(small)
    story = entries(draft, GAMES0)
    put(draft, GAMES0, chained(edited(story, 6, answer=embellished(story[6].answer))))
    reindex(draft)
    rescore(draft)
    reseal(draft)
    verdict = check(draft.write(tmp_path))
    assert verdict.level == "V1", told(verdict)


def test_another_key_than_the_expected_one_is_refused(small: Path) -> None:
    stranger = envelope.key_id(STRANGER.public_key())
    verdict = check(small, expected_key_id=stranger)
    assert (failed_steps(verdict), verdict.findings[0].place) == ([3], bundle.KEY_FILE)
    assert stranger[:16] in verdict.findings[0].expected


def test_the_expected_key_is_accepted(small: Path) -> None:
    assert check(small, expected_key_id=envelope.key_id(SUBMITTER.public_key())).level == "V1"


def test_the_command_answers_with_the_documented_exit_codes(small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    figures.a_winner_is_flipped(draft)
    bad = draft.write(tmp_path)
    key = tmp_path / "stranger.pem"
    key.write_bytes(signing_keys.public_pem(STRANGER))
    runner = CliRunner()
    codes = [
        runner.invoke(cli.main, ["check", *arguments, *FEW]).exit_code
        for arguments in (
            [str(small)],
            [str(bad)],
            [str(small), "--key", str(key)],
            [str(tmp_path / "nowhere")],
            [str(small), "--key", str(small / "bagit.txt")],
        )
    ]
    assert codes == [0, 1, 1, 2, 2]


def test_two_workers_find_what_one_finds(small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    journals.a_prompt_was_another_one(draft)
    path = draft.write(tmp_path)
    ran = CliRunner().invoke(cli.main, ["check", str(path), *FEW, "--jobs", "2"])
    assert (ran.exit_code, f"{GAMES0} entry 4" in ran.output) == (1, True)
