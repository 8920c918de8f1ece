"""The pages of a leaderboard: a table for each board, refused submissions, and the rules. A script filters rows."""

from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Final

from agzamov_verify.show.html_report import PACKAGE as REPORT
from agzamov_verify.show.html_report.charts import Whisker, whiskers
from agzamov_verify.show.html_report.figures import scroller
from agzamov_verify.show.html_report.markup import Child, Element, document, element, fill, table
from agzamov_verify.show.text.analysis_text import estimate
from agzamov_verify.show.views import game_words

from .ranking import Board, BoardRow, Ranked, ranked
from .submissions import Policy, SubmissionEntry, SubmissionOutcome

FILTERS: Final = {
    "weights": "weights of the model",
    "plan": "plan",
    "level": "level of the check",
    "lineage": "lineage of the memory",
}
"""What rows can be chosen by: a field of BoardRow, and its name for people."""
WORDS: Final = {"sealed": "open, and sealed", "hosted": "hosted", "script": "none: a script plays"}
"""Names for people of values that need one."""
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


def leaderboard_page(policy: Policy, rows: Sequence[BoardRow], record: Sequence[SubmissionEntry]) -> str:
    """The page as HTML. `record`: every submission that was ever seen."""
    style = (files(REPORT) / "assets/report.css").read_text("utf-8")
    body = (
        element("header", element("p", "Leaderboard of the Agzamov test", class_="kind"), element("h1", policy.title)),
        element("main", *_main(policy, rows, record)),
    )
    return document(policy.title, style, SCRIPT, body)


def _main(policy: Policy, rows: Sequence[BoardRow], record: Sequence[SubmissionEntry]) -> Iterator[Element]:
    yield element(
        "p",
        "Every bundle was verified by whoever built this page; none of its figures was typed. A rank is an interval:"
        " figures whose intervals overlap are not told apart. Level V1 says that a record is consistent with itself,"
        " not that its replies were really given. Names of models are the submitters'. Lineage says how far what a"
        " memory told can be traced to what was stored, from A, verbatim, to D, unverified.",
    )
    yield from _filters(rows)
    boards = dict.fromkeys(row.board for row in rows)
    for board in sorted(boards):
        yield _board(board, ranked([row for row in rows if row.board == board]))
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


def _board(board: Board, places: Sequence[Ranked]) -> Element:
    game, augmentation, opponent, unit = board
    title = f"{game_words(game)}: what {augmentation} adds to a model against {opponent}"
    marks = [_whisker(place.row) for place in places]
    header = ("rank", "model", "system", "effect", "submitter", "level", "plan", "lineage", "weights", "report")
    head = element("thead", element("tr", *(element("th", name, scope="col") for name in header)))
    body = element("tbody", *map(_row, places))
    numbers = scroller(f"{title}: rows", element("table", head, body))
    return element("section", element("h2", title), scroller(title, whiskers(marks, 0.0, unit, title)), numbers)


def _whisker(row: BoardRow) -> Whisker:
    low, high = row.bounds or (None, None)
    value = float(row.effect.value.decimal) if row.effect.value else 0.0
    return Whisker(f"{row.model}, {row.system or 'no system'} ({row.submission})", value, low, high)


def _row(place: Ranked) -> Element:
    row, ranks = place
    cells: list[Child] = [
        _rank_words(ranks),
        row.model,
        row.system or "none",
        estimate(row.effect),
        row.submitter,
        row.level,
        row.plan,
        row.lineage,
        row.weights,
        element("a", row.run, href=f"{row.run}/index.html"),
    ]
    made = element("tr", **{f"data_{name}": getattr(row, name) for name in FILTERS})
    fill(made, (element("th" if index == 0 else "td", cell) for index, cell in enumerate(cells)))
    return made


def _rank_words(ranks: tuple[int, int] | None) -> str:
    if ranks is None:
        return "none"
    best, worst = ranks
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
        *(f"Key of {name}: {key}" for name, key in sorted(policy.keys.items())),
    ]
    return element("section", element("h2", "Rules"), element("ul", *(element("li", rule) for rule in rules)))
