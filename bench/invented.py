"""Bundles of a model whose answers are made up on the spot: legal, drawn at random, and as long as a model's."""

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import chess
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.pipeline.pack import pack
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import Answering
from agzamov_harness.run.move_evaluations import judge_promised
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_verify.core.dice import Stream
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import Answer, Chat, Evaluation, Question, Reply
from agzamov_verify.engines.uci_engine import find_engine
from agzamov_verify.plan.manifest import EnginePin
from agzamov_verify.protocols.norms import load_protocol

PLIES_MAX = 110
ADJUDICATED = {"chess960": {"plies_max": PLIES_MAX}}
THOUGHT = "Let me look at the position and the opponent's last move first. " * 4
LEGAL = re.compile(r"Legal actions: (.*)$", re.MULTILINE)
FEN = re.compile(r"^FEN: (.*)$", re.MULTILINE)


def invent(question: Question) -> Answer:
    """A legal answer made up from the prompt, about as long as a model's."""
    if not isinstance(question, Chat):
        return Evaluation(0, None)
    text = question.messages[-1].content
    draw = Stream(question.seed.to_bytes(8, "big"), text)
    fen = FEN.search(text)
    action = f"MOVE: {_move(fen[1], draw)}" if fen else f"ACTION: {_action(text, draw)}"
    return Reply(text=f"{THOUGHT}\n{action}", completion_tokens=60, prompt_tokens=400, model="invented")


def _move(fen: str, draw: Stream) -> str:
    moves = list(chess.Board(fen, chess960=True).generate_legal_moves())
    return draw.choice(moves).uci()


def _action(text: str, draw: Stream) -> str:
    legal = LEGAL.search(text)
    assert legal
    choice = draw.choice([word for word in legal[1].split(", ") if word[:3] not in ("bet", "rai")] or ["all-in"])
    return "all-in" if draw.below(40) == 0 else choice


class Size(NamedTuple):
    """Games of Chess960 and hands of hold'em."""

    games: int
    hands: int

    def __str__(self) -> str:
        return f"{self.games} games + {self.hands:,} hands"


def bundle_of(
    size: Size,
    folder: Path,
    asked: Mapping[str, Any],
    answer: Callable[[Question], Answer] = invent,
    key: Ed25519PrivateKey | None = None,
    *,
    name: str = "invented",
    at_once: int = 1,
) -> Path:
    """The bundle, in a folder. `asked`: what the plan asks of the engine. `at_once`: streams played in parallel."""
    match = {"phase": 1, "a": "model", "b": "model"}
    plan = plan_from(
        {
            "title": "Invented",
            "seats": {"model": {"kind": "openai", "base_url": "http://127.0.0.1/v1", "model": name}},
            **asked,
            "matches": [
                {**match, "game": "chess960", "games": size.games},
                {**match, "game": "holdem", "hands": size.hands},
            ],
        }
    )
    key, path, stop = key or Ed25519PrivateKey.generate(), find_engine(), Stop()
    manifest, secret = seal(plan, key_id(key.public_key()), path)
    if isinstance(manifest.engine, EnginePin):
        assert manifest.engine.net_sha256 == load_protocol(plan.protocol).engine.net_sha256
    directory = run_folder.create(folder / "runs", manifest, secret, key)
    blocks = Runner(directory, Answering(answer), time.monotonic_ns, State(plan, None), stop, at_once).play()
    judge_promised(directory, blocks, path, stop)
    return pack(directory, blocks, key, folder / "bundles").bundle
