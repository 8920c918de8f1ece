"""The progress of a run in one line, as wide as there is room for; and the warning of a model that is not understood.

    38 of about 228 calls · 0:05 · about 26 min left · cost unknown · 24 of 24 answers unusable

Where it is too long, parts are written shorter, then left out, the least important first. No number is ever cut.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import count
from typing import Final, NamedTuple

from agzamov_verify.plan.manifest import Plan
from agzamov_verify.table.declared import FaultKind
from agzamov_verify.table.registry import GAMES

from .progress import ProgressCounts, SeatAnswers

SEPARATOR: Final = " · "
MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86_400
WARNED_AFTER: Final = 20
"""Decisions of a seat before a warning: fewer could be bad luck."""
WORDS: Final[Mapping[FaultKind, str]] = {
    FaultKind.CUT: "cut",
    FaultKind.NO_ACTION: "without a declared action",
    FaultKind.ILLEGAL: "illegal",
    FaultKind.AMBIGUOUS: "ambiguous",
    FaultKind.NO_REPLY: "without a reply",
}
"""Why an answer is unusable."""


class _Part(NamedTuple):
    """A part of the line, and how it is written where there is little room. `weight`: the least goes first."""

    weight: int
    text: str
    short: str


def progress_line(plan: Plan, counts: ProgressCounts, elapsed_s: float, left_s: float | None, width: int) -> str:
    """How far a run is, in at most `width` characters if that is possible without cutting a number.

    `left_s`: the estimated time to the end; None while nothing is known of it.
    """
    parts = [part for part in _parts(plan, counts, elapsed_s, left_s) if part.text]
    line = SEPARATOR.join(part.text for part in parts)
    if len(line) <= width:
        return line
    parts = [part for part in parts if part.weight]
    line = SEPARATOR.join(part.text for part in parts)
    if len(line) <= width:
        return line
    for weight in count(1):
        kept = [part for part in parts if part.weight >= weight]
        line = SEPARATOR.join(part.short for part in kept)
        if len(line) <= width or len(kept) <= 1:
            return line
    raise AssertionError


def _parts(plan: Plan, counts: ProgressCounts, elapsed_s: float, left_s: float | None) -> Iterator[_Part]:
    if counts.positions_planned:
        yield _Part(
            9, f"{counts.positions:,} of {counts.positions_planned:,} positions judged", f"{counts.positions:,} judged"
        )
    else:
        done, expected = counts.model_calls.done, max(counts.model_calls.done, counts.model_calls.expected)
        yield _Part(9, f"{done:,} of about {expected:,} calls", f"{done:,} of ~{expected:,} calls")
    results = [
        f"{done:,} of {planned:,} {GAMES[game].result.many}"
        for game, (done, planned) in counts.results.items()
        if planned
    ]
    yield _Part(0, ", ".join(results), "")
    yield _Part(1, _clock(elapsed_s), _clock(elapsed_s))
    if left_s is not None:
        yield _Part(3, _left(left_s), _left(left_s).replace("about ", "~").replace("less than ", "<"))
    cost = cost_words(plan, counts.cost_usd)
    yield _Part(2, cost, cost)
    decisions = sum(seat.decisions for seat in counts.seats.values())
    if decisions:
        unusable = sum(seat.unusable_total for seat in counts.seats.values())
        yield _Part(4, f"{unusable:,} of {decisions:,} answers unusable", f"{unusable:,} of {decisions:,} unusable")


def cost_words(plan: Plan, cost_usd: str) -> str:
    """The cost so far, of the plan's budget if it has one; empty where no seat costs anything."""
    spends = any(
        Fraction(usd)
        for name in plan.playing
        if (price := plan.prices.get(name))
        for usd in (price.input_usd, price.cached_usd, price.output_usd)
    )
    if any(seat.is_hosted and name not in plan.prices for name, seat in plan.playing.items()):
        return f"{_usd(cost_usd)} USD and an unknown cost" if spends else "cost unknown"
    if not spends:
        return ""
    most = plan.budget.cost_usd_max
    return f"{_usd(cost_usd)} of {_usd(most)} USD" if Fraction(most) else f"{_usd(cost_usd)} USD"


def warning_of(seat: str, answers: SeatAnswers, plan: Plan) -> str:
    """One line that warns of a seat most of whose answers are unusable; empty where there is nothing to warn of."""
    unusable = answers.unusable_total
    if answers.decisions < WARNED_AFTER or 2 * unusable <= answers.decisions:
        return ""
    rows = sorted(answers.unusable.items(), key=lambda row: -row[1])
    limit = plan.seats[seat].tokens_limit
    kinds = [
        f"{number:,} {WORDS[FaultKind(kind)]}{f' (tokens_max is {limit:,})' if kind == FaultKind.CUT and limit else ''}"
        for kind, number in rows
    ]
    return (
        f"{seat}: {unusable:,} of {answers.decisions:,} answers unusable ({', '.join(kinds)}){_empty(answers)};"
        " Ctrl-C stops the run, nothing is lost"
    )


def _empty(answers: SeatAnswers) -> str:
    """Where most answers without an action are empty: what a server may have done with their words."""
    if 2 * answers.empty <= answers.unusable.get(FaultKind.NO_ACTION, 0):
        return ""
    return f"; {answers.empty:,} replies have no words: the server may send all of an answer as thoughts"


def _usd(amount: str) -> str:
    return f"{float(amount):,.2f}"


def _clock(seconds: float) -> str:
    minutes, second = divmod(int(seconds), MINUTE_S)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def _left(seconds: float) -> str:
    if seconds < MINUTE_S:
        return "less than 1 min left"
    if seconds < 2 * HOUR_S:
        return f"about {round(seconds / MINUTE_S)} min left"
    if seconds < 2 * DAY_S:
        return f"about {round(seconds / HOUR_S)} hours left"
    return f"about {round(seconds / DAY_S)} days left"
