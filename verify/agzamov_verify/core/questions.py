"""Questions of a script to the outside world, and their answers.

Every question says who is asked (`to`), in which game, at which turn, and for which time (`attempt`). A new kind of
question is a type here, with the types of its answers.

A question holds everything that its answer may depend on, so a replay that asks the same question
byte for byte has recomputed the prompt. Fields are declared in alphabetical order, which makes the
encoding canonical without sorting (a test compares it with rfc8785).

Fields that hold their default are left out of the encoding, so a new optional field changes no line of an old journal.
msgspec compares a default by identity: only "", 0, False and () will do, and who is asked has none.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Final, Generic, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from . import canon
from .seat_letters import SEATS_MAX, memory_name, seat_letter, survey_name, tool_name
from .shown import Shown
from .survey_question import Survey, Surveyed

TOKENS_MAX = 2**24
"""Of one reply: more than any context, and so few that the sum over 2^28 calls stays an exact integer below 2^53."""
REPLY_CHARACTERS_MAX = 100_000
"""Of one reply's text; a harness cuts what is longer."""
TOOL_CALLS_MAX = 100
"""Of one reply; a harness leaves out those that follow."""
ARGUMENTS_CHARACTERS_MAX = 10_000
"""Of one tool call's arguments; a harness cuts what is longer."""
TOOL_NAME_CHARACTERS_MAX = 100
"""Of the name in a tool call; a harness cuts what is longer."""
TOOL_CHARACTERS_MAX = 50_000
"""Of all names and arguments of one reply together; a harness leaves out the calls from the first beyond on."""

ENGINE = "engine"
MEMORY = memory_name(0)
"""The memory of the first seat."""
TOOL = tool_name(0)
"""The tool of the first seat."""

RESERVED: Final[Mapping[str, str]] = MappingProxyType(
    {
        ENGINE: "the engine that adjudicates",
        **{memory_name(index): f"the memory of seat {seat_letter(index).upper()}" for index in range(SEATS_MAX)},
        **{tool_name(index): f"the tool of seat {seat_letter(index).upper()}" for index in range(SEATS_MAX)},
        **{survey_name(index): f"the survey of seat {seat_letter(index).upper()}" for index in range(SEATS_MAX)},
    }
)
"""Names in a journal that no seat may have, and whose they are."""

ENTRY_CHARACTERS_MAX = 8_000
"""Of one entry as the harness stores it, and of the text of a search."""
HITS_MAX = 1_000
"""Entries that one answer of a memory server may hold."""
SERVED_CHARACTERS_MAX = 150_000
"""Of all entries in one answer of a memory server together, so that its line fits into a journal."""

LINE_MOVES_MAX = 5
"""Moves of a line that a tool's engine expects, the candidate included; the rest is left out."""
FOUND_MAX = 10**6
"""Of a value that a tool's engine finds, in centipawns or in moves to mate, either way."""

A = TypeVar("A", bound=msgspec.Struct)
Tokens: TypeAlias = Annotated[int, Meta(ge=0, le=TOKENS_MAX)]
Score: TypeAlias = Annotated[int, Meta(ge=-canon.INTEGER_MAX, le=canon.INTEGER_MAX)]


class ToolCall(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A call of a tool as a model's reply spells it: the name, and the arguments as JSON text, if they are any."""

    arguments: str
    name: str


class SentCall(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A call of a tool in the message that repeats a model's own calls. The ids are ours: a server's are random."""

    arguments: str
    id: str
    name: str


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One chat message, in the terms of the OpenAI chat completions API. `shown`: pictures after its text."""

    content: str
    role: str
    shown: tuple[Shown, ...] = ()
    tool_call_id: str = ""
    tool_calls: tuple[SentCall, ...] = ()


class Tool(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A tool that a model may call. `parameters`: the JSON Schema of its arguments, as JSON text."""

    description: str
    name: str
    parameters: str


class Chat(msgspec.Struct, frozen=True, tag_field="ask", tag="chat", omit_defaults=True):
    """Ask a seat for its next reply. `seed`: the sampling seed, sent where accepted. `with_tools`: tools on offer."""

    attempt: int
    game: str
    messages: tuple[Message, ...]
    seed: int
    to: str
    turn: int
    with_tools: tuple[Tool, ...] = ()


class Planted(Chat, frozen=True, tag_field="ask", tag="planted", omit_defaults=True):
    """The same question under another label: the answer is recorded beside the game and changes nothing in it."""


class Evaluate(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="evaluate", omit_defaults=True):
    """Ask the pinned engine for the value of the position after `moves` from `start_fen`."""

    attempt: int = 0
    game: str
    moves: str
    start_fen: str
    to: str
    turn: int


class Store(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="store", omit_defaults=True):
    """Store an entry. `number`: that of the result being played, counted from 1 in the career; a server knows no other.

    `turn` and `attempt`, here and below: the turn of the result, and the number of the memory question in that turn.
    """

    attempt: int
    content: str
    entry: str
    game: str
    kind: str
    number: int
    to: str
    turn: int


class Search(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="search", omit_defaults=True):
    """Search for at most `hits_max` entries."""

    attempt: int
    game: str
    hits_max: int
    number: int
    query: str
    to: str
    turn: int


class EndGame(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="end_game", omit_defaults=True):
    """Say that a result is over, and wait until all that was stored can be read. Only now may a server rewrite."""

    attempt: int
    game: str
    number: int
    to: str
    turn: int


class CallTool(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="call_tool", omit_defaults=True):
    """Call one of the server's own tools as a model called it. `called_with`: its arguments as JSON text, verbatim.

    `entry`, `content`: name and text of the entry that the call stores; empty where the tool is none that stores.
    """

    attempt: int
    called_with: str
    content: str
    entry: str
    game: str
    hits_max: int
    number: int
    to: str
    tool: str
    turn: int


class Export(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="export", omit_defaults=True):
    """Ask for the live entries after the first `offset`, in the order of their names."""

    attempt: int
    game: str
    offset: int
    to: str
    turn: int


class Examine(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="examine", omit_defaults=True):
    """Ask the engine about the position after `moves` from `start_fen`, with so many `nodes` in each search.

    `candidates`: a search for each, with no other move at the root. Where there are none, `lines_max` searches, each
    for the best move beside those found before; where that is 0, one search, for the value of the position.
    """

    attempt: int
    candidates: tuple[str, ...]
    game: str
    lines_max: int = 0
    moves: str
    nodes: int
    start_fen: str
    to: str
    turn: int


class Calculate(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="calculate", omit_defaults=True):
    """Ask for the equity of two cards against one random hand, and for the equity that a call needs.

    `hands_percent`: the hand is one of the strongest so many percent of all starting hands, by Chen's formula.
    `comparisons_max`: showdowns to compare; if there are more, `seed` draws so many of them. `pot_chips`: before a call
    of `to_call_chips`.
    """

    attempt: int
    board: tuple[str, ...]
    comparisons_max: int
    game: str
    hands_percent: int
    hole: tuple[str, ...]
    pot_chips: int
    seed: int
    to: str
    to_call_chips: int
    turn: int


class Try(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A failed attempt at a call, before the one that was answered. A fault of the world."""

    detail: str
    kind: str


class Reply(msgspec.Struct, frozen=True, kw_only=True, tag_field="as", tag="reply", omit_defaults=True):
    """A seat's reply, verbatim, with its server's report. Token counts are the server's.

    `tool_calls`: those of tools that were offered, in order.

    What a server makes up anew for each call (an id, a fingerprint) is no part of it: see scoring/call_records.
    """

    attempts: tuple[Try, ...] = ()
    cached_tokens: Tokens = 0
    completion_tokens: Tokens = 0
    finish: str = ""
    model: str = ""
    prompt_tokens: Tokens = 0
    reasoning_tokens: Tokens = 0
    text: str
    tool_calls: tuple[ToolCall, ...] = ()


class NoReply(msgspec.Struct, frozen=True, kw_only=True, tag_field="as", tag="no_reply", omit_defaults=True):
    """The seat answered the call with nothing that could hold an action (a refusal, a filter)."""

    attempts: tuple[Try, ...] = ()
    reason: str


class Evaluation(msgspec.Struct, frozen=True, tag_field="as", tag="evaluation", gc=False, omit_defaults=True):
    """The engine's last exact score before bestmove, from the side to move: centipawns, or mate in moves."""

    centipawns: Score | None
    mate: Score | None


class Stored(msgspec.Struct, frozen=True, tag_field="as", tag="stored", omit_defaults=True):
    """A store's outcome; `refused`: the server's reason where it says that it did not take the entry."""

    refused: str = ""


class Hit(msgspec.Struct, frozen=True, omit_defaults=True):
    """An entry that a search gave, as the server gave it."""

    content: str
    entry: str


class Hits(msgspec.Struct, frozen=True, tag_field="as", tag="hits", omit_defaults=True):
    """Entries that a search gave, the best first. `text`: the server's words, where entries were read out of them."""

    hits: tuple[Hit, ...]
    text: str = ""


class Called(msgspec.Struct, frozen=True, kw_only=True, tag_field="as", tag="called", omit_defaults=True):
    """Result of a tool: the server's words. `failed`: they are an error. `refused`: why it did not take the entry.

    `hits`: the entries that a search gave, as they were read out of its result.
    """

    failed: bool = False
    hits: tuple[Hit, ...] = ()
    refused: str = ""
    text: str


class Settled(msgspec.Struct, frozen=True, tag_field="as", tag="settled", omit_defaults=True):
    """Number of live entries once all that was stored can be read."""

    entries: Annotated[int, Meta(ge=0, le=canon.INTEGER_MAX)]


class Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """A live entry. `games`: the results it comes from, by number. `derived_from`: entries it was made from."""

    content: str
    derived_from: tuple[str, ...]
    entry: str
    games: tuple[Annotated[int, Meta(ge=0, le=canon.INTEGER_MAX)], ...]
    kind: str


class Exported(msgspec.Struct, frozen=True, tag_field="as", tag="exported", omit_defaults=True):
    """Live entries in the order of their names; `more`: further ones follow."""

    entries: tuple[Kept, ...]
    more: bool


class ExaminedMove(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A move's value for the side to move, in centipawns or moves to mate, and the line that the engine expects.

    `line`: moves in UCI, that move first.
    """

    centipawns: Score | None
    line: str
    mate: Score | None


class Examined(msgspec.Struct, frozen=True, tag_field="as", tag="examined", omit_defaults=True):
    """The engine's findings: one for each candidate, in the order asked; for each best move; or for the position."""

    moves: tuple[ExaminedMove, ...]


class Calculated(msgspec.Struct, frozen=True, tag_field="as", tag="calculated", gc=False, omit_defaults=True):
    """Equity, and the equity that a call needs, in thousandths. `exact`: all showdowns were compared, not a sample."""

    compared: Annotated[int, Meta(ge=0, le=canon.INTEGER_MAX)]
    equity_permille: Annotated[int, Meta(ge=0, le=1000)]
    exact: bool
    price_permille: Annotated[int, Meta(ge=0, le=1000)]


ToolQuestion: TypeAlias = Examine | Calculate
ToolAnswer: TypeAlias = Examined | Calculated
MemoryQuestion: TypeAlias = Store | Search | CallTool | EndGame | Export
MemoryAnswer: TypeAlias = Stored | Hits | Called | Settled | Exported
Question: TypeAlias = Chat | Planted | Evaluate | MemoryQuestion | ToolQuestion | Survey
Answer: TypeAlias = Reply | NoReply | Evaluation | MemoryAnswer | ToolAnswer | Surveyed


class AnswerTypes(Generic[A]):
    """The types that the answer to one kind of question may have; `names` as they are tagged."""

    def __init__(self, *types: type[A]) -> None:
        self.types = types
        self.names = " or ".join(str(kind.__struct_config__.tag) for kind in types)


REPLY: AnswerTypes[Reply | NoReply] = AnswerTypes(Reply, NoReply)
EVALUATION: AnswerTypes[Evaluation] = AnswerTypes(Evaluation)
STORED: AnswerTypes[Stored] = AnswerTypes(Stored)
HITS: AnswerTypes[Hits] = AnswerTypes(Hits)
CALLED: AnswerTypes[Called] = AnswerTypes(Called)
SETTLED: AnswerTypes[Settled] = AnswerTypes(Settled)
EXPORTED: AnswerTypes[Exported] = AnswerTypes(Exported)
EXAMINED: AnswerTypes[Examined] = AnswerTypes(Examined)
CALCULATED: AnswerTypes[Calculated] = AnswerTypes(Calculated)
SURVEYED: AnswerTypes[Surveyed] = AnswerTypes(Surveyed)

encode: Final[Callable[[Question | Answer], bytes]] = msgspec.json.Encoder().encode
"""Canonical bytes of a question or an answer."""
