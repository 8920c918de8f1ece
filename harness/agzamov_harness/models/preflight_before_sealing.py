"""The preflight before a plan is sealed: what cannot be answered deterministically leaves no sealed run behind.

Each local seat's server is started as a run will start it, or asked where it is. A model that only the run's containers
can serve is measured when they start. What was measured is kept when a seat is refused.
"""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from agzamov_verify.core import canon
from agzamov_verify.plan.manifest import Manifest, ManifestError
from agzamov_verify.plan.plan_problems import local_models
from agzamov_verify.seats import LocalModelSeat

from ..foundation.append_only import write_over
from ..foundation.program_and_machine import this_cpu
from ..ports import ModelFault, PortFault
from ..run.first_contact import NOT_SEALED, require_tool_calls, seats_that_call
from ..seat_kind import PortInputs, local_kind_of
from .determinism import Probing
from .preflight import PreflightExecution, Preflights, SeatOutcome, examine, require_all

REFUSED: Final = "preflight-refused.json"
MINUTE_S: Final = 60


def measured_before_sealing(
    manifest: Manifest, plan_folder: Path, kept_in: Path, tell: "TellSeat"
) -> PreflightExecution | None:
    """What the preflight of each local seat measured; None where none can be asked yet.

    Raises ManifestError where a strict seat would be refused; the measurement is then in the folder `kept_in`.
    """
    try:
        outcomes = {
            name: outcome
            for name, seat in local_models(manifest.plan).items()
            if (outcome := measured(manifest, name, seat, plan_folder, tell))
        }
    except PortFault as error:
        raise ManifestError(f"{error}; {NOT_SEALED}") from error
    if not outcomes:
        return None
    execution = PreflightExecution(this_cpu(), outcomes)
    try:
        require_all(manifest.plan, execution, Preflights())
    except ModelFault as error:
        kept_in.mkdir(parents=True, exist_ok=True)
        write_over(kept_in / REFUSED, canon.dumps(Preflights((execution,))))
        raise ManifestError(f"{error}; {NOT_SEALED}; what was measured is in {kept_in / REFUSED}") from error
    return execution


def measured(
    manifest: Manifest, name: str, seat: LocalModelSeat, plan_folder: Path, tell: "TellSeat"
) -> SeatOutcome | None:
    """The preflight of one seat; None where only a run can start its server. Raises PortFault."""
    kind = local_kind_of(seat)
    with kind.asked_before(manifest, name, seat, plan_folder, time.sleep) as address:
        if not address:
            return None
        with kind.held(address):
            return measured_at(manifest, name, seat, address, tell)


def measured_at(manifest: Manifest, name: str, seat: LocalModelSeat, address: str, tell: "TellSeat") -> SeatOutcome:
    """The preflight of one seat whose server is at an address or a socket. Raises PortFault."""
    port = local_kind_of(seat).port(name, seat, PortInputs(None, None, time.sleep, {name: address}, {}))
    try:
        assert isinstance(port, Probing), f"the port of {name} cannot be probed"
        outcome = examine(manifest, name, port, address, partial(tell, name))
        if name in seats_that_call(manifest.plan):
            require_tool_calls(name, port)
        return outcome
    finally:
        port.close()


TellSeat: TypeAlias = Callable[[str, int, float], None]
"""Told a seat, and what `determinism.Tell` is told of it."""


def forecast_line(name: str, answers: int, seconds: float) -> str:
    """What is told before a seat is measured."""
    minutes = seconds / MINUTE_S
    takes = f"about {minutes:.0f} min" if minutes >= 1 else "less than a minute"
    return f"preflight of seat {name}: {answers} more answers, {takes}"
