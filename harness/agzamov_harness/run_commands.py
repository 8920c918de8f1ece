"""Commands that make and play runs: seal, run, resume; and by hand in containers: compose-env, play, pack."""

import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from agzamov_verify import canon
from agzamov_verify.bundle import ANALYSIS_FILE, MANIFEST_FILE, RESULTS_FILE, claims_of
from agzamov_verify.display.first_screen import short_lines
from agzamov_verify.envelope import key_id
from agzamov_verify.invocation import as_typed, typed
from agzamov_verify.manifest import ManifestError, Plan, load_manifest
from agzamov_verify.plan_problems import needs_engine, starts_engine
from agzamov_verify.protocols import documents
from agzamov_verify.quality.quality_text import counting
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.results import Results
from agzamov_verify.stockfish import find_engine
from agzamov_verify.waiting import shown

from . import exits, keys, rundir
from .addresses import note_addresses
from .allowed_keys import keys_sent, require_allowed
from .build_ports import NOWHERE, concurrency_of, open_world
from .command_options import (
    OUT,
    allow_key_option,
    engine_option,
    installed_option,
    key_option,
    pair,
    plan_file,
    same_installed_option,
    small_option,
    to_resume,
)
from .containers.folder import require_plain_files
from .execution_log import gather_shares
from .first_contact import first_contact
from .lazy import imported_at_first_use
from .memory.setups import INSTALLED, Places
from .memory_pins import with_memories
from .models.weights import pins_of, weights_after, weights_watched
from .pack import pack
from .pinning import images_of
from .ports import PortFault
from .progress import State
from .quality.planned_quality import judge_promised
from .run import Blocks, Runner, Stop, Stopped, finished
from .rundir import RunDirectory
from .seal import PlanFile
from .seal import seal as seal_plan
from .shares import require_spreadable
from .terminal import progress
from .watch.page import beside

if TYPE_CHECKING:
    from .cluster import coordinator, worker
    from .cluster.coordinator import Cluster
    from .containers import compose_env as compose_variables
    from .containers import supervise
else:  # only runs on a cluster need Dask, only those in containers the engine's client
    coordinator = imported_at_first_use("agzamov_harness.cluster.coordinator")
    worker = imported_at_first_use("agzamov_harness.cluster.worker")
    compose_variables = imported_at_first_use("agzamov_harness.containers.compose_env")
    supervise = imported_at_first_use("agzamov_harness.containers.supervise")

GRACE_S = 7.0
ATTENDED_GRACE_S = 30.0  # the harness in its container has GRACE_S, then everything is taken down


same_key_option = click.option(
    "--key",
    type=click.Path(path_type=Path),
    help="The key that sealed the run; default: the same file as then.",
)
runs_option = click.option(
    "--runs",
    type=click.Path(path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Folder of runs in progress.",
)
out_option = click.option(
    "--out", type=click.Path(path_type=Path), default=OUT, show_default=True, help="Folder for the bundle."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")


@click.command()
@click.argument("plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@key_option
@engine_option
@runs_option
@installed_option
@small_option
def seal(plan: Path, key: Path, engine: str | None, runs: Path, installed: Path, *, small: bool) -> None:
    """Seal PLAN (YAML) into a run that has not started: its manifest and its secret.

    No endpoint is asked and no API key is sent: the run may be played on another machine. A memory server is started
    once, to be pinned.

    Exit code 0: the run's folder is printed. 2: the plan, the key or the engine is wrong.
    """
    with exits.faults():
        directory = sealed(plan_file(plan, small=small), key, engine, runs, installed)
        click.echo(directory.path)
        click.echo(as_typed(f"play it with: {shlex.join(['agzamov', 'resume', str(directory.path)])}"), err=True)


cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Play on the workers of the Dask scheduler at ADDRESS (tls://HOST:PORT), that see this folder.",
)


def playing_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of the two commands that play."""
    for option in reversed(
        (
            engine_option,
            out_option,
            click.option(
                "--concurrency",
                type=click.IntRange(1, 1024),
                help="Streams (blocks of games) played in parallel; default: what the seats allow.",
            ),
            allow_key_option,
            cluster_option,
            click.option("--watch", is_flag=True, help="Serve a live page of the run to this machine's browsers."),
            click.option("--quiet", is_flag=True, help="No progress, even on a terminal."),
            json_option,
        )
    ):
        command = option(command)
    return command


@click.command()
@click.argument("plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@key_option
@runs_option
@installed_option
@small_option
@playing_options
def run(
    plan: Path, runs: Path, key: Path, engine: str | None, cluster: str | None, *, small: bool, **options: Any
) -> None:
    """Seal PLAN (YAML), play it, and pack its signed bundle.

    Before anything is sealed, the plan's servers are asked whether they have its models. Before an API key goes to a
    host for the first time you are asked; without a terminal, allow it by --allow-key.

    Exit code 0: done; the bundle's folder is printed. 1: model weights or the journal changed during the run. 2: the
    plan, a server, a key or the engine is wrong; nothing was sealed. 4: the run stopped and can be resumed.
    """
    as_json = options.pop("as_json")
    with exits.faults():
        file = plan_file(plan, small=small)
        with connected(cluster, file.plan) as workers:
            _tell(played(file, key, engine, runs, workers=workers, **options), as_json=as_json)


def played(
    plan: PlanFile,
    key: Path,
    engine: str | None,
    runs: Path,
    *,
    out: Path,
    concurrency: int | None = None,
    quiet: bool = False,
    watch: bool = False,
    allow_key: Mapping[str, str] = NOWHERE,
    installed: Path = INSTALLED,
    workers: "Cluster | None" = None,
) -> Path:
    """The bundle of a plan that is sealed and played to its end."""
    rundir.require_writable(out)
    directory = sealed_after_contact(plan, key, engine, runs, allow_key, installed)
    click.echo(f"run: {directory.path}", err=True)
    return play_and_pack(
        directory,
        key,
        engine,
        out=out,
        concurrency=concurrency,
        quiet=quiet,
        watch=watch,
        allow_key=allow_key,
        workers=workers,
    )


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@same_key_option
@click.option(
    "--base-url",
    multiple=True,
    callback=pair,
    metavar="SEAT=URL",
    help="The address of the seat's server, if it has changed. Repeatable.",
)
@same_installed_option
@playing_options
def resume(folder: Path, key: Path | None, engine: str | None, cluster: str | None, **options: Any) -> None:
    """Play the sealed run in FOLDER from where it stands, and pack its signed bundle.

    Recorded answers are kept; no question is asked twice. Exit codes as for `run`, and 1: the journal was changed
    after it was recorded.
    """
    with exits.faults():
        directory = rundir.load(folder)
        rundir.require_writable(options["out"])
        as_json = options.pop("as_json")
        with connected(cluster, directory.manifest.plan) as workers:
            _tell(play_and_pack(directory, key, engine, workers=workers, **options), as_json=as_json)


@click.command("compose-env")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def compose_env(folder: Path) -> None:
    """Print the variables with which compose.yaml plays the sealed run, or checks the bundle, in FOLDER.

    Write them to the file .env. Exit code 0: printed. 2: the folder is wrong, or compose.yaml cannot play the run. 4:
    no container engine answers.
    """
    with exits.faults():
        click.echo(compose_variables.env_file(folder), nl=False)


@click.command("pack")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@same_key_option
@out_option
@json_option
def pack_command(folder: Path, key: Path | None, out: Path, as_json: bool) -> None:
    """Pack and sign the run in FOLDER, once `docker compose run`, or all of its shares, have played it.

    Exit code 0: done; the bundle's folder is printed. 1: the journal was changed after it was recorded. 2: the folder
    or the key is wrong. 4: the run was not played to its end.
    """
    with exits.faults():
        directory = rundir.load(folder)
        signer = keys.signer_of(directory, key)
        require_plain_files(directory)
        with directory.locked(), directory.playing():
            gather_shares(directory.journal)
            weights_after(directory)
            _tell(pack(directory, finished(directory), signer, out), as_json=as_json)


def sealed_after_contact(
    file: PlanFile, key: Path, engine: str | None, runs: Path, allow_key: Mapping[str, str], installed: Path
) -> RunDirectory:
    """A run that was sealed once its servers were asked, and its container engine, whether they can play it."""
    if file.plan.isolation == "container":
        supervise.require_engine(file.plan)
    first_contact(file.plan, engine, allow_key)
    return sealed(file, key, engine, runs, installed)


def sealed(file: PlanFile, key: Path, engine: str | None, runs: Path, installed: Path) -> RunDirectory:
    """A run that was sealed from a plan and has not started."""
    plan, folder = file
    submitter = key_id(keys.load(key).public_key())
    images, models = images_of(plan), pins_of(plan, folder)
    engine_path = find_engine(engine) if needs_engine(plan) and not images.pins else None
    manifest, secret = seal_plan(plan, submitter, engine_path, images=images, models=models)
    manifest = with_memories(manifest, Places(installed, folder))
    return rundir.create(runs, manifest, secret, folder, key, installed)


def play_and_pack(
    directory: RunDirectory,
    key: Path | None,
    engine: str | None,
    *,
    out: Path,
    concurrency: int | None = None,
    quiet: bool,
    watch: bool = False,
    allow_key: Mapping[str, str] = NOWHERE,
    base_url: Mapping[str, str] = NOWHERE,
    installed: Path | None = None,
    workers: "Cluster | None" = None,
    again: str = "",
) -> Path:
    """The bundle of a sealed run, once it is played to its end from where it stands.

    `again`: the command that goes on with it, if that is not `agzamov resume`.
    """
    signer = keys.signer_of(directory, key)
    memories = Places(installed or directory.memory_servers, directory.plan_folder)
    address = workers.address if workers else None
    resume = f"go on with: {again or to_resume(directory, key, engine, out, concurrency, address)}"
    grace_s = ATTENDED_GRACE_S if directory.manifest.plan.isolation == "container" else GRACE_S
    stop = Stop()
    judges_here = directory.manifest.plan.quality.nodes and directory.manifest.plan.isolation == "process"
    judge = find_engine(engine) if judges_here else None  # in containers the harness has the engine, and judges
    try:
        tell = partial(click.echo, err=True) if watch else None
        with directory.locked(), beside(directory, tell), exits.signals(stop, resume, grace_s):
            served = note_addresses(directory, base_url)
            require_allowed(keys_sent(directory.manifest.plan, served), allow_key)
            with weights_watched(directory):
                player = _Player(directory, engine, concurrency, stop, served, memories, workers)
                blocks = player.play(quiet=quiet)
            with counting("positions judged", quiet=quiet or not judge) as tick:
                judge_promised(directory, blocks, judge, stop, tick)
            with shown(quiet=quiet):
                return pack(directory, blocks, signer, out)
    except (Stopped, PortFault) as error:
        raise Stopped(f"{error}; {resume}") from error
    except OSError as error:
        raise Stopped(f"{exits.os_error_words(error)}; nothing recorded was lost; {resume}") from error


def _tell(bundle: Path, *, as_json: bool) -> None:
    manifest = load_manifest((bundle / MANIFEST_FILE).read_bytes())
    protocol = manifest.plan.protocol
    results = documents.read(protocol, documents.RESULTS, (bundle / RESULTS_FILE).read_bytes(), Results)
    if as_json:
        click.echo(canon.dumps({"bundle": str(bundle), "claims": claims_of(results), "run": results.run}).decode())
        return
    analysis = documents.read(protocol, documents.ANALYSIS, (bundle / ANALYSIS_FILE).read_bytes(), Analysis)
    for line in short_lines(manifest, results, analysis):
        click.echo(line)
    click.echo(f"{'Next':<11}{typed('verify', bundle)}")
    click.echo(f"bundle: {bundle}")


class _Player(NamedTuple):
    """The player of a sealed run: containers, the workers of a cluster, or threads of this process."""

    directory: RunDirectory
    engine: str | None
    concurrency: int | None
    stop: Stop
    served: Mapping[str, str]
    memories: Places
    workers: "Cluster | None"

    def play(self, *, quiet: bool) -> Blocks:
        """All blocks, once the run is played to its end."""
        if self.directory.manifest.plan.isolation == "container":
            return self._in_containers(quiet=quiet)
        return self._on_workers(self.workers, quiet=quiet) if self.workers else self._here(quiet=quiet)

    def _in_containers(self, *, quiet: bool) -> Blocks:
        with progress(quiet=quiet) as watcher:
            supervise.play_in_containers(self.directory, self.stop, watcher, self.concurrency, _warn)
        with self.directory.playing():
            return finished(self.directory)

    def _on_workers(self, workers: "Cluster", *, quiet: bool) -> Blocks:
        with progress(quiet=quiet) as watcher:
            state = State(self.directory.manifest.plan, watcher)
            settings = worker.Settings(self.engine, str(self.memories.installed.absolute()), dict(self.served))
            runner = coordinator.ClusterRunner(self.directory, state, self.stop, self.concurrency, workers, settings)
            return runner.play()

    def _here(self, *, quiet: bool) -> Blocks:
        directory, plan = self.directory, self.directory.manifest.plan
        path = find_engine(self.engine) if starts_engine(plan) else None
        world_of = open_world(directory.manifest, path, self.stop.wait, self.served, directory.notes, self.memories)
        with progress(quiet=quiet) as watcher, world_of as world:
            state, limit = State(plan, watcher), self.concurrency or concurrency_of(plan)
            return Runner(directory, world, time.monotonic_ns, state, self.stop, limit).play()


@contextmanager
def connected(address: str | None, *plans: Plan) -> Iterator["Cluster | None"]:
    """The cluster at an address, None without one. Raises ManifestError where it cannot play one of the plans."""
    if address is None:
        yield None
        return
    for plan in plans:
        require_spreadable(plan)
    try:
        warning = coordinator.warning(address)
    except ImportError as error:
        raise ManifestError(f"--cluster: {error.name} is not installed; type: make cluster (in a clone)") from error
    _warn(warning)
    with coordinator.connected(address) as cluster:
        yield cluster


def _warn(message: str) -> None:
    if message:
        click.echo(f"warning: {message}", err=True)
