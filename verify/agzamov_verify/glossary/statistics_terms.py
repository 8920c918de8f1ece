"""Terms of inference: units of observation, intervals, tests, power."""

from typing import Final

from .term import Term

# fmt: off

STATISTICS: Final = (
    Term("n",
         "How many games or hands a figure is of.",
         "docs/scoring.md", ("played",)),
    Term("units",
         "What statistics count as one observation: a start pair in chess, a session in hold'em. Results "
         "within a unit are not independent.",
         "docs/decisions/0013", ("unit",)),
    Term("interval",
         "A 95 % confidence interval, in brackets behind a figure: repeated runs would have the true value "
         "inside in 95 of 100 cases. Of too few units to keep that promise there is none.",
         "docs/decisions/0013; docs/decisions/0045", ("ci", "95 %", "confidence interval")),
    Term("sequential interval",
         "An interval that stays valid however often one looks and whenever one stops.",
         "docs/decisions/0019", ("early stopping", "confidence sequence")),
    Term("MDE",
         "Minimum detectable effect: the least true difference that a run of this size and spread finds with "
         "80 % power at the 5 % level.",
         "paper, section 9.5", ("minimum detectable effect",)),
    Term("power",
         "The probability that a test finds an effect that is really there.",
         "paper, section 9.5"),
    Term("ICC",
         "Intraclass correlation of careers: the share of the variance of start pairs or sessions that is common to "
         "a career, by what its store holds.",
         "docs/decisions/0043", ("intraclass correlation",)),
    Term("alpha",
         "The probability that a test finds an effect where there is none.",
         "paper, section 9.5"),
    Term("p",
         "The probability of a result at least as extreme if there were no effect.",
         "paper, section 9.5", ("p-value", "p, wins above 1/2", "p, sessions won above 1/2")),
    Term("SD",
         "Standard deviation: how widely single units spread about their mean.",
         "docs/scoring.md", ("standard deviation", "session SD")),
    Term("variance reduction",
         "Taking the luck of the cards out of hold'em results without bias, so that fewer hands are needed. A factor "
         "of 2 is worth twice as many hands.",
         "docs/decisions/0017", ("variance", "variance / 2.86")),
)
