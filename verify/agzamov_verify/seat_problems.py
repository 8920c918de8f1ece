"""Problems of a plan's seats: each of a seat alone, of a seat under the plan's isolation, and of a kind's together."""

from collections.abc import Iterator

from .manifest import Plan
from .plan_types import Problem
from .questions import RESERVED
from .seats import KINDS


def seat_problems(plan: Plan) -> Iterator[Problem]:
    """Problems of the seats that make `plan` impossible."""
    for name in sorted(RESERVED.keys() & plan.seats.keys()):
        yield Problem(f"seats.{name}", f"expected another name: in a journal this is {RESERVED[name]}")
    for name, seat in plan.seats.items():
        yield from seat.problems(f"seats.{name}")
    for name, seat in plan.playing.items():
        yield from seat.isolation_problems(f"seats.{name}", plan.isolation)
    for kind in KINDS.values():
        seats = {name: seat for name, seat in plan.seats.items() if type(seat) is kind}
        yield from kind.problems_together(seats, {name: seats[name] for name in plan.playing if name in seats})
    for name in plan.prices:
        if name not in plan.seats:
            yield Problem(f"prices.{name}", "expected the name of a seat")
