"""Warnings that follow from plan and figures: what a reader must know before believing them; seats with many errors.

Seats that the protocol flags for their errors: whether a seat's true rate is above the protocol's bound.

The protocol flags by the rate as it was counted (`Faults.flagged`). Errors come together in games, so a seat whose true
rate is 4 % is flagged in a quarter of short matches: only an interval that lies above the bound as a whole says that
the rate does.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from ...core.columns import ascii_words
from ...core.seat_letters import seat_letter
from ...experiment.matches import MEASURED, Arm, Augmentation, Match
from ...plan.manifest import Manifest, Plan
from ...protocols.norms import load_protocol
from ...scoring.analysis import Analysis
from ...scoring.between_arms import LEVEL, WORDS, arm_differences
from ...scoring.call_records import CallTable
from ...scoring.game_scoring import match_of
from ...scoring.learning.outcome import TrendVerdict
from ...scoring.match_figures import MatchAnalysis
from ...scoring.own_actions import nearly_all_errors
from ...scoring.play_times import overlaps
from ...scoring.quality.quality_questions import Answers
from ...scoring.results import MatchResult, Results
from ...systems.memory_system import MemorySystem
from ...table.game import Block
from ...table.registry import GAMES
from ..planted_words import planted_warnings
from ..seat_words import percent, served_totals, served_warnings
from ..views import condition_words


class ErrorFlag(NamedTuple):
    """A flagged seat of the match with the id `match`. `words`: its rate with its interval, and what that says."""

    seat: str
    rate: float
    is_sure: bool
    words: str
    match: str


SURE_DECISIONS: Final = 10
"""Where so many decisions and all of them were errors, the rate is above any bound without an interval."""


def error_flags(match: MatchResult, analysed: MatchAnalysis | None, bound_percent: int) -> list[ErrorFlag]:
    """The flags of a match, one for each flagged seat, the surest first. Raises ValueError if a figure is no number."""
    flags = []
    for seat_index, stats in enumerate(match.seat_stats):
        if not stats.faults.flagged:
            continue
        row = analysed.first_errors(seat_letter(seat_index)) if analysed else None
        rate, sure, interval = percent(stats.error_rate), False, "no interval"
        if row and row.ci:
            low, high = float(row.ci.low), float(row.ci.high)
            sure, interval = 100 * low > bound_percent, f"95 % interval {percent(low)} to {percent(high)}"
        elif row and row.ci_note:
            interval = f"no interval: {row.ci_note}"
        if stats.error_rate == 1 and stats.decisions >= SURE_DECISIONS:
            sure, interval = True, f"all of {stats.decisions:,} decisions"
        bound = f", {'above' if sure else 'not surely above'} {bound_percent} %" if sure or stats.error_rate < 1 else ""
        words = f"{rate} errors ({interval}){nearly_all_errors(stats)}{bound}"
        flags.append(ErrorFlag(stats.seat, stats.error_rate, sure, words, match.match))
    return _surest(flags)


def run_flags(results: Results, analysis: Analysis | None) -> list[ErrorFlag]:
    """The flags of a run, the surest of each seat; none of a match without a finding, whose answer says why."""
    bound = load_protocol(results.protocol).error_flag_percent
    analysed = {match.id: match for match in analysis.matches} if analysis else {}
    found = [match for match in results.matches if not match.no_finding]
    return _surest(flag for match in found for flag in error_flags(match, analysed.get(match.id), bound))


def _surest(flags: Iterable[ErrorFlag]) -> list[ErrorFlag]:
    """The surest flag of each seat, in the order of seats; of equally sure ones that of the highest rate."""
    surest: dict[str, ErrorFlag] = {}
    for flag in flags:
        before = surest.get(flag.seat, flag)
        surest[flag.seat] = max(before, flag, key=lambda one: (one.is_sure, one.rate))
    return list(surest.values())


def flag_warning(flag: ErrorFlag) -> str:
    """One sentence for a reader of the run."""
    follows = "its figures are not reliable" if flag.is_sure else "its figures may not be reliable"
    return f"seat {ascii_words(flag.seat)}: {flag.words} in {ascii_words(flag.match)}: {follows}"


MATCHES_SHOWN_MAX: Final = 3


def warnings_of(
    manifest: Manifest, results: Results | None, calls: CallTable | None, analysis: Analysis | None
) -> Iterator[str]:
    """One sentence each: what was measured or served before what a server only could do."""
    if not manifest.plan.title.isascii():
        yield "the title has characters beyond ASCII, spelled out here: it may be made to look like another"
    if results:
        yield from map(flag_warning, run_flags(results, analysis))
        yield from retry_warnings(manifest.plan, results)
    for name, seat in manifest.plan.playing.items():
        yield from served_warnings(name, seat, served_totals(name, calls))
    yield from planted_warnings(manifest.plan, analysis.planted) if analysis else ()
    yield from apart_warnings(manifest.plan, calls)
    yield from drift_warnings(manifest.plan, analysis)
    for match in analysis.matches if analysis else ():
        if match.symmetry and match.symmetry.violated:
            yield (f"{ascii_words(match.id)}: self-play favours one seat, so differences measured here are in doubt")
    yield from hosted_warnings(_as_played(manifest.plan, results))


def _as_played(plan: Plan, results: Results | None) -> Plan:
    """A plan with the matches that were played alone: a failed gate leaves others out."""
    if results is None:
        return plan
    played = {row.match for row in results.matches}
    return msgspec.structs.replace(plan, matches=tuple(match for match in plan.matches if match.id in played))


def hosted_warnings(plan: Plan) -> Iterator[str]:
    """Warnings of what a hosted model's server, outside of our control, could see.

    Cards in hold'em (docs/decisions/0022), and marked entries of a memory from outside (docs/decisions/0080).
    """
    hidden = [match for match in plan.matches if GAMES[match.game].hides]
    both = [match for match in hidden if len(_servers(plan, match)) == 1 and _all_hosted(plan, match)]
    if both:
        yield f"{_ids(both)}: one server of a hosted model plays both hands, so it could know what the other holds"
    mirrored = [
        match for match in hidden if GAMES[match.game].deals_twice(plan.rules_of(match.game)) and _servers(plan, match)
    ]
    outside = [
        name for name, system in plan.systems.items() if isinstance(system, MemorySystem) and system.is_from_outside
    ]
    seats = [match.measured for match in plan.memory_matches if set(plan.memories_of(match)) & set(outside)]
    if hosted := [name for name in dict.fromkeys(seats) if plan.seats[name].is_hosted]:
        memories, models = (", ".join(map(ascii_words, names)) for names in (outside, hosted))
        yield (
            f"the memory {memories} is from outside, and {models} a hosted model: who serves both can mark entries by"
            " their choice and order, which no placebo shows"
        )
    if mirrored:
        yield (
            f"{_ids(mirrored)}: mirrored, so the server of a hosted model sees every deck twice, and could recognise it"
        )


PARTS_MIN: Final = 4
"""Fewer parts of time say nothing of how far two arms overlap."""


def apart_warnings(plan: Plan, calls: CallTable | None) -> Iterator[str]:
    """Warnings of arms of hosted models that were played at other times than their controls, or do not say when."""
    least, times = load_protocol(plan.protocol).interleaving.overlap_percent_min, calls.times if calls else ()
    if calls:
        yield from _untimed(plan, calls, least)
    few = {name for one in times if len(one.begins_s) < PARTS_MIN for name in one.matches}
    for match, control, share in overlaps(plan.matches, times):
        if 100 * share < least and _servers(plan, match) and match.id not in few:
            yield (
                f"{ascii_words(match.id)}: only {round(100 * share)} % of its calls were made at the times of its"
                f" control {ascii_words(control.id)} (expected at least {least} %): a change of the hosted model"
                " between them would look like an effect"
            )


def _untimed(plan: Plan, calls: CallTable, least: int) -> Iterator[str]:
    """Warnings of compared arms of hosted models too few of whose calls say when they were made."""
    arms = Counter(match.draws for match in plan.matches)
    timed = {name: sum(arm.calls) for one in calls.times for name, arm in one.matches.items()}
    for match in plan.matches:
        answers = sum(seat.answers for seat in calls.matches.get(match.id, {}).values())
        share = Fraction(timed.get(match.id, 0), answers) if answers else Fraction(1)
        if arms[match.draws] > 1 and 100 * share < least and _servers(plan, match):
            yield (
                f"{ascii_words(match.id)}: only {round(100 * share)} % of its calls say when they were made (expected"
                f" at least {least} %): whether it was played beside the arms that it is compared with is not known"
            )


def drift_warnings(plan: Plan, analysis: Analysis | None) -> Iterator[str]:
    """Warnings of naked arms whose own results rise or fall: no seat of them keeps anything, so the world changed."""
    matches = {match.id: match for match in plan.matches}
    for row in analysis.matches if analysis else ():
        match = matches.get(match_of(row.id))
        if match is None or match.condition.augmentation is Augmentation.NAKED or match.shifts:
            continue
        is_naked = all(condition.arm is Arm.NAKED for condition in match.conditions)
        if not is_naked or not any(plan.seats[name].is_model for name in match.seats):
            continue
        trend = row.learned
        if trend and trend.p_corrected and Fraction(trend.p_corrected.exact) <= LEVEL:
            p = f" (p {float(trend.p_corrected.decimal):.2g}, corrected)"
            course = "rise" if trend.verdict is TrendVerdict.LEARNED else "fall"
            yield (
                f"{ascii_words(row.id)}: the results of this arm without help {course} while it is played"
                f"{p}, and no seat of it keeps anything: the model or its server may have changed meanwhile"
            )


def retry_warnings(plan: Plan, results: Results) -> Iterator[str]:
    """Warnings of model seats whose server failed often: what it answered then may be the best of several tries."""
    percent_max, counts = load_protocol(plan.protocol).failed_tries_percent, dict[str, tuple[int, int]]()
    for match in results.of_matches:
        for stats in match.seat_stats:
            failed, calls = counts.get(stats.seat, (0, 0))
            counts[stats.seat] = failed + stats.failed_attempts, calls + stats.calls
    for name, (failed, calls) in counts.items():
        if 100 * failed > percent_max * calls and plan.seats[name].is_model:
            yield (
                f"seat {ascii_words(name)}: {failed:,} retries in {calls:,} calls ({percent(failed / calls)},"
                f" expected at most {percent_max} %): an answer after a retry may be the best of several; where an"
                " engine judges the moves, a difference to the other ones is told, elsewhere it is not known"
            )


def _all_hosted(plan: Plan, match: Match) -> bool:
    return all(plan.seats[name].server_url is not None for name in match.seats)


def _servers(plan: Plan, match: Match) -> set[str]:
    """The addresses of the hosted models that play in a match."""
    addresses = (plan.seats[name].server_url for name in match.seats)
    return {urlsplit(address).netloc.lower() for address in addresses if address is not None}


def _ids(matches: Sequence[Match]) -> str:
    more = f" and {len(matches) - MATCHES_SHOWN_MAX} more" if len(matches) > MATCHES_SHOWN_MAX else ""
    return ", ".join(ascii_words(match.id) for match in matches[:MATCHES_SHOWN_MAX]) + more


DIFFERENCES_SHOWN_MAX: Final = 5


def arm_warnings(plan: Plan, blocks: Mapping[str, Sequence[Block]], answers: Answers) -> Iterator[str]:
    """What differs between arms beside their results, the surest first: figures without a judgement."""
    found = arm_differences(plan, blocks, answers)
    for one in found[:DIFFERENCES_SHOWN_MAX]:
        sentence, number = WORDS[one.figure]
        name = ascii_words(one.match.seats[one.seat_index])
        who = name if one.seat_index == MEASURED else f"the opponent {name}"
        where = [condition_words(match.condition).strip() for match in (one.match, one.other)]
        if one.match is one.other:
            where = [" ".join(filter(None, ["after retries of its server", where[0]])), "of its other moves"]
        n = " and ".join(map(str, one.streams))
        yield (
            f"in {GAMES[one.match.game].title} {who} {sentence.format(number(one.value))} {where[0]},"
            f" against {number(one.other_value)} {where[1]} (p {float(one.p):.2g}, corrected, over {n} streams)"
        )
    if len(found) > DIFFERENCES_SHOWN_MAX:
        yield f"{len(found) - DIFFERENCES_SHOWN_MAX} more figures differ between arms"
