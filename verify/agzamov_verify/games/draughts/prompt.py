"""The words a seat reads in a game of English draughts. Changing a byte here makes a new protocol version.

Each rule is one sentence with a name, and what depends on settings is filled in from them; tests hold every sentence
against the game as it is played. No legal moves are listed. No line is a declared move, whatever is put in its place by
the reader: the form has a placeholder, and the spelling is told in words.
"""

from typing import Final

import msgspec

from ...core.questions import Message
from ...table.decision import IllegalPolicy, answer_terms
from ...table.prompt_lines import form_of
from .board import WHITE
from .rules import DraughtsGame

TAG: Final = "MOVE:"
TURN_WORDS: Final = "It is your turn in this game of English draughts."


class DraughtsRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of play of one run. Defaults are the normative ones of the protocol.

    `quiet_moves_max`: moves of each side in a row without a capture or a move of a man, after which a game is drawn.
    `plies_max`: moves of both sides together after the ballot, after which it is.
    """

    illegal: IllegalPolicy = IllegalPolicy.SUBSTITUTE
    plies_max: int = 200
    quiet_moves_max: int = 40


RULES: Final = {
    "numbers": (
        "The 32 dark squares of the board are numbered from 1 to 32, row by row, with squares 1 to 4 in the first row."
    ),
    "start": (
        "Black has the men that began on squares 1 to 12 and go towards square 32; White has those that began on "
        "squares 21 to 32 and go towards square 1."
    ),
    "ballot": "Three moves were drawn by lot and played before your game, Black's first; White moves next.",
    "man": "A man moves one square forward along a diagonal, to an empty square.",
    "king": "A king moves one square forward or backward along a diagonal, to an empty square.",
    "capture": (
        "A piece captures an enemy piece that is next to it on a diagonal by jumping over it to the empty square right "
        "behind; a man captures forward only, a king forward and backward."
    ),
    "compulsory": "Whoever can capture must capture, and may choose any of several captures.",
    "to_its_end": (
        "A capture must go on with the same piece as long as it can jump, and no piece may be jumped twice; all pieces "
        "that were jumped leave the board."
    ),
    "crowned": "A man that reaches the farthest row becomes a king, and its move ends there, even if it could jump on.",
    "no_move": "A player who is to move and has no legal move, or no piece, has lost.",
    "repetition": "The game is drawn when the same position with the same player to move occurs for the third time.",
    "no_progress": (
        "It is drawn after {quiet_moves_max} moves in a row by each side without a capture or a move of a man."
    ),
    "ply_limit": (
        "It is drawn if it has not ended after {plies_max} moves of both sides together, the first three not counted."
    ),
    "spelling": (
        "A move is written as the number of the square that the piece leaves, a hyphen, and the number of the square "
        "that it goes to; a capture is written with an x in the place of the hyphen, and with every square that the "
        "piece lands on, in order, an x before each."
    ),
}
"""The rules by name, in the order in which they are told."""

INTRODUCTION: Final = (
    "You are playing a game of English draughts (checkers on 64 squares) against one opponent, by the rules of the "
    "World Checkers/Draughts Federation; draws need not be claimed."
)
_PARAGRAPHS: Final = (
    ("numbers", "start", "ballot"),
    ("man", "king", "capture", "compulsory", "to_its_end", "crowned"),
    ("no_move", "repetition", "no_progress", "ply_limit"),
    ("spelling",),
)
_FORM: Final = """\
You may think before you answer. Declare your move on the last line of your answer, in exactly this form:
MOVE: <move>
Only the last line that starts with MOVE: counts. It must hold one legal move and nothing else."""
SYSTEM: Final = "\n\n".join(
    [
        INTRODUCTION,
        *(" ".join(RULES[name] for name in names) for names in _PARAGRAPHS),
        "{answers}",
        _FORM,
    ]
)
REMINDER: Final = "Declare one legal move on the last line, in the form MOVE: <move>"


def _turn(side: str, fen: str, diagram: str, moves: str) -> str:
    return f"""\
You play {side}. {TURN_WORDS}
FEN: {fen}
Board, squares 1 to 4 at the top; after each number b is a man and B a king of Black, w and W of White, a dot is empty:
{diagram}
Moves so far: {moves}"""


TURN: Final = _turn("{side}", "{fen}", "{diagram}", "{moves}")
SIGN: Final = f"{TURN_WORDS}\nFEN: "
_END: Final = form_of(REMINDER)
_BRIEFING: Final = "\nOpponent profile:\n{briefing}"

TEMPLATES: Final = {
    "draughts/system": SYSTEM,
    "draughts/turn": TURN,
    "draughts/reminder": REMINDER,
    "draughts/form": _END,
    "draughts/briefing": _BRIEFING,
}


def system_message(patterns: tuple[str, ...], rules: DraughtsRules, tokens_max: int) -> Message:
    """The system prompt by the settings of a run. `tokens_max`: the limit of one answer, 0 for none."""
    constraints = "".join(f"\n\nYou must keep this rule in every game: {text}" for text in patterns)
    text = SYSTEM.format(
        quiet_moves_max=rules.quiet_moves_max,
        plies_max=rules.plies_max,
        answers=answer_terms(rules.illegal, tokens_max, "move", "game"),
    )
    return Message(text + constraints, "system")


def turn_message(game: DraughtsGame, briefing: str) -> Message:
    """The user prompt of the side to move."""
    side = "White" if game.position.turn == WHITE else "Black"
    text = _turn(side, game.fen(), game.diagram(), game.moves_text)
    if briefing:
        text += _BRIEFING.format(briefing=briefing)
    return Message(text + _END, "user")
