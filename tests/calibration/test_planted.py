"""Planted information through the pipeline, small: a verified bundle, deltas, and what must be caught."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from agzamov_verify.checks.check_log import Number, Status, Step
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.experiment.matches import Arm
from agzamov_verify.scoring.hypotheses.contrasts import ContrastPart
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.exact import figure
from agzamov_verify.scoring.inference.samples import Interval
from agzamov_verify.scoring.inference.significance import Alternative, Significance
from calibration import finding, planted, suite

HANDS = {"hands": 8, "block_hands": 2}
GAMES = {"games": 2, "block_games": 2}
POKER = replace(planted.POKER, match=HANDS, rules={"holdem": {"session_hands": 2}})
"""Four sessions."""
CHESS = replace(planted.CHESS, match=GAMES, rules={"chess960": {**planted.CHESS.rules["chess960"], "plies_max": 6}})
SEED = "planted in the tests"


def verified(what: planted.Planted, folder: Path) -> Verdict:
    return verify(planted.play(what, folder, SEED), Options())


@pytest.fixture(scope="module")
def poker(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    return verified(POKER, tmp_path_factory.mktemp("poker"))


def test_what_is_planted_is_of_one_length_and_is_no_secret() -> None:
    for what in planted.FULL.values():
        assert len(what.true) == len(what.false)
        assert what.true != what.false
    with pytest.raises(AssertionError):
        replace(planted.POKER, false="longer than that " + planted.POKER.true)


@pytest.mark.slow
def test_a_bundle_of_planted_matches_is_verified_and_its_arms_meet_the_same_decks(poker: Verdict) -> None:
    assert planted.verification(POKER, poker).passed
    for arm in (Arm.REAL, Arm.PLACEBO):
        part = planted.delta(POKER, poker, arm)
        assert (part.test.method, part.test.n) == ("t-one-sample", (4,))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bundle(poker: Verdict, tmp_path: Path) -> None:
    again = verified(POKER, tmp_path)
    assert again.run == poker.run
    assert again.results == poker.results


@pytest.mark.slow
def test_a_chess_bundle_is_verified_too(tmp_path: Path) -> None:
    verdict = verified(CHESS, tmp_path)
    assert planted.verification(CHESS, verdict).passed
    assert planted.delta(CHESS, verdict, Arm.REAL).test.n == (1,)


@pytest.mark.slow
def test_a_bundle_with_a_defect_is_no_calibration(poker: Verdict) -> None:
    steps = [replace_status(step, Number.RESULTS, Status.FAIL) for step in poker.steps]
    assert not planted.verification(POKER, msgspec.structs.replace(poker, steps=steps)).passed


def replace_status(step: Step, number: Number, status: Status) -> Step:
    return msgspec.structs.replace(step, status=status) if step.number == number else step


@pytest.mark.slow
def test_information_that_is_not_there_is_caught(tmp_path: Path) -> None:
    """The true line is replaced by one that says nothing: the informed seat plays as the naive one does."""
    text = "- It likes the colour blue.".ljust(len(planted.POKER.true), ".")
    more = {"hands": 32, "block_hands": 2}  # 16 sessions: fewer than 15 have no interval
    idle = replace(POKER, match=more, true=text, false=text[:-1] + "!")
    verdict = verified(idle, tmp_path)
    told, untold = planted.judged(idle, verdict)
    assert not told.passed
    assert untold.passed


def made_up(low: str, high: str, p: str | None) -> ContrastPart:
    interval = Interval(low, high, "made up")
    estimate = Estimate(figure(Fraction(high)), interval, (9,), None, None, "bb/100")
    return ContrastPart("made up", estimate, None, Significance("t", Alternative.GREATER, (9,), None, None, p))


def test_false_information_that_helps_is_caught() -> None:
    assert planted.does_not_help("x", made_up("-1.000000", "3.000000", "0.2")).passed
    assert not planted.does_not_help("x", made_up("0.500000", "3.000000", "0.01")).passed


def test_true_information_must_help_at_one_percent() -> None:
    assert planted.helps("x", made_up("0.500000", "3.000000", "0.009")).passed
    assert not planted.helps("x", made_up("0.100000", "3.000000", "0.02")).passed
    assert not planted.helps("x", made_up("0.100000", "3.000000", None)).passed


def test_a_bundle_that_does_not_verify_is_a_failure_of_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(what: planted.Planted, folder: Path, seed: str) -> Path:
        path = planted_play(what, folder, seed)
        (path / "data" / "manifest.json").write_bytes(b"{}")
        return path

    planted_play = planted.play
    monkeypatch.setattr(planted, "play", broken)
    (found,) = planted.findings("poker", {"poker": POKER}, SEED)
    assert (found.passed, found.figure) == (False, "payload")


# --- the program ---------------------------------------------------------------------------------


def made_finding(*, passed: bool) -> finding.Finding:
    return finding.Finding("made up", "1", "", "2", passed, 0.001)


@pytest.mark.parametrize(("good", "code"), [(True, 0), (False, 1)])
def test_the_last_line_sums_up_and_the_exit_code_follows(
    good: bool, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suite, "_all", lambda wanted: iter([made_finding(passed=True), made_finding(passed=good)]))
    assert suite.main(["--seed", "s"]) == code
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("calibrated: all 2 checks hold; seed 's'" if good else "FAILED: 1 of 2 checks; seed 's'")
    assert " CPU minutes; " in last
