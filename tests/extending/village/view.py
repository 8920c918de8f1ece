"""What is shown: roles, what was said to whom, and the ballots."""

from collections.abc import Iterator

from ...core.columns import ascii_words, row
from ...plan.manifest import Plan
from ...scoring.match_figures import MatchAnalysis
from ...show.game_view import GameView
from ...show.replayed_game import PlayedGame
from ...table.speech import Said
from .game import GAME, Ballot, VillageRecord
from .rules import NAMES, TEAMS
from .scoring import VillageCounts


class VillageView(GameView):
    """The village on the screen."""

    game = GAME
    null = 0.5
    figure_unit = "games won"
    figure_bounds = (0.0, 1.0)
    short_unit = ""
    places = NAMES

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:
        record: VillageRecord = played.record
        result = f"Result: {self.ended(record)}"
        yield f"{record.game}: {', '.join(played.placed)}"
        yield result
        for name, seat, role in zip(NAMES, played.placed, record.roles, strict=False):
            yield f"{name} ({seat}): {role}"
        for said in record.said:
            yield _words(said)
        for number, ballot in enumerate(record.ballots, start=1):
            yield f"ballot {number} {_votes(ballot)}"
        yield ""
        yield result

    def document(self, played: PlayedGame) -> dict[str, object]:
        record: VillageRecord = played.record
        said = [{"from": one.from_id, "to": list(one.to_ids), "text": one.text} for one in record.said]
        ballots = [{"night": one.is_night, "votes": list(one.votes), "died": one.died} for one in record.ballots]
        return {"roles": list(record.roles), "said": said, "ballots": ballots, "won": record.won}

    def ended(self, record: VillageRecord) -> str:
        return f"the {TEAMS[record.won]} win, {len(record.ballots)} ballots"

    def size(self, counts: VillageCounts) -> str:
        return f"{counts.games:,} games"

    def details(self, counts: VillageCounts, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:
        yield from row("won", f"{counts.won} of {counts.games}")


def _words(said: Said) -> str:
    hearers = ", ".join(NAMES[to] for to in said.to_ids)
    text = ascii_words(said.text.replace("\n", " / ")) or "nothing"
    return f"{NAMES[said.from_id]} to {hearers}: {text}"


def _votes(ballot: Ballot) -> str:
    votes = ", ".join(f"{NAMES[at]} for {NAMES[to]}" for at, to in enumerate(ballot.votes) if to >= 0)
    died = "nobody died" if ballot.died < 0 else f"{NAMES[ballot.died]} died"
    return f"{'at night' if ballot.is_night else 'by day'}: {votes}; {died}"


VIEW = VillageView()
