"""The programs of a plan's UCI engines: found, compared with their digests, and looked at before a plan is sealed.

A program is first hashed, then consented to, then started. What a seat's settings ask of it must fit: its options, and
`UCI_Chess960` where it shall play that. An engine whose moves shall be computed again is asked about a few positions by
two processes, in two orders: most of those that draw show there.
"""

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import chess
from msgspec.structs import replace

from agzamov_verify.engines.player_engine import PlayerEngine, PlayerSettings
from agzamov_verify.engines.uci_engine import EngineFault
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.seats import AnswerCheck, UciSeat

from ..ports import PortFault

PLACES: Final = ("/usr/games", "/usr/local/games", "/usr/local/bin")
"""Where engines are, beside the folders of PATH: Debian's games are not on root's."""
PROBES: Final = (
    chess.STARTING_FEN,
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
)
"""The start, an opening, and the positions 6 and 3 of the chess programming wiki's perft results."""
LOOK_S_MAX: Final = 60.0
"""Seconds for one move before a plan is sealed."""
DRAWS: Final = "its moves cannot be computed again: set attested: true"


class EngineProgram(NamedTuple):
    """The program of one seat: where it is, and its digest."""

    seat: str
    path: Path
    sha256: str


def settings_of(seat: UciSeat) -> PlayerSettings:
    """The settings of a seat's engine."""
    return PlayerSettings(seat.hash_mib, seat.elo, seat.options)


def find_program(name: str, seat: UciSeat, plan_folder: Path) -> EngineProgram:
    """The program of the seat of this name, and its digest. Raises PortFault where it is missing or another one."""
    if "/" in seat.program:
        path = plan_folder / Path(seat.program).expanduser()
        found = shutil.which(path)
    else:
        found = shutil.which(seat.program) or shutil.which(seat.program, path=":".join(PLACES))
    if not found:
        raise PortFault(f"seats.{name}.program: expected a UCI engine, found no program {seat.program}; install it")
    try:
        with Path(found).open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            is_script = file.read(2) == b"#!"
    except OSError as error:
        raise PortFault(f"seats.{name}.program: {found}: {error.strerror}") from error
    if seat.binary_sha256 not in {"", sha256}:
        raise PortFault(f"seats.{name}.binary_sha256: expected {seat.binary_sha256}, found {sha256} in {found}")
    if is_script and seat.check is AnswerCheck.ENGINE:
        raise PortFault(f"seats.{name}.program: {found} is a script, and its digest says not what it starts; {DRAWS}")
    return EngineProgram(name, Path(found).absolute(), sha256)


def engine_programs(plan: Plan, plan_folder: Path) -> Iterator[EngineProgram]:
    """The programs of the UCI engines that play. Raises PortFault."""
    for name, seat in plan.playing.items():
        if isinstance(seat, UciSeat) and plan.isolation == "process":
            yield find_program(name, seat, plan_folder)


def with_programs(plan: Plan, programs: list[EngineProgram]) -> Plan:
    """The plan with the digest and the name of each engine, once it was looked at. Raises PortFault."""
    seats = dict(plan.seats)
    for program in programs:
        seat = plan.seats[program.seat]
        assert isinstance(seat, UciSeat)
        try:
            name = _looked_at(plan, program, seat)
        except EngineFault as error:
            raise PortFault(f"seats.{program.seat}: {error}") from error
        seats[program.seat] = replace(seat, binary_sha256=program.sha256, engine=name)
    return replace(plan, seats=seats)


def require_chess960(plan: Plan, name: str, engine: PlayerEngine) -> None:
    """Raises EngineFault for an engine that shall play Chess960 and cannot."""
    played = {match.game for match in plan.matches if name in match.seats}
    if "chess960" in played and not engine.plays_chess960:
        raise EngineFault(f"{engine.name} has no option UCI_Chess960: it plays chess, not chess960")


def _looked_at(plan: Plan, program: EngineProgram, seat: UciSeat) -> str:
    """The engine's name. Raises EngineFault where it does not fit, or draws and shall not."""
    with PlayerEngine(program.path, settings_of(seat), LOOK_S_MAX) as engine:
        if not engine.name or seat.engine not in {"", engine.name}:
            raise EngineFault(f"expected the engine {seat.engine or 'with a name'}, found {engine.name or 'none'}")
        require_chess960(plan, program.seat, engine)
        moves = [engine.move(fen, seat.limit) for fen in PROBES]
        name = engine.name
    if seat.check is AnswerCheck.ENGINE:
        with PlayerEngine(program.path, settings_of(seat), LOOK_S_MAX) as engine:
            again = [engine.move(fen, seat.limit) for fen in reversed(PROBES)]
        if again[::-1] != moves:
            raise EngineFault(f"{name} answers otherwise when it is asked again; {DRAWS}")
    return name
