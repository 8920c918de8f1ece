"""Careers: an arm with a lasting store is repeated from a fresh store, and the career is the unit of inference."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from scipy import stats

from agzamov_verify.experiment.matches import Arm, Augmentation
from agzamov_verify.games.chess.cell import PAIR_WINS, ChessCell, ChessGame
from agzamov_verify.games.chess.rules import End
from agzamov_verify.plan.condition_problems import condition_problems
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import streams_of
from agzamov_verify.scoring.agzamov.convergence import Gain
from agzamov_verify.scoring.departures import departures, too_short
from agzamov_verify.scoring.hypotheses.contrasts import Weighted, one_way, weighed
from agzamov_verify.scoring.hypotheses.evidence import course
from agzamov_verify.scoring.inference.clusters import SHARE
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.inference.unit_values import (
    CAREERS,
    ONE_CAREER,
    WITHIN_ONE_CAREER,
    Ratio,
    Units,
    by_career,
    ratio_of,
)
from agzamov_verify.scoring.learning.outcome import TrendVerdict, trend_test
from agzamov_verify.scoring.units.cells import CellKey
from agzamov_verify.scoring.units.ratios import ratio_figure, share_figure
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.show.html_report.figures import estimate_cells
from agzamov_verify.show.text.analysis_text import estimate as estimate_words
from agzamov_verify.systems import OracleSystem
from agzamov_verify.table.registry import GAMES

ONE = Fraction(1)
CLUSTERS = load_score_constants("agz-0.1").clusters
HOW = Resamples(b"careers", 999, Bootstrap.EXPANDED)
REAL = (1, 2, 2, 2, 0, 1, 2, 1, 2, 2)
NAKED = (1, 0, 1, 1, 0, 1, 1, 0, 2, 1)


def of(values: Sequence[int], careers: int, starts: str = "run") -> Units:
    return Units(tuple(values), PAIR_WINS, starts, careers)


# --- inference -----------------------------------------------------------------------------------


def test_the_mean_of_careers_is_the_mean_of_their_units() -> None:
    whole, few = of(REAL, 5), by_career(of(REAL, 5))
    assert few.values == (3, 4, 1, 3, 4)
    mean, other = (Fraction(sum(one.values), len(one.values)) * one.scale.factor for one in (whole, few))
    assert mean == other


def test_a_paired_contrast_is_students_t_over_careers() -> None:
    part = weighed("d", [Weighted(of(REAL, 5), ONE), Weighted(of(NAKED, 0), -ONE)], Alternative.TWO_SIDED, HOW).parts[0]
    differences = [a - b for a, b in zip(by_career(of(REAL, 5)).values, by_career(of(NAKED, 5)).values, strict=True)]
    expected = stats.ttest_1samp(differences, 0)
    assert float(part.test.p or 0) == pytest.approx(expected.pvalue, rel=1e-5)
    assert part.estimate
    assert (part.estimate.over, part.estimate.n) == (CAREERS, (5,))
    low, high = expected.confidence_interval()
    assert part.estimate.ci
    per_career = 2 * 2  # units of a career, wins of a pair to a win rate
    assert float(part.estimate.ci.low) == pytest.approx(low / per_career, abs=1e-6)
    assert float(part.estimate.ci.high) == pytest.approx(high / per_career, abs=1e-6)


def test_the_figure_of_each_career_stands_beside_an_interval_over_careers() -> None:
    """Stats F3: of five careers one that was poisoned is seen in five numbers, and not in mean and interval."""
    paired = weighed("d", [Weighted(of(REAL, 5), ONE), Weighted(of(NAKED, 0), -ONE)], Alternative.GREATER, HOW)
    apart = weighed("d", [Weighted(of(REAL, 5), ONE), Weighted(of(NAKED, 0, ""), -ONE)], Alternative.GREATER, HOW)
    units = weighed("d", [Weighted(of(REAL, 0), ONE), Weighted(of(NAKED, 0), -ONE)], Alternative.GREATER, HOW)
    found = [joint.parts[0].estimate for joint in (paired, apart, units)]
    assert [one.by_career for one in found if one] == [
        (("0.500000", "0.500000", "0.000000", "0.500000", "0.250000"),),
        (("0.750000", "1.000000", "0.250000", "0.750000", "1.000000"),),
        (),
    ]
    assert found[0]
    assert found[0].value
    (row,) = found[0].by_career
    assert sum(map(Fraction, row)) / 5 == Fraction(found[0].value.exact)
    ratio = ratio_of([1, 2, 3, 4], [4, 4, 4, 0], SHARE, 2)
    shares = [figure(ratio) for figure in (lambda one: share_figure(one, CLUSTERS), _ratio_alone)]
    assert [one.by_career for one in shares] == [(("0.375000", "1.750000"),)] * 2


def _ratio_alone(ratio: Ratio) -> Estimate:
    return ratio_figure([(ratio, ONE)], CLUSTERS)


def test_details_and_tables_have_the_value_of_each_career() -> None:
    part = weighed("d", [Weighted(of(REAL, 5), ONE), Weighted(of(NAKED, 0), -ONE)], Alternative.TWO_SIDED, HOW).parts[0]
    assert part.estimate
    assert "n 5 careers: 0.5, 0.5, 0, 0.5, 0.25, MDE" in estimate_words(part.estimate)
    assert estimate_cells(part.estimate)[2] == "5 careers: +0.5, +0.5, +0, +0.5, +0.25"


def test_careers_on_other_starts_are_tested_by_welchs_t_against_all_units() -> None:
    groups = [Weighted(of(REAL, 5, "one"), ONE), Weighted(of(NAKED, 0, "other"), -ONE)]
    part = weighed("d", groups, Alternative.GREATER, HOW).parts[0]
    expected = stats.ttest_ind([v / 4 for v in (3, 4, 1, 3, 4)], [v / 2 for v in NAKED], equal_var=False)
    assert float(part.test.p or 0) == pytest.approx(expected.pvalue / 2, rel=1e-5)


def test_of_one_career_there_is_a_value_and_neither_an_interval_nor_a_test() -> None:
    part = weighed("d", [Weighted(of(REAL, 1), ONE), Weighted(of(NAKED, 0), -ONE)], Alternative.GREATER, HOW).parts[0]
    assert part.estimate
    assert (part.estimate.value is not None, part.estimate.ci, part.estimate.over) == (True, None, ONE_CAREER)
    assert (part.test.p, part.test.note) == (None, WITHIN_ONE_CAREER)


def test_without_careers_nothing_changes() -> None:
    part = weighed("d", [Weighted(of(REAL, 0), ONE), Weighted(of(NAKED, 0), -ONE)], Alternative.TWO_SIDED, HOW).parts[0]
    assert float(part.test.p or 0) == pytest.approx(stats.ttest_rel(REAL, NAKED).pvalue, rel=1e-5)
    assert part.estimate
    assert (part.estimate.n, part.estimate.over) == ((10,), "")


def test_careers_of_different_numbers_are_not_paired() -> None:
    assert of(REAL, 5).pairs_with(of(NAKED, 0))
    assert not of(REAL, 5).pairs_with(of(NAKED, 2))


def test_units_that_careers_do_not_divide_are_of_one_career() -> None:
    assert of(REAL[:9], 5).is_one_career


def test_some_units_of_careers_have_no_interval() -> None:
    games = tuple(ChessGame(2, 2, End.CHECKMATE, False, (0, 0), 40) for _ in range(20))
    key = CellKey("m", "chess960", 2, Augmentation.MEMORY, Arm.REAL, "s")
    cell = ChessCell(key, games, careers=5)
    assert cell.some_units([1, 2, 1], PAIR_WINS).is_one_career
    assert not cell.measured().is_one_career
    assert [len(part) for part in cell.by_career(games)] == [4] * 5


SHORT = "careers of 2 starts played with both colours, fewer than 15"


def test_of_careers_that_are_too_short_there_is_a_value_and_neither_an_interval_nor_a_test() -> None:
    short = msgspec.structs.replace(of(REAL, 5), too_short=SHORT)
    for groups in (
        [Weighted(short, ONE)],
        [Weighted(short, ONE), Weighted(of(NAKED, 0), -ONE)],
        [Weighted(short, ONE), Weighted(of(NAKED, 0, "other"), -ONE)],
    ):
        part = weighed("d", groups, Alternative.GREATER, HOW).parts[0]
        assert part.estimate
        assert part.estimate.value is not None
        assert (part.estimate.ci, part.estimate.mde, part.estimate.sd, part.estimate.ci_note) == (*[None] * 3, SHORT)
        assert (part.test.p, part.test.note) == (None, SHORT)
    assert one_way("a", [short, of(NAKED, 5)]).parts[0].test.note == SHORT


def test_rates_and_ratios_of_careers_that_are_too_short_have_no_interval() -> None:
    constants = load_score_constants("agz-0.1").clusters
    ratio = ratio_of([2, 3, 1, 4, 2], [80, 80, 90, 80, 80], SHARE, 5, SHORT)
    for found in (share_figure(ratio, constants), ratio_figure([(ratio, ONE)], constants)):
        assert (found.ci, found.mde, found.over, found.n, found.ci_note) == (None, None, CAREERS, (5,), SHORT)
        assert found.value


def test_careers_that_are_too_short_show_no_gain_and_no_trend() -> None:
    constants = load_score_constants("agz-0.1")
    points = [half for lost in range(8, 13) for half in [0] * lost + [2] * (24 - lost)]
    won = [ChessGame(half, half, End.CHECKMATE, False, (0, 0), 40) for half in points]
    lost = tuple(ChessGame(0, 0, End.CHECKMATE, False, (0, 0), 40) for _ in won)
    key = CellKey("m", "chess960", 2, Augmentation.MEMORY, Arm.REAL, "s")
    control = ChessCell(msgspec.structs.replace(key, arm=Arm.NAKED, system=""), lost, starts="run")
    long = ChessCell(key, tuple(won), starts="run", careers=5)
    short = msgspec.structs.replace(long, too_short=SHORT)
    rule = constants.learning.rules["chess960"]
    shown = [Gain(cell, control).is_shown for cell in (long, short)]
    verdicts = [trend_test(course(cell, 5), rule, b"").verdict for cell in (long, short)]
    assert shown == [True, False]
    assert verdicts[0] is not TrendVerdict.TOO_FEW_RESULTS
    assert verdicts[1] is TrendVerdict.TOO_FEW_RESULTS


# --- the plan ------------------------------------------------------------------------------------

PLAN: dict[str, Any] = {
    "title": "Careers",
    "seats": {"agent": {"kind": "reference"}, "habit": {"kind": "reference", "patterns": ["castles_early"]}},
    "systems": {"oracle": {"kind": "oracle", "facts": "It castles early."}},
}


def real(careers: int, arm: str = "real", **changes: object) -> dict[str, Any]:
    system = {} if arm == "naked" else {"system": "oracle"}
    condition = {"augmentation": "memory", "arm": arm, **system}
    match = {"phase": 2, "game": "chess960", "a": "agent", "b": "habit", "games": 20, "careers": careers}
    return {**match, "condition": condition, **changes}


def plan(*matches: dict[str, Any], **changes: object) -> Plan:
    return msgspec.convert({**PLAN, "matches": matches, **changes}, Plan)


def test_each_career_is_one_stream_in_game_order() -> None:
    streams = list(streams_of(plan(real(5)).matches[0]))
    assert [(stream.first, stream.count) for stream in streams] == [(0, 4), (4, 4), (8, 4), (12, 4), (16, 4)]


def test_a_plan_with_careers_of_whole_units_has_no_problem() -> None:
    assert list(condition_problems(plan(real(5, "naked"), real(5)))) == []


@pytest.mark.parametrize(
    ("matches", "changes", "wanted"),
    [
        ([real(5, phase=1, condition={})], {}, "expected none: without an augmentation nothing lasts"),
        (
            [real(0, "naked"), real(5)],
            {},
            "expected 0 as in p2-chess960-memory_naked-agent-habit: arms are played alike",
        ),
        ([real(3)], {}, "expected a number that divides 20 into whole starts played with both colours, found 3"),
        ([real(5), real(2, phase=3)], {}, "expected 5 as in p2-chess960-memory_real_oracle-agent-habit, found 2"),
        (
            [real(5, game="holdem", games=msgspec.UNSET, hands=2000)],
            {"holdem": {"mirrored": True}},
            "expected none where decks are mirrored",
        ),
        (
            [real(5)],
            {"analysis": {"sequential": [{"match": "p2-chess960-memory_real_oracle-agent-habit"}]}},
            "expected none in a match that is watched",
        ),
    ],
)
def test_careers_that_cannot_be_are_refused(
    matches: list[dict[str, Any]], changes: dict[str, Any], wanted: str
) -> None:
    given = [{key: value for key, value in match.items() if value is not msgspec.UNSET} for match in matches]
    found = [problem for problem in condition_problems(plan(*given, **changes)) if problem.path.endswith("careers")]
    assert [problem.message for problem in found if wanted in problem.message]


def test_a_system_that_keeps_a_store_needs_careers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(condition_problems(plan(real(0)))) == []
    monkeypatch.setattr(OracleSystem, "keeps_store", True)
    monkeypatch.setattr(type(GAMES["chess960"]), "remembers", True)
    assert [problem.path for problem in condition_problems(plan(real(0)))] == ["matches[0].careers"]
    assert list(condition_problems(plan(real(1)))) == []


def test_a_shift_lies_within_a_career() -> None:
    found = [problem.message for problem in condition_problems(plan(real(5, shifts=[{"after": 6, "patterns": []}])))]
    assert found == ["expected more than 0 and fewer than 4, found 6"]


@pytest.mark.parametrize(("games", "words"), [(140, "careers of 14 starts played with both colours"), (150, "")])
def test_careers_of_fewer_units_than_the_protocol_asks_are_too_short_and_a_departure(games: int, words: str) -> None:
    some = plan(real(5, games=games))
    wanted = f"{words}, fewer than 15" if words else ""
    assert too_short(some.matches[0], some) == wanted
    assert any("careers of" in line for line in departures(some)) is bool(words)


def test_fewer_careers_than_the_protocol_asks_are_a_departure() -> None:
    wanted = "2 careers planned, at least 5 required"
    assert any(wanted in line for line in departures(plan(real(2))))
    assert not any("careers planned" in line for line in departures(plan(real(5))))
