"""The table of an arena as text: over all games, each game by itself, and what was left out."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from agzamov_verify.core.columns import WIDTH, foreign_name
from agzamov_verify.core.columns import table as in_columns
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.table.registry import GAMES

from .arena_table import ArenaTable, CyclicTest, GameRow, GameTable, TableRow
from .even_play import uneven_words
from .game_fits import Rating
from .older_words import ABOUT as ABOUT_TIERS
from .older_words import ABOUT_ORDER, ORDER_HEAD, TIER_HEAD, order_cells, tier_cells
from .over_games import RatedRow, not_counted_words
from .perception import PerceptionGap, gap_words

HEAD = ("ranks", "player", "rating", "95 %", "what it is")
GAME_HEAD = (
    "ranks",
    "player",
    "rating",
    "95 %",
    "results",
    "points",
    "forfeits",
    "unusable",
    "tokens",
    "price",
    "by play",
)
ABOUT_RATINGS = (
    "Ratings are on the scale of Elo: 1200 is the mean of the players, 400 more are odds of ten to one.",
    "Ranks that the results leave open are given as a set, for all players together at 95 %.",
    "Every game weighs the same.",
)
ABOUT_RECORDS = "Whoever sealed a run chose its seed, and replies of models are the word of whoever signed the bundle."


def table_text(table: ArenaTable) -> str:
    """The whole table."""
    return "\n".join(_lines(table)) + "\n"


def summary_words(table: ArenaTable) -> str:
    """How much the table is of."""
    results = sum(game.results for game in table.games)
    keys = len({one.submitter for one in table.bundles})
    bundles = "one bundle" if len(table.bundles) == 1 else f"{len(table.bundles)} bundles"
    made = f"{bundles}, signed by {'one key' if keys == 1 else f'{keys} keys'}"
    games = "one game" if len(table.games) == 1 else f"{len(table.games)} games"
    missing = f"; {table.rounds.words}" if table.rounds and table.rounds.words else ""
    return f"{len(table.rows)} players, {games}, {results:,} results of {made}{missing}"


def left_out_words(table: ArenaTable) -> str:
    """The games that are no part of the rating over all games; empty where all are."""
    return not_counted_words([game.game for game in table.games if not game.not_rated], table.headline)


def _lines(table: ArenaTable) -> Iterator[str]:
    yield from wrap(summary_words(table), WIDTH)
    yield ""
    yield from in_columns(HEAD, map(_row, table.rows))
    yield ""
    yield from parts_words(table.rows)
    yield from wrap(left_out_words(table), WIDTH)
    yield from ABOUT_RATINGS
    yield from wrap(shares_words(table), WIDTH)
    yield ABOUT_RECORDS
    if table.limits:
        yield f"All models: {table.limits}."
    if any(row.tier for row in table.rows):
        yield ""
        yield "Older columns"
        yield from in_columns(TIER_HEAD, tier_cells(table))
        yield from wrap(ABOUT_TIERS, WIDTH)
        yield from wrap(ABOUT_ORDER, WIDTH)
    for game in table.games:
        yield ""
        yield from _game_lines(game, [one for one in table.perception if one.game == game.game])
    if table.left_out:
        yield ""
        yield "Left out"
        yield from (f"  {printable(one.bundle)}: {printable(one.reason)}" for one in table.left_out)


def shares_words(table: ArenaTable) -> str:
    """How much of the differences over all games comes from each game; empty where one game is all."""
    if len(table.shares) <= 1:
        return ""
    shares = zip(table.headline, table.shares, strict=True)
    told = ", ".join(f"{name} {round(100 * share)} %" for name, share in shares)
    return f"Each game's part in the differences between ratings over all games: {told}."


def parts_words(rows: Iterable[RatedRow]) -> Iterator[str]:
    """Who was not compared with whom, where there is such a thing."""
    parts: dict[int, list[str]] = {}
    for row in rows:
        if row.rating:
            parts.setdefault(row.rating.part, []).append(foreign_name(row.player))
    if len(parts) > 1:
        groups = "; ".join(", ".join(players) for players in parts.values())
        yield from wrap(
            f"Ranked apart, since they never met, not even through others: {groups}. Ratings and ranks of one group"
            " say nothing of another.",
            WIDTH,
        )


def _game_lines(game: GameTable, gaps: Sequence[PerceptionGap]) -> Iterator[str]:
    again = game.results - game.distinct
    units = GAMES[game.game].unit.counted(game.units)
    yield (
        f"{GAMES[game.game].title}: {game.results:,} results in {units}"
        + (f", {again:,} of them played before move for move and not counted again" if again else "")
        + ("" if game.first_mover_elo is None else f"; moving first is worth {game.first_mover_elo:+.0f} Elo")
    )
    if game.not_rated:
        yield f"No ratings: {game.not_rated.removeprefix('ratings: ')}"
    has_chips = any(row.bb_per_100 is not None for row in game.rows)
    head = (*GAME_HEAD[:5], "bb/100" if has_chips else "points", *GAME_HEAD[6:])
    yield from in_columns(head, (_game_row(row, has_chips=has_chips) for row in game.rows))
    yield from wrap(variates_words(game), WIDTH)
    for gap in gaps:
        yield from wrap(printable(gap_words(gap)), WIDTH)
    yield from parts_words(game.rows)
    yield from wrap(uneven_words(game), WIDTH)
    if game.cyclic:
        yield from wrap(cyclic_words(game.cyclic), WIDTH)
    if older := list(order_cells(game)):
        yield ""
        yield from in_columns(ORDER_HEAD, older)


def cyclic_words(tested: CyclicTest) -> str:
    """The test of one strength a player in one sentence."""
    p = "p below 0.001" if tested.p < 0.001 else f"p = {tested.p:.3f}"
    told = f"{p} over {tested.pairings} pairings"
    if not tested.places:
        return f"Nothing speaks against one strength a player ({told})."
    share = 100 * (tested.share or 0)
    return (
        f"One strength a player does not explain who beats whom ({told}): some beat each other in a circle, which is"
        f" {share:.0f} % of what strengths leave."
    )


def _row(row: TableRow) -> tuple[str, ...]:
    what = row.described.removeprefix("a ").removeprefix("an ")
    if row.rating is None:
        return ("-", row.player, "-", f"rated in {', '.join(row.games) or 'no game'} alone", what)
    return (ranks_words(row.rating), row.player, f"{row.rating.elo:.0f}", interval_words(row.rating), what)


def _game_row(row: GameRow, *, has_chips: bool) -> tuple[str, ...]:
    rating = row.rating
    won = (win_rate_words(row).replace("±", "+-") or "-") if has_chips else f"{row.points:g}"
    return (
        ranks_words(rating) if rating else "-",
        row.player,
        f"{rating.elo:.0f}" if rating else "-",
        interval_words(rating) if rating else "-",
        f"{row.results:,}",
        won,
        f"{row.forfeits}",
        f"{100 * row.unusable / max(1, row.decisions):.1f} %",
        f"{row.tokens:,.0f}",
        price_words(row.cost_usd),
        f"{row.rating_by_play.elo:.0f}" if row.rating_by_play else "-",
    )


def win_rate_words(row: GameRow) -> str:
    """Big blinds a hundred hands with half of their 95 % interval; empty in games without chips."""
    return "" if row.bb_per_100 is None else f"{row.bb_per_100:+.1f} ± {row.bb_half_width:.1f}"


def variates_words(game: GameTable) -> str:
    """What control variates did to the win rates of a game; empty where they did nothing."""
    widths = [(row.bb_half_width, row.bb_raw_half_width) for row in game.rows if row.bb_half_width]
    less, raw = sum(one or 0.0 for one, _ in widths), sum(one or 0.0 for _, one in widths)
    if not widths or less == raw:
        return ""
    return (
        "bb/100 is less what the cards gave, whose mean is 0 whatever the players do. Raw chips would have intervals"
        f" {raw / less:.2f} times as wide."
    )


def price_words(cost_usd: float | None) -> str:
    """US dollars of one result, "none" of players that cost nothing, "not known" of models without a price."""
    if cost_usd is None:
        return "not known"
    return f"${cost_usd:.4f}" if cost_usd else "none"


def ranks_words(rating: Rating) -> str:
    """The rank set: "2-4", or one rank."""
    best, worst = rating.best_rank, rating.worst_rank
    return f"{best}" if best == worst else f"{best}-{worst}"


def interval_words(rating: Rating) -> str:
    """The interval: "1150 to 1320", or "at least 1400" where a player won all of its games."""
    if rating.low is None and rating.high is None:
        return "open at both ends"
    if rating.high is None:
        return f"at least {rating.low:.0f}"
    if rating.low is None:
        return f"at most {rating.high:.0f}"
    return f"{rating.low:.0f} to {rating.high:.0f}"
