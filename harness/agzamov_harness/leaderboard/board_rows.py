"""The rows of a board, a card for each contender: rank, name, verdict, number, interval, and what it rests on.

A row without a result has the reason in the place of its numbers. Numbers lead to the report, and from there to every
game. What is not a number's meaning stands below it: how often it was repeated, its cost, its record's badge with the
warnings, which open where they stand.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agzamov_verify.core.columns import ascii_words, foreign_name
from agzamov_verify.show.html_report.answer_cards import KINDS, WATCH
from agzamov_verify.show.html_report.drawing import AxisScale
from agzamov_verify.show.html_report.markup import Child, Element, element
from agzamov_verify.show.text.answer_words import interval_words
from agzamov_verify.show.text.answers import Comparison, Shown
from agzamov_verify.show.text.badge import held_badge

from .board_drawings import axis, board_scale, intervals, rank_bar
from .board_names import counted, joined, model_words, number_words, rank_words, unit_words
from .board_runs import DEPARTS, HOSTED, NO_MEMORY, SCRIPT, SEALED, SHOWN_DIGITS, Board, BoardRun
from .ranking import NO_RESULT, BoardRow, Ranked

FILTERS: Final = {
    "weights": "weights of the model",
    "plan": "plan",
    "level": "level of the check",
    "lineage": "lineage of the memory",
}
"""What rows can be chosen by: a field of BoardRow, and its name for people."""
WEIGHTS: Final = {SEALED: "open weights", HOSTED: "hosted model", SCRIPT: "scripted player"}
RUNS_SHOWN: Final = 4
"""Runs of a contender that are named on its card; the others stand in the table."""


def board_rows(board: Board, places: Sequence[Ranked], gone: Mapping[str, int], numbers: str) -> Iterator[Element]:
    """The rows in their order, and the axis below them. `gone`: by key, the accepted runs that were taken away.

    `numbers`: the id of the table behind the board, to which the number of a contender with several runs leads.
    """
    figures = [one for place in places for one in drawn(place.row)]
    scale = board_scale(figures) if figures else None
    ranked = sum(place.ranks is not None for place in places)
    entries = [_entry(place, ranked, scale, gone, numbers) for place in places]
    yield element("ol", *entries, class_="entries")
    if scale:
        name = element("span", unit_words(board.game), class_="unit")
        yield element("div", element("div", axis(scale), class_="interval"), name, class_="axis", aria_hidden="true")


def drawn(row: BoardRow) -> tuple[Comparison, ...]:
    """The figures of a row that are drawn: those of a row that has an interval."""
    figures = row.answer.figures
    is_shown = row.answer.shown is not Shown.NO_RESULT and any(one.low is not None for one in figures)
    return figures if is_shown else ()


def chosen_by(row: BoardRow) -> dict[str, str]:
    """The attributes by which the page's script finds the rows of a choice."""
    return {f"data_{name}": getattr(row, name) for name in FILTERS}


def _entry(place: Ranked, ranked: int, scale: AxisScale | None, gone: Mapping[str, int], numbers: str) -> Element:
    row = place.row
    figures = drawn(row)
    shown = [element("div", intervals(figures, scale), class_="interval")] if figures and scale else []
    kind = f"entry {KINDS[row.answer.shown]}{'' if shown else ' in-words'}"
    children = (_place(place, ranked), _who(row), *shown, _found(row, numbers), _facts(row, gone), _badge(row))
    return element("li", *children, class_=kind, **chosen_by(row))


def _place(place: Ranked, ranked: int) -> Element:
    if place.ranks is None:
        words = element("span", "no rank", class_="none")
        why = [element("small", place.why_none)] if place.why_none != NO_RESULT else []
        return element("div", words, *why, class_="place")
    told = element("span", element("span", "rank ", class_="sr"), rank_words(place), class_="rank")
    of = element("small", f"of {ranked}")
    bar = [rank_bar(place.ranks, ranked)] if ranked > 1 else []
    return element("div", told, " ", of, *bar, class_="place")


def _who(row: BoardRow) -> Element:
    system = [element("span", joined(row.systems), class_="system")] if any(row.systems) else []
    key, made = element("code", row.contender.key[:SHOWN_DIGITS]), row.contender.weights[:SHOWN_DIGITS]
    weights = WEIGHTS[row.weights] + (f" {made}" if made and row.weights == SEALED else "")
    by: list[Child] = [f"{weights}, by {foreign_name(row.submitter)} ", key]
    name = element("h4", element("span", model_words(row), class_="model"), *([" with "] if system else []), *system)
    return element("div", name, element("p", *by), class_="who")


def _found(row: BoardRow, numbers: str) -> Element:
    """The verdict and the numbers; of no result the reason."""
    answer, game = row.answer, row.board.game
    verdict = element("span", answer.shown.value, class_=f"verdict {KINDS[answer.shown]}")
    if answer.shown is Shown.NO_RESULT:
        return element("div", verdict, element("p", f"{ascii_words(answer.why)}."), class_="found")
    if answer.is_alike:
        others = " and ".join(f"with {one.against}" for one in reversed(answer.figures))
        words = f"The same result as {others}, in each of {answer.figures[0].n}."
        return element("div", verdict, element("p", words), class_="found")
    first, *beside = answer.figures
    number = element("a", number_words(first, game), class_="number", href=_address(row, numbers))
    unit = element("span", f" {unit_words(game)} ", class_="unit")
    interval = element("p", f"{interval_words(first, game)} against {first.against}")
    lines = [
        element("p", f"{number_words(one, game)} {interval_words(one, game)} against {one.against}", class_="less")
        for one in beside
    ]
    return element("div", element("p", number, unit, verdict), interval, *lines, class_="found")


def _address(row: BoardRow, numbers: str) -> str:
    """The report behind a row; of several the table of all runs."""
    return _report(row.runs[0]) if len(row.runs) == 1 else f"#{numbers}"


def _report(run: BoardRun) -> str:
    return f"{run.run}/index.html"


def _facts(row: BoardRow, gone: Mapping[str, int]) -> Element:
    """What the numbers rest on, and where the games are."""
    told: list[Child] = []
    if row.answer.shown is not Shown.NO_RESULT and not row.answer.is_alike:
        told.append(row.answer.figures[0].n)
    if row.cost:
        told.append(row.cost.words)
    told += _runs(row)
    if row.lineage != NO_MEMORY:
        told.append(f"lineage {row.lineage}")
    if row.plan == DEPARTS:
        told.append("departs from its protocol")
    if away := gone.get(row.contender.key, 0):
        words = f"{counted(away, 'accepted run')} of this submitter taken away"
        told.append(element("strong", words, class_="fault"))
    told += [element("strong", f"study {words}", class_="fault") for words in unreported(row)]
    told += [f"study {words}" for words in dict.fromkeys(ascii_words(run.other_runs) for run in row.runs) if words]
    return element("p", *(element("span", one) for one in told), class_="facts")


def unreported(row: BoardRow) -> list[str]:
    """The accounts of the studies of a row, of which registered runs are missing, each once."""
    return list(dict.fromkeys(ascii_words(run.unreported) for run in row.runs if run.unreported))


def _runs(row: BoardRow) -> Iterator[Child]:
    """Links to the reports and games of the runs."""
    if len(row.runs) > 1:
        without = len(row.runs) - len(row.in_figure)
        left_out = f", {without} without an interval, so not in the number" if without else ""
        yield f"{counted(len(row.runs), 'run')}{left_out}"
    for number, run in enumerate(row.runs[:RUNS_SHOWN], 1):
        name = f" of run {number}" if len(row.runs) > 1 else ""
        yield element("a", f"Report{name}", href=_report(run))
        yield element("a", f"{WATCH}{name}", href=f"{_report(run)}#m={run.match}")


def _badge(row: BoardRow) -> Element:
    """The badge of the records behind a row; its warnings open where it stands."""
    held = row.level, max((run.unchecked for run in row.runs), key=len), row.warnings
    kind = held_badge(*held, has_result=row.answer.shown is not Shown.NO_RESULT).kind.value
    words = held_badge(*held, has_result=True).words  # the verdict says where there is none
    if not row.warnings:
        return element("span", words, class_=f"badge {kind}")
    several = len(row.runs) > 1
    lines = [f"{f'{run.run}: ' if several else ''}{ascii_words(line)}" for run in row.runs for line in run.warnings]
    listed = element("ul", *(element("li", line) for line in lines), class_="warnings")
    return element("details", element("summary", words), listed, class_=f"badge {kind}")
