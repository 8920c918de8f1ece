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
from agzamov_verify.core.questions import Answer, Chat, Planted, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.scoring.exchangeability import Compared, PlantedAnalysis, planted_analysis
from agzamov_verify.scoring.inference.permutation import Group, permutation_p
from agzamov_verify.show.planted_words import planted_lines, planted_warnings
from agzamov_verify.table.game import Block
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, PROFILE
from agzamov_verify.table.scripted_players import random_answer, scripted_reply

DICE: Final = Dice(bytes(range(32)))
SIZES: Final[dict[str, list[dict[str, int]]]] = {
    "holdem": [{"hands": 900, "block_hands": 100}, {"hands": 1000}, {"hands": 1000, "careers": 2}],
    "chess960": [{"games": 30}, {"games": 30}, {"games": 30, "careers": 3}],
}


@cache
def plan(game: str) -> Plan:
    endpoint = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}
    sanity, baseline, arm = SIZES[game]
    arms: list[dict[str, str]] = [{}, {"arm": "placebo", "system": "notes"}, {"arm": "real", "system": "notes"}]
    phase_2 = {"phase": 2, "game": game, "a": "model", "b": "foe", **arm}
    return msgspec.convert(
        {
            "title": "Equal prompts",
            "seats": {
                "model": endpoint,
                "foe": {**endpoint, "patterns": ["folds_button_to_3bet"]},
                "random": {"kind": "random"},
            },
            "chess960": {"adjudication": {"policy": "none"}, "plies_max": 60},
            "systems": {"notes": {"kind": "memory", "server": "recent"}},
            "matches": [
                {"phase": 0, "game": game, "a": "model", "b": "random", **sanity},
                {"phase": 1, "game": game, "a": "model", "b": "model", **baseline},
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


def analysed(game: str, player: Player) -> PlantedAnalysis:
    """The analysis of all matches with an endpoint; a seat of a script plays as it does."""
    blocks: dict[str, list[Block]] = {}
    for match in plan(game).matches:

        def answer(question: Question, match: Match = match) -> Answer:
            if not isinstance(question, Chat):
                return random_answer(question)
            kind = "random" if question.to == "random" else player(match, question)
            return Reply(text=scripted_reply(kind, question.messages, question.seed))

        streams = streams_of(match)
        blocks[match.id] = [drive(block_script(stream, plan(game), DICE), answer) for stream in streams]
    return planted_analysis(plan(game), blocks, str.encode)


def told(analysis: PlantedAnalysis) -> set[Compared]:
    return {test.compared for test in analysis.tests if test.is_told}


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


@pytest.mark.parametrize(
    ("game", "player", "compared"),
    [
        ("holdem", random_without_memory_after_phase_1, Compared.PHASE),
        ("chess960", random_without_memory_after_phase_1, Compared.PHASE),
        ("holdem", engine_in_phase_0_and_with_memory, Compared.PHASE),
        ("chess960", engine_in_phase_0_and_with_memory, Compared.PHASE),
        ("chess960", random_where_it_counts, Compared.ROLE),
        ("holdem", random_in_the_second_half, Compared.PHASE),
    ],
)
def test_an_endpoint_that_treats_them_differently_is_named(game: str, player: Player, compared: Compared) -> None:
    found = analysed(game, player)
    assert compared in told(found)
    assert all("answered equal prompts differently" in line for line in planted_warnings(plan(game), found))


@pytest.mark.parametrize("game", SIZES)
def test_a_function_of_the_prompt_alone_cannot_be_found(game: str) -> None:
    """The words say so: against it stands the placebo alone."""
    assert told(analysed(game, random_wherever_a_prompt_is_bare)) == set()


def test_the_warning_names_shares_and_accuses_nobody() -> None:
    (line, *_) = planted_warnings(plan("chess960"), analysed("chess960", random_without_memory_after_phase_1))
    assert line.startswith("in Chess960 model answered equal prompts differently: ")
    assert re.search(r"% equal between Phase [01] \(\d+ replies\) and Phase 2 \(\d+ replies\)", line)
    assert "when asked twice close together (p " in line


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


def test_the_same_seed_gives_the_same_p() -> None:
    made = groups(*[([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1])] * 2)
    assert permutation_p(made, b"one", 5_000) == permutation_p(made, b"one", 5_000)
    assert permutation_p(made, b"one", 5_000) != permutation_p(made, b"two", 5_000)
