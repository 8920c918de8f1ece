"""Pictures of prompts in a report: drawn again here from the sealed position and style, and checked by their digest.

The page may not load an image, so a picture is a canvas that its script fills. Rows are runs of pixels, a letter for
the colour (a the palette's first) and how many follow: "a32b56". Most rows stand in many pictures, and each once among
the lines of a chunk.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from ...core.questions import Message
from ...core.shown import Shown
from ...core.untrusted_input import printable
from ...table.pictures import Picture, PictureStyle, image_line
from ...table.registry import GAMES
from .packed_columns import Text

KEPT: Final = 64
DRAWN_OTHERWISE: Final = "This picture is drawn otherwise here than it was sealed, and not shown. "


def prompt_pictures(messages: tuple[Message, ...], refer: Callable[[str], Text]) -> Iterator[tuple[Any, ...]]:
    """Each picture of a prompt: its words, width, height, colours, and its rows as a text.

    `refer`: a text by its lines. A picture whose digest is not the sealed one has no rows.
    """
    for message in messages:
        for shown in message.shown:
            picture = _as_sealed(shown)
            words = printable(image_line(shown))
            if picture is None:
                yield DRAWN_OTHERWISE + words, shown.width, shown.height, [], Text(())
            else:
                colours = [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in picture.palette]
                yield words, picture.width, picture.height, colours, refer("\n".join(_rows(picture)))


def _as_sealed(shown: Shown) -> Picture | None:
    """The picture drawn again; None unless its digest is the sealed one."""
    game = GAMES.get(shown.game)
    if game is None or game.pictures is None:
        return None
    try:
        picture = game.pictures.drawn(shown.of, PictureStyle(shown.style))
    except ValueError:
        return None
    return picture if picture.sha256 == shown.sha256 else None


@lru_cache(KEPT)
def _rows(picture: Picture) -> tuple[str, ...]:
    width, pixels = picture.width, picture.pixels
    return tuple(_runs(pixels[at : at + width]) for at in range(0, len(pixels), width))


@lru_cache(2**12)
def _runs(row: bytes) -> str:
    return "".join(f"{chr(ord('a') + colour)}{len(list(run))}" for colour, run in groupby(row))
