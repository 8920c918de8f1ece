"""A trust policy: whom the reader of bundles trusts. A bundle never says so itself.

    {"beacons":{},"format":"agz-policy-1","logs":["example.com/log+6e1f…"],"margin_s":120,
     "quorum":1,"revoked":{"<key id>":{"reason":"stolen","since_s":1764000000}},
     "replayers":{"<key id>":"Example Lab"},"submitters":{"<key id>":"Example University"},
     "timestampers":{"Example TSA":{"root":"tsa-root.pem","root_sha256":"<SHA-256 of that file>"}},
     "witnesses":["witness.example.com/w1+…"]}

Any JSON with these fields will do, every one of them optional but `format`. `beacons` are chains of one's own, by name;
drand's quicknet is known by that name.
"""

import json
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from ..core.untrusted_input import unique
from ..experiment.plan_fields import END, DecimalText, Line, Sha256
from ..transparency_log.signed_note import COSIGNATURE, ED25519, BadNote, VerifierKey, parse_key
from .beacon import QUICKNET, Chain

POLICY_BYTES_MAX: Final = 2**20
Unit: TypeAlias = Annotated[str, Meta(pattern="^[a-z0-9/ ]{1,32}" + END)]
"""A figure's unit: score, bb/100."""
Seconds: TypeAlias = Annotated[int, Meta(ge=0, lt=2**53)]
Key: TypeAlias = Annotated[str, Meta(max_length=300)]


class Revoked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A submitter's key that is not believed from a time on, in POSIX seconds, and why."""

    reason: Line
    since_s: Seconds = 0


class Authority(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A time-stamp authority (RFC 3161): its root certificate in PEM, a file beside the policy, and that file's digest.

    `policy`: the OID under which it must have stamped; empty for any.
    """

    root: Annotated[str, Meta(pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,99}" + END)]
    root_sha256: Sha256
    policy: Annotated[str, Meta(pattern=r"^([0-2](\.(0|[1-9][0-9]{0,30})){1,30})?" + END)] = ""


class TrustPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Logs and witnesses by their verifier keys, how many witnesses it takes, beacons, submitters and revoked keys.

    `timestampers`: time-stamp authorities by name; a stamp by one of them counts as one witness of a registration.

    `margin_s`: how long before its beacon round a run must have been registered, and its end before the round that
    draws the games to replay. `deadline_days_max`: days that a run may take at most; one with a later deadline counts
    as missing.

    `replayers`: keys whose replays count, and whose they are. A replay has `replayed_games_min` games, or all that
    there are; in at most `different_games_max` of them an answer differs beyond `margin_nats_max`. `comparers`: keys
    whose word counts that two executions agree. `margins_max`: the widest margin that counts, by unit; one wide enough
    agrees with anything.
    """

    format: Literal["agz-policy-1"]
    logs: tuple[Key, ...] = ()
    witnesses: tuple[Key, ...] = ()
    timestampers: Annotated[dict[Line, Authority], Meta(max_length=100)] = {}
    quorum: Annotated[int, Meta(ge=1, le=100)] = 1
    beacons: dict[Annotated[str, Meta(pattern="^[a-z0-9-]{1,32}" + END)], Chain] = {}
    margin_s: Seconds = 120
    deadline_days_max: Annotated[int, Meta(ge=1, le=3660)] = 366
    submitters: dict[Sha256, Line] = {}
    revoked: dict[Sha256, Revoked] = {}
    replayers: dict[Sha256, Line] = {}
    replayed_games_min: Annotated[int, Meta(ge=1, le=100_000)] = 59
    different_games_max: Annotated[int, Meta(ge=0, le=100_000)] = 0
    margin_nats_max: DecimalText = "0.05"
    comparers: dict[Sha256, Line] = {}
    margins_max: dict[Unit, DecimalText] = {}

    @property
    def log_keys(self) -> list[VerifierKey]:
        return [parse_key(key, ED25519) for key in self.logs]

    @property
    def witness_keys(self) -> list[VerifierKey]:
        return [parse_key(key, COSIGNATURE) for key in self.witnesses]

    @property
    def deadline_max_s(self) -> int:
        return self.deadline_days_max * 86_400

    @property
    def chains(self) -> dict[str, Chain]:
        return {"quicknet": QUICKNET, **self.beacons}

    def name_of(self, key_id: str) -> str:
        """Whose key it is, as far as the policy says."""
        names = (self.submitters, self.replayers, self.comparers)
        return next((known[key_id] for known in names if key_id in known), f"key {key_id[:16]}")

    def is_one_party(self, key_id: str, other: str) -> bool:
        """Whether two keys are somebody's one key, or two that the policy has under one name."""
        return self.name_of(key_id) == self.name_of(other)


def parse_policy(data: bytes) -> TrustPolicy:
    """A policy from its JSON. Raises BadNote, with the field's place."""
    if len(data) > POLICY_BYTES_MAX:
        raise BadNote(f"a policy of at most {POLICY_BYTES_MAX} bytes", f"{len(data)}")
    try:
        json.loads(data, object_pairs_hook=unique)  # msgspec takes the last of two fields of one name
        policy = msgspec.json.decode(data, type=TrustPolicy)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise BadNote("a trust policy in JSON", str(error)[:300]) from error
    publics = [key.public for key in (*policy.log_keys, *policy.witness_keys)]
    if len(publics) != len(set(publics)):
        raise BadNote("each key once: who keeps the log is no witness of it under the same key", "a key twice")
    return policy
