"""The commands `agzamov memory`: list memory systems, check one, store and search by hand, ask a bundle's again."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import msgspec

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.commands.bundle_argument import faults_told, no_bundle
from agzamov_verify.commands.command_line import Command, Program
from agzamov_verify.core import canon
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.manifest import ManifestError

from ..memory.adapter_file import DeclaredSystem, system_of, systems
from ..memory.blank_run import blank_run
from ..memory.canary_session import HITS_MAX, CanarySession, CheckFailed
from ..memory.conformance import ABOUT_FINGERPRINT, ConformanceFinding, check_system, coinciding
from ..memory.launch import IN_HERE, Places, Setup, SystemSettings, why_not_here
from ..memory.measurable import measured_line
from ..memory.program_files import program_files
from ..memory.server_limits import ServerLimits
from ..memory.stderr_words import telling_lines
from ..ports import PortFault
from ..reproduce.memory_replay import programs_of, replay_memories
from ..run.exit_status import EXIT_FAILED, EXIT_STOPPED, EXIT_USAGE, fail
from ..run.program_consent import OutsideProgram, require_consent
from ..servers.server_process import log_folder
from .shared_options import installed_option, start_programs_option

LOG = "memory.log"
TRY_HELP = "store TEXT | search QUERY | end (of the game) | export | quit"

half_life_option = click.option(
    "--half-life", "half_life_games", type=click.IntRange(0, 10_000), default=0, help="Half-life of entries, in games."
)
noise_option = click.option(
    "--noise", "noise_percent", type=click.IntRange(0, 100), default=0, help="Share of hits that `noisy` damages."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print it as canonical JSON.")


class SystemRow(msgspec.Struct, frozen=True):
    """One system as it is listed. `missing`: why it cannot be started here, with what to type."""

    about: str
    missing: str
    name: str
    query: str
    rewrites: str
    verified: bool

    @property
    def line(self) -> str:
        state = "can be started here" if not self.missing else "not installed"
        tried = "" if self.verified else ", UNVERIFIED: the adapter was not tried with the real system"
        lines = [f"{self.name:<20}{self.query:<11}{state}{tried}", f"    {self.about}"]
        what, advised, steps = self.missing.partition("; type: ")
        return "\n".join([*lines, *([f"    to install: {steps}" if advised else f"    {what}"] if what else [])])


SECTIONS = {
    "Bring your own": {
        "adapt": Command(
            "agzamov_harness.commands.memory_adapt_command:adapt",
            "Start a server by COMMAND, find out how it is used, and write its adapter",
        ),
    },
    "Prove the instrument": {
        "control": Command(
            "agzamov_harness.commands.memory_control_command:control",
            "Play the positive control of memory and judge it; or judge the BUNDLE of one that was played",
        ),
    },
}


@click.group(cls=Program, sections=SECTIONS)
def memory() -> None:
    """Memory systems: list them, check one before a run, store and search by hand."""


@memory.command("list")
@installed_option
@json_option
def list_systems(installed: Path, *, as_json: bool) -> None:
    """List the memory systems, by what each searches, and whether it can be started here.

    Example: agzamov memory list

    Exit code 0.
    """
    rows = [row_of(system, installed) for system in systems().values()]
    if as_json:
        click.echo(canon.dumps(msgspec.to_builtins(rows)).decode())
        return
    for row in rows:
        click.echo(printable_lines(row.line))


@memory.command()
@click.argument("name", metavar="NAME|FILE.yaml")
@installed_option
@half_life_option
@noise_option
@click.option("--blank", is_flag=True, help="Look for knowledge that nobody stored, too.")
@start_programs_option
@json_option
def check(
    name: str,
    installed: Path,
    half_life_games: int,
    noise_percent: int,
    *,
    blank: bool,
    start_programs: bool,
    as_json: bool,
) -> None:
    """Check a memory system by its NAME, or the one of an adapter's FILE, as a run would use it.

    Canaries are stored, searched and exported in fresh folders; each check is one line. At last its searches are
    compared with those of the built-in systems. The last line says whether the system can be measured, with which
    lineage, or why not. With --blank it is asked for many words of the games, first while it is
    empty, then beside a twin that is told nothing: what was never stored and is found, the system brought with it.

    Example: agzamov memory check recent

    Exit code 0: every check is ok, warnings aside. 1: a check failed. 2: no such system, its adapter is wrong, or it
    is not installed here.
    """
    with _setup(name, installed, half_life_games, noise_percent, start_programs=start_programs) as (setup, folder):
        findings = []
        for finding in _findings(setup, folder, blank=blank):
            findings.append(finding)
            if not as_json:
                click.echo(printable_lines(finding.line))
        wrong = any(finding.outcome == "FAILED" for finding in findings)
        outcome = measured_line(setup.system, findings)
        if as_json:
            click.echo(canon.dumps({"findings": msgspec.to_builtins(findings), "outcome": outcome}).decode())
        else:
            click.echo(printable_lines(outcome))
        if wrong and not as_json:
            _echo_log(folder / LOG)
        sys.exit(EXIT_FAILED if wrong else 0)


@memory.command("try")
@click.argument("name", metavar="NAME|FILE.yaml")
@click.option("--store", "texts", multiple=True, metavar="TEXT", help="Store a text. Repeatable.")
@click.option("--search", "queries", multiple=True, metavar="QUERY", help="Then search. Repeatable.")
@click.option("--limit", type=click.IntRange(1, 100), default=HITS_MAX, show_default=True, help="Entries to give.")
@click.option("--raw", is_flag=True, help="Show on stderr each call of a tool and the server's answer, as they were.")
@installed_option
@half_life_option
@noise_option
@start_programs_option
@json_option
def try_system(
    name: str,
    texts: tuple[str, ...],
    queries: tuple[str, ...],
    limit: int,
    installed: Path,
    half_life_games: int,
    noise_percent: int,
    *,
    raw: bool,
    start_programs: bool,
    as_json: bool,
) -> None:
    """Store and search in a fresh memory, which is gone afterwards.

    Each text is stored in a game of its own. Without --store and --search, commands are read line by line: store TEXT,
    search QUERY, end, export, quit.

    Example: agzamov memory try full_text --store "the opponent castles early" --search castles

    Exit code 0: done. 2: no such system, or it cannot be started. 4: the server broke a rule, which is named.
    """
    with (
        _setup(name, installed, half_life_games, noise_percent, start_programs=start_programs) as (setup, folder),
        _session(msgspec.structs.replace(setup, tell_raw=_echo_raw if raw else None), folder) as session,
    ):
        if not texts and not queries:
            _converse(session, limit)
            return
        session.remember(texts)
        found = {query: session.search(query, limit) for query in queries}
    if as_json:
        click.echo(canon.dumps(msgspec.to_builtins(found)).decode())
        return
    for query, hits in found.items():
        click.echo(printable_lines(f"{query}: {len(hits)} found"))
        for number, hit in enumerate(hits, 1):
            click.echo(printable_lines(f"{number:>3}. {hit}"))


@memory.command()
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option("--career", type=click.IntRange(1), help="This career alone, counted from 1 over the whole plan.")
@installed_option
@click.option(
    "--plan-folder",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The folder from which the path of an adapter's file is taken: its own folder is ${HERE}; default: this one.",
)
@click.option("--blank", is_flag=True, help="Ask a twin of each, too, that is told no entry.")
@click.option(
    "--start-programs", is_flag=True, help="Start the programs that the bundle's own adapters name, here and as you."
)
@json_option
def replay(
    bundle: Path,
    career: int | None,
    installed: Path,
    plan_folder: Path,
    *,
    blank: bool,
    start_programs: bool,
    as_json: bool,
) -> None:
    """Repeat the questions of BUNDLE's memories to fresh servers, in order, and compare every answer and dump.

    Each career gets a server of its own: the one that the manifest names, in its image where the run was in containers.
    Of a server from outside the bundle holds the adapter; the server itself must be here. What it starts was written by
    whoever made the bundle, so it is shown and nothing is started without --start-programs. Where its adapter declares
    that searches need not repeat, those that differ are counted. With --blank a second server is asked the same but
    given no entry: whatever it gives, the system brought with it.

    Exit code 0: all answers are the same. 1: some differ, or the bundle is broken. 2: wrong use. 4: a server could not
    be asked, or is not the sealed one.
    """
    if why := no_bundle(bundle):
        fail(why, EXIT_USAGE)
    log, replayed = CheckLog(), []
    try:
        with faults_told(log):
            places, opened = Places(installed, plan_folder), open_bundle(bundle, log)
            if (programs := programs_of(opened.manifest, places)) and not start_programs:
                commands = printable("; ".join(f"{name}: {command}" for name, command in programs.items()))
                fail(f"its adapters start programs here, as you: {commands}; add --start-programs", EXIT_USAGE)
            for outcome in replay_memories(opened, career or 0, places, blank=blank):
                replayed.append(outcome)
                if not as_json:
                    click.echo(printable_lines(outcome.line))
    except PortFault as error:
        where = "; --plan-folder names the folder in which the plan stood" if IN_HERE in str(error) else ""
        fail(f"{error}{where}", EXIT_STOPPED)
    if as_json:
        click.echo(canon.dumps(msgspec.to_builtins(replayed)).decode())
    if not replayed:
        fail("expected a bundle in which seat A has a memory in that career, found none", EXIT_USAGE)
    sys.exit(EXIT_FAILED if any(outcome.place for outcome in replayed) else 0)


def row_of(system: DeclaredSystem, installed: Path) -> SystemRow:
    """A system as it is listed."""
    adapter = system.adapter
    missing = why_not_here(system, installed / system.name)
    about, query = system.variant.about, system.variant.query
    return SystemRow(about, missing, system.name, query, adapter.traits.rewrites, adapter.verified)


def printable_lines(text: str) -> str:
    """Foreign text for a person, with its line breaks."""
    return "\n".join(map(printable, text.split("\n")))


@contextmanager
def _setup(
    name: str, installed: Path, half_life_games: int, noise_percent: int, *, start_programs: bool
) -> Iterator[tuple[Setup, Path]]:
    """The system to start, and a folder for its log. One clear line where there is no such system, or no consent."""
    try:
        system = system_of(name)
    except ManifestError as error:
        fail(str(error), EXIT_USAGE)
    if missing := why_not_here(system, installed / system.name):
        fail(f"memory {system.name} cannot be started here: {missing}", EXIT_USAGE)
    try:
        programs = [OutsideProgram(system, program_files(system))] if system.file else []
        require_consent(programs, given=start_programs)
    except (ManifestError, PortFault) as error:
        fail(str(error), EXIT_USAGE)
    settings = SystemSettings(half_life_games, noise_percent)
    with log_folder("memory") as folder:
        files = programs[0].files if programs else None
        yield Setup(system, settings, ServerLimits(), installed / system.name, files=files), folder


@contextmanager
def _session(setup: Setup, folder: Path) -> Iterator[CanarySession]:
    session = CanarySession(setup, folder / LOG)
    try:
        yield session
    except (PortFault, CheckFailed) as error:
        _echo_log(folder / LOG)
        fail(str(error), EXIT_STOPPED)
    finally:
        session.port.close()


def _findings(setup: Setup, folder: Path, *, blank: bool) -> Iterator[ConformanceFinding]:
    """Every check; if none failed, the comparison with the built-in systems."""
    failed = opens = False
    for finding in check_system(setup, folder / LOG):
        opens = opens or finding.outcome == "ok"
        failed = failed or finding.outcome == "FAILED"
        yield finding
    for finding in blank_run(setup, folder) if blank and opens else ():
        failed = failed or finding.outcome == "FAILED"
        yield finding
    if failed:
        return
    built_in = [system for system in systems().values() if system.adapter.systems and not _needs_settings(system)]
    compared = list(coinciding(setup, built_in, folder))
    yield from compared
    if not any(finding.outcome == "warning" for finding in compared):
        yield ConformanceFinding("fingerprint", "ok", ABOUT_FINGERPRINT)


def _needs_settings(system: DeclaredSystem) -> bool:
    return "noise_percent" in system.variant.settings


def _converse(session: CanarySession, limit: int) -> None:
    """Commands line by line, until the end of the input."""
    if sys.stdin.isatty():
        click.echo(TRY_HELP)
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        match word:
            case "store":
                session.store(rest)
                click.echo("stored")
            case "search":
                for number, hit in enumerate(session.search(rest, limit), 1):
                    click.echo(printable_lines(f"{number:>3}. {hit}"))
            case "end":
                click.echo(f"{session.end_game()} entries")
            case "export":
                for kept in session.export():
                    click.echo(printable_lines(f"{kept.entry} games {', '.join(map(str, kept.games))}: {kept.content}"))
            case "quit":
                return
            case _:
                click.echo(TRY_HELP)


def _echo_raw(words: str) -> None:
    click.echo(printable_lines(words), err=True)


def _echo_log(log: Path) -> None:
    """Lines of what the server printed on stderr that tell why it ended, and where all of them are."""
    lines = telling_lines(log.read_text(errors="replace")) if log.exists() else []
    for line in lines:
        click.echo(f"stderr: {printable(line)}", err=True)
    if lines:
        click.echo(f"all of it: {log}", err=True)
