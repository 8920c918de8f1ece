"""Who sits at a table, and what a game is called."""

import msgspec


class GameName(msgspec.Struct, frozen=True, gc=False):
    """`id` is unique in the run; `label` leaves phase and condition out, so that draws are paired."""

    id: str
    label: str


class Player(msgspec.Struct, frozen=True):
    """A seat as one game needs it: its name, its rules of behaviour, what it was told, and whether it is the house."""

    seat: str
    patterns: tuple[str, ...] = ()
    briefing: str = ""
    house: bool = False
