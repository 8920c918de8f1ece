"""The command `agzamov`: run, resume, seal, verify, show, keygen, doctor, and more.

Exit codes: 0 done; 1 a check failed; 2 the command or a manifest is wrong; 3 not everything could be
checked; 4 the run stopped before its end and can be resumed.
"""

import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify import canon
from agzamov_verify import cli as verify_cli
from agzamov_verify.bundle import ANALYSIS_FILE, RESULTS_FILE, TIMING_FILE, claims_of
from agzamov_verify.envelope import key_id
from agzamov_verify.feasible import needs_engine, starts_engine
from agzamov_verify.manifest import ManifestError
from agzamov_verify.quality.cli import check_quality
from agzamov_verify.quality.text import counting
from agzamov_verify.report import printable_results
from agzamov_verify.scores.cli import COMMANDS
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.results import Results
from agzamov_verify.scoring.timing import Timing
from agzamov_verify.stockfish import find_engine

from . import doctor as doctor_of
from . import exits, keys, rundir, serving
from .containers import playing
from .containers.folder import require_plain_files
from .images.command import images
from .models.command import models
from .models.watch import weights_after, weights_watched
from .pack import pack
from .pinning import images_of, models_of
from .planning_command import plan_command
from .ports import PortFault
from .progress import State
from .published.command import import_published
from .quality.command import quality
from .quality.promised import judge_promised
from .replaying.command import replay
from .run import Blocks, Runner, Stop, Stopped, finished
from .rundir import RunDirectory
from .seal import read_plan
from .seal import seal as seal_plan
from .terminal import progress
from .world import concurrency_of, open_world

GRACE_S = 7.0
ATTENDED_GRACE_S = 30.0  # the harness in its container has GRACE_S, then everything is taken down
PLAY_AGAIN = "play it again to go on"
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
out_option = click.option(
    "--out", type=click.Path(path_type=Path), default=Path("bundles"), show_default=True, help="Where the bundle goes."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the outcome as canonical JSON.")


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
    with exits.faults():
        click.echo(_sealed(plan, key, engine, runs).path)


def playing_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of the two commands that play."""
    for option in reversed(
        (
            key_option,
            engine_option,
            out_option,
            click.option(
                "--concurrency",
                type=click.IntRange(1, 1024),
                help="Streams side by side; default: what the seats allow.",
            ),
            click.option("--quiet", is_flag=True, help="No progress, even on a terminal."),
            json_option,
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
    with exits.faults():
        if read_plan(plan).isolation == "container":
            _require_container_engine()
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
    with exits.faults():
        _play_and_pack(rundir.load(folder), key, engine, **how)


@main.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Streams side by side.")
@click.option("--attended", is_flag=True, help="Say on standard output how far it is; stop when standard input ends.")
def play(folder: Path, concurrency: int | None, attended: bool) -> None:
    """Play the sealed run in FOLDER from inside a container, beside its servers; pack it outside with `agzamov pack`.

    Exit codes as for `resume`.
    """
    stop = Stop()
    with exits.faults(), exits.signals(stop, PLAY_AGAIN, GRACE_S):
        directory = rundir.load(folder)
        if attended:
            playing.play_attended(directory, stop, concurrency)
        else:
            with progress(quiet=False) as watcher:
                playing.play_alone(directory, stop, watcher, concurrency)


@main.command("compose-env")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def compose_env(folder: Path) -> None:
    """Print the variables with which compose.yaml plays the sealed run in FOLDER, or checks the bundle in it.

    Keep them in the file .env. Exit code 0: the variables. 2: the folder is wrong, or the run is not for compose.yaml.
    4: no engine answers.
    """
    from .containers import by_hand  # noqa: PLC0415 - as below

    with exits.faults():
        click.echo(by_hand.env_file(folder), nl=False)


@main.command("pack")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@key_option
@out_option
@json_option
def pack_command(folder: Path, key: Path, out: Path, as_json: bool) -> None:
    """Pack the signed bundle of the run in FOLDER, which was played to its end, as `docker compose run` does.

    Exit code 0: the bundle's folder is printed. 1: the journal was changed since it was recorded. 2: the folder or the
    key is wrong. 4: the run is not played to its end.
    """
    with exits.faults():
        directory = rundir.load(folder)
        signer = _signer(directory, key)
        require_plain_files(directory)
        with directory.locked(), directory.playing():
            weights_after(directory)
            _tell(pack(directory, finished(directory), signer, out), as_json=as_json)


@main.command()
@click.argument("path", type=click.Path(path_type=Path), default=DEFAULT_KEY)
def keygen(path: Path) -> None:
    """Make an Ed25519 submitter key in PATH, and its public half in PATH.pub.

    Exit code 0: the key's id is printed. 2: a file is there already.
    """
    with exits.faults():
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
    "--socket", type=click.Path(path_type=Path), metavar="PATH", help="A unix socket to listen on in place of a port."
)
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
def serve_reference(host: str, port: int, socket: Path | None, delay_ms: int, faults: tuple[str, ...]) -> None:
    """Serve the reference players as an OpenAI-compatible endpoint, until interrupted or told to end.

    Exit code 0: it ended so. 2: wrong use, or the address is taken.
    """
    try:
        plan = tuple(map(serving.parse_fault, faults))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--fault") from error
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with exits.faults(), suppress(KeyboardInterrupt):
        if socket:
            server, address = serving.start_on_socket(socket, delay_ms / 1000, plan), str(socket)
        else:
            server = serving.start(host, port, delay_ms / 1000, plan)
            address = f"http://{host}:{server.server_port}/v1"
        with server:
            click.echo(address)
            server.serve_forever()


main.add_command(verify_cli.check, "verify")
main.add_command(verify_cli.show, "show")
main.add_command(check_quality)
for over_bundles in COMMANDS:
    main.add_command(over_bundles)
main.add_command(quality)
main.add_command(import_published)
main.add_command(images)
main.add_command(plan_command)
main.add_command(models)
main.add_command(replay)


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
    grace_s = ATTENDED_GRACE_S if directory.manifest.plan.isolation == "container" else GRACE_S
    stop = Stop()
    judges_here = directory.manifest.plan.quality.nodes and directory.manifest.plan.isolation == "process"
    judge = find_engine(engine) if judges_here else None  # in containers the harness has the engine, and judges
    try:
        with directory.locked(), exits.signals(stop, resume, grace_s):
            with weights_watched(directory):
                blocks = _play(directory, engine, concurrency, stop, quiet=quiet or as_json)
            with counting("positions judged", quiet=quiet or as_json or not judge) as tick:
                judge_promised(directory, blocks, judge, stop, tick)
            bundle = pack(directory, blocks, signer, out)
    except (Stopped, PortFault) as error:
        raise Stopped(f"{error}; {resume}") from error
    except OSError as error:
        raise Stopped(f"{exits.told(error)}; nothing recorded was lost; {resume}") from error
    _tell(bundle, as_json=as_json)


def _tell(bundle: Path, *, as_json: bool) -> None:
    results = canon.loads_as((bundle / RESULTS_FILE).read_bytes(), Results)
    if as_json:
        click.echo(canon.dumps({"bundle": str(bundle), "claims": claims_of(results), "run": results.run}).decode())
        return
    timing = canon.loads_as((bundle / TIMING_FILE).read_bytes(), Timing)
    there = bundle / ANALYSIS_FILE
    analysis = canon.loads_as(there.read_bytes(), Analysis) if there.exists() else None
    for line in printable_results(results, timing, analysis):
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
    if plan.isolation == "container":
        from .containers.attending import attend  # noqa: PLC0415 - only these runs need the engine's client

        with progress(quiet=quiet) as watcher:
            attend(directory, stop, watcher, concurrency)
        with directory.playing():
            return finished(directory)
    path = find_engine(engine) if starts_engine(plan) else None
    world_of = open_world(directory.manifest, path, stop.wait, notes=directory.notes)
    with progress(quiet=quiet) as watcher, world_of as world:
        state = State(plan, watcher)
        limit = concurrency or concurrency_of(plan)
        return Runner(directory, world, time.monotonic_ns, state, stop, limit).play()


def _require_container_engine() -> None:
    """Before anything is sealed. Raises ManifestError."""
    from .containers.engine import NoEngine, connect  # noqa: PLC0415 - as above

    try:
        connect().close()
    except NoEngine as error:
        raise ManifestError(f"isolation: {error}") from error
