"""The first screen of `verify` and `show`: an answer in five paragraphs, one table, one paragraph on each seat.

    Played   Found   Believe   Departs   Next

Nothing on it is wider than 100 columns, every figure has one interval, and every name is in the glossary.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from ...core.columns import LABEL_WIDTH, ascii_words, item, paragraph, quoted, table
from ...experiment.matches import MEASURED, Condition, Match, SeatAt, others_of
from ...plan.manifest import Manifest, Plan
from ...scoring.analysis import Analysis
from ...scoring.call_records import CallTable
from ...scoring.game_scoring import match_of
from ...scoring.results import MatchResult, Results
from ...scoring.seat_stats import share
from ..absent_arms import NOT_PLAYED, absent_arms
from ..glossary import label
from ..seat_words import percent, seat_lines
from ..views import VIEWS, arm_words, condition_words, game_words, part_words, size_words
from .conclusions import found_words
from .figure_warnings import warnings_of
from .headline import Headline, headlines

DEPARTURES_SHOWN_MAX: Final = 6
OPEN_ENDED: Final = (
    "* early stopping was enabled: fixed-sample intervals are invalid; the interval is the sequential one"
)
FEW: Final = "no interval: too few starts or sessions for one that holds what it says"
SEED_SELF: Final = "The submitter chose the seed and may have run it many times: this may be the best of many runs."


class Screen(NamedTuple):
    """Input of the first screen. `believe` and `commands` are the caller's words.

    `believe`: the verdict in one sentence, and what follows it.
    """

    run: str
    submitter: str
    manifest: Manifest | None
    results: Results | None
    calls: CallTable | None
    analysis: Analysis | None
    believe: tuple[str, str]
    commands: Sequence[str]
    attested: Sequence[str] = ()
    is_key_given: bool = False


def screen_lines(screen: Screen) -> Iterator[str]:
    """The whole screen. Raises ValueError for claimed figures that are no numbers."""
    manifest, results = screen.manifest, screen.results
    if manifest:
        yield from paragraph("Title", quoted(manifest.plan.title))
    run, key = ascii_words(screen.run) or "unknown", screen.submitter[:16] or "unknown"
    whose = "the key that you chose" if screen.is_key_given else "--key checks whose it is"
    yield from paragraph("Run", f"{run}, signed by key {key} ({whose})")
    yield ""
    warnings = [*warnings_of(manifest, results, screen.calls, screen.analysis), *screen.attested] if manifest else []
    yield from _answer(screen, warnings)
    if manifest and results and results.matches:
        yield ""
        yield from match_table(manifest, results, screen.analysis)
    if manifest:
        yield ""
        models = any(seat.is_model for seat in manifest.plan.playing.values())
        claimed = "; tokens, and which model answered, are claimed, not checked" if models else ""
        yield f"Seats (as sealed in the plan{claimed})"
        for name, words in seat_lines(manifest, results, screen.calls):
            yield from item(f"  {name}:", words)
        for name, system in manifest.plan.systems.items():
            if name in manifest.plan.systems_played:
                yield from item(f"  system {ascii_words(name)}:", system.words(manifest.plan.games))
        yield from item("  isolation:", isolation_words(manifest))


def short_lines(manifest: Manifest, results: Results, analysis: Analysis | None) -> Iterator[str]:
    """The lines that `run` prints at its end: matches, findings, departures, and the table."""
    yield from paragraph("Played", played_words(manifest, results))
    yield from paragraph("Found", found_words(results, analysis, manifest.plan))
    yield from departs_lines(results)
    if results.matches:
        yield ""
        yield from match_table(manifest, results, analysis)


def _answer(screen: Screen, warnings: Sequence[str]) -> Iterator[str]:
    manifest, results = screen.manifest, screen.results
    if manifest:
        yield from paragraph("Played", played_words(manifest, results))
        if results:
            yield from paragraph("Found", found_words(results, screen.analysis, manifest.plan))
        else:
            yield from paragraph("Found", "nothing that counts: the figures were not recomputed, or do not hold")
    yield from paragraph("Believe", " ".join(_believe(screen, len(warnings))))
    for warning in warnings:
        yield from item(f"{'':<{LABEL_WIDTH}}!", warning)
    if results:
        yield from departs_lines(results)
    for index, command in enumerate(screen.commands):
        yield f"{'Next' if not index else '':<11}{command}"


def _believe(screen: Screen, warned: int) -> Iterator[str]:
    verdict, limits = screen.believe
    yield verdict
    if screen.results and screen.results.departures:
        yield "Not a result under the protocol, for what departs below."
    if limits:
        yield limits
    if screen.manifest:
        yield seed_words(screen.manifest)
    if warned:
        yield f"{'1 warning' if warned == 1 else f'{warned} warnings'}:"


# --- Played --------------------------------------------------------------------------------------


def played_words(manifest: Manifest, results: Results | None) -> str:
    """The pairings, with the number of games or hands of each."""
    plan, introduced = manifest.plan, set[str]()
    not_played = results.not_played if results else ()
    missing = {match.id for match in plan.matches if match.id in not_played}
    sizes = {match.match: _actual(match) for match in results.matches} if results else {}
    tables: dict[tuple[SeatAt, ...], list[str]] = {}
    for match in plan.matches:
        if match.id not in missing:
            size = f"{sizes.get(match.id, _planned(match))}{condition_words(match.condition)}"
            tables.setdefault((SeatAt(match.measured), *match.opponents), []).append(size)

    def named(name: str) -> str:
        kind = "" if name in introduced else f" ({plan.seats[name].kind_words})"
        introduced.add(name)
        return name + kind

    pairings = [
        f"{named(table[MEASURED].seat)} against {_others(table, named)}: {', '.join(counts)}"
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
    arm, pair = words(match.condition), f"{match.measured} v {_others(match.table, str, words)}"
    pair = f"{pair}, seat {side.upper()}" if side else pair
    return f"Phase {match.phase:d}{arm}, {game_words(match.game)}{part_words(match.part)}, {pair}"


# --- Believe, Departs ----------------------------------------------------------------------------


def seed_words(manifest: Manifest) -> str:
    """The origin of the seed, and its consequence."""
    seed = manifest.plan.seed
    if seed.origin == "self":
        return SEED_SELF
    return (
        f"The seed is mixed with the season's value {quoted(seed.value)} (origin season), but its secret part"
        " was the submitter's: this may still be the best of many runs."
    )


def departs_lines(results: Results) -> Iterator[str]:
    """The plan's departures from its protocol: one line for each place."""
    yield from paragraph(label("Departs"), departs_words(results))
    lines = results.departures
    for line in lines[:DEPARTURES_SHOWN_MAX]:
        yield from item(f"{'':<{LABEL_WIDTH}}-", ascii_words(line))
    if len(lines) > DEPARTURES_SHOWN_MAX:
        yield f"{'':<{LABEL_WIDTH}}- and {len(lines) - DEPARTURES_SHOWN_MAX} more (--details)"


def departs_words(results: Results) -> str:
    """Compliance of the plan with its protocol, or the number of places in which it departs."""
    protocol, places = ascii_words(results.protocol), len(results.departures)
    if places:
        return f"from protocol {protocol} in {'1 place' if places == 1 else f'{places} places'}:"
    if all(match.phase == 0 for match in results.matches):
        return f"nowhere from {protocol}: compliant as far as it goes: Phase 0 only, no score follows"
    if results.not_played:
        return f"nowhere from {protocol}: compliant; Phase 0 stopped {len(results.not_played)} of its matches"
    return f"nowhere: compliant with {protocol}"


# --- table and seats -----------------------------------------------------------------------------


def match_table(manifest: Manifest, results: Results, analysis: Analysis | None) -> Iterator[str]:
    """One row for each match. Raises ValueError for figures that are no numbers."""
    heads = headlines(results.matches, analysis)
    header = [label(name) for name in ("match", "played", "result of the first-named", "ended by play")]
    absent = [[_words_of(match, "", manifest.plan), NOT_PLAYED, "", ""] for match in absent_arms(manifest.plan)]
    yield from table(header, [*(_row(manifest, match, heads) for match in results.matches), *absent])
    contests = [heads[match.id] for match in results.matches if not match.is_baseline]
    if any(head.sequential for head in contests):
        yield OPEN_ENDED
    if any(head.few for head in contests):
        yield FEW


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
