"""One game as the report's page replays it: its frames, each with its questions and answers.

    {"title":"agent (A) wins by …","placed":["agent (A)","agent (B)"],
     "result":"1-0, …","won":"won","frames":[…],"unusable":[[1,0,"cut","the reply was cut off, …","replaced"]],
     "asked":[{"at":1,"kind":"chat","to":"agent","prompt":[["system",[…]]],"reply":["MOVE: e4"],"declared":0, …}, …]}

An unusable answer has its frame, the place of its seat, class, reason, and what followed. Of a reply that declares an
action, `declared` is the line that does. A call that is not simply the decision says `what` it is, and which tools it
`calls`; one after the contest is `over`.
Texts are lists of their lines, and rows are tuples: `packed_columns` writes the games of a chunk by columns.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from ...core.questions import (
    RESERVED,
    Answer,
    CallTool,
    Chat,
    EndGame,
    Evaluate,
    Export,
    Message,
    NoReply,
    Planted,
    Question,
    Reply,
    Search,
    Store,
)
from ...core.survey_question import Survey
from ...core.untrusted_input import printable
from ...documents.library import DOCUMENTS
from ...memory.tool_calls import closing_observation
from ...plan.manifest import Plan
from ...table.declared import Declared, declared
from ...table.pictures import with_images
from ...table.prompt_lines import FORM, PROFILE, TOOL
from ...table.survey import AFTER
from ..games_of_bundle import outcome
from ..replayed_game import NOT_YET, PLANTED, PlayedGame, exchange_lines
from ..unusable_answers import unusable_answers
from ..views import VIEWS
from ..xray import XrayedDecision, seats_with_memory, xray
from .packed_columns import Text
from .prompt_pictures import prompt_pictures

REQUESTS: Final[Mapping[str, str]] = {
    "can examine up to": "asked which moves its tool shall examine",
    "can compare your hand": "asked which hands its tool shall compare",
    "Which side stands better": "asked which side stands better",
}
"""Words of such a request, and what it is."""
REJECTED: Final = "Rejected: "
RESULT_LINE: Final = 1
"""Of `GameView.lines`: the one that says the result and its reason."""
SECTIONS: Final = (
    (DOCUMENTS, "Passages of its documents"),
    (TOOL, "Its tool's answer"),
    (PROFILE, "Of its opponent"),
    (FORM, "How it is to answer"),
)
"""What a user message holds behind the situation, by the line before it."""
SCORES: Final = frozenset(("cp", "mate"))
"""Of a frame, where it has an engine's score."""
END: Final = "end"
"""In an address, the last frame of a game."""

Exchange: TypeAlias = tuple[Question, Answer]
Values: TypeAlias = dict[str, str | int | float | bool | None]


class EntryOrigin(NamedTuple):
    """Origin of a memory entry: the game, and the frame beside which its storing is shown."""

    game: str
    frame: int | str


Sources: TypeAlias = Mapping[str, Mapping[str, EntryOrigin]]
"""By memory and entry: where the entry was stored."""


class Lines:
    """The lines of one chunk, each once: a prompt repeats most of its lines. `referred`: how many all texts have."""

    def __init__(self) -> None:
        self.characters = 0
        self.referred = 0
        self._kept: dict[str, str] = {}

    def refer(self, text: str) -> Text:
        """A text by its lines. What is not printable is spelled out."""
        return Text(tuple(self._line(printable(line)) for line in text.split("\n")))

    def _line(self, line: str) -> str:
        kept = self._kept.setdefault(line, line)
        self.characters += len(line) if kept is line else 0
        self.referred += 1
        return kept


NO_TEXT: Final = Text(())


def game_document(played: PlayedGame, plan: Plan, lines: Lines, sources: Sources, us: Sequence[int]) -> dict[str, Any]:
    """One game. `sources`: where each entry of the memory was stored; `us`: microseconds of each call."""
    view = VIEWS[played.match.game]
    frames = view.frames(played, plan)
    scored = {at for at, frame in enumerate(frames) if SCORES & frame.keys()}
    xrayed = _xrayed(played, plan, len(frames), lines, sources)
    asked = [one for one in _asked(played, len(frames), lines, us) if not _is_shown(one, scored)]
    told = {one["at"] for one in asked if one.get("calls")} | {one["at"] for one in xrayed.get("xray", ())}
    return {
        "title": printable(view.title(played)),
        "placed": played.placed,
        "result": printable(_result(played, plan)),
        "won": outcome(played),
        "frames": frames,
        "unusable": list(_unusable(played, plan, frames)),
        "asked": [one for one in asked if not (one["kind"] == "search" and one["at"] in told)],
        **xrayed,
    }


def _result(played: PlayedGame, plan: Plan) -> str:
    """The lines of the result, joined: they go on beneath themselves."""
    written = list(VIEWS[played.match.game].lines(played, plan))
    words = [written[RESULT_LINE]]
    for line in written[RESULT_LINE + 1 :]:
        if not line.startswith("        "):
            break
        words.append(line.strip())
    return " ".join(words).removeprefix("Result:").strip()


def _unusable(played: PlayedGame, plan: Plan, frames: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    replaced = frozenset(at - 1 for at, frame in enumerate(frames) if frame.get("drawn"))
    for one in unusable_answers(played, plan, replaced):
        at = min(one.turn + 1, len(frames) - 1)
        yield at, one.place, one.kind.value, printable(one.why), one.then.value


def _is_shown(asked: Mapping[str, Any], scored: Collection[int]) -> bool:
    """True for an evaluation that its frame has as a score."""
    return asked["kind"] == "evaluation" and asked["at"] in scored


def _rounded(us: int) -> int:
    """A time as the page shows it, to two digits: the rest of them would be half of its bytes."""
    return int(float(f"{us:.1e}"))


def _asked(played: PlayedGame, frames: int, lines: Lines, us: Sequence[int]) -> Iterator[dict[str, Any]]:
    before: dict[str, Chat] = {}
    is_over = False
    for number, ((question, answer), took_us) in enumerate(zip(played.asked, us, strict=True)):
        at = frames - 1 if is_over else _frame_of(question, frames)
        if isinstance(question, Chat) and isinstance(answer, Reply | NoReply):
            is_over = is_over or closing_observation(question.messages) is not None
            is_planted = isinstance(question, Planted)
            what = call_words(question, before.get(question.to))
            if not is_planted:
                before[question.to] = question
            calls = _calls(answer, question.to, played.asked[number + 1 :], lines)
            where = {"what": printable(what), "over": is_over, "planted": is_planted, "calls": calls}
            chat = _chat(question, answer, lines, VIEWS[played.match.game].tag)
            document = {**chat, **{name: value for name, value in where.items() if value}}
            at = frames - 1 if is_over else at
        else:
            document = _note(question, answer, lines)
        yield {"at": at, **document, "us": _rounded(took_us)}


def _frame_of(question: Question, frames: int) -> int:
    """The frame beside which a question is shown: that of the action which it led to.

    An evaluation is of the frame itself; what a memory was told once the game was over is of the last frame.
    """
    match question:
        case Evaluate():
            frame = question.turn
        case EndGame() | Export() | Store(kind="observation"):
            frame = frames
        case Survey() if question.attempt == AFTER:
            frame = frames
        case _:
            frame = question.turn + 1
    return min(frame, frames - 1)


def _note(question: Question, answer: Answer, lines: Lines) -> dict[str, Any]:
    """A question to an engine, a memory or a tool with its answer: one line each."""
    head, *rest = exchange_lines(question, answer)
    what = re.sub("|".join(RESERVED), lambda found: RESERVED[found[0]], head.removeprefix("-- "))
    is_told = isinstance(question, Search | CallTool)
    kind = "evaluation" if isinstance(question, Evaluate) else "search" if is_told else "note"
    given = "\n".join(line.removeprefix("   ") for line in rest)
    return {"kind": kind, "what": what[:1].upper() + what[1:], "lines": lines.refer(given) if rest else NO_TEXT}


def _chat(question: Chat, answer: Reply | NoReply, lines: Lines, tag: str) -> dict[str, Any]:
    document: dict[str, Any] = {
        "kind": "chat",
        "to": question.to,
        "prompt": [(one.role, lines.refer(with_images(one)), *sections_of(one)) for one in question.messages],
        **({"pictures": pictures} if (pictures := [*prompt_pictures(question.messages, lines.refer)]) else {}),
        **({"failed": len(answer.attempts)} if answer.attempts else {}),
    }
    if isinstance(answer, NoReply):
        return {**document, "none": printable(answer.reason)}
    tokens = (answer.prompt_tokens, answer.completion_tokens, answer.reasoning_tokens)
    line = _declared_line(answer, tag) if tag else None
    return {
        **document,
        "reply": lines.refer(answer.text),
        **({} if line is None else {"declared": line}),
        "tokens": tokens,
        "finish": printable(answer.finish),
    }


def _declared_line(reply: Reply, tag: str) -> int | None:
    """The number of the line that declares an action; None where none does, or where it is spelled in other signs."""
    found = declared(reply, tag)
    if not isinstance(found, Declared):
        return None
    lines = reply.text.split("\n")
    name = tag.removesuffix(":").lower()
    fits = (at for at in reversed(range(len(lines))) if name in lines[at].lower() and found.text in lines[at])
    return next(fits, None)


def sections_of(message: Message) -> list[tuple[int, str]]:
    """The parts of a user message behind the situation: the number of the first line, and a title."""
    if message.role != "user":
        return []
    found = ((message.content.find(marker), title) for marker, title in SECTIONS)
    return [(message.content.count("\n", 0, at) + 1, title) for at, title in sorted(found) if at >= 0]


def _calls(answer: Answer, seat: str, following: Sequence[Exchange], lines: Lines) -> list[tuple[Any, ...]]:
    """The calls of tools in a reply: name, arguments, and the result of each in the seat's next question."""
    calls = answer.tool_calls if isinstance(answer, Reply) else ()
    if not calls:
        return []
    chats = (one for one, _ in following if isinstance(one, Chat) and not isinstance(one, Planted))
    asked = next((one for one in chats if one.to == seat), None)
    told = [message.content for message in asked.messages if message.role == "tool"][-len(calls) :] if asked else []
    told += [""] * (len(calls) - len(told))
    return [
        (printable(call.name), lines.refer(arguments_words(call.arguments)), lines.refer(text))
        for call, text in zip(calls, told, strict=True)
    ]


def arguments_words(text: str) -> str:
    """The arguments of a call, one a line; anything but a plain JSON object stays as it is."""
    try:
        values = msgspec.json.decode(text.encode(), type=Values)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return text
    return "\n".join(f"{name}: {value}" for name, value in values.items())


def call_words(question: Chat, before: Chat | None) -> str:
    """The kind of a seat's call, where it is not simply the decision. `before`: the call before it of the same seat."""
    last = question.messages[-1]
    if isinstance(question, Planted):
        return f"planted: {PLANTED}"
    if last.role == "tool":
        return "after its tool's answer"
    if closing_observation(question.messages) is not None:
        return "asked after the contest what to keep"
    if NOT_YET in last.content:
        return next((what for words, what in REQUESTS.items() if words in last.content), "asked before it decides")
    if before is None or before.turn != question.turn or NOT_YET in before.messages[-1].content:
        return ""
    why = last.content.rpartition(REJECTED)[2].partition(". ")[0]
    return f"asked again, for its reply was rejected: {why}" if REJECTED in last.content else "asked again"


def _xrayed(played: PlayedGame, plan: Plan, frames: int, lines: Lines, sources: Sources) -> dict[str, Any]:
    """What each seat with a memory remembered at each of its decisions; nothing where none has one."""
    found = [
        {"seat": printable(of.name), "arm": of.arm, **_decision(one, frames, lines, sources.get(of.memory, {}))}
        for of in seats_with_memory(plan, played.match)
        for one in xray(played, of)
    ]
    return {"xray": sorted(found, key=lambda one: one["at"])} if any(plan.memories_of(played.match)) else {}


def _decision(
    decision: XrayedDecision, frames: int, lines: Lines, sources: Mapping[str, EntryOrigin]
) -> dict[str, Any]:
    return {
        "at": min(decision.turn + 1, frames - 1),
        "query": lines.refer(decision.query),
        "action": printable(decision.action),
        "instead": lines.refer(decision.instead) if decision.instead else NO_TEXT,
        "without": None if decision.without is None else printable(decision.without),
        "changes": decision.changes,
        "recalled": [
            (
                printable(entry.entry),
                tuple(sources.get(entry.entry, ("", ""))),
                *(lines.refer(text) if text else NO_TEXT for text in (entry.content, entry.instead, entry.own)),
            )
            for entry in decision.recalled
        ],
        **({"steered": decision.steered._asdict()} if decision.steered else {}),
    }
