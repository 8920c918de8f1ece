"""The page of a leaderboard: a list of its boards, a card for each contender, submissions, and the rules.

Names that submitters choose are spelled out in ASCII, so that no two contenders look alike (`foreign_name`). A script
hides rows by a choice; without scripts all rows are shown.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Final, NamedTuple

from agzamov_verify.core.columns import foreign_name
from agzamov_verify.show.html_report import PACKAGE as REPORT
from agzamov_verify.show.html_report.markup import Child, Element, document, element, table
from agzamov_verify.show.text.answers import Shown

from . import PACKAGE
from .board_names import about_words, counted, short_title, title_words
from .board_rows import FILTERS, board_rows
from .board_runs import HOSTED, SCRIPT, SEALED, Board
from .board_tables import numbers_of
from .ranking import BoardRow, Ranked
from .submission_record import SubmissionEntry, SubmissionOutcome, taken_away
from .submissions import Policy

WORDS: Final = {SEALED: "open, and sealed", HOSTED: "hosted", SCRIPT: "none: a script plays"}
"""Names for people of values that need one."""
RECOMPUTED: Final = "All numbers were recomputed from the bundles when this page was built."
ONLY_SUBMITTED: Final = "Only submitted runs are counted. Nobody can tell how many others were played and left out."
HOW_TO_READ: Final = """\
A row is one contender: one key, one model, and one memory, set of tools or documents. All its runs are pooled. A hosted
model has no digest, so its key stands for it.

The number is the gain against a placebo: the same prompts and calls, with content that cannot help. So what a longer
prompt does by itself is taken out. Where no placebo was played, it is the gain against none, on a board of its own.

Better or worse: every interval, against none and against the placebo, lies on one side of 0. No difference shown: an
interval holds 0, or the two disagree. No result: there is no interval, and the reason is given. Each row is judged
alone, as if it were the only one: a report corrects for all comparisons of its run, and ranks for all rows.

The thick bar is the interval of the number, the thin one that against none. Intervals are of 95 %. Rows stand in the
order of the lower ends; below them those whose lower end is under 0, by number.

A rank is a range, since numbers are uncertain: all ranges of a board hold together in 95 of 100 boards.

Level V1: the record is consistent with itself. It cannot prove that the model really gave its replies. Level V2: the
run was also registered before its seed existed, and every registered run of its study is accounted for: finished (its
bundle's digest is logged, the bundle need not be here), stopped or open; where some are missing or the study has other
runs, the row says how many. Level V3: V2, and somebody else asked the same weights again for a random sample of its
games. Level V4: V2, and another party executed the whole plan, with figures that agree.

Lineage: how far what a memory told can be traced to what was stored, from A (word for word) to D (unverified). It
praises no result.

Names are the submitters', spelled out in ASCII."""


class NamedBoard(NamedTuple):
    """A board, its rows, and the id of its section."""

    name: str
    board: Board
    places: Sequence[Ranked]


def leaderboard_page(
    policy: Policy, boards: Mapping[Board, Sequence[Ranked]], record: Sequence[SubmissionEntry]
) -> str:
    """The page as HTML. `record`: every submission that was ever seen."""
    style = "".join(((files(REPORT) / "assets/report.css").read_text("utf-8"), _asset("board.css")))
    kind = element("p", "Leaderboard of the Agzamov test", class_="kind")
    body = (
        element(
            "header", kind, element("h1", policy.title), element("p", f"{RECOMPUTED} {ONLY_SUBMITTED}", class_="lede")
        ),
        element("main", *_main(policy, boards, record), class_="leaderboard"),
    )
    return document(policy.title, style, _asset("board.js"), body)


def _asset(name: str) -> str:
    return (files(PACKAGE) / "assets" / name).read_text("utf-8")


def _main(
    policy: Policy, boards: Mapping[Board, Sequence[Ranked]], record: Sequence[SubmissionEntry]
) -> Iterator[Element]:
    questions = _questions(boards)
    yield element("div", _how(), *_contents(questions), class_="about-page")
    gone = taken_away(record, policy.withdrawn)
    yield from _filters([place.row for places in boards.values() for place in places])
    for title, asked in questions.items():
        shown = (_board(name, board, places, gone) for name, board, places in asked)
        yield element("section", element("h2", title), *shown, class_="question")
    if not boards:
        yield element("p", "No accepted bundle holds an augmentation with its control yet.")
    yield from _submissions(record)
    yield _rules(policy)


def _how() -> Element:
    lines = element("ul", *(element("li", line.replace("\n", " ")) for line in HOW_TO_READ.split("\n\n")))
    return element("details", element("summary", "How to read this page"), lines)


def _questions(boards: Mapping[Board, Sequence[Ranked]]) -> dict[str, list[NamedBoard]]:
    """The boards with the ids of their sections, by the question that they answer; those that rank somebody first."""
    ordered = sorted(boards.items(), key=lambda item: all(place.ranks is None for place in item[1]))
    found: dict[str, list[NamedBoard]] = {}
    for number, (board, places) in enumerate(ordered, 1):
        found.setdefault(title_words(board), []).append(NamedBoard(f"board-{number}", board, places))
    return found


def _contents(questions: Mapping[str, Sequence[NamedBoard]]) -> Iterator[Element]:
    """A list of all boards, with how many rows show what."""
    listed = [_link(one) for asked in questions.values() for one in asked]
    if listed:
        boards = element("nav", element("ul", *listed), aria_label="Boards")
        yield element("details", element("summary", f"All {counted(len(listed), 'board')}"), boards, class_="boards")


def _link(named: NamedBoard) -> Element:
    counts = Counter(place.row.answer.shown for place in named.places)
    shown = ", ".join(f"{counts[one]} {one.value}" for one in Shown if counts[one])
    link = element("a", short_title(named.board), href=f"#{named.name}")
    return element("li", link, " ", element("small", shown))


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
        note = element("span", "Filters hide rows; ranks do not change. ", element("output", id="left"))
        yield element("form", *choices, note, class_="filters", autocomplete="off")


def _option(value: str) -> Element:
    return element("option", WORDS.get(value, value), value=value)


def _board(name: str, board: Board, places: Sequence[Ranked], gone: Mapping[str, int]) -> Element:
    title, numbers = short_title(board), f"{name}-numbers"
    heading = element("h3", about_words(board), class_="about")
    hidden = element("p", "The filters hide all rows of this board.", class_="none-left", hidden="")
    rows = board_rows(board, places, gone, numbers)
    folded = numbers_of(board, title, places, gone, numbers)
    return element("section", heading, hidden, *rows, folded, class_="board", id=name)


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
