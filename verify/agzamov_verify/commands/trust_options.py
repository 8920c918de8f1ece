"""A reader's trust policy and copy of the log, as commands take them."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ..checks.registration_check import Trust
from ..core.untrusted_input import printable
from ..registration.time_stamp import roots_beside
from ..registration.trust_policy import POLICY_BYTES_MAX, TrustPolicy, parse_policy
from ..transparency_log.folder_log import CHECKPOINT, read_file
from ..transparency_log.signed_note import BadNote
from .command_line import WrongUse

Command = TypeVar("Command", bound=Callable[..., Any])


def trust_options(command: Command) -> Command:
    """The options --policy, --log and --attestation, as `policy`, `log_folder` and `attestations`."""
    attestation = click.option(
        "--attestation",
        "attestations",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="An attestation of somebody else about the bundle, with --policy: for levels V3 and V4. Repeatable.",
    )
    log = log_option("Your copy of the log of registrations, with --policy.")
    policy = policy_option("Your trust policy (JSON): logs, witnesses, beacons, keys. It asks for level V2 or higher.")
    return policy(log(attestation(command)))


def log_option(words: str) -> Callable[[Command], Command]:
    """The option --log, as `log_folder`, with its help."""
    return click.option(
        "--log", "log_folder", type=click.Path(exists=True, file_okay=False, path_type=Path), help=words
    )


def policy_option(words: str) -> Callable[[Command], Command]:
    """The option --policy for a trust policy, with its help."""
    return click.option("--policy", type=click.Path(exists=True, dir_okay=False, path_type=Path), help=words)


def now_s() -> int:
    """This machine's time in POSIX seconds: deadlines are compared with it where no witness tells the time."""
    return time.time_ns() // 10**9


def policy_of(path: Path) -> TrustPolicy:
    """The trust policy in a file. Raises WrongUse."""
    try:
        return parse_policy(read_file(path, POLICY_BYTES_MAX))
    except BadNote as error:
        raise WrongUse(printable(f"{path}: {error}")) from error


def roots_of(policy: TrustPolicy, path: Path) -> dict[str, bytes]:
    """The root certificates that the policy in the file `path` names, from the files beside it. Raises WrongUse."""
    try:
        return roots_beside(policy, path.parent)
    except BadNote as error:
        raise WrongUse(printable(f"{path}: timestampers: {error}")) from error


def trust_of(policy: Path | None, log: Path | None, attestations: tuple[Path, ...] = ()) -> Trust | None:
    """What a reader trusts; None without a policy. Raises WrongUse."""
    if policy is None:
        if log:
            raise WrongUse(
                "a log (--log) needs a trust policy (--policy), which says whose log and witnesses you trust"
            )
        if attestations:
            raise WrongUse("an attestation (--attestation) needs a trust policy (--policy): whose word counts for you")
        return None
    if log and not os.path.lexists(log / CHECKPOINT):
        raise WrongUse(printable(f"{log}: expected a copy of a log, found no {CHECKPOINT} in it"))
    trusted = policy_of(policy)
    return Trust(trusted, log, now_s(), attestations, roots_of(trusted, policy))


def trust_words(trust: Trust | None) -> str:
    """The options by which somebody else checks a bundle's registration too, each with a space before it."""
    if trust is None:
        return ""
    log = " --log LOG" if trust.log else ""
    return f" --policy POLICY.json{log}{' --attestation ATTESTATION.json' * len(trust.attestations)}"
