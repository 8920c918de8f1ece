"""`check-quality`: are the engine's answers about a bundle's chess moves complete, and are they true?

Exit codes: 0 nothing is wrong; 1 something is; 2 wrong use; 3 the engine could not be asked.
"""

import re
import secrets
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..checks.check_log import Status
from ..checks.limits import Budget
from ..checks.quality_answers import QualityOptions, verify_quality
from ..checks.random_sample import SEED_BYTES
from ..core.workers import cores, memory_limit
from ..engines.uci_engine import engine_or_why
from ..show.text import quality_text
from .bundle_argument import bounded, limits_of, no_bundle

EXIT_CODES = {Status.PASS: 0, Status.NOT_APPLICABLE: 0, Status.FAIL: 1}
EXIT_NOT_CHECKED = 3
SAMPLE = 300
SEED = re.compile("(?:[0-9a-f]{2}){1,64}")


@click.command("check-quality")
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--answers",
    type=click.Path(exists=True, path_type=Path),
    help="Folder of the evaluations; default: BUNDLE.quality.",
)
@click.option("--engine", metavar="PATH", help="Stockfish 15.1, to repeat evaluations; found on PATH if not given.")
@click.option(
    "--sample",
    type=click.IntRange(1),
    default=SAMPLE,
    show_default=True,
    help="Number of positions, drawn at random, to evaluate again.",
)
@click.option("--all", "ask_all", is_flag=True, help="Evaluate every position again.")
@click.option("--seed", metavar="HEX", help="Seed of an earlier check, to draw the same sample; default: a fresh one.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Engines in parallel; default: one per core.")
@bounded
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
    **limits: Any,
) -> None:
    """Check what `agzamov quality` says of the chess moves of BUNDLE, by asking Stockfish again.

    Example: agzamov-verify check-quality BUNDLE

    Exit code 0: complete and right. 1: a check failed. 2: wrong use. 3: the engine could not be asked.
    """
    if why := no_bundle(bundle):
        raise click.UsageError(why)
    folder = answers or quality_text.answers_folder(bundle)
    if not folder.exists():
        raise click.UsageError(f"no evaluations in {folder}; make them with: agzamov quality {bundle}")
    if seed is not None and not SEED.fullmatch(seed):
        raise click.BadParameter("expected pairs of the digits 0 to 9 and a to f", param_hint="--seed")
    path, missing = engine_or_why(engine)
    with quality_text.counting("asked again", quiet=as_json) as tick:
        drawn_by = seed or secrets.token_hex(SEED_BYTES)
        allowed, count, say = limits_of(limits), None if ask_all else sample, partial(click.echo, err=True)
        options = QualityOptions(path, missing, jobs or cores(), count, drawn_by, tick, Budget(allowed), say)
        with memory_limit(allowed.memory_mib_max):
            verdict = verify_quality(bundle, folder, options)
    click.echo(quality_text.json(verdict).decode() if as_json else quality_text.text(verdict), nl=as_json)
    sys.exit(EXIT_CODES.get(verdict.status, EXIT_NOT_CHECKED))
