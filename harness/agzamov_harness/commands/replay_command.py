"""The command `agzamov replay`: a bundle's seats asked again, and with --attest the signed word for level V3."""

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import click

from agzamov_verify.checks.check_log import StepFailed
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.commands.command_line import WrongUse
from agzamov_verify.core.journal import BrokenJournal
from agzamov_verify.core.script import Divergence
from agzamov_verify.core.untrusted_input import HostileBundle, printable
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.show.text.verdict_report import finding_line

from ..foundation.new_file import require_new, write_new
from ..ports import ModelFault, PortFault
from ..reproduce.ask_again import BadBundle, GivenWeights, SampleSettings, ask_again, checked, fresh_seed
from ..reproduce.replay_report import ReproductionReport, canonical, lines
from ..run import signing_keys
from ..run.exit_status import os_error_words
from .attest_options import attest, attest_options, attesting_of
from .shared_options import pair

EXIT_DIFFERENT, EXIT_USAGE, EXIT_NOT_CHECKED = 1, 2, 3
SEED = re.compile("[0-9a-zA-Z._-]{1,100}")
ADDRESS = re.compile("https?://|(?![^/]*://)")


def _decimal(_: click.Context, parameter: click.Parameter, value: str) -> Fraction:
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", value):
        raise click.BadParameter("expected a number such as 0.05", param=parameter)
    return Fraction(value)


@click.command()
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--sample",
    type=click.IntRange(1, 100_000),
    default=4,
    show_default=True,
    help="Number of games to draw; with --attest by default what the policy wants.",
)
@click.option("--seed", default="", help="Seed of the draw; default: a fresh random one, which is printed.")
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
    help="The address that serves the seat's model: http://… or the path of a unix socket. Repeatable.",
)
@click.option(
    "--margin",
    default="0.05",
    show_default=True,
    callback=_decimal,
    help="Largest accepted difference of log probabilities (nats) at the first token that differs; 0 accepts none.",
)
@attest_options
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the report to this file, as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as canonical JSON.")
def replay(bundle: Path, out: Path | None, *, as_json: bool, **options: Any) -> None:
    """Ask the same model again in a few games of BUNDLE, drawn at random, and compare every answer.

    The GGUF weights of a run in containers are served by the image that the run was sealed with, unless --at names a
    server.

    With --attest a beacon round that came out after the result was logged draws the games, scripted players, engines
    and memories are asked again too, and what came out is signed: `verify --attestation` reads it, for level V3.

    Example: agzamov replay BUNDLE --weights model=model.gguf

    Exit code 0: all answers are the same, or within the margin. 1: some differ, or the bundle fails its checks. 2:
    wrong use, or the weights are not the bundle's. 3: the server failed before everything was asked.
    """
    if why := no_bundle(bundle):
        _fail(why, EXIT_USAGE)
    try:
        if out:
            require_new(out, "--out")
        report, memories_differ = _asked_again(bundle, options, quiet=as_json)
    except BadBundle as error:
        _fail(finding_line(error.verdict.findings[0]), EXIT_DIFFERENT)
    except (StepFailed, HostileBundle, BrokenJournal, Divergence) as error:
        _fail(f"the bundle changed while it was read: {error}", EXIT_DIFFERENT)
    except (ModelFault, ManifestError, signing_keys.KeyFault) as error:
        _fail(str(error), EXIT_USAGE)
    except PortFault as error:
        _fail(str(error), EXIT_NOT_CHECKED)
    except OSError as error:  # of an attestation
        _fail(os_error_words(error), EXIT_NOT_CHECKED)
    text = canonical(report)
    again = f"--seed {report.seed}" if options["attest"] is None else "the same --round, --sample and seats"
    for line in [text.decode()] if as_json else map(printable, lines(report, again)):
        click.echo(line)
    if out:
        _write(out, text)
    sys.exit(EXIT_DIFFERENT if report.different or memories_differ else 0)


def _asked_again(bundle: Path, options: dict[str, Any], *, quiet: bool) -> tuple[ReproductionReport, bool]:
    """The report, and whether a memory that was asked again for an attestation answered otherwise."""
    attesting = attesting_of(options)
    seed = options["seed"] or fresh_seed()
    if not SEED.fullmatch(seed):
        raise click.BadParameter("expected up to 100 letters, digits, dots and dashes", param_hint="--seed")
    for seat, address in options["at"].items():
        if not ADDRESS.match(address):
            raise WrongUse(f"--at {seat}={address}: expected http://…, https://… or the path of a unix socket")
    inputs = GivenWeights({seat: Path(path).expanduser() for seat, path in options["weights"].items()}, options["at"])
    if not inputs.weights and not inputs.addresses and not attesting:
        raise ModelFault("name the model to ask again: --weights SEAT=PATH, --at SEAT=ADDRESS or both")
    opened, settings = checked(bundle), SampleSettings(options["sample"], seed, options["margin"])
    with _progress(quiet=quiet) as tick:
        if attesting:
            return attest(opened, inputs, settings, attesting, tick)
        return ask_again(opened, inputs, settings, time.sleep, tick), False


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Count the answers that are to come, on a terminal; silent elsewhere."""
    shown = not quiet and sys.stderr.isatty()

    def tick(left: int) -> None:
        if shown:
            click.echo(f"\r{left:7} answers to come", nl=False, err=True)

    yield tick
    if shown:
        click.echo("\r" + " " * 40 + "\r", nl=False, err=True)


def _write(out: Path, text: bytes) -> None:
    try:
        write_new(out, text, "--out")
    except ManifestError as error:
        _fail(str(error), EXIT_NOT_CHECKED)
    except OSError as error:
        _fail(f"{out}: {error.strerror}", EXIT_NOT_CHECKED)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"error: {printable(message)}", err=True)
    sys.exit(code)
