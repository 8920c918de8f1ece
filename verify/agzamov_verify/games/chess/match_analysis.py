"""Analysis of a chess match: score and wins, pentanomial, ratings, learning, errors; of Phase 5 also its probes.

Evaluation accuracy, calculation accuracy and calculation efficiency, from games of Phase 5 (S22; ADR 56).

Counted is one seat where it has White, once for each position: the first time that it is played. A match whose careers
play a position again adds nothing, so that answers of one model to one question are not taken for several.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ...experiment.matches import PositionClass
from ...scoring.hypotheses.evidence import Evidence, Probe, ProbeCell
from ...scoring.hypotheses.exploratory import EFFICIENCY
from ...scoring.inference.clusters import SHARE
from ...scoring.inference.estimate import PAIR_SCORE, Estimate, Scale, share_estimate
from ...scoring.inference.pentanomial import Pentanomial, counts_of, pentanomial
from ...scoring.inference.ratings import (
    Both,
    EloMatch,
    GlickoMatch,
    GlickoPoint,
    elo_match,
    glicko2_match,
    with_and_without,
)
from ...scoring.inference.unit_values import Measure, Units
from ...scoring.learning.outcome import LearningOutcome
from ...scoring.match_figures import (
    Kept,
    MatchAnalysis,
    Setting,
    decided,
    error_rates,
    kept_figures,
    mean_figure,
    p_above_half,
    symmetry,
)
from ...scoring.units.cells import CellKey
from ...scoring.units.ratios import WHOLE, ratio_figure, share_figure
from ...table.seating import place_of
from .cell import ChessCell, ChessGame
from .game_script import WHITE, ChessRecord
from .probe_positions import ProbePosition, probe_of
from .read_back import SQUARES
from .rules import BY_RULE, End
from .stress_positions import HORIZON_MOVES, asks_judgement, position_of
from .who_stands_better import Better

SQUARES_READ: Final = Scale("squares", Fraction(1), Fraction(0), Fraction(SQUARES))
MOVES: Final = Scale("moves", Fraction(1), Fraction(0), Fraction(HORIZON_MOVES))
BEYOND: Final = Scale("moves", Fraction(1), Fraction(-HORIZON_MOVES), Fraction(HORIZON_MOVES))
CENTIPAWNS: Final = Scale("centipawns", Fraction(1))


class ReadBackFigures(msgspec.Struct, frozen=True):
    """Boards that a seat read from images, each drawn anew: `n` of an estimate counts boards.

    `boards`: share of boards with all 64 squares right. `squares`: mean number of squares right of 64. `cut`: boards
    whose reply was cut at its token limit; they count as unread.
    """

    boards: Estimate
    squares: Estimate
    cut: int


def read_back_figures(records: Sequence[ChessRecord], seat_index: int, evidence: Evidence) -> ReadBackFigures | None:
    """The figures of a seat of a match; None where it was asked about no image."""
    read = [
        one
        for index, record in enumerate(records)
        for one in record.read_backs
        if one.place == place_of(seat_index, index)
    ]
    if not read:
        return None
    right = [one.squares_right for one in read]
    boards = share_estimate(sum(number == SQUARES for number in right), len(right))
    return ReadBackFigures(
        boards, mean_figure(Units(tuple(right), SQUARES_READ), evidence), sum(one.is_cut for one in read)
    )


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
    return ratio_figure([(cell.as_ratio(lost, judged, CENTIPAWNS), WHOLE)], evidence.constants.clusters)


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


PERMILLE: Final = 1000
WHITE_WINS: Final = 2


def probe_cells(key: CellKey, records: Sequence[ChessRecord], seat_index: int) -> Iterator[ProbeCell]:
    """What the games of a match say of each probe; nothing of a match that is played from starts."""
    last_first = reversed([*enumerate(records)])
    first = {record.start_fen: record for index, record in last_first if place_of(seat_index, index) == WHITE}
    measures: dict[Probe, Callable[[ChessRecord], int | None]] = {
        Probe.EVALUATION: evaluated,
        Probe.CALCULATION: calculated,
        Probe.EFFICIENCY: efficiency,
    }
    for probe, measure in measures.items():
        values = [value for record in first.values() if (value := measure(record)) is not None]
        if values:
            yield ProbeCell(key, probe, tuple(reversed(values)))


def evaluated(record: ChessRecord) -> int | None:
    """1 where White said before its first move which side stands better; None where it was not asked."""
    position = position_of(record.start_fen)
    if position is None or not asks_judgement(record.start_fen):
        return None
    better = Better.BLACK if position.worse == "white" else Better.WHITE
    return int(record.judgement == better)


def calculated(record: ChessRecord) -> int | None:
    """1 where White mated within the moves of a forced mate, all of them its own; None from another position."""
    position = _probe(record, PositionClass.MATE)
    if position is None:
        return None
    in_time = is_won_by_white(record) and moves_of_white(record) <= position.moves
    return int(in_time and not any(ply % 2 == 0 for ply in record.substituted))


def efficiency(record: ChessRecord) -> int | None:
    """The shortest win over the moves that White took to mate, per mille; 0 where it did not; None elsewhere.

    At most 1000: where the defender helps, that is no merit of White's.
    """
    position = _probe(record, PositionClass.WON)
    if position is None:
        return None
    if not is_won_by_white(record):
        return 0
    return min(PERMILLE, PERMILLE * position.moves // moves_of_white(record))


def is_won_by_white(record: ChessRecord) -> bool:
    """True if White mated."""
    return record.ending.end is End.CHECKMATE and record.ending.white_halfpoints == WHITE_WINS


def moves_of_white(record: ChessRecord) -> int:
    """Number of White's moves."""
    return (len(record.moves) + 1) // 2


def _probe(record: ChessRecord, part: PositionClass) -> ProbePosition | None:
    position = probe_of(record.start_fen)
    return position if position and position.part is part else None


ELO_POINTS: Final = 20
"""Games between two points of an Elo course."""

KINDS: Final[Mapping[str, Callable[[ChessGame], bool]]] = {
    "by_play": lambda game: game.decided_by_play,
    "rules": lambda game: game.end in BY_RULE,
    "adjudication": lambda game: game.end is End.ADJUDICATION,
    "forfeit": lambda game: game.end is End.FORFEIT,
    "ply_limit": lambda game: game.end is End.PLY_LIMIT,
    "substitution": lambda game: game.substituted,
}
"""Ways in which games are decided; substitution may occur along with any other."""


class ChessAnalysis(MatchAnalysis, frozen=True, tag="chess960"):
    """A chess match from the side of one seat. `score_raw` and `pentanomial_raw` are without adjudication.

    `p_wins`: the one-sided binomial test of wins against one half, games that were played alike counted once; None in
    self-play. `decided` are the shares of games that ended in each way. Ratings are of games in order, and again
    without those that the harness decided. `stress`: in Phase 5, from positions in which one side stands worse.
    `probes`: evaluation and calculation accuracy and calculation efficiency, by name, where the match asks for them.
    `read_back`: how well a seat reads the images of boards, where it is shown any.
    """

    decided: dict[str, Estimate]
    score: Kept
    win_rate: Kept
    p_wins: str | None
    score_raw: Estimate
    pentanomial: Pentanomial
    pentanomial_raw: Pentanomial
    glicko2: Both[GlickoMatch]
    elo: Both[EloMatch]
    learning: LearningOutcome
    stress: Stress | None
    probes: dict[str, Estimate]
    read_back: ReadBackFigures | None = None

    @property
    def rating(self) -> GlickoPoint:
        return self.glicko2.everything.a[-1]

    @property
    def learned(self) -> LearningOutcome:
        return self.learning

    @property
    def main(self) -> Kept:
        return self.score

    @property
    def p_won(self) -> str | None:
        return self.p_wins


class StandardAnalysis(ChessAnalysis, frozen=True, tag="chess"):
    """A match of standard chess from the side of one seat."""


def chess_analysis(
    cell: ChessCell,
    setting: Setting,
    evidence: Evidence,
    probes: Sequence[ProbeCell] = (),
    kind: type[ChessAnalysis] = ChessAnalysis,
    read_back: ReadBackFigures | None = None,
) -> ChessAnalysis:
    """The analysis of a match of chess; `kind`: that of its variant."""
    pairs, ratings = cell.measured(Measure.SCORE).values, evidence.constants.ratings
    glicko, elo = ratings.glicko2[cell.key.game], ratings.elo[cell.key.game]
    raw = cell.as_units(cell.units(lambda game: game.raw_halfpoints), PAIR_SCORE)
    own, seats = [game.decided_by_play for game in cell.games], cell.key.seats
    score = kept_figures(cell, Measure.SCORE, evidence)
    score_raw = mean_figure(raw, evidence)
    return kind(
        setting.id,
        setting.phase,
        symmetry(cell.measured(Measure.SCORE), 2, setting, evidence),
        tuple(error_rates(cell, setting, evidence)),
        decided(cell, KINDS, evidence),
        score,
        kept_figures(cell, Measure.PERFORMANCE, evidence),
        p_above_half(sum(cell.distinct_wins), len(cell.distinct_wins), setting, cell),
        score_raw,
        pentanomial(counts_of(pairs), score.everything.ci),
        pentanomial(counts_of(raw.values), score_raw.ci),
        with_and_without(lambda points: glicko2_match(points, glicko, seats=seats), cell.halfpoints, own),
        with_and_without(lambda points: elo_match(points, elo, ELO_POINTS, seats=seats), cell.halfpoints, own),
        evidence.learned(cell),
        stress_figures(cell, evidence),
        {probe.probe.value: probe_figure(probe, evidence) for probe in probes},
        read_back,
    )


def probe_figure(cell: ProbeCell, evidence: Evidence) -> Estimate:
    """The share of right answers over positions; of efficiency, the mean."""
    if cell.probe is Probe.EFFICIENCY:
        return mean_figure(Units(cell.values, EFFICIENCY), evidence)
    return share_estimate(sum(cell.values), len(cell.values))
