"""One game as the report's page replays it: its frames, and at each frame what was asked and answered.

    {"g":"p1-chess960-naked-agent-g00000","first":"agent (A)","second":"agent (B)","result":"1-0, …","won":"won",
     "frames":[…],"asked":[{"at":1,"kind":"chat","to":"agent","prompt":[["system",[0,1,2]]],"reply":[3],"us":812}, …]}

Texts are lists of numbers of lines in a table that the games of one chunk share: a prompt repeats most of its lines.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..games_list import outcome
from ..manifest import Plan
from ..questions import Answer, Chat, EndGame, Evaluate, Export, NoReply, Question, Reply, Search, Store
from ..replayed_game import PlayedGame, exchange_lines
from ..systems import MemorySystem
from ..untrusted_input import printable
from ..views import VIEWS
from ..xray import XrayedDecision, xray

NOT_YET: Final = "This is not yet the time to "
"""How each request begins that a seat is asked before its decision, for its tool."""
RESULT_LINE: Final = 1
"""Of `GameView.lines`: the one that says the result and its reason."""


class Lines:
    """The table of lines of one chunk, each once."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.characters = 0
        self._numbers: dict[str, int] = {}

    def refer(self, text: str) -> list[int]:
        """The numbers of a text's lines. What is not printable is spelled out."""
        return [self._number(printable(line)) for line in text.split("\n")]

    def _number(self, line: str) -> int:
        number = self._numbers.setdefault(line, len(self.texts))
        if number == len(self.texts):
            self.texts.append(line)
            self.characters += len(line)
        return number


def game_document(
    played: PlayedGame, plan: Plan, lines: Lines, sources: Mapping[str, str], us: Sequence[int]
) -> dict[str, Any]:
    """One game. `sources`: the game in which each entry of the memory was stored; `us`: microseconds of each call."""
    view = VIEWS[played.match.game]
    frames = view.frames(played, plan)
    return {
        "g": played.record.game,
        "first": played.first,
        "second": played.second,
        "result": printable(_result(played, plan)),
        "won": outcome(played),
        "frames": frames,
        "asked": list(_asked(played, len(frames), lines, us)),
        **_xrayed(played, plan, len(frames), lines, sources),
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


def _asked(played: PlayedGame, frames: int, lines: Lines, us: Sequence[int]) -> Iterator[dict[str, Any]]:
    for (question, answer), took_us in zip(played.asked, us, strict=True):
        yield {"at": _frame_of(question, frames), **_exchange(question, answer, lines), "us": took_us}


def _frame_of(question: Question, frames: int) -> int:
    """The frame beside which a question is shown: that of the action which it led to.

    An evaluation is of the frame itself; what a memory was told once the game was over is of the last frame.
    """
    match question:
        case Evaluate():
            frame = question.turn
        case Store() | EndGame() | Export():
            frame = frames
        case _:
            frame = question.turn + 1
    return min(frame, frames - 1)


def _exchange(question: Question, answer: Answer, lines: Lines) -> dict[str, Any]:
    if not isinstance(question, Chat) or not isinstance(answer, Reply | NoReply):
        told = "\n".join(exchange_lines(question, answer))
        kind = "evaluation" if isinstance(question, Evaluate) else "search" if isinstance(question, Search) else "note"
        return {"kind": kind, "lines": lines.refer(told)}
    calls = [f"calls {call.name} {call.arguments}" for call in getattr(answer, "tool_calls", ())]
    document: dict[str, Any] = {
        "kind": "chat",
        "to": question.to,
        "what": call_words(question),
        "prompt": [[message.role, lines.refer(message.content)] for message in question.messages],
        "failed": len(answer.attempts),
    }
    if isinstance(answer, NoReply):
        return {**document, "none": printable(answer.reason)}
    text = "\n".join((answer.text, *calls))
    tokens = [answer.prompt_tokens, answer.completion_tokens, answer.reasoning_tokens]
    return {**document, "reply": lines.refer(text), "tokens": tokens, "finish": printable(answer.finish)}


def call_words(question: Chat) -> str:
    """What a call of a seat is, where it is not simply the decision."""
    roles = [message.role for message in question.messages]
    if roles[-1] == "tool":
        return "after its tool's answer"
    if NOT_YET in question.messages[-1].content:
        return "asked before it decides"
    rejected = roles.count("user") - 1
    return f"after {rejected} rejected {'reply' if rejected == 1 else 'replies'}" if rejected else ""


def _xrayed(played: PlayedGame, plan: Plan, frames: int, lines: Lines, sources: Mapping[str, str]) -> dict[str, Any]:
    """What seat A remembered at each of its decisions; nothing where it has no memory."""
    system, tool = plan.systems.get(plan.memories_of(played.match)[0]), plan.tool_of(played.match, 0)
    if not isinstance(system, MemorySystem):
        return {}
    is_steered = tool is not None and tool.is_steered
    decisions = xray(played, plan.seats[played.match.a], system, is_steered=is_steered)
    return {"xray": [_decision(decision, frames, lines, sources) for decision in decisions]}


def _decision(decision: XrayedDecision, frames: int, lines: Lines, sources: Mapping[str, str]) -> dict[str, Any]:
    return {
        "at": min(decision.turn + 1, frames - 1),
        "query": lines.refer(decision.query),
        "action": printable(decision.action),
        "instead": lines.refer(decision.instead) if decision.instead else [],
        "without": None if decision.without is None else printable(decision.without),
        "changes": decision.changes,
        "recalled": [
            [printable(entry.entry), sources.get(entry.entry, ""), lines.refer(entry.content)]
            for entry in decision.recalled
        ],
        **({"steered": decision.steered._asdict()} if decision.steered else {}),
    }
