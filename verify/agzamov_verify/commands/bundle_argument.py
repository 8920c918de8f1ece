"""What commands on a bundle share: its argument, the limits of a check's cost, and how they end where it is broken.

Argument and options of commands that check bundles: a path that is plainly no bundle, limits of a check's cost.

The defaults of the options are those of `Limits`.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click

from .. import bundle
from ..checks.check_log import CheckLog, StepFailed
from ..checks.exhibition import is_exhibition
from ..checks.limits import VerificationLimits
from ..checks.opened_bundle import TAG_FILES
from ..core.envelope import BadEnvelope, key_id, load_public_key
from ..core.journal import BrokenJournal
from ..core.script import Divergence
from ..core.untrusted_input import HostileBundle, show_name
from ..show.replayed_game import NoSuchGame
from ..show.text.verdict_report import finding_line
from .command_line import PROGRAM, typed_line
from .usage_errors import RUN_FILES

Command = TypeVar("Command", bound=Callable[..., None])

BUNDLES: Final = Path("bundles")
"""The folder to which `agzamov run` writes bundles, unless it is told another."""
LEADERBOARD_RECORD: Final = "record.jsonl"
"""The file that a leaderboard keeps beside its bundles, so that `bundles/*` names it too."""
NEEDED: Final = (*TAG_FILES, bundle.ENVELOPE_FILE)
_USTAR: Final = slice(257, 262)
_KNOWN: Final = {b"\x1f\x8b": "gzip", b"PK": "zip", b"BZ": "bzip2", b"\xfd7": "xz", b"(\xb5": "zstd"}


def no_bundle(path: Path) -> str:
    """Error message with advice if `path` is plainly no bundle; else empty: it is to be checked."""
    where = show_name(str(path))
    if path.is_dir():
        return _folder(path, where)
    if not path.is_file():
        return f"{where}: expected a bundle (a folder or a plain tar file), found neither a folder nor a file"
    with path.open("rb") as file:
        head = file.read(512)
    if head[_USTAR] == b"ustar":
        return ""
    kind = next((name for magic, name in _KNOWN.items() if head.startswith(magic)), "")
    description = (
        f"a {kind} file: unpack it first" if kind else "an empty file" if not head else "a file of another kind"
    )
    return f"{where}: expected a bundle (a folder or a plain tar file), found {description}"


def one_bundle(folder: Path) -> str:
    """Error message if a folder, in which bundles were to lie, is a bundle itself; else empty."""
    if not folder.is_dir() or no_bundle(folder):
        return ""
    return f"{show_name(str(folder))}: this is one bundle; give the folder in which it lies"


def _folder(path: Path, where: str) -> str:
    if is_exhibition(path):
        mark = "an exhibition, played under another program's rules: it has no rank"
        return f"{where}: {mark}; only verify and report read it"
    if any((path / name).is_file() for name in NEEDED):
        return ""
    if all((path / name).exists() for name in RUN_FILES):
        return f"{where}: {_of_run(path)}"
    inside = [child for child in sorted(path.iterdir()) if child.is_dir() and (child / bundle.BAGIT_FILE).is_file()][:1]
    hint = f"; did you mean {show_name(str(inside[0]))}?" if inside else ""
    return f"{where}: this folder is not a bundle: it has no {', no '.join(NEEDED)}{hint}"


def _of_run(path: Path) -> str:
    """A run's folder in the place of its bundle: where the bundle is, or how it is made."""
    run = path.resolve()
    for packed in dict.fromkeys((BUNDLES / run.name, path.parent.parent / BUNDLES / run.name)):
        if (packed / bundle.BAGIT_FILE).is_file():
            context = click.get_current_context(silent=True)
            command = context.info_name if context and context.info_name else "verify"
            return f"this is the folder of a run, not its bundle; type: {typed_line(command, packed)}"
    again = typed_line("resume", path, name=PROGRAM)
    return f"this is the folder of a run, not a bundle; what is missing is played, and it is packed, with: {again}"


_DEFAULT = VerificationLimits()
_OPTIONS = (
    click.option(
        "--engine-nodes-max",
        type=click.IntRange(0),
        default=_DEFAULT.engine_nodes_max,
        show_default=True,
        help="Nodes that engines may search in all; a step that needs more is NOT CHECKED.",
    ),
    click.option(
        "--time-max",
        "time_s_max",
        metavar="SECONDS",
        type=click.IntRange(1),
        default=_DEFAULT.time_s_max,
        show_default=True,
        help="Seconds that the check may take; steps that are left then are NOT CHECKED.",
    ),
    click.option(
        "--memory-max",
        "memory_mib_max",
        metavar="MIB",
        type=click.IntRange(64),
        default=_DEFAULT.memory_mib_max,
        show_default=True,
        help="Memory of each process, and of the hash tables of all engines together.",
    ),
    click.option(
        "--seat-replies-max",
        type=click.IntRange(1),
        default=_DEFAULT.seat_replies_max,
        show_default=True,
        help="Replies to compute again, of reference players and of Stockfish seats each; of more, a random sample.",
    ),
)


def bounded(command: Command) -> Command:
    """Give a command the options of `VerificationLimits`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def limits_of(options: dict[str, Any]) -> VerificationLimits:
    """The limits among a command's options."""
    return VerificationLimits(**{name: options[name] for name in VerificationLimits.__struct_fields__})


def given_key_id(path: Path) -> str:
    """The id of the public key in a file that a person named. Raises BadParameter for another file."""
    data = path.read_bytes()
    try:
        return key_id(load_public_key(data))
    except BadEnvelope as error:
        told = str(error).replace("FILE.pub", f"{path}.pub")
        raise click.BadParameter(f"{path}: {told}", param_hint="--key") from error


EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2


@contextmanager
def faults_told(log: CheckLog) -> Iterator[None]:
    """Run the body; a fault of the bundle or of the request ends the program with one line and its exit code."""
    try:
        yield
    except StepFailed:
        fail(finding_line(log.findings[0]), EXIT_FAILED)
    except (HostileBundle, BrokenJournal, Divergence) as error:
        fail(show_name(str(error)), EXIT_FAILED)
    except NoSuchGame as error:
        fail(str(error), EXIT_USAGE)


def fail(message: str, code: int) -> NoReturn:
    """End the program with an error line."""
    click.echo(f"error: {message}", err=True)
    sys.exit(code)
