"""Images of a question as they are sent: drawn here, and compared with the digest that the question holds."""

from base64 import b64encode
from functools import lru_cache
from typing import Final

from agzamov_verify.core.shown import Shown
from agzamov_verify.table.registry import GAMES

KEPT: Final = 16
"""Files that are kept: a retry sends the same one again."""


@lru_cache(KEPT)
def base64_png(shown: Shown) -> str:
    """The file of an image in base64. Raises ValueError where it is drawn otherwise than the question says."""
    pictures = GAMES[shown.game].pictures
    if pictures is None:
        raise ValueError(f"expected a game with images, found {shown.game}")
    return b64encode(pictures.sent(shown)).decode("ascii")
