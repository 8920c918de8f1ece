"""What the page runs in its worker: the verifier on one bundle, as `agzamov-verify check` runs it without an engine."""

import json
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from agzamov_verify.checks.registration_check import Trust
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.commands.check_command import EXIT_USAGE, exit_code
from agzamov_verify.commands.command_line import WrongUse
from agzamov_verify.core.envelope import BadEnvelope, key_id, load_public_key
from agzamov_verify.core.untrusted_input import HostileBundle
from agzamov_verify.core.waiting import told
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from agzamov_verify.registration.time_stamp import NoReader
from agzamov_verify.show.text import verdict_report
from agzamov_verify.show.text.first_screen import KEY_NOT_GIVEN, NextStep

from .given_trust import given_trust
from .verdict_cards import cards
from .zip_bundle import UNPACKED_BYTES_MAX, is_zip, unpacked

UNPACK: Final = "Unpack it yourself, and choose the folder"
NO_ENGINE: Final = "a browser has no engine; the command agzamov-verify asks one"
NO_STAMPS: Final = "this page has no reader of time-stamps; the command agzamov-verify has one"
MORE: Final = (
    ("(--details, --json)", "(below)"),
    ("(--details)", "(below, in every step and figure)"),
    ("(--json lists them)", "(the verdict as JSON lists them)"),
)
"""Options of the command that the verifier's words name, and what the page has in their place."""


class Checked(NamedTuple):
    """Exit code, the cards (JSON), first screen, details and verdict (JSON).

    Of what is no bundle, `text` is the reason, and cards, details and verdict are empty.
    """

    code: int
    cards: str
    text: str
    details: str
    verdict: str


def check(path: str, key_pem: bytes, tell: Callable[[str], None], trusted: str = "") -> Checked:
    """Check the bundle at `path`: a folder, a plain tar or a zip file.

    `key_pem`: the public key by which the bundle must be signed, empty for any. `tell` is told how far the check is.
    `trusted`: the folder of whom the person trusts (`given_trust`), empty where nobody was named.
    """
    try:
        expected = key_id(load_public_key(key_pem)) if key_pem else ""
    except BadEnvelope as error:
        return _refused(f"The key file: {error}")
    try:
        trust = given_trust(Path(trusted)) if trusted else None
    except WrongUse as error:
        return _refused(f"Whom you trust: {error}")
    bundle = Path(path)
    with tempfile.TemporaryDirectory() as room:
        try:
            if bundle.is_file() and is_zip(bundle):
                if bundle.stat().st_size > UNPACKED_BYTES_MAX:
                    return _refused(f"The zip file is larger than {UNPACKED_BYTES_MAX >> 20} MiB: {UNPACK}")
                tell("unpacking")
                bundle = unpacked(bundle, Path(room))
        except HostileBundle as error:
            return _refused(f"The zip file: {error}. {UNPACK}.")
        refusal = no_bundle(bundle)
        return (
            _refused(refusal.replace(f"{bundle.parent}/", "")) if refusal else _checked(bundle, expected, tell, trust)
        )


def _checked(bundle: Path, expected: str, tell: Callable[[str], None], trust: Trust | None) -> Checked:
    missing = _why_no_engine()
    with told(tell):
        verdict = verify(bundle, Options(None, missing, expected_key_id=expected, trust=trust))
    as_command = verdict_report.json(verdict).decode() + "\n"
    again = f"agzamov-verify check {shlex.quote(bundle.name)} --engine /path/to/stockfish-15.1"
    _say_as_page(verdict, missing)
    shown = json.dumps(cards(verdict, expected, again))
    screen = verdict_report.text(verdict, [NextStep(again, "checks the engine's scores too")])
    text = screen.replace(f"({KEY_NOT_GIVEN})", _whose(verdict, expected), 1)
    return Checked(exit_code(verdict), shown, _of_page(text), _of_page(verdict_report.details(verdict)), as_command)


def _refused(why: str) -> Checked:
    return Checked(EXIT_USAGE, "", why, "", "")


def _say_as_page(verdict: Verdict, missing: str) -> None:
    """Take the command's advice to install something out of its words; nobody can follow it in a browser."""
    verdict.steps = [
        msgspec.structs.replace(step, remark=step.remark.replace(missing, NO_ENGINE)) for step in verdict.steps
    ]
    if found := verdict.registration:
        found.missing = [one.replace(str(NoReader()), NO_STAMPS) for one in found.missing]


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
