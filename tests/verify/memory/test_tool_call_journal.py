"""The journal of a career by tool calls: replayed as it was played, and each defect found at its place."""

from collections.abc import Callable

import msgspec
import pytest

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import MEMORY, Answer, Hit, Hits, Question, Reply, Search, Store, Stored, ToolCall
from agzamov_verify.core.script import Divergence, Exchanges
from agzamov_verify.experiment.matches import Arm
from agzamov_verify.memory.tool_calls import SAVE, SEARCH
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from verify.memory.tool_call_worlds import Exchange, SearchedMemory, replay_of

DICE = Dice(b"tool calls")


def plan(use: str = "model", **system: object) -> Plan:
    served = {"kind": "openai", "model": "reference", "base_url": "http://127.0.0.1:9/v1"}
    match = {"phase": 2, "game": "holdem", "a": "agent", "b": "foe", "hands": 12, "careers": 1}
    budget = {"calls_max": 2} if use == "model" else {}
    return plan_from(
        {
            "title": "Tool calls",
            "seats": {"agent": served, "foe": {**served, "patterns": ["folds_button_to_3bet"]}},
            "holdem": {"session_hands": 4},
            "systems": {"notes": {"kind": "memory", "server": "history", "use": use, **budget, **system}},
            "matches": [
                {**match, "condition": {"augmentation": "memory", "arm": "naked"}},
                {**match, "condition": {"augmentation": "memory", "arm": "real", "system": "notes"}},
            ],
        }
    )


def played(sealed: Plan) -> list[Exchange]:
    (stream,) = streams_of(sealed.matches[1])
    return list(Exchanges(block_script(stream, sealed, DICE), SearchedMemory()))


def replay(exchanges: list[Exchange], sealed: Plan) -> None:
    """Raises Divergence."""
    (stream,) = streams_of(sealed.matches[1])
    replay_of(exchanges, stream, block_script(stream, sealed, DICE))


PLAN = plan()
PLAYED = played(PLAN)


def place(number: int) -> str:
    return f"p2-holdem-memory_real_notes-agent-foe-b00000 entry {number}"


def first(chosen: Callable[[Question, Answer], bool]) -> int:
    """The number of the first exchange of a kind, once the store holds something."""
    stored = next(number for number, (question, _) in enumerate(PLAYED) if isinstance(question, Store))
    return next(number for number in range(stored, len(PLAYED)) if chosen(*PLAYED[number]))


def is_call(name: str) -> Callable[[Question, Answer], bool]:
    return lambda _, answer: isinstance(answer, Reply) and any(call.name == name for call in answer.tool_calls)


def test_a_career_by_tool_calls_is_replayed_as_it_was_played() -> None:
    replay(PLAYED, PLAN)
    assert {question.kind for question, _ in PLAYED if isinstance(question, Store)} == {"note"}


def test_the_reference_player_stores_and_is_told_what_the_harness_would_store_and_tell() -> None:
    """Same decks, same starts: the reference player that calls tools plays as the one whose harness remembers."""
    by_harness = plan("harness")
    (stream,) = streams_of(by_harness.matches[1])
    other = Exchanges(block_script(stream, by_harness, DICE), SearchedMemory())
    kept = [question for question, _ in other if isinstance(question, Store)]
    mine = [question for question, _ in PLAYED if isinstance(question, Store)]
    assert [store.content for store in mine] == [store.content for store in kept]
    (stream,) = streams_of(PLAN.matches[1])
    again = Exchanges(block_script(stream, PLAN, DICE), SearchedMemory())
    searches = [question.query for question, _ in again if isinstance(question, Search)]
    other = Exchanges(block_script(streams_of(by_harness.matches[1]).__next__(), by_harness, DICE), SearchedMemory())
    assert searches == [question.query for question, _ in other if isinstance(question, Search)]
    assert again.value.records == other.value.records


# --- one defect each -------------------------------------------------------------------------------

SEARCHED = first(lambda question, answer: isinstance(answer, Hits) and bool(answer.hits))
SAVED = first(is_call(SAVE))
ASKED_TO_SEARCH = first(is_call(SEARCH))


def with_answer(number: int, answer: Answer) -> list[Exchange]:
    return [*PLAYED[:number], (PLAYED[number][0], answer), *PLAYED[number + 1 :]]


def called(number: int, *made: ToolCall) -> Answer:
    answer = PLAYED[number][1]
    assert isinstance(answer, Reply)
    return msgspec.structs.replace(answer, tool_calls=made)


def edited_hit() -> Answer:
    answer = PLAYED[SEARCHED][1]
    assert isinstance(answer, Hits)
    return Hits((Hit("Folds always", answer.hits[0].entry), *answer.hits[1:]))


SWAPPED = [*PLAYED[:SEARCHED], PLAYED[SEARCHED + 1], PLAYED[SEARCHED], *PLAYED[SEARCHED + 2 :]]
INVENTED = (
    Search(attempt=99, game=PLAYED[SEARCHED][0].game, hits_max=10, number=2, query="x", turn=0, to=MEMORY),
    Hits(()),
)
DEFECTS = {
    "the result of a search is edited": (with_answer(SEARCHED, edited_hit()), SEARCHED + 1),
    "the result of a search is emptied": (with_answer(SEARCHED, Hits(())), SEARCHED + 1),
    "the exchange of a search is dropped": ([*PLAYED[:SEARCHED], *PLAYED[SEARCHED + 1 :]], SEARCHED),
    "a search that no model called for is invented": ([*PLAYED[:SEARCHED], INVENTED, *PLAYED[SEARCHED:]], SEARCHED),
    "a search and the decision after it change places": (SWAPPED, SEARCHED),
    "the words of a search are edited in the call": (
        with_answer(ASKED_TO_SEARCH, called(ASKED_TO_SEARCH, ToolCall('{"query":"x"}', SEARCH))),
        ASKED_TO_SEARCH + 1,
    ),
    "a call is dropped from the reply": (with_answer(ASKED_TO_SEARCH, called(ASKED_TO_SEARCH)), ASKED_TO_SEARCH + 1),
    "a call is invented in the reply": (
        with_answer(ASKED_TO_SEARCH, called(ASKED_TO_SEARCH, ToolCall('{"text":"x"}', SAVE))),
        ASKED_TO_SEARCH + 1,
    ),
    "the text of a save is edited in the call": (
        with_answer(SAVED, called(SAVED, ToolCall('{"text":"Folds always"}', SAVE))),
        SAVED + 1,
    ),
    "a save is turned into one that is refused": (with_answer(SAVED + 1, Stored("no")), SAVED + 2),
    "the question after a contest is dropped": ([*PLAYED[:SAVED], *PLAYED[SAVED + 1 :]], SAVED),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_found_where_it_begins_to_matter(name: str) -> None:
    exchanges, number = DEFECTS[name]
    with pytest.raises(Divergence) as raised:
        replay(exchanges, PLAN)
    assert raised.value.place == place(number)


def test_the_same_career_is_not_that_of_another_budget_or_another_arm() -> None:
    with pytest.raises(Divergence):
        replay(PLAYED, plan(calls_max=1))
    assert PLAN.matches[1].condition.arm is Arm.REAL
