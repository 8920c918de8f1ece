"""The tool of hold'em at a decision: a calculator of equity and price, whose answer stands in the prompt.

    Equity against one random hand: 56.2 % (a sample of 5,001 showdowns)
    Equity that a call needs: 33.3 %
    Difference: +22.9 points

In the full stack the seat first says, in the light of what it is told of its opponent, against which share of all
starting hands the calculator is to compare: `HANDS: 30`. A model that calls the calculator may give such a share, too.

The placebo has the equity of another hand, drawn as such equities lie on this street; what a call needs stands in the
prompt already and stays true. Numbers are padded, so every answer has the same length.
"""

import re
from functools import partial
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

from ...core.dice import Dice
from ...core.questions import CALCULATED, Calculate, Calculated, NoReply, Reply, Tool
from ...core.script import Script, ask
from ...table.declared import Fault, declared
from ...table.game_tool import Asking, OfferedTool, ToolCalls, ToolUse, call_templates, given
from ...table.players import GameName
from ...table.prompt_lines import Page
from .equity_quantiles import drawn_equity
from .rules import STREETS, Hand
from .starting_hands import PERCENT_MIN

TAG: Final = "HANDS:"
REQUEST: Final = """\
This is not yet the time to act. The calculator can compare your hand with the hands that the opponent may hold here. \
Then you are asked for your action, and told what it found. In the light of what you are told of this opponent and by \
your documents, say how many percent of all starting hands, the strongest first, it may hold: {least} to 100, where \
100 is any hand. Declare it on the last line of this answer, in exactly this form:
HANDS: <percent>"""
ANY_PERCENT: Final = 100
ANY_HAND, SOME_HANDS = "one random hand", "the strongest {percent:>2} % of hands"
ANSWER: Final = """\
Equity against {hands}: {equity} % ({extent})
Equity that a call needs: {price} %
Difference: {difference} points"""
EXACT, SAMPLED = "all showdowns counted", "a sample of {compared:,} showdowns"
SYSTEM: Final = """\
The tool calculate_odds tells you the equity of your hand against one random hand, or against the strongest hands of a \
share that you give, and the equity that a call needs. You may make at most {calls_max} calls of it before each \
decision. A reply that calls a tool declares nothing: declare in a reply without calls, in the form told above."""
MALFORMED: Final = f'Not calculated: expected no arguments, or {{"hands_percent": N}} with N from {PERCENT_MIN} to 100.'
TOOL: Final = Tool(
    "Calculate the equity of your hand, and the equity that a call needs.",
    "calculate_odds",
    '{"additionalProperties":false,"properties":{"hands_percent":{"description":"The opponent holds one of the '
    'strongest so many percent of all starting hands; any hand where it is left out.","maximum":100,'
    f'"minimum":{PERCENT_MIN},"type":"integer"}}}},"type":"object"}}',
)
TEMPLATES: Final = {
    **call_templates("holdem", (TOOL,), SYSTEM, (MALFORMED,)),
    "holdem/tool_request": REQUEST,
    "holdem/tool_hands": f"{ANY_HAND}\n{SOME_HANDS}",
    "holdem/tool_answer": ANSWER,
    "holdem/tool_exact": EXACT,
    "holdem/tool_sampled": SAMPLED,
}
_PERCENT = re.compile(r"(\d{1,3}) ?%?")
_TOLD = re.compile(
    r"^Equity against (?:one random hand|the strongest [ \d]\d % of hands): +(\d+)\.(\d) % .*\n"
    r"Equity that a call needs: +(\d+)\.(\d) %$",
    re.MULTILINE,
)


class _Hands(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of a call."""

    hands_percent: Annotated[int, Meta(ge=PERCENT_MIN, le=ANY_PERCENT)] = ANY_PERCENT


_HANDS: Final = msgspec.json.Decoder(_Hands)


class ToldOdds(NamedTuple):
    """Equity, and the equity that a call needs, in thousandths, as in a prompt."""

    equity_permille: int
    price_permille: int


def toolbox(use: ToolUse | None, hand: Hand, name: GameName, dice: Dice) -> ToolCalls | None:
    """The calculator as the player who is to act may call it; None where it may not."""
    if use is None or not use.calls_max:
        return None

    def read(arguments: str) -> Asking | None:
        try:
            percent = _HANDS.decode(given(arguments).encode()).hands_percent
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
            return None
        return partial(consult, use, hand, name, dice, percent=percent)

    return ToolCalls((OfferedTool(TOOL, MALFORMED, read),), SYSTEM.format(calls_max=use.calls_max), use.calls_max)


def request() -> str:
    """The request for the opponent's hands, as the end of the situation in a prompt."""
    return REQUEST.format(least=PERCENT_MIN)


def is_requested(page: Page) -> bool:
    """True if a prompt asks for the opponent's hands, not for an action."""
    return f"\n{TAG} <" in page.situation


def read_hands(reply: Reply | NoReply) -> int:
    """The percent of hands that a reply declares; 100, any hand, where it declares none that may be."""
    line = declared(reply, TAG)
    found = None if isinstance(line, Fault) else _PERCENT.fullmatch(line.text)
    return int(found[1]) if found and PERCENT_MIN <= int(found[1]) <= ANY_PERCENT else ANY_PERCENT


def consult(
    use: ToolUse, hand: Hand, name: GameName, dice: Dice, number: int = 0, *, percent: int = ANY_PERCENT
) -> Script[str]:
    """Ask the calculator about the decision that is due in `hand`; return the text for the prompt.

    `number`: that of a model's call, from 1. `percent`: the opponent's hands are the strongest of so many. Each
    question has one sample and one placebo, however often it is asked.
    """
    turn = len(hand.history)
    place = f"{name.label}/{turn}/{percent}"  # asked twice, it says the same
    question = Calculate(
        attempt=number,
        board=hand.board,
        comparisons_max=use.comparisons_max,
        game=name.id,
        hands_percent=percent,
        hole=hand.hole(hand.to_act or 0),
        pot_chips=hand.pot_chips,
        seed=dice.stream(f"tool/{place}").wide(),
        to=use.to,
        to_call_chips=hand.to_call_chips,
        turn=turn,
    )
    answer = yield from ask(question, CALCULATED)
    if use.is_placebo:
        drawn = drawn_equity(STREETS[hand.street], percent, dice.stream(f"tool_placebo/{place}"))
        answer = msgspec.structs.replace(answer, equity_permille=drawn)
    return answer_text(answer, percent)


def answer_text(answer: Calculated, percent: int = ANY_PERCENT) -> str:
    """The answer as text for a seat."""
    equity, price = answer.equity_permille, answer.price_permille
    return ANSWER.format(
        hands=ANY_HAND if percent == ANY_PERCENT else SOME_HANDS.format(percent=percent),
        equity=_percent(equity),
        extent=EXACT if answer.exact else SAMPLED.format(compared=answer.compared),
        price=_percent(price),
        difference=f"{'-' if equity < price else '+'}{_percent(abs(equity - price)).strip()}".rjust(len("+100.0")),
    )


def read_odds(page: Page) -> ToldOdds | None:
    """The odds in a prompt; None where it has none."""
    told = _TOLD.search(page.tool)
    if told is None:
        return None
    equity, tenth, price, price_tenth = (int(part) for part in told.groups())
    return ToldOdds(10 * equity + tenth, 10 * price + price_tenth)


def _percent(permille: int) -> str:
    """Thousandths as percent with one decimal, in five characters."""
    return f"{permille // 10}.{permille % 10}".rjust(len("100.0"))
