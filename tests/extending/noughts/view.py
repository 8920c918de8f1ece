"""What is shown: the moves, the result, the score of a match."""

from collections.abc import Iterator

from ...core.columns import row
from ...plan.manifest import Plan
from ...scoring.match_figures import MatchAnalysis
from ...show.game_view import GameView
from ...show.replayed_game import PlayedGame
from .game import GAME, NoughtsRecord
from .scoring import NoughtsCounts, ending


class NoughtsView(GameView):
    """Noughts and crosses on the screen."""

    game = GAME
    null = 0.5
    figure_unit = "points a game"
    short_unit = ""
    places = ("X", "O")

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        record: NoughtsRecord = played.record
        who = "nobody wins" if record.winner < 0 else f"{'XO'[record.winner]} ({played.placed[record.winner]}) wins"
        result = f"Result: {who}, {self.ended(record)}"
        yield f"{record.game}: X {played.first}, O {played.second}"
        yield result
        yield "Squares: " + " ".join(str(move + 1) for move in record.moves)
        yield ""
        yield result

    def document(self, played: PlayedGame) -> dict[str, object]:
        return {"squares": [move + 1 for move in played.record.moves], "winner": played.record.winner}

    def ended(self, record: NoughtsRecord) -> str:
        return f"{ending(record).replace('_', ' ')}, {len(record.moves)} moves"

    def size(self, counts: NoughtsCounts) -> str:
        return f"{counts.games:,} games"

    def details(self, counts: NoughtsCounts, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:
        yield from row("wins, draws", f"{counts.won}, {counts.drawn}")


VIEW = NoughtsView()
