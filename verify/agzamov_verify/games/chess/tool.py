"""The tool of chess at a decision: the seat names candidate moves, the engine examines them, its findings are told.

The engine's findings as text for a seat, and drawn ones of the same form: the placebo of a tool.

    g1f3: +0.31, then d7d5 d2d4 g8f6 c2c4
    e2e4: -0.05, then e7e5 f2f4 e5f4 g1f3

The placebo has as many lines, drawn values and drawn legal moves, each number and move as long as the engine's.

The tool of Chess960 at a decision: the seat names candidates, the engine examines them, the prompt has its answer.

    question to the seat      the position, and a request for candidates
    its reply                 CANDIDATES: e2e4, g1f3
    question to the engine    the candidates that are legal, each once, as many as the tool may examine
    told with the decision    g1f3: +0.31, then d7d5 d2d4 g8f6 c2c4
                              e2e4: -0.05, then e7e5 f2f4 e5f4 g1f3

The placebo has the same candidates in a drawn order, with drawn values and drawn legal moves. What a model may call
instead is in `engine_tools`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import chess
import msgspec

from ...core.dice import Dice, Stream
from ...core.questions import EXAMINED, FOUND_MAX, LINE_MOVES_MAX, Examine, Examined, ExaminedMove, NoReply, Reply
from ...core.script import Divergence, Script, ask
from ...table.declared import Accepted, Fault, declared
from ...table.game_tool import ToolUse
from ...table.players import GameName
from ...table.prompt_lines import Page
from .rules import Game960
from .spelling import read_move

MATE_CENTIPAWNS: Final = 10 * FOUND_MAX
"""Beyond every value in centipawns."""
_MOVE = "[a-h][1-8][a-h][1-8][qrbn]?"
_EXPECTED = re.compile(rf"{_MOVE}(?: {_MOVE}){{0,{LINE_MOVES_MAX - 1}}}")


def misshapen(question: Examine, answer: Examined, legal: Sequence[str]) -> tuple[str, str] | None:
    """Expected and received, for an answer that is not about what was asked.

    `legal`: the legal moves, where no candidates were asked about.
    """
    named = tuple(move.line.partition(" ")[0] for move in answer.moves)
    if question.candidates and named != question.candidates:
        return f"findings about {' '.join(question.candidates)}", " ".join(named)[:200] or "none"
    number = len(question.candidates) or min(question.lines_max or 1, len(legal))
    if len(set(named)) != number or len(named) != number or not set(named) <= set(legal):
        return f"findings about {number} legal moves", " ".join(named)[:200] or "none"
    if any((move.centipawns is None) == (move.mate is None) or move.mate == 0 for move in answer.moves):
        return "values in centipawns or in moves to mate", "both, or none"
    if any(abs(move.centipawns or move.mate or 0) > FOUND_MAX for move in answer.moves):
        return f"values up to {FOUND_MAX}", "a greater one"
    if any(not _EXPECTED.fullmatch(move.line) for move in answer.moves):
        return f"lines of at most {LINE_MOVES_MAX} moves", "something else"
    return None


def ranked(moves: Sequence[ExaminedMove]) -> list[ExaminedMove]:
    """The findings, the best first."""
    return sorted(moves, key=_value, reverse=True)


def told(move: ExaminedMove) -> str:
    """A finding as text for a seat."""
    first, _, rest = move.line.partition(" ")
    then = f", then {rest}" if rest else ""
    return f"{first}: {value_told(move)}{then}"


def value_told(move: ExaminedMove) -> str:
    """The value of a finding as text for a seat: pawns, or moves to mate."""
    if move.mate is not None:
        return f"mate {move.mate:+d}"
    centipawns = move.centipawns or 0
    return f"{'-' if centipawns < 0 else '+'}{abs(centipawns) // 100}.{abs(centipawns) % 100:02d}"


def drawn(
    moves: Sequence[ExaminedMove], among: Sequence[str], board: chess.Board, stream: Stream, *, is_ranked: bool = True
) -> list[ExaminedMove]:
    """Drawn findings in the form of true ones. `among`: the moves that they may be about.

    Those are the same ones where the seat named them, else all legal moves. `is_ranked`: the greatest value stands
    first, as where the true ones are told so. Lengths of moves and lines stand in a drawn order, or a promotion and a
    line that ends early would be known by their place.
    """
    values = [drawn_value(move, stream) for move in moves]
    values = ranked(values) if is_ranked else values
    shapes = stream.deal(list(moves), len(moves))
    left = stream.deal(list(among), len(among))
    firsts = [_take(left, len(move.line.partition(" ")[0])) for move in shapes]
    lines = [" ".join(_drawn_line(first, move.line, board, stream)) for first, move in zip(firsts, shapes, strict=True)]
    return [msgspec.structs.replace(value, line=line) for value, line in zip(values, lines, strict=True)]


def drawn_value(move: ExaminedMove, stream: Stream) -> ExaminedMove:
    """A value of either sign with as many digits."""
    sign = stream.choice((-1, 1))
    if move.mate is not None:
        return ExaminedMove(None, "", sign * max(1, _as_long(abs(move.mate), stream)))
    pawns = _as_long(abs(move.centipawns or 0) // 100, stream)
    return ExaminedMove(sign * (100 * pawns + stream.below(100)), "", None)


def _value(move: ExaminedMove) -> int:
    """Centipawns, and beyond them mates: the sooner a mate, the further from zero."""
    if move.mate is None:
        return move.centipawns or 0
    return MATE_CENTIPAWNS - move.mate if move.mate > 0 else -MATE_CENTIPAWNS - move.mate


def _take(left: list[str], characters: int) -> str:
    """The first of `left` with so many characters if there is one, else the first; it is no longer left."""
    found = next((move for move in left if len(move) == characters), left[0])
    left.remove(found)
    return found


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
        choice = stream.choice([move for move in legal if len(move) == len(text)] or legal)
        yield choice
        board.push(chess.Move.from_uci(choice))


TAG: Final = "CANDIDATES:"
REQUEST: Final = """\
This is not yet the time to move. The engine Stockfish can examine up to {candidates_max} legal moves of yours. Then \
you are asked for your move, and told what it found. Name the moves that you want examined on the last line of this \
answer, in exactly this form:
CANDIDATES: <move>, <move>"""
STEERED: Final = (
    "Choose what is to be examined in the light of what you are told of this opponent and by your documents."
)
LEGEND: Final = """\
Each has its value for you in pawns, and the moves that the engine expects then; mate +2 says that you mate in 2 \
moves, mate -2 that you are mated."""
ANSWER: Final = f"""\
The engine Stockfish has examined the moves that you named, with {{nodes:,}} nodes each, the best first. {LEGEND}
{{lines}}"""
NO_CANDIDATES: Final = "You named no legal move that could be examined."
TEMPLATES: Final = {
    "chess960/tool_request": REQUEST,
    "chess960/tool_request_steered": STEERED,
    "chess960/tool_answer": ANSWER,
    "chess960/tool_no_candidates": NO_CANDIDATES,
}
_BETWEEN = re.compile(r"[,;\s]+")
_BEST = re.compile(r"^([a-h][1-8][a-h][1-8][qrbn]?): ", re.MULTILINE)


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
    """The first candidate in the tool's answer of a prompt; empty where there is none."""
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


def consult(
    use: ToolUse, candidates: tuple[str, ...], game: Game960, name: GameName, dice: Dice, number: int = 0
) -> Script[str]:
    """Have the engine examine the candidates; return the text for the prompt.

    `number`: that of a model's call, from 1. Each question has one placebo, however often it is asked.
    """
    if not candidates:
        return NO_CANDIDATES
    moves = ranked((yield from examined(use, candidates, 0, game, name, number)))
    if use.is_placebo:
        stream = dice.stream(placebo_label(name, game, " ".join(candidates)))
        moves = drawn(moves, [move.line.partition(" ")[0] for move in moves], game.board, stream)
    return ANSWER.format(nodes=use.nodes, lines="\n".join(map(told, moves)))


def placebo_label(name: GameName, game: Game960, asked: str) -> str:
    """The label of a placebo's draw: the same for a question that is asked twice in a position."""
    return f"tool_placebo/{name.label}/{game.ply}/{asked}"


def examined(
    use: ToolUse, candidates: tuple[str, ...], lines_max: int, game: Game960, name: GameName, number: int
) -> Script[Sequence[ExaminedMove]]:
    """Ask `questions.Examine` of the engine. Raises Divergence for a misshapen answer."""
    question = Examine(
        attempt=number,
        candidates=candidates,
        game=name.id,
        lines_max=lines_max,
        moves=game.moves_text,
        nodes=use.nodes,
        start_fen=game.start_fen,
        to=use.to,
        turn=game.ply,
    )
    answer = yield from ask(question, EXAMINED)
    if problem := misshapen(question, answer, candidates or game.legal_moves()):
        raise Divergence(f"game {question.game} turn {question.turn}", *problem)
    return answer.moves
