"""Description of each seat in words: its settings in the sealed plan, its record, and its attested parts."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from .glossary import label
from .manifest import Manifest
from .scoring.call_records import CallTable
from .scoring.results import Results
from .scoring.seat_stats import SeatStats
from .seats import LocalModelSeat, Seat
from .served_words import served_totals, served_words

NO_PRICE: Final = "cost not known (no price sealed)"


def sealed_words(name: str, seat: Seat, manifest: Manifest) -> str:
    """Settings of a seat in the sealed plan, in words."""
    pin = manifest.models.get(name) if isinstance(seat, LocalModelSeat) else None
    note = "; TOLD how to play or what to expect" if seat.patterns or seat.briefing else ""
    return seat.words(pin.sha256 if pin else "") + note


class SeatTotals(NamedTuple):
    """Totals of one seat over all matches of a run."""

    decisions: int
    exact: int
    normalised: int
    cut: int
    calls: int
    failed_tries: int
    tokens: int
    cost_usd: float
    flagged: bool

    @property
    def error_rate(self) -> float:
        """Share of decisions whose first attempt was no legal action."""
        faults = self.decisions - self.exact - self.normalised
        return faults / self.decisions if self.decisions else 0.0


def totals_of(results: Results) -> dict[str, SeatTotals]:
    """Sums over all matches, by seat."""
    by_seat: dict[str, list[SeatStats]] = {}
    for match in results.matches:
        for stats in match.seat_stats:
            by_seat.setdefault(stats.seat, []).append(stats)
    return {name: _total(rows) for name, rows in by_seat.items()}


def _total(rows: Iterable[SeatStats]) -> SeatTotals:
    rows = list(rows)
    return SeatTotals(
        sum(row.decisions for row in rows),
        sum(row.first_exact for row in rows),
        sum(row.first_normalised for row in rows),
        sum(row.faults.first_cut for row in rows),
        sum(row.calls for row in rows),
        sum(row.failed_attempts for row in rows),
        sum(row.prompt_tokens + row.completion_tokens for row in rows),
        sum(float(row.cost_usd.decimal) for row in rows),
        any(row.faults.flagged for row in rows),
    )


def record_words(name: str, seat: Seat, manifest: Manifest, total: SeatTotals) -> str:
    """A seat's record in words: decisions and errors; of a model its tokens, failed tries and cost too."""
    parts = [f"{total.decisions:,} decisions, {percent(total.error_rate)} {label('errors')}"]
    if total.normalised:
        parts.append(f"{total.normalised:,} replies {label('normalised')}")
    if total.cut:
        parts.append(f"{total.cut:,} replies {label('cut')}")
    if total.flagged:
        parts.append("FLAGGED for them")
    if total.failed_tries or seat.is_model:
        parts.append(f"{total.failed_tries:,} {label('failed tries')}")
    if seat.is_model:
        parts.append(f"{total.tokens:,} {label('tokens')}")
    if seat.is_model and name in manifest.plan.prices:
        parts.append(cost_words(name, manifest, total.cost_usd))
    return ", ".join(parts)


def cost_words(name: str, manifest: Manifest, cost_usd: float) -> str:
    """A seat's cost by its sealed price, or that there is none."""
    return f"{label('cost')} {cost_usd:.6f} USD" if name in manifest.plan.prices else NO_PRICE


def seat_lines(manifest: Manifest, results: Results | None, calls: CallTable | None) -> Iterator[tuple[str, str]]:
    """Name and words of every seat that plays."""
    totals = totals_of(results) if results else {}
    for name, seat in manifest.plan.playing.items():
        words = sealed_words(name, seat, manifest)
        if name in totals:
            words += f". Record: {record_words(name, seat, manifest, totals[name])}"
        served = served_words(served_totals(name, calls)) if seat.is_model else ""
        yield name, f"{words}. {served}" if served else words


def percent(share: float) -> str:
    """A share with one decimal place."""
    return f"{100 * share:.1f} %"
