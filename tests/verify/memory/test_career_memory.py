"""What a memory's server is asked in a career, and what of its answers is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.core.questions import (
    Answer,
    EndGame,
    Export,
    Exported,
    Hit,
    Hits,
    Kept,
    Question,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.core.script import Divergence, Script
from agzamov_verify.memory.career_memory import PROBES, CareerMemory, SearchLimits, ServerUse, within
from agzamov_verify.memory.placebo import AT_HAND, Donor
from verify.scripted import told

LIMITS = SearchLimits(hits_max=3, bytes_max=100)
EMPTY = Exported((), more=False)
NOTHING = Hits(())
KEPT = Kept("castles early", (), "e00001", (1,), "observation")


def hits(*texts: str) -> Hits:
    return Hits(tuple(Hit(text, f"e{number:05d}") for number, text in enumerate(texts, 1)))


def kinds(questions: list[Question]) -> str:
    return " ".join(str(question.__struct_config__.tag) for question in questions)


def career(memory: CareerMemory) -> Script[list[str]]:
    """Two contests of one decision each."""
    recalled = []
    yield from memory.begin("g00000")
    for game in ("g00000", "g00001"):
        recalled.append((yield from memory.recall(game, 4, "castling")))
        yield from memory.observe(game, f"seen in {game}")
    yield from memory.finish("g00001")
    return recalled


def test_a_career_begins_with_an_empty_store_and_ends_with_its_dump() -> None:
    answers: list[Answer] = [EMPTY, *[NOTHING for _ in PROBES]]
    answers += [NOTHING, Stored(), Settled(1), hits("seen in g00000"), Stored(), Settled(2)]
    answers += [Exported((KEPT,), more=False)]
    recalled, asked = told(career(CareerMemory(LIMITS)), answers)
    assert recalled == ["", "seen in g00000"]
    probes = " ".join("search" for _ in PROBES)
    assert kinds(asked) == f"export {probes} search store end_game search store end_game export"


def test_a_server_is_told_the_number_of_the_contest_and_the_name_of_the_entry() -> None:
    answers: list[Answer] = [EMPTY, *[NOTHING for _ in PROBES]]
    answers += [NOTHING, Stored(), Settled(1), NOTHING, Stored(), Settled(2), EMPTY]
    _, asked = told(career(CareerMemory(LIMITS)), answers)
    stores = [question for question in asked if isinstance(question, Store)]
    assert [(store.entry, store.number, store.content) for store in stores] == [
        ("e00001", 1, "seen in g00000"),
        ("e00002", 2, "seen in g00001"),
    ]
    assert [question.number for question in asked if isinstance(question, EndGame)] == [1, 2]
    searches = [question for question in asked if isinstance(question, Search)][len(PROBES) :]
    assert [(search.number, search.turn, search.query) for search in searches] == [
        (1, 4, "castling"),
        (2, 4, "castling"),
    ]


def test_questions_of_one_result_are_numbered() -> None:
    answers: list[Answer] = [EMPTY, *[NOTHING for _ in PROBES]]
    answers += [NOTHING, Stored(), Settled(1), NOTHING, Stored(), Settled(2), EMPTY]
    _, asked = told(career(CareerMemory(LIMITS)), answers)
    for game in ("g00000", "g00001"):
        numbers = [question.attempt for question in asked if question.game == game]
        assert numbers == list(range(len(numbers)))


def test_a_dump_is_asked_for_page_by_page() -> None:
    second = Kept("trades queens", (), "e00002", (2,), "observation")
    pages: list[Answer] = [Exported((KEPT,), more=True), Exported((second,), more=False)]
    _, asked = told(CareerMemory(LIMITS).finish("g00001"), pages)
    assert [question.offset for question in asked if isinstance(question, Export)] == [0, 1]


def test_a_server_that_promises_more_and_gives_nothing_ends_the_dump() -> None:
    told(CareerMemory(LIMITS).finish("g00001"), [Exported((), more=True)])


def test_a_system_that_rewrites_is_dumped_after_each_contest() -> None:
    memory = CareerMemory(LIMITS, server=ServerUse(rewrites=True))
    _, asked = told(memory.observe("g00000", "seen"), [Stored(), Settled(1), Exported((KEPT,), more=False)])
    assert kinds(asked) == "store end_game export"


def test_another_answer_than_the_question_asks_for_is_a_divergence() -> None:
    with pytest.raises(Divergence, match="expected an answer of kind hits, found stored"):
        told(CareerMemory(LIMITS).recall("g00000", 0, "castling"), [Stored()])


@pytest.mark.parametrize(
    ("texts", "fitting"),
    [
        ([], []),
        (["a", "b", "c", "d"], ["a", "b", "c"]),
        (["a" * 99], ["a" * 99]),
        (["a" * 100], []),
        (["é" * 40, "b" * 18, "c"], ["é" * 40, "b" * 18]),
        (["a" * 60, "b" * 60, "c"], ["a" * 60]),
    ],
)
def test_whole_entries_are_told_up_to_the_limits(texts: list[str], fitting: list[str]) -> None:
    assert within(texts, LIMITS) == fitting


# --- the placebo ---------------------------------------------------------------------------------

NOTES = [f"note {number} {'x' * (number % 7)}" for number in range(30)]


def donor() -> Donor:
    return Donor(NOTES.__getitem__)


def test_an_entry_has_the_same_donor_note_whenever_it_comes_again() -> None:
    placebo = donor()
    first = placebo.instead_of(hits("aaaa", "bbbbbb").hits)
    assert len(set(first)) == 2
    assert placebo.instead_of(hits("aaaa").hits) == first[:1]


def test_a_rewritten_entry_has_a_note_of_its_own() -> None:
    placebo = donor()
    first, second = placebo.instead_of([Hit("1 of 1", "e00001")]), placebo.instead_of([Hit("2 of 3", "e00001")])
    assert first != second


def test_of_four_notes_at_hand_the_one_of_the_nearest_length_is_told() -> None:
    asked: list[int] = []

    def note(number: int) -> str:
        asked.append(number)
        return "x" * (10, 40, 30, 20, 25)[number]

    donor = Donor(note)
    assert donor.instead_of([Hit("y" * 29, "an entry")]) == ["x" * 30]
    assert asked == [0, 1, 2, 3]


def test_no_two_entries_have_one_note() -> None:
    """A note that comes twice in one prompt is one that nobody ever stored."""
    told_notes = donor().instead_of(hits(*("x" * 9 for _ in range(26))).hits)
    assert len(set(told_notes)) == 26


def test_a_note_is_made_when_it_is_needed_and_once() -> None:
    made: list[int] = []
    placebo = Donor(lambda number: made.append(number) or f"note {number}")  # type: ignore[func-returns-value]
    assert made == []
    asked = hits("aaaa", "bbbbbb").hits
    placebo.instead_of(asked)
    placebo.instead_of(asked)
    assert made == list(range(AT_HAND + 1))


def test_an_entry_has_a_note_of_a_stranger_at_its_opponents_place() -> None:
    """In chess every other note is of White: those of the donor as well."""
    placebo = Donor(lambda number: f"note of {'White' if number % 2 else 'Black'} {number}", 2)
    for number in range(1, 9):
        placebo.stored("seen", f"e{number:05d}", number)
    told_notes = placebo.instead_of([Hit("x" * 20, f"e{number:05d}") for number in range(1, 9)])
    assert ["Black" in note for note in told_notes] == [True, False] * 4


@given(st.permutations(NOTES), st.integers(1, 90))
def test_the_told_length_stays_near_that_of_the_text_it_replaces(texts: list[str], count: int) -> None:
    """Where entries are as long as notes are, what was told is never off by more than two notes' lengths."""
    placebo = Donor(lambda number: NOTES[number % len(NOTES)])
    entries = [Hit(texts[number % len(texts)], f"e{number:05d}") for number in range(count)]
    notes = placebo.instead_of(entries)
    assert len(notes) == count
    assert abs(sum(map(len, notes)) - sum(len(entry.content) for entry in entries)) <= 2 * max(map(len, NOTES))


def test_a_donor_note_that_is_told_again_and_again_leaves_the_next_choice_as_it_was() -> None:
    entry, other = Hit("x" * 14, "e00001"), Hit("x" * 9, "e00002")
    once, often = donor(), donor()
    once.instead_of([entry])
    for _ in range(50):
        often.instead_of([entry])
    assert once.instead_of([other]) == often.instead_of([other])


def test_the_told_length_counts_each_note_as_often_as_it_is_told() -> None:
    """The first entry, far longer than any note, is told in every prompt, so of the notes at hand the longest is."""
    placebo, entries = donor(), [Hit("x" * (40 if not at else 9), f"e{at:05d}") for at in range(20)]
    chosen = {note: None for entry in entries[1:] for note in placebo.instead_of([entries[0], entry])}
    unused, longest = list[str](), list[str]()
    for note in NOTES[: len(entries) + AT_HAND - 1]:
        unused.append(note)
        if len(unused) == AT_HAND:
            longest.append(max(unused, key=len))
            unused.remove(longest[-1])
    assert list(chosen) == longest


def test_entries_beyond_those_that_were_asked_for_are_not_told() -> None:
    assert told(CareerMemory(LIMITS).recall("g00000", 0, "castling"), [hits("a", "b", "c", "d")])[0] == "a\nb\nc"
    placebo = CareerMemory(SearchLimits(1, 100), donor())
    assert told(placebo.recall("g00000", 0, "castling"), [hits("a", "b")])[0].count("note") == 1


def test_a_note_stands_for_each_entry_that_fits_and_for_no_other() -> None:
    """However long the notes are: they are chosen by their length over the whole career, not for one prompt."""
    placebo, long = CareerMemory(SearchLimits(10, 20), donor()), hits("a" * 9, "b" * 9, "c" * 9)
    assert len(told(CareerMemory(SearchLimits(10, 20)).recall("g00000", 0, "x"), [long])[0].splitlines()) == 2
    assert len(told(placebo.recall("g00000", 0, "x"), [long])[0].splitlines()) == 2


def test_in_the_placebo_arm_the_same_questions_are_asked_and_other_text_is_told() -> None:
    answers: list[Answer] = [EMPTY, *[NOTHING for _ in PROBES]]
    answers += [NOTHING, Stored(), Settled(1), hits("seen in g00000"), Stored(), Settled(2), EMPTY]
    real, asked = told(career(CareerMemory(LIMITS)), answers)
    placebo, asked_too = told(career(CareerMemory(LIMITS, donor())), answers)
    assert asked == asked_too
    assert (real[0], placebo[0]) == ("", "")
    assert placebo[1] in NOTES
    assert real[1] not in NOTES
