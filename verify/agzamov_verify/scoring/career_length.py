"""The least length of a career: below it an arm of careers has a value, and neither an interval nor a test."""

from ..experiment import Match
from ..games.registry import GAMES
from ..manifest import Plan
from ..protocol import load_protocol


def too_short(match: Match, plan: Plan) -> str:
    """The reason why the careers of a match are too short (docs/decisions/0040); empty where they are not."""
    game, least = GAMES[match.game], load_protocol(plan.protocol).verdict.career_units_min
    units = match.stream_results // game.unit_results(plan.rules_of(match.game), len(match.table))
    return f"careers of {game.unit.counted(units)}, fewer than {least}" if match.careers and units < least else ""
