"""The benchmark player of hold'em: its published policy, that policy applied to a prompt, and departures from it.

The policy is mixed. Changing a number of it makes a new protocol version.

A holding counts by its hand percentile, 0 to 99: before the flop where its class stands among the 1,326 holdings by
equity against a random one (STARTING_HANDS), afterwards the share of holdings that it beats on the board as it lies,
ties by halves. All else is public: what there is to call, its price, and the bets and raises on this street.

    ramp(percentile, from) 32 + 4 (percentile - from), kept between 0 and 64: the middle of a mixed zone is at `from`
    nothing to call        bets with 7/8 of ramp(BETS_FROM), below BLUFFS_BELOW with BLUFFS; else checks
    something to call      stays with ramp(CALLS_FROM + surcharge of the price), raises with 7/8 of ramp(RAISES_FROM);
                           of what it would always fold it raises BLUFF_RAISES against no or one bet; else folds
    amount                 three quarters of the pot after a call; all in beyond two thirds of what it has

Every share is in 64ths. A decision's draw is its sampling seed modulo 64, so that the seed and what the seat sees give
its action, and anybody can compute the probability of each action for each holding. The tables are in
docs/benchmark-policy.md.

The player sees what any seat sees. Its draw is the seed that it is sent, so that the same prompt and seed give the same
action.

Departures are found by drawing the player's actions again from the revealed seed. The policy gives the action from the
player's cards, what is public and the seed of the decision, and the seed comes from the run's dice. So not only is
every action possible: it is the one that the policy and the dice make.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, TypeAlias

import msgspec

from ...core.dice import Dice
from ...table.game import PolicyDeparture
from ...table.players import own_seed
from ...table.prompt_lines import Page
from ...table.seating import alternating, by_place
from .cards import CARDS, DECK, RANKS, evaluate
from .hand_script import HandRecord
from .random_player import spelled
from .rules import BOARD_CARDS, STREETS, ActionKind, Hand, HandEnd, Legal, PokerAction
from .spot import SeenSpot, Verb, read_spot

SHARES: Final = 64
"""Of what a probability is a share; a power of two, so that a seed below 2^31 modulo it is uniform."""

PERCENTILES: Final = 100
BETS_FROM: Final = (70, 60, 64, 68)
"""By street, the first before the flop."""
BLUFFS_BELOW: Final = 25
BLUFFS: Final = (0, 14, 10, 14)
CALLS_FROM: Final = ((12, 38, 68, 86), (48, 70, 86, 92), (52, 74, 88, 93), (56, 78, 90, 94))
"""By street, then by bets and raises on it so far, three for more: blinds count as none."""
RAISES_FROM: Final = ((38, 90, 95, 97), (88, 88, 95, 98), (90, 90, 96, 98), (92, 92, 97, 99))
BLUFF_RAISES: Final = 3
FAIR_PRICE: Final = 33
"""Price of a call in per cent of the pot after it: that of a bet as large as the pot. The policy calls from the hand
percentile CALLS_FROM + (price - FAIR_PRICE) on below that price, and + 3 (price - FAIR_PRICE) above it, at most
CALLS_FROM_MAX."""
CALLS_FROM_MAX: Final = 91

_RANKS: Final = RANKS[::-1]
STARTING_HANDS: Final = """\
     A  K  Q  J  T  9  8  7  6  5  4  3  2
A   99 96 95 95 94 91 90 88 85 85 82 81 76
K   95 99 92 90 89 85 81 76 73 71 67 65 61
Q   93 89 98 85 82 77 72 66 64 60 59 54 51
J   92 87 80 98 76 71 65 59 53 50 47 46 42
T   90 83 75 69 97 65 60 53 46 40 39 36 33
9   87 79 70 61 57 97 53 47 42 36 30 28 25
8   84 73 63 56 49 45 97 44 38 33 27 21 19
7   82 68 58 49 43 39 34 96 35 30 23 18 13
6   77 66 54 42 36 32 28 24 91 27 21 16 10
5   78 62 51 40 30 26 22 19 17 86 22 16 11
4   74 60 48 37 29 20 15 13 11 12 75 14  9
3   71 55 46 35 25 18 10  7  6  7  4 64  5
2   67 52 41 31 23 14  8  4  2  3  1  0 52"""
"""Suited hands in the row of their higher rank, offsuit hands in the row of their lower."""

Hole: TypeAlias = tuple[str, str]
Shares: TypeAlias = tuple[int, ...]

HOLDINGS: Final = tuple(combinations(DECK, 2))
"""All 1,326, each with its cards in the order of the deck."""
NONE: Final = -1
"""In place of the percentile or value of a holding that shares a card with the board."""


class Spot(msgspec.Struct, frozen=True, gc=False):
    """Public information when the benchmark player is to act. `raises`: bets and raises on this street so far."""

    street: int
    raises: int
    pot_chips: int
    to_call_chips: int
    in_front_chips: int
    legal: Legal

    @property
    def price(self) -> int:
        """Price of a call (pot odds), in whole per cent of the pot after it, rounded down."""
        return 100 * self.to_call_chips // (self.pot_chips + self.to_call_chips)


def spot_of(hand: Hand) -> Spot:
    """The decision that is due in `hand`."""
    raises = sum(
        played.street == hand.street and played.action.kind in (ActionKind.BET, ActionKind.RAISE)
        for played in hand.history
    )
    player = hand.to_act or 0
    return Spot(hand.street, raises, hand.pot_chips, hand.to_call_chips, hand.bets[player], hand.legal())


def benchmark_action(spot: Spot, percentile: int, seed: int) -> PokerAction:
    """The policy's action: the one into whose share of 64 the seed falls."""
    left = seed % SHARES
    for action, share in zip(choices(spot), shares(spot, percentile), strict=True):
        if left < share:
            return action
        left -= share
    raise AssertionError("the shares of a decision make 64")


def choices(spot: Spot) -> tuple[PokerAction, ...]:
    """The policy's actions, whatever the cards: check or fold and call, and its bet or raise if there is one."""
    passive = tuple(PokerAction(kind) for kind in spot.legal.kinds if kind not in (ActionKind.BET, ActionKind.RAISE))
    return (*passive, PokerAction(spot.legal.kinds[-1], _amount(spot))) if spot.legal.max_to_chips else passive


def shares(spot: Spot, percentile: int) -> Shares:
    """Frequency, in 64ths, of each of `choices(spot)` with a holding of this percentile."""
    return shares_by_percentile(spot)[percentile]


def shares_by_percentile(spot: Spot) -> tuple[Shares, ...]:
    """The shares of `choices(spot)` for each percentile, 0 to 99."""
    may_raise = spot.legal.max_to_chips > 0
    if spot.to_call_chips:
        return _when_facing(spot.street, min(spot.raises, len(CALLS_FROM[0]) - 1), spot.price, may_raise=may_raise)
    return _when_free(spot.street, may_raise=may_raise)


@lru_cache(maxsize=8)
def _when_free(street: int, *, may_raise: bool) -> tuple[Shares, ...]:
    if not may_raise:
        return ((SHARES,),) * PERCENTILES
    return tuple((SHARES - bets, bets) for bets in (_bets(street, percentile) for percentile in range(PERCENTILES)))


@lru_cache(maxsize=2**12)
def _when_facing(street: int, level: int, price: int, *, may_raise: bool) -> tuple[Shares, ...]:
    rows = [_facing(street, level, price, percentile, may_raise=may_raise) for percentile in range(PERCENTILES)]
    return tuple(row if may_raise else row[:-1] for row in rows)


def _bets(street: int, percentile: int) -> int:
    return BLUFFS[street] if percentile < BLUFFS_BELOW else _often(percentile, BETS_FROM[street])


def _facing(street: int, level: int, price: int, percentile: int, *, may_raise: bool) -> Shares:
    """Shares of fold, call and raise."""
    above = price - FAIR_PRICE
    calls_from = min(CALLS_FROM[street][level] + (3 * above if above > 0 else above), CALLS_FROM_MAX)
    stays = _ramp(percentile, calls_from)
    raises = _often(percentile, RAISES_FROM[street][level]) if may_raise else 0
    if may_raise and not stays and level < 2:
        raises = max(raises, BLUFF_RAISES)
    stays = max(stays, raises)
    return SHARES - stays, stays - raises, raises


def _ramp(percentile: int, middle: int) -> int:
    return max(0, min(SHARES, SHARES // 2 + 4 * (percentile - middle)))


def _often(percentile: int, middle: int) -> int:
    """A ramp that ends at seven times in eight: strong hands are sometimes slow."""
    return _ramp(percentile, middle) * 7 // 8


def _amount(spot: Spot) -> int:
    """The total of a bet or raise on this street, in chips."""
    to_chips = spot.in_front_chips + spot.to_call_chips + (spot.pot_chips + spot.to_call_chips) * 3 // 4
    if 3 * to_chips > 2 * spot.legal.max_to_chips:
        return spot.legal.max_to_chips
    return max(spot.legal.min_to_chips, to_chips)


# --- holdings ------------------------------------------------------------------------------------


def hand_percentile(hole: Hole, board: tuple[str, ...]) -> int:
    """The hand percentile of a holding, 0 to 99; NONE for one that shares a card with the board."""
    return hand_percentiles(board)[number_of(hole)]


def number_of(hole: Hole) -> int:
    """The place in HOLDINGS of two cards in either order. Raises KeyError for what is no holding."""
    return _NUMBERS[frozenset(hole)]


@lru_cache(maxsize=32)
def hand_percentiles(board: tuple[str, ...]) -> tuple[int, ...]:
    """The hand percentile of each of HOLDINGS on a board of none, three, four or five cards."""
    if not board:
        return _STARTING
    by_holding = values(board)
    ranked, places = sorted(value for value in by_holding if value != NONE), {NONE: NONE}
    for value in set(ranked):
        places[value] = PERCENTILES * (bisect_left(ranked, value) + bisect_right(ranked, value)) // (2 * len(ranked))
    return tuple([places[value] for value in by_holding])


@lru_cache(maxsize=32)
def values(board: tuple[str, ...]) -> tuple[int, ...]:
    """Value of each of HOLDINGS on a board of three to five cards: greater is better, NONE if it shares a card."""
    shown = [CARDS[card] for card in board]
    return tuple([NONE if a in board or b in board else evaluate([CARDS[a], CARDS[b], *shown]) for a, b in HOLDINGS])


def _starting(hole: Hole) -> int:
    higher, lower = sorted(_RANKS.index(card[0]) for card in hole)
    return _TABLE[higher][lower] if hole[0][1] == hole[1][1] else _TABLE[lower][higher]


_NUMBERS: Final = {frozenset(hole): number for number, hole in enumerate(HOLDINGS)}
_TABLE: Final = [[int(text) for text in line.split()[1:]] for line in STARTING_HANDS.splitlines()[1:]]
_STARTING: Final = tuple(map(_starting, HOLDINGS))


def benchmark_reply(page: Page, seed: int) -> str:
    """The action of the policy. Raises ValueError for a prompt that does not read."""
    spot = read_spot(page)
    first, second = spot.hole
    percentile = hand_percentile((first, second), spot.board)
    action = benchmark_action(decision(spot), percentile, seed)
    declared = spelled(Verb(action.kind), action.to_chips)
    return f"Hand percentile {percentile}, by the published policy.\nACTION: {declared}"


def decision(spot: SeenSpot) -> Spot:
    """A prompt's decision as the policy takes it."""
    street = BOARD_CARDS.index(len(spot.board))
    done = (deed.verb for deed in spot.history if deed.street == STREETS[street])
    raises = sum(verb in (Verb.BET, Verb.RAISE) for verb in done)
    options = spot.options
    legal = Legal(tuple(ActionKind(verb) for verb in options.verbs), options.min_to_chips, options.max_to_chips)
    return Spot(street, raises, spot.pot_chips, spot.to_call_chips, spot.in_front_chips, legal)


def benchmark_departures(
    records: Sequence[HandRecord], first: int, by_policy: Sequence[bool], stack_chips: int, dice: Dice
) -> Iterator[PolicyDeparture]:
    """The benchmark player's first departure in each hand from number `first` on; none where it has no seat."""
    if not any(by_policy):
        return
    for index, record in enumerate(records, start=first):
        for player, is_benchmark in enumerate(by_place(by_policy, alternating(index))):
            departure = _departure(record, player, stack_chips, dice) if is_benchmark else None
            if departure:
                yield departure


def _departure(record: HandRecord, benchmark_player: int, stack_chips: int, dice: Dice) -> PolicyDeparture | None:
    story = record.story
    assert story is not None
    hand = Hand(story.deal, (stack_chips, stack_chips))
    for turn, played in enumerate(story.history):
        if played.player == benchmark_player:
            percentile = hand_percentile(hand.hole(benchmark_player), hand.board)
            seed = own_seed(dice, f"{record.game}/{benchmark_player}", turn)
            expected = benchmark_action(spot_of(hand), percentile, seed)
            if played.action != expected:
                place = f"game {record.game} turn {turn}"
                drawn = f"the benchmark player's {_action_words(expected)}"
                return PolicyDeparture(place, drawn, _action_words(played.action))
        hand.act(played.action)
    lost = record.outcomes[benchmark_player] < 0
    if record.faults[benchmark_player] or (record.end is HandEnd.FORFEIT and lost):
        wanted = "legal actions of the benchmark player at once"
        return PolicyDeparture(f"game {record.game}", wanted, "a fault of its own")
    return None


def _action_words(action: PokerAction) -> str:
    return f"{action.kind.value} to {action.to_chips} chips" if action.to_chips else action.kind.value
