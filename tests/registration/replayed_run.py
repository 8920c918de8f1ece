"""A registered run whose drawn games somebody else asked again, and the attestation of that."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.reproduce import challenge
from agzamov_harness.run import signing_keys
from agzamov_harness.run.seal_signature import public_pem
from agzamov_verify.attestations.replay_statement import Replayed, ReplayStatement
from agzamov_verify.attestations.signed_statement import read_attestation
from agzamov_verify.checks import registration_check, replay_check
from agzamov_verify.checks.attestations_given import GivenAttestations
from agzamov_verify.checks.registration_check import Trust
from agzamov_verify.checks.replay_check import ReplayVerdict
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import key_id, sign_payload
from agzamov_verify.registration.beacon import QUICKNET
from registration.registered_run import OUT_S, World
from registration.test_level_v2 import Case

GAMES_MIN = 12
LATER_ROUND = QUICKNET.round_after(OUT_S + 900)
"""A round after the end of the run was logged. Its signature is made up: whether chains sign is tested elsewhere."""


def any_round_is_signed(patch: pytest.MonkeyPatch) -> None:
    """Every round is of its chain: signatures of rounds are checked in test_beacon."""
    for module in (registration_check, replay_check, challenge):
        patch.setattr(module, "is_of_chain", lambda found, chain: True)


def round_file(folder: Path, number: int = LATER_ROUND) -> Path:
    path = folder / f"round-{number}.json"
    path.write_text(json.dumps({"round": number, "signature": f"{number:096x}"}))
    return path


def policy_file(world: World, policy: object) -> Path:
    path = world.folder / "policy.json"
    path.write_bytes(msgspec.json.encode(policy))
    return path


class Replay(Case):
    """A copy of a world with a replayed run, to be spoiled in one place."""

    def __init__(self, world: World, made: Path, folder: Path, *, of_folder: bool = True) -> None:
        """`of_folder`: the bundle is the world's own, and is copied with it."""
        if of_folder:
            super().__init__(world, made, folder)
        else:
            self.world, self.bundle, self.policy, self.trust_log = world, made, world.policy, world.log
        self.attestation = folder / "replay.attestation.json"
        self.replayer = signing_keys.load(folder / "replayer.pem")
        self.change_policy(replayers={key_id(self.replayer.public_key()): "Example Lab"}, replayed_games_min=GAMES_MIN)

    @property
    def replayed(self) -> Replayed:
        found = read_attestation(self.attestation.read_bytes()).statement.predicate
        assert isinstance(found, Replayed)
        return found

    def sign(self, *, key: Ed25519PrivateKey | None = None, bundle_sha256: str = "", **changes: Any) -> None:
        """Sign the attestation again, with these changes of its predicate."""
        statement = read_attestation(self.attestation.read_bytes()).statement
        assert isinstance(statement, ReplayStatement)
        signer = key or self.replayer
        predicate = msgspec.structs.replace(self.replayed, key=public_pem(signer).decode(), **changes)
        (subject,) = statement.subject
        if bundle_sha256:
            subject = msgspec.structs.replace(
                subject, digest=msgspec.structs.replace(subject.digest, sha256=bundle_sha256)
            )
        changed = msgspec.structs.replace(statement, predicate=predicate, subject=(subject,))
        self.attestation.write_bytes(sign_payload(canon.dumps(changed), signer))

    def judged(self) -> ReplayVerdict:
        """What the policy says of the attestation."""
        trust = Trust(self.policy, self.trust_log, OUT_S + 10**9, (self.attestation,))
        found = GivenAttestations(self.opened(), trust).replays()
        assert found
        return found


def replayed(world: World, bundle: Path, games: int = GAMES_MIN) -> str:
    """Ask `games` games again by the command line, as another key; what it prints."""
    signing_keys.generate(world.folder / "replayer.pem")
    return world.call(
        *("replay", bundle, "--attest", world.folder / "replayer.pem", "--sample", games),
        *("--policy", policy_file(world, world.policy), "--log", world.log),
        *("--round", round_file(world.folder), "--attestation", world.folder / "replay.attestation.json"),
    )


Spoil = Callable[[Replay], object]
