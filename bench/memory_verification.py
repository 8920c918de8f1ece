"""What verification of a match with a memory costs, of what that of a naked match of the same size does.

    python bench/memory_verification.py [--full]    full: 500 games and 10,000 hands in five careers, measured once

Both are played by random players, whose every answer is computed again; the memory is `full_text`, asked in this
process, ten entries a decision. CPU time of the whole check, in turns, the ratio of each round; the bar is 2.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.pipeline.pack import pack
from agzamov_harness.pipeline.sealed_run import with_memories
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import RunPorts
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_memory.entry import Entry
from agzamov_memory.systems import SYSTEMS, Settings
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import (
    MEMORY,
    Answer,
    Chat,
    EndGame,
    Export,
    Exported,
    Hit,
    Hits,
    Kept,
    Question,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.table import scripted_players

BAR, PAGE_ENTRIES = 2, 200


class Size(NamedTuple):
    """Of both matches, and how often each is verified."""

    careers: int
    games: int
    hands: int
    rounds: int


SMALL, FULL = Size(2, 40, 1_000, 5), Size(5, 500, 10_000, 1)


class Players:
    """Random players."""

    def answer(self, question: Question) -> Answer:
        assert isinstance(question, Chat)
        text = scripted_players.scripted_reply("random", question.messages, question.seed)
        return scripted_players.with_words_as_tokens("random", question.messages, text)

    def restore(self, question: Question, recorded: Answer) -> None:
        """Nothing: they have no state."""

    def close(self) -> None:
        """Nothing: they hold nothing."""


class Memory(Players):
    """A built-in system in this process."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._memory = SYSTEMS["full_text"].make(Settings(folder, None, None))

    def answer(self, question: Question) -> Answer:
        memory = self._memory
        match question:
            case Store():
                memory.store(Entry(question.entry, question.content, (question.number,), question.kind))
                return Stored()
            case Search():
                found = memory.search(question.query, question.hits_max, question.number)
                return Hits(tuple(Hit(entry.content, entry.entry) for entry in found))
            case EndGame():
                return Settled(memory.entries.count())
            case Export():
                page = memory.entries.page(question.offset, PAGE_ENTRIES)
                kept = (Kept(one.content, one.derived_from, one.entry, one.games, one.kind) for one in page)
                return Exported(tuple(kept), question.offset + len(page) < memory.entries.count())
            case _:
                raise AssertionError(question)


def bundle_of(folder: Path, condition: dict[str, str], size: Size) -> Path:
    """A bundle of both games under a condition."""
    match = {"phase": 2, "a": "agent", "b": "foe", "careers": size.careers, "condition": condition}
    plan = plan_from(
        {
            "title": "Verification",
            "seats": {"agent": {"kind": "random"}, "foe": {"kind": "random"}},
            "systems": {"notes": {"kind": "memory"}} if "system" in condition else {},
            "chess960": {"plies_max": 60, "adjudication": {"policy": "none"}},
            "holdem": {"session_hands": 20},
            "matches": [
                {**match, "game": "chess960", "games": size.games},
                {**match, "game": "holdem", "hands": size.hands},
            ],
        }
    )
    key = Ed25519PrivateKey.generate()
    manifest, secret = seal(plan, key_id(key.public_key()), None)
    directory = run_folder.create(folder / "runs", with_memories(manifest), secret, key)
    players = Players()
    ports = RunPorts({"agent": players, "foe": players}, {MEMORY: lambda stream: Memory(folder / "stores" / stream)})
    runner = Runner(directory, ports, time.monotonic_ns, State(plan, None), Stop(), 1)
    return pack(directory, runner.play(), key, folder / "bundles").bundle


def cpu_s(bundle: Path) -> float:
    """CPU time of one check, that of its processes too."""
    before = sum(os.times()[:4])
    verdict = verify(bundle, Options(None, "", 1))
    assert verdict.level == "V1", verdict.findings
    return sum(os.times()[:4]) - before


def main() -> None:
    """Print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--full", action="store_const", const=FULL, default=SMALL, help="the size of a protocol's match"
    )
    size = parser.parse_args().full
    conditions: dict[str, Any] = {
        "naked": {"augmentation": "memory"},
        "memory": {"augmentation": "memory", "arm": "real", "system": "notes"},
    }
    with tempfile.TemporaryDirectory() as folder:
        naked, memory = (bundle_of(Path(folder) / name, condition, size) for name, condition in conditions.items())
        rounds = [(cpu_s(naked), cpu_s(memory)) for _ in range(size.rounds)]
    ratio = statistics.median(second / first for first, second in rounds)
    ours, beside = (statistics.median(column) for column in (*zip(*rounds, strict=True),)[::-1])
    print(f"verification with a memory: {ours:.2f} s, naked {beside:.2f} s of CPU: {ratio:.2f} times (bar {BAR})")


if __name__ == "__main__":
    main()
