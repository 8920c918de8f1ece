"""A picture in a message, as a question holds it: its digest, and what whoever sends it needs to draw it."""

import msgspec


class Shown(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A picture in a message: what it shows (`of`), in which game's words, and how; whoever sends it draws it.

    `sha256`: of size, palette and pixels, as table/pictures defines it. `height`, `width` in pixels.
    """

    detail: str
    game: str
    height: int
    of: str
    sha256: str
    style: str
    width: int
