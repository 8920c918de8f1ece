"""The commands `agzamov protocol`: all plans of one folder, sealed first, then played, verified and scored together."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from agzamov_verify.bundle import MANIFEST_FILE
from agzamov_verify.commands.bundle_argument import bounded
from agzamov_verify.commands.command_line import Program
from agzamov_verify.commands.failed_gates import require_gates
from agzamov_verify.commands.gate_option import fail_on_gate_option
from agzamov_verify.commands.score_commands import augmentation_option, collected_from, tell_score
from agzamov_verify.core.columns import listed
from agzamov_verify.experiment.matches import MEASURED, Augmentation
from agzamov_verify.plan.manifest import ManifestError, Plan, load_manifest
from agzamov_verify.plan.people_study import is_study
from agzamov_verify.scores.collected_bundles import STUDY_APART
from agzamov_verify.scoring.match_cells import key_of
from agzamov_verify.scoring.units.cells import CellKey

from ..foundation.checked_yaml import read_limited
from ..foundation.owner_folder import installed_folder
from ..pipeline.pack import Packed
from ..pipeline.play_and_pack import PlayOptions, connected, play_and_pack
from ..pipeline.sealed_run import sealed_after_contact
from ..run import run_folder
from ..run.exit_status import faults
from ..run.first_contact import NOT_SEALED
from ..run.plan_file import PlanFile
from ..run.run_folder import RunDirectory
from .plan_files import plan_file
from .run_actions import results_of
from .run_commands import cluster_option, json_option
from .shared_options import (
    allow_key_option,
    engine_option,
    key_option,
    same_installed_option,
    small_option,
    start_programs_option,
)

RUNS, BUNDLES = "runs", "bundles"
CHANGED = (
    "a plan that was changed after it was sealed, or whose adapters or documents were, is another plan, and so is its"
    " small profile: undo the change, say --small as then, or play it in another folder"
)


class NamedFolder(click.Path):
    """A folder, which need not be there. An empty name, as of an unset variable, is not the current folder."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value):
            self.fail("expected a folder, found an empty name", param, ctx)
        return super().convert(value, param, ctx)


folder_argument = click.argument("folder", type=NamedFolder())


class PlanPart(NamedTuple):
    """A plan's file, its content, and the run that was sealed from it, if there is one."""

    plan: Path
    file: PlanFile
    run: Path | None

    @property
    def bundle(self) -> Path | None:
        """The bundle of its run, if that was played to its end. Raises ManifestError where it is one of another run."""
        return _bundle_of(self.run) if self.run else None

    @property
    def is_begun(self) -> bool:
        """True if anything of its run was recorded."""
        return self.run is not None and (self.bundle is not None or any((self.run / run_folder.JOURNAL).iterdir()))

    @property
    def line(self) -> str:
        """Its progress in one line."""
        return f"{self.plan.name}: {_standing(self.run) if self.run else 'not sealed'}"


@click.group(cls=Program)
def protocol() -> None:
    """Play all plans of one folder as one protocol: seal them first, then play, verify and score them together."""


@protocol.command()
@folder_argument
@click.argument("plans", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@key_option
@engine_option
@same_installed_option
@small_option
@start_programs_option
@allow_key_option
@cluster_option
@augmentation_option
@fail_on_gate_option
@json_option
@bounded
def run(
    folder: Path,
    plans: tuple[Path, ...],
    key: Path,
    engine: str | None,
    installed: Path | None,
    allow_key: Mapping[str, str],
    cluster: str | None,
    augmentation: str,
    *,
    small: bool,
    start_programs: bool,
    fail_on_gate: bool,
    as_json: bool,
    **limits: Any,
) -> None:
    """Play all plans (*.yaml) of FOLDER: seal all of them first, then play, verify and score them.

    PLANS are copied into FOLDER first, which is made if there is none. All plans must be of one protocol.

    Example: agzamov protocol run mine manifests/phase2.yaml manifests/phase3.yaml

    All are sealed before the first is played, so no plan can follow from a result; one that is added later is refused.
    Adapters of memory servers and documents of your own belong in folders below FOLDER. Runs are kept in FOLDER/runs,
    bundles in FOLDER/bundles.
    Typed again, the command goes on where it stopped; finished plans are not played again.

    Exit code 0: every plan was played, and the score or what it lacks is printed. 1: a bundle fails its check, or
    the bundles cannot be combined. 2: a plan, a server, a key or the engine is wrong. 4: a run stopped; type the
    command again to go on. 5: with --fail-on-gate, all that, and a gate of Phase 0 was not passed.
    """
    with faults():
        _scored_together(_plan_paths(folder, *plans), small=small)  # before a plan is copied or a folder made
        for name in (BUNDLES, RUNS):
            run_folder.require_writable(folder / name, f"the {name} cannot be kept there", "play in another FOLDER")
        with run_folder.held(folder / RUNS / run_folder.LOCK, f"{folder}: another process is playing this folder"):
            _copy(plans, folder)
            options = PlayOptions(engine, folder / BUNDLES, quiet=as_json, allow_key=allow_key)
            options = options._replace(start_programs=start_programs, again=_again(click.get_current_context()))
            bundles = _all_played(folder, key, cluster, installed, options, small=small)
    collected, _ = collected_from(
        bundles=tuple(bundles), engine=engine, jobs=None, key_files=(), as_json=as_json, **limits
    )
    tell_score(collected, Augmentation(augmentation), as_json=as_json)
    if fail_on_gate:
        require_gates(*(results_of(bundle)[1] for bundle in bundles))


@protocol.command()
@folder_argument
@small_option
def status(folder: Path, *, small: bool) -> None:
    """Say of each plan in FOLDER whether it was sealed, and whether it was played to its end.

    A run whose plan was changed since is named by its title.

    Example: agzamov protocol status mine

    Exit code 0: printed. 2: a plan is wrong, or it is not clear which run is its.
    """
    with faults():
        files, wrong = _plan_files(_plan_paths(folder), small=small)
        parts, others = _matched(folder, files)
        for part in parts:
            click.echo(part.line)
        for path, plan in others.items():
            click.echo(f'"{plan.title}": {_standing(path)}; no plan here says what was sealed: {CHANGED}')
        if wrong:
            raise ManifestError("\n".join(wrong))


def _all_played(
    folder: Path, key: Path, cluster: str | None, installed: Path | None, options: PlayOptions, *, small: bool
) -> list[Path]:
    """The bundles of all plans of a folder, in the order of their names; all are sealed before the first is played."""
    parts = _parts(folder, small=small)
    with connected(cluster, *(part.file.plan for part in parts)) as workers:
        for part in _unsealed(parts):
            with _told_of(part, folder, small=small):
                made = sealed_after_contact(
                    part.file,
                    key,
                    options.engine,
                    folder / RUNS,
                    options.allow_key,
                    installed or installed_folder(),
                    start_programs=options.start_programs,
                )
            click.echo(f"{part.plan.name}: sealed as {made.path}", err=True)
        play = partial(play_and_pack, key=key, options=options._replace(workers=workers))
        parts = _parts(folder, small=small)
        _require_combined(parts)
        return [_played(part, installed, play) for part in parts]


def _require_combined(parts: Sequence[PlanPart]) -> None:
    """Raises ManifestError where two runs have one cell: their bundles have no score together."""
    cells = dict[CellKey, PlanPart]()
    for part in parts:
        assert part.run, "all parts are sealed"
        manifest = load_manifest((part.run / run_folder.MANIFEST).read_bytes())
        for key in {key_of(manifest, match, MEASURED) for match in manifest.plan.matches if match.phase}:
            if other := cells.get(key):
                raise ManifestError(
                    f"{other.plan.name} and {part.plan.name}: expected once in all plans: {key}; move one of the"
                    f" plans away with its run, {other.run} or {part.run}"
                )
            cells[key] = part


@contextmanager
def _told_of(part: PlanPart, folder: Path, *, small: bool) -> Iterator[None]:
    """Name the plan that cannot be sealed, and those that are by now: they stay, and the same command goes on."""
    try:
        yield
    except ManifestError as error:
        sealed = [one.plan.name for one in _parts(folder, small=small) if one.run]
        others = f"; {listed(sealed)}: sealed, and not played" if sealed else ""
        why = str(error).replace(NOT_SEALED, "it was not sealed")
        raise ManifestError(f"{part.plan.name}: {why}{others}") from error


def _again(context: click.Context) -> str:
    """The command that was typed, without the plans, which are in the folder by now."""
    typed: list[str] = ["agzamov", "protocol", "run", str(context.params["folder"])]
    for option in context.command.params:
        if not isinstance(option, click.Option) or not option.name:
            continue
        value, source = context.params.get(option.name), context.get_parameter_source(option.name)
        if source is ParameterSource.DEFAULT or value in (None, False):
            continue
        if not isinstance(value, Mapping):  # leave for a key that was once given is remembered
            typed += [max(option.opts, key=len), *([] if option.is_flag else [str(value)])]
    return shlex.join(typed)


def _copy(plans: Sequence[Path], folder: Path) -> None:
    """Copy plans into the folder. Raises ManifestError for one whose name another plan has there."""
    for path in plans:
        text, there = read_limited(path), folder / path.name
        if not there.exists():
            there.write_bytes(text)
        elif read_limited(there) != text:
            raise ManifestError(f"{there}: expected the plan {path}, found another; play it in another folder")


def _unsealed(parts: Sequence[PlanPart]) -> list[PlanPart]:
    """The plans that are to be sealed. Raises ManifestError if one of the others was begun: they may follow from it."""
    unsealed = [part for part in parts if part.run is None]
    begun = [part.plan.name for part in parts if part.is_begun]
    if unsealed and begun:
        raise ManifestError(
            f"{unsealed[0].plan}: expected all plans to be sealed before the first is played, but {begun[0]} was begun;"
            " play this one in another folder"
        )
    return unsealed


def _played(part: PlanPart, installed: Path | None, play: Callable[[RunDirectory], Packed]) -> Path:
    """The bundle of a part: the existing one, or the result of playing its run."""
    bundle = part.bundle
    if bundle is None:
        assert part.run, "all parts are sealed before one is played"
        click.echo(f"{part.plan.name}: playing {part.run}", err=True)
        directory = run_folder.load(part.run, part.file.folder, installed)
        if not directory.origin.memory_servers:  # of a home that is not written, nothing is remembered
            directory = run_folder.load(part.run, part.file.folder, installed_folder())
        bundle = play(directory).bundle
    click.echo(f"{part.plan.name}: {bundle}", err=True)
    return bundle


def _parts(folder: Path, *, small: bool) -> list[PlanPart]:
    """The plans of a folder by name, each with its run. Raises ManifestError where it is not clear which run it is."""
    parts, others = _matched(folder, _scored_together(_plan_paths(folder), small=small))
    for path in others:
        raise ManifestError(f"{path}: expected a run of a plan in {folder}, found one of another plan; {CHANGED}")
    return parts


def _scored_together(paths: Sequence[Path], *, small: bool) -> dict[Path, PlanFile]:
    """The plans in these files. Raises ManifestError with every problem, or for one that has no score with the others.

    What `one_protocol` refuses of bundles is refused here before a game is played.
    """
    files, wrong = _plan_files(paths, small=small)
    if wrong:
        raise ManifestError("\n".join(wrong))
    first = next(iter(files))
    wanted = files[first].plan.protocol
    for path, (plan, _) in files.items():
        if is_study(plan):
            raise ManifestError(f"{path}: {STUDY_APART}; play it by: agzamov run {path}")
        if plan.protocol != wanted:
            raise ManifestError(
                f"{path}: expected a plan of {wanted}, as {first} is, found one of {plan.protocol}: they have no score"
                " together; play it in another folder"
            )
    return files


def _plan_files(paths: Sequence[Path], *, small: bool) -> tuple[dict[Path, PlanFile], list[str]]:
    """The plans in these files, and the problems of unreadable ones."""
    files: dict[Path, PlanFile] = {}
    wrong = []
    for path in paths:
        try:
            files[path] = plan_file(path, small=small)
        except ManifestError as error:
            wrong.append(str(error))
    return files, wrong


def _plan_paths(folder: Path, *others: Path) -> list[Path]:
    """The files of the plans of a folder by name, and others. Raises ManifestError where there is none."""
    paths = [*sorted(folder.glob("[!.]*.yaml")), *others]
    if not paths:
        raise ManifestError(f"{folder}: expected plans (*.yaml), found none")
    return paths


def _matched(folder: Path, files: Mapping[Path, PlanFile]) -> tuple[list[PlanPart], dict[Path, Plan]]:
    """Plans with their runs, and the runs of other plans. Raises ManifestError where it is not clear which is whose."""
    plans = {path: file.plan for path, file in files.items()}
    runs = {path: _plan_of(path) for path in sorted((folder / RUNS).glob("[!.]*/"))}
    for bundle in sorted(path.parent.parent for path in (folder / BUNDLES).glob(f"[!.]*/{MANIFEST_FILE}")):
        if folder / RUNS / bundle.name not in runs:
            raise ManifestError(f"{bundle}: expected its run in {folder / RUNS}, found none; move the bundle away")
    parts = [PlanPart(path, file, _only(path, file.plan, runs, plans)) for path, file in files.items()]
    return parts, {run: plan for run, plan in runs.items() if plan not in plans.values()}


def _plan_of(run: Path) -> Plan:
    try:
        return run_folder.load_sealed(run).plan
    except run_folder.Changed:
        raise
    except OSError as error:
        raise ManifestError(f"{error.filename}: {error.strerror}; move its run away") from error
    except ManifestError as error:
        raise ManifestError(f"{run / run_folder.MANIFEST}: {error}; move its run away") from error


def _standing(run: Path) -> str:
    """Progress of a run, in words. Raises ManifestError where its bundle is one of another run."""
    return str(_bundle_of(run) or f"sealed as {run}, not played to its end")


def _bundle_of(run: Path) -> Path | None:
    """The bundle of a run, if that was played to its end. Raises ManifestError where it is one of another run."""
    path = run.parents[1] / BUNDLES / run.name
    if not path.exists():
        return None
    manifest = path / MANIFEST_FILE
    if not manifest.is_file() or manifest.read_bytes() != (run / run_folder.MANIFEST).read_bytes():
        raise ManifestError(f"{path}: expected the bundle of {run}, found something else; move it away")
    return path


def _only(path: Path, plan: Plan, runs: Mapping[Path, Plan], plans: Mapping[Path, Plan]) -> Path | None:
    """The one run of a plan. Raises ManifestError for two: whoever may choose between them chooses the better one."""
    alike = [other.name for other, found in plans.items() if found == plan]
    if len(alike) > 1:
        raise ManifestError(f"{path}: expected one plan with this text, found {', '.join(alike)}; keep one of them")
    found = [run for run, of in runs.items() if of == plan]
    if len(found) > 1:
        names = ", ".join(run.name for run in found)
        raise ManifestError(f"{path}: expected one run of this plan, found {names}; keep the one that was sealed first")
    return found[0] if found else None
