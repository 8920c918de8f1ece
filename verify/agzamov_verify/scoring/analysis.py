"""The analysis of a run, agz-analysis-1: every figure with its interval, n and minimum detectable effect.

A pure function of the manifest, the seed and the replayed games: the harness packs it as data/results/analysis.json,
and verification computes it again. Which interval and which test: docs/decisions/0013 and 0015.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

from ..dice import Dice
from ..manifest import Manifest, Match, Plan
from ..phases.streams import Block
from ..protocol import load_protocol
from .agzamov.cells import Cell, ChessCell, cells_of
from .agzamov.norm import load_score_norm, score_norm_sha256
from .deltas import DeltaAnalysis, TauRatioRow, delta_analysis, tau_ratios
from .hypotheses.evidence import Evidence
from .hypotheses.verdicts import ContrastRow, Verdict, verdicts
from .learning.outcome import RecoveryOutcome
from .matches import ChessAnalysis, PokerAnalysis, Setting, chess_analysis, poker_analysis
from .preflop import PreflopScope, preflop_quality
from .quality.figures import Answers
from .results import hand_records
from .spent import PhaseSpent, spent_by_phase
from .watched import Watched, open_ended, watched

FORMAT: Literal["agz-analysis-1"] = "agz-analysis-1"

MatchAnalysis: TypeAlias = ChessAnalysis | PokerAnalysis


class Recovery(msgspec.Struct, frozen=True):
    """What followed one forced shift in a match."""

    match: str
    outcome: RecoveryOutcome


class Analysis(msgspec.Struct, frozen=True):
    """data/results/analysis.json. `score_norm_sha256` is of the file whose constants were used.

    `preflop` says what the preflop figures of matches are; it is there whether or not a match has them.
    """

    format: Literal["agz-analysis-1"]
    run: str
    protocol: str
    score_norm_sha256: str
    preflop: PreflopScope
    matches: tuple[MatchAnalysis, ...]
    recoveries: tuple[Recovery, ...]
    phases: tuple[PhaseSpent, ...]
    deltas: tuple[DeltaAnalysis, ...]
    tau_ratios: tuple[TauRatioRow, ...]
    sequential: tuple[Watched, ...]
    hypotheses: tuple[Verdict, ...]
    tests: tuple[ContrastRow, ...]


class Seeds(msgspec.Struct, frozen=True):
    """Seeds of named draws of the analysis, from the dice of the run."""

    dice: Dice

    def __call__(self, name: str) -> bytes:
        stream = self.dice.stream(f"analysis/{name}")
        return b"".join(stream.word().to_bytes(4, "big") for _ in range(8))


def analysis_of(
    manifest: Manifest, dice: Dice, blocks: Mapping[str, Sequence[Block]], answers: Answers | None = None
) -> Analysis:
    """The analysis of a run from its blocks by match id; a match without blocks was not played.

    `answers`: what the engine said of the moves by game, where the bundle has them.
    """
    plan = manifest.plan
    played = [match for match in plan.matches if match.id in blocks]
    cells = cells_of(manifest, blocks, answers)
    by_match = {match.id: cell for match, cell in zip(played, cells, strict=True)}
    protocol = load_protocol(plan.protocol)
    fixed_size = [cell for name, cell in by_match.items() if name not in open_ended(plan)]
    norm, seeds = load_score_norm(plan.protocol), Seeds(dice)
    evidence = Evidence(fixed_size, norm, seeds, protocol.bootstrap_resamples, open_ended=open_ended(plan))
    alpha = Fraction(protocol.significance)
    return Analysis(
        FORMAT,
        manifest.run_id,
        plan.protocol,
        score_norm_sha256(plan.protocol),
        PreflopScope(),
        tuple(_match(match, by_match[match.id], blocks[match.id], plan, evidence, alpha) for match in played),
        tuple(recoveries_of(by_match, evidence)),
        spent_by_phase(plan, by_match),
        tuple(delta_analysis(evidence)),
        tuple(tau_ratios(evidence)),
        tuple(watched(plan, by_match)),
        *verdicts(plan.analysis, evidence),
    )


def recoveries_of(cells: Mapping[str, Cell], evidence: Evidence) -> Iterator[Recovery]:
    """What followed every forced shift, from the cells by match id."""
    return (Recovery(name, outcome) for name, cell in cells.items() for outcome in evidence.recovered(cell))


def _match(
    match: Match, cell: Cell, blocks: Sequence[Block], plan: Plan, evidence: Evidence, alpha: Fraction
) -> MatchAnalysis:
    setting = Setting(match.id, match.phase, (match.a, match.b), alpha)
    if isinstance(cell, ChessCell):
        return chess_analysis(cell, setting, evidence)
    preflop = preflop_quality(
        hand_records(blocks), plan.holdem, lambda name: evidence.how(f"{match.id}/preflop/{name}")
    )
    return poker_analysis(cell, setting, evidence, preflop)
