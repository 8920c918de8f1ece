"""The time-stamp of a registration's proof, if the bundle has one: by whom of the policy, and when."""

from typing import NamedTuple

from .. import bundle
from ..core.untrusted_input import HostileBundle, read_small
from ..registration.time_stamp import QUERY_BYTES, REPLY_BYTES_MAX, Asked, NoReader, asked, stamped_s
from ..registration.trust_policy import TrustPolicy
from ..transparency_log.checkpoint import Checkpoint
from ..transparency_log.signed_note import BadNote
from .check_log import Finding
from .opened_bundle import Opened

STEP = 17
"""That of the registration, of which a time-stamp is a part."""


class StampVerdict(NamedTuple):
    """When somebody whom the policy names stamped a checkpoint, by name; else why none counts.

    `wrong`: what is wrong with the stamp that is there. `missing`: why nobody looked at it here.
    """

    by: str = ""
    time_s: int | None = None
    wrong: Finding | None = None
    missing: str = ""


def check_stamp(opened: Opened, checkpoint: Checkpoint, policy: TrustPolicy, roots: dict[str, bytes]) -> StampVerdict:
    """What the policy says of the bundle's time-stamp. Never raises for a bad one."""
    present = [name for name in bundle.STAMP_FILES if name in opened.source.sizes]
    if not present:
        return StampVerdict()
    if not policy.timestampers:
        return StampVerdict(
            missing="it has a time-stamp, which counts where the policy names who made it: timestampers"
        )
    try:
        what = asked(read_small(opened.source, bundle.QUERY_FILE, QUERY_BYTES), checkpoint)
        reply = read_small(opened.source, bundle.STAMP_FILE, REPLY_BYTES_MAX)
    except HostileBundle as error:
        return StampVerdict(wrong=Finding(STEP, error.place, error.expected, error.found))
    except BadNote as error:
        return StampVerdict(wrong=Finding(STEP, bundle.QUERY_FILE, error.expected, error.found))
    return _by_whom(reply, what, policy, roots)


def _by_whom(reply: bytes, what: Asked, policy: TrustPolicy, roots: dict[str, bytes]) -> StampVerdict:
    """The first authority of the policy that made a stamp; else what the first one lacks in it."""
    wrong: Finding | None = None
    for name, authority in policy.timestampers.items():
        try:
            return StampVerdict(name, stamped_s(reply, what, authority, roots.get(name, b"")))
        except NoReader as error:
            return StampVerdict(missing=f"the time-stamp was not checked: {error}")
        except BadNote as error:
            wrong = wrong or Finding(STEP, bundle.STAMP_FILE, f"{error.expected} ({name})", error.found)
    return StampVerdict(wrong=wrong)
