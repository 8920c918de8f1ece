"""The recorded times of each game: they add up, and the games were played one after the other."""

from collections.abc import Iterator
from itertools import pairwise
from math import fsum

from .findings import Finding, Step
from .reading import RESULTS, Record

ROUNDING_SECONDS = 0.001


def time_findings(records: tuple[Record, ...]) -> Iterator[Finding]:
    """Durations that start and end contradict, thinking longer than the game, games that overlap."""
    for record in records:
        yield from _within(record)
    for before, after in pairwise(records):
        if after.start_time < before.end_time:
            expected = f"a start after the end of {before.game_id}, {before.end_time.isoformat()}"
            yield Finding(Step.TIMES, RESULTS, expected, after.start_time.isoformat(), after.game_id)


def _within(record: Record) -> Iterator[Finding]:
    seconds = (record.end_time - record.start_time).total_seconds()
    found = f"duration_seconds {record.duration_seconds:.3f}"
    if abs(seconds - record.duration_seconds) > ROUNDING_SECONDS:
        yield Finding(Step.TIMES, RESULTS, f"{seconds:.3f} s between start_time and end_time", found, record.game_id)
    thinking = fsum(move.time_ms for move in record.moves) / 1000
    if thinking > record.duration_seconds + ROUNDING_SECONDS:
        yield Finding(Step.TIMES, RESULTS, f"at least the {thinking:.3f} s of its moves", found, record.game_id)
