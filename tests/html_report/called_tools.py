"""A bundle whose seat A calls tools itself: those of its memory, and those of its game."""

from pathlib import Path
from typing import Any

from agzamov_harness.adapters.endpoint import wire_message, wire_tools
from agzamov_harness.reference_server import chat_server
from agzamov_verify.core.questions import (
    Answer,
    Calculate,
    Chat,
    Examine,
    Examined,
    ExaminedMove,
    Question,
    Reply,
    ToolCall,
)
from agzamov_verify.games.holdem.calculator import calculate
from agzamov_verify.memory.tool_calls import closing_observation
from bundles.bundle_factory import make
from stack_world import PIN, StackWorld

MODEL = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "novice"}
SYSTEMS = {
    "tools": {
        "kind": "tools",
        "use": "model",
        "calls_max": 1,
        "candidates_max": 2,
        "nodes": 5_000,
        "comparisons_max": 990,
    },
    "recent": {"kind": "memory", "server": "recent", "use": "model", "calls_max": 2, "hits_max": 2},
}
SIZES: dict[str, dict[str, int]] = {"chess960": {"games": 2}, "holdem": {"hands": 4}}
CAREERS: dict[str, dict[str, int]] = {"chess960": {"games": 4, "careers": 1}, "holdem": {"hands": 12, "careers": 1}}
PASSES = "I pass."
"""No declaration: the first reply at turn 2 of each game."""


def plan() -> dict[str, Any]:
    """Tools and a memory in both games; seat A is the novice behind its server's front."""
    return {
        "title": "Called tools",
        "seats": {"agent": MODEL, "habit": {**MODEL, "patterns": ["pushes_rook_pawns", "min_raises_pairs"]}},
        "systems": SYSTEMS,
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 8, "illegal": "retry_then_forfeit"},
        "holdem": {"session_hands": 4},
        "matches": [
            {"phase": 2, "game": game, "a": "agent", "b": "habit", "condition": condition, **sizes[game]}
            for augmentation, system, sizes in (("tools", "tools", SIZES), ("memory", "recent", CAREERS))
            for game in SIZES
            for condition in (
                {"augmentation": augmentation},
                {"augmentation": augmentation, "arm": "placebo", "system": system},
                {"augmentation": augmentation, "arm": "real", "system": system},
            )
        ],
    }


def bundle_of(folder: Path) -> Path:
    """The bundle."""
    memory = StackWorld()

    def answer(question: Question) -> Answer:
        match question:
            case Chat(turn=2, attempt=0, with_tools=()):
                return Reply(text=PASSES)
            case Chat():
                return _reply(question)
            case Calculate():
                return calculate(question)
            case Examine():
                moves = question.candidates or ("a2a3",)
                return Examined(tuple(ExaminedMove(30, move, None) for move in moves))
            case _:
                return memory.remembered(question)

    return make(plan(), folder, answer, memories={"recent": PIN})


def _reply(question: Chat) -> Reply:
    """The novice; with the tools of its memory it also saves a text at its first decision."""
    names = [tool.name for tool in question.with_tools]
    is_opening = question.turn < 2 and closing_observation(question.messages) is None
    if is_opening and "memory_save" in names and _called(question) == 1:
        return Reply(text="I keep this.", tool_calls=(ToolCall('{"text":"Opponent opened."}', "memory_save"),))
    messages = [wire_message(message) for message in question.messages]
    body = {"model": "novice", "messages": messages, "seed": question.seed}
    offered = wire_tools(question.with_tools) if question.with_tools else {}
    said = chat_server.completion({**body, **offered})["choices"][0]["message"]
    calls = [call["function"] for call in said.get("tool_calls", ())]
    made = tuple(ToolCall(call["arguments"], call["name"]) for call in calls)
    return Reply(text=said["content"] or "", tool_calls=made)


def _called(question: Chat) -> int:
    return sum(message.role == "tool" for message in question.messages)
