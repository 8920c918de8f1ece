"""The strength of an engine at the table: its settings, of which one may differ between the games of a pilot."""

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from math import exp, log
from typing import Final, NamedTuple

from agzamov_verify.core.columns import ascii_words
from agzamov_verify.seats import Seat, StockfishSeat, UciSeat
from agzamov_verify.seats.stockfish_seat import SKILL_MAX
from agzamov_verify.seats.uci_seat import NODES

SKILL_LEVEL: Final = "skill level"
"""The option of Stockfish and its relatives, in small letters."""


LOG_MOST: Final = log(1e12)
"""An end of an interval may be anywhere."""
PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _./+-]*")


class Setting(StrEnum):
    """A setting that limits an engine, as plans name it."""

    NODES = "nodes"
    DEPTH = "depth"
    ELO = "elo"
    SKILL = "skill"

    def log_strength(self, value: int) -> float:
        """Log strength: the logarithm of nodes. Elo, plies and skill levels are logarithms of odds or work already."""
        return log(value) if self is Setting.NODES else float(value)

    def setting_at(self, log_strength: float) -> float:
        """The setting at a log strength."""
        return exp(min(log_strength, LOG_MOST)) if self is Setting.NODES else log_strength

    def words(self, value: float) -> str:
        """A value of the setting: "60 nodes", "skill 4"."""
        if self is Setting.NODES and not 1 <= value < exp(LOG_MOST):
            return "less than 1 node" if value < 1 else "more nodes than anybody has"
        number = f"{value:,.0f}"
        return {
            Setting.NODES: f"{number} node{'' if number == '1' else 's'}",
            Setting.DEPTH: f"depth {number}",
            Setting.ELO: f"Elo {value:.0f}",
            Setting.SKILL: f"skill {number}",
        }[self]


class EngineAt(NamedTuple):
    """An engine at its settings. `identity`: what must be the same; `limits`: each limit that it has."""

    name: str
    identity: tuple[object, ...]
    limits: Mapping[Setting, int]

    def others(self, setting: Setting) -> tuple[object, ...]:
        """All but one setting: of a pilot they are the same in all games."""
        return *self.identity, *((one, value) for one, value in self.limits.items() if one is not setting)


def engine_at(seat: Seat) -> EngineAt | None:
    """The engine of a seat; None of a seat without one."""
    if isinstance(seat, StockfishSeat):
        return EngineAt("Stockfish", (seat.kind,), {Setting.NODES: seat.nodes, Setting.SKILL: seat.skill})
    if not isinstance(seat, UciSeat):
        return None
    options = {name.casefold(): text for name, text in seat.options.items()}
    skill = options.pop(SKILL_LEVEL) if options.get(SKILL_LEVEL, "").isdecimal() else ""
    by_size = {Setting.DEPTH: seat.depth} if seat.depth else {Setting.NODES: seat.nodes or NODES}
    limits = {
        **by_size,
        **({Setting.ELO: seat.elo} if seat.elo else {}),
        **({Setting.SKILL: int(skill)} if skill else {}),
    }
    named = seat.engine or seat.program
    identity = seat.kind, seat.binary_sha256 or named, seat.hash_mib, *sorted(options.items())
    return EngineAt(ascii_words(named), identity, limits)


def at_strength(seat: Seat, setting: Setting, value: int) -> str:
    """The seat in the words of a plan, at another strength."""
    settings: dict[str, object] = {"kind": seat.kind}
    if isinstance(seat, StockfishSeat):
        settings |= {"nodes": seat.nodes, **({"skill": seat.skill} if seat.skill < SKILL_MAX else {})}
        settings[setting.value] = value
        return _mapping(settings)
    assert isinstance(seat, UciSeat)
    settings["program"] = _text(seat.program)
    settings |= {name: getattr(seat, name) for name in ("nodes", "depth", "elo") if getattr(seat, name)}
    if seat.hash_mib != UciSeat().hash_mib:
        settings["hash_mib"] = seat.hash_mib
    options = dict(seat.options)
    if setting is Setting.SKILL:
        options = {name: str(value) if name.casefold() == SKILL_LEVEL else text for name, text in options.items()}
    else:
        settings[setting.value] = value
    if options:
        settings["options"] = _mapping({_text(name): json.dumps(text) for name, text in options.items()})
    return _mapping(settings)


def _mapping(settings: Mapping[str, object]) -> str:
    return "{" + ", ".join(f"{name}: {text}" for name, text in settings.items()) + "}"


def _text(foreign: str) -> str:
    """A text of a bundle as YAML: quoted where it is not plain, so that it cannot end its own place."""
    return foreign if PLAIN.fullmatch(foreign) and not foreign[0].isdigit() else json.dumps(foreign)
