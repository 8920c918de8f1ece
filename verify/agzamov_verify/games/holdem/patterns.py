"""The patterns as rules over one decision: when one asks for something, which actions keep it, how many of a hand did.

A rule reads a decision as its player sees it. The reference player keeps its patterns by the same table by which the
detectors count, so what it keeps is what is detected.

The detectors count, of the decisions in one hand that a pattern is about, how many kept it. They read all cards, which
a bundle publishes.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from ...experiment.opponent_patterns import Adherence, Detector, Pattern
from .cards import CARDS, evaluate, handtype
from .hand_script import HandRecord, HandStory
from .pattern_sentences import PokerPattern
from .rules import BIG_BLIND, Hand
from .spot import Deed, SeenSpot, Verb, Who, deed_of, spot_of

HAND_KINDS: Final = ("High Card", "Pair", "Two Pair")
"""The lowest kinds of a best hand, the lowest first; all others stand above them."""
PAIR, TWO_PAIR = 1, 2


class Rule(NamedTuple):
    """A pattern's rule: `asks` is true of the decisions that it is about, `wanted` are the actions it allows.

    `smallest`: of these a raise to the smallest legal amount alone. `percent`: how often the pattern asks for it.
    """

    asks: Callable[[SeenSpot], bool]
    wanted: frozenset[Verb]
    smallest: bool = False
    percent: int = 100

    def keeps(self, spot: SeenSpot, verb: Verb, to_chips: int) -> bool:
        """True if an action keeps the pattern, in a decision that it is about."""
        return verb in self.wanted and (not self.smallest or to_chips == spot.options.min_to_chips)


def kind_of(*cards: str) -> int:
    """The kind of the best five of five to seven cards: 0 for high card, 1 for a pair, 2 for two pair, 3 for better."""
    kind = str(handtype(evaluate([CARDS[card] for card in cards])))
    return HAND_KINDS.index(kind) if kind in HAND_KINDS else len(HAND_KINDS)


def best_kind(spot: SeenSpot) -> int:
    """The kind of the best hand of the player to act, on the board as it lies."""
    return kind_of(*spot.hole, *spot.board)


def is_pocket_pair(spot: SeenSpot) -> bool:
    """True if the two cards of the player to act have one rank."""
    return spot.hole[0][0] == spot.hole[1][0]


def made_last_raise(spot: SeenSpot) -> bool:
    """True if the player to act made the last raise before the flop."""
    raises = spot.raises
    return bool(raises) and raises[-1].who is Who.ME


# --- what each pattern asks for ------------------------------------------------------------------


def _can_raise_a_pocket_pair(spot: SeenSpot) -> bool:
    return not spot.board and is_pocket_pair(spot) and Verb.RAISE in spot.options.verbs


def _begins_on_the_button(spot: SeenSpot) -> bool:
    return spot.on_button and not spot.board and not spot.history


def _faces_a_3bet_on_the_button(spot: SeenSpot) -> bool:
    return spot.on_button and not spot.board and len(spot.raises) == 2


def _can_raise_in_the_big_blind(spot: SeenSpot) -> bool:
    return not spot.on_button and not spot.board and Verb.RAISE in spot.options.verbs


def _can_cbet(spot: SeenSpot) -> bool:
    return len(spot.board) == 3 and made_last_raise(spot) and Verb.BET in spot.options.verbs


def _faces_a_bet_on_a_missed_flop(spot: SeenSpot) -> bool:
    return len(spot.board) == 3 and spot.to_call_chips > 0 and best_kind(spot) < PAIR


def _faces_a_bet_with_a_pair(spot: SeenSpot) -> bool:
    return bool(spot.board) and spot.to_call_chips > 0 and best_kind(spot) >= PAIR


def _faces_a_bet_on_the_river_without_two_pair(spot: SeenSpot) -> bool:
    return len(spot.board) == 5 and spot.to_call_chips > 0 and best_kind(spot) < TWO_PAIR


def _can_bet_the_river_without_two_pair(spot: SeenSpot) -> bool:
    return len(spot.board) == 5 and spot.options.max_to_chips > 0 and best_kind(spot) < TWO_PAIR


FOLD: Final = frozenset((Verb.FOLD,))
CALL: Final = frozenset((Verb.CALL,))
BET: Final = frozenset((Verb.BET,))
RAISE: Final = frozenset((Verb.RAISE,))
ALL_BUT_FOLD: Final = frozenset(Verb) - FOLD
PASSIVE: Final = frozenset(Verb) - BET - RAISE

RULES: Final[Mapping[Pattern, Rule]] = {
    PokerPattern.MIN_RAISES_PAIRS: Rule(_can_raise_a_pocket_pair, RAISE, smallest=True),
    PokerPattern.FOLDS_BUTTON_TO_3BET: Rule(_faces_a_3bet_on_the_button, FOLD, percent=85),
    PokerPattern.LIMPS_BUTTON: Rule(_begins_on_the_button, CALL),
    PokerPattern.NEVER_RAISES_BIG_BLIND: Rule(_can_raise_in_the_big_blind, PASSIVE),
    PokerPattern.ALWAYS_CBETS: Rule(_can_cbet, BET),
    PokerPattern.NEVER_CBETS: Rule(_can_cbet, PASSIVE),
    PokerPattern.FOLDS_MISSED_FLOPS: Rule(_faces_a_bet_on_a_missed_flop, FOLD),
    PokerPattern.NEVER_FOLDS_PAIRS: Rule(_faces_a_bet_with_a_pair, ALL_BUT_FOLD),
    PokerPattern.FOLDS_RIVERS: Rule(_faces_a_bet_on_the_river_without_two_pair, FOLD),
    PokerPattern.NEVER_BLUFFS_RIVERS: Rule(_can_bet_the_river_without_two_pair, PASSIVE),
}


STACK_CHIPS_ANY = 10**9
"""Stands for both stacks of a hand in which nobody was all in: every greater stack gives the same decisions."""


class Decision(NamedTuple):
    """View and action of `player` (0 the button, 1 the big blind) at action `turn`, its own or a substitute."""

    turn: int
    player: int
    spot: SeenSpot
    deed: Deed


def decisions(story: HandStory, of: int | None = None) -> Iterator[Decision]:
    """The decisions of both players, or of one of them, in order."""
    stack_chips = _stack_chips(story)
    hand = Hand(story.deal, (stack_chips, stack_chips))
    for turn, played in enumerate(story.history):
        if of in (None, played.player):
            yield Decision(turn, played.player, spot_of(hand, played.player), deed_of(played, played.player))
        hand.act(played.action)


def _stack_chips(story: HandStory) -> int:
    """Both stacks at the start: as much as a player had put in who was all in, since the stacks are equal."""
    if not any(played.all_in for played in story.history):
        return STACK_CHIPS_ANY
    most = [BIG_BLIND, 0, 0, 0]
    for played in story.history:
        most[played.street] = max(most[played.street], played.action.to_chips)
    return sum(most)


def detector(rule: Rule) -> Detector:
    """Count the decisions that a rule is about, and the actions that kept it; place 0 is the button."""

    def detect(record: HandRecord, place: int) -> Adherence:
        if record.story is None:
            return Adherence(0, 0)
        kept = [
            rule.keeps(spot, deed.verb, deed.to_chips)
            for turn, player, spot, deed in decisions(record.story)
            if player == place and turn not in record.story.substituted and rule.asks(spot)
        ]
        return Adherence(len(kept), sum(kept))

    return detect


DETECTORS: Final[dict[Pattern, Detector]] = {pattern: detector(rule) for pattern, rule in RULES.items()}
