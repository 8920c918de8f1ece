"""One line for a command that was typed wrongly: click's, with what was probably meant.

A misspelled command, option, choice or file is answered with the nearest one that there is; a bundle or a run in the
place of a plan with the command that takes it.
"""

import re
import shlex
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import click

from ..core.did_you_mean import did_you_mean, near_words

NOT_A_CHOICE: Final = re.compile(r"'(?P<value>.*)' is not (one of )?'")
ABSENT: Final = re.compile(r"(File|Directory|Path) '(?P<path>.+)' does not exist")
A_FOLDER: Final = re.compile(r"File '(?P<path>.+)' is a directory")
PLANS: Final = Path("manifests")
"""The folder of ready plans in a clone: a plan that is not there by its name may be one of these."""
BUNDLE_FILE: Final = "bagit.txt"
"""A file that every bundle has."""
RUN_FILES: Final = ("manifest.json", "secret", "journal")
NAMES_MAX: Final = 1_000


def usage_message(error: click.UsageError) -> str:
    """The message of a usage error, with what was probably meant."""
    match error:
        case click.exceptions.NoSuchCommand(
            command_name=wrong, ctx=click.Context(command=click.Group() as group) as at
        ):
            here = getattr(group, "elsewhere", {}).get(wrong)
            near = f"; did you mean {here}?" if here else did_you_mean(wrong, group.list_commands(at))
            return f"{_plain(error.message)}{near}"
        case click.NoSuchOption(option_name=wrong, ctx=click.Context() as at):
            options = [name for parameter in at.command.get_params(at) for name in parameter.opts]
            return f"{_plain(error.message)}{did_you_mean(wrong, options)}"
        case click.BadParameter(param=click.Parameter(type=click.Choice(choices=choices))):
            found = NOT_A_CHOICE.match(error.message)
            near = did_you_mean(found["value"], map(str, choices)) if found else ""
            return f"{_plain(error.format_message())}{near}"
        case click.BadParameter(param=click.Parameter(type=click.Path())):
            return f"{_plain(error.format_message())}{_path_hint(error.message)}"
        case _:
            return _plain(error.format_message())


def _plain(message: str) -> str:
    return " ".join(message.split()).rstrip(".")


def _path_hint(message: str) -> str:
    if absent := ABSENT.match(message):
        return _near_paths(Path(absent["path"]))
    if folder := A_FOLDER.match(message):
        return folder_hint(Path(folder["path"]))
    return ""


def _near_paths(path: Path) -> str:
    """The files beside a path that is not there, or the ready plans, whose names are nearest."""
    beside = {str(path.with_name(name)): name for name in _names(path.parent)}
    ready = {} if len(path.parts) > 1 else {str(PLANS / name): name for name in _names(PLANS)}
    for paths in (beside, ready):
        near = near_words(path.name, paths.values()) or near_words(path.stem, map(_stem, paths.values()))
        found = [shlex.quote(one) for one, name in paths.items() if name in near or _stem(name) in near]
        if found:
            return f"; did you mean {' or '.join(found[:2])}?"
    return ""


def _stem(name: str) -> str:
    return Path(name).stem


def _names(folder: Path) -> list[str]:
    try:
        return sorted(islice((child.name for child in folder.iterdir()), NAMES_MAX))
    except OSError:
        return []


def folder_hint(folder: Path) -> str:
    """The command that takes a folder which was given for a plan: a bundle, or a run."""
    typed = shlex.quote(str(folder))
    if (folder / BUNDLE_FILE).is_file():
        return f": this is a bundle; check it with: agzamov verify {typed}"
    if all((folder / name).exists() for name in RUN_FILES):
        return f": this is a sealed run; go on with it by: agzamov resume {typed}"
    return "".join(_plans_in(folder))


def _plans_in(folder: Path) -> Iterator[str]:
    plans = [name for name in _names(folder) if name.endswith((".yaml", ".yml"))][:2]
    if plans:
        yield f"; did you mean {' or '.join(shlex.quote(str(folder / name)) for name in plans)}?"
