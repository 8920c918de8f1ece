"""docs/add-a-memory.md does what it says: its adapter, its commands, and what they print."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.memory.adapter_file import DeclaredSystem, Variant, adapter_from_yaml
from agzamov_harness.memory.launch import Setup
from agzamov_verify.core.questions import Hits
from agzamov_verify.memory import declared_server
from memory.memory_world import LIMITS, answers, opened, search, store
from memory.plain_world import plain_yaml

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "add-a-memory.md").read_text()
COMMANDS = re.findall(r"```sh\n(agzamov .*)\n```\n\n```text\n((?:.*\n)*?)```", PAGE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the page is walked: the server, and the adapter as the page has it."""
    for name in ("notes_server.py", "stdio_server.py"):
        shutil.copy(HERE / name, tmp_path)
    adapter_text, _, plan = re.findall(r"```yaml\n((?:.*\n)*?)```", PAGE)
    (tmp_path / "notes.yaml").write_text(adapter_text)
    (tmp_path / "plan.yaml").write_text(
        plan.replace("hands: 750", "hands: 10").replace("session_hands: 10", "session_hands: 2")
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def agzamov(command: str) -> tuple[int, str]:
    """What a person at a terminal agrees to, the option says here."""
    words = shlex.split(command)[1:]
    asks = words[0] == "run" or words[:2] in (["memory", "check"], ["memory", "try"])
    ran = CliRunner().invoke(main, [*words, *(["--start-programs"] if asks else [])])
    return ran.exit_code, ran.output


@pytest.mark.slow
@pytest.mark.parametrize(("command", "expected"), COMMANDS, ids=["check", "try"])
def test_the_page_prints_what_its_commands_print(folder: Path, command: str, expected: str) -> None:
    code, printed = agzamov(command)
    assert code == 0
    assert printed.startswith(expected)


@pytest.mark.slow
def test_the_plan_of_the_page_is_played_verified_and_asked_again(folder: Path) -> None:
    """With a few of its hands."""
    (commands,) = re.findall(r"```sh\n((?:agzamov .*\n){4})```", PAGE)
    for command in commands.splitlines():
        bundle = next((str(path) for path in (folder / "bundles").glob("*")), "")
        code, printed = agzamov(command.replace("bundles/<run id>", bundle))
        assert code == 0, printed
        if "run plan.yaml" in command:
            played = " ".join(printed.split())  # the table's columns are as wide as its figures, so its rows may break
            assert all(f"with memory by {name}" in played for name in ("mine", "built_in")), played
    assert printed.count("answers are the same") == 15, (
        "a career each of a placebo, of mine, and of the built-in server"
    )


def test_a_mistake_is_told_as_the_page_tells_it(folder: Path) -> None:
    path = folder / "notes.yaml"
    path.write_text(path.read_text().replace("${content}", "${text}"))
    code, printed = agzamov("agzamov memory check notes.yaml")
    assert code == 2
    assert printed == f"error: {re.findall(r'`(notes.yaml: .*)`', PAGE)[0]}\n"


def test_the_adapter_of_a_server_that_has_less_reads_what_the_page_shows(tmp_path: Path) -> None:
    shown = re.findall(r"```yaml\n((?:.*\n)*?)```", PAGE)[1]
    written = plain_yaml("previews")
    adapter = adapter_from_yaml(f"{written[: written.index('store:')]}{shown}".encode())
    note = "Folded to a 3-bet on the button: 4 of 5"
    said = list[str]()
    system = DeclaredSystem("notes", adapter, Variant("", "full_text"))
    with opened(Setup(system, limits=LIMITS, tell_raw=said.append), tmp_path) as port:
        found = answers(port, [store(1, "Castled early"), store(2, note, 2), search("button:", 3)])[-1]
    assert isinstance(found, Hits)
    assert [(hit.entry, hit.content) for hit in found.hits] == [("e00002", note)]
    example = PAGE[PAGE.index("## A server that has less") :]
    for words in ("Stored as note #2.", "[note #2] Folded to a 3-bet on the butto..."):
        assert words in example
        assert any(words in one for one in said)


def test_the_page_lists_the_keys_of_an_adapter() -> None:
    told = set(re.findall(r"[a-z_0-9]+", PAGE))
    for part in (
        declared_server.Store,
        declared_server.Search,
        declared_server.Fetch,
        declared_server.Export,
        declared_server.EndGame,
        declared_server.Adapter,
    ):
        keys = set(part.__struct_fields__)
        assert keys - told <= {"absent", "verified", "install", "systems", "describe"}, part


def test_the_adapters_that_the_page_links_to_are_there() -> None:
    links = re.findall(r"\((\.\./harness/\S+)\)", PAGE)
    assert len(links) == 4
    assert all((HERE.parents[1] / "docs" / link).is_file() for link in links)
