"""A share of a run: the streams that one of several processes plays, side by side with the others.

    share 0/3    the streams 0, 3, 6, … of the plan in their order

All shares of a run write into one folder, which they see by the same path or by different ones; no stream belongs to
two shares. Which streams a share has follows from the plan alone: one that is started again goes on with its own.
"""

import re

import msgspec

from agzamov_verify.manifest import ManifestError, Plan
from agzamov_verify.plan_problems import local_models
from agzamov_verify.streams import streams_of

COUNT_MAX = 10_000
SPELLING = re.compile(r"(0|[1-9][0-9]{0,4})/([1-9][0-9]{0,4})")


class Share(msgspec.Struct, frozen=True):
    """Share number `index` of `count`, from 0 on."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @property
    def name(self) -> str:
        """Its name as part of a file's."""
        return f"{self.index}-of-{self.count}"

    def streams(self, plan: Plan) -> frozenset[str]:
        """The ids of its streams: every `count`-th of the plan's."""
        ids = [stream.id for match in plan.matches for stream in streams_of(match)]
        return frozenset(ids[self.index :: self.count])


def share_of(text: str) -> Share:
    """The share that "I/N" spells. Raises ValueError."""
    match = SPELLING.fullmatch(text)
    share = Share(int(match[1]), int(match[2])) if match else Share(0, 0)
    if not 0 <= share.index < share.count <= COUNT_MAX:
        raise ValueError(f"expected I/N with I from 0 to N - 1 and N up to {COUNT_MAX}, found {text!r}")
    return share


def require_spreadable(plan: Plan) -> None:
    """Raises ManifestError for a plan that only one machine can play."""
    if plan.isolation != "process":
        raise ManifestError(
            "isolation: expected process, found container: a container engine plays all of a run on its own machine"
        )
    for name, seat in local_models(plan).items():
        raise ManifestError(
            f"seats.{name}: expected a scripted player, Stockfish or an endpoint, found kind {seat.kind}: weights and"
            " determinism of a local model are checked on one machine; serve it as an endpoint (kind: openai), or play"
            " it with agzamov run"
        )
