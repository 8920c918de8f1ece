"""Options that several commands share."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from agzamov_verify.commands.command_line import is_typed

from ..foundation.owner_folder import DEFAULT_KEY, installed_folder

Command = TypeVar("Command", bound=Callable[..., Any])
LINE: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,200}")

key_option = click.option(
    "--key",
    type=click.Path(path_type=Path),
    default=DEFAULT_KEY,
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
    help="Folder of installed memory servers, each in a folder of its name (${INSTALLED} in its adapter).",
)
same_installed_option = click.option(
    "--installed",
    type=click.Path(path_type=Path),
    envvar="AGZAMOV_MEMORY_SERVERS",
    show_envvar=True,
    help="Folder of installed memory servers; default: the one when the run was sealed, if that was on this machine.",
)
plan_folder_option = click.option(
    "--plan-folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the run's plan, where weights and memory servers are looked for; default: the one from which the"
    " run was sealed, if that was on this machine.",
)
start_programs_option = click.option(
    "--start-programs",
    is_flag=True,
    help="Allow memory servers that do not come with Agzamov to run as your user. You are asked again if their files"
    " change.",
)
engine_option = click.option("--engine", metavar="PATH", help="Stockfish 15.1; found on PATH if not given.")

small_option = click.option(
    "--small",
    is_flag=True,
    help="Play the plan's small profile: the same matches with few games, and scripted players in place of your"
    " models; takes minutes, costs nothing.",
)


def pair(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE options as a mapping."""
    pairs = [value.partition("=") for value in values]
    if not all(name and value for name, _, value in pairs):
        raise click.BadParameter(f"expected {parameter.metavar}", param=parameter)
    names = [name for name, _, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise click.BadParameter(f"{twice} is given twice", param=parameter)
    return {name: value for name, _, value in pairs}


def typed_option(*names: str) -> tuple[str, str]:
    """The first of these parameters that was typed: its name, and the option as it is written; empty for none."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in names and is_typed(context, parameter):
            return parameter.name, parameter.opts[0]
    return "", ""


def reason(_: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Why a run has no result, as a log takes it."""
    if value is not None and not LINE.fullmatch(value.strip()):
        raise click.BadParameter("expected one line of 1 to 200 characters", param=parameter)
    return value and value.strip()


def margin_option(words: str) -> Callable[[Command], Command]:
    """The option --margin of figures that are compared, as `margins`, with its help."""
    return click.option("--margin", "margins", multiple=True, callback=pair, metavar="UNIT=NUMBER", help=words)


allow_key_option = click.option(
    "--allow-key",
    multiple=True,
    callback=pair,
    metavar="VARIABLE=HOST",
    help="Allow plans to send the API key in VARIABLE to HOST, from now on. Repeatable.",
)
