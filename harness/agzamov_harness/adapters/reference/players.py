"""The door to the reference players: text in, text out."""

from collections.abc import Callable

from agzamov_verify.dice import Stream
from agzamov_verify.players import random_player
from agzamov_verify.players.reading import Page, dice, game_of, read_page
from agzamov_verify.questions import Message

from . import chess_player, holdem_player, house_player

_PLAYERS: dict[tuple[str, str], Callable[[Page, Stream], str]] = {
    ("reference", "chess960"): chess_player.reply,
    ("reference", "holdem"): holdem_player.reply,
}
_HOUSE, _RANDOM = "house", "random"


def reply(kind: str, messages: tuple[Message, ...], seed: int) -> str:
    """What the player `kind` ("reference", "random" or "house") answers. Raises ValueError for what it cannot read."""
    if kind == _RANDOM:
        return random_player.reply(messages, seed)
    page = read_page(messages)
    game = game_of(page)
    if (kind, game) == (_HOUSE, "holdem"):
        return house_player.reply(page, seed)
    player = _PLAYERS.get((kind, game))
    if player is None:
        kinds = sorted({_HOUSE, _RANDOM} | {name for name, _ in _PLAYERS})
        raise ValueError(f"expected a player of kind {' or '.join(kinds)}, found {kind!r}")
    return player(page, dice(page, seed, f"{kind}/{game}"))
