"""The published files, parsed once and strictly. A broken file is a PublishedError of one line.

    phase_0_results.jsonl   {"game_id": "p0_g0001", "starting_position_id": 270, "result": "1-0", ...}
    phase_0_games.pgn       the same games as text
    reasoning.jsonl         {"game_id": "p0_g0001", "ply": 1, "agent": "model", "reasoning": "...", "note": "..."}
    phase_0_summary.json    {"phase": 0, "n_games": 30, ...}

`reasoning.jsonl` holds one object a line, the last reply for each model move. Assumed of it: `ply`
counts from 1 like `n` in the results, and `reasoning` is the text of the reply as it was received,
its MOVE line included. Only the results are required; the other three may be missing.
"""

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

RESULTS, GAMES, REPLIES, SUMMARY = (
    "phase_0_results.jsonl",
    "phase_0_games.pgn",
    "reasoning.jsonl",
    "phase_0_summary.json",
)
FILE_BYTES_MAX = 64 * 2**20
GAMES_MAX = 10_000
PLIES_MAX = 2_000

Count = Annotated[int, msgspec.Meta(ge=0, le=2**31)]
Milliseconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]
Text = Annotated[str, msgspec.Meta(max_length=2**16)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"\A[A-Za-z0-9_.-]+\Z")]
S = TypeVar("S")


class PublishedError(ValueError):
    """A published file is missing, too large, or not in its format; the message is one line."""


class Result(StrEnum):
    """The score of a game, as PGN writes it."""

    WHITE = "1-0"
    BLACK = "0-1"
    DRAW = "1/2-1/2"

    @property
    def side(self) -> int:
        """+1 when White won, -1 when Black did, 0 for a draw."""
        return {"1-0": 1, "0-1": -1}.get(self.value, 0)


class Seat(StrEnum):
    """Player of a side."""

    MODEL = "model"
    RANDOM = "random"


class Side(StrEnum):
    """A colour, as the move records name it."""

    WHITE = "white"
    BLACK = "black"


class Move(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One recorded ply; `n` counts plies from 1."""

    uci: Annotated[str, msgspec.Meta(pattern=r"\A[a-h][1-8][a-h][1-8][qrbn]?\Z")]
    side: Side
    n: Count
    time_ms: Milliseconds
    error: bool


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the results: one game."""

    game_id: Name
    starting_position_id: Annotated[int, msgspec.Meta(ge=0, le=959)]
    result: Result
    result_reason: Name
    total_moves: Count
    white_id: Seat
    black_id: Seat
    moves: Annotated[tuple[Move, ...], msgspec.Meta(max_length=PLIES_MAX)]
    pgn: Text
    white_errors: Count
    black_errors: Count
    start_time: Moment
    end_time: Moment
    duration_seconds: Seconds
    phase: Count
    saved_at: Moment

    def __post_init__(self) -> None:
        if self.white_id is self.black_id:
            raise ValueError(f"expected model against random, found {self.white_id} on both sides")

    @property
    def model_side(self) -> int:
        """+1 when the model played White, else -1."""
        return 1 if self.white_id is Seat.MODEL else -1

    def model_plies(self) -> list[int]:
        """The numbers of the plies that the model played: odd for White, even for Black."""
        return [n for n in range(1, len(self.moves) + 1) if (n % 2 == 1) is (self.white_id is Seat.MODEL)]


class ModelReply(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The last reply for one model move. `note` is the authors' extract of the reply; unused."""

    game_id: Name
    ply: Count
    reasoning: Text
    agent: Seat = Seat.MODEL
    note: Text = ""


class Summary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The summary that the authors published beside the games."""

    phase: Count
    n_games: Count
    model_wins: Count
    model_losses: Count
    draws: Count
    model_score: float
    win_rate: float
    p_value: float
    significant: bool
    error_rate: float
    format_errors: Count
    illegal_errors: Count
    nonsense_errors: Count
    forfeits: Count
    result_reasons: dict[Name, Count]
    avg_moves: float
    avg_duration_seconds: float
    total_api_calls: Count
    cost_usd: float
    passed: bool


class Published(msgspec.Struct, frozen=True):
    """Contents of one folder; None for a file that is not there."""

    records: tuple[Record, ...]
    pgn: str | None
    replies: tuple[ModelReply, ...] | None
    summary: Summary | None

    def missing(self) -> list[str]:
        """The names of the files that are not in the folder."""
        files = {GAMES: self.pgn, REPLIES: self.replies, SUMMARY: self.summary}
        return [name for name, value in files.items() if value is None]


def read(folder: Path) -> Published:
    """Parse the files of `folder`. Raises PublishedError."""
    results = _bytes(folder / RESULTS)
    if results is None:
        raise PublishedError(f"expected {RESULTS} in {folder}, found none; give the folder of the published files")
    pgn, replies, summary = (_bytes(folder / name) for name in (GAMES, REPLIES, SUMMARY))
    records = _lines(RESULTS, results, Record)
    if not 0 < len(records) <= GAMES_MAX:
        raise PublishedError(f"{RESULTS}: expected 1 to {GAMES_MAX} games, found {len(records)}")
    return Published(
        records,
        None if pgn is None else _text(GAMES, pgn),
        None if replies is None else _lines(REPLIES, replies, ModelReply),
        None if summary is None else _parsed(SUMMARY, summary, Summary),
    )


def _bytes(path: Path) -> bytes | None:
    """The content of a file, None where there is none."""
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PublishedError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > FILE_BYTES_MAX:
        raise PublishedError(f"{path.name}: expected at most {FILE_BYTES_MAX} bytes, found more")
    return content


def _lines(name: str, content: bytes, kind: type[S]) -> tuple[S, ...]:
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    return tuple(_parsed(f"{name} line {number}", line, kind) for number, line in enumerate(lines, 1))


def _parsed(place: str, content: bytes, kind: type[S]) -> S:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise PublishedError(f"{place}: {_one_line(error)}") from error


def _text(name: str, content: bytes) -> str:
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise PublishedError(f"{name}: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
