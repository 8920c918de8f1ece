"""Words for levels above V1: what the log says of a bundle's study, and others of its games; what is wrong, or missing.

And, with a trust policy or without one, what is missing for the next level, and who would have to do what.
"""

from collections.abc import Iterator
from typing import Final

from ...checks.check_log import Status
from ...checks.level_verdict import LevelVerdict
from ...checks.registration_check import NOT_REGISTERED
from ...checks.steps import Verdict
from ...core.untrusted_input import printable

REACHED: Final = "registered before its seed existed, and every registration of its study is accounted for"
NO_POLICY: Final = (
    "the bundle holds a registration, and nobody has checked it here; you would have to say whose log and witnesses you"
    " trust, and give a copy of the log: --policy FILE --log FOLDER"
)
ASK_AGAIN: Final = (
    "somebody else than the submitter would have to ask the same models again: agzamov replay --attest; its attestation"
    " is given by --attestation"
)
HOSTED: Final = (
    "nobody can ask the same weights again, for a model of this run is hosted; another party would have to repeat the"
    " whole run, which is V4"
)
EXECUTE: Final = (
    "another party would have to register and play the same plan under a seed of its own, and somebody compare both:"
    " agzamov compare --attest"
)
HIGHEST: Final = "a third execution can be compared with these by agzamov compare"


def next_level(verdict: Verdict) -> tuple[str, str]:
    """The next level of a bundle that holds, and what is missing for it and who would have to do what."""
    if verdict.level == "V0":
        steps = ", ".join(step.name for step in verdict.steps if step.status is Status.NOT_CHECKED)
        return "V1", f"not checked here: {steps}; whoever checks it has to give what these steps name, and more time"
    if verdict.level >= "V2":
        return _above_v2(verdict)
    found = verdict.registration
    if found is None:
        return "V2", NO_POLICY if verdict.is_registered else NOT_REGISTERED
    if found.findings:
        words = f"{_things(found)} wrong with its registration, which its submitter would have to explain"
        return "V2", f"{words}: see Registration"
    return "V2", "; ".join(map(printable, found.missing))


def _above_v2(verdict: Verdict) -> tuple[str, str]:
    if verdict.level == "V4":
        return "V4", HIGHEST
    if executed := verdict.agreements:
        words = f"{_things(executed)} wrong with an attestation, or the figures do not agree: see Executed by others"
        return "V4", words if executed.findings else "; ".join(map(printable, executed.missing))
    if verdict.level == "V3":
        return "V4", EXECUTE
    found = verdict.replays
    if found and found.findings:
        return "V3", f"{_things(found)} wrong with an attestation, or with the replies: see Replayed by others"
    if found:
        return "V3", "; ".join(map(printable, found.missing))
    playing = verdict.manifest.plan.playing.values() if verdict.manifest else ()
    return "V3", HOSTED if any(seat.is_hosted for seat in playing) else ASK_AGAIN


def _things(found: LevelVerdict) -> str:
    wrong = len(found.findings)
    return "1 thing is" if wrong == 1 else f"{wrong} things are"


def registration_lines(verdict: Verdict) -> Iterator[str]:
    """The paragraphs below the first screen; none without a trust policy."""
    found = verdict.registration
    if found is None or verdict.failed:
        return
    yield ""
    yield "Registration"
    if found.reached and verdict.level >= "V2":
        yield f"  {REACHED}"
    yield from account_lines(found, "V2")
    if verdict.replays:
        yield ""
        yield "Replayed by others"
        yield from account_lines(verdict.replays, "V3")
    if verdict.agreements:
        yield ""
        yield "Executed by others"
        yield from account_lines(verdict.agreements, "V4")


def account_lines(found: LevelVerdict, level: str) -> Iterator[str]:
    """What was found for a level, what is wrong, and what is missing."""
    for line in found.account:
        yield f"  {printable(line)}"
    for finding in found.findings:
        place, expected, was = map(printable, (finding.place, finding.expected, finding.found))
        yield f"  not {level}: {place}: expected {expected}, found {was}"
    for missing in found.missing:
        yield f"  missing for {level}: {printable(missing)}"
