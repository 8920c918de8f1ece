"""Letters of the seats of a match, and the names in a journal that are made of them.

Seats have the letters a, b, c … in the order of `Match.table`. The memory of seat c is asked as `memory_c`, its tool as
`tool_c`, the person in it as `survey_c`. A letter belongs to a seat, not to a place: who acts first changes from result
to result (`table.seating.seating`).
"""

from string import ascii_lowercase
from typing import Final

SEATS_MAX: Final = 16
"""Seats of one match. Each costs four names of a journal, and a plan line of its own."""
LETTERS: Final = ascii_lowercase[:SEATS_MAX]


def seat_letter(seat_index: int) -> str:
    """The letter of the seat at `seat_index` of a table: a, b, c …"""
    return LETTERS[seat_index]


def seat_index_of(letter: str) -> int:
    """The index of the seat with a letter. Raises ValueError for what is no letter of a seat."""
    return LETTERS.index(letter)


def memory_name(seat_index: int) -> str:
    """The memory of a seat, as it is asked in a journal."""
    return f"memory_{seat_letter(seat_index)}"


def tool_name(seat_index: int) -> str:
    """The tool of a seat, as it is asked in a journal: the engine in chess, the calculator in hold'em."""
    return f"tool_{seat_letter(seat_index)}"


def survey_name(seat_index: int) -> str:
    """The survey of the person in a seat, as it is asked in a journal."""
    return f"survey_{seat_letter(seat_index)}"
