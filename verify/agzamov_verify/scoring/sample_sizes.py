"""Planning of a run: minimum detectable effects, and sample sizes for wanted effects, before anything is played.

A `Scoring` is a unit (a start pair, a session of hands, a session with its mirror) and how widely its figure spreads,
which is an assumption or a pilot's: `Assumed` says where it comes from. A `Design` is a test of arms of so many units.
Its power is that of Student's t: of the whole numbers themselves where there are few pairs, else by the noncentral t
distribution with the spread that the arms have *at the effect* (a win rate near one half spreads more than one near
a third). No effect is given that cannot be: beyond `reach` there is none.
"""

from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from math import ceil, sqrt
from typing import Final

import msgspec

from .inference.design_power import coarse_cells, coarse_power_t, detectable_delta, least, normal_power_t
from .inference.exact import square_root
from .inference.significance import Alternative

CHESS_UNIT, WINS_UNIT, POKER_UNIT = "points of score", "points of win rate", "bb/100"
POWER: Final = Fraction(4, 5)
POWER_SD_SUM: Final = Fraction(14, 5)
"""z(0.975) + z(0.8) = 2.80, as the paper's note rounds it."""

PAPER_HANDS, PAPER_EFFECT = 10_000, Fraction(4)
PAPER_SESSION_SD: Final = Fraction(90)
"""Of 100 hands, in bb/100: the middle of the paper's 80 to 100."""
STACK_BB: Final = Fraction(100)
COARSE_CELLS_MAX, COARSE_STEPS = 200_000, 40
"""Tests of so large a table are planned as they are made (50 to 300 start pairs); with more, ties no longer matter."""

SIZE_MAX: Final = 10**8


class Arms(StrEnum):
    """The comparison: one match with a fixed value, or a real arm with its control on the same starts."""

    ONE = "one match"
    TWO = "two arms"


class Assumed(msgspec.Struct, frozen=True):
    """A value that is not known before the run, and where it comes from."""

    value: Fraction
    source: str


STORE_OFFSET: Final = Fraction(3, 100)
"""Standard deviation, in points of score, of what a store adds to all games of one career (see CAREER_ICC)."""

CAREER_ICC: Final = Assumed(
    Fraction(11, 1000),
    "ICC of careers 0.011: an assumption, of a store that shifts all games of a career by an SD of 0.03 points of"
    " score, beside 0.285 for a start pair with 35 % draws: 0.03^2 / (0.03^2 + 0.285^2)",
)


class PairsOfGames(msgspec.Struct, frozen=True):
    """Pairs of games of players who are equal but for an effect: two independent games, so many of them drawn."""

    draws: Fraction
    counts_draws: bool

    @property
    def null(self) -> Fraction:
        """The mean of a pair's whole number without an effect: half-points, or games won."""
        return Fraction(2) if self.counts_draws else 1 - self.draws

    @property
    def factor(self) -> Fraction:
        """The figure's worth of one half-point, or of one game won."""
        return Fraction(1, 4) if self.counts_draws else Fraction(1, 2)

    def chances(self, effect: float) -> dict[int, float]:
        """Probabilities of the whole number of a pair. An effect turns losses into wins, and at last draws too."""
        game = self._game(effect)
        pair: dict[int, float] = {}
        for a, chance in game.items():
            for b, other in game.items():
                pair[a + b] = pair.get(a + b, 0.0) + chance * other
        return pair

    def _game(self, effect: float) -> dict[int, float]:
        draws = float(self.draws)
        won = (1 - draws) / 2 + effect
        if not self.counts_draws:
            return {0: max(0.0, 1 - won), 1: min(1.0, won)}
        if won + draws > 1:
            draws = max(0.0, 1 - 2 * effect)
            won = 1 - draws
        return {0: max(0.0, 1 - won - draws), 1: draws, 2: won}


class Scoring(msgspec.Struct, frozen=True):
    """One way to score a game: its unit has `unit_results` games or hands, and `sd` is of the unit's figure.

    `source` says where the standard deviation comes from; no effect can be greater than `reach`. `pairs`: the pairs
    whose distribution is known. `variance_ratio`: a pilot's variance over theirs. `mirrored`: with mirrored decks.
    """

    game: str
    method: str
    unit: str
    unit_results: int
    sd: Fraction
    source: str
    reach: Fraction
    pairs: PairsOfGames | None = None
    variance_ratio: Fraction = Fraction(1)
    mirrored: bool = False

    def variance_at(self, effect: float) -> float:
        """Variance of a unit's figure in an arm with this effect."""
        if self.pairs is None or not effect:
            return float(self.sd) ** 2
        chances = self.pairs.chances(effect)
        mean = sum(value * chance for value, chance in chances.items())
        variance = sum((value - mean) ** 2 * chance for value, chance in chances.items())
        return variance * float(self.pairs.factor**2 * self.variance_ratio)


class ArmDesign(msgspec.Struct, frozen=True):
    """One arm of a contrast of means. `is_moved`: it has the effect. `icc`: how its units correlate within a career."""

    scoring: Scoring
    weight: Fraction = Fraction(1)
    is_moved: bool = False
    icc: Fraction = Fraction(0)


class Block(msgspec.Struct, frozen=True):
    """Arms of so many units each that are combined unit by unit, as on the same starts.

    What they owe to the same draws is not counted on, since it is not known. `careers`: as `Match.careers`.
    """

    arms: tuple[ArmDesign, ...]
    units: int
    careers: int = 0

    @property
    def df(self) -> int:
        """Degrees of freedom of the block's mean: over careers where there are any."""
        return (self.careers or self.units) - 1

    def squared_error(self, effect: float) -> float:
        """Squared standard error of the block's weighted mean: SD^2 / n (1 + (m - 1) ICC), summed over arms.

        m units make a career; their mean has variance SD^2 / m (1 + (m - 1) ICC) (Kish 1965, section 5.4). What a
        store adds is a share of the variance without an effect.
        """
        total, beyond = 0.0, self.units / self.careers - 1 if self.careers > 1 else 0.0
        for arm in self.arms:
            variance = arm.scoring.variance_at(effect if arm.is_moved else 0.0)
            variance += beyond * float(arm.icc) * arm.scoring.variance_at(0.0)
            total += float(arm.weight) ** 2 * variance / self.units
        return total


class Design(msgspec.Struct, frozen=True):
    """A t test of a contrast: independent blocks, one-sided or two-sided at `alpha`; no effect is beyond `reach`."""

    blocks: tuple[Block, ...]
    alpha: Fraction
    alternative: Alternative
    reach: Fraction

    @property
    def is_testable(self) -> bool:
        """True if every block has two values at least."""
        return all(block.df >= 1 for block in self.blocks)


def one_match(scoring: Scoring, results: int, alpha: Fraction, careers: int = 0, icc: Fraction = Fraction(0)) -> Design:
    """One match against its value between equal players, two-sided; an incomplete unit is ignored."""
    block = Block((ArmDesign(scoring, is_moved=True, icc=icc),), results // scoring.unit_results, careers)
    return Design((block,), alpha, Alternative.TWO_SIDED, scoring.reach)


def two_arms(scoring: Scoring, results: int, alpha: Fraction, careers: int = 0, icc: Fraction = Fraction(0)) -> Design:
    """A real arm less its control of the same size on the same starts, one-sided upward, as H1 and H2 are tested."""
    real = ArmDesign(scoring, is_moved=True, icc=icc)
    block = Block((real, ArmDesign(scoring, -Fraction(1))), results // scoring.unit_results, careers)
    return Design((block,), alpha, Alternative.GREATER, scoring.reach)


def power_of(design: Design, effect: float) -> float:
    """Probability that the design's test finds an effect; it must be testable."""
    chances = _coarse(design, effect)
    if chances is not None:
        values, null = chances
        return coarse_power_t(values, null, design.blocks[0].units, design.alpha, design.alternative)
    error, df = error_and_df(design, effect)
    return normal_power_t(df, effect / error, design.alpha, design.alternative) if error else 1.0


def detectable(design: Design, power: Fraction = POWER) -> float | None:
    """The least effect that the design detects with this power; None if not even the greatest possible one is.

    Near the greatest effect a sample may have no variation, and so no t test: the least effect is searched upward.
    """
    if not design.is_testable:
        return None
    reach = float(design.reach)
    if _coarse(design, 0.0) is None:
        return _smooth(design, power, reach)
    steps = [reach * step / COARSE_STEPS for step in range(COARSE_STEPS + 1)]
    for low, high in pairwise(steps):
        if power_of(design, high) >= power:
            return least(lambda effect: power_of(design, effect) >= power, high, low, 1e-5)
    return None


def needed(scoring: Scoring, effect: Fraction, arms: Arms, alpha: Fraction) -> int:
    """Least number of games or hands of each match that finds `effect` with 80 % power, with independent units.

    Raises ValueError beyond a billion results.
    """
    design_of = one_match if arms is Arms.ONE else two_arms

    def enough(units: int) -> bool:
        design = design_of(scoring, units * scoring.unit_results, alpha)
        error, df = error_and_df(design, float(effect))
        return not error or normal_power_t(df, float(effect) / error, alpha, design.alternative) >= POWER

    high = 2
    while not enough(high):
        high *= 2
        if high > SIZE_MAX:
            raise ValueError(f"an effect of {effect} at an SD of {scoring.sd} needs more than {SIZE_MAX} units")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high * scoring.unit_results


def _smooth(design: Design, power: Fraction, reach: float) -> float | None:
    """By the noncentral t distribution; the standard error may depend on the effect."""

    def enough(effect: float) -> bool:
        error, df = error_and_df(design, effect)
        return effect >= error * detectable_delta(df, design.alpha, design.alternative, power)

    return least(enough, reach) if enough(reach) else None


def error_and_df(design: Design, effect: float) -> tuple[float, int]:
    """Standard error, and Welch and Satterthwaite's degrees of freedom, downward to a whole number."""
    errors = [block.squared_error(effect) for block in design.blocks]
    total = sum(errors)
    if len(errors) == 1 or not total:
        return sqrt(total), design.blocks[0].df
    spread = sum(error**2 / block.df for error, block in zip(errors, design.blocks, strict=True))
    return sqrt(total), max(1, int(total**2 / spread))


def _coarse(design: Design, effect: float) -> tuple[dict[int, float], float] | None:
    """Chances of the whole number of a unit, and its null value, where the test can be planned as it is made."""
    block = design.blocks[0]
    first = block.arms[0].scoring
    alike = all(arm.scoring == first and abs(arm.weight) == 1 for arm in block.arms)
    if len(design.blocks) > 1 or not alike or len(block.arms) > 2 or first.pairs is None:
        return None
    if block.careers or first.variance_ratio != 1:
        return None
    chances, null = first.pairs.chances(effect), float(first.pairs.null)
    if len(block.arms) == 2:
        chances, null = _difference(chances, first.pairs.chances(0.0)), 0.0
    return (chances, null) if coarse_cells(chances, block.units) <= COARSE_CELLS_MAX else None


def _difference(minuend: Mapping[int, float], subtrahend: Mapping[int, float]) -> dict[int, float]:
    """Chances of the difference of two independent whole numbers."""
    chances: dict[int, float] = {}
    for a, chance in minuend.items():
        for b, taken in subtrahend.items():
            chances[a - b] = chances.get(a - b, 0.0) + chance * taken
    return chances


class PaperNote(msgspec.Struct, frozen=True):
    """The arithmetic of the paper's note that 10,000 hands detect 4 bb/100, with raw results."""

    sd: Fraction
    effect: Fraction
    sessions_needed: Fraction
    hands_needed: int
    hands: int
    detects: Fraction


def paper_note(sd_bb: Fraction = PAPER_SESSION_SD) -> PaperNote:
    """(2.8 SD / effect) squared sessions of 100 hands, and what 10,000 hands detect by the same formula."""
    sessions = (POWER_SD_SUM * sd_bb / PAPER_EFFECT) ** 2
    detects = POWER_SD_SUM * sd_bb / square_root(Fraction(PAPER_HANDS, 100))
    return PaperNote(sd_bb, PAPER_EFFECT, sessions, ceil(sessions * 100), PAPER_HANDS, detects)
