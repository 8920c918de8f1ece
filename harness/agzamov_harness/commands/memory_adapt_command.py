"""The command `agzamov memory adapt`: the first version of an adapter, from a server that is started and used."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from msgspec.structs import replace

from agzamov_verify.memory.declared_server import Adapter, Export, Launch, Search, Store, Traits, Variant
from agzamov_verify.plan.manifest import ManifestError

from ..memory.adapt.draft import yaml_of
from ..memory.adapt.findings import NoMemory, found_out
from ..memory.adapter_file import DeclaredSystem, adapter_from_yaml, sealed_text, system_of
from ..memory.conformance import check_system
from ..memory.launch import Setup, why_not_here
from ..memory.memory_port import SEARCH_ADVICE
from ..memory.program_files import program_files
from ..ports import PortFault
from ..run.exit_status import EXIT_USAGE, fail
from ..run.program_consent import OutsideProgram, require_consent
from ..servers.server_process import log_folder
from .memory_command import LOG, _echo_log, check, printable_lines
from .shared_options import installed_option, start_programs_option

NEED_NOT_REPEAT: Final = "  deterministic: store  # a second server that was told the same answered otherwise"
ADDRESS: Final = ("http://", "https://")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("memory.yaml"), show_default=True, help="The file."
)
@click.option("--env", "variables", multiple=True, metavar="NAME=VALUE", help="A variable for the server. Repeatable.")
@click.option("--url", default="", help="Where it listens, if it speaks HTTP: with ${PORT}, which COMMAND is told.")
@click.option("--models-url", default="", help="The OpenAI-compatible API of the models that the server itself asks.")
@click.option("--models-key-env", default="", metavar="NAME", help="The variable with that API's key.")
@installed_option
@start_programs_option
@click.pass_context
def adapt(
    context: click.Context,
    command: tuple[str, ...],
    out: Path,
    variables: tuple[str, ...],
    url: str,
    models_url: str,
    models_key_env: str,
    installed: Path,
    *,
    start_programs: bool,
) -> None:
    """Start a memory server by COMMAND, find out how it is used, write its adapter, and check it.

    Its tools are asked for, and those that look right are called: three notes are stored and searched for in a fresh
    folder, and the answers tell how they are read. The file has a reason beside each choice; what had to be guessed
    is a comment that begins with `choose:`. In COMMAND and --env, ${DATA} is the server's empty folder, ${HERE} the
    folder of the file, ${INSTALLED} the folder that --installed has for it, ${PORT} a free port, ${MODELS_URL} the
    address of a relay to --models-url.

    Example: agzamov memory adapt --out notes.yaml -- npx my-memory-server

    Exit code: that of `agzamov memory check`. 2: the server does not start, or has no tool that stores or none that
    searches.
    """
    if out.exists():
        fail(f"{out}: expected a new file, found one that exists", EXIT_USAGE)
    try:
        launch = launch_of(command, variables, url, installed / out.stem, out.parent)
        launch = replace(launch, models_url=models_url, models_key_env=models_key_env)
        setup = _setup_of(launch, out, installed, start_programs=start_programs)
        with log_folder("memory") as folder:
            try:
                text = yaml_of(found_out(setup, folder / LOG), launch)
            except (NoMemory, PortFault) as error:
                _echo_log(folder / LOG)
                fail(f"{out.stem} cannot be adapted: {error}", EXIT_USAGE)
            adapter_from_yaml(text.encode())
            if not _repeats(replace(setup, system=_as_drafted(text, setup)), folder):
                text = text.replace("  ids: server\n", f"  ids: server\n{NEED_NOT_REPEAT}\n")
    except (ManifestError, PortFault) as error:
        fail(str(error), EXIT_USAGE)
    out.write_text(text)
    click.echo(printable_lines(text))
    system = system_of(str(out))
    require_consent([OutsideProgram(system, program_files(system))], given=True)  # the program that was agreed to
    context.invoke(check, name=str(out), installed=installed)


def launch_of(
    command: Sequence[str], variables: Sequence[str], url: str, installed: Path, here: Path = Path()
) -> Launch:
    """The launch of a command as it is typed; `here`: the folder of its adapter. Raises ManifestError.

    The server starts in a folder of its own: a word that is a file of `here` becomes ${HERE}/..., and a program's path
    from the present folder a whole one.
    """
    env = dict[str, str]()
    for word in variables:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise ManifestError(f"--env: expected NAME=VALUE, found {word!a}")
        env[name] = value
    there = str(installed.absolute())
    first, *rest = (_placed(word.replace(there, "${INSTALLED}"), here.resolve()) for word in command)
    env = {name: value.replace(there, "${INSTALLED}") for name, value in env.items()}
    if first.startswith(ADDRESS):
        raise ManifestError("expected a command, found an address; write its adapter by hand (docs/add-a-memory.md)")
    return Launch(command=first, args=tuple(rest), env=env, url=url)


def _placed(word: str, here: Path) -> str:
    """A word of a command: below ${HERE} where it is a file there, as a whole path where it is another one's."""
    path = Path(word)
    if path.is_absolute() or not path.is_file():
        return word
    if path.resolve().is_relative_to(here):
        return f"${{HERE}}/{path.resolve().relative_to(here)}"
    return str(path.absolute())


def _setup_of(launch: Launch, out: Path, installed: Path, *, start_programs: bool) -> Setup:
    """The server as it is to be started, once that was agreed to. Raises ManifestError, PortFault."""
    nothing = Adapter(
        about="A server that is asked for its tools",
        interface="agz-memory-1",
        launch=launch,
        traits=Traits("unknown", "full_text", "never"),
        store=Store("", {}),
        search=Search("", {}),
        export=Export(absent=True),
    )
    text = sealed_text(nothing)
    here = out.parent.absolute()
    system = DeclaredSystem(
        out.stem, nothing, Variant("", "full_text"), here, hashlib.sha256(text.encode()).hexdigest(), str(out)
    )
    if missing := why_not_here(system, installed / out.stem):
        raise PortFault(f"{out.stem} cannot be started here: {missing}")
    program = OutsideProgram(system, program_files(system))
    require_consent([program], given=start_programs, place=" before the command")
    return replace(Setup(system, installed=installed / out.stem), files=program.files)


def _as_drafted(text: str, setup: Setup) -> DeclaredSystem:
    """The system of the draft, in the place of the one that was asked for its tools."""
    adapter = adapter_from_yaml(text.encode())
    return replace(setup.system, adapter=adapter, variant=Variant("", adapter.traits.query))


def _repeats(setup: Setup, folder: Path) -> bool:
    """Whether a fresh server answers as the one before, as far as the other checks let it be seen."""
    findings = check_system(setup, folder / LOG)
    return not any(finding.advice == SEARCH_ADVICE and finding.outcome == "FAILED" for finding in findings)
