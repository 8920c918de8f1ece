"""No-limit hold'em for three to nine in the registry: hands with equal stacks, and sit-and-gos, on duplicate decks."""

from collections.abc import Iterator
from typing import ClassVar

import msgspec

from ...core.dice import Dice
from ...core.script import Script
from ...experiment.analysis_plan import SequentialRule
from ...experiment.matches import Match, Phase, SeatAt
from ...experiment.plan_fields import Count, Problem
from ...poker.actions import BIG_BLIND
from ...table.decision import Tally
from ...table.game import Block, Bounds, Game, Noun, SeatsAt, StreamPlan, Utility
from ...table.players import tell_ended
from ...table.prompt_lines import scripted_player
from ...table.seating import by_place, seating
from .hand_script import RingRecord, RingRules, play
from .prompt import TEMPLATES
from .rules import SEATS_MAX, SEATS_MIN, deal_cards
from .scripted import random_reply, reference_reply
from .sit_and_go import SitAndGoRecord, SitAndGoRules, play_sit_and_go, rules_problems
from .sit_and_go_prompt import SIGN
from .sit_and_go_prompt import TEMPLATES as SIT_AND_GO_TEMPLATES

STACK_BB_MAX = 10_000
UNIT_DECKS_MAX = 1_000


class RingMatch(Match, frozen=True, kw_only=True, tag="holdem_ring"):
    """Hands in sets of as many as there are seats: one deck, with which each seat has every place once.

    The default size is whole for any number of seats.
    """

    hands: Count = 2_520
    block_hands: Count = 2_520

    @property
    def planned(self) -> int:
        return self.hands

    @property
    def block_results(self) -> int:
        return self.block_hands


class RingBlock(Block, frozen=True):
    """Records of the hands of one stream, with the tallies of all seats."""

    records: tuple[RingRecord, ...]
    tallies: tuple[Tally, ...]


class HoldemRing(Game):
    """No-limit hold'em for three to nine, in hands with equal stacks, every deck in all rotations of the seats."""

    name = "holdem_ring"
    title = "hold'em for many"
    result = Noun("hand", "hands")
    unit = Noun("duplicate set", "duplicate sets")
    contest = Noun("duplicate set", "duplicate sets")
    players = range(SEATS_MIN, SEATS_MAX + 1)
    number = ("h", 7)
    match = RingMatch
    rules = RingRules
    templates = TEMPLATES
    scripted: ClassVar = {
        "random": scripted_player("random/holdem_ring", random_reply),
        "reference": scripted_player("reference/holdem_ring", reference_reply),
    }
    sign = "Your hand: ["
    hides = True
    sample_results = 30

    def script(self, stream: StreamPlan, seats_at: SeatsAt, rules: RingRules, dice: Dice) -> Script[Block]:
        match, records, seats = stream.match, list[RingRecord](), len(stream.match.table)
        tallies = tuple(Tally() for _ in match.table)
        for index in range(stream.first, stream.first + stream.count):
            order = seating(dice, match.draws, index, seats)
            deal = deal_cards(dice, f"{match.draws}/{index // seats}", seats)
            players, placed = by_place(seats_at(index), order), by_place(tallies, order)
            record = yield from play(self.name_of(match, index), deal, order, players, rules, dice, placed)
            tell_ended(players, record)
            records.append(record)
        return RingBlock(stream.first, tuple(records), tallies)

    def order(self, record: RingRecord, index: int) -> tuple[int, ...]:  # noqa: ARG002 - as declared
        return record.order

    def problems(self, rules: RingRules) -> Iterator[Problem]:
        if not 2 * BIG_BLIND <= rules.stack_chips <= STACK_BB_MAX * BIG_BLIND:
            yield Problem("stack_chips", f"expected {2 * BIG_BLIND} to {STACK_BB_MAX * BIG_BLIND} (100 a BB)")
        if not 1 <= rules.small_blind_chips <= BIG_BLIND:
            yield Problem("small_blind_chips", f"expected 1 to {BIG_BLIND} (a big blind)")
        if not 1 <= rules.unit_decks <= UNIT_DECKS_MAX:
            yield Problem("unit_decks", f"expected 1 to {UNIT_DECKS_MAX}")

    def match_problems(self, match: RingMatch, rules: RingRules) -> Iterator[Problem]:
        unit = max(1, self.unit_results(rules, len(match.table)))
        if match.hands % unit or match.block_hands % unit:
            found = f"found {match.hands} and {match.block_hands}"
            why = f"{rules.unit_decks} decks, each with every rotation of {len(match.table)} seats"
            yield Problem("", f"expected hands and block_hands in whole sets of {unit} ({why}), {found}")

    def bounds(self, rule: SequentialRule) -> Bounds:
        """Chips of a set, clipped."""
        return Bounds(-rule.clip_chips, rule.clip_chips, 0, clipped=True)

    def deals_twice(self, rules: RingRules) -> bool:  # noqa: ARG002 - every deck is played in all rotations
        return True

    def self_play(self, seat: str, results: int) -> RingMatch:
        third = (SeatAt(seat),) * (SEATS_MIN - 2)
        return RingMatch(a=seat, b=seat, others=third, phase=Phase.BASELINE, hands=results, block_hands=results)

    def unit_results(self, rules: RingRules, seats: int) -> int:
        return seats * rules.unit_decks

    def contest_results(self, rules: RingRules, seats: int) -> int:
        return self.unit_results(rules, seats)


class SitAndGoMatch(Match, frozen=True, kw_only=True, tag="holdem_sit_and_go"):
    """Sit-and-gos in sets of as many as there are seats: one series of decks, with which each seat has every place."""

    sit_and_gos: Count = 2_520
    block_sit_and_gos: Count = 2_520

    @property
    def planned(self) -> int:
        return self.sit_and_gos

    @property
    def block_results(self) -> int:
        return self.block_sit_and_gos


class SitAndGoBlock(Block, frozen=True):
    """Records of the sit-and-gos of one stream, with the tallies of all seats."""

    records: tuple[SitAndGoRecord, ...]
    tallies: tuple[Tally, ...]


class SitAndGo(Game):
    """Sit-and-gos of no-limit hold'em for three to nine, every series of decks in all rotations of the seats."""

    name = "holdem_sit_and_go"
    title = "sit-and-go hold'em"
    result = Noun("sit-and-go", "sit-and-gos")
    unit = Noun("duplicate set", "duplicate sets")
    players = range(SEATS_MIN, SEATS_MAX + 1)
    utility = Utility.CONSTANT_SUM
    number = ("s", 5)
    match = SitAndGoMatch
    rules = SitAndGoRules
    templates = SIT_AND_GO_TEMPLATES
    scripted: ClassVar = {
        "random": scripted_player("random/holdem_sit_and_go", random_reply),
        "reference": scripted_player("reference/holdem_sit_and_go", reference_reply),
    }
    sign = SIGN
    hides = True
    sealed_where_played = True

    def script(self, stream: StreamPlan, seats_at: SeatsAt, rules: SitAndGoRules, dice: Dice) -> Script[Block]:
        match, records, seats = stream.match, list[SitAndGoRecord](), len(stream.match.table)
        tallies = tuple(Tally() for _ in match.table)
        for index in range(stream.first, stream.first + stream.count):
            order = seating(dice, match.draws, index, seats)
            decks = f"{match.draws}/{index // seats}"
            players, placed = by_place(seats_at(index), order), by_place(tallies, order)
            name = self.name_of(match, index)
            record = yield from play_sit_and_go(name, decks, order, players, rules, dice, placed)
            tell_ended(seats_at(index), record)
            records.append(record)
        return SitAndGoBlock(stream.first, tuple(records), tallies)

    def has_finishing_order(self, rules: SitAndGoRules) -> bool:  # noqa: ARG002 - always
        return True

    def order(self, record: SitAndGoRecord, index: int) -> tuple[int, ...]:  # noqa: ARG002 - as declared
        return record.order

    def problems(self, rules: SitAndGoRules) -> Iterator[Problem]:
        for key, expected in rules_problems(rules):
            yield Problem(key, expected)

    def match_problems(self, match: SitAndGoMatch, rules: SitAndGoRules) -> Iterator[Problem]:
        unit = max(1, self.unit_results(rules, len(match.table)))
        if match.sit_and_gos % unit or match.block_sit_and_gos % unit:
            found = f"found {match.sit_and_gos} and {match.block_sit_and_gos}"
            yield Problem("", f"expected sit_and_gos and block_sit_and_gos in whole sets of {unit}, {found}")

    def bounds(self, rule: SequentialRule) -> Bounds:  # noqa: ARG002 - as declared
        """Half-points of a set. They depend on the number of seats, which a rule does not know: none is allowed."""
        most = 2 * (SEATS_MAX - 1) * SEATS_MAX
        return Bounds(0, most, most // 2)

    def rule_problems(
        self,
        rule: SequentialRule,  # noqa: ARG002 - there is none
        rules: SitAndGoRules,  # noqa: ARG002
        observations: int,  # noqa: ARG002
    ) -> Iterator[Problem]:
        yield Problem("", f"expected none of {self.title}: its points depend on the number of seats")

    def deals_twice(self, rules: SitAndGoRules) -> bool:  # noqa: ARG002 - every series is played in all rotations
        return True

    def self_play(self, seat: str, results: int) -> SitAndGoMatch:
        third = (SeatAt(seat),) * (SEATS_MIN - 2)
        return SitAndGoMatch(
            a=seat, b=seat, others=third, phase=Phase.BASELINE, sit_and_gos=results, block_sit_and_gos=results
        )

    def small_match(self, match: SitAndGoMatch, rules: SitAndGoRules) -> SitAndGoMatch:
        unit = self.unit_results(rules, len(match.table))
        return msgspec.structs.replace(match, sit_and_gos=min(match.sit_and_gos, unit), block_sit_and_gos=unit)

    def unit_results(self, rules: SitAndGoRules, seats: int) -> int:
        return seats * rules.unit_decks


GAME, SIT_AND_GO = HoldemRing(), SitAndGo()
VARIANTS: dict[str, Game] = {GAME.name: GAME, SIT_AND_GO.name: SIT_AND_GO}
