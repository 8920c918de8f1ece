"""A referee of no-limit hold'em for many seats, written without pokerkit: betting by TDA 2024, pots by levels.

Place 0 is the button, place 1 the small blind. Pots are made at the end from what each place put in: at every level of
a contribution, what all put in up to it goes to the best of the places that are still in and put in as much (TDA rule
20: what does not divide goes to the first winner left of the button).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

RANKS = "23456789TJQKA"
BIG_BLIND = 100
BOARD = (0, 3, 4, 5)


class Referee:
    """One hand. `can_raise_from` and the other figures are of the place `to_act`.

    Of two players place 0 has the button with the small blind, and acts first before the flop.
    """

    def __init__(self, stacks: Sequence[int], small_blind: int, big_blind: int = BIG_BLIND) -> None:
        self.seats, self.start, self.stacks, self.big_blind = len(stacks), list(stacks), list(stacks), big_blind
        self.bets, self.put_in = [0] * self.seats, [0] * self.seats
        self.folded, self.street, self.is_over = [False] * self.seats, 0, False
        small, big = (0, 1) if self.seats == 2 else (1, 2)
        self._pay(small, min(small_blind, stacks[small]))
        self._pay(big, min(big_blind, stacks[big]))
        self._begin(highest=big_blind, first=(big + 1) % self.seats)

    def _pay(self, place: int, chips: int) -> None:
        self.stacks[place] -= chips
        self.bets[place] += chips
        self.put_in[place] += chips

    def _begin(self, highest: int, first: int) -> None:
        self.highest, self.step = highest, self.big_blind
        self.asked_to: dict[int, int] = {}
        self.to_act = (first - 1) % self.seats
        self._next()

    def _still_has_to_act(self, place: int) -> bool:
        if self.folded[place] or not self.stacks[place]:
            return False
        if self.bets[place] < max(self.bets):
            return True
        rivals = [at for at in range(self.seats) if at != place and not self.folded[at] and self.stacks[at]]
        return place not in self.asked_to and bool(rivals)

    def _next(self) -> None:
        """The next place that has to act; then the next street; then the end."""
        while True:
            if self.folded.count(False) == 1:
                self.is_over = True
                return
            turns = [(self.to_act + step) % self.seats for step in range(1, self.seats + 1)]
            waiting = [place for place in turns if self._still_has_to_act(place)]
            if waiting:
                self.to_act = waiting[0]
                return
            if self.street == len(BOARD) - 1:
                self.is_over = True
                return
            self.street += 1
            self.bets = [0] * self.seats
            self.highest, self.step, self.asked_to, self.to_act = 0, self.big_blind, {}, 0

    @property
    def to_call(self) -> int:
        return min(max(self.bets) - self.bets[self.to_act], self.stacks[self.to_act])

    @property
    def raises(self) -> tuple[int, int]:
        """Least and greatest total of a bet or raise; (0, 0) where there is none."""
        me, top = self.to_act, max(self.bets)
        everything = self.bets[me] + self.stacks[me]
        rivals = [
            at for at in range(self.seats) if at != me and not self.folded[at] and self.bets[at] + self.stacks[at] > top
        ]
        closed = me in self.asked_to and top - self.asked_to[me] < self.step
        if everything <= top or not rivals or closed:
            return 0, 0
        return min(everything, top + self.step), everything

    def act(self, verb: str, total: int = 0) -> None:
        me, top = self.to_act, max(self.bets)
        if verb == "fold":
            self.folded[me] = True
        elif verb in ("bet", "raise"):
            self._pay(me, total - self.bets[me])
            self.step = max(self.step, total - top)
            top = total
        else:
            self._pay(me, self.to_call)
        self.asked_to[me] = top
        self._next()

    def net(self, holes: Sequence[Sequence[str]], board: Sequence[str]) -> list[int]:
        """What each place won or lost in a hand that is over."""
        won = [-chips for chips in self.put_in]
        for chips, winners in self.pots(holes, board):
            share, odd = divmod(chips, len(winners))
            first = min(winners, key=lambda place: (place - 1) % self.seats)
            for place in winners:
                won[place] += share + odd * (place == first)
        return won

    def pots(self, holes: Sequence[Sequence[str]], board: Sequence[str]) -> list[tuple[int, list[int]]]:
        """Chips and winners of each pot; levels with the same winners are shared as one."""
        shared: dict[tuple[int, ...], int] = {}
        before, claim = 0, list[int]()
        for level in sorted(set(self.put_in) - {0}):
            chips = sum(min(paid, level) - min(paid, before) for paid in self.put_in)
            claim = [at for at in range(self.seats) if not self.folded[at] and self.put_in[at] >= level] or claim
            winners = tuple(self._best(claim, holes, board))
            shared[winners] = shared.get(winners, 0) + chips
            before = level
        return [(chips, list(winners)) for winners, chips in shared.items()]

    def _best(self, claim: Sequence[int], holes: Sequence[Sequence[str]], board: Sequence[str]) -> list[int]:
        if len(claim) == 1:
            return list(claim)
        values = {place: best_of_seven((*holes[place], *board)) for place in claim}
        return [place for place in claim if values[place] == max(values.values())]


@lru_cache(maxsize=64)
def best_of_seven(cards: tuple[str, ...]) -> tuple[int, ...]:
    """The value of the best five of seven cards."""
    return max(map(value, combinations(cards, 5)))


def value(five: Sequence[str]) -> tuple[int, ...]:
    """A hand of five as numbers that compare: kind, then ranks in the order in which they decide."""
    counted = Counter(RANKS.index(card[0]) for card in five)
    ranks = sorted(counted, key=lambda rank: (counted[rank], rank), reverse=True)
    shape = tuple(sorted(counted.values(), reverse=True))
    is_flush = len({card[1] for card in five}) == 1
    if ranks == [12, 3, 2, 1, 0]:
        ranks = [3, 2, 1, 0, -1]
    is_straight = shape == (1, 1, 1, 1, 1) and ranks[0] - ranks[-1] == 4
    kinds = {(1, 1, 1, 1, 1): 0, (2, 1, 1, 1): 1, (2, 2, 1): 2, (3, 1, 1): 3, (3, 2): 6, (4, 1): 7}
    kind = 8 if is_straight and is_flush else 5 if is_flush else 4 if is_straight else kinds[shape]
    return (kind, *ranks)
