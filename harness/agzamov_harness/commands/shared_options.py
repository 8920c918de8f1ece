"""Options that several commands share."""

from pathlib import Path

import click

from ..memory.launch import installed_folder
from ..run import signing_keys
from ..run.plan_file import PlanFile, read_plan
from ..run.plan_file import small as small_plan

key_option = click.option(
    "--key",
    type=click.Path(path_type=Path),
    default=signing_keys.DEFAULT_KEY,
    help="Your signing key, Ed25519 in PEM or OpenSSH form; default: the one that keygen makes.",
)
same_key_option = click.option(
    "--key",
    type=click.Path(path_type=Path),
    help="The key that sealed the run; default: the same file as then.",
)
signed_by_option = click.option(
    "--signed-by", metavar="KEY-ID", help="Play it if this key sealed it: 64 digits, the SHA-256 of the key."
)
installed_option = click.option(
    "--installed",
    type=click.Path(path_type=Path),
    default=installed_folder,
    show_default="memory-servers in your folder of settings, ~/.config/agzamov",
    envvar="AGZAMOV_MEMORY_SERVERS",
    show_envvar=True,
    help="The folder with one folder for each installed memory server, by its name: ${INSTALLED} of its adapter.",
)
same_installed_option = click.option(
    "--installed",
    type=click.Path(path_type=Path),
    envvar="AGZAMOV_MEMORY_SERVERS",
    show_envvar=True,
    help="The folder of installed memory servers; default: the same folder as when the run was sealed,"
    " if that was on this machine.",
)
plan_folder_option = click.option(
    "--plan-folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of the run's plan, from which weights and memory servers are found; default: the same folder as"
    " when the run was sealed, if that was on this machine.",
)
start_programs_option = click.option(
    "--start-programs",
    is_flag=True,
    help="Start, as you, the memory servers that do not come with Agzamov, from now on as long as their adapters and"
    " files stay as they are.",
)
engine_option = click.option("--engine", metavar="PATH", help="Stockfish 15.1; found on PATH if not given.")

small_option = click.option(
    "--small",
    is_flag=True,
    help="Take the plan's small profile: the same design in few games between scripted players, in minutes and free"
    " of cost.",
)


def plan_file(path: Path, *, small: bool) -> PlanFile:
    """A plan as it is, or its small profile. Raises ManifestError."""
    plan = read_plan(path)
    return PlanFile(small_plan(plan) if small else plan, path.parent)


def pair(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE options as a mapping."""
    pairs = [value.partition("=") for value in values]
    if not all(name and value for name, _, value in pairs):
        raise click.BadParameter(f"expected {parameter.metavar}", param=parameter)
    return {name: value for name, _, value in pairs}


allow_key_option = click.option(
    "--allow-key",
    multiple=True,
    callback=pair,
    metavar="VARIABLE=HOST",
    help="Allow plans to send the API key in VARIABLE to HOST, from now on. Repeatable.",
)
