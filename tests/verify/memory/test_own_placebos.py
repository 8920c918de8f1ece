"""The placebos that are made of a career's own entries: as many of them, from the draws and the journal alone."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Hit, Hits, Message, Question, Reply, Settled, Stored
from agzamov_verify.core.script import Divergence, Exchanges
from agzamov_verify.experiment.matches import Match
from agzamov_verify.memory.career_memory import CareerMemory, SearchLimits, within
from agzamov_verify.memory.placebo import PlaceboRule, RandomOfOwn, Shuffle, told_bytes
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.systems import MemorySystem
from agzamov_verify.table import scripted_players
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, PROFILE, read_page
from verify.memory.tool_call_worlds import Exchange, SearchedMemory, replay_of
from verify.scripted import told

DICE = Dice(b"own placebos")
ENTRIES = ("Folded to a 3-bet: 4 of 5\nCalled  a river bet: 1 of 2", "Castled early: 3 of 3", "Traded queens: 0 of 2")
HITS = tuple(Hit(text, f"e{number:05d}") for number, text in enumerate(ENTRIES, 1))
OWN = (PlaceboRule.SHUFFLE, PlaceboRule.RANDOM_OF_OWN)


def shape(text: str) -> str:
    """A text without its words."""
    return re.sub(r"\S+", "x", text)


def shuffle() -> Shuffle:
    return Shuffle(DICE.stream("shuffle"))


def random_of(stored: list[str], bytes_max: int) -> RandomOfOwn:
    placebo = RandomOfOwn(bytes_max, DICE.stream("random"))
    for text in stored:
        placebo.stored(text)
    return placebo


# --- shuffle -------------------------------------------------------------------------------------


def test_a_shuffle_tells_the_words_found_in_another_order_and_nothing_else() -> None:
    texts = shuffle().instead_of(HITS)
    assert texts != list(ENTRIES)
    assert sorted(" ".join(texts).split()) == sorted(" ".join(ENTRIES).split())
    assert [len(text.split()) for text in texts] == [len(text.split()) for text in ENTRIES]
    assert [shape(text) for text in texts] == [shape(text) for text in ENTRIES]
    assert len("\n".join(texts).encode()) == len("\n".join(ENTRIES).encode())


def test_a_shuffle_is_drawn_anew_at_each_search_and_alike_in_each_replay() -> None:
    first, again = shuffle(), shuffle()
    told_twice = [first.instead_of(HITS), first.instead_of(HITS)]
    assert told_twice[0] != told_twice[1]
    assert told_twice == [again.instead_of(HITS), again.instead_of(HITS)]


@given(st.lists(st.text(), max_size=9))
def test_a_shuffle_of_any_texts_is_as_many_and_as_long(texts: list[str]) -> None:
    found = shuffle().instead_of([Hit(text, "e") for text in texts])
    assert len(found) == len(texts)
    assert sum(map(len, found)) == sum(map(len, texts))


# --- random_of_own -------------------------------------------------------------------------------


def test_random_entries_are_drawn_from_all_that_were_stored() -> None:
    stored = [f"entry {number}" for number in range(40)]
    placebo, seen = random_of(stored, 1000), set[str]()
    for _ in range(40):
        texts = placebo.instead_of(HITS)
        assert len(set(texts)) == len(HITS)
        seen |= set(texts)
    assert seen <= set(stored)
    assert len(seen) > len(stored) // 2, "not those that were found alone"


@given(st.lists(st.text("xé", min_size=1, max_size=20), min_size=1, max_size=20), st.integers(1, 9), st.data())
def test_as_many_random_entries_are_told_as_were_found_and_no_more_bytes_than_allowed(
    stored: list[str], hits_max: int, data: st.DataObject
) -> None:
    """However tight the limit: the entries found fit, so as many others of no more bytes can be found."""
    limits = SearchLimits(hits_max, data.draw(st.integers(1, 200)))
    fitting = within(data.draw(st.permutations(stored)), limits)
    texts = random_of(stored, limits.bytes_max).instead_of([Hit(text, "e") for text in fitting])
    assert len(texts) == len(fitting)
    assert sum(map(told_bytes, texts)) <= limits.bytes_max
    assert all(texts.count(text) <= stored.count(text) for text in texts)


def test_what_the_memory_refused_is_never_told() -> None:
    memory = CareerMemory(SearchLimits(3, 100), RandomOfOwn(100, DICE.stream("random")))
    told(memory.observe("g0", "taken"), [Stored(), Settled(1)])
    told(memory.observe("g1", "refused"), [Stored("too like another"), Settled(1)])
    recalled = told(memory.recall("g2", 0, "x"), [Hits((Hit("taken", "e00001"), Hit("refused", "e00002")))])[0]
    assert recalled == "taken"


# --- in a match ----------------------------------------------------------------------------------

SIZES: dict[str, dict[str, int]] = {"chess960": {"games": 4, "block_games": 4}, "holdem": {"hands": 40}}


def plan_of(game: str, rule: PlaceboRule) -> Plan:
    match = {"phase": 2, "game": game, "a": "agent", "b": "foe", "careers": 1, **SIZES[game]}
    arms = ({}, *({"arm": arm, "system": "notes"} for arm in ("placebo", "real")))
    plan = {
        "title": "Arms",
        "seats": {"agent": {"kind": "random"}, "foe": {"kind": "random"}},
        "chess960": {"plies_max": 12, "adjudication": {"policy": "none"}},
        "holdem": {"session_hands": 10},
        "systems": {"notes": {"kind": "memory", "server": "recent", "hits_max": 2, "placebo": rule.value}},
        "matches": [{**match, "condition": {"augmentation": "memory", **arm}} for arm in arms],
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


def prompts(exchanges: list[Exchange]) -> Iterator[tuple[bytes, str]]:
    """Of each question to a seat all bytes but the remembered text, and that text."""
    for question, _ in exchanges:
        if isinstance(question, Chat):
            remembered = read_page(question.messages).profile
            whole = msgspec.json.encode(question.messages).decode()
            told = msgspec.json.encode(PROFILE + remembered).decode()[1:-1] if remembered else ""
            yield whole.replace(told, "", 1).encode(), remembered


@pytest.mark.parametrize("rule", PlaceboRule)
@pytest.mark.parametrize("game", SIZES)
def test_prompts_of_the_three_conditions_differ_in_the_remembered_text_alone(game: str, rule: PlaceboRule) -> None:
    plan = plan_of(game, rule)
    arms = [played(plan, match) for match in plan.matches]
    naked, placebo, real = (list(prompts(exchanges)) for exchanges in arms)
    assert len(naked) == len(placebo) == len(real) > 0
    assert [rest for rest, _ in naked] == [rest for rest, _ in placebo] == [rest for rest, _ in real]
    assert {text for _, text in naked} == {"", NOTHING_REMEMBERED}
    told = zip((text for _, text in naked), (text for _, text in placebo), (text for _, text in real), strict=True)
    both = [(text, other) for nothing, text, other in told if (text, other) != (nothing, nothing)]
    assert both
    assert NOTHING_REMEMBERED not in {text for pair in both for text in pair}, "as many are told in both arms"
    assert any(text != other for text, other in both)
    if rule is PlaceboRule.SHUFFLE:
        assert [len(text) for text, _ in both] == [len(other) for _, other in both]


@pytest.mark.parametrize("rule", PlaceboRule)
def test_the_draws_of_a_placebo_change_nothing_else(rule: PlaceboRule) -> None:
    """Starts, decks, sampling seeds and the questions to the memory are those of a plan with the donor."""
    donor, own = (plan_of("holdem", one) for one in (PlaceboRule.DONOR, rule))
    for one, other in zip(played(donor, donor.matches[1]), played(own, own.matches[1]), strict=True):
        if isinstance(one[0], Chat) and isinstance(other[0], Chat):
            assert (one[0].seed, one[0].turn, one[1]) == (other[0].seed, other[0].turn, other[1])
        else:
            assert one == other


@pytest.mark.parametrize("rule", OWN)
def test_a_prompt_with_other_remembered_text_is_found_at_its_entry(rule: PlaceboRule) -> None:
    plan = plan_of("holdem", rule)
    match = plan.matches[1]
    (stream,) = streams_of(match)
    exchanges = played(plan, match)
    replay_of(exchanges, stream, block_script(stream, plan, DICE))
    at, chat = next(
        (number, question)
        for number, (question, _) in enumerate(exchanges)
        if isinstance(question, Chat) and len(read_page(question.messages).profile) > 1
    )
    profile = read_page(chat.messages).profile
    turned = tuple(
        msgspec.structs.replace(one, content=one.content.replace(profile, profile[1:] + profile[0]))
        for one in chat.messages
    )
    exchanges[at] = msgspec.structs.replace(chat, messages=turned), exchanges[at][1]
    with pytest.raises(Divergence):
        replay_of(exchanges, stream, block_script(stream, plan, DICE))


@pytest.mark.parametrize("rule", PlaceboRule)
def test_any_placebo_but_the_donors_departs_from_the_protocol_and_is_named(rule: PlaceboRule) -> None:
    system: Any = msgspec.convert({"kind": "memory", "placebo": rule.value}, MemorySystem)
    lines = list(system.departures("notes"))
    assert [line.startswith(f"system notes has the placebo {rule.value}, ") for line in lines] == [True] * (rule in OWN)
    assert (f"placebo {rule.value}" in system.words([])) == (rule in OWN)
