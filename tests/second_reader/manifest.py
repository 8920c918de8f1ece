"""Manifest, seed, matches, streams (page 3)."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .canonical import Refused, keys, need, read_canonical, sha
from .dice import Stream, seed_root, starts

PROTOCOLS = {
    "agz-0.1": ("agz-manifest-1", "2ea3b2853dfd97955f385b315ea9e694106a9b80efdeae590482790ff4cb0b23"),
    "arena-0.1": ("agz-manifest-1", "5d614b29009da84b6261a6b65a2fac9e8781e9aa126e30ab6e885d1450fb5419"),
}
MODELS = ("openai", "gguf", "ollama")
KEYS = "format plan nonce secret_commit submitter_key_id protocol_sha256 prompts_sha256 engine images models memories"


def condition_label(condition: dict[str, str]) -> str:
    if condition["augmentation"] == "naked":
        return "naked"
    return "_".join(filter(None, (condition["augmentation"], condition["arm"], condition["system"])))


def match_id(match: dict[str, Any]) -> str:
    part = [match["positions"]] if match.get("positions") else []
    opponent = [match["b"]] if match["phase"] and match["a"] != match["b"] else []
    label = condition_label(match["condition"])
    return "-".join([f"p{match['phase']}", match["game"], label, *part, match["a"], *opponent])


def draw_label(match: dict[str, Any]) -> str:
    part = [match["positions"]] if match.get("positions") else []
    return "/".join([f"p{match['phase']}", match["game"], *part, match["a"], match["b"]])


def total(match: dict[str, Any]) -> int:
    return match["games"] if "games" in match else match["hands"]


def streams(match: dict[str, Any]) -> list[tuple[str, range]]:
    count = total(match)
    size = count // match["careers"] if match["careers"] else match.get("block_games") or match["block_hands"]
    return [
        (f"{match_id(match)}-b{n:05d}", range(first, min(first + size, count)))
        for n, first in enumerate(range(0, count, size))
    ]


def result_id(match: dict[str, Any], number: int) -> str:
    return f"{match_id(match)}-" + (f"g{number:05d}" if match["game"] == "chess960" else f"h{number:07d}")


@dataclass
class Run:
    """What a sealed manifest and its secret say."""

    manifest: dict[str, Any]
    digest: str
    root: bytes = b""
    starts: tuple[int, ...] = ()
    texts: dict[str, str] | None = None

    def __post_init__(self) -> None:
        self.plan, self.run = self.manifest["plan"], self.digest[:16]

    @property
    def is_specified(self) -> bool:
        """Whether pages 6 to 9 are about its protocol."""
        return bool(self.plan["protocol"] == "agz-0.1")

    def seat(self, name: str) -> dict[str, Any]:
        return self.plan["seats"][name]

    def all_streams(self) -> Iterator[tuple[str, dict[str, Any], range]]:
        for match in self.plan["matches"]:
            for name, numbers in streams(match):
                yield name, match, numbers

    def open_seed(self, secret: bytes, salt: bytes) -> None:
        self.root = seed_root(secret, salt, bytes.fromhex(self.digest))
        self.starts = tuple(starts(self.root))

    def draw(self, label: str) -> Stream:
        return Stream(self.root, label)

    def frame(self, seat: str, game: str) -> bool:
        """Whether the seat has the frame in every match of a game (6.2.6)."""
        plan, systems = self.plan, self.plan["systems"]
        if plan["naked_prompt"] != "framed":
            return False
        if any(system["kind"] == "memory" and system["use"] != "harness" for system in systems.values()):
            return False

        def counts(condition: dict[str, str]) -> bool:
            system = systems.get(condition["system"], {})
            if system.get("kind") == "full":
                system = systems.get(system["memory"], {})
            oracle = system.get("kind") == "oracle" and condition["arm"] != "naked"
            return condition["augmentation"] in ("memory", "full") and not oracle

        return any(
            (match["a"] == seat and counts(match["condition"])) or (match["b"] == seat and counts(match["b_condition"]))
            for match in plan["matches"]
            if match["game"] == game
        )


def read_manifest(data: bytes) -> Run:
    """The manifest, if its form holds."""
    manifest = keys(read_canonical(data), KEYS)
    plan = manifest["plan"]
    need(isinstance(plan, dict) and isinstance(plan.get("protocol"), str), "no plan")
    if plan["protocol"] not in PROTOCOLS:
        raise Refused(f"protocol {plan['protocol']} is not known to this verifier")
    form, digest = PROTOCOLS[plan["protocol"]]
    need(manifest["format"] == form, "another format")
    need(manifest["protocol_sha256"] == digest, "another digest of the protocol")
    for name, length in (("nonce", 32), ("secret_commit", 64), ("submitter_key_id", 64)):
        need(re.fullmatch(f"[0-9a-f]{{{length}}}", str(manifest[name])), f"{name} has another form")
    if plan["protocol"] != "agz-0.1":
        return Run(manifest, sha(data))
    ids = [match_id(match) for match in plan["matches"]]
    need(len(set(ids)) == len(ids), "two matches of one id")
    for match in plan["matches"]:
        need(match["a"] in plan["seats"] and match["b"] in plan["seats"], f"{match_id(match)} names no seat")
    return Run(manifest, sha(data))


def salt_of(origin: str, value: str, beacon: bytes | None) -> bytes:
    """The salt of 3.4.2."""
    need((beacon is not None) == (origin == "beacon"), "data/beacon.json is there, or is not, against the origin")
    if origin == "self":
        return b"agz/seed/self/v1"
    if origin == "season":
        return hashlib.sha256(value.encode()).digest()
    need(origin == "beacon", f"an unknown origin {origin}")
    assert beacon is not None
    found = keys(read_canonical(beacon), "chain round signature")
    need(value == f"{found['chain']}/{found['round']}", "another round")
    need(re.fullmatch("[0-9a-f]{96}", str(found["signature"])), "a signature of another form")
    return hashlib.sha256(bytes.fromhex(found["signature"])).digest()


def check_seed(run: Run, said: dict[str, str], beacon: bytes | None) -> None:
    need(re.fullmatch("[0-9a-f]{64}", said["secret"]), "a secret of another form")
    secret, seed = bytes.fromhex(said["secret"]), run.plan["seed"]
    need(sha(secret) == run.manifest["secret_commit"], "another secret than was sealed")
    need(said["origin"] == seed["origin"], "another origin")
    run.open_seed(secret, salt_of(seed["origin"], seed["value"], beacon))
