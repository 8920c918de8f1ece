"""Runs of later phases made up from records of the real game scripts, so that those phases only have to be fed.

Each kind of game and hand is played once by its script, between scripted seats: a game is a move from its end, a
hand is given up after a raise of the wanted size. A cell is a stream of such records, drawn from a world of known
truth and labelled as what a later phase would have recorded.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Reply
from agzamov_verify.experiment.matches import Arm, Augmentation, Trait
from agzamov_verify.games.chess import game_script as chess960
from agzamov_verify.games.chess.cell import ChessCell, chess_cell
from agzamov_verify.games.chess.game_script import ChessRecord, ChessRules
from agzamov_verify.games.holdem import hand_script as holdem
from agzamov_verify.games.holdem.cell import PokerCell, poker_cell
from agzamov_verify.games.holdem.hand_script import HandRecord, PokerRules
from agzamov_verify.games.holdem.rules import Deal
from agzamov_verify.scoring.hypotheses.evidence import Evidence, ProbeCell
from agzamov_verify.scoring.units.cells import Cell, CellKey
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy
from agzamov_verify.table.decision import IllegalPolicy, Tally
from agzamov_verify.table.players import GameName, Player
from verify.scripted import told

CHESS, POKER = "chess960", "holdem"
CONSTANTS = load_score_constants("agz-0.1")
DICE = Dice(bytes(32))
RETRIED = IllegalPolicy.RETRY_THEN_FORFEIT
CHESS_RULES = ChessRules(adjudication=Adjudication(policy=AdjudicationPolicy.NONE), illegal=RETRIED)
POKER_RULES = PokerRules(illegal=RETRIED)
GARBLED = Reply(text="I would rather not say.")
RESAMPLES = 400
CELLS_KEPT = 64
"""Of cells that were made: many tests take the same ones, and a cell is never changed."""

# White mates, Black mates, White takes the last pawn.
ENDS = {
    2: ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8"),
    0: ("r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "a8a1"),
    1: ("8/8/8/8/4k3/8/1p6/K7 w - - 0 1", "a1b2"),
}
DEAL = Deal(("Ah", "Kd"), ("9s", "9c"), ("Qs", "Jh", "3c", "7d", "2h"))


@lru_cache
def chess_record(white_halfpoints: int, errors: int = 0) -> ChessRecord:
    """A game that ends so, played by the real script; the side that moves first gives no action so often."""
    start, move = ENDS[white_halfpoints]
    answers: list[Answer] = [GARBLED] * errors + [Reply(text=f"MOVE: {move}")]
    name = GameName("g", "chess960/0")
    record, _ = told(chess960.play(name, start, Player("white"), Player("black"), CHESS_RULES, DICE), answers)
    return record


@lru_cache
def hand_record(button_chips: int, errors: int = 0) -> HandRecord:
    """A hand that the button wins or loses so much in (at least two big blinds), played by the real script."""
    size = Fraction(abs(button_chips), 100)
    own, more = f"raise to {float(size):g}", f"raise to {float(2 * size):g}"
    said = [own, more, "fold"] if button_chips < 0 else ["call", own, more, "fold"]
    answers: list[Answer] = [GARBLED] * errors + [Reply(text=f"ACTION: {text}") for text in said]
    players = (Player("button"), Player("big blind"))
    script = holdem.play(GameName("h", "holdem/0"), DEAL, players, POKER_RULES, DICE, (Tally(), Tally()))
    record, _ = told(script, answers)
    return record


class World(NamedTuple):
    """Where a cell's results come from: for chess P(win) and P(draw), for hold'em the mean in bb/100.

    `late` is added to the win rate (or the mean) as it is learned: late * (1 - e^(-n / tau)). `errors`: the share of
    first attempts that fail.
    """

    win: float = 0.35
    draw: float = 0.3
    mean: float = 0.0
    late: float = 0.0
    tau: float = 30.0
    errors: float = 0.0


EVEN = World()
POTS = (200, 300, 500, 800, 1200)


@lru_cache(CELLS_KEPT)
def chess(key: CellKey, world: World, games: int = 400, starts: str = "") -> ChessCell:
    """A cell of chess."""
    draw = stream(key)
    records = []
    for index in range(games):
        level = world.win + world.late * (1 - np.exp(-index / world.tau))
        u = draw.random()
        points = 2 if u < level else 1 if u < level + world.draw else 0
        errors = int(draw.random() < world.errors)
        a_white = index % 2 == 0
        white = points if a_white else 2 - points
        # The side that moves is the one that fails: White mates and takes, Black mates.
        own = (white != 0) is a_white
        record = chess_record(white, errors if own else 0)
        records.append(msgspec.structs.replace(record, start_fen=f"{record.start_fen} {index}"))  # no game twice
    return chess_cell(key, records, 0, starts)


@lru_cache(CELLS_KEPT)
def poker(key: CellKey, world: World, hands: int = 3000, starts: str = "") -> PokerCell:
    """A cell of hold'em."""
    draw = stream(key)
    records = []
    mean_pot = sum(POTS) / len(POTS)
    for index in range(hands):
        mean = world.mean + world.late * (1 - np.exp(-index / world.tau))
        won = draw.random() < 0.5 + mean / mean_pot / 2
        chips = POTS[int(draw.integers(len(POTS)))] * (1 if won else -1)
        a_button = index % 2 == 0
        errors = int(draw.random() < world.errors) if a_button else 0
        records.append(hand_record(chips if a_button else -chips, errors))
    tallies = (Tally(), Tally())
    return poker_cell(key, records, 0, tallies, starts, POKER_RULES)


def stream(key: CellKey) -> np.random.Generator:
    """A generator of its own for every label."""
    return np.random.default_rng(zlib.crc32(str(key).encode()))


def cell(key: CellKey, world: World, size: int = 0, starts: str = "") -> Cell:
    """A cell of the key's game."""
    make: Callable[..., Cell] = chess if key.game == CHESS else poker
    return make(key, world, size, starts) if size else make(key, world, starts=starts)


def arms(
    real: World,
    naked: World = EVEN,
    placebo: World | None = None,
    augmentation: Augmentation = Augmentation.MEMORY,
    model: str = "m",
    system: str = "s",
    games: Sequence[str] = (CHESS, POKER),
    phase: int = 2,
    part: str = "",
) -> list[Cell]:
    """The arms of a sub-phase in some games; a world's win rate goes for chess, its mean for hold'em."""
    worlds = {Arm.REAL: real, Arm.NAKED: naked, Arm.PLACEBO: placebo}
    return [
        cell(CellKey(model, game, phase, augmentation, arm, system, part), world)
        for game in games
        for arm, world in worlds.items()
        if world is not None
    ]


def evidence(
    cells: Sequence[Cell],
    probes: Sequence[ProbeCell] = (),
    traits: dict[str, frozenset[Trait]] | None = None,
    parts: Mapping[str, Mapping[str, Augmentation]] | None = None,
) -> Evidence:
    """Evidence with few resamples: verdicts go by tests, not by intervals."""
    return Evidence(
        cells,
        CONSTANTS,
        lambda name: zlib.crc32(name.encode()).to_bytes(32, "big"),
        RESAMPLES,
        probes,
        traits,
        parts=parts,
    )


def relabelled(some: Cell, **changes: object) -> Cell:
    """The same results under another label."""
    return msgspec.structs.replace(some, key=msgspec.structs.replace(some.key, **changes))
