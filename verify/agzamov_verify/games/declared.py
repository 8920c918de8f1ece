"""The declared action: what follows the last `MOVE:` or `ACTION:` line, strict.

Never scraped from prose. A line counts when, stripped of white space, it starts with the tag. The
last such line decides, even where an earlier one was fine. If the server cut the reply off
(finish "length") and nothing, not even a line feed, follows that line, its end may be missing, so
it declares nothing.
"""

from enum import StrEnum

import msgspec

from ..questions import NoReply, Reply


class FaultKind(StrEnum):
    """Why an attempt gave no action (SPEC S7)."""

    NO_ACTION = "no_action"
    ILLEGAL = "illegal"
    NO_REPLY = "no_reply"


class Fault(msgspec.Struct, frozen=True, gc=False):
    """An attempt that gave no legal action, with a sentence that tells the seat why."""

    kind: FaultKind
    why: str


def declared(answer: Reply | NoReply, tag: str) -> str | Fault:
    """The text behind the last line of `answer` that starts with `tag`, or why there is none."""
    if isinstance(answer, NoReply):
        return Fault(FaultKind.NO_REPLY, "there was no reply")
    text = answer.text
    at = text.rfind(tag)
    while at > 0 and text[text.rfind("\n", 0, at) + 1 : at].strip():
        at = text.rfind(tag, 0, at)
    if at < 0:
        return Fault(FaultKind.NO_ACTION, f"no line starts with {tag}")
    end = text.find("\n", at)
    if end < 0:
        if answer.finish == "length":
            return Fault(FaultKind.NO_ACTION, f"the reply was cut off in the {tag} line")
        end = len(text)
    return text[at + len(tag) : end].strip()
