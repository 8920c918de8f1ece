"""Every kind of seat that a plan may name has all that the verifier and the harness ask of a kind."""

import msgspec
import pytest

from agzamov_harness.seat_kind import ROWS, SCRIPTED_ROW, LocalModelKind, SeatKind, by_kind, kind_of
from agzamov_harness.seat_kinds.scripted_kind import ScriptedKind
from agzamov_verify.core.questions import Message
from agzamov_verify.seats import KINDS, AnswerCheck, LocalModelSeat, ModelSeat, ScriptedSeat, Seat

NAMES = sorted(KINDS)


@pytest.mark.parametrize("name", NAMES)
def test_a_kind_has_words_limits_and_an_identifier(name: str) -> None:
    seat = KINDS[name]()
    assert seat.kind == name
    assert seat.kind_words
    assert seat.words("")
    assert seat.player_id("it", "ab", (seat,))
    assert (seat.tokens_limit > 0) is seat.is_model
    assert (seat.failed_tries_max > 0) is seat.is_model


@pytest.mark.parametrize("name", NAMES)
def test_only_answers_of_models_and_people_are_attested(name: str) -> None:
    seat = KINDS[name]()
    assert seat.is_model is isinstance(seat, ModelSeat)
    assert (seat.check is AnswerCheck.ATTESTED) is (seat.is_model or seat.is_person)


@pytest.mark.parametrize("name", NAMES)
def test_a_kind_has_a_row_and_a_local_models_row_has_weights(name: str) -> None:
    seat = KINDS[name]()
    row = kind_of(seat)
    assert isinstance(row, SeatKind)
    assert isinstance(row, LocalModelKind) is isinstance(seat, LocalModelSeat)
    assert isinstance(row, ScriptedKind) is isinstance(seat, ScriptedSeat)


def test_every_row_is_of_a_kind() -> None:
    assert set(ROWS) <= set(KINDS)
    assert SCRIPTED_ROW not in ROWS.values()


def test_a_kind_that_is_not_scripted_and_has_no_row_is_told_so() -> None:
    lost = msgspec.defstruct("Lost", [], bases=(Seat,), tag="lost", frozen=True)
    with pytest.raises(TypeError, match=r"expected a row for seats of kind lost in agzamov_harness\.seat_kind\.ROWS"):
        kind_of(lost())
    with pytest.raises(ValueError, match="expected a seat whose replies can be computed, found a lost seat"):
        lost().reply_text((Message("Your move?", "user"),), 1)


def test_seats_are_grouped_by_their_kinds_in_the_order_of_the_kinds_names() -> None:
    seats = {"b": KINDS["reference"](), "a": KINDS["gguf"](), "c": KINDS["reference"]()}
    assert [list(own) for _, own in by_kind(seats)] == [["a"], ["b", "c"]]
