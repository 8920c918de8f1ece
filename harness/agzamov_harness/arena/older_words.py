"""The columns of older arenas as rows of words, for the table on a terminal and for its page."""

from collections.abc import Iterator
from typing import Final

from .arena_table import ArenaTable, GameTable

TIER_HEAD: Final = ("player", "UAS", "95 %", "tier", "share of resamples", "moved by order")
ORDER_HEAD: Final = ("player", "Elo in order", "moved by order", "Glicko-2", "95 %")
NONE: Final = "-"
ABOUT: Final = (
    "For comparison with other arenas; the ranks are not made of these columns. UAS: the mean over games of what a"
    " rating exceeds 1000 by. Tiers by UAS: S from 600, A from 300, B from 200, C from 130, D below; provisional until"
    " one tier holds the whole interval; none without a rating in every game."
)
ABOUT_ORDER: Final = (
    "Elo in order begins at 1200 and moves by up to 32 a game, so it depends on the order of the games, which is"
    " arbitrary here. Moved by order: the standard deviation over shuffles of the same games."
)
GLICKO_Z: Final = 1.96


def tier_cells(table: ArenaTable) -> Iterator[tuple[str, ...]]:
    """A row for each player, in the order of the table."""
    for row in table.rows:
        tier = row.tier
        if tier is None:
            yield (row.player, *(NONE,) * (len(TIER_HEAD) - 1))
            continue
        low, high = tier.low, tier.high
        ends = f"{'open' if low is None else f'{low:.0f}'} to {'open' if high is None else f'{high:.0f}'}"
        named = f"{tier.tier}, provisional" if tier.is_provisional else tier.tier
        yield (row.player, f"{tier.uas:.0f}", ends, named, f"{100 * tier.share:.0f} %", _moved(tier.order_sd))


def order_cells(game: GameTable) -> Iterator[tuple[str, ...]]:
    """A row for each player of a game that has such ratings; none where nobody has."""
    for row in game.rows:
        if older := row.older:
            glicko = (NONE, NONE)
            if older.glicko2 is not None and older.glicko2_deviation is not None:
                reach = GLICKO_Z * older.glicko2_deviation
                glicko = f"{older.glicko2:.0f}", f"{older.glicko2 - reach:.0f} to {older.glicko2 + reach:.0f}"
            yield (row.player, f"{older.elo:.0f}", _moved(older.elo_order_sd), *glicko)


def _moved(deviation: float | None) -> str:
    return NONE if deviation is None else f"+-{deviation:.0f}"
