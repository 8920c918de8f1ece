"""The commands `score` and `calibrate`, which take several bundles together."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click

from ..checks.steps import Options
from ..core import canon
from ..core.columns import ascii_words
from ..core.waiting import busy, shown
from ..core.workers import cores
from ..engines.uci_engine import engine_or_why
from ..experiment.matches import Augmentation
from ..scores.collected_bundles import CannotCombine, Collected, collect
from ..scores.score_report import calibration_document, calibration_lines, score_document, score_lines
from .bundle_argument import LEADERBOARD_RECORD, bounded, given_key_id, limits_of, no_bundle

EXIT_FAILED, EXIT_USAGE = 1, 2
SEVERAL = (
    "these bundles were signed by {} different keys, so one figure may mix what different people said;"
    " name the keys that you believe by --key"
)
AUGMENTATIONS = tuple(augmentation.value for augmentation in Augmentation if augmentation is not Augmentation.NAKED)

BUNDLE = click.Path(exists=True, path_type=Path)
augmentation_option = click.option(
    "--augmentation",
    type=click.Choice(AUGMENTATIONS),
    default=Augmentation.FULL.value,
    show_default=True,
    help="Column to score; the headline score is of the full stack.",
)


def over_bundles(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments of commands over several bundles."""
    for option in reversed(
        (
            click.argument("bundles", metavar="BUNDLE...", nargs=-1, required=True, type=BUNDLE),
            click.option(
                "--engine",
                metavar="PATH",
                help="Stockfish 15.1, to repeat its evaluations; found on PATH if not given.",
            ),
            click.option("--jobs", type=click.IntRange(1, 256), help="Worker processes; default: one per core."),
            click.option(
                "--key",
                "key_files",
                multiple=True,
                type=click.Path(exists=True, dir_okay=False, path_type=Path),
                help="Public key (PEM) by which bundles may be signed; repeatable. Default: any key.",
            ),
            click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON of ASCII alone."),
            bounded,
        )
    ):
        command = option(command)
    return command


@click.command()
@over_bundles
@augmentation_option
def score(augmentation: str, **options: Any) -> None:
    """Verify BUNDLES, and compute the Agzamov Score of every model in them; name what is missing.

    Example: agzamov-verify score bundles/*

    Exit code 0: done, with or without a score. 1: a bundle fails its check, or the bundles cannot be combined.
    """
    collected, as_json = collected_from(**options)
    tell_score(collected, Augmentation(augmentation), as_json=as_json)


@click.command()
@over_bundles
@augmentation_option
def calibrate(augmentation: str, **options: Any) -> None:
    """Propose constants and weights of the score, from Phases 1 and 2 in BUNDLES.

    They are proposals for a new score file; existing scores do not change.

    Example: agzamov-verify calibrate bundles/*

    Exit codes as for `score`.
    """
    collected, as_json = collected_from(**options)
    with shown(quiet=as_json), busy("computing the constants and weights"):
        document = calibration_document(collected, Augmentation(augmentation))
    tell(document, calibration_lines(document), as_json=as_json)


def collected_from(
    *,
    bundles: tuple[Path, ...],
    engine: str | None,
    jobs: int | None,
    key_files: tuple[Path, ...],
    as_json: bool,
    **limits: Any,
) -> tuple[Collected, bool]:
    """The evidence of the named bundles, and whether JSON is asked for. Ends the program where they cannot be used."""
    path, missing = engine_or_why(engine)
    keys = [given_key_id(file) for file in key_files]
    bundles = tuple(bundle for bundle in bundles if bundle.name != LEADERBOARD_RECORD) or bundles
    for bundle in bundles:
        if why := no_bundle(bundle):
            _fail(why, EXIT_USAGE)
    with _complaints(), shown(quiet=as_json):
        collected = collect(bundles, Options(path, missing, jobs or cores(), limits=limits_of(limits)), keys)
    submitters = {source.submitter for source in collected.sources}
    if len(submitters) > 1 and not keys:
        click.echo(f"warning: {SEVERAL.format(len(submitters))}", err=True)
    return collected, as_json


@contextmanager
def _complaints() -> Iterator[None]:
    try:
        yield
    except CannotCombine as error:
        _fail(str(error))


def tell_score(collected: Collected, augmentation: Augmentation, *, as_json: bool) -> None:
    """Compute the score of every model from the evidence, and print it with what is missing."""
    with shown(quiet=as_json), busy("computing the score"):
        document = score_document(collected, augmentation)
    tell(document, score_lines(document), as_json=as_json)


def tell(document: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Print a document as JSON, or its lines."""
    if as_json:
        click.echo(canon.ascii_text(document))
        return
    for line in lines:
        click.echo(line)


def _fail(message: str, code: int = EXIT_FAILED) -> NoReturn:
    click.echo(f"error: {ascii_words(message)}", err=True)
    sys.exit(code)
