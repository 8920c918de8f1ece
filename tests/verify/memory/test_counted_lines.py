"""Counts in notes: turned round by declared damage, added up by a consolidator; both as the servers themselves do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_memory import consolidator, noisy, notation
from agzamov_verify.memory.built_in_servers import counts_of, damaged, may_be_damaged, words_of

LINES = st.from_regex(r"([A-Za-z:,%-]{0,9} ?[0-9]{1,3} ?(of|off) ?[0-9]{1,3} ?){0,3}[a-z .]{0,9}", fullmatch=True)


@given(LINES)
def test_damage_words_and_counts_are_those_of_the_servers(line: str) -> None:
    assert damaged(line) == notation.COUNT.sub(noisy._turned_round, line)
    assert words_of(line) == consolidator.words_of(line)
    assert counts_of(line) == consolidator.counts_of(line)


@pytest.mark.parametrize(
    ("text", "stored", "possible"),
    [
        ("folded: 1 of 5", "folded: 4 of 5", True),
        ("folded: 2 of 5", "folded: 4 of 5", False),
        ("castles", "folded: 4 of 5", False),
        ("castles", "trades queens", True),
        ("Sicilian", "trades queens", False),
    ],
)
def test_what_damage_may_give(text: str, stored: str, possible: bool) -> None:
    assert may_be_damaged(text, stored, {"castles", "trades queens"}) is possible
