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
from ...experiment.matches import MEASURED
from ...plan.manifest import Manifest
from ...scoring.hypotheses.verdicts import HypothesisVerdict
from ...scoring.results import MatchResult, Results
from ...table.registry import files_of
from ..glossary import TERMS
from ..seat_words import seat_lines
from ..study_words import study_answer, study_of
from ..text import verdict_report
from ..text.answer_words import is_of_an_arena, other_lines
from ..text.answers import Answer, Played, answers_of
from ..text.badge import badge_of, not_proved
from ..text.first_screen import NO_CONTEST, match_words, sure_words
from ..text.gate_words import p_words
from ..views import game_words, size_words
from . import (
    PACKAGE,
    arm_figures,
    belief,
    course_figures,
    figures,
    memory_figures,
    planted_figures,
    seat_figures,
    study_figures,
    time_figures,
)
from .answer_cards import answer_cards
from .arena_round import round_cards
from .markup import Child, Element, capital, document, element, fill, raw, table

SCRIPTS: Final = ("chunks.js", "games.js", "graph.js", "decision.js", "replay.js")
LAST_SCRIPT: Final = "report.js"
PROGRAM_TITLE: Final = "Agzamov test report"


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
    results, analysis, _ = figures.parts_of(verdict)
    played = Played(manifest, results, analysis, verdict.blocks)
    sections = list(_sections(contents, manifest, played))
    body = (
        element("a", "Skip to the games", href="#games", class_="skip"),
        element("main", _contents(sections), _header(contents, manifest, answers_of(played)), *sections, id="overview"),
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
        return "\n".join([_asset("report.css"), _asset("replay.css"), *drawn])
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


def _header(contents: Contents, manifest: Manifest, answers: Sequence[Answer]) -> Element:
    """What the page is about, the badge of the whole, and what a signature does not prove."""
    verdict = contents.verdict
    badge = badge_of(verdict, answers, len(belief.warnings_shown(verdict)))
    run = element("span", "run ", element("code", verdict.run), ", key ", element("code", verdict.submitter[:16]))
    run.append(element("span", ", title by the submitter"))
    return element(
        "header",
        element("h1", foreign_name(manifest.plan.title)),
        element("p", _played(manifest, figures.parts_of(verdict)[0]), class_="about"),
        element("p", element("strong", badge.words, class_=f"badge {badge.kind}"), run, class_="run"),
        element("p", not_proved(verdict), class_="limits"),
    )


def _played(manifest: Manifest, results: Results) -> str:
    """The size of each game, and the players, those that are measured first."""
    sizes = [
        f"{capital(game_words(game))}, {size_words(count, game)}"
        for game in dict.fromkeys(match.game for match in results.matches)
        if (count := sum(match.result.count for match in results.matches if match.game == game and _is_first(match)))
    ]
    measured = {match.measured for match in results.matches}
    seats = sorted(manifest.plan.playing.items(), key=lambda seat: seat[0] not in measured)
    told = "; measured" if len(measured) < len(seats) else ""
    players = [f"{name} ({seat.kind_words}{told if name in measured else ''})" for name, seat in seats]
    return f"{'. '.join(sizes) or 'Nothing was played'}. Players: {', '.join(players)}."


def _is_first(match: MatchResult) -> bool:
    """True of one row of each match: some matches have a row for several of their seats."""
    return match.seat_index == MEASURED


def _sections(contents: Contents, manifest: Manifest, played: Played) -> Iterator[Element]:
    """The first screen, the figures, then folded away what few will look for."""
    verdict = contents.verdict
    yield _section("answer", "", _first_screen(contents, played))
    yield _section("arms", "Arms side by side", arm_figures.arm_figures(verdict))
    yield _section("people", "People", study_figures.study_figures(verdict))
    results = ("results", "Results", figures.result_figures(verdict, arm_figures.shown_in_arms(verdict)))
    is_round = is_of_an_arena(played.results)
    if not is_round:
        yield _section(*results)
    yield _section("memory", "Did memory change anything?", memory_figures.memory_figures(verdict))
    yield _section("games", "Games", [_games(contents, manifest)])
    has_model = any(seat.is_model for seat in manifest.plan.playing.values())
    is_learning_open = has_model and course_figures.is_learning_tested(verdict)
    courses = [
        ("learning", "Learning", course_figures.learning_figures(verdict)),
        ("ratings", "Ratings", course_figures.rating_figures(verdict)),
        ("winnings", "Winnings", seat_figures.winnings_figures(verdict)),
    ]
    if is_learning_open:
        yield _section(*courses[0])
    yield _section("quality", "Quality of play", seat_figures.quality_figures(verdict))
    yield _section("efficiency", "Efficiency", seat_figures.efficiency_figures(verdict))
    yield _section("teams", "Teams", seat_figures.team_figures(verdict))
    yield _section("errors", "Unusable answers", seat_figures.error_figures(verdict))
    yield _section("seats", "Players", [_seats(verdict, manifest)])
    hypotheses = figures.parts_of(verdict)[1].hypotheses
    are_tested = any(one.p is not None for one in hypotheses)
    if are_tested:
        yield _section("hypotheses", "Hypotheses", _hypotheses(verdict))
    yield element("h2", "More", id="more")
    if not are_tested:
        yield _folded("hypotheses", f"Hypotheses: none of {len(hypotheses)} tested", _hypotheses(verdict))
    for name, title, children in [*([results] if is_round else []), *courses[is_learning_open:]]:
        yield _folded(name, title, children)
    yield _folded("effects", "Effects in the paper's measure", figures.delta_figures(verdict))
    yield _folded("planted", "Equal prompts", planted_figures.planted_figures(verdict))
    yield _folded("times", "When the arms were played", time_figures.time_figures(verdict))
    yield _folded("steps", "Steps of the check", [_steps(verdict)])
    yield _folded("words", f"Words: all {len(TERMS)}, explained", [_words()])


def _first_screen(contents: Contents, played: Played) -> Iterator[Element]:
    if study := study_of(contents.verdict.analysis):
        yield from (element("p", line, class_="claim") for line in study_answer(study))
    else:
        yield from _answers(contents, played)
    yield element("h2", "What to believe")
    yield from belief.belief(contents.verdict, contents.command)


def _answers(contents: Contents, played: Played) -> Iterator[Element]:
    is_round = is_of_an_arena(played.results)
    cards = list(answer_cards(played, contents.verdict.memory_use, are_failed_alone=is_round))
    if is_round:
        yield from round_cards(played)
    if cards or not is_round:
        yield element("div", *cards, class_="answers") if cards else element("p", NO_CONTEST, class_="claim")
    for line in verdict_report.unused_sentences(contents.verdict):
        yield element("p", element("strong", line), class_="reason")
    if cards:
        yield element("p", element("strong", "How sure"), f" {' '.join(sure_words(played))}", class_="limits")
    for line in other_lines(played):
        yield element("p", line, class_="note")


def _contents(sections: Sequence[Element]) -> Element:
    """Links to the sections that are open, and to the folded ones as a whole."""
    open_ones = [
        (section.get("id") or "", heading.text or "")
        for section in sections
        if section.get("hidden") is None
        and (heading := section.find("h2")) is not None
        and section.get("id") != "answer"
    ]
    links = [element("li", element("a", words, href=f"#{name}")) for name, words in (*open_ones, ("more", "More"))]
    return element(
        "nav", element("strong", PROGRAM_TITLE), element("ul", *links), aria_label="Contents", class_="contents"
    )


def _section(name: str, title: str, children: Iterator[Element] | Sequence[Element]) -> Element:
    """A section with its heading; hidden where it is empty."""
    inside = list(children)
    heading = [element("h2", title)] if title else []
    hidden = {} if inside else {"hidden": ""}
    return element("section", *heading, *inside, id=name, **hidden)


def _folded(name: str, title: str, children: Iterator[Element] | Sequence[Element]) -> Element:
    """A section that opens on a click on its heading; hidden where it is empty."""
    inside = list(children)
    hidden = {} if inside else {"hidden": ""}
    summary = element("summary", element("h3", title))
    return element("section", element("details", summary, *inside, class_="fold"), id=name, **hidden)


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
    return str(one.id), one.summary, one.status.value, p, figures.short_digests(one.reason)


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
    return entries
