"""The world of a run: every part that a manifest names, opened, compared with what was sealed, and closed."""

import hashlib
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_harness.build_ports import LOCAL_STREAMS_PER_CORE, concurrency_of, open_world
from agzamov_harness.foundation import worker_processes
from agzamov_harness.ports import ChatRequest, PortFault
from agzamov_harness.run import seal as seal_module
from agzamov_harness.run.dispatch import World, ports_of
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.seal import seal
from agzamov_harness.seat_kinds.scripted_kind import LocalSeat
from agzamov_verify.core.questions import (
    ENGINE,
    TOOL,
    Calculate,
    Calculated,
    Chat,
    Evaluate,
    Evaluation,
    Examine,
    Examined,
    ExaminedMove,
    Message,
    NoReply,
    Reply,
)
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from agzamov_verify.games.chess import prompt
from agzamov_verify.games.chess.game_script import ChessRules
from agzamov_verify.games.chess.prompt import PromptStyle
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.protocols.norms import EngineNorm, load_protocol
from agzamov_verify.seats import ReferenceSeat

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
WAIT_S = 120.0
PLAN: dict[str, Any] = {
    "title": "World",
    "seats": {
        "agent": {"kind": "reference"},
        "dice": {"kind": "random"},
        "fish": {"kind": "stockfish", "nodes": 50, "skill": 1},
        "model": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m", "api_key_env": "NO_SUCH_KEY"},
    },
    "chess960": {"adjudication": {"policy": "none"}},
    "matches": [{"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 2}],
}
JUDGED = {**PLAN, "chess960": {}, "engine": {"nodes": 50}}
FISH = {**PLAN, "matches": [{"phase": 0, "game": "chess960", "a": "fish", "b": "dice", "games": 2}]}


def sealed(wished: dict[str, Any], engine: Path | None = None) -> Manifest:
    return seal(plan_from(wished), "ab" * 32, engine)[0]


def chess_question(seat: str) -> Chat:
    game = Game960(START)
    messages = (prompt.system_message((), ChessRules().terms(0)), prompt.turn_message(game, PromptStyle.STANDARD, ""))
    return Chat(0, "p0-chess960-naked-agent-g00000", messages, 7, seat, 0)


EVALUATE = Evaluate(game="p0-chess960-naked-agent-g00000", moves="e2e4", start_fen=START, turn=1, to=ENGINE)


@pytest.fixture
def engine() -> Path:
    try:
        return find_engine()
    except EngineFault as error:
        pytest.skip(str(error))


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that passes for the protocol's engine: it has a name, a net, and the same score for everything."""
    norm = EngineNorm("Fakefish 1", hashlib.sha256(b"net").hexdigest(), 1, 16, 50)
    protocol = msgspec.structs.replace(load_protocol("agz-0.1"), engine=norm)
    monkeypatch.setattr(seal_module, "load_protocol", lambda _: protocol)
    return fake_engine(tmp_path / "fish", "Fakefish 1")


def fake_engine(path: Path, name: str) -> Path:
    path.write_text(
        f"""#!/bin/sh
        echo $$ >> {path}.pids
        while read -r word rest; do case "$word" in
        uci) echo "id name {name}"; echo uciok;;
        isready) echo readyok;;
        export_net) printf net > "$rest";;
        go) echo "info depth 1 multipv 1 score cp 13 nodes 50"; echo "bestmove e7e5";;
        esac; done
        """
    )
    path.chmod(0o755)
    return path


@contextmanager
def one_world(manifest: Manifest, engine: Path | None) -> Iterator[World]:
    """The world of one stream of a run."""
    with open_world(manifest, engine) as ports, ports.open("p0-chess960-naked-agent-b00000") as world:
        yield world


# --- seats ---------------------------------------------------------------------------------------


def test_the_seats_that_play_are_opened_and_answer_in_a_models_format() -> None:
    with one_world(sealed(PLAN), None) as world:
        answers = [world(chess_question(seat)) for seat in ("agent", "dice")]
    assert all(isinstance(answer, Reply) and "MOVE: " in answer.text for answer in answers)
    assert [answer.model for answer in answers if isinstance(answer, Reply)] == ["reference", "random"]


def test_the_same_question_has_the_same_answer_in_this_process_and_in_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    with one_world(sealed(PLAN), None) as world:
        in_worker = world(chess_question("agent"))
    monkeypatch.setattr(worker_processes, "cores", lambda: 1)
    with one_world(sealed(PLAN), None) as world:
        assert world(chess_question("agent")) == in_worker


def test_a_seat_that_does_not_play_needs_nothing() -> None:
    with one_world(sealed(PLAN), None) as world, pytest.raises(PortFault, match="the run has no model to ask"):
        world(chess_question("model"))


def test_a_seat_whose_key_is_not_in_the_environment_is_told_before_the_run_begins() -> None:
    wished = {**PLAN, "matches": [{"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 2}]}
    with pytest.raises(PortFault, match="NO_SUCH_KEY"), one_world(sealed(wished), None):
        pass


def test_stockfish_sits_at_the_table_at_its_own_strength(engine: Path) -> None:
    with one_world(sealed(FISH), engine) as world:
        answer = world(chess_question("fish"))
    assert isinstance(answer, Reply)
    assert (answer.model, answer.text[:6]) == ("Stockfish 15.1", "MOVE: ")


def test_a_seat_of_stockfish_without_an_engine_is_told_with_the_package_that_has_it() -> None:
    with pytest.raises(PortFault, match="apt-get install stockfish"), one_world(sealed(FISH), None):
        pass


class BrokenPool:
    """A pool whose worker has died."""

    def submit(self, *_: object) -> "Future[str]":
        future: Future[str] = Future()
        future.set_exception(BrokenProcessPool("a worker died"))
        return future


def test_a_reference_player_whose_worker_dies_is_a_fault_of_the_world() -> None:
    seat = LocalSeat(ReferenceSeat(), BrokenPool())  # type: ignore[arg-type]
    with pytest.raises(PortFault, match="a worker process of the reference players has died; resume the run"):
        seat.complete(ChatRequest(chess_question("agent").messages, 7))


# --- the engine ----------------------------------------------------------------------------------


def test_the_sealed_engine_is_asked_and_its_processes_end_with_the_world(fake: Path) -> None:
    with one_world(sealed(JUDGED, fake), fake) as world:
        assert world(EVALUATE) == Evaluation(13, None)
    started = [int(line) for line in fake.with_name("fish.pids").read_text().split()]
    assert len(started) == 3, "one to seal, one to compare, one to ask"
    assert [pid for pid in started if lives(pid)] == []


def test_a_missing_engine_is_told_before_the_run_begins(fake: Path) -> None:
    with pytest.raises(PortFault, match="apt-get install stockfish"), one_world(sealed(JUDGED, fake), None):
        pass


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Fakefish 2", r"^expected Fakefish 1\b.* found Fakefish 2$"),
        ("Fakefish 1", r"^expected the sealed engine .*Fakefish 1.* found .*; use the one that was sealed$"),
    ],
    ids=["another name", "another binary"],
)
def test_another_engine_than_the_sealed_one_is_refused(fake: Path, tmp_path: Path, name: str, told: str) -> None:
    other = fake_engine(tmp_path / "other", name)
    with pytest.raises(PortFault, match=told), one_world(sealed(JUDGED, fake), other):
        pass


def test_a_run_without_adjudication_starts_no_engine(fake: Path) -> None:
    with one_world(sealed(PLAN), fake) as world, pytest.raises(PortFault, match="the run has no engine to ask"):
        world(EVALUATE)
    assert not fake.with_name("fish.pids").exists()


def test_an_engine_that_dies_is_a_fault_and_the_next_question_has_a_fresh_one(fake: Path) -> None:
    with one_world(sealed(JUDGED, fake), fake) as world:
        assert world(EVALUATE) == Evaluation(13, None)
        os.kill(int(fake.with_name("fish.pids").read_text().split()[-1]), signal.SIGKILL)
        with pytest.raises(PortFault, match=r"the engine failed: .* resume the run"):
            world(EVALUATE)
        assert world(EVALUATE) == Evaluation(13, None)


# --- a tool --------------------------------------------------------------------------------------


TOOLS: dict[str, Any] = {
    "title": "Tools",
    "seats": {"novice": {"kind": "novice"}},
    "systems": {"tools": {"kind": "tools"}},
    "chess960": {"adjudication": {"policy": "none"}},
    "matches": [
        {"phase": 2, "game": "chess960", "a": "novice", "b": "novice", "games": 2, "condition": condition}
        for condition in ({"augmentation": "tools"}, {"augmentation": "tools", "arm": "real", "system": "tools"})
    ],
}
EXAMINE = Examine(
    attempt=0, candidates=("e2e4", "d2d4"), game="g", moves="", nodes=50, start_fen=START, turn=0, to=TOOL
)
CALCULATE = Calculate(
    attempt=0,
    board=(),
    comparisons_max=990,
    game="h",
    hole=("Ah", "Ac"),
    pot_chips=150,
    seed=1,
    to_call_chips=50,
    turn=0,
    to=TOOL,
    hands_percent=100,
)


@pytest.mark.slow
def test_a_tool_asks_the_sealed_engine_and_its_death_stops_the_run_with_one_line(fake: Path) -> None:
    manifest = sealed(TOOLS, fake)
    assert manifest.engine
    assert manifest.engine.name == "Fakefish 1"
    found = Examined(tuple(ExaminedMove(13, move, None) for move in EXAMINE.candidates))
    with one_world(manifest, fake) as world:
        assert world(EXAMINE) == found
        os.kill(int(fake.with_name("fish.pids").read_text().split()[-1]), signal.SIGKILL)
        with pytest.raises(PortFault, match=r"^tool of chess960: .* the engine failed: .* resume the run$"):
            world(EXAMINE)
        assert world(EXAMINE) == found


def test_a_run_has_the_tools_that_its_plan_names_and_a_calculator_needs_no_engine() -> None:
    hands = [
        {"phase": 2, "game": "holdem", "a": "novice", "b": "novice", "hands": 100, "condition": match["condition"]}
        for match in TOOLS["matches"]
    ]
    with one_world(sealed({**TOOLS, "matches": hands}), None) as world:
        assert world(CALCULATE) == Calculated(1_225 * 1_712_304, 852, exact=True, price_permille=250)
        with pytest.raises(PortFault, match="the run has no tool of chess960 to ask"):
            world(EXAMINE)
    with one_world(sealed(PLAN), None) as world, pytest.raises(PortFault, match="no tool_a to ask"):
        world(CALCULATE)


# --- how many streams ----------------------------------------------------------------------------


def test_streams_side_by_side_are_what_the_endpoints_allow_else_a_few_for_each_core() -> None:
    assert concurrency_of(plan_from({**PLAN, "seats": {**PLAN["seats"], "model": endpoint(7)}})) == 7
    local = {name: PLAN["seats"][name] for name in ("agent", "dice")}
    assert concurrency_of(plan_from({**PLAN, "seats": local})) == LOCAL_STREAMS_PER_CORE * cores()


# --- questions become calls ----------------------------------------------------------------------


class Port:
    """A seat that keeps what it was asked, and whether it was closed."""

    def __init__(self) -> None:
        self.asked: list[ChatRequest] = []
        self.closed = 0

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        self.asked.append(request)
        return NoReply(reason="refused")

    def close(self) -> None:
        self.closed += 1


def test_a_question_is_put_to_its_seat_alone_and_all_ports_are_closed() -> None:
    here, there = Port(), Port()
    world = World(ports_of({"here": here, "there": there}, None))
    messages = (Message("Play.", "user"),)
    assert world(Chat(0, "g", messages, 99, "here", 0)) == NoReply(reason="refused")
    world.close()
    assert (here.asked, there.asked) == ([ChatRequest(messages, 99)], [])
    assert (here.closed, there.closed) == (1, 1)


# --- small helpers -------------------------------------------------------------------------------


def endpoint(concurrency: int) -> dict[str, Any]:
    return {**PLAN["seats"]["model"], "concurrency": concurrency}


def lives(pid: int) -> bool:
    """Whether a process is still there after a time in which it could end."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.01)
    return True


def test_a_worker_process_knows_no_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    monkeypatch.setattr(worker_processes, "cores", lambda: 2)
    with worker_processes.worker_processes() as pool:
        assert pool
        assert pool.submit(os.getenv, "OPENAI_API_KEY").result() is None
        assert pool.submit(os.getenv, "PATH").result() == os.environ["PATH"]
