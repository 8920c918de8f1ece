"""The Game Quality Index of a match: each seat's mean losses, in all, by stage and under pressure.

Means over moves with games as clusters: the moves of one game are not independent.

A mean is a ratio: the sum of a value over all moves, by the number of moves. Its standard error is the linearised one
of a ratio, its 95 % interval Student's over games (`clusters.py`), over careers where the games of a career depend on
each other (docs/decisions/0040). Few games have a standard error and no interval: it would cover less than it says
(docs/decisions/0045); so with careers, where one has no such move.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

import msgspec

from ...seats import Seat
from ...table.seating import alternating
from ..inference.clusters import STUDENT, linearised
from ..inference.distributions import t_quantile
from ..inference.exact import Figure, figure, fixed, square_root
from ..inference.samples import Z_95, Interval
from .judged_moves import JudgedMoves, MoveLoss, Stage
from .quality_constants import QualityConstants
from .quality_questions import Answers

Z_POWER_80: Final = Fraction(8416212335729143, 10**16)


class Mean(msgspec.Struct, frozen=True):
    """A mean over moves. `ci` is None of too few games, or of careers of which one has no move. `mde`: the least true
    difference from a fixed value that so many games or careers would show at a two-sided 5 % with a power of 80 %, by
    the normal formula; None with fewer than two of them.
    """

    value: Figure
    ci: Interval | None
    se: Figure | None
    mde: Figure | None


class Sums(msgspec.Struct, frozen=True):
    """A value summed over the moves of each game; `per_unit` makes the published unit of it (1, or 10^-6)."""

    totals: tuple[int, ...]
    per_unit: Fraction = Fraction(1)


def means(columns: Sequence[Sums], moves: Sequence[int], games_min: int) -> list[Mean]:
    """The mean of each column over all moves; `moves` counts those of each game or career, none of them 0."""
    return [_mean(column, moves, games_min) for column in columns]


def _mean(column: Sums, moves: Sequence[int], games_min: int) -> Mean:
    ratio = linearised(column.totals, moves)
    assert ratio is not None
    value = ratio.value * column.per_unit
    if ratio.n < 2:
        return Mean(figure(value), None, None, None)
    se, ci = square_root(ratio.squared_error) * column.per_unit, None
    if ratio.n >= games_min and ratio.df:
        half = t_quantile(Fraction(39, 40), ratio.df) * se
        ci = Interval(fixed(value - half), fixed(value + half), STUDENT)
    return Mean(figure(value), ci, figure(se), figure((Z_95 + Z_POWER_80) * se))


MICRO: Final = 1_000_000
"""Parts of a percent in which losses of win percent are counted."""

StageLosses: TypeAlias = tuple[tuple[int, int], ...]
"""Centipawns lost and moves judged in opening, middlegame, endgame."""

GROUPS = ("all", *(stage.value for stage in Stage), "pressure")


class Group(msgspec.Struct, frozen=True):
    """Some of a seat's own moves, in the distinct games that have any.

    `decided`: positions where one side stood beyond the bound, so that hardly any move could lose much.
    `best`: moves that are the engine's own. `better`: moves that it found worth more than its own once asked.
    Losses: `loss_centipawns` at the same root (the headline), the paper's before and after, and win percent
    at the same root; `accuracy_percent` is the mean over moves of Lichess's accuracy of a move.
    """

    games: int
    moves: int
    decided: int
    best: int
    better: int
    loss_centipawns: Mean
    before_after_centipawns: Mean
    win_percent_loss: Mean
    accuracy_percent: Mean


class SeatQuality(msgspec.Struct, frozen=True, kw_only=True):
    """One seat in one match, `side` being its letter; a group without moves is None.

    `engine_alignment`: the seat could ask Stockfish, so this measures how well it follows Stockfish and not
    how well it plays (paper section 3.5).
    """

    match: str
    phase: int
    side: str
    seat: str
    engine_alignment: bool
    substituted: int
    all: Group | None
    opening: Group | None
    middlegame: Group | None
    endgame: Group | None
    pressure: Group | None

    @property
    def groups(self) -> dict[str, Group | None]:
        """The groups by name, in order."""
        return {name: getattr(self, name) for name in GROUPS}


def uses_engine(seat: Seat, *, has_tool: bool = False) -> bool:
    """True if a seat is, or may ask, the engine that judges it."""
    return seat.starts_engine or has_tool


def moves_by_game(
    judged: JudgedMoves, records: Sequence[Any], answers: Answers, constants: QualityConstants
) -> tuple[list[list[MoveLoss]], ...]:
    """The own moves of each of two seats in each game of a match, in order."""
    seats: tuple[list[list[MoveLoss]], ...] = ([], [])
    for index, record in enumerate(records):
        losses = list(judged.losses(record, answers[record.game], constants))
        for seat_index, has_white in zip(alternating(index), (True, False), strict=True):
            seats[seat_index].append([move for move in losses if move.white is has_white])
    return seats


def stage_losses(
    judged: JudgedMoves, records: Sequence[Any], seat_index: int, answers: Answers, constants: QualityConstants
) -> list[StageLosses]:
    """A seat's losses of each game of a match, in order."""
    games = moves_by_game(judged, records, answers, constants)[seat_index]
    return [tuple(_lost(game, stage) for stage in Stage) for game in games]


Games: TypeAlias = Sequence[Sequence[MoveLoss]]
"""A seat's moves by game."""


def groups_of(games: Games, constants: QualityConstants, careers: Sequence[Games] = ()) -> dict[str, Group | None]:
    """The figures of one seat from its moves by distinct game. `careers`: by game of each, where these are repeated."""
    by_career = [[move for game in career for move in game] for career in careers]
    return {
        name: _group(_kept(games, name, constants), _kept(by_career, name, constants), constants) for name in GROUPS
    }


def _kept(clusters: Games, group: str, constants: QualityConstants) -> list[list[MoveLoss]]:
    return [[move for move in cluster if _belongs(move, group, constants)] for cluster in clusters]


def by_distinct_game(games: Sequence[Sequence[MoveLoss]], identities: Sequence[str]) -> list[list[MoveLoss]]:
    """A seat's moves by distinct game: identical games count once."""
    by_identity: dict[str, list[MoveLoss]] = {}
    for moves, identity in zip(games, identities, strict=True):
        by_identity.setdefault(identity, []).extend(moves)
    return list(by_identity.values())


def _lost(moves: Sequence[MoveLoss], stage: Stage) -> tuple[int, int]:
    losses = [move.loss_centipawns for move in moves if move.stage is stage]
    return sum(losses), len(losses)


def _belongs(move: MoveLoss, group: str, constants: QualityConstants) -> bool:
    match group:
        case "all":
            return True
        case "pressure":
            return move.value_centipawns <= constants.pressure_centipawns
        case _:
            return move.stage == group


def _group(games: Games, careers: Games, constants: QualityConstants) -> Group | None:
    games = [game for game in games if game]
    if not games:
        return None
    moves = [move for game in games for move in game]
    clusters = [career for career in careers if career] or games
    least = len(careers) or constants.games_min
    loss, before_after, win, accuracy = means(_columns(clusters), [len(one) for one in clusters], least)
    return Group(
        len(games),
        len(moves),
        sum(abs(move.value_centipawns) >= constants.decided_centipawns for move in moves),
        sum(move.best for move in moves),
        sum(move.better for move in moves),
        loss,
        before_after,
        win,
        accuracy,
    )


def _columns(games: Sequence[Sequence[MoveLoss]]) -> list[Sums]:
    per_micro = Fraction(1, MICRO)
    return [
        Sums(tuple(sum(move.loss_centipawns for move in game) for game in games)),
        Sums(tuple(sum(move.before_after_centipawns for move in game) for game in games)),
        Sums(tuple(sum(move.win_loss_micropercent for move in game) for game in games), per_micro),
        Sums(tuple(sum(move.accuracy_micropercent for move in game) for game in games), per_micro),
    ]
