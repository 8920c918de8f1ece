"""Check of the benchmark player against its published policy: its actions are drawn again from the revealed seed.

The policy gives the action from the player's cards, what is public and the seed of the decision, and the seed comes
from the run's dice. So not only is every action possible: it is the one that the policy and the dice make.
"""

from collections.abc import Iterator

from ..dice import Dice
from ..games.game import Block, StreamPlan
from ..games.holdem.benchmark_policy import benchmark_action, hand_percentile, spot_of
from ..games.holdem.game import GAME, PokerBlock
from ..games.holdem.rules import Hand, HandEnd, PokerAction
from ..games.holdem.script import HandRecord
from ..games.players import a_is_first, own_seed
from ..manifest import Plan
from .check_log import Finding, Number


def benchmark_findings(stream: StreamPlan, block: Block, plan: Plan, dice: Dice) -> Iterator[Finding]:
    """The benchmark player's first departure from its policy in each replayed hand; none where it has no seat."""
    seats = [plan.seats[name].has_policy for name in stream.match.seats]
    if not any(seats) or not isinstance(block, PokerBlock):
        return
    for index, record in enumerate(block.records, start=block.first):
        by_policy = seats if a_is_first(index) else seats[::-1]
        for player, is_benchmark in enumerate(by_policy):
            finding = _departure(record, player, plan, dice) if is_benchmark else None
            if finding:
                yield finding


def _departure(record: HandRecord, benchmark_player: int, plan: Plan, dice: Dice) -> Finding | None:
    story = record.story
    assert story is not None
    stack_chips = plan.rules_of(GAME.name).stack_chips
    hand = Hand(story.deal, (stack_chips, stack_chips))
    for turn, played in enumerate(story.history):
        if played.player == benchmark_player:
            percentile = hand_percentile(hand.hole(benchmark_player), hand.board)
            seed = own_seed(dice, f"{record.game}/{benchmark_player}", turn)
            expected = benchmark_action(spot_of(hand), percentile, seed)
            if played.action != expected:
                place = f"game {record.game} turn {turn}"
                drawn = f"the benchmark player's {_action_words(expected)}"
                return Finding(Number.REPLAY, place, drawn, _action_words(played.action))
        hand.act(played.action)
    lost = record.net_chips < 0 if benchmark_player == 0 else record.net_chips > 0
    if record.faults[benchmark_player] or (record.end is HandEnd.FORFEIT and lost):
        wanted = "legal actions of the benchmark player at once"
        return Finding(Number.REPLAY, f"game {record.game}", wanted, "a fault of its own")
    return None


def _action_words(action: PokerAction) -> str:
    return f"{action.kind.value} to {action.to_chips} chips" if action.to_chips else action.kind.value
