"""A question to a person beside the game, and its answer: fields in alphabetical order, as all questions have them."""

from typing import Annotated

import msgspec
from msgspec import Meta

CHOICE_CHARACTERS_MAX = 100
"""Of an answer to a survey."""


class Survey(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="survey", omit_defaults=True):
    """Ask a person something beside the game, with the answers to choose from."""

    attempt: int
    choices: tuple[str, ...]
    game: str
    text: str
    to: str
    turn: int


class Surveyed(msgspec.Struct, frozen=True, tag_field="as", tag="surveyed", gc=False, omit_defaults=True):
    """The choice of a person; empty where they gave none, or nobody was there to be asked."""

    choice: Annotated[str, Meta(max_length=CHOICE_CHARACTERS_MAX)] = ""
