"""A run's registration in its folder: the signed entry that asks for it, proof, time-stamp, beacon round."""

import base64
import hashlib
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.core import canon
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.registration.beacon import QUICKNET, BeaconRound, NoPairing, is_of_chain
from agzamov_verify.registration.log_entry import (
    ENTRY_BYTES_MAX,
    Entry,
    Registered,
    SignedEntry,
    manifest_sha256,
    read_entry,
    signed_bytes,
    study_of,
)
from agzamov_verify.registration.time_stamp import (
    NONCE_BYTES,
    QUERY_BYTES,
    REPLY_BYTES_MAX,
    NoReader,
    answered,
    asked,
    query,
    stamped_bytes,
)
from agzamov_verify.transparency_log.checkpoint import Checkpoint, parse_checkpoint
from agzamov_verify.transparency_log.proofs import leaf_hash, root_from_inclusion
from agzamov_verify.transparency_log.signed_note import BadNote
from agzamov_verify.transparency_log.tlog_proof import PROOF_BYTES_MAX, parse_proof

from ..foundation.append_only import write_whole
from .run_folder import BEACON, PROOF, QUERY, REGISTRATION, STAMP, RunDirectory
from .seal_signature import public_pem

DRAND_BYTES_MAX = 4096
NO_MARGINS: Mapping[str, str] = MappingProxyType({})


class DrandRound(msgspec.Struct):
    """What a drand server answers, /CHAIN/public/ROUND: of an unchained chain these three."""

    round: int
    signature: str
    randomness: str = ""


def signed_entry(entry: Entry, key: Ed25519PrivateKey) -> bytes:
    """The entry as a log keeps it."""
    signature = base64.b64encode(key.sign(signed_bytes(entry))).decode()
    return canon.dumps(SignedEntry(entry, public_pem(key).decode(), signature))


def registered(
    directory: RunDirectory,
    key: Ed25519PrivateKey,
    attempt: int,
    attempts: int,
    deadline_s: int,
    seen_round: int = 0,
    margins: Mapping[str, str] = NO_MARGINS,
) -> bytes:
    """The request to register a sealed run, which is kept in its folder from now on. Raises ManifestError."""
    manifest = directory.manifest
    chain, _, number = (
        manifest.plan.seed.value.partition("/") if manifest.plan.seed.origin == "beacon" else ("", "", "0")
    )
    entry = Registered(
        attempt=attempt,
        attempts=attempts,
        chain=chain,
        deadline_s=deadline_s,
        manifest_sha256=manifest_sha256(manifest),
        round=int(number),
        secret_commit=manifest.secret_commit,
        seen_round=seen_round,
        study=study_of(manifest),
        title=manifest.plan.title,
        margins=dict(margins),
    )
    data = signed_entry(entry, key)
    try:
        read_entry(data)
    except BadNote as error:
        raise ManifestError(f"the registration: {error}") from error
    write_whole(directory.path / REGISTRATION, data)
    return data


def take_proof(directory: RunDirectory, file: Path) -> None:
    """Keep the proof in a file that the run is registered. Raises ManifestError for a proof of something else."""
    keep_proof(directory, _read(file, PROOF_BYTES_MAX), str(file))


def keep_proof(directory: RunDirectory, data: bytes, place: str) -> None:
    """Keep the proof of the run's registration, which came from `place`. Raises ManifestError as `take_proof`."""
    entry = directory.path / REGISTRATION
    if not directory.has(REGISTRATION):
        raise ManifestError(f"{directory.path}: expected a run that asked to be registered; see agzamov register plan")
    try:
        proof = parse_proof(data)
        checkpoint = parse_checkpoint(proof.checkpoint)
    except BadNote as error:
        raise ManifestError(f"{place}: {error}") from error
    leaf = leaf_hash(_read(entry, ENTRY_BYTES_MAX))
    if root_from_inclusion(leaf, proof.number, checkpoint.size, proof.path) != checkpoint.root:
        raise ManifestError(
            f"{place}: expected the proof that the run in {directory.path} is registered, found another"
        )
    if not is_as_stamped(directory, checkpoint):
        raise ManifestError(
            f"{place}: expected a proof by the checkpoint that was time-stamped, found another;"
            f" to take this one, remove {directory.path / STAMP} first"
        )
    write_whole(directory.path / PROOF, data)


def is_as_stamped(directory: RunDirectory, checkpoint: Checkpoint) -> bool:
    """False where a proof by this checkpoint would make the time-stamp that is kept, of another one, worthless."""
    if not (directory.has(STAMP) and directory.has(PROOF)):
        return True
    return stamped_bytes(checkpoint) == stamped_bytes(_logged(directory))


def _logged(directory: RunDirectory) -> Checkpoint:
    """The checkpoint of the run's proof. Raises ManifestError."""
    proof = directory.path / PROOF
    if not directory.has(PROOF):
        raise ManifestError(f"{directory.path}: expected the proof of its registration; see agzamov register proof")
    try:
        return parse_checkpoint(parse_proof(_read(proof, PROOF_BYTES_MAX)).checkpoint)
    except BadNote as error:
        raise ManifestError(f"{proof}: {error}") from error


def stamp_query(directory: RunDirectory) -> bytes:
    """The query that asks for a time-stamp of the run's registration, kept from now on; the same if asked again."""
    checkpoint, kept = _logged(directory), directory.path / QUERY
    if kept.is_file():
        with suppress(BadNote):
            data = _read(kept, QUERY_BYTES)
            asked(data, checkpoint)
            return data
    data = query(checkpoint, secrets.token_bytes(NONCE_BYTES))
    write_whole(kept, data)
    return data


def take_stamp(directory: RunDirectory, file: Path) -> None:
    """Keep an authority's reply to the query. Raises ManifestError for a reply to another one, or none."""
    kept = directory.path / QUERY
    if not directory.has(QUERY):
        raise ManifestError(
            f"{directory.path}: expected a run that asked for a time-stamp; agzamov register stamp-query"
        )
    data = _read(file, REPLY_BYTES_MAX)
    try:
        answered(data, asked(_read(kept, QUERY_BYTES), _logged(directory)))
    except (BadNote, NoReader) as error:
        raise ManifestError(f"{file}: {error}") from error
    write_whole(directory.path / STAMP, data)


def take_beacon(directory: RunDirectory, file: Path, tell: Callable[[str], object]) -> None:
    """Keep the round that the seed waits for, as a drand server answers it. Raises ManifestError for another one.

    One that was kept with another signature, unchecked, goes as long as nothing was played by it.
    """
    seed = directory.manifest.plan.seed
    if seed.origin != "beacon":
        raise ManifestError(f"{directory.path}: its seed waits for no round (origin {seed.origin})")
    beacon = round_in(file, seed.value.partition("/")[0])
    if beacon.seed_value != seed.value:
        raise ManifestError(f"{file}: expected the round {seed.value}, found {beacon.seed_value}")
    why_unchecked = _why_unchecked(beacon, file)
    kept = directory.path / BEACON
    if directory.has(BEACON) and kept.read_bytes() != canon.dumps(beacon):
        if why_unchecked or any(directory.journal.iterdir()):
            raise ManifestError(
                f"{kept}: expected the signature of this round that is here already, found another; the first was kept"
            )
        tell(f"{kept}: its signature was another one; nothing was played by it, so it was replaced")
    if why_unchecked:
        tell(f"warning: the signature of round {beacon.seed_value} was not checked: {why_unchecked}")
    write_whole(kept, canon.dumps(beacon))


def _why_unchecked(beacon: BeaconRound, file: Path) -> str:
    """Empty if the round's chain signed it, else why nobody can say. Raises ManifestError for another signature."""
    if beacon.chain != "quicknet":
        return f"the key of {beacon.chain} is not known here"
    try:
        is_signed = is_of_chain(beacon, QUICKNET)
    except NoPairing as error:
        return str(error)
    if not is_signed:
        raise ManifestError(
            f"{file}: expected the signature of round {beacon.seed_value}, found another, perhaps another round's;"
            " nothing was kept: fetch the round again"
        )
    return ""


def round_in(file: Path, chain: str) -> BeaconRound:
    """The round of a chain in a file, as a drand server answers it. Raises ManifestError."""
    try:
        found = msgspec.json.decode(_read(file, DRAND_BYTES_MAX), type=DrandRound)
        beacon = msgspec.convert({"chain": chain, "round": found.round, "signature": found.signature}, BeaconRound)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ManifestError(f"{file}: expected a round in JSON as a drand server answers it ({error})") from error
    if found.randomness and found.randomness != hashlib.sha256(bytes.fromhex(found.signature)).hexdigest():
        raise ManifestError(f"{file}: expected randomness that is the SHA-256 of the signature, found another")
    return beacon


def _read(path: Path, bytes_max: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(bytes_max + 1)
    if len(data) > bytes_max:
        raise ManifestError(f"{path}: expected at most {bytes_max} bytes, found more")
    return data
