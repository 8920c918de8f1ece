"""Proposals for a misspelled word: what is near, at most two, and nothing where nothing is."""

import pytest

from agzamov_verify.core.did_you_mean import PROPOSED_MAX, WORDS_MAX, did_you_mean, near_words

KEYS = ("temperature", "tokens_max", "top_p", "timeout_s", "model", "base_url", "kind")


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("temprature", "; did you mean temperature?"),
        ("Temperature", "; did you mean temperature?"),
        ("tokens-max", "; did you mean tokens_max?"),
        ("token_max", "; did you mean tokens_max?"),
        ("temp", "; did you mean temperature?"),
        ("te", ""),
        ("price", ""),
        ("", ""),
        ("x" * 10_000, ""),
    ],
)
def test_the_word_that_is_spelled_most_alike_is_proposed(word: str, told: str) -> None:
    assert did_you_mean(word, KEYS) == told


def test_two_that_are_as_near_are_proposed_and_no_third() -> None:
    assert near_words("seat_x", ("seat_a", "seat_b", "seat_c", "other")) == ["seat_a", "seat_b"]
    assert did_you_mean("seat_x", ("seat_a", "seat_b")) == "; did you mean seat_a or seat_b?"
    assert PROPOSED_MAX == 2


def test_a_second_that_is_much_less_alike_is_not_proposed() -> None:
    assert near_words("verfy", ("verify", "verse")) == ["verify"]


def test_of_a_strangers_many_words_only_so_many_are_compared() -> None:
    words = (f"other{number}" for number in range(WORDS_MAX))
    assert near_words("verfy", [*words, "verify"]) == []
