"""The tokens of the reader model, and how a hold'em prompt becomes tokens.

`template.jinja` copies these parts of a prompt, word for word, in this order:

    [rules]     the rules of its own that the system message gives it
    [notes]     the opponent profile
    [passages]  the passages of its documents
    [holdem][button][Ah][Kd][board][2c]...[pot] 1.5[call] 0.5[stack] 99.5[theirs] 99[fold][call][raise] 2[to] 100
    [tool]      the answer of its tool
    [again]     something was rejected
    [hands]     asked for the opponent's hands, not for an action
    [answer]    -> "I have a pair." "\nACTION: bet" " 4" </s>

A part that the prompt lacks is left out. Words are tokens, with the space before them; what stands often in notes and
in the answers of the calculator is one token ("Folded to a bet on the river:"). Any other word is spelled by letters.
llama.cpp splits a text at the longest tokens first, and so does `tokenize`. Any other chat is read as [?].
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.habit_words import Habit

HERE = Path(__file__).parent
WHOLE_MAX = 400
FALLBACK = "I can only play hold'em in the prompts of this protocol."
SEEN = ("I have no pair.", "I have a pair.", "I have two pair or better.")
FOLDS_HERE = " This opponent folds to a bet here."
BEHIND, FAIR, AHEAD = " My equity is below the price.", " My equity is worth a call.", " I am ahead."
ADVISED = " My documents say to bet such a hand."
RULED = " A rule of mine says to fold."
ANY_HANDS = "HANDS: 100"
ACTIONS = {verb: f"\nACTION: {verb}" for verb in ("fold", "check", "call", "bet", "all-in")}
TAGS = ("rules", "notes", "passages", "holdem", "button", "blind", "board", "pot", "call", "stack", "theirs", "to")
TAGS += ("fold", "check", "bet", "raise", "tool", "again", "hands", "answer", "?")
PHRASES = (
    *(f"{habit.value}:" for habit in Habit),
    "Equity against one random hand:",
    "Equity against the strongest",
    " % of hands:",
    " % (a sample of",
    " showdowns)",
    " % (all showdowns counted)",
    "Equity that a call needs:",
    "Difference:",
    " points",
)

CONTROL = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
NUMBERS = [*(f" {whole}" for whole in range(WHOLE_MAX + 1)), *(f".{part:02d}".rstrip("0") for part in range(1, 100))]
SAID = [*SEEN, FOLDS_HERE, BEHIND, FAIR, AHEAD, ADVISED, RULED, *ACTIONS.values(), ANY_HANDS, FALLBACK]
LETTERS = [chr(code) for code in range(32, 127)] + ["\n"]
WORDS = (HERE / "words.txt").read_text().splitlines()
TOKENS = list(
    dict.fromkeys(
        [
            *CONTROL,
            *BYTES,
            *NUMBERS,
            *SAID,
            *(f"[{tag}]" for tag in TAGS),
            *(f"[{card}]" for card in DECK),
            *PHRASES,
            *LETTERS,
            *(f" {word}" for word in WORDS),
        ]
    )
)
ID = {token: at for at, token in enumerate(TOKENS)}
END = ID["</s>"]
ANSWER = [END, *(ID[token] for token in dict.fromkeys([*NUMBERS, *SAID]))]
"""What the model may write; every other token is one that it never writes."""

_TAG = "|".join(re.escape(token) for token in TOKENS if token.startswith("[") and len(token) > 1)
_LINES = "|".join(re.escape(token) for token in sorted([*PHRASES, *SAID], key=len, reverse=True) if len(token) > 2)


def tokenize(text: str) -> list[int]:
    """The tokens of a text, as llama.cpp splits it. Raises KeyError for what is not ASCII."""
    found: list[int] = []
    for fragment in re.split(rf"({_TAG}|{_LINES})", text):
        if fragment in ID:
            found.append(ID[fragment])
        else:
            for chunk in re.findall(r" ?[^ ]+| ", fragment, re.DOTALL):
                found += _chunk(chunk)
    return found


@lru_cache(maxsize=100_000)
def _chunk(text: str) -> tuple[int, ...]:
    """A word with its space and its signs: the longest token in it first, then what stands before and after it."""
    if not text:
        return ()
    for length in range(len(text), 0, -1):
        for start in range(len(text) - length + 1):
            if text[start : start + length] in ID:
                before, after = text[:start], text[start + length :]
                return (*_chunk(before), ID[text[start : start + length]], *_chunk(after))
    raise KeyError(text)


def number(big_blinds: str) -> list[str]:
    """The tokens of an amount in big blinds: "2.5" -> " 2" ".5"."""
    whole, point, decimals = big_blinds.partition(".")
    return [f" {whole}", point + decimals] if decimals else [f" {whole}"]


def ids(tokens: Iterable[str]) -> list[int]:
    """Tokens by their numbers."""
    return [ID[token] for token in tokens]


RULE = "\n\nYou must keep this rule in every hand: "
_RANGE = re.compile(r"(bet|raise to a total) from ([\d.]+) to ([\d.]+) BB")


def told_text(system: str, profile: str, documents: str) -> str:
    """The first part of what is read: the same at each decision of a hand that finds the same."""
    rules = "".join(f"[rules]{_plain(rule)}" for rule in system.split(RULE)[1:])
    notes = f"[notes]{_plain(profile)}" if profile else ""
    return rules + notes + (f"[passages]{_plain(documents)}" if documents else "")


def spot_text(situation: str, tool: str = "") -> str:
    """The second part: the decision, and its tool's answer."""
    lines = dict(line.split(": ", 1) for line in situation.splitlines() if ": " in line)
    text = "[holdem]" + ("[button]" if lines["Position"] == "Button" else "[blind]")
    for tag, label in (("", "Hole cards"), ("[board]", "Board")):
        text += tag + "".join(f"[{card}]" for card in lines[label].strip("[]").split(", ") if card)
    pot, call = re.findall(r"(\d+(?:\.\d+)?)", lines["Pot"])
    mine, theirs = re.findall(r"(\d+(?:\.\d+)?)", lines["Stacks"])
    text += f"[pot] {pot}[call] {call}[stack] {mine}[theirs] {theirs}"
    for action in lines["Legal actions"].split(", "):
        sized = _RANGE.fullmatch(action)
        text += f"[{sized[1].split()[0]}] {sized[2]}[to] {sized[3]}" if sized else f"[{action}]"
    text += f"[tool]{_plain(tool)}" if tool else ""
    return text + ("[hands]" if "\nHANDS: <" in situation else "")


def _plain(text: str) -> str:
    """Square brackets are tags, so a text has round ones."""
    return text.replace("[", "(").replace("]", ")")
