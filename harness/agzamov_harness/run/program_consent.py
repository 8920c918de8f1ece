"""Consent to start programs that do not come with Agzamov: those of adapters in a plan's folder, and UCI engines.

They run as whoever types the command, who may have got the plan from a stranger. Consent is asked once for an adapter
and the files of its program, and remembered by their digest in the owner's own folder: another text, or another file,
is asked for again.
"""

import hashlib
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from agzamov_verify.core import canon
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.memory.declared_server import Launch, shipped_problem
from agzamov_verify.plan.manifest import Manifest, ManifestError, Plan
from agzamov_verify.plan.streams import memories_played
from agzamov_verify.systems import MemorySystem

from ..foundation.confirmation import confirmed
from ..foundation.owner_files import recalled, remembered
from ..foundation.owner_folder import owner_folder
from ..memory.adapter_file import DeclaredSystem
from ..memory.launch import Places, setup_of
from ..memory.program_files import program_files
from ..ports import PortFault
from .engine_programs import EngineProgram, engine_programs
from .first_contact import NOT_SEALED

FILE = "started-programs.json"
OPTION = "--start-programs"
WHAT = "the programs that may be started"
QUESTION = {False: "Start it?", True: "Speak to it?"}


class Program(msgspec.Struct, frozen=True, order=True):
    """A program by the digest of its adapter and files, and the name under which it was shown."""

    sha256: str
    name: str


class StartedPrograms(msgspec.Struct, frozen=True):
    """The file."""

    allowed: tuple[Program, ...] = ()
    format: Literal["agz-started-programs-1"] = "agz-started-programs-1"


class OutsideProgram(NamedTuple):
    """A program that does not come with Agzamov: the system that it serves, and digests of its files.

    `of`: the name of its system in the plan, where there is one.
    """

    system: DeclaredSystem
    files: Mapping[str, str]
    of: str = ""

    @property
    def consent(self) -> Program:
        return Program(_digest(self.system, self.files), self.system.name)

    @property
    def words(self) -> str:
        return _words(self.system)

    @property
    def question(self) -> str:
        return QUESTION[self.system.adapter.launch.runs_already]


class OutsideEngine(NamedTuple):
    """The program of a UCI engine at a seat."""

    program: EngineProgram

    @property
    def consent(self) -> Program:
        return Program(self.program.sha256, self.program.path.name)

    @property
    def words(self) -> str:
        path = printable(str(self.program.path))
        return f"seat {self.program.seat} starts a UCI engine that does not come with Agzamov, as you: {path}."

    @property
    def question(self) -> str:
        return QUESTION[False]


def outside_programs(manifest: Manifest, places: Places) -> Iterator[OutsideProgram | OutsideEngine]:
    """The programs from outside that a run starts on this machine.

    Their files are those that were sealed, which are compared before a start; before they are sealed, those that are
    there. Raises ManifestError where one cannot be read.
    """
    yield from outside_engines(manifest.plan, places.plan_folder)
    yield from outside_memories(manifest, places)


def outside_engines(plan: Plan, plan_folder: Path) -> list[OutsideEngine]:
    """The UCI engines of a plan. Raises ManifestError where one cannot be found."""
    try:
        return [OutsideEngine(program) for program in engine_programs(plan, plan_folder)]
    except PortFault as error:
        raise ManifestError(str(error)) from error


def outside_memories(manifest: Manifest, places: Places) -> Iterator[OutsideProgram]:
    """The programs that serve memories. Raises ManifestError where one cannot be read."""
    plan = manifest.plan
    for name in memories_played(plan) if plan.isolation == "process" else ():
        system, pin = plan.systems[name], manifest.memories.get(name)
        if isinstance(system, MemorySystem) and is_outside(system):
            declared = setup_of(system, None, places).system
            yield OutsideProgram(declared, pin.files if pin else _files_to_seal(declared), name)


def _files_to_seal(system: DeclaredSystem) -> Mapping[str, str]:
    try:
        return program_files(system)
    except PortFault as error:
        raise ManifestError(f"{error}; {NOT_SEALED}") from error


def is_outside(system: MemorySystem) -> bool:
    """True if the adapter of a system is not, text for text, one that comes with Agzamov."""
    return system.is_from_outside and bool(shipped_problem(system.server, system.adapter))


def require_consent(programs: Iterable[OutsideProgram | OutsideEngine], *, given: bool, place: str = "") -> None:
    """Raises ManifestError unless consent to each is remembered, given now by the option, or given at the terminal.

    `place`: where in the command the option is to be typed, if not at its end.
    """
    path = owner_folder() / FILE
    known = {program.sha256: program for program in recalled(path, StartedPrograms, WHAT).allowed}
    new = dict[str, Program]()
    for outside in programs:
        program = outside.consent
        if program.sha256 in known or program.sha256 in new:
            continue
        if not given and not confirmed(f"{outside.words} {outside.question}"):
            raise ManifestError(
                f"{outside.words} If you trust it, add {OPTION}{place} (once; it is remembered in {path})"
            )
        new[program.sha256] = program
    if new:
        remembered(path, StartedPrograms(tuple(sorted({**known, **new}.values()))))


def _digest(system: DeclaredSystem, files: Mapping[str, str]) -> str:
    """What consent is to: the adapter, the files that are sealed of its program, and the folder that it starts them in.

    A program may read more than is sealed of it, and another folder has other files.
    """
    folder = str(system.here.resolve()) if system.here else ""
    return hashlib.sha256(canon.dumps({"adapter": system.sha256, "files": {**files}, "folder": folder})).hexdigest()


def _words(system: DeclaredSystem) -> str:
    """What would be started, in words; its adapter was written by whoever made the plan."""
    launch = system.adapter.launch
    if launch.runs_already:
        return (
            f"memory {printable(system.name)} is a server at {printable(launch.url)}, which runs already and is told"
            " every note of a run."
        )
    variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in launch.env.items())
    command = printable(f"{variables} {shlex.join([launch.command, *map(str, launch.args)])}".strip())
    return (
        f"memory {printable(system.name)} starts a program that does not come with Agzamov, as you: {command}, where"
        f" ${{HERE}} is {printable(str(system.here))}.{_of_models(launch)}"
    )


def _of_models(launch: Launch) -> str:
    """The address at which others read what the program asks its models; with the variable whose key pays for it."""
    if not launch.models_url:
        return ""
    key = f", with the key in {printable(launch.models_key_env)}" if launch.models_key_env else ""
    return f" It asks models at {printable(launch.models_url)} through the run{key}."
