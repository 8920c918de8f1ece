"""The answers of a run: a verdict for each effect and contest, and no figure of drawn actions."""

import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_verify.checks.registration_check import RegistrationVerdict
from agzamov_verify.checks.seat_replies import Recomputed
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.cli import main
from agzamov_verify.core.columns import listed
from agzamov_verify.experiment.matches import Arm
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.scoring.failed_answers import Cannot, FailedAnswers
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.exact import figure as exact_figure
from agzamov_verify.scoring.inference.exact import rounded
from agzamov_verify.scoring.inference.samples import Interval
from agzamov_verify.show.text.analysis_text import mde_words
from agzamov_verify.show.text.answer_words import STRONGER, advice_words, answer_lines, missed_words, unusable_words
from agzamov_verify.show.text.answers import (
    ALL_ALIKE,
    Answer,
    Comparison,
    Played,
    Shown,
    _careers,
    _few,
    _why_none,
    answers_of,
    comparison,
    together,
)
from agzamov_verify.show.text.badge import INVENTED, UNKNOWN_PERSON, Kind, badge_of, held_badge, not_proved
from agzamov_verify.show.text.cost_words import cost_words
from agzamov_verify.show.text.effects import analysed_effects, effects_of, settings_of
from agzamov_verify.show.views import VIEWS
from bundles.bundle_factory import check

RESULTS = Path(__file__).parents[2] / "results/bundles"
HELPED = (
    "The full stack helped in hold'em: +266.7 big blinds per 100 hands [+198.3, +335.0] against none, +315.1 [+228.3,"
    " +401.9] against a placebo (6 careers, all above 0)."
)


def played_of(verdict: Verdict) -> Played:
    assert verdict.manifest
    assert verdict.results
    return Played(verdict.manifest, verdict.results, verdict.analysis, verdict.blocks)


@pytest.fixture(scope="module")
def full() -> Verdict:
    return verify(RESULTS / "readermodel-full", Options())


# --- verdicts ---------------------------------------------------------------------------------------


def figure(low: float | None, high: float | None, against: str = "none", why: str = "") -> Comparison:
    return Comparison(against, 0.1, low, high, 0.0, "30 starts", None, why)


@pytest.mark.parametrize(
    ("bounds", "shown"),
    [
        ([(0.1, 0.3)], Shown.BETTER),
        ([(0.1, 0.3), (0.05, 0.2)], Shown.BETTER),
        ([(0.1, 0.3), (-0.05, 0.2)], Shown.NO_DIFFERENCE),
        ([(-0.1, 0.3), (0.05, 0.2)], Shown.NO_DIFFERENCE),
        ([(-0.3, -0.1), (-0.2, -0.1)], Shown.WORSE),
        ([(-0.3, -0.1), (0.1, 0.2)], Shown.WORSE),
        ([(0.1, 0.3), (None, None)], Shown.NO_RESULT),
    ],
)
def test_an_effect_is_better_only_against_none_and_against_a_placebo(
    bounds: list[tuple[float | None, float | None]], shown: Shown
) -> None:
    assert together([figure(low, high) for low, high in bounds]) is shown


def test_results_that_do_not_differ_at_all_are_no_difference_and_not_no_result() -> None:
    assert figure(None, None, why=ALL_ALIKE).shown is Shown.NO_DIFFERENCE
    assert figure(None, None, why="nothing varied").shown is Shown.NO_RESULT


def test_a_reason_of_the_analysis_is_told_in_plain_words() -> None:
    assert _few("n = 5, an interval needs 30", "holdem") == "5 sessions are too few, an interval needs 30"
    assert _few("n = 1, an interval needs 30", "holdem") == "1 session is too few, an interval needs 30"
    assert _few("something else", "holdem") == "something else"


def test_careers_say_how_many_lie_above_nothing(full: Verdict) -> None:
    (answer,) = answers_of(played_of(full))
    assert full.analysis
    value = full.analysis.deltas[0].score.everything
    assert answer.figures[0].n == _careers(value) == "6 careers, all above 0"
    mixed = msgspec.structs.replace(value, by_career=(("1", "-1", "0", "2", "3", "-2"),))
    assert _careers(mixed) == "6 careers, 3 above 0"
    assert _careers(msgspec.structs.replace(value, by_career=(("-1",) * 6,))) == "6 careers, none above 0"


# --- effects ----------------------------------------------------------------------------------------


def test_an_effect_is_one_sentence_with_both_controls(full: Verdict) -> None:
    assert answer_lines(played_of(full)) == [HELPED]
    (answer,) = answers_of(played_of(full))
    assert (answer.shown, [one.against for one in answer.figures]) == (Shown.BETTER, ["none", "a placebo"])
    assert cost_words(answer, played_of(full)) == "17.5 times the tokens: 643 a decision, 37 without"
    assert badge_of(full, [answer], 0) == (Kind.HOLDS, "Record consistent (level V1; V4 is the highest)")


def test_the_analysis_has_the_same_figures_as_the_replayed_arms(full: Verdict) -> None:
    manifest, analysis = full.manifest, full.analysis
    assert manifest
    assert analysis
    ((setting, matches),) = settings_of(manifest).items()
    replayed = {(one.arm, one.other): one.value for one in effects_of(matches, manifest, full.blocks)}
    for one in analysed_effects(setting, manifest, analysis):
        assert replayed[one.arm, one.other] == one.value
    assert answer_lines(played_of(full)._replace(blocks={})) == [HELPED], "as `show` and the end of a run tell it"


def test_an_arm_that_was_not_played_has_no_result(full: Verdict) -> None:
    played = played_of(full)
    gone = msgspec.structs.replace(played.results, matches=())
    assert answer_lines(played._replace(results=gone)) == [
        "No result for the full stack in hold'em: it was not played."
    ]


def test_where_phase_0_left_an_arm_out_a_stronger_model_is_advised(full: Verdict) -> None:
    played = played_of(full)
    (answer,) = (one for one in answers_of(played) if one.setting)
    stopped = answer._replace(shown=Shown.NO_RESULT, figures=(), is_stopped=True)
    plan = played.manifest.plan
    assert advice_words(stopped, plan) == STRONGER
    assert advice_words(stopped._replace(is_stopped=False), plan) == ""


# --- contests ---------------------------------------------------------------------------------------


def test_few_units_are_no_result_and_say_how_many_are_needed(small: Path) -> None:
    told = answer_lines(played_of(check(small)))
    assert any(
        re.search(
            r"^No result for agent \(scripted reference player\) against .* (is|are) too few, an interval needs \d+\.$",
            one,
        )
        for one in told
    )
    assert not re.search(r"\d\.\d", " ".join(told)), "no figure without an interval"


def test_a_badge_is_no_better_than_the_whole(small: Path) -> None:
    verdict = check(small)
    answers = answers_of(played_of(verdict))
    assert [cost_words(answer, played_of(verdict)) for answer in answers] == [""] * len(answers), "no model plays"
    assert badge_of(verdict, answers, 0) == (
        Kind.EMPTY,
        "No result; Phase 0 failed; record consistent (level V1; V4 is the highest)",
    )
    assert badge_of(verdict, answers, 2) == (
        Kind.DOUBTFUL,
        "No result; Phase 0 failed; 2 warnings; record consistent (level V1; V4 is the highest)",
    )
    assert held_badge("V1", (), 0, has_result=True) == (Kind.HOLDS, "Record consistent (level V1; V4 is the highest)")
    assert held_badge("V1", (), 0, has_result=True, failed_gate=True).kind is Kind.EMPTY
    assert "not that this was the only run" in not_proved(verdict)


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        (("human", "human"), [False, True]),
        (("human", "openai"), [True, True]),
        (("openai", "openai"), [True, False]),
        (("uci", "uci"), [True, False]),
        (("human", "uci"), [True, True]),
    ],
)
def test_what_a_signature_does_not_prove_is_said_of_models_and_of_people_apart(
    kinds: tuple[str, str], told: list[bool]
) -> None:
    seats = [
        SimpleNamespace(
            is_person=kind == "human",
            is_model=kind == "openai",
            attested_words=lambda _, kind=kind: "moves attested" if kind == "uci" else "",
        )
        for kind in kinds
    ]
    playing = dict(enumerate(seats))
    manifest = SimpleNamespace(plan=SimpleNamespace(playing=playing))
    verdict: Any = SimpleNamespace(manifest=manifest, recomputed=Recomputed.NOT_ALL, level="V1", registration=None)
    words = not_proved(verdict)
    assert [part in words for part in (INVENTED, UNKNOWN_PERSON)] == told


@pytest.mark.parametrize(("others", "is_told"), [(0, False), (19, True)])
def test_at_v2_other_runs_of_the_study_are_not_proved_to_be_worse(
    small: Path, monkeypatch: pytest.MonkeyPatch, others: int, is_told: bool
) -> None:
    verdict = check(small)
    monkeypatch.setattr(Verdict, "level", "V2")
    verdict.registration = RegistrationVerdict(others=others)
    assert ("not how other registered runs of its study ended (19)" in not_proved(verdict)) is is_told


# --- words ------------------------------------------------------------------------------------------


def test_unusable_answers_are_counted_by_cause() -> None:
    failed = FailedAnswers(
        seat="smol",
        game="chess960",
        decisions=56,
        no_action=8,
        ambiguous=0,
        cut=47,
        no_reply=1,
        illegal=0,
        cannot=(Cannot.FORMAT,),
        tokens_max=48,
    )
    assert unusable_words(failed) == (
        "smol gave no usable answer in any of 56 decisions (47 were cut at 48 tokens, 8 named no action, 1 had no"
        " reply)"
    )
    some = msgspec.structs.replace(failed, decisions=60)
    assert unusable_words(some).startswith("smol gave 4 usable answers in 60 decisions (")


def test_names_are_listed_as_in_a_sentence() -> None:
    assert [listed(list(names)) for names in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]


def test_what_was_too_small_to_be_found_is_told_only_of_figures_with_an_interval(full: Verdict) -> None:
    answers = answers_of(played_of(full))
    assert re.fullmatch(
        r"Brackets are 95 % intervals, each for its own figure\."
        r" Smallest effect that would be found \(80 % power\):"
        r" [\d.]+ to [\d.]+ big blinds per 100 hands in hold'em\.",
        missed_words(answers),
    )
    bare = [Answer("holdem", Shown.NO_RESULT, (), "m", None, "", None, "why")]
    assert missed_words(bare) == "No answer has an interval."


@pytest.mark.parametrize(("least", "is_told"), [("0.7", True), ("1.1", False)])
def test_an_effect_that_cannot_be_is_never_called_the_smallest_that_would_be_found(least: str, is_told: bool) -> None:
    """A difference between two arms of 0.7 is possible, and was left out; the cards of a report named one of 1.1."""
    bounds = Interval(exact_figure(Fraction(-1, 10)).decimal, exact_figure(Fraction(3, 10)).decimal, "t")
    value, mde = exact_figure(Fraction(1, 10)), exact_figure(Fraction(least))
    estimate = Estimate(value, bounds, (20,), None, mde, "win rate", "")
    figure = comparison("a placebo", estimate, "chess960")
    assert (figure.detectable is not None) is is_told
    told = missed_words([Answer("chess960", Shown.NO_DIFFERENCE, (figure,), "m", None, "", None)])
    assert ("0.70" in told) is is_told


def test_a_minimum_detectable_effect_is_one_that_can_be() -> None:
    least = Estimate(None, None, (20,), None, exact_figure(Fraction(7, 10)), "win rate", "")
    assert mde_words(least) == "0.7000"
    assert mde_words(least, VIEWS["chess960"].result_most) == "none: no possible effect would be found"
    assert mde_words(msgspec.structs.replace(least, mde=exact_figure(Fraction(11, 10)))).startswith("none")


# --- what a submitter could gain by ------------------------------------------------------------------


def test_a_placebo_that_was_played_and_has_no_figure_leaves_no_result(full: Verdict) -> None:
    """A stopping rule that can never stop took the placebo out, and the verdict became "helped"."""
    assert full.manifest
    plan = full.manifest.plan
    (placebo,) = (match.id for match in plan.matches if match.condition.arm is Arm.PLACEBO)
    assert full.results
    played = played_of(full)
    without = {name: blocks for name, blocks in full.blocks.items() if name != placebo}
    (line,) = answer_lines(played._replace(blocks=without))
    assert line.startswith("No result for the full stack in hold'em: an arm of it may end early")


def test_no_placebo_is_said(full: Verdict) -> None:
    played = played_of(full)
    rows = tuple(row for row in played.results.matches if row.condition.arm is not Arm.PLACEBO)
    blocks = {row.match: full.blocks[row.match] for row in rows}
    results = msgspec.structs.replace(played.results, matches=rows)
    (line,) = answer_lines(played._replace(results=results, blocks=blocks))
    assert line.endswith("against none (6 careers, all above 0); no placebo was played.")


def test_a_script_is_called_one_whatever_its_name(small: Path) -> None:
    told = answer_lines(played_of(check(small)))
    assert all("agent (scripted reference player)" in line and "(random player)" in line for line in told)


def test_a_pair_without_a_difference_is_named_once_and_several_opponents_are_called_so() -> None:
    arena = Path(__file__).parent / "golden" / "arena-0.1" / "models"
    told = " ".join(CliRunner().invoke(main, ["show", str(arena)]).stdout.split())
    assert told.count("between agent and other in chess: ") == 1
    assert "between agent and its opponents dice (random player) and other in hold'em for many" in told
    assert "other and agent in chess" not in told


def test_who_loses_every_game_is_not_shown_to_be_no_different() -> None:
    nothing, few = Fraction(0), "n = 5, an interval needs 15"
    estimate = Estimate(exact_figure(nothing), None, (5,), (rounded(nothing),), None, "score", ci_note=few)
    assert _why_none(estimate, "chess960") == "5 starts played with both colours are too few, an interval needs 15"
    assert comparison("none", estimate, "chess960").why_none == ALL_ALIKE, "a difference that is 0 each time"
    unknown = msgspec.structs.replace(estimate, sd=None)
    assert comparison("none", unknown, "chess960").why_none != ALL_ALIKE


def test_a_seat_repeats_another_only_where_that_plays_the_same() -> None:
    """A seat that repeated one which played Phase 0 alone had no departures at all."""
    seat = {"kind": "openai", "base_url": "https://api.example/v1", "model": "m-1", "tokens_max": 64}
    arms = [{"augmentation": "rag"}, {"augmentation": "rag", "arm": "real", "system": "notes"}]
    plan: dict[str, Any] = {
        "title": "p",
        "seats": {"cold": {**seat, "temperature": "0"}, "warm": {**seat, "temperature": "0.3"}},
        "systems": {"notes": {"kind": "rag"}},
        "matches": [
            {"phase": 2, "game": "holdem", "a": "warm", "b": "warm", "hands": 100, "condition": one} for one in arms
        ],
    }
    alone = {"phase": 0, "game": "holdem", "a": "cold", "b": "warm", "hands": 100}
    lying = msgspec.convert({**plan, "matches": [alone, *plan["matches"]]}, Plan)
    assert lying.repeats == {}
    same = [{**match, "a": "cold", "b": "cold"} for match in plan["matches"]]
    assert set(msgspec.convert({**plan, "matches": [*same, *plan["matches"]]}, Plan).repeats) == {"warm"}
