"""What a run can detect, and how many games or hands a wanted effect needs, before anything is played.

A method of scoring is a unit (a start pair, a session of hands, a session with its mirror) and the standard deviation
of its mean. What is detected is what a two-sided t test finds with 80 % power (`inference.power`, noncentral t), with
one match against a fixed value, or between two matches of that size, as a delta is. Standard deviations are
assumptions until a run has its own: each says where it comes from.
"""

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Final

import msgspec

from .exact import square_root
from .inference.power import mde_t, power_t, sample_size_normal, sample_size_t
from .luck.adjusted import Method
from .luck.ranges import RangeMethod

CHESS, POKER = "chess960", "holdem"
CHESS_UNIT, POKER_UNIT = "points of score", "bb/100"
ALPHAS: Final = (Fraction(1, 20), Fraction(1, 100))
POWER_SD_SUM: Final = Fraction(14, 5)
"""z(0.975) + z(0.8) = 2.80, as the paper's note rounds it."""

DRAWS: Final = Fraction(35, 100)
SESSION_SD_BB: Final = Fraction(90)
"""Of 100 hands in bb/100, raw: the middle of the paper's 80 to 100."""

PAPER_HANDS, PAPER_EFFECT = 10_000, Fraction(4)


class Arms(StrEnum):
    """What is compared with what."""

    ONE = "one match"
    TWO = "two matches"

    @property
    def matches(self) -> int:
        """How many matches are compared."""
        return 1 if self is Arms.ONE else 2


class Scoring(msgspec.Struct, frozen=True):
    """One way to score a game: its unit has `unit_results` games or hands, and `sd` is of the unit's figure.

    `source` says where the standard deviation comes from.
    """

    game: str
    method: str
    unit: str
    unit_results: int
    sd: Fraction
    source: str


class Cut(msgspec.Struct, frozen=True):
    """By how much a method divides the variance of raw hands: the least and the greatest that was measured."""

    method: Method | RangeMethod
    mirrored: bool
    least: Fraction
    greatest: Fraction


CUTS: Final = (
    Cut(Method.RAW, mirrored=False, least=Fraction(1), greatest=Fraction(1)),
    Cut(Method.ALL_IN, mirrored=False, least=Fraction(102, 100), greatest=Fraction(148, 100)),
    Cut(Method.CARD_LUCK, mirrored=False, least=Fraction(140, 100), greatest=Fraction(182, 100)),
    Cut(Method.BASELINE, mirrored=False, least=Fraction(178, 100), greatest=Fraction(216, 100)),
    Cut(Method.RAW, mirrored=True, least=Fraction(127, 100), greatest=Fraction(252, 100)),
    Cut(Method.ALL_IN, mirrored=True, least=Fraction(141, 100), greatest=Fraction(253, 100)),
    Cut(Method.CARD_LUCK, mirrored=True, least=Fraction(168, 100), greatest=Fraction(346, 100)),
    Cut(Method.BASELINE, mirrored=True, least=Fraction(199, 100), greatest=Fraction(441, 100)),
)
"""Measured by calibration/variance.py: five pairings of scripted players, 8,000 decks from both seats each."""

HOUSE_CUTS: Final = (
    Cut(RangeMethod.RANGE, mirrored=False, least=Fraction(144, 100), greatest=Fraction(199, 100)),
    Cut(RangeMethod.RANGE_LUCK, mirrored=False, least=Fraction(284, 100), greatest=Fraction(455, 100)),
    Cut(RangeMethod.RANGE, mirrored=True, least=Fraction(185, 100), greatest=Fraction(246, 100)),
    Cut(RangeMethod.RANGE_LUCK, mirrored=True, least=Fraction(292, 100), greatest=Fraction(469, 100)),
)
"""What a match against the house offers beside CUTS. Measured by calibration/house.py: five scripted players, 8,000
decks from both seats each."""


class Detectable(msgspec.Struct, frozen=True):
    """The minimum detectable effect of so many games or hands a match, in the scoring's unit.

    None where the match has fewer than two units.
    """

    scoring: Scoring
    results: int
    arms: Arms
    alpha: Fraction
    effect: Fraction | None


class Needed(msgspec.Struct, frozen=True):
    """How many games or hands each match needs to find `effect`."""

    scoring: Scoring
    effect: Fraction
    arms: Arms
    alpha: Fraction
    results: int


class PaperNote(msgspec.Struct, frozen=True):
    """The arithmetic of the paper's note that 10,000 hands detect 4 bb/100, with raw results."""

    sd: Fraction
    effect: Fraction
    sessions_needed: Fraction
    hands_needed: int
    hands: int
    detects: Fraction


def chess_scorings(draws: Fraction = DRAWS) -> tuple[Scoring, ...]:
    """Score (a draw is half a point) and the paper's win rate, by start pairs, for equal players."""
    won = (1 - draws) / 2
    source = f"equal players, {_percent(draws)} draws, the two games of a start independent"
    score = square_root((1 - draws) / 4 / 2)
    wins = square_root(won * (1 - won) / 2)
    return (
        Scoring(CHESS, "score by pairs", CHESS_UNIT, 2, score, source),
        Scoring(CHESS, "win rate by pairs", "points of win rate", 2, wins, source),
    )


def poker_scorings(
    cuts: Sequence[Cut], session_hands: int = 100, sd_bb: Fraction = SESSION_SD_BB
) -> tuple[Scoring, ...]:
    """Each method with the least cut that was measured; `sd_bb` is of 100 raw hands in bb/100."""
    found = []
    for cut in cuts:
        unit_results = session_hands * (2 if cut.mirrored else 1)
        sd = sd_bb * square_root(Fraction(100, unit_results) / cut.least)
        name = ("mirrored, " if cut.mirrored else "") + cut.method.value.replace("_", " ")
        found.append(Scoring(POKER, name, POKER_UNIT, unit_results, sd, _source(cut, sd_bb)))
    return tuple(found)


def detectable(scoring: Scoring, results: int, arms: Arms, alpha: Fraction) -> Detectable:
    """What a match of so many games or hands finds with 80 % power; trailing results that fill no unit do not count."""
    units = results // scoring.unit_results
    effect = mde_t(scoring.sd, units, alpha, arms.matches)
    return Detectable(scoring, results, arms, alpha, effect)


def needed(scoring: Scoring, effect: Fraction, arms: Arms, alpha: Fraction) -> Needed:
    """The least size of each match that finds `effect` (> 0) with 80 % power. Raises ValueError beyond a billion."""
    units = sample_size_t(effect, scoring.sd, alpha, arms.matches)
    return Needed(scoring, effect, arms, alpha, units * scoring.unit_results)


def planned_power(scoring: Scoring, effect: Fraction, results: int, arms: Arms, alpha: Fraction) -> Fraction:
    """The probability that matches of so many games or hands find `effect`; they must have two units."""
    return power_t(effect, scoring.sd, results // scoring.unit_results, alpha, arms.matches)


def paper_note(sd_bb: Fraction = SESSION_SD_BB) -> PaperNote:
    """(2.8 SD / effect) squared sessions of 100 hands, and what 10,000 hands detect by the same formula."""
    sessions = (POWER_SD_SUM * sd_bb / PAPER_EFFECT) ** 2
    detects = POWER_SD_SUM * sd_bb / square_root(Fraction(PAPER_HANDS, 100))
    return PaperNote(sd_bb, PAPER_EFFECT, sessions, round(sessions * 100), PAPER_HANDS, detects)


def rough_needed(scoring: Scoring, effect: Fraction, arms: Arms, alpha: Fraction) -> int:
    """The same as `needed` by the normal formula, for arithmetic by hand."""
    return sample_size_normal(effect, scoring.sd, alpha, arms.matches) * scoring.unit_results


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):g} %"


def _source(cut: Cut, sd_bb: Fraction) -> str:
    raw = f"SD {float(sd_bb):g} bb/100 of 100 raw hands"
    if cut.greatest == 1:
        return raw
    return f"{raw}, variance divided by {float(cut.least):g} (measured {float(cut.least):g} to {float(cut.greatest):g})"
