"""Programs that do not come with Agzamov are started after consent, which is remembered by their digest."""

from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_harness.foundation import confirmation
from agzamov_harness.memory.adapter_file import sealed_text, system_of
from agzamov_harness.run.program_consent import OutsideProgram, is_outside, require_consent
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.systems import MemorySystem
from harness.contact import users_folder
from harness.test_outside_memory import plan_of, put_notes

PROGRAM = """
import pathlib
pathlib.Path({!r}).touch()
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a plan of somebody else's, whose server leaves a file when it is started."""
    folder = users_folder(tmp_path, monkeypatch)
    put_notes(folder)
    server = folder / "notes_server.py"
    server.write_text(PROGRAM.format(str(folder / "RUN")) + server.read_text())
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan_of()))
    return folder


def typed(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


COMMANDS: list[tuple[str, ...]] = [
    ("seal", "plan.yaml", "--key", "key.pem"),
    ("run", "plan.yaml", "--key", "key.pem", "--quiet"),
    ("protocol", "run", "mine", "plan.yaml", "--key", "key.pem"),
    ("memory", "control", "--plan", "plan.yaml", "--key", "key.pem"),
    ("memory", "check", "notes.yaml"),
    ("memory", "try", "notes.yaml", "--store", "a"),
    ("k8s", "plan.yaml", "--key", "key.pem", "--shares", "2", "--image", "agzamov:1", "--claim", "runs"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_no_command_starts_a_strangers_program_without_consent(home: Path, command: tuple[str, ...]) -> None:
    if command[0] == "protocol":
        for folder in (home / "adapter", home / "mine" / "adapter"):  # below that of the plans
            put_notes(folder)
        (home / "plan.yaml").write_text(yaml.safe_dump(plan_of("adapter/notes.yaml")))
    refused = typed(*command)
    assert refused.exit_code == 2, refused.output
    *_, line = refused.stderr.splitlines()
    assert "memory notes starts a program that does not come with Agzamov, as you: '${PYTHON}'" in line
    assert "If you trust it, add --start-programs (once; it is remembered in " in line
    assert not list(home.rglob("RUN"))


def test_consent_is_remembered_until_a_file_of_the_program_or_its_adapter_is_another(home: Path) -> None:
    check = ("memory", "try", "notes.yaml", "--store", "a")
    assert typed(*check, "--start-programs").exit_code == 0
    (home / "RUN").unlink()
    assert typed(*check).exit_code == 0
    assert typed("seal", "plan.yaml", "--key", "key.pem").exit_code == 0, "the same program in a plan"
    for changed in ("stdio_server.py", "notes.yaml"):
        before = (home / changed).read_text()
        (home / changed).write_text(before.replace("mcp_mode: legacy", "mcp_mode: auto") + "\n# more\n")
        again = typed(*check)
        told = "memory notes starts a program that does not come with Agzamov"
        assert (again.exit_code, told in again.stderr) == (2, True), (changed, again.output)
        (home / changed).write_text(before)
    assert typed(*check).exit_code == 0


def test_a_run_goes_on_elsewhere_after_consent_there(home: Path) -> None:
    sealed = typed("seal", "plan.yaml", "--key", "key.pem", "--start-programs")
    assert sealed.exit_code == 0, sealed.output
    (home / "home" / "started-programs.json").unlink()
    run = sealed.stdout.strip()
    for command in (("resume", run, "--key", "key.pem"), ("play", run, "--share", "0/1")):
        refused = typed(*command, "--quiet")
        assert (refused.exit_code, "add --start-programs" in refused.stderr) == (2, True), refused.output
    assert typed("play", run, "--share", "0/1", "--quiet", "--start-programs").exit_code == 0


def test_a_person_is_asked_on_a_terminal(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    questions, answer = list[str](), iter([False, True])
    monkeypatch.setattr(confirmation, "is_attended", lambda: True)
    monkeypatch.setattr(click, "confirm", lambda question, **_: questions.append(question) or next(answer))
    system = OutsideProgram(system_of("notes.yaml"), {})
    with pytest.raises(ManifestError, match="does not come with Agzamov"):
        require_consent([system], given=False)
    require_consent([system], given=False)
    require_consent([system, system], given=False)
    assert len(questions) == 2
    assert all(question.endswith(f"${{HERE}} is {home}. Start it?") for question in questions)


@pytest.mark.parametrize(
    "command", [("seal", "plan.yaml", "--key", "key.pem"), ("memory", "try", "notes.yaml", "--store", "a")]
)
def test_a_file_that_is_changed_while_the_question_is_asked_is_not_started(
    home: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """The attack: whoever can write to the folder waits for the answer, which was given for other files."""

    def change(_: str, **__: object) -> bool:
        (home / "stdio_server.py").write_text(f"open({str(home / 'RUN')!r}, 'w')")
        return True

    monkeypatch.setattr(confirmation, "is_attended", lambda: True)
    monkeypatch.setattr(click, "confirm", change)
    refused = typed(*command)
    assert refused.exit_code in (2, 4), refused.output
    assert "expected the program that was asked about, found another one: file stdio_server.py was changed" in (
        refused.stderr
    )
    assert not (home / "RUN").exists()


def test_the_question_shows_the_variables_that_may_start_another_program(home: Path) -> None:
    adapter = home / "notes.yaml"
    launch = 'launch:\n  env: {LD_PRELOAD: "${HERE}/stdio_server.py", A: "b c"}\n'
    adapter.write_text(adapter.read_text().replace("launch:\n", launch))
    refused = typed("memory", "try", "notes.yaml", "--store", "a")
    assert (
        "as you: LD_PRELOAD='${HERE}/stdio_server.py' A='b c' '${PYTHON}' '${HERE}/notes_server.py'" in refused.stderr
    )


@pytest.mark.slow
def test_what_comes_with_agzamov_asks_nothing(home: Path) -> None:
    (home / "plan.yaml").write_text(yaml.safe_dump(plan_of("recent")))
    assert typed("seal", "plan.yaml", "--key", "key.pem").exit_code == 0
    assert typed("memory", "try", "recent", "--store", "a").exit_code == 0
    assert not (home / "home" / "started-programs.json").exists()


@pytest.mark.parametrize(
    ("server", "text", "asks"),
    [("recent", "", False), ("mem0", None, False), ("mem0", "{}", True), ("mine.yaml", None, True)],
    ids=["built in", "shipped", "a shipped name, another text", "a file"],
)
def test_an_adapter_comes_with_agzamov_by_its_text_and_not_by_its_name(
    server: str, text: str | None, asks: bool
) -> None:
    shipped: Any = sealed_text(system_of("mem0").adapter) if text is None else text
    assert is_outside(MemorySystem(server=server, adapter=shipped)) == asks


def test_a_file_of_consent_that_is_another_is_named(home: Path) -> None:
    (home / "home").mkdir(exist_ok=True)
    (home / "home" / "started-programs.json").write_text("{}")
    refused = typed("seal", "plan.yaml", "--key", "key.pem")
    assert (refused.exit_code, "expected the programs that may be started; remove" in refused.stderr) == (2, True)
