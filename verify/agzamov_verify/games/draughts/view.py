"""A game of draughts as a player knows it: result and reason, numbered moves; and its positions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from ...core.columns import WIDTH, ascii_words, paragraph, row
from ...core.questions import Message, NoReply, Reply
from ...plan.manifest import Plan
from ...scoring.match_figures import MatchAnalysis
from ...show.game_view import GameView
from ...show.glossary import label
from ...show.replayed_game import PlayedGame
from ...show.text.analysis_text import estimate
from ...table.decision import fault_classes
from ...table.declared import Accepted, Fault, read_declared
from ...table.prompt_lines import labelled, read_page
from .board import BIT, BLACK, SQUARES, Position, diagram, fen, read_fen
from .counts import DraughtsCounts
from .game import GAME
from .game_script import DraughtsRecord
from .pdn import SCORES, pdn
from .prompt import TAG
from .rules import DraughtsGame, End, positions_of
from .scoring import DraughtsAnalysis
from .spelling import read_move

REASONS: Final = {
    End.NO_MOVE: "because the loser had no legal move",
    End.THREEFOLD_REPETITION: "by threefold repetition",
    End.NO_PROGRESS: "by moves without progress: neither side captured or moved a man",
    End.PLY_LIMIT: "by the limit on the length of a game",
    End.FORFEIT: "by forfeit: the loser gave no legal move in all its attempts",
}
TITLES: Final = {
    End.NO_MOVE: "",
    End.NO_PROGRESS: "by moves without progress",
    End.PLY_LIMIT: "at the length limit",
    End.FORFEIT: "by forfeit",
}
"""The reason of an end in a heading, where it is shorter than in a sentence."""
RESULT_WIDTH: Final = 8


def placement(position: Position) -> str:
    """The 32 squares in their order: b w men, B W kings, a dot for none."""
    return "".join(_piece(position, BIT[square]) for square in SQUARES)


def _piece(position: Position, bit: int) -> str:
    if not (position.black | position.white) & bit:
        return "."
    letter = "b" if position.black & bit else "w"
    return letter.upper() if position.kings & bit else letter


def draughts_frames(record: DraughtsRecord) -> Iterator[dict[str, Any]]:
    """Frame k is the position after k plies from the ballot on; frame 0 has the ballot's moves for its label.

    `board`: `placement`. `path`: the squares of the move that led there.
    """
    moves, first = record.all_moves, len(record.ballot.split())
    positions, substituted = positions_of(moves), set(record.substituted)
    yield {"label": record.ballot, "board": placement(positions[first]), "by": -1}
    for ply, move in enumerate(record.moves):
        at = first + ply
        yield {
            "label": f"{at // 2 + 1}{'…' if at % 2 else '.'} {move}",
            "board": placement(positions[at + 1]),
            "by": ply % 2,
            "path": [int(square) for square in move.replace("x", "-").split("-")],
            **({"drawn": True} if ply in substituted else {}),
        }


def draughts_lines(played: PlayedGame, record: DraughtsRecord) -> Iterator[str]:
    """Result, ballot, moves, the last position, and the result again."""
    yield f"{record.game}: White {ascii_words(played.first)}, Black {ascii_words(played.second)}"
    yield from paragraph("Result:", result_words(played, record), RESULT_WIDTH)
    yield f"Ballot: {record.ballot}"
    yield ""
    yield from wrap(" ".join(numbered(record)), WIDTH, break_on_hyphens=False)
    if record.substituted:
        yield "(*: drawn at random from the seed in place of an illegal or missing move)"
    last = positions_of(record.all_moves)[-1]
    yield f"Last position: {fen(last)}"
    yield from diagram(last).splitlines()
    yield ""
    yield from paragraph("Result:", result_words(played, record), RESULT_WIDTH)


def result_words(played: PlayedGame, record: DraughtsRecord) -> str:
    """Result and reason of a game: "1-0, White (agent) won because ..., after 61 plies"."""
    winner = {2: f"White ({ascii_words(played.first)}) won", 0: f"Black ({ascii_words(played.second)}) won"}
    what = winner.get(record.white_halfpoints, "draw")
    length = f"after {len(record.moves)} plies from the ballot"
    return f"{SCORES[record.white_halfpoints]}, {what} {REASONS[record.end]}, {length}"


def title_words(played: PlayedGame, record: DraughtsRecord) -> str:
    """The result in a heading: "reference wins in 31 moves"."""
    count = (len(record.all_moves) + 1) // 2
    winner = {2: played.first, 0: played.second}.get(record.white_halfpoints)
    what = f"{ascii_words(winner)} wins" if winner else "draw"
    length = f"after {count} move{'' if count == 1 else 's'}"
    return " ".join(filter(None, (what, TITLES.get(record.end, REASONS[record.end]), length)))


def numbered(record: DraughtsRecord) -> Iterator[str]:
    """Numbered moves from the start of draughts, with a star for each that was drawn from the seed."""
    first = len(record.ballot.split())
    substituted = {first + ply for ply in record.substituted}
    for ply, move in enumerate(record.all_moves):
        number = f"{ply // 2 + 1}. " if ply % 2 == 0 else ""
        yield f"{number}{move}{'*' if ply in substituted else ''}"


class DraughtsView(GameView):
    """Draughts on the screen."""

    game = GAME
    null = 0.5
    figure_unit = "points a game"
    figure_bounds = (0.0, 1.0)
    short_unit = ""
    places = ("White", "Black")
    notation = "pdn"
    notation_words = "games of English draughts"
    tag = TAG

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:  # noqa: ARG002 - as declared
        return draughts_lines(played, played.record)

    def document(self, played: PlayedGame) -> dict[str, object]:
        record: DraughtsRecord = played.record
        return {
            "white": played.first,
            "black": played.second,
            "ballot": record.ballot,
            "moves": list(record.moves),
            "score": SCORES[record.white_halfpoints],
            "end": record.end.value,
            "substituted_plies": list(record.substituted),
        }

    def exported(self, played: PlayedGame, plan: Plan) -> str:
        return pdn(played, plan.title)

    def live_frame(self, asked: Sequence[tuple[Message, ...]]) -> dict[str, Any]:
        """The position that was asked about last, as text. Raises ValueError."""
        page = read_page(asked[-1])
        position, moves = read_fen(labelled(page, "FEN")), labelled(page, "Moves so far").split()
        to_act = int(position.turn == BLACK)
        lines = [*diagram(position).splitlines(), "", f"{self.places[to_act]} to move, after {moves[-1]}"]
        return {"label": moves[-1], "said": lines[-1], "by": -1, "to_act": to_act, "lines": lines}

    def actions(self, record: DraughtsRecord) -> Mapping[int, str]:
        return dict(enumerate(record.moves))

    def frames(self, played: PlayedGame, plan: Plan) -> list[dict[str, Any]]:  # noqa: ARG002 - as declared
        return list(draughts_frames(played.record))

    def title(self, played: PlayedGame) -> str:
        return title_words(played, played.record)

    def readers(
        self,
        played: PlayedGame,
        plan: Plan,  # noqa: ARG002 - as declared
    ) -> Iterator[tuple[int, Callable[[Reply | NoReply], Accepted[Any] | Fault]]]:
        record: DraughtsRecord = played.record
        game = DraughtsGame(record.ballot)
        for ply, played_text in enumerate((*record.moves, "")):
            yield ply % 2, lambda answer: read_declared(answer, TAG, lambda text: read_move(text, game))
            if played_text:
                game.play(played_text)

    def thumbnail(self, played: PlayedGame, frames: list[dict[str, Any]]) -> str:  # noqa: ARG002 - as declared
        return str(frames[-1]["board"])

    def error_classes(self, record: DraughtsRecord) -> tuple[str, ...]:
        return fault_classes(record.tallies)

    def ended(self, record: DraughtsRecord) -> str:
        return f"{record.end.value.replace('_', ' ')}, {len(record.moves)} plies"

    def size(self, counts: DraughtsCounts) -> str:
        return f"{counts.games:,} games, {counts.plies:,} plies"

    def tally(self, counts: DraughtsCounts) -> str:
        if counts.drawn:
            return f"scored +{counts.won} ={counts.drawn} -{counts.lost} against"
        return f"won {counts.won} of {counts.games} against"

    def details(self, counts: DraughtsCounts, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:  # noqa: ARG002
        yield from row(label("wins, draws, losses"), f"{counts.won}, {counts.drawn}, {counts.lost}")
        yield from row(label("pairs"), "/".join(map(str, counts.pairs)))
        if isinstance(analysis, DraughtsAnalysis):
            if analysis.p_wins:
                over = f"one-sided binomial test over n = {counts.distinct:,} distinct games"
                yield from row(label("p, wins above 1/2"), ascii_words(f"{analysis.p_wins}, {over}"))
            yield from row(label("games drawn"), estimate(analysis.drawn))


VIEW = DraughtsView()
