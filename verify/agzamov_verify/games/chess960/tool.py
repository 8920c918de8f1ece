"""The tool of Chess960 at a decision: the seat names candidate moves, the engine examines them, its answer is told.

    question to the seat      the position, and a request for candidates
    its reply                 CANDIDATES: e2e4, g1f3
    question to the engine    the candidates that are legal, each once, as many as the tool may examine
    told with the decision    g1f3: +0.31, then d7d5 d2d4 g8f6 c2c4
                              e2e4: -0.05, then e7e5 f2f4 e5f4 g1f3

The placebo tells the same candidates in a drawn order, with drawn values and drawn legal moves: as many lines, and each
number and move as long as the engine's.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import chess
import msgspec
from msgspec import Meta

from ...dice import Dice, Stream
from ...memory.tools import is_unfit
from ...questions import EXAMINED, FOUND_MAX, LINE_MOVES_MAX, Examine, Examined, ExaminedMove, NoReply, Reply, Tool
from ...script import Divergence, Script, ask
from ...tool_use import ToolUse
from ..declared import LINE_CHARS_MAX, Accepted, Fault, declared
from ..page import Page
from ..players import GameName
from ..tool_calls import ToolCalls, call_templates
from .rules import Game960
from .spelling import read_move

TAG: Final = "CANDIDATES:"
REQUEST: Final = """\
This is not yet the time to move. The engine Stockfish can examine up to {candidates_max} legal moves of yours. Then \
you are asked for your move, and told what it found. Name the moves that you want examined on the last line of this \
answer, in exactly this form:
CANDIDATES: <move>, <move>"""
STEERED: Final = (
    "Choose what is to be examined in the light of what you are told of this opponent and by your documents."
)
ANSWER: Final = """\
The engine Stockfish has examined the moves that you named, with {nodes:,} nodes each, the best first. Each has its \
value for you in pawns, and the moves that the engine expects then; mate +2 says that you mate in 2 moves, mate -2 \
that you are mated.
{lines}"""
NO_CANDIDATES: Final = "You named no legal move that could be examined."
SYSTEM: Final = """\
The tool examine_moves lets the engine Stockfish examine up to {candidates_max} moves that you name. You may make at \
most {calls_max} calls of it before each decision. A reply that calls a tool declares nothing: declare in a reply \
without calls, in the form told above."""
MALFORMED: Final = 'Not examined: expected arguments of the form {"moves": "..."} with 1 to 200 characters.'
TOOL: Final = Tool(
    "Let the engine Stockfish examine legal moves of yours: the value of each, and what it expects then.",
    "examine_moves",
    '{"additionalProperties":false,"properties":{"moves":{"description":"Legal moves, with commas between them, '
    'at most 200 characters.","type":"string"}},"required":["moves"],"type":"object"}',
)
TEMPLATES: Final = {
    **call_templates("chess960", TOOL, SYSTEM, MALFORMED),
    "chess960/tool_request": REQUEST,
    "chess960/tool_request_steered": STEERED,
    "chess960/tool_answer": ANSWER,
    "chess960/tool_no_candidates": NO_CANDIDATES,
}
MATE_CENTIPAWNS: Final = 10 * FOUND_MAX
"""Beyond every value in centipawns."""
_BETWEEN = re.compile(r"[,;\s]+")
_MOVE = "[a-h][1-8][a-h][1-8][qrbn]?"
_EXPECTED = re.compile(rf"{_MOVE}(?: {_MOVE}){{0,{LINE_MOVES_MAX - 1}}}")
_BEST = re.compile(rf"^({_MOVE}): ", re.MULTILINE)


class _Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of a call."""

    moves: Annotated[str, Meta(min_length=1, max_length=LINE_CHARS_MAX)]


_NAMED: Final = msgspec.json.Decoder(_Named)


def request(use: ToolUse) -> str:
    """The request for candidates, as the end of the situation in a prompt."""
    text = REQUEST.format(candidates_max=use.candidates_max)
    return f"{STEERED}\n{text}" if use.is_steered else text


def requested(page: Page) -> int:
    """The number of candidates that a prompt asks for; 0 where it asks for a move."""
    found = re.search(r"can examine up to (\d{1,2}) legal moves", page.situation)
    return int(found[1]) if found else 0


def candidates_line(moves: Sequence[str]) -> str:
    """Candidates as they are declared."""
    return f"{TAG} {', '.join(moves)}"


def best_told(page: Page) -> str:
    """The candidate that stands first in the answer that a prompt tells; empty where it tells none."""
    found = _BEST.search(page.tool)
    return found[1] if found else ""


def read_candidates(reply: Reply | NoReply, game: Game960, use: ToolUse) -> tuple[str, ...]:
    """The first legal moves that a reply names as candidates, each once, in UCI."""
    line = declared(reply, TAG)
    return () if isinstance(line, Fault) else legal_moves(line.text, game, use)


def legal_moves(named: str, game: Game960, use: ToolUse) -> tuple[str, ...]:
    """The first legal moves of those that are named with commas or spaces between them, each once, in UCI."""
    readings = (read_move(text, game) for text in _BETWEEN.split(named) if text)
    legal = dict.fromkeys(reading.action.uci() for reading in readings if isinstance(reading, Accepted))
    return tuple(legal)[: use.candidates_max]


def toolbox(use: ToolUse | None, game: Game960, name: GameName, dice: Dice) -> ToolCalls | None:
    """The engine as the player to move may call it; None where it may not."""
    if use is None or not use.calls_max:
        return None

    def answer(named: str, number: int) -> Script[str]:
        return consult(use, legal_moves(named, game, use), game, name, dice, number)

    system = SYSTEM.format(calls_max=use.calls_max, candidates_max=use.candidates_max)
    return ToolCalls(TOOL, system, use.calls_max, MALFORMED, _read, answer)


def _read(arguments: str) -> str | None:
    """The moves that a call names; None where its arguments are not as declared."""
    try:
        moves = _NAMED.decode(arguments.encode()).moves
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return None
    return None if is_unfit(moves) else moves


def consult(
    use: ToolUse, candidates: tuple[str, ...], game: Game960, name: GameName, dice: Dice, number: int = 0
) -> Script[str]:
    """Have the engine examine the candidates; the text that their player is told.

    `number`: that of a model's call, from 1. Each call draws a placebo of its own.
    """
    if not candidates:
        return NO_CANDIDATES
    question = Examine(
        attempt=number,
        candidates=candidates,
        game=name.id,
        moves=game.moves_text,
        nodes=use.nodes,
        start_fen=game.start_fen,
        to=use.to,
        turn=game.ply,
    )
    answer = yield from ask(question, EXAMINED)
    if problem := misshapen(question, answer):
        raise Divergence(f"game {question.game} turn {question.turn}", *problem)
    moves = _ranked(answer.moves)
    if use.is_placebo:
        moves = _drawn(moves, game.board, dice.stream(f"tool_placebo/{name.label}/{game.ply}/{number}"))
    return ANSWER.format(nodes=use.nodes, lines="\n".join(map(_line, moves)))


def misshapen(question: Examine, answer: Examined) -> tuple[str, str] | None:
    """What was expected of an answer and what it is, where it is not about the candidates that were asked."""
    named = tuple(move.line.partition(" ")[0] for move in answer.moves)
    if named != question.candidates:
        return f"findings about {' '.join(question.candidates)}", " ".join(named)[:200] or "none"
    if any((move.centipawns is None) == (move.mate is None) or move.mate == 0 for move in answer.moves):
        return "values in centipawns or in moves to mate", "both, or none"
    if any(abs(move.centipawns or move.mate or 0) > FOUND_MAX for move in answer.moves):
        return f"values up to {FOUND_MAX}", "a greater one"
    if any(not _EXPECTED.fullmatch(move.line) for move in answer.moves):
        return f"lines of at most {LINE_MOVES_MAX} moves", "something else"
    return None


def _ranked(moves: Sequence[ExaminedMove]) -> list[ExaminedMove]:
    return sorted(moves, key=_value, reverse=True)


def _value(move: ExaminedMove) -> int:
    """Centipawns, and beyond them mates: the sooner a mate, the further from zero."""
    if move.mate is None:
        return move.centipawns or 0
    return MATE_CENTIPAWNS - move.mate if move.mate > 0 else -MATE_CENTIPAWNS - move.mate


def _line(move: ExaminedMove) -> str:
    """A candidate as it is told."""
    first, _, rest = move.line.partition(" ")
    then = f", then {rest}" if rest else ""
    return f"{first}: {_spelled(move)}{then}"


def _spelled(move: ExaminedMove) -> str:
    if move.mate is not None:
        return f"mate {move.mate:+d}"
    centipawns = move.centipawns or 0
    return f"{'-' if centipawns < 0 else '+'}{abs(centipawns) // 100}.{abs(centipawns) % 100:02d}"


# --- placebo -------------------------------------------------------------------------------------


def _drawn(moves: Sequence[ExaminedMove], board: chess.Board, stream: Stream) -> list[ExaminedMove]:
    """Drawn findings in the form of true ones."""
    values = _ranked([_drawn_value(move, stream) for move in moves])
    candidates = stream.deal([move.line.partition(" ")[0] for move in moves], len(moves))
    lines = [
        " ".join(_drawn_line(first, move.line, board, stream)) for first, move in zip(candidates, moves, strict=True)
    ]
    return [msgspec.structs.replace(value, line=line) for value, line in zip(values, lines, strict=True)]


def _drawn_value(move: ExaminedMove, stream: Stream) -> ExaminedMove:
    """A value of either sign with as many digits."""
    sign = stream.choice((-1, 1))
    if move.mate is not None:
        return ExaminedMove(None, "", sign * max(1, _as_long(abs(move.mate), stream)))
    pawns = _as_long(abs(move.centipawns or 0) // 100, stream)
    return ExaminedMove(sign * (100 * pawns + stream.below(100)), "", None)


def _as_long(number: int, stream: Stream) -> int:
    """A number with as many digits."""
    digits = len(str(number))
    least = 10 ** (digits - 1) if digits > 1 else 0
    return least + stream.below(10**digits - least)


def _drawn_line(first: str, line: str, board: chess.Board, stream: Stream) -> Iterator[str]:
    """`first` and drawn legal moves, as many as in `line` if the game lasts, and each as long if one is."""
    yield first
    board = board.copy(stack=False)
    board.push(chess.Move.from_uci(first))
    for text in line.split()[1:]:
        legal = sorted(move.uci() for move in board.generate_legal_moves())
        if not legal:
            return
        drawn = stream.choice([move for move in legal if len(move) == len(text)] or legal)
        yield drawn
        board.push(chess.Move.from_uci(drawn))
