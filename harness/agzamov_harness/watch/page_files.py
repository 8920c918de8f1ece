"""The live page: one file of HTML, made of page.html, page.css, drawing.js, page.js and the pieces of the games."""

from importlib.resources import files
from typing import Final

from agzamov_verify.table.registry import GAMES, files_of


def file_text(name: str, package: str = __package__) -> str:
    """The text of a file of a page."""
    return files(package).joinpath(name).read_text("utf-8")


PIECES: Final = "".join(files_of(GAMES, "replay.svg")).encode()
"""What replays in a report are drawn with, as SVG symbols."""


def whole_page(html: str, style: bytes, script: bytes) -> bytes:
    """A page in one file: `html` with style, script and pieces in their places."""
    parts = {b"style": style, b"script": script, b"pieces": PIECES}
    page = html.encode()
    for name, part in parts.items():
        page = page.replace(b"{{%s}}" % name, part)
    return page


STYLE: Final = file_text("page.css").encode()
SCRIPT: Final = "\n".join((file_text("drawing.js"), file_text("page.js"))).encode()
PAGE: Final = whole_page(file_text("page.html"), STYLE, SCRIPT)
