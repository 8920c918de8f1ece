"""The words a seat reads in a game of chess. Changing a byte here makes a new protocol version.

Two user prompts, which are two variants of the protocol: `standard` shows the position and the moves so far;
`legal_moves` adds the list of legal moves, in an order that the sealed seed draws for each decision: weak models play
the first one listed, so an order by the alphabet was a policy. Which one a run uses is named in its manifest. The form
of a declaration ends the message.

With `shots: 1` each decision is asked after one worked example, an exchange about another game: a variant, too.

No line but the example's answer is a declared move, whatever is put in its place by the reader: the form has a
placeholder, and squares are told in words.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import assert_never

import msgspec

from ...core.questions import Message
from ...core.shown import Shown
from ...documents.library import DOCUMENTS
from ...table.adjudication import Adjudication, AdjudicationPolicy
from ...table.decision import IllegalPolicy, answer_terms
from ...table.prompt_lines import TOOL, example_of, form_of
from . import read_back
from .board_picture import BOARD_SHOWN
from .rules import DrawClaims, Game960
from .variants import CHESS960, Variant


class PromptStyle(StrEnum):
    """The user prompt that a seat gets."""

    STANDARD = "standard"
    LEGAL_MOVES = "legal_moves"


class ChessTerms(msgspec.Struct, frozen=True):
    """Endings of a game beyond mate and stalemate, and the treatment of answers. `tokens_max` 0: no limit shown."""

    adjudication: Adjudication
    draw_claims: DrawClaims
    illegal: IllegalPolicy
    plies_max: int
    tokens_max: int


TAG = "MOVE:"

SYSTEM = """\
You are playing a game of {rules}

Moves are written in UCI notation: the square that the piece leaves, then the square that it goes to, with nothing \
between them; a promotion ends with the letter of the new piece (q, r, b or n). {castling}

{ends} {answers}

You may think before you answer. Declare your move on the last line of your answer, in exactly this form:
MOVE: <move>
Only the last line that starts with MOVE: counts. It must hold one legal move and nothing else."""

REMINDER = "Declare one legal move on the last line, in the form MOVE: <move>"

EXAMPLE_FEN = "8/8/1k6/8/p5R1/8/5K2/8 w - - 0 60"
"""White's rook may take a pawn that nothing defends."""
EXAMPLE_MOVE = "g4a4"
"""A move that is hardly ever legal by accident, so that who repeats the example plays nothing and gains nothing.

It cannot be at a start: the fourth rank is empty there. Only a rook or a queen goes so far along a rank: it was legal
in 0.16 % of 45,688 positions of 400 Chess960 games of random moves, half of them captures where there were any; the
rarest of all moves of four signs, c6c1, in 0.14 %. A promotion is rarer yet (e7e8q, 0.03 %), but would teach a fifth.
"""
EXAMPLE_QUESTION = f"You play White in the position {EXAMPLE_FEN}."
"""Without labelled lines: a small model goes on with them, and who reads labels finds those of the decision alone."""
EXAMPLE_ANSWER = f"The rook takes the pawn.\n{TAG} {EXAMPLE_MOVE}"
"""One short thought stands in it, since a bare move would tell a model not to think."""
EXAMPLE_EXCHANGE = example_of(EXAMPLE_QUESTION, REMINDER, EXAMPLE_ANSWER)

DRAWS = {
    DrawClaims.AUTOMATIC: (
        "The game is drawn at once when a position occurs for the third time, after 50 moves by each side without a "
        "capture or a pawn move, and when neither side can mate."
    ),
    DrawClaims.NEVER: (
        "Draws cannot be claimed. The game is drawn when a position occurs for the fifth time, after 75 moves by each "
        "side without a capture or a pawn move, and when neither side can mate."
    ),
}
PLY_LIMIT = "It is drawn if it has not ended after {plies_max} moves of both sides together."
BY_ENGINE = (
    "It may be stopped early: a side that the engine Stockfish puts ahead by more than {centipawns} centipawns after "
    "each of {plies} moves in a row, counting both sides, has won."
)
BY_MATERIAL = (
    "It may be stopped early: a side that is ahead in material by {points} points or more after each of {plies} moves "
    "in a row, counting both sides, has won. A queen counts 9 points, a rook 5, a bishop or a knight 3, a pawn 1."
)
NEVER_STOPPED = "It is never stopped early."

_FORM = form_of(REMINDER)
_LEGAL = "\nLegal moves: {legal}"
_BRIEFING = "\nOpponent profile:\n{briefing}"


def _turn(words: str, side: str, fen: str, diagram: str, moves: str) -> str:
    return f"""\
You play {side}. {words}
FEN: {fen}
Board, rank 8 at the top, White's pieces in capitals:
{diagram}
Moves so far: {moves}"""


def _turn_in_picture(words: str, side: str, rest: str) -> str:
    return f"""\
You play {side}. {words}
FEN: {BOARD_SHOWN} {rest}
The image shows the board, White's side at the bottom, with the letter of each piece on it (N is a knight)."""


def system_template(variant: Variant) -> str:
    """The system message of a variant, with places for the rules of a run."""
    return SYSTEM.replace("{rules}", variant.rules).replace("{castling}", variant.castling)


def templates(variant: Variant) -> dict[str, str]:
    """Every text of this module that a seat of a variant may read."""
    return {
        f"{variant.name}/system": system_template(variant),
        f"{variant.name}/turn": _turn(variant.turn, "{side}", "{fen}", "{diagram}", "{moves}"),
        f"{variant.name}/turn_in_picture": _turn_in_picture(variant.turn, "{side}", "{rest}"),
        **{f"{variant.name}/{name}": text for name, text in read_back.TEMPLATES.items()},
        **{f"{variant.name}/{name}": text for name, text in _SHARED.items()},
    }


_SHARED = {
    "reminder": REMINDER,
    "form": form_of(REMINDER),
    "example": "\n".join(message.content for message in EXAMPLE_EXCHANGE),
    **{f"draws_{claims.value}": text for claims, text in DRAWS.items()},
    "ply_limit": PLY_LIMIT,
    "by_engine": BY_ENGINE,
    "by_material": BY_MATERIAL,
    "never_stopped": NEVER_STOPPED,
    "legal": _LEGAL,
    "briefing": _BRIEFING,
}


def system_message(patterns: tuple[str, ...], terms: ChessTerms, variant: Variant = CHESS960) -> Message:
    """The system prompt, with the behaviour that a patterned opponent must keep."""
    constraints = "".join(f"\n\nYou must keep this rule in every game: {text}" for text in patterns)
    answers = answer_terms(terms.illegal, terms.tokens_max, "move", "game")
    return Message(system_template(variant).format(ends=_ends(terms), answers=answers) + constraints, "system")


def turn_message(  # noqa: PLR0913 - each is another part of a prompt
    game: Game960,
    style: PromptStyle,
    briefing: str,
    tool: str = "",
    request: str = "",
    documents: str = "",
    *,
    legal: Sequence[str] = (),
    shown: Shown | None = None,
    draw_offers: str = "",
) -> Message:
    """The user prompt of the side to move. `tool`: its tool's answer; `request`: text of a request that is no decision.

    `documents`: the passages that were found. `legal`: the legal moves in their order; else by the alphabet.
    `shown`: the image in the place of the board; the moves so far, which would tell it too, are then left out.
    `draw_offers`: the line that tells a person of them.
    """
    side = "White" if game.board.turn else "Black"
    if shown:
        text = _turn_in_picture(game.variant.turn, side, game.fen().partition(" ")[2])
    else:
        text = _turn(game.variant.turn, side, game.fen(), game.diagram(), game.moves_told() or "none")
    if style is PromptStyle.LEGAL_MOVES:
        text += _LEGAL.format(legal=" ".join(legal or game.legal_told()))
    text += f"\n{draw_offers}" if draw_offers else ""
    text += f"\n{request}" if request else ""
    text += DOCUMENTS + documents if documents else ""
    text += TOOL + tool if tool else ""
    if briefing:
        text += _BRIEFING.format(briefing=briefing)
    return Message(text if request else text + _FORM, "user", (shown,) if shown else ())


def _ends(terms: ChessTerms) -> str:
    """Whatever ends a game beyond mate and stalemate."""
    stopped = _stopped(terms.adjudication)
    return f"{DRAWS[terms.draw_claims]} {PLY_LIMIT.format(plies_max=terms.plies_max)} {stopped}"


def _stopped(rule: Adjudication) -> str:
    if rule.play_on_percent == 100:
        return NEVER_STOPPED
    match rule.policy:
        case AdjudicationPolicy.STOCKFISH:
            return BY_ENGINE.format(centipawns=rule.threshold_centipawns, plies=rule.plies)
        case AdjudicationPolicy.MATERIAL:
            return BY_MATERIAL.format(points=rule.threshold_points, plies=rule.plies)
        case AdjudicationPolicy.NONE:
            return NEVER_STOPPED
        case policy:
            assert_never(policy)
