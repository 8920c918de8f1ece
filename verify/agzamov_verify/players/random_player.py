"""The random player (SPEC S16): a uniform legal move, or a uniform legal kind of action and amount."""

from collections.abc import Callable
from typing import Final

import chess

from ..dice import Stream
from ..games.holdem.rules import in_bb
from ..questions import Message
from .reading import Page, Verb, dice, game_of, labelled, read_page, read_spot


def reply(messages: tuple[Message, ...], seed: int) -> str:
    """What the random player answers. Raises ValueError for a prompt that it cannot read."""
    page = read_page(messages)
    game = game_of(page)
    return _PLAYERS[game](page, dice(page, seed, f"random/{game}"))


def chess_reply(page: Page, stream: Stream) -> str:
    """One of the legal moves of the FEN, in a fixed order."""
    board = chess.Board(labelled(page, "FEN"), chess960=True)
    moves = sorted(move.uci() for move in board.generate_legal_moves())
    return f"One of {len(moves)} legal moves, by chance.\nMOVE: {stream.choice(moves)}"


def holdem_reply(page: Page, stream: Stream) -> str:
    """One of the legal kinds; for a bet or raise a uniform total in the range."""
    options = read_spot(page).options
    verb = stream.choice(options.verbs)
    to_chips = 0
    if verb in (Verb.BET, Verb.RAISE):
        to_chips = options.min_to_chips + stream.below(options.max_to_chips - options.min_to_chips + 1)
    return f"One of {len(options.verbs)} kinds of action, by chance.\nACTION: {spelled(verb, to_chips)}"


def spelled(verb: Verb, to_chips: int) -> str:
    """An action as it is declared."""
    match verb:
        case Verb.BET:
            return f"bet {in_bb(to_chips)}"
        case Verb.RAISE:
            return f"raise to {in_bb(to_chips)}"
        case _:
            return verb.value


_PLAYERS: Final[dict[str, Callable[[Page, Stream], str]]] = {"chess960": chess_reply, "holdem": holdem_reply}
