"""Counts of one match, as results.json has them: no inference."""

import hashlib
from collections.abc import Iterable, Mapping
from fractions import Fraction

import msgspec


def distinct(identities: Iterable[str]) -> int:
    """Number of different identities; an empty one is of a result that is compared with none."""
    values = list(identities)
    return len(set(filter(None, values))) + values.count("")


def identity_of(*parts: str) -> str:
    """Digest of the moves or actions played."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


class Counts(msgspec.Struct, frozen=True, tag_field="game"):
    """The counts of one match. The subclass of a game adds its fields; its tag is the game's name.

    The properties say the same of every game, so that gate, table and claims ask no game for its fields.
    """

    @property
    def count(self) -> int:
        """Number of results (games or hands)."""
        raise NotImplementedError

    @property
    def distinct(self) -> int:
        """Number of results that are not alike, action for action up to exchanged seats; `count` if not compared."""
        return self.count

    @property
    def wins(self) -> tuple[int, int]:
        """Number of contests (`Game.contest`) that seat A won, and number of contests. The gate of Phase 0 reads it."""
        raise NotImplementedError

    @property
    def units(self) -> int:
        """Number of whole statistical units, as many as `Cell.measured` has values."""
        raise NotImplementedError

    @property
    def value(self) -> Fraction:
        """Seat A's headline figure, exact, in `GameView.figure_unit`: points a game, big blinds per 100 hands."""
        raise NotImplementedError

    @property
    def ends(self) -> Mapping[str, int]:
        """Numbers of results by how they ended, in a fixed order; add up to `count`. Names are small_letters."""
        raise NotImplementedError

    @property
    def by_play(self) -> int:
        """Number of results that the rules of the game ended, every action being a seat's own."""
        raise NotImplementedError

    def headline(self) -> dict[str, str]:
        """The figures that a submitter claims in the envelope: decimals by name, such as {"score": "0.750000"}."""
        raise NotImplementedError
