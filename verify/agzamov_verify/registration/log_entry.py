"""What a log of registrations holds: a run before it is played, and what ended it, each signed by the submitter.

    {"entry":{"attempt":1,"attempts":3,"chain":"quicknet","deadline_s":1764000000,"event":"registered",
     "manifest_sha256":"5e…","round":24000000,"secret_commit":"9a…","seen_round":23990000,"study":"c3…","title":"…"},
     "key":"-----BEGIN PUBLIC KEY-----\n…","signature":"<base64>"}

Signed is DSSE's pre-authentication encoding of the entry's canonical JSON. So nobody can register a run under another's
key, nor end it. A study is a plan without what may differ between its repetitions: nonce, secret, title and seed.
"""

import base64
import hashlib
from collections.abc import Collection
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta

from ..core import canon
from ..core.ed25519 import SPKI_PREFIX
from ..core.envelope import is_signed, key_id, load_public_key, pae
from ..experiment.plan_fields import END, DecimalText, Line, Sha256
from ..plan.manifest import Manifest
from ..transparency_log.signed_note import BadNote
from .trust_policy import Unit

PAYLOAD_TYPE: Final = "application/vnd.agzamov.registration+json"
ENTRY_BYTES_MAX: Final = 2**13
CHAINS: Final = ("", "quicknet")
Number: TypeAlias = Annotated[int, Meta(ge=0, lt=2**53)]
Attempts: TypeAlias = Annotated[int, Meta(ge=1, le=100_000)]
ChainName: TypeAlias = Annotated[str, Meta(pattern="^[a-z0-9-]{0,32}" + END)]


class Registered(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="event", tag="registered"
):
    """A run that will be played: attempt number `attempt` of `attempts` that the study declares.

    `round` of the beacon `chain` is the one that its seed waits for, 0 with a seed of its own; `seen_round` the latest
    that the submitter had seen, 0 for none. `deadline_s`: POSIX seconds by which its end is logged. `margins`: by unit,
    the largest difference at which another execution's figure agrees; an entry that declares none has no such field.
    """

    attempt: Attempts
    attempts: Attempts
    chain: ChainName
    deadline_s: Number
    manifest_sha256: Sha256
    round: Number
    secret_commit: Sha256
    seen_round: Number
    study: Sha256
    title: Line
    margins: Annotated[dict[Unit, DecimalText], Meta(max_length=16)] = {}


class Finished(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="event", tag="finished"):
    """A registered run was played; `bundle_sha256` is the digest that its submitter signed."""

    bundle_sha256: Sha256
    manifest_sha256: Sha256


class Aborted(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="event", tag="aborted"):
    """A registered run will have no result, and why."""

    manifest_sha256: Sha256
    reason: Line


Entry: TypeAlias = Registered | Finished | Aborted


class SignedEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry as the log keeps it: with the submitter's public key in PEM and signature in base64."""

    entry: Entry
    key: str
    signature: str


class Read(msgspec.Struct, frozen=True):
    """An entry whose signature fits, and the id of its key."""

    entry: Entry
    key_id: str


def signed_bytes(entry: Entry) -> bytes:
    """The bytes that the submitter signs."""
    return pae(PAYLOAD_TYPE, canon.dumps(entry))


def pem_of(public: bytes) -> str:
    """The one spelling of a key in an entry: whoever looks for a key's entries by these words finds them all."""
    encoded = base64.b64encode(SPKI_PREFIX + public).decode()
    return f"-----BEGIN PUBLIC KEY-----\n{encoded}\n-----END PUBLIC KEY-----\n"


def read_entry(data: bytes) -> Read:
    """An entry of a log from its bytes, by the key that it names. Raises BadNote."""
    if len(data) > ENTRY_BYTES_MAX:
        raise BadNote(f"a registration of at most {ENTRY_BYTES_MAX} bytes", f"{len(data)} bytes")
    try:
        found = canon.loads_as(data, SignedEntry)
        key, signature = load_public_key(found.key.encode()), base64.b64decode(found.signature, validate=True)
    except canon.NotCanonical as error:
        raise BadNote("a registration in canonical JSON", str(error)) from error
    except ValueError as error:  # of a key, or of a text that is no base64
        raise BadNote("a registration with a public key and a signature", str(error)) from error
    if base64.b64encode(signature).decode() != found.signature or pem_of(key.public_bytes_raw()) != found.key:
        raise BadNote("a key and a signature in their one spelling", "another spelling")
    if not is_signed(key, signature, signed_bytes(found.entry)):
        raise BadNote("a registration that the key in it signed", "a signature that does not fit")
    return Read(found.entry, key_id(key))


def study_of(manifest: Manifest) -> str:
    """The digest of a plan and its pins without nonce, secret, seed and title: equal for repetitions of one study."""
    return _digest_without(manifest, ("nonce", "secret_commit"))


def plan_of(manifest: Manifest) -> str:
    """As `study_of`, without the submitter too: equal where different people execute one plan."""
    return _digest_without(manifest, ("nonce", "secret_commit", "submitter_key_id"))


def _digest_without(manifest: Manifest, names: Collection[str]) -> str:
    document = canon.loads(manifest.bytes)
    assert isinstance(document, dict)
    plan = document["plan"]
    assert isinstance(plan, dict)
    kept = {name: value for name, value in document.items() if name not in (*names, "plan")}
    return canon.digest(
        {**kept, "plan": {name: value for name, value in plan.items() if name not in ("title", "seed")}}
    )


def manifest_sha256(manifest: Manifest) -> str:
    """The digest by which a registration names a run."""
    return hashlib.sha256(manifest.bytes).hexdigest()
