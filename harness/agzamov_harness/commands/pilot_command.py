"""The command `agzamov pilot`: its arguments and options."""

from pathlib import Path

import click

from agzamov_verify.commands.command_line import done_by


@click.command("pilot")
@click.argument("bundles", metavar="BUNDLE...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--engine", metavar="PATH", help="Stockfish 15.1, to ask it again; found on PATH if not given.")
@click.option(
    "--program",
    "programs",
    multiple=True,
    metavar="PATH",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A UCI engine that played (kind: uci), to ask it again; repeatable.",
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Worker processes; default: one per core.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@done_by("agzamov_harness.commands.pilot_action:tell_pilot")
def pilot() -> None:
    """Find the strength at which an engine scores one half against the people who played it in BUNDLES.

    It is for the seat of 4a in a study with people (docs/people-study.md): against an engine that wins everything every
    delta is zero. Each bundle is verified first. A person in several bundles is one person, by the name of the seat.

    Example: agzamov pilot bundles/*

    Exit code 0: the strength is printed. 1: a bundle fails its check, or its games do not say it. 2: wrong use.
    """
