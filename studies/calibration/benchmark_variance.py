"""Variance left against the benchmark player by each method, and that none of them moves the mean.

    PYTHONPATH=studies .venv/bin/python -m calibration.benchmark_variance [DECKS]

Each player plays DECKS decks against the benchmark player, and again with the seats exchanged; every pairing has decks
of its own. Prints the variance of raw hands divided by that of each method, hand for hand, and z: how many standard
errors the mean of a range method is away from that of the raw hands.
"""

import hashlib
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.holdem.benchmark_player import benchmark_action, hand_percentile, spot_of
from agzamov_verify.games.holdem.cell import PokerCell, poker_cell, with_ranges
from agzamov_verify.games.holdem.control_variates import PER_CHIP
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import HandRecord, HandStory, PokerRules, random_action
from agzamov_verify.games.holdem.match_analysis import winrates_by_method
from agzamov_verify.games.holdem.range_methods import RangeMethod
from agzamov_verify.games.holdem.rules import ActionKind, Hand, HandEnd, PokerAction
from agzamov_verify.scoring.inference.exact import square_root
from agzamov_verify.scoring.inference.samples import sample_variance
from agzamov_verify.scoring.units.cells import AGAINST_BENCHMARK, CellKey
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.players import own_seed
from agzamov_verify.table.seating import alternating, place_of

from . import variance

DECKS = 8_000
STACK_CHIPS = 10_000
SEAT_A, SEAT_B = 0, 1
DRAWS = "agzamov calibration of the house"
"""Label of the draws. It is that of the first measurement, so that the published figures can be computed again."""
Chooser: TypeAlias = Callable[[Hand, Dice, str], PokerAction]


def main(decks: int) -> None:
    """Print a row for each opponent, and over the styles the least and greatest cut of each method."""
    seen: dict[str, list[float]] = {}
    styles = {style.name for style in variance.scripted_players().STYLES}
    for name, choose in opponents().items():
        match = mirrored_match(name, choose, decks)
        single, mirrored = (cell_of(match, mirrored=both) for both in (False, True))
        found = cuts(single) | {f"mirrored {name}": cut for name, cut in cuts(mirrored).items()}
        print(f"{name:<10}", "  ".join(f"{name} {cut:.2f}" for name, cut in found.items()))
        shifts = "  ".join(f"{one.value} {z:+.2f}" for one, z in zip(RangeMethod, moved(single), strict=True))
        print(f"{'':<10} bb/100 {sum(single.chips) / len(single.chips):+.1f}  z of {shifts}", flush=True)
        for method, cut in found.items() if name in styles else ():
            seen.setdefault(method, []).append(cut)
    for method, all_cuts in seen.items():
        print(f"{method:<22} {min(all_cuts):.2f} to {max(all_cuts):.2f}")


def opponents() -> dict[str, Chooser]:
    """The scripted styles, the benchmark policy itself, the random seat and one that never folds nor bets."""
    players = variance.scripted_players()

    def styled(style: object) -> Chooser:
        return lambda hand, dice, label: players.action(hand, style, dice.stream(f"play/{label}/{len(hand.history)}"))

    styles = {style.name: styled(style) for style in players.STYLES}
    return {**styles, "benchmark": _by_policy, "random": _random, "caller": _caller}


def mirrored_match(name: str, choose: Chooser, decks: int) -> list[HandRecord]:
    """The opponent in seat A and the benchmark player in seat B: all decks once, and again with the seats exchanged."""
    dice = Dice(hashlib.sha256(f"{DRAWS} against {name}".encode()).digest())
    return [hand_of(index, decks, choose, dice) for index in range(2 * decks)]


def hand_of(index: int, decks: int, choose: Chooser, dice: Dice) -> HandRecord:
    """Hand `index` of a mirrored match: neighbours change places in its second half."""
    deck = (index - decks) ^ 1 if index >= decks else index
    deal = deal_cards(dice, deck, alternating(deck))
    hand, benchmark_player = Hand(deal, (STACK_CHIPS, STACK_CHIPS)), place_of(SEAT_B, index)
    while hand.to_act is not None:
        if hand.to_act == benchmark_player:
            seed = own_seed(dice, f"holdem/{index}", len(hand.history))
            hand.act(benchmark_action(spot_of(hand), hand_percentile(hand.hole(benchmark_player), hand.board), seed))
        else:
            hand.act(choose(hand, dice, f"holdem/{index}"))
    end = HandEnd.FOLD if hand.history[-1].action.kind is ActionKind.FOLD else HandEnd.SHOWDOWN
    return HandRecord("h", end, hand.net_chips()[0], (0, 0), HandStory(deal, tuple(hand.history), tuple(hand.matched)))


def cell_of(records: Sequence[HandRecord], *, mirrored: bool) -> PokerCell:
    """The match as a cell, every hand averaged over the range of the benchmark player."""
    rules = PokerRules(session_hands=variance.UNIT_HANDS, mirrored=mirrored, stack_chips=STACK_CHIPS)
    cell = poker_cell(CellKey("a", "holdem", 1, part=AGAINST_BENCHMARK), records, SEAT_A, (Tally(), Tally()), "", rules)
    return with_ranges(cell, records, SEAT_A, SEAT_B, STACK_CHIPS)


def cuts(cell: PokerCell) -> dict[str, float]:
    """The variance of raw hands over that of each method."""
    found = winrates_by_method(cell, variance.RESAMPLES)
    return {name: float(one.variance_cut.decimal) if one.variance_cut else 0.0 for name, one in found.items()}


def moved(cell: PokerCell) -> list[float]:
    """For each range method: the mean of what it takes out, in standard errors."""
    found = []
    for at in range(len(RangeMethod)):
        out = [hand.chips * PER_CHIP - hand.ranged[at] for hand in cell.hands]
        error = square_root(sample_variance(out) / len(out))
        found.append(float(Fraction(sum(out), len(out)) / error))
    return found


def _by_policy(hand: Hand, dice: Dice, label: str) -> PokerAction:
    assert hand.to_act is not None
    seed = own_seed(dice, f"other/{label}", len(hand.history))
    return benchmark_action(spot_of(hand), hand_percentile(hand.hole(hand.to_act), hand.board), seed)


def _random(hand: Hand, dice: Dice, label: str) -> PokerAction:
    return random_action(hand, f"random/{label}/{len(hand.history)}", dice)


def _caller(hand: Hand, _dice: Dice, _label: str) -> PokerAction:
    return PokerAction(ActionKind.CALL if hand.to_call_chips else ActionKind.CHECK)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DECKS)
