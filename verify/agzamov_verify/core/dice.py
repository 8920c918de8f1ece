"""Every random draw of a run, from one sealed root; anybody can draw it again.

    root          = HKDF-SHA256(salt = origin value, ikm = secret, info = "agz/seed/v1\\0" + manifest digest)
    stream(label) = HMAC-SHA256(HMAC-SHA256(root, label), counter as 8 bytes big-endian), counter = 0, 1, ...

A stream is read as big-endian 32-bit words. Labels of starts, decks and substitutes leave the
condition out, so that conditions are paired on them. No two purposes share a label
(docs/decisions/0022): what is sent to a model is drawn from a stream that nothing else reads.
Sources: RFC 5869 (HKDF), RFC 2104 (HMAC), Knuth TAOCP 2,
3.4.2 algorithm P (shuffle from the top).
"""

import hmac
from collections.abc import Sequence
from hashlib import sha256
from struct import Struct
from typing import Final, TypeVar

T = TypeVar("T")

WORD = 2**32
_BLOCK: Final = Struct(">8I")
_PAD_BYTES: Final = 64
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))


def _hmac_sha256(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256 of a key of at most 64 bytes, as RFC 2104 writes it: in half of the time that `hmac` takes."""
    key = key.ljust(_PAD_BYTES, b"\0")
    return sha256(key.translate(_OUTER) + sha256(key.translate(_INNER) + message).digest()).digest()


def hkdf_sha256(ikm: bytes, salt: bytes, info: bytes, length_bytes: int = 32) -> bytes:
    """RFC 5869 extract-and-expand."""
    key = hmac.digest(salt or bytes(32), ikm, "sha256")
    block, output = b"", b""
    for counter in range(1, -(-length_bytes // 32) + 1):
        block = hmac.digest(key, block + info + bytes([counter]), "sha256")
        output += block
    return output[:length_bytes]


def seed_root(secret: bytes, salt: bytes, manifest_digest: bytes) -> bytes:
    """The 32-byte root of all draws of one run."""
    return hkdf_sha256(secret, salt, b"agz/seed/v1\0" + manifest_digest)


class Stream:
    """A labelled sequence of uniform draws. Not shared between labels, so order never matters."""

    __slots__ = ("_counter", "_key", "_words")

    def __init__(self, root: bytes, label: str) -> None:
        self._key = _hmac_sha256(root, label.encode())
        self._counter = 0
        self._words: list[int] = []

    def word(self) -> int:
        """The next 32-bit word."""
        if not self._words:
            block = _hmac_sha256(self._key, self._counter.to_bytes(8, "big"))
            self._counter += 1
            self._words.extend(reversed(_BLOCK.unpack(block)))
        return self._words.pop()

    def below(self, bound: int) -> int:
        """A uniform integer in [0, bound), by rejection. `bound` is from 1 to 2^32."""
        assert 0 < bound <= WORD
        # Words of the last, incomplete run of `bound` values are refused; else low values would be likelier.
        limit = WORD - WORD % bound
        word = self.word()
        while word >= limit:
            word = self.word()
        return word % bound

    def wide(self) -> int:
        """A uniform integer in [0, 2^53): as wide as canonical JSON allows."""
        # The upper 32 bits are one word, the lower 21 the upper bits of the next.
        return self.word() << 21 | self.word() >> 11

    def choice(self, options: Sequence[T]) -> T:
        """One of `options`, uniformly."""
        return options[self.below(len(options))]

    def deal(self, items: Sequence[T], count: int) -> list[T]:
        """The first `count` items off the top of a shuffle of `items`, without replacement."""
        pool = list(items)
        dealt = []
        for remaining in range(len(pool), len(pool) - count, -1):
            # The dealt item's place is filled by the last of those that remain, so they stay at the front.
            index = self.below(remaining)
            dealt.append(pool[index])
            pool[index] = pool[remaining - 1]
        return dealt


class Dice:
    """The root of a run, from which labelled streams are drawn."""

    __slots__ = ("_root",)

    def __init__(self, root: bytes) -> None:
        self._root = root

    def stream(self, label: str) -> Stream:
        return Stream(self._root, label)

    def under(self, label: str) -> "Dice":
        """Dice of their own, whose labels are nobody else's: no stream has a label that begins with "under/"."""
        return Dice(hmac.digest(self._root, f"under/{label}".encode(), "sha256"))
