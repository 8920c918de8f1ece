"""A run that is registered, waits for a real beacon round, is played, and has its end logged."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import yaml
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.registry import log_writer
from agzamov_harness.run import signing_keys
from agzamov_verify.registration.beacon import QUICKNET
from agzamov_verify.registration.trust_policy import TrustPolicy
from agzamov_verify.transparency_log.signed_note import COSIGNATURE, ED25519

LOG_NAME, WITNESS_NAME = "example.com/log", "witness.example.com/w1"
ROUNDS = {  # drand's quicknet, api.drand.sh/52db9ba7…/public/1000
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    1001: "b33bf3667cbd5a82de3a24b4e0e9fe5513cc1a0e840368c6e31f5fcfa79bea03f73896b25883abf2853d10337fb8fa41",
    1002: "ab066f9c12dd6de1336fca0f925192fb0c72a771c3e4c82ede1fd362c1a770f9eb05843c6308ce2530b53a99c0281a6e",
}
RANDOMNESS_1000 = "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd"
ROUND = 1000
OUT_S = QUICKNET.time_s(ROUND)
EARLY_S = OUT_S - 3600
PLAN: dict[str, Any] = {
    "title": "A registered study",
    "seats": {"agent": {"kind": "reference"}, "dice": {"kind": "random"}},
    "matches": [{"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 200}],
    "seed": {"origin": "beacon", "value": f"quicknet/{ROUND}"},
}


NO_CHANGES: Final[Mapping[str, object]] = MappingProxyType({})


class World(NamedTuple):
    """One folder with a submitter, a log, a witness, and the command line."""

    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def call(self, *words: object, code: int = 0) -> str:
        """What a command prints; it must end with `code`."""
        done = CliRunner().invoke(main, [str(word) for word in words])
        assert done.exit_code == code, (words, done.output, done.stderr, done.exception)
        return done.stdout.strip()

    def create(self) -> None:
        for name in ("submitter.pem", "log.pem", "witness.pem"):
            signing_keys.generate(self.folder / name)
        self.call("log", "create", self.log, "--origin", LOG_NAME, "--log-key", self.folder / "log.pem")

    def register(self, request: Path, *options: object, **changes: object) -> Path:
        """The folder of a run that is sealed and asks to be registered."""
        plan = self.folder / "plan.yaml"
        plan.write_text(yaml.safe_dump({**PLAN, **changes}))
        where = ("--runs", self.folder / "runs", "--key", self.folder / "submitter.pem")
        return Path(self.call("register", "plan", plan, "--request", request, *where, *options).splitlines()[-1])

    def append(self, *requests: Path, time_s: int = EARLY_S) -> None:
        """Append to the log, have the witness sign it at a time, and write the proofs."""
        self.call("log", "append", self.log, *requests, "--log-key", self.folder / "log.pem")
        self.cosign(time_s)
        self.call("log", "prove", self.log, *requests)

    def cosign(self, time_s: int, name: str = WITNESS_NAME, key: str = "witness.pem") -> None:
        seen = self.folder / f"seen-{key}"
        log_writer.cosign(self.log, name, signing_keys.load(self.folder / key), seen, time_s)

    def public(self, name: str, kind: int, key: str) -> str:
        return str(log_writer.public_key(name, kind, signing_keys.load(self.folder / key)))

    @property
    def policy(self) -> TrustPolicy:
        return TrustPolicy(
            "agz-policy-1",
            logs=(self.public(LOG_NAME, ED25519, "log.pem"),),
            witnesses=(self.public(WITNESS_NAME, COSIGNATURE, "witness.pem"),),
        )

    def beacon(self, number: int = ROUND) -> Path:
        path = self.folder / f"round-{number}.json"
        path.write_text(json.dumps({"round": number, "signature": ROUNDS[number], "previous_signature": ""}))
        return path

    def play(self, run: Path, code: int = 0) -> Path:
        out = ("--out", self.folder / "bundles", "--key", self.folder / "submitter.pem", "--quiet")
        self.call("resume", run, *out, code=code)
        return self.folder / "bundles" / run.name

    def finish(self, bundle: Path, time_s: int = OUT_S + 600) -> None:
        end = self.folder / f"end-{bundle.name}.json"
        self.call("register", "end", bundle, "--request", end, "--key", self.folder / "submitter.pem")
        self.append(end, time_s=time_s)


def played(
    folder: Path, change: Callable[[World], object] = lambda world: None, plan: Mapping[str, object] = NO_CHANGES
) -> tuple[World, Path]:
    """A world with one run that went all the way, and its bundle; `plan`: changes of its plan."""
    world = World(folder)
    world.create()
    request = folder / "request.json"
    run = world.register(request, "--start-programs", **plan)
    world.append(request)
    world.call("register", "proof", run, folder / "request.json.tlog-proof")
    world.call("register", "beacon", run, world.beacon())
    change(world)
    bundle = world.play(run)
    world.finish(bundle)
    return world, bundle
