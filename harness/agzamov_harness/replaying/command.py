"""`agzamov replay`: level V3 of a bundle, by whoever has the same open weights."""

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import click

from agzamov_verify.checks.ledger import StepFailed
from agzamov_verify.journal import BrokenJournal
from agzamov_verify.reading import HostileBundle, printable
from agzamov_verify.report import finding_line
from agzamov_verify.script import Divergence

from ..models.faults import ModelFault
from ..models.options import pair
from ..ports import PortFault

EXIT_DIFFERENT, EXIT_USAGE, EXIT_NOT_CHECKED = 1, 2, 3
SEED = re.compile("[0-9a-zA-Z._-]{1,100}")


def _decimal(_: click.Context, parameter: click.Parameter, value: str) -> Fraction:
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", value):
        raise click.BadParameter("expected a number such as 0.05", param=parameter)
    return Fraction(value)


@click.command()
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option("--sample", type=click.IntRange(1, 100_000), default=4, show_default=True, help="How many whole games.")
@click.option("--seed", default="", help="What draws the games; fresh randomness if not given, which is printed.")
@click.option(
    "--weights",
    multiple=True,
    callback=pair,
    metavar="SEAT=PATH",
    help="The seat's GGUF file, or Ollama's model folder, to be hashed. Repeatable.",
)
@click.option(
    "--at",
    multiple=True,
    callback=pair,
    metavar="SEAT=ADDRESS",
    help="Where the seat's model is served: http://… or the path of a unix socket. Repeatable.",
)
@click.option(
    "--margin",
    default="0.05",
    show_default=True,
    callback=_decimal,
    help="In nats: how much likelier another token may be at the first difference. 0 for none.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the report there, in JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as canonical JSON.")
def replay(bundle: Path, out: Path | None, *, as_json: bool, **wanted: Any) -> None:
    """Ask the same weights again for whole games of BUNDLE, drawn at random, and compare every answer.

    Weights of a run in containers are served by the image that it was sealed with, unless --at names a server.

    Exit code 0: all are the same, or within the margin. 1: some are different, or the bundle fails its checks. 2: wrong
    use, or other weights than the bundle's. 3: the server failed before all was asked.
    """
    from . import replay as replaying  # noqa: PLC0415 - the clients take half a second to import
    from .words import lines  # noqa: PLC0415

    try:
        report = _replayed(bundle, wanted, quiet=as_json)
    except replaying.BadBundle as error:
        _fail(finding_line(error.verdict.findings[0]), EXIT_DIFFERENT)
    except (StepFailed, HostileBundle, BrokenJournal, Divergence) as error:
        _fail(f"the bundle changed while it was read: {error}", EXIT_DIFFERENT)
    except ModelFault as error:
        _fail(str(error), EXIT_USAGE)
    except PortFault as error:
        _fail(str(error), EXIT_NOT_CHECKED)
    text = replaying.as_json(report)
    if out:
        out.write_bytes(text)
    for line in [text.decode()] if as_json else map(printable, lines(report)):
        click.echo(line)
    sys.exit(EXIT_DIFFERENT if report.different else 0)


def _replayed(bundle: Path, wanted: dict[str, Any], *, quiet: bool) -> Any:
    from . import replay as replaying  # noqa: PLC0415 - as above
    from .weights import Given  # noqa: PLC0415

    seed = wanted["seed"] or replaying.fresh_seed()
    if not SEED.fullmatch(seed):
        raise click.BadParameter("expected up to 100 letters, digits, dots and dashes", param_hint="--seed")
    opened = replaying.checked(bundle)
    given = Given({seat: Path(path).expanduser() for seat, path in wanted["weights"].items()}, wanted["at"])
    if not given.weights and not given.at:
        raise ModelFault("expected the weights to ask again: --weights SEAT=PATH, --at SEAT=ADDRESS or both")
    with _progress(quiet=quiet) as tick:
        return replaying.replay(
            opened, given, replaying.Wanted(wanted["sample"], seed, wanted["margin"]), time.sleep, tick
        )


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Counts the answers that are to come on a terminal; silent elsewhere."""
    shown = not quiet and sys.stderr.isatty()

    def tick(left: int) -> None:
        if shown:
            click.echo(f"\r{left:7} answers to come", nl=False, err=True)

    yield tick
    if shown:
        click.echo("\r" + " " * 40 + "\r", nl=False, err=True)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"error: {printable(message)}", err=True)
    sys.exit(code)
