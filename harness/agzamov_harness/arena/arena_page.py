"""The page of an arena: its answer in words first, then the table, each game, and what it all follows from."""

from collections.abc import Iterator, Sequence
from importlib.resources import files
from math import inf
from typing import Final, NamedTuple

from agzamov_verify.core.columns import foreign_name
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.show.html_report import PACKAGE as REPORT
from agzamov_verify.show.html_report.charts import Whisker, whiskers
from agzamov_verify.show.html_report.markup import Child, Element, capital, document, element, table
from agzamov_verify.show.html_report.site import INDEX
from agzamov_verify.table.registry import GAMES

from . import PACKAGE
from .arena_file import PROTOCOL
from .arena_table import ArenaTable, GameRow, GameTable, TableRow
from .beats_map import beats_map, games_of_pairings, key_words
from .cyclic_drawing import cyclic_plane
from .even_play import uneven_words
from .game_fits import Rating
from .older_words import ABOUT as ABOUT_TIERS
from .older_words import ABOUT_ORDER, ORDER_HEAD, TIER_HEAD, order_cells, tier_cells
from .order_words import Rated, order_sentences
from .perception import gap_words
from .table_text import (
    cyclic_words,
    interval_words,
    left_out_words,
    price_words,
    ranks_words,
    shares_words,
    summary_words,
    variates_words,
    win_rate_words,
)

KIND: Final = f"An arena of language models and other players ({PROTOCOL})"
"""The line above a page's title."""
MEAN: Final = 1200.0
NONE: Final = "\N{EN DASH}"
HOW_TO_READ: Final = """\
Ratings are on the scale of Elo: 1200 is the mean of the players, and 400 more are odds of ten to one. Over all
games the rating is the mean of the games' ratings, and every game weighs the same, however many results it has.

A rank is a set: all ranks that the results leave open, for all players of a table together at 95 %. Somebody is ahead
of somebody else where the results show it at that level; else the two cannot be told apart.

Intervals are of 95 %. "At least" stands for a player who won every game, so that no upper end is known; "at most" for
one who lost every game.

Forfeits: games lost for want of a legal answer. Unusable: the share of decisions whose first answer was no legal
action. By play: the rating without the games that a forfeit decided, so that "cannot format" and "cannot play" come
apart.

Tokens, of prompts and replies, and the price are of one result, as the bundles claim them. A price is not known where
the plan does not say what a model costs; scripted players and engines cost nothing.

Games that repeat another one move for move are counted once."""


class Contents(NamedTuple):
    """What the page is of. `command` prints the table again; `has_replays`: reports of the bundles stand beside it."""

    title: str
    table: ArenaTable
    command: str
    has_replays: bool


def arena_page(contents: Contents) -> str:
    """The page as HTML."""
    found = contents.table
    style = "".join(((files(REPORT) / "assets/report.css").read_text("utf-8"), _asset("arena.css")))
    header = element(
        "header",
        element("p", KIND, class_="kind"),
        element("h1", contents.title),
        element("div", *(element("p", line) for line in answer_lines(found)), _answers_by_game(found), class_="lede"),
        element("p", summary_words(found), class_="note"),
        *([element("p", f"All models: {found.limits}.", class_="note")] if found.limits else []),
    )
    games = [
        piece for game in found.games for piece in _game(game, _gaps(found, game), has_replays=contents.has_replays)
    ]
    main = element("main", *_overall(found), *games, *_left_out(found), *_origin(contents), _how())
    return document(
        contents.title, style, _asset("arena.js"), [element("div", header, _nav(found), main, class_="arena")]
    )


def answer_lines(found: ArenaTable) -> Iterator[str]:
    """The order of players over all games; of one that has none, that of its games."""
    rated = rated_rows(found.rows)
    if not rated:
        yield "Nobody was rated in every game, so there is no order over all games."
        return
    if len(rated) < len(found.rows):
        yield f"{len(rated)} of {len(found.rows)} players were rated in every game that counts."
    yield f"Over all games: {' '.join(order_sentences(rated))}"
    yield from filter(None, [left_out_words(found)])


def _answers_by_game(found: ArenaTable) -> Element:
    """The first sentence of each game's answer."""
    lines = []
    for game in found.games:
        told = next(order_sentences(rated_rows(game.rows)), "no ratings.")
        title = element("a", capital(GAMES[game.game].title), href=f"#{game.game}")
        lines.append(element("li", title, f": {told}"))
    return element("ul", *lines)


def rated_rows(rows: Sequence[TableRow | GameRow]) -> list[Rated]:
    """The players who have a rating, by the names that a page shows."""
    return [Rated(foreign_name(row.player), _shown(row.rating)) for row in rows if row.rating]


def _shown(rating: Rating) -> Rating:
    low, high = rating.low, rating.high
    ahead_of = tuple(map(foreign_name, rating.ahead_of))
    return Rating(rating.elo, low, high, rating.best_rank, rating.worst_rank, rating.part, ahead_of)


def _asset(name: str) -> str:
    return (files(PACKAGE) / "assets" / name).read_text("utf-8")


def _nav(found: ArenaTable) -> Element:
    links = [element("li", element("a", capital(GAMES[game.game].title), href=f"#{game.game}")) for game in found.games]
    ends = [("left-out", "Left out")] if found.left_out else []
    ends += [("origin", "Bundles"), ("how", "How to read")]
    links += [element("li", element("a", words, href=f"#{name}")) for name, words in ends]
    return element("nav", element("ul", *links), class_="contents", aria_label="Sections")


def _overall(found: ArenaTable) -> Iterator[Element]:
    rated = rated_rows(found.rows)
    rows = [_table_row(row) for row in found.rows]
    inside = [_ranking(("player", "ranks", "rating", "95 %", "what it is", "rated in"), rows, "All games")]
    if len(rated) > 1:
        inside.insert(0, _chart(rated, "Ratings over all games"))
    inside += [element("p", words, class_="note")] if (words := shares_words(found)) else []
    if any(row.tier for row in found.rows):
        inside.append(_older("Unified Apex Score and tiers", TIER_HEAD, list(tier_cells(found)), ABOUT_TIERS))
    yield element("section", element("h2", "All games"), *inside, id="all")


def _table_row(row: TableRow) -> tuple[Child, ...]:
    games = ", ".join(GAMES[name].title for name in row.games) or "no game"
    what = row.described.removeprefix("a ").removeprefix("an ")
    cells = (
        (ranks_words(row.rating), f"{row.rating.elo:.0f}", interval_words(row.rating)) if row.rating else (NONE,) * 3
    )
    return (foreign_name(row.player), *cells, what, games)


def _chart(rated: Sequence[Rated], title: str) -> Element:
    """Ratings with their intervals; an open end reaches the edge."""
    rows = [
        Whisker(
            one.player,
            one.rating.elo,
            -inf if one.rating.low is None else one.rating.low,
            inf if one.rating.high is None else one.rating.high,
            f"{one.rating.elo:.0f} [{interval_words(one.rating)}]",
        )
        for one in rated
    ]
    return whiskers(rows, MEAN, "Elo", title, "the mean")


def _gaps(found: ArenaTable, game: GameTable) -> list[str]:
    """What models lose by images in a game, in sentences."""
    return [printable(gap_words(one)) for one in found.perception if one.game == game.game]


def _game(game: GameTable, gaps: Sequence[str], *, has_replays: bool) -> Iterator[Element]:
    """One game: its answer, its table, who beats whom, and the test of one strength a player."""
    rated = rated_rows(game.rows)
    told = " ".join(order_sentences(rated)) if rated else f"No ratings: {game.not_rated.removeprefix('ratings: ')}."
    inside = [element("p", told, class_="claim"), element("p", *_facts(game), class_="facts")]
    inside += [element("p", words) for words in gaps]
    if len(rated) > 1:
        inside.append(_chart(rated, f"Ratings in {GAMES[game.game].title}"))
    inside.append(_game_table(game))
    if older := list(order_cells(game)):
        inside.append(_older("Elo in order and Glicko-2", ORDER_HEAD, older, ABOUT_ORDER))
    if game.pairings:
        inside += [element("h3", "Who beats whom"), element("p", key_words(game), class_="note")]
        inside += [beats_map(game, has_replays=has_replays), games_of_pairings(game, has_replays=has_replays)]
    if game.cyclic:
        inside += [element("h3", "Do some beat each other in a circle?"), element("p", cyclic_words(game.cyclic))]
        inside += [cyclic_plane(game.cyclic)] if game.cyclic.places else []
    yield element("section", element("h2", capital(GAMES[game.game].title)), *inside, id=game.game)


def _older(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], about: str) -> Element:
    """Columns of older arenas, folded."""
    named = [(foreign_name(name), *cells) for name, *cells in rows]
    made = _ranking(header, named, title)
    summary = element("summary", f"Older columns: {title}")
    return element("details", summary, element("p", about, class_="note"), made, class_="more")


def _facts(game: GameTable) -> Iterator[Element]:
    again = game.results - game.distinct
    told = [f"{game.results:,} results in {GAMES[game.game].unit.counted(game.units)}"]
    told += [f"{again:,} of them repeat another move for move and are not counted again"] if again else []
    told += [] if game.first_mover_elo is None else [f"moving first is worth {game.first_mover_elo:+.0f} Elo"]
    told += [words for words in (variates_words(game), uneven_words(game)) if words]
    return (element("span", words) for words in told)


def _game_table(game: GameTable) -> Element:
    has_chips = any(row.bb_per_100 is not None for row in game.rows)
    won = "bb/100" if has_chips else "points"
    header = ("player", "ranks", "rating", "95 %", "results", won, "forfeits", "unusable", "tokens", "price", "by play")
    rows = [_game_row(row, has_chips=has_chips) for row in game.rows]
    return _ranking(header, rows, capital(GAMES[game.game].title))


def _game_row(row: GameRow, *, has_chips: bool) -> tuple[Child, ...]:
    rating, rate = row.rating, win_rate_words(row) or NONE
    cells = (ranks_words(rating), f"{rating.elo:.0f}", interval_words(rating)) if rating else (NONE,) * 3
    return (
        foreign_name(row.player),
        *cells,
        f"{row.results:,}",
        rate if has_chips else f"{row.points:.2f}".rstrip("0").rstrip("."),
        f"{row.forfeits:,}",
        f"{100 * row.unusable / max(1, row.decisions):.1f} %",
        f"{row.tokens:,.0f}",
        price_words(row.cost_usd),
        f"{row.rating_by_play.elo:.0f}" if row.rating_by_play else NONE,
    )


def _ranking(header: Sequence[str], rows: Sequence[Sequence[Child]], name: str) -> Element:
    made = table(header, rows)
    made.set("class", "scroll ranking")
    made.set("aria-label", f"Table: {name}")
    return made


def _left_out(found: ArenaTable) -> Iterator[Element]:
    if found.left_out:
        rows = [(foreign_name(one.bundle), one.reason) for one in found.left_out]
        said = element("p", "These bundles do not count, or not all of their games do.")
        yield element("section", element("h2", "Left out"), said, table(("bundle", "why"), rows), id="left-out")


def _origin(contents: Contents) -> Iterator[Element]:
    """The bundles with their digests, and the command that makes the table of them again."""
    rows = [
        (
            element("a", one.run, href=f"{one.run}/{INDEX}") if contents.has_replays else one.run,
            element("code", one.submitter[:16]),
            element("code", one.sha256),
        )
        for one in contents.table.bundles
    ]
    made = table(
        ("run" + (", with its report" if contents.has_replays else ""), "signed by key", "sha256 of its contents"), rows
    )
    made.set("class", "scroll bundles")
    told = (
        "Everything here was computed from these signed bundles alone. This verifies each and prints the table again:"
    )
    yield element(
        "section",
        element("h2", "What it follows from"),
        element("p", told),
        element("p", element("code", contents.command), class_="command"),
        made,
        id="origin",
    )


def _how() -> Element:
    lines = element(
        "ul", *(element("li", line.replace("\n", " ")) for line in HOW_TO_READ.split("\n\n")), class_="plain"
    )
    return element("section", element("h2", "How to read this page"), lines, id="how")
