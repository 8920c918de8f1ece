"""`agzamov-verify check`, which is also `agzamov verify`: a bundle's verdict on the screen.

Exit codes: 0 the bundle reached V1, with --policy V2, with --attestation the level that those are for; 1 a check
failed; 2 the command was used wrongly or the path is no bundle; 3 that level was not reached only because something
could not be checked; 5, with --fail-on-gate, no check failed and a gate of Phase 0 was not passed, whether or not
everything could be checked.
"""

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click
import msgspec

from ..checks.check_log import Number, Status
from ..checks.exhibition import check_exhibition, is_exhibition
from ..checks.limits import VerificationLimits
from ..checks.steps import Options, Verdict, verify
from ..core.waiting import shown
from ..core.workers import cores
from ..engines.uci_engine import engine_or_why
from ..experiment.matches import Arm, Augmentation, Phase
from ..plan.manifest import Manifest
from ..scoring.units.score_constants import SCORED_GAMES
from ..show import exhibition_pages
from ..show.games_of_bundle import first_games
from ..show.text import verdict_report
from ..show.text.answers import Played, Shown, answers_of
from ..show.text.first_screen import REPORT, NextStep, early_lines
from .bundle_argument import bounded, given_key_id, limits_of, no_bundle
from .command_line import PROGRAM, typed
from .failed_gates import require_gates
from .gate_option import fail_on_gate_option
from .trust_options import trust_of, trust_options

EXIT_FAILED, EXIT_USAGE, EXIT_NOT_CHECKED = 1, 2, 3
QUICK_GAMES, QUICK_REPLIES = 20, 100
EARLY_SCORES_MIN = 200
"""Fewer engine scores take seconds: then the whole verdict is there as soon as a first one could be read."""

BundlePath = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("bundle", type=BundlePath)
@click.option("--engine", metavar="PATH", help="Stockfish 15.1, to repeat its evaluations; found on PATH if not given.")
@click.option(
    "--program",
    "programs",
    multiple=True,
    metavar="PATH",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A UCI engine that played (kind: uci), to ask it again; may be given several times. It is started only where "
    "its file has the sealed digest.",
)
@click.option(
    "--key",
    "key_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Public key (PEM) by which the bundle must be signed.",
)
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Worker processes; default: one per core.")
@click.option(
    "--sample",
    "sample_permille",
    type=click.IntRange(0, 1000),
    default=10,
    show_default=True,
    help="Engine scores to repeat, of every 1000; those that decide an adjudication are all repeated.",
)
@bounded
@click.option(
    "--quick",
    is_flag=True,
    help=f"A first look, below level V1: ask the engine about {QUICK_GAMES} games drawn at random, and fewer replies.",
)
@trust_options
@click.option("--details", is_flag=True, help="Print every step and every figure below the first screen.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
@fail_on_gate_option
def check(
    bundle: Path,
    engine: str | None,
    programs: tuple[Path, ...],
    key_file: Path | None,
    jobs: int | None,
    sample_permille: int,
    quick: bool,
    policy: Path | None,
    log_folder: Path | None,
    attestations: tuple[Path, ...],
    details: bool,
    as_json: bool,
    fail_on_gate: bool,
    **limits: Any,
) -> None:
    """Check BUNDLE (a folder or a plain tar) without trusting who made it.

    Example: agzamov-verify check BUNDLE --key submitter.pem.pub

    Exit code 0: V1 reached, with --policy V2, with --attestation the level that it is for. 1: a check failed. 2: wrong
    use. 3: not everything was checked. 5: with --fail-on-gate, no check failed and a gate of Phase 0 was not passed.
    """
    if is_exhibition(bundle):
        tell_exhibition(bundle, given_key_id(key_file) if key_file else "", as_json=as_json)
    refuse_what_is_no_bundle(bundle)
    engine_path, missing = engine_or_why(engine)
    options = Options(
        engine_path,
        missing,
        jobs or cores(),
        sample_permille,
        given_key_id(key_file) if key_file else "",
        quick_limits(limits_of(limits)) if quick else limits_of(limits),
        partial(click.echo, err=True),
        programs,
        _early if engine_path and not (as_json or quick) else _nothing,
        QUICK_GAMES if quick else None,
        trust_of(policy, log_folder, attestations),
    )
    with shown(quiet=as_json):
        verdict = verify(bundle, options)
    if as_json:
        click.echo(verdict_report.json(verdict).decode())
    else:
        click.echo(verdict_report.text(verdict, _next(verdict, bundle)), nl=False)
        click.echo(verdict_report.details(verdict) if details else "", nl=False)
    if fail_on_gate and verdict.results and not verdict.failed:
        require_gates(verdict.results)
    sys.exit(exit_code(verdict))


def quick_limits(limits: VerificationLimits) -> VerificationLimits:
    """The limits of a first look: few replies of each kind of seat, and few answers of each tool."""
    return msgspec.structs.replace(limits, seat_replies_max=min(limits.seat_replies_max, QUICK_REPLIES))


def _early(verdict: Verdict, scores: int) -> None:
    """Say what the replay shows, before the engine is asked for minutes."""
    if scores < EARLY_SCORES_MIN or verdict.manifest is None or verdict.results is None:
        return
    for line in early_lines(verdict.manifest, verdict.results, verdict.analysis, verdict.blocks, scores):
        click.echo(line, err=True)


def _nothing(_verdict: Verdict, _scores: int) -> None:
    """Nothing is said early."""


def tell_exhibition(path: Path, key: str, *, as_json: bool) -> NoReturn:
    """What holds of an exhibition, which has no level: exit code 0 where all of it does, else 1."""
    checked = check_exhibition(path)
    if key and not checked.problem and checked.submitter != key:
        problem = f"expected a signature by the key that you gave, {key[:16]}, found {checked.submitter[:16]}"
        checked = msgspec.structs.replace(checked, problem=problem)
    if as_json:
        click.echo(msgspec.json.encode(exhibition_pages.document(checked)).decode())
    else:
        click.echo("\n".join(exhibition_pages.lines(checked)))
    sys.exit(EXIT_FAILED if checked.problem else 0)


def exit_code(verdict: Verdict) -> int:
    """The documented exit code of a verdict."""
    registration, replays, agreements = verdict.registration, verdict.replays, verdict.agreements
    if verdict.failed or any(found and found.findings for found in (registration, replays, agreements)):
        return EXIT_FAILED
    wanted = "V4" if agreements else "V3" if replays else "V2" if registration else "V1"
    return 0 if verdict.level >= wanted else EXIT_NOT_CHECKED


def refuse_what_is_no_bundle(path: Path) -> None:
    """One line and exit code 2 for a path that is plainly no bundle."""
    why = no_bundle(path)
    if why:
        click.echo(f"error: {why}", err=True)
        sys.exit(EXIT_USAGE)


def _next(verdict: Verdict, bundle: Path) -> list[NextStep]:
    """The commands to type next, and what each gives."""
    context = click.get_current_context()
    again: tuple[str | Path, ...] = (context.info_name or "check", bundle, *_trusted(context.params))
    if verdict.failed or not verdict.manifest:
        return [NextStep(typed(*again, "--details"), "all that is wrong, and where")]
    report = NextStep(typed("report", bundle), REPORT)
    if context.params["quick"] and verdict.level != "V1":
        return [report, NextStep(typed(*again), "the whole check")]
    if any(step.number == Number.ENGINE and step.status is Status.NOT_CHECKED for step in verdict.steps):
        engine = typed(*again, "--engine", "/path/to/stockfish-15.1")
        return [report, NextStep(engine, "checks the engine's scores too")]
    games = first_games(verdict.manifest, verdict.blocks)
    shown = [NextStep(typed("show", bundle, "--game", game), "one game, move by move") for game in games[:1]]
    return [
        report,
        *shown,
        NextStep(typed(*again, "--details"), "every figure, and the steps of this check"),
        *_scores(verdict, bundle),
        *_repetitions(verdict.manifest, bundle),
    ]


def _trusted(given: Mapping[str, Any]) -> Iterator[str | Path]:
    """The options that say whom to believe, as they were given: without them another check is made."""
    for option, name in (("--key", "key_file"), ("--policy", "policy"), ("--log", "log_folder")):
        if given[name]:
            yield from (option, given[name])
    for file in given["attestations"]:
        yield from ("--attestation", file)


def _scores(verdict: Verdict, bundle: Path) -> list[NextStep]:
    """The command that scores each augmentation that has a score; none where no answer has a result."""
    if not verdict.results or not verdict.manifest:
        return []
    answers = answers_of(Played(verdict.manifest, verdict.results, verdict.analysis, verdict.blocks))
    if all(answer.shown is Shown.NO_RESULT for answer in answers):
        return []
    rows = [row for row in verdict.results.matches if not row.no_finding]
    there = {(row.measured, row.game, row.phase, row.condition.augmentation, row.condition.arm) for row in rows}
    models = {row.measured for row in rows}
    names = [
        name.value
        for name in dict.fromkeys(row.condition.augmentation for row in rows if row.condition.arm is Arm.REAL)
        if any(_needed(model, name) <= there for model in models)
    ]
    return [NextStep(typed("score", "--augmentation", name, bundle), "one score from 0 to 100") for name in names]


def _needed(model: str, name: Augmentation) -> set[tuple[str, str, Phase, Augmentation, Arm]]:
    """What a score needs of a model: in both games Phase 1, and of Phase 2 control and real arm."""
    arms = (
        (Phase.BASELINE, Augmentation.NAKED, Arm.NAKED),
        (Phase.ASYMMETRIC, name, Arm.NAKED),
        (Phase.ASYMMETRIC, name, Arm.REAL),
    )
    return {(model, game, *arm) for game in SCORED_GAMES for arm in arms}


def _repetitions(manifest: Manifest, bundle: Path) -> list[NextStep]:
    """The command by which somebody else asks the same models again; none if no model plays."""
    options = list[str]()
    for name, seat in manifest.plan.playing.items():
        if seat.is_model:
            option, where = seat.asked_again
            options += [option, f"{name}={where}"]
    return [NextStep(typed("replay", bundle, *options, name=PROGRAM), "asks the model again")] if options else []
