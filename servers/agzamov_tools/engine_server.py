"""Stockfish as an MCP server: the value of a position, moves compared, best lines, each in a search of so many nodes.

A position is a start, in X-FEN as Chess960 needs it, and the moves played from there in UCI with spaces between them;
castling is the king's move onto its rook. Values are for the side to move, in centipawns or in moves to mate.
"""

from collections.abc import Sequence
from typing import Annotated

import anyio
import anyio.to_thread
import chess
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from agzamov_mcp.plain_server import READ_ONLY, PlainServer
from agzamov_verify.core.questions import TOOL, Examine, ExaminedMove
from agzamov_verify.engines.uci_engine import EngineFault, UciEngine, legal_after
from agzamov_verify.table.game_tool import LINES_MOST

NAME = "agzamov-tool-chess960"
NODES_MAX = 1_000_000
MOVES_MAX = 218
"""Legal moves that a position of chess can have."""

NODES = 50_000
"""Where a client names no number: that of the protocol."""
LINES = 3
INSTRUCTIONS = (
    "Stockfish on positions of chess and Chess960. A position is a start in FEN and the moves played from there in UCI."
    " Values are for the side to move: centipawns, or moves to mate."
)

# Strict: a number that came as text is an error of the caller. Text is a plain `str` with a description, since the SDK
# parses a text that looks like JSON under any other type.
StartFen = Annotated[
    str,
    Field(
        description="Start position in FEN; for Chess960 castling rights may be files (X-FEN or Shredder-FEN), as in"
        " 'bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1'."
    ),
]
Played = Annotated[
    str,
    Field(
        description="Moves played from the start, in UCI with blanks between them, as in 'e2e4 e7e5'; empty for the"
        " start itself. Castling is the king's move onto its own rook."
    ),
]
Nodes = Annotated[
    int,
    Field(strict=True, ge=1, le=NODES_MAX, description="Nodes of each search. Fewer than 5,000 are unreliable."),
]
Lines = Annotated[int, Field(strict=True, ge=1, le=LINES_MOST, description="How many of the best moves to find.")]
Moves = Annotated[
    list[str],
    Field(min_length=1, max_length=MOVES_MAX, description="Legal moves to compare, in UCI, as in ['g1f3', 'e7e8q']."),
]


class Finding(BaseModel):
    """A move's value, or that of a position by its best move; `line` is what the engine expects, that move first."""

    centipawns: int | None
    line: str
    mate: int | None


class Findings(BaseModel):
    """Findings about moves."""

    moves: list[Finding]


def server_of(engine: UciEngine, version: str) -> MCPServer:
    """The server of an engine, which answers one question at a time."""
    server = PlainServer(NAME, f"{version}, {engine.name}", INSTRUCTIONS)
    turn = anyio.Lock()

    async def asked(question: Examine) -> Findings:
        async with turn:
            try:
                answer = await anyio.to_thread.run_sync(engine.examine, question)
            except EngineFault as error:
                raise ToolError(f"the engine failed: {error}") from error
        return Findings(moves=[_finding(move) for move in answer.moves])

    @server.tool(structured_output=True, annotations=READ_ONLY)
    async def evaluate_position(start_fen: StartFen, moves: Played = "", nodes: Nodes = NODES) -> Findings:
        """Tell what the position after these moves is worth to the side to move."""
        _require_legal(start_fen, moves)
        return await asked(_question(start_fen, moves, nodes))

    @server.tool(structured_output=True, annotations=READ_ONLY)
    async def compare_moves(
        start_fen: StartFen, candidates: Moves, moves: Played = "", nodes: Nodes = NODES
    ) -> Findings:
        """Tell the value of each candidate move, and the moves that the engine expects then."""
        _require_legal(start_fen, moves, candidates)
        return await asked(_question(start_fen, moves, nodes, tuple(candidates)))

    @server.tool(structured_output=True, annotations=READ_ONLY)
    async def best_lines(
        start_fen: StartFen, moves: Played = "", nodes: Nodes = NODES, lines: Lines = LINES
    ) -> Findings:
        """Find the best moves one after another, each in a search without those found before, and their values."""
        _require_legal(start_fen, moves)
        return await asked(_question(start_fen, moves, nodes, lines_max=lines))

    return server


def _question(start_fen: str, moves: str, nodes: int, candidates: tuple[str, ...] = (), lines_max: int = 0) -> Examine:
    return Examine(
        attempt=0,
        candidates=candidates,
        game="",
        lines_max=lines_max,
        moves=" ".join(moves.split()),
        nodes=nodes,
        start_fen=start_fen,
        turn=0,
        to=TOOL,
    )


def _require_legal(start_fen: str, moves: str, candidates: Sequence[str] = ()) -> None:
    """Raises ToolError."""
    try:
        legal = legal_after(start_fen, moves) if chess.Board(start_fen, chess960=True).is_valid() else []
    except ValueError as error:
        raise ToolError(f"expected a start in X-FEN and legal moves in UCI, found otherwise: {error}") from error
    if not legal:
        raise ToolError("expected a position with a legal move, found one in which the game is over, or that is none")
    if strange := next((move for move in candidates if move not in legal), ""):
        raise ToolError(f"expected legal candidates in UCI, found {strange!a:.20}")


def _finding(move: ExaminedMove) -> Finding:
    return Finding(centipawns=move.centipawns, line=move.line, mate=move.mate)
