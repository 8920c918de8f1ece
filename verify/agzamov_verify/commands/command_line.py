"""Our commands' common face: help by what people do, one line for a wrong one, and how advised ones are typed."""

import errno
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from functools import update_wrapper
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Final, NamedTuple

import click
from click.core import ParameterSource

from ..core.columns import LABEL_WIDTH, WIDTH
from ..core.untrusted_input import printable
from .usage_errors import usage_message

PROGRAM = "agzamov"
LIGHT_PROGRAM: Final = "agzamov-verify"
CONTINUED: Final = " \\"
READER_LEFT: Final = 141
"""The exit code where whoever reads what we print has left, as `head` does: 128 and the number of SIGPIPE."""
TYPED: Final = "agzamov.typed"
"""Key of the words that were typed after the name of a command."""
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
    if path and started.exists() and Path(path).samefile(started):
        return name
    near = os.path.relpath(started) if started.is_absolute() and started.is_relative_to(Path.cwd()) else str(started)
    return shlex.quote(near if os.sep in near else os.path.join(os.curdir, near))


def as_typed(message: str) -> str:
    """A message with the program in every command that it advises spelled as it was started."""
    return ADVISED.sub(lambda _: program(), message)


def no_option(path: Path) -> str:
    """A path as an argument: one that begins with a dash would be taken for an option."""
    return f"./{path}" if str(path).startswith("-") else str(path)


def typed(*words: str | Path, name: str = "") -> str:
    """A command of the program that is running, or of `name`, as a person types it."""
    first, *parts = _spelled(words, name)
    lines = [first]
    for part in parts:
        if len(lines[-1]) + len(part) + LABEL_WIDTH + len(CONTINUED) < WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return f"{CONTINUED}\n{' ' * LABEL_WIDTH}".join(lines)


def typed_line(*words: str | Path, name: str = "") -> str:
    """The same in one line, as an error has it."""
    return " ".join(_spelled(words, name))


def typed_words(path: Path) -> list[str]:
    """The words typed after the name of the command that is running, less that of `path`."""
    words: list[str] = [*click.get_current_context().meta.get(TYPED, ())]
    place = next((at for at, word in enumerate(words) if Path(word) == path), len(words))
    return words[:place] + words[place + 1 :]


def _spelled(words: Sequence[str | Path], name: str) -> list[str]:
    spelled = (no_option(word) if isinstance(word, Path) else word for word in words)
    return [program(name or running()), *map(shlex.quote, spelled)]


def running() -> str:
    """The name of the program that is running."""
    context = click.get_current_context(silent=True)
    info_name = context.find_root().info_name if context else ""
    return info_name if info_name and info_name.startswith(PROGRAM) else PROGRAM


class Command(NamedTuple):
    """A command that is imported when it is used: "module:attribute", and the first sentence of its help.

    `missing` says what to do where the command is of another distribution, which may not be installed: its help says
    so too.
    """

    place: str
    summary: str
    missing: str = ""


NONE: Mapping[str, Mapping[str, Command]] = MappingProxyType({})


class Program(click.Group):
    """A group whose help lists its commands under the titles of `sections`, in order.

    A command's module is imported only when the command is used, so the help and a wrong name cost nothing.
    `elsewhere`: what a command of another program of ours is called here.
    """

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Mapping[str, Command]] = NONE,
        elsewhere: Mapping[str, str] = MappingProxyType({}),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sections, self.elsewhere = sections, elsewhere
        self._lazy = {name: command for rows in sections.values() for name, command in rows.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self._lazy[cmd_name].place.partition(":")
        try:
            command: click.Command = getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            if not self._lazy[cmd_name].missing or error.name != module.partition(".")[0]:
                raise
            return _absent(cmd_name, self._lazy[cmd_name])
        return _as_here(command, f"{self.name} {cmd_name}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        defined_here = {name: first_sentence(self.commands[name]) for name in super().list_commands(ctx)}
        listed = {title: {name: row.summary for name, row in rows.items()} for title, rows in self.sections.items()}
        for title, rows in {**listed, "Commands": defined_here}.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(list(rows.items()))

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _one_line():
            return super().make_context(*args, **kwargs)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        ctx.meta[TYPED] = args[1:]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with _one_line():
            return super().invoke(ctx)


class Action:
    """The callback of a command: a function at "module:name", whose module is imported when the command is carried out.

    The function takes the command's options and arguments by name; `declared` has its help.
    """

    def __init__(self, place: str, declared: Callable[[], None]) -> None:
        self.place = place
        update_wrapper(self, declared)

    @property
    def function(self) -> Callable[..., None]:
        module, _, name = self.place.partition(":")
        found: Callable[..., None] = getattr(import_module(module), name)
        return found

    def __call__(self, **options: Any) -> None:
        self.function(**options)


def done_by(place: str) -> Callable[[Callable[[], None]], Action]:
    """Let the function at "module:name" carry a command out, so that its help imports nothing of what it needs.

    Stands next to the declaration, below its options:

        @click.command()
        @click.option("--key")
        @done_by("agzamov_harness.commands.run_actions:run")
        def run() -> None: ...
    """
    return lambda declared: Action(place, declared)


class WrongUse(click.ClickException):
    """A wrong use of a command, shown as one line in the style of all our errors."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(as_typed(f"error: {printable(self.message)}"), file=file, err=True)


class Interrupted(WrongUse):
    """Ctrl-C while nothing was at stake; the code is the shell's."""

    exit_code = 130


@contextmanager
def _one_line() -> Iterator[None]:
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        message = usage_message(error)
        page = f"{'' if message.endswith('?') else ';'} see {error.ctx.command_path} --help" if error.ctx else ""
        raise WrongUse(f"{message[:1].lower()}{message[1:]}{page}") from error
    except KeyboardInterrupt as error:
        raise Interrupted("interrupted") from error
    except BrokenPipeError:
        _print_no_more()
        sys.exit(READER_LEFT)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _print_no_more()
        raise WrongUse(f"{error.filename or 'standard output, or a disk'}: {error.strerror}") from error


def _print_no_more() -> None:
    """Let what is still to be flushed go nowhere: flushed at the end of the program it would fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _as_here(command: click.Command, typed_here: str) -> click.Command:
    """A command of the light program with the example of its help as it is typed in the program that shows it."""
    there = f"Example: {LIGHT_PROGRAM} {command.name} "
    if there not in (command.help or "") or typed_here.startswith(LIGHT_PROGRAM):
        return command
    command = copy(command)
    command.help = (command.help or "").replace(there, f"Example: {typed_here} ")
    return command


def _absent(name: str, row: Command) -> click.Command:
    """A command of a distribution that is not installed: its help and its use say what to install."""

    def say(**_: object) -> None:
        raise WrongUse(row.missing)

    page = f"{row.summary}.\n\nNot here: {row.missing}. Exit code 2: it is not installed."
    rest = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED, metavar="...")
    settings = {"ignore_unknown_options": True, "help_option_names": ["-h", "--help"]}
    return click.Command(name, context_settings=settings, callback=say, params=[rest], help=page)


def first_sentence(command: click.Command) -> str:
    """The first sentence of a command's help, whole."""
    text = " ".join((command.short_help or command.help or "").split("\n\n")[0].split())
    return text.partition(". ")[0].removesuffix(".")


def is_typed(context: click.Context, parameter: click.Parameter) -> bool:
    """True if a parameter stands on the command line, whatever its value."""
    return bool(parameter.name) and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE


def filled(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """The value of an option that is empty where it was not typed: typed empty, it is a variable that is not set."""
    if is_typed(context, parameter) and not value:
        raise click.BadParameter("expected a value, found none; is a variable of your shell not set?", param=parameter)
    return value
