"""Stockfish at the table: the pinned engine as a player, not as the adjudicator."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from ..experiment.plan_fields import Count
from .seat import AnswerCheck, Seat

SKILL_MAX: Final = 20
"""Full strength. Below it Stockfish picks among its best moves by draws that follow from its clock."""


class StockfishSeat(Seat, frozen=True, tag="stockfish"):
    """Stockfish at a fixed node and skill limit. Chess only."""

    nodes: Count = 10_000
    skill: Annotated[int, Meta(ge=0, le=SKILL_MAX)] = SKILL_MAX

    games: ClassVar[frozenset[str] | None] = frozenset({"chess960", "chess"})
    starts_engine: ClassVar[bool] = True

    @property
    def noun(self) -> str:
        return "Stockfish"

    @property
    def check(self) -> AnswerCheck:
        """Below full skill Stockfish chooses among its best moves by draws from its clock."""
        return AnswerCheck.ENGINE if self.skill == SKILL_MAX else AnswerCheck.FORM

    @property
    def engine_nodes(self) -> int:
        return self.nodes

    def attested_words(self, name: str) -> str:
        if self.check is AnswerCheck.ENGINE:
            return ""
        return f"moves of {name} attested (skill {self.skill} draws from its clock)"

    @property
    def kind_words(self) -> str:
        return self.noun

    def words(self, weights_sha256: str) -> str:
        return f"Stockfish at {self.nodes} nodes a move, skill {self.skill} of {SKILL_MAX}, no model"
