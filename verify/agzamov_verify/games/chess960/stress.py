"""Figures of Phase 5 from the games in which seat A has the worse side (paper section 4.6; docs/phase5.md)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.clusters import SHARE
from ...scoring.inference.estimate import Estimate, Scale
from ...scoring.match_figures import mean_figure
from ...scoring.ratios import ONE, ratio_figure, share_figure
from .cell import ChessCell, ChessGame
from .stress_positions import HORIZON_MOVES

MOVES: Final = Scale("moves", Fraction(1), Fraction(0), Fraction(HORIZON_MOVES))
BEYOND: Final = Scale("moves", Fraction(1), Fraction(-HORIZON_MOVES), Fraction(HORIZON_MOVES))
CENTIPAWNS: Final = Scale("centipawns", Fraction(1))


class Stress(msgspec.Struct, frozen=True):
    """Seat A on the worse side of the positions of a class, one game of each pair.

    `survived_moves`: its moves until the game was lost, HORIZON_MOVES where it was not or not by then.
    `survival_index`: these less the expected collapse point of the position. `recovery`: the share of these games that
    it did not lose. `pressure_loss_centipawns`: its mean loss a move in them; None where the engine judged no moves.
    """

    survived_moves: Estimate
    survival_index: Estimate
    recovery: Estimate
    pressure_loss_centipawns: Estimate | None


def stress_figures(cell: ChessCell, evidence: Evidence) -> Stress | None:
    """The figures of a match; None where seat A was never on a worse side."""
    if not any(game.collapse_moves is not None for game in cell.games):
        return None
    survived = cell.as_units(cell.units(lambda game: game.survived_moves or 0), MOVES)
    beyond = cell.as_units(cell.units(_beyond), BEYOND)
    held = cell.as_ratio(cell.units(_held), cell.units(_is_worse), SHARE)
    return Stress(
        mean_figure(survived, evidence),
        mean_figure(beyond, evidence),
        share_figure(held, evidence.constants.clusters, "positions"),
        _pressure(cell, evidence),
    )


def _pressure(cell: ChessCell, evidence: Evidence) -> Estimate | None:
    if not any(game.losses for game in cell.games):
        return None
    lost, judged = cell.units(lambda game: _judged(game)[0]), cell.units(lambda game: _judged(game)[1])
    return ratio_figure([(cell.as_ratio(lost, judged, CENTIPAWNS), ONE)], evidence.constants.clusters)


def _judged(game: ChessGame) -> Sequence[int]:
    """Centipawns lost and moves judged in a game on the worse side."""
    if not _is_worse(game):
        return 0, 0
    return sum(lost for lost, _ in game.losses), sum(moves for _, moves in game.losses)


def _beyond(game: ChessGame) -> int:
    return (game.survived_moves or 0) - (game.collapse_moves or 0)


def _held(game: ChessGame) -> int:
    return int(_is_worse(game) and game.halfpoints > 0)


def _is_worse(game: ChessGame) -> int:
    return int(game.collapse_moves is not None)
