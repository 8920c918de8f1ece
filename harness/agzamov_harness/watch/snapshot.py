"""The live page's snapshot, whole at each request: whoever comes later or looks twice sees the same."""

from typing import Final

import msgspec

TEXT_CHARACTERS_MAX: Final = 10_000


class MatchRow(msgspec.Struct, frozen=True):
    """One match: results that are finished, of how many planned, and seat A's figure over the first `scored` of them.

    `words`: the figure with its interval; `is_baseline`: self-play, which has none. `is_left_out`: Phase 0 failed, so
    it is not played.
    """

    match: str
    phase: int
    game: str
    seats: list[str]
    condition: str
    finished: int
    planned: int
    scored: int
    words: str
    is_over: bool
    is_left_out: bool
    is_baseline: bool


class GameRow(msgspec.Struct, frozen=True):
    """One game in progress. `scene`: the position or the hand, as `GameView.scene` has it.

    `prompt` and `reply` are the last of a seat, `asked`; the run now `waits_for` somebody, a seat or a tool.
    """

    game: str
    match: str
    turn: int
    waits_for: str
    scene: dict[str, str]
    asked: str
    prompt: str
    reply: str


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it stands. `quiet_s`: since the last answer that came while this looked; None if none did.

    `is_read`: the journals were read to their end once. `is_over`: all that is due was played. `is_ended`: the process
    that plays it, and serves this, plays no more; `stopped_because`: what stopped it, if anything did; `is_final`: the
    last figures are here, and nothing will change any more. `faults`: decisions of finished games whose first reply had
    no legal action. `failed_attempts`: calls that a server failed to answer. `budget_usd`: empty for none. `broken`:
    what is wrong with a journal.
    """

    format: str = "agz-watch-1"
    run: str
    title: str
    is_read: bool
    is_over: bool
    is_ended: bool = False
    is_final: bool = False
    stopped_because: str = ""
    quiet_s: float | None
    results: dict[str, tuple[int, int]]
    calls: int
    calls_per_s: float | None
    evaluations: int
    faults: int
    failed_attempts: int
    without_reply: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: str
    budget_usd: str
    matches: list[MatchRow]
    games: list[GameRow]
    games_not_shown: int
    broken: list[str]


_encoder = msgspec.json.Encoder()


def encoded(snapshot: Snapshot) -> bytes:
    """The snapshot as JSON."""
    return _encoder.encode(snapshot)


def shortened(text: str) -> str:
    """A text as the page shows it: its beginning, and how much is left out."""
    if len(text) <= TEXT_CHARACTERS_MAX:
        return text
    return f"{text[:TEXT_CHARACTERS_MAX]}\n… and {len(text) - TEXT_CHARACTERS_MAX:,} more characters"
