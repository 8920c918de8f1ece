"""The reference player of hold'em: a hand's rank before the flop, equity against a range after it.

Before the flop hands are ordered by Chen's formula (B. Chen, in L. Krieger, "Hold'em Excellence",
2000); 0 is the best of a hundred hands, 100 the worst. The opponent is given the hands that its
actions leave it: a share of that order, then, street by street, the stronger part of them and some
bluffs. How large those shares are comes from the opponent profile, or from STRANGER without one.
"""

from dataclasses import dataclass
from typing import TypeAlias

from ...core.dice import Stream
from ...experiment.opponent_patterns import Pattern
from ...table.prompt_lines import Page
from .cards import CARDS, DECK, evaluate
from .habit_words import PokerHabits, kept_patterns, poker_habits
from .patterns import RULES, TWO_PAIR, kind_of
from .random_player import spelled
from .spot import Deed, SeenSpot, Verb, Who, read_spot
from .starting_hands import PERCENT_MIN, percents, top_percent
from .tool import TAG, is_requested

STRANGER = PokerHabits(
    vpip=80,
    pfr=55,
    limps_button=0,
    three_bet=22,
    raises_big_blind=22,
    folds_button_to_3bet=25,
    min_raises_pairs=0,
    cbets=50,
    folds_to_cbet=42,
    folds_to_turn_bet=40,
    folds_to_river_bet=44,
    check_raise=12,
    river_bluffs=35,
    bets_river_light=40,
)
STATION_VPIP, NIT_VPIP = 90, 55  # from here on a player is taken to call, or to fold, too much
STATION_FOLDS, GIVES_UP_FOLDS = 28, 56  # the same of folds to a bet after the flop, in per cent
LIMPER, ALWAYS_CBETS, NEVER_THREE_BETS, NEVER_LIGHT = (
    60,
    80,
    9,
    15,
)  # per cent from, or up to, which a habit is believed
OVERBET_EQUITY = 0.85
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


def reference_reply(page: Page, stream: Stream) -> str:
    """The action within the rules, with a line that says what it rests on."""
    spot = read_spot(page)
    foe = poker_habits(page.profile, STRANGER)
    if is_requested(page):
        return f"As many hands as I expect this opponent to play.\n{TAG} {max(PERCENT_MIN, foe.vpip)}"
    choice = _after_flop(spot, foe, stream) if spot.board else _before_flop(spot, foe, stream)
    for pattern in kept_patterns(page.rules):
        choice = _ruled(spot, choice, pattern, stream)
    expects = "" if foe == STRANGER else " I count on what I was told of this opponent."
    return f"{choice.why}{expects}\nACTION: {spelled(choice.verb, choice.to_chips)}"


# --- decisions -----------------------------------------------------------------------------------


def _ruled(spot: SeenSpot, choice: Choice, pattern: Pattern, stream: Stream) -> Choice:
    """The choice, or another one where the player's own rule asks for it: the most passive that keeps the rule."""
    rule = RULES[pattern]
    if not rule.asks(spot) or rule.keeps(spot, choice.verb, choice.to_chips):
        return choice
    if rule.percent < 100 and stream.below(100) >= rule.percent:
        return choice
    why = "A rule that I keep."
    options = [Choice(verb, 0, why) for verb in (Verb.CHECK, Verb.CALL, Verb.FOLD) if verb in spot.options.verbs]
    sized = [_sized(spot, to_chips, why) for to_chips in (_pot_share(spot, 60), spot.options.min_to_chips)]
    return next(option for option in (*options, *sized) if rule.keeps(spot, option.verb, option.to_chips))


def _before_flop(spot: SeenSpot, foe: PokerHabits, stream: Stream) -> Choice:
    if spot.raises:
        return _against_raise(spot, foe, stream)
    percent = top_percent(spot.hole)
    why = f"A hand in the top {percent:.0f}%."
    if not spot.on_button:
        raises_best = 55 if foe.limps_button >= LIMPER else 35
        return _sized(spot, 350, why) if percent <= raises_best else _passive(spot, why)
    if foe.vpip >= STATION_VPIP:
        return _sized(spot, 350, why) if percent <= 70 else _passive(spot, why)
    gives_in = foe.vpip <= NIT_VPIP or foe.three_bet <= NEVER_THREE_BETS
    return _sized(spot, OPEN_CHIPS, why) if percent <= 82 or gives_in else _passive(spot, why)


def _against_raise(spot: SeenSpot, foe: PokerHabits, stream: Stream) -> Choice:
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
        size_chips = (to_chips * 3, to_chips * 9 // 4, spot.options.max_to_chips)[min(level, 3) - 1]
        return _sized(spot, size_chips, why if strong else "A bluff.")
    return _called(spot, equity, needed, why)


def _steals(spot: SeenSpot, foe: PokerHabits, to_chips: int) -> bool:
    """True if a 3-bet to `to_chips` wins more by folds than it risks, and folds are frequent (60 % or more)."""
    folds = foe.folds_button_to_3bet
    risk = to_chips - spot.in_front_chips
    return folds >= 60 and folds * spot.pot_chips > (100 - folds) * risk


def _after_flop(spot: SeenSpot, foe: PokerHabits, stream: Stream) -> Choice:
    equity, price = _equity(spot, foe, stream), spot.price
    why = _because(equity, price)
    if spot.to_call_chips:
        if equity >= 0.78:
            return _sized(spot, _pot_share(spot, 80), why)
        return _called(spot, equity, price + 0.02 * (5 - len(spot.board)), why)
    folds = _folds_percent(spot, foe)
    if folds <= STATION_FOLDS and equity >= OVERBET_EQUITY:
        return _sized(spot, spot.options.max_to_chips, why)
    if equity >= (0.60 if folds > 20 else 0.54) or folds >= GIVES_UP_FOLDS:
        return _sized(spot, _pot_share(spot, 60 if folds > 20 else 90), why)
    if equity <= 0.42 and stream.below(100) < _bluffs_percent(folds):
        return _sized(spot, _pot_share(spot, 60), "A bluff.")
    return _passive(spot, why)


def _folds_percent(spot: SeenSpot, foe: PokerHabits) -> int:
    """Expected fold frequency to a bet on this street, in per cent."""
    return {3: foe.folds_to_cbet, 4: foe.folds_to_turn_bet, 5: foe.folds_to_river_bet}[len(spot.board)]


def _bluffs_percent(folds: int) -> int:
    """Bluffing frequency, in per cent: at this size a bluff pays from about two folds in five on."""
    return max(0, min(100, (folds - 36) * 5))


def _called(spot: SeenSpot, equity: float, needed: float, why: str) -> Choice:
    if equity >= needed and Verb.CALL in spot.options.verbs:
        return Choice(Verb.CALL, 0, why)
    return _passive(spot, why)


def _passive(spot: SeenSpot, why: str) -> Choice:
    """Check where it is free, else fold."""
    return Choice(Verb.CHECK if Verb.CHECK in spot.options.verbs else Verb.FOLD, 0, why)


def _sized(spot: SeenSpot, to_chips: int, why: str) -> Choice:
    """A bet or raise to about `to_chips`, all in where most of the stack would go; else the next best thing."""
    options = spot.options
    if not options.max_to_chips:
        return Choice(Verb.CALL if Verb.CALL in options.verbs else Verb.CHECK, 0, why)
    if 2 * (to_chips - spot.in_front_chips) > spot.stacks_chips[0]:
        to_chips = options.max_to_chips
    to_chips = max(options.min_to_chips, min(to_chips, options.max_to_chips))
    return Choice(options.verbs[-1], to_chips, why)


def _pot_share(spot: SeenSpot, percent: int) -> int:
    """The total that calls and then bets `percent` of the pot."""
    return spot.in_front_chips + spot.to_call_chips + (spot.pot_chips + spot.to_call_chips) * percent // 100


def _because(equity: float, price: float) -> str:
    return f"About {equity:.0%} against the hands I expect; the price asks {price:.0%}."


# --- hands ---------------------------------------------------------------------------------------


def _range(spot: SeenSpot, foe: PokerHabits) -> list[Combo]:
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
    ordered = percents()
    if pairs:
        return [(a, b) for a, b in ordered if a[0] == b[0] and a not in known and b not in known]
    return [
        (a, b)
        for (a, b), percent in ordered.items()  # 1,326 hands, at each decision
        if best <= percent <= worst and a not in known and b not in known and (pairs is None or a[0] != b[0])
    ]


def _share(verb: Verb, raises: int, foe: PokerHabits) -> tuple[int, int]:
    """Range, in per cent of Chen's order, that does `verb` before the flop after so many raises (its own too).

    VPIP and PFR count the hands in which a player acts: all its buttons, and big blinds that the button does not give
    it. So about 5 in 9 are on the button, where it opens.
    """
    opens = max(FIVE_BET_PERCENT, min(100, (9 * foe.pfr - 4 * foe.three_bet) // 5))
    if verb is Verb.RAISE:
        share = (opens, foe.three_bet, FOUR_BET_PERCENT, FIVE_BET_PERCENT)[min(raises, 4) - 1]
        return 0, max(share, FIVE_BET_PERCENT)
    if verb is Verb.CALL and raises:
        best, worst = (foe.three_bet // 2, (9 * foe.vpip - 5 * opens) // 4) if raises == 1 else (3, opens // 2)
        return best, max(worst, best + 5)
    return (0 if foe.limps_button >= LIMPER else foe.pfr // 3), 100


def _weights(spot: SeenSpot, foe: PokerHabits, count: int) -> list[float]:
    """Relative likelihood of each of `count` hands, the strongest now first, by the opponent's play since the flop."""
    deeds = [d for d in spot.history if d.street != "preflop" and d.who is Who.OPPONENT]
    called = sum(deed.verb is Verb.CALL for deed in deeds)
    strong = count * (1 - foe.folds_to_cbet / 100)
    weights = [1.0 if rank < strong else CALLS_WITH_LESS**called for rank in range(count)]
    bold = [deed for deed in deeds if deed.verb in (Verb.BET, Verb.RAISE)]
    if not bold or (foe.cbets >= ALWAYS_CBETS and len(bold) == 1 and _is_cbet(spot, bold[0])):
        return weights
    share = max(0.1, foe.check_raise / 50) if bold[-1].verb is Verb.RAISE else BETS_FOR_VALUE
    strong = count * share * LESS_PER_BARREL ** (len(bold) - 1)
    bluffs = (foe.river_bluffs if bold[-1].street == "river" else STRANGER.river_bluffs) / 100
    weak = count * BETS_AS_BLUFF
    ratio = min(1.0, bluffs / max(0.01, 1 - bluffs) * strong / weak)
    return [
        weight * (1 if rank < strong else ratio if rank >= count - weak else BETS_BETWEEN)
        for rank, weight in enumerate(weights)
    ]


def _is_cbet(spot: SeenSpot, deed: Deed) -> bool:
    """True if `deed` of the opponent is a bet on the flop after its own last raise before it."""
    return deed.street == "flop" and deed.verb is Verb.BET and bool(spot.raises) and spot.raises[-1].who is deed.who


def _bets_rivers_strong_alone(spot: SeenSpot, foe: PokerHabits) -> bool:
    """True if the opponent has bet or raised on the river, and is known to do so with two pair or better alone."""
    last = [deed for deed in spot.history if deed.who is Who.OPPONENT][-1:]
    bets = len(spot.board) == 5 and any(d.street == "river" and d.verb in (Verb.BET, Verb.RAISE) for d in last)
    return bets and foe.bets_river_light <= NEVER_LIGHT


def _equity(spot: SeenSpot, foe: PokerHabits, stream: Stream) -> float:
    """The share of the pot that the hand wins on average against the hands expected, if nobody folds."""
    deck = [card for card in DECK if card not in spot.hole and card not in spot.board]
    missing = 5 - len(spot.board)
    runouts = [stream.deal(deck, missing) for _ in range(RUNOUTS)] if missing else [[]]
    combos = _range(spot, foe)
    stride = -(-len(combos) * len(runouts) // COMPARISONS)
    combos = combos[stream.below(stride) :: stride]
    if spot.board:
        shown = [CARDS[card] for card in spot.board]
        combos.sort(key=lambda combo: evaluate([CARDS[combo[0]], CARDS[combo[1]], *shown]), reverse=True)
    if _bets_rivers_strong_alone(spot, foe):
        combos = [combo for combo in combos if kind_of(*combo, *spot.board) >= TWO_PAIR] or combos
    weighed = list(zip(combos, _weights(spot, foe, len(combos)), strict=True))
    won = total = 0.0
    for runout in runouts:
        board = [CARDS[card] for card in (*spot.board, *runout)]
        mine = evaluate([*(CARDS[card] for card in spot.hole), *board])
        for (a, b), weight in weighed:
            if a not in runout and b not in runout:
                theirs = evaluate([CARDS[a], CARDS[b], *board])
                total += weight
                won += weight if mine > theirs else weight / 2 if mine == theirs else 0
    return won / total if total else 0.5
