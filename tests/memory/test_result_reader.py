"""What odd results of a memory server's tools are read as: one fault, never an exception of Python's."""

import pytest

from agzamov_harness.memory.result_reader import UnexpectedResult, rows_of_text, value_of
from agzamov_harness.servers.mcp_client import ToolResult
from agzamov_harness.servers.server_process import one_line
from agzamov_verify.memory.declared_server import Search

LABELLED = r"(?P<content>[^|]*)\|(?P<games>.*)"


@pytest.mark.parametrize("text", ["[" * 100_000, "{", '{"a": nothing}'])
def test_text_that_is_no_json_is_named(text: str) -> None:
    with pytest.raises(UnexpectedResult) as error:
        value_of(ToolResult(None, text, failed=False), "json_text")
    assert error.value.expected == "JSON as text"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('Found 2 memories:\n[{"text": "a"}, {"text": "b"}]\n(2 in all)', [[{"text": "a"}, {"text": "b"}]]),
        ('{"text": "a"}\n{"text": "b [1]"}', [{"text": "a"}, {"text": "b [1]"}]),
        ("Nothing found [yet], {sorry}", []),
        ('[draft] {"text": "a"}', [{"text": "a"}]),
        ('{"text": "\\ud83d"}', []),
        ("[" * 100_000, []),
    ],
)
def test_json_is_found_in_prose(text: str, values: list[object]) -> None:
    assert value_of(ToolResult(None, text, failed=False), "json_in_text") == values


def test_the_number_of_a_game_has_five_to_nine_digits() -> None:
    (row,) = rows_of_text("a note|g00012, g" + "9" * 5_000, Search("recall", {}, items_text=LABELLED))
    assert row.games == (12,)


def test_a_foreign_name_is_one_line_that_can_be_printed() -> None:
    assert one_line("a\x1b[31m name\u202e \n of\ttwo\x00 lines") == "a[31m name of two lines"
