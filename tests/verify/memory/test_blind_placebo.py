"""The placebo is blind: what nobody has learned from looks alike in all arms, and later only what is said differs."""

from collections.abc import Sequence
from functools import cache
from math import sqrt
from typing import NamedTuple

import msgspec
import pytest

from agzamov_verify.core.dice import Dice, Stream
from agzamov_verify.core.questions import Answer, Chat, Hit, Message, Question, Reply
from agzamov_verify.core.script import Exchanges
from agzamov_verify.experiment.matches import NakedPrompt
from agzamov_verify.games.chess.game_script import ChessRules
from agzamov_verify.games.chess.patterns import NO_HABITS, chess_habits
from agzamov_verify.games.holdem.habit_words import poker_habits
from agzamov_verify.games.holdem.hand_script import PokerRules
from agzamov_verify.games.holdem.reference_player import STRANGER
from agzamov_verify.memory.placebo import Donor
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.scoring.departures import departures
from agzamov_verify.table import scripted_players
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, read_page
from agzamov_verify.table.registry import GAMES
from verify.memory.arm_classifier import Accuracy, ArmClassifier, accuracy
from verify.memory.tool_call_worlds import SearchedMemory

CONTESTS, PROMPTS_EACH, TOLD_MAX = 10, 4, 10
FEW, MANY = (12, 6), (30, 15)
"""Careers of each arm to learn from and others: 432 prompts and 216, at full size 1,080 and 540."""
CAREERS = pytest.mark.parametrize(
    "careers",
    [pytest.param(FEW, marks=pytest.mark.slow), pytest.param(MANY, marks=pytest.mark.exhaustive)],
    ids=["few careers", "many careers"],
)
CONTEST_RESULTS = {"chess960": 1, "holdem": 100}


class Arms(NamedTuple):
    """Profiles of the two arms of some runs, by career."""

    placebo: list[list[str]]
    real: list[list[str]]

    def judged(self, training: int) -> Accuracy:
        """The accuracy on the last careers of a classifier that has learned from the first."""
        arms = (self.placebo, self.real)
        learned = ([prompt for career in arm[:training] for prompt in career] for arm in arms)
        return accuracy(ArmClassifier(*learned), *(arm[training:] for arm in arms))


def stranger_notes(game: str, dice: Dice, count: int = CONTESTS) -> list[str]:
    """What a seat saw of a stranger."""
    results = CONTEST_RESULTS[game]
    match = GAMES[game].self_play("a", CONTESTS * results)
    stream = StreamPlan("s", match, 0, CONTESTS * results)
    return [GAMES[game].donor_note(stream, GAMES[game].rules(), number, 0, dice) for number in range(count)]


def placebo_of(game: str, dice: Dice) -> Donor:
    """The placebo of a career, as `plan.streams` makes it."""
    results = CONTEST_RESULTS[game]
    stream = StreamPlan("s", GAMES[game].self_play("a", CONTESTS * results), 0, CONTESTS * results)
    return Donor(lambda number: GAMES[game].donor_note(stream, GAMES[game].rules(), number, 0, dice), 2)


def profiles(entries: Sequence[str], placebo: Donor, draws: Stream) -> tuple[list[str], list[str]]:
    """The profiles of a career in both arms: after each contest some searches, which find some of the entries."""
    fake, true = list[str](), list[str]()
    for contest in range(1, len(entries)):
        placebo.stored(entries[contest - 1], f"e{contest:05d}", contest)
        hits = [Hit(text, f"e{number:05d}") for number, text in enumerate(entries[:contest], 1)]
        for _ in range(PROMPTS_EACH):
            found = draws.deal(hits, min(len(hits), 1 + draws.below(TOLD_MAX)))
            true.append("\n".join(hit.content for hit in found))
            fake.append("\n".join(placebo.instead_of(found)))
    return fake, true


def arms_of(game: str, opponents: Sequence[Sequence[str]]) -> Arms:
    """Both arms of careers against opponents of which these entries were stored."""
    arms = Arms([], [])
    for career, entries in enumerate(opponents):
        own = Dice(f"run {career}".encode())
        fake, true = profiles(entries, placebo_of(game, own.under("donor")), own.stream("searches"))
        arms.placebo.append(fake)
        arms.real.append(true)
    return arms


@cache
def against_strangers(game: str, careers: int) -> Arms:
    dice = [Dice(f"stranger {career}".encode()) for career in range(careers)]
    return arms_of(game, [stranger_notes(game, one) for one in dice])


@CAREERS
@pytest.mark.parametrize("game", CONTEST_RESULTS)
def test_notes_of_a_stranger_are_told_from_those_of_the_opponent_at_chance(game: str, careers: tuple[int, int]) -> None:
    """Against an opponent without habits nothing that a memory says is relevant, so nothing tells the arms apart."""
    judged = against_strangers(game, sum(careers)).judged(careers[0])
    assert judged.is_chance, judged
    assert abs(judged.share - 0.5) < 0.07 * sqrt(MANY[1] / careers[1]), "as many errors of few careers as of many"


OF_ANOTHER_PLAN = {
    "chess960": ChessRules(plies_max=60, adjudication=Adjudication(AdjudicationPolicy.NONE)),
    "holdem": PokerRules(session_hands=90),
}
"""By such rules the notes were made that were a public file until 0.3.0."""


@CAREERS
@pytest.mark.parametrize("game", CONTEST_RESULTS)
def test_notes_by_the_rules_of_another_plan_are_told_from_real_ones(game: str, careers: tuple[int, int]) -> None:
    """The classifier finds what there is: "drew by ply limit after 60 plies", "Limped on the button: 0 of 45"."""
    real = against_strangers(game, sum(careers)).real
    rules = OF_ANOTHER_PLAN[game]
    match = GAMES[game].self_play("a", CONTESTS * CONTEST_RESULTS[game])
    stream = StreamPlan("s", match, 0, CONTESTS * CONTEST_RESULTS[game])
    table = [GAMES[game].donor_note(stream, rules, number, 0, Dice(b"a public table")) for number in range(60)]
    fake = list[list[str]]()
    for career in range(sum(careers)):
        draws = Dice(f"order {career}".encode()).stream("order")
        fake.append(["\n".join(draws.deal(table, 1 + draws.below(TOLD_MAX))) for _ in range(4 * CONTESTS)])
    judged = Arms(fake, real).judged(careers[0])
    assert judged.share > 0.95, judged


# --- before anything is learned ------------------------------------------------------------------

SIZES: dict[str, dict[str, int]] = {"chess960": {"games": 4, "block_games": 4}, "holdem": {"hands": 40}}
FIRST_CONTEST = {"chess960": "-g00000", "holdem": "-h000000"}


def plan_of(game: str, **settings: object) -> Plan:
    match = {"phase": 2, "game": game, "a": "agent", "b": "foe", "careers": 1, **SIZES[game]}
    arms = ({}, *({"arm": arm, "system": "notes"} for arm in ("placebo", "real")))
    notes = {"kind": "memory", "server": "recent", "hits_max": 2}
    plan = {
        "title": "Arms",
        "seats": {"agent": {"kind": "random"}, "foe": {"kind": "random"}},
        "chess960": {"plies_max": 12, "adjudication": {"policy": "none"}},
        "holdem": {"session_hands": 10},
        "systems": {"notes": notes},
        "matches": [{**match, "condition": {"augmentation": "memory", **arm}} for arm in arms],
    }
    return msgspec.convert({**plan, **settings}, Plan)


class Players(SearchedMemory):
    """Random players, who go by the situation alone."""

    def __call__(self, question: Question) -> Answer:
        if not isinstance(question, Chat):
            return super().__call__(question)
        situation = Message(read_page(question.messages).situation, "user")
        return Reply(text=scripted_players.scripted_reply("random", (Message("", "system"), situation), 7))


def chats(plan: Plan, arm: int) -> list[Chat]:
    (stream,) = streams_of(plan.matches[arm])
    exchanges = Exchanges(block_script(stream, plan, Dice(b"first contest")), Players())
    return [question for question, _ in exchanges if isinstance(question, Chat)]


def of_first_contest(game: str, questions: Sequence[Chat]) -> list[tuple[Message, ...]]:
    """The prompts of the first game, or of the first session of ten hands."""
    return [one.messages for one in questions if FIRST_CONTEST[game] in one.game]


@pytest.mark.parametrize("naked_prompt", NakedPrompt)
@pytest.mark.parametrize("game", SIZES)
def test_in_the_first_contest_all_arms_have_the_same_prompts_to_the_byte(game: str, naked_prompt: NakedPrompt) -> None:
    plan = plan_of(game, naked_prompt=naked_prompt.value)
    naked, placebo, real = (of_first_contest(game, chats(plan, arm)) for arm in range(3))
    assert naked == placebo == real
    told = {read_page(messages).profile for messages in naked}
    assert told == {"", NOTHING_REMEMBERED if naked_prompt is NakedPrompt.FRAMED else ""}, "the opponent has no memory"


@pytest.mark.parametrize("game", SIZES)
def test_the_control_has_the_frame_of_the_memory_at_each_decision(game: str) -> None:
    profiles_told = {one.to: read_page(one.messages).profile for one in chats(plan_of(game), 0)}
    assert profiles_told == {"agent": NOTHING_REMEMBERED, "foe": ""}


def test_the_papers_naked_prompt_can_be_chosen_and_departs() -> None:
    bare = departures(plan_of("holdem", naked_prompt="bare"))
    assert any(line.startswith("naked prompts are bare, as in the paper") for line in bare)
    assert not any("naked prompts" in line for line in departures(plan_of("holdem")))


def test_where_models_search_for_themselves_nobody_has_the_frame() -> None:
    notes = {"kind": "memory", "server": "recent", "use": "model", "calls_max": 2}
    plan = plan_of("holdem", systems={"notes": notes})
    assert {read_page(one.messages).profile for one in chats(plan, 0)} == {""}


def test_players_read_nothing_out_of_the_sentence() -> None:
    assert poker_habits(NOTHING_REMEMBERED, STRANGER) == STRANGER
    assert chess_habits(NOTHING_REMEMBERED) == NO_HABITS
