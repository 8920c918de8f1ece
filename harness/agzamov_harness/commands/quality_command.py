"""`agzamov quality`: the engine's judgement of every chess move of a bundle or of a finished run."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agzamov_verify.checks.check_log import CheckLog, StepFailed
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.quality_answers import PlayedRun, replay_played
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.core import canon
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import find_engine
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.quality.quality_figures import JUDGED, NODES_MAX
from agzamov_verify.show.text.quality_text import answers_folder, counting, quality_lines
from agzamov_verify.show.text.verdict_report import finding_line

from ..containers import container_paths
from ..foundation.first_use import imported_at_first_use
from ..run import run_folder
from ..run.exit_status import EXIT_FAILED, EXIT_USAGE, fail, faults, signals
from ..run.move_evaluations import Asking, judge_run
from ..run.runner import finished
from ..run.stop import Stop, Stopped

if TYPE_CHECKING:
    from ..containers import container_lifecycle
else:
    container_lifecycle = imported_at_first_use("agzamov_harness.containers.container_lifecycle")

AGAIN = "nothing that was answered is lost; the same command goes on"


@click.command()
@click.argument("path", metavar="BUNDLE|RUN", type=click.Path(exists=True, path_type=Path))
@click.option("--engine", metavar="PATH", help="Stockfish 15.1; found on PATH if not given.")
@click.option("--image", is_flag=True, help="Use the engine in the container image that the run was sealed with.")
@click.option("--nodes", type=click.IntRange(1, NODES_MAX), help="Nodes per position; default: the protocol's number.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Engines in parallel; default: one per core.")
@click.option(
    "--out", "folder", type=click.Path(path_type=Path), help="Folder for the evaluations; default: BUNDLE.quality."
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as canonical JSON.")
def quality(
    path: Path,
    *,
    engine: str | None,
    image: bool,
    nodes: int | None,
    jobs: int | None,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Have Stockfish judge every chess move of BUNDLE, or of a finished RUN by its folder.

    The evaluations go to a folder beside it, which `check-quality` checks. The command can be stopped; the same
    command goes on.

    Example: agzamov quality BUNDLE

    Exit code 0: the figures are printed. 1: the bundle is broken. 2: wrong use, or no such engine. 4: stopped.
    """
    if image and engine:
        raise click.UsageError("expected --engine or --image, found both")
    with faults(), ExitStack() as stack:
        program = None if image else find_engine(engine)
        played = _played(path, jobs or cores())
        if not any(played.streams()):
            judged = ", ".join(JUDGED)
            raise ManifestError(f"{path}: expected games whose moves an engine judges ({judged}), found none")
        program = program or stack.enter_context(_engine_of_image(path))
        stop = Stop()
        node_limit = nodes or load_protocol(played.plan.protocol).engine.nodes
        with signals(stop, AGAIN), counting("positions", quiet=as_json) as tick, _again():
            asking = Asking(program, node_limit, jobs or cores(), stop, tick)
            results = judge_run(played, folder or answers_folder(path), asking)
    click.echo(canon.dumps(results).decode() if as_json else "\n".join(quality_lines(results)))


@contextmanager
def _again() -> Iterator[None]:
    try:
        yield
    except Stopped as error:
        raise type(error)(f"{error}; {AGAIN}") from error


@contextmanager
def _engine_of_image(path: Path) -> Iterator[Path]:
    """The socket of the engine that the run was sealed with; it has to show its net as any other."""
    is_run = (path / run_folder.SECRET).exists()
    manifest = run_folder.load(path).manifest if is_run else open_bundle(path, CheckLog()).manifest
    if container_paths.ENGINE not in manifest.images:
        raise ManifestError(f"{path}: expected a run that pins an image of the engine, found none; leave out --image")
    with container_lifecycle.engine_of(manifest) as socket:
        yield socket


def _played(path: Path, jobs: int) -> PlayedRun:
    """The games of a bundle or of a run folder, replayed."""
    if (path / run_folder.SECRET).exists():
        directory = run_folder.load(path)
        with directory.locked():
            blocks = finished(directory)
        manifest = directory.manifest
        return PlayedRun(manifest.run_id, manifest.plan, directory.dice, blocks)
    if why := no_bundle(path):
        fail(why, EXIT_USAGE)
    log = CheckLog()
    try:
        return replay_played(path, log, jobs)
    except StepFailed:
        fail(finding_line(log.findings[0]), EXIT_FAILED)
