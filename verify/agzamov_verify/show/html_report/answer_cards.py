"""The cards of the first screen: one for each game, with its answers as a verdict, a figure, a bar and words.

A game with one answer has its figure in large print. One with several has a row for each, all bars on one scale. Where
there is no result no figure stands, but the reason and what to change. A bar leads to the games that it is about.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from ...checks.memory_use import MemoryUse
from ...core.columns import ascii_words
from ..memory_use_words import changed_words
from ..text.answer_words import (
    advice_words,
    against_words,
    alike_words,
    corrected_words,
    failed_gate_words,
    interval_words,
    is_alike,
    reason_words,
    sentence,
    subject_words,
)
from ..text.answers import Answer, Comparison, Played, Shown, answers_of
from ..text.cost_words import cost_words
from ..views import NAMES_OF, VIEWS, game_words
from .charts import Whisker, axis_row, null_row, scale_of_whiskers, shade, whisker, whiskers
from .drawing import AxisScale
from .markup import Child, Element, capital, element

KINDS: Final = {
    Shown.BETTER: "above",
    Shown.WORSE: "below",
    Shown.NO_DIFFERENCE: "unsure",
    Shown.NO_RESULT: "no-result",
}
"""The class of each verdict's colour."""
NO_FIGURE: Final = "\N{EN DASH}"
WIDE_TICKS: Final = 8
NO_PLACEBO: Final = "no placebo was played"
WATCH: Final = "Watch a game"
AGAINST_NONE: Final = ", against the same player without it"


def answer_cards(played: Played, uses: Sequence[MemoryUse], *, are_failed_alone: bool = False) -> Iterator[Element]:
    """The cards, game by game. `uses`: what the memories did. `are_failed_alone`: of seats without usable answers."""
    answers = [one for one in answers_of(played) if one.failed or not are_failed_alone]
    changed = {
        use.match: changed_words(use, NAMES_OF[one.setting.augmentation])
        for one in answers
        for use in uses
        if one.setting and use.side == "a" and use.match == one.match
    }
    for game in dict.fromkeys(one.game for one in answers):
        ours = [one for one in answers if one.game == game]
        yield (_several if len(ours) > 1 else _single)(ours, answers, played, changed)


def _single(ours: Sequence[Answer], answers: Sequence[Answer], played: Played, changed: dict[str, str]) -> Element:
    (one,) = ours
    view, told = VIEWS[one.game], sentence(one, answers, played)
    claim = told.claim.replace(f" in {game_words(one.game)}", "", 1)
    shown: list[Child] = [_head(one.game, _pill(one)), element("p", claim, class_="claim")]
    if one.shown is Shown.NO_RESULT:
        shown += [element("p", NO_FIGURE, class_="big"), *_reason(one, played)]
    else:
        first = one.figures[0]
        value = view.spelled(first.value) if first.null else view.difference(first.value)
        against = AGAINST_NONE if first.against == "none" else f" against {first.against}" if first.against else ""
        unit = element("span", f"{view.figure_unit}{against}", class_="unit")
        shown.append(element("p", value, " ", unit, class_="big"))
        null_words = "even" if one.setting is None else "no difference"
        title = f"{game_words(one.game)}: {claim}"
        shown.append(whiskers(_whiskers(one), first.null, "", title, null_words))
    shown += _facts(one, played, changed)
    return element("article", *shown, class_=f"answer {KINDS[one.shown]}")


def _several(ours: Sequence[Answer], answers: Sequence[Answer], played: Played, changed: dict[str, str]) -> Element:
    game, rows = ours[0].game, [row for one in ours for row in _whiskers(one)]
    view, null = VIEWS[game], next((figure.null for one in ours for figure in one.figures), 0.0)
    scale = (
        scale_of_whiskers(rows, null)._replace(parts=WIDE_TICKS) if any(row.low is not None for row in rows) else None
    )
    reasons = {(reason_words(one), advice_words(one, played.manifest.plan)) for one in ours}
    is_shared = len(reasons) == 1 and ours[0].shown is Shown.NO_RESULT
    null_words = "even" if ours[0].setting is None else "no difference"
    lines: list[Element] = list(_reason(ours[0], played)) if is_shared else []
    lines += [null_row(scale, null, null_words)] if scale else []
    for one in ours:
        name = subject_words(one, answers, played) + against_words(one, played.manifest.plan)
        lines += _row(one, name, scale, null)
        if one.shown is Shown.NO_RESULT and not is_shared:
            lines += _reason(one, played)
        lines += _facts(one, played, changed)
    lines += [axis_row(scale, "")] if scale else []
    unit = f"{capital(view.figure_unit)}{AGAINST_NONE if ours[0].setting else ''}"
    body = element("div", *lines, class_="rows chart", role="group", aria_label=f"{game_words(game)}: the answers")
    kind = KINDS[ours[0].shown] if len({one.shown for one in ours}) == 1 else "mixed"
    return element("article", _head(game, element("span", unit, class_="note")), body, class_=f"answer several {kind}")


def _head(game: str, *beside: Element) -> Element:
    return element("div", element("h2", capital(game_words(game))), *beside, class_="answer-head")


def _pill(one: Answer) -> Element:
    if one.failed_gate:
        return element("span", "Phase 0 failed", class_=f"verdict {KINDS[Shown.NO_RESULT]}")
    return element("span", one.shown.value, class_=f"verdict {KINDS[one.shown]}")


def _row(one: Answer, name: str, scale: AxisScale | None, null: float) -> Iterator[Element]:
    """The first figure of an answer, then smaller ones; without a figure a dash."""
    label = element("span", capital(name) if one.setting else name, " ", _pill(one), class_="label")
    rows = _whiskers(one)
    if scale is None or not rows:
        told = element("span", rows[0].told if rows else NO_FIGURE, class_="told")
        yield element("div", label, told, class_="row answer-row")
        return
    for number, row in enumerate(rows):
        cells = (
            label if not number else element("span", row.label, class_="label"),
            whisker(row, scale, null),
            element("span", row.told, class_="told"),
        )
        kind = f"row {shade(row, null)} {'less' if number else 'answer-row'}"
        yield element("a", *cells, class_=kind, href=row.href)


def _whiskers(one: Answer) -> list[Whisker]:
    """The figures of an answer as rows of a chart; none where there is no result."""
    if one.shown is Shown.NO_RESULT:
        return []
    figures = one.figures[:1] if is_alike(one) else one.figures
    return [
        Whisker(
            f"against {figure.against}" if figure.against else "95 % interval",
            figure.value,
            figure.low,
            figure.high,
            _told(figure, one),
            f"#m={one.match}",
        )
        for figure in figures
    ]


def _told(figure: Comparison, one: Answer) -> str:
    bounds = "" if is_alike(one) else interval_words(figure, one.game)
    return bounds if one.setting is None else f"{VIEWS[one.game].difference(figure.value)} {bounds}".strip()


def _reason(one: Answer, played: Played) -> Iterator[Element]:
    """Why there is no result, and what to change."""
    yield element("p", f"{reason_words(one)}.", class_="reason")
    if advice := advice_words(one, played.manifest.plan):
        yield element("p", element("strong", "To try next: "), f"{advice.removeprefix('try ')}.", class_="advice")


def _facts(one: Answer, played: Played, changed: dict[str, str]) -> Iterator[Element]:
    """Repetitions, cost, what the memory changed, in small print; and the way to the games."""
    gate = failed_gate_words(one, played.manifest.plan.protocol)
    told = list(filter(None, (gate, corrected_words(one).removeprefix("; "))))
    if one.figures and one.not_own:
        told.append(ascii_words(one.not_own))
    if one.figures and one.shown is not Shown.NO_RESULT:
        told.append(alike_words(one) if is_alike(one) else one.figures[0].n)
        if one.setting and len(one.figures) == 1:
            told.append(NO_PLACEBO)
        if one.shown is Shown.NO_DIFFERENCE and (least := one.figures[0].detectable):
            view = VIEWS[one.game]
            effect = f"{view.number(least).removeprefix('+')} {view.figure_unit}"
            told.append(f"smallest effect that would be found (80 % power): {effect}")
    told += filter(None, (changed.get(one.match, ""), cost_words(one, played)))
    facts = [element("span", capital(line)) for line in told]
    if one.result is not None:
        facts.append(element("a", WATCH, href=f"#m={one.match}", class_="watch"))
    yield element("p", *facts, class_="facts")
