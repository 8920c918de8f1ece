"""Exact equities: preflop matchups by a shipped table, runouts from flop and turn, and the button's edge in a deal.

All preflop matchups of two hands, enumerated once and shipped as a table.

Cards are numbered as in `cards.DECK`: 4 * rank + suit. A matchup's canonical form is the smallest
(a, b, c, d), a < b and c < d, over the 24 renamings of suits and both orders of the two hands. The table
has a row for each of the 47,008 canonical forms, in ascending order: on how many of the 1,712,304 boards
{a, b} beats {c, d}, and on how many they tie; two 32-bit words, least byte first. scripts/equity_table
makes it again in half a minute.

Exact two-hand runouts from the flop and the turn, in kinds of cards that make no difference.

A suit in which a flush is no longer possible is ignored: its cards count by rank alone. So the 990
runouts of a flop fall into 91 to some hundred pairs of kinds, and one board of each pair is evaluated.

The button's exact edge in a deal: its chance to win less its chance to lose, at each street.

An edge is what the button wins, on average over the cards to come, for each chip that both have put in if nothing
more is bet. It is an integer in units of 1 / UNITS: the least common multiple of 1,712,304 boards, 990 runouts of a
flop and 44 of a turn, so no edge is ever rounded.
"""

import hashlib
import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import combinations_with_replacement, product
from typing import Final, NamedTuple, TypeAlias

import msgspec

from .cards import CARDS_BY_NUMBER, DECK, Card, evaluate
from .rules import BOARD_CARDS, Deal, compare


def table(name: str, sha256: str) -> bytes:
    """The bytes of a table. Another digest means that this installation is broken, so no figure may come of it."""
    data = (files(__package__) / "tables" / name).read_bytes()
    actual = hashlib.sha256(data).hexdigest()
    assert actual == sha256, f"{name}: expected sha256 {sha256}, found {actual}; install the verifier again"
    return data


BOARDS: Final = 1_712_304
TABLE_SHA256: Final = "19d9306669894fd587261848907a9676165a948e9024281be2c4ba124b22808a"

NUMBER: Final = {card: number for number, card in enumerate(DECK)}
Hole: TypeAlias = tuple[str, str]
Cards: TypeAlias = tuple[int, int]


def matchup(first: Hole, second: Hole) -> tuple[int, int]:
    """The boards that the first hand wins and those that tie, of 1,712,304. Raises KeyError for a card held twice."""
    return _kept(numbers(first), numbers(second))


def numbers(hole: Hole) -> Cards:
    """Two cards by number, the lower one first."""
    a, b = NUMBER[hole[0]], NUMBER[hole[1]]
    return (a, b) if a < b else (b, a)


def boards_won(first: Cards, second: Cards) -> tuple[int, int]:
    """`matchup` of hands by number."""
    straight, swapped = _form(first, second), _form(second, first)
    wins, ties = _table().row(min(straight, swapped))
    return (wins if straight <= swapped else BOARDS - ties - wins), ties


_kept = lru_cache(maxsize=2**17)(boards_won)


def _form(first: Cards, second: Cards) -> int:
    """The smallest renaming of suits with the hands in this order; a pair's two suits are tried both ways."""
    (a, b), (c, d) = first, second
    named = _renamed(a, b, c, d)
    if a >> 2 == b >> 2:
        named = min(named, _renamed(b, a, c, d))
        if c >> 2 == d >> 2:
            named = min(named, _renamed(b, a, d, c))
    return min(named, _renamed(a, b, d, c)) if c >> 2 == d >> 2 else named


def _renamed(a: int, b: int, c: int, d: int) -> int:
    """Four cards side by side, six bits for each, with suits numbered as they appear."""
    cards = a << 18 | b << 12 | c << 6 | d
    return cards & ~_SUIT_BITS | _RENAMED_SUITS[cards & _SUIT_BITS]


def _renamed_suits() -> Iterator[tuple[int, int]]:
    """The suits of any four cards, side by side, and their numbers in order of appearance."""
    for suits in product(range(4), repeat=4):
        order = list(dict.fromkeys(suits))
        yield _side_by_side(suits), _side_by_side(order.index(suit) for suit in suits)


def _side_by_side(four: Iterable[int]) -> int:
    return sum(number << shift for number, shift in zip(four, (18, 12, 6, 0), strict=True))


_SUIT_BITS: Final = _side_by_side((3, 3, 3, 3))
_RENAMED_SUITS: Final = dict(_renamed_suits())


class _Table(NamedTuple):
    """Every canonical form, in ascending order, and its row."""

    forms: list[int]
    rows: bytes

    def row(self, form: int) -> tuple[int, int]:
        """The boards won and tied of a canonical form. Raises KeyError for what is none."""
        index = bisect_left(self.forms, form)
        if index == len(self.forms) or self.forms[index] != form:
            raise KeyError(form)
        wins, ties = _ROW.unpack_from(self.rows, _ROW.size * index)
        return wins, ties


_ROW: Final = struct.Struct("<II")


@lru_cache(maxsize=1)
def _table() -> _Table:
    forms, rows = _canonical_forms(), table("matchups.bin", TABLE_SHA256)
    assert len(rows) == _ROW.size * len(forms)
    return _Table(forms, rows)


def _canonical_forms() -> list[int]:
    """Every canonical form, in ascending order."""
    hands = [(low, high) for low, high in combinations_with_replacement(range(13), 2)]
    forms = list[int]()
    for index, (a, b) in enumerate(hands):
        for c, d in hands[index:]:  # the hand of lower ranks stands first in the smallest form
            ranks = _side_by_side((4 * a, 4 * b, 4 * c, 4 * d))
            forms += [ranks | suits for suits in _suits_of(*_alike(a, b, c, d))]
    return sorted(forms)


@lru_cache(maxsize=2**6)
def _suits_of(*alike: bool) -> tuple[int, ...]:
    """The suits of canonical forms whose ranks are alike as told: a b, c d, a c, a d, b c, b d."""
    a, b, c, d = next(ranks for ranks in product(range(4), repeat=4) if _alike(*ranks) == alike)
    found = set()
    for suits in _SUITS:
        first, second = (4 * a + suits[0], 4 * b + suits[1]), (4 * c + suits[2], 4 * d + suits[3])
        if len({*first, *second}) == 4:
            straight = _form(first, second)
            found.add((min(straight, _form(second, first)) if (a, b) == (c, d) else straight) & _SUIT_BITS)
    return tuple(found)


def _alike(a: int, b: int, c: int, d: int) -> tuple[bool, ...]:
    return a == b, c == d, a == c, a == d, b == c, b == d


_SUITS = [(0, b, c, d) for b in range(2) for c in range(b + 2) for d in range(max(b, c) + 2)]


TURN_CARDS: Final = 45
RIVER_CARDS: Final = 44


class Kind(msgspec.Struct, frozen=True, gc=False):
    """Unseen cards that make no difference to two hands, by number, and the balance after one of them.

    The balance is the runouts that the first hand wins less those that it loses, once this card has come.
    """

    cards: tuple[int, ...]
    balance: int


def river_cards(first: Hole, second: Hole, board: Sequence[str]) -> list[Kind]:
    """The 44 cards that can come after four on the board; the balance is 1, 0 or -1."""
    a, b, kinds = _laid_out(first, second, board)
    cards = [CARDS_BY_NUMBER[kind[0]] for kind in kinds]
    return [
        Kind(kind, _sign(evaluate([*a, card]), evaluate([*b, card]))) for kind, card in zip(kinds, cards, strict=True)
    ]


def turn_cards(first: Hole, second: Hole, board: Sequence[str]) -> list[Kind]:
    """The 45 cards that can come after a flop; the balance is over 44 river cards."""
    a, b, kinds = _laid_out(first, second, board)
    balances = [0] * len(kinds)
    sizes, cards = [len(kind) for kind in kinds], [CARDS_BY_NUMBER[kind[0]] for kind in kinds]
    for index, (count, card) in enumerate(zip(sizes, cards, strict=True)):
        with_a, with_b = [*a, card, card], [*b, card, card]  # the last one gives place to each river
        balance = 0
        if count > 1:  # turn and river of one kind: count - 1 rivers are left of it
            with_a[-1] = with_b[-1] = CARDS_BY_NUMBER[kinds[index][1]]
            balance = (count - 1) * _sign(evaluate(with_a), evaluate(with_b))
        # Pairs of different kinds are evaluated once, and count for the balance after either card.
        for before in range(index):
            with_a[-1] = with_b[-1] = cards[before]
            mine, theirs = evaluate(with_a), evaluate(with_b)
            if mine > theirs:
                balance += sizes[before]
                balances[before] += count
            elif mine < theirs:
                balance -= sizes[before]
                balances[before] -= count
        balances[index] += balance
    return [Kind(kind, balance) for kind, balance in zip(kinds, balances, strict=True)]


_Cards: TypeAlias = list[Card]


def _sign(mine: int, theirs: int) -> int:
    return int(mine > theirs) - int(mine < theirs)


def _laid_out(first: Hole, second: Hole, board: Sequence[str]) -> tuple[_Cards, _Cards, list[tuple[int, ...]]]:
    """Each hand with the board, and the unseen cards in kinds, by number."""
    mine, theirs, shown = ([NUMBER[card] for card in cards] for cards in (first, second, board))
    mine += shown
    theirs += shown
    known = {*mine, *theirs}
    kinds = list[tuple[int, ...]]()
    for kind in _kinds(_live_suits(mine, len(shown)) | _live_suits(theirs, len(shown))):
        if known.isdisjoint(kind):
            kinds.append(kind)
        elif unseen := tuple([number for number in kind if number not in known]):
            kinds.append(unseen)
    return [CARDS_BY_NUMBER[number] for number in mine], [CARDS_BY_NUMBER[number] for number in theirs], kinds


def _live_suits(held: list[int], enough: int) -> frozenset[int]:
    """The suits in which a hand can still make a flush: those of which it holds, with the board, 5 less the cards to
    come, which are as many as there are on the board.
    """
    suits = [number & 3 for number in held]
    return frozenset([suit for suit in suits if suits.count(suit) >= enough])


@lru_cache(maxsize=2**4)
def _kinds(live: frozenset[int]) -> tuple[tuple[int, ...], ...]:
    """All 52 cards in kinds: those of a rank whose suits make no difference together, the others alone."""
    kinds: dict[tuple[int, int], list[int]] = {}
    for number in range(len(DECK)):
        kinds.setdefault((number >> 2, number & 3 if number & 3 in live else -1), []).append(number)
    return tuple(tuple(cards) for cards in kinds.values())


UNITS: Final = 8_561_520
PREFLOP, FLOP, TURN, RIVER = range(4)
CACHED: Final = 2**16  # streets of deals: all conditions of a run play the same decks


@lru_cache(maxsize=CACHED)
def edge(deal: Deal, street: int) -> int:
    """The button's edge once the cards of `street` (0 before the flop, 3 the river) are known, in units."""
    match street:
        case 0:
            wins, ties = matchup(deal.button, deal.big_blind)
            # Wins less losses, since losses = BOARDS - wins - ties.
            return (2 * wins + ties - BOARDS) * (UNITS // BOARDS)
        case 1:
            # Wins less losses over 45 * 44 runouts in order: each kind's balance is over the 44 rivers after it.
            balance = sum(len(kind.cards) * kind.balance for kind in next_cards(deal, TURN))
            return balance * (UNITS // (TURN_CARDS * RIVER_CARDS))
        case 2:
            balance = sum(len(kind.cards) * kind.balance for kind in next_cards(deal, RIVER))
            return balance * (UNITS // RIVER_CARDS)
        case _:
            return compare(deal) * UNITS


@lru_cache(maxsize=4)
def next_cards(deal: Deal, street: int) -> tuple[Kind, ...]:
    """Kinds of all cards that could have come on the turn or river, with the button's balance after each."""
    find = turn_cards if street == TURN else river_cards
    return tuple(find(deal.button, deal.big_blind, deal.board[: BOARD_CARDS[street - 1]]))
