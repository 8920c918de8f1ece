"""First contact with the outside world before anything is sealed: a typo in a plan shall leave no run behind.

Of each seat behind an endpoint: its key is there and allowed, its address answers, and the server knows the model: by
GET /models where that lists it, else by a completion of a few tokens. What a later call may mend (429, 5xx) passes. Of
a run in containers only the keys are asked for: its addresses need not answer here. A model that shall use tool calls
must call a tool when it is told to: before sealing, and before a run is played. None of this is in a journal.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from agzamov_verify.core.questions import Message, NoReply, Reply
from agzamov_verify.engines.uci_engine import find_engine
from agzamov_verify.memory.tool_calls import SEARCH, TOOLS, Find, read_call
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.plan.plan_problems import needs_engine, starts_engine
from agzamov_verify.seats.seat import Seat
from agzamov_verify.table.pictures import GamePictures
from agzamov_verify.table.registry import GAMES

from ..ports import ChatPort, ChatRequest, PortFault
from ..seat_kind import PortInputs, kind_of
from .seal import pin_engine
from .server_access import keys_sent, require_allowed

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


SIGHTED: Final = frozenset({"multimodal", "vision"})
"""Capabilities of llama-server and of Ollama that mean images."""
SEE: Final = "image_input needs a model and a server that take images; choose another, or drop image_input"
NOT_SEALED: Final = "nothing was sealed"


def first_contact(plan: Plan, engine: str | None, allowed: Mapping[str, str]) -> None:
    """Probe servers and engine before a plan is sealed. Raises ManifestError, EngineFault."""
    if starts_engine(plan) and plan.isolation == "process":
        path = find_engine(engine)
        if not needs_engine(plan) and not path.is_socket():  # else sealing pins it, or an image was compared
            pin_engine(path, plan.protocol)
    _require_keys(plan)
    require_allowed(keys_sent(plan, {}), allowed)
    if plan.isolation == "process":
        _ask(plan)


def _require_keys(plan: Plan) -> None:
    """Raises ManifestError for the first seat whose key is not in the environment."""
    for name, seat in plan.playing.items():
        with _nothing_sealed():
            kind_of(seat).require_key(name, seat)


def _ask(plan: Plan) -> None:
    """Raises ManifestError for the first seat that could not be asked as the plan says."""
    callers = seats_that_call(plan)
    for name, seat in plan.playing.items():
        with _nothing_sealed():
            kind_of(seat).first_contact(name, seat)
            if seat.pictures:
                _require_sight(plan, name)
            if name in callers:
                _ask_for_tool_call(plan, name)


def _ask_for_tool_call(plan: Plan, name: str) -> None:
    """Raises PortFault for a seat that shall call tools and does not."""
    port = kind_of(plan.seats[name]).port(name, plan.seats[name], PortInputs(None, None, time.sleep, {}, {}))
    try:
        require_tool_calls(name, port)
    finally:
        port.close()


def _require_sight(plan: Plan, name: str) -> None:
    """Raises PortFault for a seat that shall be shown images and whose server or model takes none."""
    kind, seat = kind_of(plan.seats[name]), plan.seats[name]
    told = kind.capabilities(name, seat)
    if told is not None and not told & SIGHTED:
        raise PortFault(f"seat {name}: the server says that its model takes no images; {SEE}")
    port = kind.port(name, seat, PortInputs(None, None, time.sleep, {}, {}))
    try:
        require_sight(name, seat, pictures_of(plan, name), port)
    finally:
        port.close()


def pictures_of(plan: Plan, name: str) -> GamePictures:
    """The images of a game that a seat plays."""
    found = (GAMES[match.game].pictures for match in plan.matches if name in match.seats)
    return next(pictures for pictures in found if pictures)


def require_sight(name: str, seat: Seat, pictures: GamePictures, port: ChatPort) -> None:
    """Show the seat of this name an image with a known answer. Raises PortFault where no reply holds the answer."""
    wish, probe = seat.pictures, pictures.probe
    assert wish
    message = Message(probe.question, "user", (pictures.shown(probe.of, wish.style, wish.detail),))
    try:
        answers = [port.complete(ChatRequest((message,), seed)) for seed in SEEDS]
    except PortFault as error:
        raise PortFault(f"{error}; seat {name} was sent an image: {SEE}") from error
    if not any(isinstance(answer, Reply) and probe.answer in answer.text.casefold() for answer in answers):
        raise PortFault(f"seat {name}: expected {probe.answer} from a model that was shown an image, found none; {SEE}")


@contextmanager
def _nothing_sealed() -> Iterator[None]:
    """Raises ManifestError where a seat cannot be asked."""
    try:
        yield
    except (PortFault, ManifestError) as error:
        raise ManifestError(f"{error}; {NOT_SEALED}") from error
