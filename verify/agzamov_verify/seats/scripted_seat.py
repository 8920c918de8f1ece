"""A scripted seat: each of its replies follows from its prompt and its seed alone, so that anybody can compute it."""

from typing import ClassVar

from ..core.questions import Message
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
