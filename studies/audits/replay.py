"""Each game played again on our own board: legal moves, how it ended, what the PGN texts and the recorded times say."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import fsum

import chess
import msgspec

from agzamov_verify.games.chess.rules import DrawClaims, End, Game960
from agzamov_verify.table.declared import Fault

from .findings import Finding, Step
from .pgn import PgnGame, parse
from .published_files import GAMES, GAMES_MAX, RESULTS, Published, Record, Result, Side

ADJUDICATION = "adjudication"
REPEATED_GAME_PLIES_MIN = 8
ROUNDING_SECONDS = 0.001


class Replayed(msgspec.Struct, frozen=True):
    """A record and the board at the end of its legal moves; `whole` where those are all its moves."""

    record: Record
    game: Game960
    ends: frozenset[End]
    whole: bool


def start_fen(record: Record) -> str:
    """The X-FEN of the start that the record's position number names."""
    return chess.Board.from_chess960_pos(record.starting_position_id).fen()


def replay(record: Record) -> tuple[Replayed, list[Finding]]:
    """The game as far as its moves are legal, and what is wrong with them."""
    game = Game960(start_fen(record))
    findings = list(_numbering(record))
    ended: End | None = None
    for n, move in enumerate(record.moves, 1):
        if ended:
            findings.append(_at(record, n, f"no move after {ended}", move.uci))
        read = game.read(move.uci)
        if isinstance(read, Fault):
            findings.append(_at(record, n, "a legal move", f"{move.uci}, after which the game cannot be replayed"))
            break
        game.push(read)
        ended = game.end(DrawClaims.NEVER)
    whole = game.ply == len(record.moves)
    replayed = Replayed(record, game, _ends(game), whole)
    return replayed, findings + (list(_ending(replayed)) if whole else [])


def pgn_findings(published: Published) -> list[Finding]:
    """Findings for differences between a record and the PGN text in it, or the PGN file."""
    findings: list[Finding] = []
    filed = parse(published.pgn or "", GAMES, GAMES_MAX)
    rounds = Counter(game.tags.get("Round", "") for game in filed)
    by_round = {game.tags.get("Round", ""): game for game in filed}
    for record in published.records:
        findings += _pgn_text(record)
        if published.pgn is not None and record.game_id in by_round:
            findings += _differences(record, by_round.pop(record.game_id), GAMES)
        elif published.pgn is not None:
            findings.append(Finding(Step.PGN, GAMES, "the game", "none with that Round", record.game_id))
    findings += [Finding(Step.PGN, GAMES, f"a game of {RESULTS}", f"Round {name!r}") for name in by_round]
    findings += [
        Finding(Step.PGN, GAMES, f"one game with Round {name!r}", str(n)) for name, n in rounds.items() if n > 1
    ]
    return findings


def id_findings(records: tuple[Record, ...]) -> list[Finding]:
    """Missing and repeated games: ids run from 0001 without a gap, and no game is another one again."""
    findings: list[Finding] = []
    first: dict[tuple[int, tuple[str, ...]], str] = {}
    for number, record in enumerate(records, 1):
        expected = f"p0_g{number:04}"
        if record.game_id != expected:
            findings.append(Finding(Step.IDS, f"{RESULTS} line {number}", expected, record.game_id))
            break
    for record in records:
        played = record.starting_position_id, tuple(move.uci for move in record.moves)
        same = first.setdefault(played, record.game_id)
        if same != record.game_id and len(record.moves) >= REPEATED_GAME_PLIES_MIN:
            findings.append(Finding(Step.IDS, RESULTS, "a game of its own", f"{same} move for move", record.game_id))
    seen = Counter(record.game_id for record in records)
    findings += [Finding(Step.IDS, RESULTS, "one line", f"{n} lines", name) for name, n in seen.items() if n > 1]
    return findings


def _numbering(record: Record) -> Iterator[Finding]:
    if record.total_moves != len(record.moves):
        yield _at(record, None, f"total_moves {len(record.moves)}", str(record.total_moves))
    for n, move in enumerate(record.moves, 1):
        side = Side.WHITE if n % 2 else Side.BLACK
        if (move.n, move.side) != (n, side):
            yield _at(record, n, f"n {n} {side}", f"n {move.n} {move.side}")


def _at(record: Record, ply: int | None, expected: str, found: str, step: Step = Step.MOVES) -> Finding:
    return Finding(step, RESULTS, expected, found, record.game_id, ply)


def _ends(game: Game960) -> frozenset[End]:
    """Ends of the game in this position by the rules of chess; several if a draw may also be claimed."""
    ends = {game.end(claims) for claims in DrawClaims}
    return frozenset(end for end in ends if end)


def _ending(replayed: Replayed) -> Iterator[Finding]:
    """Findings if the recorded reason or result is not that of the final position."""
    record, game = replayed.record, replayed.game
    forced = game.end(DrawClaims.NEVER)
    if record.result_reason == ADJUDICATION:
        if forced:
            yield _at(record, game.ply, f"result_reason {forced}", ADJUDICATION, Step.END)
        return
    if record.result_reason not in replayed.ends:
        shown = " or ".join(sorted(replayed.ends)) or "a game that still goes on"
        yield _at(record, game.ply, f"{shown} in the final position", f"result_reason {record.result_reason}", Step.END)
    result = _result(replayed)
    if replayed.ends and record.result is not result:
        yield _at(record, game.ply, f"result {result}", record.result, Step.END)


def _result(replayed: Replayed) -> Result:
    if End.CHECKMATE not in replayed.ends:
        return Result.DRAW
    return Result.BLACK if replayed.game.board.turn else Result.WHITE


def _pgn_text(record: Record) -> Iterator[Finding]:
    """The `pgn` field of a record against its other fields."""
    games = parse(record.pgn, f"{RESULTS} {record.game_id}", 2)
    if len(games) != 1:
        yield _at(record, None, "one game in pgn", str(len(games)), Step.PGN)
        return
    yield from _differences(record, games[0], f"{RESULTS} pgn of")


def _differences(record: Record, game: PgnGame, file: str) -> Iterator[Finding]:
    if game.error:
        yield Finding(Step.PGN, file, "a legal game", game.error, record.game_id)
    stated = {
        "Round": record.game_id,
        "White": record.white_id.value,
        "Black": record.black_id.value,
        "Result": record.result.value,
        "FEN": start_fen(record),
    }
    for tag, expected in stated.items():
        found = game.tags.get(tag, chess.STARTING_FEN if tag == "FEN" else "no such tag")
        if found != expected:
            yield Finding(Step.PGN, file, f"{tag} {expected!r}", repr(found), record.game_id)
    if game.comment != record.result_reason:
        yield Finding(Step.PGN, file, f"comment {record.result_reason!r}", repr(game.comment), record.game_id)
    yield from _move_difference(record, game, file)


def _move_difference(record: Record, game: PgnGame, file: str) -> Iterator[Finding]:
    recorded = [move.uci for move in record.moves]
    if len(recorded) != len(game.moves):
        yield Finding(Step.PGN, file, f"{len(recorded)} plies", f"{len(game.moves)}", record.game_id)
    pairs = zip(recorded, game.moves, strict=False)
    for n, (expected, found) in enumerate(pairs, 1):
        if expected != found:
            yield Finding(Step.PGN, file, expected, found, record.game_id, n)
            return


def time_findings(records: tuple[Record, ...]) -> Iterator[Finding]:
    """Durations that start and end contradict, thinking longer than the game, games that overlap."""
    for record in records:
        yield from _within(record)
    for before, after in pairwise(records):
        if after.start_time < before.end_time:
            expected = f"a start after the end of {before.game_id}, {before.end_time.isoformat()}"
            yield Finding(Step.TIMES, RESULTS, expected, after.start_time.isoformat(), after.game_id)


def _within(record: Record) -> Iterator[Finding]:
    seconds = (record.end_time - record.start_time).total_seconds()
    found = f"duration_seconds {record.duration_seconds:.3f}"
    if abs(seconds - record.duration_seconds) > ROUNDING_SECONDS:
        yield Finding(Step.TIMES, RESULTS, f"{seconds:.3f} s between start_time and end_time", found, record.game_id)
    thinking = fsum(move.time_ms for move in record.moves) / 1000
    if thinking > record.duration_seconds + ROUNDING_SECONDS:
        yield Finding(Step.TIMES, RESULTS, f"at least the {thinking:.3f} s of its moves", found, record.game_id)
