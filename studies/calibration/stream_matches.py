"""Sizes and matches of the checks on simulated outcome streams, and two arms that share the draws of their starts."""

from dataclasses import dataclass
from fractions import Fraction

from agzamov_verify.games.holdem.cell import session_bb_per_100
from agzamov_verify.scoring.inference.estimate import PAIR_SCORE, Scale
from agzamov_verify.scoring.inference.intervals import Bootstrap
from agzamov_verify.scoring.units.score_constants import CHESS, POKER

from .error_rates import SESSION_HANDS, Sample, World
from .finding import FIVE, ONE
from .simulated_matches import ChessWorld, PokerWorld

EVEN_CHESS = ChessWorld(white=Fraction(1, 20), correlation=Fraction(-1, 10))
EVEN_POKER = PokerWorld()


@dataclass(frozen=True)
class Size:
    """How many matches are made up for each kind of check, and how finely a match is resampled."""

    tests: int
    slow_tests: int
    symmetries: int
    intervals: int
    powers: int
    resamples: int
    permutations: int
    alphas: tuple[Fraction, ...]


FULL = Size(4_500, 4_500, 2_000, 1_500, 3_000, 2_000, 499, (FIVE, ONE))
"""So many that a sound test or interval leaves its band with probability below 0.1 %, at 1 % too. Fewer resamples than
the protocol's 10,000 make an interval's ends less exact, not the interval narrower."""

SMALL = Size(2_000, 1_500, 1_500, 1_300, 1_000, 1_000, 199, (FIVE,))


@dataclass(frozen=True)
class Match:
    """A match of one game at one size: its world, its null value, and its published unit."""

    game: str
    results: int

    @property
    def world(self) -> World:
        return EVEN_CHESS if self.game == CHESS else EVEN_POKER

    @property
    def null(self) -> int:
        return 2 if self.game == CHESS else 0

    @property
    def unit_results(self) -> int:
        return 2 if self.game == CHESS else SESSION_HANDS

    @property
    def scale(self) -> Scale:
        return PAIR_SCORE if self.game == CHESS else session_bb_per_100(SESSION_HANDS)

    @property
    def method(self) -> Bootstrap:
        return Bootstrap.EXPANDED if self.game == CHESS else Bootstrap.STUDENTISED

    def __str__(self) -> str:
        return f"{self.results:,} {'chess games' if self.game == CHESS else 'poker hands'}"


MATCHES = (Match(CHESS, 30), Match(CHESS, 500), Match(POKER, 1_000), Match(POKER, 10_000))


def with_shared_draws(game: str, sample: Sample, every: int = 5) -> tuple[list[int], list[int]]:
    """Two arms on the same starts. Every so many pairs of games one is decided by its start, alike in both arms; in
    poker each session has a part that both arms share, and a part of their own.
    """
    draws, *arms = sample
    if game == POKER:
        one, other = ([shared + own for shared, own in zip(draws, arm, strict=True)] for arm in arms)
    else:
        one, other = (
            [own if at % every else shared for at, (shared, own) in enumerate(zip(draws, arm, strict=True))]
            for arm in arms
        )
    return one, other
