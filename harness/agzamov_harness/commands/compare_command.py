"""The command `agzamov compare`: whether executions of one plan agree, and with --attest the word for level V4."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from agzamov_verify.attestations.agreement import compared_words, together_words
from agzamov_verify.attestations.agreement_statement import EXECUTIONS_MIN, ComparedFigure
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.commands.command_line import WrongUse
from agzamov_verify.commands.trust_options import log_option, policy_option, trust_of
from agzamov_verify.core import canon
from agzamov_verify.core.columns import ascii_words
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.waiting import shown
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import engine_or_why
from agzamov_verify.plan.manifest import ManifestError

from ..foundation.new_file import require_new, write_new
from ..reproduce.compare_executions import (
    Executed,
    agreement,
    executed,
    figures_compared,
    margins_of,
    require_attestable,
    require_comparable,
)
from ..run import exit_status, signing_keys
from .shared_options import engine_option, margin_option, typed_option

EXIT_DIFFERENT = 1
BUNDLE = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("bundles", nargs=-1, required=True, type=BUNDLE, metavar="BUNDLE BUNDLE...")
@margin_option("For runs that declared none when they were registered: score=0.05, bb/100=50. Repeatable.")
@click.option("--attest", type=click.Path(path_type=Path), help="Sign a statement of it with this key, for level V4.")
@click.option(
    "--attestation",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("agreement.attestation.json"),
    show_default=True,
    help="With --attest: the file to write.",
)
@policy_option("Your trust policy (JSON), with --log: every run is asked for level V2.")
@log_option("Your copy of the log of registrations.")
@engine_option
@click.option("--jobs", type=click.IntRange(1, 256), help="Worker processes; default: one per core.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def compare(
    bundles: tuple[Path, ...],
    margins: dict[str, str],
    attest: Path | None,
    attestation: Path,
    policy: Path | None,
    log_folder: Path | None,
    engine: str | None,
    jobs: int | None,
    *,
    as_json: bool,
) -> None:
    """Say whether executions of one plan agree, within the margins that their registrations declared.

    Two bundles or more are verified. Every figure that has an interval is compared by two one-sided tests of each pair:
    it agrees if the 90 % interval of every difference lies within its margin. The figure of all together, and how much
    they differ (Q, I^2), stand beside it.

    Example: agzamov compare bundles/0123456789abcdef theirs/fedcba9876543210 --policy policy.json --log LOG

    Exit code 0: every figure agrees. 1: some do not. 2: wrong use, a bundle that does not hold, or other plans.
    """
    if bool(policy) != bool(log_folder):
        raise WrongUse("--policy and --log go together: the policy says whose log is believed")
    _require_use(bundles, attest, is_trusting=bool(policy))
    with exit_status.faults():
        if attest is not None:
            require_new(attestation, "--attestation")
        key = signing_keys.load(attest) if attest is not None else None
        trust = trust_of(policy, log_folder)
        path, missing = engine_or_why(engine)
        with shown(quiet=as_json):
            every = [executed(bundle, path, missing, jobs or cores(), trust) for bundle in bundles]
        require_comparable(every)
        figures = figures_compared(every, margins_of(every, margins))
        if key:
            require_attestable(every, figures)
            if key_id(key.public_key()) == every[0].named.submitter:
                raise ManifestError(f"{attest}: expected a key of somebody else than the first bundle's submitter")
            write_new(attestation, agreement(every, figures, key), "--attestation")
    if as_json:
        click.echo(canon.ascii_text(figures))
    else:
        for line in _lines(every, figures):
            click.echo(ascii_words(line))
    if key:
        click.echo(f"attestation: {attestation}", err=True)
    sys.exit(0 if all(figure.agrees for figure in figures) else EXIT_DIFFERENT)


def _require_use(bundles: tuple[Path, ...], attest: Path | None, *, is_trusting: bool) -> None:
    """Raises WrongUse for arguments that do not go together."""
    if len(bundles) < EXECUTIONS_MIN:
        raise WrongUse("expected two bundles or more, found one: agzamov compare BUNDLE BUNDLE")
    for bundle in bundles:
        if why := no_bundle(bundle):
            raise WrongUse(why)
    if attest is None and any(typed_option("attestation")):
        raise WrongUse("--attestation needs --attest KEY, the key that signs the statement")
    if attest is not None and not is_trusting:
        raise WrongUse("--attest needs --policy FILE and --log FOLDER: every run must be of level V2")


def _lines(every: list[Executed], figures: list[ComparedFigure]) -> Iterator[str]:
    for one in every:
        yield f"run {one.named.run}, level {one.level}, signed by key {one.named.submitter[:16]}"
    for figure in figures:
        yield compared_words(figure)
        yield from together_words(figure)
    agree = sum(figure.agrees for figure in figures)
    yield f"{agree} of {len(figures)} figures agree"
    if not every[0].margins:
        yield "The margins were named after the runs, so this is no evidence for level V4."
