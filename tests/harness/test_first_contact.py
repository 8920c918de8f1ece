"""What is asked before a plan is sealed: a typo leaves no run behind, and no key goes anywhere without leave."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.foundation import confirmation
from agzamov_harness.run.first_contact import first_contact
from agzamov_harness.run.plan_file import read_plan
from agzamov_harness.run.server_access import Allowed, require_allowed
from agzamov_verify.plan.manifest import ManifestError
from harness.contact import agzamov, plan_at, serves, users_folder
from harness.http_peer import Peer, answers, status

KEY = "sk-planted-0123456789"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return users_folder(tmp_path, monkeypatch)


def refused(home: Path, *arguments: object) -> str:
    """The one line of a run that was never sealed."""
    code, output = agzamov("run", *arguments)
    assert code == 2, output
    assert not (home / "runs").exists()
    return output


def test_an_address_where_nobody_answers_leaves_no_run(home: Path) -> None:
    with Peer() as peer:
        url = peer.url
    assert "Connection refused; nothing was sealed" in refused(home, plan_at(home, url))


def test_a_model_that_the_server_does_not_have_leaves_no_run_and_near_names_are_told(home: Path) -> None:
    with Peer(then=serves(("mm", "other"))) as peer:
        output = refused(home, plan_at(home, peer.url, model="mn"))
    assert "model 'mn' not found" in output
    assert "the server lists mm" in output


def test_a_server_without_a_list_is_asked_for_a_few_tokens(home: Path) -> None:
    with Peer(then=serves(None)) as peer:
        assert "not found" in refused(home, plan_at(home, peer.url, model="typo"))
        (hello,) = [request for request in peer.requests if request.method == "POST"]
    assert hello.json["max_tokens"] == 256


@pytest.mark.parametrize("listed", [("reference",), ("another",), None], ids=["listed", "unlisted", "no list"])
def test_a_model_that_answers_is_played(home: Path, listed: tuple[str, ...] | None) -> None:
    with Peer(then=serves(listed)) as peer:
        code, output = agzamov("run", plan_at(home, peer.url))
    assert code == 0, output


def test_a_missing_variable_leaves_no_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with Peer() as peer:
        host = peer.url.split("/")[2]
        plan = plan_at(home, peer.url, api_key_env="NO_SUCH_KEY")
        output = refused(home, plan, "--allow-key", f"NO_SUCH_KEY={host}")
    assert "the environment variable NO_SUCH_KEY holds no key" in output


def test_a_key_goes_nowhere_without_leave_and_leave_is_remembered(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOUD_SECRET", KEY)
    with Peer(then=serves(("reference",))) as peer:
        host = peer.url.split("/")[2]
        plan = plan_at(home, peer.url, api_key_env="CLOUD_SECRET")
        output = refused(home, plan)
        assert f"--allow-key CLOUD_SECRET={host}" in output
        assert not peer.requests
        refused(home, plan, "--allow-key", "CLOUD_SECRET=elsewhere.example")
        assert not peer.requests
        assert agzamov("run", plan, "--allow-key", f"CLOUD_SECRET={host}")[0] == 0
        assert agzamov("run", plan)[0] == 0
    kept = json.loads((home / "home" / "allowed-keys.json").read_bytes())
    assert kept["allowed"] == [{"host": host, "variable": "CLOUD_SECRET"}]


def test_leave_for_one_host_is_none_for_another(home: Path) -> None:
    require_allowed([Allowed("a.example", "K")], {"K": "a.example"})
    require_allowed([Allowed("a.example", "K")], {})
    with pytest.raises(ManifestError, match=r"the plan sends the key in K to b\.example, which you have not allowed"):
        require_allowed([Allowed("b.example", "K")], {})


def test_a_key_that_is_allowed_goes_with_a_resumed_run_too(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOUD_SECRET", KEY)
    with Peer(then=serves(("reference",))) as peer:
        host = peer.url.split("/")[2]
        plan = plan_at(home, peer.url, api_key_env="CLOUD_SECRET")
        assert CliRunner().invoke(main, ["seal", plan, "--key", "key.pem"]).exit_code == 0
        (run,) = (home / "runs").iterdir()
        code, output = agzamov("resume", run)
        assert (code, f"--allow-key CLOUD_SECRET={host}" in output) == (2, True), output
        assert not peer.requests, "neither is a plan asked that is only sealed"
        assert agzamov("resume", run, "--allow-key", f"CLOUD_SECRET={host}")[0] == 0


def test_a_person_is_asked_on_a_terminal(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    questions, answer = [], iter([False, True])
    monkeypatch.setattr(confirmation, "is_attended", lambda: True)
    monkeypatch.setattr(click, "confirm", lambda question, **_: questions.append(question) or next(answer))
    wanted = [Allowed("a.example", "K")]
    with pytest.raises(ManifestError, match="which you have not allowed"):
        require_allowed(wanted, {})
    require_allowed(wanted, {})
    require_allowed(wanted, {})
    assert [question.split(",")[0] for question in questions] == 2 * ["This plan sends the key in K to a.example"]


def test_leave_that_cannot_be_remembered_holds_for_one_command(home: Path) -> None:
    (home / "home").write_text("a file in the way of the user's folder")
    require_allowed([Allowed("a.example", "K")], {"K": "a.example"})
    with pytest.raises(ManifestError, match="which you have not allowed"):
        require_allowed([Allowed("a.example", "K")], {})


def test_what_was_allowed_is_read_with_suspicion(home: Path) -> None:
    (home / "home").mkdir()
    (home / "home" / "allowed-keys.json").write_text("[]")
    with pytest.raises(ManifestError, match="expected the keys that were allowed; remove the file"):
        require_allowed([Allowed("a.example", "K")], {})


def test_of_a_run_in_containers_the_key_alone_is_asked_for(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    monkeypatch.setenv("CLOUD_SECRET", KEY)
    for variable, words in (("NO_SUCH_KEY", "holds no key"), ("CLOUD_SECRET", "which you have not allowed")):
        plan = plan_at(home, "https://nobody.invalid/v1", api_key_env=variable)
        (home / plan).write_text(f"isolation: container\n{(home / plan).read_text()}")
        made = read_plan(Path(plan))
        with pytest.raises(ManifestError, match=words):
            first_contact(made, None, {})
        if variable == "CLOUD_SECRET":
            first_contact(made, None, {"CLOUD_SECRET": "nobody.invalid"})


def test_a_server_that_falters_for_now_is_sealed_and_asked_again(home: Path) -> None:
    for step in (status(429), status(503), answers({"choices": []})):
        with Peer(then=step) as peer:
            first_contact(read_plan(Path(plan_at(home, peer.url))), None, {})


def test_a_path_that_is_forgotten_leaves_no_run(home: Path) -> None:
    with Peer(then=status(404)) as peer:
        output = refused(home, plan_at(home, peer.url.removesuffix("/v1")))
    assert "add /v1" in output


def test_an_ollama_model_of_another_digest_leaves_no_run(home: Path) -> None:
    row = {"model": "m:latest", "name": "m:latest", "digest": "1" * 64, "size": 1}
    with Peer(then=answers({"models": [row]})) as peer:
        url = peer.url.removesuffix("/v1")
        plan = plan_at(home, url, kind="ollama", model="m", model_digest="2" * 64)
        assert f"expected the model with digest {'2' * 64}, found {'1' * 64}" in refused(home, plan)
        assert "no model n" in refused(home, plan_at(home, url, kind="ollama", model="n", model_digest="2" * 64))
