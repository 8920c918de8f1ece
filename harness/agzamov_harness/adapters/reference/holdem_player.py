"""The reference player of hold'em: a hand's rank before the flop, equity against a range after it.

Before the flop hands are ordered by Chen's formula (B. Chen, in L. Krieger, "Hold'em Excellence",
2000); 0 is the best of a hundred hands, 100 the worst. The opponent is given the hands that its
actions leave it: a share of that order, then, street by street, the stronger part of them and some
bluffs. How large those shares are comes from the opponent profile, or from STRANGER without one.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import pkrbot

from agzamov_verify.dice import Stream
from agzamov_verify.games.holdem.rules import DECK
from agzamov_verify.players.random_player import spelled
from agzamov_verify.players.reading import Page, Spot, Verb, Who, read_spot

from .habits import PokerHabits, poker_habits

STRANGER = PokerHabits(
    vpip=80,
    pfr=49,
    three_bet=22,
    folds_to_cbet=42,
    check_raise=12,
    folds_button_to_3bet=25,
    min_raises_pairs=0,
    river_bluffs=35,
)
NO_RULES = PokerHabits(0, 0, 0, 0, 0, 0, 0, 0)
STATION_VPIP, NIT_VPIP = 90, 55  # from here on a player is taken to call, or to fold, too much
RUNOUTS, COMPARISONS = 20, 800  # boards sampled, and hands compared over all of them
OPEN_CHIPS = 250
CALLS_WITH_LESS = 0.3
BETS_FOR_VALUE, BETS_AS_BLUFF = 0.4, 0.4  # the strongest and the weakest part of a range
BETS_BETWEEN, LESS_PER_BARREL = 0.3, 0.85
FOUR_BET_PERCENT, FIVE_BET_PERCENT = 6, 4
RAISE_EQUITY = {1: 0.60, 2: 0.57}  # before the flop, by the raises so far
ALL_IN_EQUITY = 0.55
BLUFF_RAISES_PERCENT = 25  # of the hands too weak to call an open or a 3-bet

Combo: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Choice:
    """An action, and why."""

    verb: Verb
    to_chips: int
    why: str


def reply(page: Page, stream: Stream) -> str:
    """The action within the rules, with a line that says what it rests on."""
    spot = read_spot(page)
    foe = poker_habits(page.profile, STRANGER)
    choice = _ruled(spot, poker_habits(page.rules, NO_RULES), stream)
    if choice is None:
        choice = _after_flop(spot, foe, stream) if spot.board else _before_flop(spot, foe, stream)
    expects = "" if foe == STRANGER else " I count on what I was told of this opponent."
    return f"{choice.why}{expects}\nACTION: {spelled(choice.verb, choice.to_chips)}"


# --- decisions -----------------------------------------------------------------------------------


def _ruled(spot: Spot, rules: PokerHabits, stream: Stream) -> Choice | None:
    """What the player's own rules ask for here, if anything."""
    if spot.board:
        return None
    faces_3bet = spot.on_button and len(spot.raises) == 2
    if faces_3bet and stream.below(100) < rules.folds_button_to_3bet:
        return Choice(Verb.FOLD, 0, "A 3-bet against my button.")
    if rules.min_raises_pairs and spot.hole[0][0] == spot.hole[1][0] and Verb.RAISE in spot.options.verbs:
        return Choice(Verb.RAISE, spot.options.min_to_chips, "A pocket pair.")
    return None


def _before_flop(spot: Spot, foe: PokerHabits, stream: Stream) -> Choice:
    if spot.raises:
        return _against_raise(spot, foe, stream)
    percent = top_percent(spot.hole)
    why = f"A hand in the top {percent:.0f}%."
    if not spot.on_button:
        return _sized(spot, 350, why) if percent <= 35 else _passive(spot, why)
    if foe.vpip >= STATION_VPIP:
        return _sized(spot, 350, why) if percent <= 70 else _passive(spot, why)
    return _sized(spot, OPEN_CHIPS, why) if percent <= 82 or foe.vpip <= NIT_VPIP else _passive(spot, why)


def _against_raise(spot: Spot, foe: PokerHabits, stream: Stream) -> Choice:
    raises = spot.raises
    level, to_chips = len(raises), raises[-1].to_chips
    equity, price = _equity(spot, foe, stream), spot.price
    why = _because(equity, price)
    three_bets = level == 1 and not spot.on_button
    if three_bets and _steals(spot, foe, to_chips * 3):
        return _sized(spot, to_chips * 3, "This button gives up against a 3-bet.")
    needed = price + (0.10 if level == 1 else 0.01)
    strong = equity >= RAISE_EQUITY.get(level, ALL_IN_EQUITY)
    if strong or (level <= 2 and equity < needed and stream.below(100) < BLUFF_RAISES_PERCENT):
        wanted = (to_chips * 3, to_chips * 9 // 4, spot.options.max_to_chips)[min(level, 3) - 1]
        return _sized(spot, wanted, why if strong else "A bluff.")
    return _called(spot, equity, needed, why)


def _steals(spot: Spot, foe: PokerHabits, to_chips: int) -> bool:
    """Whether a 3-bet to `to_chips` wins more by folds than it risks, and folds are really frequent."""
    folds = foe.folds_button_to_3bet
    risk = to_chips - spot.in_front_chips
    return folds >= 60 and folds * spot.pot_chips > (100 - folds) * risk


def _after_flop(spot: Spot, foe: PokerHabits, stream: Stream) -> Choice:
    equity, price = _equity(spot, foe, stream), spot.price
    why = _because(equity, price)
    if spot.to_call_chips:
        if equity >= 0.78:
            return _sized(spot, _pot_share(spot, 80), why)
        return _called(spot, equity, price + 0.02 * (5 - len(spot.board)), why)
    folds = _folds_percent(spot, foe)
    if equity >= (0.60 if folds > 20 else 0.54):
        return _sized(spot, _pot_share(spot, 60 if folds > 20 else 90), why)
    if equity <= 0.42 and stream.below(100) < _bluffs_percent(folds):
        return _sized(spot, _pot_share(spot, 60), "A bluff.")
    return _passive(spot, why)


def _folds_percent(spot: Spot, foe: PokerHabits) -> int:
    """How often a bet is expected to win at once; less after each call since the flop."""
    folds = foe.folds_to_cbet
    for deed in spot.history:
        if deed.street != "preflop" and deed.who is Who.OPPONENT and deed.verb is Verb.CALL:
            folds = folds * 4 // 5
    return folds


def _bluffs_percent(folds: int) -> int:
    """How often to bet with nothing: at this size it pays from about two folds in five on."""
    return max(0, min(100, (folds - 36) * 5))


def _called(spot: Spot, equity: float, needed: float, why: str) -> Choice:
    if equity >= needed and Verb.CALL in spot.options.verbs:
        return Choice(Verb.CALL, 0, why)
    return _passive(spot, why)


def _passive(spot: Spot, why: str) -> Choice:
    """Check where it is free, else fold."""
    return Choice(Verb.CHECK if Verb.CHECK in spot.options.verbs else Verb.FOLD, 0, why)


def _sized(spot: Spot, to_chips: int, why: str) -> Choice:
    """A bet or raise to about `to_chips`, all in where most of the stack would go; else the next best thing."""
    options = spot.options
    if not options.max_to_chips:
        return Choice(Verb.CALL if Verb.CALL in options.verbs else Verb.CHECK, 0, why)
    if 2 * (to_chips - spot.in_front_chips) > spot.stacks_chips[0]:
        to_chips = options.max_to_chips
    to_chips = max(options.min_to_chips, min(to_chips, options.max_to_chips))
    return Choice(options.verbs[-1], to_chips, why)


def _pot_share(spot: Spot, percent: int) -> int:
    """The total that calls and then bets `percent` of the pot."""
    return spot.in_front_chips + spot.to_call_chips + (spot.pot_chips + spot.to_call_chips) * percent // 100


def _because(equity: float, price: float) -> str:
    return f"About {equity:.0%} against the hands I expect; the price asks {price:.0%}."


# --- hands ---------------------------------------------------------------------------------------

_RANKS = "23456789TJQKA"
_HALF_POINTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20)
_GAP_HALF_POINTS = (0, 2, 4, 8, 10)


def chen_points(hole: tuple[str, ...]) -> int:
    """Chen's formula: high card, pair doubled, suited +2, gaps off, +1 for low near-connectors, rounded up."""
    low, high = sorted(_RANKS.index(card[0]) for card in hole)
    points = _HALF_POINTS[high]
    if low == high:
        return max(points, 5)
    gap = high - low - 1
    points += 4 * (hole[0][1] == hole[1][1]) - _GAP_HALF_POINTS[min(gap, 4)]
    points += 2 * (gap <= 1 and high < _RANKS.index("Q"))
    return math.ceil(points / 2)


@lru_cache(maxsize=1)
def _percents() -> dict[Combo, float]:
    """All 1,326 hands by Chen's points, then by ranks, the best first."""
    ranks = {card: _RANKS.index(card[0]) for card in DECK}
    combos = [(a, b) for at, a in enumerate(DECK) for b in DECK[:at]]
    combos.sort(key=lambda c: (-chen_points(c), -ranks[c[0]] - ranks[c[1]], c))
    return {combo: 100 * at / len(combos) for at, combo in enumerate(combos)}


def top_percent(hole: tuple[str, ...]) -> float:
    """The share of hands that Chen's order puts before this one."""
    first, second = sorted(hole, key=DECK.index, reverse=True)
    return _percents()[first, second]


def _range(spot: Spot, foe: PokerHabits) -> list[Combo]:
    """The hands that the opponent's actions before the flop leave it, the best first."""
    best, worst, level, to_chips, step = 0, 100, 0, 100, 100
    pairs: bool | None = None
    for deed in spot.history:
        if deed.street != "preflop":
            break
        smallest = deed.to_chips == to_chips + step
        if deed.verb is Verb.RAISE:
            level, step, to_chips = level + 1, max(step, deed.to_chips - to_chips), deed.to_chips
        if deed.who is Who.OPPONENT:
            best, worst = _share(deed.verb, level, foe)
            pairs = (pairs or smallest) if foe.min_raises_pairs >= 50 else None
    known = {*spot.hole, *spot.board}
    live = [(combo, percent) for combo, percent in _percents().items() if known.isdisjoint(combo)]
    if pairs:
        return [(a, b) for (a, b), _ in live if a[0] == b[0]]
    return [(a, b) for (a, b), at in live if best <= at <= worst and (pairs is None or a[0] != b[0])]


def _share(verb: Verb, raises: int, foe: PokerHabits) -> tuple[int, int]:
    """Where in Chen's order the hands lie that do `verb` before the flop, after so many raises (its own too).

    A profile counts all hands, half of them on the button: opens are twice the PFR less the 3-bets.
    """
    opens = max(FIVE_BET_PERCENT, min(100, 2 * foe.pfr - foe.three_bet))
    if verb is Verb.RAISE:
        share = (opens, foe.three_bet, FOUR_BET_PERCENT, FIVE_BET_PERCENT)[min(raises, 4) - 1]
        return 0, max(share, FIVE_BET_PERCENT)
    if verb is Verb.CALL and raises:
        best, worst = (foe.three_bet // 2, 2 * foe.vpip - opens) if raises == 1 else (3, opens // 2)
        return best, max(worst, best + 5)
    return foe.pfr // 3, 100


def _weights(spot: Spot, foe: PokerHabits, count: int) -> list[float]:
    """How likely the opponent's deeds since the flop make each of `count` hands, the strongest now first."""
    deeds = [d for d in spot.history if d.street != "preflop" and d.who is Who.OPPONENT]
    called = sum(deed.verb is Verb.CALL for deed in deeds)
    strong = count * (1 - foe.folds_to_cbet / 100)
    weights = [1.0 if at < strong else CALLS_WITH_LESS**called for at in range(count)]
    if bold := [deed for deed in deeds if deed.verb in (Verb.BET, Verb.RAISE)]:
        share = max(0.1, foe.check_raise / 50) if bold[-1].verb is Verb.RAISE else BETS_FOR_VALUE
        strong = count * share * LESS_PER_BARREL ** (len(bold) - 1)
        bluffs = (foe.river_bluffs if bold[-1].street == "river" else STRANGER.river_bluffs) / 100
        weak = count * BETS_AS_BLUFF
        ratio = min(1.0, bluffs / max(0.01, 1 - bluffs) * strong / weak)
        weights = [
            weight * (1 if at < strong else ratio if at >= count - weak else BETS_BETWEEN)
            for at, weight in enumerate(weights)
        ]
    return weights


def _equity(spot: Spot, foe: PokerHabits, stream: Stream) -> float:
    """The share of the pot that the hand wins on average against the hands expected, if nobody folds."""
    deck = [card for card in DECK if card not in spot.hole and card not in spot.board]
    missing = 5 - len(spot.board)
    runouts = [stream.deal(deck, missing) for _ in range(RUNOUTS)] if missing else [[]]
    combos = _range(spot, foe)
    stride = -(-len(combos) * len(runouts) // COMPARISONS)
    combos = combos[stream.below(stride) :: stride]
    if spot.board:
        combos.sort(key=lambda combo: _strength(*combo, *spot.board), reverse=True)
    weighed = list(zip(combos, _weights(spot, foe, len(combos)), strict=True))
    won = total = 0.0
    for runout in runouts:
        board = (*spot.board, *runout)
        mine = _strength(*spot.hole, *board)
        for (a, b), weight in weighed:
            if a not in runout and b not in runout:
                theirs = _strength(a, b, *board)
                total += weight
                won += weight if mine > theirs else weight / 2 if mine == theirs else 0
    return won / total if total else 0.5


def _strength(*cards: str) -> int:
    return int(pkrbot.evaluate([_CARDS[card] for card in cards]))


_CARDS = {card: pkrbot.Card(card) for card in DECK}
