"""The declared line of a reply: the last line that starts with the game's tag, and never a thought.

The grammar is docs/reading.md. In short:

- A reply that its server did not finish declares nothing.
- Thoughts between tags such as <think> and </think> are not read, closed or not, nor is anything before a closing tag
  that nothing opened.
- The last line that starts with the tag decides, in whatever case and Markdown. If the tag is named again after it
  with something else behind, nobody can say which of the two is meant, and nothing is declared.

Every pattern here is bounded, so that a hostile reply takes linear time.
"""

import re
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from itertools import islice
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from ..core.limits import DECLARATION_CHARACTERS_MAX
from ..core.questions import NoReply, Reply

Action = TypeVar("Action")

NAMINGS_MAX = 10
"""Of the tag in one line after the declared one; more are more than a reader would settle."""


class FaultKind(StrEnum):
    """Reason why an attempt gave no action (SPEC S7)."""

    NO_ACTION = "no_action"
    AMBIGUOUS = "ambiguous"
    ILLEGAL = "illegal"
    CUT = "cut"
    NO_REPLY = "no_reply"


class Fault(msgspec.Struct, frozen=True, gc=False):
    """An attempt that gave no legal action, with a sentence that tells the seat why."""

    kind: FaultKind
    why: str


class Accepted(msgspec.Struct, Generic[Action], frozen=True):
    """A legal action, and whether it is spelled exactly as the prompt asks or in another accepted way."""

    action: Action
    exact: bool


class Declared(NamedTuple):
    """The text behind the tag without its decoration; `plain`: there was no decoration."""

    text: str
    plain: bool


# Finish reasons of a reply that ended by itself: OpenAI and Ollama (stop, tool_calls), TGI (eos_token, stop_sequence),
# Anthropic (end_turn), Cohere (complete), and none where the server does not tell. All others mean that it was cut or
# filtered: length, max_tokens, model_length, content_filter ... Where a server broke off itself (abort, load, error)
# the harness asks again; journals of 0.3.0 may have such replies, and they are cut.
FINISHED: Final = frozenset(
    ("", "stop", "stop_sequence", "eos", "eos_token", "end_turn", "complete", "completed", "tool_calls")
)

# <think> </think> <thinking> <seed:think> [THINK] [/THINK] <|begin_of_thought|> <|START_THINKING|> <|inner_prefix|> ...
_WORDS: Final = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad|monologue|antthinking)"
_BRACKET: Final = r"(?:[<\u25c1\uff1c\u27e8]|&lt;)[|\uff5c]?[ \t]{0,3}"
_NAME: Final = rf"[ \t]{{0,3}}(?:[a-z]{{1,12}}[:_])?{_WORDS}(?![a-z])(?:[^<>\n\u25b7]{{0,80}}(?:>|\u25b7|&gt;))?"
_FIRST_SIGN: Final = r"(?=[<\u25c1\uff1c\u27e8&\[])"  # of every mark: a text is searched six times as fast
_THOUGHT: Final = re.compile(
    rf"{_FIRST_SIGN}(?:(?P<close>{_BRACKET}(?:/|end_(?:of_)?){_NAME}|\[/think(?:ing)?\]|<\|inner_suffix\|>|<unused95>|<channel\|>)"
    rf"|(?P<open>{_BRACKET}(?:begin_(?:of_)?|start_)?{_NAME}|\[think(?:ing)?\]|<\|inner_prefix\|>|<unused94>|<\|channel>)"
    r"|(?P<answer><\|channel\|>\s{0,3}final\b)|(?P<channel><\|channel\|>)|(?P<end><\|end\|>))",
    re.IGNORECASE,
)

# What stands for the same sign on a keyboard; a zero-width sign stands for none.
_KEYBOARD: Final = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2009\u200a\u202f\u3000\t"), " "),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u2032\u00b4"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u00ab\u00bb\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"), None),
    ord("\u00d7"): "x",
}
_MARKS: Final = " *_`\"'"
_SPECIAL: Final = r"(?:<\|[a-z_]{1,20}\|>|</?s>|<eos>|<end_of_turn>)"
_SPECIALS_AFTER: Final = re.compile(rf"(?:{_SPECIAL} {{0,3}}){{1,4}}$", re.IGNORECASE)
_BOXED: Final = re.compile(r"\$?\\boxed\{(?:\\text\{)?([^{}]{1,60})\}{1,2}\$?")
_GOES_ON: Final = re.compile(r"\w|[.,=/+-]\w")
_PAIRS: Final = ("<>", "[]", "()")
_CLOSES: Final = {"<": ">", "[": "]"}


def read_declared(
    answer: Reply | NoReply, tag: str, read: Callable[[str], Accepted[Action] | Fault]
) -> Accepted[Action] | Fault:
    """The legal action that `answer` declares, as `read` parses its line, or why there is none."""
    if isinstance(answer, Reply) and answer.finish in FINISHED and (plain := _plain_declaration(answer.text, tag)):
        return read(plain)  # as `declared` finds it: most replies
    line = declared(answer, tag)
    if isinstance(line, Fault):
        return line
    reading = read(line.text)
    return reading if isinstance(reading, Fault) or line.plain else Accepted(reading.action, exact=False)


def declared(answer: Reply | NoReply, tag: str) -> Declared | Fault:
    """The text behind `tag` in the declared line of `answer`, or the fault where there is none."""
    if isinstance(answer, NoReply):
        return Fault(FaultKind.NO_REPLY, "there was no reply")
    if answer.finish.lower() not in FINISHED:
        return Fault(FaultKind.CUT, "the reply was cut off, and a cut reply declares nothing")
    named_later: list[str] = []
    if plain := _plain_declaration(answer.text, tag):
        return Declared(plain, plain=True)
    named = _named(tag)
    for line in reversed(spoken(answer.text).splitlines()):
        if named.search(line):
            declaration = _read_line(line, tag)
            if declaration is None:
                named_later.append(line)
            elif all(_repeats(later, declaration.text, tag) for later in named_later):
                return declaration
            else:
                return Fault(FaultKind.AMBIGUOUS, f"{tag} is named again after the last line that starts with it")
    return Fault(FaultKind.NO_ACTION, f"no line starts with {tag}")


def _plain_declaration(text: str, tag: str) -> str:
    """What `declared` finds in most replies, without looking at every line: "" where that has to be done.

    A reply without a mark of thoughts, whose last line is the tag and an action as the prompt asks for it.
    """
    last = text[text.rfind("\n") + 1 :]
    if not (last.startswith(tag) and tag.endswith(":") and len(last) <= DECLARATION_CHARACTERS_MAX):
        return ""
    action = last[len(tag) :].strip()
    # Another sign that ends a line, such as a form feed, is not printable.
    if not (action[:1].isalnum() and action[-1:].isalnum() and last.isprintable() and _has_no_mark(text)):
        return ""
    return action


def _has_no_mark(text: str) -> bool:
    """True if no mark of thoughts can stand in a text: each begins with one of these signs or with one beyond ASCII."""
    return text.isascii() and not ("<" in text or "&" in text or "[" in text)


def spoken(text: str) -> str:
    """The reply without its thoughts; each leaves a space, so that what stood around it does not grow together."""
    if _has_no_mark(text):
        return text
    parts: list[str] = []
    depth = start = 0
    in_channel = False
    for mark in _THOUGHT.finditer(text):
        if mark.lastgroup == "end" and not in_channel:
            continue  # with other models the end of a whole reply
        if not depth:
            parts.append(text[start : mark.start()])
        start = mark.end()
        match mark.lastgroup:
            case "open":
                depth += not mark[0].endswith(("/>", "/&gt;"))
            case "close" if depth:
                depth -= 1
            case "close" | "answer":
                parts.clear()
                depth, in_channel = 0, False
            case "channel":
                depth, in_channel = 1, True
            case _:
                depth, in_channel = 0, False
    return " ".join(parts if depth else [*parts, text[start:]])


def _read_line(line: str, tag: str) -> Declared | None:
    """The declaration of a line that starts with the tag, or None for any other line."""
    whole = line.strip()
    if whole.startswith(tag) and len(whole) <= DECLARATION_CHARACTERS_MAX:
        text = bare(whole[len(tag) :])
        if text == whole[len(tag) :].strip():
            return Declared(text, plain=True)
    matched = _declaring(tag).match(_typed(whole[:DECLARATION_CHARACTERS_MAX]).strip())
    if matched is None:
        return None
    bracket, rest = matched.groups()
    if bracket:
        rest = rest.rstrip(f"{_MARKS}.").removesuffix(_CLOSES[bracket])
    return Declared(
        bare(rest) if len(whole) <= DECLARATION_CHARACTERS_MAX else whole[:DECLARATION_CHARACTERS_MAX], plain=False
    )


def bare(text: str) -> str:
    """An action without emphasis, quotes, brackets, special tokens and one full stop."""
    text = text.strip()
    if text.isascii() and text[:1].isalnum() and text[-1:].isalnum():
        return text  # all decoration begins or ends with another sign
    text = _SPECIALS_AFTER.sub("", _typed(text).strip()).strip(_MARKS)
    text = text.removesuffix(".").strip(_MARKS)
    boxed = _BOXED.fullmatch(text)
    if boxed:
        text = boxed[1].strip(_MARKS)
    if text[:1] + text[-1:] in _PAIRS:
        text = text[1:-1].strip(_MARKS)
    return text


def _repeats(line: str, text: str, tag: str) -> bool:
    """True if every later line with the tag repeats the declared action."""
    namings = islice(_named(tag).finditer(line), NAMINGS_MAX + 1)
    texts = [
        _typed(line[named.end() : named.end() + DECLARATION_CHARACTERS_MAX]).lstrip(f"{_MARKS}:<[(")
        for named in namings
    ]
    return len(texts) <= NAMINGS_MAX and all(_says(rest.lower(), text.lower()) for rest in texts)


def _says(rest: str, text: str) -> bool:
    return rest.startswith(text) and not _GOES_ON.match(rest, len(text))


def _typed(text: str) -> str:
    """The text in the signs of a keyboard."""
    return text if text.isascii() else text.translate(_KEYBOARD)


@lru_cache
def _named(tag: str) -> re.Pattern[str]:
    """The tag anywhere in a line: in capitals, or in any case with its colon."""
    name = re.escape(tag.removesuffix(":"))
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in tag.removesuffix(":"))
    return re.compile(rf"(?<![^\W_])(?:{name}(?![^\W_])|{wide}|(?i:{name})[*_`'\" \t\u200b]{{0,6}}[:\uff1a])")


@lru_cache
def _declaring(tag: str) -> re.Pattern[str]:
    """A line that starts with the tag, behind a list mark, a heading, an arrow, "Final answer:" or emphasis."""
    name = re.escape(tag.removesuffix(":"))
    return re.compile(
        rf"(?:{_SPECIAL} {{0,3}}){{0,4}}"
        r"(?:(?:[#*+\u2022\u00b7\u2192-]{1,6}|[=-]{1,2}>|[0-9]{1,2}[.)]) {1,4})?"
        r"[*_`'\" ]{0,8}([<\[])?[*_`'\" ]{0,8}"
        r"(?:(?:final )?answer[*_` ]{0,4}:[*_`'\" ]{0,4}|final[*_` ]{0,4}:?[*_`'\" ]{1,4})?"
        rf"{name}[*_`'\" ]{{0,6}}:(.*)",
        re.IGNORECASE,
    )
