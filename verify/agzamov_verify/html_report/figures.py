"""A figure of a report: a chart, what it says, and its numbers as a table. Results of matches, and effects."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ..checks import Verdict
from ..display.analysis_text import estimate
from ..display.first_screen import match_words
from ..display.headline import Headline, headlines
from ..manifest import Manifest
from ..scoring.analysis import Analysis
from ..scoring.deltas import DeltaAnalysis
from ..scoring.inference.estimate import Estimate
from ..scoring.results import MatchResult, Results
from ..seat_words import percent
from ..views import VIEWS, game_words
from .charts import Whisker, certainty, whiskers
from .markup import Element, element, table

SCORE_UNIT: Final = "score"
SCORE_EFFECT_MOST: Final = 0.5
"""From even play to winning every game."""
SHOWN_OPEN: Final = 2
"""Figures of one sort that are open at once."""


def figure(title: str, words: str, chart: Element | None, numbers: Element, *, is_open: bool = False) -> Element:
    """A chart with its title, a sentence, and its numbers, which are folded away unless there is no chart."""
    shown = [scroller(title, chart)] if chart is not None else []
    opened = {"open": ""} if is_open else {}
    folded = element("details", element("summary", "The numbers"), numbers, **opened) if shown else numbers
    return element("figure", element("figcaption", element("strong", title), element("p", words)), *shown, folded)


def scroller(title: str, chart: Element) -> Element:
    """A chart that can be moved aside where the screen is narrower, by keyboard too."""
    return element("div", chart, class_="scroll", tabindex="0", role="region", aria_label=title)


def some_open(named: Iterable[tuple[str, Element]]) -> Iterator[Element]:
    """The first figures as they are; each of the rest opens on a click on its name."""
    for number, (name, shown) in enumerate(named):
        yield shown if number < SHOWN_OPEN else element("details", element("summary", name), shown, class_="more")


def parts_of(verdict: Verdict) -> tuple[Results, Analysis, Manifest]:
    """What a verdict that did not fail has. Raises ValueError for one that did."""
    if verdict.results is None or verdict.analysis is None or verdict.manifest is None:
        raise ValueError("expected a verdict with recomputed figures")
    return verdict.results, verdict.analysis, verdict.manifest


def short_words(manifest: Manifest, match_id: str) -> str:
    """A match in the words of a chart that is of one game: without the game's name."""
    return match_words(manifest, match_id).replace(f", {game_words(game_of(manifest, match_id))}", "", 1)


def game_of(manifest: Manifest, match_id: str) -> str:
    """The name of a match's game."""
    return next(match.game for match in manifest.plan.matches if match.id == match_id)


def result_figures(verdict: Verdict) -> Iterator[Element]:
    """The result of each match with its interval, game by game."""
    results, analysis, manifest = parts_of(verdict)
    heads = headlines(results.matches, analysis)
    mde = {match.id: match.main.everything for match in analysis.matches}
    for game in dict.fromkeys(match.game for match in results.matches):
        matches = [match for match in results.matches if match.game == game]
        contests = [match for match in matches if not match.is_baseline]
        view = VIEWS[game]
        rows = [_whisker(short_words(manifest, match.id), heads[match.id]) for match in contests]
        title = f"{game_words(game)}: result of the first-named seat"
        chart = whiskers(rows, view.null, view.figure_unit, title) if rows else None
        numbers = table(
            ("match", "played", "result, 95 % interval", "smallest detectable effect", "ended by play"),
            [_result_row(manifest, match, heads[match.id], mde.get(match.id)) for match in matches],
        )
        words = (
            f"The dashed line is that of equal players, {view.spelled(view.null)} {view.figure_unit}."
            if rows
            else "A seat that plays itself has no winner: a baseline."
        )
        yield figure(title, words, chart, numbers, is_open=True)


def delta_figures(verdict: Verdict) -> Iterator[Element]:
    """What each augmentation added, as intervals and as a map of models by augmentations."""
    _, analysis, _ = parts_of(verdict)
    for game in dict.fromkeys(delta.game for delta in analysis.deltas):
        deltas = [delta for delta in analysis.deltas if delta.game == game]
        effects = {_system_words(delta): delta.performance.everything for delta in deltas}
        unit = next(iter(effects.values())).unit
        rows = [estimated_whisker(name, effect) for name, effect in effects.items() if effect.value]
        title = f"{game_words(game)}: with an augmentation less without it"
        chart = whiskers(rows, 0.0, unit, title) if rows else None
        numbers = table(("augmentation", "difference"), [(name, estimate(effect)) for name, effect in effects.items()])
        words = "Right of the dashed line the augmentation helped; an interval that crosses it shows no difference."
        if not all(effect.ci for effect in effects.values()):
            words += " What has no interval was not repeated often enough for one, and shows nothing by itself."
        yield figure(title, words, chart, numbers)
        if len(deltas) > 1:
            yield _heat_map(game, deltas)


def _whisker(label: str, head: Headline) -> Whisker:
    return Whisker(label, head.value, head.low, head.high)


def estimated_whisker(label: str, value: Estimate) -> Whisker:
    """A row of a chart from an estimate that has a value."""
    low, high = (float(value.ci.low), float(value.ci.high)) if value.ci else (None, None)
    return Whisker(label, float(value.value.decimal) if value.value else 0.0, low, high)


def _result_row(manifest: Manifest, match: MatchResult, head: Headline, value: Estimate | None) -> tuple[str, ...]:
    view = VIEWS[match.game]
    by_play = percent(match.result.by_play / match.result.count if match.result.count else 0.0)
    result = "baseline" if match.is_baseline else head.words
    mde = "none: a baseline" if match.is_baseline else detectable(value)
    return match_words(manifest, match.id), view.size(match.result), result, mde, by_play


def detectable(value: Estimate | None) -> str:
    """The smallest effect that a figure could have shown, in words; what has no interval could show none."""
    if value is None or value.mde is None or value.ci is None:
        return "none: too little was repeated"
    least = float(value.mde.decimal)
    if value.unit == SCORE_UNIT and least > SCORE_EFFECT_MOST:
        return "more than there is to gain"
    return f"{least:.3g} {value.unit}"


def _system_words(delta: DeltaAnalysis) -> str:
    return f"{delta.model} with {delta.augmentation}{f' by {delta.system}' if delta.system else ''}"


def _heat_map(game: str, deltas: Sequence[DeltaAnalysis]) -> Element:
    """Models by augmentations; the colour of a cell is that of its difference, grey where its interval holds 0."""
    columns = list(dict.fromkeys((delta.augmentation, delta.system) for delta in deltas))
    cells = {(delta.model, (delta.augmentation, delta.system)): delta.performance.everything for delta in deltas}
    known = [abs(float(effect.value.decimal)) for effect in cells.values() if effect.value]
    greatest = max(known, default=0.0) or 1.0
    rows = [
        (model, *(_heat(cells.get((model, column)), greatest) for column in columns))
        for model in dict.fromkeys(delta.model for delta in deltas)
    ]
    header = ("model", *(f"{name}{f' by {system}' if system else ''}" for name, system in columns))
    title = f"{game_words(game)}: models by augmentations"
    words = "Each cell is a difference with its 95 % interval. Grey: not shown to differ from none."
    return figure(title, words, None, table(header, rows))


def _heat(effect: Estimate | None, greatest: float) -> Element | str:
    if effect is None or effect.value is None:
        return "not played"
    value = float(effect.value.decimal)
    low, high = (float(effect.ci.low), float(effect.ci.high)) if effect.ci else (None, None)
    shade = certainty(low, high, 0.0)
    step = max(1, round(4 * abs(value) / greatest))
    interval = f"{low:+.3g} to {high:+.3g}" if low is not None and high is not None else "no interval"
    return element("span", f"{value:+.3g} ", element("small", interval), class_=f"heat {shade}-{step}")
