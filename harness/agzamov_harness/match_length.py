"""Length of the results of a match: decisions, positions to adjudicate, questions before the first move.

A match from a class of positions is no match of whole games: from a forced mate a game ends when the moves of the mate
are over, from a won ending at its own limit of plies, and neither is adjudicated.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from agzamov_verify.experiment import Match
from agzamov_verify.games.registry import GAMES
from agzamov_verify.manifest import Plan


def decisions(match: Match, plan: Plan, assumed: Mapping[str, Fraction]) -> Fraction:
    """The expected number of decisions of all seats together in one result: the mean over the rules it is played by."""
    game, rules = GAMES[match.game], _rules_played(match, plan)
    return sum((game.decisions(each, assumed) for each in rules), Fraction(0)) / len(rules)


def adjudicated(match: Match, plan: Plan, assumed: Mapping[str, Fraction]) -> Fraction:
    """The expected number of positions of one result that the engine values to adjudicate: one after each decision."""
    game, rules = GAMES[match.game], _rules_played(match, plan)
    asked = (game.decisions(each, assumed) for each in rules if game.engine_adjudication(each))
    return sum(asked, Fraction(0)) / len(rules)


def judgements(match: Match) -> Fraction:
    """Questions to seat A before a first move (who stands better)."""
    return GAMES[match.game].judgements(match)


def _rules_played(match: Match, plan: Plan) -> Sequence[Any]:
    return GAMES[match.game].rules_played(match, plan.rules_of(match.game))
