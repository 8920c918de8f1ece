"""The door to the reference players: text in, text out."""

from collections.abc import Callable

from agzamov_verify.dice import Stream
from agzamov_verify.questions import Message

from . import chess_player, holdem_player, random_player
from .reading import Page, dice, read_page

# The first line of a user message that gives each game away, and who answers there.
_SIGNS = {"chess960": "\nFEN: ", "holdem": "Hole cards: ["}
_PLAYERS: dict[tuple[str, str], Callable[[Page, Stream], str]] = {
    ("reference", "chess960"): chess_player.reply,
    ("reference", "holdem"): holdem_player.reply,
    ("random", "chess960"): random_player.chess_reply,
    ("random", "holdem"): random_player.holdem_reply,
}


def reply(kind: str, messages: tuple[Message, ...], seed: int) -> str:
    """What the player `kind` ("reference" or "random") answers. Raises ValueError for what it cannot read."""
    page = read_page(messages)
    game = next((game for game, sign in _SIGNS.items() if sign in page.situation), None)
    if game is None:
        raise ValueError(f"expected a prompt of {' or '.join(_SIGNS)}, found {page.situation[:60]!r}")
    player = _PLAYERS.get((kind, game))
    if player is None:
        kinds = sorted({name for name, _ in _PLAYERS})
        raise ValueError(f"expected a player of kind {' or '.join(kinds)}, found {kind!r}")
    return player(page, dice(page, seed, f"{kind}/{game}"))
