"""English draughts: its match, its limits, and the script of a stream of games."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Final

import msgspec

from ...core.dice import Dice
from ...core.script import Script
from ...experiment.analysis_plan import SequentialRule
from ...experiment.matches import Match, Phase
from ...experiment.plan_fields import Count, Problem
from ...table.decision import Tally, added
from ...table.game import Block, Bounds, Game, Noun, SeatsAt, StreamPlan, Utility
from ...table.players import tell_ended
from ...table.prompt_lines import scripted_player
from ...table.seating import alternating, by_place, by_seat
from ...table.small_profile import small_units
from .ballots import BALLOTS, PAIR, ballot_of
from .game_script import DraughtsRecord, play
from .prompt import SIGN, TEMPLATES, DraughtsRules
from .random_player import random_reply
from .reference_player import reference_reply

PLIES_MAX: Final = 1000
QUIET_MOVES_MAX: Final = 500
PLIES_EXPECTED: Final = 100
"""Plies of a game for a forecast. The reference player takes 45 to beat the random one, 146 against itself."""
SMALL_PAIRS, SMALL_PLIES_MAX = 15, 60
"""Of the small profile of a plan: ballots of a match without careers, and plies of a game."""


class DraughtsMatch(Match, frozen=True, tag="draughts"):
    """Games in pairs from one ballot, each seat once with White; `block_games` of them share a stream."""

    games: Count = 312
    block_games: Count = 2

    @property
    def planned(self) -> int:
        return self.games

    @property
    def block_results(self) -> int:
        return self.block_games


class DraughtsBlock(Block, frozen=True):
    """Records of the games of one stream."""

    records: tuple[DraughtsRecord, ...]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return draughts_tallies(self.records, self.first)


def draughts_tallies(records: Sequence[DraughtsRecord], first: int = 0) -> tuple[Tally, ...]:
    """Tallies of the seats over games of a match, in order from number `first`."""
    return added(by_seat(record.tallies, alternating(index)) for index, record in enumerate(records, start=first))


class Draughts(Game):
    """English draughts from three-move ballots, each played with both colours."""

    name = "draughts"
    title = "English draughts"
    utility = Utility.CONSTANT_SUM
    openings = len(BALLOTS)
    unit = Noun("ballot played with both colours", "ballots played with both colours")
    match = DraughtsMatch
    rules = DraughtsRules
    templates = TEMPLATES
    scripted: ClassVar = {
        "random": scripted_player("random/draughts", random_reply),
        "reference": scripted_player("reference/draughts", reference_reply),
    }
    sign = SIGN

    def script(self, stream: StreamPlan, seats_at: SeatsAt, rules: DraughtsRules, dice: Dice) -> Script[Block]:
        records = []
        for index in range(stream.first, stream.first + stream.count):
            players = by_place(seats_at(index), alternating(index))
            ballot = ballot_of(dice, index // PAIR)
            records.append((yield from play(self.name_of(stream.match, index), ballot, players, rules, dice)))
            tell_ended(players, records[-1])
        return DraughtsBlock(stream.first, tuple(records))

    def starts_of(self, match: Match) -> str:
        """All matches of one run share the ballots."""
        return match.part

    def opening(self, dice: Dice, match: DraughtsMatch, unit: int) -> str:  # noqa: ARG002 - as declared
        return ballot_of(dice, unit)

    def problems(self, rules: DraughtsRules) -> Iterator[Problem]:
        if not 1 <= rules.plies_max <= PLIES_MAX:
            yield Problem("plies_max", f"expected 1 to {PLIES_MAX}, found {rules.plies_max}")
        if not 1 <= rules.quiet_moves_max <= QUIET_MOVES_MAX:
            yield Problem("quiet_moves_max", f"expected 1 to {QUIET_MOVES_MAX}, found {rules.quiet_moves_max}")

    def match_problems(self, match: DraughtsMatch, rules: DraughtsRules) -> Iterator[Problem]:  # noqa: ARG002 - as declared
        if match.games % PAIR or match.block_games % PAIR:
            found = f"found {match.games} and {match.block_games}"
            yield Problem("", f"expected even games and block_games, {found}: a ballot is played with both colours")
        starts = len(BALLOTS)  # with more games, ballots would come again, and pairs be dependent
        if match.games > PAIR * starts:
            yield Problem("games", f"expected at most {PAIR * starts}: each of {starts} ballots once with both colours")

    def self_play(self, seat: str, results: int) -> DraughtsMatch:
        return DraughtsMatch(a=seat, b=seat, phase=Phase.BASELINE, games=results)

    def small_match(self, match: DraughtsMatch, rules: DraughtsRules) -> DraughtsMatch:  # noqa: ARG002 - as declared
        if not match.careers:  # an odd number of games stays odd
            return msgspec.structs.replace(match, games=min(match.games, PAIR * SMALL_PAIRS), block_games=PAIR)
        pairs, careers = small_units(match.games // PAIR, match, SMALL_PAIRS)
        return msgspec.structs.replace(match, games=PAIR * pairs, careers=careers, block_games=PAIR)

    def small_rules(self, rules: DraughtsRules) -> DraughtsRules:
        return msgspec.structs.replace(rules, plies_max=min(rules.plies_max, SMALL_PLIES_MAX))

    def bounds(self, rule: SequentialRule) -> Bounds:  # noqa: ARG002 - as declared
        """Half-points of the games of a ballot."""
        return Bounds(0, 2 * PAIR, PAIR)

    def unit_results(self, rules: DraughtsRules, seats: int) -> int:  # noqa: ARG002 - as declared
        return PAIR

    def decisions(self, rules: DraughtsRules, assumed: Mapping[str, Fraction]) -> Fraction:  # noqa: ARG002 - none
        return Fraction(min(PLIES_EXPECTED, rules.plies_max))


GAME: Final = Draughts()
