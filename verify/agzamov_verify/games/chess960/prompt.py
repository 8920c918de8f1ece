"""The words a seat reads in Chess960. Changing a byte here makes a new protocol version.

Two user prompts: `standard` shows the position and the moves so far; `legal_moves` adds the list of
legal moves. Which one a run uses is named in its manifest.
"""

from enum import StrEnum

from ...questions import Message
from .rules import Game960


class PromptStyle(StrEnum):
    """Which user prompt a seat gets."""

    STANDARD = "standard"
    LEGAL_MOVES = "legal_moves"


TAG = "MOVE:"

SYSTEM = """\
You are playing a game of Chess960 (Fischer Random chess) against one opponent. The pieces start in \
one of the 960 positions; all other rules are those of chess.

Moves are written in UCI notation: the origin square and the target square, and the promotion piece \
where there is one (e2e4, g1f3, e7e8q). Castling is written as the king moving onto its own rook \
(for example f1h1), or as O-O (with the rook on the h-side) or O-O-O (with the rook on the a-side).

You may think before you answer. Declare your move on the last line of your answer, in exactly this form:
MOVE: e2e4
Only the last line that starts with MOVE: counts. It must hold one legal move and nothing else."""

REMINDER = "Declare one legal move on the last line, in the form MOVE: e2e4"

_LEGAL = "\nLegal moves: {legal}"
_BRIEFING = "\nOpponent profile:\n{briefing}"


def _turn(side: str, fen: str, diagram: str, moves: str) -> str:
    return f"""\
You play {side}. It is your turn.
FEN: {fen}
Board, rank 8 at the top, White's pieces in capitals:
{diagram}
Moves so far: {moves}"""


TEMPLATES = {
    "chess960/system": SYSTEM,
    "chess960/reminder": REMINDER,
    "chess960/turn": _turn("{side}", "{fen}", "{diagram}", "{moves}"),
    "chess960/legal": _LEGAL,
    "chess960/briefing": _BRIEFING,
}


def system_message(patterns: tuple[str, ...]) -> Message:
    """The system prompt, with the behaviour that a patterned opponent must keep."""
    constraints = "".join(f"\n\nYou must keep this rule in every game: {text}" for text in patterns)
    return Message(SYSTEM + constraints, "system")


def turn_message(game: Game960, style: PromptStyle, briefing: str) -> Message:
    """The user prompt of the side to move."""
    side = "White" if game.board.turn else "Black"
    text = _turn(side, game.fen(), game.diagram(), game.moves_text or "none")
    if style is PromptStyle.LEGAL_MOVES:
        text += _LEGAL.format(legal=" ".join(game.legal_moves()))
    if briefing:
        text += _BRIEFING.format(briefing=briefing)
    return Message(text, "user")
