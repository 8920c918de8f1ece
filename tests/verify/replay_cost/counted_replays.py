"""Fixed inputs of a replay, and the instructions of Python's machine that it takes.

Seconds differ from machine to machine and from minute to minute; the instructions of one input do not. What C code does
(hashing, JSON, inflating) is not counted.
"""

import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import FrameType
from typing import Any, Final, NamedTuple

import chess

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.journal import GENESIS, VERSION, Chain, Entry, asked, encode, line_digest
from agzamov_verify.core.questions import Answer, Chat, Planted, Question, Reply
from agzamov_verify.core.script import Exchanges, Replay, drive
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.table.game import Block, StreamPlan
from agzamov_verify.table.scripted_players import scripted_reply

RUN: Final = "0" * 16
SIZES: Final[dict[str, dict[str, int]]] = {
    "chess": {"games": 2},
    "draughts": {"games": 4},
    "holdem": {"hands": 100, "block_hands": 100},
}
MODEL: Final = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "tokens_max": 4_096}
THOUGHT: Final = "The centre is open, so I compare the captures first and then every quiet move.\n" * 15
"""A reply of a model's length stands before each action."""


class Recorded(NamedTuple):
    """A stream with its journal's lines, and how many of its questions are decisions."""

    stream: StreamPlan
    plan: Plan
    dice: Dice
    lines: tuple[bytes, ...]
    block: Block
    decisions: int


@cache
def recorded(game: str) -> Recorded:
    """A stream between two models that think for a while, then act by chance."""
    rules = {"illegal": "retry_then_forfeit", **({"adjudication": {"policy": "none"}} if game == "chess" else {})}
    seats = {name: {**MODEL, "model": name} for name in ("one", "two")}
    match = {"phase": 6, "game": game, "a": "one", "b": "two", **SIZES[game]}
    plan = plan_from({"title": "Counted", "protocol": "arena-0.1", "seats": seats, game: rules, "matches": [match]})
    stream = next(iter(streams_of(plan.matches[0])))
    dice, lines, decisions, head = Dice(b"replay cost"), list[bytes](), 0, GENESIS
    story = Exchanges(block_script(stream, plan, dice), _answer)
    for seq, (question, answer) in enumerate(story):
        lines.append(encode(Entry(answer, head, asked(question), RUN, seq, stream.id, VERSION)))
        head = line_digest(lines[-1])
        decisions += not isinstance(question, Planted)
    return Recorded(stream, plan, dice, tuple(lines), story.value, decisions)


def _answer(question: Question) -> Answer:
    assert isinstance(question, Chat)
    action = scripted_reply("random", question.messages, question.seed).splitlines()[-1]
    return Reply(text=THOUGHT + action, prompt_tokens=300, completion_tokens=300)


def replay(record: Recorded) -> None:
    """The chain and the script of a stream together; its common spots are made already."""
    answers = Replay(record.stream.id, Chain(RUN, record.stream.id).read_all(record.lines))
    block = drive(block_script(record.stream, record.plan, record.dice), answers)
    answers.finish()
    assert block == record.block


def reference_loop(record: Recorded) -> bool:
    """The library alone over the same games of chess: legality, every end of a game, the draws of the protocol."""
    block: Any = record.block
    ended = False
    for game in block.records:
        board = chess.Board(game.start_fen, chess960=True)
        for move in game.moves:
            board.push(board.parse_uci(move))
            ended = bool(board.outcome()) or board.is_repetition(3) or board.halfmove_clock >= 100
    return ended


def counted(work: Callable[[], object]) -> int:
    """Instructions of Python's machine that `work` takes when it is done again: tables and caches are filled."""
    work()
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def costs() -> Iterator[tuple[str, float]]:
    """Instructions of a decision's replay, as a multiple of those of a ply in the reference loop."""
    record = recorded("chess")
    ply = counted(lambda: reference_loop(record)) / record.decisions
    for game in SIZES:
        one = recorded(game)
        yield game, counted(lambda one=one: replay(one)) / one.decisions / ply  # type: ignore[misc]
