"""What one match shows: estimates with and without what the harness decided, ratings, learning, errors."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec

from ..games.decision import Tally
from .agzamov.cells import LUCK_METHODS, Cell, ChessCell, ChessGame, PokerCell, PokerHand
from .agzamov.measures import Measure, Units, adjusted_units, kept_units, mirrored_units, units_of
from .exact import Figure
from .hypotheses.evidence import Evidence, learning_of
from .inference.estimate import PAIR_SCORE, Estimate, mean_estimate, share_estimate
from .inference.pentanomial import Pentanomial, Symmetry, counts_of, pentanomial, self_play_symmetry
from .learning.outcome import LearningOutcome
from .ratings import elo
from .ratings.elo import EloMatch, elo_match
from .ratings.games import Both, hand_halfpoints, with_and_without
from .ratings.glicko2 import GlickoMatch, GlickoRule, glicko2_match
from .statistics import Interval

CHESS_RULE: Final = GlickoRule()
POKER_RULE: Final = GlickoRule(period_results=10)
CHESS_POINTS, POKER_POINTS = 20, 10
"""Games and sessions between two points of an Elo course."""

Result = ChessGame | PokerHand


class Setting(NamedTuple):
    """Which match this is, who sat in seats A and B, and the level of its intervals."""

    id: str
    phase: int
    seats: tuple[str, str]
    alpha: Fraction


class Kept(msgspec.Struct, frozen=True):
    """One figure of all results, of those decided by play alone, and of those without an error (paper 9.4; S26)."""

    everything: Estimate
    by_play: Estimate
    without_errors: Estimate


class ErrorRate(msgspec.Struct, frozen=True):
    """How many of a seat's decisions had no legal action of one class ("all": any), at the first attempt or in the end.

    `side` is a or b. The interval is Wilson's; `mde` is what a test of this rate would find.
    """

    side: str
    seat: str
    attempt: str
    kind: str
    count: int
    decisions: int
    rate: Figure | None
    ci: Interval | None
    mde: Figure | None


class ChessAnalysis(msgspec.Struct, frozen=True, tag_field="game", tag="chess960"):
    """A chess match from seat A's side. `score_raw` and `pentanomial_raw` are without adjudication.

    `symmetry` is there in self-play. Ratings are of games in order, and again without those that the harness decided.
    """

    id: str
    phase: int
    score: Kept
    win_rate: Kept
    score_raw: Estimate
    pentanomial: Pentanomial
    pentanomial_raw: Pentanomial
    symmetry: Symmetry | None
    glicko2: Both[GlickoMatch]
    elo: Both[EloMatch]
    learning: LearningOutcome
    errors: tuple[ErrorRate, ...]


class PokerAnalysis(msgspec.Struct, frozen=True, tag_field="game", tag="holdem"):
    """A hold'em match from seat A's side. `adjusted` are the same hands without luck, by method, least first.

    `mirrored` is there where decks were played from both sides: the same methods by pairs of sessions. Ratings are of
    sessions, each won, drawn or lost: they say who wins more often, which is not who wins more chips.
    """

    id: str
    phase: int
    bb_per_100: Kept
    adjusted: dict[str, Estimate]
    mirrored: dict[str, Estimate]
    sessions_won: Estimate
    symmetry: Symmetry | None
    glicko2: Both[GlickoMatch]
    elo: Both[EloMatch]
    learning: LearningOutcome
    errors: tuple[ErrorRate, ...]


def chess_analysis(cell: ChessCell, setting: Setting, evidence: Evidence) -> ChessAnalysis:
    """The analysis of a match of chess."""
    pairs = units_of(cell, Measure.SCORE).values
    raw = Units(tuple(cell.pairs(lambda game: game.raw_halfpoints)), PAIR_SCORE, "")
    own = [game.decided_by_play for game in cell.games]
    return ChessAnalysis(
        setting.id,
        setting.phase,
        _kept(cell, Measure.SCORE, setting, evidence),
        _kept(cell, Measure.PERFORMANCE, setting, evidence),
        _mean(raw, f"{setting.id}/raw", evidence),
        pentanomial(counts_of(pairs), setting.alpha),
        pentanomial(counts_of(raw.values), setting.alpha),
        _symmetry(units_of(cell, Measure.SCORE), 2, setting, evidence),
        with_and_without(lambda points: glicko2_match(points, CHESS_RULE), cell.halfpoints, own),
        with_and_without(lambda points: elo_match(points, elo.CHESS, CHESS_POINTS), cell.halfpoints, own),
        learning_of(cell, setting.id, evidence.seed, evidence.resamples),
        tuple(error_rates(cell, setting)),
    )


def poker_analysis(cell: PokerCell, setting: Setting, evidence: Evidence) -> PokerAnalysis:
    """The analysis of a match of hold'em."""
    units = units_of(cell)
    points = hand_halfpoints(units.values)
    own = [not any(hands) for hands in _sessions(cell, lambda hand: not hand.decided_by_play)]
    methods = {
        method.value: found for at, method in enumerate(LUCK_METHODS) if (found := adjusted_units(cell, at)) is not None
    }
    mirrored = {name: found for name, one in {"raw": units, **methods}.items() if (found := mirrored_units(cell, one))}
    return PokerAnalysis(
        setting.id,
        setting.phase,
        _kept(cell, Measure.PERFORMANCE, setting, evidence),
        {name: _mean(found, f"{setting.id}/{name}", evidence) for name, found in methods.items()},
        {name: _mean(found, f"{setting.id}/mirrored/{name}", evidence) for name, found in mirrored.items()},
        share_estimate(sum(chips > 0 for chips in units.values), len(units.values)),
        _symmetry(units, 0, setting, evidence),
        with_and_without(lambda some: glicko2_match(some, POKER_RULE), points, own),
        with_and_without(lambda some: elo_match(some, elo.POKER, POKER_POINTS), points, own),
        learning_of(cell, setting.id, evidence.seed, evidence.resamples),
        tuple(error_rates(cell, setting)),
    )


def by_play(result: Result) -> bool:
    """Whether a result is the players' own."""
    return result.decided_by_play


def without_errors(result: Result) -> bool:
    """Whether every first attempt of both players was legal."""
    return not any(result.errors)


def error_rates(cell: Cell, setting: Setting) -> Iterator[ErrorRate]:
    """Seats A and B, first attempts and the end, by class and in all."""
    for side, seat, tally in zip("ab", setting.seats, cell.tallies, strict=True):
        for attempt, counts in (("first", _first(tally)), ("final", _final(tally))):
            for kind, count in {**counts, "all": sum(counts.values())}.items():
                found = share_estimate(count, tally.decisions)
                of = tally.decisions
                yield ErrorRate(side, seat, attempt, kind, count, of, found.value, found.ci, found.mde)


def _first(tally: Tally) -> dict[str, int]:
    return {"no_action": tally.first_no_action, "illegal": tally.first_illegal, "no_reply": tally.first_no_reply}


def _final(tally: Tally) -> dict[str, int]:
    return {"no_action": tally.final_no_action, "illegal": tally.final_illegal, "no_reply": tally.final_no_reply}


def _kept(cell: Cell, measure: Measure, setting: Setting, evidence: Evidence) -> Kept:
    name = f"{setting.id}/{measure.value}"
    return Kept(
        _mean(units_of(cell, measure), name, evidence),
        _mean(kept_units(cell, by_play, measure), f"{name}/by_play", evidence),
        _mean(kept_units(cell, without_errors, measure), f"{name}/without_errors", evidence),
    )


def _mean(units: Units, name: str, evidence: Evidence) -> Estimate:
    return mean_estimate(units.values, units.scale, evidence.how(name, units.scale.unit))


def _symmetry(units: Units, expected: int, setting: Setting, evidence: Evidence) -> Symmetry | None:
    if setting.seats[0] != setting.seats[1]:
        return None
    seed = evidence.seed(f"{setting.id}/symmetry")
    return self_play_symmetry(units.values, expected, units.scale.factor, setting.alpha, seed)


def _sessions(cell: PokerCell, value: Callable[[PokerHand], bool]) -> list[Sequence[bool]]:
    values, size = list(map(value, cell.hands)), cell.session_hands
    return [values[at : at + size] for at in range(0, len(values) - size + 1, size)]
