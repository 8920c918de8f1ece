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
    at = _last_line_start(text, tag)
    if at < 0:
        return Fault(FaultKind.NO_ACTION, f"no line starts with {tag}")
    end = text.find("\n", at)
    if end < 0:
        if answer.finish == "length":
            return Fault(FaultKind.NO_ACTION, f"the reply was cut off in the {tag} line")
        end = len(text)
    return text[at + len(tag) : end].strip()


def _last_line_start(text: str, tag: str) -> int:
    """Where `tag` stands at the start of the last line that starts with it, or -1.

    Each line is looked at once: a reply of one long line full of tags must not take quadratic time.
    """
    end = len(text)
    while (at := text.rfind(tag, 0, end)) >= 0:
        end = text.rfind("\n", 0, at) + 1
        if end == at:
            return at
        line = text[end : at + len(tag)]
        if line.lstrip().startswith(tag):
            return end + line.index(tag)
    return -1
