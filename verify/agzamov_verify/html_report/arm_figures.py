"""Figures of the arms of Phase 2: what seat A did naked, with a placebo, with its system, and with true facts."""

from collections.abc import Iterator, Sequence

from ..checks import Verdict
from ..display.headline import Headline, headlines
from ..experiment import Arm, Match, Phase
from ..manifest import Manifest
from ..scoring.results import MatchResult
from ..systems import OracleSystem
from ..views import VIEWS, game_words
from .charts import Whisker, whiskers
from .figures import figure, parts_of
from .markup import Element, table

ORDER = (Arm.NAKED, Arm.PLACEBO, Arm.REAL)


def arm_figures(verdict: Verdict) -> Iterator[Element]:
    """The figure of each condition of Phase 2, augmentation by augmentation; one chart for each game."""
    results, analysis, manifest = parts_of(verdict)
    planned = {match.id: match for match in manifest.plan.matches}
    heads = headlines(results.matches, analysis)
    for game in dict.fromkeys(match.game for match in results.matches):
        arms = [
            match
            for match in results.matches
            if match.game == game
            and planned[match.id].phase == Phase.ASYMMETRIC
            and match.a not in manifest.plan.repeats
        ]
        if not any(planned[match.id].condition.arm is not Arm.NAKED for match in arms):
            continue
        arms.sort(key=lambda match: _place(planned[match.id], manifest))
        yield _of_game(game, arms, planned, heads, manifest)


def _of_game(
    game: str,
    arms: Sequence[MatchResult],
    planned: dict[str, Match],
    heads: dict[str, Headline],
    manifest: Manifest,
) -> Element:
    view, is_one = VIEWS[game], len({match.a for match in arms}) == 1
    rows, numbers = [], []
    for match in arms:
        name = condition_name(planned[match.id], manifest)
        label, head = name if is_one else f"{match.a}, {name}", heads[match.id]
        if not match.is_baseline:
            rows.append(Whisker(label, head.value, head.low, head.high))
        against = "itself" if match.is_baseline else ", ".join(match.opponents)
        result = "a baseline: it played itself" if match.is_baseline else head.words
        numbers.append((label, against, view.size(match.result), result))
    title = f"{game_words(game)}: seat A by condition"
    words = (
        "What naming, reading and searching do by themselves shows in the placebo; what true facts about the opponent"
        f" are worth shows in an oracle, where there is one. The dashed line is that of equal players,"
        f" {view.spelled(view.null)} {view.figure_unit}."
    )
    chart = whiskers(rows, view.null, view.figure_unit, title) if rows else None
    return figure(title, words, chart, table(("condition", "against", "played", "result"), numbers))


def condition_name(match: Match, manifest: Manifest) -> str:
    """A condition of Phase 2 in the words of a chart."""
    augmentation, arm, system = match.condition.augmentation.value, match.condition.arm, match.condition.system
    by = f" by {system}" if system else ""
    if arm is Arm.NAKED:
        return f"{augmentation}: naked{by}"
    if arm is Arm.PLACEBO:
        return f"{augmentation}: placebo{by}"
    ceiling = " (oracle: the ceiling)" if _is_oracle(system, manifest) else ""
    return f"{augmentation}: real{by}{ceiling}"


def _place(match: Match, manifest: Manifest) -> tuple[object, ...]:
    """Where a condition stands: by model and augmentation as planned, naked first, true facts last."""
    systems = list(manifest.plan.systems)
    system = match.condition.system
    is_oracle = _is_oracle(system, manifest)
    number = systems.index(system) if system in systems else -1
    augmentations = list(dict.fromkeys(one.condition.augmentation for one in manifest.plan.matches))
    return (
        match.a,
        augmentations.index(match.condition.augmentation),
        is_oracle,
        match.condition.arm is not Arm.NAKED,
        number,
        ORDER.index(match.condition.arm),
    )


def _is_oracle(system: str, manifest: Manifest) -> bool:
    return isinstance(manifest.plan.systems.get(system), OracleSystem)
