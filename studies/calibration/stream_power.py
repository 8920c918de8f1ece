"""Simulated power of planted effects against the power that a plan gives for them: chess pairs, poker sessions."""

from collections.abc import Iterator
from fractions import Fraction

from msgspec.structs import replace

from agzamov_verify.scoring.inference.exact import square_root
from agzamov_verify.scoring.inference.means import one_sample_t, welch_t
from agzamov_verify.scoring.inference.significance import Alternative, Significance
from agzamov_verify.scoring.sample_sizes import (
    CHESS_UNIT,
    POKER_UNIT,
    STACK_BB,
    ArmDesign,
    Block,
    Design,
    Scoring,
    power_of,
)
from agzamov_verify.scoring.sample_sizes import detectable as planned_effect
from agzamov_verify.scoring.sample_sizes import one_match as match_design
from agzamov_verify.scoring.units.score_constants import CHESS

from .error_rates import Sample, Test, World, rejections, unit_moments
from .finding import FIVE, Finding, of_power
from .stream_matches import EVEN_CHESS, EVEN_POKER, Match, Size

POWER_SLACK = Fraction(2, 100)  # the formula is exact for normal values; it is 2 points off with 15 coarse pairs


def power_of_a_match(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """The effect that the plan promises to find in 80 % of matches, planted in one match."""

    def test(sample: Sample, _: bytes) -> Significance:
        return one_sample_t(sample[0], Fraction(match.null), Alternative.TWO_SIDED)

    return as_planned("one match", test, 1, match, size, seed)


def power_of_a_delta(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """The same between two matches."""

    def test(sample: Sample, _: bytes) -> Significance:
        return welch_t(sample[0], sample[1], Alternative.TWO_SIDED)

    return as_planned("delta of two samples", test, 2, match, size, seed)


def as_planned(name: str, test: Test, arms: int, match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """Simulated power of a planted effect against the plan's figure for the spread of that very world."""
    effect = _rounded(planned_effect(design_of(match, arms, scoring_of(match, match.world))))
    worlds = [with_effect(match, share) for share in ([effect] if arms == 1 else [effect / 2, -effect / 2])]
    rate = rejections(test, worlds, match.results, (FIVE,), size.powers, seed)[0]
    scoring = scoring_of(match, *worlds)
    planned = Fraction(power_of(design_of(match, arms, scoring), float(effect)))
    yield of_power(f"power, {name}, {float(effect):g} {scoring.unit}, {match}", rate, planned, POWER_SLACK)


def design_of(match: Match, arms: int, scoring: Scoring) -> Design:
    """A two-sided test at 5 % of one match, or of two independent ones."""
    if arms == 1:
        return match_design(scoring, match.results, FIVE)
    blocks = (
        Block((ArmDesign(scoring, sign),), match.results // match.unit_results) for sign in (Fraction(1), -Fraction(1))
    )
    return Design(tuple(blocks), FIVE, Alternative.TWO_SIDED, scoring.reach)


def scoring_of(match: Match, *worlds: World) -> Scoring:
    """What the plan knows of these worlds: the unit, and the standard deviation of its figure (root mean square)."""
    squares = [unit_moments(world).variance * match.scale.factor**2 for world in worlds]
    sd = square_root(sum(squares, Fraction(0)) / len(squares))
    unit, reach = (CHESS_UNIT, Fraction(1, 2)) if match.game == CHESS else (POKER_UNIT, 100 * STACK_BB)
    return Scoring(match.game, "raw", unit, match.unit_results, sd, "the world's own", reach)


def with_effect(match: Match, effect: Fraction) -> World:
    """The match's world with an effect planted, in points of score or bb/100."""
    if match.game == CHESS:
        return replace(EVEN_CHESS, edge=effect)
    return replace(EVEN_POKER, mean_chips=effect)


def _rounded(effect: float | None) -> Fraction:
    """To three places, which a world can have and a reader can read."""
    assert effect is not None
    return round(Fraction(effect), 3)
