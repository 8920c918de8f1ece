"""Early stopping: a second implementation, validity under looking at every pair, power, and declared bounds."""

from decimal import Decimal
from fractions import Fraction
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agzamov_verify.scoring.inference.samples import Interval
from agzamov_verify.scoring.inference.sequential_test import (
    BETS,
    Continue,
    Gambler,
    Reason,
    SequentialPlan,
    Stop,
    confidence,
    decide,
)
from agzamov_verify.scoring.inference.significance import Alternative
from calibration.simulated_matches import ChessWorld, PokerWorld, pair_points, session_chips

PAIRS = 250
ONE = Fraction(1)


def plan(**changes: object) -> SequentialPlan:
    """A plan for 250 start pairs, one-sided at 1 %, as in the table of the facts."""
    declared = {
        "alpha": Decimal("0.01"),
        "least": 0,
        "greatest": 4,
        "null": 2,
        "alternative": Alternative.GREATER,
        "of_interest": None,
        "planned": PAIRS,
    }
    return SequentialPlan(**{**declared, **changes})  # type: ignore[arg-type]


def wealth_again(values: list[int], mean: Fraction, worst: int) -> Fraction:
    """The module's formula, word for word."""
    total = Fraction(0)
    for bet in BETS:
        product = Fraction(1)
        for value in values:
            product *= 1 + Fraction(bet, 16) * (value - mean) / (mean - worst)
        total += product
    return total / len(BETS)


def stops(world: ChessWorld, declared: SequentialPlan, matches: int, seed: bytes = b"sequential") -> list[Stop]:
    found = [decide([int(one) for one in row], declared) for row in pair_points(world, PAIRS, matches, seed)]
    assert all(isinstance(one, Stop) for one in found)
    return [one for one in found if isinstance(one, Stop)]


@given(
    st.lists(st.integers(0, 4), max_size=12),
    st.fractions(Fraction(1, 10), Fraction(39, 10), max_denominator=50),
    st.sampled_from([0, 4]),
)
def test_the_wealth_is_the_formulas(values: list[int], mean: Fraction, worst: int) -> None:
    gambler = Gambler(mean, worst)
    for value in values:
        gambler.take(value)
    expected = wealth_again(values, mean, worst)
    assert gambler.wealth == expected
    assert gambler.has(expected)
    assert not gambler.has(expected + Fraction(1, 10**9))


@pytest.mark.parametrize(
    ("mean", "worst", "wealth"),
    [
        (Fraction(2), 0, (1.3958333333333333, 2.4177652994791665, 4.8364955616804455, 11.92793898229415)),
        (Fraction(2), 4, (0.6041666666666666, 0.33744303385416663, 0.17445505332822597, 0.07726500831417772)),
        (Fraction(7, 5), 0, (1.7351190476190474, 5.767924270513371, 29.736232929276376, 452.0549564077246)),
        (Fraction(3), 0, (1.1319444444444444, 1.1072199315200617, 1.0270314262945681, 0.6732900731694532)),
        (Fraction(3), 4, (0.6041666666666666, 0.5165201822916666, 0.38368610541025794, 0.41002150399296744)),
    ],
)
def test_the_wealth_is_that_of_the_papers_own_program(mean: Fraction, worst: int, wealth: tuple[float, ...]) -> None:
    """After 1, 4, 8, 16 pairs, by diversified_betting_mart of confseq 0.0.11, Waudby-Smith's own; see decision 74."""
    gambler, found = Gambler(mean, worst), []
    for value in (4, 3, 2, 4, 1, 3, 4, 4, 2, 3, 0, 4, 3, 4, 2, 4):
        gambler.take(value)
        found.append(float(gambler.wealth))
    assert [found[n - 1] for n in (1, 4, 8, 16)] == pytest.approx(wealth, rel=1e-12)


def test_under_the_null_the_game_is_fair() -> None:
    """The expected wealth after any one observation of a fair world is what it was."""
    for mean, chances in ((2, [1, 2, 3, 2, 1]), (1, [3, 1, 1, 1, 0])):
        assert Fraction(sum(at * chance for at, chance in enumerate(chances)), sum(chances)) == mean
        after = [wealth_again([3, 1, at], Fraction(mean), 0) for at in range(5)]
        expected = sum((chance * one for chance, one in zip(chances, after, strict=True)), Fraction(0)) / sum(chances)
        assert expected == wealth_again([3, 1], Fraction(mean), 0)


@pytest.mark.parametrize("world", [ChessWorld(), ChessWorld(draws=Fraction(1, 10)), ChessWorld(white=Fraction(1, 10))])
def test_looking_at_every_pair_errs_less_than_alpha(world: ChessWorld) -> None:
    declared = plan(alpha=Decimal("0.05"), alternative=Alternative.TWO_SIDED)
    wrong = sum(one.reason is not Reason.PLANNED_END for one in stops(world, declared, 300))
    assert wrong <= 0.05 * 300 + 3 * (0.05 * 0.95 * 300) ** 0.5
    assert wrong > 0, "a bound that is never reached has no power"


def test_a_large_effect_stops_early_and_a_small_one_does_not() -> None:
    """The facts' table has power 0.98 and a median of 80 pairs at an edge of 0.10, 0.33 at 0.05."""
    large = stops(ChessWorld(Fraction(1, 10)), plan(), 200)
    assert sum(one.reason is Reason.ABOVE for one in large) >= 192
    assert 65 <= median(one.n for one in large) <= 95
    small = stops(ChessWorld(Fraction(1, 20)), plan(), 200)
    assert 60 <= sum(one.reason is Reason.ABOVE for one in small) <= 110


def test_it_stops_at_the_first_observation_that_decides_and_says_where() -> None:
    values = [3, 4, 2, 4] * 40
    found = decide(values, plan())
    assert isinstance(found, Stop)
    assert found.reason is Reason.ABOVE
    assert isinstance(decide(values[: found.n - 1], plan()), Continue)
    assert decide(values[: found.n], plan()) == found
    assert Fraction(found.wealth_above) >= 100


def test_one_game_less_won_delays_the_stop() -> None:
    values = [3, 4, 2, 4] * 40
    first, later = decide(values, plan()), decide([0, *values[1:]], plan())
    assert isinstance(first, Stop)
    assert isinstance(later, Stop)
    assert later.n > first.n


def test_a_loss_is_seen_from_the_other_side() -> None:
    found = decide([1, 0, 2, 0] * 40, plan(alternative=Alternative.LESS))
    mirrored = decide([3, 4, 2, 4] * 40, plan())
    assert isinstance(found, Stop)
    assert isinstance(mirrored, Stop)
    assert (found.reason, found.n, found.wealth_below) == (Reason.BELOW, mirrored.n, mirrored.wealth_above)
    assert (Fraction(found.ci.low), Fraction(found.ci.high)) == (0, 4 - Fraction(mirrored.ci.low))


def test_the_lack_of_an_effect_of_interest_stops_too() -> None:
    declared = plan(alternative=Alternative.TWO_SIDED, of_interest=Decimal("0.4"), alpha=Decimal("0.05"))
    none = stops(ChessWorld(), declared, 100)
    assert sum(one.reason is Reason.NO_EFFECT for one in none) >= 90
    there = stops(ChessWorld(Fraction(1, 10)), declared, 200)
    assert sum(one.reason is Reason.NO_EFFECT for one in there) <= 0.05 * 200 + 3 * (0.05 * 0.95 * 200) ** 0.5


def test_the_planned_end_ends_it() -> None:
    found = decide([2] * PAIRS, plan())
    assert isinstance(found, Stop)
    assert (found.reason, found.n, found.wealth_above) == (Reason.PLANNED_END, PAIRS, "1")
    assert decide([2] * (PAIRS - 1), plan()) == Continue(PAIRS - 1, "1", "1", 0)


def test_the_interval_at_the_stop_holds_the_truth() -> None:
    declared = plan(alpha=Decimal("0.05"), alternative=Alternative.TWO_SIDED)
    found = stops(ChessWorld(Fraction(3, 40)), declared, 150)
    missed = sum(not float(one.ci.low) <= 2 + 4 * 0.075 <= float(one.ci.high) for one in found)
    assert missed <= 0.05 * 150 + 3 * (0.05 * 0.95 * 150) ** 0.5


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=60))
def test_the_interval_excludes_null_exactly_when_a_gambler_has_won(values: list[int]) -> None:
    declared = plan(alpha=Decimal("0.2"), alternative=Alternative.TWO_SIDED)
    ci = confidence(values, declared, ONE)
    won = [wealth_again(values, Fraction(2), worst) >= 10 for worst in (0, 4)]
    assert (Fraction(ci.low) >= 2, Fraction(ci.high) <= 2) == tuple(won)


def test_before_the_first_observation_the_interval_is_all() -> None:
    declared = plan(alternative=Alternative.TWO_SIDED)
    assert confidence([], declared, Fraction(1, 4)) == Interval("0.000000", "1.000000", "betting-sequence")


def test_sessions_are_clipped_at_the_declared_bounds_and_counted() -> None:
    declared = plan(least=-30_000, greatest=30_000, null=0, planned=100, alpha=Decimal("0.05"))
    world = PokerWorld(900, Fraction(50))
    (chips,) = session_chips(world, 100, 100, 1, b"clip")
    values = [int(one) for one in chips]
    found = decide([*values[:3], 90_000, -90_000, *values[3:]], declared)
    assert isinstance(found, Stop)
    assert found.clipped == 2 + sum(abs(one) > 30_000 for one in values[: found.n - 2])
    assert found.reason is Reason.ABOVE


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"null": 4}, "null must lie"),
        ({"least": 3}, "null must lie"),
        ({"alpha": Decimal(0)}, "alpha must lie"),
        ({"alpha": Decimal(1)}, "alpha must lie"),
        ({"of_interest": Decimal(2)}, "of_interest must lie"),
        ({"of_interest": Decimal(0)}, "of_interest must lie"),
        ({"planned": 0}, "planned must be"),
    ],
)
def test_a_plan_that_cannot_be_kept_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan(**changes)
