"""Asks a seat's model again, as the run did, and compares. Answers come back in the order of the questions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

from agzamov_verify.manifest import Plan
from agzamov_verify.questions import Reply
from agzamov_verify.seats import EndpointSeat, LocalModelSeat

from ..models.determinism import Probing
from ..ports import ChatPort, ChatRequest
from .compare import Difference, Outcome, counts_same, first_difference, said, same, within_margin
from .recorded import Exchange
from .tally import Compared

LIKELIEST = 20  # as many as servers show


class Asker:
    """Asks again through the ports of a run's seats, and gives a margin where log probabilities are shown."""

    def __init__(self, plan: Plan, ports: Mapping[str, ChatPort], margin: Fraction) -> None:
        self._plan, self._ports, self._margin = plan, ports, margin

    def all(
        self, asked: Sequence[Exchange], together: int, tick: Callable[[], object] = lambda: None
    ) -> Iterator[Compared]:
        """Every exchange compared, `together` at a time. Raises PortFault."""
        with ThreadPoolExecutor(together, "replay") as pool:
            for compared in pool.map(self.one, asked):
                tick()
                yield compared

    def one(self, exchange: Exchange) -> Compared:
        """Ask one question again. Raises PortFault."""
        question, recorded = exchange
        request = ChatRequest(question.messages, question.seed)
        again = self._ports[question.seat].complete(request)
        if same(recorded, again):
            return Compared(question.game, question.seat, Outcome.SAME, counts_same(recorded, again), None)
        outcome = Outcome.WITHIN_MARGIN if self._nearly(exchange, request) else Outcome.DIFFERENT
        place = (question.game, question.turn, question.attempt, question.seat)
        difference = Difference(*place, *first_difference(said(recorded), said(again)))
        return Compared(question.game, question.seat, outcome, counts_same(recorded, again), difference)

    def _nearly(self, exchange: Exchange, request: ChatRequest) -> bool:
        """Whether the recorded answer is within the margin, by log probabilities that are asked for only now."""
        seat, port = self._plan.seats[exchange.question.seat], self._ports[exchange.question.seat]
        if not self._margin or not isinstance(exchange.answer, Reply) or not isinstance(seat, _Sampled):
            return False
        if Fraction(seat.temperature) or not isinstance(port, Probing):
            return False
        tokens = port.probe(request, seat.tokens_max, LIKELIEST).tokens
        return within_margin(exchange.answer.text, tokens, float(self._margin))


_Sampled = EndpointSeat | LocalModelSeat
