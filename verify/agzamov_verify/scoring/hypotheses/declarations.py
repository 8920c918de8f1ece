"""The hypotheses: the claim, family and contrast of each.

Summaries are ours. Where the draft says what the paper says, one contrast stands for both and the other name points to
it. What no run of this appliance can hold has no contrast, and says why.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

import msgspec

from ...experiment.analysis_plan import HypothesisId as Id
from . import exploratory, primary
from .contrasts import Joint
from .evidence import Evidence, Insufficient


class Family(StrEnum):
    """Family of tests, which sets the correction of p.

    CONFIRMATORY: Bonferroni over five. The others: Benjamini and Hochberg, reported beside p.
    """

    CONFIRMATORY = "confirmatory"
    EXPLORATORY = "exploratory"
    DRAFT = "draft"


class Hypothesis(msgspec.Struct, frozen=True):
    """One hypothesis: with a contrast, as the same as another, or out of reach of any run here."""

    id: Id
    summary: str
    contrast: Callable[[Evidence], Joint | Insufficient] | None = None
    same_as: Id | None = None
    out_of_reach: str = ""

    @property
    def family(self) -> Family:
        """The family of its name."""
        if self.id.startswith("draft-"):
            return Family.DRAFT
        return Family.CONFIRMATORY if self.id.startswith("H") else Family.EXPLORATORY


HUMANS: Final = "needs games against people (Phase 4), which no run of this appliance holds"

REGISTRY: Final = (
    Hypothesis(Id.H1, "augmentation raises performance in both games", primary.helps),
    Hypothesis(Id.H2, "real memory does better than a placebo of the same size", primary.beats_placebo),
    Hypothesis(Id.H3, "the delta differs between chess and poker", primary.differs_by_game),
    Hypothesis(Id.H4, "the full stack adds more than its parts together", primary.synergy),
    Hypothesis(
        Id.H5,
        "systems of similar delta differ in their course over the match",
        primary.speed_differs,
    ),
    Hypothesis(Id.E1, "the weakest model gains about nothing", exploratory.weakest_gains_nothing),
    Hypothesis(Id.E2, "the delta is smaller in chess than in poker", primary.smaller_in_chess),
    Hypothesis(Id.E3, "memory helps most from slightly worse positions", exploratory.slight_gains_most),
    Hypothesis(Id.E4, "memory weighted by time beats uniform memory in an arms race", primary.temporal_beats_uniform),
    Hypothesis(Id.E5, "memory improves the middlegame more than the endgame", exploratory.middlegame_gains_more),
    Hypothesis(
        Id.E6,
        "over 85 % of evaluations are right and under 30 % of calculations",
        exploratory.evaluates_but_cannot_calculate,
    ),
    Hypothesis(
        Id.E7,
        "ARC-AGI-2 scores do not go with calculation efficiency",
        out_of_reach="needs ARC-AGI-2 scores of the same models, which come from outside and from no journal",
    ),
    Hypothesis(
        Id.E8,
        "recovery after a shift goes with a system's quality more than its first learning does",
        exploratory.recovery_follows_quality,
    ),
    Hypothesis(
        Id.E9,
        "the ratio of τ in poker to τ in chess shows how well a system bears noise",
        exploratory.tau_ratio_follows_noise,
    ),
    Hypothesis(Id.E10, "memory does not raise the rate of invalid moves", exploratory.errs_no_more),
    Hypothesis(Id.E11, "without adjudication, won games are recorded as something less", exploratory.draws_hide_wins),
    Hypothesis(Id.E12, "a noisy memory is worse than none", exploratory.noise_hurts),
    Hypothesis(Id.DRAFT_H1, "every memory system helps in both games", primary.every_system_helps),
    Hypothesis(Id.DRAFT_H2, "memory architectures differ in their delta", primary.architectures_differ),
    Hypothesis(Id.DRAFT_H3, "memory adds more in poker than in chess", primary.smaller_in_chess_with_memory),
    Hypothesis(Id.DRAFT_H4, "semantic search beats full-text search in an arms race", primary.semantic_beats_full_text),
    Hypothesis(Id.DRAFT_H5, "a knowledge graph's lead grows late in a match", primary.graph_grows),
    Hypothesis(Id.DRAFT_H6, "a memory that is bad enough is worse than none", same_as=Id.E12),
    Hypothesis(Id.DRAFT_H7, "memory systems of similar delta learn at different speed", same_as=Id.H5),
    Hypothesis(Id.DRAFT_H8, "recovery goes with a memory's quality more than first learning does", same_as=Id.E8),
    Hypothesis(Id.DRAFT_H9, "the ratio of τ shows how well a memory bears noise", same_as=Id.E9),
    Hypothesis(Id.DRAFT_H10, "a weak model gains about nothing, whatever the memory", same_as=Id.E1),
    Hypothesis(Id.DRAFT_H11, "draws compress the delta in chess", same_as=Id.E2),
    Hypothesis(Id.DRAFT_H12, "memory helps most from slightly worse positions", same_as=Id.E3),
    Hypothesis(Id.DRAFT_H13, "memory weighted by time beats uniform memory in an arms race", same_as=Id.E4),
    Hypothesis(Id.DRAFT_H14, "memory does not raise the rate of errors", same_as=Id.E10),
    Hypothesis(Id.DRAFT_H15, "models evaluate well and calculate badly", same_as=Id.E6),
    Hypothesis(
        Id.DRAFT_H16,
        "the same gap is found in law, medicine and finance",
        out_of_reach="needs tasks of law, medicine or finance, which are no games and in no journal",
    ),
    Hypothesis(Id.DRAFT_H17, "memory helps evaluation and not calculation", same_as=Id.E5),
    Hypothesis(Id.DRAFT_H18, "an engine and a memory together add more than each", out_of_reach=HUMANS),
    Hypothesis(Id.DRAFT_H19, "adjudication measures what its absence hides", same_as=Id.E11),
    Hypothesis(
        Id.DRAFT_H20,
        "winning a won ending depends on the model and not on its memory",
        exploratory.efficiency_is_the_models,
    ),
)

BY_ID: Final = {hypothesis.id: hypothesis for hypothesis in REGISTRY}
