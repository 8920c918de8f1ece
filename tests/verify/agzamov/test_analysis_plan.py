"""What a plan may declare of its analysis, and when a watched match may stop."""

from fractions import Fraction

import msgspec
import pytest

from agzamov_verify.experiment.analysis_plan import (
    DRAFT,
    EXPLORATORY,
    PRIMARY,
    AnalysisPlan,
    HypothesisId,
    SequentialRule,
)
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.plan_problems import problems
from agzamov_verify.scoring.early_stopping import monitored_matches
from agzamov_verify.scoring.inference.sequential_test import Continue, Stop
from agzamov_verify.scoring.units.cells import CellKey
from verify.agzamov.generator import CHESS, World, chess

MATCH = "p1-chess960-naked-a"
RULE = SequentialRule(MATCH)


def plan(analysis: object) -> Plan:
    wished = {
        "title": "t",
        "seats": {"a": {"kind": "reference"}},
        "matches": [{"phase": 1, "game": "chess960", "a": "a", "b": "a", "games": 4}],
        "analysis": analysis,
    }
    return msgspec.convert(wished, Plan)


def said(analysis: object) -> list[str]:
    return [str(one) for one in problems(plan(analysis))]


def rule(**changes: object) -> dict[str, list[dict[str, object]]]:
    return {"sequential": [{**msgspec.to_builtins(RULE), **changes}]}


def test_the_default_declares_everything_and_no_early_stopping() -> None:
    assert plan({}).analysis == AnalysisPlan()
    assert len(AnalysisPlan().hypotheses) == PRIMARY + EXPLORATORY + DRAFT == len(HypothesisId)
    assert said({}) == []


def test_a_rule_on_a_match_of_the_plan_is_possible() -> None:
    assert said(rule()) == []


@pytest.mark.parametrize(
    ("analysis", "told"),
    [
        ({"hypotheses": ["H1", "H1"]}, "analysis.hypotheses: expected each hypothesis at most once"),
        (
            rule(match="p1-x"),
            f"analysis.sequential[0].match: expected one of the matches {MATCH}, each once; found p1-x",
        ),
        (
            rule(match=MATCH.replace("chess", "ches")),
            (
                f"analysis.sequential[0].match: expected one of the matches {MATCH}, each once; found"
                f" {MATCH.replace('chess', 'ches')}; did you mean {MATCH}?"
            ),
        ),
        (
            rule(of_interest="2"),
            "analysis.sequential[0].of_interest: expected less than 2, the greatest distance from chance",
        ),
    ],
)
def test_what_cannot_be_analysed_is_told_in_one_line(analysis: object, told: str) -> None:
    assert said(analysis) == [told]


@pytest.mark.parametrize("alpha", ["0", "1", "0.0", "1.5", "5e-2", "0.050"])
def test_an_alpha_that_is_none_is_refused(alpha: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="alpha"):
        plan({"alpha": alpha})


@pytest.mark.parametrize(("alpha", "refused"), [("0.9", True), ("0.051", True), ("0.05", False), ("0.01", False)])
def test_an_alpha_above_the_protocols_is_refused_and_a_smaller_one_is_not(alpha: str, refused: bool) -> None:
    line = f"analysis.alpha: expected at most 0.05, the significance level of agz-0.1, found {alpha}"
    assert said({"alpha": alpha}) == ([line] if refused else [])


def test_an_unknown_hypothesis_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="H6"):
        plan({"hypotheses": ["H6"]})


def watching(games: int) -> Plan:
    of = plan(rule())
    match = msgspec.structs.replace(of.matches[0], games=games)  # type: ignore[arg-type]
    return msgspec.structs.replace(of, matches=(match,))


def test_a_clear_lead_stops_early_and_the_interval_leaves_even_play_out() -> None:
    cell = chess(CellKey("m", CHESS, 1), World(win=0.8, draw=0.1))
    (found,) = monitored_matches(watching(400), {MATCH: cell})
    assert isinstance(found.decision, Stop)
    assert found.decision.reason.value == "above"
    assert found.decision.n < 200 == found.planned
    assert Fraction(found.confidence.low) > Fraction(1, 2)


def test_even_play_goes_on_to_the_planned_end() -> None:
    cell = chess(CellKey("m", CHESS, 1), World(win=0.35, draw=0.3))
    (found,) = monitored_matches(watching(2000), {MATCH: cell})
    assert isinstance(found.decision, Continue)


def test_a_match_that_was_not_played_is_not_watched() -> None:
    assert list(monitored_matches(watching(400), {})) == []
