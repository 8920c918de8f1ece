"""An exhibition for a person: lines for the screen, and one HTML page. Both begin with the mark that it has no rank."""

from collections.abc import Iterator
from html import escape
from typing import Any

from ..checks.exhibition import CheckedExhibition
from ..core.columns import ascii_words, paragraph, quoted
from ..table.exhibition import MARK, ExhibitionGame

HOLDS = (
    "What the seat was asked, and what was read out of its replies, follows from the plan, the seed and what the"
    " program told. What the program told, the times and the replies of models are the submitter's word. There is"
    " no level."
)


def lines(checked: CheckedExhibition) -> Iterator[str]:
    """The exhibition on the screen."""
    yield from paragraph("Exhibition", MARK.removeprefix("Exhibition: "))
    if checked.problem:
        yield from paragraph("FAILED", ascii_words(checked.problem))
        return
    assert checked.manifest
    yield from paragraph("Title", quoted(checked.manifest.plan.title))
    yield from paragraph("Run", f"{checked.run}, signed by key {checked.submitter[:16]}")
    yield from paragraph("Seat", f"{checked.seat}, on the terms of {checked.match}")
    yield from paragraph("Played", _counts(checked))
    yield from paragraph("Checked", f"{HOLDS} {checked.entries:,} entries replayed{_recomputed(checked)}.")
    for game in checked.games:
        yield from paragraph("Game", _game(game))


def document(checked: CheckedExhibition) -> dict[str, Any]:
    """The exhibition for a program."""
    return {
        "exhibition": True,
        "mark": MARK,
        "rank": None,
        "level": None,
        "problem": checked.problem,
        "run": checked.run,
        "submitter": checked.submitter,
        "seat": checked.seat,
        "match": checked.match,
        "entries": checked.entries,
        "recomputed": checked.recomputed,
        "games": [
            {
                "game": game.id,
                "variant": game.variant,
                "start": game.start_fen,
                "seat_plays": "white" if game.is_white else "black",
                "moves": list(game.moves),
                "decisions": game.decisions,
                "drawn_plies": list(game.drawn),
                "late_plies": list(game.late),
            }
            for game in checked.games
        ],
    }


def page(checked: CheckedExhibition) -> str:
    """One HTML page without script; what a stranger wrote is escaped."""
    assert checked.manifest
    rows = "\n".join(f"<li>{escape(_game(game))}</li>" for game in checked.games)
    facts = (
        ("Title", quoted(checked.manifest.plan.title)),
        ("Run", f"{checked.run}, signed by key {checked.submitter[:16]}"),
        ("Seat", f"{checked.seat}, on the terms of {checked.match}"),
        ("Played", _counts(checked)),
        ("Checked", f"{HOLDS} {checked.entries:,} entries replayed{_recomputed(checked)}."),
    )
    told = "\n".join(f"<dt>{name}</dt><dd>{escape(words)}</dd>" for name, words in facts)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Exhibition {checked.run}</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>body{{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
.mark{{border:2px solid;padding:.5rem 1rem}} li{{overflow-wrap:anywhere}} dt{{font-weight:bold}}</style></head>
<body><h1>Exhibition</h1><p class="mark">{escape(MARK)}</p><dl>
{told}
</dl><h2>Games</h2><ol>
{rows}
</ol></body></html>
"""


def _counts(checked: CheckedExhibition) -> str:
    decisions = sum(game.decisions for game in checked.games)
    drawn, late = (sum(len(getattr(game, name)) for game in checked.games) for name in ("drawn", "late"))
    return (
        f"{len(checked.games):,} games, as far as the program told them; {decisions:,} decisions of the seat, of which"
        f" {drawn:,} gave no legal move in time and were drawn from the seed; in these games {late:,} moves were"
        " played by the harness because even that came too late"
    )


def _recomputed(checked: CheckedExhibition) -> str:
    return f", {checked.recomputed:,} replies of the scripted seat computed again" if checked.recomputed else ""


def _game(game: ExhibitionGame) -> str:
    side = "White" if game.is_white else "Black"
    drawn = f"; drawn at plies {_plies(game.drawn)}" if game.drawn else ""
    late = f"; late at plies {_plies(game.late)}" if game.late else ""
    moves = " ".join(game.moves)
    return f"{game.id}: {game.variant}, {side}, from {game.start_fen}: {moves}{drawn}{late}"


def _plies(plies: list[int]) -> str:
    return ", ".join(map(str, plies))
