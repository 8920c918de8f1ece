"""Departures of the benchmark player from its published policy: its actions, drawn again from the revealed seed.

The policy gives the action from the player's cards, what is public and the seed of the decision, and the seed comes
from the run's dice. So not only is every action possible: it is the one that the policy and the dice make.
"""

from collections.abc import Iterator, Sequence

from ...dice import Dice
from ..game import PolicyDeparture
from ..players import alternating, by_place, own_seed
from .benchmark_policy import benchmark_action, hand_percentile, spot_of
from .rules import Hand, HandEnd, PokerAction
from .script import HandRecord


def benchmark_departures(
    records: Sequence[HandRecord], first: int, by_policy: Sequence[bool], stack_chips: int, dice: Dice
) -> Iterator[PolicyDeparture]:
    """The benchmark player's first departure in each hand from number `first` on; none where it has no seat."""
    if not any(by_policy):
        return
    for index, record in enumerate(records, start=first):
        for player, is_benchmark in enumerate(by_place(by_policy, alternating(index))):
            departure = _departure(record, player, stack_chips, dice) if is_benchmark else None
            if departure:
                yield departure


def _departure(record: HandRecord, benchmark_player: int, stack_chips: int, dice: Dice) -> PolicyDeparture | None:
    story = record.story
    assert story is not None
    hand = Hand(story.deal, (stack_chips, stack_chips))
    for turn, played in enumerate(story.history):
        if played.player == benchmark_player:
            percentile = hand_percentile(hand.hole(benchmark_player), hand.board)
            seed = own_seed(dice, f"{record.game}/{benchmark_player}", turn)
            expected = benchmark_action(spot_of(hand), percentile, seed)
            if played.action != expected:
                place = f"game {record.game} turn {turn}"
                drawn = f"the benchmark player's {_action_words(expected)}"
                return PolicyDeparture(place, drawn, _action_words(played.action))
        hand.act(played.action)
    lost = record.outcomes[benchmark_player] < 0
    if record.faults[benchmark_player] or (record.end is HandEnd.FORFEIT and lost):
        wanted = "legal actions of the benchmark player at once"
        return PolicyDeparture(f"game {record.game}", wanted, "a fault of its own")
    return None


def _action_words(action: PokerAction) -> str:
    return f"{action.kind.value} to {action.to_chips} chips" if action.to_chips else action.kind.value
