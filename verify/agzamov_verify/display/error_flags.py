"""Seats that the protocol flags for their errors: whether a seat's true rate is above the protocol's bound.

The protocol flags by the rate as it was counted (`Faults.flagged`). Errors come together in games, so a seat whose true
rate is 4 % is flagged in a quarter of short matches: only an interval that lies above the bound as a whole says that
the rate does.
"""

from collections.abc import Iterable
from typing import NamedTuple

from ..columns import ascii_words
from ..protocol import load_protocol
from ..scoring.analysis import Analysis
from ..scoring.match_figures import MatchAnalysis
from ..scoring.results import MatchResult, Results
from ..seat_letters import seat_letter
from ..seat_words import percent


class ErrorFlag(NamedTuple):
    """A flagged seat of the match with the id `match`. `words`: its rate with its interval, and what that says."""

    seat: str
    rate: float
    is_sure: bool
    words: str
    match: str


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
        what = "above" if sure else "not surely above"
        words = f"{rate} errors ({interval}), {what} {bound_percent} %"
        flags.append(ErrorFlag(stats.seat, stats.error_rate, sure, words, match.match))
    return _surest(flags)


def run_flags(results: Results, analysis: Analysis | None) -> list[ErrorFlag]:
    """The flags of a run, the surest of each seat."""
    bound = load_protocol(results.protocol).error_flag_percent
    analysed = {match.id: match for match in analysis.matches} if analysis else {}
    return _surest(flag for match in results.matches for flag in error_flags(match, analysed.get(match.id), bound))


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
