"""Pins of a seat's weights, for sealing, and the checks against them before and after a run is played.

Weights are hashed here, or where that cannot be done, the digest is taken that their server reports. A server does not
hash them again, and a file can be changed in between, so executions/weights.json keeps what was found each time and
goes into the bundle's notes. Under `agzamov run` no container can reach it; by hand the harness's container can write
beside it. Weights that changed while they were in use spoil the run for good: what they answered cannot be told from
the rest.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from agzamov_verify.core import canon
from agzamov_verify.plan.manifest import Manifest, ManifestError, ModelPin, Plan
from agzamov_verify.plan.plan_problems import local_models
from agzamov_verify.seats import LocalModelSeat

from ..foundation.append_only import write_whole
from ..ports import ModelFault
from ..run.exit_status import EXIT_FAILED, HarnessEnded
from ..run.run_folder import WEIGHTS, RunDirectory
from ..seat_kind import FoundWeights, Witness, local_kind_of
from .ollama_store import open_regular
from .published_weights import TABLE

GGUF_MAGIC = b"GGUF"
FILE = WEIGHTS


def pins_of(plan: Plan, plan_folder: Path) -> dict[str, ModelPin]:
    """The pin of each seat of local weights. Paths are taken from the plan's folder. Raises ManifestError."""
    try:
        return {name: weights.pin for name, weights in find_weights(plan, plan_folder).items()}
    except ModelFault as error:
        raise ManifestError(f"seats.{error}") from error


def find_weights(plan: Plan, plan_folder: Path) -> dict[str, FoundWeights]:
    """The weights of each seat that plays with local ones. Raises ModelFault that begins with the seat's name."""
    return {
        name: _of_seat(name, seat, plan_folder, may_ask=plan.isolation == "process")
        for name, seat in plan.playing.items()
        if isinstance(seat, LocalModelSeat)
    }


def check_weights(manifest: Manifest, plan_folder: Path) -> dict[str, FoundWeights]:
    """The weights, hashed again and equal to the sealed ones. Raises ModelFault where they are not."""
    by_seat = find_weights(manifest.plan, plan_folder)
    for name, weights in by_seat.items():
        sealed = manifest.models.get(name)
        if weights.pin != sealed:
            expected = f"sha256 {sealed.sha256}, {sealed.size_bytes} bytes" if sealed else "a pin in the manifest"
            actual = f"sha256 {weights.pin.sha256}, {weights.pin.size_bytes} bytes"
            raise ModelFault(
                f"{name}: expected the sealed weights ({expected}), found {actual}; put the sealed ones back"
            )
    return by_seat


def pin_of(seat: LocalModelSeat, plan_folder: Path) -> ModelPin:
    """The pin of one seat's weights. Raises ModelFault."""
    return find(seat, plan_folder).pin


def find(seat: LocalModelSeat, plan_folder: Path, *, may_ask: bool = True) -> FoundWeights:
    """One seat's weights, and who says so: here, or if we `may_ask` it, its server. Raises ModelFault."""
    return local_kind_of(seat).weights(seat, plan_folder, may_ask=may_ask)


def pin_of_gguf(path: Path, expected_sha256: str = "") -> ModelPin:
    """The digest and size of a GGUF file. Raises ModelFault."""
    try:
        with open_regular(path.resolve()) as file:
            magic = file.read(len(GGUF_MAGIC))
            file.seek(0)
            pin = ModelPin(hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size)
    except OSError as error:
        is_known = isinstance(error, FileNotFoundError) and path.stem in TABLE
        advice = f"; get it with: agzamov models get {path.stem}" if is_known else ""
        raise ModelFault(f"{path}: expected a GGUF file: {error.strerror}{advice}") from error
    if magic != GGUF_MAGIC:
        raise ModelFault(f"{path}: expected a GGUF file, found one that begins with {magic!r}")
    if expected_sha256 and pin.sha256 != expected_sha256:
        raise ModelFault(f"{path}: expected sha256 {expected_sha256}, found {pin.sha256}")
    return pin


def placed(plan_folder: Path, written: str) -> Path:
    """A path as a plan writes it: from the plan's folder, absolute, or from ~."""
    return plan_folder / Path(written).expanduser()


def _of_seat(name: str, seat: LocalModelSeat, plan_folder: Path, *, may_ask: bool) -> FoundWeights:
    try:
        return find(seat, plan_folder, may_ask=may_ask)
    except ModelFault as error:
        raise ModelFault(f"{name}: {error}") from error


class WeightsCheck(msgspec.Struct, frozen=True):
    """The weights found at one moment, by seat; `altered` names the problem, empty if there is none."""

    when: Literal["before", "after"]
    seats: dict[str, ModelPin] = msgspec.field(default_factory=dict)
    witness: dict[str, Witness] = msgspec.field(default_factory=dict)
    altered: str = ""


class WeightsRecord(msgspec.Struct, frozen=True):
    """executions/weights.json: every check of a run, in order."""

    checks: tuple[WeightsCheck, ...] = ()
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
    path = directory.executions / FILE
    _refuse_spoiled(path)
    _note(path, "before", check_weights(directory.manifest, directory.plan_folder))


def weights_after(directory: RunDirectory) -> None:
    """Check the weights after they were used, unless that was done: a run by hand is checked when it is packed.

    Raises HarnessEnded if they changed.
    """
    if not local_models(directory.manifest.plan):
        return
    path = directory.executions / FILE
    _refuse_spoiled(path)
    if [check.when for check in read_checks(path).checks][-1:] == ["after"]:
        return
    try:
        weights = check_weights(directory.manifest, directory.plan_folder)
    except ModelFault as error:
        _write(path, WeightsCheck("after", altered=str(error)))
        raise _ended(str(error)) from error
    _note(path, "after", weights)


def _refuse_spoiled(path: Path) -> None:
    spoiled = next((check.altered for check in read_checks(path).checks if check.altered), "")
    if spoiled:
        raise _ended(spoiled)


def _ended(subject: str) -> HarnessEnded:
    return HarnessEnded(f"the weights changed while this run was played: {subject}. Start a new run", EXIT_FAILED)


def read_checks(path: Path) -> WeightsRecord:
    """The checks so far. Raises ModelFault for a file that is none of ours."""
    if not path.exists():
        return WeightsRecord()
    try:
        return canon.loads_as(path.read_bytes(), WeightsRecord)
    except canon.NotCanonical as error:
        raise ModelFault(f"{path}: expected what earlier checks noted: {error}") from error


def _note(path: Path, when: Literal["before", "after"], weights: Mapping[str, FoundWeights]) -> None:
    pins = {name: seat_weights.pin for name, seat_weights in weights.items()}
    _write(path, WeightsCheck(when, pins, {name: seat_weights.witness for name, seat_weights in weights.items()}))


def _write(path: Path, check: WeightsCheck) -> None:
    write_whole(path, canon.dumps(WeightsRecord((*read_checks(path).checks, check))))
