"""Scripted seats: each of their replies follows from its prompt and its seed alone, so that anybody can compute it.

The players themselves are in the folders of the games.
"""

from collections.abc import Iterator
from typing import ClassVar

from ..core.questions import Message
from ..experiment.plan_fields import Problem
from ..table import scripted_players
from .seat import AnswerCheck, Seat


class ScriptedSeat(Seat, frozen=True):
    """A kind that computes its replies. A subclass gives its `title`, and `reply_text` where the games do not."""

    title: ClassVar[str]
    """What plays, in a report."""
    is_slow: ClassVar[bool] = False
    """True if a reply costs so much time that processes share the work, and that a verifier computes a sample."""

    @property
    def check(self) -> AnswerCheck:
        return AnswerCheck.SAMPLED if self.is_slow else AnswerCheck.EVERY

    def reply_text(self, messages: tuple[Message, ...], seed: int) -> str:
        return scripted_players.scripted_reply(self.kind, messages, seed)

    @property
    def played_by_games(self) -> bool:
        """True if each game has a player of this kind; False if the kind computes its replies itself."""
        return type(self).reply_text is ScriptedSeat.reply_text

    @property
    def kind_words(self) -> str:
        return self.title

    def words(self, weights_sha256: str) -> str:
        return f"{self.title}, no model"


class RandomSeat(ScriptedSeat, frozen=True, tag="random"):
    """Plays uniformly random legal actions: the opponent of Phase 0."""

    title: ClassVar[str] = "random player"

    def words(self, weights_sha256: str) -> str:
        return f"{self.title}: uniformly random legal actions, no model"


class ReferenceSeat(ScriptedSeat, frozen=True, tag="reference"):
    """The scripted reference player: reads the prompt, answers in a model's format."""

    title: ClassVar[str] = "scripted reference player"
    is_slow: ClassVar[bool] = True

    def words(self, weights_sha256: str) -> str:
        return f"{self.title} of this project, no model"


class NoviceSeat(ScriptedSeat, frozen=True, tag="novice"):
    """Scripted player that goes by its tool's answer alone: the positive control of tools."""

    title: ClassVar[str] = "scripted novice"

    def words(self, weights_sha256: str) -> str:
        return f"{self.title}: plays by its tool's answer, without one by chance or calls, no model"


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
