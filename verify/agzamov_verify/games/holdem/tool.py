"""The tool of hold'em at a decision: the calculator is asked about cards, board, pot and price, and its answer is told.

    Equity against one random hand: 56.2 % (a sample of 5,001 showdowns)
    Equity that a call needs: 33.3 %
    Difference: +22.9 points

The placebo tells another equity, any thousandth being as likely; what a call needs stands in the prompt already and
stays true. Numbers are padded, so every answer has the same length.
"""

import re
from typing import Final, NamedTuple

import msgspec

from ...dice import Dice
from ...questions import CALCULATED, Calculate, Calculated
from ...script import Script, ask
from ...tool_use import ToolUse
from ..page import Page
from ..players import GameName
from .rules import Hand

ANSWER: Final = """\
Equity against one random hand: {equity} % ({extent})
Equity that a call needs: {price} %
Difference: {difference} points"""
EXACT, SAMPLED = "all showdowns counted", "a sample of {compared:,} showdowns"
TEMPLATES: Final = {
    "holdem/tool_answer": ANSWER,
    "holdem/tool_exact": EXACT,
    "holdem/tool_sampled": SAMPLED,
}
PERMILLE: Final = 1000
_TOLD = re.compile(
    r"^Equity against one random hand: +(\d+)\.(\d) % .*\nEquity that a call needs: +(\d+)\.(\d) %$", re.MULTILINE
)


class ToldOdds(NamedTuple):
    """Equity, and the equity that a call needs, in thousandths, as a prompt tells them."""

    equity_permille: int
    price_permille: int


def consult(use: ToolUse, hand: Hand, name: GameName, dice: Dice) -> Script[str]:
    """Ask the calculator about the decision that is due in `hand`; the text that its player is told."""
    turn = len(hand.history)
    question = Calculate(
        attempt=0,
        board=hand.board,
        comparisons_max=use.comparisons_max,
        game=name.id,
        hole=hand.hole(hand.to_act or 0),
        pot_chips=hand.pot_chips,
        seed=dice.stream(f"tool/{name.label}/{turn}").wide(),
        to_call_chips=hand.to_call_chips,
        turn=turn,
    )
    answer = yield from ask(question, CALCULATED)
    if use.is_placebo:
        drawn = dice.stream(f"tool_placebo/{name.label}/{turn}").below(PERMILLE + 1)
        answer = msgspec.structs.replace(answer, equity_permille=drawn)
    return answer_text(answer)


def answer_text(answer: Calculated) -> str:
    """The answer as it is told."""
    equity, price = answer.equity_permille, answer.price_permille
    return ANSWER.format(
        equity=_percent(equity),
        extent=EXACT if answer.exact else SAMPLED.format(compared=answer.compared),
        price=_percent(price),
        difference=f"{'-' if equity < price else '+'}{_percent(abs(equity - price)).strip()}".rjust(len("+100.0")),
    )


def read_odds(page: Page) -> ToldOdds | None:
    """The odds that a prompt tells; None where it tells none."""
    told = _TOLD.search(page.tool)
    if told is None:
        return None
    equity, tenth, price, price_tenth = (int(part) for part in told.groups())
    return ToldOdds(10 * equity + tenth, 10 * price + price_tenth)


def _percent(permille: int) -> str:
    """Thousandths as percent with one decimal, in five characters."""
    return f"{permille // 10}.{permille % 10}".rjust(len("100.0"))
