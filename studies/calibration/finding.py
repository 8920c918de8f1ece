"""What one check of the calibration suite found: a figure, its simulation error, the band it must lie in.

Bands are those of the issue that asked for the suite: a 5 % test errs in 3 to 7 % of true null hypotheses, a 1 % test
in 0.5 to 1.5 % (half as often to half as often again), a 95 % interval holds the truth in 93 to 97 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist, fmean, stdev

from .error_rates import Rate

FIVE, ONE, HELD = Fraction(5, 100), Fraction(1, 100), Fraction(95, 100)


@dataclass(frozen=True)
class Band:
    """Where a figure must lie. `nominal` is what a sound test has; None where any value below `high` will do."""

    low: Fraction
    high: Fraction
    nominal: Fraction | None


BANDS = {
    FIVE: Band(Fraction(3, 100), Fraction(7, 100), FIVE),
    ONE: Band(Fraction(5, 1000), Fraction(15, 1000), ONE),
    HELD: Band(Fraction(93, 100), Fraction(97, 100), HELD),
}


RANKS = Band(Fraction(94, 100), Fraction(1), HELD)
"""Sets of ranks that all hold the truth together; where players are far apart they may do so more often."""


def at_most(alpha: Fraction) -> Band:
    """For a test that may be cautious, and never err more often than a 5 % or 1 % test may."""
    return Band(Fraction(0), BANDS[alpha].high, None)


@dataclass(frozen=True)
class Finding:
    """One line of the suite. `by_chance` is the probability that a sound instrument fails it with another seed."""

    name: str
    figure: str
    error: str
    wanted: str
    passed: bool
    by_chance: float

    @property
    def line(self) -> str:
        verdict = "ok  " if self.passed else "FAIL"
        return f"{verdict}  {self.name:<66} {self.figure:>9} {self.error:<12} {self.wanted}"


def of_rate(name: str, rate: Rate, band: Band) -> Finding:
    """A share of simulated matches against its band."""
    share = Fraction(rate.hits, rate.of)
    nominal = band.high if band.nominal is None else band.nominal
    return Finding(
        name,
        percent(share),
        f"± {percent(standard_error(share or nominal, rate.of))}",
        f"{percent(band.low)} to {percent(band.high)}",
        band.low <= share <= band.high,
        0.0 if band.nominal is None else fails_by_chance(band, rate.of),
    )


def of_shares(name: str, shares: Sequence[float], band: Band) -> Finding:
    """The mean share of several dependent intervals of each repeat, with the error of the repeats' shares."""
    mean, error = fmean(shares), stdev(shares) / sqrt(len(shares))
    assert band.nominal is not None
    spread = NormalDist(float(band.nominal), error)
    return Finding(
        name,
        percent(mean),
        f"± {percent(error)}",
        f"{percent(band.low)} to {percent(band.high)}",
        float(band.low) <= mean <= float(band.high),
        spread.cdf(float(band.low)) + 1 - spread.cdf(float(band.high)),
    )


def of_power(name: str, rate: Rate, planned: Fraction, slack: Fraction) -> Finding:
    """Simulated power against what the plan promised: within four simulation errors, and `slack` for the formula."""
    share = Fraction(rate.hits, rate.of)
    error = standard_error(planned, rate.of)
    reach = 4 * error + float(slack)
    wanted = f"planned {percent(planned)} ± {percent(reach)}"
    passed = abs(float(share - planned)) <= reach
    return Finding(name, percent(share), f"± {percent(error)}", wanted, passed, 2 * NormalDist().cdf(-4))


def fails_by_chance(band: Band, count: int) -> float:
    """How often a test with the nominal rate leaves the band in so many simulated matches (normal approximation)."""
    assert band.nominal is not None
    spread = NormalDist(float(band.nominal), standard_error(band.nominal, count))
    return spread.cdf(float(band.low)) + 1 - spread.cdf(float(band.high))


def standard_error(share: Fraction, count: int) -> float:
    """Of a share of so many independent matches: the simulation error."""
    return sqrt(share * (1 - share) / count)


def percent(share: Fraction | float) -> str:
    """As printed."""
    return f"{100 * float(share):.2f} %"
