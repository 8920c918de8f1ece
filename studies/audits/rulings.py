"""Adjudication rules that end a game where it ended: by material, and by the engine.

material   piece values Q9 R5 B3 N3 P1, a difference of at least 10 for the same side on 6 plies in
           a row, counted from ply 40 on
engine     |eval| > 10 pawns for the same side over the last plies; the paper says "3 consecutive
           moves", which is 3 plies or 6, so both are counted

The paper names the engine's rule. Only the last 6 plies are evaluated: that is enough to say
whether the rule holds where the game was stopped.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

import chess
import msgspec

from agzamov_verify.core.questions import ENGINE, Evaluate, Evaluation
from agzamov_verify.engines.uci_engine import NAME, NET_SHA256, UciEngine
from agzamov_verify.games.chess.game_script import Adjudicator
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy, winning_side

from .findings import Finding, Step, side_name
from .published_files import RESULTS
from .replay import ADJUDICATION, Replayed

MATERIAL = Adjudication(AdjudicationPolicy.MATERIAL, threshold_points=10, plies=6)
MATERIAL_FROM_PLY = 40
THRESHOLD_CENTIPAWNS = 1000
SHORT_PLIES, LONG_PLIES = 3, 6
HASH_MIB = 16


class Firing(msgspec.Struct, frozen=True, gc=False):
    """First ply at which a rule stops a game, and the winner's side (+1 White, -1 Black)."""

    ply: int
    side: int


class Ruling(msgspec.Struct, frozen=True):
    """Results of both rules for one game.

    `beyond` counts the last plies in a row, 6 at most, on which the engine puts the recorded winner
    beyond the threshold; `scores` are those evaluations from White's side. None without an engine.
    """

    game: str
    plies: int
    winner: int
    adjudicated: bool
    points: int
    material: Firing | None
    beyond: int | None = None
    scores: tuple[str, ...] = ()

    @property
    def by_material(self) -> bool:
        """The material rule stops the game at its last ply, for the recorded winner."""
        return self.material == Firing(self.plies, self.winner)

    def by_engine(self, plies: int) -> bool:
        """The engine's rule holds on the last `plies` plies, for the recorded winner."""
        return self.beyond is not None and self.beyond >= plies


def material_ruling(replayed: Replayed) -> Ruling:
    """Apply the material rule to a game, from its board alone."""
    record, final = replayed.record, replayed.game
    adjudicated = record.result_reason == ADJUDICATION
    firing = _first_firing(final)
    points = final.material_points()
    return Ruling(record.game_id, final.ply, record.result.side, adjudicated, points, firing)


def engine_questions(replayed: Replayed) -> list[Evaluate]:
    """The positions after each of the last plies of a game."""
    game = replayed.game
    plies = range(max(0, game.ply - LONG_PLIES) + 1, game.ply + 1)
    record = replayed.record
    return [
        Evaluate(game=record.game_id, moves=" ".join(game.moves[:ply]), start_fen=game.start_fen, turn=ply, to=ENGINE)
        for ply in plies
    ]


def engine_ruling(ruling: Ruling, questions: Sequence[Evaluate], answers: Sequence[Evaluation]) -> Ruling:
    """`ruling` with what the engine says of the last plies."""
    beyond = 0
    for question, answer in zip(reversed(questions), reversed(answers), strict=True):
        side = winning_side(answer, _white_to_move(question), THRESHOLD_CENTIPAWNS)
        if not side or side != ruling.winner:
            break
        beyond += 1
    pairs = zip(questions, answers, strict=True)
    scores = tuple(_score(answer, white_to_move=_white_to_move(question)) for question, answer in pairs)
    return msgspec.structs.replace(ruling, beyond=beyond, scores=scores)


def evaluate_all(path: Path, questions: Sequence[Evaluate], nodes: int, jobs: int) -> list[Evaluation]:
    """The pinned engine's score of every position, on `jobs` processes. Raises EngineFault."""
    workers = max(1, min(jobs, len(questions)))
    with ExitStack() as stack:
        idle: SimpleQueue[UciEngine] = SimpleQueue()
        for _ in range(workers):
            engine = stack.enter_context(UciEngine(path, HASH_MIB))
            engine.require(NAME, NET_SHA256)
            idle.put(engine)

        def evaluate(question: Evaluate) -> Evaluation:
            engine = idle.get()
            try:
                return engine.evaluate(question, nodes)
            finally:
                idle.put(engine)

        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(evaluate, questions))


def rule_findings(ruling: Ruling) -> list[Finding]:
    """An adjudicated game that no rule tried here ends at its last ply for the recorded winner."""
    if not ruling.adjudicated or ruling.by_material or ruling.by_engine(SHORT_PLIES):
        return []
    tried = "a rule" if ruling.beyond is not None else "the material rule"
    expected = f"{tried} that gives the game to {side_name(ruling.winner)} here"
    return [Finding(Step.RULE, RESULTS, expected, _said(ruling), ruling.game, ruling.plies)]


def _said(ruling: Ruling) -> str:
    fires = "fires nowhere"
    if ruling.material:
        fires = f"fires at ply {ruling.material.ply} for {side_name(ruling.material.side)}"
    text = f"that the material rule {fires} (difference {ruling.points:+} at the end)"
    if ruling.beyond is None:
        return f"{text}; no engine was asked"
    return f"{text} and the engine's holds on the last {ruling.beyond} plies"


def _first_firing(final: Game960) -> Firing | None:
    game = Game960(final.start_fen)
    adjudicator = Adjudicator(MATERIAL, "")
    for text in final.moves:
        game.push(chess.Move.from_uci(text))
        if game.ply < MATERIAL_FROM_PLY:
            continue
        side = adjudicator.after_ply(game)
        if side:
            return Firing(game.ply, side)
    return None


def _white_to_move(question: Evaluate) -> bool:
    return question.turn % 2 == 0


def _score(answer: Evaluation, *, white_to_move: bool) -> str:
    """An evaluation from White's side: pawns with two decimals, or # and the moves to mate."""
    sign = 1 if white_to_move else -1
    if answer.mate is not None:
        return f"#{sign * answer.mate:+}"
    centipawns = sign * (answer.centipawns or 0)
    return f"{'-' if centipawns < 0 else '+'}{abs(centipawns) // 100}.{abs(centipawns) % 100:02}"
