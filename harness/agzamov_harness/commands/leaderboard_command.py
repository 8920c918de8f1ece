"""`agzamov leaderboard`: static pages from a folder of submitted bundles, which are verified here."""

import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from agzamov_verify.checks.registration_check import Trust, opened_log
from agzamov_verify.checks.steps import Options
from agzamov_verify.commands.bundle_argument import EXIT_FAILED, EXIT_USAGE, bounded, fail, limits_of, one_bundle
from agzamov_verify.commands.command_line import Program
from agzamov_verify.commands.trust_options import log_option, now_s
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.core.waiting import shown
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import engine_or_why
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.registration.time_stamp import roots_beside
from agzamov_verify.transparency_log.signed_note import BadNote

from ..leaderboard.site import build as build_pages
from ..leaderboard.submissions import Policy, load_policy

NO_POLICY: Final = (
    "missing option --policy FILE: the rules of the leaderboard, in YAML; begin with a copy of"
    " docs/leaderboard/policy.yaml, or with two lines: 'title: NAME' and 'keys: {SUBMITTER: KEY ID}', where KEY ID is"
    " what agzamov keygen printed to that submitter"
)


@click.group(cls=Program)
def leaderboard() -> None:
    """Leaderboards: static pages from bundles that are verified when the pages are built."""


@leaderboard.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--policy",
    "policy_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The rules of your leaderboard (YAML). Needed; begin from docs/leaderboard/policy.yaml.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("leaderboard"),
    show_default=True,
    help="The folder to write.",
)
@log_option("Your copy of the log of registrations; the policy's trust says whose.")
@click.option(
    "--attestations",
    "attestations_folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of attestations of others about these bundles; the policy's trust says whose count.",
)
@click.option("--engine", metavar="PATH", help="Stockfish 15.1, to repeat its evaluations; found on PATH if not given.")
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Worker processes; default: one per core.")
@bounded
def build(
    folder: Path,
    policy_file: Path | None,
    out: Path,
    log_folder: Path | None,
    attestations_folder: Path | None,
    engine: str | None,
    jobs: int | None,
    **limits: Any,
) -> None:
    """Verify every bundle in FOLDER, and write a leaderboard: ranks, a report of each, what was refused and why.

    Nothing of a bundle is run, and nothing is fetched. FOLDER/record.jsonl keeps a line for every bundle that was ever
    submitted. Pages of an earlier build are replaced, and nothing else is. --time-max and the other limits are of each
    bundle.

    Example: agzamov leaderboard build bundles --policy docs/leaderboard/policy.yaml

    Exit code 0: written. 1: written, and a bundle is refused or gone that was not so before. 2: wrong use.
    """
    if policy_file is None:
        fail(NO_POLICY, EXIT_USAGE)
    if why := one_bundle(folder):  # the record is written beside bundles, and would break this one
        fail(why, EXIT_USAGE)
    try:
        policy = load_policy(policy_file)
    except ManifestError as error:
        fail(str(error), EXIT_USAGE)
    trust = _trust_of(policy, policy_file.parent, log_folder, attestations_folder)
    engine_path, missing = engine_or_why(engine)
    options = Options(
        engine_path, missing, jobs or cores(), limits=limits_of(limits), say=partial(click.echo, err=True), trust=trust
    )
    try:
        with shown(quiet=False):
            built = build_pages(folder, policy, out, options)
    except ManifestError as error:
        fail(str(error), EXIT_USAGE)
    except OSError as error:
        fail(f"{error.filename or out}: {error.strerror or error}", EXIT_USAGE)
    for entry in built.worse:
        told = (printable(text) for text in (entry.name, entry.reason or entry.run))
        click.echo(f"{'refused' if entry.present else 'gone'}: {': '.join(told)}")
    click.echo(f"leaderboard: {built.page}, {built.accepted} accepted")
    sys.exit(EXIT_FAILED if built.worse else 0)


def _trust_of(policy: Policy, beside: Path, log_folder: Path | None, attestations_folder: Path | None) -> Trust | None:
    """What the maintainers trust; ends the program where the log, or a root certificate, is not one of the policy's."""
    trusted = policy.trust_policy
    if trusted is None:
        if log_folder or attestations_folder:
            option = "--log" if log_folder else "--attestations"
            fail(f"{option} needs a policy whose `trust` says whose logs and statements you believe", EXIT_USAGE)
        return None
    if log_folder:
        try:
            opened_log(log_folder, trusted)
        except BadNote as error:
            fail(printable(f"{log_folder}: {error}"), EXIT_USAGE)
    try:
        roots = roots_beside(trusted, beside)
    except BadNote as error:
        fail(printable(f"timestampers: {error}"), EXIT_USAGE)
    files = attestations_folder.iterdir() if attestations_folder else ()
    attestations = tuple(sorted(path for path in files if path.is_file() and not path.name.startswith(".")))
    return Trust(trusted, log_folder, now_s(), attestations, roots)
