"""Who beats whom in one game as a heat map, each cell with a link to its games, and the list of these games.

The number in a cell says all that its colour says.
"""

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import quote

from agzamov_verify.core.columns import foreign_name
from agzamov_verify.show.html_report.markup import Child, Element, element, table
from agzamov_verify.show.html_report.site import INDEX
from agzamov_verify.show.views import size_words

from .arena_table import GameTable
from .pairings import PairedMatch, Pairing

STEPS: Final = 4
HALF: Final = 0.5
RUN_DIGITS: Final = 8
KEY: Final = "Blue: the player of the row took more than half; orange: less. A cell leads to its games."
KEY_OF_CHIPS: Final = (
    "Big blinds a hundred hands that the player of the row won from that of the column. Blue: won; orange: lost."
    " A cell leads to its hands."
)


def beats_map(game: GameTable, *, has_replays: bool) -> Element:
    """Players by opponents, both in the order of the game's ratings."""
    names = [row.player for row in game.rows]
    greatest = max((abs(one.bb_per_100) for one in game.pairings if one.bb_per_100 is not None), default=0.0) or 1.0
    met = {(one.player, one.opponent): one for one in game.pairings}

    def where(name: str, other: str) -> str:
        """The name of the entry of two players; of a player against itself none."""
        return _place(game, name, other) if name != other else ""

    def cells(name: str) -> Iterator[Child]:
        for other in names:
            yield _cell(met.get((name, other)), where(name, other), greatest, has_replays=has_replays)

    rows = [(foreign_name(name), *cells(name)) for name in names]
    made = table(("against", *map(foreign_name, names)), rows)
    made.set("class", "scroll beats")
    made.set("aria-label", f"Who beats whom in {game.game}")
    return made


def key_words(game: GameTable) -> str:
    """What the numbers and colours of a map are."""
    return KEY_OF_CHIPS if any(one.bb_per_100 is not None for one in game.pairings) else KEY


def games_of_pairings(game: GameTable, *, has_replays: bool) -> Element:
    """Every pairing with the matches in which its games are, folded."""
    listed = [one for pairing in _once(game.pairings) for one in _games(game, pairing, has_replays=has_replays)]
    inside = element("dl", *listed, class_="games-of")
    return element("details", element("summary", "The games of each pairing"), inside, class_="more")


def address(one: PairedMatch, game: str = "") -> str:
    """The address of a match's games in the report of its run, or of one of them."""
    wanted = f"g={quote(game, safe='')}" if game else f"m={quote(one.match, safe='')}"
    return f"{one.run}/{INDEX}#{wanted}"


def _once(pairings: Sequence[Pairing]) -> Iterator[Pairing]:
    """Each two players once."""
    return (one for one in pairings if one.player < one.opponent)


def _place(game: GameTable, player: str, opponent: str) -> str:
    """The name of the entry of two players, whoever is named first."""
    numbers = {name: number for number, name in enumerate(sorted(row.player for row in game.rows))}
    low, high = sorted((numbers[player], numbers[opponent]))
    return f"{game.game}-{low}-{high}"


def _cell(met: Pairing | None, place: str, greatest: float, *, has_replays: bool) -> Child:
    """`place`: the entry of the two players; empty for a player against itself."""
    if met is None:
        return element("span", "not met" if place else "\N{EM DASH}", class_="heat self")
    worth = met.points / met.results if met.bb_per_100 is None else HALF + HALF * met.bb_per_100 / greatest
    step = round(abs(worth - HALF) * 2 * STEPS)
    shade = "" if not step else f" above-{step}" if worth > HALF else f" below-{step}"
    if met.bb_per_100 is None:
        told = f"{100 * worth:.0f} %", f" {met.points:g} of {met.results:,}"
    else:
        told = f"{met.bb_per_100:+.0f}", f" {met.results:,} hands"
    where = address(met.matches[0]) if has_replays and len(met.matches) == 1 else f"#{place}"
    return element("a", told[0], element("small", told[1]), class_=f"heat{shade}", href=where)


def _games(game: GameTable, pairing: Pairing, *, has_replays: bool) -> Iterator[Element]:
    names = f"{foreign_name(pairing.player)} against {foreign_name(pairing.opponent)}"
    won = f"{pairing.points:g} of {pairing.results:,} points"
    yield element("dt", f"{names}: {won}", id=_place(game, pairing.player, pairing.opponent))
    for one in pairing.matches:
        size = size_words(one.results, game.game)
        if has_replays:
            links = element("a", f"{size} of run {one.run[:RUN_DIGITS]}", href=address(one))
            first = element("a", "the first", href=address(one, one.first_game))
            yield element("dd", links, ", ", first)
        else:
            yield element("dd", f"{size} of run {one.run}, the first ", element("code", one.first_game))
