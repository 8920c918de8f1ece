"""Whom the person before the page trusts: a policy, roots beside it, attestations and a copy of the log, as given.

files/   what was chosen beside the bundle: one trust policy, root certificates that it names, attestations
log/     the folder of the log
"""

from pathlib import Path
from typing import Final

from agzamov_verify.checks.registration_check import Trust
from agzamov_verify.commands.command_line import WrongUse
from agzamov_verify.commands.trust_options import trust_of
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.registration.trust_policy import POLICY_BYTES_MAX

from .stand_ins import openssl_hashes

POLICY_WORD: Final = b'"agz-policy-1"'
ROOT_ENDS: Final = (".pem", ".crt", ".cer")


def given_trust(folder: Path) -> Trust | None:
    """What --policy, --log and --attestation give to the command; None where nothing was given. Raises WrongUse."""
    openssl_hashes.stand_in()
    files, log = folder / "files", folder / "log"
    chosen = sorted(path for path in files.iterdir() if path.is_file()) if files.is_dir() else []
    documents = [path for path in chosen if not path.name.lower().endswith(ROOT_ENDS)]
    policies = [path for path in documents if _is_policy(path)]
    if len(policies) > 1:
        raise WrongUse(f"expected one trust policy, found {' and '.join(printable(path.name) for path in policies)}")
    if chosen and not policies:
        names = ", ".join(printable(path.name) for path in chosen)
        raise WrongUse(f'expected a trust policy, a JSON file with "format": "agz-policy-1", found {names} alone')
    attestations = tuple(path for path in documents if path not in policies)
    try:
        return trust_of(policies[0] if policies else None, log if log.is_dir() else None, attestations)
    except WrongUse as error:
        raise WrongUse(str(error).replace(f"{files}/", "")) from error


def _is_policy(path: Path) -> bool:
    with path.open("rb") as file:
        return POLICY_WORD in file.read(POLICY_BYTES_MAX)
