"""One PGN text as the values that it states, read by `chess.pgn`; nothing is repaired or guessed."""

import io
from typing import TypeAlias

import chess.pgn
import msgspec

from .published_files import PublishedError


class PgnGame(msgspec.Struct, frozen=True):
    """One game of a PGN text. `error` is the first thing that the parser could not read, or empty."""

    tags: dict[str, str]
    moves: tuple[str, ...]
    comment: str
    error: str


class _Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Keeps errors in the game, and does not log them."""

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)

    def visit_result(self, result: str) -> None:
        stated = self.game.headers.get("Result", result)
        if stated != result:
            self.handle_error(ValueError(f"the tag says {stated!r} and the text ends with {result}"))
        super().visit_result(result)


Games: TypeAlias = tuple[PgnGame, ...]


def parse(text: str, place: str, games_max: int) -> Games:
    """Every game in `text`. Raises PublishedError for more than `games_max` games."""
    stream = io.StringIO(text)
    games: list[PgnGame] = []
    while (game := chess.pgn.read_game(stream, Visitor=_Builder)) is not None:
        if len(games) == games_max:
            raise PublishedError(f"{place}: expected at most {games_max} games, found more")
        games.append(_values(game))
    return tuple(games)


def _values(game: chess.pgn.Game) -> PgnGame:
    end = game.end()
    moves = tuple(move.uci() for move in game.mainline_moves())
    error = " ".join(str(game.errors[0]).split()) if game.errors else ""
    return PgnGame(dict(game.headers), moves, end.comment.strip(), error)
