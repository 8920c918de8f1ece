"""Whether the house kept to its published policy: each of its actions drawn again from the revealed seed.

The policy gives the house's action from its cards, what is public and the seed of the decision, and the seed comes from
the run's dice. So not only is every action possible: it is the one that the policy and the dice make.
"""

from collections.abc import Iterator

from ..dice import Dice
from ..games.holdem.house import house_action, house_seed, spot_of, standing_of
from ..games.holdem.rules import Hand, HandEnd, PokerAction
from ..games.holdem.script import HandRecord
from ..manifest import Plan
from ..phases.streams import Block, PokerBlock, StreamPlan, a_is_first
from ..seats import HouseSeat
from .ledger import Finding, Number


def house_findings(stream: StreamPlan, block: Block, plan: Plan, dice: Dice) -> Iterator[Finding]:
    """The first departure of the house from its policy in each replayed hand; none where it has no seat."""
    seats = [isinstance(plan.seats[name], HouseSeat) for name in (stream.match.a, stream.match.b)]
    if not any(seats) or not isinstance(block, PokerBlock):
        return
    for index, record in enumerate(block.records, start=block.first):
        houses = seats if a_is_first(index) else seats[::-1]
        for player, is_house in enumerate(houses):
            finding = _departure(record, player, f"holdem/{index}", plan, dice) if is_house else None
            if finding:
                yield finding


def _departure(record: HandRecord, house: int, label: str, plan: Plan, dice: Dice) -> Finding | None:
    story = record.story
    assert story is not None
    hand = Hand(story.deal, (plan.holdem.stack_chips, plan.holdem.stack_chips))
    for turn, played in enumerate(story.history):
        if played.player == house:
            standing = standing_of(hand.hole(house), hand.board)
            expected = house_action(spot_of(hand), standing, house_seed(dice, label, turn))
            if played.action != expected:
                place = f"game {record.game} turn {turn}"
                return Finding(Number.REPLAY, place, f"the house's {_told(expected)}", _told(played.action))
        hand.act(played.action)
    lost = record.net_chips < 0 if house == 0 else record.net_chips > 0
    if record.faults[house] or (record.end is HandEnd.FORFEIT and lost):
        return Finding(Number.REPLAY, f"game {record.game}", "legal actions of the house at once", "a fault of its own")
    return None


def _told(action: PokerAction) -> str:
    return f"{action.kind.value} to {action.to_chips} chips" if action.to_chips else action.kind.value
