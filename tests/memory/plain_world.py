"""Adapters for plain_notes_server.py, one for each kind."""

from pathlib import Path

from agzamov_harness.memory.adapter_file import DeclaredSystem, Variant, adapter_from_yaml
from agzamov_harness.memory.launch import Setup
from memory.memory_world import LIMITS

SERVER = Path(__file__).parent / "plain_notes_server.py"
ITEMS = r"""  items_text: '(?ms)^(?P<content>\[note #\d+\] .*?)\n--$'
  id_text: '^\[note #(\d+)\]'
  content_text: '(?s)^\[note #\d+\] (.*)$'
"""
PROSE = f"  answer: text\n{ITEMS}"
INDEX = '  answer: json_in_text\n  items: "[0]"\n  id: number\n'
READ = r"""fetch: {tool: read, args: {number: "${id}"}, answer: text, content_text: '(?s)^Note #\d+\n(.*)$'}
"""
LIST = '  tool: list\n  empty_text: "^There are no"\n'
SEARCHES = {
    "whole": PROSE,
    "parts": f"{PROSE}  gives: parts\n",
    "previews": f"{PROSE}  gives: previews\n  ellipsis: '...'\n",
    "fetched": PROSE,
    "index": INDEX,
    "rewrites": "  answer: text\n  items_text: '(?s)(?P<content>.+)'\n",
}
"""The search of an adapter by name: `fetched` speaks to a server of previews and reads the whole entries."""
ARGUMENTS = 'question: "${query}", count: "${limit}"'
KINDS = {"fetched": "previews"}


def plain_yaml(name: str, defect: str = "", *, program: str = str(SERVER), more: str = "") -> str:
    """The adapter of that name, with a defect of its server."""
    rewrites = "always" if name == "rewrites" else "never"
    export = f"export:\n{LIST}{INDEX}" if name == "index" else "export: none\n"
    return f"""about: Notes of a program that lists none
interface: agz-memory-1
launch: {{command: "${{PYTHON}}", args: ["{program}", {KINDS.get(name, name)}{f", {defect}" if defect else ""}]}}
mcp_mode: legacy
traits: {{architecture: a list, query: full_text, rewrites: {rewrites}, ids: server}}
store: {{tool: remember, args: {{text: "${{content}}"}}, stored_text: ^Stored, id_text: '#(\\d+)'}}
search:
  tool: recall
  args: {{{ARGUMENTS}}}
  empty_text: "^There are no"
{SEARCHES[name]}{READ if name in ("fetched", "index") else ""}{export}{more}"""


def plain(name: str, defect: str = "", more: str = "") -> Setup:
    adapter = adapter_from_yaml(plain_yaml(name, defect, more=more).encode())
    return Setup(DeclaredSystem(f"plain-{name}", adapter, Variant("", "full_text")), limits=LIMITS)
