"""A figure of a report: a chart, its caption, and its numbers as a table. Results of matches, and effects."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from math import inf
from typing import Final

from ...checks.steps import Verdict
from ...core.columns import foreign_name
from ...experiment.matches import Arm
from ...plan.manifest import Manifest
from ...scoring.analysis import Analysis
from ...scoring.deltas import DeltaAnalysis
from ...scoring.game_scoring import match_of
from ...scoring.inference.estimate import Estimate
from ...scoring.inference.unit_values import ONE_CAREER
from ...scoring.results import MatchResult, Results
from ..seat_words import percent
from ..text.analysis_text import can_be_found
from ..text.effects import found_deltas
from ..text.first_screen import match_words
from ..text.headline import WITHIN_ONE_CAREER, Headline, headlines
from ..views import VIEWS, game_words
from .charts import Whisker, certainty, whiskers
from .markup import Element, capital, element, table

SCORE_UNIT: Final = "score"
"""The greatest effect in a unit: from even play to winning every game, from none won to all."""
DIGEST: Final = re.compile(r"(?<![0-9a-f])([0-9a-f]{8})[0-9a-f]{24,}(?![0-9a-f])")
RIGHT_OF_THE_LINE: Final = "Right of the line:"
ACROSS: Final = "A bar across the line: no difference shown."
SHOWN_OPEN: Final = 2
"""Figures of one sort that are open at once."""
ROWS_OPEN: Final = 8
"""Rows of a table that is open at once."""
REASONS: Final = 3
WHOLE_FROM: Final = 100
INTERVAL: Final = "95 % interval"
ESTIMATED: Final = (INTERVAL, "n", "smallest detectable effect")
"""The columns of an estimate behind its value (`estimate_cells`)."""
UNKNOWN: Final = "\N{EN DASH}"
NOTHING_TO_SHOW: Final = "nothing that this measure could show"


def three_digits(value: float) -> str:
    """A difference with its sign, in three digits; whole where it is large."""
    return f"{value:+,.0f}" if abs(value) >= WHOLE_FROM else f"{value:+.3g}"


def figure(title: str, words: str, chart: Element | None, numbers: Element, *, is_open: bool = False) -> Element:
    """A chart with its title, a sentence, and its numbers, which are folded away unless there is no chart."""
    shown = [chart] if chart is not None else []
    opened = {"open": ""} if is_open else {}
    folded = element("details", element("summary", "The numbers"), numbers, **opened) if shown else numbers
    return element("figure", element("figcaption", element("strong", title), element("p", words)), *shown, folded)


def scroller(title: str, content: Element) -> Element:
    """Wrap content that is wider than some screens, so that it scrolls sideways, by keyboard too."""
    return element("div", content, class_="scroll", tabindex="0", role="region", aria_label=title)


def side_by_side(*shown: Element) -> Element:
    """Figures that belong together, beside each other where there is room."""
    return element("div", *shown, class_="pair") if len(shown) > 1 else shown[0]


def hollow_words(reasons: Iterable[str]) -> str:
    """The reason why some points of a chart are hollow; empty where none is."""
    named = list(dict.fromkeys(reason or "nothing varied" for reason in reasons))
    if not named:
        return ""
    rest = f"; and {len(named) - REASONS} other reasons" if len(named) > REASONS else ""
    return f" Hollow: no interval, so nothing is shown ({'; '.join(named[:REASONS])}{rest})."


def no_finding_words(matches: Iterable[MatchResult]) -> str:
    """The reasons why some matches have no figure; empty where all have one."""
    reasons = dict.fromkeys(match.no_finding for match in matches if match.no_finding)
    return "".join(f" No result: {reason}." for reason in reasons)


def why_no_interval(value: Estimate) -> str:
    """The reason why an estimate has no interval; empty where the analysis gives none."""
    return WITHIN_ONE_CAREER if value.over == ONE_CAREER else value.ci_note


def some_open(named: Iterable[tuple[str, Element]], opened: int = SHOWN_OPEN) -> Iterator[Element]:
    """The first figures as they are; of the rest a list opens on a click, and each on a click on its name."""
    every = list(named)
    yield from (shown for _, shown in every[:opened])
    rest = [element("details", element("summary", name), shown, class_="more") for name, shown in every[opened:]]
    if rest:
        yield element("details", element("summary", f"{len(rest)} more"), *rest, class_="more rest")


def parts_of(verdict: Verdict) -> tuple[Results, Analysis, Manifest]:
    """Results, analysis and manifest of a verdict that did not fail. Raises ValueError for one that did."""
    if verdict.results is None or verdict.analysis is None or verdict.manifest is None:
        raise ValueError("expected a verdict with recomputed figures")
    return verdict.results, verdict.analysis, verdict.manifest


def short_words(manifest: Manifest, match_id: str) -> str:
    """A match in the words of a chart that is of one game: without the game's name."""
    return match_words(manifest, match_id).replace(f", {game_words(game_of(manifest, match_id))}", "", 1)


def game_of(manifest: Manifest, match_id: str) -> str:
    """The name of a match's game."""
    return next(match.game for match in manifest.plan.matches if match.id == match_of(match_id))


def result_figures(verdict: Verdict, left_out: AbstractSet[str] = frozenset()) -> Iterator[Element]:
    """The result of each match with its interval, game by game. `left_out`: matches that are shown elsewhere."""
    results, analysis, manifest = parts_of(verdict)
    heads = headlines(results.matches, analysis)
    mde = {match.id: match.main.everything for match in analysis.matches}
    told = [match for match in results.matches if match.id not in left_out]
    shown = []
    for game in dict.fromkeys(match.game for match in told):
        matches = [match for match in told if match.game == game]
        contests = [match for match in matches if not match.is_baseline]
        view = VIEWS[game]
        found = [match for match in contests if not match.no_finding]
        rows = [_whisker(short_words(manifest, match.id), heads[match.id], match.match) for match in found]
        title = f"{capital(game_words(game))}: each match"
        chart = whiskers(rows, view.null, view.figure_unit, title, "even") if rows else None
        gated = any(match.gate for match in matches)
        header = ("match", "played", view.figure_unit, INTERVAL, "smallest detectable effect", "ended by play")
        numbers = table(
            (*header, *(("Phase 0",) if gated else ())),
            [_result_row(manifest, match, heads[match.id], mde.get(match.id), gated=gated) for match in matches],
        )
        words = f"{RIGHT_OF_THE_LINE} the first player is better. {ACROSS}" if found else ""
        words += hollow_words(heads[match.id].why_none for match in found if heads[match.id].low is None)
        words = words if found else "" if contests else "A player against itself: a baseline, no result."
        words += no_finding_words(contests)
        shown.append(figure(title, words.strip(), chart, numbers))
    if shown:
        yield side_by_side(*shown)


def delta_figures(verdict: Verdict) -> Iterator[Element]:
    """Deltas of each augmentation, as intervals and as a map of augmentations by models."""
    results, analysis, manifest = parts_of(verdict)
    found = found_deltas(analysis, results)
    for game in dict.fromkeys(delta.game for delta in found):
        deltas = [delta for delta in found if delta.game == game]
        is_one = len({delta.model for delta in deltas}) == 1
        effects = {
            f"{_system_words(delta, is_one=is_one)} {less}": effect
            for delta in deltas
            for less, effect in (
                ("less placebo", delta.less_placebo),
                ("less none", delta.performance.everything),
                ("less filler", delta.less_filler),
            )
            if effect
        }
        unplayed = [
            (f"{_system_words(delta, is_one=is_one)} less filler", "not played", *("",) * len(ESTIMATED))
            for delta in deltas
            if delta.system in manifest.plan.systems
            and Arm.FILLER in manifest.plan.systems[delta.system].arms
            and delta.less_filler is None
        ]
        unit = unit_words(next(iter(effects.values())).unit)
        rows = [estimated_whisker(name, effect) for name, effect in effects.items() if effect.value]
        title = f"{game_words(game)}: with an augmentation less a placebo, and less none"
        title += f", {_model(deltas[0])}" if is_one else ""
        chart = whiskers(rows, 0.0, unit, title, "no difference") if rows else None
        numbers = table(
            ("augmentation", unit, *ESTIMATED),
            [*((name, *estimate_cells(effect)) for name, effect in effects.items()), *unplayed],
        )
        words = f"{RIGHT_OF_THE_LINE} it helped. {ACROSS}"
        if all(delta.less_placebo for delta in deltas):
            words += " Less placebo: what the content added, since the placebo's prompts are as long."
        else:
            words += " Without a placebo, the effect of a longer prompt is in the difference from none."
        words += hollow_words(why_no_interval(effect) for effect in effects.values() if effect.ci is None)
        yield side_by_side(figure(title, words, chart, numbers), _heat_map(game, deltas))


def _whisker(label: str, head: Headline, match_id: str) -> Whisker:
    return Whisker(label, head.value, head.low, head.high, told_words(head), games_of(match_id))


def told_words(head: Headline) -> str:
    """A figure and its interval, beside its row."""
    spelled = VIEWS[head.game].spelled
    bounds = "[no interval]" if head.low is None else f"[{spelled(head.low)}, {spelled(head.high)}]"
    return f"{spelled(head.value)} {bounds}"


def games_of(match_id: str) -> str:
    """The address of the games of a match."""
    return f"#m={match_of(match_id)}"


def estimated_whisker(
    label: str, value: Estimate, spelled: Callable[[float], str] = three_digits, href: str = ""
) -> Whisker:
    """A row of a chart from an estimate that has a value."""
    low, high = (float(value.ci.low), float(value.ci.high)) if value.ci else (None, None)
    figure = float(value.value.decimal) if value.value else 0.0
    bounds = f"[{spelled(low)}, {spelled(high)}]" if low is not None and high is not None else "[no interval]"
    return Whisker(label, figure, low, high, f"{spelled(figure)} {bounds}", href)


def _result_row(
    manifest: Manifest, match: MatchResult, head: Headline, value: Estimate | None, *, gated: bool
) -> tuple[str, ...]:
    view = VIEWS[match.game]
    by_play = percent(match.result.by_play / match.result.count if match.result.count else 0.0)
    name, size = short_words(manifest, match.id), view.size(match.result)
    gate = (("passed" if match.gate.passed else "not passed") if match.gate else "",) if gated else ()
    if match.is_baseline:
        return name, size, "baseline", "", "", by_play, *gate
    least = detectable(None if head.is_open_ended else value, view.number, view.result_most)
    return name, size, figure_words(head), interval_words(head), least, by_play, *gate


def figure_words(head: Headline) -> str:
    """The figure of a headline, for a table whose heading has the unit."""
    return UNKNOWN if head.no_finding else VIEWS[head.game].spelled(head.value)


def interval_words(head: Headline) -> str:
    """The interval of a headline, for a table whose heading has the unit."""
    if head.low is None or head.high is None:
        return "none"
    spelled = VIEWS[head.game].spelled
    each = f"; careers {', '.join(spelled(float(value)) for value in head.by_career)}" if head.by_career else ""
    return f"{spelled(head.low)} to {spelled(head.high)}{' (sequential)' if head.sequential else ''}{each}"


def detectable(value: Estimate | None, spelled: Callable[[float], str] = three_digits, most: float = inf) -> str:
    """The smallest effect that would probably have been found, in its unit; a dash where that is not known.

    `most`: as `can_be_found` has it.
    """
    if value is None or value.mde is None or value.ci is None:
        return UNKNOWN
    return spelled(float(value.mde.decimal)).removeprefix("+") if can_be_found(value, most) else NOTHING_TO_SHOW


def estimate_cells(value: Estimate, spelled: Callable[[float], str] = three_digits) -> tuple[str, ...]:
    """An estimate in the cells of a table whose heading has the unit."""
    if value.value is None:
        return value.ci_note or "no value", "", "", ""
    bounds = f"{spelled(float(value.ci.low))} to {spelled(float(value.ci.high))}" if value.ci else "none"
    n = "+".join(f"{one:,}" for one in value.n)
    if value.by_career:
        samples = (", ".join(spelled(float(one)) for one in sample) for sample in value.by_career)
        n += f" careers: {' and '.join(samples)}"
    return spelled(float(value.value.decimal)), bounds, n, detectable(value, spelled)


def short_digests(text: str) -> str:
    """A text with the first digits of each digest in it."""
    return DIGEST.sub(r"\1", text)


def unit_words(unit: str) -> str:
    """The unit of an estimate as charts and tables name it."""
    named = {unit: words for view in VIEWS.values() for unit, words in view.unit_words.items()}
    return named.get(unit, unit)


def _system_words(delta: DeltaAnalysis, *, is_one: bool) -> str:
    what = f"{delta.augmentation}{f' by {delta.system}' if delta.system else ''}"
    return what if is_one else f"{_model(delta)} with {what}"


def _model(delta: DeltaAnalysis) -> str:
    return short_digests(foreign_name(delta.model))


def _heat_map(game: str, deltas: Sequence[DeltaAnalysis]) -> Element:
    """Augmentations by models; the colour of a cell is that of its difference, grey where its interval holds 0."""
    models = list(dict.fromkeys(delta.model for delta in deltas))
    systems = list(dict.fromkeys((delta.augmentation, delta.system) for delta in deltas))
    cells = {(delta.model, (delta.augmentation, delta.system)): delta.headline for delta in deltas}
    known = [abs(float(effect.value.decimal)) for effect in cells.values() if effect.value]
    greatest = max(known, default=0.0) or 1.0
    rows = [
        (f"{name}{f' by {by}' if by else ''}", *(_heat(cells.get((model, (name, by))), greatest) for model in models))
        for name, by in systems
    ]
    title = f"{game_words(game)}: augmentations by models"
    words = f"Each cell is real less placebo, less none where no placebo was played, with its {INTERVAL}."
    words += " Grey: no difference shown."
    header = ("augmentation", *(short_digests(foreign_name(model)) for model in models))
    return figure(title, words, None, table(header, rows))


def _heat(effect: Estimate | None, greatest: float) -> Element | str:
    if effect is None or effect.value is None:
        return "no finding" if effect and effect.ci_note else "not played"
    value = float(effect.value.decimal)
    low, high = (float(effect.ci.low), float(effect.ci.high)) if effect.ci else (None, None)
    shade = certainty(low, high, 0.0)
    step = max(1, round(4 * abs(value) / greatest))
    interval = f"{three_digits(low)} to {three_digits(high)}" if low is not None and high is not None else "no interval"
    return element("span", f"{three_digits(value)} ", element("small", interval), class_=f"heat {shade}-{step}")
