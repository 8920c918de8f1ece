"""Wall time of answers, as the submitter's clock measured it: attested, never recomputed.

A stream's timing file holds one line per journal entry, so that a journal itself holds no clock and
two runs of a deterministic manifest have the same journal:

    {"to":"agent","us":1234}
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ..seats import Name
from .exact import Figure, figure

FORMAT: Literal["agz-timing-1"] = "agz-timing-1"
LINE_BYTES_MAX = 200


class Lap(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """How long one answer took, in microseconds, and who gave it."""

    to: Name
    us: Annotated[int, Meta(ge=0, le=2**53 - 1)]


class SeatTiming(msgspec.Struct, frozen=True):
    """Milliseconds per answer of one seat or of the engine."""

    answers: int
    mean_ms: Figure
    median_ms: Figure
    p95_ms: Figure
    total_s: Figure


class Timing(msgspec.Struct, frozen=True):
    """Answer times of a run by match and by who answered."""

    format: Literal["agz-timing-1"]
    matches: dict[str, dict[str, SeatTiming]]


_decoder = msgspec.json.Decoder(Lap)


def read_laps(lines: Iterable[bytes]) -> dict[str, list[int]]:
    """Microseconds by addressee. Raises msgspec.ValidationError for a line that is no lap."""
    laps: dict[str, list[int]] = {}
    for line in lines:
        lap = _decoder.decode(line)
        laps.setdefault(lap.to, []).append(lap.us)
    return laps


def timing_of(laps: Mapping[str, Mapping[str, list[int]]]) -> Timing:
    """The timing table from microseconds by match and addressee."""
    return Timing(FORMAT, {match: {to: _seat(us) for to, us in sorted(seats.items())} for match, seats in laps.items()})


def _seat(us: list[int]) -> SeatTiming:
    ordered, n = sorted(us), len(us)
    median = Fraction(ordered[(n - 1) // 2] + ordered[n // 2], 2)
    return SeatTiming(
        n,
        figure(Fraction(sum(us), 1000 * n)),
        figure(median / 1000),
        figure(Fraction(ordered[(95 * n + 99) // 100 - 1], 1000)),
        figure(Fraction(sum(us), 1_000_000)),
    )
