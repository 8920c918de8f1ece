"""Werewolf as the rest of the appliance sees it."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, ClassVar

import msgspec

from ...core.dice import Dice
from ...core.script import Script
from ...experiment.analysis_plan import SequentialRule
from ...experiment.matches import Match, Phase, SeatAt
from ...experiment.plan_fields import Count, Problem
from ...table.game import Block, Bounds, Dynamics, Game, Noun, SeatsAt, StreamPlan, Utility
from ...table.players import tell_ended
from ...table.seating import by_place, seating
from .game_script import WerewolfGame
from .prompt import SIGN, TEMPLATES
from .random_player import random_reply
from .record import HALFPOINTS_OF_A_GAME, WerewolfBlock, WerewolfRecord
from .reference_player import reference_reply
from .rules import SEATS_MAX, SEATS_MIN, TEAMS, VILLAGE, WOLVES, Role, WerewolfRules, deal_roles

SEATS_OF_A_GAME = 8
"""Of a match of a seat against itself: those of the usual game."""


class WerewolfMatch(Match, frozen=True, kw_only=True, tag="werewolf"):
    """Games of Werewolf, in sets of as many as there are seats."""

    games: Count = 40
    block_games: Count = 8

    @property
    def planned(self) -> int:
        return self.games

    @property
    def block_results(self) -> int:
        return self.block_games


class Werewolf(Game):
    """Werewolf for five to twelve."""

    name = "werewolf"
    title = "Werewolf"
    unit = Noun("set of games in all rotations", "sets of games in all rotations")
    players = range(SEATS_MIN, SEATS_MAX + 1)
    utility = Utility.GENERAL_SUM
    dynamics = Dynamics.SIMULTANEOUS
    team_names = TEAMS
    match = WerewolfMatch
    rules = WerewolfRules
    templates = TEMPLATES
    scripted: ClassVar = {"random": random_reply, "reference": reference_reply}
    sign = SIGN
    hides = True

    def script(self, stream: StreamPlan, seats_at: SeatsAt, rules: WerewolfRules, dice: Dice) -> Script[Block]:
        records: list[WerewolfRecord] = []
        draws, seats = stream.match.draws, len(stream.match.table)
        for index in range(stream.first, stream.first + stream.count):
            order = seating(dice, draws, index, seats)
            roles = deal_roles(rules, dice, draws, index, seats)
            players = by_place(seats_at(index), order)
            game = WerewolfGame(self.name_of(stream.match, index), players, roles, rules, dice)
            records.append((yield from game.play(order)))
            tell_ended(players, records[-1])
        return WerewolfBlock(stream.first, tuple(records))

    def problems(self, rules: WerewolfRules) -> Iterator[Problem]:
        return iter(())

    def match_problems(self, match: WerewolfMatch, rules: WerewolfRules) -> Iterator[Problem]:
        seats = len(match.table)
        if match.games % seats or match.block_games % seats:
            yield Problem("", f"expected games and block_games in sets of {seats}, in which each seat has every place")
        if 2 * rules.wolves >= seats:
            yield Problem("", f"expected fewer wolves than others among {seats} seats, found {rules.wolves} wolves")
        if rules.wolves + rules.seers + rules.doctors > seats:
            yield Problem("", f"expected at most as many roles as the {seats} seats")

    def order(self, record: WerewolfRecord, index: int) -> tuple[int, ...]:
        return record.order

    def teams(self, record: WerewolfRecord) -> tuple[int, ...]:
        """The village, seer and doctor with it, and the wolves; the numbers are those of `team_names`."""
        return tuple(WOLVES if role is Role.WOLF else VILLAGE for role in record.roles)

    def won_by_team(self, record: WerewolfRecord) -> dict[int, int]:
        """By outcomes of one player each: teams differ in size, so their sums do not compare."""
        outcomes = dict(zip(self.teams(record), record.outcomes, strict=True))
        return {team: outcome - HALFPOINTS_OF_A_GAME // 2 for team, outcome in outcomes.items()}

    def bounds(self, rule: SequentialRule) -> Bounds:
        """Half-points of a set of games. Between equal players their mean is not known: no rule is allowed."""
        return Bounds(0, HALFPOINTS_OF_A_GAME * SEATS_MAX, HALFPOINTS_OF_A_GAME * SEATS_MAX // 2)

    def rule_problems(self, rule: SequentialRule, rules: WerewolfRules, observations: int) -> Iterator[Problem]:
        yield Problem("", f"expected none of {self.title}: what equal players win is not known, since teams differ")

    def self_play(self, seat: str, results: int) -> WerewolfMatch:
        others = (SeatAt(seat),) * (SEATS_OF_A_GAME - 2)
        return WerewolfMatch(
            a=seat, b=seat, others=others, phase=Phase.BASELINE, games=results, block_games=SEATS_OF_A_GAME
        )

    def small_match(self, match: WerewolfMatch, rules: WerewolfRules) -> WerewolfMatch:
        seats = len(match.table)
        return msgspec.structs.replace(match, games=min(match.games, seats), block_games=seats)

    def unit_results(self, rules: WerewolfRules, seats: int) -> int:
        return seats

    def decisions(self, rules: WerewolfRules, assumed: Any) -> Fraction:
        """Of eight seats, measured between reference players: about three nights and days of falling size."""
        return Fraction(25 + 15 * rules.speech_rounds)


GAME = Werewolf()
