"""The commands `agzamov arena`: rounds of an arena are sealed and played, and its table is made of verified bundles."""

import shlex
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import click

from agzamov_verify.commands.bundle_argument import bounded
from agzamov_verify.commands.command_line import Program
from agzamov_verify.core.waiting import shown
from agzamov_verify.core.workers import cores
from agzamov_verify.plan.manifest import ManifestError, Plan

from ..arena.arena_file import Arena, read_arena
from ..arena.arena_folder import ArenaFolder
from ..arena.arena_site import replaceable_words, require_replaceable, write_site
from ..arena.arena_table import arena_table, table_bytes
from ..arena.house_limits import require_house_rules
from ..arena.openings import least_used
from ..arena.roster import with_player
from ..arena.schedule import rounds_to_seal
from ..arena.table_text import table_text
from ..foundation.owner_folder import installed_folder
from ..pipeline.play_and_pack import PlayOptions, connected, play_and_pack
from ..pipeline.sealed_run import sealed_after_contact
from ..run import run_folder
from ..run.exit_status import faults
from ..run.plan_file import PlanFile
from ..run.run_folder import RunDirectory
from ..run.stop import Stopped, StoppedAsAsked
from .arena_bundles import checked_arena
from .arena_data_command import export, rank
from .arena_plan_command import plan
from .run_commands import cluster_option
from .shared_options import allow_key_option, engine_option, key_option, start_programs_option

arena_argument = click.argument(
    "arena_path", metavar="ARENA", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)


@click.group(cls=Program)
def arena() -> None:
    """Many players, many games: play what is missing of an arena, and make its table from verified bundles."""


@arena.command()
@arena_argument
@key_option
@engine_option
@allow_key_option
@start_programs_option
@cluster_option
@click.option(
    "--rounds", type=click.IntRange(1), help="Play at most so many rounds now; default: all that are missing."
)
@click.option("--seal-only", is_flag=True, help="Seal the missing rounds without playing them.")
@click.option("--quiet", is_flag=True, help="No progress, even on a terminal.")
def run(
    arena_path: Path,
    key: Path,
    engine: str | None,
    allow_key: Mapping[str, str],
    cluster: str | None,
    rounds: int | None,
    *,
    start_programs: bool,
    seal_only: bool,
    quiet: bool,
) -> None:
    """Play the rounds that ARENA (a YAML file) is missing: each is sealed, played and signed as a bundle of its own.

    A round plays every pairing of every game once, so whatever was played is a fair arena. Runs are kept in runs/ and
    bundles in bundles/ beside the file; bundles of other machines and people may be copied there, and count. Typed
    again, the command goes on where it stopped.

    Example: agzamov arena run manifests/arena/arena.yaml --key key.pem

    Exit code 0: all was played, or so many rounds. 2: the arena, a server, a key or the engine is wrong. 4: a run
    stopped; type the command again to go on.
    """
    with faults():
        found = read_arena(arena_path)
        require_house_rules(arena_path, found.whole)
        folder = _folder_of(found)
        sealer = _Sealer(found, folder, key, engine, allow_key, start_programs)
        with folder.held(), connected(cluster, found.whole) as workers:
            if seal_only:
                sealer.seal(rounds)
            else:
                given = {"--key": key, "--engine": engine, "--cluster": cluster, "--rounds": rounds}
                words = [str(word) for option, value in given.items() if value for word in (option, value)]
                again = shlex.join(["agzamov", "arena", "run", str(arena_path), *words])
                options = PlayOptions(
                    engine,
                    folder.bundles,
                    quiet=quiet,
                    allow_key=allow_key,
                    start_programs=start_programs,
                    workers=workers,
                    again=again,
                )
                for directory in islice(sealer.to_play(), rounds):
                    click.echo(f"bundle: {_bundle_of(directory, key, options)}")
        click.echo(_standing_line(found, folder.plans()))


@arena.command()
@arena_argument
@click.argument("name")
@click.option("--kind", required=True, help="The kind of its seat, as in a plan: openai, ollama, gguf, stockfish …")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the seat. Repeatable.")
def add(arena_path: Path, name: str, kind: str, settings: tuple[str, ...]) -> None:
    """Add the player NAME to the roster of ARENA; the next `arena run` plays only what it is missing.

    Example: agzamov arena add arena.yaml qwen --kind ollama --set model=qwen2.5:0.5b

    Exit code 0: added. 2: the player is there already, or its settings are wrong; nothing was changed.
    """
    with faults():
        text = with_player(arena_path.read_text(), name, kind, settings)
        checked = arena_path.with_name(f".{arena_path.name}.new")
        checked.write_text(text)
        try:
            found = read_arena(checked)
            require_house_rules(checked, found.whole)
            line = _standing_line(found._replace(path=arena_path), _folder_of(found).plans())
            checked.replace(arena_path)
        except ManifestError as error:
            raise ManifestError(str(error).replace(str(checked), str(arena_path))) from error
        finally:
            checked.unlink(missing_ok=True)
        click.echo(line)


@arena.command()
@click.argument("place", metavar="ARENA|FOLDER", type=click.Path(exists=True, path_type=Path))
@engine_option
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
@bounded
def table(place: Path, engine: str | None, *, as_json: bool, **limits: Any) -> None:
    """Verify the bundles of an arena, and print its table: ratings, intervals, rank sets, forfeits, tokens and price.

    ARENA is its file, with bundles/ beside it; a FOLDER of bundles serves as well, and then the rules of most of them
    are the arena's. The table follows from the verified bundles alone, whoever made them, and says what it left out.

    Example: agzamov arena table arena.yaml

    Exit code 0: printed, and every bundle counts. 1: printed, and something was left out. 2: wrong use.
    """
    with faults():
        checked = checked_arena(place, engine, limits)
        made = arena_table(checked.found, checked.rounds)
        click.echo(table_bytes(made).decode() if as_json else table_text(made), nl=False)
    if made.left_out:
        raise SystemExit(1)


@arena.command()
@click.argument("place", metavar="ARENA|FOLDER", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("arena-report"),
    show_default=True,
    help="The folder to write; or one file, without replays, if its name ends with .html.",
)
@engine_option
@bounded
def report(place: Path, out: Path, engine: str | None, **limits: Any) -> None:
    """Verify the bundles of an arena, and write its table as a page, with a replay of every game beside it.

    ARENA is its file, with bundles/ beside it, or a FOLDER of bundles, as for `arena table`. The page needs no server
    and no network: who is ahead, in words; each game, and who beats whom; what was left out; the bundles' digests.
    A page that this command wrote is replaced, and nothing else is.

    Example: agzamov arena report arena.yaml

    Exit code 0: written, and every bundle counts. 1: written, and something was left out. 2: wrong use.
    """
    with faults():
        try:
            require_replaceable(out)  # found before the check, which may take long
        except FileExistsError as error:
            raise ManifestError(replaceable_words(error)) from error
        title, checked, found, rounds = checked_arena(place, engine, limits)
        made = arena_table(found, rounds)
        command = f"agzamov arena table {shlex.quote(place.name)}"
        try:
            with shown(quiet=False):
                page = write_site(made, checked.taken, out, (title, command), cores())
        except OSError as error:
            raise ManifestError(f"{error.filename or out}: {error.strerror or error}") from error
        click.echo(f"report: {page}")
    if made.left_out:
        raise SystemExit(1)


arena.add_command(rank)
arena.add_command(export)
arena.add_command(plan)


def _bundle_of(directory: RunDirectory, key: Path, options: PlayOptions) -> Path:
    """The bundle of a round that is played. Raises Stopped, with what goes on without a round that cannot be."""
    try:
        return play_and_pack(directory, key, options).bundle
    except StoppedAsAsked:
        raise
    except Stopped as error:
        raise Stopped(f"{error}; to go on without this round, move {directory.path} elsewhere") from error


def _folder_of(found: Arena) -> ArenaFolder:
    return ArenaFolder(found.folder, partial(click.echo, err=True))


class _Sealer(NamedTuple):
    """Seals what an arena is missing, one round after another."""

    found: Arena
    folder: ArenaFolder
    key: Path
    engine: str | None
    allow_key: Mapping[str, str]
    start_programs: bool

    def to_play(self) -> Iterator[RunDirectory]:
        """The runs that were sealed and not finished, then new ones, each sealed when it is asked for."""
        yield from map(run_folder.load, self.folder.unfinished())
        while made := self._next():
            yield made

    def seal(self, rounds: int | None) -> None:
        """Seal missing rounds, so many with those that wait already."""
        waiting = len(self.folder.unfinished())
        while (rounds is None or waiting < rounds) and self._next():
            waiting += 1

    def _next(self) -> RunDirectory | None:
        """The next round, sealed; None where nothing is missing."""
        there = self.folder.rounds()
        bouts = next(rounds_to_seal(self.found, [one.plan for one in there]), None)
        if bouts is None:
            return None
        file = PlanFile(self.found.plan_of(bouts), self.found.folder)
        made = sealed_after_contact(
            file,
            self.key,
            self.engine,
            self.folder.runs,
            self.allow_key,
            installed_folder(),
            start_programs=self.start_programs,
            accepts=least_used(there, file.plan),
        )
        click.echo(f"sealed {len(bouts)} bouts as {made.path}", err=True)
        return made


def _standing_line(found: Arena, plans: list[Plan]) -> str:
    """How much of the arena is planned or played, in one line."""
    rounds, missing = found.rounds, sum(1 for _ in rounds_to_seal(found, plans))
    line = f"{found.title}: {rounds - missing} of {rounds} rounds sealed or played"
    return line if missing else f"{line}; see: agzamov arena table {found.path}"
