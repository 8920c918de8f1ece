"""A sit-and-go: a tournament of hold'em at one table, in hands whose stacks are carried over.

All begin with equal stacks. The button moves on to the next player still in, and the blinds are the next two to its
left; of two players the button has the small blind. Blinds rise by levels of so many hands, or never. A player without
chips is out. Who goes out later finishes higher; of those who go out in one hand, who had more chips at its beginning;
with equal stacks they tie. After the last hand that the rules allow, larger stacks finish higher. There is no equity of
stacks (ICM): the order of finish is the result.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from ...core.dice import Dice
from ...core.questions import Message
from ...core.script import Script
from ...experiment.plan_fields import Part
from ...poker.actions import BIG_BLIND
from ...table.decision import IllegalPolicy, Tally
from ...table.players import GameName, Player
from .hand_script import RingStory, Seated, play_out, since
from .rules import RingDeal, RingHand, deal_cards
from .sit_and_go_prompt import Level, SitAndGoTerms, sit_and_go_system, sit_and_go_turn

LEVELS_MAX = 30


class SitAndGoRules(Part, frozen=True):
    """The rules of play of one run. 100 chips are one big blind of the first level.

    `big_blinds_chips`: of the levels, each of `level_hands` hands, the last one for ever; one level alone is fixed
    blinds. The small blind is half of the big one. `unit_decks`: so many series of decks, each in as many sit-and-gos
    as there are seats, are one statistical unit.
    """

    illegal: IllegalPolicy = IllegalPolicy.RETRY_THEN_FORFEIT
    stack_chips: int = 3_000
    big_blinds_chips: Annotated[tuple[int, ...], Meta(min_length=1, max_length=LEVELS_MAX)] = (
        *(100, 200, 300, 400, 600, 800, 1_200),
        *(1_600, 2_400),
    )
    level_hands: int = 6
    hands_max: int = 100
    unit_decks: int = 1

    def big_blind(self, number: int) -> int:
        """The big blind of hand `number`, from 0, in chips."""
        return self.big_blinds_chips[min(number // self.level_hands, len(self.big_blinds_chips) - 1)]

    def terms(self, seats: int, tokens_max: int) -> SitAndGoTerms:
        """The rules as the prompt of a seat with this token limit has them."""
        levels = (self.stack_chips, self.big_blinds_chips, self.level_hands, self.hands_max)
        return SitAndGoTerms(seats, *levels, self.illegal, tokens_max)


class SitAndGoEnd(StrEnum):
    """Reason for the end: one player has all chips, or the last hand was played."""

    WINNER = "winner"
    LAST_HAND = "last_hand"


class TournamentHand(msgspec.Struct, frozen=True, gc=False):
    """One hand. `places`: those at the table who are still in, the button first; the other lists are in their order.

    `stacks`: chips before the blinds. `net`: chips won.
    """

    places: tuple[int, ...]
    stacks: tuple[int, ...]
    big_blind_chips: int
    story: RingStory
    net: tuple[int, ...]

    def begun(self) -> RingHand:
        """The hand before its first action."""
        return new_hand(self.story.deal, self.stacks, self.big_blind_chips)


class SitAndGoRecord(msgspec.Struct, frozen=True, gc=False):
    """The outcome of one sit-and-go by place, the first button first. `order`: the seats by place.

    `ranks`: 1 is first, players who tie have one rank. `outcomes`: in half-points, two for each player who finished
    lower and one for each who tied.
    """

    game: str
    order: tuple[int, ...]
    end: SitAndGoEnd
    ranks: tuple[int, ...]
    outcomes: tuple[int, ...]
    faults: tuple[int, ...]
    decisions: tuple[int, ...]
    hands: tuple[TournamentHand, ...]

    @property
    def decided_by_play(self) -> bool:
        """Whether every action was a seat's own, at its first attempt."""
        return not any(self.faults)


def new_hand(deal: RingDeal, stacks: Sequence[int], big_blind_chips: int) -> RingHand:
    """A hand of a level."""
    return RingHand(deal, stacks, big_blind_chips // 2, big_blind_chips)


def play_sit_and_go(
    name: GameName,
    decks: str,
    order: tuple[int, ...],
    players: tuple[Player, ...],
    rules: SitAndGoRules,
    dice: Dice,
    tallies: tuple[Tally, ...],
) -> Script[SitAndGoRecord]:
    """Play one sit-and-go. `decks`: the name of its decks; `players` and `tallies` are by place."""
    seats, hands, turn = len(players), list[TournamentHand](), 0
    systems = [sit_and_go_system(player.patterns, rules.terms(seats, player.tokens_max)) for player in players]
    before = [(tally.faults, tally.decisions) for tally in tallies]
    stacks, button = [rules.stack_chips] * seats, 0
    while len(hands) < rules.hands_max and sum(map(bool, stacks)) > 1:
        places = still_in(stacks, button)
        level = Level(rules.big_blind(len(hands)), len(hands) + 1, seats)
        deal = deal_cards(dice, f"{decks}/{len(hands)}", len(places))
        hand = new_hand(deal, [stacks[place] for place in places], level.big_blind_chips)

        def told(hand: RingHand, place: int, profile: str, level: Level = level) -> Message:
            return sit_and_go_turn(hand, place, level, profile)

        seated = Seated(
            name,
            tuple(players[place] for place in places),
            tuple(systems[place] for place in places),
            tuple(tallies[place] for place in places),
            rules.illegal,
            dice,
            places,
        )
        story = yield from play_out(hand, seated, turn, told)
        turn += len(story.history)
        net = hand.net_chips()
        hands.append(
            TournamentHand(places, tuple(stacks[place] for place in places), level.big_blind_chips, story, net)
        )
        for place, chips in zip(places, net, strict=True):
            stacks[place] += chips
        button = places[1]  # the next to the left of the button; if it is out, the next one still in
    end = SitAndGoEnd.WINNER if sum(map(bool, stacks)) == 1 else SitAndGoEnd.LAST_HAND
    ranks = finishing_ranks(hands, seats)
    faults, decisions = since(tallies, before)
    return SitAndGoRecord(name.id, order, end, ranks, points_of(ranks), faults, decisions, tuple(hands))


def still_in(stacks: Sequence[int], button: int) -> tuple[int, ...]:
    """The places with chips, from the first of them at or left of `button` on."""
    turns = ((button + step) % len(stacks) for step in range(len(stacks)))
    return tuple(place for place in turns if stacks[place])


def finishing_ranks(hands: Sequence[TournamentHand], seats: int) -> tuple[int, ...]:
    """The rank of each place, 1 for the first; who ties has one rank."""
    lasted = [(0, 0)] * seats
    for number, hand in enumerate(hands):
        for place, stack, net in zip(hand.places, hand.stacks, hand.net, strict=True):
            lasted[place] = (len(hands), stack + net) if stack + net else (number, stack)
    return tuple(1 + sum(other > own for other in lasted) for own in lasted)


def points_of(ranks: Sequence[int]) -> tuple[int, ...]:
    """Half-points of each rank: two for each lower one, one for each tie."""
    return tuple(sum(2 * (own < other) + (own == other) for other in ranks) - 1 for own in ranks)


def rules_problems(rules: SitAndGoRules) -> list[tuple[str, str]]:
    """Keys of the rules with what was expected of them, where they are impossible."""
    return [
        (key, expected)
        for key, expected, holds in (
            ("stack_chips", "expected 200 to 1,000,000 (100 a BB)", 200 <= rules.stack_chips <= 1_000_000),
            (
                "big_blinds_chips",
                "expected 100 first, then even numbers that never fall, at most 1,000,000",
                rules.big_blinds_chips[0] == BIG_BLIND
                and rules.big_blinds_chips[-1] <= 1_000_000
                and all(not blind % 2 for blind in rules.big_blinds_chips)
                and list(rules.big_blinds_chips) == sorted(rules.big_blinds_chips),
            ),
            ("level_hands", "expected 1 to 1,000", 1 <= rules.level_hands <= 1_000),
            ("hands_max", "expected 1 to 1,000", 1 <= rules.hands_max <= 1_000),
            ("unit_decks", "expected 1 to 100", 1 <= rules.unit_decks <= 100),
        )
        if not holds
    ]
