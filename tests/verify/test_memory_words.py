"""The words of memory's outputs are in the glossary."""

import pytest

from agzamov_verify.memory.built_in_servers import SERVERS
from agzamov_verify.show.glossary import find

WORDS = "adapter dump entries found searches traits rewrites twin fingerprint donor noise_percent native"


@pytest.mark.parametrize("word", [*WORDS.split(), *SERVERS])
def test_a_word_of_memory_is_explained(word: str) -> None:
    assert find(word), word


def test_a_word_that_nothing_prints_is_not() -> None:
    assert find("elephant") is None
