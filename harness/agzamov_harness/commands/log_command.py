"""The commands `agzamov log`: keep a log of registrations in a folder that a leaderboard serves as static files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from agzamov_verify.commands.trust_options import now_s
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.registration.log_entry import ENTRY_BYTES_MAX, read_entry
from agzamov_verify.transparency_log.folder_log import FolderLog, read_file
from agzamov_verify.transparency_log.signed_note import COSIGNATURE, ED25519, BadNote, parse_key

from ..registry import log_writer
from ..run import exit_status, signing_keys

PROOF_SUFFIX = ".tlog-proof"
folder_argument = click.argument("folder", type=click.Path(path_type=Path))
log_key_option = click.option(
    "--log-key",
    type=click.Path(path_type=Path),
    required=True,
    help="The key of the log or witness, made by keygen; not the one that signs your runs.",
)


@click.group()
def log() -> None:
    """Keep a log of registrations in a folder: create, append, cosign, prove.

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
@log_key_option
def append(folder: Path, requests: tuple[Path, ...], log_key: Path) -> None:
    """Append REQUESTS, each of which its submitter signed, and write a proof beside each of them.

    Example: agzamov log append LOG request.json --log-key log.pem

    Exit code 0: appended. 2: nothing was: a request is not signed, or is there already.
    """
    with _faults():
        entries = [read_file(path, ENTRY_BYTES_MAX) for path in requests]
        for path, entry in zip(requests, entries, strict=True):
            _refused(path, entry)
        with log_writer.locked(folder):
            known = set(FolderLog(folder).entries())
            for path, entry in zip(requests, entries, strict=True):
                if entry in known:
                    raise BadNote(f"a request that is not in the log yet: {path}", "one that is")
                known.add(entry)
            checkpoint = log_writer.append(folder, entries, signing_keys.load(log_key))
        for number, path in enumerate(requests, checkpoint.size - len(requests)):
            _write_proof(folder, number, path)


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


def _refused(path: Path, entry: bytes) -> None:
    try:
        read_entry(entry)
    except BadNote as error:
        raise BadNote(f"{path}: {error.expected}", error.found) from error


def _write_proof(folder: Path, number: int, request: Path) -> None:
    target = request.with_name(request.name + PROOF_SUFFIX)
    log_writer.write_whole(target, log_writer.proof(folder, number))
    click.echo(target)


@contextmanager
def _faults() -> Iterator[None]:
    with exit_status.faults():
        try:
            yield
        except BadNote as error:
            raise ManifestError(str(error)) from error
