"""`agzamov-verify registrations`: what became of every run that a log of registrations holds.

Exit codes: 0 read, and no run is missing; 1 the log is not what its checkpoint says, or not by a log of the policy, or
runs are missing beyond their deadline; 2 the command was used wrongly.
"""

import sys
from pathlib import Path

import click
import msgspec

from ..checks.registration_check import Trust, log_time_s, opened_log, read_ledger
from ..core import canon
from ..core.untrusted_input import printable
from ..registration.accounting import Fate, Ledger, study_lines
from ..registration.trust_policy import TrustPolicy
from ..transparency_log.checkpoint import Witnessed, parse_checkpoint
from ..transparency_log.folder_log import FolderLog, read_file
from ..transparency_log.signed_note import NOTE_BYTES_MAX, BadNote
from .trust_options import now_s, policy_of

EXIT_FAILED = 1
IGNORED_SHOWN_MAX = 5


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Your trust policy (JSON); without it nobody says whose log this is.",
)
@click.option(
    "--since",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A checkpoint of this log that you kept: the log must have grown from it, with nothing changed or dropped.",
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def registrations(folder: Path, policy: Path | None, since: Path | None, *, as_json: bool) -> None:
    """Show by key and study what became of the runs registered in the log in FOLDER: finished, stopped, missing.

    Example: agzamov-verify registrations LOG --policy policy.json

    Exit code 0: read, nothing missing. 1: the log is not what it should be, or runs are missing beyond their deadline.
    2: wrong use.
    """
    trusted = policy_of(policy) if policy else None
    read = folder
    try:
        if trusted:
            log, signed = opened_log(folder, trusted)
        else:
            log = FolderLog(folder)
            signed = Witnessed(log.checkpoint, {})
        if since:
            read = since
            kept = parse_checkpoint(read_file(since, NOTE_BYTES_MAX))
            read = folder
            log.require_grown_from(kept)
        policy_used = trusted or TrustPolicy("agz-policy-1")
        time_s = log_time_s(signed, Trust(policy_used, now_s=now_s()))
        ledger = read_ledger(log, time_s, policy_used.deadline_max_s)
    except BadNote as error:
        click.echo(f"error: {printable(f'{read}: {error}')}", err=True)
        sys.exit(EXIT_FAILED)
    if as_json:
        click.echo(canon.ascii_text({"log": log.checkpoint.origin, "entries": log.size, **msgspec.to_builtins(ledger)}))
    else:
        _print(log, ledger, trusted)
    sys.exit(EXIT_FAILED if any(study.count(Fate.MISSING) for study in ledger.studies) else 0)


def _print(log: FolderLog, ledger: Ledger, policy: TrustPolicy | None) -> None:
    whose = "signed by a log of your policy" if policy else "whose it is was not checked: give --policy"
    click.echo(f"{printable(log.checkpoint.origin)}: {log.size} {'entry' if log.size == 1 else 'entries'}, {whose}")
    for study in ledger.studies:
        who = policy.name_of(study.key_id) if policy else f"key {study.key_id[:16]}"
        for line in study_lines(study, who):
            click.echo(printable(line))
    for number, why in ledger.ignored[:IGNORED_SHOWN_MAX]:
        click.echo(f"entry {number} counts for nothing: {printable(why)}")
    if len(ledger.ignored) > IGNORED_SHOWN_MAX:
        click.echo(f"and {len(ledger.ignored) - IGNORED_SHOWN_MAX} more entries count for nothing")
