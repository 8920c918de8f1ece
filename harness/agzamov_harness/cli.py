"""The command `agzamov`: run, resume, seal, verify, show, keygen, doctor, and more.

Exit codes: 0 done; 1 a check failed; 2 the command or a manifest is wrong; 3 not everything could be
checked; 4 the run stopped before its end and can be resumed.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify import canon
from agzamov_verify import cli as verify_cli
from agzamov_verify.bundle import RESULTS_FILE, TIMING_FILE, claims_of
from agzamov_verify.envelope import key_id
from agzamov_verify.feasible import needs_engine, starts_engine
from agzamov_verify.journal import BrokenJournal
from agzamov_verify.manifest import ManifestError
from agzamov_verify.reading import printable
from agzamov_verify.report import printable_results
from agzamov_verify.scoring.results import Results
from agzamov_verify.scoring.timing import Timing
from agzamov_verify.script import Divergence
from agzamov_verify.stockfish import EngineFault, find_engine

from . import doctor as doctor_of
from . import keys, rundir, serving
from .images.command import images
from .pack import pack
from .pinning import images_of, models_of
from .ports import PortFault
from .progress import State
from .published.command import import_published
from .run import Blocks, Runner, Stop, Stopped
from .rundir import RunDirectory
from .seal import read_plan
from .seal import seal as seal_plan
from .terminal import progress
from .world import concurrency_of, open_world

EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED = 1, 2, 4
GRACE_S = 7.0

DEFAULT_KEY = Path(click.get_app_dir("agzamov")) / "submitter.pem"

key_option = click.option(
    "--key",
    type=click.Path(path_type=Path),
    default=DEFAULT_KEY,
    show_default=True,
    help="Ed25519 private key, PEM or OpenSSH.",
)
engine_option = click.option("--engine", metavar="PATH", help="Stockfish 15.1; found on PATH if not given.")
runs_option = click.option(
    "--runs",
    type=click.Path(path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where runs in progress are kept.",
)


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

    Exit code 0: the run's folder is printed. 2: the plan, the key or the engine is wrong.
    """
    with _faults():
        click.echo(_sealed(plan, key, engine, runs).path)


def playing_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of the two commands that play."""
    for option in reversed(
        (
            key_option,
            engine_option,
            click.option(
                "--out",
                type=click.Path(path_type=Path),
                default=Path("bundles"),
                show_default=True,
                help="Where the bundle goes.",
            ),
            click.option(
                "--concurrency",
                type=click.IntRange(1, 1024),
                help="Streams side by side; default: what the seats allow.",
            ),
            click.option("--quiet", is_flag=True, help="No progress, even on a terminal."),
            click.option("--json", "as_json", is_flag=True, help="Print the outcome as canonical JSON."),
        )
    ):
        command = option(command)
    return command


@main.command()
@click.argument("plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@runs_option
@playing_options
def run(plan: Path, runs: Path, key: Path, engine: str | None, **how: Any) -> None:
    """Seal PLAN (YAML), play it, and pack its signed bundle.

    Exit code 0: the bundle's folder is printed. 2: the plan, the key or the engine is wrong. 4: the
    run stopped and can be resumed.
    """
    with _faults():
        directory = _sealed(plan, key, engine, runs)
        click.echo(f"run: {directory.path}", err=True)
        _play_and_pack(directory, key, engine, **how)


@main.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@playing_options
def resume(folder: Path, key: Path, engine: str | None, **how: Any) -> None:
    """Play the sealed run in FOLDER from where it stands, and pack its signed bundle.

    Answers that were recorded are kept; nothing is asked twice. Exit codes as for `run`, and 1: the
    journal was changed since it was recorded.
    """
    with _faults():
        _play_and_pack(rundir.load(folder), key, engine, **how)


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


@main.command("serve-reference")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8960, show_default=True, help="0 takes a free port.")
@click.option(
    "--delay-ms", type=click.IntRange(0, 600_000), default=0, show_default=True, help="Wait before each answer."
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="KIND@N",
    help="Spoil every N-th call: 429, 500, 503, 401, drop, hang, garbage, no_choices, truncated. Repeatable.",
)
def serve_reference(host: str, port: int, delay_ms: int, faults: tuple[str, ...]) -> None:
    """Serve the reference players as an OpenAI-compatible endpoint, until interrupted.

    Exit code 0: interrupted. 2: wrong use, or the address is taken.
    """
    try:
        plan = tuple(map(serving.parse_fault, faults))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--fault") from error
    with _faults(), serving.start(host, port, delay_ms / 1000, plan) as server:
        click.echo(f"http://{host}:{server.server_port}/v1")
        with suppress(KeyboardInterrupt):
            server.serve_forever()


main.add_command(verify_cli.check, "verify")
main.add_command(verify_cli.show, "show")
main.add_command(import_published)
main.add_command(images)


def _sealed(path: Path, key: Path, engine: str | None, runs: Path) -> RunDirectory:
    plan, folder = read_plan(path), path.parent
    submitter = key_id(keys.load(key).public_key())
    images, models = images_of(plan), models_of(plan, folder)
    engine_path = find_engine(engine) if needs_engine(plan) and not images.pins else None
    manifest, secret = seal_plan(plan, submitter, engine_path, images=images, models=models)
    return rundir.create(runs, manifest, secret, folder)


def _play_and_pack(
    directory: RunDirectory,
    key: Path,
    engine: str | None,
    *,
    out: Path,
    concurrency: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    signer = _signer(directory, key)
    resume = f"go on with: agzamov resume {directory.path}"
    stop = Stop()
    try:
        with directory.locked(), _signals(stop, resume):
            blocks = _play(directory, engine, concurrency, stop, quiet=quiet or as_json)
            bundle = pack(directory, blocks, signer, out)
    except (Stopped, PortFault) as error:
        raise Stopped(f"{error}; {resume}") from error
    except OSError as error:
        raise Stopped(f"{_told(error)}; nothing recorded was lost; {resume}") from error
    results = canon.loads_as((bundle / RESULTS_FILE).read_bytes(), Results)
    if as_json:
        click.echo(canon.dumps({"bundle": str(bundle), "claims": claims_of(results), "run": results.run}).decode())
        return
    timing = canon.loads_as((bundle / TIMING_FILE).read_bytes(), Timing)
    for line in printable_results(results, timing):
        click.echo(line)
    click.echo(f"bundle: {bundle}")


def _signer(directory: RunDirectory, path: Path) -> Ed25519PrivateKey:
    key = keys.load(path)
    sealed, found = directory.manifest.submitter_key_id, key_id(key.public_key())
    if sealed != found:
        raise keys.KeyFault(f"{path}: expected the key {sealed[:16]} that sealed this run, found {found[:16]}")
    return key


def _play(directory: RunDirectory, engine: str | None, concurrency: int | None, stop: Stop, *, quiet: bool) -> Blocks:
    plan = directory.manifest.plan
    path = find_engine(engine) if starts_engine(plan) else None
    with progress(quiet=quiet) as watcher, open_world(directory.manifest, path, stop.wait) as world:
        state = State(plan, watcher)
        limit = concurrency or concurrency_of(plan)
        return Runner(directory, world, time.monotonic_ns, state, stop, limit).play()


@contextmanager
def _signals(stop: Stop, resume: str) -> Iterator[None]:
    """SIGTERM and SIGINT stop the run after the calls in flight, or after GRACE_S; again: at once."""

    def leave() -> None:
        click.echo(f"error: {stop.reason}, what was in flight was dropped; {resume}", err=True)
        os._exit(EXIT_STOPPED)

    patience = threading.Timer(GRACE_S, leave)
    patience.daemon = True

    def ask(number: int, _: object) -> None:
        if stop.reason:
            leave()
        stop.request(f"stopped by {signal.Signals(number).name}")
        patience.start()

    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        patience.cancel()
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
    except (BrokenJournal, Divergence) as error:
        _fail(f"{error}; the journal was changed since it was recorded: start a new run", EXIT_FAILED)
    except OSError as error:
        _fail(_told(error), EXIT_USAGE)


def _told(error: OSError) -> str:
    return f"{error.filename or 'disk'}: {error.strerror or error}"


def _fail(message: str, code: int) -> NoReturn:
    for line in message.splitlines():
        click.echo(f"error: {printable(line)}", err=True)
    sys.exit(code)
