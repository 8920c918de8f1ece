"""What one match shows: estimates with and without what the harness decided, ratings, learning, errors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeVar

import msgspec

from ..games.chess960.rules import End
from ..games.decision import Tally
from ..games.holdem.rules import HandEnd
from .agzamov.cells import Cell, ChessCell, ChessGame, PokerCell, PokerHand
from .agzamov.measures import Measure, Units, kept_units, units_of
from .chess960 import BY_RULE
from .exact import Figure
from .hypotheses.evidence import Evidence
from .inference.estimate import PAIR_SCORE, Estimate, mean_estimate, share_estimate
from .inference.pentanomial import Pentanomial, Symmetry, counts_of, pentanomial, self_play_symmetry
from .learning.outcome import LearningOutcome
from .less_luck import less_luck
from .luck.adjusted import Method
from .luck.ranges import RangeMethod
from .preflop import NO_QUALITY, PreflopLoss, PreflopQuality
from .ratings.elo import EloMatch, elo_match
from .ratings.games import Both, hand_halfpoints, with_and_without
from .ratings.glicko2 import GlickoMatch, glicko2_match
from .statistics import Interval

CHESS_POINTS, POKER_POINTS = 20, 10
"""Games and sessions between two points of an Elo course."""

Result = ChessGame | PokerHand
R = TypeVar("R", ChessGame, PokerHand)

CHESS_KINDS: Final[Mapping[str, Callable[[ChessGame], bool]]] = {
    "by_play": lambda game: game.decided_by_play,
    "rules": lambda game: game.end in BY_RULE,
    "adjudication": lambda game: game.end is End.ADJUDICATION,
    "forfeit": lambda game: game.end is End.FORFEIT,
    "ply_limit": lambda game: game.end is End.PLY_LIMIT,
    "substitution": lambda game: game.substituted,
}
"""How games are decided; substitution goes with any other."""

POKER_KINDS: Final[Mapping[str, Callable[[PokerHand], bool]]] = {
    "by_play": lambda hand: hand.decided_by_play,
    "forfeit": lambda hand: hand.end is HandEnd.FORFEIT,
    "fault": lambda hand: any(hand.errors),
}


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

    `decided` are the shares of games that ended in each way, `symmetry` is there in self-play. Ratings are of games in
    order, and again without those that the harness decided.
    """

    id: str
    phase: int
    decided: dict[str, Estimate]
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
    """A hold'em match from seat A's side, in units of `unit_hands` hands: sessions, each with its mirror if it has one.

    `adjusted` are the same hands by every method of taking luck out; `variance_cuts` is what that saves.
    Ratings are of units, each won, drawn or lost: they say who wins more often, which is not who wins more chips.
    `preflop_a` and `preflop_b` are both seats' decision quality.
    """

    id: str
    phase: int
    decided: dict[str, Estimate]
    bb_per_100: Kept
    unit_hands: int
    adjusted: dict[str, Estimate]
    variance_cuts: dict[str, Figure | None]
    units_won: Estimate
    preflop_a: PreflopLoss | None
    preflop_b: PreflopLoss | None
    symmetry: Symmetry | None
    glicko2: Both[GlickoMatch]
    elo: Both[EloMatch]
    learning: LearningOutcome
    errors: tuple[ErrorRate, ...]


def chess_analysis(cell: ChessCell, setting: Setting, evidence: Evidence) -> ChessAnalysis:
    """The analysis of a match of chess."""
    pairs, ratings = units_of(cell, Measure.SCORE).values, evidence.norm.ratings
    glicko, elo = ratings.glicko2[cell.key.game], ratings.elo[cell.key.game]
    raw = Units(tuple(cell.pairs(lambda game: game.raw_halfpoints)), PAIR_SCORE, "")
    own = [game.decided_by_play for game in cell.games]
    return ChessAnalysis(
        setting.id,
        setting.phase,
        _decided(cell.games, CHESS_KINDS),
        _kept(cell, Measure.SCORE, setting, evidence),
        _kept(cell, Measure.PERFORMANCE, setting, evidence),
        _mean(raw, f"{setting.id}/raw", evidence),
        pentanomial(counts_of(pairs), setting.alpha),
        pentanomial(counts_of(raw.values), setting.alpha),
        _symmetry(units_of(cell, Measure.SCORE), 2, setting, evidence),
        with_and_without(lambda points: glicko2_match(points, glicko), cell.halfpoints, own),
        with_and_without(lambda points: elo_match(points, elo, CHESS_POINTS), cell.halfpoints, own),
        evidence.learned(cell),
        tuple(error_rates(cell, setting)),
    )


def poker_analysis(
    cell: PokerCell, setting: Setting, evidence: Evidence, preflop: PreflopQuality = NO_QUALITY
) -> PokerAnalysis:
    """The analysis of a match of hold'em."""
    units, ratings = units_of(cell), evidence.norm.ratings
    glicko, elo = ratings.glicko2[cell.key.game], ratings.elo[cell.key.game]
    points = hand_halfpoints(units.values)
    own = [not others for others in cell.units(lambda hand: int(not hand.decided_by_play))]
    luck = less_luck(cell, lambda method: evidence.how(_draw(setting, method), units.scale.unit))
    return PokerAnalysis(
        setting.id,
        setting.phase,
        _decided(cell.hands, POKER_KINDS),
        _kept(cell, Measure.PERFORMANCE, setting, evidence),
        cell.unit_hands,
        {name: one.winrate for name, one in luck.items()},
        {name: one.variance_cut for name, one in luck.items()},
        share_estimate(sum(chips > 0 for chips in units.values), len(units.values)),
        *preflop,
        _symmetry(units, 0, setting, evidence),
        with_and_without(lambda some: glicko2_match(some, glicko), points, own),
        with_and_without(lambda some: elo_match(some, elo, POKER_POINTS), points, own),
        evidence.learned(cell),
        tuple(error_rates(cell, setting)),
    )


def by_play(result: Result) -> bool:
    """Whether a result is the players' own."""
    return result.decided_by_play


def without_errors(result: Result) -> bool:
    """Whether every first attempt of both players was legal."""
    return not any(result.errors)


def _decided(results: Sequence[R], kinds: Mapping[str, Callable[[R], bool]]) -> dict[str, Estimate]:
    return {kind: share_estimate(sum(map(belongs, results)), len(results)) for kind, belongs in kinds.items()}


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


def _draw(setting: Setting, method: Method | RangeMethod) -> str:
    """The name of a method's resampling; raw hands are the match's own figure, so they have its interval."""
    return f"{setting.id}/{Measure.PERFORMANCE.value if method is Method.RAW else method.value}"
