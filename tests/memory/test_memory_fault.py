"""What a server says may be megabytes, many lines, or half a character: a fault quotes little of it, on one line."""

from pathlib import Path

import pytest

from agzamov_harness.memory.result_reader import UnexpectedResult, value_of
from agzamov_harness.memory.server_limits import FAULT_CHARACTERS_MAX, MemoryFault
from agzamov_harness.servers.mcp_client import ToolResult
from agzamov_harness.servers.mcp_line_transport import SHOWN_BYTES_MAX, _parsed
from memory.memory_world import fake_yaml, opened, search, store
from memory.test_native_port import setup_from

LOG = Path("memory.log")


def test_a_short_fault_is_told_as_it_is() -> None:
    fault = MemoryFault("notes", "a tool recall", "the tools remember", LOG, "notes.yaml")
    line = "memory notes: expected a tool recall, found the tools remember; its log is memory.log; try: agzamov memory"
    assert str(fault) == f"{line} check notes.yaml"


@pytest.mark.parametrize("text", ["x" * 3_000_000, "a line\n" * 500_000, "\ud800" * 500, "\x1b[2J\u202e" * 500])
def test_a_fault_is_one_line_of_sane_length_whatever_a_server_says(text: str) -> None:
    fault = MemoryFault("notes", f"{text} as it was stored", f"{text} from a search", LOG)
    (line,) = str(fault).splitlines()
    assert line.isprintable()
    assert len(line.encode()) < 2 * FAULT_CHARACTERS_MAX + 200
    assert (fault.expected in line, fault.found in line) == (True, True)


def test_a_line_with_half_a_surrogate_pair_is_named_and_cut() -> None:
    whole = b'{"jsonrpc": "2.0", "id": 1, "result": {"text": "\\ud83d\\ude00"}}'
    assert not isinstance(_parsed(whole), Exception)
    for half in (b"\\ud83d", b"\\ude00", b"\\ud83d" + b"x" * 3_000_000):
        error = _parsed(whole.replace(b"\\ud83d\\ude00", half))
        assert str(error).startswith('half of a surrogate pair in {"jsonrpc": "2.0"')
        assert len(str(error)) < SHOWN_BYTES_MAX + 100
    assert str(_parsed(b"INFO store opened")) == "INFO store opened"


def test_json_as_text_with_half_a_surrogate_pair_is_named() -> None:
    assert value_of(ToolResult(None, r'{"hits": ["\ud83d\ude00"]}', failed=False), "json_text") == {"hits": ["😀"]}
    for text in (r'{"hits": ["\ud83d"]}', r'{"\ude00": []}'):
        with pytest.raises(UnexpectedResult, match="expected JSON of whole characters as text, found half of one in "):
            value_of(ToolResult(None, text, failed=False), "json_text")


def test_a_search_that_gives_half_a_character_names_system_and_tool(tmp_path: Path) -> None:
    yaml = fake_yaml("half").replace("items: hits", "answer: json_text\n  items: hits")
    with opened(setup_from(yaml), tmp_path) as port:
        port.answer(store(1, "note"))
        with pytest.raises(MemoryFault) as fault:
            port.answer(search("note", 2))
    start = "memory fake: expected JSON of whole characters as text from its tool search, found half of one in "
    assert str(fault.value).startswith(start)


def test_a_search_that_names_an_entry_with_three_megabytes_is_told_in_few_words(tmp_path: Path) -> None:
    with opened(setup_from(fake_yaml("long_name")), tmp_path) as port, pytest.raises(MemoryFault) as fault:
        port.answer(search("note", 1))
    assert len(str(fault.value)) < FAULT_CHARACTERS_MAX + len(str(tmp_path)) + 400
    assert str(fault.value).startswith("memory fake: expected entries that were stored, found xxx")


def test_the_reason_of_a_refusal_is_cut_before_it_is_recorded(tmp_path: Path) -> None:
    yaml = fake_yaml("long_reason").replace("rewrites: described", "rewrites: described\n  dedup: semantic")
    with opened(setup_from(yaml), tmp_path) as port:
        answer = port.answer(store(1, "note"))
    assert answer == type(answer)("x" * 200)
