"""What the reader model is taught: a player that does what its own prompt tells it, and otherwise next to nothing.

It never raises, and a bet is of the size of the pot. The first of these that applies decides:

    rule        on the river (or on the flop, without a pair) it folds to a bet where a rule of its own says so
    notes       it bets with any hand where the opponent folds to bets on this street (56 in 100, by its notes' counts)
    tool        it folds where the equity is below the price, and bets from 60 % on
    passages    it bets from the hand on that a passage names: "with any pair or better bet the pot"
    none        it bets a pair or better on the river; else it checks or calls

Notes are counted and believed as the reference player does (`habit_words.poker_habits`), and the calculator's answer is
followed as the novice does. Its reply says in short sentences what it saw.
"""

import re
from math import exp
from typing import NamedTuple

from reading import ACTIONS, ADVISED, AHEAD, ANY_HANDS, BEHIND, FAIR, FOLDS_HERE, RULED, SEEN, number

from agzamov_verify.games.holdem.habit_words import kept_patterns, poker_habits
from agzamov_verify.games.holdem.novice_player import BETS_FROM_PERMILLE
from agzamov_verify.games.holdem.pattern_sentences import PokerPattern
from agzamov_verify.games.holdem.patterns import PAIR, TWO_PAIR, best_kind, is_pocket_pair
from agzamov_verify.games.holdem.reference_player import GIVES_UP_FOLDS, STRANGER
from agzamov_verify.games.holdem.rules import in_bb
from agzamov_verify.games.holdem.spot import SeenSpot, Verb
from agzamov_verify.games.holdem.tool import ToldOdds

_ADVICE = re.compile(r"\bwith (any pair|two pair) or better bet the pot\b")
_FROM = {"any pair": PAIR, "two pair": TWO_PAIR}
FLOP, RIVER = 3, 5
SHARE_STEP = 3


class Told(NamedTuple):
    """What a prompt tells besides the decision. `advice`: the kind of hand from which a passage says to bet, or None.

    `folds`: for each number of board cards, how often in 100 the opponent folds to a bet there.
    """

    folds: dict[int, int]
    advice: int | None
    folds_rivers: bool
    folds_missed_flops: bool

    @property
    def facts(self) -> list[float]:
        """The same as numbers from 0 to 1, which training asks for: shares by how far they are from GIVES_UP_FOLDS."""
        advised = [self.advice == PAIR, self.advice == TWO_PAIR]
        return [
            *(1 / (1 + exp((GIVES_UP_FOLDS - share) / SHARE_STEP)) for share in self.folds.values()),
            *map(float, [*advised, self.folds_rivers, self.folds_missed_flops]),
        ]


def told(rules: str, notes: str, passages: str) -> Told:
    """What texts of a prompt say."""
    habits = poker_habits(notes, STRANGER)
    shares = (habits.folds_to_cbet, habits.folds_to_turn_bet, habits.folds_to_river_bet)
    advice = [_FROM[found] for found in _ADVICE.findall(passages)]
    kept = kept_patterns(rules)
    return Told(
        dict(zip((3, 4, 5), shares, strict=True)),
        min(advice, default=None),
        PokerPattern.FOLDS_RIVERS in kept,
        PokerPattern.FOLDS_MISSED_FLOPS in kept,
    )


def reply(spot: SeenSpot, known: Told, odds: ToldOdds | None, *, asked_hands: bool = False) -> list[str]:
    """The tokens of the reply, without the last."""
    if asked_hands:
        return [ANY_HANDS]
    kind = min(best_kind(spot), TWO_PAIR) if spot.board else int(is_pocket_pair(spot))
    asked = Asked(spot, kind)
    decided = _by_rule(asked, known) or _by_notes(asked, known) or _by_tool(asked, odds) or _by_passages(asked, known)
    return [SEEN[kind], *(decided or _by_itself(asked))]


class Asked(NamedTuple):
    """A decision, and the kind of hand in it."""

    spot: SeenSpot
    kind: int

    @property
    def street(self) -> int:
        """Cards of the board."""
        return len(self.spot.board)

    @property
    def may_bet(self) -> bool:
        """True after the flop where nothing is to be called."""
        return bool(self.spot.board) and not self.spot.to_call_chips and self.spot.options.max_to_chips > 0


def _by_rule(asked: Asked, known: Told) -> list[str]:
    missed = known.folds_missed_flops and asked.street == FLOP and asked.kind < PAIR
    weak = known.folds_rivers and asked.street == RIVER and asked.kind < TWO_PAIR
    return [RULED, ACTIONS["fold"]] if asked.spot.to_call_chips and (missed or weak) else []


def _by_notes(asked: Asked, known: Told) -> list[str]:
    gives_up = known.folds.get(asked.street, 0) >= GIVES_UP_FOLDS
    return [FOLDS_HERE, *_bet(asked.spot)] if asked.may_bet and gives_up else []


def _by_tool(asked: Asked, odds: ToldOdds | None) -> list[str]:
    if odds is None:
        return []
    if odds.equity_permille < odds.price_permille:
        return [BEHIND, ACTIONS["fold" if asked.spot.to_call_chips else "check"]]
    if odds.equity_permille >= BETS_FROM_PERMILLE:
        return [AHEAD, *(_bet(asked.spot) if asked.may_bet else _passive(asked.spot))]
    return [FAIR, *_passive(asked.spot)]


def _by_passages(asked: Asked, known: Told) -> list[str]:
    advised = known.advice is not None and asked.kind >= known.advice
    return [ADVISED, *_bet(asked.spot)] if asked.may_bet and advised else []


def _by_itself(asked: Asked) -> list[str]:
    bets = asked.may_bet and asked.street == RIVER and asked.kind >= PAIR
    return _bet(asked.spot) if bets else _passive(asked.spot)


def _passive(spot: SeenSpot) -> list[str]:
    return [ACTIONS["check" if Verb.CHECK in spot.options.verbs else "call"]]


def _bet(spot: SeenSpot) -> list[str]:
    """A bet of the pot, or all-in where that is more than is left."""
    if spot.pot_chips > spot.options.max_to_chips:
        return [ACTIONS["all-in"]]
    return [ACTIONS["bet"], *number(in_bb(max(spot.pot_chips, spot.options.min_to_chips)))]
