"""A model's memory by tool calls: what each call gives, whatever a model writes, and when it ends."""

import json

import pytest

from agzamov_verify.core.questions import (
    Answer,
    Chat,
    EndGame,
    Hit,
    Hits,
    NoReply,
    Question,
    Reply,
    Search,
    Settled,
    Store,
    Stored,
    ToolCall,
)
from agzamov_verify.core.script import Script
from agzamov_verify.memory import tool_calls
from agzamov_verify.memory.career_memory import SearchLimits
from agzamov_verify.memory.model_memory import NOTE, ModelMemory
from agzamov_verify.memory.placebo import Donor
from agzamov_verify.memory.tool_calls import (
    BUDGET_USED,
    MALFORMED,
    NO_GAME,
    NOT_SAVED,
    NOTHING_FOUND,
    SAVE,
    SAVED,
    SEARCH,
    TOOLS,
    UNKNOWN_TOOL,
)
from agzamov_verify.table.decision import ActionReader, Forfeit, IllegalPolicy, Tally, decide
from agzamov_verify.table.declared import Accepted, Fault, FaultKind
from verify.scripted import chat, told

LIMITS = SearchLimits(hits_max=2, bytes_max=100)
CALLS_MAX = 3
PLAYED = Reply(text="MOVE: e2e4")


def memory(donor: Donor | None = None) -> ModelMemory:
    return ModelMemory(LIMITS, CALLS_MAX, donor)


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(json.dumps(arguments), name)


def search(query: str = "castling") -> ToolCall:
    return call(SEARCH, query=query)


def save(text: str = "castles early") -> ToolCall:
    return call(SAVE, text=text)


def calls(*made: ToolCall, text: str = "") -> Reply:
    return Reply(text=text, finish="tool_calls", tool_calls=made)


def read(answer: Reply | NoReply) -> Accepted[str] | Fault:
    text = answer.text if isinstance(answer, Reply) else ""
    if text.startswith("MOVE: "):
        return Accepted(text[6:], exact=True)
    return Fault(FaultKind.NO_ACTION, "no line declares a move")


READER = ActionReader(read, lambda attempt: f"substitute {attempt}", "Declare one move")


def decision(
    store: ModelMemory, tally: Tally, policy: IllegalPolicy = IllegalPolicy.SUBSTITUTE
) -> Script[str | Forfeit]:
    yield from store.recall("g00000", 0, "not asked for")
    return (yield from decide(chat(), READER, policy, tally, store))


def decided(*answers: Answer, store: ModelMemory | None = None) -> tuple[str | Forfeit, list[Question]]:
    return told(decision(store or memory(), Tally()), answers)


def results(question: Question) -> list[str]:
    """What the model was told of its calls."""
    assert isinstance(question, Chat)
    return [message.content for message in question.messages if message.role == "tool"]


def hits(*texts: str) -> Hits:
    return Hits(tuple(Hit(text, f"e{number:05d}") for number, text in enumerate(texts, 1)))


# --- the loop ------------------------------------------------------------------------------------


def test_a_decision_without_calls_is_one_question_with_the_tools_on_offer() -> None:
    action, (asked,) = decided(PLAYED)
    assert isinstance(asked, Chat)
    assert (action, asked.with_tools, asked.attempt) == ("e2e4", TOOLS, 0)
    assert asked.messages[0].content == "Play.\n\n" + tool_calls.SYSTEM.format(calls_max=CALLS_MAX)


def test_a_search_is_asked_of_the_memory_and_told_to_the_model() -> None:
    action, asked = decided(calls(search()), hits("castles early", "trades queens", "beyond"), PLAYED)
    assert action == "e2e4"
    assert isinstance(asked[1], Search)
    assert (asked[1].query, asked[1].hits_max) == ("castling", 2)
    assert results(asked[2]) == ["castles early\ntrades queens"]


def test_the_next_question_holds_the_calls_and_their_results_by_our_ids() -> None:
    _, asked = decided(calls(search(), save(), text="Let me see."), hits(), Stored(), PLAYED)
    last = asked[-1]
    assert isinstance(last, Chat)
    said, found, kept = last.messages[2:]
    assert (said.role, said.content, [sent.id for sent in said.tool_calls]) == (
        "assistant",
        "Let me see.",
        ["call00001", "call00002"],
    )
    assert [(message.tool_call_id, message.content) for message in (found, kept)] == [
        ("call00001", NOTHING_FOUND),
        ("call00002", SAVED),
    ]
    assert last.attempt == 1


def test_a_save_is_stored_under_the_next_name_of_the_career() -> None:
    store = memory()
    _, asked = decided(calls(save("a")), Stored(), calls(save("b")), Stored(), PLAYED, store=store)
    stores = [question for question in asked if isinstance(question, Store)]
    assert [(one.entry, one.content, one.kind, one.number) for one in stores] == [
        ("e00001", "a", NOTE, 1),
        ("e00002", "b", NOTE, 1),
    ]


def test_what_the_memory_refuses_the_model_is_told() -> None:
    _, asked = decided(calls(save()), Stored("too like another"), PLAYED)
    assert results(asked[-1]) == [NOT_SAVED]


def test_a_result_holds_whole_entries_up_to_the_bytes_of_the_plan() -> None:
    _, asked = decided(calls(search()), hits("a" * 60, "b" * 60), PLAYED)
    assert results(asked[-1]) == ["a" * 60]


def test_in_the_placebo_arm_a_donors_notes_are_told_and_the_saves_are_stored() -> None:
    store = memory(Donor(lambda _: "a note of another"))
    _, asked = decided(calls(save(), search()), Stored(), hits("castles early"), PLAYED, store=store)
    assert results(asked[-1]) == [SAVED, "a note of another"]


# --- whatever a model writes -----------------------------------------------------------------------

HUGE = json.dumps({"text": "x" * (tool_calls.TEXT_CHARACTERS_MAX + 1)})


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (ToolCall("{}", "memory_delete"), UNKNOWN_TOOL),
        (ToolCall("{}", ""), UNKNOWN_TOOL),
        (ToolCall("", SEARCH), MALFORMED[SEARCH]),
        (ToolCall("query: castling", SEARCH), MALFORMED[SEARCH]),
        (ToolCall('{"query": "a"', SEARCH), MALFORMED[SEARCH]),
        (ToolCall("[" * 100_000, SEARCH), MALFORMED[SEARCH]),
        (ToolCall('["castling"]', SEARCH), MALFORMED[SEARCH]),
        (call(SEARCH), MALFORMED[SEARCH]),
        (call(SEARCH, query=7), MALFORMED[SEARCH]),
        (call(SEARCH, query=""), MALFORMED[SEARCH]),
        (call(SEARCH, query=" \n"), MALFORMED[SEARCH]),
        (call(SEARCH, query="a", limit=1_000_000), MALFORMED[SEARCH]),
        (call(SAVE, query="a"), MALFORMED[SAVE]),
        (call(SAVE, text=None), MALFORMED[SAVE]),
        (call(SAVE, text="a\0b"), MALFORMED[SAVE]),
        (ToolCall('{"text": "\\ud800"}', SAVE), MALFORMED[SAVE]),
        (ToolCall(HUGE, SAVE), MALFORMED[SAVE]),
    ],
)
def test_a_call_that_is_not_as_declared_has_a_fixed_answer_and_asks_nothing(made: ToolCall, sentence: str) -> None:
    action, asked = decided(calls(made), PLAYED)
    assert action == "e2e4"
    assert results(asked[-1]) == [sentence]


def test_a_call_that_is_not_as_declared_is_shown_to_the_model_in_a_form_that_servers_parse() -> None:
    made = [ToolCall("no JSON", SEARCH), ToolCall("{}", "rm -rf"), search()]
    _, asked = decided(calls(*made), hits(), PLAYED)
    last = asked[-1]
    assert isinstance(last, Chat)
    sent = last.messages[2].tool_calls
    assert [(one.name, one.arguments) for one in sent] == [
        (SEARCH, "{}"),
        ("unknown_tool", "{}"),
        (SEARCH, '{"query": "castling"}'),
    ]


def test_of_a_hundred_calls_in_one_reply_as_many_are_made_as_the_budget_allows() -> None:
    action, asked = decided(calls(*[search()] * 100), *[hits("a")] * CALLS_MAX, PLAYED)
    used = BUDGET_USED.format(calls_max=CALLS_MAX)
    assert action == "e2e4"
    assert results(asked[-1]) == ["a"] * CALLS_MAX + [used] * (100 - CALLS_MAX)


def test_a_model_that_goes_on_calling_is_told_once_and_then_its_text_is_read() -> None:
    answers: list[Answer] = [calls(search()), hits()] * CALLS_MAX
    action, asked = decided(*answers, calls(search()), calls(search(), text="MOVE: d2d4"))
    assert action == "d2d4"
    assert len([question for question in asked if isinstance(question, Chat)]) == CALLS_MAX + 2


def test_a_reply_with_calls_declares_nothing_while_the_budget_lasts() -> None:
    assert decided(calls(search(), text="MOVE: d2d4"), hits(), PLAYED)[0] == "e2e4"


def test_a_model_that_never_declares_is_substituted_as_any_other() -> None:
    action, _ = decided(calls(*[save()] * 4), *[Stored()] * CALLS_MAX, calls(save()))
    assert action == "substitute 0"


def test_a_retry_goes_on_from_the_conversation_and_keeps_the_decisions_budget() -> None:
    answers = [calls(search()), hits("a"), Reply(text=""), calls(search()), hits("b"), PLAYED]
    tally = Tally()
    action, asked = told(decision(memory(), tally, IllegalPolicy.RETRY_THEN_FORFEIT), answers)
    chats = [question for question in asked if isinstance(question, Chat)]
    assert action == "e2e4"
    assert [question.attempt for question in chats] == [0, 1, 2, 3]
    assert [message.role for message in chats[2].messages] == ["system", "user", "assistant", "tool", "user"]
    assert results(chats[3]) == ["a", "b"]
    assert (tally.decisions, tally.calls, tally.first_no_action) == (1, 4, 1)


# --- after a contest -------------------------------------------------------------------------------


def observed(store: ModelMemory) -> Script[None]:
    yield from decision(store, Tally())
    yield from store.observe("g00000", "Castled early: 1 of 1")


def test_after_a_contest_the_model_is_asked_what_to_keep_and_then_the_contest_ends() -> None:
    answers: list[Answer] = [PLAYED, calls(save("castles")), Stored(), Reply(text="Done."), Settled(1)]
    _, asked = told(observed(memory()), answers)
    closing = asked[1]
    assert isinstance(closing, Chat)
    assert tool_calls.closing_observation(closing.messages) == "Castled early: 1 of 1"
    assert (closing.attempt, closing.to, closing.with_tools) == (1, "agent", TOOLS)
    assert [str(question.__struct_config__.tag) for question in asked] == ["chat", "chat", "store", "chat", "end_game"]


def test_the_calls_after_a_contest_are_the_seats_too() -> None:
    store, tally = memory(), Tally()

    def played() -> Script[None]:
        yield from decision(store, tally)
        yield from store.observe("g00000", "")

    told(played(), [PLAYED, calls(save()), Stored(), Reply(text="Done.", completion_tokens=5), Settled(1)])
    assert (tally.decisions, tally.calls, tally.completion_tokens) == (1, 3, 5)


def test_a_contest_without_a_decision_of_the_seat_ends_without_a_question_to_it() -> None:
    _, asked = told(memory().observe("g00000", "Folded."), [Settled(0)])
    assert isinstance(asked[0], EndGame)


def test_nothing_is_saved_without_an_open_game() -> None:
    store = memory()
    told(observed(store), [PLAYED, Reply(text="Nothing."), Settled(0)])
    assert told(store.result(chat(), save()), []) == (NO_GAME, [])


def test_only_the_closing_prompt_is_read_as_one() -> None:
    assert tool_calls.closing_observation(chat().messages) is None
