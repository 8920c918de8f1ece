"""The adapters of docs/memory-servers call tools that their servers list, with arguments that these take.

What a server lists is in recorded_tools/NAME.json, as its version under `install` gave it: names, and of arguments the
types, `required` and `additionalProperties`. One that is not there was not recorded; its adapter is only parsed.
"""

from pathlib import Path

import msgspec
import pytest

from agzamov_harness.memory.adapter_file import adapter_from_yaml
from agzamov_harness.memory.server_tools import tools_problem, undeclared
from agzamov_harness.servers.mcp_client import ListedTool
from agzamov_verify.memory.declared_server import Adapter

ROOT = Path(__file__).parents[2]
RECORDED = sorted((Path(__file__).parent / "recorded_tools").glob("*.json"))


def adapter_of(recorded: Path, old: str = "", new: str = "") -> Adapter:
    text = (ROOT / "docs" / "memory-servers" / f"{recorded.stem}.yaml").read_text()
    assert old in text
    return adapter_from_yaml(text.replace(old, new, 1).encode())


def listed(recorded: Path) -> list[ListedTool]:
    tools = msgspec.json.decode(recorded.read_bytes())
    return [ListedTool(tool["arguments"], "", tool["name"], None) for tool in tools]


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: path.stem)
def test_an_adapter_calls_the_tools_that_its_server_lists(recorded: Path) -> None:
    assert tools_problem(adapter_of(recorded), listed(recorded)) is None
    assert undeclared(adapter_of(recorded), listed(recorded)) == []


def test_a_tool_or_an_argument_that_the_server_lacks_is_found() -> None:
    (recorded,) = (path for path in RECORDED if path.stem == "memkraft")
    renamed = tools_problem(adapter_of(recorded, 'tool: "remember"', 'tool: "recollect"'), listed(recorded))
    assert renamed
    assert renamed.expected == "a tool recollect"
    assert undeclared(adapter_of(recorded, '"fuzzy"', '"blurred"'), listed(recorded)) == ["blurred of search"]
