"""A replay attestation: whole games of a bundle that somebody else drew and asked again, and how many answers agreed.

The games follow from a beacon round that came out after the bundle's digest was logged, so nobody could prepare them:

    seed   = SHA-256(randomness of the round || SHA-256 of manifest-sha256.txt), in hexadecimal
    games  = `sample` of all games in which a seat of `seats` was asked, in the order in which that seed deals them
"""

import hashlib
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from ..core.envelope import Subject
from ..experiment.plan_fields import DecimalText, Line, Name, Sha256, Sha256OrNone
from ..registration.beacon import BeaconRound

REPLAY_TYPE: Final = "urn:agzamov:attestation:replay:1"
Number: TypeAlias = Annotated[int, Meta(ge=0, lt=2**53)]
Label: TypeAlias = Annotated[str, Meta(max_length=100)]


class Counts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answers asked again: equal to the last byte, within the margin, different. `counted_otherwise`: other tokens."""

    counted_otherwise: Number
    different: Number
    same: Number
    within_margin: Number

    @property
    def asked(self) -> int:
        return self.same + self.within_margin + self.different


class ReplayedSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat that was asked again: by what, whose digest is `sha256`, who vouches for that digest, and its counts.

    `function_of_request`: whether the server gave one answer to one request; None where that was not tried.
    """

    counts: Counts
    function_of_request: bool | None
    served_by: Line
    server: Line
    sha256: Sha256OrNone
    witness: Line


class ReplayedMemory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A memory of one stream that a fresh server answered for again. `unlike`: searches that need not repeat."""

    asked: Number
    different: Number
    unlike: Number


class Machine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The machine on which it was done. `cpu_flags_same`: as the run's processor had; None where that is not known."""

    cores: Number
    cpu: Line
    cpu_flags_same: bool | None
    machine: Line
    release: Line
    system: Line


class Replayed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The predicate. `end_proof`: the tlog-proof of the log's entry with this bundle as the result of its run.

    `games`: counts by game. `memories`: by "stream seat". `not_asked`: seats and memories, each with the reason.
    `margin_nats`: the largest accepted difference of log probabilities at the first token that differs.
    """

    beacon: BeaconRound
    end_proof: Annotated[str, Meta(max_length=2**16)]
    games: Annotated[dict[Label, Counts], Meta(max_length=100_000)]
    games_in_bundle: Number
    key: Annotated[str, Meta(max_length=200)]
    machine: Machine
    margin_nats: DecimalText
    memories: Annotated[dict[Label, ReplayedMemory], Meta(max_length=100_000)]
    not_asked: dict[Label, Line]
    program: Line
    run: Annotated[str, Meta(max_length=64)]
    sample: Annotated[int, Meta(ge=1, lt=2**53)]
    seats: dict[Name, ReplayedSeat]

    @property
    def games_different(self) -> int:
        """Games with an answer beyond the margin."""
        return sum(counts.different > 0 for counts in self.games.values())


class ReplayStatement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The in-toto statement about one bundle."""

    type_: Literal["https://in-toto.io/Statement/v1"] = msgspec.field(
        name="_type", default="https://in-toto.io/Statement/v1"
    )
    predicate: Replayed
    predicate_type: Literal["urn:agzamov:attestation:replay:1"] = msgspec.field(
        name="predicateType", default=REPLAY_TYPE
    )
    subject: Annotated[tuple[Subject, ...], Meta(min_length=1, max_length=1)]


def draw_seed(beacon: BeaconRound, bundle_sha256: Sha256) -> str:
    """The seed of the draw of a bundle's games, in hexadecimal."""
    return hashlib.sha256(beacon.randomness + bytes.fromhex(bundle_sha256)).hexdigest()
