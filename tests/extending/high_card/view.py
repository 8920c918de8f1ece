"""What is shown: cards, actions and chips of a round."""

from collections.abc import Iterator

from ...core.columns import row
from ...plan.manifest import Plan
from ...scoring.match_figures import MatchAnalysis
from ...show.game_view import GameView
from ...show.replayed_game import PlayedGame
from .game import GAME, SEATS_MAX, HighCardRecord
from .scoring import HighCardCounts


class HighCardView(GameView):
    """High card on the screen."""

    game = GAME
    null = 0.0
    figure_unit = "chips a round"
    short_unit = " chips"
    places = tuple(f"place {number}" for number in range(1, SEATS_MAX + 1))

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        record: HighCardRecord = played.record
        most = max(record.outcomes)
        winner = played.placed[record.outcomes.index(most)] if most > 0 else "nobody"
        result = f"Result: {winner} wins {most} chips: {self.ended(record)}"
        yield f"{record.game}: {', '.join(played.placed)}"
        yield result
        for who, card, action in zip(played.placed, record.cards, record.actions, strict=True):
            yield f"{who}: card {card}, {action}"
        yield ""
        yield result

    def document(self, played: PlayedGame) -> dict[str, object]:
        record: HighCardRecord = played.record
        return {"cards": list(record.cards), "actions": list(record.actions), "chips": list(record.outcomes)}

    def ended(self, record: HighCardRecord) -> str:
        return f"{record.actions.count('stay')} stayed"

    def size(self, counts: HighCardCounts) -> str:
        return f"{counts.rounds:,} rounds"

    def number(self, value: float) -> str:
        return f"{value:+.2f}"

    def details(self, counts: HighCardCounts, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:
        yield from row("chips", f"{counts.net_chips:+d}")


VIEW = HighCardView()
