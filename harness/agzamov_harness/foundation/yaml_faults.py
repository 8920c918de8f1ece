"""Where a text is not YAML: the line at fault and what to do, in a person's words instead of the parser's.

The parser often stops below the fault: after a missing colon, at the colon of the next line. A line is never quoted
whole: a person may have pasted a key into it.
"""

import re
from typing import Final, NamedTuple

import yaml

KEY: Final = re.compile(r"[ -]*(?P<key>[a-z][a-z0-9_]{0,31})(?=[\s:]|$)")
CLOSING: Final = {"{": "}", "[": "]"}
COLON: Final = "'key: value', with a colon and a space"


class _Place(NamedTuple):
    """A line of the text and a column in it, both from 1; column 0 stands for the line as a whole."""

    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"line {self.line} column {self.column}" if self.column else f"line {self.line}"


def yaml_fault(text: str, error: yaml.MarkedYAMLError, subject: str) -> str:
    """The line at fault, and what to do. `subject`: the name of the text, where the parser gives no line."""
    begun, at = _place(error.context_mark), _place(error.problem_mark)
    in_parsers_words = f"{error.context}: {error.problem}" if error.context else str(error.problem)
    if at is None:
        return f"{subject}: {in_parsers_words}"
    lines, problem = text.splitlines(), error.problem or ""
    told = _in_the_text(error, problem, at, lines) or (begun and _since(begun, at, error, lines))
    return told or f"{at}: {in_parsers_words}"


def _in_the_text(error: yaml.MarkedYAMLError, problem: str, at: _Place, lines: list[str]) -> str:
    """A character that may not stand where it stands; empty for another fault."""
    if problem == "mapping values are not allowed here":
        return _colon_too_many(at, lines)
    if found := re.search(r"found character '(.+)' that cannot start any token", problem):
        if found[1] == r"\t":
            return f"{at}: expected spaces, found a tab: YAML indents with spaces alone, so put spaces in its place"
        return f"{at}: expected text in quotes, found {found[1]!r} without them: put the value in quotes"
    if "expected <block end>" in problem and "flow" not in (error.context or ""):
        return _wrong_indent(at, problem)
    return ""


def _since(begun: _Place, at: _Place, error: yaml.MarkedYAMLError, lines: list[str]) -> str:
    """Something that was begun and not ended; empty for another fault."""
    context, problem = error.context or "", error.problem or ""
    if "could not find expected ':'" in problem:
        return _no_colon(begun.line, lines)
    if "quoted scalar" in context and "end of stream" in problem:
        return f"{begun}: expected a second quotation mark that ends this text, found none"
    return _open_bracket(begun, at, problem, lines) if "flow" in context else ""


def _place(mark: yaml.Mark | None) -> _Place | None:
    return _Place(mark.line + 1, mark.column + 1) if mark else None


def _no_colon(number: int, lines: list[str]) -> str:
    """A line in which no colon and space follows the key."""
    line = lines[number - 1] if number <= len(lines) else ""
    if line.lstrip().startswith(tuple(CLOSING)):
        return f"line {number}: expected a dash and a space before this entry of the list, as before the one above"
    found = KEY.match(line)
    after = f" after {found['key']}" if found else ""
    return f"line {number}: expected {COLON}, found no colon and space{after}"


def _colon_too_many(at: _Place, lines: list[str]) -> str:
    """A colon where none may stand: most often the line above has none, or is the wrong indent's."""
    line = lines[at.line - 1]
    above = next((number for number in range(at.line - 1, 0, -1) if _is_content(lines[number - 1])), 0)
    is_first = not re.search(r":\s", line[: at.column - 1])
    if is_first and above and not re.search(r":(\s|$)", lines[above - 1]):
        return _no_colon(above, lines)
    if is_first and above and _indent(line) > _indent(lines[above - 1]):
        return f"line {at.line}: expected the indent of the key above, which has a value already, found a deeper one"
    return f"{at}: expected one key in a line, found a second colon: put the value in quotes if the colon belongs to it"


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _open_bracket(begun: _Place, at: _Place, problem: str, lines: list[str]) -> str:
    """A bracket that nothing closes, or two entries in it with no comma between them."""
    line = lines[begun.line - 1] if begun.line <= len(lines) else ""
    opening = line[begun.column - 1 : begun.column]
    if opening not in CLOSING:  # the parser names the place where an entry was missing
        opening = next((character for character in reversed(line) if character in CLOSING), "{")
        begun = _Place(begun.line, line.rfind(opening) + 1)
    closing = CLOSING[opening]
    if "stream end" not in problem and at.line == begun.line:
        return f"{at}: expected a comma between two entries, or {closing!r} after the last one"
    wanted = f"expected {closing!r} after the last entry, and commas between them"
    return f"{begun}: {wanted}, found this {opening!r} still open"


def _wrong_indent(at: _Place, problem: str) -> str:
    """A line that belongs to nothing above it."""
    for closing in CLOSING.values():
        if f"found {closing!r}" in problem:
            return f"{at}: expected no {closing!r} here: nothing is open that it would close"
    wanted = "expected the indent of a line above, or a dash and a space before a list's entry"
    return f"line {at.line}: {wanted}, found neither"
