"""Games by columns: every value comes back, and a prompt that repeats an earlier one costs a few numbers."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agzamov_verify.show.html_report.packed_columns import Text, column
from html_report.packed_values import values


def packed(rows: list[Any]) -> Any:
    return json.loads(msgspec.json.encode(column(rows)))


def plain(value: Any) -> Any:
    """The value as JSON has it: texts and tuples are lists."""
    if isinstance(value, Text):
        return list(value.lines)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return {name: plain(one) for name, one in value.items()} if isinstance(value, dict) else value


TEXTS = st.lists(st.sampled_from("abcdefghijklmn"), max_size=9).map(lambda lines: Text(tuple(lines)))
GAMES = st.fixed_dictionaries(
    {
        "won": st.sampled_from(["won", "lost"]),
        "frames": st.lists(st.fixed_dictionaries({"by": st.integers(-1, 1)}, optional={"pot": st.integers(0, 99)})),
        "asked": st.lists(st.tuples(st.sampled_from(["system", "user"]), TEXTS)),
    },
    optional={"cards": st.one_of(st.none(), st.lists(st.text(max_size=2)))},
)


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.lists(GAMES, max_size=12))
def test_every_value_comes_back(games: list[Any]) -> None:
    assert values(packed(games)) == plain(games)


def test_a_repeated_prompt_costs_one_number_for_each_line_that_is_another() -> None:
    rules = [f"rule {number}" for number in range(40)]
    prompts = [Text((*rules, f"pot: {number}", "Declare your action.")) for number in range(50)]
    made = packed(prompts)
    assert len(made["lines"]) == 40 + 50 + 1
    assert values(made) == plain(prompts)
    later = made["steps"][2 * (42 + 1 + 1) :]
    assert len(later) <= 3 * 2 * 50


def test_lines_long_ago_and_lines_just_now_are_told_apart() -> None:
    lines = [str(number) for number in range(30)]
    prompts = [Text(tuple(lines)), *(Text((line,)) for line in (*lines, *reversed(lines)))]
    assert values(packed(prompts)) == plain(prompts)


@pytest.mark.parametrize(
    "rows", [[], [None], [{}], [()], [[]], [Text(())], [1, "a", None], ["a", "a", "a"], [{}, None]]
)
def test_values_of_every_kind(rows: list[Any]) -> None:
    assert values(packed(rows)) == plain(rows)


def test_one_wrong_step_gives_another_text() -> None:
    made = packed([Text(("a", "b")), Text(("a", "c"))])
    wrong = {**made, "steps": [*made["steps"][:-2], made["steps"][-2] + 1, made["steps"][-1]]}
    assert values(wrong) != values(made)
