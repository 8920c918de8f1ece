"""The options of `agzamov register run`: register, wait, play, and log the end, in one command."""

from pathlib import Path

import click

from agzamov_verify.commands.command_line import done_by

from ..foundation.default_places import RUNS
from .run_commands import playing_options
from .shared_options import (
    margin_option,
    plan_folder_option,
    reason,
    same_installed_option,
    same_key_option,
    small_option,
)


@click.command("run")
@click.argument("plan_or_run", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--log",
    "log_folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder log; without --log-key a copy of somebody else's.",
)
@click.option("--log-key", type=click.Path(path_type=Path), help="The key of the log, if you keep it.")
@click.option(
    "--requests",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("requests"),
    show_default=True,
    help="Where the log is kept by somebody else: folder of the files to send, and of the proofs that come back.",
)
@click.option(
    "--round",
    "round_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The beacon round, a drand server's answer in JSON; waited for until it is there.",
)
@click.option("--attempt", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Number of this run.")
@click.option(
    "--attempts", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Runs that the study will have."
)
@click.option(
    "--days", type=click.IntRange(1, 366), default=30, show_default=True, help="Days until its end must be logged."
)
@click.option(
    "--seen-round", type=click.IntRange(0), default=0, help="The latest beacon round that you saw, which dates it."
)
@margin_option("How far another execution's figures may be from yours and still agree. Repeatable.")
@click.option(
    "--abort", metavar="REASON", callback=reason, help="Log that the run in a folder will have no result, and why."
)
@click.option("--runs", type=click.Path(path_type=Path), default=RUNS, show_default=True, help="Where runs are.")
@same_key_option
@plan_folder_option
@same_installed_option
@small_option
@playing_options
@done_by("agzamov_harness.commands.register_run_actions:register_run")
def register_run() -> None:
    """Register PLAN, a YAML file, play it once its round is out, and log its end; or go on with the RUN in a folder.

    What is done already is not done again: whoever was stopped types the same command with the run's folder.

    Example: agzamov register run PLAN --log LOG --log-key log.pem --round round.json

    Exit code 0: its end is logged, or is in a file to send. 2: the plan, a key or the log is wrong; nothing was sealed.
    4: it stopped, or waits for a proof or a round, and can go on. 1 and 5: as for `run`.
    """
