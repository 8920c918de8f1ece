"""Whether random seats answered by chance: each of their replies drawn again from its prompt and its seed.

A seat that fails Phase 0 goes no further, and its opponent there is random. If what that opponent "said" were only
attested, whoever signs a bundle could let it lose.
"""

from collections.abc import Collection

from ..manifest import Plan
from ..players.random_player import reply
from ..questions import Answer, Chat, Question, Reply
from ..seats import RandomSeat
from .ledger import Finding, Ledger, Number, Status

TOLD_MAX = 3


def random_seats(plan: Plan) -> frozenset[str]:
    """The seats of a plan that answer by chance."""
    return frozenset(name for name, seat in plan.playing.items() if isinstance(seat, RandomSeat))


def check_chance(plan: Plan, ledger: Ledger) -> None:
    """Take step 13; its findings came with the journal's. Raises StepFailed."""
    if not random_seats(plan):
        ledger.skip(Number.CHANCE, Status.NOT_APPLICABLE, "no seat answers by chance")
        return
    with ledger.step(Number.CHANCE):
        pass


class RandomReplies:
    """Compares the replies of random seats while a stream is replayed. At most `TOLD_MAX` findings are kept."""

    def __init__(self, seats: Collection[str]) -> None:
        self._seats = seats
        self.findings: list[Finding] = []

    def note(self, question: Question, answer: Answer) -> None:
        """Take one answer; those of other seats are no matter."""
        if not isinstance(question, Chat) or question.seat not in self._seats or len(self.findings) >= TOLD_MAX:
            return
        expected = _expected(question)
        found = answer.text if isinstance(answer, Reply) else "no reply"
        if found != expected:
            place = f"game {question.game} turn {question.turn}"
            self.findings.append(Finding(Number.CHANCE, place, f"the random seat's {expected!r}", repr(found)[:200]))


def _expected(question: Chat) -> str:
    try:
        return reply(question.messages, question.seed)
    except ValueError as error:
        return str(error)
