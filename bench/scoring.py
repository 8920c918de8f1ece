"""Scores a full normative protocol, made up: 13 conditions x (500 games + 10,000 hands), beyond replay.

Outcome streams and cards, not journals. Everything that an analysis holds: variance reduction, intervals, ratings,
learning, deltas, all hypotheses, the A-Score. On two processes, over conditions; the bar is 60 seconds on two cores.
"""

import hashlib
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction

import numpy as np

from agzamov_verify.experiment.analysis_plan import AnalysisPlan
from agzamov_verify.experiment.matches import Arm, Augmentation
from agzamov_verify.games.chess.cell import ChessCell, ChessGame
from agzamov_verify.games.chess.match_analysis import chess_analysis
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.cell import PokerCell, poker_hands
from agzamov_verify.games.holdem.hand_script import HandRecord, HandStory, PokerRules
from agzamov_verify.games.holdem.match_analysis import poker_analysis, preflop_quality
from agzamov_verify.games.holdem.rules import CARDS_DEALT, ActionKind, Deal, HandEnd, PlayedAction, PokerAction
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.agzamov.score import ScoreSubject, a_score
from agzamov_verify.scoring.deltas import delta_analysis
from agzamov_verify.scoring.hypotheses.evidence import Evidence
from agzamov_verify.scoring.hypotheses.verdicts import verdicts
from agzamov_verify.scoring.inference.intervals import BB_PER_100
from agzamov_verify.scoring.match_figures import Setting
from agzamov_verify.scoring.units.cells import Cell, CellKey
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.table.decision import Tally

GAMES, HANDS, RESAMPLES, PROCESSES = 500, 10_000, 10_000, 2
CONDITIONS = [(1, Augmentation.NAKED, Arm.NAKED)] + [
    (2, augmentation, arm) for augmentation in Augmentation if augmentation is not Augmentation.NAKED for arm in Arm
]
BAR_S = 60
TALLIES = (Tally(decisions=20_000, calls=20_000, first_illegal=150), Tally(decisions=20_000, calls=20_000))


def seed(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def key_of(game: str, at: int) -> CellKey:
    phase, augmentation, arm = CONDITIONS[at]
    return CellKey("model", game, phase, augmentation, arm, "system" if arm is not Arm.NAKED else "")


def chess_cell(at: int) -> ChessCell:
    draw = np.random.default_rng(at)
    points = draw.choice(3, GAMES, p=(0.3, 0.35, 0.35))
    games = tuple(
        ChessGame(int(one), int(one), End.CHECKMATE, substituted=False, errors=(0, 0), plies=80, decisions=(40, 40))
        for one in points
    )
    return ChessCell(key_of("chess960", at), games, starts="run", tallies=TALLIES)


def poker_hands_of(at: int) -> list[HandRecord]:
    """Hands that mostly go to the flop, some to the river: what variance reduction works on."""
    draw, deals = np.random.default_rng(100 + at), np.random.default_rng(99)
    records = []
    for hand in range(HANDS):
        cards = [DECK[card] for card in deals.choice(52, CARDS_DEALT, replace=False)]
        deal = Deal((cards[0], cards[1]), (cards[2], cards[3]), tuple(cards[4:]))
        last = int(draw.choice(4, p=(0.4, 0.25, 0.15, 0.2)))
        matched = tuple(100 * 3**street for street in range(last))
        raised, called, checked = (
            PokerAction(ActionKind.RAISE, 300),
            PokerAction(ActionKind.CALL),
            PokerAction(ActionKind.CHECK),
        )
        before = tuple(PlayedAction(0, player, action, all_in=False) for player, action in enumerate((raised, called)))
        history = (*before, PlayedAction(last, 0, checked, all_in=False))
        won = int(draw.choice((-1, 1))) * 100 * 3**last
        records.append(HandRecord(f"h{hand}", HandEnd.FOLD, won, (0, 0), HandStory(deal, history, matched)))
    return records


def poker_cell(at: int, records: list[HandRecord]) -> PokerCell:
    return PokerCell(key_of("holdem", at), tuple(poker_hands(records, 0)), 100, starts="run", tallies=TALLIES)


def one_condition(at: int) -> tuple[list[Cell], dict[str, float]]:
    spent: dict[str, float] = {}
    records = poker_hands_of(at)
    chess = timed(spent, "chess cell", chess_cell, at)
    poker = timed(spent, "poker cell, chance-adjusted", poker_cell, at, records)
    constants = load_score_constants("agz-0.1")
    evidence = Evidence([chess, poker], constants, seed, RESAMPLES)
    setting = Setting(str(at), 2, ("a", "b"), 0, Fraction(1, 20), symmetric=False)
    timed(spent, "chess analysis", chess_analysis, chess, setting, evidence)
    preflop = timed(spent, "preflop quality", preflop_quality, records, PokerRules(), constants.clusters)
    timed(spent, "poker analysis", poker_analysis, poker, setting, evidence, preflop)
    return [chess, poker], spent


def timed(spent: dict[str, float], name: str, do: Callable, *given: object):  # type: ignore[no-untyped-def,type-arg]
    start = time.process_time()
    value = do(*given)
    spent[name] = spent.get(name, 0) + time.process_time() - start
    return value


def main() -> None:
    start, spent = time.perf_counter(), dict[str, float]()
    cells: list[Cell] = []
    with ProcessPoolExecutor(PROCESSES) as pool:
        for found, own in pool.map(one_condition, range(len(CONDITIONS))):
            cells += found
            for name, seconds in own.items():
                spent[name] = spent.get(name, 0) + seconds
    constants = load_score_constants("agz-0.1")
    evidence = Evidence(cells, constants, seed, RESAMPLES)
    timed(spent, "deltas", lambda: list(delta_analysis(evidence)))
    timed(spent, "hypotheses", verdicts, AnalysisPlan(), evidence, load_protocol("agz-0.1").verdict)
    subject = ScoreSubject("model", Augmentation.FULL, "system")
    timed(spent, "A-Score", a_score, subject, cells, constants, evidence.resampling(BB_PER_100))
    wall, ticks = time.perf_counter() - start, os.times()
    cpu = ticks.user + ticks.system + ticks.children_user + ticks.children_system
    for name, seconds in spent.items():
        print(f"{name:<22} {seconds:6.1f} s of CPU")
    print(f"13 conditions: {wall:.1f} s on the clock, {cpu:.1f} s of CPU with making them up")
    print(f"ratio of CPU to {PROCESSES} cores for {BAR_S} s: {cpu / PROCESSES / BAR_S:.2f}")
    sys.exit(cpu > PROCESSES * BAR_S)


if __name__ == "__main__":
    main()
