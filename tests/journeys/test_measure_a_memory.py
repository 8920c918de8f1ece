"""docs/measure-a-memory.md can be typed: its commands and its plan, in order, with a double in the place of the model.

The plan that `init` writes is played with few games. The memory of the page is started a hundred times, so a small one
with the standard library alone stands in its place, and it is not compared with the built-in ones: tests/memory adapts
that of the page itself, and compares. The rest is as it stands on the page.
"""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.commands import memory_command
from agzamov_harness.foundation.owner_folder import DEFAULT_KEY
from agzamov_harness.reference_server import chat_server

SERVER = Path(__file__).parents[1] / "memory" / "notes_server.py"
PAGE = (Path(__file__).parents[2] / "docs" / "measure-a-memory.md").read_text()
ADDRESS, MODEL, PLAN = "http://127.0.0.1:11434/v1", "llama3.2:3b", "memory-plan.yaml"
FEWER = {
    r"games: \d+, careers: 5": "games: 2, careers: 1",
    r"hands: \d+, block_hands: \d+, careers: 5": "hands: 4, block_hands: 4, careers: 1",
    r"session_hands: \d+": "session_hands: 4",
    r"plies_max: \d+": "plies_max: 4",
    r"plies: 4}": "plies: 2}",
}
"""What `init` writes, and what is played here."""
MEMORY = "-m agzamov_memory full_text --data"
STAND_IN = f"""#!/bin/sh
if [ "$1 $2 $3 $4" = "{MEMORY}" ] && [ -d "$5" ]; then
    exec {shlex.quote(sys.executable)} {shlex.quote(str(SERVER))}
fi
exec {shlex.quote(sys.executable)} "$@"
"""
"""The server of docs/add-a-memory.md for that of the page, and for nothing else."""


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A model's address, in an empty folder and without a key of the owner's."""
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "bin" / "python3"
    program.parent.mkdir()
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(memory_command, "coinciding", lambda *_: ())
    server = chat_server.start("127.0.0.1", 0, 0.0)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()
    for path in (DEFAULT_KEY, Path(f"{DEFAULT_KEY}.pub")):
        path.unlink(missing_ok=True)


def blocks(page: str) -> list[tuple[str, str]]:
    """The commands and parts of plans on the page, in order: its kind, and its text."""
    found = re.findall(r"^```(sh|yaml)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return [(kind, line) for kind, text in found for line in (text.splitlines() if kind == "sh" else [text])]


def agzamov(command: str) -> tuple[int, str]:
    """What a person at a terminal agrees to, the option says here."""
    program, *words = shlex.split(command, comments=True)
    assert program == "agzamov"
    agreed = ["--start-programs"] if words[:2] == ["memory", "adapt"] else []
    ran = CliRunner().invoke(main, [*words[:2], *agreed, *words[2:]])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.exit_code, ran.output


def typed(page: str, address: str) -> list[str]:
    """What each command of the page prints. Fails where one ends with another code than 0."""
    printed = list[str]()
    for kind, text in blocks(page):
        if kind == "yaml":
            put_in_plan(text)
            let_few_games_be_played()
            continue
        code, said = agzamov(text.replace(ADDRESS, address).replace(MODEL, "reference"))
        assert code == 0, f"{text}\n{said}"
        printed.append(said)
    return printed


def put_in_plan(part: str) -> None:
    """Write a part of a plan in the place of the one with its key, as the page says."""
    plan, key = Path(PLAN), part.partition(":")[0]
    text, places = re.subn(rf"^{key}:\n(?: .*\n)+", lambda _: part, plan.read_text(), flags=re.MULTILINE)
    assert places == 1, f"{PLAN} has no part {key}"
    plan.write_text(text)


def let_few_games_be_played() -> None:
    plan = Path(PLAN)
    text = plan.read_text()
    for size, fewer in FEWER.items():
        text, places = re.subn(size, fewer, text)
        assert places, f"`agzamov init` writes no {size}"
    plan.write_text(text)


@pytest.mark.slow
def test_every_command_of_the_page_can_be_typed_as_it_stands(address: str) -> None:
    _, adapted, _, _, ran = typed(PAGE, address)
    assert adapted.splitlines()[-1] == "measured"
    assert "with memory by notes" in " ".join(ran.split())
    bundle = ran.partition("bundle: ")[2].split()[0]
    assert "`agzamov report bundles/`" in PAGE
    assert agzamov(f"agzamov report {bundle}")[0] == 0
    assert agzamov("agzamov memory check notes.yaml")[0] == 0
    part = next(text for kind, text in blocks(PAGE) if kind == "yaml")
    put_in_plan(part.replace("server: notes.yaml", "adapter: notes.yaml"))
    code, said = agzamov(f"agzamov plan {PLAN}")
    assert (code, "write `server: FILE.yaml`" in said) == (2, True)


def test_a_wrong_name_on_the_page_is_found(address: str) -> None:
    commands = [text for kind, text in blocks(PAGE) if kind == "sh"]
    wrong = PAGE.replace("python3 -m agzamov_memory", "npx -y my-memory-server-that-is-nowhere").replace("npx", "npix")
    assert wrong != PAGE
    with pytest.raises(AssertionError, match="cannot be started here: no program npix"):
        typed(wrong, address)
    assert [shlex.split(text)[1] for text in commands] == ["keygen", "memory", "init", "plan", "run"]


@pytest.mark.slow
def test_a_plan_of_the_page_is_looked_for_in_what_init_writes(address: str) -> None:
    init = next(text for kind, text in blocks(PAGE) if "agzamov init" in text)
    assert agzamov(init.replace(ADDRESS, address).replace(MODEL, "reference"))[0] == 0
    part = next(text for kind, text in blocks(PAGE) if kind == "yaml")
    with pytest.raises(AssertionError, match="has no part system"):
        put_in_plan(part.replace("systems:", "system:"))


def test_the_files_of_the_page_are_not_those_of_the_readme() -> None:
    """Both examples wrote my.yaml: who typed both was told that it exists already."""
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    outs = [set(re.findall(r"^agzamov .*--out (\S+)", page, re.MULTILINE)) for page in (PAGE, readme)]
    assert outs == [{"notes.yaml", PLAN}, {"my.yaml"}]
