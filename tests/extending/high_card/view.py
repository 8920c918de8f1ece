"""What is shown: cards, actions and chips of a round."""

from collections.abc import Iterator

from ...columns import row
from ...game_view import GameView
from ...manifest import Plan
from ...replayed_game import PlayedGame
from ...scoring.match_figures import MatchAnalysis
from .game import GAME, HighCardRecord
from .scoring import HighCardCounts, place_of_a


class HighCardView(GameView):
    """High card on the screen."""

    game = GAME
    null = 0.0
    figure_unit = "chips a round"
    short_unit = " chips"
    places = ("first", "second", "third")

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        record: HighCardRecord = played.record
        most = max(record.net_chips)
        winner = played.placed[record.net_chips.index(most)] if most > 0 else "nobody"
        result = f"Result: {winner} wins {most} chips: {self.ended(record)}"
        yield f"{record.game}: {', '.join(played.placed)}"
        yield result
        for who, card, action in zip(played.placed, record.cards, record.actions, strict=True):
            yield f"{who}: card {card}, {action}"
        yield ""
        yield result

    def document(self, played: PlayedGame) -> dict[str, object]:
        record: HighCardRecord = played.record
        return {"cards": list(record.cards), "actions": list(record.actions), "net_chips": list(record.net_chips)}

    def won_by_a(self, played: PlayedGame) -> int:
        chips: int = played.record.net_chips[place_of_a(played.number)]
        return (chips > 0) - (chips < 0)

    def ended(self, record: HighCardRecord) -> str:
        return f"{record.actions.count('stay')} stayed"

    def size(self, counts: HighCardCounts) -> str:
        return f"{counts.rounds:,} rounds"

    def number(self, value: float) -> str:
        return f"{value:+.2f}"

    def details(self, counts: HighCardCounts, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:
        yield from row("chips", f"{counts.net_chips:+d}")


VIEW = HighCardView()
