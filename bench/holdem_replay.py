"""Hold'em replay on one core against bare pokerkit dealing and acting the same hands.

    python bench/holdem_replay.py BUNDLE

CPU time, medians of rounds in turns. Ours replays the journal with everything that chess_replay.py
lists. pokerkit creates each state, deals the same cards and takes the same actions.
"""

import statistics
import sys
import warnings
from pathlib import Path

from pokerkit import Automation, Mode, NoLimitTexasHoldem

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import Opened, open_bundle
from agzamov_verify.checks.replay_stream import journal_lines
from agzamov_verify.core.journal import Chain
from agzamov_verify.core.script import Replay, drive
from agzamov_verify.games.holdem.game import PokerBlock, PokerMatch
from agzamov_verify.games.holdem.rules import BIG_BLIND, SMALL_BLIND, ActionKind, Deal, PokerAction
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.table.game import StreamPlan
from chess_replay import cpu_s

ROUNDS, HANDS_MAX = 5, 1000
AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
Played = tuple[Deal, tuple[PokerAction, ...]]


def poker_streams(opened: Opened) -> list[tuple[StreamPlan, list[bytes]]]:
    """The hold'em streams of the bundle, up to HANDS_MAX hands, with their lines in memory."""
    streams: list[tuple[StreamPlan, list[bytes]]] = []
    for match in opened.manifest.plan.matches:
        for stream in streams_of(match) if isinstance(match, PokerMatch) else ():
            lines = list(journal_lines(opened.source, opened.digests, stream.id))
            if lines and sum(plan.count for plan, _ in streams) < HANDS_MAX:
                streams.append((stream, lines))
    return streams


def replay(opened: Opened, streams: list[tuple[StreamPlan, list[bytes]]]) -> list[PokerBlock]:
    """Our replay."""
    blocks = []
    for stream, lines in streams:
        chain = Chain(opened.manifest.run_id, stream.id)
        answers = Replay(stream.id, chain.read_all(lines))
        block = drive(block_script(stream, opened.manifest.plan, opened.dice), answers)
        answers.finish()
        assert isinstance(block, PokerBlock)
        blocks.append(block)
    return blocks


def played(opened: Opened, streams: list[tuple[StreamPlan, list[bytes]]]) -> list[Played]:
    """The deals and actions of the hands, as the replay's records have them."""
    hands: list[Played] = []
    for block in replay(opened, streams):
        for record in block.records:
            assert record.story is not None
            hands.append((record.story.deal, tuple(one.action for one in record.story.history)))
    return hands


def bare(hands: list[Played], stack_chips: int) -> None:
    """pokerkit alone. Heads-up, its player 0 is the big blind."""
    for deal, actions in hands:
        blinds, stacks = (SMALL_BLIND, BIG_BLIND), (stack_chips, stack_chips)
        state = NoLimitTexasHoldem.create_state(
            AUTOMATIONS, False, 0, blinds, BIG_BLIND, stacks, 2, mode=Mode.CASH_GAME
        )  # in cash games a player may fold where a check is free, as in ours
        state.deal_hole("".join(deal.big_blind))
        state.deal_hole("".join(deal.button))
        board = iter(("".join(deal.board[:3]), deal.board[3], deal.board[4]))
        todo = iter(actions)
        while state.status:
            if state.can_burn_card():
                state.burn_card("??")
            elif state.can_deal_board():
                state.deal_board(next(board))
            else:
                act_in_pokerkit(state, next(todo))


def act_in_pokerkit(state: object, action: PokerAction) -> None:
    """The same action in pokerkit's words."""
    match action.kind:
        case ActionKind.FOLD:
            state.fold()  # type: ignore[attr-defined]
        case ActionKind.CHECK | ActionKind.CALL:
            state.check_or_call()  # type: ignore[attr-defined]
        case ActionKind.BET | ActionKind.RAISE:
            state.complete_bet_or_raise_to(action.to_chips)  # type: ignore[attr-defined]


def main() -> None:
    warnings.simplefilter("ignore")
    opened = open_bundle(Path(sys.argv[1]), CheckLog())
    streams = poker_streams(opened)
    hands = played(opened, streams)
    stack = opened.manifest.plan.rules_of("holdem").stack_chips
    rounds = [(cpu_s(lambda: replay(opened, streams)), cpu_s(lambda: bare(hands, stack))) for _ in range(ROUNDS)]
    ours, plain = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"{len(hands)} hands; hands per CPU second: ours {len(hands) / ours:.0f}, pokerkit {len(hands) / plain:.0f}")
    print(f"ratio {plain / ours:.2f} (bar 0.50)")


if __name__ == "__main__":
    main()
