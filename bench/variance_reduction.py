"""Hold'em variance reduction: hands scored per second beside plain enumeration, and the variance that methods leave.

    python bench/variance_reduction.py [DECKS]

Speed is CPU time on one core; plain enumeration asks pkrbot for every runout of the same flops and turns. Then
mirrored matches of scripted players, and of the reference player, by each method: the standard deviation of 100
hands, how many times less variance than raw hands, the z of what was taken out (about a standard normal draw if
nothing is biased), and the effect that 10,000 hands detect with 80 % power at a level of 5 %, in bb/100.
"""

import statistics
import sys
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pkrbot

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts" / "value_baseline"))
import players

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.games.holdem import control_variates, equity
from agzamov_verify.games.holdem.cards import CARDS, DECK
from agzamov_verify.games.holdem.cell import poker_cell
from agzamov_verify.games.holdem.control_variates import PER_CHIP, Method, net_units
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.equity import FLOP, RIVER
from agzamov_verify.games.holdem.hand_script import HandRecord, PokerRules, play
from agzamov_verify.games.holdem.match_analysis import MethodWinrate, preflop_quality, winrates_by_method
from agzamov_verify.games.holdem.rules import BOARD_CARDS
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.inference.power import mde_normal
from agzamov_verify.scoring.units.cells import CellKey
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.players import GameName, Player
from agzamov_verify.table.scripted_players import scripted_reply
from agzamov_verify.table.seating import alternating
from chess_replay import cpu_s

DECKS, SESSION, CONDITIONS, HANDS = 10_000, 100, 13, 10_000
REFERENCE_LESS = 5  # the reference player thinks: fewer decks for it
BAR_MS = 0.1
HOW = Resamples(bytes(32), 100, Bootstrap.PERCENTILE)
DICE = Dice(b"agzamov variance bench".ljust(32))
CONSTANTS = load_score_constants("agz-0.1").clusters
PAIRINGS = ((players.TAG, players.LAG), (players.TAG, players.TAG2), (players.NIT, players.STATION), (players.TAG,) * 2)


def mirrored(a: players.Style, b: players.Style, decks: int) -> list[HandRecord]:
    """A mirrored match of twice as many hands."""
    first: list[HandRecord] = players.hands(DICE, range(decks), a, b, swapped=False)
    again: list[HandRecord] = players.hands(DICE, range(decks), a, b, swapped=True)
    return first + [again[at ^ 1] for at in range(decks)]


def reference_match(decks: range, opponent: str) -> list[HandRecord]:
    """A mirrored match of the reference player in seat A."""
    first = [reference_hand(number, opponent, swapped=False) for number in decks]
    again = [reference_hand(number, opponent, swapped=True) for number in decks]
    return first + [again[at ^ 1] for at in range(len(again))]


def reference_hand(number: int, opponent: str, *, swapped: bool) -> HandRecord:
    seats = (Player("reference"), Player(opponent))
    button, big_blind = seats if (number % 2 == 0) != swapped else (seats[1], seats[0])
    deal = deal_cards(DICE, number, alternating(number))
    name = GameName(f"h{number}", f"{opponent}/{number}/{int(swapped)}")
    return drive(play(name, deal, (button, big_blind), PokerRules(), DICE, (Tally(), Tally())), answer)


def answer(question: Question) -> Reply:
    assert isinstance(question, Chat)
    return Reply(text=scripted_reply(question.to, question.messages, question.seed))


def scored(records: list[HandRecord], conditions: int) -> None:
    """Every method on every hand, `conditions` times as for matches on the same decks, from empty caches."""
    equity.edge.cache_clear()
    equity.next_cards.cache_clear()
    control_variates.growths.cache_clear()
    for _ in range(conditions):
        for record in records:
            for method in Method:
                net_units(record, method)


def enumerated(records: list[HandRecord]) -> None:
    """Every runout of the flops and turns that were seen, by pkrbot."""
    for record in records:
        assert record.story is not None
        deal = record.story.deal
        last = min(len(record.story.matched_chips), RIVER - 1)
        for street in range(FLOP, last + 1):
            shown = deal.board[: BOARD_CARDS[street]]
            a, b, known = ([CARDS[card] for card in cards] for cards in (deal.button, deal.big_blind, shown))
            rest = [CARDS[card] for card in DECK if card not in deal.button + deal.big_blind + shown]
            for more in combinations(rest, 5 - len(shown)):
                pkrbot.evaluate([*a, *known, *more])
                pkrbot.evaluate([*b, *known, *more])


def flops(records: list[HandRecord]) -> int:
    """How many hands saw a flop: the dearest match is timed."""
    return sum(bool(one.story and one.story.matched_chips) for one in records)


def speed(records: list[HandRecord]) -> None:
    few = records[:2_000]
    once, plain = cpu_s(lambda: scored(few, 1)), cpu_s(lambda: enumerated(few))
    paired = cpu_s(lambda: scored(few, CONDITIONS)) / CONDITIONS
    preflop_quality(few[:SESSION], PokerRules(), CONSTANTS)
    decisions = cpu_s(lambda: preflop_quality(few, PokerRules(), CONSTANTS))
    print(f"all four methods: {once / len(few) * 1e3:.3f} ms a hand, {len(few) / once:.0f} hands/s (bar {BAR_MS} ms)")
    print(f"  {CONDITIONS} conditions on the same decks: {paired / len(few) * 1e3:.3f} ms a hand")
    print(f"  plain enumeration: {plain / len(few) * 1e3:.3f} ms a hand; ratio {plain / once:.1f}")
    print(f"preflop decisions: {decisions / len(few) * 1e3:.3f} ms a hand")


def z_of(records: list[HandRecord], method: Method) -> float:
    """Mean of what a method takes out, deck by deck, in its standard errors."""
    half = len(records) // 2
    removed = [(net_units(one, Method.RAW) - net_units(one, method)) / PER_CHIP for one in records]
    signed = [value if at % 2 == 0 else -value for at, value in enumerate(removed)]
    pairs = [signed[at] + signed[half + (at ^ 1)] for at in range(half)]
    spread = statistics.stdev(pairs)
    return statistics.mean(pairs) / (spread / half**0.5) if spread else 0.0


def variance(name: str, records: list[HandRecord]) -> None:
    print(f"{name}: {len(records)} hands in mirrored pairs")
    for together in (False, True):
        rules = PokerRules(session_hands=SESSION, mirrored=together)
        cell = poker_cell(CellKey(name, "holdem", 1), records, 0, (Tally(), Tally()), "", rules)
        for method, one in winrates_by_method(cell, HOW).items():
            z = z_of(records, Method(method))
            print(f"  {'mirrored ' if together else '':9}{method:10}", *told(one, z))


def told(one: MethodWinrate, z: float) -> tuple[str, ...]:
    sd = Fraction(one.sd_per_100_hands.exact) if one.sd_per_100_hands else Fraction(0)
    cut = float(one.variance_cut.decimal) if one.variance_cut else float("nan")
    mde = float(mde_normal(sd, HANDS // 100, Fraction(1, 20)))
    return f"sd {float(sd):6.1f}", f"variance / {cut:5.2f}", f"z {z:5.2f}", f"detects {mde:5.1f} bb/100"


def main() -> None:
    decks = int(sys.argv[1]) if len(sys.argv) > 1 else DECKS
    matches = {f"{a.name} v {b.name}": mirrored(a, b, decks) for a, b in PAIRINGS}
    speed(max(matches.values(), key=flops))
    for name, records in matches.items():
        variance(name, records)
    for opponent in ("reference", "random"):
        variance(f"reference v {opponent}", reference_match(range(decks // REFERENCE_LESS), opponent))


if __name__ == "__main__":
    main()
