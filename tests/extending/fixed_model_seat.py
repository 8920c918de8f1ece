"""A kind of seat with an outside world that is no part of the product: a model that always says the same.

The verifier's half, copied to `agzamov_verify/seats/`, with the line below in that package's registry. The row that a
run needs beside it is `fixed_model_kind`.

    from .fixed_model_seat import FixedModelSeat as FixedModelSeat
"""

from typing import Annotated

from msgspec import Meta

from ..core.columns import quoted
from ..experiment.plan_fields import Count, DecimalText, Line
from .model_seat import ModelSeat


class FixedModelSeat(ModelSeat, frozen=True, tag="fixed_model"):
    """A model that answers every prompt with the same `says`."""

    says: Line = "ACTION: fold"
    temperature: DecimalText = "0"
    top_p: DecimalText = "1"
    tokens_max: Count = 64
    attempts_max: Annotated[int, Meta(ge=1, le=100)] = 1
    concurrency: Annotated[int, Meta(ge=1, le=64)] = 1

    @property
    def tokens_limit(self) -> int:
        return self.tokens_max

    @property
    def kind_words(self) -> str:
        return "model that always says the same"

    def words(self, weights_sha256: str) -> str:
        return f"{self.kind_words}: {quoted(self.says)}; at most {self.tokens_max} tokens a reply"
