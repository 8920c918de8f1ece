"""An exhibition from a plan to its folder: sealed, played by a program through UCI, signed.

It is sealed and opened as a run is. Its journal ends where the program ended, so a folder of one that was killed can be
packed too.
"""

import hashlib
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.checks import exhibition_files
from agzamov_verify.checks.exhibition import check_exhibition
from agzamov_verify.checks.opened_bundle import seed_dice
from agzamov_verify.core.envelope import sign_payload
from agzamov_verify.core.script import Exchanges
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.plan.streams import EXHIBITION, begun_exhibition, streams_of
from agzamov_verify.table.exhibition import PROGRAM
from agzamov_verify.table.registry import parts

from ..build_ports import open_world
from ..foundation.append_only import cut_torn_line
from ..foundation.placed_folder import placed
from ..foundation.unix_clock import unix_ns
from ..memory.launch import Places
from ..models.weight_pins import weights_watched
from ..run.exit_status import EXIT_FAILED, HarnessEnded
from ..run.recorder import CALLS_FILE, JOURNAL_SUFFIX, Recorder
from ..run.run_folder import RunDirectory
from ..run.seal_signature import public_pem
from .desk import Desk, Ended
from .seat_world import SeatWorld

RECOMPUTED_MAX: Final = 5
"""Replies of a scripted seat that are computed again while packing: a program waits some seconds for our end."""
EXHIBITIONS: Final = Path("exhibitions")


def match_of(plan: Plan, seat: str, wished: str = "") -> Match:
    """The match whose terms a seat has: the one that is named, else its first with a system, else its first.

    Raises ManifestError where there is none.
    """
    if PROGRAM in plan.seats:
        raise ManifestError(f"seats.{PROGRAM}: expected another name: in an exhibition this is the chess program")
    if plan.isolation != "process":
        raise ManifestError("isolation: expected process: a chess program plays a seat of this machine")
    if seat not in plan.seats:
        raise ManifestError(f"--seat{f' {seat}' if seat else ''}: expected one of the seats {', '.join(plan.seats)}")
    playable = parts(EXHIBITION)
    found = [match for match in plan.matches if match.measured == seat and match.game in playable]
    if wished and found:
        known = ", ".join(match.id for match in found)
        found = [match for match in found if match.id == wished]
        if not found:
            raise ManifestError(f"--match {wished}: expected one of {known}")
    if not found:
        games = " or ".join(playable)
        known = ", ".join(match.id for match in plan.matches if match.measured == seat) or "none"
        raise ManifestError(f"--seat {seat}: expected a match of {games} with it as `a` ({known})")
    return next((match for match in found if match.condition.system), found[0])


def play(
    directory: RunDirectory,
    match: Match,
    engine: Path | None,
    desk: Desk,
    tell: Callable[[str], None],
    moved: Callable[[str], None],
) -> None:
    """Play until the program ends. Raises PortFault where a server or a machine fails."""
    manifest, stream = directory.manifest, next(streams_of(match))
    places = Places(directory.memory_servers, directory.plan_folder)
    with (
        weights_watched(directory),
        open_world(manifest, engine, served={}, notes=directory.notes, places=places) as ports,
        ports.open(stream.id) as world,
    ):
        record(directory, match, SeatWorld(world, desk, tell, moved))


def record(directory: RunDirectory, match: Match, answers: SeatWorld) -> None:
    """Record the script's questions and their answers until the program ends. Raises PortFault."""
    manifest, stream = directory.manifest, next(streams_of(match))
    _, script = begun_exhibition(stream, manifest.plan, seed_dice(manifest, directory.secret), manifest.memories)
    with (
        suppress(Ended),
        Recorder(directory.journal, manifest.run_id, stream.id, answers, unix_ns) as recorder,
    ):
        for _ in Exchanges(script, recorder):
            pass


def pack(directory: RunDirectory, key: Ed25519PrivateKey, out: Path) -> Path:
    """The signed exhibition, `out`/<run id>, checked before it has its name. Raises HarnessEnded, ManifestError."""
    streams = sorted(path for path in directory.journal.glob("*") if path.is_dir())
    by_stream = {next(streams_of(match)).id: match for match in directory.manifest.plan.matches}
    if len(streams) != 1 or streams[0].name not in by_stream:
        raise ManifestError(f"{directory.path}: expected the folder of one exhibition, found another run's")
    run_id, journal = directory.manifest.run_id, streams[0]
    segments = sorted(journal.glob(f"*{JOURNAL_SUFFIX}"))
    for path in (*segments, journal / CALLS_FILE):
        cut_torn_line(path)
    files = {
        exhibition_files.MANIFEST: directory.manifest.bytes,
        exhibition_files.JOURNAL: b"".join(path.read_bytes() for path in segments),
        exhibition_files.CALLS: (journal / CALLS_FILE).read_bytes(),
        exhibition_files.KEY: public_pem(key),
    }
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    match, secret = by_stream[journal.name].id, directory.secret.hex()
    signed = sign_payload(exhibition_files.statement_of(digests, match, run_id, secret), key)
    making = out / f".{run_id}.making"
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    for name, data in {**files, exhibition_files.STATEMENT: signed}.items():
        (making / name).write_bytes(data)
    if problem := check_exhibition(making, recomputed_max=RECOMPUTED_MAX).problem:
        raise HarnessEnded(f"the exhibition does not verify: {problem}; please report it with {making}", EXIT_FAILED)
    return placed(making, out / run_id, exhibition_files.STATEMENT, "exhibition")
