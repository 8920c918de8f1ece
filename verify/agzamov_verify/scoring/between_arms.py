"""Figures of how a seat played, compared between the arms of one experiment: do they differ beside the results?

A memory may change how a model plays. It cannot give it the engine's moves, and an arm in which the opponent plays
another way is no arm of this experiment. So these figures of each model's seat are compared between each arm and its
naked control, and between a real arm and the placebo, filler and stale arms of its system:

    engine's first choice    share of its own judged moves
    loss                     centipawns a judged move
    tokens                   completion tokens a reply
    failed tries             failed tries of the server a call
    first attempts           share of decisions by each class of fault

Within each arm its own moves after a failed try of the server are compared with its others, by the engine's first
choice: a proxy that fails until a good reply comes is asked up to `attempts_max` times, and is seen by nothing else.
Not by loss, whose few great values leave a handful of moves a stream without the variance that they have.

The unit is a stream (a career, or a block of games), within which decisions depend on each other; an arm needs as many
as a verdict needs careers. Welch's t compares the streams' values, with r = values of a stream, m streams an arm:

    t = (mean r1 - mean r2) / SE,   SE^2 = max(s1^2 / m1 + s2^2 / m2, floor)

A few rare events in one arm and none in the other leave hardly any variance between streams, and a server that always
does the same leaves none. So a share has the binomial variance of both arms together for a floor, p (1 - p) (1 / n1 +
1 / n2) with p = (k1 + k2) / (n1 + n2), and what has no variance at all is tested by the permutations of the streams,
p = 2 / C(m1 + m2, m1). All comparisons of a run are one family, corrected by Holm's method. A figure that differs is
named; why it does is not for a program to say.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import comb
from typing import Final, NamedTuple

from ..experiment.matches import CONTROLS, Arm, Match
from ..plan.manifest import Plan
from ..protocols.norms import load_protocol
from ..table.game import Block
from .inference.distributions import t_two_sided
from .inference.samples import contrast, moments
from .inference.significance import holm
from .play_times import is_control
from .quality.judged_moves import MoveLoss
from .quality.quality_constants import load_quality_constants
from .quality.quality_figures import JUDGED
from .quality.quality_index import moves_by_game
from .quality.quality_questions import Answers
from .seat_stats import engine_match

LEVEL: Final = Fraction(1, 100)
"""Corrected p at which a difference is told: an honest run tells any in at most one of a hundred."""
FINE: Final = 10**6
"""Shares and means are rounded to as many parts, for exact sums."""

Ratio = tuple[int, int]
"""A sum, and the number of replies, moves or decisions that it is over."""


class ArmDifference(NamedTuple):
    """A figure of the seat at `seat_index` in two arms, over all of their streams together, and the corrected p.

    Where `other` is `match` itself, the values are of moves after failed tries, and of the others.
    """

    figure: str
    match: Match
    other: Match
    seat_index: int
    value: Fraction
    other_value: Fraction
    streams: tuple[int, int]
    p: Fraction


MEANS: Final = ("tokens", "loss")
"""Figures that are means; the others are shares of a number."""
FAULTS: Final = ("no_action", "ambiguous", "illegal", "cut", "no_reply")
"""Classes of first attempts without a legal action."""


def arm_differences(plan: Plan, blocks: Mapping[str, Sequence[Block]], answers: Answers) -> list[ArmDifference]:
    """The figures that differ between arms, the least p first. `blocks`: by match; `answers`: the engine's, by game."""

    @cache
    def figures(match: Match, seat_index: int) -> dict[str, list[Ratio]]:
        """Of one arm, which stands in several pairs: its moves are looked at once."""
        return _figures(match, seat_index, blocks[match.id], plan, answers)

    found = [one for pair in compared_arms(plan, blocks) for one in _differences(pair, plan, figures)]
    for match in plan.matches:
        if match.id in blocks and _is_judged(match, blocks[match.id], answers):
            found += _after_failed_tries(match, blocks[match.id], plan, answers)
    corrected = holm([one.p for one in found])
    told = [one._replace(p=p) for one, p in zip(found, corrected, strict=True) if p <= LEVEL]
    return sorted(told, key=lambda one: one.p)


def compared_arms(plan: Plan, played: Iterable[str]) -> Iterator[tuple[Match, Match]]:
    """The pairs of played arms that meet the same opponents in the same games: with a control, and of one system."""
    ids = set(played)
    arms = [match for match in plan.matches if match.id in ids]
    for match, other in permutations(arms, 2):
        if match.draws == other.draws and (is_control(other, match) or _is_of_system(other, match)):
            yield match, other


def _is_of_system(control: Match, match: Match) -> bool:
    """Whether a match is the placebo, the filler or the stale arm of a real arm's system."""
    own, other = match.condition, control.condition
    same = (own.augmentation, own.system) == (other.augmentation, other.system)
    return same and own.arm is Arm.REAL and other.arm in CONTROLS


def _differences(
    pair: tuple[Match, Match], plan: Plan, figures: Callable[[Match, int], dict[str, list[Ratio]]]
) -> Iterator[ArmDifference]:
    match, _ = pair
    least = load_protocol(plan.protocol).verdict.careers_min
    for seat_index, name in enumerate(match.seats):
        if not plan.seats[name].is_model:
            continue
        sides = [figures(one, seat_index) for one in pair]
        for figure in sides[0]:
            yield from _difference(figure, pair, seat_index, [side.get(figure, ()) for side in sides], least)


def _difference(
    figure: str, pair: tuple[Match, Match], seat_index: int, sides: Sequence[Sequence[Ratio]], least: int
) -> Iterator[ArmDifference]:
    """A figure in both `sides`, by stream; nothing where fewer than `least` streams of a side have it."""
    first, second = ([ratio for ratio in side if ratio[1]] for side in sides)
    if min(len(first), len(second)) >= least:
        values = Fraction(*_total(first)), Fraction(*_total(second))
        p = _p_of(first, second, is_share=figure not in MEANS)
        yield ArmDifference(figure, *pair, seat_index, *values, (len(first), len(second)), p)


def _after_failed_tries(match: Match, blocks: Sequence[Block], plan: Plan, answers: Answers) -> Iterator[ArmDifference]:
    """A model's moves after failed tries of its server against its other moves, within one judged arm."""
    least = load_protocol(plan.protocol).verdict.careers_min
    for seat_index, name in enumerate(match.seats):
        if not plan.seats[name].is_model or not any(block.tallies[seat_index].failed_attempts for block in blocks):
            continue
        by_block = [_by_tries(match, seat_index, block, plan, answers) for block in blocks]
        sides = [[(sum(move.best for move in moves[of]), len(moves[of])) for moves in by_block] for of in (True, False)]
        yield from _difference("choice_after_failed_tries", (match, match), seat_index, sides, least)


def _by_tries(
    match: Match, seat_index: int, block: Block, plan: Plan, answers: Answers
) -> Mapping[bool, list[MoveLoss]]:
    """A seat's own moves of a stream: those after failed tries of its server (True), and the others."""
    moves: Mapping[bool, list[MoveLoss]] = {True: [], False: []}
    judged = JUDGED[match.game]
    games = moves_by_game(judged, block.records, answers, load_quality_constants(plan.protocol))[seat_index]
    for record, game in zip(block.records, games, strict=True):
        retried = frozenset(judged.retried(record))
        for move in game:
            moves[move.ply in retried].append(move)
    return moves


def _is_judged(match: Match, blocks: Sequence[Block], answers: Answers) -> bool:
    """Whether the engine's answers about all games of a match are there."""
    return match.game in JUDGED and all(record.game in answers for block in blocks for record in block.records)


def _total(ratios: Sequence[Ratio]) -> Ratio:
    return sum(amount for amount, _ in ratios), sum(of for _, of in ratios)


def _p_of(first: Sequence[Ratio], second: Sequence[Ratio], *, is_share: bool) -> Fraction:
    """The two-sided p that the streams of two arms have one mean: see above."""
    groups = [moments([FINE * amount // of for amount, of in ratios]) for ratios in (first, second)]
    found = contrast(groups, [Fraction(1), Fraction(-1)])
    error, df = found.squared_error / FINE**2, found.df
    if is_share:
        (k, n), (other_k, other_n) = _total(first), _total(second)
        pooled = Fraction(k + other_k, n + other_n)
        floor = pooled * (1 - pooled) * (Fraction(1, n) + Fraction(1, other_n))
        if floor > error:
            error, df = floor, Fraction(len(first) + len(second) - 2)
    if not found.value:
        return Fraction(1)
    if not error:
        return Fraction(2, comb(len(first) + len(second), len(first)))
    return t_two_sided((found.value / FINE) ** 2 / error, df)


def _figures(
    match: Match, seat_index: int, blocks: Sequence[Block], plan: Plan, answers: Answers
) -> dict[str, list[Ratio]]:
    """The ratios of one seat by stream, by the name of the figure."""
    tallies = [block.tallies[seat_index] for block in blocks]
    figures: dict[str, list[Ratio]] = {
        "tokens": [(tally.completion_tokens, tally.replies) for tally in tallies],
        "failed_tries": [(tally.failed_attempts, tally.calls) for tally in tallies],
    }
    for name in FAULTS:
        figures[name] = [(getattr(tally, f"first_{name}"), tally.decisions) for tally in tallies]
    if _is_judged(match, blocks, answers):
        figures["engine_choice"] = [_choice(match, seat_index, block, answers) for block in blocks]
        figures["loss"] = [_loss(match, seat_index, block, plan, answers) for block in blocks]
    return figures


def _choice(match: Match, seat_index: int, block: Block, answers: Answers) -> Ratio:
    found = engine_match(JUDGED[match.game], block.records, answers)[seat_index]
    return found.matched, found.moves


def _loss(match: Match, seat_index: int, block: Block, plan: Plan, answers: Answers) -> Ratio:
    constants = load_quality_constants(plan.protocol)
    games = moves_by_game(JUDGED[match.game], block.records, answers, constants)[seat_index]
    losses = [move.loss_centipawns for game in games for move in game]
    return sum(losses), len(losses)


def _percent(value: Fraction) -> str:
    return f"{float(100 * value):.1f} %"


def _number(value: Fraction) -> str:
    return f"{float(value):.1f}"


WORDS: Final[Mapping[str, tuple[str, Callable[[Fraction], str]]]] = {
    "engine_choice": ("plays the engine's first choice in {} of its moves", _percent),
    "loss": ("loses {} centipawns a move", _number),
    "choice_after_failed_tries": ("plays the engine's first choice in {} of its moves", _percent),
    "tokens": ("writes {} tokens a reply", _number),
    "failed_tries": ("has a failed try of its server in {} of its calls", _percent),
    "no_action": ("declares no action in {} of its first attempts", _percent),
    "ambiguous": ("declares what may mean two things in {} of its first attempts", _percent),
    "illegal": ("declares an illegal action in {} of its first attempts", _percent),
    "cut": ("has its reply cut in {} of its first attempts", _percent),
    "no_reply": ("has no reply in {} of its first attempts", _percent),
}
"""Each figure in words, and how its number is written."""
