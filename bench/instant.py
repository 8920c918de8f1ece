"""What the endpoint benchmarks share: a server in a process of its own, and a run of self-play against it in this one.

The server answers every request at once, or after a delay, with one fixed reply in the right format. Its
move is rarely legal, so most plies are substituted: a full decision for the harness, and games that last.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.adapters.endpoint import Endpoint
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import Answering, World, ports_of
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.runner import Blocks, Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import Answer, Question
from agzamov_verify.seats import EndpointSeat

KEY = Ed25519PrivateKey.generate()
REPLY = {
    "id": "chatcmpl-instant",
    "object": "chat.completion",
    "created": 1,
    "model": "instant",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "MOVE: e2e4"}}],
    "usage": {"prompt_tokens": 99_999, "completion_tokens": 5},
}
BODY = json.dumps(REPLY).encode()
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(BODY)
BEFORE, _, AFTER = (HEAD + BODY).partition(b"99999")
BYTES_A_TOKEN = 4
"""A server that read all prompts as equally many tokens would be taken for one that cuts them."""


class Instant(asyncio.Protocol):
    """One connection: a response for each whole request."""

    delay_s = 0.0

    def __init__(self) -> None:
        self._seen = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._seen += data
        while (end := self._end_of_request()) and len(self._seen) >= end:
            self._seen = self._seen[end:]
            asyncio.get_running_loop().call_later(self.delay_s, self._answer, end // BYTES_A_TOKEN)

    def _end_of_request(self) -> int:
        """Where the first request ends, 0 while its head is not there."""
        head, found, _ = self._seen.partition(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].split(b"\r\n", 1)[0]
        return len(head) + 4 + int(length or 0) if found else 0

    def _answer(self, prompt_tokens: int) -> None:
        if self._transport:
            self._transport.write(b"%b%5d%b" % (BEFORE, prompt_tokens, AFTER))


async def serve(delay_s: float) -> None:
    Instant.delay_s = delay_s
    server = await asyncio.get_running_loop().create_server(Instant, "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


@contextmanager
def instant_server(delay_ms: int = 0) -> Iterator[str]:
    """The server as a process; its base URL."""
    with subprocess.Popen([sys.executable, __file__, str(delay_ms)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def sealed(runs: Path, url: str, concurrency: int, games: int, plies: int) -> RunDirectory:
    """A sealed run of chess self-play: streams of two games, all against one endpoint."""
    plan = plan_from(
        {
            "title": "Instant",
            "seats": {"model": {"kind": "openai", "base_url": url, "model": "instant", "concurrency": concurrency}},
            "chess960": {"adjudication": {"policy": "none"}, "plies_max": plies},
            "matches": [{"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": games, "block_games": 2}],
        }
    )
    manifest, secret = seal(plan, key_id(KEY.public_key()), None)
    return run_folder.create(runs, manifest, secret, KEY)


def play(
    run: RunDirectory, around: Callable[[Callable[[Question], Answer]], Callable[[Question], Answer]] = lambda ask: ask
) -> Blocks:
    """Play a sealed run with the harness's own parts, `around` its world."""
    seat = run.manifest.plan.seats["model"]
    assert isinstance(seat, EndpointSeat)
    stop = Stop()
    world = World(ports_of({"model": Endpoint("model", seat, {}, time.monotonic_ns, stop.wait)}, None))
    try:
        state = State(run.manifest.plan, None)
        return Runner(run, Answering(around(world)), time.monotonic_ns, state, stop, seat.concurrency).play()
    finally:
        world.close()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]) / 1000))
