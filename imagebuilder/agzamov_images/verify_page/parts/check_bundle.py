"""What the page runs in its worker: the verifier on one bundle, as `agzamov-verify check` runs it without an engine."""

from collections.abc import Callable
from pathlib import Path

from agzamov_verify.bundle_argument import no_bundle
from agzamov_verify.check_command import EXIT_USAGE, exit_code
from agzamov_verify.checks import Options, verify
from agzamov_verify.display import report
from agzamov_verify.envelope import BadEnvelope, key_id, load_public_key
from agzamov_verify.stockfish import EngineFault, find_engine
from agzamov_verify.waiting import told


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
    with told(tell):
        verdict = verify(bundle, Options(None, _why_no_engine(), expected_key_id=expected))
    again = f"agzamov-verify check {bundle.name} --engine /path/to/stockfish-15.1"
    return (
        exit_code(verdict),
        report.text(verdict, [again]),
        report.details(verdict),
        report.json(verdict).decode() + "\n",
    )


def _why_no_engine() -> str:
    """The verifier's own words where no engine is installed."""
    try:
        return f"{find_engine()} cannot be started in a browser"
    except EngineFault as error:
        return str(error)
