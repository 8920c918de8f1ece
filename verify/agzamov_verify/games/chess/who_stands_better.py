"""The question who stands better, put before the first move of a game from an uneven position (draft H15).

    question to the seat      the position, and which side stands better
    its reply                 BETTER: white

It is no decision: nothing follows from it in the game, and a reply that names no side is a wrong answer.
"""

from enum import StrEnum
from typing import Final

from ...core.questions import Message, NoReply, Reply
from ...table.declared import Accepted, Fault, FaultKind, read_declared
from ...table.prompt_lines import Page
from .prompt import PromptStyle, turn_message
from .rules import Game960

TAG: Final = "BETTER:"
SYSTEM: Final = """\
You are shown a position of Chess960 (Fischer Random chess) and asked which side stands better. One of the two does.

You may think before you answer. Declare your answer on the last line, in exactly one of these forms:
BETTER: white
BETTER: black
Only the last line that starts with BETTER: counts."""
REQUEST: Final = "This is not yet the time to move. Which side stands better in this position?"
TEMPLATES: Final = {"chess960/judgement_system": SYSTEM, "chess960/judgement_request": REQUEST}


class Better(StrEnum):
    """A side that stands better, as it is declared."""

    WHITE = "white"
    BLACK = "black"


def messages(game: Game960) -> tuple[Message, ...]:
    """The prompt of the seat."""
    return Message(SYSTEM, "system"), turn_message(game, PromptStyle.STANDARD, "", request=REQUEST)


def read_judgement(answer: Reply | NoReply) -> Better | None:
    """The side that a reply declares; None where it declares none."""
    reading = read_declared(answer, TAG, _side)
    return None if isinstance(reading, Fault) else reading.action


def _side(text: str) -> Accepted[Better] | Fault:
    word = text.casefold()
    if word not in set(Better):
        return Fault(FaultKind.NO_ACTION, "white or black was expected")
    return Accepted(Better(word), exact=word == text)


def is_judgement(page: Page) -> bool:
    """True if a prompt asks who stands better."""
    return REQUEST in page.situation


def judgement_line(side: Better) -> str:
    """A judgement as it is declared."""
    return f"{TAG} {side.value}"
