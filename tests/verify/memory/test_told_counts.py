"""Delivered and used of a memory: counted from prompts, and of a drawn sample that is asked again without its text."""

from fractions import Fraction

import msgspec
import pytest

from agzamov_verify.checks.memory_use import MemoryUse
from agzamov_verify.checks.recalls import Recall, Told, ToldCounts, is_used
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Message, NoReply, Question, Search
from agzamov_verify.core.script import Exchanges
from agzamov_verify.experiment.matches import Arm, Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.scoring.inference.exact import figure
from agzamov_verify.scoring.planted_replies import UsedRow
from agzamov_verify.show.memory_use_words import (
    NOT_KNOWN,
    delivered_words,
    outcome_words,
    unused_memories,
    used_words,
)
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, PROFILE, forgotten, without_form
from agzamov_verify.table.registry import GAMES
from verify.memory.tool_call_worlds import Exchange, SearchedMemory, reference_reply
from verify.scripted import chat

DICE = Dice(b"told counts")
USE = MemoryUse("m", "a", "notes", Arm.REAL, 40, 36, 14_760, 20, 3, 10, 2)


def plan_of(use: str = "harness", arm: str = "real") -> Plan:
    match = {"phase": 2, "game": "holdem", "a": "agent", "b": "foe", "careers": 1, "hands": 40}
    model = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}
    system = {"kind": "memory", "server": "recent", "hits_max": 2, "use": use, "calls_max": 2 * (use == "model")}
    plan = {
        "title": "Told",
        "seats": {"agent": model if use == "model" else {"kind": "reference"}, "foe": {"kind": "reference"}},
        "holdem": {"session_hands": 10},
        "systems": {"notes": system},
        "matches": [{**match, "condition": {"augmentation": "memory", "arm": arm, "system": "notes"}}],
    }
    return msgspec.convert(plan, Plan)


class World(SearchedMemory):
    """A memory that gives its last entries, and the reference player in both seats."""

    def __call__(self, question: Question) -> Answer:
        return reference_reply(question) if isinstance(question, Chat) else super().__call__(question)


def counted(plan: Plan, recalls_max: int = 1000) -> tuple[Told, list[Exchange]]:
    match: Match = plan.matches[0]
    (stream,) = streams_of(match)
    counts, exchanges = ToldCounts(stream, plan, recalls_max, DICE.stream("recalls")), list[Exchange]()
    for question, answer in Exchanges(block_script(stream, plan, DICE), World()):
        counts.note(question, answer)
        exchanges.append((question, answer))
    return counts.told["memory_a"], exchanges


def test_each_decision_with_text_in_its_prompt_is_counted_once_with_its_bytes() -> None:
    told, exchanges = counted(plan_of())
    prompts = [one.messages[1].content for one, _ in exchanges if isinstance(one, Chat) and one.to == "agent"]
    texts = [
        text for prompt in prompts if (text := without_form(prompt)[0].partition(PROFILE)[2]) != NOTHING_REMEMBERED
    ]
    assert told.decisions == len(prompts) > len(texts)
    assert (told.delivered, told.bytes) == (len(texts), sum(len(text.encode()) for text in texts))


def test_every_delivered_decision_of_a_scripted_seat_can_be_asked_again_without_the_text() -> None:
    plan = plan_of()
    told, _ = counted(plan)
    assert told.recalls
    assert told.recalls.total == len(told.recalls.items) == told.delivered
    used = [is_used(recall, plan.seats) for recall in told.recalls.items]
    again = [declared(recall, plan) for recall in told.recalls.items]
    assert used == [text != recall.declared for text, recall in zip(again, told.recalls.items, strict=True)]
    few, _ = counted(plan, 5)
    assert few.recalls
    assert few.recalls.items == told.recalls.items[:5]
    assert few.delivered == told.delivered


def test_a_changed_reply_is_used() -> None:
    plan = plan_of()
    told, _ = counted(plan, 1)
    assert told.recalls
    (recall,) = told.recalls.items
    assert is_used(msgspec.structs.replace(recall, declared=declared(recall, plan)), plan.seats) is False
    assert is_used(msgspec.structs.replace(recall, declared="ACTION: another"), plan.seats) is True


def declared(recall: Recall, plan: Plan) -> str:
    """What the seat declares without the text."""
    question = recall.question
    text = plan.seats["agent"].reply_text(forgotten(question.messages, NOTHING_REMEMBERED), question.seed)
    return text.rpartition("\n")[2]


def test_what_a_models_searches_were_answered_counts_at_its_decision_and_nobody_asks_it_again() -> None:
    told, exchanges = counted(plan_of("model"))
    searches = {(one.game, one.turn) for one, _ in exchanges if isinstance(one, Search)}
    assert 0 < told.delivered < told.decisions
    assert told.delivered <= len(searches)
    assert told.bytes > 20 * told.delivered
    assert told.recalls is None


@pytest.mark.parametrize("arm", ["filler", "placebo"])
def test_text_in_the_place_of_entries_is_counted_where_it_stood(arm: str) -> None:
    real, (other, _) = counted(plan_of())[0], counted(plan_of(arm=arm))
    assert other.delivered > 0
    assert other.bytes > 0
    assert other.decisions >= real.delivered


def test_samples_of_streams_add_up_to_one_of_all() -> None:
    told, _ = counted(plan_of(), 5)
    both = Told().plus(told).plus(told)
    assert (both.delivered, both.bytes) == (2 * told.delivered, 2 * told.bytes)
    assert both.recalls
    assert (both.recalls.total, len(both.recalls.items)) == (2 * told.delivered, 5)


def test_a_seat_without_an_answer_is_counted_and_not_asked_again() -> None:
    plan = plan_of()
    (stream,) = streams_of(plan.matches[0])
    counts = ToldCounts(stream, plan, 5, DICE.stream("recalls"))
    search = Search(attempt=0, game="g", hits_max=2, number=1, query="x", to="memory_a", turn=3)
    messages = (Message("Play.", "system"), Message(f"A hand{PROFILE}- Folds.", "user"))
    asked = msgspec.structs.replace(chat(), game="g", turn=3, to="agent", messages=messages)
    empty = f"A hand{PROFILE}{NOTHING_REMEMBERED}"
    unlearned = msgspec.structs.replace(asked, messages=(messages[0], Message(empty, "user")))
    for question in (search, unlearned, search, asked, asked):
        counts.note(question, NoReply(reason="refused"))
    told = counts.told["memory_a"]
    assert (told.decisions, told.delivered, told.bytes) == (2, 1, len("- Folds."))
    assert told.recalls
    assert told.recalls.total == 0


def test_the_words_say_what_is_known_and_of_how_many() -> None:
    sessions = GAMES["holdem"].contest
    assert delivered_words(USE) == "36 of 40 decisions (90.0 %), 410 bytes each"
    assert used_words(USE) == "3 of 20 decisions, drawn from 36, are others without it (15.0 %)"
    assert outcome_words(USE, sessions).startswith("2 of 10 sessions ended otherwise than without memory")
    assert used_words(msgspec.structs.replace(USE, asked=0, used=0)) == NOT_KNOWN
    row = UsedRow("m", "agent", 0, 14, figure(Fraction(6, 14)), figure(Fraction(0)))
    assert used_words(msgspec.structs.replace(USE, asked=0, used=0, asked_again=row)) == (
        "of 14 decisions asked again without any augmentation 42.9 % of the replies declare another action;"
        " asked so twice, 0.0 % differ"
    )
    assert used_words(msgspec.structs.replace(USE, delivered=0)) == "nothing was delivered"
    assert outcome_words(msgspec.structs.replace(USE, contests=0), sessions) == ""


def test_a_memory_of_which_no_prompt_had_anything_is_named_once() -> None:
    plan = plan_of()
    use = msgspec.structs.replace(USE, match=plan.matches[0].id)
    unused = msgspec.structs.replace(use, delivered=0, bytes=0)
    assert list(unused_memories([use], plan)) == []
    assert list(unused_memories([msgspec.structs.replace(unused, arm=Arm.PLACEBO)], plan)) == []
    told = "But nothing that the memory notes stored was put into a prompt of hold'em"
    assert list(unused_memories([unused, unused], plan)) == [f"{told}, so this run says nothing about it there."]
    (both,) = unused_memories([unused, msgspec.structs.replace(unused, system="graph")], plan)
    assert both.startswith("But nothing that the memories notes and graph stored was put into a prompt of hold'em, ")
