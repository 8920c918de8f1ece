"""Terms of hold'em: units, positions, and variance-reduction methods."""

from typing import Final

from .term import Term

# fmt: off

POKER: Final = (
    Term("bb/100",
         "Big blinds won per 100 hands, the usual unit of hold'em results. 0 is even; 10 is a large lasting "
         "advantage between good players.",
         "paper, section 5.2", ("bb", "big blind", "bb per 100", "big blinds per 100 hands")),
    Term("mbb",
         "A thousandth of a big blind.",
         "docs/scoring.md", ("mbb per decision",)),
    Term("session",
         "A fixed number of hands that statistics take as one observation.",
         "docs/decisions/0007", ("sessions", "sessions won")),
    Term("duplicate set",
         "Hands of a table of three and more that statistics take as one observation: every deck is played once with "
         "each rotation of the seats.",
         "docs/decisions/0069", ("duplicate sets", "duplicate sets won", "chips by position", "set SD")),
    Term("sit-and-go",
         "A tournament of hold'em at one table: stacks are carried over, blinds rise, and only the order in which "
         "players finish counts.",
         "docs/decisions/0101", ("sit-and-gos", "order of finish", "hands dealt")),
    Term("mirrored",
         "Every deck is played twice with the seats exchanged, so that the luck of the deal cancels.",
         "docs/scoring.md",
         ("mirror",)),
    Term("raw",
         "Chips as they were won, without variance reduction.",
         "docs/decisions/0017", ("by raw",)),
    Term("all in",
         "Where nobody could act any more, the exact average over the cards to come.",
         "docs/decisions/0017", ("all_in", "by all in")),
    Term("street equity",
         "Chance-adjusted for flop, turn and river: less the chips already in, times the change of the exact "
         "equity.",
         "docs/decisions/0017", ("street_equity", "by street equity")),
    Term("value baseline",
         "Chance-adjusted for deal, flop, turn and river by a fixed public value of every hand.",
         "docs/decisions/0017", ("by baseline",)),
    Term("range",
         "The result averaged over everything that the benchmark player could have held.",
         "docs/decisions/0018", ("by range",)),
    Term("range adjusted",
         "The range method, chance-adjusted as well for the cards and for the benchmark policy's draws.",
         "docs/decisions/0018", ("range_adjusted", "by range adjusted")),
    Term("before the flop",
         "What a seat's decisions before the flop lose against a published equilibrium of a simplified game "
         "without later betting: a diagnostic, not how well poker is played.",
         "docs/scoring.md", ("preflop", "before the flop, A", "before the flop, B")),
    Term("button",
         "The seat that posts the small blind, acts first before the flop and last after it.",
         "TDA rules"),
    Term("showdown",
         "Both seats show their cards at the end, and the better hand wins.",
         "TDA rules"),
)
