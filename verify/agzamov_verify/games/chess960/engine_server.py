"""The server of the engine's tools, as it is called: what a question `Examine` becomes, and what may come back."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import msgspec

from ...questions import LINE_MOVES_MAX, Examine, Examined, ExaminedMove
from ...tool_use import BEST_LINES, COMPARE, EVALUATE
from ...uci_positions import legal_after
from ..game_tool import GameTool, Misfit, ServerCall, only
from .findings import misshapen
from .tool import NO_CANDIDATES, REQUEST, TAG

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
