"""Planted questions: bare, equal byte for byte wherever they are asked, few, and without any effect on the game."""

import binascii
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Message, NoReply, Planted, Question, Reply
from agzamov_verify.core.script import Exchanges
from agzamov_verify.plan import planted_spots, streams
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.planted_spots import SpotSeat
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.table.decision import FIRST_ATTEMPT, ActionReader
from agzamov_verify.table.game import Block
from agzamov_verify.table.planted import Role, Spot, bare, is_compared, reduced
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, PROFILE, without_form
from agzamov_verify.table.scripted_players import random_answer

DICE: Final = Dice(bytes(range(32)))
NORM: Final = load_protocol("agz-0.1").planted
ENDPOINT: Final = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}


def plan(**more: Any) -> Plan:
    phase_2 = {"phase": 2, "a": "model", "b": "foe", "careers": 2}
    arms: list[dict[str, str]] = [{}, {"arm": "real", "system": "notes"}]
    return msgspec.convert(
        {
            "title": "Planted",
            "seats": {
                "model": ENDPOINT,
                "foe": {**ENDPOINT, "patterns": ["folds_button_to_3bet"]},
                "random": {"kind": "random"},
            },
            "chess960": {"adjudication": {"policy": "none"}, "plies_max": 40},
            "systems": {"notes": {"kind": "memory", "server": "recent"}},
            "matches": [
                {"phase": 0, "game": "holdem", "a": "model", "b": "random", "hands": 200},
                {"phase": 1, "game": "holdem", "a": "model", "b": "model", "hands": 400},
                {"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 8},
                *(
                    {**phase_2, "game": "holdem", "hands": 400, "condition": {"augmentation": "memory", **arm}}
                    for arm in arms
                ),
            ],
            **more,
        },
        Plan,
    )


Told = list[tuple[Question, Answer]]


def played(
    planned: Plan, number: int, answer: Callable[[Question], Answer] = random_answer
) -> tuple[Told, list[Block]]:
    """All questions and answers of a match, and its blocks."""
    told: Told = []
    blocks = []
    for stream in streams_of(planned.matches[number]):
        story = Exchanges(block_script(stream, planned, DICE), random_answer)
        told += list(story)
        blocks.append(story.value)
    return told, blocks


def asked(told: Told) -> list[Planted]:
    return [question for question, _ in told if isinstance(question, Planted)]


def common_prompts(planned: Plan, number: int) -> set[tuple[tuple[Message, ...], int]]:
    """The prompts that were asked and that are no decision's of the match, with their seeds."""
    told, _ = played(planned, number)
    decisions = {bare(one.messages)[-1].content for one, _ in told if isinstance(one, Chat) and not _is_planted(one)}
    planted = [(one.messages, one.seed) for one in asked(told) if one.to == "model"]
    return {one for one in planted if bare(one[0])[-1].content not in decisions}


def _is_planted(question: Question) -> bool:
    return isinstance(question, Planted)


@pytest.mark.parametrize("number", range(5))
def test_a_game_is_the_same_without_them(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    told, blocks = played(plan(), number)
    assert asked(told)
    monkeypatch.setattr(streams, "planted_questions", lambda *_: None)
    without, plain = played(plan(), number)
    assert [one for one in told if not _is_planted(one[0])] == without
    assert [(block.records, block.tallies) for block in blocks] == [(block.records, block.tallies) for block in plain]
    assert not any(block.planted for block in plain)


def test_a_scripted_seat_is_asked_none() -> None:
    told, blocks = played(plan(), 0)
    assert {question.to for question in asked(told)} == {"model"}
    assert all(set(block.planted) == {0} for block in blocks)


def test_common_spots_are_the_same_bytes_in_every_phase_and_arm() -> None:
    by_match = [common_prompts(plan(), number) for number in (0, 1, 3, 4)]
    assert sum(map(len, by_match)) > len(set.union(*by_match))
    assert len(set.union(*by_match)) <= NORM.spots


def test_no_prompt_holds_more_than_a_naked_one() -> None:
    told, _ = played(plan(), 4)
    prompts = [without_form(question.messages[-1].content)[0] for question in asked(told)]
    assert {prompt.partition(PROFILE)[2] for prompt in prompts} == {"", NOTHING_REMEMBERED}
    assert not any(question.with_tools for question in asked(told))


@pytest.mark.parametrize("number", [0, 1, 3, 4])
def test_a_prompt_without_memories_is_framed_alike_in_every_phase_and_when_planted(number: int) -> None:
    """Where Phase 1 had no frame, a server could play worse at framed prompts and keep an honest baseline."""
    told, _ = played(plan(), number)
    own = [one for one, _ in told if isinstance(one, Chat) and one.to == "model"]
    profiles = [(_is_planted(one), without_form(one.messages[-1].content)[0].partition(PROFILE)[2]) for one in own]
    assert {profile for is_planted, profile in profiles if is_planted} == {NOTHING_REMEMBERED}
    assert all(profile for _, profile in profiles)
    if number < 4:
        assert {profile for _, profile in profiles} == {NOTHING_REMEMBERED}


def test_a_game_in_which_a_seat_has_no_memory_and_the_bare_prompt_have_no_frame() -> None:
    for planned, number in ((plan(), 2), (plan(naked_prompt="bare"), 1)):
        told, _ = played(planned, number)
        assert not any(PROFILE in one.messages[-1].content for one, _ in told if isinstance(one, Chat))


def test_common_spots_have_what_is_a_seats_own_in_every_match() -> None:
    """A system message without the seat's habit told them from its decisions."""
    told, _ = played(plan(), 4)
    systems = {
        is_planted: {one.messages[0].content for one, _ in told if one.to == "foe" and _is_planted(one) is is_planted}
        for is_planted in (True, False)
    }
    assert systems[True] == systems[False]


def test_copies_have_one_seed() -> None:
    told, _ = played(plan(), 1)
    seeds: dict[tuple[Message, ...], set[int]] = {}
    for question in asked(told):
        seeds.setdefault(question.messages, set()).add(question.seed)
    assert max(map(len, seeds.values())) == 1


def test_the_second_copy_is_as_far_from_the_first_as_that_from_the_decision() -> None:
    """Of two close copies a cache makes equal ones, and the decision before them would look unlike both."""
    planned = plan()
    gaps: dict[bool, list[int]] = {True: [], False: []}
    for match in (0, 3):
        for stream in streams_of(planned.matches[match]):
            decisions, at = 0, dict[tuple[str, int], list[int]]()
            for question, _ in Exchanges(block_script(stream, planned, DICE), random_answer):
                if isinstance(question, Chat) and question.to == "model":
                    prompt = question.messages[-1].content, question.seed
                    if prompt in at or not _is_planted(question):
                        at.setdefault(prompt, []).append(decisions)
                    decisions += not _is_planted(question) and question.attempt == FIRST_ATTEMPT
            for counted, first, second in (places for places in at.values() if len(places) == 3):
                if second < decisions:
                    gaps[True].append(first - counted)
                    gaps[False].append(second - first)
    assert len(gaps[True]) >= 5
    assert max(gaps[False]) > 10
    assert all(0 < gap <= NORM.again_within + 1 for own in gaps.values() for gap in own)


def test_a_decision_is_asked_again_twice_and_later() -> None:
    told, blocks = played(plan(), 4)
    at = {(question.game, question.turn, question.to): place for place, (question, _) in enumerate(told)}
    assert at
    for block in blocks:
        for planted in block.planted.values():
            by_decision = Counter(reply.decision for reply in planted.replies if reply.role is Role.AGAIN)
            counted = {reply.decision for reply in planted.replies if reply.role is Role.COUNTED}
            assert set(by_decision.values()) == {2}
            assert set(by_decision) <= counted


def test_what_is_counted_with_a_memory_is_not_bare() -> None:
    _, blocks = played(plan(), 4)
    replies = [reply for block in blocks for reply in block.planted[0].replies if reply.role is Role.COUNTED]
    assert not all(reply.is_bare for reply in replies if reply.decision >= 0)
    _, blocks = played(plan(), 3)
    replies = [reply for block in blocks for reply in block.planted[0].replies if reply.role is Role.COUNTED]
    assert all(reply.is_bare for reply in replies)


def test_they_are_one_to_two_per_cent_of_decisions_and_a_few_in_any_match() -> None:
    share = NORM.common_permille * (1 + Fraction(NORM.twice_percent, 100)) + 2 * NORM.again_permille
    assert 10 <= share <= 20
    small = msgspec.structs.replace(plan().matches[2], games=2)
    planned = msgspec.structs.replace(plan(), matches=(small,))
    _, (block,) = played(planned, 0)
    for planted in block.planted.values():
        roles = Counter((reply.role, reply.copy) for reply in planted.replies)
        assert roles[Role.COMMON, 0] >= NORM.common_min
        assert roles[Role.AGAIN, 0] >= NORM.again_min


def test_the_shortest_streams_have_the_common_spots_of_the_quota() -> None:
    """Moments that were drawn beyond the last decision are made up for."""
    match = msgspec.structs.replace(plan().matches[1], hands=2)
    planned = msgspec.structs.replace(plan(), matches=(match,))
    for seed in range(20):
        told = list(
            Exchanges(block_script(next(iter(streams_of(match))), planned, Dice(bytes([seed]) * 32)), random_answer)
        )
        spots = Counter(question.messages for question in asked(told))
        assert sum(spots.values()) >= 2 * NORM.common_min


def test_which_natural_prompts_are_noted_follows_from_the_seed() -> None:
    question = next(one for one, _ in played(plan(), 1)[0] if isinstance(one, Chat))
    noted = [is_compared(question, key) for key in range(400)]
    assert 5 <= sum(noted) <= 60, "one in 16"


def test_streams_depend_on_nothing_but_their_own_answers() -> None:
    planned = plan()
    forward = [
        list(Exchanges(block_script(one, planned, DICE), random_answer)) for one in streams_of(planned.matches[1])
    ]
    for stream, before in reversed(list(zip(streams_of(planned.matches[1]), forward, strict=True))):
        assert list(Exchanges(block_script(stream, planned, DICE), random_answer)) == before


def test_their_calls_stand_in_a_tally_of_their_own() -> None:
    told, blocks = played(plan(), 1)
    calls = sum(planted.tally.calls for block in blocks for planted in block.planted.values())
    assert calls == len(asked(told))
    assert sum(tally.decisions for block in blocks for tally in block.tallies) == sum(
        isinstance(question, Chat) and not _is_planted(question) for question, _ in told
    )


def common_spots(game: str, rules: Any, key: str) -> list[Spot]:
    """All common spots of a game for a seat of this key."""
    own = SpotSeat(key, (), "", "", 1024)
    return [planted_spots.common_spot(game, rules, NORM.spots, own, DICE, index) for index in range(NORM.spots)]


def test_spots_are_easy_and_hard_early_and_late() -> None:
    for game, said in (("chess960", "Moves so far: none"), ("holdem", "Board: []")):
        rules = plan().rules_of(game)
        spots = common_spots(game, rules, "model")
        texts = [spot.messages[-1].content for spot in spots]
        assert len(set(texts)) == NORM.spots
        assert 0 <= sum(said in text for text in texts) < NORM.spots
        other = common_spots(game, rules, "other")
        assert not {spot.seed for spot in spots} & {spot.seed for spot in other}


READER: Final = ActionReader(lambda _: None, lambda _: None, "", "MOVE:", str.lower)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Reply(text="so\nMOVE: E2E4"), "e2e4"),
        (Reply(text="**MOVE: e2e4**"), "e2e4"),
        (Reply(text="nothing"), "no_action"),
        (Reply(text="MOVE: e2", finish="length"), "cut"),
        (NoReply(reason="refused"), "no_reply"),
    ],
)
def test_a_reply_is_reduced_to_its_action_or_its_fault(answer: Reply | NoReply, expected: str) -> None:
    assert reduced(answer, READER) == expected


def test_a_game_without_a_tag_compares_whole_replies() -> None:
    reader = msgspec.structs.replace(READER, tag="")
    assert reduced(Reply(text=" yes "), reader) == "yes"
    assert reduced(NoReply(reason="refused"), reader) == "no_reply"


def test_one_in_sixteen_bare_prompts_is_noted_by_a_checksum_with_the_key_of_the_run() -> None:
    prompts = [Chat(1, "g", (Message(f"prompt {number}", "user"),), 0, "seat", 0) for number in range(2_000)]
    for key in (1, 2**32 - 1):
        by_crc = [
            binascii.crc32(f"prompt {number}".encode() + key.to_bytes(4, "big")) % 16 == 0 for number in range(2_000)
        ]
        assert [is_compared(prompt, key) for prompt in prompts] == by_crc
        assert 75 < sum(by_crc) < 175  # 125 are expected, with a standard deviation of 11
