"""The tools' MCP servers, as any client sees them: real processes, the real engine, good and broken questions."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from agzamov_harness.servers.mcp_client import CallFailed, McpClient
from agzamov_harness.servers.server_process import Process, bare_environment
from agzamov_verify.core.questions import TOOL, Examine
from agzamov_verify.engines.uci_engine import EngineFault, UciEngine, find_engine

ANSWER_S = 120.0
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
POSITION = {"start_fen": START, "moves": "e2e4", "nodes": 500}
HAND: dict[str, Any] = {
    "hole": ["Ah", "Ac"],
    "board": [],
    "pot_chips": 150,
    "to_call_chips": 50,
    "hands_percent": 100,
    "comparisons_max": 990,
    "seed": 1,
}

try:
    ENGINE = find_engine()
    MISSING = ""
except EngineFault as fault:
    ENGINE, MISSING = Path("stockfish"), str(fault)

needs_engine = pytest.mark.skipif(bool(MISSING), reason=MISSING)


def connected(folder: Path, *words: str) -> McpClient:
    command = ("-m", "agzamov_tools", *words)
    server = Process(command, sys.executable, bare_environment(folder), folder, "auto")
    return McpClient(server, (folder / "server.log").open("w"), ANSWER_S)


@pytest.fixture(scope="module")
def chess(tmp_path_factory: pytest.TempPathFactory) -> Iterator[McpClient]:
    with closing(connected(tmp_path_factory.mktemp("chess"), "chess960", "--engine", str(ENGINE))) as client:
        yield client


@pytest.fixture(scope="module")
def holdem(tmp_path_factory: pytest.TempPathFactory) -> Iterator[McpClient]:
    with closing(connected(tmp_path_factory.mktemp("holdem"), "holdem")) as client:
        yield client


def firsts(structured: Any) -> list[str]:
    return [row["line"].split()[0] for row in structured["moves"]]


@needs_engine
def test_the_engines_server_names_its_engine_and_its_tools(chess: McpClient) -> None:
    assert chess.server == ("agzamov-tool-chess960", "1, Stockfish 15.1")
    assert [tool.name for tool in chess.tools()] == ["best_lines", "compare_moves", "evaluate_position"]


@needs_engine
def test_its_answers_are_those_of_the_engine_asked_directly(chess: McpClient) -> None:
    asked: dict[str, Any] = {"start_fen": START, "moves": "e2e4", "nodes": 500}
    about: dict[str, Any] = {"attempt": 0, "game": "", "to": TOOL, "turn": 0, **asked}
    cases: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("evaluate_position", {}, {"candidates": ()}),
        ("compare_moves", {"candidates": ["e7e5", "a7a6"]}, {"candidates": ("e7e5", "a7a6")}),
        ("best_lines", {"lines": 3}, {"candidates": (), "lines_max": 3}),
    ]
    with UciEngine(ENGINE, 16) as engine:
        for tool, arguments, question in cases:
            result = chess.call(tool, {**asked, **arguments}, ANSWER_S)
            expected = engine.examine(Examine(**about, **question))
            rows = [{"centipawns": one.centipawns, "line": one.line, "mate": one.mate} for one in expected.moves]
            assert result.structured == {"moves": rows}


@needs_engine
def test_castling_and_chess960_starts_are_understood(chess: McpClient) -> None:
    start = "4k3/8/8/8/8/8/8/4KR2 w F - 0 1"
    result = chess.call("compare_moves", {**POSITION, "start_fen": start, "moves": "", "candidates": ["e1f1"]}, 60)
    assert firsts(result.structured) == ["e1f1"]


@needs_engine
@pytest.mark.parametrize(
    ("tool", "changes", "told"),
    [
        ("evaluate_position", {"start_fen": "nonsense"}, "expected a start in X-FEN and legal moves in UCI"),
        ("evaluate_position", {"moves": "e2e5"}, "expected a start in X-FEN and legal moves in UCI"),
        ("evaluate_position", {"start_fen": MATED, "moves": ""}, "one in which the game is over"),
        ("evaluate_position", {"start_fen": START + "\nquit"}, "expected a start in X-FEN and legal moves in UCI"),
        ("evaluate_position", {"moves": "e2e4 0000"}, "found the null move 0000"),
        ("evaluate_position", {"start_fen": "8/8/8/8/8/8/P7/8 w - - 0 1", "moves": ""}, "or that is none"),
        ("compare_moves", {"candidates": ["e7e5", "e2e4"]}, "expected legal candidates in UCI, found 'e2e4'"),
        ("compare_moves", {"candidates": []}, "candidates"),
        ("evaluate_position", {"nodes": 0}, "nodes"),
        ("evaluate_position", {"nodes": "500"}, "nodes"),
        ("evaluate_position", {"nodes": 1_000_001}, "nodes"),
        ("best_lines", {"lines": 11}, "lines"),
        ("compare_moves", {}, "candidates: field required"),
        ("evaluate_position", {"nodes": 0}, "nodes: input should be greater than or equal to 1, found 0"),
    ],
)
def test_a_question_that_cannot_be_answered_is_an_error_and_the_next_is_answered(
    chess: McpClient, tool: str, changes: dict[str, Any], told: str
) -> None:
    result = chess.call(tool, {**POSITION, **changes}, ANSWER_S)
    assert (result.failed, result.structured) == (True, None)
    assert told in result.text
    assert "pydantic" not in result.text
    assert "\n" not in result.text, "one line"
    assert firsts(chess.call("best_lines", {**POSITION, "lines": 1}, ANSWER_S).structured)


@pytest.mark.slow
@needs_engine
def test_a_dead_engine_is_told_as_an_error(tmp_path: Path) -> None:
    fish = tmp_path / "fish"
    fish.write_text(
        '#!/bin/sh\nwhile read -r word rest; do case "$word" in\n'
        'uci) echo "id name Fakefish 1"; echo uciok;; isready) echo readyok;; go) exit 1;; esac; done\n'
    )
    fish.chmod(0o755)
    with closing(connected(tmp_path, "chess960", "--engine", str(fish))) as client:
        result = client.call("evaluate_position", POSITION, ANSWER_S)
    assert result.failed
    assert "the engine failed: the engine process has ended" in result.text


@pytest.mark.slow
def test_without_its_engine_a_server_ends_with_one_line(tmp_path: Path) -> None:
    with pytest.raises(CallFailed):
        connected(tmp_path, "chess960", "--engine", "/no/such/engine")
    (line,) = (tmp_path / "server.log").read_text().splitlines()
    assert line.startswith("error: no engine at /no/such/engine; install Stockfish 15.1")


def test_aces_win_85_of_100_against_a_random_hand(holdem: McpClient) -> None:
    """85.2 %: https://en.wikipedia.org/wiki/Texas_hold_%27em_starting_hands, as every equity table has it."""
    assert holdem.server == ("agzamov-tool-holdem", "1")
    result = holdem.call("calculate_odds", HAND, ANSWER_S)
    assert result.structured == {
        "compared": 1_225 * 1_712_304,
        "equity_permille": 852,
        "exact": True,
        "price_permille": 250,
    }


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"hole": ["Ah", "1x"]}, "expected cards such as As or Td, found '1x'"),
        ({"hole": ["Ah"]}, "expected 2 cards in the hand and 0, 3, 4 or 5 on the board, found 1 and 0"),
        ({"board": ["2c", "3c"]}, "expected 2 cards in the hand and 0, 3, 4 or 5 on the board, found 2 and 2"),
        ({"board": ["Ah", "3c", "4c"]}, "expected each card once, found Ah Ac Ah 3c 4c"),
        ({"hands_percent": 4}, "hands_percent"),
        ({"pot_chips": -1}, "pot_chips"),
        ({"pot_chips": 0, "to_call_chips": 0}, "pot_chips"),
        ({"seed": 2**53}, "seed"),
        ({"comparisons_max": 2_000_001}, "comparisons_max"),
    ],
)
def test_a_hand_that_is_none_is_an_error_and_the_next_is_answered(
    holdem: McpClient, changes: dict[str, Any], told: str
) -> None:
    result = holdem.call("calculate_odds", {**HAND, **changes}, ANSWER_S)
    assert (result.failed, result.structured) == (True, None)
    assert told in result.text
    assert not holdem.call("calculate_odds", HAND, ANSWER_S).failed


async def handshake(*words: str) -> tuple[Any, list[Any]]:
    """Capabilities that a server declares, and its tools, as the SDK's own client sees them."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "agzamov_tools", *words])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        declared = await session.initialize()
        return declared.capabilities, (await session.list_tools()).tools


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["holdem", pytest.param("chess960", marks=needs_engine)])
def test_any_client_reads_what_a_tool_takes_and_that_it_changes_nothing(tool: str) -> None:
    """None of the parameters had a description: what `moves` is, and `start_fen` may be, was guesswork."""
    capabilities, tools = anyio.run(handshake, tool)
    assert capabilities.tools is not None
    assert (capabilities.prompts, capabilities.resources) == (None, None), "there are none"
    assert tools
    for one in tools:
        assert one.description
        assert one.annotations.read_only_hint
        assert one.annotations.idempotent_hint
        assert one.annotations.open_world_hint is False
        for name, parameter in one.input_schema["properties"].items():
            assert parameter.get("description"), f"{one.name} {name}"
    required = {one.name: one.input_schema["required"] for one in tools}
    wanted = {
        "holdem": {"calculate_odds": ["hole", "board", "pot_chips", "to_call_chips"]},
        "chess960": {
            "best_lines": ["start_fen"],
            "compare_moves": ["start_fen", "candidates"],
            "evaluate_position": ["start_fen"],
        },
    }
    assert required == wanted[tool]


@needs_engine
def test_what_a_client_leaves_out_has_a_default(chess: McpClient) -> None:
    told = chess.call("evaluate_position", {"start_fen": START}, ANSWER_S)
    assert (
        told.structured
        == chess.call("evaluate_position", {**POSITION, "moves": "", "nodes": 50_000}, ANSWER_S).structured
    )


@needs_engine
def test_a_text_that_looks_like_json_stays_a_text(chess: McpClient) -> None:
    result = chess.call("evaluate_position", {**POSITION, "moves": '["e2e4"]'}, ANSWER_S)
    assert result.failed
    assert "legal moves in UCI" in result.text
