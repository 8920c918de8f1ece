"""A game of draughts in Portable Draughts Notation (PDN 3.0), as readers of PDN 1.0 take it, too.

GameType 21 is English draughts; a result is told White first, and Black makes the first move of each number. The
ballot's moves are the first three of the game, so that no SetUp is needed; the tag Ballot repeats them. Captures have
their whole path, and the result stands once, as a token of its own at the end: 1-0 in the midst would read as a move.

    1. 9-13 21-17 2. 5-9 { drawn from the seed in place of ... } 25-21 3. 11-15 1-0
"""

from textwrap import wrap
from typing import Final

from ...core.columns import ascii_words
from ...show.replayed_game import PlayedGame
from .game_script import DraughtsRecord
from .rules import End

LINE: Final = 79
GAME_TYPE: Final = "21"
SCORES: Final = {2: "1-0", 1: "1/2-1/2", 0: "0-1"}
TERMINATIONS: Final = {End.FORFEIT: "rules infraction", End.PLY_LIMIT: "unterminated"}
"""Values of the tag Termination, as in PGN; every other end is "normal"."""
SUBSTITUTED: Final = "{ drawn from the seed in place of an illegal or missing move }"


def pdn(played: PlayedGame, title: str) -> str:
    """One game, with an empty line after it."""
    record: DraughtsRecord = played.record
    result = SCORES[record.white_halfpoints]
    tags = {
        "Event": title,
        "Site": "?",
        "Date": "????.??.??",
        "Round": str(played.number + 1),
        "White": played.first,
        "Black": played.second,
        "Result": result,
        "GameType": GAME_TYPE,
        "Ballot": record.ballot,
        "PlyCount": str(len(record.all_moves)),
        "Termination": TERMINATIONS.get(record.end, "normal"),
        "EndReason": record.end.value,
        "GameId": record.game,
        "Match": played.match.id,
    }
    header = "\n".join(f'[{name} "{_escaped(value)}"]' for name, value in tags.items())
    movetext = " ".join((*_movetext(record), result))
    return f"{header}\n\n" + "\n".join(wrap(movetext, LINE, break_on_hyphens=False, break_long_words=False)) + "\n\n"


def _escaped(value: str) -> str:
    """The value of a tag: printable ASCII, with a backslash before each quote and backslash."""
    return ascii_words(value).replace("\\", "\\\\").replace('"', '\\"')


def _movetext(record: DraughtsRecord) -> list[str]:
    first = len(record.ballot.split())
    substituted = {first + ply for ply in record.substituted}
    words = []
    for ply, move in enumerate(record.all_moves):
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        words.append(move)
        if ply in substituted:
            words.append(SUBSTITUTED)
    return words
