"""Length of the results of a match: decisions, positions to adjudicate, questions before the first move.

A match from a class of positions is no match of whole games: from a forced mate a game ends when the moves of the mate
are over, from a won ending at its own limit of plies, and neither is adjudicated.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from agzamov_verify.experiment import Match
from agzamov_verify.games.chess960.probe_positions import fens_of, rules_from
from agzamov_verify.games.chess960.stress_positions import PositionClass, asks_judgement
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
    """Questions to seat A before a first move (who stands better), which it is asked in half of the games, as White."""
    if not match.part:
        return Fraction(0)
    fens = fens_of(PositionClass(match.part))
    return Fraction(match.planned * sum(map(asks_judgement, fens)), 2 * len(fens))


def _rules_played(match: Match, plan: Plan) -> list[Any]:
    """The rules of a match's results: one for all, or those of each position of its class."""
    rules = plan.rules_of(match.game)
    return [rules_from(fen, rules) for fen in fens_of(PositionClass(match.part))] if match.part else [rules]
