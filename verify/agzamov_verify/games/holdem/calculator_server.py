"""The calculator's server, as it is called: what a question `Calculate` becomes, and what may come back."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from ...canon import INTEGER_MAX
from ...questions import Calculate, Calculated
from ..game_tool import GameTool, ServerCall, only
from .calculator import calculate
from .tool import TOOL


class Odds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The structured result of the calculator's server."""

    compared: Annotated[int, Meta(ge=0, le=INTEGER_MAX)]
    equity_permille: Annotated[int, Meta(ge=0, le=1000)]
    exact: bool
    price_permille: Annotated[int, Meta(ge=0, le=1000)]


class CalculatorServer(GameTool):
    """Equity of a hand, and the price of a call."""

    server = "holdem"
    question = Calculate
    asks_engine = False
    calls = (TOOL.name,)

    def call(self, question: Calculate) -> ServerCall:
        arguments = only(question, "board", "comparisons_max", "hands_percent", "hole")
        return ServerCall(TOOL.name, arguments | only(question, "pot_chips", "seed", "to_call_chips"), Odds)

    def answer(self, result: Odds) -> Calculated:
        return Calculated(result.compared, result.equity_permille, result.exact, result.price_permille)

    def sample(self, question: Calculate) -> Calculated:
        return Calculated(question.comparisons_max, 500, exact=False, price_permille=0)

    def computed(self, question: Calculate) -> Calculated:
        return calculate(question)


CALCULATOR_SERVER: Final = CalculatorServer()
