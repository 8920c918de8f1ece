"""The novice of Chess960: names candidates by chance, and plays the one that its tool puts first; else by chance."""

from ...dice import Stream
from ..page import Page
from . import random_player
from .tool import best_told


def reply(page: Page, stream: Stream) -> str:
    """The move, or the candidates that the prompt asks for. Raises ValueError for a prompt that it cannot read."""
    best = best_told(page)
    return f"The best by what I was told.\nMOVE: {best}" if best else random_player.reply(page, stream)
