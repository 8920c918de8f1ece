"""The outcome of a replay as values: exact counts for each seat and each game, and the first difference."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

from .compare import Difference, Outcome


class Counts(msgspec.Struct):
    """How many answers were the same, within the margin, different. `counted_otherwise` had other token counts."""

    same: int = 0
    within_margin: int = 0
    different: int = 0
    counted_otherwise: int = 0

    @property
    def asked(self) -> int:
        return self.same + self.within_margin + self.different

    def add(self, outcome: Outcome, *, counts_same: bool) -> None:
        """Count one answer."""
        match outcome:
            case Outcome.SAME:
                self.same += 1
            case Outcome.WITHIN_MARGIN:
                self.within_margin += 1
            case Outcome.DIFFERENT:
                self.different += 1
        self.counted_otherwise += not counts_same


class Compared(NamedTuple):
    """One answer asked again."""

    game: str
    seat: str
    outcome: Outcome
    counts_same: bool
    difference: Difference | None


class SeatWeights(msgspec.Struct, frozen=True):
    """With which weights a seat was asked again, who says that they are the sealed ones, and who served them."""

    sha256: str
    witness: str
    server: str
    served_by: str
    function_of_request: bool | None


class ReplayReport(msgspec.Struct, frozen=True):
    """A replay's report, in canonical JSON."""

    run: str
    payload_sha256: str
    submitter: str
    seed: str
    games_in_bundle: int
    margin_nats: str
    weights: dict[str, SeatWeights]
    not_asked: tuple[str, ...]
    seats: dict[str, Counts]
    games: dict[str, Counts]
    first_difference: Difference | None
    cpu_flags_same: bool | None
    format: Literal["agz-replay-1"] = "agz-replay-1"

    @property
    def different(self) -> int:
        return sum(counts.different for counts in self.seats.values())


def tally(compared: Iterable[Compared]) -> tuple[dict[str, Counts], dict[str, Counts], Difference | None]:
    """Counts by seat, counts by game, and the first difference: one beyond the margin if there is one."""
    seats: dict[str, Counts] = {}
    games: dict[str, Counts] = {}
    first: dict[Outcome, Difference] = {}
    for one in compared:
        for table, key in ((seats, one.seat), (games, one.game)):
            table.setdefault(key, Counts()).add(one.outcome, counts_same=one.counts_same)
        if one.difference:
            first.setdefault(one.outcome, one.difference)
    return seats, games, first.get(Outcome.DIFFERENT) or first.get(Outcome.WITHIN_MARGIN)
