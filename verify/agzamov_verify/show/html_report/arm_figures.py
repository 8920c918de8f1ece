"""Figures of the arms of Phase 2: seat A naked, with filler or a placebo, with its system, and with true facts."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ...checks.steps import Verdict
from ...experiment.matches import MEASURED, Arm, Augmentation, Match, Phase
from ...plan.manifest import Manifest
from ...scoring.results import MatchResult
from ...scoring.seat_stats import share
from ...systems import OracleSystem
from ..absent_arms import NOT_PLAYED, absent_arms
from ..seat_words import percent
from ..text.effects import ArmEffect, effects_of
from ..text.headline import Headline, headlines
from ..views import NAMES_OF, VIEWS, game_words
from .charts import Whisker, whiskers
from .figures import (
    ACROSS,
    ESTIMATED,
    INTERVAL,
    RIGHT_OF_THE_LINE,
    estimate_cells,
    estimated_whisker,
    figure,
    figure_words,
    games_of,
    hollow_words,
    interval_words,
    no_finding_words,
    parts_of,
    side_by_side,
    told_words,
    why_no_interval,
)
from .markup import Element, capital, element, table

ORDER: Final = tuple(Arm)


class PlayedCondition(NamedTuple):
    """One played match of Phase 2: the plan of it, its result, and its figure."""

    match: Match
    result: MatchResult
    head: Headline


def arm_figures(verdict: Verdict) -> Iterator[Element]:
    """The conditions of Phase 2 and their differences, of each game, augmentation and model."""
    manifest, groups = parts_of(verdict)[2], _groups(verdict)
    is_one = len({seat for _, _, seat in groups}) == 1
    for (game, augmentation, seat), conditions in groups.items():
        title = f"{capital(game_words(game))}, {NAMES_OF[augmentation]}{'' if is_one else f' of {seat}'}"
        ordered = sorted(conditions, key=lambda one: _place(one.match, manifest))
        if all(one.result.is_baseline or one.result.no_finding for one in conditions):
            numbers = _arms(f"{title}: each condition", ordered, manifest)
            yield element("details", element("summary", f"{title}: no result"), numbers, class_="more")
            continue
        compared = effects_of([one.match for one in ordered], manifest, verdict.blocks)
        shown = [_arms(f"{title}: each condition", ordered, manifest)]
        shown += [_differences(title, game, compared)] if compared else []
        yield side_by_side(*shown)


def shown_in_arms(verdict: Verdict) -> set[str]:
    """The results that stand in a figure of arms."""
    return {one.result.id for conditions in _groups(verdict).values() for one in conditions}


def _groups(verdict: Verdict) -> dict[tuple[str, Augmentation, str], list[PlayedCondition]]:
    """Conditions of one game, augmentation and model, where there are more than the naked one."""
    groups: dict[tuple[str, Augmentation, str], list[PlayedCondition]] = {}
    for one in conditions_of(verdict):
        alike = one.match.game, one.match.condition.augmentation, one.match.measured
        groups.setdefault(alike, []).append(one)
    return {
        alike: conditions
        for alike, conditions in groups.items()
        if any(one.match.condition.arm is not Arm.NAKED for one in conditions)
    }


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


def _arms(name: str, conditions: Sequence[PlayedCondition], manifest: Manifest) -> Element:
    """The figure of each arm with its interval."""
    view = VIEWS[conditions[0].match.game]
    rows, numbers = [], []
    for one in conditions:
        condition, head, result = condition_name(one.match, manifest), one.head, one.result
        if not result.is_baseline and not result.no_finding:
            row = Whisker(condition, head.value, head.low, head.high, told_words(head), games_of(one.match.id))
            rows.append(row)
        against = "itself" if result.is_baseline else ", ".join(at.seat for at in result.opponents)
        figures = ("baseline", "") if result.is_baseline else (figure_words(head), interval_words(head))
        by_play = percent(share(result.result.by_play, result.result.count))
        numbers.append((condition, against, view.size(result.result), *figures, by_play))
    has_placebo = any(one.match.condition.arm is Arm.PLACEBO for one in conditions)
    has_oracle = any(_is_oracle(one.match.condition.system, manifest) for one in conditions)
    numbers += [
        (condition_name(match, manifest), "", NOT_PLAYED, "", "", "") for match in _absent_beside(conditions, manifest)
    ]
    words = f"{RIGHT_OF_THE_LINE} better than the opponent. {ACROSS}" if rows else ""
    words += " Naked: without help."
    words += " Placebo: help of the same length and form without its information." if has_placebo else ""
    words += " Oracle: true facts about the opponent." if has_oracle else ""
    found = [one.head for one in conditions if not one.result.no_finding]
    words += hollow_words(head.why_none for head in found if head.low is None)
    words += no_finding_words(one.result for one in conditions)
    chart = whiskers(rows, view.null, view.figure_unit, name, "even") if rows else None
    header = ("condition", "against", "played", view.figure_unit, INTERVAL, "ended by play")
    return figure(name, words.strip(), chart, table(header, numbers))


def _absent_beside(conditions: Sequence[PlayedCondition], manifest: Manifest) -> Iterator[Match]:
    """The arms that have a row in every table, and that the plan does not have beside these conditions."""
    first = conditions[0].match
    place = first.game, first.measured, first.condition.augmentation
    for match in absent_arms(manifest.plan):
        if (match.game, match.measured, match.condition.augmentation) == place:
            yield match


def _differences(title: str, game: str, compared: Sequence[ArmEffect]) -> Element:
    """Differences that each arm shows from another."""
    unit, spelled = VIEWS[game].figure_unit, VIEWS[game].difference
    rows = [estimated_whisker(one.name, one.value, spelled) for one in compared if one.value.value]
    words = f"{RIGHT_OF_THE_LINE} the first of the two is better. {ACROSS}"
    names = " ".join(one.name for one in compared)
    words += " Real less placebo: what the content added." if "real less placebo" in names else ""
    words += " Real less stale: what going on learning added." if "real less stale" in names else ""
    words += hollow_words(why_no_interval(one.value) for one in compared if one.value.ci is None)
    numbers = [(one.name, *estimate_cells(one.value, spelled)) for one in compared]
    chart = whiskers(rows, 0.0, unit, f"{title}: differences", "no difference") if rows else None
    header = ("difference", unit, *ESTIMATED)
    return figure(f"{title}: differences", words, chart, table(header, numbers))


def condition_name(match: Match, manifest: Manifest) -> str:
    """A condition of Phase 2 in the words of a chart."""
    arm, system = match.condition.arm, match.condition.system
    name = f"{'none' if arm is Arm.NAKED else arm.value}{f', {system}' if system else ''}"
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
