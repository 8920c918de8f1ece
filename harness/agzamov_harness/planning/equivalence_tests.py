"""Tests of equivalence of a plan: their margin and standard error, and how often no difference is found to be none.

Two one-sided tests (Schuirmann 1987) find that a difference is within a margin M where the estimate lies t standard
errors inside it at both ends. So with M below t SE no estimate is enough, however equal the arms are; and where the
true difference is 0, it is found with

    P(|estimate| < M - t SE) = E[2 Phi(M / SE - t s) - 1], s = root(chi-square / df), where that is above 0

A hypothesis that needs it can be declared, played and paid for, and never be found: the plan says so before.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec

from agzamov_verify.scoring.inference.design_power import equivalence_power_t
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.sample_sizes import POWER, Block, Design, error_and_df
from agzamov_verify.table.registry import GAMES

from .contrasts import Contrasts, Parts

TIMES_MAX: Final = 4096
"""So many times the results of the plan are looked at; more is out of reach for anybody."""


class Equivalence(NamedTuple):
    """A test of one game: the margin in `unit`, the standard error and how often equal arms are found equal.

    `results`: of each arm, games or hands, with which they are found in 80 %; None where no number would do.
    """

    game: str
    unit: str
    margin: Fraction
    error: float
    power: float
    results: int | None

    @property
    def words(self) -> str:
        """Margin, error and chance, and what would be needed."""
        title, result = GAMES[self.game].title, GAMES[self.game].result
        found = (
            f"equal arms are found equal with {100 * self.power:.0f} %" if self.power > 0 else "no estimate is enough"
        )
        if self.power >= POWER:
            needs = ""
        elif self.results is None:
            needs = f"; no number of {result.many} in so many careers makes it 80 %"
        else:
            needs = f"; 80 % need {result.counted(self.results)} an arm"
        return f"in {title} margin {float(self.margin):g} {self.unit}, SE {self.error:.3g}: {found}{needs}"


def equivalence(
    contrasts: Contrasts, parts: Parts, margin: Fraction, alpha: Fraction, power: Fraction = POWER
) -> Equivalence:
    """The test that a contrast lies within the margin, with the middle one of the assumed spreads."""
    match = parts[0][0].match
    scorings = contrasts.scorings(match)
    index = len(scorings) // 2
    blocks = tuple(contrasts.blocks(parts, index))
    times = 1
    while _power(blocks, margin, alpha, times) < power and times < TIMES_MAX:
        times *= 2
    if _power(blocks, margin, alpha, times) < power:
        results = None
    else:
        low = times // 2
        while times - low > 1:
            middle = (low + times) // 2
            enough = _power(blocks, margin, alpha, middle) >= power
            low, times = (low, middle) if enough else (middle, times)
        results = times * match.planned
    error, _ = error_and_df(_design(blocks, alpha), 0.0)
    return Equivalence(match.game, scorings[0].unit, margin, error, _power(blocks, margin, alpha), results)


def _power(blocks: Sequence[Block], margin: Fraction, alpha: Fraction, times: int = 1) -> float:
    """With so many times the units of the plan in as many careers."""
    longer = tuple(msgspec.structs.replace(block, units=times * block.units) for block in blocks)
    error, df = error_and_df(_design(longer, alpha), 0.0)
    return equivalence_power_t(df, float(margin) / error, alpha) if error else 1.0


def _design(blocks: tuple[Block, ...], alpha: Fraction) -> Design:
    return Design(blocks, alpha, Alternative.TWO_SIDED, Fraction(0))


def why_hardly(tests: Sequence[Equivalence]) -> str:
    """What a plan says of a hypothesis that needs all of these; `tests` of the games that it needs."""
    chance = 1.0
    for test in tests:
        chance *= max(0.0, test.power)
    verdict = "can be found" if chance >= POWER else "can hardly be found" if chance > 0 else "cannot be found"
    return f"{verdict}: {'; '.join(test.words for test in tests)}"
