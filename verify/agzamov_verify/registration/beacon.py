"""Public randomness (drand): a seed that nobody knew before its round, and the check of a round's signature, offline.

A round of an unchained chain is a BLS signature over SHA-256(round as 8 bytes, big-endian): on BLS12-381, signature in
G1 (48 bytes), key in G2, hashed to G1 by RFC 9380, BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_ (draft-irtf-cfrg-bls-
signature, 2.1; drand's scheme bls-unchained-g1-rfc9380). randomness = SHA-256(signature).

The pairing is that of the library py_ecc, which is optional (`pairing`): without it a round is not checked.
"""

import hashlib
from importlib import import_module
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from ..experiment.plan_fields import END


class NoPairing(Exception):
    """The library that checks a round is not installed."""

    def __init__(self) -> None:
        super().__init__("py_ecc is not installed; type: pip install py-ecc")


class Chain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chain of rounds: time of round 1 in POSIX seconds, seconds between two rounds, public key in hexadecimal."""

    genesis_s: Annotated[int, Meta(ge=0, lt=2**53)]
    period_s: Annotated[int, Meta(ge=1, le=86_400)]
    public_key: Annotated[str, Meta(pattern="^[0-9a-f]{192}" + END)]

    def time_s(self, number: int) -> int:
        """The time at which a round comes out, in POSIX seconds."""
        return self.genesis_s + (number - 1) * self.period_s

    def round_after(self, time_s: int) -> int:
        """The first round that comes out at or after a time."""
        return max(1, -(-(time_s - self.genesis_s) // self.period_s) + 1)


QUICKNET: Final = Chain(
    1_692_803_367,
    3,
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e1"
    "7e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
)
"""League of Entropy's quicknet, chain hash 52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971."""


class BeaconRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """data/beacon.json: a round of a chain by its name, and its signature in hexadecimal."""

    chain: Annotated[str, Meta(pattern="^[a-z0-9-]{1,32}" + END)]
    round: Annotated[int, Meta(ge=1, lt=2**53)]
    signature: Annotated[str, Meta(pattern="^[0-9a-f]{96}" + END)]

    @property
    def seed_value(self) -> str:
        """The value by which a plan names this round."""
        return f"{self.chain}/{self.round}"

    @property
    def randomness(self) -> bytes:
        return hashlib.sha256(bytes.fromhex(self.signature)).digest()


def is_of_chain(found: BeaconRound, chain: Chain) -> bool:
    """True if the chain's key signed the round. Raises NoPairing where the library for it is missing."""
    try:
        pairing = import_module(f"{__package__}.pairing")  # slow, and few bundles have a round
    except ImportError as error:  # an extra of the distribution, and none in a browser
        raise NoPairing from error
    message = hashlib.sha256(found.round.to_bytes(8, "big")).digest()
    return bool(pairing.is_signed(message, bytes.fromhex(found.signature), bytes.fromhex(chain.public_key)))
