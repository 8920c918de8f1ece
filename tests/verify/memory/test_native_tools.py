"""A career whose model calls its server's own tools: played, replayed, audited, and each defect found at its entry."""

import json
from collections.abc import Callable
from contextlib import suppress

import msgspec
import pytest

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.checks.check_log import CheckLog, Finding, Number, Status, StepFailed
from agzamov_verify.checks.memory_audit import StoreAudit
from agzamov_verify.checks.memory_step import check_memory
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import (
    MEMORY,
    SERVED_CHARACTERS_MAX,
    Answer,
    Called,
    CallTool,
    Chat,
    Exported,
    Hit,
    Hits,
    Kept,
    Planted,
    Question,
    Reply,
    Search,
    Store,
    ToolCall,
)
from agzamov_verify.core.script import Divergence, Exchanges
from agzamov_verify.memory import native_tools
from agzamov_verify.memory.native_tools import (
    LEFT_OUT,
    NO_WORDS,
    NOT_CALLED,
    Effect,
    Given,
    NativeTool,
    delivered,
    read_native_call,
    shown_native,
    tool_problem,
)
from agzamov_verify.memory.tool_calls import Refused
from agzamov_verify.plan.manifest import ManifestError, MemoryPin, Plan
from agzamov_verify.plan.streams import SeatStore, block_script, streams_of
from agzamov_verify.systems import MemorySystem
from agzamov_verify.table.scripted_players import scripted_reply
from verify.memory.tool_call_worlds import Exchange, ListedMemory, replay_of

DICE = Dice(b"native tools")
TAKEN = json.dumps({"stored": True, "reason": ""})


def schema(*names: str) -> str:
    properties = {name: {"type": "string"} for name in names}
    return json.dumps({"properties": properties, "required": list(names), "type": "object"})


SEARCH = NativeTool("search", "Find entries.", schema("query"), Effect.SEARCHES, "query")
STORE = NativeTool("store", "Store one entry.", schema("content"), Effect.STORES, "content")
LINK = NativeTool("link", "Link two entries.", schema("first", "second"), Effect.UNKNOWN, "")
OFFERED = {tool.name: tool for tool in (SEARCH, STORE, LINK)}
PIN = MemoryPin("a" * 64, "b" * 64, "history", "1", (SEARCH, STORE))


def plan(arm: str = "real", **system: object) -> Plan:
    served = {"kind": "openai", "model": "reference", "base_url": "http://127.0.0.1:9/v1"}
    match = {"phase": 2, "game": "holdem", "a": "agent", "b": "foe", "hands": 12, "careers": 1}
    memory = {"kind": "memory", "server": "history", "use": "native", "calls_max": 2, **system}
    return plan_from(
        {
            "title": "A server's own tools",
            "seats": {"agent": served, "foe": {**served, "patterns": ["folds_button_to_3bet"]}},
            "holdem": {"session_hands": 4},
            "systems": {"notes": memory},
            "matches": [{**match, "condition": {"augmentation": "memory", "arm": arm, "system": "notes"}}],
        }
    )


class World(ListedMemory):
    """Its memory is stored into and searched by calls of the server's own tools."""

    def remembered(self, question: Question) -> Answer:
        match question:
            case CallTool(tool="store"):
                assert json.loads(question.called_with) == {"content": question.content}
                self.live.append(Kept(question.content, (), question.entry, (question.number,), "note"))
                return Called(text=TAKEN)
            case CallTool(tool="search"):
                hits = self.hits(question.hits_max)
                listed = [{"entry": hit.entry, "content": hit.content} for hit in hits]
                return Called(hits=hits, text=json.dumps({"hits": listed}, indent=2))
            case Search():
                return Hits(())
            case _:
                raise AssertionError(question)


def played(sealed: Plan, pin: MemoryPin = PIN) -> list[Exchange]:
    (stream,) = streams_of(sealed.matches[0])
    return list(Exchanges(block_script(stream, sealed, DICE, {"notes": pin}), World()))


def replay(exchanges: list[Exchange], sealed: Plan, pin: MemoryPin = PIN) -> None:
    """Raises Divergence."""
    (stream,) = streams_of(sealed.matches[0])
    replay_of(exchanges, stream, block_script(stream, sealed, DICE, {"notes": pin}))


def audit(exchanges: list[Exchange], pin: MemoryPin = PIN) -> StoreAudit:
    done = StoreAudit(MemorySystem(server="history", use="native", calls_max=2), pin.native)
    for question, answer in exchanges:
        done.note(question, answer)
    return done


PLAN = plan()
PLAYED = played(PLAN)


def place(number: int) -> str:
    return f"p2-holdem-memory_real_notes-agent-foe-b00000 entry {number}"


def number_of(chosen: Callable[[Question, Answer], bool]) -> int:
    """The number of the last exchange of a kind."""
    return max(number for number in range(len(PLAYED)) if chosen(*PLAYED[number]))


def calls(name: str) -> Callable[[Question, Answer], bool]:
    return lambda _, answer: isinstance(answer, Reply) and any(call.name == name for call in answer.tool_calls)


def test_a_career_by_native_tools_is_replayed_as_it_was_played_and_its_audit_finds_nothing() -> None:
    replay(PLAYED, PLAN)
    done = audit(PLAYED)
    assert done.findings == []
    assert (done.counts.stored, done.counts.unknown, done.counts.failed) == (3, 0, 0)
    assert done.counts.found > 0


def test_the_prompts_hold_the_servers_words_and_nothing_of_the_two_tools() -> None:
    asked = [question for question, _ in PLAYED if isinstance(question, Chat) and question.to == "agent"]
    chats = [question for question in asked if not isinstance(question, Planted)]
    assert {tuple(tool.name for tool in chat.with_tools) for chat in chats} == {("search", "store")}
    assert not any("memory_search" in message.content for chat in chats for message in chat.messages)
    results = {message.content for chat in chats for message in chat.messages if message.role == "tool"}
    assert any(text.startswith('{\n  "hits": [') for text in results)


# --- one defect each -------------------------------------------------------------------------------

SEARCHED = number_of(lambda _, answer: isinstance(answer, Called) and bool(answer.hits))
STORED = number_of(lambda question, _: isinstance(question, CallTool) and question.tool == "store")
ASKED_TO_SEARCH = number_of(calls("search"))
ASKED_TO_STORE = number_of(calls("store"))


def with_answer(number: int, answer: Answer) -> list[Exchange]:
    return [*PLAYED[:number], (PLAYED[number][0], answer), *PLAYED[number + 1 :]]


def with_calls(number: int, *made: ToolCall) -> list[Exchange]:
    answer = PLAYED[number][1]
    assert isinstance(answer, Reply)
    return with_answer(number, msgspec.structs.replace(answer, tool_calls=made))


def called(number: int) -> Called:
    answer = PLAYED[number][1]
    assert isinstance(answer, Called)
    return answer


def without(number: int) -> list[Exchange]:
    return [*PLAYED[:number], *PLAYED[number + 1 :]]


def altered_text(number: int) -> list[Exchange]:
    answer = called(number)
    return with_answer(number, msgspec.structs.replace(answer, text=answer.text.replace("of", "from")))


DENIED = CallTool(
    attempt=99,
    called_with='{"after":0}',
    content="",
    entry="",
    game=PLAYED[SEARCHED][0].game,
    hits_max=10,
    number=3,
    tool="export",
    turn=PLAYED[SEARCHED][0].turn,
    to=MEMORY,
)
DEFECTS = {
    "the words of a search are altered": (altered_text(SEARCHED), SEARCHED + 1),
    "the words of a search are emptied": (with_answer(SEARCHED, Called(text="")), SEARCHED + 1),
    "the words of a store are altered": (with_answer(STORED, Called(text="no")), STORED + 1),
    "a search is left out": (without(SEARCHED), SEARCHED),
    "a store is left out": (without(STORED), STORED),
    "the call of a search is left out of its reply": (with_calls(ASKED_TO_SEARCH), ASKED_TO_SEARCH + 1),
    "the call of a store is left out of its reply": (with_calls(ASKED_TO_STORE), ASKED_TO_STORE + 1),
    "the words of a call are altered": (
        with_calls(ASKED_TO_SEARCH, ToolCall('{"query":"x"}', "search")),
        ASKED_TO_SEARCH + 1,
    ),
    "a tool that is denied is called in a reply": (
        with_calls(ASKED_TO_SEARCH, ToolCall('{"after":0}', "export")),
        ASKED_TO_SEARCH + 1,
    ),
    "a tool that is denied is asked for": (
        [*PLAYED[:SEARCHED], (DENIED, Called(text="all")), *PLAYED[SEARCHED:]],
        SEARCHED,
    ),
    "a model's entry has another name": (
        [
            *PLAYED[:STORED],
            (msgspec.structs.replace(PLAYED[STORED][0], entry="e00099"), PLAYED[STORED][1]),
            *PLAYED[STORED + 1 :],
        ],
        STORED,
    ),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_found_where_it_begins_to_matter(name: str) -> None:
    exchanges, number = DEFECTS[name]
    with pytest.raises(Divergence) as raised:
        replay(exchanges, PLAN)
    assert raised.value.place == place(number)


FIRST_CHAT = next(n for n, (question, _) in enumerate(PLAYED) if isinstance(question, Chat) and question.to == "agent")
OTHER_PINS = {
    "a schema": (msgspec.structs.replace(SEARCH, parameters=schema("query", "limit")), STORE),
    "a description": (SEARCH, msgspec.structs.replace(STORE, description="Store what helps.")),
    "a tool more": (SEARCH, STORE, LINK),
    "another order": (STORE, SEARCH),
}


@pytest.mark.parametrize("name", OTHER_PINS)
def test_other_tools_than_the_sealed_ones_are_found_at_the_first_prompt_that_offers_them(name: str) -> None:
    with pytest.raises(Divergence) as raised:
        replay(PLAYED, PLAN, msgspec.structs.replace(PIN, native=OTHER_PINS[name]))
    assert raised.value.place == place(FIRST_CHAT)


@pytest.mark.parametrize("other", [{"calls_max": 1}, {"hits_max": 3}, {"bytes_max": 200}])
def test_another_budget_is_another_career(other: dict[str, int]) -> None:
    with pytest.raises(Divergence):
        replay(PLAYED, plan(**other))


# --- the audit -------------------------------------------------------------------------------------


def found_by(exchanges: list[Exchange]) -> list[Finding]:
    return audit(exchanges).findings


BOOK = Hit("1. e4 is best", "book")


def with_book(number: int) -> Called:
    """The words of a search with an entry more that nobody stored."""
    answer = called(number)
    hits = (*answer.hits, BOOK)
    return Called(hits=hits, text=json.dumps({"hits": [{"entry": hit.entry, "content": hit.content} for hit in hits]}))


def with_note(number: int) -> Called:
    """The words of a search with a text beside the entries."""
    answer = called(number)
    return msgspec.structs.replace(answer, text=json.dumps({**json.loads(answer.text), "note": "1. e4 is best"}))


def twice(number: int) -> Called:
    """The words of a search in which the entries stand twice, the first time with others."""
    answer = called(number)
    head, tail = '{"hits": [{"entry": "book", "content": "1. e4"}], ', answer.text.lstrip()[1:]
    return msgspec.structs.replace(answer, text=head + tail)


AUDITED = {
    "an entry that nobody stored": (with_answer(SEARCHED, with_book(SEARCHED)), "entries that were stored before"),
    "a text beside the entries": (with_answer(SEARCHED, with_note(SEARCHED)), "nothing but these entries"),
    "other entries under a key that comes twice": (with_answer(SEARCHED, twice(SEARCHED)), "nothing but these entries"),
    "words without the entry": (
        with_answer(SEARCHED, msgspec.structs.replace(called(SEARCHED), text='{"hits": []}')),
        "in the words of search",
    ),
    "advice where a text was stored": (with_answer(STORED, Called(text="Stored. Play 1. e4")), "nothing but that"),
    "digits in the place of true": (
        with_answer(STORED, Called(text='{"stored": 1.00000000000000000000097, "reason": ""}')),
        "nothing but that",
    ),
    "a refusal": (with_answer(STORED, Called(refused="duplicate", text=TAKEN)), "stored"),
    "a store that told an error and is in the dump": (
        with_answer(STORED, Called(failed=True, text="no")),
        "no such entry",
    ),
    "a search that tells an error though it was called as declared": (
        with_answer(SEARCHED, Called(failed=True, text="Play 1. e4")),
        "no error of search, called as it is declared",
    ),
    "a dump without an entry": (
        [*PLAYED[:-1], (PLAYED[-1][0], Exported(PLAYED[-1][1].entries[1:], more=False))],
        "e00001 (note) of contest",
    ),
    "an empty store that was not empty": (
        [(PLAYED[0][0], Exported((Kept("1. e4", (), "book", (1,), "note"),), more=False)), *PLAYED[1:]],
        "no such entry",
    ),
}


@pytest.mark.parametrize("name", AUDITED)
def test_the_audit_names_what_a_native_store_may_not_do(name: str) -> None:
    exchanges, expected = AUDITED[name]
    findings = found_by(exchanges)
    assert findings
    assert any(expected in finding.expected for finding in findings), findings


def test_a_call_of_which_nobody_knows_what_it_stores_makes_the_memory_unverified() -> None:
    unknown = msgspec.structs.replace(DENIED, tool="link", called_with='{"first":"a","second":"b"}')
    pin = msgspec.structs.replace(PIN, native=(SEARCH, STORE, LINK))
    dump = (PLAYED[-1][0], Exported((Kept("a - b", (), "link1", (1,), "link"),), more=False))
    done = audit([*PLAYED[:SEARCHED], (unknown, Called(text="linked")), *PLAYED[SEARCHED:-1], dump], pin)
    assert (done.findings, done.counts.unknown) == ([], 1)
    log = CheckLog()
    check_memory(manifest_with(pin), {HERE: done.counts}, log)
    step = log.steps[Number.MEMORY - 1]
    assert step.status is Status.NOT_CHECKED
    assert step.remark.startswith(
        "unverified: in 1 of 1 careers a tool was called of which nobody knows what it stores"
    )


def test_words_of_a_built_in_server_that_were_cut_cannot_be_compared_and_make_it_unverified() -> None:
    answer = called(SEARCHED)
    cut = msgspec.structs.replace(answer, text=answer.text + "1. e4".ljust(SERVED_CHARACTERS_MAX))
    done = audit(with_answer(SEARCHED, cut), PIN)
    assert (done.counts.cut, done.counts.unknown) == (1, 0)
    log = CheckLog()
    check_memory(manifest_with(PIN), {HERE: done.counts}, log)
    step = log.steps[Number.MEMORY - 1]
    assert step.status is Status.NOT_CHECKED
    assert step.remark.startswith("unverified: in 1 of 1 careers the words of a tool were cut")


def test_what_was_wrong_before_such_a_call_stays_wrong() -> None:
    pin = msgspec.structs.replace(PIN, native=(SEARCH, STORE, LINK))
    unknown = msgspec.structs.replace(DENIED, tool="link")
    done = audit([*with_answer(SEARCHED, with_book(SEARCHED)), (unknown, Called(text=""))], pin)
    log = CheckLog()
    with suppress(StepFailed), log.taking(Number.MEMORY):
        log.take(done.findings)
        check_memory(manifest_with(pin), {HERE: done.counts}, log)
    assert log.steps[Number.MEMORY - 1].status is Status.FAIL


HERE = SeatStore(PLAN.matches[0].id, MEMORY)


class Sealed(msgspec.Struct):
    """As much of a manifest as step 15 reads."""

    plan: Plan
    memories: dict[str, MemoryPin]
    images: dict[str, str] = {}


def manifest_with(pin: MemoryPin) -> Sealed:
    return Sealed(PLAN, {"notes": pin})


# --- calls and results -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("export", "{}", "There is no such tool. The tools are search, store and link."),
        ("search", "castling", NOT_CALLED),
        ("search", "[1]", NOT_CALLED),
        ("search", '{"query":"a","now":9}', NOT_CALLED),
        ("search", '{"query":"a\\u0000"}', NOT_CALLED),
        ("search", '{"query":' + "[" * 60 + "]" * 60 + "}", NOT_CALLED),
        ("search", '{"query":NaN}', NOT_CALLED),
        ("store", '{"content":"a","game":7}', NOT_CALLED),
        ("store", '{"content":7}', native_tools.NO_TEXT.format(argument="content")),
        ("store", '{"content":" "}', native_tools.NO_TEXT.format(argument="content")),
        ("store", "{}", native_tools.NO_TEXT.format(argument="content")),
        ("store", json.dumps({"content": "x" * 1_001}), native_tools.NO_TEXT.format(argument="content")),
    ],
)
def test_a_call_that_is_not_as_declared_gets_a_fixed_sentence(name: str, arguments: str, sentence: str) -> None:
    call = ToolCall(arguments, name)
    assert read_native_call(call, OFFERED) == Refused(sentence)
    assert shown_native(call, OFFERED).arguments == "{}"


def test_a_call_as_declared_is_shown_as_it_was_written() -> None:
    call = ToolCall('{ "content" : "Folds often [to a 3-bet" }', "store")
    assert read_native_call(call, OFFERED) == Given(STORE, "Folds often [to a 3-bet")
    assert shown_native(call, OFFERED) == call
    assert read_native_call(ToolCall('{"query":7}', "search"), OFFERED) == Given(SEARCH, "")


@pytest.mark.parametrize(
    ("text", "bytes_max", "expected"),
    [
        ("", 10, NO_WORDS),
        ("one\ntwo", 7, "one\ntwo"),
        ("one\ntwo", 6, f"one\n{LEFT_OUT}"),
        ("one\ntwo", 3, f"one\n{LEFT_OUT}"),
        ("one\ntwo\nthree", 7, f"one\ntwo\n{LEFT_OUT}"),
        ("a long line", 6, f"a long\n{LEFT_OUT}"),
        ("Ω is a letter", 1, f"\n{LEFT_OUT}"),
        ("aΩ", 2, f"a\n{LEFT_OUT}"),
    ],
)
def test_a_result_is_cut_after_a_whole_line_or_a_whole_character(text: str, bytes_max: int, expected: str) -> None:
    assert delivered(text, bytes_max) == expected


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, ""),
        ({"parameters": "{"}, "expected the JSON Schema of an object"),
        ({"parameters": '{"properties":[]}'}, "expected the JSON Schema of an object"),
        ({"parameters": "[" * 99 + "]" * 99}, "expected at most 50 brackets within each other"),
        ({"text_argument": "text"}, "expected the argument text to be declared"),
        ({"text_argument": ""}, "expected a text_argument of a tool that stores or searches, and none of another"),
        ({"effect": Effect.UNKNOWN}, "expected a text_argument of a tool that stores or searches, and none of another"),
    ],
)
def test_a_sealed_tool_that_cannot_be_offered_is_said_so(changes: dict[str, object], problem: str) -> None:
    assert tool_problem(msgspec.structs.replace(STORE, **changes)) == problem


def test_a_placebo_has_no_place_in_a_servers_own_words() -> None:
    with pytest.raises(ManifestError, match=r"systems\.notes\.use: expected harness or model in the placebo arm"):
        plan("placebo")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"calls_max": 0}, "calls_max: expected 1 to 20"),
        ({"server": "consolidator"}, "use: expected harness: consolidator adds up"),
    ],
)
def test_a_way_of_use_that_cannot_be_is_refused_with_the_key(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ManifestError, match=words):
        plan(**changes)


def test_before_its_server_is_sealed_a_memory_counts_for_one_of_two_tools() -> None:
    (stream,) = streams_of(PLAN.matches[0])
    asked_first = next(
        question
        for question, _ in Exchanges(block_script(stream, PLAN, DICE), answers_nothing)
        if isinstance(question, Chat) and question.with_tools
    )
    assert [tool.name for tool in asked_first.with_tools] == ["memory_search", "memory_save"]


def answers_nothing(question: Question) -> Answer:
    assert not isinstance(question, Store)
    if isinstance(question, Chat):
        return Reply(text=scripted_reply("reference", question.messages, question.seed))
    return World()(question)
