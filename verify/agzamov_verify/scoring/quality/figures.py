"""The Game Quality Index of a match: each seat's mean losses, in all, by stage and under pressure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

import msgspec

from ...games.chess960.script import ChessRecord
from ...phases.streams import a_is_first
from ...seats import Seat, StockfishSeat
from .losses import MoveLoss, Stage, move_losses
from .norm import QualityNorm
from .positions import Judgement
from .ratios import Mean, Sums, means
from .values import MICRO

Answers: TypeAlias = Mapping[str, Sequence[Judgement]]
"""By game: the engine's answers about its positions, in order."""

StageLosses: TypeAlias = tuple[tuple[int, int], ...]
"""Centipawns lost and moves judged in opening, middlegame, endgame."""

GROUPS = ("all", *(stage.value for stage in Stage), "pressure")


class Group(msgspec.Struct, frozen=True):
    """Some of a seat's own moves, in the games that have any.

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
    """One seat in one match; a group without moves is None.

    `engine_alignment`: the seat could ask Stockfish, so this measures how well it follows Stockfish and not
    how well it plays (paper section 3.5).
    """

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


def uses_engine(seat: Seat) -> bool:
    """Whether a seat is, or may ask, the engine that judges it."""
    return isinstance(seat, StockfishSeat)


def moves_by_game(
    records: Sequence[ChessRecord], answers: Answers, norm: QualityNorm
) -> tuple[list[list[MoveLoss]], list[list[MoveLoss]]]:
    """The own moves of seats A and B in each game of a match, in order."""
    sides: tuple[list[list[MoveLoss]], list[list[MoveLoss]]] = ([], [])
    for index, record in enumerate(records):
        losses = list(move_losses(record, answers[record.game], norm))
        for side, has_white in zip(sides, (a_is_first(index), not a_is_first(index)), strict=True):
            side.append([move for move in losses if move.white is has_white])
    return sides


def stage_losses(records: Sequence[ChessRecord], answers: Answers, norm: QualityNorm) -> list[StageLosses]:
    """Seat A's losses of each game of a match, in order."""
    games, _ = moves_by_game(records, answers, norm)
    return [tuple(_lost(game, stage) for stage in Stage) for game in games]


def groups_of(
    games: Sequence[Sequence[MoveLoss]], norm: QualityNorm, seed: Callable[[str], bytes], resamples: int
) -> dict[str, Group | None]:
    """The figures of one seat from its moves by game. `seed` gives the seed of a group's resampling."""
    return {
        name: _group(
            [[move for move in game if _belongs(move, name, norm)] for game in games], norm, seed(name), resamples
        )
        for name in GROUPS
    }


def _lost(moves: Sequence[MoveLoss], stage: Stage) -> tuple[int, int]:
    found = [move.loss_centipawns for move in moves if move.stage is stage]
    return sum(found), len(found)


def _belongs(move: MoveLoss, group: str, norm: QualityNorm) -> bool:
    match group:
        case "all":
            return True
        case "pressure":
            return move.value_centipawns <= norm.pressure_centipawns
        case _:
            return move.stage == group


def _group(games: Iterable[Sequence[MoveLoss]], norm: QualityNorm, seed: bytes, resamples: int) -> Group | None:
    games = [game for game in games if game]
    if not games:
        return None
    moves = [move for game in games for move in game]
    loss, before_after, win, accuracy = means(_columns(games), [len(game) for game in games], seed, resamples)
    return Group(
        len(games),
        len(moves),
        sum(abs(move.value_centipawns) >= norm.decided_centipawns for move in moves),
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
