"""The first screen of `verify` and `show`: what came out, of what, how sure, and what is only claimed; then a table.

    Result   Measured   How sure   Checked   Claimed   Departs   Next

Nothing on it is wider than 100 columns, every figure has one interval, and every name is in the glossary.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import starmap
from types import MappingProxyType
from typing import Final, NamedTuple

from ...core.columns import LABEL_WIDTH, WIDTH, ascii_words, item, listed, paragraph, quoted, table
from ...core.seat_letters import LETTERS, seat_index_of
from ...experiment.matches import MEASURED, Condition, Match, SeatAt, others_of
from ...plan.manifest import Manifest, Plan
from ...protocols import version_words
from ...protocols.norms import load_protocol
from ...scoring.analysis import Analysis
from ...scoring.call_records import CallTable
from ...scoring.game_scoring import match_of
from ...scoring.results import MatchResult, Results
from ...scoring.seat_stats import share
from ...table.game import Block
from ..absent_arms import NOT_PLAYED, absent_arms
from ..glossary import label
from ..seat_words import percent, seat_lines
from ..study_words import study_answer, study_of, unit_words
from ..views import VIEWS, arm_words, condition_words, game_words, part_words, size_words
from .answer_words import answer_lines, is_of_an_arena, missed_words, other_lines, repetition_words
from .answers import Played, answers_of
from .figure_warnings import warnings_of
from .gate_words import gate_lines
from .headline import Headline, headlines, no_interval_lines
from .seed_words import seed_words

NOT_REPLAYED: Final[Mapping[str, Sequence[Block]]] = MappingProxyType({})
NO_CONTEST: Final = "No result: every player met only itself, which is a baseline without a winner."
ARENA: Final = "Rounds of an arena are ranked together: agzamov arena table FOLDER, with all of its bundles in FOLDER."
DEPARTURES_SHOWN_MAX: Final = 4
OPEN_ENDED: Final = (
    "* early stopping was enabled: fixed-sample intervals are invalid; the interval is the sequential one"
)
ROWS_SHOWN_MAX: Final = 8
KEY_NOT_GIVEN: Final = "add --key to check whose it is"
MATCH_ID: Final = re.compile(r"p[0-9]-\S+")
"""The id of a match (`Match.id`), as a departure begins with it."""
TOLD: Final = "told how to play or what to expect"
"""Of a seat with habits or a briefing."""
REPORT: Final = "results, charts and every game as a web page"
"""What the command `report` gives."""
NOTHING: Final = "nothing that counts: the figures were not recomputed, or do not hold"


class NextStep(NamedTuple):
    """A command to type next, and in a few words what it gives."""

    command: str
    purpose: str


class Screen(NamedTuple):
    """Input of the first screen. `checked`, `claimed` and `commands` are the caller's words.

    `checked`: the verdict in one sentence, and what follows it. `claimed`: what nobody can recompute. `blocks`: the
    replayed games by match; empty where none was replayed. `unused`: help that no decision had, in sentences.
    """

    run: str
    submitter: str
    manifest: Manifest | None
    results: Results | None
    calls: CallTable | None
    analysis: Analysis | None
    blocks: Mapping[str, Sequence[Block]]
    checked: tuple[str, str]
    claimed: str
    commands: Sequence[NextStep]
    attested: Sequence[str] = ()
    is_key_given: bool = False
    unused: Sequence[str] = ()


def screen_lines(screen: Screen) -> Iterator[str]:
    """The whole screen. Raises ValueError for claimed figures that are no numbers."""
    manifest, results = screen.manifest, screen.results
    if head := list(_head(screen)):
        yield from (*head, "")
    yield from _answer(screen)
    if manifest and results and results.matches:
        yield ""
        yield from first_table(manifest, results, screen.analysis)


def _head(screen: Screen) -> Iterator[str]:
    """Title and Run; none of a bundle that fails before they are known."""
    if screen.manifest:
        yield from paragraph("Title", quoted(screen.manifest.plan.title))
    if screen.run or screen.submitter:
        run, key = ascii_words(screen.run) or "unknown", screen.submitter[:16] or "unknown"
        whose = "the key that you chose" if screen.is_key_given else KEY_NOT_GIVEN
        yield from paragraph("Run", f"{run}, signed by key {key} ({whose})")


def short_lines(
    manifest: Manifest,
    results: Results,
    analysis: Analysis | None,
    blocks: Mapping[str, Sequence[Block]],
    unused: Sequence[str],
) -> Iterator[str]:
    """The lines that `run` prints at its end: the answer, departures, and the table. `unused` as in `Screen`."""
    yield from answer_paragraphs(Played(manifest, results, analysis, blocks), unused)
    yield from departs_lines(results)
    if results.matches:
        yield ""
        yield from first_table(manifest, results, analysis)


def early_lines(
    manifest: Manifest,
    results: Results,
    analysis: Analysis | None,
    blocks: Mapping[str, Sequence[Block]],
    scores: int,
) -> Iterator[str]:
    """What a check says before it asks the engine about so many scores. Raises ValueError as `answer_paragraphs`."""
    holds = f"All that needs no engine holds. Left: the engine's {scores:,} scores, which decide where games end."
    yield from paragraph("So far", holds)
    yield from answer_paragraphs(Played(manifest, results, analysis, blocks))
    yield ""


def answer_paragraphs(played: Played, unused: Sequence[str] = ()) -> Iterator[str]:
    """Result, Measured, How sure. Raises ValueError for figures that are no numbers."""
    for number, line in enumerate((*_told(played), *unused)):
        yield from paragraph("" if number else "Result", line)
    for number, line in enumerate(other_lines(played)):
        yield from paragraph("" if number else "Also", line)
    yield from paragraph("Measured", f"{played_words(played.manifest, played.results)}.")
    yield from paragraph("How sure", " ".join(sure_words(played)))


def _told(played: Played) -> list[str]:
    """The answer, line by line; of a round of an arena, also where the table is."""
    if study := study_of(played.analysis):
        return study_answer(study)
    told = answer_lines(played)
    if is_of_an_arena(played.results):
        return [*told, ARENA]
    return told or ["Nothing was played." if not played.results.matches else NO_CONTEST]


def sure_words(played: Played) -> Iterator[str]:
    """How the figures of the answer are read: brackets, effects too small to be found, what is repeated, Phase 0."""
    study, answers = study_of(played.analysis), answers_of(played)
    yield unit_words(study) if study else missed_words(answers)
    yield from repetition_words(answers, played.manifest.plan)
    tests = {row.id: row.p_won for row in played.analysis.matches if row.p_won} if played.analysis else {}
    norm = load_protocol(played.results.protocol).phase0
    yield from (f"{line}." for line in gate_lines(played.results.matches, tests, norm))


def _answer(screen: Screen) -> Iterator[str]:
    manifest, results = screen.manifest, screen.results
    warnings = [*warnings_of(manifest, results, screen.calls, screen.analysis), *screen.attested] if manifest else []
    if manifest and results:
        yield from answer_paragraphs(Played(manifest, results, screen.analysis, screen.blocks), screen.unused)
    elif manifest:
        yield from paragraph("Result", NOTHING)
        yield from paragraph("Measured", f"{played_words(manifest, None)}.")
    counted = f"{'1 warning' if len(warnings) == 1 else f'{len(warnings)} warnings'}:" if warnings else ""
    yield from paragraph("Checked", " ".join(filter(None, (*screen.checked, counted))))
    yield from warning_items(warnings)
    if claimed := " ".join(filter(None, (screen.claimed, seed_words(manifest) if manifest else ""))):
        yield from paragraph("Claimed", claimed)
    if results:
        yield from departs_lines(results)
    yield from next_lines(screen.commands)


def warning_items(warnings: Iterable[str]) -> Iterator[str]:
    """Each warning as an item behind an exclamation mark."""
    for warning in warnings:
        yield from item(f"{'':<{LABEL_WIDTH}}!", warning)


def next_lines(steps: Sequence[NextStep]) -> Iterator[str]:
    """The commands to type next, each with what it gives as a comment, so that both can be pasted into a shell."""
    for index, step in enumerate(steps):
        line = f"{'' if index else 'Next':<{LABEL_WIDTH}}{step.command}"
        beside = f"{line}  # {step.purpose}"
        if len(beside.splitlines()[-1]) <= WIDTH:
            yield beside
        else:
            yield from (line, f"{'':<{LABEL_WIDTH}}# {step.purpose}")


def seat_paragraphs(manifest: Manifest, results: Results | None, calls: CallTable | None) -> Iterator[str]:
    """Seats, systems and isolation, as the plan sealed them and the record counts them."""
    models = any(seat.is_model for seat in manifest.plan.playing.values())
    claimed = "; tokens, and which model answered, are claimed, not checked" if models else ""
    yield f"Seats (as sealed in the plan{claimed})"
    for name, words in seat_lines(manifest, results, calls):
        yield from item(f"  {name}:", words)
    for name, system in manifest.plan.systems.items():
        if name in manifest.plan.systems_played:
            yield from item(f"  system {ascii_words(name)}:", system.words(manifest.plan.games))
    yield from item("  isolation:", isolation_words(manifest))


# --- Measured --------------------------------------------------------------------------------------


def played_words(manifest: Manifest, results: Results | None) -> str:
    """The pairings, with the number of games or hands of each."""
    plan, introduced = manifest.plan, set[str]()
    not_played = results.not_played if results else ()
    missing = {match.id for match in plan.matches if match.id in not_played}
    sizes = {match.match: _actual(match) for match in results.matches} if results else {}
    tables: dict[tuple[SeatAt, ...], dict[str, list[str]]] = {}
    for match in plan.matches:
        if match.id not in missing:
            pairing = tables.setdefault((SeatAt(match.measured), *match.opponents), {})
            size = sizes.get(match.id, _planned(match))
            pairing.setdefault(size, []).append(condition_words(match.condition).strip())

    def named(name: str) -> str:
        seat = plan.seats[name]
        told = f", {TOLD}" if seat.patterns or seat.briefing else ""
        kind = "" if name in introduced else f" ({seat.kind_words}{told})"
        introduced.add(name)
        return name + kind

    pairings = [
        f"{named(table[MEASURED].seat)} against {_others(table, named)}: {', '.join(starmap(_sized, counts.items()))}"
        for table, counts in tables.items()
    ]
    pairings += filter(None, (VIEWS[name].rules_words(plan) for name in plan.games))
    if missing:
        pairings.append(f"not played: {_missing_words(manifest, results)}" if results else "")
    return "; ".join(pairings) or "nothing"


def _others(
    table: tuple[SeatAt, ...], named: Callable[[str], str], words: Callable[[Condition], str] = condition_words
) -> str:
    """The opponents of the measured seat, each with what it has beyond its prompt."""
    measured = table[MEASURED].seat
    return " and ".join(
        f"{'itself' if at.seat == measured else named(at.seat)}{words(at.condition)}"
        for at in dict.fromkeys(others_of(table, MEASURED))
    )


def _sized(size: str, conditions: Sequence[str]) -> str:
    """Games under one or more conditions: "300 hands of hold'em each without tools (control), with tools"."""
    if len(conditions) == 1:
        return f"{size} {conditions[0]}".strip()
    return f"{size} each {listed([condition or 'alone' for condition in conditions])}"


def _missing_words(manifest: Manifest, results: Results) -> str:
    """The matches that were not played, by why: a seat that failed Phase 0 plays no further in that game."""
    failed = {(match.measured, match.game) for match in results.matches if match.gate and not match.gate.passed}
    ids_by_reason: dict[str, list[str]] = {}
    for match in manifest.plan.matches:
        if match.id in results.not_played:
            lost = [name for name in dict.fromkeys(match.seats) if (name, match.game) in failed]
            why = f"{lost[0]} did not pass Phase 0 in {game_words(match.game)}" if lost else "the run was stopped"
            ids_by_reason.setdefault(why, []).append(match_words(manifest, match.id))
    return "; ".join(f"{', '.join(ids)} ({why})" for why, ids in ids_by_reason.items())


def _planned(match: Match) -> str:
    return f"{_size(match.planned, match.game)}{part_words(match.part)}"


def _actual(match: MatchResult) -> str:
    return f"{_size(match.result.count, match.game)}{part_words(match.part)}"


def _size(count: int, game: str) -> str:
    return f"{size_words(count, game)} of {game_words(game)}"


def match_words(manifest: Manifest, match_id: str) -> str:
    """A match in plain words; its id where the plan does not name it."""
    for match in manifest.plan.matches:
        if match.id == match_of(match_id):
            return _words_of(match, match_id.removeprefix(match.id).removeprefix("@"), manifest.plan)
    return ascii_words(match_id)


def _words_of(match: Match, side: str, plan: Plan) -> str:
    words = partial(arm_words, is_system_named=len(plan.systems_played) > 1)
    index = seat_index_of(side) if side in tuple(LETTERS[: len(match.table)]) else MEASURED
    seats = (match.table[index], *others_of(match.table, index))  # whose result it is, first
    arm, pair = words(match.condition), f"{seats[MEASURED].seat} v {_others(seats, str, words)}"
    pair = f"{pair}, seat {side.upper()}" if side else pair
    return f"Phase {match.phase:d}{arm}, {game_words(match.game)}{part_words(match.part)}, {pair}"


# --- Believe, Departs ----------------------------------------------------------------------------


def departs_lines(results: Results) -> Iterator[str]:
    """The plan's departures from its protocol: one line for each kind."""
    yield from paragraph(label("Departs"), departs_words(results))
    lines = grouped_departures(results.departures)
    for line in lines[:DEPARTURES_SHOWN_MAX]:
        yield from item(f"{'':<{LABEL_WIDTH}}-", ascii_words(line))
    if len(lines) > DEPARTURES_SHOWN_MAX:
        yield f"{'':<{LABEL_WIDTH}}- and {len(lines) - DEPARTURES_SHOWN_MAX} more (verify --details)"


def departure_words(line: str) -> str:
    """A departure as a document has it; its "this game" by the game's name, since no reader sees which game it is."""
    game = line.split("-")[1] if MATCH_ID.match(line) else ""
    return line.replace(" in this game", f" in {game_words(game)}") if game in VIEWS else line


def grouped_departures(departures: Sequence[str]) -> list[str]:
    """The departures in their order; one that several matches share is told once, with their number."""
    found: dict[str, list[str]] = {}
    for line in map(departure_words, departures):
        name, colon, rest = line.partition(": ")
        is_of_a_match = colon and MATCH_ID.fullmatch(name)
        found.setdefault(rest if is_of_a_match else line, []).append(name)
    whole = {rest: f"{names[0]}: {rest}" for rest, names in found.items() if MATCH_ID.fullmatch(names[0])}
    return [
        f"{rest} ({len(names)} matches)" if len(names) > 1 else whole.get(rest, rest) for rest, names in found.items()
    ]


def ways_counted(lines: Sequence[str]) -> str:
    """The number of grouped departures, in words."""
    return "1 way" if len(lines) == 1 else f"{len(lines)} ways"


def departs_words(results: Results) -> str:
    """Compliance of the plan with its protocol, or the number of ways in which it departs."""
    protocol = version_words(ascii_words(results.protocol))
    if lines := grouped_departures(results.departures):
        return f"from protocol {protocol} in {ways_counted(lines)}, so it does not count under the protocol:"
    if results.not_played:
        return f"nowhere from {protocol}, but Phase 0 stopped {len(results.not_played)} of its matches: not compliant"
    if all(match.phase == 0 for match in results.matches):
        return f"nowhere from {protocol}: compliant as far as it goes: Phase 0 only, no score follows"
    return f"nowhere: compliant with {protocol}"


# --- table and seats -----------------------------------------------------------------------------


def first_table(manifest: Manifest, results: Results, analysis: Analysis | None) -> Iterator[str]:
    """The table of matches, or where it is if there are many."""
    if len(results.matches) <= ROWS_SHOWN_MAX:
        yield from match_table(manifest, results, analysis)
    else:
        rows, matches = len(results.matches), len({match_of(match.id) for match in results.matches})
        of_seats = f"{rows} results of " if rows > matches else ""
        yield f"{of_seats}{matches} matches: verify --details has their table"


def match_table(manifest: Manifest, results: Results, analysis: Analysis | None) -> Iterator[str]:
    """One row for each match. Raises ValueError for figures that are no numbers."""
    heads = headlines(results.matches, analysis)
    header = [label(name) for name in ("match", "played", "result of the first-named", "ended by play")]
    absent = [[_words_of(match, "", manifest.plan), NOT_PLAYED, "", ""] for match in absent_arms(manifest.plan)]
    yield from table(header, [*(_row(manifest, match, heads) for match in results.matches), *absent])
    contests = [heads[match.id] for match in results.matches if not match.is_baseline]
    if any(head.sequential for head in contests):
        yield OPEN_ENDED
    yield from no_interval_lines(contests)


def _row(manifest: Manifest, match: MatchResult, heads: Mapping[str, Headline]) -> list[str]:
    by_play = percent(share(match.result.by_play, match.result.count))
    result = label("baseline") if match.is_baseline else heads[match.id].short
    size = size_words(match.result.count, match.game)
    if match.result.distinct < match.result.count:
        size += f", {match.result.distinct:,} distinct"
    return [match_words(manifest, match.id), size, result, by_play]


def isolation_words(manifest: Manifest) -> str:
    """The isolation of the run's parts, as the manifest promised and the submitter attests."""
    if manifest.plan.isolation == "process":
        return "no containers: the parts shared one machine and its network (claimed)"
    images = ", ".join(f"{part} {pin.config_digest[:12]}" for part, pin in sorted(manifest.images.items()))
    outside = sorted({seat.server_url or "" for seat in manifest.plan.playing.values() if seat.is_hosted})
    served = f"; model servers outside of the containers: {', '.join(map(ascii_words, outside))}" if outside else ""
    return f"container: {images}{served} (claimed)"
