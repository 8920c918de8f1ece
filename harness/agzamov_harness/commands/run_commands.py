"""Commands that make and play runs: seal, run, resume; and by hand in containers: compose-env, pack."""

from collections.abc import Callable
from pathlib import Path

import click

from agzamov_verify.commands.command_line import done_by
from agzamov_verify.commands.gate_option import fail_on_gate_option

from ..foundation.default_places import BUNDLES, LOOPBACK, RUNS
from .shared_options import (
    allow_key_option,
    engine_option,
    installed_option,
    key_option,
    pair,
    plan_folder_option,
    same_installed_option,
    same_key_option,
    signed_by_option,
    small_option,
    start_programs_option,
)

runs_option = click.option(
    "--runs",
    type=click.Path(path_type=Path),
    default=RUNS,
    show_default=True,
    help="Folder of runs in progress.",
)
out_option = click.option(
    "--out",
    "--bundles",
    "out",
    type=click.Path(path_type=Path),
    default=BUNDLES,
    show_default=True,
    help="Folder of bundles; this one goes into a folder that has the run's id as its name.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")


@click.command()
@click.argument("plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@key_option
@engine_option
@runs_option
@installed_option
@small_option
@start_programs_option
@done_by("agzamov_harness.commands.run_actions:seal")
def seal() -> None:
    """Seal PLAN (a YAML file) without playing it: its manifest and its secret, in the folder of a new run.

    No endpoint is asked and no API key is sent: the run may be played on another machine. A memory server is started
    once, to be pinned. Before one that does not come with Agzamov is started for the first time you are asked.

    Example: agzamov seal manifests/quickstart.yaml

    Exit code 0: the run's folder is printed. 2: the plan, the key or the engine is wrong.
    """


cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Play on the workers of the Dask scheduler at ADDRESS (tls://HOST:PORT), that see this folder.",
)


def playing_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of the two commands that play."""
    for option in reversed(
        (
            engine_option,
            out_option,
            click.option(
                "--concurrency",
                type=click.IntRange(1, 1024),
                help="Blocks of games that are played at the same time; default: what the seats allow.",
            ),
            allow_key_option,
            start_programs_option,
            cluster_option,
            click.option("--watch", is_flag=True, help="Serve a live page of the run to this machine's browsers."),
            click.option(
                "--listen",
                default=LOOPBACK,
                show_default=True,
                metavar="ADDRESS",
                help="Where the pages of people are served (kind: human): an address of this machine in your network,"
                " for people at other devices there. Whoever reads along in that network can play for them.",
            ),
            click.option(
                "--port",
                type=click.IntRange(0, 65_535),
                default=0,
                help="The port of these pages; 0: a free one. With the same port an address that was sent stays good.",
            ),
            click.option("--quiet", is_flag=True, help="No progress, even on a terminal."),
            fail_on_gate_option,
            json_option,
        )
    ):
        command = option(command)
    return command


@click.command()
@click.argument("plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@key_option
@runs_option
@installed_option
@small_option
@playing_options
@done_by("agzamov_harness.commands.run_actions:run")
def run() -> None:
    """Play PLAN (a YAML file), and leave its signed bundle.

    Before anything is sealed, the plan's servers are asked whether they have its models. Before an API key goes to a
    host for the first time you are asked, and before a program is started that does not come with Agzamov; without a
    terminal, allow it by --allow-key and --start-programs.

    Example: agzamov run manifests/quickstart.yaml --watch

    Exit code 0: done; the bundle's folder is printed. 1: model weights or the journal changed during the run. 2: the
    plan, a server, a key or the engine is wrong; nothing was sealed. 4: the run stopped and can be resumed. 5: with
    --fail-on-gate, the bundle was made, and a gate of Phase 0 was not passed.
    """


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@same_key_option
@click.option(
    "--base-url",
    multiple=True,
    callback=pair,
    metavar="SEAT=URL",
    help="The address of the seat's server, if it has changed. Repeatable.",
)
@plan_folder_option
@same_installed_option
@playing_options
@done_by("agzamov_harness.commands.run_actions:resume")
def resume() -> None:
    """Go on with the stopped run in FOLDER, and leave its signed bundle.

    Recorded answers are kept; no question is asked twice. Without containers, a server that answers as another model
    stops the run. A run that another machine sealed needs --key here, and --plan-folder and --installed if it starts
    programs from there.

    Example: agzamov resume runs/0123456789abcdef

    Exit codes as for `run`, and 1: the journal was changed after it was recorded.
    """


@click.command("compose-env")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@plan_folder_option
@signed_by_option
@done_by("agzamov_harness.commands.run_actions:compose_env")
def compose_env() -> None:
    """Print the variables with which compose.yaml plays the sealed run, or checks the bundle, in FOLDER.

    Write them to the file .env.

    Example: agzamov compose-env runs/0123456789abcdef > .env

    Exit code 0: printed. 2: the folder is wrong, or compose.yaml cannot play the run. 4: no container
    engine answers.
    """


@click.command("pack")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@same_key_option
@plan_folder_option
@out_option
@fail_on_gate_option
@json_option
@done_by("agzamov_harness.commands.run_actions:pack")
def pack_command() -> None:
    """Pack and sign the run in FOLDER, once it was played by `docker compose run` or by all of its shares.

    Example: agzamov pack runs/0123456789abcdef

    Exit code 0: done; the bundle's folder is printed. 1: the journal was changed after it was recorded. 2: the folder
    or the key is wrong. 4: the run was not played to its end. 5: as for `run`.
    """
