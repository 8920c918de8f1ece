"""CPU of the harness for each call to an endpoint, beyond a bare `openai` client that makes the same calls.

    python bench/endpoint_overhead.py

The endpoint answers at once and is a process of its own. Both sides make the same requests from 32
threads in this process, in turns; its CPU time is what counts, medians. Ours plays chess self-play and
packs the bundle: prompts, digests, rules, substitutes, journal, and the same client underneath.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai

from agzamov_harness.pipeline.pack import written
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_verify.core.questions import Answer, Chat, Question
from instant import KEY, instant_server, play, sealed

CONCURRENCY, GAMES, PLIES, ROUNDS = 32, 64, 30, 5
BAR_MS = 3.0


def ours(run: RunDirectory, bundles: Path) -> list[Chat]:
    """Play and pack a run; the questions that it asked."""
    asked: list[Chat] = []

    def noting(ask: Callable[[Question], Answer]) -> Callable[[Question], Answer]:
        def note(question: Question) -> Answer:
            assert isinstance(question, Chat)
            asked.append(question)
            return ask(question)

        return note

    written(run, play(run, noting), KEY, bundles)
    return asked


def bare(url: str, asked: list[Chat]) -> None:
    """The same requests by the client alone."""
    with openai.OpenAI(base_url=url, api_key="none", max_retries=0, timeout=120.0) as client:

        def call(question: Chat) -> object:
            messages: Any = [{"role": message.role, "content": message.content} for message in question.messages]
            return client.chat.completions.create(
                model="instant", messages=messages, temperature=0, max_tokens=1024, seed=question.seed
            )

        with ThreadPoolExecutor(CONCURRENCY) as pool:
            for answer in pool.map(call, asked):
                assert answer


def main() -> None:
    rounds = []
    with tempfile.TemporaryDirectory() as name, instant_server() as url:
        for number in range(ROUNDS):
            run = sealed(Path(name) / str(number), url, CONCURRENCY, GAMES, PLIES)
            start = time.process_time()
            asked = ours(run, Path(name) / "bundles")
            between = time.process_time()
            bare(url, asked)
            end = time.process_time()
            rounds.append(((between - start) / len(asked) * 1000, (end - between) / len(asked) * 1000))
    mine, plain = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"{len(asked)} calls a round, {CONCURRENCY} side by side; CPU ms per call:")
    print(f"  ours {mine:.2f}   bare client {plain:.2f}   ratio {mine / plain:.2f}")
    print(f"beyond the bare client {mine - plain:.2f} ms (bar {BAR_MS:.0f} ms)")


if __name__ == "__main__":
    main()
