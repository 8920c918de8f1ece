"""The shortest time that a plan takes, however many machines play it: calls of one stream wait for each other.

A stream is a career, or where nothing is remembered a block. Streams of a phase are played side by side, phases one
after another, and each call of a model takes `seconds_per_call`:

    shortest_s = sum over phases of (greatest number of models' calls in a stream) x seconds_per_call
    in_flight  = greatest over phases of ceil(models' calls of the phase / greatest number of them in a stream)

More calls in flight than that shorten nothing. What scripted players, engines and servers take is not counted.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from agzamov_verify.experiment.matches import Match, Phase
from agzamov_verify.plan.manifest import Plan

from ..run.assumptions import Assumptions
from ..run.call_forecast import calls_at_table


class ShortestTime(NamedTuple):
    """Seconds, the most calls in flight that help, and the match with the longest stream and its number of calls."""

    seconds: Fraction
    in_flight: int
    longest: Match
    calls: int


def shortest_time(plan: Plan, assumptions: Assumptions) -> ShortestTime | None:
    """The shortest time of a plan; None where no model plays."""
    found = [
        one for phase in sorted({match.phase for match in plan.matches}) for one in _phase(phase, plan, assumptions)
    ]
    if not found:
        return None
    longest, calls, _ = max(found, key=lambda one: one[1])
    turns = sum(calls for _, calls, _ in found)
    return ShortestTime(
        turns * assumptions.seconds_per_call, max(ceil(of / calls) for _, calls, of in found), longest, calls
    )


def _phase(phase: Phase, plan: Plan, assumptions: Assumptions) -> Iterator[tuple[Match, int, Fraction]]:
    """Of a phase in which models play: the match with the longest stream, its calls, and the calls of the phase."""
    streams: list[tuple[int, Match]] = []
    total = Fraction(0)
    for match in plan.matches:
        calls = _model_calls(match, plan, assumptions) if match.phase == phase else 0
        if calls:
            longest = min(match.stream_results, match.planned)
            streams.append((ceil(Fraction(calls * longest, match.planned)), match))
            total += calls
    if streams:
        calls, match = max(streams, key=lambda one: one[0])
        yield match, calls, total


def _model_calls(match: Match, plan: Plan, assumptions: Assumptions) -> int:
    """The expected number of calls of models in a match."""
    rows = calls_at_table(match, plan, assumptions)
    return sum(asked + planted for name, asked, planted in rows if plan.seats[name].is_model)
