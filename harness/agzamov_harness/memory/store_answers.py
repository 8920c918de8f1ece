"""A server's answers to a store: whether it took the entry, why not, and its own name for it."""

import re

from agzamov_verify.memory.declared_server import Store

from ..servers.mcp_client import ToolResult
from .result_reader import read, value_of


def refused_in_words(part: Store, result: ToolResult) -> str:
    """The words in which an entry is refused, where the adapter knows some; else nothing."""
    match = re.search(part.refused_text, result.text) if part.refused_text else None
    return match[0] if match else ""


def refusal(part: Store, result: ToolResult) -> str | None:
    """The reason of a refusal; "" where the entry was taken, None where neither is seen. Raises UnexpectedResult."""
    if words := refused_in_words(part, result):
        return words
    if part.stored_text:
        taken = re.search(part.stored_text, result.text) is not None
    else:
        taken = read(part.stored, value_of(result, part.answer)) is True
    if taken:
        return ""
    reason = read(part.refused, value_of(result, part.answer)) if part.refused else ""
    return reason if isinstance(reason, str) and reason else None


def name_of_stored(part: Store, result: ToolResult) -> object:
    """The server's own name of an entry that it took: text, where all is well. Raises UnexpectedResult."""
    if part.id_text:
        match = re.search(part.id_text, result.text)
        return match[match.lastindex or 0] if match else None
    name = read(part.id, value_of(result, part.answer))
    return str(name) if type(name) is int else name
