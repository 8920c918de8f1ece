"""The analysis of a run, agz-analysis-1: every figure with its interval, n and minimum detectable effect.

A pure function of the manifest, the seed and the replayed games: the harness packs it as data/results/analysis.json,
and verification computes it again. Which interval and which test: docs/decisions/0013 and 0015.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

from ..dice import Dice
from ..manifest import Manifest, Match
from ..phases.streams import Block
from ..protocol import load_protocol
from .agzamov.cells import Cell, ChessCell, cells_of
from .agzamov.norm import load_score_norm, score_norm_sha256
from .deltas import DeltaAnalysis, delta_analysis
from .hypotheses.evidence import Evidence
from .hypotheses.verdicts import ContrastRow, Verdict, verdicts
from .matches import ChessAnalysis, PokerAnalysis, Setting, chess_analysis, poker_analysis
from .watched import Watched, ended_early, watched

FORMAT: Literal["agz-analysis-1"] = "agz-analysis-1"

MatchAnalysis: TypeAlias = ChessAnalysis | PokerAnalysis


class Analysis(msgspec.Struct, frozen=True):
    """data/results/analysis.json. `score_norm_sha256` is of the file whose constants were used."""

    format: Literal["agz-analysis-1"]
    run: str
    protocol: str
    score_norm_sha256: str
    matches: tuple[MatchAnalysis, ...]
    deltas: tuple[DeltaAnalysis, ...]
    sequential: tuple[Watched, ...]
    hypotheses: tuple[Verdict, ...]
    tests: tuple[ContrastRow, ...]


class Seeds(msgspec.Struct, frozen=True):
    """Seeds of named draws of the analysis, from the dice of the run."""

    dice: Dice

    def __call__(self, name: str) -> bytes:
        stream = self.dice.stream(f"analysis/{name}")
        return b"".join(stream.word().to_bytes(4, "big") for _ in range(8))


def analysis_of(manifest: Manifest, dice: Dice, blocks: Mapping[str, Sequence[Block]]) -> Analysis:
    """The analysis of a run from its blocks by match id; a match without blocks was not played."""
    plan = manifest.plan
    played = [match for match in plan.matches if match.id in blocks]
    cells = cells_of(manifest, blocks)
    by_match = {match.id: cell for match, cell in zip(played, cells, strict=True)}
    early = ended_early(plan, blocks)
    protocol = load_protocol(plan.protocol)
    whole = [cell for name, cell in by_match.items() if name not in early]
    norm, seeds = load_score_norm(plan.protocol), Seeds(dice)
    evidence = Evidence(whole, norm, seeds, protocol.bootstrap_resamples, ended_early=early)
    alpha = Fraction(protocol.significance)
    return Analysis(
        FORMAT,
        manifest.run_id,
        plan.protocol,
        score_norm_sha256(plan.protocol),
        tuple(_match(match, by_match[match.id], evidence, alpha) for match in played),
        tuple(delta_analysis(evidence)),
        tuple(watched(plan, by_match, early)),
        *verdicts(plan.analysis, evidence),
    )


def _match(match: Match, cell: Cell, evidence: Evidence, alpha: Fraction) -> MatchAnalysis:
    setting = Setting(match.id, match.phase, (match.a, match.b), alpha)
    if isinstance(cell, ChessCell):
        return chess_analysis(cell, setting, evidence)
    return poker_analysis(cell, setting, evidence)
