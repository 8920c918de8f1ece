"""The models that answered, by their servers' word (attested): names, fingerprints, completion ids, inconsistencies."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from .columns import quoted
from .scoring.call_records import CallTable, SeatCalls
from .seats import Seat

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
        others = [model for model in total.models if model != seat.model_served]
        if others:
            shown = ", ".join(map(quoted, others[:SERVED_SHOWN_MAX]))
            names = total.distinct_models
            more = f" ({total.cut_words}{names} names were seen)" if names > SERVED_SHOWN_MAX else ""
            yield f"seat {name}: another model answered than the sealed {quoted(seat.model_served)}: {shown}{more}"
    if total.distinct_fingerprints > 1:
        count_words = f"{total.cut_words}{total.distinct_fingerprints} were seen"
        yield f"seat {name}: the server's fingerprint changed during the run, {count_words}"
    if total.ids < total.with_id:
        yield f"seat {name}: the server gave {total.with_id:,} answers only {total.ids:,} distinct completion ids"
