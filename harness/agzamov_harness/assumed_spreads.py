"""Assumed spread of results, for planning: from a pilot, from an option, or assumed with its source."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from agzamov_verify.games.chess960.stress_positions import PositionClass
from agzamov_verify.games.holdem.rules import BIG_BLIND
from agzamov_verify.manifest import Plan
from agzamov_verify.scoring.planning import (
    BENCHMARK_CUTS,
    CAREER_ICC,
    CUTS,
    DRAWS,
    SESSION_SDS,
    Assumed,
    Scoring,
    chess_scorings,
    poker_scorings,
)
from agzamov_verify.scoring.score_constants import CHESS, POKER

from .assumed_positions import HELD, UNEVEN, HeldPositions, held_positions
from .pilot import Correlation, Pilot

BENCHMARK: Final = "benchmark"
"""Key of the additional scorings of hold'em matches in which the benchmark player sits on one side."""

PERFORMANCE: Final = {CHESS: 1, POKER: 0}
"""Place of the paper's P among a game's scorings: the win rate, and raw hands."""


class Given(NamedTuple):
    """The command's options; None for those not given."""

    session_sd: Fraction | None = None
    draws: Fraction | None = None
    icc: Fraction | None = None
    held: Fraction | None = None


class AssumedSpreads(NamedTuple):
    """The scorings of each game by how widely results spread, one or three; and the correlation within careers.

    `held`: the shares of games from uneven positions that the worse side does not lose, in the same order.
    """

    scorings: Mapping[str, Sequence[Sequence[Scoring]]]
    icc: Mapping[str, Assumed]
    held: Sequence[Assumed] = HELD

    @property
    def performance(self) -> dict[str, list[Scoring]]:
        """The scoring of the paper's P in each game."""
        return {game: [methods[place] for methods in self.scorings[game]] for game, place in PERFORMANCE.items()}

    def positions(self, part: str) -> list[HeldPositions]:
        """The scorings of an uneven class of positions; none of any other."""
        return [held_positions(PositionClass(part), held) for held in self.held] if part in UNEVEN else []

    def score(self, part: str) -> list[Scoring]:
        """The scorings of points of a pair of chess games, from starts or from a class of positions."""
        uneven = self.positions(part)
        return [one.score for one in uneven] if uneven else [methods[0] for methods in self.scorings[CHESS]]


def assumed_spreads(plan: Plan, options: Given, pilot: Pilot | None) -> AssumedSpreads:
    """The spreads to plan with: an option's, else a pilot's, else the assumed ones."""
    rules = plan.rules_of(POKER)
    stack = Fraction(rules.stack_chips, BIG_BLIND)
    sds = _session_sds(options, pilot)
    scorings = {CHESS: _chess(options, pilot)}
    for name, cuts in ((POKER, CUTS), (BENCHMARK, BENCHMARK_CUTS)):
        scorings[name] = [poker_scorings(cuts, rules.session_hands, sd, stack) for sd in sds]
    return AssumedSpreads(scorings, {game: _icc(game, options, pilot) for game in (CHESS, POKER)}, _held(options))


def _session_sds(options: Given, pilot: Pilot | None) -> Sequence[Assumed]:
    if options.session_sd is not None:
        return (Assumed(options.session_sd, f"SD of 100 hands {float(options.session_sd):g} bb/100: --session-sd"),)
    return (pilot.sessions() if pilot else ()) or SESSION_SDS


def _chess(options: Given, pilot: Pilot | None) -> list[tuple[Scoring, ...]]:
    if options.draws is not None:
        return [chess_scorings(Assumed(options.draws, f"{float(100 * options.draws):g} % of games drawn: --draws"))]
    if pilot and (pairs := pilot.pairs()):
        return [chess_scorings(drawn, score, wins) for drawn, score, wins in pairs]
    return [chess_scorings(draws) for draws in DRAWS]


def _held(options: Given) -> Sequence[Assumed]:
    if options.held is None:
        return HELD
    return (Assumed(options.held, f"{float(100 * options.held):g} % of games on the worse side not lost: --held"),)


def _icc(game: str, options: Given, pilot: Pilot | None) -> Assumed:
    if options.icc is not None:
        return Assumed(options.icc, f"ICC of careers {float(options.icc):g}: --icc")
    measured: Correlation | None = pilot.icc.get(game) if pilot else None
    if pilot is None or measured is None:
        return CAREER_ICC
    ends = f"95 % {float(measured.low):.3f} to {float(measured.high):.3f}"
    return Assumed(
        measured.value,
        f"ICC of careers {float(measured.value):.3f}: {ends}, {measured.careers} careers, {pilot.source}",
    )
