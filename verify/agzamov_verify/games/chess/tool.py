"""The tool of chess at a decision: the seat names candidate moves, the engine examines them, its findings are told.

The engine's findings as text for a seat, and drawn ones of the same form: the placebo of a tool.

    g1f3: +0.31, then d7d5 d2d4 g8f6 c2c4
    e2e4: -0.05, then e7e5 f2f4 e5f4 g1f3

The placebo has as many lines, drawn values and drawn legal moves, each number and move as long as the engine's. Values
lie as they do in answers of the engine: see `drawn`.

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
PERMILLE: Final = 1000
FACTOR_LEAST_PERMILLE: Final = 500
FACTOR_MOST_PERMILLE: Final = 2000
"""Of the factor between true values and those of a placebo."""
SMALL_CENTIPAWNS: Final = 50
"""Bound of a placebo's value where the engine sees no advantage."""
LINE_TRIES, DEALS = 200, 5
"""Moves that may be tried for one line of a placebo, and dealings of lines to the moves that they begin with."""
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
    values = _drawn_values(moves, stream)
    values = ranked(values) if is_ranked else values
    ends = frozenset(text for text in among if _ends(board, text))
    lines = list[str]()
    for _ in range(DEALS):
        shapes, left = stream.deal(list(moves), len(moves)), stream.deal(list(among), len(among))
        firsts = [_take(left, move.line, ends) for move in shapes]
        lines = [" ".join(_drawn_line(*pair, board, stream)) for pair in zip(firsts, _lines(shapes), strict=True)]
        if [_shape(line) for line in lines] == [_shape(line) for line in _lines(shapes)]:
            break
    return [msgspec.structs.replace(value, line=line) for value, line in zip(values, lines, strict=True)]


def _lines(moves: Sequence[ExaminedMove]) -> list[str]:
    return [move.line for move in moves]


def _shape(line: str) -> tuple[str, ...]:
    """The number of moves of a line, and the piece of each promotion."""
    return tuple(text[4:] for text in line.split())


def drawn_value(move: ExaminedMove, stream: Stream) -> ExaminedMove:
    """A value of either sign with as many digits, which is between half and twice the true one; of none a small one."""
    sign, permille = stream.choice((-1, 1)), _factor_permille(stream)
    if move.centipawns == 0:
        return ExaminedMove(sign * stream.below(SMALL_CENTIPAWNS), "", None)
    return _scaled(ExaminedMove(_times(move.centipawns, sign), "", _times(move.mate, sign)), move, permille)


def _drawn_values(moves: Sequence[ExaminedMove], stream: Stream) -> list[ExaminedMove]:
    """Values as far from each other as the true ones, times a drawn factor; the best as often of either sign.

    Where all stay as long as they are, the best is turned to the other sign in half of the draws, and the others with
    it: values drawn one by one would be known by their signs, and by how far they lie from each other.
    """
    turns, permille = stream.below(2), _factor_permille(stream)
    if turns and all(move.mate is None for move in moves):
        best = max(move.centipawns or 0 for move in moves)
        turned = [ExaminedMove((move.centipawns or 0) - 2 * best, "", None) for move in moves]
        if all(_digits(one) == _digits(move) for one, move in zip(turned, moves, strict=True)):
            return [_scaled(one, move, permille) for one, move in zip(turned, moves, strict=True)]
    return [_scaled(move, move, permille) for move in moves]


def _factor_permille(stream: Stream) -> int:
    """A factor between a half and two, in thousandths."""
    return FACTOR_LEAST_PERMILLE + stream.below(FACTOR_MOST_PERMILLE - FACTOR_LEAST_PERMILLE + 1)


def _scaled(value: ExaminedMove, true: ExaminedMove, permille: int) -> ExaminedMove:
    """A value times a factor, as near to it as the digits of the true one allow."""
    if value.mate is not None:
        least, most = _range(len(str(abs(true.mate or 1))))
        moves = min(max(abs(value.mate) * permille // PERMILLE, least, 1), most)
        return ExaminedMove(None, "", moves if value.mate > 0 else -moves)
    centipawns = value.centipawns or 0
    least, most = _range(_digits(true))
    size = min(max(abs(centipawns) * permille // PERMILLE, 100 * least), 100 * most + 99)
    return ExaminedMove(size if centipawns > 0 else -size, "", None)


def _digits(move: ExaminedMove) -> int:
    """Digits of the pawns of a value."""
    return len(str(abs(move.centipawns or 0) // 100))


def _range(digits: int) -> tuple[int, int]:
    """The least and the greatest number of so many digits."""
    return (10 ** (digits - 1) if digits > 1 else 0), 10**digits - 1


def _times(number: int | None, sign: int) -> int | None:
    return None if number is None else sign * number


def _value(move: ExaminedMove) -> int:
    """Centipawns, and beyond them mates: the sooner a mate, the further from zero."""
    if move.mate is None:
        return move.centipawns or 0
    return MATE_CENTIPAWNS - move.mate if move.mate > 0 else -MATE_CENTIPAWNS - move.mate


def _ends(board: chess.Board, text: str) -> bool:
    """True if nothing can be played after a move."""
    board = board.copy(stack=False)
    board.push(chess.Move.from_uci(text))
    return not any(board.generate_legal_moves())


def _take(left: list[str], line: str, ends: frozenset[str]) -> str:
    """The first of `left` that may stand in the place of a line's move, if there is one; it is no longer left.

    It promotes to the same piece or not at all, and ends the game where the line has no other move.
    """
    first, _, rest = line.partition(" ")
    alike = [move for move in left if move[4:] == first[4:]]
    found = [move for move in alike if (move in ends) is not bool(rest)] or [move for move in alike if move not in ends]
    taken = (found or alike or left)[0]
    left.remove(taken)
    return taken


def _drawn_line(first: str, line: str, board: chess.Board, stream: Stream) -> list[str]:
    """`first` and drawn legal moves, as many as in `line`, each a promotion to the same piece where one is.

    Where no such line is found soon, moves are of another length, or the game ends before.
    """
    board = board.copy(stack=False)
    board.push(chess.Move.from_uci(first))
    wanted = [text[4:] for text in line.split()[1:]]
    tries = [LINE_TRIES]
    found = _continued(board, wanted, stream, tries)
    return [first, *(found if found is not None else _any_line(board, wanted, stream))]


def _continued(board: chess.Board, wanted: Sequence[str], stream: Stream, tries: list[int]) -> list[str] | None:
    """Legal moves with these promotions, one after another; None where there are none, or they are not found soon."""
    if not wanted:
        return []
    legal = sorted(text for move in board.generate_legal_moves() if (text := move.uci())[4:] == wanted[0])
    while legal and tries[0]:
        tries[0] -= 1
        choice = legal.pop(stream.below(len(legal)))
        board.push(chess.Move.from_uci(choice))
        rest = _continued(board, wanted[1:], stream, tries)
        board.pop()
        if rest is not None:
            return [choice, *rest]
    return None


def _any_line(board: chess.Board, wanted: Sequence[str], stream: Stream) -> Iterator[str]:
    """Drawn legal moves while the game lasts, each as long as wanted if one is."""
    for suffix in wanted:
        legal = sorted(move.uci() for move in board.generate_legal_moves())
        if not legal:
            return
        choice = stream.choice([move for move in legal if move[4:] == suffix] or legal)
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
