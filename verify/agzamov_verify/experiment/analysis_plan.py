"""A plan's declarations about its analysis, made before the first game: hypotheses, alpha, rules for stopping early.

The names are the paper's (section 7) and, with `draft-` before them, those of the draft's section 7.
"""

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from .plan_fields import END, DecimalText, Line, Part

PRIMARY, EXPLORATORY, DRAFT = 5, 12, 20
SEQUENTIAL_MAX = 64


class HypothesisId(StrEnum):
    """The hypotheses that can be declared."""

    H1 = "H1"
    H2 = "H2"
    H3 = "H3"
    H4 = "H4"
    H5 = "H5"
    E1 = "E1"
    E2 = "E2"
    E3 = "E3"
    E4 = "E4"
    E5 = "E5"
    E6 = "E6"
    E7 = "E7"
    E8 = "E8"
    E9 = "E9"
    E10 = "E10"
    E11 = "E11"
    E12 = "E12"
    DRAFT_H1 = "draft-H1"
    DRAFT_H2 = "draft-H2"
    DRAFT_H3 = "draft-H3"
    DRAFT_H4 = "draft-H4"
    DRAFT_H5 = "draft-H5"
    DRAFT_H6 = "draft-H6"
    DRAFT_H7 = "draft-H7"
    DRAFT_H8 = "draft-H8"
    DRAFT_H9 = "draft-H9"
    DRAFT_H10 = "draft-H10"
    DRAFT_H11 = "draft-H11"
    DRAFT_H12 = "draft-H12"
    DRAFT_H13 = "draft-H13"
    DRAFT_H14 = "draft-H14"
    DRAFT_H15 = "draft-H15"
    DRAFT_H16 = "draft-H16"
    DRAFT_H17 = "draft-H17"
    DRAFT_H18 = "draft-H18"
    DRAFT_H19 = "draft-H19"
    DRAFT_H20 = "draft-H20"


Chips: TypeAlias = Annotated[int, Meta(ge=1, le=2**40)]
Blocks: TypeAlias = Annotated[int, Meta(ge=0, le=2**20)]
Alpha: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^0\.[0-9]{0,8}[1-9]" + END,
        extra_json_schema={"format": "decimal-text"},
        description="a probability above 0 and below 1 with up to nine decimal places, for example 0.05",
    ),
]


class SequentialRule(Part, frozen=True):
    """One match that is watched while it is played, by a rule declared before.

    An observation is a start pair in half-points (0 to 4, 2 by chance) or a session of hands in chips (0 by chance),
    with its mirror if it has one; one beyond ± `clip_chips` counts as that, and more sessions need wider bounds.
    `of_interest` is the least distance from chance that matters; 0 never stops for lack of an effect.
    `blocks_per_look`: so many blocks are played side by side, then the rule may end the match; 0 plays it whole, and
    the analysis only says after which observation it might have.
    """

    match: Line
    alternative: Literal["greater", "less", "two-sided"] = "two-sided"
    alpha: Alpha = "0.05"
    of_interest: DecimalText = "0"
    clip_chips: Chips = 40_000
    blocks_per_look: Blocks = 0


class AnalysisPlan(Part, frozen=True):
    """The hypotheses to test, and alpha. The default is the whole list of the protocol, without early stopping."""

    hypotheses: tuple[HypothesisId, ...] = tuple(HypothesisId)
    alpha: Alpha = "0.05"
    sequential: Annotated[tuple[SequentialRule, ...], Meta(max_length=SEQUENTIAL_MAX)] = ()
