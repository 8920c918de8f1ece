"""`agzamov uci`: a seat of a plan as a UCI engine, for any chess program."""

import os
import queue
import shutil
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import click

from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.plan.plan_problems import starts_engine

from ..exhibition import exhibition_run
from ..exhibition.desk import Desk
from ..exhibition.uci_front import UciFront
from ..exhibition.uci_output import UciOutput, lines_of
from ..pipeline.sealed_run import sealed_after_contact
from ..ports import PortFault
from ..run import exit_status, run_folder, signing_keys
from ..run.run_folder import RunDirectory
from .plan_files import plan_file
from .run_commands import runs_option
from .shared_options import (
    allow_key_option,
    engine_option,
    installed_option,
    key_option,
    start_programs_option,
)

END_S_MAX: Final = 20.0
"""Seconds in which a conversation that has ended is written down."""
AUTHOR: Final = "Agzamov"


@click.command()
@click.argument("plan", type=click.Path(exists=True, path_type=Path))
@click.option("--seat", default="", help="The seat of PLAN that plays, with its memory, tools or documents.")
@click.option("--match", "match_id", default="", metavar="ID", help="The match of PLAN whose terms it has.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=exhibition_run.EXHIBITIONS,
    show_default=True,
    help="Folder of exhibitions: what was played goes into a folder that has the run's id as its name.",
)
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), help="File for every line of the conversation.")
@key_option
@engine_option
@runs_option
@installed_option
@allow_key_option
@start_programs_option
def uci(
    plan: Path,
    seat: str,
    match_id: str,
    out: Path,
    log: Path | None,
    key: Path,
    engine: str | None,
    runs: Path,
    installed: Path,
    allow_key: Mapping[str, str],
    *,
    start_programs: bool,
) -> None:
    """Speak UCI: a seat of PLAN, with its memory, tools or documents, as an engine in any chess program.

    The program speaks on standard input and output. What is played is recorded, and signed when the program ends: an
    exhibition, played under another program's rules, without a rank. PLAN may be the folder of an exhibition that was
    killed: then that is packed. Time for a move is the program's; play without a clock (docs/uci.md).

    Example: agzamov uci manifests/quickstart.yaml --seat reference

    Exit code 0: the program has ended, and what was played, if anything, is written. 1: it does not verify. 2: the
    plan, a server or the key is wrong. 4: a server failed; what was played before is written.
    """
    with exit_status.faults():
        if plan.is_dir():
            _pack_killed(run_folder.load(plan), out)
            return
        with UciOutput.of_standard_output(log) as output:
            file = plan_file(plan, small=False)
            match = exhibition_run.match_of(file.plan, seat, match_id)
            run_folder.require_room(out, runs)
            desk = Desk()
            name = f"Agzamov {seat} ({match.condition.label})"
            front = UciFront(output, desk, name, AUTHOR, always_960=match.game == "chess960")
            thread = _conversation(front, output)
            directory = sealed_after_contact(
                file, key, engine, runs, allow_key, installed, start_programs=start_programs, quiet=True
            )
            click.echo(f"run: {directory.path}", err=True)
            fault = _played(directory, match, engine, desk, front)
            thread.join(END_S_MAX if desk.closed else None)
            if not _pack(directory, out) and not fault:
                shutil.rmtree(directory.path)  # a program that lists its engines starts each of them
                click.echo("nothing was asked, so the run's folder was removed", err=True)
            sys.exit(exit_status.EXIT_STOPPED if fault else 0)


def _conversation(front: UciFront, output: UciOutput) -> threading.Thread:
    """Begin to answer the program in a thread of its own: it may ask before the plan is sealed."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in lines_of(0):
            lines.put(line)
        lines.put(None)

    def come() -> Iterator[str]:
        while True:
            try:
                line = lines.get(timeout=1.0)
            except queue.Empty:
                if output.gone:
                    return
                continue
            if line is None:
                return
            yield line

    def end(_: int, __: object) -> None:
        lines.put(None)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    threading.Thread(target=read, name="standard input", daemon=True).start()
    thread = threading.Thread(target=front.serve, args=(come(),), name="conversation", daemon=True)
    thread.start()
    return thread


def _played(directory: RunDirectory, match: Match, engine: str | None, desk: Desk, front: UciFront) -> str:
    """Play until the program ends; the fault that ended it before, if one did."""
    with directory.locked():
        try:
            path = find_engine(engine) if starts_engine(directory.manifest.plan) else None
            exhibition_run.play(directory, match, path, desk, front.tell, front.moved)
        except (PortFault, EngineFault) as error:
            click.echo(f"error: {error}", err=True)
            front.failed(str(error))
            return str(error)
    return ""


def _pack_killed(directory: RunDirectory, out: Path) -> None:
    """Write the exhibition of a killed program. Raises ManifestError where that still plays, or nothing was played."""
    run_folder.require_room(out, directory.path.parent)
    with directory.locked():
        if not _pack(directory, out):
            raise ManifestError(
                f"{directory.path}: expected what a program played by agzamov uci, found nothing; a sealed run is"
                f" played by: agzamov resume {directory.path}"
            )


def _pack(directory: RunDirectory, out: Path) -> bool:
    """Write what was played. Returns False where nothing was."""
    if not any(path.stat().st_size for path in directory.journal.glob("*/*.jsonl")):
        return False
    made = exhibition_run.pack(directory, signing_keys.signer_of(directory, None), out)
    click.echo(f"exhibition: {made}", err=True)
    os.sync()
    return True
