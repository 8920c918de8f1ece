"""Every random draw (page 4)."""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Any

import chess

DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


def seed_root(secret: bytes, salt: bytes, manifest_digest: bytes) -> bytes:
    key = hmac.digest(salt, secret, "sha256")
    return hmac.digest(key, b"agz/seed/v1\0" + manifest_digest + b"\1", "sha256")


class Stream:
    """The words of one label."""

    def __init__(self, root: bytes, label: str) -> None:
        self.key, self.block = hmac.digest(root, label.encode(), "sha256"), 0
        self.words: list[int] = []

    def word(self) -> int:
        if not self.words:
            block = hmac.digest(self.key, self.block.to_bytes(8, "big"), "sha256")
            self.words = [int.from_bytes(block[at : at + 4], "big") for at in range(0, 32, 4)]
            self.block += 1
        return self.words.pop(0)

    def below(self, bound: int) -> int:
        word = self.word()
        while word >= 2**32 - 2**32 % bound:
            word = self.word()
        return word % bound

    def wide(self) -> int:
        return self.word() << 21 | self.word() >> 11

    def choice(self, items: Sequence[Any]) -> Any:
        return items[self.below(len(items))]

    def deal(self, items: Sequence[Any], count: int) -> list[Any]:
        """Some items without replacement."""
        pool, dealt = list(items), []
        for left in range(len(pool), len(pool) - count, -1):
            index = self.below(left)
            dealt.append(pool[index])
            pool[index] = pool[left - 1]
        return dealt


def starts(root: bytes) -> list[int]:
    return Stream(root, "chess960/starts/0").deal(range(960), 960)


def start_fen(number: int) -> str:
    return chess.Board.from_chess960_pos(number).fen()


def cards_of_hand(root: bytes, label: str, number: int, hands: int, mirrored: bool) -> tuple[list[str], ...]:
    half = hands // 2
    deck = (number - half) ^ 1 if mirrored and number >= half else number
    cards = Stream(root, f"cards/{label}/{deck}").deal(DECK, 9)
    seats = cards[0:2], cards[2:4]
    return seats[deck % 2], seats[1 - deck % 2], cards[4:]


def random_stream(user_message: str, seed: int, game: str) -> Stream:
    told = user_message.rpartition("\nHow to answer:\n")[0] or user_message
    for heading in ("\nOpponent profile:\n", "\nYour tool's answer:\n", "\nPassages of your documents:\n"):
        told = told.partition(heading)[0]
    return Stream(hashlib.sha256(f"{seed}\n{told}".encode()).digest(), f"random/{game}")
