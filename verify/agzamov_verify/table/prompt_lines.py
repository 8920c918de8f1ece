"""The parts of a prompt that a scripted player reads: labelled lines, rules it must keep, the opponent profile.

    system message    ... You must keep this rule in every game: castle within your first 8 moves, ...
    user message      the situation, by labelled lines
                      Passages of your documents:
                      - In the endgame the king is a fighting piece. ...
                      Your tool's answer:
                      Equity against one random hand:  56.2 % ...
                      Opponent profile:
                      - VPIP: 68% | PFR: 42% | 3-Bet: 12%
                      How to answer:
                      Declare one legal action on the last line, in the form ACTION: <action>.

With one worked example (`shots: 1` of a game's rules) an exchange stands between them: a user message that begins with
EXAMPLE and asks about another game, and an assistant message that answers it. Neither is read as part of a situation.

The law: a player knows this text and its seed, nothing else. Dice come from the situation without
the passages, the tool's answer and the profile, so those that say nothing useful leave every move as it was.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import msgspec

from ..core.dice import Stream
from ..core.questions import Message
from ..documents.library import DOCUMENTS

SYSTEMS_KEPT: Final = 64
"""System messages whose rules are kept in memory."""
_RULE = "You must keep this rule in every "
PROFILE = "\nOpponent profile:\n"
"""What stands between the situation and what is said of the opponent, in every user message that says something."""

NOTHING_REMEMBERED = "Nothing is remembered."
"""What stands there where a memory has nothing to say, and in the control of a memory at each decision.

So a prompt in which nothing was learned yet is the same to the byte in every arm, and the control has the same frame.
"""
TEMPLATES = {"memory/nothing_remembered": NOTHING_REMEMBERED}

TOOL = "\nYour tool's answer:\n"
"""What stands between the situation and the answer of a tool, before the profile."""
FORM = "\nHow to answer:\n"
"""What stands before the form of a declaration, which ends the user message of a decision.

A small model answers what it read last, so a form in the middle of the system message alone is not kept.
"""


EXAMPLE = "A worked example, of another game:\n"
"""What the question of a worked example begins with, and no other message: a game's own begins with its situation."""

Shots: TypeAlias = Literal[0, 1]
"""Worked examples in each decision's prompt: none (zero-shot, the protocol's) or one (one-shot)."""


def with_shots(variant: str, shots: Shots) -> str:
    """The name of a variant of the protocol whose prompts have so many worked examples."""
    return ", ".join(filter(None, (variant, f"{shots} worked example" if shots else "")))


def example_of(question: str, reminder: str, answer: str) -> tuple[Message, Message]:
    """A worked example as an exchange. The form ends its question as it ends every decision's."""
    return Message(f"{EXAMPLE}{question}{form_of(reminder)}", "user"), Message(answer, "assistant")


def without_example(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages without a worked example."""
    if not any(map(is_example, messages)):
        return tuple(messages)
    answers = {index + 1 for index, message in enumerate(messages) if is_example(message)}
    return tuple(one for index, one in enumerate(messages) if index not in answers and not is_example(one))


def is_example(message: Message) -> bool:
    """Whether a message is the question of a worked example."""
    return message.role == "user" and message.content.startswith(EXAMPLE)


def form_of(reminder: str) -> str:
    """The end of a decision's user message. `reminder`: the game's form of a declaration (`ActionReader.reminder`)."""
    return f"{FORM}{reminder}."


def without_form(content: str) -> tuple[str, str]:
    """A user message in two: what it tells, and the form of a declaration at its end; "" where it has none."""
    told, heading, form = content.rpartition(FORM)
    return (told, heading + form) if heading and "\n" not in form else (content, "")


@dataclass(frozen=True, slots=True)
class Page:
    """A prompt in parts: the rules its reader must keep, the situation, and the text after it."""

    rules: str
    situation: str
    profile: str
    tool: str = ""
    documents: str = ""


def read_page(messages: tuple[Message, ...]) -> Page:
    """The first system and user messages after any example; what follows them are rejections of earlier answers."""
    messages = without_example(messages)
    told, _ = without_form(_first(messages, "user"))
    asked, _, profile = told.partition(PROFILE)
    asked, _, tool = asked.partition(TOOL)
    situation, _, documents = asked.partition(DOCUMENTS)
    return Page(_rules_of(_first(messages, "system")), situation, profile, tool, documents)


@lru_cache(maxsize=SYSTEMS_KEPT)
def _rules_of(system: str) -> str:
    """The rules in a system message, which is the same at every decision of a game."""
    return "\n".join(line.partition(": ")[2] for line in system.splitlines() if line.startswith(_RULE))


def forgotten(messages: Sequence[Message], unlearned: str) -> tuple[Message, ...]:
    """The messages of a question with the profile of a seat that remembers nothing."""
    return tuple(
        msgspec.structs.replace(message, content=_with_profile(message.content, unlearned))
        if message.role == "user" and not is_example(message)
        else message
        for message in messages
    )


def _with_profile(content: str, profile: str) -> str:
    told, form = without_form(content)
    situation, _, _ = told.partition(PROFILE)
    return situation + (PROFILE + profile if profile else "") + form


def scripted_player(label: str, reply: Callable[[Page, Stream], str]) -> Callable[[Page, int], str]:
    """A player that draws from its seed and the situation."""
    return lambda page, seed: reply(page, dice(page, seed, label))


def dice(page: Page, seed: int, label: str) -> Stream:
    """The draws of one answer, from the seed and the situation."""
    return Stream(hashlib.sha256(f"{seed}\n{page.situation}".encode()).digest(), label)


def labelled(page: Page, label: str) -> str:
    """The text after `label: ` at the head of a line of the situation. Raises ValueError if no line does."""
    matched = re.search(rf"^{label}: (.*)$", page.situation, re.MULTILINE)
    if matched is None:
        raise ValueError(f"expected a line that starts with {label!r}, found {page.situation[:60]!r}")
    return matched[1]


def _first(messages: tuple[Message, ...], role: str) -> str:
    for message in messages:
        if message.role == role:
            return message.content
    return ""
