"""Description of each seat in words: its settings in the sealed plan, its record, and what its server said."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ..core.columns import quoted
from ..plan.manifest import Manifest
from ..scoring.call_records import CallTable, SeatCalls
from ..scoring.results import Results
from ..scoring.seat_stats import SeatStats
from ..seats import LocalModelSeat, Seat
from ..seats.model_names import is_same_model
from .glossary import label

SERVED_SHOWN_MAX: Final = 3


class ServedTotals(NamedTuple):
    """The calls of one seat in all matches: answers by (model, fingerprint), and by completion id.

    Where `is_cut`, the table of some match lists not all of its pairs: then over several matches what is distinct is
    a lower bound.
    """

    pairs: dict[tuple[str, str], int]
    distinct_pairs: int
    distinct_models: int
    distinct_fingerprints: int
    is_cut: bool
    with_id: int
    ids: int

    @property
    def models(self) -> list[str]:
        """The distinct names of models, most frequent first."""
        return list(dict.fromkeys(model for model, _ in self._ordered if model))

    @property
    def cut_words(self) -> str:
        """The words before a number of distinct values: "at least " if `is_cut`, else none."""
        return "at least " if self.is_cut else ""

    @property
    def _ordered(self) -> list[tuple[str, str]]:
        return sorted(self.pairs, key=lambda pair: (-self.pairs[pair], pair))


def served_totals(name: str, calls: CallTable | None) -> ServedTotals:
    """The sums of one seat's calls. Ids may repeat between matches unseen: they are counted by match."""
    rows: list[SeatCalls] = [seats[name] for seats in (calls.matches.values() if calls else ()) if name in seats]
    pairs: dict[tuple[str, str], int] = {}
    for row in rows:
        for served in row.served:
            pair = (served.model, served.fingerprint)
            pairs[pair] = pairs.get(pair, 0) + served.answers
    models, fingerprints = ({pair[index] for pair in pairs if pair[index]} for index in (0, 1))
    return ServedTotals(
        pairs,
        max((len(pairs), *(row.served_distinct for row in rows))),
        max((len(models), *(row.models_distinct for row in rows))),
        max((len(fingerprints), *(row.fingerprints_distinct for row in rows))),
        len(rows) > 1 and any(row.served_distinct > len(row.served) for row in rows),
        sum(row.answers_with_id for row in rows),
        sum(row.ids for row in rows),
    )


def served_words(total: ServedTotals) -> str:
    """The models that answered, with the number of answers of each; "" where no server named any."""
    parts = []
    for (model, fingerprint), count in sorted(total.pairs.items(), key=lambda item: (-item[1], item[0]))[
        :SERVED_SHOWN_MAX
    ]:
        mark = f" fingerprint {quoted(fingerprint)}" if fingerprint else " without fingerprint"
        parts.append(f"{quoted(model) if model else 'no name'}{mark} ({count:,} answers)")
    if total.distinct_pairs > SERVED_SHOWN_MAX:
        parts.append(f"{total.distinct_pairs - SERVED_SHOWN_MAX} more")
    return f"Answered by (claimed): {'; '.join(parts)}" if parts else ""


def served_warnings(name: str, seat: Seat, total: ServedTotals) -> Iterator[str]:
    """Warnings of statements of a seat's server that contradict the plan or each other."""
    if seat.model_served is not None:
        others = [model for model in total.models if model not in seat.names_served]
        is_one = total.distinct_models == 1  # two snapshots of one model are two models
        if others and not (is_one and any(is_same_model(name, others[0]) for name in seat.names_served)):
            shown = ", ".join(map(quoted, others[:SERVED_SHOWN_MAX]))
            names = total.distinct_models
            more = f" ({total.cut_words}{names} names were seen)" if names > SERVED_SHOWN_MAX else ""
            yield f"seat {name}: another model answered than the sealed {quoted(seat.model_served)}: {shown}{more}"
    if total.distinct_fingerprints > 1:
        count_words = f"{total.cut_words}{total.distinct_fingerprints} were seen"
        yield f"seat {name}: the server's fingerprint changed during the run, {count_words}"
    if total.ids < total.with_id:
        yield f"seat {name}: the server gave {total.with_id:,} answers at most {total.ids:,} distinct completion ids"


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
    for match in results.of_matches:
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
        parts.append(f"{total.failed_tries:,} {label('retries')}")
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
