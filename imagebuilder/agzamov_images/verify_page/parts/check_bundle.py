"""What the page runs in its worker: the verifier on one bundle, as `agzamov-verify check` runs it without an engine."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.commands.check_command import EXIT_USAGE, exit_code
from agzamov_verify.core.envelope import BadEnvelope, key_id, load_public_key
from agzamov_verify.core.waiting import told
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from agzamov_verify.show.text import verdict_report

NO_ENGINE: Final = "a browser has no engine; the command agzamov-verify asks one"
MORE: Final = (
    ("(--details, --json)", "(below)"),
    ("(--details)", "(below, in every step and figure)"),
    ("(--json lists them)", "(the verdict as JSON lists them)"),
)
"""Options of the command that the verifier's words name, and what the page has in their place."""


def check(path: str, key_pem: bytes, tell: Callable[[str], None]) -> tuple[int, str, str, str]:
    """Exit code, first screen, details and verdict (JSON) of the bundle at `path`; the verdict is empty if it is none.

    `key_pem`: the public key by which the bundle must be signed, empty for any. `tell` is told how far the check is.
    """
    try:
        expected = key_id(load_public_key(key_pem)) if key_pem else ""
    except BadEnvelope as error:
        return EXIT_USAGE, f"The key file: {error}", "", ""
    bundle = Path(path)
    refusal = no_bundle(bundle)
    if refusal:
        return EXIT_USAGE, refusal, "", ""
    missing = _why_no_engine()
    with told(tell):
        verdict = verify(bundle, Options(None, missing, expected_key_id=expected))
    as_command = verdict_report.json(verdict).decode() + "\n"
    again = f"agzamov-verify check {bundle.name} --engine /path/to/stockfish-15.1"
    _say_as_page(verdict, missing)
    text = verdict_report.text(verdict, [again]).replace("(--key checks whose it is)", _whose(verdict, expected), 1)
    return exit_code(verdict), _of_page(text), _of_page(verdict_report.details(verdict)), as_command


def _say_as_page(verdict: Verdict, missing: str) -> None:
    """Take the command's advice to install an engine out of the steps; nobody can follow it in a browser."""
    verdict.steps = [
        msgspec.structs.replace(step, remark=step.remark.replace(missing, NO_ENGINE)) for step in verdict.steps
    ]


def _whose(verdict: Verdict, expected: str) -> str:
    if not expected:
        return "(choose its key above to see whose it is)"
    return "(the key that you chose)" if verdict.submitter == expected else "(not the key that you chose)"


def _of_page(text: str) -> str:
    for option, place in MORE:
        text = text.replace(option, place)
    return text


def _why_no_engine() -> str:
    """The verifier's own words where no engine is installed."""
    try:
        return f"{find_engine()} cannot be started in a browser"
    except EngineFault as error:
        return str(error)
