"""Who may meet whom in a phase: a rule is a value that a protocol declares, one of these or one of its own."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from ..experiment.matches import MEASURED, Match
from ..seats import RandomSeat, Seat
from ..table.registry import GAMES


class Table(NamedTuple):
    """The seats of a match in its order, the measured one first."""

    match: Match
    seats: Sequence[Seat]


class OpponentRule(NamedTuple):
    """Who may sit opposite the measured seat.

    `problem`: what the seat at a place of the table should be instead, empty where it may sit there. `one_model`: all
    seats have the same pinned weights. `self_play`: another seat than the measured one is a departure.
    """

    problem: Callable[[Table, int], str]
    one_model: bool = False
    self_play: bool = False


class PhaseRule(NamedTuple):
    """Rules of one phase.

    `gate`: its matches decide which seats go further, so each is played to its planned end. `augmented`: seat A may
    play under a condition other than naked, and seat B's strategy may be shifted. `both`: seat B has a system, too.
    `positions`: each match is played from a class of positions, not from starts. `every_seat`: each seat of a table is
    looked at, not the measured one alone. `sub_phases`: a person meets seat A under several conditions, which
    `plan.people_study` names.
    """

    opponent: OpponentRule
    gate: bool = False
    augmented: bool = False
    both: bool = False
    positions: bool = False
    every_seat: bool = False
    sub_phases: bool = False


def _random(table: Table, place: int) -> str:
    if isinstance(table.seats[place], RandomSeat):
        return ""
    return f"a random seat in Phase {table.match.phase}"


def _same_seat(table: Table, place: int) -> str:
    opponent, match = table.seats[place], table.match
    if opponent is table.seats[MEASURED] or opponent.has_policy:
        return ""
    alternative = " or a benchmark seat" if "benchmark" in GAMES[match.game].scripted else ""
    return f"{match.measured}{alternative}: Phase {match.phase} is self-play"


def _same_model(table: Table, place: int) -> str:
    measured, opponent = table.seats[MEASURED], table.seats[place]
    if _told_nothing(opponent) == _told_nothing(measured):
        return ""
    match = table.match
    seats = f"{match.measured}, or a seat that differs from it in patterns and briefing alone"
    return f"{seats}: Phase {match.phase} compares a model with itself"


def _told_nothing(seat: Seat) -> Seat:
    """The seat without its briefing: the same model and settings."""
    return msgspec.structs.replace(seat, patterns=(), briefing="")


def _any_seat(table: Table, place: int) -> str:  # noqa: ARG001 - one of the rules
    return ""


def of_kind(kind: str, words: str) -> OpponentRule:
    """Seats of one kind, by its tag; `words` name it in a message."""

    def problem(table: Table, place: int) -> str:
        return "" if table.seats[place].kind == kind else f"{words} in Phase {table.match.phase}"

    return OpponentRule(problem)


def one_of(*rules: OpponentRule) -> OpponentRule:
    """Seats that one of the rules allows, so that unlike seats sit at one table."""

    def problem(table: Table, place: int) -> str:
        found = [rule.problem(table, place) for rule in rules]
        return "" if "" in found else "; or ".join(found)

    return OpponentRule(problem)


RANDOM: Final = OpponentRule(_random)
SAME_SEAT: Final = OpponentRule(_same_seat, self_play=True)
SAME_MODEL: Final = OpponentRule(_same_model, one_model=True)
ANY_SEAT: Final = OpponentRule(_any_seat)
