"""What a memory did in a game; and the prompts of the three arms, which differ in the remembered text alone."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import (
    Answer,
    Chat,
    EndGame,
    Export,
    Exported,
    Hit,
    Hits,
    Message,
    Question,
    Reply,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.core.script import Exchanges
from agzamov_verify.experiment.matches import Match
from agzamov_verify.memory.career_memory import PROBES
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, donor_of, streams_of
from agzamov_verify.show.replayed_game import PlayedGame, transcript
from agzamov_verify.show.xray import SeatMemory, seats_with_memory, xray, xray_document, xray_lines
from agzamov_verify.table import scripted_players
from agzamov_verify.table.prompt_lines import FORM, NOTHING_REMEMBERED, PROFILE, forgotten
from agzamov_verify.table.registry import GAMES

FOLDS = "Folded to a 3-bet on the button: 90 of 90"
HANDS = 20
SIZES = {"holdem": {"hands": HANDS}, "chess960": {"games": 6}}
PATTERNS = {"holdem": "folds_button_to_3bet", "chess960": "never_retreats"}
BEFORE_A_NOTE = {"holdem": HANDS // 4, "chess960": 1}
"""Of the games that seat A begins: hands of the first of two sessions, the first game of six."""


def match(arm: str, game: str) -> dict[str, Any]:
    condition = {"augmentation": "memory", "arm": arm, **({} if arm == "naked" else {"system": "notes"})}
    return {
        "phase": 2,
        "game": game,
        "a": "agent",
        "b": "foe",
        "careers": 1,
        "condition": condition,
        **SIZES[game],
    }


def plan_of(kind: str, game: str = "holdem") -> Plan:
    return msgspec.convert(
        {
            "title": "Arms",
            "seats": {"agent": {"kind": kind}, "foe": {"kind": kind, "patterns": [PATTERNS[game]]}},
            "chess960": {"plies_max": 20, "adjudication": {"policy": "none"}},
            "holdem": {"session_hands": 10},
            "systems": {"notes": {"kind": "memory", "server": "recent", "hits_max": 2}},
            "matches": [match(arm, game) for arm in ("naked", "placebo", "real")],
        },
        Plan,
    )


class World:
    """Scripted players of one kind, and a memory that gives the same note to every search once it was told anything."""

    def __init__(self, kind: str) -> None:
        self.kind, self.stored = kind, 0

    def __call__(self, question: Question) -> Answer:
        match question:
            case Chat():
                return Reply(text=scripted_players.scripted_reply(self.kind, question.messages, question.seed))
            case Search():
                return Hits((Hit(FOLDS, "e00001"),) if self.stored else ())
            case Store():
                self.stored += 1
                return Stored()
            case EndGame():
                return Settled(self.stored)
            case Export():
                return Exported((), more=False)
            case _:
                raise AssertionError(question)


def exchanges_of(plan: Plan, played: Match, kind: str) -> list[tuple[Question, Answer]]:
    (stream,) = streams_of(played)
    return list(Exchanges(block_script(stream, plan, Dice(b"x" * 32)), World(kind)))


def game_of(plan: Plan, played: Match, kind: str, number: int) -> PlayedGame:
    (stream,) = streams_of(played)
    story = Exchanges(block_script(stream, plan, Dice(b"x" * 32)), World(kind))
    name = GAMES["holdem"].id_of(played, number)
    asked = tuple(exchange for exchange in story if exchange[0].game == name)
    return PlayedGame(played, number, story.value.records[number], asked)


def first_prompts(exchanges: list[tuple[Question, Answer]]) -> Iterator[tuple[Message, ...]]:
    """What seat A is asked at the beginning of each hand that it begins: the cards are the same in every arm."""
    for question, _ in exchanges:
        if isinstance(question, Chat) and (question.to, question.turn) == ("agent", 0):
            yield question.messages


@pytest.mark.parametrize("game", SIZES)
def test_prompts_of_the_three_arms_differ_in_the_remembered_text_alone(game: str) -> None:
    plan = plan_of("random", game)
    naked, placebo, real = (list(first_prompts(exchanges_of(plan, one, "random"))) for one in plan.matches)
    (size,) = SIZES[game].values()
    donor = donor_of(next(streams_of(plan.matches[1])), 0, plan, Dice(b"x" * 32))
    assert len(naked) == len(placebo) == len(real) == size // 2
    told = 0
    for without, fake, true in zip(naked, placebo, real, strict=True):
        (situation, nothing), (same, profile), (too, other) = (
            one[1].content.partition(FORM)[0].split(PROFILE) for one in (without, true, fake)
        )
        assert nothing == NOTHING_REMEMBERED
        assert without[0] == fake[0] == true[0]
        assert situation == same == too
        assert profile in (NOTHING_REMEMBERED, FOLDS)
        assert (profile == NOTHING_REMEMBERED) == (other == NOTHING_REMEMBERED)
        assert other == NOTHING_REMEMBERED or donor.notes_in(other) == [other]
        told += profile != NOTHING_REMEMBERED
    assert told == size // 2 - BEFORE_A_NOTE[game]


def test_what_is_forgotten_leaves_the_prompt_as_it_was_without_a_memory() -> None:
    plan = plan_of("random")
    naked, _, real = (list(first_prompts(exchanges_of(plan, one, "random"))) for one in plan.matches)
    assert [forgotten(messages, NOTHING_REMEMBERED) for messages in real] == naked


@pytest.fixture(scope="module")
def played() -> PlayedGame:
    plan = plan_of("reference")
    games = (game_of(plan, plan.matches[2], "reference", number) for number in range(10, HANDS))
    return next(game for game in games if any(one.changes for one in decisions_of(plan, game)))


def decisions_of(plan: Plan, game: PlayedGame) -> list[Any]:
    return list(xray(game, memory_of(plan, game)))


def memory_of(plan: Plan, game: PlayedGame) -> SeatMemory:
    (of,) = seats_with_memory(plan, game.match)
    return of


def test_an_xray_says_what_was_remembered_and_what_is_done_without_it(played: PlayedGame) -> None:
    decisions = decisions_of(plan_of("reference"), played)
    assert all([recalled.entry for recalled in one.recalled] == ["e00001"] for one in decisions)
    changed = next(one for one in decisions if one.changes)
    assert changed.without != changed.action
    lines = list(xray_lines(played, memory_of(plan_of("reference"), played), decisions))
    assert f"; without it {changed.without}" in "\n".join(lines)
    assert lines[-1].endswith("decisions are others without what was remembered")
    document = xray_document(played, memory_of(plan_of("reference"), played), decisions)
    assert document["format"] == "agz-xray-1"


def test_a_model_is_not_asked_again(played: PlayedGame) -> None:
    model = msgspec.convert(
        {**msgspec.to_builtins(plan_of("reference")), "seats": {"agent": MODEL, "foe": MODEL}}, Plan, strict=False
    )
    assert {one.without for one in decisions_of(model, played)} == {None}


MODEL = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}


def test_before_the_first_game_nothing_is_remembered() -> None:
    plan = plan_of("reference")
    game = game_of(plan, plan.matches[2], "reference", 0)
    assert all(not one.recalled and one.without is None for one in decisions_of(plan, game))
    lines = list(transcript(game))
    assert sum("is searched for" in line for line in lines) >= len(PROBES)


def test_in_the_placebo_arm_the_words_are_not_those_of_the_entries() -> None:
    plan = plan_of("reference")
    game = game_of(plan, plan.matches[1], "reference", 10)
    decisions = decisions_of(plan, game)
    assert all(recalled.content == "" for one in decisions for recalled in one.recalled)
    assert "the placebo's text stood in the place" in list(xray_lines(game, memory_of(plan, game), decisions))[1]
