"""Rows of the paper: its Table 7, and the claims of its section 10 that are not in the table.

The constants here are the paper's; everything beside them is computed from the files. A row is
`reproduced`, `differs`, or `cannot be derived` with the reason.
"""

from collections import Counter
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

import msgspec

from agzamov_verify.games.chess.rules import Game960

from .published_files import REPLIES, SUMMARY, Published, Record
from .replay import Replayed
from .replies import WORDS, Declared, Reading, Replies
from .rulings import LONG_PLIES, SHORT_PLIES, Ruling
from .tallies import Tallies

NO_ENGINE = "no engine was asked"
GAME_27 = "p0_g0027"
PLAYED_ON = "K v K"


class Verdict(StrEnum):
    """Result of checking one figure of the paper against the files."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    UNDERIVABLE = "cannot be derived"


class Row(msgspec.Struct, frozen=True):
    """One figure. `computed` is empty where it cannot be derived; `note` says why, or what it rests on."""

    metric: str
    paper: str
    verdict: Verdict
    computed: str
    note: str = ""


class Evidence(msgspec.Struct, frozen=True):
    """Data that the rows are computed from. `rulings` are of every game that could be replayed."""

    published: Published
    tallies: Tallies
    replies: Replies | None
    rulings: tuple[Ruling, ...]


def rows(evidence: Evidence) -> tuple[Row, ...]:
    """Table 7, in its order."""
    tallies = evidence.tallies
    return (
        _compared("Games played", "30", str(tallies.games)),
        _compared("Model wins", "29 (96.7%)", _share(tallies.wins, tallies.games)),
        _compared("Draws", "1 (3.3%)", _share(tallies.draws, tallies.games)),
        _compared("Model losses", "0 (0.0%)", _share(tallies.losses, tallies.games)),
        _score(tallies),
        _p_value(tallies),
        _api_calls(evidence),
        _errors("Format errors", evidence, (Declared.NO_LINE, Declared.CUT, Declared.NO_MOVE)),
        _errors("Illegal move errors", evidence, (Declared.ILLEGAL,)),
        _length(tallies),
        _duration(tallies),
        Row("Total cost (API)", "$6.11 USD", Verdict.UNDERIVABLE, "", _cost_note(evidence.published)),
        _adjudications(evidence),
        _compared("Ended by checkmate", "1", str(tallies.reasons.get("checkmate", 0))),
        _compared("Ended by insufficient material", "1", str(tallies.reasons.get("insufficient_material", 0))),
    )


def percent(part: int, whole: int) -> str:
    """A share with one decimal, rounded half up; `-` of nothing."""
    if not whole:
        return "-"
    tenths = (2000 * part + whole) // (2 * whole)
    return f"{tenths // 10}.{tenths % 10}%"


def _share(part: int, whole: int) -> str:
    return f"{part} ({percent(part, whole)})"


def _compared(metric: str, paper: str, computed: str, note: str = "") -> Row:
    verdict = Verdict.REPRODUCED if computed == paper else Verdict.DIFFERS
    return Row(metric, paper, verdict, computed, note)


def _score(tallies: Tallies) -> Row:
    halves = 2 * tallies.wins + tallies.draws
    points = f"{halves // 2}{'.5' if halves % 2 else ''}"
    note = f"{points} of {tallies.games} points"
    return _compared("Model score", "0.983", f"{float(tallies.score):.3f}", note)


def _p_value(tallies: Tallies) -> Row:
    verdict = Verdict.REPRODUCED if tallies.p_value < Fraction(1, 1000) else Verdict.DIFFERS
    note = f"one-sided: {tallies.wins} or more wins of {tallies.games}, a draw counted as no win"
    return Row("p-value (binomial)", "< 0.001", verdict, f"{float(tallies.p_value):.3e}", note)


def _api_calls(evidence: Evidence) -> Row:
    moves, summary = evidence.tallies.model_moves, evidence.published.summary
    note = f"no file records calls; {moves} model moves are recorded"
    if summary is None:
        note += f"; {SUMMARY} is not in DIR"
    else:
        more = max(0, summary.total_api_calls - moves)
        note += f"; {SUMMARY} states {summary.total_api_calls}, {more} more ({percent(more, moves)} of the moves)"
    return Row("Total API calls", "857", Verdict.UNDERIVABLE, "", note)


def _cost_note(published: Published) -> str:
    note = "no file records tokens"
    return note + (f"; {SUMMARY} repeats ${published.summary.cost_usd:.2f}" if published.summary else "")


def _errors(metric: str, evidence: Evidence, kinds: tuple[Declared, ...]) -> Row:
    paper, replies = "0 (0.0%)", evidence.replies
    if replies is None:
        return Row(metric, paper, Verdict.UNDERIVABLE, "", f"{REPLIES} is not in DIR")
    readings, count = replies.readings, replies.count(*kinds)
    by_kind = [f"{replies.count(kind)} hold {WORDS[kind]}" for kind in kinds if replies.count(kind)]
    if kinds == (Declared.ILLEGAL,):
        by_kind = [_places([reading for reading in readings if reading.kind in kinds])]
    flagged = f"the files' own error marks: {evidence.tallies.flagged_errors}"
    parts = [f"of {len(readings)} last replies", *by_kind, flagged]
    note = "; ".join(part for part in parts if part)
    return _compared(metric, paper, _share(count, len(readings)), note)


def _places(readings: list[Reading]) -> str:
    shown = [f"{r.game} ply {r.ply} {r.declared}, played {r.played}" for r in readings[:3]]
    return "; ".join(shown)


def _length(tallies: Tallies) -> Row:
    note = f"{tallies.plies} plies in {tallies.games} games: {float(tallies.plies_mean):.2f} is the mean in plies"
    return _compared("Average game length", "54.3 moves", f"{float(tallies.moves_mean):.1f} moves", note)


def _duration(tallies: Tallies) -> Row:
    note = f"{tallies.seconds_mean:.2f} s"
    return _compared("Average game duration", "270 seconds", f"{tallies.seconds_mean:.0f} seconds", note)


def _adjudications(evidence: Evidence) -> Row:
    """Reproduced only when the engine's rule, in its shorter reading at least, holds at the end of all 28."""
    metric, paper = "Ended by adjudication (Stockfish)", "28"
    stopped = [ruling for ruling in evidence.rulings if ruling.adjudicated]
    recorded = evidence.tallies.reasons.get("adjudication", 0)
    material = sum(ruling.by_material for ruling in stopped)
    note = f"{recorded} games are recorded as adjudicated; the material rule ends {material} of them where they end"
    if any(ruling.beyond is None for ruling in stopped):
        return Row(metric, paper, Verdict.UNDERIVABLE, "", f"{NO_ENGINE}; {note}")
    short, long = (sum(ruling.by_engine(plies) for ruling in stopped) for plies in (SHORT_PLIES, LONG_PLIES))
    computed = f"{short} over {SHORT_PLIES} plies, {long} over {LONG_PLIES}"
    verdict = Verdict.REPRODUCED if str(short) == str(recorded) == paper else Verdict.DIFFERS
    return Row(metric, paper, verdict, computed, note)


def claims(evidence: Evidence, games: list[Replayed]) -> tuple[Row, ...]:
    """Sections 10.1 and 10.3, in their order."""
    records = evidence.published.records
    return (_colours(records), _starts(records), _error_rate(evidence), _ratio(evidence), *_game_27(games))


def pieces(game: Game960) -> str:
    """Pieces left on the board, White's first: `KB v K`."""
    placement = game.fen().split()[0]
    white = sorted((c for c in placement if c in "KQRBNP"), key="KQRBNP".index)
    black = sorted((c.upper() for c in placement if c in "kqrbnp"), key="KQRBNP".index)
    return f"{''.join(white)} v {''.join(black)}"


def _row(metric: str, paper: str, computed: str, note: str = "", *, holds: bool) -> Row:
    return Row(metric, paper, Verdict.REPRODUCED if holds else Verdict.DIFFERS, computed, note)


def _colours(records: tuple[Record, ...]) -> Row:
    sides = [record.model_side for record in records]
    alternate = all(a != b for a, b in pairwise(sides))
    computed = f"the model has White in {sides.count(1)}, Black in {sides.count(-1)}"
    return _row("Colours alternate", "yes", computed, "" if alternate else "not in turn", holds=alternate)


def _starts(records: tuple[Record, ...]) -> Row:
    uses = Counter(record.starting_position_id for record in records)
    twice = [start for start, times in uses.items() if times > 1]
    games = {start: [r.game_id for r in records if r.starting_position_id == start] for start in twice}
    note = "; ".join(f"position {start} is the start of {' and '.join(ids)}" for start, ids in games.items())
    return _row("Distinct starts", "every game", f"{len(uses)} of {len(records)}", note, holds=not twice)


def _error_rate(evidence: Evidence) -> Row:
    metric, paper, replies = "5% error threshold", "never approached", evidence.replies
    if replies is None:
        return Row(metric, paper, Verdict.UNDERIVABLE, "", f"{REPLIES} is not in DIR")
    total = len(replies.readings)
    bad = total - replies.count(Declared.PLAYED, Declared.OTHER)
    computed = f"{bad} of {total} ({percent(bad, total)})"
    return _row(metric, paper, computed, "last replies without a legal declared move", holds=20 * bad <= total)


def _ratio(evidence: Evidence) -> Row:
    reasons = evidence.tallies.reasons
    computed = f"{reasons.get('adjudication', 0)}:{reasons.get('checkmate', 0)}"
    return _row("Adjudications to checkmates", "28:1", computed, holds=computed == "28:1")


def _game_27(games: list[Replayed]) -> tuple[Row, ...]:
    game = next((game for game in games if game.record.game_id == GAME_27), None)
    length, ends = ("Length of game 27", "170 moves"), ("End of game 27", "king versus king")
    if game is None or not game.whole:
        why = f"{GAME_27} is not in the files, or cannot be replayed"
        return tuple(Row(metric, paper, Verdict.UNDERIVABLE, "", why) for metric, paper in (length, ends))
    moves, left = (game.game.ply + 1) // 2, pieces(game.game)
    return (
        _row(*length, f"{moves} moves", f"{game.game.ply} plies", holds=moves == 170),
        _row(*ends, left, holds=left == PLAYED_ON),
    )
