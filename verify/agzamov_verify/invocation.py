"""Commands that a message advises, spelled so that they can be typed as they stand: by how this program was started."""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

import click

from .columns import LABEL_WIDTH, WIDTH

PROGRAM = "agzamov"
CONTINUED: Final = " \\"
ADVISED = re.compile(rf"(?<![\w./-]){PROGRAM}(?= (?:--)?[a-z])")
"""Our program at the head of a command in a message: "make one with: agzamov keygen"."""


def program(name: str = PROGRAM) -> str:
    """The command to type to start the program `name` again: its name if it is on the path, else its path."""
    started = Path(sys.argv[0])
    if started.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m {started.parent.name}"
    if started.name != name:
        return name  # another program uses us; the verifier alone cannot advise what it does not have
    path = shutil.which(name)
    if path and Path(path).samefile(started):
        return name
    near = os.path.relpath(started) if started.is_absolute() and started.is_relative_to(Path.cwd()) else str(started)
    return shlex.quote(near if os.sep in near else os.path.join(os.curdir, near))


def as_typed(message: str) -> str:
    """A message with the program in every command that it advises spelled as it was started."""
    return ADVISED.sub(lambda _: program(), message)


def typed(*words: str | Path, name: str = "") -> str:
    """A command of the program that is running, or of `name`, as a person types it."""
    parts = [program(name or running()), *(shlex.quote(str(word)) for word in words)]
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + LABEL_WIDTH + len(CONTINUED) < WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return f"{CONTINUED}\n{' ' * LABEL_WIDTH}".join(lines)


def running() -> str:
    """The name of the program that is running."""
    context = click.get_current_context(silent=True)
    info_name = context.find_root().info_name if context else ""
    return info_name if info_name and info_name.startswith(PROGRAM) else PROGRAM
