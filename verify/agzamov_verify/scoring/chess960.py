"""What a chess match came to: the score with its pair structure, and how games were decided."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import msgspec

from ..games.chess960.rules import End
from ..games.chess960.script import ChessRecord, Ending
from ..games.decision import Tally, added
from ..phases.streams import a_is_first
from .exact import Figure, figure, significant
from .statistics import Interval, binomial_p_greater, bootstrap_95, wilson_95

BY_RULE = frozenset(End) - {End.ADJUDICATION, End.FORFEIT, End.PLY_LIMIT, End.UNFINISHED}


class Score(msgspec.Struct, frozen=True):
    """Seat A's points of the games, and what follows from them.

    `pairs` counts start pairs by A's half-points 0 to 4 (the pentanomial distribution).
    """

    wins: int
    draws: int
    losses: int
    score: Figure
    score_ci: Interval
    win_rate_ci: Interval
    p_wins_binomial: str
    pairs: tuple[int, int, int, int, int]


class Decided(msgspec.Struct, frozen=True):
    """How many games ended by the rules of chess, and how many in another way."""

    rules: int
    adjudication: int
    forfeit: int
    ply_limit: int
    with_substitution: int
    by_play: Figure
    ends: dict[str, int]


class ChessResult(msgspec.Struct, frozen=True, tag_field="game", tag="chess960"):
    """A chess match. `raw` counts an adjudicated game that was not played on as a draw (draft H19)."""

    games: int
    plies: int
    adjudicated: Score
    raw: Score
    decided: Decided

    def headline(self) -> dict[str, str]:
        """The figures that a submitter claims."""
        return {
            "games": str(self.games),
            "score": self.adjudicated.score.decimal,
            "score_raw": self.raw.score.decimal,
            "decided_by_play": self.decided.by_play.decimal,
        }


def chess_result(records: Sequence[ChessRecord], bootstrap: Callable[[str], bytes], resamples: int) -> ChessResult:
    """The result of all games of a match, in order. `bootstrap` gives the seed of a named resampling."""
    adjudicated = [halfpoints_a(at, record.ending) for at, record in enumerate(records)]
    raw = [halfpoints_a(at, record.raw) for at, record in enumerate(records)]
    plies = sum(len(record.moves) for record in records)
    return ChessResult(
        len(records),
        plies,
        _score(adjudicated, bootstrap("adjudicated"), resamples),
        _score(raw, bootstrap("raw"), resamples),
        _decided(records),
    )


def halfpoints_a(index: int, ending: Ending) -> int:
    """Seat A's half-points of game `index`."""
    return ending.white_halfpoints if a_is_first(index) else 2 - ending.white_halfpoints


def pair_halfpoints(records: Sequence[ChessRecord]) -> list[int]:
    """Seat A's half-points of each start, 0 to 4: the games of a match come in pairs, with colours exchanged."""
    return by_pairs([halfpoints_a(at, record.ending) for at, record in enumerate(records)])


def by_pairs(values: Sequence[int]) -> list[int]:
    """Sums of a value of each game over the two games of a start."""
    return [values[at] + values[at + 1] for at in range(0, len(values) - 1, 2)]


def chess_tallies(records: Sequence[ChessRecord]) -> tuple[Tally, Tally]:
    """What seats A and B did in all games."""
    return added(record.tallies if a_is_first(at) else record.tallies[::-1] for at, record in enumerate(records))


def _score(halfpoints: list[int], seed: bytes, resamples: int) -> Score:
    n = len(halfpoints)
    count = Counter(halfpoints)
    pair_points = by_pairs(halfpoints)
    pairs = Counter(pair_points)
    return Score(
        count[2],
        count[1],
        count[0],
        figure(Fraction(sum(halfpoints), 2 * n)),
        bootstrap_95(pair_points, Fraction(1, 4), seed, resamples),
        wilson_95(count[2], n),
        significant(binomial_p_greater(count[2], n)),
        (pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]),
    )


def _decided(records: Sequence[ChessRecord]) -> Decided:
    ends = Counter(record.ending.end for record in records)
    substituted = [any(tally.substituted for tally in record.tallies) for record in records]
    by_rule = [record.ending.end in BY_RULE for record in records]
    by_play = sum(rule and not swapped for rule, swapped in zip(by_rule, substituted, strict=True))
    return Decided(
        sum(by_rule),
        ends[End.ADJUDICATION],
        ends[End.FORFEIT],
        ends[End.PLY_LIMIT],
        sum(substituted),
        figure(Fraction(by_play, len(records))),
        {end.value: count for end, count in sorted(ends.items())},
    )
