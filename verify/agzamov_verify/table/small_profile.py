"""Size of a match in the small profile of a plan, which scripted players play in seconds."""

from ..experiment.matches import Match

SMALL_CAREERS, SMALL_CAREER_UNITS = 2, 2
"""Careers of a match's small profile, and units of each between shifts: the second has what the first left stored."""


def small_units(units: int, match: Match, most: int) -> tuple[int, int]:
    """Units and careers of the small profile of a match of so many units; `most`: those of one without careers."""
    if not match.careers:
        return min(units, most), 0
    careers = min(match.careers, SMALL_CAREERS)
    return careers * min(units // match.careers, SMALL_CAREER_UNITS * (1 + len(match.shifts))), careers
