"""The keeper's script in a real git repository with a remote, and the workflow that calls it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import yaml
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.registry import request_admission
from agzamov_verify.commands.trust_options import now_s
from agzamov_verify.registration.beacon import QUICKNET
from agzamov_verify.registration.log_entry import Read, read_entry
from agzamov_verify.transparency_log.folder_log import FolderLog
from registration.registered_run import World

KEEPER: Final = Path(__file__).parents[2] / "docs" / "log-keeper"
PROGRAM: Final = Path(sys.executable).with_name("agzamov")
CLEAN: Final = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_AUTHOR_NAME": "n"}
WHO: Final = {"GIT_AUTHOR_EMAIL": "n@localhost", "GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "n@localhost"}


class Repository(NamedTuple):
    """A log's repository, its remote, and somebody who registers runs."""

    world: World
    clone: Path

    def git(self, *words: str, where: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *words],
            cwd=where or self.clone,
            env={**os.environ, **CLEAN, **WHO},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def script(self, *words: str, code: int = 0, key: str = "log.pem", **env_more: str) -> str:
        """What the script prints; a secret as GitHub gives it."""
        pem = (self.world.folder / key).read_text()
        env = {**os.environ, **CLEAN, "AGZAMOV": str(PROGRAM), "LOG_KEY_PEM": pem, **env_more}
        command = ["sh", str(KEEPER / "append-requests.sh"), words[0], str(self.clone), *words[1:]]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == code, (done.stdout, done.stderr)
        assert pem not in done.stdout + done.stderr
        return done.stdout + done.stderr

    def request(self, name: str, *options: object, round_s: int = 86_400) -> Path:
        """A request of a new run whose round comes out in so many seconds, in the working tree."""
        number = QUICKNET.round_after(now_s() + round_s)
        path = self.clone / "requests" / name
        self.world.register(path, *options, seed={"origin": "beacon", "value": f"quicknet/{number}"})
        return path

    def program(self, lines: str) -> str:
        """A program that does what the lines say, in which `agzamov` is the real one."""
        path = self.world.folder / "program"
        path.write_text(f'#!/bin/sh\nagzamov() {{ "{PROGRAM}" "$@"; }}\n{lines}\n')
        path.chmod(0o755)
        return str(path)

    def elsewhere(self) -> Path:
        """Another clone of the remote, as it is now."""
        self.git("clone", "--quiet", "remote", "other", where=self.world.folder)
        return self.world.folder / "other"

    def published(self) -> str:
        """The files of the remote's last commit."""
        return self.git("show", "--stat=200", "--format=%s", "main", where=self.world.folder / "remote")

    def commit(self, words: str) -> None:
        self.git("add", "--all", "--", ".", ":!log/.lock")
        self.git("commit", "--quiet", "--message", words)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keeper")
    world = World(folder)
    world.create()
    repository = Repository(world, folder / "clone")
    repository.git("init", "--quiet", "--bare", "--initial-branch=main", "remote", where=folder)
    repository.git("clone", "--quiet", "remote", "clone", where=folder)
    repository.git("switch", "--quiet", "--create", "main")
    shutil.copytree(world.log, repository.clone / "log")
    (repository.clone / "requests").mkdir()
    (repository.clone / "requests" / ".keep").touch()
    repository.commit("A log")
    repository.git("push", "--quiet", "--set-upstream", "origin", "main")
    return folder


@pytest.fixture
def repository(made: Path, tmp_path: Path) -> Repository:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    repository = Repository(World(tmp_path), tmp_path / "clone")
    repository.git("remote", "set-url", "origin", str(tmp_path / "remote"))
    return repository


@pytest.mark.slow
def test_a_request_is_checked_merged_appended_and_proved(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "asked")
    request = repository.request("mine.json")
    repository.commit("A request")
    assert repository.script("check", "main") == "may be merged: requests/mine.json\n"
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "asked")
    assert "requests/mine.json.tlog-proof" in repository.script("append", "--push")
    assert repository.script("append", "--push") == "nothing to append\n"
    published = repository.published()
    for name in ("requests/mine.json.tlog-proof", "log/checkpoint", "log/tile/0/000.p/1"):
        assert name in published
    assert ".lock" not in published
    run = next((repository.world.folder / "runs").iterdir())
    repository.world.call("register", "proof", run, request.with_name("mine.json.tlog-proof"))
    assert list(FolderLog(repository.clone / "log").entries()) == [request.read_bytes()]


@pytest.mark.slow
def test_bad_requests_are_refused_with_the_reason_and_good_ones_appended(repository: Repository) -> None:
    good = repository.request("good.json")
    (repository.clone / "requests" / "bad.json").write_bytes(good.read_bytes().replace(b'"attempt":1', b'"attempt":2'))
    (repository.clone / "requests" / "copy.json").write_bytes(good.read_bytes())
    repository.request("twice.json")
    repository.commit("Requests")
    told = repository.script("append", code=1)
    assert "refused: expected requests/bad.json: a registration that the key in it signed" in told
    assert "does not fit" in (repository.clone / "requests" / "bad.json.refused").read_text()
    assert "registered twice" in (repository.clone / "requests" / "twice.json.refused").read_text()
    assert (repository.clone / "requests" / "copy.json.tlog-proof").is_file()
    assert len(list(FolderLog(repository.clone / "log").entries())) == 1
    assert repository.git("log", "-1", "--format=%s") == "Requests appended"
    assert repository.script("append") == "nothing to append\n"


def _edited_log(repository: Repository) -> None:
    (repository.clone / "log" / "checkpoint").write_text("forged")


def _link(repository: Repository) -> None:
    (repository.clone / "requests" / "link.json").symlink_to("../log/checkpoint")


def _named(name: str) -> Any:
    def write(repository: Repository) -> None:
        (repository.clone / "requests" / name).write_text("{}")

    return write


REFUSED: Final[dict[str, tuple[Any, str]]] = {
    "a change of the log": (_edited_log, "log/checkpoint: expected a new plain file"),
    "a link": (_link, "expected a new plain file, found a change, a link or a program"),
    "a proof of one's own": (_named("mine.json.tlog-proof"), "expected requests/NAME.json"),
    "a name with a space": (_named("a b.json"), "expected requests/NAME.json"),
    "a name of 101 characters": (_named("a" * 96 + ".json"), "and NAME.json of at most 100"),
    "a hidden name": (_named(".x.json"), "expected requests/NAME.json"),
    "a name that a terminal obeys": (_named("\x1b[2J.json"), "expected requests/NAME.json"),
    "no request": (_named("x.json"), "requests/x.json: a registration in canonical JSON"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_pull_request_with_one_defect_is_refused(repository: Repository, name: str) -> None:
    change, words = REFUSED[name]
    repository.git("switch", "--quiet", "--create", "asked")
    change(repository)
    repository.commit("A change")
    told = repository.script("check", "main", code=1)
    assert told.startswith("refused: ")
    assert words in told
    assert "\x1b" not in told


@pytest.mark.slow
def test_a_wrong_key_or_a_change_at_hand_refuses_nobody(repository: Repository) -> None:
    repository.request("good.json")
    assert "commit or undo your changes first" in repository.script("append", code=4)
    repository.commit("A request")
    assert "no request was refused for it" in repository.script("append", code=4, key="witness.pem")
    assert not list((repository.clone / "requests").glob("*.refused"))


def test_log_check_says_what_would_count_for_nothing(repository: Repository) -> None:
    good, log, world = repository.request("good.json"), repository.clone / "log", repository.world
    run = next((world.folder / "runs").iterdir())
    end = world.folder / "end.json"
    key = ("--key", world.folder / "submitter.pem")
    world.call("register", "abort", run, "--reason", "why", "--request", end, *key)
    world.call("log", "check", log, good, end, "--log-key", world.folder / "log.pem")
    late, twice = repository.request("late.json", round_s=-9), repository.request("twice.json", "--attempts", 2)
    unsigned = world.folder / "unsigned.json"
    unsigned.write_bytes(good.read_bytes().replace(b'"attempt":1', b'"attempt":2'))
    for requests, words in (
        ((end,), "the end of a run that this key did not register"),
        ((good, end, end), "a request that is not in the log yet"),
        ((late,), "out since"),
        ((good, twice), "promise different numbers of runs"),
        ((unsigned,), "does not fit"),
    ):
        done = CliRunner().invoke(main, ["log", "check", str(log), *map(str, requests)])
        assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
        assert words in done.stderr
    (log / "checkpoint").write_text("damaged")
    done = CliRunner().invoke(main, ["log", "append", str(log), str(good), "--log-key", str(world.folder / "log.pem")])
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)


@pytest.mark.slow
def test_a_branch_that_moved_on_is_left_as_it_was(repository: Repository) -> None:
    other = repository.elsewhere()
    (other / "page.md").write_text("x")
    repository.git("add", "--all", where=other)
    repository.git("commit", "--quiet", "--message", "Another", where=other)
    repository.request("good.json")
    repository.commit("A request")
    repository.git("push", "--quiet")
    repository.git("pull", "--quiet", "--rebase", where=other)
    before = repository.git("rev-parse", "HEAD")
    meanwhile = repository.program(f"""agzamov "$@"; code=$?; git -C '{other}' push --quiet; exit $code""")
    assert "moved on: nothing was published" in repository.script("append", "--push", code=4, AGZAMOV=meanwhile)
    assert repository.git("rev-parse", "HEAD") == before
    assert "moved on: nothing was signed" in repository.script("append", "--push", code=4)
    repository.git("pull", "--quiet", "--rebase")
    assert "requests/good.json.tlog-proof" in repository.script("append", "--push")


@pytest.mark.slow
def test_a_commit_that_was_not_pushed_is_pushed_by_the_next_start(repository: Repository) -> None:
    repository.request("good.json")
    repository.commit("A request")
    refusing = repository.world.folder / "remote" / "hooks" / "pre-receive"
    refusing.write_text('#!/bin/sh\nread -r old new name\n! git ls-tree -r "$new" | grep -q proof\n')
    refusing.chmod(0o755)
    assert "it is pushed first" in repository.script("append", "--push", code=4)
    signed = (repository.clone / "log" / "checkpoint").read_bytes()
    assert "cannot be pushed: nothing was signed" in repository.script("append", "--push", code=4)
    refusing.unlink()
    assert repository.script("append", "--push") == "pushed: 1 commits of before\nnothing to append\n"
    assert "log/checkpoint" in repository.published()
    assert (repository.clone / "log" / "checkpoint").read_bytes() == signed


@pytest.mark.slow
def test_no_second_checkpoint_is_signed_where_the_remote_has_another(repository: Repository) -> None:
    repository.request("good.json")
    repository.commit("A request")
    repository.git("push", "--quiet")
    theirs = Repository(repository.world, repository.elsewhere())
    repository.script("append")  # as if it was killed before it pushed
    theirs.script("append", "--push")
    log = repository.clone / "log" / "checkpoint"
    signed = log.read_bytes()
    repository.request("later.json")
    repository.commit("Another request")
    assert "2 commits here are not in it: nothing was signed" in repository.script("append", "--push", code=4)
    assert log.read_bytes() == signed


@pytest.mark.slow
def test_a_proof_that_cannot_be_written_holds_up_nobody(repository: Repository) -> None:
    victim = repository.request("victim.json")
    shutil.copyfile(victim, victim.with_name("a" * 240 + ".json"))
    shutil.copyfile(victim, victim.with_name("b.json"))
    (repository.clone / "requests" / "b.json.tlog-proof.making").mkdir()
    repository.commit("Requests that an older `check` took")
    told = repository.script("append", "--push", code=4)
    assert "left alone: a request with a name" in told
    assert "b.json.tlog-proof.making: Is a directory" in told
    assert "requests/victim.json.tlog-proof" in repository.published()
    (repository.clone / "requests" / "b.json.tlog-proof.making").rmdir()
    assert "requests/b.json.tlog-proof" in repository.script("append", "--push")
    assert len(list(FolderLog(repository.clone / "log").entries())) == 1


def test_a_program_that_breaks_off_refuses_and_commits_nothing(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "asked")
    repository.request("good.json")
    repository.commit("A request")
    before = repository.git("rev-parse", "HEAD")
    broken = repository.program("echo 'Traceback' >&2; exit 1")
    told = repository.script("append", code=4, AGZAMOV=broken)
    assert "broke off with exit code 1: no request was refused" in told
    assert "nothing to append" not in told
    told = repository.script("check", "main", code=4, AGZAMOV=broken)
    assert "Traceback" in told
    assert "broke off with exit code 1: nothing was checked" in told
    assert repository.git("rev-parse", "HEAD") == before


@pytest.mark.slow
@pytest.mark.parametrize("hidden", ["the base's .gitmodules", "the user's settings"])
def test_a_changed_submodule_is_seen_whatever_hides_it(repository: Repository, hidden: str) -> None:
    pins = [repository.git("rev-parse", commit) for commit in ("HEAD", "HEAD:log")]
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{pins[0]},agzamov")
    settings = repository.world.folder / "gitconfig"
    settings.write_text("[diff]\n  ignoreSubmodules = all\n" if hidden == "the user's settings" else "")
    if not settings.stat().st_size:
        modules = '[submodule "agzamov"]\n  path = agzamov\n  url = ./agzamov\n  ignore = all\n'
        (repository.clone / ".gitmodules").write_text(modules)
        repository.git("add", ".gitmodules")
    repository.git("commit", "--quiet", "--message", "The program")
    repository.git("switch", "--quiet", "--create", "asked")
    repository.request("good.json")
    repository.git("add", "requests")
    repository.git("commit", "--quiet", "--message", "A request")
    assert repository.script("check", "main", GIT_CONFIG_GLOBAL=str(settings)).startswith("may be merged")
    repository.git("update-index", "--cacheinfo", f"160000,{pins[1]},agzamov")
    repository.git("commit", "--quiet", "--message", "And another program")
    told = repository.script("check", "main", code=1, GIT_CONFIG_GLOBAL=str(settings))
    assert told.startswith("refused: agzamov: expected a new plain file")


def test_the_log_is_read_once_for_all_requests(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [repository.request(f"{one}.json", "--attempts", 4, "--attempt", one) for one in range(1, 5)]
    key = ("--log-key", repository.world.folder / "log.pem")
    repository.world.call("log", "append", repository.clone / "log", *paths[:2], *key)
    read = list[bytes]()

    def counted(data: bytes) -> Read:
        read.append(data)
        return read_entry(data)

    monkeypatch.setattr(request_admission, "read_entry", counted)
    for command in (("check",), ("append", "--refuse", *key)):
        read.clear()
        done = CliRunner().invoke(
            main, ["log", command[0], str(repository.clone / "log"), *map(str, (*paths[2:], *command[1:]))]
        )
        assert done.exit_code == 0, done.output
        assert read == [path.read_bytes() for path in paths]


def test_wrong_use_is_told() -> None:
    done = subprocess.run(
        ["sh", str(KEEPER / "append-requests.sh"), "append"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.startswith("usage: ")) == (2, True)


def test_the_workflow_calls_just_the_script_and_shows_the_key_to_no_pull_request() -> None:
    workflow = yaml.safe_load((KEEPER / "workflow.yaml").read_text())
    events = workflow[True]  # YAML 1.1 reads `on` as a truth value
    assert set(events) == {"pull_request", "push", "workflow_dispatch"}
    assert workflow["permissions"] == {}
    steps = {name: job["steps"] for name, job in workflow["jobs"].items()}
    commands = {name: [step["run"] for step in some if "run" in step] for name, some in steps.items()}
    assert commands == {
        "check": ["make -C base/agzamov install", "sh base/append-requests.sh check asked HEAD^1"],
        "append": ["make -C agzamov install", "sh append-requests.sh append . --push"],
    }
    used = [step["uses"] for some in steps.values() for step in some if "uses" in step]
    assert all(re.fullmatch(r"actions/checkout@[0-9a-f]{40}", action) for action in used)
    assert "secrets" not in json.dumps(steps["check"])
    assert workflow["jobs"]["check"]["permissions"] == {"contents": "read"}
    assert all(step["with"]["persist-credentials"] is False for step in steps["check"] if "uses" in step)
    assert workflow["jobs"]["append"]["if"] == "github.event_name != 'pull_request' && github.ref == 'refs/heads/main'"
