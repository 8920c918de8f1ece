"""A match has a table: seats in order, each with a condition, and everything that is made of their letters."""

from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import chess
import msgspec
import pytest

from agzamov_verify import protocols
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import RESERVED
from agzamov_verify.core.seat_letters import SEATS_MAX, memory_name, seat_index_of, seat_letter, tool_name
from agzamov_verify.experiment.matches import Arm, Augmentation, Condition, Match, Phase, SeatAt
from agzamov_verify.games.chess.game import ChessBlock, ChessMatch
from agzamov_verify.games.chess.game_script import ChessRecord, Ending
from agzamov_verify.games.chess.rules import End
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.protocols import PROTOCOLS
from agzamov_verify.protocols.opponents import ANY_SEAT
from agzamov_verify.scoring.results import match_results
from agzamov_verify.scoring.team_outcomes import TeamOutcome, team_outcomes
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.registry import GAMES
from agzamov_verify.table.seating import by_place, by_seat, seating

DICE = Dice(bytes(range(32)))
MEMORY = Condition(Augmentation.MEMORY, Arm.REAL, "notes")


def table(*names: str, phase: int = 1, conditions: tuple[Condition, ...] = ()) -> ChessMatch:
    seats = [SeatAt(name, *conditions[index : index + 1]) for index, name in enumerate(names)]
    (one, own), (two, other) = ((at.seat, at.condition) for at in seats[:2])
    return ChessMatch(one, two, Phase(phase), condition=own, b_condition=other, others=tuple(seats[2:]))


def test_a_table_has_the_seats_of_the_plan_in_the_order_of_their_letters() -> None:
    match = table("one", "two", "three", conditions=(Condition(), Condition(), MEMORY))
    assert match.table == (SeatAt("one"), SeatAt("two"), SeatAt("three", MEMORY))
    assert (match.seats, match.systems) == (("one", "two", "three"), ("", "", "notes"))
    assert [at.seat for at in match.opponents] == ["two", "three"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (table("a", "a", "c"), table("a", "c", "a")),
        (table("a", "a"), table("a", "a", "a")),
        (table("a", "b", "c", phase=0), table("a", "b", "d", phase=0)),
        (table("a", "b", "c"), table("a", "b", "c", conditions=(Condition(), Condition(), MEMORY))),
    ],
)
def test_two_tables_have_two_names(one: Match, other: Match) -> None:
    assert one.id != other.id


def test_every_letter_has_a_memory_and_a_tool_that_no_seat_may_be_named() -> None:
    names = [name(index) for index in range(SEATS_MAX) for name in (memory_name, tool_name)]
    assert {*names} < {*RESERVED}
    assert len({*names}) == 2 * SEATS_MAX
    assert [seat_index_of(seat_letter(index)) for index in range(SEATS_MAX)] == [*range(SEATS_MAX)]
    with pytest.raises(IndexError):
        seat_letter(SEATS_MAX)


def test_two_seats_alternate() -> None:
    assert [seating(DICE, "any", index, 2) for index in range(4)] == [(0, 1), (1, 0)] * 2


@pytest.mark.parametrize("seats", [3, 5, 9])
def test_in_a_set_of_results_every_seat_has_every_place_once(seats: int) -> None:
    for first in range(0, 10 * seats, seats):
        orders = [seating(DICE, "match", index, seats) for index in range(first, first + seats)]
        assert all(sorted(order) == [*range(seats)] for order in orders)
        assert all({order[place] for order in orders} == {*range(seats)} for place in range(seats))


def test_neighbours_change_from_set_to_set() -> None:
    """With rotation alone seat 0 would act before seat 1 for ever."""
    orders = [seating(DICE, "match", index, 5) for index in range(0, 2_000, 5)]
    after_first = Counter(after for order in orders for before, after in pairwise(order) if before == 0)
    assert {*after_first} == {1, 2, 3, 4}
    assert min(after_first.values()) > max(after_first.values()) / 2


def test_another_match_is_seated_otherwise() -> None:
    one, other = ([seating(DICE, name, index, 6) for index in range(24)] for name in ("one", "other"))
    assert one != other


def test_what_is_by_place_and_by_seat_is_turned_back() -> None:
    order = (2, 0, 1)
    assert by_seat(("first", "second", "third"), order) == ("second", "third", "first")
    assert by_place(by_seat(("first", "second", "third"), order), order) == ("first", "second", "third")


# --- seats that are looked at --------------------------------------------------------------------

PLAN: dict[str, Any] = {
    "title": "Looked at",
    "seats": {"one": {"kind": "reference"}, "two": {"kind": "reference", "briefing": "Lose."}},
    "matches": [{"phase": 1, "game": "chess960", "a": "one", "b": "two", "games": 2}],
}
WON_BY_WHITE = Ending(End.CHECKMATE, 2)
RECORDS = tuple(
    ChessRecord(f"g{number}", chess.STARTING_FEN, (), ending, ending, (Tally(decisions=1), Tally(decisions=1)))
    for number, ending in enumerate((WON_BY_WHITE, Ending(End.CHECKMATE, 1)))
)


@pytest.fixture
def every_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    version = PROTOCOLS["agz-0.1"]
    rule = version.phases[Phase.BASELINE]._replace(opponent=ANY_SEAT, every_seat=True)
    changed = msgspec.structs.replace(version, phases={**version.phases, Phase.BASELINE: rule})
    monkeypatch.setitem(protocols.PROTOCOLS, "agz-0.1", changed)


def test_a_phase_that_looks_at_the_first_seat_has_one_row_of_a_match() -> None:
    plan = msgspec.convert(PLAN, Plan)
    (row,) = match_results(plan.matches[0], [ChessBlock(0, RECORDS)], plan)
    assert (row.id, row.side, row.measured, row.result.value) == (plan.matches[0].id, "a", "one", 3 / 4)


@pytest.mark.usefixtures("every_seat")
def test_a_phase_that_looks_at_every_seat_has_a_row_of_each() -> None:
    plan = msgspec.convert(PLAN, Plan)
    one, two = match_results(plan.matches[0], [ChessBlock(0, RECORDS)], plan)
    assert (one.id, two.id) == (f"{plan.matches[0].id}@a", f"{plan.matches[0].id}@b")
    assert (two.measured, two.opponents, two.match) == ("two", (SeatAt("one"),), plan.matches[0].id)
    assert one.result.value + two.result.value == 1


@pytest.mark.usefixtures("every_seat")
def test_a_player_against_itself_is_looked_at_once() -> None:
    plan = msgspec.convert({**PLAN, "matches": [{**PLAN["matches"][0], "b": "one"}]}, Plan)
    assert plan.looked_at(plan.matches[0]) == (0,)


class TwoTeams(type(GAMES["chess960"])):  # type: ignore[misc]
    """A game of two teams, to which a record assigns its places."""

    team_names = ("north", "south")

    def teams(self, record: Any) -> tuple[int, ...]:
        sides: tuple[int, ...] = record.sides
        return sides


def test_a_team_wins_with_the_greater_sum_of_its_places_whoever_is_in_it() -> None:
    records = [
        SimpleNamespace(sides=(0, 0, 1), outcomes=(2, 0, 1)),
        SimpleNamespace(sides=(1, 0, 1), outcomes=(1, 2, 0)),
        SimpleNamespace(sides=(0, 1, 1), outcomes=(2, 1, 1)),
        SimpleNamespace(sides=(0, 0, 0), outcomes=(1, 0, 1)),
    ]
    north, south = team_outcomes(TwoTeams(), records)
    assert north == TeamOutcome("north", 2, 2, 0)
    assert south == TeamOutcome("south", 0, 1, 2)
    assert (north.count, south.count) == (4, 3)


def test_a_game_without_teams_has_no_row_of_a_team() -> None:
    assert team_outcomes(GAMES["chess960"], [SimpleNamespace(outcomes=(2, 0))]) == ()
