"""The one figure of a match with its one interval: points a game in chess, big blinds per 100 hands in hold'em.

Both come from the analysis. A match that its own results may end early has no fixed size, so its interval is the
sequential one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from ...experiment.matches import MEASURED
from ...scoring.analysis import Analysis
from ...scoring.early_stopping import MonitoredMatch
from ...scoring.inference.unit_values import CAREERS, ONE_CAREER
from ...scoring.match_figures import MatchAnalysis
from ...scoring.results import MatchResult
from ..views import VIEWS

WITHIN_ONE_CAREER: Final = "within one career"
ENDS_BY_RESULTS: Final = "its results may end it early"
"""The reason why a figure of a fixed size has no interval where a rule of early stopping may end the match."""
NO_FINDING: Final = "no result"
NEEDED: Final = re.compile(r"n = (?P<n>\d+), an interval needs (?P<least>\d+)")
"""The analysis's reason for no interval of too few units (`estimate.needs`)."""
DECIDED: Final = re.compile(r"(?P<decided>\d+) of n = (?P<n>\d+) decided, an interval needs (?P<least>\d+)")
"""The same of too few games that had a winner."""


class Headline(NamedTuple):
    """Seat A's figure. `null`: the figure of equal players. `sequential`: the match may end early by its results.

    `units`: how many of the game's units (starts, sessions) were played. `why_none`: why there is no interval.
    `by_career`: the figure of each career. `no_finding`: why the figure is none of the seats' (`MatchResult`).
    """

    value: float
    low: float | None
    high: float | None
    null: float
    units: int
    sequential: bool
    game: str
    why_none: str = ""
    careers: int = 0
    by_career: tuple[str, ...] = ()
    no_finding: str = ""

    @property
    def repeated(self) -> str:
        """The independent repetitions, in words: units, or careers of them."""
        return (
            f"{self.careers} careers of {self.units // self.careers} units" if self.careers else f"{self.units} units"
        )

    @property
    def short(self) -> str:
        """The figure with its interval, for a table."""
        if self.no_finding:
            return NO_FINDING
        bounds = "[no interval]" if self.low is None else f"[{self._spelled(self.low)}, {self._spelled(self.high)}]"
        mark = "*" if self.sequential else ""
        return f"{self._spelled(self.value)} {bounds}{mark}{VIEWS[self.game].short_unit}"

    @property
    def words(self) -> str:
        """The figure with its interval, for a sentence."""
        what = VIEWS[self.game].figure_unit
        if self.no_finding:
            return f"{NO_FINDING}: {self.no_finding}"
        if self.low is None:
            why = f": {self.why_none}" if self.why_none else ""
            return f"{self._spelled(self.value)} {what}, no interval{why}"
        kind = "sequential interval" if self.sequential else "95 % interval"
        return f"{self._spelled(self.value)} {what}, {kind} {self._spelled(self.low)} to {self._spelled(self.high)}"

    @property
    def few(self) -> bool:
        """True if there are too few units to conclude anything from them."""
        others = self.sequential or self.no_finding or self.why_none in {WITHIN_ONE_CAREER, ENDS_BY_RESULTS}
        return bool(self.why_none) and not others

    @property
    def is_open_ended(self) -> bool:
        """True where a rule of early stopping may end the match: no figure of a fixed size holds for it."""
        return self.sequential or self.why_none == ENDS_BY_RESULTS

    @property
    def better(self) -> bool:
        """True if the whole interval is above the value for equal players."""
        return self.low is not None and self.low > self.null

    @property
    def worse(self) -> bool:
        """True if the whole interval is below the value for equal players."""
        return self.high is not None and self.high < self.null

    def _spelled(self, value: float | None) -> str:
        return VIEWS[self.game].spelled(value)


def no_interval_lines(contests: Iterable[Headline]) -> Iterator[str]:
    """Why figures of these matches have no interval, each reason once."""
    why = {"had a winner " if DECIDED.fullmatch(head.why_none) else "" for head in contests if head.few}
    yield from (f"no interval: too few games {words}for a trustworthy one" for words in sorted(why))


def headlines(matches: tuple[MatchResult, ...], analysis: Analysis | None) -> dict[str, Headline]:
    """The figure of each match. Raises ValueError for bounds that are no numbers."""
    analysed = {match.id: match for match in analysis.matches} if analysis else {}
    sequential = {watched.match: watched for watched in analysis.sequential if watched.open_ended} if analysis else {}
    return {match.id: _headline(match, analysed, sequential) for match in matches}


def _headline(
    match: MatchResult, analysed: Mapping[str, MatchAnalysis], sequential: Mapping[str, MonitoredMatch]
) -> Headline:
    result, rule = match.result, sequential.get(match.match)
    watched = rule if match.seat_index == MEASURED else None
    estimate = analysed[match.id].main.everything if match.id in analysed else None
    fixed_size = estimate.ci if estimate and not rule else None
    interval = None if match.no_finding else watched.confidence if watched else fixed_size
    low, high = (float(interval.low), float(interval.high)) if interval else (None, None)
    why = (WITHIN_ONE_CAREER if estimate.over == ONE_CAREER else estimate.ci_note) if estimate and not rule else ""
    why = ENDS_BY_RESULTS if rule and not watched else why
    null = VIEWS[match.game].null
    careers = estimate.n[0] if estimate and estimate.over == CAREERS else 0
    each = estimate.by_career[0] if estimate and estimate.by_career else ()
    return Headline(
        float(result.value),
        low,
        high,
        null,
        result.units,
        watched is not None,
        match.game,
        match.no_finding or why,
        careers,
        each,
        match.no_finding,
    )
