"""Answers that a real Ollama server gave (0.33.0-rc2, 20 November 2026), played back step by step."""

import json
from pathlib import Path
from typing import Any

from harness.http_peer import Exchange, Step

RECORDINGS = Path(__file__).parent / "recordings"
MODEL = "tiny-test:latest"
DIGEST = "649fae7eda29f5e06423fb11385c886fe12bd1d5d2bb8107fa98b264007c2b11"
SIZE_BYTES = 3_715_435
Json = dict[str, Any]


def recording(number: int) -> Json:
    (path,) = RECORDINGS.glob(f"{number:02d}_*.json")
    found: Json = json.loads(path.read_text())
    return found


def plays_back(recorded: Json, body: bytes | None = None) -> Step:
    """The recorded status and type, and the recorded body, or another one."""
    data = recorded["body_text"].encode() if body is None else body
    head = (
        f"HTTP/1.1 {recorded['status']} {recorded['reason']}\r\n"
        f"Content-Type: {recorded['headers']['Content-Type']}\r\nContent-Length: {len(data)}\r\n\r\n"
    )

    def step(exchange: Exchange) -> None:
        exchange.write(head.encode() + data)

    return step


def changed(recorded: Json, **changes: object) -> Step:
    """The recorded answer with other values under some keys."""
    return plays_back(recorded, json.dumps({**recorded["body_json"], **changes}).encode())
