"""The reference server, driven by the real `openai` client and by whole runs."""

import contextlib
import gzip
import http.client
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, Thread
from types import SimpleNamespace
from typing import Any

import chess
import httpx2
import openai
import pytest
import yaml

from agzamov_harness.reference_server import chat_server
from agzamov_harness.reference_server.chat_server import StagedFault, StagedFaultKind, parse_fault
from agzamov_harness.run import signing_keys
from agzamov_verify.games.chess.game_script import ChessRules
from agzamov_verify.games.chess.prompt import PromptStyle, system_message, turn_message
from agzamov_verify.games.chess.rules import Game960
from harness.commands import Commands, Ended
from harness.http_peer import lasting_port

AGZAMOV = Path(sys.executable).with_name("agzamov")
START = chess.Board.from_chess960_pos(518).fen()
MESSAGES = [
    {"role": message.role, "content": message.content}
    for message in (system_message((), ChessRules().terms(0)), turn_message(Game960(START), PromptStyle.STANDARD, ""))
]
Json = dict[str, Any]


@contextmanager
def served(delay_s: float = 0.0, *faults: StagedFault) -> Iterator[str]:
    """The server in this process; its base URL."""
    with chat_server.start("127.0.0.1", 0, delay_s, faults) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@contextmanager
def client(delay_s: float = 0.0, *faults: StagedFault, timeout_s: float = 300) -> Iterator[openai.OpenAI]:
    """The openai client before the server, without retries."""
    with served(delay_s, *faults) as url, openai.OpenAI(base_url=url, api_key="x", max_retries=0) as made:
        yield made.with_options(timeout=timeout_s)


def ask(made: openai.OpenAI, **changes: Any) -> Any:
    return made.chat.completions.create(**{"model": "random", "messages": MESSAGES, "seed": 7, **changes})


def post(url: str, body: bytes, path: str = "/v1/chat/completions", **headers: str) -> tuple[int, Json]:
    """A request that no client would make."""
    connection = http.client.HTTPConnection(url.split("/")[2], timeout=120)
    connection.request("POST", path, body, headers)
    with contextlib.closing(connection):
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


# --- what it serves --------------------------------------------------------------------------------


def test_each_completion_has_an_id_of_its_own() -> None:
    """As those of real servers: an id that comes twice is warned of, for the server may have kept its answer."""
    with client() as made:
        first, again, other = (ask(made, seed=seed).id for seed in (7, 7, 8))
        another_prompt = ask(made, messages=[*MESSAGES, MESSAGES[-1]]).id
    assert len({first, again, other, another_prompt}) == 4


def test_the_models_are_listed() -> None:
    with client() as made:
        assert [model.id for model in made.models.list()] == ["reference", "random", "novice"]


@pytest.mark.parametrize("model", chat_server.MODELS)
def test_a_completion_declares_a_legal_move_and_counts_its_words(model: str) -> None:
    with client() as made:
        answer = ask(made, model=model)
    text = answer.choices[0].message.content
    assert chess.Move.from_uci(text.rpartition("MOVE: ")[2]) in chess.Board(START, chess960=True).legal_moves
    assert (answer.model, answer.choices[0].finish_reason) == (model, "stop")
    assert answer.usage.prompt_tokens == sum(len(message["content"].split()) for message in MESSAGES)
    assert answer.usage.completion_tokens == len(text.split(" "))
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def test_equal_requests_get_equal_answers_and_another_seed_another() -> None:
    with client() as made:
        first, again = ask(made), ask(made)
        others = {ask(made, seed=seed).choices[0].message.content for seed in range(20)}
    assert first.choices == again.choices
    assert first.usage == again.usage
    assert len(others) > 5


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_token_limit_cuts_the_reply_and_says_so(name: str) -> None:
    with client() as made:
        whole = ask(made).choices[0].message.content.split(" ")
        cut = ask(made, **{name: len(whole) - 1})
        enough = ask(made, **{name: len(whole)})
    assert cut.choices[0].message.content == " ".join(whole[:-1])
    assert (cut.choices[0].finish_reason, cut.usage.completion_tokens) == ("length", len(whole) - 1)
    assert enough.choices[0].finish_reason == "stop"


def test_a_delay_comes_before_each_answer_and_connections_do_not_wait_for_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls, delays_s = 40, list[float]()
    all_at_once = Barrier(calls)

    def sleep(seconds: float) -> None:
        delays_s.append(seconds)
        all_at_once.wait(120)  # each delay ends when all calls are in theirs

    monkeypatch.setattr(chat_server, "time", SimpleNamespace(sleep=sleep))
    with client(1.0) as made, ThreadPoolExecutor(calls) as pool:
        answers = list(pool.map(lambda _: ask(made), range(calls)))
    assert (len(answers), delays_s) == (calls, [1.0] * calls)


# --- what it refuses -------------------------------------------------------------------------------


def test_an_unknown_model_and_an_unknown_path_are_404() -> None:
    with client() as made:
        with pytest.raises(openai.NotFoundError, match="model 'gpt' not found"):
            ask(made, model="gpt")
        with pytest.raises(openai.NotFoundError, match="no such path: /v1/embeddings"):
            made.embeddings.create(model="reference", input="x")
        with pytest.raises(openai.NotFoundError, match="no such path: /v1/files"):
            made.files.list()
        ask(made)  # on the same connection: the refused body was read


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"messages": []}, "a non-empty list of messages"),
        ({"messages": "hello"}, "a non-empty list of messages"),
        ({"messages": [{"role": "user"}]}, "messages with a role and a text content"),
        ({"messages": [{"role": "user", "content": 3}]}, "messages with a role and a text content"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]}, "a text content"),
        (
            {"messages": [{"role": "user", "content": "hello"}]},
            (
                "a prompt of chess960 or chess or draughts or holdem or holdem_ring or holdem_sit_and_go or werewolf,"
                " found 'hello'"
            ),
        ),
        ({"messages": [{"role": "user", "content": "It is your turn.\nFEN: nonsense"}]}, "fen"),
        ({"messages": [{"role": "user", "content": "Hole cards: [Ah Kd]"}]}, "expected"),
    ],
)
def test_a_request_that_no_player_can_read_is_400_with_the_reason(changes: Json, expected: str) -> None:
    with client() as made, pytest.raises(openai.BadRequestError, match=expected):
        ask(made, **changes)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", "expected JSON"),
        (b'{"model": ', "expected JSON"),
        (b"\xff\xfe", "expected JSON"),
        (b"[" * 100_000, "expected JSON"),
        (b"[]", "expected a JSON object"),
        (b"null", "expected a JSON object"),
        (b"{}", "expected a non-empty list of messages"),
        (b'{"messages": [1], "model": []}', "expected messages with a role"),
    ],
)
def test_a_body_that_is_no_request_is_400(body: bytes, expected: str) -> None:
    with served() as url:
        code, answer = post(url, body)
    assert code == 400
    assert answer["error"]["message"].startswith(expected)


@pytest.mark.parametrize("length", ["x", "-5", "\u00b2", "99999999999999999999", "9" * 5000])
def test_a_length_that_is_no_sensible_number_is_400(length: str) -> None:
    with served() as url:
        assert post(url, b"", **{"content-length": length})[0] == 400


@pytest.mark.parametrize("odd", [-1, 0, 2**70, True, "7", 1.5, None, [], {}])
@pytest.mark.parametrize("name", ["seed", "max_tokens", "max_completion_tokens", "temperature", "nonsense"])
def test_parameters_of_any_type_do_not_break_the_server(name: str, odd: object) -> None:
    body = json.dumps({"model": "random", "messages": MESSAGES, name: odd}).encode()
    with served() as url:
        code, answer = post(url, body)
    assert code == 200
    assert "choices" in answer


# --- planned faults --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["429", "429@", "429@0", "429@-1", "429@x", "418@2", "@3", "429@2@3", "drop@\u00b2"])
def test_a_fault_that_is_no_kind_at_a_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_fault(text)


def test_every_kind_of_fault_can_be_written() -> None:
    assert [parse_fault(f"{kind}@3").kind for kind in StagedFaultKind] == list(StagedFaultKind)


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (StagedFaultKind.RATE_LIMIT, openai.RateLimitError),
        (StagedFaultKind.SERVER_ERROR, openai.InternalServerError),
        (StagedFaultKind.UNAVAILABLE, openai.InternalServerError),
        (StagedFaultKind.UNAUTHORIZED, openai.AuthenticationError),
        (StagedFaultKind.DROP, openai.APIConnectionError),
        (StagedFaultKind.HANG, openai.APITimeoutError),
        (StagedFaultKind.TRUNCATED, json.JSONDecodeError),
    ],
)
def test_every_third_call_fails_as_planned(kind: StagedFaultKind, error: type[Exception]) -> None:
    with client(0, StagedFault(kind, 3)) as made:
        faulty = made.with_options(timeout=1) if kind is StagedFaultKind.HANG else made
        for number in range(1, 8):
            if number % 3:
                ask(made)
            else:
                with pytest.raises(error):
                    ask(faulty)


def test_garbage_and_no_choices_come_with_status_200() -> None:
    with client(0, StagedFault(StagedFaultKind.GARBAGE, 2), StagedFault(StagedFaultKind.NO_CHOICES, 3)) as made:
        ask(made)
        assert ask(made) == "<html>bad gateway</html>"
        assert ask(made).choices == []


def test_the_first_of_two_faults_of_one_call_counts() -> None:
    with (
        client(0, StagedFault(StagedFaultKind.RATE_LIMIT, 1), StagedFault(StagedFaultKind.UNAUTHORIZED, 1)) as made,
        pytest.raises(openai.RateLimitError) as caught,
    ):
        ask(made)
    assert caught.value.response.headers["retry-after"] == "0"


# --- whole runs ------------------------------------------------------------------------------------

PLAN: Json = {
    "title": "Over HTTP",
    "seats": {
        "model": {"kind": "openai", "model": "random", "timeout_s": 10, "concurrency": 16, "attempts_max": 9},
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 16},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 8, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "model", "b": "dice", "hands": 16, "block_hands": 4},
    ],
}
FAULTS = ("429@19", "500@29", "503@31", "drop@37", "garbage@41", "no_choices@43", "truncated@47", "hang@61")
KINDS = {"http_429", "http_500", "http_503", "connection", "not_a_completion", "timeout"}


def agzamov(folder: Path, *arguments: object) -> Ended:
    with Commands(Path(tempfile.mkdtemp(dir=folder))) as commands:
        return commands.run(*arguments, cwd=folder)


@contextmanager
def reference_server(port: int, *faults: str) -> Iterator[str]:
    """`agzamov serve-reference` as a process; its base URL."""
    options = [option for fault in faults for option in ("--fault", fault)]
    command = [AGZAMOV, "serve-reference", "--port", str(port), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
        assert not process.stderr.read()


def sealed(folder: Path, url: str) -> Path:
    """A sealed run whose model is at `url`."""
    signing_keys.generate(folder / "key.pem")
    seats = {**PLAN["seats"], "model": {**PLAN["seats"]["model"], "base_url": url}}
    (folder / "plan.yaml").write_text(yaml.safe_dump({**PLAN, "seats": seats}))
    done = agzamov(folder, "seal", "plan.yaml", "--key", "key.pem")
    assert done.code == 0, done
    return folder / done.out.strip()


def played(folder: Path, run: Path, out: str) -> Json:
    done = agzamov(folder, "resume", run, "--key", "key.pem", "--out", out, "--json")
    assert done.code == 0, done
    return dict(json.loads(done.out))


def story(bundle: Path) -> dict[str, list[Json]]:
    """What was asked and answered, stream by stream, without failed tries."""
    told = {}
    for path in sorted(bundle.rglob("000000.jsonl.gz")):
        entries = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
        told[path.parent.name] = [
            {**entry["answer"], "attempts": None, "digest": entry["question"]["digest"]} for entry in entries
        ]
    return told


def failed_tries(bundle: Path) -> list[str]:
    entries = [
        json.loads(line)
        for path in bundle.rglob("000000.jsonl.gz")
        for line in gzip.decompress(path.read_bytes()).splitlines()
    ]
    return [failed["kind"] for entry in entries for failed in entry["answer"].get("attempts", ())]


@pytest.mark.slow
def test_a_run_under_faults_comes_to_the_same_results_and_verifies(tmp_path: Path) -> None:
    port = lasting_port()
    with reference_server(port) as url:
        run = sealed(tmp_path, url)
        shutil.copytree(run, tmp_path / "again" / run.name)
        quiet = played(tmp_path, run, "quiet")
    with reference_server(port, *FAULTS):
        stormy = played(tmp_path, tmp_path / "again" / run.name, "stormy")
    assert stormy["claims"] == quiet["claims"]
    bundles = [tmp_path / outcome["bundle"] for outcome in (quiet, stormy)]
    assert story(bundles[0]) == story(bundles[1])
    assert set(failed_tries(bundles[0])) <= {"timeout"}, "which is the machine's fault"
    assert set(failed_tries(bundles[1])) == KINDS
    for bundle in bundles:
        verified = agzamov(tmp_path, "verify", bundle)
        assert verified.code == 0, verified


@pytest.mark.slow
def test_a_run_whose_key_is_refused_stops_at_once_and_goes_on_later(tmp_path: Path) -> None:
    port = lasting_port()
    with reference_server(port, "401@30") as url:
        run = sealed(tmp_path, url)
        stopped = agzamov(tmp_path, "resume", run, "--key", "key.pem")
    assert stopped.code == 4
    assert "HTTP 401: planned fault; the seat has no key" in stopped.err
    assert stopped.err.partition("go on with: ")[2].endswith(f"agzamov resume {run}\n")
    with reference_server(port):
        bundle = tmp_path / played(tmp_path, run, "out")["bundle"]
    assert agzamov(tmp_path, "verify", bundle).code == 0


def test_a_unix_socket_serves_every_user_and_replaces_one_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "model.sock"
    for _ in range(2):  # closing a server leaves its socket behind
        with chat_server.start_on_socket(path) as server:
            Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
            assert path.stat().st_mode & 0o777 == 0o666
            transport = httpx2.HTTPTransport(uds=str(path))
            with openai.OpenAI(
                base_url="http://socket/v1", api_key="x", http_client=httpx2.Client(transport=transport)
            ) as made:
                assert ask(made, model="reference").model == "reference"
            server.shutdown()


def test_a_file_that_is_no_socket_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "model.sock"
    path.write_text("precious")
    told = subprocess.run(
        [AGZAMOV, "serve-reference", "--socket", path], capture_output=True, text=True, timeout=300, check=False
    )
    assert (told.returncode, path.read_text()) == (2, "precious")
    assert told.stderr.startswith("error: ")
