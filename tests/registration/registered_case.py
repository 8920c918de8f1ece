"""A registered run that tests spoil in one place, each its own copy."""

import shutil
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.registry import log_writer
from agzamov_harness.run import signing_keys
from agzamov_harness.run.registration import signed_entry
from agzamov_verify import bundle
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import Opened, open_bundle
from agzamov_verify.checks.registration_check import RegistrationVerdict, Trust, check_registration
from agzamov_verify.registration.log_entry import read_entry
from registration.registered_run import EARLY_S, LOG_NAME, OUT_S, World


class Case:
    """A copy of a good world, which a test spoils in one place."""

    def __init__(self, world: World, made: Path, folder: Path) -> None:
        shutil.copytree(world.folder, folder, dirs_exist_ok=True)
        self.world = World(folder)
        self.bundle = folder / "bundles" / made.name
        self.policy = self.world.policy
        self.trust_log: Path | None = self.world.log
        self.key = signing_keys.load(folder / "submitter.pem")
        self.proof = self.bundle / bundle.PROOF_FILE
        self.entry = self.bundle / bundle.REGISTRATION_FILE

    def change_policy(self, **changes: object) -> None:
        self.policy = msgspec.structs.replace(self.policy, **changes)

    def register_again(self, key: Ed25519PrivateKey | None = None, time_s: int = EARLY_S, **changes: object) -> None:
        """Put another registration, in another log of the same name and key, in the place of the good one."""
        entry = msgspec.structs.replace(read_entry(self.entry.read_bytes()).entry, **changes)
        self.relog([signed_entry(entry, key or self.key)], time_s)

    def relog(self, entries: list[bytes], time_s: int = EARLY_S, ends: bool = True) -> None:
        """A log made anew: of these entries, the first of which is the bundle's, then the end of the run."""
        world = self.world
        shutil.rmtree(world.log)
        (world.folder / "seen-witness.pem").unlink()
        key = signing_keys.load(world.folder / "log.pem")
        log_writer.create_log(world.log, LOG_NAME, key)
        log_writer.append(world.log, entries, key)
        world.cosign(time_s)
        self.entry.write_bytes(entries[0])
        self.proof.write_bytes(log_writer.proof(world.log, 0))
        if ends:
            log_writer.append(world.log, [self.end()], key)
        world.cosign(OUT_S + 600)

    def end(self, **changes: str) -> bytes:
        data = (self.world.folder / f"end-{self.bundle.name}.json").read_bytes()
        return signed_entry(msgspec.structs.replace(read_entry(data).entry, **changes), self.key)

    def more(self, *entries: bytes) -> None:
        """Append to the log, after the run ended."""
        log_writer.append(self.world.log, entries, signing_keys.load(self.world.folder / "log.pem"))
        self.world.cosign(OUT_S + 700)

    def another_run(self, **changes: object) -> bytes:
        entry = read_entry(self.entry.read_bytes()).entry
        return signed_entry(msgspec.structs.replace(entry, manifest_sha256="ab" * 32, **changes), self.key)

    def opened(self) -> Opened:
        return open_bundle(self.bundle, CheckLog())

    def check(self) -> RegistrationVerdict:
        opened = self.opened()
        return check_registration(opened, Trust(self.policy, self.trust_log, OUT_S + 10**9), opened.beacon)
