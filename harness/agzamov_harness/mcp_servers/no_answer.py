"""Words for a server that gave no answer, and foreign text on one line."""

SHOWN_CHARACTERS_MAX = 200
READ_FACTOR = 20
"""So many times as much of a foreign text is looked at as may be shown of it: the rest may be megabytes."""
ENDED = "the server ended"
NO_ANSWER = "no answer within"
NO_PROGRAM = "no program"
NOT_MCP = "output on stdout that is not MCP"


def one_line(text: str, characters_max: int = SHOWN_CHARACTERS_MAX) -> str:
    """Foreign text on one line, cut, without unprintable characters such as half a surrogate pair."""
    words = " ".join(text[: READ_FACTOR * characters_max].split())
    return "".join(filter(str.isprintable, words))[:characters_max]
