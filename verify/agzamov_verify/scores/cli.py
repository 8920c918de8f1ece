"""`score`, `matrix` and `calibrate`: what several bundles say together."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click

from .. import canon
from ..checks import Options
from ..scoring.agzamov.cells import Augmentation
from ..stockfish import EngineFault, find_engine
from ..workers import cores
from .collecting import CannotCombine, Collected, collect
from .documents import calibration_document, matrix_document, score_document
from .text import calibration_lines, matrix_lines, score_lines

EXIT_FAILED = 1
AUGMENTATIONS = tuple(one.value for one in Augmentation if one is not Augmentation.NAKED)

BUNDLE = click.Path(exists=True, path_type=Path)
augmentation_option = click.option(
    "--augmentation",
    type=click.Choice(AUGMENTATIONS),
    default=Augmentation.FULL.value,
    show_default=True,
    help="Which column; the headline score takes the full stack.",
)


def over_bundles(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments of commands over several bundles."""
    for option in reversed(
        (
            click.argument("bundles", metavar="BUNDLE...", nargs=-1, required=True, type=BUNDLE),
            click.option("--engine", metavar="PATH", help="Stockfish 15.1 to ask again; found on PATH if not given."),
            click.option("--jobs", type=click.IntRange(1, 256), help="Worker processes; default: one a core."),
            click.option("--json", "as_json", is_flag=True, help="Print the outcome as canonical JSON."),
        )
    ):
        command = option(command)
    return command


@click.command()
@over_bundles
@augmentation_option
def score(augmentation: str, **how: Any) -> None:
    """The Agzamov Score of every model in BUNDLES, which are verified first; what is missing is named.

    Exit code 0: done, with or without a score. 1: a bundle fails its check, or they do not go together.
    """
    collected, as_json = _collected(**how)
    document = score_document(collected, Augmentation(augmentation))
    _tell(document, score_lines(document), as_json=as_json)


@click.command()
@over_bundles
def matrix(**how: Any) -> None:
    """The model x augmentation matrix of BUNDLES, with what a game took, and all pairs by Tukey's test.

    Exit codes as for `score`.
    """
    collected, as_json = _collected(**how)
    document = matrix_document(collected)
    _tell(document, matrix_lines(document), as_json=as_json)


@click.command()
@over_bundles
@augmentation_option
def calibrate(augmentation: str, **how: Any) -> None:
    """Constants and leave-one-model-out weights of the score from Phases 1 and 2 in BUNDLES.

    They are proposals for a new score file; no score changes by this. Exit codes as for `score`.
    """
    collected, as_json = _collected(**how)
    document = calibration_document(collected, Augmentation(augmentation))
    _tell(document, calibration_lines(document), as_json=as_json)


COMMANDS = (score, matrix, calibrate)


def _collected(
    *, bundles: tuple[Path, ...], engine: str | None, jobs: int | None, as_json: bool
) -> tuple[Collected, bool]:
    try:
        path, missing = find_engine(engine), ""
    except EngineFault as error:
        path, missing = None, str(error)
    with _complaints():
        return collect(bundles, Options(path, missing, jobs or cores())), as_json


@contextmanager
def _complaints() -> Iterator[None]:
    try:
        yield
    except CannotCombine as error:
        _fail(str(error))


def _tell(document: object, lines: Iterable[str], *, as_json: bool) -> None:
    if as_json:
        click.echo(canon.dumps(document).decode())
        return
    for line in lines:
        click.echo(line)


def _fail(message: str) -> NoReturn:
    click.echo(f"error: {message}", err=True)
    sys.exit(EXIT_FAILED)
