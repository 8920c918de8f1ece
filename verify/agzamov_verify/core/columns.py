"""Lines for a person: at most 100 columns of printable ASCII, label and value in two columns."""

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Final

WIDTH: Final = 100
LABEL_WIDTH: Final = 11
INDENT: Final = "  "
ROW_LABEL_WIDTH: Final = 26
SPACE_UNSEEN: Final = re.compile(r"^ +| +$|(?<= ) +")
"""Spaces that a page drops: at the ends, and each after another."""


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def ascii_words(text: str) -> str:
    """Foreign text in ASCII: look-alike letters, escapes and marks that reorder text are spelled out."""
    escaped = text.encode("ascii", "backslashreplace").decode()
    return "".join(c if " " <= c <= "~" else f"\\x{ord(c):02x}" for c in escaped)


def foreign_name(text: str) -> str:
    """A name that a stranger chose, in ASCII and so that two different names never look alike on a page.

    Letters of other scripts and invisible characters are spelled out (Unicode Technical Standard 39, section 5.2:
    "ASCII-Only"); so are spaces that a page drops, and a backslash is doubled, as it begins what is spelled out.
    """
    words = ascii_words(text.replace("\\", "\\\\"))
    return SPACE_UNSEEN.sub(lambda spaces: "\\x20" * len(spaces[0]), words)


def quoted(text: str) -> str:
    """Foreign text in quotation marks that nothing in it can close, so it is never read as our words."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{ascii_words(escaped)}"'


def paragraph(label: str, text: str, label_width: int = LABEL_WIDTH) -> Iterator[str]:
    """A label and its text, which goes on beneath itself."""
    head = f"{label:<{label_width}}"
    if not head.endswith(" "):
        head += " "
    yield from _hanging(head, " " * label_width, text)


def row(label: str, value: str) -> Iterator[str]:
    """One figure under a heading."""
    head = f"{INDENT}{label:<{ROW_LABEL_WIDTH}} "
    yield from _hanging(head, " " * (len(INDENT) + ROW_LABEL_WIDTH + 1), value)


def item(mark: str, text: str) -> Iterator[str]:
    """One entry of a list."""
    yield from _hanging(f"{mark} ", " " * (len(mark) + 1), text)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, names: bool = False) -> Iterator[str]:
    """Columns two spaces apart. The first goes on beneath itself where the others need the room.

    `names`: the first is a name that is typed; too long for its column it has a line of its own, whole.
    """
    cells = [[ascii_words(cell) for cell in line] for line in (header, *rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(header))]
    widths[0] = max(12, min(widths[0], WIDTH - sum(widths[1:]) - 2 * (len(widths) - 1)))
    for line in cells:
        if names and len(line[0]) > widths[0]:
            yield line[0]
            line[0] = ""
        first, *more = wrap(line[0], widths[0], subsequent_indent=INDENT, break_long_words=False) or [""]
        rest = (f"{cell:<{width}}" for cell, width in zip(line[1:], widths[1:], strict=True))
        yield "  ".join((f"{_shortened(first, widths[0]):<{widths[0]}}", *rest)).rstrip()
        yield from (_shortened(text, widths[0]) for text in more)


def _hanging(head: str, indent: str, text: str) -> Iterator[str]:
    head = ascii_words(head)
    lines = wrap(
        ascii_words(text),
        WIDTH,
        initial_indent=head,
        subsequent_indent=indent,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
    yield from (line.rstrip() for line in lines or [head])


def _shortened(text: str, width: int) -> str:
    """The beginning and the end of a text that is too long."""
    if len(text) <= width:
        return text
    kept = width - 2
    return f"{text[: kept - kept // 2]}..{text[len(text) - kept // 2 :]}"
