"""A player is added to the roster of an arena's file, whose other lines stay as they are."""

import re
from collections.abc import Iterable
from typing import Final

import yaml

from agzamov_verify.plan.manifest import ManifestError

ROSTER: Final = re.compile(r"^roster:[ \t]*(#.*)?$")
NAME: Final = re.compile(r"^[a-z][a-z0-9_]{0,31}$")


def with_player(text: str, name: str, kind: str, settings: Iterable[str]) -> str:
    """The text with one more line at the end of its block `roster:`. Raises ManifestError.

    `settings`: KEY=VALUE, whose values are YAML: text, numbers, {…} and […].
    """
    lines = text.splitlines()
    begins = [number for number, line in enumerate(lines) if ROSTER.match(line)]
    if len(begins) != 1:
        raise ManifestError(
            "roster: expected a line `roster:` with one player on each line below it; add this one by hand"
        )
    require_names([name])
    end = begins[0] + 1
    while end < len(lines) and (not lines[end].strip() or lines[end][0] in " #"):
        end += 1
    while not lines[end - 1].strip() or lines[end - 1].startswith("#"):
        end -= 1
    block = lines[begins[0] + 1 : end]
    if any(re.match(rf"^\s+[\"']?{re.escape(name)}[\"']?\s*:", line) for line in block):
        raise ManifestError(f"roster.{name}: expected another name, there is a player of this one")
    named = [_setting(word) for word in settings]
    keys = ["kind", *(key for key, _ in named)]
    if twice := next((key for key in keys if keys.count(key) > 1), ""):
        raise ManifestError(f"--set {twice}: it is given twice")
    seat = {"kind": kind, **dict(named)}
    spelled = yaml.safe_dump(seat, default_flow_style=True, sort_keys=False, width=10_000).strip()
    return "\n".join([*lines[:end], f"{_indent(block)}{name}: {spelled}", *lines[end:]]) + "\n"


def require_names(names: Iterable[object]) -> None:
    """Names of players are those of seats. Raises ManifestError with the first other one."""
    for name in names:
        if not isinstance(name, str) or not NAME.match(name):
            expected = "up to 32 small letters, digits and underscores, a letter first"
            raise ManifestError(f"roster.{name}: expected a name of {expected}")


def _setting(word: str) -> tuple[str, object]:
    key, equals, value = word.partition("=")
    if not key or not equals:
        raise ManifestError(f"--set {word}: expected KEY=VALUE")
    try:
        return key, yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise ManifestError(f"--set {word}: expected a value in YAML") from error


def _indent(block: list[str]) -> str:
    """The indent of the players that are there."""
    first = next((line for line in block if line.strip() and not line.lstrip().startswith("#")), "  ")
    return first[: len(first) - len(first.lstrip())] or "  "
