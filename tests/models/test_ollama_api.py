"""What an Ollama server says of itself, as recorded; and what of it is refused."""

import json
from pathlib import Path

import pytest

from agzamov_harness.models.ollama_api import Inventory, LoadedModel, Model
from agzamov_harness.ports import ModelFault
from harness.http_peer import Peer, Step, answers, drips, drops, status
from models.recorded import DIGEST, MODEL, SIZE_BYTES, plays_back, recording

TAGS = recording(3)


def inventory_of(peer: Peer) -> Inventory:
    return Inventory(peer.url.removesuffix("/v1"))


def tags(**changes: object) -> Step:
    """The recorded list with changes to its one model."""
    row = {**TAGS["body_json"]["models"][0], **changes}
    return plays_back(TAGS, json.dumps({"models": [row]}).encode())


def test_the_recorded_model_is_listed_with_its_digest() -> None:
    with Peer([tags(), tags()]) as peer, inventory_of(peer) as server:
        (model,) = server.models()
    assert model == Model(MODEL, DIGEST, SIZE_BYTES, "unknown", "927K", "llama", "")
    assert {request.path for request in peer.requests} == {"/api/tags"}


def test_version_show_and_ps_are_read_as_recorded() -> None:
    script = [plays_back(recording(number)) for number in (2, 8, 13, 4)]
    with Peer(script) as peer, inventory_of(peer) as server:
        assert server.version() == "0.33.0-rc2"
        assert server.context_of(MODEL) == 4096
        assert server.loaded("tiny-test") == LoadedModel(MODEL, 1024, 10276044, 0)
        assert server.loaded(MODEL) is None
    assert [request.path for request in peer.requests] == ["/api/version", "/api/show", "/api/ps", "/api/ps"]


def test_unload_and_load_send_what_was_recorded() -> None:
    with Peer([plays_back(recording(45)), plays_back(recording(46))]) as peer, inventory_of(peer) as server:
        server.unload(MODEL)
        server.load(MODEL, {"num_ctx": 1024, "num_thread": 1})
    for request, number in zip(peer.requests, (45, 46), strict=True):
        recorded = recording(number)["request"]
        assert request.path == recorded["path"]
        assert {key: request.json[key] for key in ("model", "keep_alive")} == {
            key: recorded["body"][key] for key in ("model", "keep_alive")
        }
    assert peer.requests[1].json["options"] == {"num_ctx": 1024, "num_thread": 1}
    assert peer.requests[1].json["shift"] is False  # as every chat says it: else the first one loads again


def test_a_server_that_redirects_is_not_followed() -> None:
    with Peer() as other:
        step = answers(b"", 302, {"location": f"{other.url}/api/tags"})
        with Peer([step]) as peer, inventory_of(peer) as server, pytest.raises(ModelFault):
            server.models()
        assert not other.requests


@pytest.mark.slow
def test_a_server_that_drips_is_left_in_time() -> None:
    with Peer([drips] * 3) as peer, Inventory(peer.url.removesuffix("/v1"), timeout_s=0.5, load_s=0.5) as server:
        for call in (server.models, server.version, lambda: server.load(MODEL, {})):
            with pytest.raises(ModelFault, match="no answer in time"):
                call()


def test_an_error_without_a_status_has_none_in_its_words_and_v1_is_advised_against() -> None:
    with Peer([answers({"error": "no space"}, 500), answers(b"404 page not found", 404)]) as peer:
        with inventory_of(peer) as server, pytest.raises(ModelFault, match="HTTP 500: no space"):
            server.unload(MODEL)
        with Inventory(peer.url) as server, pytest.raises(ModelFault, match="drop /v1 from the address") as caught:
            server.unload(MODEL)
    assert "status code" not in str(caught.value)


@pytest.mark.parametrize("key", ["remote_host", "remote_model"])
def test_a_model_that_another_host_answers_for_is_refused(key: str) -> None:
    step = tags(**{key: "https://ollama.com:443"})
    with (
        Peer([step, step]) as peer,
        inventory_of(peer) as server,
        pytest.raises(ModelFault, match=r"found a cloud model of https://ollama.com:443"),
    ):
        server.model(MODEL)


def test_a_model_that_is_not_there_is_named() -> None:
    with Peer([tags(), tags()]) as peer, inventory_of(peer) as server, pytest.raises(ModelFault, match="no model nope"):
        server.model("nope")


@pytest.mark.parametrize(
    "step",
    [
        drops,
        answers(b"<html>"),
        answers({"models": 7}),
        answers({"models": [{"digest": 7}]}),
        answers([]),
    ],
)
def test_a_server_that_is_none_is_one_clear_line(step: Step) -> None:
    with (
        Peer(then=step) as peer,
        inventory_of(peer) as server,
        pytest.raises(ModelFault, match="expected an Ollama server's answer") as caught,
    ):
        server.models()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("step", "words"), [(plays_back(recording(10)), "model 'nope:latest'"), (status(500), "planned")]
)
def test_what_a_server_refuses_is_said_in_its_words(step: Step, words: str) -> None:
    with Peer([step]) as peer, inventory_of(peer) as server, pytest.raises(ModelFault, match=words):
        server.models()


def test_a_pull_that_fails_says_so_in_the_servers_words() -> None:
    with (
        Peer([plays_back(recording(50))]) as peer,
        inventory_of(peer) as server,
        pytest.raises(ModelFault, match=r"pull model manifest: .* network is unreachable"),
    ):
        list(server.pull("none-such"))


def test_where_no_server_listens_every_request_says_so_in_the_same_words() -> None:
    with Peer([]) as peer:
        nobody = peer.url.removesuffix("/v1")
    with Inventory(nobody) as server:
        for asking in (server.models, server.version, lambda: list(server.pull("llama"))):
            with pytest.raises(ModelFault, match="no Ollama server answers there; start it, or name another address"):
                asking()


def test_a_refused_connection_is_told_whatever_was_being_handled_when_it_came() -> None:
    """The words were of the file that had not been found before, "No such file or directory"."""
    with Peer([]) as peer:
        nobody = peer.url.removesuffix("/v1")
    try:
        Path("/none/such").read_bytes()
    except FileNotFoundError:
        with Inventory(nobody) as server, pytest.raises(ModelFault, match="no Ollama server answers there"):
            server.models()


def test_a_key_of_the_environment_is_sent_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "sk-planted")
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    with Peer([tags(), tags()]) as peer, inventory_of(peer) as server:
        server.models()
    assert "sk-planted" not in str([request.headers for request in peer.requests])
