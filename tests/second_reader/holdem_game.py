"""Betting and showdowns of heads-up hold'em (pages 7.1 and 7.3)."""

from collections import Counter
from itertools import combinations

STREETS = ("preflop", "flop", "turn", "river")


def amount(chips: int) -> str:
    return f"{chips // 100}.{chips % 100:02d}".rstrip("0").rstrip(".")


class Hand:
    """The betting of one hand."""

    def __init__(self, stack: int) -> None:
        self.stacks, self.bets, self.put_in = [stack - 50, stack - 100], [50, 100], [50, 100]
        self.street, self.last_raise, self.unacted = 0, 100, 2
        self.to_act: int | None = 0
        self.history: list[tuple[int, int, str, int, bool]] = []
        self.skip()

    def legal(self) -> tuple[list[str], int, int]:
        """Kinds in order, least and greatest total of a bet or raise."""
        me = self.to_act
        assert me is not None
        mine, theirs = self.bets[me], self.bets[1 - me]
        kinds = ["fold", "call"] if theirs > mine else ["check"]
        everything = mine + self.stacks[me]
        if not self.stacks[1 - me] or everything <= theirs:
            return kinds, 0, 0
        return [*kinds, "raise" if theirs else "bet"], min(theirs + self.last_raise, everything), everything

    def act(self, kind: str, total: int = 0) -> None:
        """Play a legal action of the player to act."""
        me, street = self.to_act, self.street
        assert me is not None
        added = 0
        if kind in ("bet", "raise"):
            self.last_raise = max(self.last_raise, total - self.bets[1 - me])
            added, self.unacted = total - self.bets[me], 1
        elif kind != "fold":
            added, self.unacted = min(self.bets[1 - me] - self.bets[me], self.stacks[me]), self.unacted - 1
        self.stacks[me] -= added
        self.bets[me] += added
        self.put_in[me] += added
        self.history.append((street, me, kind, total, not self.stacks[me]))
        self.to_act = None if kind == "fold" else 1 - me
        self.skip()

    def skip(self) -> None:
        """Close streets in which nobody is left to act."""
        while self.to_act is not None:
            me = self.to_act
            owes = self.bets[1 - me] > self.bets[me]
            if self.stacks[me] and (owes or (self.unacted and self.stacks[1 - me])):
                return
            if self.street == 3:
                self.to_act = None
                return
            self.street, self.bets, self.last_raise, self.unacted, self.to_act = self.street + 1, [0, 0], 100, 2, 1


def _straight(ranks: set[int]) -> int:
    low = ranks | ({-1} if 12 in ranks else set())
    return max((top for top in range(3, 13) if all(top - step in low for step in range(5))), default=-1)


def strength(cards: list[str]) -> tuple[int, ...]:  # noqa: PLR0911 - one for each kind of hand
    """The worth of the best five of up to seven cards, to be compared."""
    ranks = ["23456789TJQKA".index(card[0]) for card in cards]
    suits = Counter(card[1] for card in cards)
    suit, most = suits.most_common(1)[0]
    flush = (
        sorted((rank for rank, card in zip(ranks, cards, strict=True) if card[1] == suit), reverse=True)
        if most >= 5
        else []
    )
    if flush and (top := _straight(set(flush))) >= 0:
        return (8, top)
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    first, order = groups[0], sorted(set(ranks), reverse=True)

    def rest(*used: int) -> list[int]:
        return [rank for rank in order if rank not in used]

    if first[0] == 4:
        return (7, first[1], *rest(first[1])[:1])
    pairs = [rank for count, rank in groups[1:] if count >= 2]
    if first[0] == 3 and pairs:
        return (6, first[1], max(pairs))
    if flush:
        return (5, *flush[:5])
    if (top := _straight(set(ranks))) >= 0:
        return (4, top)
    if first[0] == 3:
        return (3, first[1], *rest(first[1])[:2])
    if first[0] == 2 and pairs:
        return (2, first[1], pairs[0], *rest(first[1], pairs[0])[:1])
    if first[0] == 2:
        return (1, first[1], *rest(first[1])[:3])
    return (0, *order[:5])


def percentile(hole: list[str], board: list[str], deck: list[str], table: dict[str, int]) -> int:
    """The hand percentile of the benchmark policy."""
    if not board:
        high, low = sorted(hole, key=lambda card: "23456789TJQKA".index(card[0]), reverse=True)
        return table[high[0] + low[0] + ("s" if high[1] == low[1] and high[0] != low[0] else "o")]
    mine, beaten, all_of_them = strength(hole + board), 0, 0
    for other in combinations([card for card in deck if card not in board], 2):
        theirs = strength([*other, *board])
        beaten += 2 if mine > theirs else mine == theirs
        all_of_them += 2
    return 100 * beaten // all_of_them
