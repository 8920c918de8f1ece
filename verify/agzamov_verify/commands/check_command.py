"""`agzamov-verify check`, which is also `agzamov verify`: a bundle's verdict on the screen.

Exit codes: 0 the bundle reached V1; 1 a check failed; 2 the command was used wrongly or the path is
no bundle; 3 V1 was not reached only because something could not be checked; 5, with --fail-on-gate, no check failed
and a gate of Phase 0 was not passed, whether or not everything could be checked.
"""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..checks.check_log import Number, Status
from ..checks.steps import Options, Verdict, verify
from ..core.envelope import BadEnvelope, key_id, load_public_key
from ..core.waiting import shown
from ..core.workers import cores
from ..engines.uci_engine import engine_or_why
from ..experiment.matches import Arm, Phase
from ..plan.manifest import Manifest
from ..show.games_of_bundle import first_games
from ..show.text import verdict_report
from .bundle_argument import bounded, limits_of, no_bundle
from .command_line import PROGRAM, typed
from .gate_option import fail_on_gate_option, require_gates

EXIT_FAILED, EXIT_USAGE, EXIT_NOT_CHECKED = 1, 2, 3

BundlePath = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("bundle", type=BundlePath)
@click.option("--engine", metavar="PATH", help="Stockfish 15.1, to repeat its evaluations; found on PATH if not given.")
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
@click.option("--details", is_flag=True, help="Print every step and every figure below the first screen.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
@fail_on_gate_option
def check(
    bundle: Path,
    engine: str | None,
    key_file: Path | None,
    jobs: int | None,
    sample_permille: int,
    details: bool,
    as_json: bool,
    fail_on_gate: bool,
    **limits: Any,
) -> None:
    """Check BUNDLE, a folder or plain tar, without trusting who made it.

    Exit code 0: level V1 reached. 1: a check failed. 2: wrong use. 3: not everything could be checked. 5: with
    --fail-on-gate, no check failed and a gate of Phase 0 was not passed.
    """
    refuse_what_is_no_bundle(bundle)
    engine_path, missing = engine_or_why(engine)
    key, say = _key_id(key_file), partial(click.echo, err=True)
    options = Options(engine_path, missing, jobs or cores(), sample_permille, key, limits_of(limits), say)
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


def exit_code(verdict: Verdict) -> int:
    """The documented exit code of a verdict."""
    if verdict.failed:
        return EXIT_FAILED
    return 0 if verdict.level == "V1" else EXIT_NOT_CHECKED


def refuse_what_is_no_bundle(path: Path) -> None:
    """One line and exit code 2 for a path that is plainly no bundle."""
    why = no_bundle(path)
    if why:
        click.echo(f"error: {why}", err=True)
        sys.exit(EXIT_USAGE)


def _next(verdict: Verdict, bundle: Path) -> list[str]:
    """The commands to type next."""
    context = click.get_current_context()
    again: tuple[str | Path, ...] = (context.info_name or "check", bundle)
    if verdict.failed or not verdict.manifest:
        return [typed(*again, "--details")]
    if any(step.number == Number.ENGINE and step.status is Status.NOT_CHECKED for step in verdict.steps):
        return [typed(*again, "--engine", "/path/to/stockfish-15.1")]
    games = first_games(verdict.manifest, verdict.blocks)
    shown = [typed("show", bundle, "--game", game) for game in games[:1]]
    return [*shown, typed(*again, "--details"), *_scores(verdict, bundle), *_repetitions(verdict.manifest, bundle)]


def _scores(verdict: Verdict, bundle: Path) -> list[str]:
    """The commands that compare the arms of each augmentation that was played."""
    matches = verdict.results.matches if verdict.results else ()
    conditions = [match.condition for match in matches if match.phase == Phase.ASYMMETRIC]
    played = dict.fromkeys(condition.augmentation.value for condition in conditions if condition.arm is Arm.REAL)
    return [typed("score", "--augmentation", name, bundle) for name in played]


def _repetitions(manifest: Manifest, bundle: Path) -> list[str]:
    """The command by which somebody else asks the same models again; none if no model plays."""
    options = list[str]()
    for name, seat in manifest.plan.playing.items():
        if seat.is_model:
            option, where = seat.asked_again
            options += [option, f"{name}={where}"]
    return [typed("replay", bundle, *options, name=PROGRAM)] if options else []


def _key_id(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return key_id(load_public_key(path.read_bytes()))
    except BadEnvelope as error:
        raise click.BadParameter(f"{path}: {error}", param_hint="--key") from error
