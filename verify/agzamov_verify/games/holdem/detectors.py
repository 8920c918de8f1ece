"""Detectors of the hold'em patterns: of the decisions in one hand that a pattern is about, how many kept it.

They read all cards, which a bundle publishes.
"""

from typing import Final

from ..patterns import Adherence, Detector, Pattern
from .decisions import decisions
from .pattern_rules import RULES, Rule
from .script import HandRecord


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
