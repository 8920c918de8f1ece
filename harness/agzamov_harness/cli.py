"""The command `agzamov`: run, seal, verify, show, keygen, doctor.

Exit codes: 0 done; 1 a check failed; 2 the command or a manifest is wrong; 3 not everything could be
checked; 4 the run stopped before its end and can be resumed.
"""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify import canon, cli as verify_cli
from agzamov_verify.bundle import claims_of
from agzamov_verify.checks.opening import seed_dice
from agzamov_verify.envelope import key_id
from agzamov_verify.feasible import needs_engine
from agzamov_verify.manifest import ManifestError, Plan
from agzamov_verify.report import printable_results
from agzamov_verify.scoring.results import Results, results_of
from agzamov_verify.stockfish import EngineFault, find_engine

from . import doctor as doctor_of
from . import keys, rundir
from .pack import pack
from .ports import PortFault
from .progress import State
from .published.command import import_published
from .run import Blocks, Runner, Stop, Stopped
from .rundir import RunDirectory
from .seal import read_plan
from .seal import seal as seal_plan
from .terminal import progress
from .world import concurrency_of, open_world

EXIT_USAGE, EXIT_STOPPED = 2, 4

DEFAULT_KEY = Path(click.get_app_dir("agzamov")) / "submitter.pem"

key_option = click.option("--key", type=click.Path(path_type=Path), default=DEFAULT_KEY, show_default=True, help="Ed25519 private key, PEM or OpenSSH.")
engine_option = click.option("--engine", metavar="PATH", help="Stockfish 15.1; found on PATH if not given.")
runs_option = click.option("--runs", type=click.Path(path_type=Path), default=Path("runs"), show_default=True, help="Where runs in progress are kept.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="agzamov-harness")
def main() -> None:
    """Run the Agzamov test and leave a signed bundle that a stranger can check."""


@main.command()
@click.argument("plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@key_option
@engine_option
@runs_option
def seal(plan: Path, key: Path, engine: str | None, runs: Path) -> None:
    """Seal PLAN (YAML) into a run that has not started: its manifest and its secret.

    Exit code 0: the run's folder is printed. 2: the plan is wrong.
    """
    with _faults():
        click.echo(_sealed(read_plan(plan), key, engine, runs).path)


@main.command()
@click.argument("what", type=click.Path(exists=True, path_type=Path))
@key_option
@engine_option
@runs_option
@click.option("--out", type=click.Path(path_type=Path), default=Path("bundles"), show_default=True, help="Where the bundle goes.")
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Streams side by side; default: what the seats allow.")
@click.option("--quiet", is_flag=True, help="No progress, even on a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as canonical JSON.")
def run(
    what: Path, key: Path, engine: str | None, runs: Path, out: Path, concurrency: int | None, quiet: bool, as_json: bool
) -> None:
    """Run WHAT, a plan (YAML) or the folder of a sealed run, and pack its signed bundle.

    A folder whose run was stopped goes on where it was. Exit code 0: the bundle's folder is printed.
    2: the plan is wrong. 4: the run stopped and can be resumed.
    """
    with _faults():
        directory = rundir.load(what) if what.is_dir() else _sealed(read_plan(what), key, engine, runs)
        signer = _signer(directory, key)
        blocks = _play(directory, engine, concurrency, quiet=quiet or as_json)
        bundle = pack(directory, blocks, signer, out)
    results = _results(directory, blocks)
    if as_json:
        click.echo(canon.dumps({"bundle": str(bundle), "claims": claims_of(results), "run": results.run}).decode())
        return
    for line in printable_results(results):
        click.echo(line)
    click.echo(f"bundle: {bundle}")


@main.command()
@click.argument("path", type=click.Path(path_type=Path), default=DEFAULT_KEY)
def keygen(path: Path) -> None:
    """Make an Ed25519 submitter key in PATH, and its public half in PATH.pub.

    Exit code 0: the key's id is printed. 2: a file is there already.
    """
    with _faults():
        key = keys.generate(path)
    click.echo(f"{path}  key {key_id(key.public_key())}")


@main.command()
@key_option
@engine_option
@click.option("--json", "as_json", is_flag=True, help="Print the findings as canonical JSON.")
def doctor(key: Path, engine: str | None, as_json: bool) -> None:
    """Say what this machine can and cannot do. Exit code 0, whatever is found."""
    abilities = doctor_of.examine(key, engine)
    if as_json:
        click.echo(canon.dumps(abilities).decode())
        return
    for ability in abilities:
        click.echo(f"{'ok     ' if ability.ok else 'MISSING'}  {ability.name:<8} {ability.found}")
        if not ability.ok:
            click.echo(f"         {'':<8} {ability.advice}")


main.add_command(verify_cli.check, "verify")
main.add_command(verify_cli.show, "show")
main.add_command(import_published)


def _sealed(plan: Plan, key: Path, engine: str | None, runs: Path) -> RunDirectory:
    submitter = key_id(keys.load(key).public_key())
    path = find_engine(engine) if needs_engine(plan) else None
    manifest, secret = seal_plan(plan, submitter, path)
    return rundir.create(runs, manifest, secret)


def _signer(directory: RunDirectory, path: Path) -> Ed25519PrivateKey:
    key = keys.load(path)
    sealed, found = directory.manifest.submitter_key_id, key_id(key.public_key())
    if sealed != found:
        raise keys.KeyFault(f"{path}: expected the key {sealed[:16]} that sealed this run, found {found[:16]}")
    return key


def _play(directory: RunDirectory, engine: str | None, concurrency: int | None, *, quiet: bool) -> Blocks:
    plan = directory.manifest.plan
    path = find_engine(engine) if needs_engine(plan) else None
    stop = Stop()
    with directory.locked(), progress(quiet) as watcher, open_world(directory.manifest, path) as world:
        state = State(plan, watcher)
        runner = Runner(directory, world, time.monotonic_ns, state, stop, concurrency or concurrency_of(plan))
        with _signals(stop):
            try:
                return runner.play()
            except (Stopped, PortFault) as error:
                raise Stopped(f"{error}; go on with: agzamov run {directory.path}") from error


def _results(directory: RunDirectory, blocks: Blocks) -> Results:
    manifest = directory.manifest
    return results_of(manifest.run_id, manifest.plan, seed_dice(manifest, directory.secret), blocks)


@contextmanager
def _signals(stop: Stop) -> Iterator[None]:
    """SIGTERM and SIGINT stop the run after the calls in flight."""

    def ask(number: int, _: object) -> None:
        stop.request(f"stopped by {signal.Signals(number).name}")

    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _faults() -> Iterator[None]:
    """Turn our exceptions into one clear line and the documented exit code."""
    try:
        yield
    except (ManifestError, keys.KeyFault, EngineFault) as error:
        _fail(str(error), EXIT_USAGE)
    except Stopped as error:
        _fail(str(error), EXIT_STOPPED)
    except OSError as error:
        _fail(f"{error.filename or 'disk'}: {error.strerror}; nothing recorded was lost", EXIT_STOPPED)


def _fail(message: str, code: int) -> NoReturn:
    for line in message.splitlines():
        click.echo(f"error: {line}", err=True)
    sys.exit(code)
