"""What is asked before a plan is sealed: a typo leaves no run behind, and no key goes anywhere without leave."""

import json
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from agzamov_harness.adapters.endpoint import Endpoint
from agzamov_harness.cli import main
from agzamov_harness.foundation import confirmation
from agzamov_harness.ports import PortFault
from agzamov_harness.run.first_contact import first_contact
from agzamov_harness.run.plan_file import read_plan
from agzamov_harness.run.seal import seal
from agzamov_harness.run.server_access import Allowed, require_allowed
from agzamov_harness.seat_kinds.endpoint_kind import HELLO
from agzamov_verify.plan.manifest import ManifestError, load_manifest
from agzamov_verify.seats import EndpointSeat
from harness.contact import agzamov, plan_at, serves, users_folder
from harness.http_peer import Exchange, Peer, Step, answers, hangs, status

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
    assert "Connection refused; no server listens there; nothing was sealed" in refused(home, plan_at(home, url))


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


@pytest.mark.parametrize("listed", [("reference",), ("another", "reference"), None], ids=["alone", "one", "no list"])
def test_a_model_that_answers_is_played(home: Path, listed: tuple[str, ...] | None) -> None:
    with Peer(then=serves(listed)) as peer:
        code, output = agzamov("run", plan_at(home, peer.url))
    assert code == 0, output


def contact(home: Path, model: str, listed: tuple[str, ...] | None, answering: str, **seat: object) -> str:
    """What is wrong with a plan for a model, at a server that lists these and answers as another; empty for nothing."""
    with Peer(then=serves(listed, model, answering)) as peer:
        try:
            first_contact(read_plan(Path(plan_at(home, peer.url, model=model, **seat))), None, {})
        except ManifestError as error:
            return str(error)
    return ""


@pytest.mark.parametrize(
    ("model", "listed", "answering"),
    [
        ("gpt-4o", ("gpt-4o", "gpt-4o-2024-08-06"), "gpt-4o-2024-08-06"),
        ("gpt-4", ("gpt-4", "gpt-4-0613"), "gpt-4-0613"),
        ("claude-3-5-sonnet-latest", ("claude-3-5-sonnet-20241022",), "claude-3-5-sonnet-20241022"),
        ("mistral-large-latest", ("mistral-large-latest", "mistral-large-2411"), "mistral-large-2411"),
        ("llama3.2", ("llama3.2:latest",), "llama3.2:latest"),
        ("llama3.2:3b", ("llama3.2:3b", "llama3.2:1b"), "llama3.2:3b"),
        ("openai/gpt-4o", ("openai/gpt-4o",), "openai/gpt-4o"),
        ("openai/gpt-4o", ("openai/gpt-4o",), "gpt-4o-2024-08-06"),
        ("deepseek/deepseek-r1:nitro", ("deepseek/deepseek-r1",), "deepseek/deepseek-r1"),
        ("gemini-2.0-flash", ("models/gemini-2.0-flash",), "gemini-2.0-flash-001"),
        ("smollm2-135m", ("/models/smollm2-135m.gguf",), "/models/smollm2-135m.gguf"),
        ("smollm2-135m", ("smollm2-135m",), "smollm2-135m"),
        ("Qwen/Qwen2.5-0.5B-Instruct", ("Qwen/Qwen2.5-0.5B-Instruct",), "Qwen/Qwen2.5-0.5B-Instruct"),
        ("anything", None, "anything"),
        ("anything", None, ""),
        ("anything", (), ""),
    ],
)
def test_a_servers_usual_spelling_of_a_model_is_that_model(
    home: Path, model: str, listed: tuple[str, ...] | None, answering: str
) -> None:
    assert contact(home, model, listed, answering) == ""


ANOTHER = "seat model: expected model gpt-4o, the server"
THAT = "write that name, or served_as"
WRITE = "write a name that it lists, or served_as: gpt-4o if it lists only some"


@pytest.mark.parametrize(
    ("listed", "answering", "told"),
    [
        (
            ("smollm2-135m",),
            "smollm2-135m",
            f"answers as smollm2-135m (it lists: smollm2-135m); {THAT}: smollm2-135m if a gateway renames it",
        ),
        # older versions of llama.cpp answer with the name that was asked for
        (("smollm2-135m",), "gpt-4o", f"lists smollm2-135m and answers as gpt-4o; {WRITE}"),
        (None, "gpt-4o-mini", f"answers as gpt-4o-mini; {THAT}: gpt-4o-mini if a gateway renames it"),
        (("a", "b", "c", "d", "gpt-4o-mini"), "", f"lists gpt-4o-mini, a, b and 2 more; {WRITE}"),
    ],
    ids=["another", "echoed", "no list", "no name in the reply"],
)
def test_another_model_leaves_no_run(home: Path, listed: tuple[str, ...] | None, answering: str, told: str) -> None:
    assert contact(home, "gpt-4o", listed, answering) == f"{ANOTHER} {told}; nothing was sealed"


@pytest.mark.parametrize(
    ("model", "answering"),
    [
        ("llama3.2:3b", "llama3.2:1b"),
        ("llama3.2", "llama3.2:1b"),
        ("openai/gpt-4o", "azure/gpt-4o"),
        ("gpt-4o-2024-08-06", "gpt-4o-2024-11-20"),
        ("qwen2.5-7b", "qwen2.5-72b"),
        ("gpt-4", "gpt-4o"),
    ],
)
def test_another_tag_vendor_size_or_date_is_another_model(home: Path, model: str, answering: str) -> None:
    assert f"the server answers as {answering}" in contact(home, model, None, answering)


@pytest.mark.parametrize(
    ("listed", "answering"),
    [(("smollm2-135m",), "smollm2-135m"), (None, "smollm2-135m"), (("others",), "smollm2-135m")],
    ids=["listed", "no list", "unlisted"],
)
def test_a_plan_may_say_by_what_name_a_gateway_serves_its_model(
    home: Path, listed: tuple[str, ...] | None, answering: str
) -> None:
    assert contact(home, "house-model", listed, answering, served_as="smollm2-135m") == ""
    assert "answers as smollm2-135m" in contact(home, "house-model", listed, answering, served_as="other")


def test_a_name_that_the_server_lists_no_more_may_be_said_to_be_its_own(home: Path) -> None:
    assert contact(home, "gpt-4o", ("others",), "gpt-4o", served_as="gpt-4o") == ""


def test_the_name_of_a_gateway_is_sealed_and_absent_where_a_plan_has_none(home: Path) -> None:
    for served_as in ({}, {"served_as": "deployment-7"}):
        plan = read_plan(Path(plan_at(home, "http://127.0.0.1:9/v1", **served_as)))
        manifest, _ = seal(plan, "0" * 64, None)
        assert load_manifest(manifest.bytes) == manifest
        seat = json.loads(manifest.bytes)["plan"]["seats"]["model"]
        assert {name: seat[name] for name in seat if name == "served_as"} == served_as
    with pytest.raises(ManifestError, match="served_as"):
        read_plan(Path(plan_at(home, "http://127.0.0.1:9/v1", served_as="")))


def test_a_listed_model_that_is_slow_or_dislikes_the_first_question_is_played(home: Path) -> None:
    for step in (status(400, "max_tokens is not supported"), status(429), status(503), hangs):

        def listing(exchange: Exchange, step: Step = step) -> None:
            (serves(("reference",)) if exchange.request_seen.path.endswith("/models") else step)(exchange)

        with Peer(then=listing) as peer:
            first_contact(read_plan(Path(plan_at(home, peer.url, timeout_s=1))), None, {})


def test_a_listed_model_whose_key_is_refused_leaves_no_run(home: Path) -> None:
    def listing(exchange: Exchange) -> None:
        (serves(("reference",)) if exchange.request_seen.path.endswith("/models") else status(401, "no key"))(exchange)

    with Peer(then=listing) as peer:
        assert "HTTP 401: no key; the seat has no key" in refused(home, plan_at(home, peer.url))


def test_a_plain_web_server_leaves_no_run(home: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        output = refused(home, plan_at(home, f"http://127.0.0.1:{server.server_port}/v1"))
        server.shutdown()
    assert "HTTP 501: no reason given" in output
    assert "what answers there is no model server: check base_url; nothing was sealed" in output


def test_a_site_that_answers_everything_with_a_page_leaves_no_run(home: Path) -> None:
    page = answers(b"<!doctype html><title>Welcome</title>", headers={"content-type": "text/html"})
    with Peer(then=page) as peer:
        output = refused(home, plan_at(home, peer.url))
    assert "it is not JSON" in output


def test_a_reason_that_a_server_does_not_give_is_said_to_be_missing(home: Path) -> None:
    with Peer(then=answers(b"", 503)) as peer:
        seat = EndpointSeat(base_url=peer.url, model="m", attempts_max=1)
        port = Endpoint("model", seat, {}, time.monotonic_ns, time.sleep)
        with pytest.raises(PortFault, match="1 try failed with http_503: no reason given"):
            port.complete(HELLO)
        port.close()


def test_a_missing_variable_leaves_no_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with Peer() as peer:
        host = peer.url.split("/")[2]
        plan = plan_at(home, peer.url, api_key_env="NO_SUCH_KEY")
        output = refused(home, plan, "--allow-key", f"NO_SUCH_KEY={host}")
    assert "the environment variable NO_SUCH_KEY holds no key" in output


@pytest.mark.slow
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
