"""The analysis of a run, agz-analysis-1: every figure with its interval, n and minimum detectable effect.

A pure function of the manifest, the seed and the replayed games: the harness packs it as data/results/analysis.json,
and verification computes it again. Which interval and which test: docs/decisions/0013 and 0015.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ..core.dice import Dice
from ..experiment.analysis_plan import HypothesisId as Id
from ..experiment.matches import Arm
from ..experiment.opponent_patterns import ShiftKind
from ..plan.manifest import Manifest
from ..protocols.norms import load_protocol
from ..table.game import Block, Utility
from ..table.registry import GAMES
from .adherence import PatternAdherence, adherence_of
from .deltas import DeltaAnalysis, RobustnessRow, TauRatioRow, delta_analysis, robustness, tau_ratios
from .departures import kinds_of_shifts
from .early_stopping import MonitoredMatch, monitored_matches, open_ended
from .exchangeability import PlantedAnalysis, planted_analysis
from .game_scoring import Played, blocks_played, match_of
from .hypotheses.evidence import Evidence, parts_of, traits_of
from .hypotheses.verdicts import ContrastRow, HypothesisVerdict, Verdicts, verdicts
from .learning.outcome import RecoveryOutcome
from .match_cells import cell_of, matches_played, probes_of
from .match_figures import MatchAnalysis, Setting
from .people.study_figures import StudyFigures, study_figures
from .quality.quality_questions import Answers
from .scorings import SCORINGS, AnyAnalysis
from .seat_stats import PhaseCosts, costs_by_phase
from .units.cells import Cell
from .units.score_constants import load_score_constants, score_constants_sha256

FORMAT: Final = "agz-analysis-1"
WITH_STUDY: Final = "described with its interval among the figures of the study, as the interaction"


class Recovery(msgspec.Struct, frozen=True):
    """Outcome of one forced shift in a match. `kinds`: by the patterns before and after it."""

    match: str
    kinds: tuple[ShiftKind, ...]
    outcome: RecoveryOutcome


class Analysis(msgspec.Struct, frozen=True):
    """data/results/analysis.json. `score_constants_sha256` is of the file whose constants were used.

    `adherence`: how often seats kept the patterns that the plan gave them, match by match. `people`: of a study with
    people alone.
    """

    format: str
    run: str
    protocol: str
    score_constants_sha256: str
    matches: tuple[AnyAnalysis, ...]
    adherence: tuple[PatternAdherence, ...]
    recoveries: tuple[Recovery, ...]
    phases: tuple[PhaseCosts, ...]
    deltas: tuple[DeltaAnalysis, ...]
    tau_ratios: tuple[TauRatioRow, ...]
    robustness: tuple[RobustnessRow, ...]
    sequential: tuple[MonitoredMatch, ...]
    hypotheses: tuple[HypothesisVerdict, ...]
    tests: tuple[ContrastRow, ...]
    planted: PlantedAnalysis
    people: StudyFigures | msgspec.UnsetType = msgspec.UNSET


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

    `answers`: the engine's evaluations of the moves by game, where the bundle has them.
    """
    plan, people = manifest.plan, study_figures(manifest.plan, blocks, answers)
    blocks = blocks_played(blocks)
    played = matches_played(manifest, blocks, answers)
    cells = [cell_of(manifest, one) for one in played]
    by_match = {one.id: cell for one, cell in zip(played, cells, strict=True)}
    protocol = load_protocol(plan.protocol)
    early = open_ended(plan)
    fixed_size = [cell for name, cell in by_match.items() if match_of(name) not in early]
    constants, seeds = load_score_constants(plan.protocol), Seeds(dice)
    traits = traits_of(plan.systems)
    probes = probes_of(manifest, blocks)
    resamples, parts = protocol.bootstrap_resamples, parts_of(plan.systems)
    evidence = Evidence(fixed_size, constants, seeds, resamples, probes, traits, early, played=cells, parts=parts)
    alpha = Fraction(protocol.significance)
    return Analysis(
        FORMAT,
        manifest.run_id,
        plan.protocol,
        score_constants_sha256(plan.protocol),
        tuple(_match(by_match[one.id], one, evidence, alpha) for one in played),
        tuple(row for one in _once(played) for row in adherence_of(by_match[one.id], one, constants.clusters)),
        tuple(recoveries_of(by_match, evidence, {one.id: kinds_of_shifts(one.match, plan) for one in played})),
        costs_by_phase(plan, _once(played)),
        tuple(delta_analysis(evidence)),
        tuple(tau_ratios(evidence)),
        tuple(robustness(evidence)),
        tuple(monitored_matches(plan, by_match)),
        *_verdicts(verdicts(plan.analysis, evidence, protocol.verdict), people),
        planted_analysis(plan, blocks, seeds),
        people=people or msgspec.UNSET,
    )


def _verdicts(found: Verdicts, people: StudyFigures | None) -> Verdicts:
    """The verdicts; of a study with people draft-H18's says where its figure stands."""
    if people is None:
        return found
    hypotheses = tuple(
        msgspec.structs.replace(one, reason=people.no_interaction or WITH_STUDY) if one.id is Id.DRAFT_H18 else one
        for one in found.hypotheses
    )
    return found._replace(hypotheses=hypotheses)


def _once(played: Sequence[Played]) -> list[Played]:
    """Each match once, whichever of its seats are looked at."""
    return list({one.match.id: one for one in reversed(played)}.values())[::-1]


def recoveries_of(
    cells: Mapping[str, Cell], evidence: Evidence, kinds: Mapping[str, Sequence[tuple[ShiftKind, ...]]]
) -> Iterator[Recovery]:
    """Outcomes of all forced shifts that were reached, from the cells and the kinds of their shifts by match id."""
    for name, cell in cells.items():
        reached = zip(kinds[name], evidence.recovered(cell), strict=False)
        yield from (Recovery(name, own, outcome) for own, outcome in reached)


def _match(cell: Cell, played: Played, evidence: Evidence, alpha: Fraction) -> MatchAnalysis:
    match = played.match
    is_naked = all(condition.arm is Arm.NAKED for condition in match.conditions)
    has_constant_sum = GAMES[match.game].utility is not Utility.GENERAL_SUM
    symmetric = match.is_self_play and is_naked and has_constant_sum and not match.shifts
    setting = Setting(played.id, match.phase, match.seats, played.seat_index, alpha, symmetric)
    return SCORINGS[match.game].analyse(cell, setting, evidence, played)
