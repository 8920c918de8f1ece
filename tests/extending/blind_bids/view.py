"""What is shown: values, bids and chips of a round."""

from collections.abc import Iterator

from ...core.columns import row
from ...plan.manifest import Plan
from ...scoring.match_figures import MatchAnalysis
from ...show.game_view import GameView
from ...show.replayed_game import PlayedGame
from .game import GAME, BlindBidsRecord
from .scoring import BlindBidsCounts


class BlindBidsView(GameView):
    """Blind bids on the screen."""

    game = GAME
    null = 0.0
    figure_unit = "chips a round"
    short_unit = " chips"
    places = ("first", "second", "third", "fourth", "fifth", "sixth")

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        record: BlindBidsRecord = played.record
        result = f"Result: {self.ended(record)}"
        yield f"{record.game}: {', '.join(played.placed)}"
        yield result
        for who, value, bid, chips in zip(played.placed, record.values, record.bids, record.outcomes, strict=True):
            yield f"{who}: value {value}, bid {bid}, {chips:+d} chips"
        yield ""
        yield result

    def document(self, played: PlayedGame) -> dict[str, object]:
        record: BlindBidsRecord = played.record
        return {"values": list(record.values), "bids": list(record.bids), "chips": list(record.outcomes)}

    def actions(self, record: BlindBidsRecord) -> dict[int, str]:
        return {place: f"bid {bid}" for place, bid in enumerate(record.bids)}

    def ended(self, record: BlindBidsRecord) -> str:
        return f"{max(record.outcomes)} chips won" if any(record.outcomes) else "nothing won"

    def size(self, counts: BlindBidsCounts) -> str:
        return f"{counts.rounds:,} rounds"

    def number(self, value: float) -> str:
        return f"{value:+.2f}"

    def details(self, counts: BlindBidsCounts, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:
        yield from row("chips", f"{counts.net_chips:+d}")


VIEW = BlindBidsView()
