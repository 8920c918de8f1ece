"""The rules that a game was played by in a run, key by key, so that two runs are told apart by the rule that differs.

    {"chess960.plies_max": "16", "chess960.adjudication.policy": "material", "engine.nodes": "100000", ...}

All that a plan sets for every game of one name: what changes play, or what a result is. What a seat, a system or a
match sets is no rule of the game.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from ..table.registry import GAMES
from .manifest import Plan

SHOWN_MAX: Final = 3
NOT_SET: Final = "not set"


def rules_played(plan: Plan, game: str) -> dict[str, str]:
    """The rules of a game by the keys of a plan, in the order of the plan's types."""
    rules = dict(_leaves(game, msgspec.to_builtins(plan.rules_of(game))))
    if GAMES[game].uses_engine:
        rules |= dict(_leaves("engine", msgspec.to_builtins(plan.engine)))
    return rules | {"naked_prompt": plan.naked_prompt.value}


def unlike_rules(first: Mapping[str, str], second: Mapping[str, str]) -> list[str]:
    """The keys of the rules that differ, in their order."""
    keys = dict.fromkeys((*first, *second))
    return [key for key in keys if first.get(key, NOT_SET) != second.get(key, NOT_SET)]


def unlike_words(first: Mapping[str, str], second: Mapping[str, str]) -> str:
    """The rules that differ, with both values: "chess960.plies_max 16 against 40"; empty where all are the same."""
    keys = unlike_rules(first, second)
    some = [f"{key} {first.get(key, NOT_SET)} against {second.get(key, NOT_SET)}" for key in keys[:SHOWN_MAX]]
    more = [f"and {len(keys) - SHOWN_MAX} more"] if len(keys) > SHOWN_MAX else []
    return ", ".join([*some, *more])


def _leaves(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}", inner)
    elif isinstance(value, bool):
        yield path, "true" if value else "false"
    else:
        yield path, str(value)
