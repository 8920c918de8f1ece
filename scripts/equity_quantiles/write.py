"""Prints the equities of drawn hands on drawn boards, in twentieths: the table of games/holdem/equity_quantiles.py.

python scripts/equity_quantiles/write.py
"""

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.holdem.calculator import equity
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.equity_quantiles import PARTS, PERCENTS
from agzamov_verify.games.holdem.rules import BOARD_CARDS, STREETS

HANDS, COMPARISONS = 800, 990


def main() -> None:
    """Print a row for each street and share of hands."""
    for street, cards in zip(STREETS, BOARD_CARDS, strict=True):
        for percent in PERCENTS:
            draws, found = Dice(b"equity quantiles").stream(f"{street}/{percent}"), list[int]()
            for _ in range(HANDS):
                dealt = draws.deal(DECK, 2 + cards)
                one = equity((dealt[0], dealt[1]), dealt[2:], COMPARISONS, draws.word(), percent)
                found.append(1000 * one.halfpoints // (2 * one.compared))
            found.sort()
            row = ", ".join(str(found[min(HANDS - 1, part * HANDS // PARTS)]) for part in range(PARTS + 1))
            print(f'    ("{street}", {percent}): ({row}),')


if __name__ == "__main__":
    main()
