"""The usual names of places at a table of two to nine, and what a player of hold'em sees of a decision."""

from typing import Final

ALONE: Final = ("BTN", "BB")
BLINDED: Final = ("BTN", "SB", "BB")
LATE: Final = ("LJ", "HJ", "CO")
EARLY: Final = ("UTG", "UTG+1", "UTG+2")


def position_names(seats: int) -> tuple[str, ...]:
    """The names by place, the button first: BTN, SB, BB, then under the gun to the cutoff.

    Of two the button has the small blind.
    """
    if seats == len(ALONE):
        return ALONE
    between = seats - len(BLINDED)
    if between < len(LATE):
        return (*BLINDED, *LATE[len(LATE) - between :])
    if between == len(LATE):
        return (*BLINDED, EARLY[0], *LATE[1:])
    return (*BLINDED, *EARLY[: between - len(LATE)], *LATE)
