"""What the paper's section 10 says in words beside Table 7, as rows."""

from collections import Counter
from itertools import pairwise

from agzamov_verify.games.chess960.rules import Game960

from .reading import REPLIES, Record
from .replay import Replayed
from .replies import Declared
from .table7 import Evidence, Row, Verdict, percent

GAME_27 = "p0_g0027"
PLAYED_ON = "K v K"


def claims(evidence: Evidence, games: list[Replayed]) -> tuple[Row, ...]:
    """Sections 10.1 and 10.3, in their order."""
    records = evidence.published.records
    return (_colours(records), _starts(records), _error_rate(evidence), _ratio(evidence), *_game_27(games))


def pieces(game: Game960) -> str:
    """What is left on the board, White's first: `KB v K`."""
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
