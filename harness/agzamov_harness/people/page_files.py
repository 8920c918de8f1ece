"""The page of a person: one file of HTML, made of this folder's files and the drawings of the live page."""

from typing import Final

from .. import watch
from ..watch.page_files import file_text, whole_page

SCRIPTS: Final = ("chess_moves.js", "bets.js", "page.js")
STYLE: Final = "\n".join((file_text("page.css", watch.__name__), file_text("page.css", __package__))).encode()
SCRIPT: Final = "\n".join(
    (file_text("drawing.js", watch.__name__), *(file_text(name, __package__) for name in SCRIPTS))
).encode()
PAGE: Final = whole_page(file_text("page.html", __package__), STYLE, SCRIPT)
