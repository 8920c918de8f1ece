"""`agzamov play`: plays a sealed run without packing it, in a container, or one share of it beside the others."""

from collections.abc import Mapping
from pathlib import Path

import click

from agzamov_verify.core.columns import listed
from agzamov_verify.engines.uci_engine import find_engine
from agzamov_verify.plan.plan_problems import starts_engine

from ..build_ports import concurrency_of, open_world
from ..cluster.shares import Share, ShareRunner, has_decisions, require_spreadable, share_of
from ..containers import play_inside
from ..containers.folder_transfer import require_plain_files
from ..foundation.unix_clock import unix_ns
from ..memory.launch import Places
from ..run import exit_status, run_folder
from ..run.execution_log import shares_of_another_count
from ..run.program_consent import outside_programs, require_consent
from ..run.progress import State
from ..run.run_folder import RunDirectory
from ..run.server_access import addresses_before, keys_sent, require_allowed
from ..run.stop import Stop
from ..run.terminal_progress import progress
from .shared_options import (
    allow_key_option,
    engine_option,
    plan_folder_option,
    same_installed_option,
    signed_by_option,
    start_programs_option,
)

PLAY_AGAIN = "play it again to go on"


def _share(_: click.Context, parameter: click.Parameter, text: str | None) -> Share | None:
    try:
        return None if text is None else share_of(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param=parameter) from error


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--share",
    callback=_share,
    metavar="I/N",
    help="Play every N-th stream of a run with isolation: process, from stream I on (0 to N - 1), beside the others.",
)
@engine_option
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Streams (blocks of games) played in parallel.")
@allow_key_option
@signed_by_option
@start_programs_option
@plan_folder_option
@same_installed_option
@click.option("--quiet", is_flag=True, help="No progress, even on a terminal.")
@click.option(
    "--attended", is_flag=True, help="Print progress messages to standard output; stop when standard input ends."
)
def play(
    folder: Path,
    share: Share | None,
    engine: str | None,
    concurrency: int | None,
    allow_key: Mapping[str, str],
    signed_by: str | None,
    plan_folder: Path | None,
    installed: Path | None,
    *,
    start_programs: bool,
    quiet: bool,
    attended: bool,
) -> None:
    """Play the sealed run in FOLDER without packing it: inside a container, or one --share of it.

    All shares of a run are played side by side, on any machines that see FOLDER; pack them with `agzamov pack`, or
    `agzamov resume`, which plays what is missing first.

    Example: agzamov play runs/0123456789abcdef --share 0/4

    Exit code 0: played. 1, 2 and 4: as for `resume`.
    """
    stop = Stop()
    with exit_status.faults(), exit_status.signals(stop, PLAY_AGAIN):
        directory = run_folder.load(folder, plan_folder, installed)
        run_folder.require_signed_by(directory, signed_by)
        if share:
            _play_share(
                directory, share, stop, engine, concurrency, allow_key, start_programs=start_programs, quiet=quiet
            )
        elif attended:
            play_inside.play_attended(directory, stop, concurrency)
        else:
            with progress(directory.manifest.plan, quiet=quiet) as watcher:
                play_inside.play_alone(directory, stop, watcher, concurrency)


def _play_share(
    directory: RunDirectory,
    share: Share,
    stop: Stop,
    engine: str | None,
    concurrency: int | None,
    allow_key: Mapping[str, str],
    *,
    start_programs: bool,
    quiet: bool,
) -> None:
    manifest = directory.manifest
    plan = manifest.plan
    require_spreadable(plan)
    require_plain_files(directory)
    with directory.shared(share.name):
        served = addresses_before(directory)
        require_allowed(keys_sent(plan, served), allow_key)
        places = Places(directory.memory_servers, directory.plan_folder, part=share.name)
        require_consent(outside_programs(manifest, places), given=start_programs)
        path = find_engine(engine) if starts_engine(plan) else None
        world_of = open_world(manifest, path, stop.wait, served, directory.notes, places)
        if others := shares_of_another_count(directory.journal, share.count):
            click.echo(f"warning: shares of another number were begun here: {listed(others)}", err=True)
        if has_decisions(plan):
            click.echo(f"share {share}: waits for the others where their results decide what is played", err=True)
        with progress(plan, quiet=quiet) as watcher, world_of as world:
            state, limit = State(plan, watcher), concurrency or concurrency_of(plan)
            ShareRunner(directory, world, unix_ns, state, stop, limit, share=share).play()
    click.echo(f"share {share}: played", err=True)
