"""An audit as text for a person."""

from collections.abc import Iterator
from textwrap import wrap

from .audit import Audit
from .findings import side_name
from .paper_rows import Row
from .published_files import GAMES, REPLIES
from .replies import WORDS
from .rulings import LONG_PLIES, MATERIAL_FROM_PLY, SHORT_PLIES, Ruling

WIDTH = 100
_INDENT = 20


def render(audit: Audit) -> str:
    """The whole audit: the rows, the replies, the rules that ended the games, the findings."""
    parts = (_head(audit), _tables(audit), _replies(audit), _rules(audit), _findings(audit))
    return "\n".join(line for part in parts for line in part) + "\n"


def _head(audit: Audit) -> Iterator[str]:
    totals = audit.totals
    yield f"{totals.games} games, {totals.plies} plies, {totals.model_moves} of them by the model"
    yield f"every move legal in {totals.legal} of {totals.games} games"
    texts = f"the PGN texts in them and in {GAMES}" if totals.pgn_file else "the PGN texts in them"
    yield f"records, position numbers and {texts} agree in {totals.pgn_agree} of {totals.games} games"
    if not totals.pgn_file:
        yield f"agreement with the PGN file cannot be derived: {GAMES} is not in DIR"


def _tables(audit: Audit) -> Iterator[str]:
    for title, rows in (("Table 7", audit.table7), ("Section 10, in words", audit.section10)):
        yield from ("", title, "")
        for row in rows:
            yield from _row(row)


def _row(row: Row) -> Iterator[str]:
    computed = f"; computed: {row.computed}" if row.computed else ""
    yield f"{row.verdict:<{_INDENT}}{row.metric}: {row.paper}{computed}"
    yield from _indented(row.note)


def _indented(text: str) -> list[str]:
    return [" " * _INDENT + line for line in wrap(text, WIDTH - _INDENT, break_on_hyphens=False)]


def _replies(audit: Audit) -> Iterator[str]:
    if audit.replies is None:
        yield from ("", f"What the replies declare cannot be derived: {REPLIES} is not in DIR")
        return
    yield from ("", f"What the last MOVE: line of {sum(audit.replies.values())} replies holds", "")
    for kind, count in audit.replies.items():
        yield f"{count:>6}  {WORDS[kind]}"


def _rules(audit: Audit) -> Iterator[str]:
    stopped = [ruling for ruling in audit.rulings if ruling.adjudicated]
    exact = sum(ruling.by_material for ruling in stopped)
    elsewhere = sum(ruling.material is not None and not ruling.by_material for ruling in audit.rulings)
    yield from ("", f"Which rule ended the {len(stopped)} adjudicated games", "")
    yield f"{exact:>6}  end exactly where a difference in material of 10 or more, for 6 plies in a row from"
    yield f"        ply {MATERIAL_FROM_PLY} on, first gives the game to the recorded winner"
    yield f"{elsewhere:>6}  games of all {len(audit.rulings)} where it fires before the end, or for the other side"
    if not audit.engine:
        yield "     -  by |eval| > 10: no engine was asked"
        return
    for plies in (SHORT_PLIES, LONG_PLIES):
        count = sum(ruling.by_engine(plies) for ruling in stopped)
        by = f"{audit.engine}, {audit.nodes} nodes"
        yield f"{count:>6}  have |eval| > 10 for the winner on the last {plies} plies ({by})"
    yield from _scores(stopped)


def _scores(stopped: list[Ruling]) -> Iterator[str]:
    yield from (
        "",
        "Game by game: last ply, winner, material at the end, the engine's last scores, from White's side",
        "",
    )
    for ruling in stopped:
        scores = "".join(f"{score:>9}" for score in ruling.scores)
        winner = side_name(ruling.winner)
        yield f"{ruling.game}{ruling.plies:>5}  {winner:<6}{ruling.points:>+4}  {scores}"


def _findings(audit: Audit) -> Iterator[str]:
    if not audit.findings:
        yield from ("", "Findings: none; the files agree with one another and with the rules of chess")
        return
    yield from ("", f"Findings: {len(audit.findings)}", "")
    for finding in audit.findings:
        yield f"  {finding.line()}"
