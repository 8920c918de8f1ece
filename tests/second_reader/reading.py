"""How the declared action is found in a reply (reading, section 1 and Patterns)."""

import re
from dataclasses import dataclass

FINISHED = {"", "stop", "stop_sequence", "eos", "eos_token", "end_turn", "complete", "completed", "tool_calls"}
FAULTS = ("no_action", "ambiguous", "illegal", "cut", "no_reply")
LINE_MAX, NAMINGS_MAX = 200, 10
SPECIAL = r"(?:<\|[a-z_]{1,20}\|>|</?s>|<eos>|<end_of_turn>)"
SPECIALS_BEHIND = re.compile(rf"(?:{SPECIAL} {{0,3}}){{1,4}}$", re.IGNORECASE)
BOXED = re.compile(r"\$?\\boxed\{(?:\\text\{)?([^{}]{1,60})\}{1,2}\$?")
WORDS = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad|monologue|antthinking)"
BRACKET = r"(?:[<\u25c1\uff1c\u27e8]|&lt;)[|\uff5c]?[ \t]{0,3}"
NAME = rf"[ \t]{{0,3}}(?:[a-z]{{1,12}}[:_])?{WORDS}(?![a-z])(?:[^<>\n\u25b7]{{0,80}}(?:>|\u25b7|&gt;))?"
THOUGHT = re.compile(
    rf"(?P<close>{BRACKET}(?:/|end_(?:of_)?){NAME}|\[/think(?:ing)?\]|<\|inner_suffix\|>|<unused95>|<channel\|>)"
    rf"|(?P<open>{BRACKET}(?:begin_(?:of_)?|start_)?{NAME}|\[think(?:ing)?\]|<\|inner_prefix\|>|<unused94>|<\|channel>)"
    r"|(?P<final><\|channel\|>\s{0,3}final\b)|(?P<channel><\|channel\|>)|(?P<end><\|end\|>)",
    re.IGNORECASE,
)
EMPHASIS = " *_`\"'"
SIGNS = {
    **{0xFF01 + at: 0x21 + at for at in range(94)},
    **dict.fromkeys([9, 0xA0, 0x2002, 0x2003, 0x2009, 0x200A, 0x202F, 0x3000], " "),
    **dict.fromkeys([*range(0x2010, 0x2016), 0x2212], "-"),
    **dict.fromkeys([0xB4, 0x2018, 0x2019, 0x201A, 0x2032], "'"),
    **dict.fromkeys([0xAB, 0xBB, 0x201C, 0x201D, 0x201E, 0x2033], '"'),
    **dict.fromkeys([0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF], None),
    0xD7: "x",
}


@dataclass
class Declared:
    """What a reply declares: a text, or the class of its fault."""

    text: str = ""
    fault: str = ""
    why: str = ""
    exact: bool = False


def without_thoughts(text: str) -> str:
    """The text with a space in the place of each thought."""
    out, depth, at, in_channel = "", 0, 0, False
    for tag in THOUGHT.finditer(text):
        kind = str(tag.lastgroup)
        if kind == "end" and not in_channel:
            continue
        if not depth:
            out += text[at : tag.start()] + " "
        at = tag.end()
        if kind == "open":
            depth += not tag[0].endswith(("/>", "/&gt;"))
        elif kind == "close" and depth:
            depth -= 1
        else:
            out = "" if kind in ("close", "final") else out
            depth = in_channel = kind == "channel"
    return out + ("" if depth else text[at:])


def _behind(line: str, tag: str) -> Declared | None:
    """What a line declares that starts with the tag."""
    whole = line.strip()
    action = whole.removeprefix(f"{tag}:").strip()
    if whole.startswith(f"{tag}:") and len(whole) <= LINE_MAX and undecorated(action) == action:
        return Declared(action, exact=True)
    head = (
        rf"(?:{SPECIAL} {{0,3}}){{0,4}}(?:(?:[#*+\u2022\u00b7\u2192-]{{1,6}}|[=-]{{1,2}}>|[0-9]{{1,2}}[.)]) {{1,4}})?"
        r"[*_`'\" ]{0,8}([<\[])?[*_`'\" ]{0,8}"
        r"(?:(?:final )?answer[*_` ]{0,4}:[*_`'\" ]{0,4}|final[*_` ]{0,4}:?[*_`'\" ]{1,4})?"
        rf"{tag}[*_`'\" ]{{0,6}}:(.*)"
    )
    found = re.match(head, whole[:LINE_MAX].translate(SIGNS).strip(), re.IGNORECASE)
    if not found:
        return None
    if len(whole) > LINE_MAX:
        return Declared(whole[:LINE_MAX])
    rest = found[2]
    if found[1]:
        rest = rest.rstrip(EMPHASIS + ".").removesuffix({"<": ">", "[": "]"}[found[1]])
    return Declared(undecorated(rest))


def undecorated(text: str) -> str:
    """The action without its decoration, taken off in the order of the page."""
    text = SPECIALS_BEHIND.sub("", text.translate(SIGNS).strip())
    text = text.strip(EMPHASIS).removesuffix(".").strip(EMPHASIS)
    boxed = BOXED.fullmatch(text)
    text = boxed[1].strip(EMPHASIS) if boxed else text
    return text[1:-1].strip(EMPHASIS) if text[:1] + text[-1:] in ("<>", "[]", "()") else text


def _named(tag: str) -> re.Pattern[str]:
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in tag)
    return re.compile(rf"(?<![^\W_])(?:{tag}(?![^\W_])|{wide}|(?i:{tag})[*_`'\" \t\u200b]{{0,6}}[:\uff1a])")


def _repeats(line: str, text: str, tag: str) -> bool:
    """Whether a later line that names the tag says the same each time."""
    ends = [named.end() for named in _named(tag).finditer(line)]
    for end in ends:
        behind = line[end : end + LINE_MAX].translate(SIGNS).lstrip(EMPHASIS + ":<[(").lower()
        if not behind.startswith(text.lower()) or re.match(r"\w|[.,=/+-]\w", behind[len(text) :]):
            return False
    return len(ends) <= NAMINGS_MAX


def declared(text: str, finish: str, tag: str) -> Declared:
    """What a reply declares under a tag."""
    if finish.lower() not in FINISHED:
        return Declared(fault="cut", why="the reply was cut off, and a cut reply declares nothing")
    later = list[str]()
    for line in reversed(without_thoughts(text).splitlines()):
        found = _behind(line, tag) if _named(tag).search(line) else None
        if found and all(_repeats(other, found.text, tag) for other in later):
            return found
        if found:
            why = f"{tag}: is named again after the last line that starts with it"
            return Declared(fault="ambiguous", why=why)
        later.append(line)
    return Declared(fault="no_action", why=f"no line starts with {tag}:")
