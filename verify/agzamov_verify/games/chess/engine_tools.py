"""The engine's tools: as a model may call them before a decision, and as their server is asked.

    evaluate_position    the value of the position, and no move
    compare_moves        moves that the model names, each with its value and the moves that the engine expects then
    best_lines           the same for the best moves

A plan says which of them a model is offered. Best lines are found one after another, each in a search of its own
without the moves found before: MultiPV gives other values than searches that can be made again one by one.
The placebo of a value is a drawn value; that of best lines has drawn legal moves.
"""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, ClassVar, Final, TypeVar

import msgspec
from msgspec import Meta

from ...core.dice import Dice, Stream
from ...core.limits import DECLARATION_CHARACTERS_MAX
from ...core.questions import LINE_MOVES_MAX, Examine, Examined, ExaminedMove, Tool
from ...core.script import Script
from ...engines.uci_engine import legal_after
from ...memory.tool_calls import is_unfit
from ...table.game_tool import (
    BEST_LINES,
    COMPARE,
    EVALUATE,
    LINES_MOST,
    Asking,
    GameTool,
    Misfit,
    OfferedTool,
    ServerCall,
    ToolCalls,
    ToolUse,
    call_templates,
    given,
    only,
)
from ...table.players import GameName
from .rules import Game960
from .tool import (
    LEGEND,
    NO_CANDIDATES,
    REQUEST,
    TAG,
    consult,
    drawn,
    drawn_value,
    examined,
    legal_moves,
    misshapen,
    placebo_label,
    told,
    value_told,
)

SCRIPTED_CANDIDATES: Final = 4
"""Moves that a scripted player names in a call."""


class Findings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The structured result of the engine's server."""

    moves: tuple[ExaminedMove, ...]


class EngineServer(GameTool):
    """Stockfish examines a position: its value, moves that are named, or the best ones."""

    server = "chess960"
    question = Examine
    asks_engine = True
    calls: ClassVar = (COMPARE, BEST_LINES, EVALUATE)
    nothing_asked = NO_CANDIDATES

    def words(self, use: ToolUse) -> str:
        offered = {
            EVALUATE: "the value of the position",
            COMPARE: f"at most {use.candidates_max} moves that the seat names",
            BEST_LINES: f"the best {use.lines_max} moves",
        }
        asked = " or ".join(offered[tool] for tool in use.offers or (COMPARE,))
        return f"Stockfish in chess ({asked}, {use.nodes:,} nodes each)"

    def call(self, question: Examine) -> ServerCall:
        arguments = only(question, "moves", "nodes", "start_fen")
        if question.candidates:
            return ServerCall(COMPARE, {**arguments, "candidates": list(question.candidates)}, Findings)
        if question.lines_max:
            return ServerCall(BEST_LINES, {**arguments, "lines": question.lines_max}, Findings)
        return ServerCall(EVALUATE, arguments, Findings)

    def answer(self, result: Findings) -> Examined:
        return Examined(result.moves)

    def misfit(self, question: Examine, answer: Examined) -> Misfit | None:
        problem = misshapen(question, answer, question.candidates or legal_after(question.start_fen, question.moves))
        return Misfit(*problem) if problem else None

    def sample(self, question: Examine) -> Examined:
        """An engine that sees no advantage, and lines as long as they may be."""
        moves = question.candidates or legal_after(question.start_fen, question.moves)[: question.lines_max or 1]
        return Examined(tuple(ExaminedMove(0, " ".join([move] * LINE_MOVES_MAX), None) for move in moves))

    def scripted_request(self, call: str) -> str:
        return REQUEST.format(candidates_max=SCRIPTED_CANDIDATES) if call == COMPARE else ""

    def scripted_arguments(self, reply: str) -> Mapping[str, Any]:
        return {"moves": reply.rpartition(TAG)[2].strip()}


ENGINE_SERVER: Final = EngineServer()


SYSTEM: Final = """\
You can call tools of the engine Stockfish. {tools} You may make at most {calls_max} calls of them before each \
decision. A reply that calls a tool declares nothing: declare in a reply without calls, in the form told above."""
EVALUATED: Final = """\
The engine Stockfish has searched this position with {nodes:,} nodes. Below is its value for you in pawns; mate +2 \
says that you mate in 2 moves, mate -2 that you are mated.
{value}"""
FOUND: Final = f"""\
The engine Stockfish has searched for your best moves one after another, with {{nodes:,}} nodes for each. {LEGEND}
{{lines}}"""

TOOLS: Final[dict[str, Tool]] = {
    EVALUATE: Tool(
        "Let the engine Stockfish say what the position is worth to you. It names no move.",
        EVALUATE,
        '{"additionalProperties":false,"properties":{},"type":"object"}',
    ),
    COMPARE: Tool(
        "Let the engine Stockfish examine legal moves of yours: the value of each, and what it expects then.",
        COMPARE,
        '{"additionalProperties":false,"properties":{"moves":{"description":"Legal moves, with commas between them, '
        'at most 200 characters.","type":"string"}},"required":["moves"],"type":"object"}',
    ),
    BEST_LINES: Tool(
        "Let the engine Stockfish find your best moves: the value of each, and what it expects then.",
        BEST_LINES,
        '{"additionalProperties":false,"properties":{"lines":{"description":"How many moves to find; as many as you '
        'may where it is left out.","maximum":10,"minimum":1,"type":"integer"}},"type":"object"}',
    ),
}
WORDS: Final = {
    EVALUATE: "evaluate_position tells what the position is worth to you.",
    COMPARE: "compare_moves examines moves that you name, at most {candidates_max}.",
    BEST_LINES: "best_lines finds your best moves, at most {lines_max}.",
}
MALFORMED: Final = {
    EVALUATE: "Not evaluated: expected a call without arguments.",
    COMPARE: 'Not examined: expected arguments of the form {"moves": "..."} with 1 to 200 characters.',
    BEST_LINES: 'Not searched: expected no arguments, or {"lines": N} with N from 1 to 10.',
}
TEMPLATES: Final = {
    **call_templates("chess960", tuple(TOOLS.values()), SYSTEM, (*WORDS.values(), *MALFORMED.values())),
    "chess960/tool_evaluated": EVALUATED,
    "chess960/tool_best_lines_answer": FOUND,
}


class _Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of evaluate_position."""


class _Lines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of best_lines."""

    lines: Annotated[int, Meta(ge=1, le=LINES_MOST)] = LINES_MOST


class _Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of compare_moves."""

    moves: Annotated[str, Meta(min_length=1, max_length=DECLARATION_CHARACTERS_MAX)]


A = TypeVar("A", bound=msgspec.Struct)
_NOTHING: Final = msgspec.json.Decoder(_Nothing)
_LINES: Final = msgspec.json.Decoder(_Lines)
_NAMED: Final = msgspec.json.Decoder(_Named)


def toolbox(use: ToolUse | None, game: Game960, name: GameName, dice: Dice) -> ToolCalls | None:
    """The engine's tools as the player to move may call them; None where it may not."""
    if use is None or not use.calls_max:
        return None
    at = _Position(use, game, name, dice)
    reads = {EVALUATE: at.evaluation, COMPARE: at.comparison, BEST_LINES: at.best_lines}
    offered = tuple(OfferedTool(TOOLS[tool], MALFORMED[tool], reads[tool]) for tool in TOOLS if tool in use.offers)
    words = " ".join(WORDS[tool.tool.name] for tool in offered)
    words = words.format(candidates_max=use.candidates_max, lines_max=use.lines_max)
    return ToolCalls(offered, SYSTEM.format(tools=words, calls_max=use.calls_max), use.calls_max)


class _Position:
    """A position in which a player may call tools: each method reads a call's arguments, None if not as declared."""

    def __init__(self, use: ToolUse, game: Game960, name: GameName, dice: Dice) -> None:
        self._use, self._game, self._name, self._dice = use, game, name, dice

    def evaluation(self, arguments: str) -> Asking | None:
        return self._evaluate if _read(_NOTHING, arguments) else None

    def best_lines(self, arguments: str) -> Asking | None:
        wish = _read(_LINES, arguments)
        return partial(self._find_lines, min(wish.lines, self._use.lines_max)) if wish else None

    def comparison(self, arguments: str) -> Asking | None:
        wish = _read(_NAMED, arguments)
        if wish is None or is_unfit(wish.moves):
            return None
        candidates = legal_moves(wish.moves, self._game, self._use)
        return partial(consult, self._use, candidates, self._game, self._name, self._dice)

    def _evaluate(self, number: int) -> Script[str]:
        (found,) = yield from examined(self._use, (), 0, self._game, self._name, number)
        if self._use.is_placebo:
            found = drawn_value(found, self._placebo(EVALUATE))
        return EVALUATED.format(nodes=self._use.nodes, value=value_told(found))

    def _find_lines(self, lines: int, number: int) -> Script[str]:
        moves = yield from examined(self._use, (), lines, self._game, self._name, number)
        if self._use.is_placebo:
            stream = self._placebo(f"{BEST_LINES}/{lines}")
            moves = drawn(moves, sorted(self._game.legal_moves()), self._game.board, stream, is_ranked=False)
        return FOUND.format(nodes=self._use.nodes, lines="\n".join(map(told, moves)))

    def _placebo(self, asked: str) -> Stream:
        return self._dice.stream(placebo_label(self._name, self._game, asked))


def _read(decoder: "msgspec.json.Decoder[A]", arguments: str) -> A | None:
    """The arguments of a call; None where they are not as declared."""
    try:
        return decoder.decode(given(arguments).encode())
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return None
