"""A run is sealed: once its world was asked, with the pins of its images, its weights and its memory servers.

Each memory server is started once, as a run starts it, and looked at.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.waiting import shown
from agzamov_verify.engines.uci_engine import find_engine
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.plan.plan_problems import local_models, needs_engine

from ..containers.image_roles import images_of
from ..foundation.first_use import imported_at_first_use
from ..memory.launch import Places
from ..models.weight_pins import pins_of
from ..ports import PortFault
from ..run import run_folder, signing_keys
from ..run.engine_programs import with_programs
from ..run.first_contact import NOT_SEALED, first_contact
from ..run.plan_file import PlanFile
from ..run.program_consent import OutsideProgram, outside_engines, outside_memories, require_consent
from ..run.run_folder import RunDirectory
from ..run.seal import seal as seal_plan
from ..run.seal import with_accepted_seed

if TYPE_CHECKING:
    from ..cluster import coordinator, worker
    from ..containers import compose_env as compose_variables
    from ..containers import supervise
    from ..models import preflight, preflight_before_sealing
else:  # only runs on a cluster need Dask, only those in containers the engine's client, only local models theirs
    preflight = imported_at_first_use("agzamov_harness.models.preflight")
    preflight_before_sealing = imported_at_first_use("agzamov_harness.models.preflight_before_sealing")
    coordinator = imported_at_first_use("agzamov_harness.cluster.coordinator")
    worker = imported_at_first_use("agzamov_harness.cluster.worker")
    compose_variables = imported_at_first_use("agzamov_harness.containers.compose_env")
    supervise = imported_at_first_use("agzamov_harness.containers.supervise")

from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from agzamov_verify.checks.opened_bundle import native_problems
from agzamov_verify.plan.manifest import Manifest, MemoryPin, Plan
from agzamov_verify.plan.streams import memories_played
from agzamov_verify.systems.memory_system import Use

from ..foundation.first_use import imported_at_first_use
from ..memory import own_searches
from ..memory.launch import HERE, Setup, require_here, setup_of
from ..servers.server_process import log_folder

if TYPE_CHECKING:
    from ..containers import container_lifecycle, topology
    from ..memory import memory_server
else:  # the engine's client and the library of the protocol take a second to import
    container_lifecycle = imported_at_first_use("agzamov_harness.containers.container_lifecycle")
    topology = imported_at_first_use("agzamov_harness.containers.topology")
    memory_server = imported_at_first_use("agzamov_harness.memory.memory_server")


def with_memories(manifest: Manifest, places: Places = HERE, programs: Iterable[OutsideProgram] = ()) -> Manifest:
    """The manifest with the pin of each memory that is played. Raises ManifestError where one cannot be started.

    `programs`: those to whose files somebody consented. Other ones are not started.
    """
    files = {program.of: program.files for program in programs}
    try:
        pins = {name: _pin(manifest, name, places, files.get(name)) for name in memories_played(manifest.plan)}
    except PortFault as error:
        raise ManifestError(f"{error}; {NOT_SEALED}") from error
    sealed = msgspec.structs.replace(manifest, memories=pins)
    for place, problem in native_problems(sealed):
        raise ManifestError(f"{place}: expected tools that a model can be offered, found {problem}; {NOT_SEALED}")
    return sealed


def _pin(manifest: Manifest, name: str, places: Places, files: Mapping[str, str] | None) -> MemoryPin:
    with (
        served_memory(manifest, name, places) as setup,
        log_folder("memory") as folder,
        closing(
            memory_server.MemoryServer(msgspec.structs.replace(setup, files=files), folder / "memory.log")
        ) as server,
    ):
        if _is_asked_first(manifest, name, setup):
            own_searches.require_own_searches(server, setup, games_of(manifest.plan, name))
        return server.pin


def _is_asked_first(manifest: Manifest, name: str, setup: Setup) -> bool:
    """Whether a memory is asked what a run asks: not where models choose the words, and not in somebody's own store."""
    asks = manifest.plan.systems[name].way_of_use == Use.HARNESS
    return asks and not setup.system.adapter.launch.runs_already


def games_of(plan: Plan, name: str) -> tuple[str, ...]:
    """The games in which a memory is played."""
    return tuple(dict.fromkeys(match.game for match in plan.memory_matches if name in plan.memories_of(match)))


@contextmanager
def served_memory(manifest: Manifest, name: str, places: Places = HERE) -> Iterator[Setup]:
    """The server of a system; in its container, which is there for so long, where the run is in containers.

    Raises PortFault where there is none.
    """
    system = manifest.plan.systems[name]
    setup = setup_of(system, manifest.memories.get(name), places)
    if manifest.plan.isolation == "process":
        require_here(setup)
        yield setup
        return
    with container_lifecycle.served(
        manifest, system.image_part, lambda machine: topology.memory_box(system, 1, machine)
    ) as folder:
        yield msgspec.structs.replace(setup, socket=folder / topology.SOCKET_NAME)


def any_draws(dice: Dice) -> bool:  # noqa: ARG001 - of any seed
    """Accept whatever a seed draws."""
    return True


def any_manifest(_: Manifest) -> None:
    """Accept whatever is to be sealed."""


def sealed_after_contact(  # noqa: PLR0913 - options of a command
    file: PlanFile,
    key: Path,
    engine: str | None,
    runs: Path,
    allow_key: Mapping[str, str],
    installed: Path,
    *,
    start_programs: bool,
    quiet: bool = False,
    accepts: Callable[[Dice], bool] = any_draws,
    require: Callable[[Manifest], object] = any_manifest,
) -> RunDirectory:
    """A run that was sealed once its servers were asked, and its container engine, whether they can play it.

    Local models pass their preflight first, on this machine; `quiet`: it shows no progress. `accepts`: what its seed
    draws; another one is drawn until it does. `require`: raises ManifestError for a manifest that is not to be sealed.
    """
    signing_keys.load(key)  # before a server is asked: a wrong path is sooner told than waited for
    if file.plan.isolation == "container":
        supervise.require_engine(file.plan)
    first_contact(file.plan, engine, allow_key)

    def measure(manifest: Manifest) -> "preflight.PreflightExecution | None":
        require(manifest)
        return _measured(file.folder, runs, manifest, quiet=quiet)

    return sealed(file, key, engine, runs, installed, start_programs=start_programs, measure=measure, accepts=accepts)


def sealed(  # noqa: PLR0913 - as above
    file: PlanFile,
    key: Path,
    engine: str | None,
    runs: Path,
    installed: Path,
    *,
    start_programs: bool,
    measure: Callable[[Manifest], "preflight.PreflightExecution | None"] = lambda _: None,
    accepts: Callable[[Dice], bool] = any_draws,
) -> RunDirectory:
    """A run that was sealed from a plan and has not started. `start_programs`: consent to those of its memories.

    `measure`: the preflight of its local models. `accepts`: what its seed draws; another one is drawn until it does.
    Raises ManifestError where a model would be refused.
    """
    plan, folder = file
    signer = signing_keys.load(key)
    plan = with_engines(plan, folder, start_programs=start_programs)
    images, models = images_of(plan), pins_of(plan, folder)
    engine_path = find_engine(engine) if needs_engine(plan) and not images.pins else None
    manifest, secret = seal_plan(plan, key_id(signer.public_key()), engine_path, images=images, models=models)
    programs = list(outside_memories(manifest, Places(installed, folder)))
    require_consent(programs, given=start_programs)
    manifest = with_accepted_seed(with_memories(manifest, Places(installed, folder), programs), secret, accepts)
    measured = measure(manifest)
    directory = run_folder.create(runs, manifest, secret, signer, folder, key, installed)
    if measured:
        preflight.note(directory.notes, measured)
    return directory


def with_engines(plan: Plan, folder: Path, *, start_programs: bool) -> Plan:
    """The plan with the digests and names of its UCI engines. Raises ManifestError where one does not fit."""
    engines = outside_engines(plan, folder)
    require_consent(engines, given=start_programs)
    try:
        return with_programs(plan, [engine.program for engine in engines])
    except PortFault as error:
        raise ManifestError(f"{error}; {NOT_SEALED}") from error


def _measured(folder: Path, runs: Path, manifest: Manifest, *, quiet: bool) -> "preflight.PreflightExecution | None":
    """The preflight of a manifest's local models, which tells how long it takes. Raises ManifestError."""
    if not local_models(manifest.plan):
        return None

    def tell(name: str, answers: int, seconds: float) -> None:
        if not quiet:
            click.echo(preflight_before_sealing.forecast_line(name, answers, seconds), err=True)

    with shown(quiet=quiet):
        return preflight_before_sealing.measured_before_sealing(manifest, folder, runs, tell)
