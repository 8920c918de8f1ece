"""How widely sessions of hold'em spread, for planning: by a pilot or an assumption, and by each method of scoring."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ...scoring.game_planning import GamePlanning, Given, PilotFigures, Samples, ends
from ...scoring.inference.exact import square_root
from ...scoring.sample_sizes import POKER_UNIT, STACK_BB, Assumed, Scoring
from ...scoring.units.cells import Cell
from .cell import PokerCell
from .control_variates import Method
from .game import GAME
from .hand_script import PokerRules
from .match_counts import unit_sums
from .plan_options import PLAN_OPTIONS, SESSION_SD
from .range_methods import RangeMethod
from .rules import BIG_BLIND

SESSION_SDS: Final = (
    Assumed(Fraction(90), "SD of 100 hands 90 bb/100: the middle of the paper's 80 to 100, for careful players"),
    Assumed(Fraction(182), "SD of 100 hands 182 bb/100: measured, reference player in self-play, 10 sessions"),
    Assumed(Fraction(397), "SD of 100 hands 397 bb/100: measured, reference against random player, 30 sessions"),
)
"""Standard deviations of 100 hands without variance reduction, in the same order."""


class Cut(msgspec.Struct, frozen=True):
    """Factor by which a method divides the variance of raw hands: the least and the greatest measured."""

    method: Method | RangeMethod
    mirrored: bool
    least: Fraction
    greatest: Fraction


CUTS: Final = (
    Cut(Method.RAW, mirrored=False, least=Fraction(1), greatest=Fraction(1)),
    Cut(Method.ALL_IN, mirrored=False, least=Fraction(102, 100), greatest=Fraction(148, 100)),
    Cut(Method.STREET_EQUITY, mirrored=False, least=Fraction(140, 100), greatest=Fraction(182, 100)),
    Cut(Method.BASELINE, mirrored=False, least=Fraction(178, 100), greatest=Fraction(216, 100)),
    Cut(Method.RAW, mirrored=True, least=Fraction(127, 100), greatest=Fraction(252, 100)),
    Cut(Method.ALL_IN, mirrored=True, least=Fraction(141, 100), greatest=Fraction(253, 100)),
    Cut(Method.STREET_EQUITY, mirrored=True, least=Fraction(168, 100), greatest=Fraction(346, 100)),
    Cut(Method.BASELINE, mirrored=True, least=Fraction(199, 100), greatest=Fraction(441, 100)),
)
"""Measured by studies/calibration/variance.py: five pairings of scripted players, 8,000 decks from both seats each."""

BENCHMARK_CUTS: Final = (
    Cut(RangeMethod.RANGE, mirrored=False, least=Fraction(144, 100), greatest=Fraction(199, 100)),
    Cut(RangeMethod.RANGE_ADJUSTED, mirrored=False, least=Fraction(284, 100), greatest=Fraction(455, 100)),
    Cut(RangeMethod.RANGE, mirrored=True, least=Fraction(185, 100), greatest=Fraction(246, 100)),
    Cut(RangeMethod.RANGE_ADJUSTED, mirrored=True, least=Fraction(292, 100), greatest=Fraction(469, 100)),
)
"""Variance cuts of a match against the benchmark player, beside CUTS. Measured by
studies/calibration/benchmark_variance.py: five scripted players, 8,000 decks from both seats each."""


def poker_scorings(
    cuts: Sequence[Cut], session_hands: int = 100, sd: Assumed = SESSION_SDS[0], stack_bb: Fraction = STACK_BB
) -> tuple[Scoring, ...]:
    """Each method with the least cut that was measured; `sd` is of 100 raw hands in bb/100."""
    scorings = []
    for cut in cuts:
        unit_results = session_hands * (2 if cut.mirrored else 1)
        unit_sd = sd.value * square_root(Fraction(100, unit_results) / cut.least)
        name = ("mirrored, " if cut.mirrored else "") + cut.method.value.replace("_", " ")
        scorings.append(
            Scoring(
                GAME.name, name, POKER_UNIT, unit_results, unit_sd, sd.source, 100 * stack_bb, mirrored=cut.mirrored
            )
        )
    return tuple(scorings)


class PokerPlanning(GamePlanning):
    """Big blinds per 100 hands of sessions."""

    game = GAME
    unit = POKER_UNIT
    performance = 0
    options = PLAN_OPTIONS

    def samples(self, cells: Sequence[Cell]) -> Samples:
        """bb/100 of each session, spread as those of 100 hands would be: SD is in proportion to 1 / sqrt(hands)."""
        return {SESSION_SD: [_hundreds(cell) for cell in cells if isinstance(cell, PokerCell)]}

    def scorings(self, given: Given, pilot: PilotFigures | None, rules: PokerRules) -> Sequence[Sequence[Scoring]]:
        return _by_spread(CUTS, given, pilot, rules)

    def policy_scorings(
        self, given: Given, pilot: PilotFigures | None, rules: PokerRules
    ) -> Sequence[Sequence[Scoring]]:
        return _by_spread(BENCHMARK_CUTS, given, pilot, rules)

    def assumptions(self, *, with_policy: bool) -> str:
        factors = [
            f"{float(cut.least):g} ({'mirrored, ' if cut.mirrored else ''}{cut.method.value.replace('_', ' ')})"
            for cut in (*CUTS, *(BENCHMARK_CUTS if with_policy else ()))
            if cut.greatest > 1
        ]
        return f"variance of raw hands divided by {', '.join(factors)}: the least measured between scripted players"


def _by_spread(
    cuts: Sequence[Cut], given: Given, pilot: PilotFigures | None, rules: PokerRules
) -> Sequence[Sequence[Scoring]]:
    stack = Fraction(rules.stack_chips, BIG_BLIND)
    return [poker_scorings(cuts, rules.session_hands, sd, stack) for sd in _session_sds(given, pilot)]


def _session_sds(given: Given, pilot: PilotFigures | None) -> Sequence[Assumed]:
    """An option stands before a pilot, a pilot before what is assumed."""
    if (session_sd := given.get(SESSION_SD)) is not None:
        return (Assumed(session_sd, f"SD of 100 hands {float(session_sd):g} bb/100: --session-sd"),)
    sessions = pilot.deviations.get(SESSION_SD) if pilot else None
    if pilot is None or sessions is None:
        return SESSION_SDS
    words = f"SD of 100 hands {{:.0f}} bb/100: {{}}, {sessions.units} sessions, {pilot.source}"
    return tuple(Assumed(value, words.format(float(value), name)) for value, name in ends(sessions))


def _hundreds(cell: PokerCell) -> list[Fraction]:
    size = cell.session_hands
    by = square_root(Fraction(size, 100))
    return [Fraction(total, size) * by for total in unit_sums(cell.chips, size, mirrored=False)]


PLANNING: Final = PokerPlanning()
