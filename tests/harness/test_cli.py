"""The commands: what their help says is what they do, and an error is one clear line, never a traceback."""

import errno
import fcntl
import json
import os
import pty
import re
import shlex
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from inspect import Parameter, signature
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness import cli
from agzamov_harness.cli import main
from agzamov_harness.commands import doctor as doctor_of
from agzamov_harness.pipeline import play_and_pack
from agzamov_harness.pipeline.pack import Packed, pack
from agzamov_harness.run import exit_status, signing_keys
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.runner import Blocks
from agzamov_verify import cli as verify_cli
from agzamov_verify.commands import check_command
from agzamov_verify.commands.command_line import Action, Program, as_typed, first_sentence
from agzamov_verify.core import canon
from harness.http_peer import Peer, answers, drops

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).parent / "agzamov"
TIMEOUT_S = 300

TINY = """\
title: Tiny
seats:
  agent: {kind: reference}
chess960: {adjudication: {policy: none}, plies_max: 4}
holdem: {session_hands: 2}
matches:
  - {phase: 1, game: chess960, a: agent, b: agent, games: 2}
  - {phase: 1, game: holdem, a: agent, b: agent, hands: 2, block_hands: 2}
"""
QUICK = TINY.replace("reference", "random")
JUDGED = """\
title: Judged
seats:
  agent: {kind: reference}
engine: {nodes: 50}
chess960: {plies_max: 4}
matches:
  - {phase: 1, game: chess960, a: agent, b: agent, games: 2}
"""
STOPPED = """\
title: Two sessions prove nothing
seats:
  agent: {kind: random}
holdem: {session_hands: 2}
matches:
  - {phase: 0, game: holdem, a: agent, b: agent, hands: 4, block_hands: 4}
  - {phase: 1, game: holdem, a: agent, b: agent, hands: 4, block_hands: 4}
"""
DEAD = """\
title: Dead
seats:
  model: {kind: openai, base_url: "http://127.0.0.1:1/v1", model: m, attempts_max: 1}
chess960: {adjudication: {policy: none}, plies_max: 4}
matches:
  - {phase: 1, game: chess960, a: model, b: model, games: 2}
"""
FAKE_ENGINE = """#!/bin/sh
while read -r word rest; do case "$word" in
uci) echo "id name Fakefish 1"; echo uciok;;
isready) echo readyok;;
export_net) printf net > "$rest";;
go) echo "info depth 1 multipv 1 score cp 13 nodes 50"; echo "bestmove e7e5";;
esac; done
"""
ENGINE = shutil.which("stockfish", path=f"{os.environ['PATH']}:/usr/games")
CHESS, GAME = "p1-chess960-naked-agent", "p1-chess960-naked-agent-g00000"


class Place(NamedTuple):
    """A folder with a key, a stranger's key, an engine that is none, and plans."""

    path: Path

    def __call__(self, *arguments: object) -> Result:
        """Run a command here, in this process."""
        return CliRunner().invoke(main, list(map(str, arguments)))

    @property
    def key(self) -> tuple[str, Path]:
        return "--key", self.path / "key.pem"

    @property
    def where(self) -> tuple[object, ...]:
        return *self.key, "--runs", self.path / "runs"

    @property
    def how(self) -> tuple[object, ...]:
        return *self.where, "--out", self.path / "bundles"

    def plan(self, text: str) -> Path:
        path = self.path / "plan.yaml"
        path.write_text(text)
        return path

    def sealed(self, text: str = TINY) -> Path:
        """The folder of a run that has not started."""
        result = self("seal", self.plan(text), *self.where)
        assert result.exit_code == 0, result.output
        return Path(result.stdout.strip())


@pytest.fixture
def place(tmp_path: Path) -> Place:
    signing_keys.generate(tmp_path / "key.pem")
    signing_keys.generate(tmp_path / "stranger.pem")
    (tmp_path / "fakefish").write_text(FAKE_ENGINE)
    (tmp_path / "fakefish").chmod(0o755)
    return Place(tmp_path)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of the tiny plan, as `agzamov run` makes it; the key is beside its folder."""
    folder = tmp_path_factory.mktemp("made")
    signing_keys.generate(folder / "key.pem")
    place = Place(folder)
    result = place("run", place.plan(TINY), *place.how, "--json")
    assert result.exit_code == 0, result.output
    return Path(json.loads(result.stdout)["bundle"])


def error_of(result: Result, code: int) -> str:
    """The one line that a failed command says."""
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == code, result.output
    lines = result.stderr.splitlines()
    if lines and lines[0].startswith("run: "):
        lines = lines[1:]
    assert len(lines) == 1, lines
    assert lines[0].startswith("error: ")
    return lines[0].removeprefix("error: ")


# --- help ----------------------------------------------------------------------------------------


def commands(group: click.Group, name: str) -> Iterator[tuple[str, click.Command]]:
    """Every command of a tree, by what a person types."""
    context = click.Context(group)
    for part in group.list_commands(context):
        command = group.get_command(context, part)
        assert command
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {part}")
        else:
            yield f"{name} {part}", command


ALL = [*commands(main, "agzamov"), *commands(verify_cli.main, "agzamov-verify")]


@pytest.mark.parametrize(("name", "command"), ALL, ids=[name for name, _ in ALL])
def test_the_help_of_a_command_names_every_option_and_its_exit_codes(name: str, command: click.Command) -> None:
    group = main if name.startswith("agzamov ") else verify_cli.main
    shown = CliRunner().invoke(group, [*name.split()[1:], "--help"])
    said = " ".join(shown.output.split())
    options = [option for option in command.params if isinstance(option, click.Option)]
    assert shown.exit_code == 0
    assert all(option.help for option in options), "an option without a help text"
    assert [opt for option in options for opt in option.opts if opt not in said] == []
    assert re.search(r"Exit codes?\b", said), "say which exit code means what"


def test_the_help_of_agzamov_lists_every_command_once_under_what_people_do_and_cuts_nothing() -> None:
    shown = CliRunner().invoke(main, ["--help"], terminal_width=80).output
    listed = re.findall(r"^  ([a-z0-9-]+) {2,}\S", shown.partition("Begin:")[2], re.MULTILINE)
    assert sorted(listed) == sorted(main.list_commands(click.Context(main)))
    assert "\nCommands:" not in shown, "name a new command in SECTIONS"
    assert "..." not in shown.partition("Begin:")[2]
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("group", [main, verify_cli.main], ids=["agzamov", "agzamov-verify"])
def test_the_help_of_a_program_says_of_each_command_what_the_command_says(group: Program) -> None:
    context = click.Context(group)
    for rows in group.sections.values():
        for name, row in rows.items():
            command = group.get_command(context, name)
            assert command
            assert row.summary == first_sentence(command), name


def test_without_the_image_builder_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    class Absent:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            if name.partition(".")[0] == "agzamov_images":
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    for name in [name for name in sys.modules if name.partition(".")[0] == "agzamov_images"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Absent, *sys.meta_path])
    result = CliRunner().invoke(main, ["images", "list"])
    missing = "the image builder is not installed; type: make builder (in a clone), or: pip install agzamov-images"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {missing}\n")
    assert CliRunner().invoke(main, ["--help"]).exit_code == 0


HELPS = ("--help", "--version", "run --help", "resume --help", "seal --help", "pack --help", "plan --help")
LOADED = """
import sys
before = set(sys.modules)
from {}.cli import main
main(sys.argv[1:], standalone_mode=False)
names = set(name.partition(".")[0] for name in sys.modules.keys() - before)
print(*sorted(names - sys.stdlib_module_names))
"""


@pytest.mark.parametrize(
    ("package", "words"), [*(("agzamov_harness", words) for words in HELPS), ("agzamov_verify", "--help")]
)
def test_this_help_imports_click_and_no_other_library(package: str, words: str) -> None:
    """What makes it answer at once: how long it takes is measured in bench/start.py."""
    command = [sys.executable, "-c", LOADED.format(package), *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    assert set(done.stdout.splitlines()[-1].split()) == {package, "agzamov_verify", "click"}


@pytest.mark.parametrize(
    ("command", "action"), [(one, one.callback) for _, one in ALL if isinstance(one.callback, Action)]
)
def test_what_carries_a_command_out_takes_its_options(command: click.Command, action: Action) -> None:
    taken = signature(action.function).parameters
    given = [parameter.name for parameter in command.params if parameter.expose_value]
    others = [name for name, one in taken.items() if one.kind is Parameter.VAR_KEYWORD]
    assert taken.keys() - others <= set(given)
    assert others or taken.keys() == set(given)


def test_an_interrupted_command_ends_with_the_shells_code_and_not_with_a_failed_check(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor_of, "examine", interrupted)
    result = place("doctor")
    assert (result.exit_code, result.stderr) == (130, "error: interrupted\n")


def test_the_page_of_commands_has_a_row_for_every_command_and_no_others() -> None:
    rows = re.findall(r"^\| `(agzamov [a-z0-9 -]+)` \|", (ROOT / "docs" / "commands.md").read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(name for name, _ in ALL if name.startswith("agzamov "))


@pytest.mark.parametrize(
    "page", ["README.md", "docs/commands.md", "docs/formats/bundle.md", "docs/architecture.md", "CHANGELOG.md"]
)
def test_a_page_names_no_command_or_option_that_is_not_there(page: str) -> None:
    text = (ROOT / page).read_text()
    known = {name: command for name, command in ALL}  # noqa: C416 - a dict, for its keys
    for name, rest in re.findall(r"(agzamov(?:-verify)? [a-z0-9-]+)((?: +[^\s`|]+)*)", text):
        command = known.get(name)
        if command is None:
            assert not name.startswith("agzamov-verify "), name
            continue
        options = {opt for option in command.params for opt in option.opts}
        assert [word for word in rest.split() if word.startswith("--") and word not in options] == [], name


@pytest.mark.parametrize("group", [main, verify_cli.main], ids=["agzamov", "agzamov-verify"])
def test_a_command_says_its_version(group: click.Group) -> None:
    assert re.search(r"version \d+\.\d+\.\d+(\.dev\d+)?$", CliRunner().invoke(group, ["--version"]).output.strip())


# --- keygen, doctor ------------------------------------------------------------------------------


def test_keygen_prints_the_keys_id_and_refuses_a_file_that_is_there(place: Place) -> None:
    path = place.path / "new.pem"
    made = place("keygen", path)
    assert (made.exit_code, made.stderr) == (0, "")
    named = re.escape(str(path))
    wanted = rf"private key  {named} \(keep it secret\)\npublic key   {named}\.pub, key [0-9a-f]{{64}}\n"
    assert re.fullmatch(wanted, made.stdout)
    assert error_of(place("keygen", path), 2).startswith(f"{path}: this key is there already and was kept; ")


def test_a_public_key_in_the_place_of_a_private_one_is_told_with_the_private_ones_file(place: Place) -> None:
    path = place.path / "mine.pem"
    place("keygen", path)
    wanted = f"{path}.pub: expected an unencrypted private key in PEM or OpenSSH form"
    with pytest.raises(signing_keys.KeyFault) as beside:
        signing_keys.load(path.with_name("mine.pem.pub"))
    assert str(beside.value) == f"{wanted}, found a public key; the private one is beside it: {path}"
    path.rename(place.path / "elsewhere.pem")
    with pytest.raises(signing_keys.KeyFault) as alone:
        signing_keys.load(path.with_name("mine.pem.pub"))
    assert str(alone.value) == f"{wanted}, found a public key; give the private one that belongs to it"
    path.write_text("no key\n")
    with pytest.raises(signing_keys.KeyFault, match=r"OpenSSH form$"):
        signing_keys.load(path)


def test_keygen_where_nothing_can_be_written_is_wrong_use_and_not_a_stopped_run(place: Place) -> None:
    blocked = place.path / "key.pem" / "new.pem"
    assert error_of(place("keygen", blocked), 2) == f"{place.path}/key.pem: File exists"


def test_doctor_exits_with_0_whatever_it_finds_and_its_json_is_canonical(place: Place) -> None:
    told = place("doctor", "--key", place.path / "none.pem", "--engine", "/no/such/engine")
    assert (told.exit_code, told.stderr) == (0, "")
    assert "MISSING  key" in told.stdout
    assert f"agzamov keygen {place.path / 'none.pem'}" in told.stdout
    found = place("doctor", *place.key, "--engine", "/no/such/engine", "--json")
    abilities = {ability["name"]: ability["ok"] for ability in canonical(found)}
    assert (abilities["key"], abilities["engine"]) == (True, False)


# --- seal, run, resume ---------------------------------------------------------------------------


@pytest.mark.slow
def test_seal_prints_the_folder_of_a_run_that_resume_plays(place: Place) -> None:
    folder = place.sealed()
    there = [
        "executions",
        "journal",
        "judged",
        "manifest.json",
        "manifest.sha256",
        "manifest.sig",
        "notes",
        "secret",
        "source.json",
    ]
    assert sorted(path.name for path in folder.iterdir()) == there
    played = place("resume", folder, *place.key, "--out", place.path / "bundles")
    assert played.exit_code == 0
    assert played.stdout.splitlines()[-1] == f"bundle: {place.path / 'bundles' / folder.name}"


@pytest.mark.parametrize("of", ["--runs", "--key", "plan"])
def test_a_path_that_is_no_utf8_is_refused_before_anything_is_sealed(of: str, place: Place) -> None:
    odd = place.path / os.fsdecode(b"d\xff")
    odd.mkdir()
    plan = place.plan(TINY)
    paths = {"--runs": place.path / "runs", "--key": place.path / "key.pem", "plan": plan}
    if of != "--runs":
        shutil.copy(paths[of], odd)
    paths[of] = odd / paths[of].name
    found = place("seal", paths["plan"], "--key", paths["--key"], "--runs", paths["--runs"])
    assert (found.exit_code, len(found.stderr.splitlines())) == (2, 1)
    assert "d\\udcff" in found.stderr
    assert "expected a path in UTF-8" in found.stderr
    assert list(place.path.rglob("manifest.json")) == []


@pytest.mark.parametrize("name", ["source.json", "secret"])
def test_a_broken_file_of_a_run_is_named(name: str, place: Place) -> None:
    folder = place.sealed()
    (folder / name).write_text("broken")
    found = place("resume", folder, *place.key)
    assert (found.exit_code, f"expected the folder of a sealed run ({name}: " in found.stderr) == (2, True)


def test_a_run_that_is_not_played_to_its_end_is_packed_after_the_command_that_goes_on(place: Place) -> None:
    folder = place.sealed()
    found = place("pack", folder, *place.key)
    assert found.exit_code == 4
    assert f"is not played to its end; go on with: agzamov resume {folder}" in found.stderr


@pytest.mark.slow
def test_run_prints_its_figures_its_folder_and_its_bundle(place: Place) -> None:
    result = place("run", place.plan(TINY), *place.how)
    run = re.fullmatch(r"run: (.*/[0-9a-f]{16})\n", result.stderr)
    assert result.exit_code == 0
    assert run, "where the run is kept, at once, and nothing more where there is no terminal"
    assert result.stdout.splitlines()[0].startswith("Result     No result: every player met only itself")
    assert "\nMeasured   agent (scripted reference player) against itself: 2 games" in result.stdout
    row = r"^Phase 1, Chess960, agent v itself +2 games(, 1 distinct)? +baseline +0\.0 %$"
    assert re.search(row, result.stdout, re.MULTILINE), "one row for each match; its games may be the same by chance"
    assert re.search(r"^Next +agzamov report[^$]*? agzamov verify", result.stdout, re.MULTILINE), "what speaks first"
    assert result.stdout.splitlines()[-1] == f"bundle: {place.path / 'bundles' / Path(run[1]).name}"


@pytest.mark.slow
def test_runs_json_is_canonical_and_names_bundle_and_claims(place: Place) -> None:
    outcome = canonical(place("run", place.plan(TINY), *place.how, "--json"))
    assert sorted(outcome) == ["bundle", "claims", "failed_gates", "run"]
    assert (Path(outcome["bundle"]).name, outcome["claims"][f"{CHESS}/games"]) == (outcome["run"], "2")


@pytest.mark.slow
def test_a_finished_run_can_be_packed_again_and_nothing_is_played_twice(place: Place) -> None:
    folder = place.sealed()
    claims = [
        canonical(place("resume", folder, *place.key, "--out", place.path / name, "--json"))["claims"]
        for name in ("one", "other")
    ]
    assert claims[0] == claims[1]


@pytest.mark.parametrize("command", ["seal", "run"])
def test_another_engine_than_the_protocols_seals_no_run(place: Place, command: str) -> None:
    told = error_of(place(command, place.plan(JUDGED), *place.where, "--engine", place.path / "fakefish"), 2)
    assert told == f"expected Stockfish 15.1 at {place.path / 'fakefish'}, found Fakefish 1"
    assert not (place.path / "runs").exists()


def test_a_seat_of_stockfish_needs_no_adjudication_to_be_given_an_engine(place: Place) -> None:
    text = TINY.replace("kind: reference", "kind: stockfish, nodes: 50, skill: 1").partition(
        "  - {phase: 1, game: hold"
    )
    result = place("run", place.plan(text[0]), *place.how, "--engine", "/no/such/engine")
    assert error_of(result, 2).startswith("no engine at /no/such/engine")
    wrong = place("run", place.plan(text[0]), *place.how, "--engine", place.path / "fakefish")
    assert error_of(wrong, 2).endswith("found Fakefish 1")
    assert not (place.path / "runs").exists(), "it was found out when the run had been sealed"
    if ENGINE:
        assert place("run", place.plan(text[0]), *place.how).exit_code == 0


def test_a_world_that_does_not_answer_stops_the_run_with_4_and_says_how_to_go_on(place: Place) -> None:
    with Peer([answers({"data": [{"id": "m"}]})], then=drops) as peer:
        result = place("run", place.plan(DEAD.replace("http://127.0.0.1:1/v1", peer.url)), *place.how)
        folder = result.stderr.splitlines()[0].removeprefix("run: ")
        told = error_of(result, 4)
        assert told.endswith(f"; go on with: agzamov resume {folder} --out {place.path}/bundles")
        assert error_of(place("resume", folder, "--out", place.path / "bundles"), 4) == told


def test_a_world_that_never_answered_seals_nothing(place: Place) -> None:
    assert error_of(place("run", place.plan(DEAD), *place.how), 2).endswith(
        "Connection refused; no server listens there; nothing was sealed"
    )
    assert not (place.path / "runs").exists()


@pytest.mark.parametrize("command", ["run", "resume"])
def test_a_place_where_no_bundle_can_be_written_is_noticed_before_the_first_game(place: Place, command: str) -> None:
    (place.path / "bundles").write_text("a file in the way")
    what = place.plan(TINY) if command == "run" else place.sealed()
    sealed_before = sorted((place.path / "runs").glob("*"))
    told = error_of(
        place(command, what, *(place.where if command == "run" else ()), "--out", place.path / "bundles"), 2
    )
    assert told == (
        f"{place.path}/bundles: the bundle cannot be written there (File exists); choose another folder with --out"
    )
    assert sorted((place.path / "runs").glob("*")) == sealed_before, "nothing is sealed for a run that cannot end"
    assert not list(place.path.glob("runs/*/journal/*")), "and nothing is played"


def test_a_disk_that_is_full_at_the_end_stops_the_run_with_4_and_keeps_every_answer(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device", "bundles/x")

    folder = place.sealed()
    with monkeypatch.context() as patch:
        patch.setattr(play_and_pack, "pack", full)
        told = error_of(place("resume", folder, "--out", place.path / "bundles"), 4)
    assert told == (
        "bundles/x: No space left on device; nothing recorded was lost; go on with:"
        f" agzamov resume {folder} --out {place.path}/bundles"
    )
    assert place("resume", folder, "--out", place.path / "elsewhere").exit_code == 0


# --- the key of a run, and commands that can be typed -------------------------------------------


def test_a_run_knows_its_key_and_no_bundle_knows_where_it_is(place: Place) -> None:
    folder = place.sealed()
    result = place("resume", folder, "--out", place.path / "bundles")
    assert result.exit_code == 0, result.output
    names = [path for path in (place.path / "bundles").rglob("*") if path.is_file()]
    assert names
    assert [path for path in names if b"key.pem" in path.read_bytes()] == []


def test_a_key_that_was_moved_is_asked_for(place: Place) -> None:
    folder = place.sealed()
    moved = (place.path / "key.pem").rename(place.path / "moved.pem")
    told = error_of(place("resume", folder, "--out", place.path / "bundles"), 2)
    assert told == (
        f"{place.path}/key.pem: the key that sealed this run is no longer there; give its new place by --key"
    )
    assert place("resume", folder, "--key", moved, "--out", place.path / "bundles").exit_code == 0


@pytest.mark.slow
def test_without_a_key_run_says_what_to_type_and_it_can_be_typed(place: Place) -> None:
    place.plan(QUICK)
    here = {**os.environ, "HOME": str(place.path), "XDG_CONFIG_HOME": str(place.path / "config")}

    def typed(command: str, code: int = 0) -> str:
        done = subprocess.run(
            shlex.split(command),
            cwd=place.path,
            env=here,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done.stderr

    told = typed(f"{COMMAND} run plan.yaml", 2)
    missing = place.path / "config" / "agzamov" / "submitter.pem"
    assert told == f"error: {missing}: no key is there; make one with: {COMMAND} keygen\n"
    typed(told.strip().partition("make one with: ")[2])
    typed(f"{COMMAND} run plan.yaml")


@pytest.mark.parametrize(
    ("started", "path", "typed"),
    [
        (".venv/bin/agzamov", "", ".venv/bin/agzamov"),
        ("{here}/.venv/bin/agzamov", "", ".venv/bin/agzamov"),
        ("{here}/.venv/bin/agzamov", "{here}/.venv/bin", "agzamov"),
        ("/elsewhere/bin/agzamov", "", "/elsewhere/bin/agzamov"),
        ("./agzamov", "", "./agzamov"),
        ("gone/agzamov", "{here}/.venv/bin", "gone/agzamov"),
        ("/usr/bin/pytest", "", "agzamov"),
    ],
)
def test_a_command_that_is_advised_is_spelled_as_the_program_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: str, path: str, typed: str
) -> None:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "agzamov").touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path.format(here=tmp_path) or "/nowhere")
    monkeypatch.setattr(sys, "argv", [started.format(here=tmp_path), "run"])
    assert as_typed("stopped; go on with: agzamov resume runs/x") == f"stopped; go on with: {typed} resume runs/x"
    assert (
        as_typed("see agzamov-verify, runs/agzamov or an agzamov") == "see agzamov-verify, runs/agzamov or an agzamov"
    )


@pytest.mark.slow
def test_a_stopped_run_names_a_command_that_goes_on_with_it_when_typed(place: Place) -> None:
    def stopped(*command: object) -> str:
        done = subprocess.run(
            list(map(str, command)), cwd=place.path, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        assert done.returncode == 4, done.stderr
        return done.stderr.splitlines()[-1].partition("go on with: ")[2]

    with Peer([answers({"data": [{"id": "m"}]})], then=drops) as peer:
        place.plan(DEAD.replace("http://127.0.0.1:1/v1", peer.url))
        advised = stopped(COMMAND, "run", "plan.yaml", "--key", "key.pem", "--runs", "my runs", "--out", "my bundles")
        (folder,) = (place.path / "my runs").iterdir()
        assert shlex.split(advised)[1:] == ["resume", f"my runs/{folder.name}", "--out", "my bundles"]
        assert stopped(*shlex.split(advised)) == advised


def test_seal_says_on_standard_error_what_to_do_next(place: Place) -> None:
    result = place("seal", place.plan(TINY), *place.where)
    assert result.stderr == f"play it with: agzamov resume {result.stdout.strip()}\n"


def test_a_run_that_another_process_has_is_left_alone(place: Place) -> None:
    folder = place.sealed()
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = error_of(place("resume", folder, *place.key), 2)
    assert told == f"{folder}: another process is running this run"


def test_the_workers_of_a_killed_process_are_waited_for_while_they_end(place: Place) -> None:
    folder = place.sealed()
    lock = (folder / "lock").open("a")
    fcntl.flock(lock, fcntl.LOCK_EX)
    threading.Timer(0.5, lock.close).start()
    assert place("resume", folder, *place.key, "--out", place.path / "bundles").exit_code == 0


@pytest.mark.slow
def test_no_other_process_can_go_on_with_a_run_while_it_is_packed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = place.sealed()
    told = []

    def busy(directory: RunDirectory, blocks: Blocks, key: Ed25519PrivateKey, out: Path) -> Packed:
        told.append(error_of(place("resume", folder, *place.key), 2))
        return pack(directory, blocks, key, out)

    monkeypatch.setattr(play_and_pack, "pack", busy)
    assert place("resume", folder, *place.key, "--out", place.path / "bundles").exit_code == 0
    assert told == [f"{folder}: another process is running this run"]


def test_the_key_that_sealed_a_run_is_the_only_one_that_can_go_on_with_it(place: Place) -> None:
    told = error_of(place("resume", place.sealed(), "--key", place.path / "stranger.pem"), 2)
    key = "[0-9a-f]{16}"
    sentence = rf".*/stranger\.pem: expected the key {key} that sealed this run, found {key}; give that key by --key"
    assert re.fullmatch(sentence, told)


def test_a_journal_that_is_gone_is_not_said_to_be_whole(place: Place) -> None:
    """The advice to go on began with "nothing recorded was lost"."""
    folder = place.sealed()
    shutil.rmtree(folder / "journal")
    told = error_of(place("resume", folder, *place.key), 4)
    assert "No such file or directory; go on with: agzamov resume" in told


@pytest.mark.slow
def test_a_journal_that_was_changed_is_refused_with_1_and_its_entry(place: Place) -> None:
    folder = place.sealed()
    assert place("resume", folder, *place.key, "--out", place.path / "bundles").exit_code == 0
    journal = folder / "journal" / f"{CHESS}-b00000" / "000000.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"MOVE: ", b"MOVE:  ", 1))
    told = error_of(place("resume", folder, *place.key), 1)
    assert told.startswith(f"{CHESS}-b00000 entry 1: expected prev ")
    assert told.endswith("; the journal was changed since it was recorded: start a new run")


def test_a_secret_that_was_changed_is_refused(place: Place) -> None:
    folder = place.sealed()
    (folder / "secret").write_text("00" * 32)
    told = error_of(place("resume", folder, *place.key), 2)
    assert told == f"{folder}/secret: expected the secret that the manifest commits to, found another"


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "plan: expected keys and values, found nothing"),
        ("title: [", "line 1 column 8: expected ']' after the last entry"),
        (TINY + "sets: 1\n", "plan: unknown key 'sets'; did you mean seats? known keys are "),
        (TINY.replace("games: 2", "games: 3"), "matches[0]: expected even games and block_games"),
    ],
)
@pytest.mark.parametrize("command", ["seal", "run"])
def test_a_wrong_plan_is_one_line_and_2_and_leaves_nothing_behind(
    place: Place, command: str, text: str, told: str
) -> None:
    plan = place.plan(text)
    assert error_of(place(command, plan, *place.where), 2).startswith(f"{plan}: {told}")
    assert not (place.path / "runs").exists()


def test_a_file_that_is_no_plan_is_named_with_what_was_expected(place: Place) -> None:
    page = place.path / "README.md"
    page.write_text("# A page\n\nNot a plan: a page.\n")
    told = error_of(place("run", page, *place.how), 2)
    assert told.startswith(f"{page}: expected a plan in YAML, begin from one in manifests/; ")


def test_each_fault_of_a_plan_has_its_own_line(place: Place) -> None:
    text = TINY.replace("games: 2", "games: 3").replace("hands: 2,", "hands: 3,")
    result = place("seal", place.plan(text), *place.where)
    assert [line.split(":")[0] for line in result.stderr.splitlines()] == ["error", "error"]


@pytest.mark.parametrize("command", ["seal", "run"])
def test_a_missing_key_or_engine_is_one_line_and_2(place: Place, command: str) -> None:
    missing = place.path / "none.pem"
    told = error_of(place(command, place.plan(TINY), "--key", missing, "--runs", place.path / "runs"), 2)
    assert told == f"{missing}: no key is there; make one with: agzamov keygen {missing}"
    told = error_of(place(command, place.plan(JUDGED), *place.where, "--engine", "/no/such/engine"), 2)
    assert told.startswith("no engine at /no/such/engine; install Stockfish 15.1")
    assert not (place.path / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "none.yaml"], "File 'none.yaml' does not exist;"),
        (["run", "."], "File '.' is a directory;"),
        (["resume", "none"], "Directory 'none' does not exist;"),
        (["verify", "none"], "Path 'none' does not exist;"),
        (["show", "none"], "Path 'none' does not exist;"),
        (["verify", ".", "--jobs", "0"], "0 is not in the range 1<=x<=256;"),
        (["verify", ".", "--sample", "1001"], "1001 is not in the range 0<=x<=1000;"),
        (["serve-reference", "--fault", "429"], "expected KIND@N with N from 1, found '429'"),
        (["serve-reference", "--fault", "teapot@3"], "no_choices, truncated, found 'teapot'"),
        (["serve-reference", "--port", "99999"], "99999 is not in the range 0<=x<=65535;"),
        (["run"], "error: missing argument 'PLAN';"),
        (["juggle"], "error: no such command 'juggle'"),
        (["run", "--fast"], "--fast"),
    ],
)
def test_wrong_use_is_2_and_one_line_says_what_is_wrong(
    arguments: Sequence[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert told in line
    assert re.search(r"; see agzamov( [a-z0-9-]+)? --help$", line)


def test_a_folder_that_holds_no_run_is_2(place: Place) -> None:
    told = error_of(place("resume", place.path, *place.key), 2)
    assert told == (
        f"{place.path}: expected the folder of a sealed run ({place.path / 'manifest.json'}: No such file or directory)"
    )


def test_an_address_that_is_taken_is_2(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = error_of(place("serve-reference", "--port", port), 2)
    advice = "choose another with --host or --port, 0 takes a free one"
    assert told == f"127.0.0.1:{port}: Address already in use; {advice}"


# --- verify and show -----------------------------------------------------------------------------


def test_verify_exits_with_0_at_v1_and_its_json_is_canonical(bundle: Path) -> None:
    key = bundle.parents[1] / "key.pem.pub"
    told = CliRunner().invoke(main, ["verify", str(bundle), "--key", str(key)])
    cost = r"journals of [\d,]+ bytes, compressed, in \d+ files to replay\n"
    seats = r"\d+ replies of reference players to compute again\n"
    assert told.exit_code == 0
    assert re.fullmatch(cost + seats, told.stderr), "what the check costs, and nothing else"
    assert "The record is consistent: level V1" in told.stdout
    verdict = canonical(CliRunner().invoke(main, ["verify", str(bundle), "--json"]))
    assert (verdict["level"], verdict["findings"]) == ("V1", [])


def test_both_commands_that_verify_say_the_same(bundle: Path) -> None:
    light = CliRunner().invoke(verify_cli.main, ["check", str(bundle)]).output
    full = CliRunner().invoke(main, ["verify", str(bundle)]).output
    as_full = light.replace("agzamov-verify check", "agzamov verify").replace("agzamov-verify", "agzamov")
    plain = [text.replace("\\", "").split() for text in (as_full, full)]
    assert plain[0] == plain[1], "the same but for what to type next"


def test_verify_exits_with_1_when_another_key_signed(bundle: Path, place: Place) -> None:
    result = place("verify", bundle, "--key", place.path / "stranger.pem.pub")
    assert result.exit_code == 1
    assert "step 3 data/submitter.pem: expected a signature by the key that you gave, " in " ".join(
        result.stdout.split()
    )


def test_verify_and_show_exit_with_1_at_a_broken_bundle(bundle: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(bundle, tmp_path / "broken"))
    (broken / "data" / "manifest.json").write_text("{}")
    assert CliRunner().invoke(main, ["verify", str(broken)]).exit_code == 1
    told = error_of(CliRunner().invoke(main, ["show", str(broken)]), 1)
    assert told.startswith("step 2 data/manifest.json: expected sha256 ")


@pytest.mark.parametrize("what", ["an empty folder", "a text file", "an empty file", "a FIFO"])
def test_what_is_no_bundle_at_all_is_a_finding_and_never_an_exception(tmp_path: Path, what: str) -> None:
    path = tmp_path / "it"
    match what:
        case "an empty folder":
            path.mkdir()
        case "a text file":
            path.write_text("no bundle")
        case "an empty file":
            path.touch()
        case _:
            os.mkfifo(path)
    for command in ("verify", "show"):
        result = CliRunner().invoke(main, [command, str(path)])
        assert isinstance(result.exception, SystemExit)
        assert result.exit_code in (1, 2)
        assert "Traceback" not in result.output


@pytest.mark.slow
def test_verify_exits_with_3_when_an_engine_is_missing_or_another(place: Place) -> None:
    if not ENGINE:
        pytest.skip("no engine here")
    made = canonical(place("run", place.plan(JUDGED), *place.how, "--engine", ENGINE, "--json"))["bundle"]
    assert place("verify", made, "--engine", ENGINE).exit_code == 0
    missing = place("verify", made, "--details", "--engine", "/no/such/engine")
    other = place("verify", made, "--details", "--engine", place.path / "fakefish")
    assert (missing.exit_code, other.exit_code) == (3, 3)
    told_missing, told_other = (" ".join(one.stdout.split()) for one in (missing, other))
    assert "Everything that could be checked here holds. Not checked: engine (step 9:" in told_missing
    assert " 9 engine NOT CHECKED (no engine at /no/such/engine" in told_missing
    assert " 9 engine NOT CHECKED (expected Stockfish 15.1 at " in told_other


def test_verify_refuses_a_key_that_is_none(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("no key")
    result = CliRunner().invoke(main, ["verify", str(bundle), "--key", str(tmp_path / "key")])
    assert result.exit_code == 2
    assert "expected a public key in PEM" in result.stderr


def test_show_gives_figures_and_the_name_of_a_game_and_the_game(bundle: Path) -> None:
    told = CliRunner().invoke(main, ["show", str(bundle)])
    assert (told.exit_code, told.stderr) == (0, "")
    assert told.stdout.startswith(f'Title      "Tiny"\nRun        {bundle.name}, signed by key ')
    assert f"--game {GAME}" in " ".join(told.stdout.replace("\\", "").split())
    game = CliRunner().invoke(main, ["show", str(bundle), "--game", GAME, "--prompts"])
    assert game.exit_code == 0
    assert game.stdout.count("== agent answers") == 4
    assert canonical(CliRunner().invoke(main, ["show", str(bundle), "--json"]))["run"] == bundle.name


@pytest.mark.parametrize("game", ["g00000", f"{CHESS}-g00009", f"{CHESS}-gX", f"{CHESS}-g", "\x1b[31m"])
def test_a_game_that_is_not_there_is_2_and_the_names_there_are(bundle: Path, game: str) -> None:
    told = error_of(CliRunner().invoke(main, ["show", str(bundle), "--game", game]), 2)
    assert told.startswith("no game ")
    assert told.endswith("; show --games lists them")
    assert "\x1b" not in told


def test_a_game_of_a_match_that_phase_0_stopped_is_2_and_not_a_broken_bundle(place: Place) -> None:
    made = canonical(place("run", place.plan(STOPPED), *place.how, "--json"))["bundle"]
    told = error_of(place("show", made, "--game", "p1-holdem-naked-agent-h0000000"), 2)
    assert told.endswith(" in this bundle: Phase 0 failed, so its match was not played")
    assert place("verify", made).exit_code == 0


# --- as a process --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_in_a_pipe_shows_no_progress(place: Place) -> None:
    ran = subprocess.run(
        [COMMAND, "run", place.plan(QUICK), *place.how], capture_output=True, text=True, timeout=TIMEOUT_S, check=True
    )
    assert re.fullmatch(r"run: .*\n", ran.stderr)
    assert "\x1b" not in ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--quiet",)], ids=["plain", "quiet"])
def test_progress_is_shown_on_a_terminal_unless_it_is_unwanted(place: Place, options: tuple[str, ...]) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [COMMAND, "run", place.plan(QUICK), *place.how, *options], stdout=subprocess.DEVNULL, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = read_terminal(ours)
        assert process.wait(TIMEOUT_S) == 0
    assert (b" calls" in shown or b"waiting for the first answer" in shown) == (not options)
    assert shown.startswith(b"run: ")


def test_the_codes_in_the_modules_first_lines_are_the_codes_in_use() -> None:
    assert cli.__doc__
    assert verify_cli.__doc__
    codes = [exit_status.EXIT_FAILED, exit_status.EXIT_USAGE, check_command.EXIT_NOT_CHECKED, exit_status.EXIT_STOPPED]
    assert re.findall(r"\b(\d) ", cli.__doc__) == ["0", *map(str, codes)]
    assert (check_command.EXIT_FAILED, check_command.EXIT_USAGE) == (exit_status.EXIT_FAILED, exit_status.EXIT_USAGE)


# --- small helpers -------------------------------------------------------------------------------


def canonical(result: Result) -> dict[str, object] | list[dict[str, object]]:
    """The JSON that a command printed, which must be canonical but for its ASCII escapes, and all that it printed."""
    assert result.exit_code in (0, 1), result.output
    line = result.stdout.removesuffix("\n")
    value = json.loads(line)
    assert line in (canon.ascii_text(value), canon.dumps(value).decode())
    return value  # type: ignore[no-any-return]


def read_terminal(ours: int) -> bytes:
    shown = b""
    try:
        while data := os.read(ours, 4096):
            shown += data
    except OSError:
        pass  # the other end was closed
    os.close(ours)
    return shown


WITHOUT_EXAMPLE = (
    "agzamov plan",
    "agzamov init",
    "agzamov watch",
    "agzamov protocol run",
    "agzamov images",
    "agzamov memory replay",
)
"""Of these the text itself says how they are typed, or a page."""


@pytest.mark.parametrize(("name", "command"), ALL, ids=[name for name, _ in ALL])
def test_the_help_of_a_command_has_an_example_with_options_that_there_are(name: str, command: click.Command) -> None:
    if name.startswith(WITHOUT_EXAMPLE):
        return
    typed = (command.help or "").partition("Example: ")[2].partition("\n\n")[0]
    words = shlex.split(typed)
    assert words[: len(name.split())] == name.split(), "give an example as it can be typed"
    options = {opt for option in command.params for opt in option.opts}
    assert [word for word in words if word.startswith("--") and word != "--" and word not in options] == []
