"""Asks the outside world before anything is sealed: a typo in a plan shall leave no run behind.

Of each seat behind an endpoint: its key is there and allowed, its address answers, and the server knows the model: by
GET /models where that lists it, else by a completion of a few tokens. What a later call may mend (429, 5xx) passes. Of
a run in containers only the keys are asked for: its addresses need not answer here.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from agzamov_verify.manifest import ManifestError, Plan
from agzamov_verify.plan_problems import starts_engine
from agzamov_verify.stockfish import find_engine

from .allowed_keys import keys_sent, require_allowed
from .ports import PortFault
from .seat_kind import PortInputs, kind_of
from .tool_probe import require_tool_calls, seats_that_call

NOT_SEALED: Final = "nothing was sealed"


def first_contact(plan: Plan, engine: str | None, allowed: Mapping[str, str]) -> None:
    """Probe servers and engine before a plan is sealed. Raises ManifestError, EngineFault."""
    if starts_engine(plan) and plan.isolation == "process":
        find_engine(engine)
    _require_keys(plan)
    require_allowed(keys_sent(plan, {}), allowed)
    if plan.isolation == "process":
        _ask(plan)


def _require_keys(plan: Plan) -> None:
    """Raises ManifestError for the first seat whose key is not in the environment."""
    for name, seat in plan.playing.items():
        with _nothing_sealed():
            kind_of(seat).require_key(name, seat)


def _ask(plan: Plan) -> None:
    """Raises ManifestError for the first seat that could not be asked as the plan says."""
    callers = seats_that_call(plan)
    for name, seat in plan.playing.items():
        with _nothing_sealed():
            kind_of(seat).first_contact(name, seat)
            if name in callers:
                _ask_for_tool_call(plan, name)


def _ask_for_tool_call(plan: Plan, name: str) -> None:
    """Raises PortFault for a seat that shall call tools and does not."""
    port = kind_of(plan.seats[name]).port(name, plan.seats[name], PortInputs(None, None, time.sleep, {}, {}))
    try:
        require_tool_calls(name, port)
    finally:
        port.close()


@contextmanager
def _nothing_sealed() -> Iterator[None]:
    """Raises ManifestError where a seat cannot be asked."""
    try:
        yield
    except (PortFault, ManifestError) as error:
        raise ManifestError(f"{error}; {NOT_SEALED}") from error
