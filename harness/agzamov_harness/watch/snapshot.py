"""The live page's snapshot, whole at each request: whoever comes later or looks twice sees the same."""

from typing import Any, Final

import msgspec

TEXT_CHARACTERS_MAX: Final = 10_000


class SeatRow(msgspec.Struct, frozen=True):
    """One seat so far. `answers`: at its decisions; `unusable`: those without a legal action; see `SeatCounts`."""

    seat: str
    is_model: bool
    calls: int
    answers: int
    unusable: int
    cut: int
    no_reply: int
    retries: int
    prompt_tokens: int
    completion_tokens: int


class MatchRow(msgspec.Struct, frozen=True):
    """One match: `done` games or hands of those planned, and its first seat's score over the first `scored` of them.

    `score`: the figure with its interval; `waits_for`: after what there is one; `caution`: why it says little.
    `is_baseline`: self-play, which has none. `is_left_out`: Phase 0 failed, so it is not played. `last`: the last game
    that can be replayed.
    """

    match: str
    words: str
    first_seat: str
    noun: str
    done: int
    planned: int
    scored: int
    score: str
    waits_for: str
    caution: str
    is_begun: bool
    is_over: bool
    is_left_out: bool
    is_baseline: bool
    last: str


class GameRow(msgspec.Struct, frozen=True):
    """One game in progress. `frame`: as `GameView.live_frame` has it; `kind`: the game that draws it.

    `prompt` and `reply` are the last of a seat, `asked`; `asked_in`: the earlier game that they are of, empty for this
    one. `verdict`: what a model's last answer at a decision came to. `counts`: of this game, by seat: unusable answers,
    answers. The run has waited `waits_s` for somebody, a seat or a tool.
    """

    stream: str
    game: str
    title: str
    match: str
    kind: str
    placed: list[str]
    places: list[str]
    turn: int
    waits_for: str
    waits_s: float
    frame: dict[str, Any]
    asked: str
    asked_in: str
    prompt: str
    reply: str
    verdict: str
    is_unusable: bool
    counts: dict[str, tuple[int, int]]


class FinishedRow(msgspec.Struct, frozen=True):
    """One game that is over, and its result in words."""

    game: str
    title: str
    match: str
    result: str


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it stands. `quiet_s`: since the last answer that came while this looked; None if none did.

    `is_played`: a process of this machine plays it; None where shares do, of which that is not known.
    `is_read`: the journals were read to their end once. `is_over`: all that is due was played. `is_ended`: the process
    that plays it, and serves this, plays no more; `stopped_because`: what stopped it, if anything did; `is_final`: the
    last figures are here, and nothing will change any more.
    `calls`, `calls_expected`: of models, or of all seats where there are none; the latter for the whole run, by the
    plan's forecast and what was seen. `left_s`: None while too little was seen.
    `answers`, `unusable`, `cut`: of all models, or of the `worst` where several play and one `is_alarming`: it has more
    unusable answers than Phase 0 allows. `is_cost_known`: every model has a price; `budget_usd`: empty for
    none. `broken`: what is wrong with a journal.
    """

    format: str = "agz-watch-2"
    run: str
    title: str
    is_read: bool
    is_over: bool
    is_ended: bool = False
    is_final: bool = False
    stopped_because: str = ""
    is_played: bool | None
    quiet_s: float | None
    calls: int
    calls_expected: int
    elapsed_s: float | None
    left_s: float | None
    answers: int
    unusable: int
    cut: int
    worst: str
    is_alarming: bool
    has_models: bool
    cost_usd: str
    is_cost_known: bool
    budget_usd: str
    seats: list[SeatRow]
    matches: list[MatchRow]
    games: list[GameRow]
    games_not_shown: int
    finished: list[FinishedRow]
    broken: list[str]


_encoder = msgspec.json.Encoder()


def encoded(value: Snapshot | dict[str, Any]) -> bytes:
    """A snapshot, or the document of a game, as JSON."""
    return _encoder.encode(value)


def shortened(text: str) -> str:
    """A text as the page shows it: its beginning, and how much is left out."""
    if len(text) <= TEXT_CHARACTERS_MAX:
        return text
    return f"{text[:TEXT_CHARACTERS_MAX]}\n… and {len(text) - TEXT_CHARACTERS_MAX:,} more characters"
