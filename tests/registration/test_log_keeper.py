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
from agzamov_verify.commands.trust_options import now_s
from agzamov_verify.registration.beacon import QUICKNET
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

    def script(self, *words: str, code: int = 0, key: str = "log.pem") -> str:
        """What the script prints; a secret as GitHub gives it."""
        pem = (self.world.folder / key).read_text()
        env = {**os.environ, **CLEAN, "AGZAMOV": str(PROGRAM), "LOG_KEY_PEM": pem}
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


def test_a_request_is_checked_merged_appended_and_proved(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "asked")
    request = repository.request("mine.json")
    repository.commit("A request")
    assert repository.script("check", "main") == "may be merged: requests/mine.json\n"
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "asked")
    assert "requests/mine.json.tlog-proof" in repository.script("append", "--push")
    assert repository.script("append", "--push") == "nothing to append\n"
    published = repository.git("show", "--stat", "--format=%s", "main", where=repository.world.folder / "remote")
    for name in ("requests/mine.json.tlog-proof", "log/checkpoint", "log/tile/0/000.p/1"):
        assert name in published
    assert ".lock" not in published
    run = next((repository.world.folder / "runs").iterdir())
    repository.world.call("register", "proof", run, request.with_name("mine.json.tlog-proof"))
    assert list(FolderLog(repository.clone / "log").entries()) == [request.read_bytes()]


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
    repository.git("clone", "--quiet", "remote", "other", where=repository.world.folder)
    other = repository.world.folder / "other"
    (other / "page.md").write_text("x")
    repository.git("add", "--all", where=other)
    repository.git("commit", "--quiet", "--message", "Another", where=other)
    repository.git("push", "--quiet", where=other)
    repository.request("good.json")
    repository.commit("A request")
    before = repository.git("rev-parse", "HEAD")
    assert "nothing was published" in repository.script("append", "--push", code=4)
    assert repository.git("rev-parse", "HEAD") == before
    repository.git("pull", "--quiet", "--rebase")
    assert "requests/good.json.tlog-proof" in repository.script("append", "--push")


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
