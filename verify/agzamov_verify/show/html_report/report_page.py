"""The report's page: the answer first, then figures, then the games, then the evidence.

Names that a submitter chose are spelled out in ASCII, as on a terminal (`foreign_name`). The page runs one script and
takes one style sheet, whose digests its Content-Security-Policy names; a chunk of data can do nothing (`chunks`).
Without scripts everything but the games can be read.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree as ET

from ...checks.steps import Verdict
from ...core.columns import ascii_words, foreign_name
from ...plan.manifest import Manifest, Plan
from ...scoring.analysis import Analysis
from ...scoring.hypotheses.verdicts import HypothesisVerdict
from ...scoring.results import Results
from ...table.registry import files_of
from ..glossary import TERMS, label
from ..seat_words import seat_lines
from ..text import verdict_report
from ..text.conclusions import found_of, p_words, precision_words
from ..text.figure_warnings import warnings_of
from ..text.first_screen import departs_words, match_words, played_words, seed_words
from ..views import game_words, size_words
from . import PACKAGE, arm_figures, course_figures, figures, memory_figures, planted_figures, seat_figures, time_figures
from .markup import Child, Element, document, element, fill, raw, table

SCRIPTS: Final = ("chunks.js", "games.js", "replay.js")
LAST_SCRIPT: Final = "report.js"
PROGRAM_TITLE: Final = "Agzamov test report"
LISTED: Final = 3
"""Lines of a list that is open at once, on the first screen."""
NAMED: Final = 4
"""Matches that are named at once, on the first screen."""
LEVELS: Final = {"V0": "claimed", "V1": "self-consistent"}


class Contents(NamedTuple):
    """Input of the page. `site`: data of the games for its script; `command`: the command that checks the bundle.

    `sheets`: the data lie in style sheets beside the page, not in the page itself.
    """

    verdict: Verdict
    site: dict[str, Any]
    command: str
    sheets: bool


def page(contents: Contents) -> str:
    """The whole page as HTML."""
    verdict = contents.verdict
    _, _, manifest = figures.parts_of(verdict)
    style, script = _assets(manifest.plan.games, "css"), _assets(manifest.plan.games, "js")
    site = json.dumps(contents.site, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    body = (
        element("a", "Skip to the games", href="#games", class_="skip"),
        *_header(verdict, manifest),
        element("main", *_with_contents(list(_sections(contents, manifest))), id="overview"),
        element("main", id="view", hidden=""),
        element("div", id="chunk", hidden=""),
        _symbols(manifest.plan.games),
        raw("script", site, type="application/json", id="site"),
    )
    title = f"{foreign_name(manifest.plan.title)} - {PROGRAM_TITLE}"
    return document(title, style, script, body, also_styles="'self'" if contents.sheets else "")


def _assets(games: Iterable[str], kind: str) -> str:
    """The style sheet of the page, or its script, with those of its games."""
    drawn = files_of(games, f"replay.{kind}")
    if kind == "css":
        return "\n".join([_asset("report.css"), *drawn])
    inside = "".join([*map(_asset, SCRIPTS), *drawn, _asset(LAST_SCRIPT)])
    return f'"use strict";\n{{\n{inside}}}\n'


def _asset(name: str) -> str:
    return (files(PACKAGE) / "assets" / name).read_text("utf-8")


def _symbols(games: Iterable[str]) -> Element:
    """The drawings that a game's replay uses, as SVG symbols."""
    sheet = element("div", hidden="", id="symbols")
    for text in files_of(games, "replay.svg"):
        sheet.append(ET.fromstring(text))  # noqa: S314 - a file of ours
    return sheet


# --- sections ------------------------------------------------------------------------------------


def _header(verdict: Verdict, manifest: Manifest) -> Iterator[Element]:
    level = element("span", f"{verdict.level} {LEVELS.get(verdict.level, '')}", class_=f"level {verdict.level}")
    key = element("code", verdict.submitter[:16])
    run = element("p", level, " run ", element("code", verdict.run), " · signed by key ", key, class_="run")
    title = element("h1", foreign_name(manifest.plan.title))
    yield element("header", element("p", PROGRAM_TITLE, class_="kind"), title, run)


def _sections(contents: Contents, manifest: Manifest) -> Iterator[Element]:
    verdict = contents.verdict
    yield _section("answer", "", _answer(contents, manifest))
    yield _section("results", "Results", figures.result_figures(verdict))
    yield _section("arms", "By condition", arm_figures.arm_figures(verdict))
    yield _section("times", "When the arms were played", time_figures.time_figures(verdict))
    yield _section("planted", "Equal prompts", planted_figures.planted_figures(verdict))
    yield _section("effects", "What each augmentation added", figures.delta_figures(verdict))
    yield _section("memory", "What the memories did", memory_figures.memory_figures(verdict))
    yield _section("games", "Games", [_games(contents, manifest)])
    yield _section("learning", "Learning", course_figures.learning_figures(verdict))
    yield _section("ratings", "Ratings", course_figures.rating_figures(verdict))
    yield _section("winnings", "Winnings", seat_figures.winnings_figures(verdict))
    yield _section("quality", "Quality of play", seat_figures.quality_figures(verdict))
    yield _section("efficiency", "Efficiency", seat_figures.efficiency_figures(verdict))
    yield _section("teams", "Teams", seat_figures.team_figures(verdict))
    yield _section("errors", "Errors", seat_figures.error_figures(verdict))
    yield _section("hypotheses", "Hypotheses", _hypotheses(verdict))
    yield _section("seats", "Seats", [_seats(verdict, manifest)])
    yield _section("steps", "Steps of the check", [_steps(verdict)])
    yield _section("words", "Words", [_words()])


def _with_contents(sections: Sequence[Element]) -> Iterator[Element]:
    """The sections, behind a list of links to all but the first, which is the answer."""
    links = [
        element("li", element("a", heading.text or "", href=f"#{section.get('id')}"))
        for section in sections[1:]
        if section.get("hidden") is None and (heading := section.find("h2")) is not None
    ]
    yield element("nav", element("ul", *links), aria_label="Contents", class_="contents")
    yield from sections


def _section(name: str, title: str, children: Iterator[Element] | Sequence[Element]) -> Element:
    """A section with its heading; hidden where it is empty."""
    inside = list(children)
    heading = [element("h2", title)] if title else []
    hidden = {} if inside else {"hidden": ""}
    return element("section", *heading, *inside, id=name, **hidden)


def _answer(contents: Contents, manifest: Manifest) -> Iterator[Element]:
    verdict = contents.verdict
    results, analysis, _ = figures.parts_of(verdict)
    differences = verdict_report.differences_told(verdict)
    warnings = [*warnings_of(manifest, results, verdict.calls, analysis), *differences, *verdict.warnings]
    sentence, limits = verdict_report.believe_words(verdict)
    departs: list[Child] = [departs_words(results).removesuffix(":"), *_listed(results.departures)]
    believe: list[Child] = [sentence]
    if limits:
        believe += [" ", limits]
    believe += [" ", seed_words(manifest)]
    if warnings:
        believe.append(element("ul", *(element("li", ascii_words(line)) for line in warnings), class_="warnings"))
    check: list[Child] = [element("pre", contents.command, class_="command", tabindex="0")]
    rows: list[tuple[str, list[Child]]] = [
        ("Played", _played(manifest, results)),
        ("Found", _found(results, analysis, manifest.plan)),
        ("How sure", [precision_words(results, analysis)]),
        ("Believe", believe),
        (label("Departs"), departs),
        ("Check it", check),
    ]
    answer = element("dl", class_="answer")
    for name, children in rows:
        answer.append(element("dt", name))
        answer.append(element("dd", *children))
    yield answer


def _listed(lines: Sequence[str]) -> Iterator[Child]:
    """The first lines of a list; the rest opens on a click."""
    if lines:
        yield element("ul", *(element("li", line) for line in lines[:LISTED]))
    if rest := lines[LISTED:]:
        items = element("ul", *(element("li", line) for line in rest))
        yield element("details", element("summary", f"{len(rest)} more"), items)


def _found(results: Results, analysis: Analysis, plan: Plan) -> list[Child]:
    """Effects of the augmentations, one a line, or else the matches; the rest is a link to its place."""
    found = found_of(results, analysis, plan)
    is_augmented = bool(found.deltas)
    left = [(found.deltas_left, "differences", "effects"), (found.contests_left, "results", "results")]
    links = [
        element("a", f"{count} more {what if count > 1 else what[:-1]}", href=f"#{section}")
        for count, what, section in left
        if count
    ]
    told: list[Child] = []
    if lines := found.deltas if is_augmented else found.contests:
        told.append(element("ul", *(element("li", line) for line in lines), class_="found"))
    last = [*found.gates, *found.failed]
    told.append(" ".join(f"{line}." for line in (last if is_augmented else [*found.baselines, *last])))
    if is_augmented and (rest := [*found.contests, *found.baselines]):
        matches = element("ul", *(element("li", line) for line in rest), class_="found")
        told.append(element("details", element("summary", "The matches"), matches))
    if links:
        between = [child for link in links for child in (" · ", link)][1:]
        told.append(element("p", *between, class_="links"))
    return told


def _played(manifest: Manifest, results: Results) -> list[Child]:
    """The matches of a run; of many their number, and the list on a click."""
    whole = played_words(manifest, results)
    if len(results.matches) <= NAMED:
        return [whole]
    sizes = []
    for game in dict.fromkeys(match.game for match in results.matches):
        matches = [match for match in results.matches if match.game == game]
        size = size_words(sum(match.result.count for match in matches), game)
        sizes.append(f"{len(matches)} in {game_words(game)} ({size})")
    return [
        f"{len(results.matches)} matches: {', '.join(sizes)}.",
        element("details", element("summary", "Which"), element("p", whole)),
    ]


def _games(contents: Contents, manifest: Manifest) -> Element:
    rows = [
        (element("a", match_words(manifest, match["id"]), href=f"#m={match['id']}"), f"{match['count']:,}")
        for match in contents.site["matches"]
    ]
    header = ("match", "games or hands")
    shown = [table(header, rows[: figures.ROWS_OPEN])]
    if rest := rows[figures.ROWS_OPEN :]:
        shown.append(element("details", element("summary", f"{len(rest)} more matches"), table(header, rest)))
    words = element("p", "Every game can be replayed, with each prompt and each reply, word for word.")
    return element(
        "div",
        words,
        *shown,
        element("noscript", element("p", "The games need scripts to be allowed; all else on this page does not.")),
    )


def _hypotheses(verdict: Verdict) -> Iterator[Element]:
    """Those that were tested, then all of them, family by family."""
    hypotheses = figures.parts_of(verdict)[1].hypotheses
    header = ("hypothesis", "what it says", "verdict", "p, corrected", "why")
    if tested := [_hypothesis(one) for one in hypotheses if one.p is not None]:
        yield table(header, tested)
    for family in dict.fromkeys(one.family for one in hypotheses):
        ones = [one for one in hypotheses if one.family is family]
        counts = Counter(one.status for one in ones)
        outcomes = ", ".join(f"{count} {status.value}" for status, count in counts.items())
        title = f"All {len(ones)} {family.value} hypotheses: {outcomes}"
        yield element("details", element("summary", title), table(header, map(_hypothesis, ones)), class_="more")


def _hypothesis(one: HypothesisVerdict) -> tuple[str, ...]:
    p = "" if one.p is None else f"{p_words(one.p_corrected or one.p).removeprefix('= ')} ({one.correction})"
    return str(one.id), one.summary, one.status.value, p, one.reason


def _seats(verdict: Verdict, manifest: Manifest) -> Element:
    rows: list[tuple[Child, ...]] = list(seat_lines(manifest, verdict.results, verdict.calls))
    systems = manifest.plan.systems
    rows += [(f"system {name}", systems[name].words(manifest.plan.games)) for name in manifest.plan.systems_played]
    words = "As sealed in the plan. Tokens, times, and which model answered, are the submitter's word."
    return element("div", element("p", words), table(("seat", "what it is"), rows))


def _steps(verdict: Verdict) -> Element:
    rows = [
        (
            str(step.number),
            step.name,
            element("span", verdict_report.MARKS[step.status], class_=step.status.value),
            ascii_words(step.remark),
        )
        for step in verdict.steps
    ]
    attested = " ".join((verdict_report.ATTESTED, *verdict_report.attested_of_systems(verdict.manifest)))
    note = element("p", element("strong", "Attested. "), ascii_words(attested))
    return element("div", table(("step", "name", "outcome", "remark"), rows), note)


def _words() -> Element:
    entries = element("dl", class_="words")
    for term in sorted(TERMS, key=lambda term: term.name.casefold()):
        fill(entries, (element("dt", term.name), element("dd", term.text)))
    return element("details", element("summary", f"All {len(TERMS)} words of this report, explained"), entries)
