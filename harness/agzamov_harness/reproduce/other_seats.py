"""Seats without weights that can be asked again here: scripted players, and engines at hand that do not draw.

A program is never taken from the bundle: whoever made it must not choose what we start. An engine is one that the
replayer gives, with the sealed digest.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from agzamov_verify.checks.engine_scores import programs_by_digest
from agzamov_verify.engines.uci_engine import EngineFault
from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.seats import AnswerCheck, ModelSeat, ScriptedSeat, Seat, UciSeat

from ..run import seal

HERE: Final = "this program"
COMPUTED: Final = "computed here"
HASHED: Final = "hashed here"
DRAWS: Final = "its engine draws its moves, so nobody can ask for them again"


class OtherSeat(NamedTuple):
    """A seat to ask again: as it is played here, by what, and the digest of its program if it has one."""

    seat: Seat
    server: str
    witness: str
    sha256: str = ""
    engine: Path | None = None


def other_seats(
    manifest: Manifest, engine: Path | None, programs: Sequence[Path]
) -> tuple[dict[str, OtherSeat], dict[str, str]]:
    """The seats of a run that no model plays and that can be asked again; and why others cannot."""
    found, not_asked = dict[str, OtherSeat](), dict[str, str]()
    for name, seat in manifest.plan.playing.items():
        if isinstance(seat, ModelSeat):
            continue
        other = _other(manifest, seat, engine, programs)
        if isinstance(other, str):
            not_asked[name] = other
        else:
            found[name] = other
    return found, not_asked


def _other(manifest: Manifest, seat: Seat, engine: Path | None, programs: Sequence[Path]) -> OtherSeat | str:
    """A seat that can be asked again, or why it cannot."""
    if isinstance(seat, ScriptedSeat):
        return OtherSeat(seat, f"{seat.kind} player", COMPUTED)
    if seat.check is not AnswerCheck.ENGINE:
        return "a person played it" if seat.is_person else DRAWS
    if isinstance(seat, UciSeat):
        return _uci(seat, programs)
    return _stockfish(manifest, seat, engine)


def _uci(seat: UciSeat, programs: Sequence[Path]) -> OtherSeat | str:
    path = programs_by_digest(programs).get(seat.binary_sha256)
    if path is None:
        return f"no program with its sealed digest was given: --program PATH, sha256 {seat.binary_sha256}"
    return OtherSeat(replace(seat, program=str(path.absolute())), seat.engine, HASHED, seat.binary_sha256)


def _stockfish(manifest: Manifest, seat: Seat, engine: Path | None) -> OtherSeat | str:
    try:
        pin = seal.pin_engine(engine, manifest.plan.protocol) if engine else None
    except EngineFault as error:
        return str(error)
    if pin is None or pin != manifest.engine:
        return "the protocol's engine is not here: --engine PATH"
    return OtherSeat(seat, pin.name, f"net sha256 {pin.net_sha256}", engine=engine)
