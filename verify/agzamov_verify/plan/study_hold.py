"""The hold of a study: the drawn time after a person's answer before which they are not asked again, alike in all arms.

Draws are of the run's dice, one for each question, whatever the arm: log-normal with the plan's median, and never
beyond its limit. They stand in no document: they change nothing but when a person is asked.
"""

import math
from typing import Final

from ..core.dice import WORD, Dice
from ..core.journal import Asked
from ..core.questions import Question
from ..experiment.people_settings import Hold

LOG_SD: Final = 0.5
"""Standard deviation of the logarithm of a hold: two in three are between 0.6 and 1.6 times the median."""
UNIFORMS: Final = 12
"""Uniform draws whose sum less six is nearly normal."""


def hold_s(hold: Hold, dice: Dice, question: Question | Asked) -> float:
    """Seconds from a person's last answer to the next question to them."""
    stream = dice.stream(f"people/hold/{question.game}/{question.turn}/{question.attempt}")
    normal = sum(stream.word() for _ in range(UNIFORMS)) / WORD - UNIFORMS / 2
    return min(hold.most_s, hold.median_s * math.exp(LOG_SD * normal))
