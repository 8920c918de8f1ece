"""Verification of a whole arena bundle against a bare replay of the same games by the libraries, on one core.

    python bench/arena_verification.py [REPLY_CHARACTERS]

One bundle for each game, between two models whose replies have that many characters (default 1,200, about 300 tokens)
before their action. Ours is all of `agzamov verify`: files and signature, journals, prompts, rules, figures. Bare is
python-chess with the protocol's ends of a game, our own referee of draughts, and pokerkit, each with the same actions
at hand. CPU time, in turns, medians of rounds. The bar is 2 for all of them together.
"""

import os
import statistics
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import holdem_replay
from agzamov_harness.pipeline.pack import pack
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import RunPorts
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.games.draughts.rules import DraughtsGame
from agzamov_verify.table import scripted_players
from agzamov_verify.table.game import records_of
from chess_replay import bare_protocol, cpu_s

ROUNDS: Final = 3
BAR: Final = 2.0
CHARACTERS: Final = 1_200
SIZES: Final[dict[str, dict[str, Any]]] = {
    "chess": {"games": 52},
    "draughts": {"games": 60},
    "holdem": {"hands": 500, "block_hands": 100},
}
MODEL: Final = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "tokens_max": 4_096}
THOUGHT: Final = "The centre is open, so I compare the captures first and then every quiet move. "


class Models:
    """Models that think for so many characters, then act as the random player does."""

    def __init__(self, characters: int) -> None:
        self._thought = (THOUGHT * (characters // len(THOUGHT) + 1))[:characters] if characters else ""

    def answer(self, question: Question) -> Answer:
        assert isinstance(question, Chat)
        text = scripted_players.scripted_reply("random", question.messages, question.seed)
        action = text.splitlines()[-1]
        whole = f"{self._thought}\n{action}"
        return Reply(text=whole, prompt_tokens=300, completion_tokens=len(whole) // 4)

    def restore(self, question: Question, recorded: Answer) -> None:
        """Nothing: they have no state."""

    def close(self) -> None:
        """Nothing: they hold nothing."""


def bundle_of(folder: Path, game: str, characters: int) -> Path:
    """A bundle of one game of the arena between two models."""
    rules = {"illegal": "retry_then_forfeit", **({"adjudication": {"policy": "none"}} if game == "chess" else {})}
    seats = {name: {**MODEL, "model": name} for name in ("one", "two")}
    match = {"phase": 6, "game": game, "a": "one", "b": "two", **SIZES[game]}
    plan = plan_from({"title": "Bench", "protocol": "arena-0.1", "seats": seats, game: rules, "matches": [match]})
    key = Ed25519PrivateKey.generate()
    manifest, secret = seal(plan, key_id(key.public_key()), None)
    directory = run_folder.create(folder / "runs", manifest, secret, key)
    models, ticks = Models(characters), count(step=1_000_000)
    ports = RunPorts({"one": models, "two": models}, {})
    runner = Runner(directory, ports, lambda: next(ticks), State(plan, None), Stop(), 1)
    return pack(directory, runner.play(), key, folder / "bundles").bundle


def whole_check(bundle: Path) -> None:
    """All of `agzamov verify`."""
    verdict = verify(bundle, Options(None, "", 1))
    assert not verdict.failed, verdict.findings


def bare_of(bundle: Path, game: str) -> Callable[[], object]:
    """The bare loop over the games of a bundle, with their moves at hand."""
    opened = open_bundle(bundle, CheckLog())
    if game == "holdem":
        hands = holdem_replay.played(opened, holdem_replay.poker_streams(opened))
        return lambda: holdem_replay.bare(hands, opened.manifest.plan.rules_of("holdem").stack_chips)
    blocks = verify(bundle, Options(None, "", 1)).blocks
    records = [record for of_match in blocks.values() for record in records_of(of_match)]
    if game == "chess":
        return lambda: bare_protocol([(record.start_fen, record.moves) for record in records])
    return lambda: draughts([(record.ballot, record.moves) for record in records])


def draughts(games: list[tuple[str, tuple[str, ...]]]) -> None:
    """Our referee alone: each move is looked up among the legal ones, pushed, and the end is asked for."""
    for ballot, moves in games:
        game = DraughtsGame(ballot)
        for text in moves:
            game.play(text)
            game.end(40, 300)


def children_cpu_s(work: Callable[[], object]) -> float:
    """CPU time of a check, that of its processes too."""
    before = sum(os.times()[:4])
    work()
    return sum(os.times()[:4]) - before


def main() -> None:
    warnings.simplefilter("ignore")
    characters = int(sys.argv[1]) if len(sys.argv) > 1 else CHARACTERS
    ours_s, bare_s = 0.0, 0.0
    with tempfile.TemporaryDirectory() as name:
        for game in SIZES:
            bundle = bundle_of(Path(name) / game, game, characters)
            bare = bare_of(bundle, game)
            rounds = [(children_cpu_s(partial(whole_check, bundle)), cpu_s(bare)) for _ in range(ROUNDS)]
            ours, other = (statistics.median(column) for column in zip(*rounds, strict=True))
            ours_s, bare_s = ours_s + ours, bare_s + other
            print(f"{game}: verify {ours:.2f} CPU s, bare {other:.2f}: {ours / other:.2f} times")
    ratio = ours_s / bare_s
    told = "holds" if ratio <= BAR else "MISSED"
    print(f"together, replies of {characters} characters: {ratio:.2f} times (bar {BAR:g}): {told}")


if __name__ == "__main__":
    main()
