"""The views of the games, by name."""

from collections.abc import Mapping
from typing import Final

from ..core.columns import ascii_words
from ..experiment.matches import Arm, Augmentation, Condition
from ..table.registry import GAMES, NAMES, half
from .game_view import GameView

VIEWS: Final[Mapping[str, GameView]] = {name: half(name, "view") for name in NAMES}


ARM_WORDS: Final[Mapping[Arm, str]] = {
    Arm.NAKED: "without",
    Arm.FILLER: "with filler as long as",
    Arm.PLACEBO: "with a placebo of",
    Arm.STALE: "with a stale",
    Arm.REAL: "with",
}
"""What stands before an augmentation in each arm of it."""


NAMES_OF: Final[Mapping[Augmentation, str]] = {
    Augmentation.MEMORY: "memory",
    Augmentation.TOOLS: "tools",
    Augmentation.RAG: "documents",
    Augmentation.FULL: "the full stack",
}
"""Augmentations as a sentence has them."""


def system_words(augmentation: Augmentation, system: str) -> str:
    """An augmentation and the system that gives it: "memory by history"; once where both have one name."""
    name = NAMES_OF[augmentation]
    return f"{name} by {ascii_words(system)}" if system and system != name else name


def game_words(game: str) -> str:
    """A game's name for a person; a name that a bundle claims and nobody knows, made safe."""
    return GAMES[game].title if game in GAMES else ascii_words(game)


def part_words(part: str) -> str:
    """The positions a match was played from, in words after its game; empty where those are starts."""
    return f" from {ascii_words(part)} positions" if part else ""


def condition_words(condition: Condition) -> str:
    """The augmentation of seat A, in words after its name; empty where it has none."""
    if condition.augmentation is Augmentation.NAKED:
        return ""
    what = system_words(condition.augmentation, condition.system)
    return f" without {what} (control)" if condition.arm is Arm.NAKED else f" {ARM_WORDS[condition.arm]} {what}"


def arm_words(condition: Condition, *, is_system_named: bool) -> str:
    """The arm and the augmentation in a table; empty where the match is of no arm. A system is named among several."""
    if condition.augmentation is Augmentation.NAKED:
        return ""
    what = system_words(condition.augmentation, condition.system if is_system_named else "")
    return f" {ARM_WORDS[condition.arm]} {what}"


def size_words(count: int, game: str) -> str:
    """A number of games or hands, in words."""
    return GAMES[game].result.counted(count)
