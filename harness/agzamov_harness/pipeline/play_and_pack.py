"""Plays a sealed run to its end where its plan says, in containers, on a cluster or here, and packs its bundle."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from agzamov_verify.commands.command_line import no_option
from agzamov_verify.core.waiting import shown
from agzamov_verify.engines.uci_engine import find_engine
from agzamov_verify.plan.manifest import Manifest, ManifestError, Plan
from agzamov_verify.plan.plan_problems import starts_engine
from agzamov_verify.show.text.quality_text import counting

from ..build_ports import NOWHERE, concurrency_of, open_world
from ..cluster.shares import require_spreadable
from ..containers.folder_transfer import require_plain_files
from ..foundation.default_places import BUNDLES, LOOPBACK
from ..foundation.first_use import imported_at_first_use
from ..foundation.owner_folder import installed_folder
from ..foundation.placed_folder import PlaceTaken
from ..foundation.unix_clock import unix_ns
from ..memory.launch import Places
from ..models.weight_pins import weights_watched
from ..people.desk import Desk, people_of
from ..people.people_server import PeopleServer
from ..people.served import people_at
from ..ports import PortFault
from ..run import exit_status, run_folder, signing_keys
from ..run.move_evaluations import judge_promised
from ..run.plan_file import PlanFile
from ..run.program_consent import outside_programs, require_consent
from ..run.progress import State
from ..run.run_folder import RunDirectory
from ..run.run_origin import unremembered
from ..run.runner import Blocks, Runner, finished
from ..run.server_access import keys_sent, note_addresses, require_allowed
from ..run.stop import LIMIT_OF_THE_PLAN, Stop, Stopped, StoppedAsAsked
from ..run.terminal_progress import progress
from ..watch.live_page import beside
from .pack import Packed, pack
from .sealed_run import any_manifest, sealed_after_contact

if TYPE_CHECKING:
    from ..cluster import coordinator, worker
    from ..cluster.coordinator import Cluster
    from ..containers import compose_env as compose_variables
    from ..containers import supervise
else:  # only runs on a cluster need Dask, only those in containers the engine's client
    coordinator = imported_at_first_use("agzamov_harness.cluster.coordinator")
    worker = imported_at_first_use("agzamov_harness.cluster.worker")
    compose_variables = imported_at_first_use("agzamov_harness.containers.compose_env")
    supervise = imported_at_first_use("agzamov_harness.containers.supervise")


def to_resume(directory: RunDirectory, key: Path | None, options: "PlayOptions", cluster: str | None) -> str:
    """The command that goes on with a run as it was begun: with the paths that this machine does not remember."""
    given = {
        **unremembered(directory.origin, directory.manifest, key),
        "--engine": options.engine,
        "--out": options.out if options.out != BUNDLES else None,
        "--concurrency": options.concurrency,
        "--cluster": cluster,
        "--listen": options.listen if options.listen != LOOPBACK else None,
        "--port": options.port,
    }
    words = [str(word) for option, value in given.items() if value for word in (option, value)]
    return shlex.join(["agzamov", "resume", no_option(directory.path), *words])


def _nothing(packed: "Packed", desk: Desk) -> None:
    """Do nothing with a bundle."""


class PlayOptions(NamedTuple):
    """Options of the commands that play a sealed run.

    `engine`: the engine's program, where it is not on the path. `out`: the folder of bundles. `concurrency`: streams
    played in parallel. `allow_key`: keys that may go to a host, by variable. `base_url`: changed addresses by seat.
    `installed`: the folder of installed memory servers, and `plan_folder` that of the plan, where they are not those
    that this machine knows. `start_programs`: consent to the programs of memories. `workers`: those of a cluster.
    `again`: the command that goes on with the run, if that is not `agzamov resume`. `listen`, `port`: where the pages
    of people are served; `packed`: called with the bundle while they still are;
    `opened`: with the address of each page.
    """

    engine: str | None = None
    out: Path = BUNDLES
    concurrency: int | None = None
    quiet: bool = False
    watch: bool = False
    allow_key: Mapping[str, str] = NOWHERE
    base_url: Mapping[str, str] = NOWHERE
    installed: Path | None = None
    plan_folder: Path | None = None
    start_programs: bool = False
    workers: "Cluster | None" = None
    again: str = ""
    listen: str = LOOPBACK
    port: int = 0
    packed: "Callable[[Packed, Desk], object]" = _nothing
    opened: Callable[[str], object] = str


AS_SEALED: Final = "a sealed run keeps its plan and adapters, so if these must change, start a new run"


def play_and_pack(directory: RunDirectory, key: Path | None, options: PlayOptions) -> Packed:
    """The bundle of a sealed run, once it is played to its end from where it stands."""
    signer = signing_keys.signer_of(directory, key)
    require_plain_files(directory)
    directory.require_registered()
    memories = Places(directory.memory_servers, directory.plan_folder)
    address = options.workers.address if options.workers else None
    resume = f"go on with: {options.again or to_resume(directory, key, options, address)}"
    stop = Stop()
    stop.wait_for_replies_of(directory.manifest.plan.playing)
    judges_here = directory.manifest.plan.quality.nodes and directory.manifest.plan.isolation == "process"
    judge = find_engine(options.engine) if judges_here else None  # in containers the harness has the engine, and judges
    try:
        tell = partial(click.echo, err=True)
        with (
            directory.locked(),
            beside(directory, tell if options.watch else None),
            people_at(directory, stop, tell, options.listen, options.port, options.opened) as desk,
            exit_status.signals(stop, resume),
        ):
            served = note_addresses(directory, options.base_url)
            require_allowed(keys_sent(directory.manifest.plan, served), options.allow_key)
            require_consent(outside_programs(directory.manifest, memories), given=options.start_programs)
            with weights_watched(directory):
                engine, limit, workers = options.engine, options.concurrency, options.workers
                player = _Player(directory, engine, limit, stop, served, memories, workers, desk)
                blocks = player.play(quiet=options.quiet)
            with counting("positions judged", quiet=options.quiet or not judge) as tick:
                judge_promised(directory, blocks, judge, stop, tick)
            with shown(quiet=options.quiet):
                packed = pack(directory, blocks, signer, options.out)
            options.packed(packed, desk)
            if options.again and stop.is_requested:  # that command would take up the next run
                raise stop.stopped(f"{stop.reason}; this run is whole: {packed.bundle}")
            return packed
    except StoppedAsAsked as error:
        raise StoppedAsAsked(_and_then(str(error), resume)) from error
    except Stopped as error:
        raise Stopped(f"{error}; {resume}") from error
    except PortFault as error:
        raise Stopped(f"{error}; {AS_SEALED}; {resume}") from error
    except PlaceTaken as error:
        raise Stopped(f"{error}; {resume}") from error
    except OSError as error:
        kept = "" if isinstance(error, FileNotFoundError) else "nothing recorded was lost; "
        raise Stopped(f"{exit_status.os_error_words(error)}; {kept}{resume}") from error


def _and_then(reason: str, resume: str) -> str:
    """Why a run stopped, and how it goes on, where it can."""
    return reason if reason.endswith(LIMIT_OF_THE_PLAN) else f"{reason}; {resume}"


class _Player(NamedTuple):
    """The player of a sealed run: containers, the workers of a cluster, or threads of this process."""

    directory: RunDirectory
    engine: str | None
    concurrency: int | None
    stop: Stop
    served: Mapping[str, str]
    memories: Places
    workers: "Cluster | None"
    desk: Desk

    def play(self, *, quiet: bool) -> Blocks:
        """All blocks, once the run is played to its end."""
        if self.directory.manifest.plan.isolation == "container":
            return self._in_containers(quiet=quiet)
        return self._on_workers(self.workers, quiet=quiet) if self.workers else self._here(quiet=quiet)

    def _in_containers(self, *, quiet: bool) -> Blocks:
        with progress(self.directory.manifest.plan, quiet=quiet) as watcher:
            supervise.play_in_containers(self.directory, self.stop, watcher, self.concurrency, _warn)
        with self.directory.playing():
            return finished(self.directory)

    def _on_workers(self, workers: "Cluster", *, quiet: bool) -> Blocks:
        plan = self.directory.manifest.plan
        with progress(plan, quiet=quiet) as watcher:
            state = State(plan, watcher)
            settings = worker.WorkerSettings(
                self.engine,
                str(self.memories.installed.absolute()),
                str(self.memories.plan_folder.absolute()),
                dict(self.served),
            )
            runner = coordinator.ClusterRunner(self.directory, state, self.stop, self.concurrency, workers, settings)
            return runner.play()

    def _here(self, *, quiet: bool) -> Blocks:
        directory, plan = self.directory, self.directory.manifest.plan
        path = find_engine(self.engine) if starts_engine(plan) else None
        where = self.served, directory.notes, self.memories
        own = not self.desk.seats  # a person waits for one reply at a time, and would wait for a process to start
        world_of = open_world(directory.manifest, path, self.stop.wait, *where, has_processes=own, people=self.desk)
        with progress(plan, quiet=quiet) as watcher, world_of as world:
            state, limit = State(plan, watcher), self.concurrency or concurrency_of(plan)
            return Runner(directory, world, unix_ns, state, self.stop, limit, self.desk.ended).play()


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
    with coordinator.connected(address) as cluster:
        _warn(warning)
        yield cluster


def _warn(message: str) -> None:
    if message:
        click.echo(f"warning: {message}", err=True)


def played(plan: PlanFile, key: Path, runs: Path, options: PlayOptions) -> Packed:
    """The bundle of a plan that is sealed and played to its end."""
    directory = sealed_to_play(plan, key, runs, options)
    return play_and_pack(directory, key, options._replace(installed=None))


def sealed_to_play(
    plan: PlanFile, key: Path, runs: Path, options: PlayOptions, require: Callable[[Manifest], object] = any_manifest
) -> RunDirectory:
    """A sealed run that can be played here. `require`: raises ManifestError for a manifest not to be sealed."""
    run_folder.require_room(options.out, runs)
    if people_of(plan.plan):
        PeopleServer.require_free(options.listen, options.port)
    installed = options.installed or installed_folder()
    directory = sealed_after_contact(
        plan,
        key,
        options.engine,
        runs,
        options.allow_key,
        installed,
        start_programs=options.start_programs,
        quiet=options.quiet,
        require=require,
    )
    click.echo(f"run: {directory.path}", err=True)
    return directory
