"""Figures of the arms of Phase 2: seat A naked, with filler or a placebo, with its system, and with true facts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ...checks.steps import Verdict
from ...experiment.matches import MEASURED, Arm, Match, Phase
from ...plan.manifest import Manifest
from ...protocols.norms import load_protocol
from ...scoring.deltas import difference_figure
from ...scoring.early_stopping import open_ended
from ...scoring.game_scoring import Played
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.estimate import Estimate
from ...scoring.inference.unit_values import Measure
from ...scoring.match_cells import cell_of
from ...scoring.results import MatchResult
from ...scoring.units.score_constants import load_score_constants
from ...systems import OracleSystem
from ..absent_arms import NOT_PLAYED, absent_arms
from ..text.headline import Headline, headlines
from ..views import VIEWS, game_words
from .charts import Whisker, whiskers
from .figures import (
    ESTIMATED,
    INTERVAL,
    estimate_cells,
    estimated_whisker,
    figure,
    figure_words,
    hollow_words,
    interval_words,
    no_finding_words,
    parts_of,
    side_by_side,
    why_no_interval,
)
from .markup import Element, table

ORDER: Final = tuple(Arm)
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


class PlayedCondition(NamedTuple):
    """One played match of Phase 2: the plan of it, its result, and its figure."""

    match: Match
    result: MatchResult
    head: Headline


class Difference(NamedTuple):
    """One arm less another of the same system. `name`: in the words of a chart."""

    name: str
    value: Estimate


def arm_figures(verdict: Verdict) -> Iterator[Element]:
    """The conditions of Phase 2 and their differences, of each game, augmentation and model."""
    manifest = parts_of(verdict)[2]
    groups: dict[tuple[str, str, str], list[PlayedCondition]] = {}
    for one in conditions_of(verdict):
        alike = one.match.game, one.match.condition.augmentation.value, one.match.measured
        groups.setdefault(alike, []).append(one)
    is_one = len({seat for _, _, seat in groups}) == 1
    for (game, augmentation, seat), conditions in groups.items():
        if any(one.match.condition.arm is not Arm.NAKED for one in conditions):
            title = f"{game_words(game)}, {augmentation}{'' if is_one else f' of {seat}'}"
            ordered = sorted(conditions, key=lambda one: _place(one.match, manifest))
            compared = differences(ordered, verdict)
            shown = [_arms(title, ordered, manifest)]
            shown += [_differences(title, game, compared)] if compared else []
            yield side_by_side(*shown)


def conditions_of(verdict: Verdict) -> Iterator[PlayedCondition]:
    """The matches of Phase 2 that were played, but for those of the robustness check."""
    results, analysis, manifest = parts_of(verdict)
    planned = {match.id: match for match in manifest.plan.matches}
    heads = headlines(results.matches, analysis)
    for result in results.matches:
        match = planned[result.match]
        if (
            result.seat_index == MEASURED
            and match.phase == Phase.ASYMMETRIC
            and match.measured not in manifest.plan.repeats
        ):
            yield PlayedCondition(match, result, heads[result.id])


def _arms(title: str, conditions: Sequence[PlayedCondition], manifest: Manifest) -> Element:
    """The figure of each arm with its interval."""
    view = VIEWS[conditions[0].match.game]
    rows, numbers = [], []
    for one in conditions:
        name, head = condition_name(one.match, manifest), one.head
        if not one.result.is_baseline and not one.result.no_finding:
            rows.append(Whisker(name, head.value, head.low, head.high))
        against = "itself" if one.result.is_baseline else ", ".join(at.seat for at in one.result.opponents)
        figures = ("baseline", "") if one.result.is_baseline else (figure_words(head), interval_words(head))
        numbers.append((name, against, view.size(one.result.result), *figures))
    has_oracle = any(_is_oracle(one.match.condition.system, manifest) for one in conditions)
    numbers += [
        (condition_name(match, manifest), "", NOT_PLAYED, "", "") for match in _absent_beside(conditions, manifest)
    ]
    words = (
        "What naming, reading and searching do by themselves shows in the placebo, what more text does in the filler."
    )
    words += " What true facts about the opponent are worth shows in the oracle." if has_oracle else ""
    found = [one.head for one in conditions if not one.result.no_finding]
    words += hollow_words(head.why_none for head in found if head.low is None)
    words += no_finding_words(one.result for one in conditions)
    name = f"{title}: each condition"
    chart = whiskers(rows, view.null, view.figure_unit, name, "equal players") if rows else None
    header = ("condition", "against", "played", view.figure_unit, INTERVAL)
    return figure(name, words, chart, table(header, numbers))


def _absent_beside(conditions: Sequence[PlayedCondition], manifest: Manifest) -> Iterator[Match]:
    """The arms that have a row in every table, and that the plan does not have beside these conditions."""
    first = conditions[0].match
    place = first.game, first.measured, first.condition.augmentation
    for match in absent_arms(manifest.plan):
        if (match.game, match.measured, match.condition.augmentation) == place:
            yield match


def _differences(title: str, game: str, compared: Sequence[Difference]) -> Element:
    """Differences that each arm shows from another."""
    unit = VIEWS[game].figure_unit
    rows = [estimated_whisker(one.name, one.value) for one in compared if one.value.value]
    words = "Right of the dashed line the first-named arm did better. Real less placebo is what the content added."
    words += (
        " Real less stale is what going on learning added."
        if any(" less stale" in one.name for one in compared)
        else ""
    )
    words += hollow_words(why_no_interval(one.value) for one in compared if one.value.ci is None)
    numbers = [(one.name, *estimate_cells(one.value)) for one in compared]
    chart = whiskers(rows, 0.0, unit, f"{title}: differences", "no difference") if rows else None
    header = ("difference", unit, *ESTIMATED)
    return figure(f"{title}: differences", words, chart, table(header, numbers))


def differences(conditions: Sequence[PlayedCondition], verdict: Verdict) -> list[Difference]:
    """Each system's arms less each other, in points or chips: the figures of the analysis where it has them.

    The resamples of a contrast follow from its values, so that one contrast has one interval wherever it is computed.
    A match that its results may end early has no figure of a fixed size, so no difference.
    """
    manifest = parts_of(verdict)[2]
    plan, early = manifest.plan, open_ended(manifest.plan)
    constants, resamples = load_score_constants(plan.protocol), load_protocol(plan.protocol).bootstrap_resamples
    rules = Evidence((), constants, str.encode, resamples)
    arms: dict[tuple[Arm, str], Match] = {}
    for one in conditions:
        if one.match.id in verdict.blocks and one.match.id not in early and one.result.result.count:
            arms.setdefault((one.match.condition.arm, one.match.condition.system), one.match)
    cells = {
        arm: cell_of(manifest, Played(manifest.run_id, plan, match, MEASURED, verdict.blocks[match.id])).measured(
            Measure.SCORE
        )
        for arm, match in arms.items()
    }
    found = []
    for system in dict.fromkeys(system for arm, system in arms if arm is not Arm.NAKED):
        for arm, other in COMPARED:
            first, second = (arm, system), _control(other, system, arms)
            if first in cells and second in cells:
                name = f"{arm.value} less {other.value}{f', {system}' if system else ''}"
                found.append(Difference(name, difference_figure(cells[first], cells[second], rules)))
    return found


def _control(arm: Arm, system: str, arms: Mapping[tuple[Arm, str], Match]) -> tuple[Arm, str]:
    """The match of an arm to compare with: the naked one names no system where all systems share it."""
    return (arm, system) if arm is not Arm.NAKED or (arm, system) in arms else (arm, "")


def condition_name(match: Match, manifest: Manifest) -> str:
    """A condition of Phase 2 in the words of a chart."""
    arm, system = match.condition.arm, match.condition.system
    name = f"{arm.value}{f', {system}' if system else ''}"
    return f"{name} (oracle: the ceiling)" if arm is Arm.REAL and _is_oracle(system, manifest) else name


def _place(match: Match, manifest: Manifest) -> tuple[object, ...]:
    """Sort key of a condition: naked first, then system by system as planned, true facts last."""
    systems = list(manifest.plan.systems)
    system = match.condition.system
    number = systems.index(system) if system in systems else -1
    is_control = match.condition.arm is Arm.NAKED
    return _is_oracle(system, manifest), not is_control, number, ORDER.index(match.condition.arm)


def _is_oracle(system: str, manifest: Manifest) -> bool:
    return isinstance(manifest.plan.systems.get(system), OracleSystem)
