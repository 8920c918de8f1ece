"""Assumed values of a forecast, and the options that set them; the help of `agzamov plan` imports this alone."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Final


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Assumed values of what is unknown before a run. `plies`: of a chess game; `decisions_per_hand`: of both players.

    `decisions_per_hand` was counted in 200 hands between reference players, and so was the time of a scripted reply;
    the speeds of the engine and the calculator were measured on one core of a common machine. Characters a token were
    counted with the tokenizer of SmolLM2 (49,152 entries) in 219 chess prompts (2.67; positions and moves are mostly
    numbers and single letters) and 212 of hold'em (3.40); `characters_per_token` is for any other game. The rest are
    guesses, to be replaced.
    """

    plies: int = 110
    decisions_per_hand: Fraction = Fraction(44, 10)
    chess960_characters_per_token: Fraction = Fraction(27, 10)
    holdem_characters_per_token: Fraction = Fraction(34, 10)
    characters_per_token: Fraction = Fraction(3)
    reply_tokens: int = 300
    seconds_per_call: Fraction = Fraction(3)
    scripted_ms_per_call: int = 10
    engine_nodes_per_s: int = 850_000
    showdowns_per_s: int = 450_000
    cores: int = 2

    @property
    def by_name(self) -> dict[str, Fraction]:
        """The assumptions by name, as games take them."""
        return {name: Fraction(value) for name, value in asdict(self).items()}


ASKED: Final = {
    "plies": "plies (half-moves) per chess game",
    "decisions_per_hand": "decisions per poker hand, both players together",
    "chess960_characters_per_token": "characters per token of a Chess960 prompt (measured)",
    "holdem_characters_per_token": "characters per token of a hold'em prompt (measured)",
    "characters_per_token": "characters per token of another game's prompt",
    "reply_tokens": "tokens per reply of a model",
    "seconds_per_call": "seconds per reply of a model",
    "scripted_ms_per_call": "milliseconds of one core per reply of a scripted player",
    "engine_nodes_per_s": "nodes per second of the engine on one core",
    "showdowns_per_s": "showdowns per second of the calculator",
    "cores": "cores of the machine",
}
"""The assumptions that a person may set, in words."""


def option_of(name: str) -> str:
    """Name of the option that sets an assumption."""
    return f"--{name.replace('_', '-')}"
