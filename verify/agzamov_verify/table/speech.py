"""Free speech between seats: how a message is asked for, read, and quoted in the prompts of those who hear it.

    reply of Ann                     prompt of Bob
    I should keep him busy.          Ann says to you:
    SAY TO Bob: Trust me.            > Trust me.
    Vote with me.                    > Vote with me.

The grammar is docs/reading.md. The law: whatever a seat says, its words stand behind "> ", on lines of their own, in
signs that mean nothing to a reader of declarations, thoughts, labels or chat templates. So no speech can be taken for a
declared action, for a system's text, for a labelled line of a prompt, or for the end of the quote.

The signs that are taken out or replaced are named by their numbers, never by a property of Unicode: the same speech has
the same quote whatever version of Unicode a verifier's Python knows.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from ..core.questions import NoReply, Reply
from .decision import ActionReader
from .declared import FINISHED, Accepted, Fault, FaultKind, spoken

TAG: Final = "SAY:"
QUOTE: Final = "> "
NAMES_CHARACTERS_MAX: Final = 200
"""Of the names in one SAY TO line."""

_DECLARING: Final = re.compile(
    rf"[*_` ]{{0,4}}SAY(?P<to>[ ]{{1,4}}TO[ ]{{1,4}}(?P<names>[^:\n]{{1,{NAMES_CHARACTERS_MAX}}}))?[*_` ]{{0,4}}:"
    r"[*_` ]{0,4}(?P<rest>.*)",
    re.IGNORECASE,
)
_SPECIAL: Final = r"(?:<\|[a-z_]{1,20}\|>|</?s>|<eos>|<end_of_turn>)"
_SPECIALS_AFTER: Final = re.compile(rf"(?:\s{{0,3}}{_SPECIAL}){{1,4}}\s*$", re.IGNORECASE)
_LINE_ENDS: Final = re.compile("\r\n?|[\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ENTITY: Final = re.compile("&(?=[a-z#])", re.IGNORECASE)

_SPACES: Final = "\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_CONTROLS: Final = "\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"
_UNSEEN: Final = (  # signs without a shape, and those that turn the direction of a line
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159"
)
_NO_LETTERS: Final = "\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0f\ufff0-\uffff\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
_NO_SIGN: Final = re.compile(f"[{_CONTROLS}{_UNSEEN}{_NO_LETTERS}]")
_SPACE: Final = re.compile(f"[{_SPACES}]")
_PLAIN: Final[dict[int, int | str]] = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys(map(ord, "\u25c1\u27e8\u2329\u3008\ufe3f\ufe64"), "<"),
    **dict.fromkeys(map(ord, "\u25b7\u27e9\u232a\u3009\ufe40\ufe65"), ">"),
    0xFE47: "[",
    0xFE48: "]",
}
_HARMLESS: Final = str.maketrans("<>[]", "\u2039\u203a()")
"""Brackets that could open or close a thought, a special token of a chat template, or a quote."""


class Speech(msgspec.Struct, frozen=True, gc=False):
    """A message of one seat: its text, of which every line is plain, and the names it is for; none: it is for all."""

    text: str
    to: tuple[str, ...] = ()


SILENCE: Final = Speech("")


class Said(msgspec.Struct, frozen=True, gc=False):
    """A speech in the record of a game. `from_id` and `to_ids` are places: who spoke, and who heard it."""

    from_id: int
    to_ids: tuple[int, ...]
    text: str


class SpeechTerms(msgspec.Struct, frozen=True):
    """Limits of a speech: at most `characters_max` characters to all `hearers`, or to some where it `may_whisper`."""

    characters_max: int
    hearers: tuple[str, ...]
    may_whisper: bool = False

    def request(self) -> str:
        """The sentences of a prompt that ask for a message."""
        to, form = joined(self.hearers), f"in the form {TAG} <your message>."
        limit = f"End your answer with a message of at most {self.characters_max} characters to {to}, {form}"
        private = "For a private message name those who may hear it: SAY TO <name, name>: <your message>."
        silent = "With nothing behind the colon you are silent. What stands before it is heard by nobody."
        return " ".join((limit, private, silent) if self.may_whisper else (limit, silent))

    def reader(self) -> ActionReader[Speech]:
        """For `decision.decide`; where a seat says nothing that can be read, it is silent."""
        return ActionReader(self.read, lambda _: SILENCE, f"End with a message in the form {TAG} <your message>")

    def read(self, answer: Reply | NoReply) -> Accepted[Speech] | Fault:
        """The speech of an answer: what follows the last line that starts with SAY, up to the end."""
        if isinstance(answer, NoReply):
            return Fault(FaultKind.NO_REPLY, "there was no reply")
        if answer.finish.lower() not in FINISHED:
            return Fault(FaultKind.CUT, "the reply was cut off, and a cut reply says nothing")
        lines = _LINE_ENDS.split(_SPECIALS_AFTER.sub("", spoken(answer.text)))
        for at in range(len(lines) - 1, -1, -1):
            if declaring := _DECLARING.fullmatch(lines[at].strip()):
                text = plain("\n".join((declaring["rest"], *lines[at + 1 :])))
                return self._accepted(text, declaring["names"], exact=lines[at].startswith(("SAY:", "SAY TO ")))
        return Fault(FaultKind.NO_ACTION, f"no line starts with {TAG}")

    def _accepted(self, text: str, names: str | None, *, exact: bool) -> Accepted[Speech] | Fault:
        if len(text) > self.characters_max:
            why = f"the message has {len(text)} characters, and {self.characters_max} are the limit"
            return Fault(FaultKind.ILLEGAL, why)
        if names is None:
            return Accepted(Speech(text), exact)
        if not self.may_whisper:
            return Fault(FaultKind.ILLEGAL, "there are no private messages now")
        by_name = {name.lower(): name for name in self.hearers}
        called = [name.strip("*_`\"' ").lower() for name in re.split(r",| and ", names)]
        unknown = [name for name in called if name not in by_name]
        if unknown:
            return Fault(FaultKind.ILLEGAL, f"a private message may be for {joined(self.hearers)}")
        return Accepted(Speech(text, tuple(name for name in self.hearers if name.lower() in called)), exact)


def plain(text: str) -> str:
    """A text in signs that mean themselves: no controls, nothing invisible, no turns of the line, no brackets of tags.

    Spaces at the ends of lines and empty lines are left out. Doing it twice changes nothing.
    """
    lines = _LINE_ENDS.split(text)
    return "\n".join(filter(None, (_plain_line(line) for line in lines)))


def quoted(speaker: str, text: str, hearers: str) -> str:
    """A speech as it stands in a prompt: who says it to whom, then each line behind "> ".

    `speaker` and `hearers` are the game's own words ("Ann", "everyone", "you and Cat"); nobody's text is in them.
    """
    said = plain(text)
    if not said:
        return f"{speaker} says nothing to {hearers}."
    return "\n".join((f"{speaker} says to {hearers}:", *(f"{QUOTE}{line}" for line in said.split("\n"))))


def heard(said: Iterable[Said], place: int, names: Sequence[str]) -> list[str]:
    """Quotes of all that the seat at `place` heard, or said itself, in order. `names`: of all seats, by place."""
    quotes = []
    for one in said:
        if place != one.from_id and place not in one.to_ids:
            continue
        speaker = "You" if place == one.from_id else names[one.from_id]
        text = quoted(speaker, one.text, _hearers(one, place, names))
        quotes.append(text.replace("You says", "You say", 1) if speaker == "You" else text)
    return quotes


def _hearers(said: Said, place: int, names: Sequence[str]) -> str:
    if len(said.to_ids) == len(names) - 1:
        return "everyone"
    return joined(["you"] * (place in said.to_ids) + [names[to] for to in said.to_ids if to != place])


def joined(names: Sequence[str]) -> str:
    """Names in a sentence: "Ann, Bob and Cat"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _plain_line(line: str) -> str:
    line = _SPACE.sub(" ", _NO_SIGN.sub("", line)).translate(_PLAIN)
    return _ENTITY.sub("+", line.translate(_HARMLESS)).strip(" ")
