"""32 matches side by side against an endpoint that takes 200 ms: how close to the 160 calls a second that it allows.

    python bench/latency_32.py

The endpoint is a process of its own. 32 streams of chess self-play run in this one, each with one call
in flight; what the harness does between two calls of a stream is lost.
"""

import tempfile
import time
from pathlib import Path

from instant import instant_server, play, sealed

STREAMS, DELAY_MS, PLIES = 32, 200, 40
BAR = 0.9


def main() -> None:
    with tempfile.TemporaryDirectory() as name, instant_server(DELAY_MS) as url:
        run = sealed(Path(name), url, STREAMS, 2 * STREAMS, PLIES)
        start, start_cpu = time.monotonic(), time.process_time()
        play(run)
        wall, cpu = time.monotonic() - start, time.process_time() - start_cpu
        calls = sum(path.read_bytes().count(b"\n") for path in run.journal.glob("*/*.jsonl"))
    possible = STREAMS * 1000 / DELAY_MS
    print(f"{calls} calls in {wall:.1f} s, {calls / wall:.0f} a second of {possible:.0f}; {cpu / wall:.0%} of one core")
    print(f"share {calls / wall / possible:.1%} (bar {BAR:.0%})")


if __name__ == "__main__":
    main()
