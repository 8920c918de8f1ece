"""The commands `agzamov log`: keep a log of registrations in a folder that a leaderboard serves as static files."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from agzamov_verify.commands.command_line import Program
from agzamov_verify.commands.trust_options import now_s
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.registration.log_entry import ENTRY_BYTES_MAX
from agzamov_verify.transparency_log.folder_log import FolderLog, read_file
from agzamov_verify.transparency_log.signed_note import COSIGNATURE, ED25519, BadNote, parse_key

from ..foundation.append_only import write_whole
from ..registry import log_writer
from ..registry.request_admission import Queue
from ..run import exit_status, signing_keys

PROOF_SUFFIX, REFUSED_SUFFIX = ".tlog-proof", ".refused"
EXIT_REFUSED = 3
"""Not 1, which a Python program that breaks off gives: that refuses nobody."""
folder_argument = click.argument("folder", type=click.Path(path_type=Path))
log_key_option = click.option(
    "--log-key",
    type=click.Path(path_type=Path),
    required=True,
    help="The key of the log or witness, made by keygen; not the one that signs your runs.",
)


@click.group(cls=Program)
def log() -> None:
    """Keep a log of registrations in a folder: create, check, append, cosign, prove.

    Example: agzamov log append LOG request.json --log-key log.pem

    Exit code 0: done. 2: a folder, a file or a key is wrong.
    """


@log.command()
@folder_argument
@click.option("--origin", required=True, help="The log's name for ever, like a URL without https://.")
@log_key_option
def create(folder: Path, origin: str, log_key: Path) -> None:
    """Make an empty log in FOLDER, and print its key for trust policies.

    Example: agzamov log create LOG --origin example.com/agzamov --log-key log.pem

    Exit code 0: made. 2: a log is there already.
    """
    with _faults():
        key = signing_keys.load(log_key)
        public = log_writer.public_key(origin, ED25519, key)
        log_writer.require_name(origin)
        log_writer.create_log(folder, origin, key)
        click.echo(public)


@log.command()
@folder_argument
@click.argument("requests", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--refuse", is_flag=True, help="Refuse what would count for nothing, with a file .refused beside it.")
@log_key_option
def append(folder: Path, requests: tuple[Path, ...], log_key: Path, *, refuse: bool) -> None:
    """Append REQUESTS, each of which its submitter signed, and write a proof beside each of them.

    Without --refuse all of them are appended or none. With it those are that `agzamov log check` takes.

    Example: agzamov log append LOG request.json --log-key log.pem

    Exit code 0: appended. 2: nothing was: the log or its key is wrong, or without --refuse a request is not signed, or
    is there already. 3: with --refuse, not all were. 4: appended, but a file beside a request could not be written.
    """
    refused, unwritten, new, taken = False, False, list[bytes](), dict[Path, int]()
    with _faults():
        key = signing_keys.load(log_key)
        with log_writer.locked(folder):
            log_writer.own_checkpoint(folder, key)
            queue = Queue(FolderLog(folder).entries())
            for path in requests:
                try:
                    entry = read_file(path, ENTRY_BYTES_MAX)
                    if not refuse or entry not in queue.numbers:
                        queue.add(entry, now_s(), is_strict=refuse)
                        new.append(entry)
                    taken[path] = queue.numbers[entry]
                except BadNote as error:
                    why = BadNote(f"{path}: {error.expected}", error.found)
                    if not refuse:
                        raise why from error
                    refused = True
                    unwritten |= not _could(_write_refusal, path, printable(str(why)))
            if new:
                log_writer.append(folder, new, key)
        for path, number in taken.items():
            unwritten |= not _could(_write_proof, folder, number, path)
    sys.exit(exit_status.EXIT_STOPPED if unwritten else EXIT_REFUSED if refused else 0)


def _could(write: Callable[..., None], *given: object) -> bool:
    """Whether a file beside a request was written; a line says why not. The other requests do not wait for it."""
    try:
        write(*given)
    except (OSError, BadNote) as error:
        why = exit_status.os_error_words(error) if isinstance(error, OSError) else str(error)
        click.echo(f"error: {printable(why)}", err=True)
        return False
    return True


@log.command()
@folder_argument
@click.argument("requests", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--log-key", type=click.Path(path_type=Path), help="The key of the log: is it this log's?")
def check(folder: Path, requests: tuple[Path, ...], log_key: Path | None) -> None:
    """Check that the log in FOLDER is whole, and that REQUESTS would count if they were appended now, in this order.

    Nothing is written. Refused are a signature that does not fit, a request that is there already, an end of a run that
    is not open, a registration whose beacon round or deadline is over, and one against its study's own promise.

    Example: agzamov log check LOG request.json

    Exit code 0: they may be appended. 2: one is refused, with the reason.
    """
    with _faults():
        if log_key:
            log_writer.own_checkpoint(folder, signing_keys.load(log_key))
        queue = Queue(FolderLog(folder).entries())
        for path in requests:
            try:
                queue.add(read_file(path, ENTRY_BYTES_MAX), now_s())
            except BadNote as error:
                raise BadNote(f"{path}: {error.expected}", error.found) from error


@log.command()
@folder_argument
@click.option("--name", required=True, help="The witness's name, like a URL without https://.")
@click.option("--of", required=True, metavar="KEY", help="The log's key, as `agzamov log create` printed it.")
@click.option(
    "--seen", type=click.Path(path_type=Path), required=True, help="The witness's own note of what it signed last."
)
@log_key_option
def cosign(folder: Path, name: str, seen: Path, of: str, log_key: Path) -> None:
    """Sign the log's checkpoint as a witness, with the time, if the log has only grown; print the witness's key.

    Example: agzamov log cosign LOG --name witness.example.com --of KEY --seen seen.note --log-key witness.pem

    Exit code 0: signed. 2: the log is damaged, was rewritten, or is an older copy.
    """
    with _faults():
        log_writer.require_name(name)
        key = signing_keys.load(log_key)
        with log_writer.locked(folder):
            log_writer.cosign(folder, name, key, seen, now_s(), parse_key(of, ED25519))
        click.echo(log_writer.public_key(name, COSIGNATURE, key))


@log.command()
@folder_argument
@click.argument("requests", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def prove(folder: Path, requests: tuple[Path, ...]) -> None:
    """Write beside each of REQUESTS the proof that it is in the log, with the witnesses that signed by now.

    Example: agzamov log prove LOG request.json

    Exit code 0: written. 2: a request is not in the log.
    """
    with _faults():
        numbers = {entry: number for number, entry in enumerate(FolderLog(folder).entries())}
        for path in requests:
            entry = read_file(path, ENTRY_BYTES_MAX)
            if entry not in numbers:
                raise BadNote(f"a request that is in the log: {path}", "one that is not")
            _write_proof(folder, numbers[entry], path)


def _write_refusal(request: Path, why: str) -> None:
    click.echo(f"refused: {why}")
    write_whole(request.with_name(request.name + REFUSED_SUFFIX), f"{why}\n".encode())


def _write_proof(folder: Path, number: int, request: Path) -> None:
    target = request.with_name(request.name + PROOF_SUFFIX)
    write_whole(target, log_writer.proof(folder, number))
    click.echo(target)


@contextmanager
def _faults() -> Iterator[None]:
    with exit_status.faults():
        try:
            yield
        except BadNote as error:
            raise ManifestError(str(error)) from error
