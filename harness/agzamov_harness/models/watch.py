"""Hashes a run's weights before and after it is played: a server does not do it, and a file can be changed in between.

sittings/weights.json keeps what was found each time and goes into the bundle's notes. Under `agzamov run` no container
can reach it; by hand the harness's container can write beside it.
Weights that changed while they were in use spoil the run for good: what they answered cannot be told from the rest.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from agzamov_verify import canon
from agzamov_verify.feasible import local_models
from agzamov_verify.manifest import ModelPin

from ..exits import EXIT_FAILED, HarnessEnded
from ..rundir import RunDirectory
from .faults import ModelFault
from .pins import Found, Witness, check_weights

FILE = "weights.json"


class Check(msgspec.Struct, frozen=True):
    """The weights that were found at one moment, by seat; `altered` says what was wrong, empty if nothing was."""

    when: Literal["before", "after"]
    seats: dict[str, ModelPin] = msgspec.field(default_factory=dict)
    witness: dict[str, Witness] = msgspec.field(default_factory=dict)
    altered: str = ""


class Weights(msgspec.Struct, frozen=True):
    """sittings/weights.json: every check of a run, in order."""

    checks: tuple[Check, ...] = ()
    format: Literal["agz-weights-1"] = "agz-weights-1"


@contextmanager
def weights_watched(directory: RunDirectory) -> Iterator[None]:
    """Check the weights of local models, let the run be played, check them again. Raises as these two checks do."""
    weights_before(directory)
    yield
    weights_after(directory)


def weights_before(directory: RunDirectory) -> None:
    """Check the weights before they are used.

    Raises ModelFault where others than the sealed ones are there, HarnessEnded if they once changed while in use.
    """
    if not local_models(directory.manifest.plan):
        return
    path = directory.sittings / FILE
    _refuse_spoiled(path)
    _note(path, "before", check_weights(directory.manifest, directory.plan_folder))


def weights_after(directory: RunDirectory) -> None:
    """Check the weights after they were used, unless that was done: a run by hand is checked when it is packed.

    Raises HarnessEnded if they changed.
    """
    if not local_models(directory.manifest.plan):
        return
    path = directory.sittings / FILE
    _refuse_spoiled(path)
    if [check.when for check in read_checks(path).checks][-1:] == ["after"]:
        return
    try:
        found = check_weights(directory.manifest, directory.plan_folder)
    except ModelFault as error:
        _write(path, Check("after", altered=str(error)))
        raise _ended(str(error)) from error
    _note(path, "after", found)


def _refuse_spoiled(path: Path) -> None:
    spoiled = next((check.altered for check in read_checks(path).checks if check.altered), "")
    if spoiled:
        raise _ended(spoiled)


def _ended(what: str) -> HarnessEnded:
    return HarnessEnded(f"the weights changed while this run was played: {what}. Start a new run", EXIT_FAILED)


def read_checks(path: Path) -> Weights:
    """The checks so far. Raises ModelFault for a file that is none of ours."""
    if not path.exists():
        return Weights()
    try:
        return canon.loads_as(path.read_bytes(), Weights)
    except canon.NotCanonical as error:
        raise ModelFault(f"{path}: expected what earlier checks noted: {error}") from error


def _note(path: Path, when: Literal["before", "after"], found: Mapping[str, Found]) -> None:
    pins = {name: one.pin for name, one in found.items()}
    _write(path, Check(when, pins, {name: one.witness for name, one in found.items()}))


def _write(path: Path, check: Check) -> None:
    path.write_bytes(canon.dumps(Weights((*read_checks(path).checks, check))))
