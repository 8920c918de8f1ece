"""The effect of an augmentation: each arm of Phase 2 less another of the same system, in the unit of the headline.

In points a game and big blinds per 100 hands, as every match is told: the paper's P, a rate of games won in chess, is
in the analysis and in hypotheses alone. Arms that were replayed are compared here by the analysis's own rules; where
none was, what the analysis has in that unit is taken.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ...experiment.matches import MEASURED, Arm, Augmentation, Match, Phase
from ...plan.manifest import Manifest
from ...protocols.norms import load_protocol
from ...scoring.analysis import Analysis
from ...scoring.deltas import DeltaAnalysis, difference_figure
from ...scoring.early_stopping import open_ended
from ...scoring.game_scoring import Played
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.estimate import Estimate
from ...scoring.inference.unit_values import Measure
from ...scoring.match_cells import model_of, shown_cell
from ...scoring.results import Results
from ...scoring.units.score_constants import load_score_constants
from ...table.game import Block

COMPARED: Final = (
    (Arm.REAL, Arm.PLACEBO),
    (Arm.REAL, Arm.NAKED),
    (Arm.REAL, Arm.FILLER),
    (Arm.REAL, Arm.STALE),
    (Arm.PLACEBO, Arm.NAKED),
    (Arm.FILLER, Arm.NAKED),
    (Arm.STALE, Arm.NAKED),
)
"""The differences of each system: the first arm less the second; what the content added first."""


class Setting(NamedTuple):
    """Arms that can be compared: one game, one augmentation, one measured seat."""

    game: str
    augmentation: Augmentation
    seat: str


class ArmEffect(NamedTuple):
    """One arm less another of the same system."""

    arm: Arm
    other: Arm
    system: str
    value: Estimate

    @property
    def name(self) -> str:
        """In the words of a chart: "real less placebo, history"."""
        other = "none" if self.other is Arm.NAKED else self.other.value
        return f"{self.arm.value} less {other}{f', {self.system}' if self.system else ''}"


def settings_of(manifest: Manifest) -> dict[Setting, list[Match]]:
    """The matches of Phase 2 by what they share, in the order of the plan, but for those of the robustness check."""
    found: dict[Setting, list[Match]] = {}
    for match in manifest.plan.matches:
        if match.phase == Phase.ASYMMETRIC and match.measured not in manifest.plan.repeats:
            setting = Setting(match.game, match.condition.augmentation, match.measured)
            found.setdefault(setting, []).append(match)
    return found


def effects_of(matches: Sequence[Match], manifest: Manifest, blocks: Mapping[str, Sequence[Block]]) -> list[ArmEffect]:
    """The differences between the replayed matches of one setting.

    The resamples of a contrast follow from its values, so one contrast has one interval wherever it is computed. A
    match that its results may end early has no figure of a fixed size, so no difference.
    """
    plan, early = manifest.plan, open_ended(manifest.plan)
    constants, resamples = load_score_constants(plan.protocol), load_protocol(plan.protocol).bootstrap_resamples
    rules = Evidence((), constants, str.encode, resamples)
    arms: dict[tuple[Arm, str], Match] = {}
    for match in matches:
        if blocks.get(match.id) and match.id not in early:
            arms.setdefault((match.condition.arm, match.condition.system), match)
    cells = {
        arm: shown_cell(manifest, Played(manifest.run_id, plan, match, MEASURED, blocks[match.id])).measured(
            Measure.SCORE
        )
        for arm, match in arms.items()
    }
    found = []
    for system in dict.fromkeys(system for arm, system in arms if arm is not Arm.NAKED):
        for arm, other in COMPARED:
            first, second = (arm, system), _control(other, system, arms)
            if first in cells and second in cells:
                found.append(ArmEffect(arm, other, system, difference_figure(cells[first], cells[second], rules)))
    return found


def _control(arm: Arm, system: str, arms: Mapping[tuple[Arm, str], Match]) -> tuple[Arm, str]:
    """The match of an arm to compare with: the naked one names no system where all systems share it."""
    return (arm, system) if arm is not Arm.NAKED or (arm, system) in arms else (arm, "")


def found_deltas(analysis: Analysis, results: Results) -> tuple[DeltaAnalysis, ...]:
    """The deltas of an analysis that may be shown: none with a figure of matches about which nothing is found."""
    lost = [row for row in results.matches if row.no_finding and row.phase == Phase.ASYMMETRIC]
    unfound = {(row.game, row.condition.augmentation.value, row.condition.system) for row in lost}

    def is_found(delta: DeltaAnalysis) -> bool:
        rows = {(delta.game, delta.augmentation, system) for system in ("", delta.system)}
        return delta.performance.everything.value is None or not rows & unfound

    return tuple(filter(is_found, analysis.deltas))


def analysed_effects(setting: Setting, manifest: Manifest, analysis: Analysis) -> Iterator[ArmEffect]:
    """What an analysis has of a setting in the headline's unit: in chess not the difference from a placebo."""
    model = model_of(manifest, setting.seat)
    for delta in analysis.deltas:
        if (delta.game, delta.augmentation, delta.model) == (setting.game, setting.augmentation.value, model):
            none = delta.score.everything
            if delta.less_placebo and delta.less_placebo.unit == none.unit:
                yield ArmEffect(Arm.REAL, Arm.PLACEBO, delta.system, delta.less_placebo)
            yield ArmEffect(Arm.REAL, Arm.NAKED, delta.system, none)
