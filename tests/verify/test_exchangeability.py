"""Equal prompts: who answers them otherwise in another phase, arm or half is named, an honest endpoint is not.

Endpoints play whole matches by the scripts of both games. A strong player is a novice here, a weak one plays at random.
"""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Final

import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, NoReply, Planted, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.exchangeability import Compared, PlantedAnalysis, exchangeability, planted_analysis
from agzamov_verify.scoring.inference import permutation
from agzamov_verify.scoring.inference.permutation import Group, permutation_p
from agzamov_verify.scoring.planted_replies import Noted, PlayedArm, is_more_often
from agzamov_verify.show.planted_words import exchangeability_words, planted_lines, planted_warnings
from agzamov_verify.table.game import Block
from agzamov_verify.table.planted import PlantedReply, Role
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, PROFILE
from agzamov_verify.table.scripted_players import random_answer, scripted_reply

DICE: Final = Dice(bytes(range(32)))
NORM: Final = load_protocol("agz-0.1").planted
SIZES: Final[dict[str, list[dict[str, int]]]] = {
    "holdem": [{"hands": 900, "block_hands": 100}, {"hands": 1000}, {"hands": 1000, "careers": 2}],
    "chess960": [{"games": 30}, {"games": 30}, {"games": 30, "careers": 3}],
}


@cache
def plan(game: str, base: str = "model") -> Plan:
    """A plan whose Phase 1 is played by the seat `base`, which is the same model."""
    endpoint = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}
    sanity, baseline, arm = SIZES[game]
    arms: list[dict[str, str]] = [{}, {"arm": "placebo", "system": "notes"}, {"arm": "real", "system": "notes"}]
    phase_2 = {"phase": 2, "game": game, "a": "model", "b": "foe", **arm}
    return msgspec.convert(
        {
            "title": "Equal prompts",
            "seats": {
                "model": endpoint,
                base: {**endpoint, "timeout_s": 60},
                "foe": {**endpoint, "patterns": ["folds_button_to_3bet"]},
                "random": {"kind": "random"},
            },
            "chess960": {"adjudication": {"policy": "none"}, "plies_max": 60},
            "systems": {"notes": {"kind": "memory", "server": "recent"}},
            "matches": [
                {"phase": 0, "game": game, "a": "model", "b": "random", **sanity},
                {"phase": 1, "game": game, "a": base, "b": base, **baseline},
                *({**phase_2, "condition": {"augmentation": "memory", **own}} for own in arms),
            ],
        },
        Plan,
    )


Player = Callable[[Match, Chat], str]
"""The kind of player that answers a question of a match."""


def remembers(question: Chat) -> bool:
    """Whether a memory's text stands in a prompt."""
    profile = question.messages[-1].content.partition(PROFILE)[2]
    return bool(profile) and NOTHING_REMEMBERED not in profile


def honest(_: Match, __: Chat) -> str:
    return "novice"


def random_without_memory_after_phase_1(match: Match, question: Chat) -> str:
    return "random" if match.phase == 2 and not remembers(question) else "novice"


def engine_in_phase_0_and_with_memory(match: Match, question: Chat) -> str:
    return "novice" if match.phase == 0 or remembers(question) else "random"


def random_where_it_counts(match: Match, question: Chat) -> str:
    return "random" if match.phase == 2 and not isinstance(question, Planted) else "novice"


def random_in_the_second_half(match: Match, question: Chat) -> str:
    result = int(question.game.rpartition("-")[2][1:]) % match.stream_results
    return "random" if match.phase == 2 and 2 * result >= match.stream_results else "novice"


def random_wherever_a_prompt_is_bare(_: Match, question: Chat) -> str:
    return "novice" if remembers(question) else "random"


@cache
def analysed(game: str, player: Player, base: str = "model") -> PlantedAnalysis:
    """The analysis of all matches with an endpoint; a seat of a script plays as it does."""
    blocks: dict[str, list[Block]] = {}
    planned = plan(game, base)
    for match in planned.matches:

        def answer(question: Question, match: Match = match) -> Answer:
            if not isinstance(question, Chat):
                return random_answer(question)
            kind = "random" if question.to == "random" else player(match, question)
            if kind == "refuses":
                return NoReply(reason="refused")
            return Reply(text=scripted_reply(kind, question.messages, question.seed))

        streams = streams_of(match)
        blocks[match.id] = [drive(block_script(stream, planned, DICE), answer) for stream in streams]
    return planted_analysis(planned, blocks, str.encode)


def told(analysis: PlantedAnalysis) -> set[Compared]:
    return {test.compared for test in analysis.tests if test.is_told}


@pytest.mark.slow
@pytest.mark.parametrize("game", SIZES)
def test_an_honest_endpoint_is_not_named(game: str) -> None:
    found = analysed(game, honest)
    assert {test.compared for test in found.tests} == set(Compared)
    assert told(found) == set()
    assert {test.equal_close.decimal for test in found.tests if test.equal_close} == {"1.000000"}
    assert list(planted_warnings(plan(game), found)) == []
    lines = "\n".join(planted_lines(found, plan(game)))
    assert "no difference is told" in lines
    assert "answers by the prompt alone" in lines


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "player", "compared"),
    [
        pytest.param("holdem", random_without_memory_after_phase_1, Compared.PHASE, marks=pytest.mark.exhaustive),
        ("chess960", random_without_memory_after_phase_1, Compared.PHASE),
        pytest.param("holdem", engine_in_phase_0_and_with_memory, Compared.PHASE, marks=pytest.mark.slow),
        ("chess960", engine_in_phase_0_and_with_memory, Compared.PHASE),
        ("chess960", random_where_it_counts, Compared.ROLE),
        pytest.param("holdem", random_in_the_second_half, Compared.PHASE, marks=pytest.mark.slow),
    ],
)
def test_an_endpoint_that_treats_them_differently_is_named(game: str, player: Player, compared: Compared) -> None:
    found = analysed(game, player)
    assert compared in told(found)
    assert all("answered equal prompts differently" in line for line in planted_warnings(plan(game), found))


@pytest.mark.slow
@pytest.mark.parametrize("game", [pytest.param("holdem", marks=pytest.mark.exhaustive), "chess960"])
def test_a_function_of_the_prompt_alone_cannot_be_found(game: str) -> None:
    """The words say so: against it stands the placebo alone."""
    assert told(analysed(game, random_wherever_a_prompt_is_bare)) == set()


@pytest.mark.slow
def test_a_second_name_for_one_model_switches_no_test_off() -> None:
    found = analysed("chess960", random_without_memory_after_phase_1, "base")
    phases = [test for test in found.tests if test.compared is Compared.PHASE and "model" in test.seat]
    assert [test.seat for test in phases] == ["model, base"]
    assert phases[0].is_told


def refuses_planted_questions(_: Match, question: Chat) -> str:
    return "refuses" if isinstance(question, Planted) else "novice"


@pytest.mark.slow
def test_a_server_that_refuses_planted_questions_alone_is_named() -> None:
    refusing = analysed("chess960", refuses_planted_questions)
    warned = [line for line in planted_warnings(plan("chess960"), refusing) if "no action that can be read" in line]
    asked = sum(one.common + one.again for one in refusing.asked if one.seat == "model")
    assert warned[0].startswith(
        f"seat model: {asked} of {asked} planted questions have no action that can be read, but 0"
    )
    assert is_more_often(5, 10, 100, 1_000, Fraction(1, 100)) is True
    assert is_more_often(4, 10, 100, 1_000, Fraction(1, 100)) is False, "one-sided binomial: P(X >= 4) is 0.0128"
    assert is_more_often(10, 10, 1_000, 1_000, Fraction(1, 100)) is False, "a model that babbles everywhere"


def test_too_few_replies_are_not_called_no_difference() -> None:
    found = analysed("chess960", honest)
    assert all(test.can_tell for test in found.tests if test.seat == "model" and test.compared is Compared.PHASE)
    few = _few_replies()
    (test,) = (test for test in exchangeability(few, NORM, str.encode))
    assert not test.can_tell
    assert "too few replies to tell" in exchangeability_words(test, plan("chess960"))


def _few_replies() -> list[Noted]:
    """One prompt with one reply in each of two phases."""
    arms = [PlayedArm.of(match, plan("chess960").seats) for match in plan("chess960").matches[:2]]
    return [Noted(arm, 0, 0, PlantedReply(Role.COMMON, "p", action, 0)) for arm, action in zip(arms, "ab", strict=True)]


@pytest.mark.slow
def test_the_warning_names_shares_and_accuses_nobody() -> None:
    (line, *_) = planted_warnings(plan("chess960"), analysed("chess960", random_without_memory_after_phase_1))
    assert line.startswith("seat model answered equal prompts differently in Chess960: ")
    assert re.search(r"% equal between Phase [01] \(\d+ replies\) and Phase 2 \(\d+ replies\)", line)
    assert "when asked twice close together (p " in line


@pytest.mark.slow
def test_an_augmentation_that_changes_what_is_declared_is_counted() -> None:
    found = analysed("holdem", engine_in_phase_0_and_with_memory)
    used = {row.match: row for row in found.used}
    real = next(row for name, row in used.items() if "_real_" in name and row.seat == "model")
    assert Fraction(real.changed.exact) > Fraction(1, 4)
    assert real.baseline.exact == "0/1"
    honest_rows = [row for row in analysed("holdem", honest).used if row.seat == "model"]
    assert all(Fraction(row.changed.exact) < Fraction(real.changed.exact) for row in honest_rows)


# --- the permutation test -------------------------------------------------------------------------


def groups(*replies: tuple[Sequence[int], Sequence[int]]) -> list[Group]:
    return [Group(tuple(actions), tuple(labels)) for actions, labels in replies]


def test_replies_that_all_agree_say_nothing() -> None:
    assert permutation_p(groups(([0, 0, 0], [0, 1, 1]), ([0, 1], [0, 0])), b"seed", 999) == 1


def test_p_is_that_of_all_exchanges() -> None:
    """Fisher's exact test of one 3 by 3 table: 2 of 20 exchanges part the labels as far; p is twice, of two tests."""
    made = groups(([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]))
    ps = [float(permutation_p(made, bytes([seed]), 20_000)) for seed in range(100)]
    assert sum(ps) / len(ps) == pytest.approx(2 * 2 / 20, abs=0.04)


def test_a_few_departures_of_one_label_are_found_over_groups() -> None:
    """In no group can the labels be told apart, but the one that departs is always the same."""
    one = ([0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 1, 1])
    other = ([0, 0, 0, 0, 0, 1], [1, 1, 1, 0, 0, 0])
    assert permutation_p(groups(*[one] * 20), b"seed", 1999) < Fraction(1, 100)
    assert permutation_p(groups(*[one, other] * 10), b"seed", 1999) > Fraction(1, 20)


def test_which_groups_are_left_out_follows_from_the_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of prompts a server could be honest in the first ones, and do as it likes in the others."""
    monkeypatch.setattr(permutation, "REPLIES_MAX", 300)
    monkeypatch.setattr(permutation, "REPLIES_MIN", 300)
    plain, cheat = ([0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 1, 1]), ([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1])
    other = ([0, 0, 0, 0, 0, 1], [1, 1, 1, 0, 0, 0])
    made = groups(*[plain, other] * 30, *[cheat] * 60)
    assert permutation_p(made, b"seed", 1999) < Fraction(1, 100)


def test_the_same_seed_gives_the_same_p() -> None:
    made = groups(*[([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1])] * 2)
    assert permutation_p(made, b"one", 5_000) == permutation_p(made, b"one", 5_000)
    assert permutation_p(made, b"one", 5_000) != permutation_p(made, b"two", 5_000)
