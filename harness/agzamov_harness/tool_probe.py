"""A probe before anything is played: a model that is to use tool calls must call a tool on request.

The probe is no part of the journal: it decides nothing but whether the run begins.
"""

from typing import Final

from agzamov_verify.manifest import Plan
from agzamov_verify.memory.tools import SEARCH, TOOLS, Find, read_call
from agzamov_verify.questions import Message, NoReply, Reply

from .ports import ChatPort, ChatRequest, PortFault

SEEDS: Final = (1, 2, 3)
"""Of the tries: a model may miss one."""
PROBE: Final = (
    Message("You are being tested. Use the tools that you are offered.", "system"),
    Message(f"Call the tool {SEARCH} once, with the query: opening", "user"),
)
ADVICE: Final = (
    "with use: model or native a memory or a tool needs one that does; choose another model, or use: harness"
)


def require_tool_calls(name: str, port: ChatPort) -> None:
    """Ask the seat of this name for a call. Raises PortFault where it makes none."""
    if not any(_calls(port, name, seed) for seed in SEEDS):
        raise PortFault(
            f"seat {name}: expected a tool call from a model that was told to make one, found none; {ADVICE}"
        )


def seats_that_call(plan: Plan) -> list[str]:
    """The seats that have a memory or a tool by tool calls."""
    seats = (pair for match in plan.matches for pair in zip(match.seats, match.systems, strict=True))
    calling = ((name, plan.parts_of(system).values()) for name, system in seats)
    return sorted({name for name, systems in calling if any(system.needs_tool_calls for system in systems)})


def _calls(port: ChatPort, name: str, seed: int) -> bool:
    """True if the seat calls the tool with arguments as declared. Raises PortFault for a server that takes no tools."""
    try:
        answer: Reply | NoReply = port.complete(ChatRequest(PROBE, seed, TOOLS))
    except PortFault as error:
        raise PortFault(f"{error}; seat {name} was offered tools: {ADVICE}") from error
    calls = answer.tool_calls if isinstance(answer, Reply) else ()
    return any(isinstance(read_call(call), Find) for call in calls)
