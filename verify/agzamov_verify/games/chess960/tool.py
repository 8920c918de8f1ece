"""The tool of Chess960 at a decision: the seat names candidates, the engine examines them, the prompt has its answer.

    question to the seat      the position, and a request for candidates
    its reply                 CANDIDATES: e2e4, g1f3
    question to the engine    the candidates that are legal, each once, as many as the tool may examine
    told with the decision    g1f3: +0.31, then d7d5 d2d4 g8f6 c2c4
                              e2e4: -0.05, then e7e5 f2f4 e5f4 g1f3

The placebo has the same candidates in a drawn order, with drawn values and drawn legal moves. What a model may call
instead is in `engine_tools`.
"""

import re
from collections.abc import Sequence
from typing import Final

from ...dice import Dice
from ...questions import EXAMINED, Examine, ExaminedMove, NoReply, Reply
from ...script import Divergence, Script, ask
from ...tool_use import ToolUse
from ..declared import Accepted, Fault, declared
from ..page import Page
from ..players import GameName
from .findings import drawn, misshapen, ranked, told
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
