"""Common parts of the servers of language models: limits on calls, and memory of a container that serves weights."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from agzamov_verify.seats import LocalModelSeat

from ..container_spec import GIB, MIB, Machine
from ..lazy import imported_at_first_use
from ..seat_kind import PortInputs

if TYPE_CHECKING:
    from ..adapters import calls
else:  # the clients take half a second to import
    calls = imported_at_first_use("agzamov_harness.adapters.calls")

MODEL_PERMILLE: Final = 900
"""Of the machine, at most: too large a model fails, and the machine does not."""

WEIGHTS_PERCENT, CONTEXT_TOKEN_BYTES, SERVER_BYTES = 125, 512 * 2**10, GIB
"""Default memory limit of a model's server: its weights and a quarter, 512 KiB for each token of each slot's context
(a model of 70 billion parameters keeps 320 KiB of keys and values in 16 bits), and 1 GiB for the server itself."""


def limits_of(inputs: PortInputs, address: str, concurrency: int, requests_per_minute: int = 0) -> "calls.Limits":
    """The limits of the server at `where`, which its seats share."""
    limits = inputs.limits.setdefault(address, calls.Limits(concurrency, requests_per_minute, time.monotonic_ns))
    assert isinstance(limits, calls.Limits)
    return limits


def memory_bytes(seats: Sequence[LocalModelSeat], weights_bytes: int, machine: Machine) -> int:
    """The memory of a model server: as the plan names it, or from weights and context; and most of the machine."""
    most = machine.memory_bytes * MODEL_PERMILLE // 1000
    if seats[0].memory_mib:
        return min(seats[0].memory_mib * MIB, most)
    context = sum(seat.context_tokens * seat.concurrency * CONTEXT_TOKEN_BYTES for seat in seats)
    return min(weights_bytes * WEIGHTS_PERCENT // 100 + context + SERVER_BYTES, most)
