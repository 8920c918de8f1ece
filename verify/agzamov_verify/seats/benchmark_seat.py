"""Seat of the benchmark player, the scripted hold'em opponent whose policy is published."""

from collections.abc import Iterator
from typing import ClassVar

from ..experiment.plan_fields import Problem
from .scripted_seat import ScriptedSeat


class BenchmarkSeat(ScriptedSeat, frozen=True, tag="benchmark"):
    """Scripted hold'em player that keeps to the published benchmark policy (docs/benchmark-policy.md)."""

    title: ClassVar[str] = "scripted player with a published policy"
    has_policy: ClassVar[bool] = True

    @property
    def noun(self) -> str:
        return "the benchmark player"

    def problems(self, path: str) -> Iterator[Problem]:
        if self.patterns or self.briefing:
            yield Problem(path, "expected no patterns and no briefing: the benchmark player keeps to its policy")

    def words(self, weights_sha256: str) -> str:
        return "scripted player with a published mixed policy (docs/benchmark-policy.md), no model"
