"""The commands `agzamov register`: ask for a run to be registered before it is played, and log its end.

They write request files and read proof files, so that the machine that plays needs no network at all.
"""

import hashlib
import shlex
from pathlib import Path

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.bundle import MANIFEST_FILE, PAYLOAD_FILE, REGISTRATION_FILE
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.commands.command_line import Program, WrongUse
from agzamov_verify.commands.trust_options import now_s
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.manifest import ManifestError, Seed
from agzamov_verify.registration.beacon import QUICKNET
from agzamov_verify.registration.log_entry import Aborted, Entry, Finished, manifest_sha256, read_entry
from agzamov_verify.transparency_log.signed_note import BadNote

from ..foundation.default_places import RUNS
from ..foundation.new_file import require_new, write_new
from ..pipeline.sealed_run import sealed
from ..registry.margins import lacking_margins, require_margins
from ..registry.registered_run import quicknet_round
from ..registry.request_admission import require_seen
from ..run import exit_status, run_folder, signing_keys
from ..run.registration import registered, signed_entry, stamp_query, take_beacon, take_proof, take_stamp
from ..run.run_folder import REGISTRATION
from .plan_files import plan_file
from .register_run_command import register_run
from .shared_options import (
    engine_option,
    installed_option,
    key_option,
    margin_option,
    same_key_option,
    small_option,
    start_programs_option,
)
from .shared_options import (
    reason as reason_line,
)

DAY_S = 86_400
SOON_S = 600
"""Less than this is too little for a keeper and a witness."""
CURL = "curl -H 'Content-Type: application/timestamp-query'"
run_argument = click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
file_argument = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
request_option = click.option(
    "--request",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File to write: send it to the keeper of the log.",
)


@click.group(cls=Program)
def register() -> None:
    """Register a run in public before its seed exists, and its end: result, or why there is none.

    Example: agzamov register plan PLAN --request request.json

    Exit code 0: done. 2: a plan, a file or a key is wrong.
    """


register.add_command(register_run)


@register.command("plan")
@click.argument("plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@request_option
@click.option("--attempt", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Number of this run.")
@click.option(
    "--attempts", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Runs that the study will have."
)
@click.option(
    "--days",
    type=click.IntRange(1, 366),
    default=30,
    show_default=True,
    help="Days until its end must be logged.",
)
@click.option(
    "--seen-round", type=click.IntRange(0), default=0, help="The latest beacon round that you saw, which dates it."
)
@margin_option(
    "How far another execution's figures may be from yours and still agree: score=0.05, bb/100=50. Repeatable."
)
@click.option("--runs", type=click.Path(path_type=Path), default=RUNS, show_default=True, help="Where runs are.")
@key_option
@engine_option
@installed_option
@small_option
@start_programs_option
def register_plan(
    plan: Path,
    request: Path,
    attempt: int,
    attempts: int,
    days: int,
    seen_round: int,
    margins: dict[str, str],
    runs: Path,
    key: Path,
    engine: str | None,
    installed: Path,
    *,
    small: bool,
    start_programs: bool,
) -> None:
    """Seal PLAN, and write the request to register it. It is played once the proof is back.

    Example: agzamov register plan PLAN --request request.json --attempts 3

    Exit code 0: the run's folder is printed. 2: the plan, the key or the engine is wrong.
    """
    with exit_status.faults():
        if attempt > attempts:
            raise ManifestError(f"--attempt {attempt}: expected at most the {attempts} of --attempts")
        file = plan_file(plan, small=small)
        require_margins(margins, file.plan, attempt)
        for warning in lacking_margins(margins, file.plan):
            click.echo(f"warning: {warning}", err=True)
        require_new(request, "--request")
        if quicknet_round(file.plan.seed):
            _require_seen(seen_round)
        directory = sealed(file, key, engine, runs, installed, start_programs=start_programs)
        signer = signing_keys.signer_of(directory, key)
        deadline_s = now_s() + days * DAY_S
        data = registered(directory, signer, attempt, attempts, deadline_s, seen_round, margins)
        write_new(request, data, "--request")
        _warn_of_round(directory.manifest.plan.seed)
        click.echo(directory.path)


def _require_seen(number: int) -> None:
    try:
        require_seen(number, now_s())
    except BadNote as error:
        raise ManifestError(f"--seen-round: {error}; nothing was sealed") from error


def _warn_of_round(seed: Seed) -> None:
    """Say what keeps a plan from V2, before its registration is sent."""
    chain, _, number = seed.value.partition("/")
    if seed.origin != "beacon":
        click.echo("warning: its seed waits for no beacon round, so it can reach V1 alone: see docs/trust.md", err=True)
    elif chain == "quicknet" and QUICKNET.time_s(int(number)) < now_s() + SOON_S:
        later = QUICKNET.round_after(now_s() + DAY_S)
        click.echo(f"warning: round {number} is out or comes too soon; in a day it will be round {later}", err=True)


@register.command("proof")
@run_argument
@file_argument
def register_proof(run: Path, file: Path) -> None:
    """Keep the proof in FILE, from the log's keeper, that the run in the folder RUN is registered.

    Example: agzamov register proof runs/0123456789abcdef request.json.tlog-proof

    Exit code 0: kept. 2: it is the proof of something else.
    """
    with exit_status.faults():
        take_proof(run_folder.load(run), file)


@register.command("stamp-query")
@run_argument
@click.argument("query", type=click.Path(dir_okay=False, path_type=Path))
def register_stamp_query(run: Path, query: Path) -> None:
    """Write to QUERY what asks a time-stamp authority when the log had the run in the folder RUN (RFC 3161).

    Example: agzamov register stamp-query runs/0123456789abcdef request.tsq

    Exit code 0: written; how to send it is printed. 2: the run has no proof yet.
    """
    with exit_status.faults():
        write_new(query, stamp_query(run_folder.load(run)), "QUERY")
        click.echo(f"{CURL} --data-binary {shlex.quote(f'@{query}')} -o reply.tsr URL-OF-THE-AUTHORITY")


@register.command("stamp")
@run_argument
@file_argument
def register_stamp(run: Path, file: Path) -> None:
    """Keep the time-stamp in FILE, an authority's reply to the query of the run in the folder RUN.

    Example: agzamov register stamp runs/0123456789abcdef reply.tsr

    Exit code 0: kept. 2: it is the reply to something else, or no stamp was granted.
    """
    with exit_status.faults():
        take_stamp(run_folder.load(run), file)


@register.command("beacon")
@run_argument
@file_argument
def register_beacon(run: Path, file: Path) -> None:
    """Keep the beacon round in FILE, a drand server's answer in JSON, that the seed of the run in RUN waits for.

    Example: agzamov register beacon runs/0123456789abcdef round.json

    Its signature is checked if py-ecc is installed.

    Exit code 0: kept; `agzamov resume RUN` plays it. 2: it is another round, or has another's signature.
    """
    with exit_status.faults():
        take_beacon(run_folder.load(run), file, lambda line: click.echo(printable(line), err=True))


@register.command("end")
@click.argument("bundle", type=click.Path(exists=True, file_okay=False, path_type=Path))
@request_option
@key_option
def register_end(bundle: Path, request: Path, key: Path) -> None:
    """Write the request to log BUNDLE as the result of its registered run.

    Example: agzamov register end bundles/0123456789abcdef --request end.json

    Exit code 0: written. 2: the bundle or the key is wrong.
    """
    with exit_status.faults():
        if why := no_bundle(bundle):
            raise WrongUse(why)
        signer = signing_keys.load(key)
        digests = [hashlib.sha256((bundle / name).read_bytes()).hexdigest() for name in (PAYLOAD_FILE, MANIFEST_FILE)]
        end = Finished(*digests)
        _require_registered(bundle, end, key_id(signer.public_key()))
        _write(request, end, signer)


@register.command("abort")
@run_argument
@click.option("--reason", required=True, callback=reason_line, help="Why there will be no result; it is published.")
@request_option
@same_key_option
def register_abort(run: Path, reason: str, request: Path, key: Path | None) -> None:
    """Write the request to log that the run in the folder RUN will have no result.

    Example: agzamov register abort runs/0123456789abcdef --reason "the disk failed" --request end.json

    Exit code 0: written. 2: the folder or the key is wrong.
    """
    with exit_status.faults():
        directory = run_folder.load(run)
        signer = signing_keys.signer_of(directory, key)
        if not directory.has(REGISTRATION):
            raise ManifestError(f"{run}: expected a run that asked to be registered; one that did not needs no end")
        _write(request, Aborted(manifest_sha256(directory.manifest), reason), signer)


def _require_registered(bundle: Path, end: Finished, signer: str) -> None:
    """Raises ManifestError for the bundle of a run that this key did not register; warns where none is in it."""
    file = bundle / REGISTRATION_FILE
    if not file.is_file():
        click.echo(
            f"warning: no {REGISTRATION_FILE} is in it, and logs take the end of a registered run alone", err=True
        )
        return
    try:
        read = read_entry(file.read_bytes())
    except BadNote as error:
        raise ManifestError(f"{file}: {error}") from error
    if read.entry.manifest_sha256 != end.manifest_sha256:
        raise ManifestError(f"{file}: expected the registration of this run, found another's")
    if read.key_id != signer:
        raise ManifestError(f"--key: expected the key that registered the run, {read.key_id[:16]}, found {signer[:16]}")


def _write(request: Path, entry: Entry, key: Ed25519PrivateKey) -> None:
    """Write an entry that its own reader accepts."""
    data = signed_entry(entry, key)
    try:
        read_entry(data)
    except BadNote as error:
        raise ManifestError(f"the request: {error}") from error
    write_new(request, data, "--request")
