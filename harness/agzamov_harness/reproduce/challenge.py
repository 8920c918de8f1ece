"""The draw of games to ask again: a beacon round that came out after the bundle's digest was logged, and the proof.

Nobody could know the round when the bundle was signed and logged, so nobody could prepare these games.
"""

from pathlib import Path
from typing import Final, NamedTuple

from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.checks.registration_check import opened_log
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.registration.beacon import BeaconRound, Chain, NoPairing, is_of_chain
from agzamov_verify.registration.log_entry import Finished, read_entry
from agzamov_verify.registration.trust_policy import TrustPolicy
from agzamov_verify.transparency_log.folder_log import FolderLog
from agzamov_verify.transparency_log.signed_note import BadNote
from agzamov_verify.transparency_log.tlog_proof import TlogProof

from ..run.registration import round_in

QUICKNET_URL: Final = "https://api.drand.sh/52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971/public"


class Challenge(NamedTuple):
    """The round that draws the games, and the tlog-proof that the bundle was logged before."""

    beacon: BeaconRound
    end_proof: str


def challenge_of(opened: Opened, round_file: Path | None, policy: TrustPolicy, log: Path) -> Challenge:
    """The challenge of a round in a drand server's answer. Raises ManifestError, with the first round that will do."""
    try:
        proof, logged_s = _logged(opened, policy, log)
    except BadNote as error:
        raise ManifestError(f"{log}: {error}") from error
    seed = opened.manifest.plan.seed
    name = seed.value.partition("/")[0] if seed.origin == "beacon" else "quicknet"
    chain = policy.chains.get(name)
    if chain is None:
        raise ManifestError(f"the beacon {name}: expected one that the policy knows")
    first = chain.round_after(logged_s + policy.margin_s)
    if round_file is None:
        url = f"; curl -o round.json {QUICKNET_URL}/{first}" if name == "quicknet" else ""
        raise ManifestError(f"give the beacon round that draws the games by --round FILE: {name}/{first} or later{url}")
    beacon = round_in(round_file, name)
    if beacon.round < first:
        raise ManifestError(
            f"{round_file}: expected round {first} or later, after the result was logged, found {beacon.round}"
        )
    _require_signed(beacon, chain, round_file)
    return Challenge(beacon, proof)


def _logged(opened: Opened, policy: TrustPolicy, folder: Path) -> tuple[str, int]:
    """The proof that this bundle is logged, and when enough witnesses saw that, in POSIX seconds. Raises BadNote."""
    log, signed = opened_log(folder, policy)
    logged_s = signed.time_s(policy.quorum)
    if logged_s is None:
        raise BadNote(f"a checkpoint with the cosignatures of {policy.quorum} witnesses of the policy", "fewer")
    number = _end_in(log, opened)
    return TlogProof(number, log.inclusion(number), log.checkpoint.note.data).data.decode(), logged_s


def _end_in(log: FolderLog, opened: Opened) -> int:
    """The number of the entry that logs this bundle as a result, by its submitter. Raises BadNote."""
    for number, data in enumerate(log.entries()):
        if opened.sha256.encode() not in data:
            continue
        try:
            read = read_entry(data)
        except BadNote:
            continue
        if isinstance(read.entry, Finished) and (read.entry.bundle_sha256, read.key_id) == (
            opened.sha256,
            opened.submitter,
        ):
            return number
    raise BadNote(
        "this bundle logged as the result of its run, by its submitter", "no such entry: agzamov register end"
    )


def _require_signed(beacon: BeaconRound, chain: Chain, file: Path) -> None:
    try:
        signed = is_of_chain(beacon, chain)
    except NoPairing:
        return  # whoever verifies the attestation needs the library
    if not signed:
        raise ManifestError(f"{file}: expected a round that {beacon.chain} signed, found another signature")
