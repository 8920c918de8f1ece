"""All numbers of a board as tables: of its rows, and of every run by itself. They are folded behind the rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agzamov_verify.core.columns import ascii_words, foreign_name
from agzamov_verify.experiment.matches import Augmentation
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.show.absent_arms import NOT_PLAYED
from agzamov_verify.show.html_report.figures import scroller
from agzamov_verify.show.html_report.markup import Child, Element, element, fill, table
from agzamov_verify.show.text.answer_words import interval_words
from agzamov_verify.show.text.answers import ALL_ALIKE, Comparison, Shown, comparison

from .board_names import joined, model_words, number_words, rank_words, run_model_words
from .board_rows import chosen_by
from .board_runs import SHOWN_DIGITS, Board, BoardRun, Compared
from .ranking import BoardRow, Ranked

COLUMNS: Final = ("rank", "model", "system", "submitter", "verdict", "careers", "tokens a decision", "without")
BEHIND: Final = ("runs", "level", "warnings", "plan", "lineage", "weights")
LESS_FILLER: Final = "against filler (no memory, as many bytes)"


def numbers_of(board: Board, title: str, places: Sequence[Ranked], gone: Mapping[str, int], name: str) -> Element:
    """The folded tables. `name`: their id."""
    has_filler = board.augmentation == Augmentation.MEMORY  # what can be played with filler
    effects = list(_effect_names(board, has_filler=has_filler))
    head = element("thead", element("tr", *(element("th", one, scope="col") for one in (*COLUMNS, *effects, *BEHIND))))
    body = element("tbody", *(_row(place, gone, has_filler=has_filler) for place in places))
    rows = scroller(f"{title}: rows", element("table", head, body))
    runs = _runs(title, places, effects, has_filler=has_filler)
    return element("details", element("summary", "All numbers"), rows, runs, class_="numbers", id=name)


def _effect_names(board: Board, *, has_filler: bool) -> Iterator[str]:
    if board.compared is Compared.PLACEBO:
        yield "against a placebo"
    yield "against none"
    if has_filler:
        yield LESS_FILLER


def _row(place: Ranked, gone: Mapping[str, int], *, has_filler: bool) -> Element:
    row = place.row
    key, system = row.contender.key[:SHOWN_DIGITS], row.contender.system[:SHOWN_DIGITS]
    cells: list[Sequence[Child]] = [
        [rank_words(place) or f"none: {place.why_none}"],
        [model_words(row)],
        [f"{joined(row.systems)} ", element("code", system)],
        [f"{foreign_name(row.submitter)} ", element("code", key)],
        [row.answer.shown.value],
        [str(row.careers) if row.careers else "none"],
        *([[f"{each:,.1f}" if each else "none"] for each in _tokens(row)]),
        *_effects(row.board, row.effect, row.less_naked, row.less_filler, row.answer.shown, has_filler=has_filler),
        [_runs_words(row, gone)],
        [row.level],
        [str(row.warnings)],
        [row.plan],
        [row.lineage],
        [row.weights],
    ]
    made, names = element("tr", **chosen_by(row)), COLUMNS.index("model")
    fill(made, (element("th" if index == names else "td", *cell) for index, cell in enumerate(cells)))
    made[names].set("scope", "row")
    return made


def _tokens(row: BoardRow) -> tuple[float, float]:
    return (row.cost.each, row.cost.without_each) if row.cost else (0.0, 0.0)


def _runs_words(row: BoardRow, gone: Mapping[str, int]) -> str:
    words = str(len({run.run for run in row.runs}))
    if len(row.in_figure) < len(row.runs):
        words += f", {len(row.in_figure)} of them in the figure, since the others have no interval"
    if away := gone.get(row.contender.key, 0):
        words += f", and {away} of this submitter taken away"
    return words


def _effects(
    board: Board,
    effect: Estimate,
    less_naked: Estimate | None,
    less_filler: Estimate | None,
    shown: Shown,
    *,
    has_filler: bool,
) -> Iterator[list[Child]]:
    figures = [effect]
    beside = [less_naked] if board.compared is Compared.PLACEBO else []
    beside += [less_filler] if has_filler else []
    for one in (*figures, *beside):
        yield [_effect(one, board.game, shown)]


def _effect(value: Estimate | None, game: str, shown: Shown) -> str:
    """A figure with its interval and n; where there is no result, no number."""
    if value is None:
        return NOT_PLAYED
    one = comparison("", value, game)
    if shown is Shown.NO_RESULT or one.shown is Shown.NO_RESULT:
        return Shown.NO_RESULT.value
    if one.why_none == ALL_ALIKE:
        return f"the same result in each of {one.n}"
    return f"{number_words(one, game)} {interval_words(one, game)} ({one.n}{_detectable(one, game)})"


def _detectable(one: Comparison, game: str) -> str:
    if one.detectable is None:
        return ""
    least = number_words(one._replace(value=one.detectable), game).removeprefix("+")
    return f"; smallest effect that would be found (80 % power): {least}"


def _runs(title: str, places: Sequence[Ranked], effects: Sequence[str], *, has_filler: bool) -> Element:
    """Every run by itself, behind a link to its report."""
    rows: list[list[Child]] = []
    for run in (run for place in places for run in place.row.runs):
        less = [one.estimate if one else None for one in (run.less_naked, run.less_filler)]
        figure, shown = run.figure.estimate, Shown.NO_RESULT if run.no_result else Shown.NO_DIFFERENCE
        found = _effects(run.board, figure, less[0], less[1], shown, has_filler=has_filler)
        named: list[Child] = [run.submission, foreign_name(run.submitter), run_model_words(run)]
        told: list[Child] = [foreign_name(run.system) or "none", str(len(run.warnings)), str(run.careers or "none")]
        cells = [cell for cells in found for cell in cells]
        rows.append([_link(run), *named, *told, *cells, ascii_words(run.no_result)])
    header = ("run, with its report", "submission", "submitter", "model", "system", "warnings", "careers")
    listed = table((*header, *effects, "why no result"), rows)
    listed.set("aria-label", f"{title}: runs")
    return listed


def _link(run: BoardRun) -> Element:
    return element("a", run.run, href=f"{run.run}/index.html")
