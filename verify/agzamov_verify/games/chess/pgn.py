"""A game of chess in Portable Game Notation (PGN standard, export format), with the engine's evaluations.

SetUp and FEN are always there: no game begins from the one start of chess. A game of standard chess has the ECO code
and the name of the opening that it begins after, and no Variant, so that any reader takes it for chess. An evaluation
is a comment `[%eval 0.31]` or `[%eval #-3]`, from White's side, after the move that it is of.
"""

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Final

import chess

from ...core.columns import ascii_words
from ...core.questions import Evaluate, Evaluation
from ...show.replayed_game import PlayedGame
from .game_script import ChessRecord
from .openings import OPENINGS
from .rules import End
from .variants import CHESS960

LINE: Final = 79
SCORES: Final = {2: "1-0", 1: "1/2-1/2", 0: "0-1"}
TERMINATIONS: Final = {
    End.ADJUDICATION: "adjudication",
    End.FORFEIT: "rules infraction",
    End.PLY_LIMIT: "unterminated",
    End.UNFINISHED: "unterminated",
}
"""Values of the tag Termination (PGN standard, 9.8.1); every other end is "normal"."""
DRAW_OFFERED: Final = "(=) draw offered"
SUBSTITUTED: Final = "drawn from the seed in place of an illegal or missing move"


def pgn(played: PlayedGame, title: str) -> str:
    """One game, with an empty line after it."""
    record: ChessRecord = played.record
    result = SCORES[record.ending.white_halfpoints]
    tags = {
        "Event": title,
        "Site": "?",
        "Date": "????.??.??",
        "Round": str(played.number + 1),
        "White": played.first,
        "Black": played.second,
        "Result": result,
        **({"Variant": CHESS960.title} if played.match.game == CHESS960.name else _opening(record)),
        "SetUp": "1",
        "FEN": record.start_fen,
        "PlyCount": str(len(record.moves)),
        "Termination": TERMINATIONS.get(record.ending.end, "normal"),
        "EndReason": record.ending.end.value,
        "GameId": record.game,
        "Match": played.match.id,
    }
    header = "\n".join(f'[{name} "{_escaped(value)}"]' for name, value in tags.items())
    movetext = " ".join((*_movetext(record, _comments(played, record)), result))
    return f"{header}\n\n" + "\n".join(wrap(movetext, LINE, break_on_hyphens=False, break_long_words=False)) + "\n\n"


def _opening(record: ChessRecord) -> dict[str, str]:
    """The tags of the opening that a game began after."""
    found = next((opening for opening in OPENINGS if opening.fen == record.start_fen), None)
    return {"ECO": found.eco, "Opening": found.name} if found else {}


def first_move_number(record: ChessRecord) -> int:
    """The number of the first move, as the start position counts."""
    return int(record.start_fen.split()[-1])


def san_moves(record: ChessRecord) -> list[str]:
    """The moves in standard algebraic notation."""
    board = chess.Board(record.start_fen, chess960=True)
    return [board.san_and_push(chess.Move.from_uci(move)) for move in record.moves]


def _escaped(value: str) -> str:
    """The value of a tag: printable ASCII, with a backslash before each quote and backslash."""
    return ascii_words(value).replace("\\", "\\\\").replace('"', '\\"')


def _movetext(record: ChessRecord, comments: Mapping[int, str]) -> Iterator[str]:
    """Move numbers, moves, and a comment after each ply that has one."""
    is_interrupted, first = True, first_move_number(record)
    for ply, san in enumerate(san_moves(record)):
        if ply % 2 == 0 or is_interrupted:
            yield f"{first + ply // 2}{'.' if ply % 2 == 0 else '...'}"
        yield san
        is_interrupted = ply in comments
        if is_interrupted:
            yield f"{{ {comments[ply]} }}"


def _comments(played: PlayedGame, record: ChessRecord) -> dict[int, str]:
    """By ply, from 0: the engine's evaluation; that a move is not the seat's own, or that it offered a draw."""
    found: dict[int, list[str]] = {}
    for question, answer in played.asked:
        if isinstance(question, Evaluate) and isinstance(answer, Evaluation):
            found.setdefault(question.turn - 1, []).append(_eval(answer, is_white_to_move=question.turn % 2 == 0))
    for ply in record.substituted:
        found.setdefault(ply, []).append(SUBSTITUTED)
    for ply in record.draw_offers:
        found.setdefault(ply, []).append(DRAW_OFFERED)
    return {ply: " ".join(words) for ply, words in found.items()}


def _eval(score: Evaluation, *, is_white_to_move: bool) -> str:
    sign = 1 if is_white_to_move else -1
    if score.mate is not None:
        return f"[%eval #{sign * score.mate}]"
    return f"[%eval {sign * (score.centipawns or 0) / 100:.2f}]"
