"""Memory servers that ask a model: by a relay that passes requests on with the run's key, and records them."""

import json
import re
import sys
import zlib
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.memory.adapter_file import DeclaredSystem, Variant, adapter_from_yaml, sealed_text
from agzamov_harness.memory.launch import Setup, require_here
from agzamov_harness.memory.models_relay import TEXT_CHARACTERS_MAX, ModelCall, ServersModels, model_call, relayed
from agzamov_harness.memory.server_limits import MemoryFault
from agzamov_harness.ports import PortFault
from agzamov_verify.core import canon
from agzamov_verify.core.questions import Hits
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.systems.memory_system import MemorySystem
from harness.http_peer import Exchange, Peer, answers, status
from memory.memory_world import LIMITS, opened, search, store
from memory.test_http_memory import played

SERVER = Path(__file__).parent / "embedding_notes_server.py"
KEY = "AGZ_TEST_MODELS_KEY"
SIZE = 64
ADAPTER = f"""
about: Notes ranked by embeddings
interface: agz-memory-1
launch: {{command: "${{PYTHON}}", args: ["{SERVER}"], env: {{MODELS_URL: "${{MODELS_URL}}"}}, models_url: "HERE"}}
mcp_mode: legacy
traits: {{architecture: vectors, query: semantic, rewrites: never}}
store: {{tool: remember, args: {{text: "${{content}}"}}, stored: ok}}
search: {{tool: recall, args: {{question: "${{query}}", count: "${{limit}}"}}, items: notes, content: text}}
export: {{tool: everything, args: {{}}, items: notes, content: text}}
"""


def words_64(exchange: Exchange) -> None:
    """An embedding model for tests: counts of words, hashed to 64 places."""
    vector = [0.0] * SIZE
    for word in re.findall(r"[a-z0-9]+", exchange.request_seen.json["input"].lower()):
        vector[zlib.crc32(word.encode()) % SIZE] += 1
    answers({"data": [{"embedding": vector, "index": 0}], "model": "words-64-v1"})(exchange)


@pytest.fixture
def models() -> Iterator[Peer]:
    with Peer(then=words_64) as peer:
        yield peer


def adapter_with(url: str, key_env: str = "") -> str:
    own = f'models_url: "{url}"' + (f', models_key_env: "{key_env}"' if key_env else "")
    return ADAPTER.replace('models_url: "HERE"', own)


def setup_with(url: str, key_env: str = "", record: Path | None = None) -> Setup:
    adapter = adapter_from_yaml(adapter_with(url, key_env).encode())
    return Setup(DeclaredSystem("vectors", adapter, Variant("", "semantic")), limits=LIMITS, models_record=record)


def calls(record: Path) -> list[ModelCall]:
    return [canon.loads_as(line, ModelCall) for line in record.read_bytes().splitlines()]


def test_a_server_asks_its_models_by_the_relay_and_each_request_is_recorded(models: Peer, tmp_path: Path) -> None:
    record = tmp_path / "memory_models.jsonl"
    with opened(setup_with(models.url, record=record), tmp_path) as port:
        for number, text in enumerate(("castled before move eight", "folded the river"), 1):
            port.answer(store(number, text))
        found = port.answer(search("who folded", 2))
    assert isinstance(found, Hits)
    assert [hit.content for hit in found.hits] == ["folded the river"]
    asked = calls(record)
    assert [json.loads(one.asked)["input"] for one in asked] == [
        "castled before move eight",
        "folded the river",
        "who folded",
    ]
    assert {(one.store, one.path, one.model, one.served, one.status, one.told) for one in asked} == {
        ("memory", "/embeddings", "words-64", "words-64-v1", 200, "")
    }
    assert "authorization" not in models.requests[0].headers, "the server's own is not passed on"


def test_the_key_is_the_runs_and_the_server_never_sees_it(
    models: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-of-the-run")
    record = tmp_path / "memory_models.jsonl"
    with opened(setup_with(models.url, KEY, record), tmp_path) as port:
        port.answer(store(1, "castled"))
    assert models.requests[0].headers["authorization"] == "Bearer sk-of-the-run"
    assert b"sk-of-the-run" not in record.read_bytes()


def test_a_missing_key_is_told_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    with pytest.raises(PortFault, match=rf"memory vectors: the environment variable {KEY} holds no key"):
        require_here(setup_with("http://127.0.0.1:9/v1", KEY))


def test_models_that_do_not_answer_stop_the_memory_with_their_address(tmp_path: Path) -> None:
    with Peer() as gone:
        address = gone.url
    record = tmp_path / "memory_models.jsonl"
    with (
        opened(setup_with(address, record=record), tmp_path) as port,
        pytest.raises(MemoryFault, match="no embedding: HTTP Error 502"),
    ):
        port.answer(store(1, "castled"))
    (call,) = calls(record)
    assert (call.status, address in call.told) == (502, True)


def test_an_error_of_the_models_is_passed_on(tmp_path: Path) -> None:
    with Peer([status(429)]) as busy:
        setup = setup_with(busy.url)
        with opened(setup, tmp_path) as port, pytest.raises(MemoryFault, match="HTTP Error 429"):
            port.answer(store(1, "castled"))


def asked_as_it_stands(address: str, path: str) -> int:
    """The status of a request whose path no client tidies."""
    place = urlsplit(address)
    connection = HTTPConnection(place.netloc)
    connection.request("GET", f"{place.path}{path}")
    status_code = connection.getresponse().status
    connection.close()
    return status_code


def test_a_stream_is_passed_on_as_what_it_is() -> None:
    stream = b'data: {"choices": []}\n\ndata: [DONE]\n\n'
    with (
        Peer([answers(stream, headers={"Content-Type": "text/event-stream"})]) as peer,
        relayed(ServersModels(peer.url), "one") as address,
    ):
        told = httpx2.post(f"{address}/chat/completions", json={"stream": True})
    assert (told.content, "text/event-stream" in told.headers["content-type"]) == (stream, True)


def test_nobody_else_of_the_machine_finds_the_relay(models: Peer) -> None:
    with relayed(ServersModels(models.url), "one") as address:
        root, _, secret = address.rpartition("/")
        assert len(secret) >= 20
        for path in ("/embeddings", "/x/embeddings", f"/{secret}embeddings"):
            assert httpx2.post(f"{root}{path}", json={"input": "x"}).status_code == 404
        for path in ("/../admin", "/a/../../admin", "/./a", "/%2e%2e/admin", "//host/a", ""):
            assert asked_as_it_stands(address, path) == 404, path
        assert httpx2.post(f"{address}/embeddings", json={"input": "x"}).status_code == 200
    assert len(models.requests) == 1


def test_a_request_of_any_size_and_kind_is_recorded_short() -> None:
    answer = json.dumps({"choices": [{"message": {"content": "word " * TEXT_CHARACTERS_MAX}}], "model": "m"}).encode()
    call = model_call("s", "/chat/completions", b"\xff" * 30_000, 200, answer, 1, 2)
    assert len(call.asked) == len(call.told) == TEXT_CHARACTERS_MAX + 3
    assert (call.model, call.served) == ("", "m")


# --- a plan ----------------------------------------------------------------------------------------


HERE = "http://127.0.0.1:11434/v1"
TOLD = ', env: {MODELS_URL: "${MODELS_URL}"}'


@pytest.mark.parametrize(
    ("adapter", "message"),
    [
        (ADAPTER.replace(', models_url: "HERE"', ""), "launch.models_url: expected the address that .* stands for"),
        (adapter_with(HERE).replace(TOLD, ""), "launch.models_url: expected none, since neither launch.args nor"),
        (adapter_with("http://127.0.0.1:0/v1"), "launch.models_url: expected an address such as"),
        (
            adapter_with("https://me:secret@a.example/v1"),
            "expected an address .* without user, query or fragment, found",
        ),
        (adapter_with("http://a.example/v1", "K"), "launch.models_key_env: expected a models_url of https:// or of"),
    ],
)
def test_an_adapter_whose_models_do_not_fit_is_refused(adapter: str, message: str) -> None:
    with pytest.raises(ManifestError, match=message):
        adapter_from_yaml(adapter.encode())


def test_a_plan_says_that_what_the_models_told_is_attested() -> None:
    texts = [adapter_with(HERE, "K"), adapter_with(HERE).replace(TOLD, "").replace(f', models_url: "{HERE}"', "")]
    asks, plain = (
        MemorySystem(server="vectors.yaml", adapter=sealed_text(adapter_from_yaml(text.encode()))) for text in texts
    )
    assert f"what the models at {HERE} told its server" in asks.attested
    assert "models" not in plain.attested


@pytest.mark.slow
def test_a_run_holds_what_its_servers_models_were_asked(models: Peer, tmp_path: Path) -> None:
    verified = played(tmp_path, adapter_with(models.url))
    assert json.loads(verified.out)["level"] == "V1"
    assert "lineage: mine C bounded" in verified.out
    (record,) = tmp_path.glob("**/data/notes/memory_models.jsonl")
    stores = {call.store for call in calls(record)}
    assert len(stores) == 2, "one for each career"


def test_try_finds_by_meaning_what_the_models_say(models: Peer, tmp_path: Path) -> None:
    path = tmp_path / "vectors.yaml"
    path.write_text(adapter_with(models.url))
    command = ["memory", "try", str(path), "--start-programs"]
    ran = CliRunner().invoke(main, [*command, "--store", "castled early", "--search", "early"])
    assert (ran.exit_code, "1. castled early" in ran.output) == (0, True), ran.output


@pytest.mark.slow
def test_adapt_writes_the_address_of_the_models_into_the_file(models: Peer, tmp_path: Path) -> None:
    out = tmp_path / "vectors.yaml"
    options = ["--out", str(out), "--start-programs", "--env", "MODELS_URL=${MODELS_URL}", "--models-url", models.url]
    ran = CliRunner().invoke(main, ["memory", "adapt", *options, sys.executable, str(SERVER)])
    assert ran.exit_code == 0, ran.output
    assert f'models_url: "{models.url}"' in out.read_text()
    assert ran.output.splitlines()[-1].startswith("measured with lineage C bounded: models at an address")


def test_whoever_is_asked_for_consent_is_told_who_reads_the_notes(tmp_path: Path) -> None:
    path = tmp_path / "vectors.yaml"
    path.write_text(adapter_with("https://models.example/v1", "SOMEBODYS_KEY"))
    ran = CliRunner().invoke(main, ["memory", "try", str(path), "--store", "x"])
    assert ran.exit_code == 2
    assert "It asks models at https://models.example/v1 through the run, with the key in SOMEBODYS_KEY." in ran.output
