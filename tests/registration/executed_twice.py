"""One plan, registered and played by two submitters or three, and a comparer's statement about the first two."""

from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.run import signing_keys
from agzamov_harness.run.seal_signature import public_pem
from agzamov_verify.attestations.agreement_statement import Agreement, AgreementStatement
from agzamov_verify.attestations.signed_statement import read_attestation
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import key_id, sign_payload
from agzamov_verify.registration.trust_policy import TrustPolicy
from registration.registered_run import EARLY_S, OUT_S, PLAN, World
from registration.replayed_run import policy_file

MARGIN = "bb/100=4000"
SMALL: dict[str, Any] = {
    "holdem": {"session_hands": 4},
    "matches": [{"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 80}],
}
"""Twenty sessions, enough for an interval."""
KEYS = ("submitter.pem", "other.pem")
THIRD = "third.pem"


class Twice(NamedTuple):
    """The world, and the two bundles in the order of the keys."""

    world: World
    bundles: tuple[Path, ...]

    def key(self, name: str) -> Ed25519PrivateKey:
        return signing_keys.load(self.world.folder / name)

    def id_of(self, name: str) -> str:
        return key_id(self.key(name).public_key())

    @property
    def attestation(self) -> Path:
        return self.world.folder / "agreement.attestation.json"

    @property
    def policy(self) -> TrustPolicy:
        """A policy that knows both submitters and the comparer."""
        submitters = {self.id_of("submitter.pem"): "Example University", self.id_of("other.pem"): "Other Institute"}
        comparers = {self.id_of("comparer.pem"): "Example Lab"}
        return msgspec.structs.replace(self.world.policy, submitters=submitters, comparers=comparers)

    def compare(self, *options: object, code: int = 0) -> str:
        """What the command prints about both bundles."""
        policy = ("--policy", policy_file(self.world, self.policy), "--log", self.world.log)
        return self.world.call("compare", *self.bundles, "--jobs", 1, *policy, *options, code=code)

    def third(self) -> "Twice":
        """The same with a third execution, by a submitter of its own, whom the policy does not name."""
        signing_keys.generate(self.world.folder / THIRD)
        third = _executed(self.world, self.world.folder / "plan.yaml", THIRD)
        return self._replace(bundles=(*self.bundles, third))

    def sign(self, key: str = "comparer.pem", **changes: Any) -> None:
        """Sign the statement again, with these changes of its predicate; `subject` of the statement."""
        statement = read_attestation(self.attestation.read_bytes()).statement
        assert isinstance(statement, AgreementStatement)
        subject = changes.pop("subject", statement.subject)
        predicate = msgspec.structs.replace(statement.predicate, key=public_pem(self.key(key)).decode(), **changes)
        changed = msgspec.structs.replace(statement, predicate=predicate, subject=subject)
        self.attestation.write_bytes(sign_payload(canon.dumps(changed), self.key(key)))

    @property
    def agreement(self) -> Agreement:
        found = read_attestation(self.attestation.read_bytes()).statement.predicate
        assert isinstance(found, Agreement)
        return found


def executed_twice(folder: Path) -> Twice:
    """Both runs, each all the way into the log, and a comparer's statement."""
    world = World(folder)
    world.create()
    for name in ("other.pem", "comparer.pem"):
        signing_keys.generate(folder / name)
    plan = folder / "plan.yaml"
    plan.write_text(yaml.safe_dump({**PLAN, **SMALL}))
    twice = Twice(world, (_executed(world, plan, KEYS[0]), _executed(world, plan, KEYS[1])))
    twice.compare("--attest", folder / "comparer.pem", "--attestation", twice.attestation)
    return twice


def _executed(world: World, plan: Path, key: str) -> Path:
    request, signed = world.folder / f"request-{key}.json", ("--key", world.folder / key)
    where = ("--runs", world.folder / "runs", *signed, "--margin", MARGIN)
    run = Path(world.call("register", "plan", plan, "--request", request, *where).splitlines()[-1])
    world.append(request, time_s=EARLY_S)
    world.call("register", "proof", run, request.with_name(f"{request.name}.tlog-proof"))
    world.call("register", "beacon", run, world.beacon())
    world.call("resume", run, "--out", world.folder / "bundles", *signed, "--quiet")
    bundle, end = world.folder / "bundles" / run.name, world.folder / f"end-{key}.json"
    world.call("register", "end", bundle, "--request", end, *signed)
    world.append(end, time_s=OUT_S + 600)
    return bundle
