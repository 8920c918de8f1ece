"""Two more controls of a memory: filler as long as what it tells, and a memory that stores nothing after a contest."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.checks.memory_audit import StoreAudits
from agzamov_verify.checks.memory_step import stale_lines
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import (
    Answer,
    Chat,
    EndGame,
    Hit,
    Hits,
    Message,
    Question,
    Reply,
    Search,
    Settled,
    Store,
    Stored,
    ToolCall,
)
from agzamov_verify.core.script import Divergence, Exchanges
from agzamov_verify.experiment.matches import Arm, Match
from agzamov_verify.memory.career_memory import CareerMemory, SearchLimits
from agzamov_verify.memory.filler import LOG, WORDS, Filler
from agzamov_verify.memory.model_memory import ModelMemory
from agzamov_verify.memory.tool_calls import SAVE, SAVED
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.plan_problems import problems
from agzamov_verify.plan.streams import block_script, career_contests, stores_until, streams_of
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.table import scripted_players
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, PROFILE, read_page
from verify.memory.tool_call_worlds import Exchange, SearchedMemory, replay_of
from verify.scripted import chat, told

DICE = Dice(b"filler and stale")
ENTRIES = ("Folded to a 3-bet: 4 of 5\nCalled  a river bet: 1 of 2", "Castled early: 3 of 3", "Größe: 0 of 2")
HITS = tuple(Hit(text, f"e{number:05d}") for number, text in enumerate(ENTRIES, 1))


def filler(label: str = "filler") -> Filler:
    return Filler(DICE.stream(label))


def line_bytes(text: str) -> list[int]:
    return [len(line.encode()) for line in text.split("\n")]


# --- filler --------------------------------------------------------------------------------------


def test_filler_is_as_many_texts_and_lines_and_each_line_as_long_to_the_byte() -> None:
    texts = filler().instead_of(HITS)
    assert [line_bytes(text) for text in texts] == [line_bytes(text) for text in ENTRIES]


@given(st.lists(st.text(), max_size=9))
def test_filler_for_any_texts_is_as_long(texts: list[str]) -> None:
    found = filler().instead_of([Hit(text, f"e{number}") for number, text in enumerate(texts)])
    assert [line_bytes(text) for text in found] == [line_bytes(text) for text in texts]


def test_filler_has_the_words_of_the_log_alone() -> None:
    words = {word for line in LOG for word in line.split()}
    texts = filler().instead_of([Hit("x" * 400, f"e{number}") for number in range(40)])
    assert {word.rstrip(".") for text in texts for word in text.split()} <= words
    assert set(WORDS) == set(range(1, max(WORDS) + 1)), "a line may end with a rest of any length"


def test_an_entry_has_one_filler_and_another_career_another() -> None:
    own, again = filler(), filler()
    first = own.instead_of(HITS)
    assert own.instead_of(HITS[::-1]) == first[::-1]
    assert again.instead_of(HITS) == first
    assert filler("another").instead_of(HITS) != first


def test_no_word_of_a_habit_or_a_game_is_in_the_log() -> None:
    """A reader of filler learns nothing of any opponent."""
    of_games = (
        "castle",
        "queen",
        "king",
        "fold",
        "raise ",
        "bet",
        "flop",
        "river",
        "opponent",
        "button",
        "check",
        "game",
    )
    assert not [word for word in of_games if word in "\n".join(LOG).lower().replace("upriver", "")]


# --- stale: one career ---------------------------------------------------------------------------

CONTESTS, UNTIL = 4, 2


def test_a_stale_memory_stores_until_its_contest_and_is_searched_and_told_on() -> None:
    memory, asked = CareerMemory(SearchLimits(3, 100), stores_until=UNTIL), list[Question]()
    for number in range(1, CONTESTS + 1):
        recalled, questions = told(memory.recall(f"g{number}", 0, "x"), [Hits((Hit("told", "e00001"),))])
        assert recalled == "told"
        asked += questions
        answers: list[Answer] = [Stored()] if number <= UNTIL else []
        asked += told(memory.observe(f"g{number}", "seen"), [*answers, Settled(min(number, UNTIL))])[1]
    assert [one.number for one in asked if isinstance(one, Store)] == [1, 2]
    assert [one.number for one in asked if isinstance(one, Search)] == [1, 2, 3, 4]
    assert [one.number for one in asked if isinstance(one, EndGame)] == [1, 2, 3, 4]


def test_a_model_that_saves_into_a_stale_memory_is_told_the_same_and_nothing_is_stored() -> None:
    memory = ModelMemory(SearchLimits(3, 100), 3, stores_until=1)
    told(memory.observe("g1", "seen"), [Settled(0)])
    told(memory.recall("g2", 0, ""), [])
    result, asked = told(memory.result(chat(), ToolCall('{"text":"castles"}', SAVE)), [])
    assert (result, asked) == (SAVED, [])


# --- in a match ----------------------------------------------------------------------------------

SIZES: dict[str, dict[str, int]] = {"chess960": {"games": 6, "block_games": 6}, "holdem": {"hands": 60}}
ARMS = (Arm.FILLER, Arm.STALE, Arm.REAL)
MEMORY: dict[str, Any] = {"kind": "memory", "server": "recent", "hits_max": 2}


def plan_of(game: str, arms: tuple[Arm, ...] = ARMS, **system: object) -> Plan:
    match = {"phase": 2, "game": game, "a": "agent", "b": "foe", "careers": 1, **SIZES[game]}
    conditions = ({}, *({"arm": arm, "system": "notes"} for arm in arms))
    plan = {
        "title": "Arms",
        "seats": {"agent": {"kind": "random"}, "foe": {"kind": "random"}},
        "chess960": {"plies_max": 12, "adjudication": {"policy": "none"}},
        "holdem": {"session_hands": 10},
        "systems": {"notes": {**MEMORY, **system}},
        "matches": [{**match, "condition": {"augmentation": "memory", **condition}} for condition in conditions],
    }
    return msgspec.convert(plan, Plan)


class World(SearchedMemory):
    """A memory that gives its last entries, and players who answer a situation alike whatever they are told."""

    def __call__(self, question: Question) -> Answer:
        if not isinstance(question, Chat):
            return super().__call__(question)
        situation = Message(read_page(question.messages).situation, "user")
        return Reply(text=scripted_players.scripted_reply("random", (Message("", "system"), situation), 7))


def played(plan: Plan, match: Match) -> list[Exchange]:
    (stream,) = streams_of(match)
    return list(Exchanges(block_script(stream, plan, DICE), World()))


def prompts(exchanges: list[Exchange]) -> list[tuple[bytes, str]]:
    """Of each question to a seat all bytes but the remembered text, and that text."""
    found = []
    for question, _ in exchanges:
        if isinstance(question, Chat):
            remembered = read_page(question.messages).profile
            whole = msgspec.json.encode(question.messages).decode()
            told = msgspec.json.encode(PROFILE + remembered).decode()[1:-1] if remembered else ""
            found.append((whole.replace(told, "", 1).encode(), remembered))
    return found


@pytest.mark.parametrize("game", SIZES)
def test_prompts_differ_in_the_remembered_text_alone_and_filler_is_as_long(game: str) -> None:
    plan = plan_of(game)
    naked, filled, stale, real = (prompts(played(plan, match)) for match in plan.matches)
    assert [rest for rest, _ in naked] == [rest for rest, _ in filled] == [rest for rest, _ in stale]
    assert [rest for rest, _ in naked] == [rest for rest, _ in real]
    assert [line_bytes(text) for _, text in filled] == [line_bytes(text) for _, text in real]
    assert [bool(text) for _, text in stale] == [bool(text) for _, text in real]
    told = {"", NOTHING_REMEMBERED}
    assert any(text not in told for _, text in real)
    assert any(text != other for (_, text), (_, other) in zip(stale, real, strict=True))
    assert all(text != other for (_, text), (_, other) in zip(filled, real, strict=True) if other not in told)


@pytest.mark.parametrize("game", SIZES)
def test_a_stale_memory_is_the_real_one_until_the_protocols_share_of_a_career(game: str) -> None:
    plan = plan_of(game)
    _, _, stale, real = plan.matches
    contests, share = career_contests(plan, stale), load_protocol(plan.protocol).memory.stale_percent
    until = stores_until(plan, stale)
    assert contests == 6
    assert until == contests * share // 100 == 1
    assert stores_until(plan, real) is None
    own, other = played(plan, stale), played(plan, real)
    assert sum(isinstance(question, Store) for question, _ in own) == until
    assert sum(isinstance(question, Store) for question, _ in other) == contests
    renamed = [
        (with_game(question, stale.id, real.id), answer) for question, answer in own if not isinstance(question, Chat)
    ]
    of_real = [one for one in other if not isinstance(one[0], Chat)]
    question, _ = next(two for one, two in zip(renamed, of_real, strict=False) if one != two)
    assert isinstance(question, Store)
    assert question.number == until + 1


def test_a_plan_may_name_the_contest() -> None:
    plan = plan_of("holdem", stale_after=4)
    assert problems(plan) == []
    assert stores_until(plan, plan.matches[2]) == 4
    assert list(stale_lines(plan)) == [
        "p2-holdem-memory_stale_notes-agent-foe: system notes stores nothing after contest 4 of 6 of each career"
    ]


def test_a_journal_that_stores_on_is_no_stale_arms() -> None:
    plan = plan_of("holdem")
    _, _, stale, real = plan.matches
    (stream,), exchanges = streams_of(stale), played(plan, real)
    renamed = [(with_game(question, real.id, stale.id), answer) for question, answer in exchanges]
    with pytest.raises(Divergence):
        replay_of(renamed, stream, block_script(stream, plan, DICE))
    replay_of(played(plan, stale), stream, block_script(stream, plan, DICE))


def with_game(question: Question, before: str, after: str) -> Question:
    return msgspec.structs.replace(question, game=question.game.replace(before, after))


def test_the_audit_names_a_store_after_the_declared_contest() -> None:
    plan = plan_of("holdem")
    _, _, stale, real = plan.matches
    for match, findings in ((stale, 0), (real, 3)):
        audits = StoreAudits(next(iter(streams_of(stale))), plan, {})
        for question, answer in played(plan, match):
            audits.note(question, answer)
        found = audits.findings
        assert len(found) == findings
        if found:
            assert found[0].expected == "nothing stored after contest 1, where the memory is stale"
            assert found[0].found == "e00002 after contest 2"


# --- plans that cannot be run --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "path", "message"),
    [
        (plan_of("holdem", stale_after=6), "systems.notes.stale_after", "expected fewer than the 6 contests"),
        (
            plan_of("holdem", (Arm.FILLER,), use="native", calls_max=2),
            "systems.notes.use",
            "expected harness or model in the filler arm",
        ),
        (
            plan_of("holdem", (Arm.STALE,), use="native", calls_max=2),
            "systems.notes.use",
            "expected harness or model in the stale arm",
        ),
    ],
)
def test_a_fault_of_these_arms_names_its_place(bad: Plan, path: str, message: str) -> None:
    assert any(one.path == path and one.message.startswith(message) for one in problems(bad))


@pytest.mark.parametrize("arm", [Arm.FILLER, Arm.STALE])
def test_what_keeps_no_store_has_neither_arm(arm: Arm) -> None:
    plan = plan_of("holdem", (arm,))
    oracle = msgspec.convert({"notes": {"kind": "oracle", "facts": "x"}}, dict[str, Any])
    bad = msgspec.convert({**msgspec.to_builtins(plan), "systems": oracle}, Plan)
    assert [one for one in problems(bad) if one.path == "matches[1].condition.arm"]


def test_filler_may_stand_for_entries_that_a_server_makes_of_others() -> None:
    plan = plan_of("holdem", (Arm.FILLER, Arm.REAL), server="consolidator")
    assert problems(plan) == []
