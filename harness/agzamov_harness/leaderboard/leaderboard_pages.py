"""The pages of a leaderboard: a table for each board, refused submissions, and the rules. A script filters rows.

Names that submitters choose are spelled out in ASCII, so that no two contenders look alike (`foreign_name`).
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Final

from agzamov_verify.core.columns import ascii_words, foreign_name
from agzamov_verify.experiment.matches import Augmentation
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.show.absent_arms import NOT_PLAYED
from agzamov_verify.show.html_report import PACKAGE as REPORT
from agzamov_verify.show.html_report.charts import Whisker, whiskers
from agzamov_verify.show.html_report.figures import scroller
from agzamov_verify.show.html_report.markup import Child, Element, document, element, fill, table
from agzamov_verify.show.text.analysis_text import estimate
from agzamov_verify.show.views import game_words

from .board_runs import SHOWN_DIGITS, Board, BoardRun, Compared
from .ranking import BoardRow, Ranked
from .submissions import Policy, SubmissionEntry, SubmissionOutcome, taken_away

FILTERS: Final = {
    "weights": "weights of the model",
    "plan": "plan",
    "level": "level of the check",
    "lineage": "lineage of the memory",
}
"""What rows can be chosen by: a field of BoardRow, and its name for people."""
WORDS: Final = {"sealed": "open, and sealed", "hosted": "hosted", "script": "none: a script plays"}
"""Names for people of values that need one."""
LEVEL_FIRST: Final = ("level", "warnings", "rank", "model", "system", "submitter", "careers")
"""The columns before the effect: what a reader must know before believing it."""
REPEATED: Final = "repeated by nobody"
"""No program grants V3 or V4 yet, so no run here was repeated by another party."""
READ_FIRST: Final = (
    "Every bundle was verified by whoever built this page; none of its figures was typed. A row is one contender: a"
    " submitter's key with the digests of a model's weights and of its system, all of its runs with an interval pooled;"
    " a hosted model has no digest, so there the key is the contender. Rows stand in the order of the lower ends of"
    " their intervals; those whose lower end is below 0 come after, by figure. A rank is a range: all ranges of a"
    " board hold together in 95 of 100 boards. Level V1 says that a record is consistent with itself, not that its"
    " replies were really given. Names are the submitters', spelled out in ASCII. Lineage says how far what a memory"
    " told can be traced to what was stored: A verbatim, to D unverified; it praises no result."
)
ONLY_SUBMITTED: Final = (
    "Only runs that were submitted are counted. How many others were played and left out, nobody can tell."
)
LESS_FILLER: Final = "real less filler (no memory, as many bytes)"
NO_PLACEBO: Final = (
    "No placebo arm was played in these runs, so what the longer prompt does by itself is in the figures. They are"
    " ranked among themselves, never beside those less placebo."
)
SCRIPT: Final = """"use strict";
const choices = [...document.querySelectorAll(".filters select")];
for (const one of choices) {
  one.addEventListener("change", () => {
    const rows = [...document.querySelectorAll("tr[data-level]")];
    for (const row of rows) row.hidden = !choices.every(({ name, value }) => !value || row.dataset[name] === value);
    document.getElementById("left").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
  });
}
"""


def leaderboard_page(
    policy: Policy, boards: Mapping[Board, Sequence[Ranked]], record: Sequence[SubmissionEntry]
) -> str:
    """The page as HTML. `record`: every submission that was ever seen."""
    style = (files(REPORT) / "assets/report.css").read_text("utf-8")
    body = (
        element("header", element("p", "Leaderboard of the Agzamov test", class_="kind"), element("h1", policy.title)),
        element("main", *_main(policy, boards, record)),
    )
    return document(policy.title, style, SCRIPT, body)


def _main(
    policy: Policy, boards: Mapping[Board, Sequence[Ranked]], record: Sequence[SubmissionEntry]
) -> Iterator[Element]:
    yield element("p", READ_FIRST)
    yield element("p", ONLY_SUBMITTED)
    yield from _filters([place.row for places in boards.values() for place in places])
    gone = taken_away(record, policy.withdrawn)
    for board, places in boards.items():
        yield _board(board, places, gone)
    if not boards:
        yield element("p", "No accepted bundle holds an augmentation with its control yet.")
    yield from _submissions(record)
    yield _rules(policy)


def _filters(rows: Sequence[BoardRow]) -> Iterator[Element]:
    """A choice for each property in which rows differ; nothing where they differ in none."""
    choices = [
        element(
            "label",
            f"{words} ",
            element("select", element("option", "any", value=""), *map(_option, values), name=name),
        )
        for name, words in FILTERS.items()
        if len(values := sorted({getattr(row, name) for row in rows})) > 1
    ]
    if choices:
        yield element("form", *choices, element("output", id="left"), class_="filters", autocomplete="off")
        yield element("p", "A choice hides rows of the tables; ranks and charts are of all rows.")


def _option(value: str) -> Element:
    return element("option", WORDS.get(value, value), value=value)


def _board(board: Board, places: Sequence[Ranked], gone: Mapping[str, int]) -> Element:
    title = f"{game_words(board.game)}: what {board.augmentation} adds to a model against {board.opponent}"
    title += f", real less {board.compared}"
    is_controlled = board.compared is Compared.PLACEBO
    effects = ["real less placebo"] if is_controlled else []
    effects += ["real less naked", *([LESS_FILLER] if _has_filler(board) else [])]
    marks = [_whisker(place.row) for place in places if place.row.effect.value]
    header = (*LEVEL_FIRST, *effects, "runs", "plan", "lineage", "weights")
    head = element("thead", element("tr", *(element("th", name, scope="col") for name in header)))
    body = element("tbody", *(_row(place, gone) for place in places))
    numbers = scroller(f"{title}: rows", element("table", head, body))
    note = [] if is_controlled else [element("p", NO_PLACEBO)]
    chart = [scroller(title, whiskers(marks, 0.0, board.unit, title))] if marks else []
    return element("section", element("h2", title), *note, *chart, numbers, _runs(title, effects, places))


def _whisker(row: BoardRow) -> Whisker:
    low, high = row.bounds or (None, None)
    value = float(row.effect.value.decimal) if row.effect.value else 0.0
    return Whisker(f"{_names(row.models)}, {_names(row.systems)} ({foreign_name(row.submitter)})", value, low, high)


def _row(place: Ranked, gone: Mapping[str, int]) -> Element:
    row = place.row
    key, system = row.contender.key[:SHOWN_DIGITS], row.contender.system[:SHOWN_DIGITS]
    runs = f"{len({run.run for run in row.runs})}"
    if len(row.in_figure) < len(row.runs):
        runs += f", {len(row.in_figure)} of them in the figure, since the others have no interval"
    if away := gone.get(row.contender.key, 0):
        runs += f", and {away} of this submitter taken away"
    cells: list[Sequence[Child]] = [
        [f"{row.level}, {REPEATED}"],
        [_warnings(row.runs)],
        [_rank_words(place)],
        [_names(row.models)],
        [f"{_names(row.systems)} ", element("code", system)],
        [f"{foreign_name(row.submitter)} ", element("code", key)],
        [_careers(row.careers)],
        *_effects(row.board, row.effect, row.less_naked, row.less_filler),
        [runs],
        [row.plan],
        [row.lineage],
        [row.weights],
    ]
    made = element("tr", **{f"data_{name}": getattr(row, name) for name in FILTERS})
    names = LEVEL_FIRST.index("model")
    fill(made, (element("th" if index == names else "td", *cell) for index, cell in enumerate(cells)))
    made[names].set("scope", "row")
    return made


def _effects(
    board: Board, effect: Estimate, less_naked: Estimate | None, less_filler: Estimate | None
) -> Iterator[list[Child]]:
    yield [estimate(effect)]
    if board.compared is Compared.PLACEBO:
        yield [estimate(less_naked)]
    if _has_filler(board):
        yield [estimate(less_filler) if less_filler else NOT_PLAYED]


def _has_filler(board: Board) -> bool:
    """Whether the augmentation of a board can be played with filler."""
    return board.augmentation == Augmentation.MEMORY


def _careers(count: int) -> str:
    return str(count) if count else "none"


def _names(names: Sequence[str]) -> str:
    """Names that a submitter chose, spelled out."""
    return ", ".join(foreign_name(name) or "none" for name in names)


def _warnings(runs: Sequence[BoardRun]) -> Child:
    """How many warnings the first screens of some runs have; a click shows them."""
    lines = [(run, line) for run in runs for line in run.warnings]
    if not lines:
        return "0"
    several = len(runs) > 1
    items = (element("li", f"{f'{run.run}: ' if several else ''}{ascii_words(line)}") for run, line in lines)
    return element("details", element("summary", str(len(lines))), element("ul", *items))


def _runs(title: str, effects: Sequence[str], places: Sequence[Ranked]) -> Element:
    """Every run that is in a row, by itself; a click opens them."""
    rows: list[list[Child]] = []
    for run in (run for place in places for run in place.row.runs):
        less_naked, less_filler = (one.estimate if one else None for one in (run.less_naked, run.less_filler))
        figures = _effects(run.board, run.figure.estimate, less_naked, less_filler)
        named: list[Child] = [run.submission, foreign_name(run.submitter), foreign_name(run.model)]
        told: list[Child] = [foreign_name(run.system) or "none", str(len(run.warnings)), _careers(run.careers)]
        link = element("a", run.run, href=f"{run.run}/index.html")
        rows.append([link, *named, *told, *(cell for cells in figures for cell in cells)])
    header = ("run, with its report", "submission", "submitter", "model", "system", "warnings", "careers", *effects)
    listed = table(header, rows)
    listed.set("aria-label", f"{title}: runs")
    words = "1 run" if len(rows) == 1 else f"{len(rows)} runs"
    return element("details", element("summary", f"{words}, each by itself"), listed)


def _rank_words(place: Ranked) -> str:
    if place.ranks is None:
        return f"none: {place.why_none}"
    best, worst = place.ranks
    return str(best) if best == worst else f"{best} to {worst}"


def _submissions(record: Sequence[SubmissionEntry]) -> Iterator[Element]:
    """Every bundle that holds, with or without a place on a board; each that does not; each that is gone."""
    present = [entry for entry in record if entry.present]
    accepted = [
        (entry.name, element("a", entry.run, href=f"{entry.run}/index.html"))
        for entry in present
        if entry.outcome is SubmissionOutcome.ACCEPTED
    ]
    refused = [
        (entry.name, entry.run or "unknown", entry.reason)
        for entry in present
        if entry.outcome is SubmissionOutcome.REFUSED
    ]
    gone = [
        (entry.name, entry.run or "unknown", f"{entry.outcome.value} {entry.reason}".strip())
        for entry in record
        if not entry.present
    ]
    yield _listed("accepted", "Accepted", ("submission", "run, with its report"), accepted, "Nothing was accepted.")
    yield _listed("refused", "Refused", ("submission", "run", "why"), refused, "Nothing was refused.")
    header = ("submission", "run", "it was")
    yield _listed("gone", "Taken away or replaced", header, gone, "Nothing was taken away.")


def _listed(name: str, title: str, header: Sequence[str], rows: Sequence[Sequence[Child]], none: str) -> Element:
    """A section with a table, or the words for an empty one."""
    inside = table(header, rows) if rows else element("p", none)
    if rows:
        inside.attrib.update({"role": "region", "aria-label": title})
    return element("section", element("h2", title), inside, id=name)


def _rules(policy: Policy) -> Element:
    rules = [
        f"Ranked from level {policy.level} on.",
        "Plans that depart from their protocol are ranked too."
        if policy.departures
        else "Plans that depart from their protocol are refused.",
        f"A bundle has at most {policy.bundle_mib_max} MiB.",
        f"A submitter has at most {policy.contenders_max} ranked contenders on a board, the first that came.",
        *(f"Key of {foreign_name(name)}: {key}" for name, key in sorted(policy.keys.items())),
    ]
    return element("section", element("h2", "Rules"), element("ul", *(element("li", rule) for rule in rules)))
