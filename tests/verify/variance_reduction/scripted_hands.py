"""Hands for tests of variance reduction: written out, played by a rule that sees the cards, or by scripted styles."""

import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from itertools import permutations
from pathlib import Path
from types import ModuleType

from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.control_variates import Strength, strengths
from agzamov_verify.games.holdem.equity import NUMBER
from agzamov_verify.games.holdem.hand_script import HandRecord, HandStory
from agzamov_verify.games.holdem.rules import ActionKind, Deal, Hand, HandEnd, PokerAction
from verify.scripted import bet_out, poker_hand

ROOT = Path(__file__).parents[3]
STACKS = (10_000, 10_000)


def script(path: str) -> ModuleType:
    """A module of the folder scripts, which is no package."""
    spec = spec_from_file_location(Path(path).stem, ROOT / "scripts" / path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def told(actions: str, button: str = "Ah As", big_blind: str = "Kd Kc", board: str = "2h 7s 9d Jc 4c") -> HandRecord:
    """A finished hand of these cards and actions."""
    return record_of(bet_out(poker_hand(button, big_blind, board), actions))


def forfeited(by: int, actions: str, board: str = "2h 7s 9d Jc 4c") -> HandRecord:
    """A hand that `by` gave up by a forfeit after these actions."""
    hand = bet_out(poker_hand("Ah As", "Kd Kc", board), actions)
    story = HandStory(hand.deal, tuple(hand.history), tuple(hand.matched))
    return HandRecord("h", HandEnd.FORFEIT, hand.lost_by(by)[0], (0, 0), story)


def record_of(hand: Hand) -> HandRecord:
    """The record of a finished hand."""
    assert hand.to_act is None
    folded = bool(hand.history) and hand.history[-1].action.kind is ActionKind.FOLD
    story = HandStory(hand.deal, tuple(hand.history), tuple(hand.matched))
    return HandRecord("h", HandEnd.FOLD if folded else HandEnd.SHOWDOWN, hand.net_chips()[0], (0, 0), story)


def all_turns_and_rivers(
    button: tuple[str, str], big_blind: tuple[str, str], flop: tuple[str, str, str]
) -> Iterator[HandRecord]:
    """The hand of these cards on each of the 1,980 turns and rivers, between two players who go by their strength."""
    rest = [card for card in DECK if card not in button + big_blind + flop]
    for turn, river in permutations(rest, 2):
        hand = bet_out(Hand(Deal(button, big_blind, (*flop, turn, river)), STACKS), "raise 250, call")
        yield record_of(played_on(hand, by_strength))


def played_on(hand: Hand, choose: Callable[[Hand], PokerAction]) -> Hand:
    while hand.to_act is not None:
        hand.act(choose(hand))
    return hand


def by_strength(hand: Hand) -> PokerAction:
    """Strong: all in on the turn, else the pot. A pair calls, nothing folds. It depends on the cards, as play does."""
    assert hand.to_act is not None
    legal = hand.legal()
    hole = [NUMBER[card] for card in hand.hole(hand.to_act)]
    (strength,) = strengths([hole], [NUMBER[card] for card in hand.board])
    if strength is Strength.STRONG and legal.max_to_chips:
        pot = hand.bets[hand.to_act] + 2 * hand.to_call_chips + hand.pot_chips
        wanted = legal.max_to_chips if hand.street == 2 else pot
        return PokerAction(legal.kinds[-1], max(legal.min_to_chips, min(wanted, legal.max_to_chips)))
    if ActionKind.CHECK in legal.kinds:
        return PokerAction(ActionKind.CHECK)
    return PokerAction(ActionKind.FOLD if strength is Strength.NOTHING else ActionKind.CALL)
