"""The calculator of hold'em: the share of the pot that a hand wins on average against one random hand; and its server.

Before the flop all 1,225 hands of an opponent and all 1,712,304 boards are counted, by the table of matchups. After it
every hand and every runout is compared: 1,070,190 showdowns on the flop, 45,540 on the turn, 990 on the river. Where
these are more than may be compared, a systematic sample is: every k-th of them, from a start below k that a seed
draws, so that each showdown is as likely as any other. k has no factor in common with the 990 hands of a runout, or
every runout would meet the same few hands. All is done in integers, so the answer is the same on every machine.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb, gcd
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

from ...core.canon import INTEGER_MAX
from ...core.dice import Stream
from ...core.questions import Calculate, Calculated
from ...table.game_tool import GameTool, ServerCall, ToolUse, only
from .cards import CARDS, DECK, evaluate
from .equity import BOARDS, Hole, matchup
from .starting_hands import class_of, combos, strongest
from .tool import TOOL

BOARD_FULL: Final = 5
OPPONENT_PLACES: Final = tuple(combinations(range(45), 2))
"""Places of an opponent's cards among the 45 that neither hole, board nor runout has."""
SHOWDOWNS_MAX: Final = comb(47, 2) * len(OPPONENT_PLACES)
"""All on the flop, where they are most: before it none is compared."""
SEED_BYTES: Final = 8


class Equity(NamedTuple):
    """Half-points of the showdowns compared: 2 for each won, 1 for a tie. `exact`: all of them, not a sample."""

    halfpoints: int
    compared: int
    exact: bool


def calculate(question: Calculate) -> Calculated:
    """The answer of the calculator: thousandths, rounded half up."""
    first, second = question.hole
    hole, percent = (first, second), question.hands_percent
    found = equity(hole, question.board, question.comparisons_max, question.seed, percent)
    return Calculated(
        found.compared,
        _permille(found.halfpoints, 2 * found.compared),
        found.exact,
        _permille(question.to_call_chips, question.pot_chips + question.to_call_chips),
    )


def equity(hole: Hole, board: Sequence[str], comparisons_max: int, seed: int, percent: int = 100) -> Equity:
    """The equity of two cards on a board of none, three, four or five against one random hand, if nobody folds.

    `percent`: the hand is one of the strongest so many percent of all starting hands, from PERCENT_MIN on.
    """
    if percent < 100:
        return _against_some(hole, board, comparisons_max, seed, percent)
    if not board:
        return _before_flop(class_of(hole))
    unseen = [card for card in DECK if card not in hole and card not in board]
    runouts = list(combinations(unseen, BOARD_FULL - len(board)))
    showdowns = len(runouts) * len(OPPONENT_PLACES)
    step = _step(showdowns, comparisons_max)
    start = Stream(seed.to_bytes(SEED_BYTES, "big"), "equity").below(step)
    # Showdown number first + place is sampled where it leaves the remainder `start` modulo step, so a runout's first
    # sampled place is (start - first) mod step.
    halfpoints = sum(
        _halfpoints(hole, board, runout, unseen, OPPONENT_PLACES[(start - first) % step :: step])
        for first, runout in zip(range(0, showdowns, len(OPPONENT_PLACES)), runouts, strict=True)
    )
    return Equity(halfpoints, len(range(start, showdowns, step)), exact=step == 1)


def _against_some(hole: Hole, board: Sequence[str], comparisons_max: int, seed: int, percent: int) -> Equity:
    """The equity against one of the strongest hands: before the flop exact, after it of runouts by hand in turn."""
    unseen = [card for card in DECK if card not in hole and card not in board]
    hands = [hand for hand in combinations(unseen, 2) if hand in strongest(percent)]
    if not board:
        results = [matchup(hole, hand) for hand in hands]
        return Equity(sum(2 * wins + ties for wins, ties in results), len(hands) * BOARDS, exact=True)
    runouts = _places(len(unseen) - 2, BOARD_FULL - len(board))
    showdowns = len(hands) * len(runouts)
    step = _step(showdowns, comparisons_max, len(runouts))
    start = Stream(seed.to_bytes(SEED_BYTES, "big"), "equity").below(step)
    halfpoints = sum(
        _halfpoints_of(hole, board, hand, unseen, runouts[(start - first) % step :: step])
        for first, hand in zip(range(0, showdowns, len(runouts)), hands, strict=True)
    )
    return Equity(halfpoints, len(range(start, showdowns, step)), exact=step == 1)


@cache
def _places(cards: int, missing: int) -> tuple[tuple[int, ...], ...]:
    """Places among so many cards of those that a board misses."""
    return tuple(combinations(range(cards), missing))


def _halfpoints_of(
    hole: Hole, board: Sequence[str], hand: Hole, unseen: Sequence[str], runouts: Sequence[tuple[int, ...]]
) -> int:
    """Half-points against one hand on the boards whose last cards lie at these places of what nobody holds."""
    left, halfpoints = [CARDS[card] for card in unseen if card not in hand], 0
    shown, mine, theirs = ([CARDS[card] for card in cards] for cards in (board, hole, hand))
    for places in runouts:
        full = [*shown, *(left[place] for place in places)]
        own, other = evaluate([*mine, *full]), evaluate([*theirs, *full])
        halfpoints += 2 * (own > other) + (own == other)
    return halfpoints


def _step(showdowns: int, comparisons_max: int, in_turn: int = len(OPPONENT_PLACES)) -> int:
    """The least step of a sample that is small enough and goes through the hands, or runouts, of each turn in turn."""
    step = -(-showdowns // comparisons_max)
    while gcd(step, in_turn) > 1:
        step += 1
    return step


@cache
def _before_flop(starting_hand: int) -> Equity:
    """The exact equity of a class of starting hands: all holdings of a class are alike under a renaming of suits."""
    hole = combos()[starting_hand][0]
    others = [other for other in combinations(DECK, 2) if not {*hole} & {*other}]
    results = [matchup(hole, other) for other in others]
    return Equity(sum(2 * wins + ties for wins, ties in results), len(others) * BOARDS, exact=True)


def _halfpoints(
    hole: Hole,
    board: Sequence[str],
    runout: tuple[str, ...],
    unseen: Sequence[str],
    places: Sequence[tuple[int, int]],
) -> int:
    """Half-points on one full board against the opponents whose cards lie at these places."""
    shown = [CARDS[card] for card in (*board, *runout)]
    left = [CARDS[card] for card in unseen if card not in runout]
    mine = evaluate([CARDS[card] for card in hole] + shown)
    halfpoints = 0
    for first, second in places:
        theirs = evaluate([left[first], left[second], *shown])
        halfpoints += 2 * (mine > theirs) + (mine == theirs)
    return halfpoints


def _permille(part: int, whole: int) -> int:
    return (2000 * part + whole) // (2 * whole)


class Odds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The structured result of the calculator's server."""

    compared: Annotated[int, Meta(ge=0, le=INTEGER_MAX)]
    equity_permille: Annotated[int, Meta(ge=0, le=1000)]
    exact: bool
    price_permille: Annotated[int, Meta(ge=0, le=1000)]


class CalculatorServer(GameTool):
    """Equity of a hand, and the price of a call."""

    server = "holdem"
    question = Calculate
    asks_engine = False
    calls = (TOOL.name,)

    def words(self, use: ToolUse) -> str:
        hands = "any share of hands" if use.calls_max else "one random hand"
        showdowns = f"up to {use.comparisons_max:,} showdowns"
        return f"a calculator in hold'em (equity against {hands} from {showdowns}, and pot odds)"

    def call(self, question: Calculate) -> ServerCall:
        arguments = only(question, "board", "comparisons_max", "hands_percent", "hole")
        return ServerCall(TOOL.name, arguments | only(question, "pot_chips", "seed", "to_call_chips"), Odds)

    def answer(self, result: Odds) -> Calculated:
        return Calculated(result.compared, result.equity_permille, result.exact, result.price_permille)

    def sample(self, question: Calculate) -> Calculated:
        return Calculated(question.comparisons_max, 500, exact=False, price_permille=0)

    def computed(self, question: Calculate) -> Calculated:
        return calculate(question)


CALCULATOR_SERVER: Final = CalculatorServer()
