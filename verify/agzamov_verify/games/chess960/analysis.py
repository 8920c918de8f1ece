"""Analysis of a chess match: score and wins, pentanomial, ratings, learning, errors."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ...scoring.hypotheses.evidence import Evidence, Probe, ProbeCell
from ...scoring.hypotheses.exploratory import EFFICIENCY
from ...scoring.inference.estimate import PAIR_SCORE, Estimate, share_estimate
from ...scoring.inference.pentanomial import Pentanomial, counts_of, pentanomial
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
from ...scoring.measures import Measure, Units
from ...scoring.ratings.elo import EloMatch, elo_match
from ...scoring.ratings.games import Both, with_and_without
from ...scoring.ratings.glicko2 import GlickoMatch, GlickoPoint, glicko2_match
from .cell import ChessCell, ChessGame
from .rules import BY_RULE, End
from .stress import Stress, stress_figures

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


def chess_analysis(
    cell: ChessCell, setting: Setting, evidence: Evidence, probes: Sequence[ProbeCell] = ()
) -> ChessAnalysis:
    """The analysis of a match of chess."""
    pairs, ratings = cell.measured(Measure.SCORE).values, evidence.constants.ratings
    glicko, elo = ratings.glicko2[cell.key.game], ratings.elo[cell.key.game]
    raw = cell.as_units(cell.units(lambda game: game.raw_halfpoints), PAIR_SCORE)
    own = [game.decided_by_play for game in cell.games]
    score = kept_figures(cell, Measure.SCORE, evidence)
    score_raw = mean_figure(raw, evidence)
    return ChessAnalysis(
        setting.id,
        setting.phase,
        symmetry(cell.measured(Measure.SCORE), 2, setting, evidence),
        tuple(error_rates(cell, setting, evidence)),
        decided(cell, KINDS, evidence),
        score,
        kept_figures(cell, Measure.PERFORMANCE, evidence),
        p_above_half(sum(cell.distinct_wins), len(cell.distinct_wins), setting, cell.careers),
        score_raw,
        pentanomial(counts_of(pairs), score.everything.ci),
        pentanomial(counts_of(raw.values), score_raw.ci),
        with_and_without(lambda points: glicko2_match(points, glicko), cell.halfpoints, own),
        with_and_without(lambda points: elo_match(points, elo, ELO_POINTS), cell.halfpoints, own),
        evidence.learned(cell),
        stress_figures(cell, evidence),
        {probe.probe.value: probe_figure(probe, evidence) for probe in probes},
    )


def probe_figure(cell: ProbeCell, evidence: Evidence) -> Estimate:
    """The share of right answers over positions; of efficiency, the mean."""
    if cell.probe is Probe.EFFICIENCY:
        return mean_figure(Units(cell.values, EFFICIENCY), evidence)
    return share_estimate(sum(cell.values), len(cell.values))
