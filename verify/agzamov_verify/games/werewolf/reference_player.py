"""The reference player: tells what its role found, follows whoever is credible, and acts with its team.

It reads its prompt alone. Its sentences are the ones that it understands of others:

    I am the seer. Oak is a wolf. Elm is no wolf.
    I suspect Oak.
    Kill Oak.

- A seer claims its role once it found a wolf, or was suspected, and votes for a wolf that it found.
- A doctor protects whoever claims to be the seer, where it may.
- The village believes who claims to be the seer, until a role that was told proves a lie; it votes for whom the seer
  named, else for the one most suspected so far that no seer has cleared.
- Wolves vote together: by night for a seer or doctor that has shown itself, by day for whom the village suspects most.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from ...core.dice import Stream
from ...table.prompt_lines import Page, labelled, scripted_player
from .prompt import REQUESTS, SIGN
from .rules import Role

_QUOTE: Final = re.compile(r"^(You|[A-Z][a-z]+) say(?:s)? to [^\n]*:((?:\n> [^\n]*)+)", re.MULTILINE)
_FINDING: Final = re.compile(r"\b([A-Z][a-z]+) is (a|no) wolf\.")
_SUSPECT: Final = re.compile(r"^> I suspect ([A-Z][a-z]+)\.", re.MULTILINE)
_KILL: Final = re.compile(r"^> Kill ([A-Z][a-z]+)\.", re.MULTILINE)
_CLAIM: Final = "\n> I am the seer."
_DEATH: Final = re.compile(
    r"^(?:Morning|End) of day [0-9]+: ([A-Z][a-z]+) is (?:dead|exiled)(?:, an? ([a-z]+))?", re.MULTILINE
)
_INSPECTED: Final = re.compile(r"^Inspected in night [0-9]+: ([A-Z][a-z]+) is (a|no) wolf$", re.MULTILINE)


class Known(NamedTuple):
    """What a page says: own name and role, who lives, roles that were told, what was said by whom, own findings."""

    name: str
    role: str
    fellows: frozenset[str]
    living: tuple[str, ...]
    told: dict[str, str]
    quotes: tuple[tuple[str, str], ...]
    found: dict[str, bool]
    today: str

    @property
    def claims(self) -> dict[str, dict[str, bool]]:
        """By claimed seer what it said of each player: whether that is a wolf."""
        claims = dict[str, dict[str, bool]]()
        for speaker, text in self.quotes:
            if _CLAIM in text:
                claims.setdefault(speaker, {}).update(_findings(_FINDING.findall(text)))
        return claims

    @property
    def believed(self) -> dict[str, bool]:
        """What credible seers, and one's own inspections, say of each player."""
        said = dict[str, bool]()
        for speaker, findings in self.claims.items():
            if self._is_credible(speaker, findings):
                said.update(findings)
        return {**said, **self.found}

    def _is_credible(self, speaker: str, findings: dict[str, bool]) -> bool:
        is_no_seer = self.told.get(speaker, Role.SEER) != Role.SEER or self.found.get(speaker, False)
        lies = any((self.told[name] == Role.WOLF) != wolf for name, wolf in findings.items() if name in self.told)
        is_mine = self.role == Role.SEER and speaker != self.name
        accuses_me = self.role != Role.WOLF and findings.get(self.name, False)
        return not (is_no_seer or lies or is_mine or accuses_me)


def known(page: Page) -> Known:
    """What a page says. Raises ValueError for a page without its labelled lines."""
    name, text = labelled(page, "Your name"), page.situation
    role = labelled(page, SIGN.removesuffix(": "))
    fellows = labelled(page, "Fellow wolves").split(", ") if role == Role.WOLF else []
    quotes = tuple((name if who == "You" else who, said) for who, said in _QUOTE.findall(text))
    told = {name: role for name, role in _DEATH.findall(text) if role}
    today = text[text.rfind("\nMorning of day ") + 1 :]
    living = tuple(labelled(page, "Living").split(", "))
    found = _findings(_INSPECTED.findall(text))
    return Known(name, role, frozenset(fellows), living, told, quotes, found, today)


def reply(page: Page, stream: Stream) -> str:
    """One reply. Raises ValueError for a page without its labelled lines."""
    knows, options = known(page), labelled(page, "Others").split(", ")
    stage = labelled(page, "Stage")
    task = stage.rpartition(", ")[2]
    if task in REQUESTS:
        return f"{REQUESTS[task][0]} {_choice(task, knows, options, stream)}"
    if stage.startswith("night"):
        return f"SAY: Kill {_prey(knows, stream)}."
    return f"SAY: {_speech(knows, options, stream)}"


def _speech(knows: Known, options: list[str], stream: Stream) -> str:
    is_needed = any(knows.found.values()) or knows.name in _SUSPECT.findall(knows.today)
    if knows.found and is_needed:
        return " ".join(
            ("I am the seer.", *(f"{one} is {'a' if wolf else 'no'} wolf." for one, wolf in knows.found.items()))
        )
    return f"I suspect {_suspect(knows, options, stream)}."


def _choice(task: str, knows: Known, options: list[str], stream: Stream) -> str:
    match task:
        case "kill":
            proposed = [name for name in _KILL.findall(knows.today) if name in options]
            return min(proposed) if proposed else _prey(knows, stream)
        case "inspect":
            return stream.choice(_first_of([name for name in options if name not in knows.found], options))
        case "protect":
            seers = [name for name in knows.claims if name in options and knows.told.get(name, Role.SEER) == Role.SEER]
            return stream.choice(_first_of(seers, options))
        case _:
            return _suspect(knows, options, stream)


def _prey(knows: Known, stream: Stream) -> str:
    """Whom a wolf wants dead: a claimed seer, else anybody of the village."""
    village = [name for name in knows.living if name not in (knows.name, *knows.fellows)]
    return stream.choice(_first_of([name for name in knows.claims if name in village], village))


def _suspect(knows: Known, options: list[str], stream: Stream) -> str:
    """Whom it votes for, or names by day."""
    if knows.role == Role.WOLF:
        options = _first_of([name for name in options if name not in knows.fellows], options)
        believed = dict[str, bool]()
    else:
        believed = knows.believed
    accused = [name for name in options if believed.get(name, False)]
    if accused:
        return accused[0]
    suspects = _first_of([name for name in options if name not in believed and name not in knows.claims], options)
    return _most_named(_SUSPECT.findall(knows.today), suspects) or stream.choice(suspects)


def _most_named(named: Iterable[str], options: list[str]) -> str:
    """The option that was named most often, of several the first that was named; "" where none was."""
    counts = Counter(name for name in named if name in options)
    return max(counts, key=counts.__getitem__, default="")


def _findings(found: Iterable[tuple[str, str]]) -> dict[str, bool]:
    return {name: article == "a" for name, article in found}


def _first_of(wanted: list[str], options: list[str]) -> list[str]:
    """What is wanted, or all options where nothing is."""
    return wanted or options


reference_reply = scripted_player("reference/werewolf", reply)
