"""`check-quality`: are the engine's answers about a bundle's chess moves complete, and are they true?

Exit codes: 0 nothing is wrong; 1 something is; 2 wrong use; 3 the engine could not be asked.
"""

import re
import secrets
import sys
from pathlib import Path

import click

from ..checks.ledger import Status
from ..checks.quality import QualityOptions, verify_quality
from ..checks.sampling import SEED_BYTES
from ..stockfish import EngineFault, find_engine
from ..workers import cores
from . import text

EXIT_CODES = {Status.PASS: 0, Status.NOT_APPLICABLE: 0, Status.FAIL: 1}
EXIT_NOT_CHECKED = 3
SAMPLE = 300
SEED = re.compile("(?:[0-9a-f]{2}){1,64}")


@click.command("check-quality")
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option("--answers", type=click.Path(exists=True, path_type=Path), help="The answers; default: BUNDLE.quality.")
@click.option("--engine", metavar="PATH", help="Stockfish 15.1 to ask again; found on PATH if not given.")
@click.option(
    "--sample",
    type=click.IntRange(0),
    default=SAMPLE,
    show_default=True,
    help="How many positions, drawn at random, are asked again.",
)
@click.option("--all", "ask_all", is_flag=True, help="Ask about every position again.")
@click.option("--seed", metavar="HEX", help="Draw the sample of an earlier check again; default: a fresh one.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Engines side by side; default: one a core.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as canonical JSON.")
def check_quality(
    bundle: Path,
    answers: Path | None,
    engine: str | None,
    sample: int,
    ask_all: bool,
    seed: str | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Check the engine's answers about the chess moves of BUNDLE, which `agzamov quality` left beside it.

    Exit code 0: nothing is wrong. 1: something is. 2: wrong use. 3: the engine could not be asked.
    """
    folder = answers or text.answers_folder(bundle)
    if not folder.exists():
        raise click.BadParameter(f"no answers in {folder}; make them with: agzamov quality {bundle}")
    if seed is not None and not SEED.fullmatch(seed):
        raise click.BadParameter("expected pairs of the digits 0 to 9 and a to f", param_hint="--seed")
    try:
        path, missing = find_engine(engine), ""
    except EngineFault as error:
        path, missing = None, str(error)
    with text.counting("asked again", quiet=as_json) as tick:
        drawn_by = seed or secrets.token_hex(SEED_BYTES)
        options = QualityOptions(path, missing, jobs or cores(), None if ask_all else sample, drawn_by, tick)
        verdict = verify_quality(bundle, folder, options)
    click.echo(text.json(verdict).decode() if as_json else text.text(verdict), nl=as_json)
    sys.exit(EXIT_CODES.get(verdict.status, EXIT_NOT_CHECKED))
