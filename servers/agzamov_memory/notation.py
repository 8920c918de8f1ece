"""What the systems read in a text: its words, its lines, and its counts, written `4 of 5`."""

import re

WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
COUNT = re.compile(r"\b([0-9]{1,9}) of ([0-9]{1,9})\b")
QUERY_WORDS_MAX = 64


def words(text: str) -> list[str]:
    """The different words of a text, in small letters, in order; `3-bet` is one word."""
    return list(dict.fromkeys(WORD.findall(text.lower())))


def query_words(query: str) -> list[str]:
    """The words that a query asks for: its first different ones."""
    return words(query)[:QUERY_WORDS_MAX]


def lines(content: str) -> list[str]:
    """The lines of a note that are not blank."""
    return [line for line in content.splitlines() if line.strip()]
