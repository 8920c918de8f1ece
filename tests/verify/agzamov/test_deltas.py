"""Deltas with and without what the harness decided, and ratings with and without it."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from scipy import stats

from agzamov_verify.core import canon
from agzamov_verify.experiment.analysis_plan import AnalysisPlan
from agzamov_verify.experiment.matches import Arm, Augmentation
from agzamov_verify.experiment.opponent_patterns import ShiftKind
from agzamov_verify.games.chess.cell import ChessCell
from agzamov_verify.games.chess.match_analysis import chess_analysis
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.holdem.cell import PokerCell
from agzamov_verify.games.holdem.hand_script import PokerRules
from agzamov_verify.games.holdem.match_analysis import poker_analysis, preflop_quality
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.analysis import recoveries_of
from agzamov_verify.scoring.deltas import delta_analysis, difference_figure, measured_difference, tau_ratios
from agzamov_verify.scoring.hypotheses.verdicts import verdicts
from agzamov_verify.scoring.inference.estimate import Estimate, Scale
from agzamov_verify.scoring.inference.unit_values import Measure, Ratio
from agzamov_verify.scoring.learning.outcome import TrendVerdict
from agzamov_verify.scoring.match_figures import Setting, p_above_half
from agzamov_verify.scoring.units.cells import Cell, CellKey, performance
from agzamov_verify.table.declared import FaultKind
from verify.agzamov.generator import CHESS, POKER, World, arms, cell, chess, evidence, hand_record, poker
from verify.hypotheses.planted import shifted

GAINS = World(win=0.6, mean=100)


def value(estimate: Estimate) -> Fraction:
    assert estimate.value is not None
    return Fraction(estimate.value.exact)


def adjudicated_wins(some: Cell) -> Cell:
    """Every third pair of the real arm was given to it by the harness."""
    if not isinstance(some, ChessCell) or some.key.arm is not Arm.REAL:
        return some
    given = {"halfpoints": 2, "end": End.ADJUDICATION}
    games = (msgspec.structs.replace(game, **given) if at // 2 % 3 == 0 else game for at, game in enumerate(some.games))
    return msgspec.structs.replace(some, games=tuple(games))


def test_a_delta_of_ratios_is_the_first_less_the_second() -> None:
    """As where a session of hold'em has hands that are left out: chips over hands, 9/4 less 3/6."""
    real, naked = (
        Ratio(above, below, Scale("chips", Fraction(1))) for above, below in (((4, 5), (2, 2)), ((1, 2), (3, 3)))
    )
    assert value(difference_figure(real, naked, evidence([]))) == Fraction(9, 4) - Fraction(3, 6)


def test_a_delta_is_the_difference_of_the_papers_p_and_points_stand_beside_it() -> None:
    cells = arms(GAINS)
    of_chess, of_poker = delta_analysis(evidence(cells))
    real, naked = (one for one in cells if isinstance(one, ChessCell))
    assert value(of_chess.performance.everything) == Fraction(real.wins - naked.wins, len(real.games))
    points = [sum(one.halfpoints) for one in (real, naked)]
    assert value(of_chess.score.everything) == Fraction(points[0] - points[1], 2 * len(real.games))
    assert value(of_poker.performance.everything) == value(of_poker.score.everything)
    assert list(of_poker.adjusted) == ["all_in", "street_equity", "baseline"]
    assert of_chess.adjusted == {}


def test_what_the_harness_gave_away_is_not_in_the_delta_decided_by_play() -> None:
    plain = next(iter(delta_analysis(evidence(arms(GAINS)))))
    given = next(iter(delta_analysis(evidence([adjudicated_wins(one) for one in arms(GAINS)]))))
    assert value(given.performance.everything) > value(plain.performance.everything) + Fraction(1, 10)
    assert abs(value(given.performance.by_play) - value(plain.performance.by_play)) < Fraction(1, 20)
    assert given.performance.by_play.n[0] < plain.performance.by_play.n[0]


def test_errors_of_either_seat_take_their_pair_out() -> None:
    erring = [
        cell(CellKey("m", CHESS, 2, arm=arm), World(errors=0.3 if arm is Arm.REAL else 0))
        for arm in (Arm.REAL, Arm.NAKED)
    ]
    (delta,) = delta_analysis(evidence(erring))
    assert delta.performance.without_errors.n[0] < delta.performance.everything.n[0]
    assert delta.performance.without_errors.n[1] == delta.performance.everything.n[1]


def careers_of(cells: list[Cell], count: int) -> list[Cell]:
    """The cells as so many careers, all on one run's starts."""
    return [msgspec.structs.replace(one, starts="run", careers=count) for one in cells]


@pytest.mark.parametrize("game", [CHESS, POKER])
@pytest.mark.parametrize("against", [Arm.NAKED, Arm.PLACEBO])
def test_the_variance_of_a_measured_difference_is_that_of_its_interval(game: str, against: Arm) -> None:
    """Over careers: Student's interval, so half its width is t times the standard error."""
    found = evidence(careers_of(arms(GAINS, placebo=World(), games=[game]), 5))
    (delta,) = found.deltas(game, against=against)
    estimate, total = measured_difference(delta, found)
    assert total
    assert (value(estimate), estimate.n, total.df) == (total.value, (5,), 4)
    assert estimate.ci
    half = (float(estimate.ci.high) - float(estimate.ci.low)) / 2
    assert half == pytest.approx(stats.t.ppf(0.975, 4) * float(total.squared_error) ** 0.5, abs=1e-6)
    if against is Arm.NAKED:
        assert estimate == next(iter(delta_analysis(found))).score.everything


def test_a_measured_difference_of_unlike_numbers_of_repetitions_is_welchs() -> None:
    """The arm without careers has a mean of many units, in their own unit."""
    real, naked = arms(GAINS, games=[CHESS])
    found = evidence([*careers_of([real], 5), naked])
    (delta,) = found.deltas(CHESS)
    _, total = measured_difference(delta, found)
    assert total
    points = [
        [float(x) * float(units.scale.factor) for x in units.values]
        for units in (real.measured(Measure.SCORE), naked.measured(Measure.SCORE))
    ]
    careers = [np.mean(part) for part in np.split(np.array(points[0]), 5)]
    errors = [np.var(careers, ddof=1) / 5, np.var(points[1], ddof=1) / len(points[1])]
    df = sum(errors) ** 2 / (errors[0] ** 2 / 4 + errors[1] ** 2 / (len(points[1]) - 1))
    assert (float(total.squared_error), float(total.df)) == pytest.approx((sum(errors), df), rel=1e-9)


def test_a_measured_difference_without_variation_has_the_variance_of_its_interval() -> None:
    """Every game won, and every one lost: Wilson's bounds have a width, and the sample none."""
    cells = arms(World(win=1, draw=0), naked=World(win=0, draw=0), games=[CHESS])
    found = evidence(cells)
    (delta,) = found.deltas(CHESS)
    estimate, total = measured_difference(delta, found)
    assert total
    assert estimate.ci
    assert estimate.ci.method == "wilson"
    half = (float(estimate.ci.high) - float(estimate.ci.low)) / 2
    assert float(total.squared_error) ** 0.5 == pytest.approx(half / 1.959964, abs=1e-6)


def test_one_career_has_no_variance() -> None:
    found = evidence(careers_of(arms(GAINS, games=[CHESS]), 1))
    (delta,) = found.deltas(CHESS)
    estimate, total = measured_difference(delta, found)
    assert (estimate.ci, total) == (None, None)


def test_a_delta_on_the_same_starts_is_taken_pair_by_pair() -> None:
    cells = [msgspec.structs.replace(one, starts="run") for one in arms(GAINS, games=[CHESS])]
    (delta,) = delta_analysis(evidence(cells))
    assert len(delta.performance.everything.n) == 1
    assert delta.performance.by_play == delta.performance.everything, "nothing is left out, so it is the same figure"


def df_of(given: ChessCell) -> float:
    """Degrees of freedom of the variance of a share of single games (clusters of one)."""
    shares = np.array([game.end is End.ADJUDICATION for game in given.games], dtype=float)
    away = shares - shares.mean()
    n, squares = len(away), (away**2).sum()
    return float(min(n - 1, 2 * squares**2 / ((away**4).sum() - squares**2 / n)))


def score_interval(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's formula from the textbook."""
    centre = share + quantile**2 / (2 * n)
    half = quantile * np.sqrt(share * (1 - share) / n + quantile**2 / (4 * n * n))
    return (centre - half) / (1 + quantile**2 / n), (centre + half) / (1 + quantile**2 / n)


def test_how_games_were_decided_is_counted_with_its_interval() -> None:
    given = next(one for one in map(adjudicated_wins, arms(GAINS, games=[CHESS])) if one.key.arm is Arm.REAL)
    assert isinstance(given, ChessCell)
    found = chess_analysis(
        given, Setting("m", 2, ("a", "b"), 0, Fraction(1, 20), symmetric=False), evidence([given])
    ).decided
    shares = {kind: Fraction(one.value.exact) for kind, one in found.items() if one.value}
    counts = {kind: share * len(given.games) for kind, share in shares.items()}
    assert counts["adjudication"] == sum(at // 2 % 3 == 0 for at in range(len(given.games)))
    assert counts["by_play"] + counts["adjudication"] == len(given.games)
    assert counts["forfeit"] == counts["ply_limit"] == counts["substitution"] == 0
    interval = found["adjudication"].ci
    n = len(given.games)
    share, quantile = shares["adjudication"], float(stats.t.ppf(0.975, df_of(given)))
    low, high = score_interval(float(share), n - 1, quantile)
    assert interval is not None
    assert [float(interval.low), float(interval.high)] == pytest.approx([low, high], abs=1e-5)
    hands = cell(CellKey("m", POKER, 1), World(errors=0.3))
    assert isinstance(hands, PokerCell)
    own = poker_analysis(
        hands, Setting("m", 1, ("a", "b"), 0, Fraction(1, 20), symmetric=False), evidence([hands])
    ).decided["by_play"]
    played = sum(hand.decided_by_play for hand in hands.hands)
    assert value(own) == Fraction(played, len(hands.hands))
    assert 0 < played < len(hands.hands)


def test_where_a_placebo_was_played_the_headline_is_less_it() -> None:
    """A model that plays worse where no memory text stands gains nothing over the placebo, and all over the control."""
    worse, same = World(win=0.1), World(win=0.4)
    cells = arms(same, worse, same, games=[CHESS])
    (row,) = delta_analysis(evidence(cells))
    by_arm = {one.key.arm: one for one in cells}
    assert row.less_placebo
    less = performance(by_arm[Arm.REAL]) - performance(by_arm[Arm.PLACEBO])
    assert value(row.less_placebo) == less
    assert value(row.performance.everything) > Fraction(1, 5) > abs(less)
    (without,) = delta_analysis(evidence(arms(same, worse, games=[CHESS])))
    assert without.less_placebo is None


def career_arm(arm: Arm, worlds: Sequence[World], stale_from: int = 0) -> Cell:
    """A cell of hold'em in careers whose first units are of one world, and the others of another."""
    key = CellKey("m", POKER, 2, Augmentation.MEMORY, arm, "" if arm is Arm.NAKED else "s")
    parts = [
        poker(msgspec.structs.replace(key, part=f"{career}{at}"), world, 1000)
        for career in range(5)
        for at, world in enumerate(worlds)
    ]
    hands = tuple(hand for part in parts for hand in part.hands)
    return msgspec.structs.replace(parts[0], key=key, hands=hands, careers=5, stale_from=stale_from)


def test_going_on_learning_is_worth_the_real_arm_less_the_stale_one_and_more_where_their_entries_differ() -> None:
    """Up to the tenth unit both arms are of one world; from there on the real one wins more."""
    even, better = World(mean=0.0), World(mean=300.0)
    naked, stale = career_arm(Arm.NAKED, (even, even, even)), career_arm(Arm.STALE, (even, even, even), stale_from=10)
    (row,) = delta_analysis(evidence([naked, stale, career_arm(Arm.REAL, (even, better, better))]))
    assert row.less_stale
    assert row.less_stale_late
    assert row.less_stale_late.n == (5, 5)
    assert value(row.less_stale_late) > value(row.less_stale) > 100
    late = [
        career_arm(arm, worlds).measured().values
        for arm, worlds in ((Arm.REAL, (even, better, better)), (Arm.STALE, (even, even, even)))
    ]
    sums = [sum(values[at + career * 30] for career in range(5) for at in range(10, 30)) for values in late]
    assert value(row.less_stale_late) == Fraction(sums[0] - sums[1], 5 * 20 * 100)
    assert row.less_filler is None


def test_too_few_units_after_a_memory_was_stale_have_a_value_and_no_interval() -> None:
    even = World(mean=0.0)
    arms = [career_arm(arm, (even, even)) for arm in (Arm.NAKED, Arm.REAL)]
    (row,) = delta_analysis(evidence([*arms, career_arm(Arm.STALE, (even, even), stale_from=10)]))
    assert row.less_stale
    assert row.less_stale.ci
    assert row.less_stale_late
    assert row.less_stale_late.ci is None
    assert row.less_stale_late.ci_note == "10 units of a career after the memory was stale, fewer than 15"


def test_the_real_arm_is_compared_with_filler_as_long() -> None:
    same, poorer = World(win=0.4), World(win=0.2)
    filler = chess(CellKey("m", CHESS, 2, Augmentation.MEMORY, Arm.FILLER, "s"), poorer)
    (row,) = delta_analysis(evidence([*arms(same, games=[CHESS]), filler]))
    assert row.less_filler
    assert value(row.less_filler) > Fraction(1, 10)
    assert row.less_stale is row.less_stale_late is row.less_placebo is None


@pytest.mark.parametrize("game", [CHESS, POKER])
def test_what_both_arms_gain_in_the_course_of_a_run_is_no_learning(game: str) -> None:
    """An endpoint that is updated lifts the naked arm as well; without its control the real arm had "learned"."""
    risen = World(win=0.1, late=0.6, tau=60) if game == CHESS else World(mean=-100, late=300, tau=400)
    real, naked = arms(risen, risen, games=[game])
    both, alone = evidence([real, naked]), evidence([real])
    assert alone.learned(real).verdict is TrendVerdict.LEARNED
    assert both.learned(real).verdict is TrendVerdict.NO_CONVERGENCE_DETECTED
    assert both.learned(naked).verdict is TrendVerdict.LEARNED, "the negative control sees that the world changed"
    assert not both.learned(naked).less_control


def test_what_both_arms_gain_after_a_shift_is_no_learning() -> None:
    risen = World(win=0.1, late=0.6, tau=60)
    both = [msgspec.structs.replace(cell, shifts=(20,)) for cell in arms(risen, risen, games=[CHESS])]
    (alone,), (beside,) = evidence(both[:1]).recovered(both[0]), evidence(both).recovered(both[0])
    assert (alone.curve.verdict, alone.curve.less_control) == (TrendVerdict.LEARNED, False)
    assert (beside.curve.verdict, beside.curve.less_control) == (TrendVerdict.NO_CONVERGENCE_DETECTED, True)
    unshifted = msgspec.structs.replace(both[1], shifts=())
    (other,) = evidence([both[0], unshifted]).recovered(both[0])
    assert not other.curve.less_control, "a control that meets no shift is none after it"


def test_an_arm_that_falls_less_than_its_control_has_no_tau() -> None:
    """It is above its control more and more, and gained nothing that took games."""
    real, naked = arms(World(win=0.55, late=-0.15, tau=60), World(win=0.65, late=-0.6, tau=60), games=[CHESS])
    found = evidence([real, naked]).learned(real)
    assert found.verdict is TrendVerdict.LEARNED
    assert found.curve
    assert Fraction(found.curve.gain.exact) < 0
    assert found.tau is None


def test_a_match_its_score_and_its_ratio_have_one_tau() -> None:
    """One draw for one cell: a match may not have learned in one table and not in another."""
    worlds = {CHESS: World(win=0.1, late=0.6, tau=60), POKER: World(mean=-100, late=300, tau=400)}
    cells = [one for game, world in worlds.items() for one in arms(world, games=[game])]
    some = evidence(cells)
    real = {one.key.game: one for one in cells if one.key.arm is Arm.REAL}
    learned = {game: some.learned(one) for game, one in real.items()}
    assert isinstance(real[CHESS], ChessCell)
    setting = Setting("m", 2, ("a", "b"), 0, Fraction(1, 20), symmetric=False)
    assert chess_analysis(real[CHESS], setting, some).learning == learned[CHESS]
    separate, alone = msgspec.structs.replace(real[CHESS]), evidence([])
    by_itself = chess_analysis(separate, setting, alone).learning
    assert by_itself.p_corrected == by_itself.p, "the test of a cell that is not of the family stands by itself"
    same = by_itself.curve, by_itself.words, by_itself.tau
    assert same == (learned[CHESS].curve, learned[CHESS].words, learned[CHESS].tau)
    assert (by_itself.less_control, learned[CHESS].less_control) == (False, True)
    (row,) = tau_ratios(some)
    assert (row.model, row.augmentation, row.system) == ("m", "memory", "s")
    curves = [learned[game].curve for game in (POKER, CHESS)]
    assert row.ratio.fitted is not None
    assert Fraction(row.ratio.fitted.exact) == Fraction(*(curve.tau for curve in curves if curve))
    assert list(tau_ratios(evidence([one for one in cells if one.key.game == CHESS]))) == []


def test_recovery_from_each_shift_is_analysed() -> None:
    some = shifted(CellKey("m", CHESS, 3, Augmentation.MEMORY, Arm.REAL, "s"), 40.0)
    (found,) = recoveries_of({"m": some}, evidence([some]), {"m": [(ShiftKind.PATTERN_BREAK,)]})
    assert (found.match, found.kinds, found.outcome.shift_after) == ("m", (ShiftKind.PATTERN_BREAK,), 300)
    assert found.outcome.drop is not None


@pytest.mark.slow
def test_whatever_a_phase_brings_fits_into_the_verdict() -> None:
    """Canonical JSON has eight levels, of which a verdict takes two before the parts of its analysis."""
    key = CellKey("m", CHESS, 3, Augmentation.MEMORY, Arm.REAL, "s")
    game, some = shifted(key, 40.0), evidence(arms(GAINS))
    hands = cell(CellKey("m", POKER, 1), GAINS)
    assert isinstance(hands, PokerCell)
    setting = Setting("m", 3, ("a", "a"), 0, Fraction(1, 20), symmetric=True)
    preflop = preflop_quality([hand_record(500), hand_record(-300)] * 100, PokerRules(), some.constants.clusters)
    parts: dict[str, object] = {
        "matches": [
            chess_analysis(game, setting, evidence([game])),
            poker_analysis(hands, setting, evidence([hands]), preflop),
        ],
        "recoveries": list(recoveries_of({"m": game}, evidence([game]), {"m": [()]})),
        "deltas": list(delta_analysis(some)),
        "tau_ratios": list(tau_ratios(some)),
        "tests": verdicts(AnalysisPlan(), some, load_protocol("agz-0.1").verdict).tests,
    }
    assert all(parts.values())
    assert canon.loads(canon.dumps({"analysis": parts}))


def test_ratings_stand_with_and_without_games_that_the_harness_decided() -> None:
    given = next(one for one in map(adjudicated_wins, arms(GAINS, games=[CHESS])) if one.key.arm is Arm.REAL)
    assert isinstance(given, ChessCell)
    found = chess_analysis(given, Setting("m", 2, ("a", "b"), 0, Fraction(1, 20), symmetric=False), evidence([given]))
    decided = sum(game.decided_by_play for game in given.games)
    assert found.glicko2.left_out == found.elo.left_out == len(given.games) - decided
    assert float(found.glicko2.everything.a[-1].rating) > float(found.glicko2.by_play.a[-1].rating)
    assert found.glicko2.everything.a[-1].results == len(given.games)
    assert found.symmetry is None


def test_wins_above_one_half_are_not_tested_in_self_play_nor_over_careers() -> None:
    """In self-play half of the decided games are won whatever happens; games of a career depend on each other."""
    self_play = Setting("m", 1, ("a", "a"), 0, Fraction(1, 20), symmetric=True)
    match = Setting("m", 0, ("a", "b"), 0, Fraction(1, 20), symmetric=False)
    cell = msgspec.structs.replace(next(iter(arms(GAINS, games=[CHESS]))), careers=0)
    assert p_above_half(30, 30, self_play, cell) is None
    assert p_above_half(30, 30, match, msgspec.structs.replace(cell, careers=5)) is None
    assert p_above_half(30, 30, match, msgspec.structs.replace(cell, no_finding="no finding: drawn")) is None
    assert float(p_above_half(30, 30, match, cell) or 1) == pytest.approx(0.5**30, rel=1e-3)


@pytest.mark.parametrize(("game", "expected"), [(CHESS, "0.500000"), (POKER, "0.000000")])
def test_self_play_is_tested_against_its_symmetry(game: str, expected: str) -> None:
    """Oracle: scipy's permutation test of signs; even play passes, a seat that always does better does not."""
    setting = Setting("m", 1, ("a", "a"), 0, Fraction(1, 20), symmetric=True)
    verdicts = []
    for world in (World(), World(win=0.65, mean=120)):
        one = cell(CellKey("m", game, 1), world)
        analyse = chess_analysis if isinstance(one, ChessCell) else poker_analysis
        found = analyse(one, setting, evidence([one])).symmetry  # type: ignore[operator]
        assert found.expected.decimal == expected
        verdicts.append(found.violated)
        if isinstance(one, ChessCell):
            signs = [pair - 2 for pair in one.units(lambda game: game.halfpoints)]
            oracle = stats.permutation_test((signs,), sum, permutation_type="samples", n_resamples=4000, rng=1)
            assert float(found.test.p) == pytest.approx(oracle.pvalue, abs=0.04)
    assert verdicts == [False, True]


def test_error_rates_are_by_seat_attempt_and_class() -> None:
    one = cell(CellKey("m", CHESS, 1), World(errors=0.3))
    assert isinstance(one, ChessCell)
    found = chess_analysis(one, Setting("m", 1, ("a", "b"), 0, Fraction(1, 20), symmetric=False), evidence([one]))
    rows = {(row.side, row.attempt, row.kind): row for row in found.errors}
    assert len(rows) == 2 * 2 * (len(FaultKind) + 1)
    tally = one.tallies[0]
    assert rows["a", "first", "no_action"].count == tally.first_no_action > 0
    assert rows["a", "final", "all"].count == 0
    every = rows["a", "first", "all"]
    assert every.n == sum(game.decisions[0] > 0 for game in one.games)
    assert every.ci is not None
    low, high = stats.binomtest(every.count, every.decisions).proportion_ci(method="wilson")
    assert [float(every.ci.low), float(every.ci.high)] == pytest.approx([low, high], abs=0.01)
    assert rows["a", "first", "no_action"].ci is None
