"""The port of the tools: real servers answer as the verifier does, and one that is not as expected stops the run."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.foundation.pool import Pool
from agzamov_harness.ports import PortFault
from agzamov_harness.servers.mcp_client import McpClient, ToolResult
from agzamov_harness.servers.server_process import Process, bare_environment
from agzamov_harness.servers.tool_port import ToolPort, ToolServer, local_server
from agzamov_verify.core.questions import ENGINE, TOOL, Calculate, Evaluate, Examine
from agzamov_verify.engines.uci_engine import NAME, EngineFault, find_engine
from direct_tools import DirectTools

START = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
"""A position of Chess960 of the public perft suites."""
ABOUT: dict[str, Any] = {
    "attempt": 0,
    "game": "g",
    "moves": "",
    "nodes": 300,
    "start_fen": START,
    "to": TOOL,
    "turn": 16,
}
POSITIONS = (
    Examine(candidates=(), **ABOUT),
    Examine(candidates=("f4f5", "g2g3"), **ABOUT),
    Examine(candidates=(), lines_max=2, **ABOUT),
)
HANDS = tuple(
    Calculate(
        attempt=0,
        board=board,
        comparisons_max=990,
        game="h",
        hands_percent=percent,
        hole=("As", "Kd"),
        pot_chips=400,
        seed=2**53 - 1,
        to_call_chips=200,
        turn=3,
        to=TOOL,
    )
    for board in ((), ("2c", "3d", "4h"), ("2c", "3d", "4h", "Ad", "Kh"))
    for percent in (100, 20)
)

try:
    ENGINE = find_engine()
    MISSING = ""
except EngineFault as fault:
    ENGINE, MISSING = Path("stockfish"), str(fault)

needs_engine = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@contextmanager
def port(folder: Path, *games: str, size: int = 1, engine: str = NAME) -> Iterator[ToolPort]:
    servers = [
        ToolServer(game, local_server(game, ENGINE, 16, folder), engine if game == "chess960" else "") for game in games
    ]
    with closing(ToolPort(servers, size, folder)) as opened:
        yield opened


@pytest.mark.slow
@needs_engine
def test_every_question_has_the_answer_that_the_verifier_gives(tmp_path: Path) -> None:
    questions = (*POSITIONS, *HANDS)
    with port(tmp_path, "chess960", "holdem") as served, closing(DirectTools(ENGINE)) as direct:
        assert [served.answer(question) for question in questions] == [direct.answer(one) for one in questions]


@pytest.mark.slow
def test_threads_share_a_few_servers_and_each_has_its_own_answer(tmp_path: Path) -> None:
    questions = HANDS * 4
    with port(tmp_path, "holdem", size=2) as served, ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(served.answer, questions))
    assert answers == [DirectTools(None).answer(one) for one in questions]
    assert 1 <= len(list(tmp_path.glob("holdem-*.log"))) <= 2


@pytest.mark.slow
@needs_engine
def test_a_server_of_another_engine_than_the_sealed_one_is_refused(tmp_path: Path) -> None:
    expected = (
        "expected the server agzamov-tool-chess960 1, Stockfish 14, found agzamov-tool-chess960 1, Stockfish 15.1"
    )
    with port(tmp_path, "chess960", engine="Stockfish 14") as served, pytest.raises(PortFault, match=expected):
        served.answer(POSITIONS[0])


def test_what_is_no_question_to_a_tool_of_the_run_is_a_fault(tmp_path: Path) -> None:
    with port(tmp_path, "holdem") as served:
        with pytest.raises(PortFault, match="the run has no tool of chess960 to ask"):
            served.answer(POSITIONS[0])
        with pytest.raises(PortFault, match="expected a question to a tool, found Evaluate"):
            served.answer(Evaluate(game="g", moves="", start_fen=START, turn=0, to=ENGINE))


@pytest.mark.slow
@needs_engine
def test_what_a_script_would_refuse_is_refused_before_it_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was written into the journal first, which nobody could go on with then."""
    with port(tmp_path, "chess960", "holdem") as served:
        empty = {"moves": []}
        monkeypatch.setattr(McpClient, "call", lambda *_: ToolResult(empty, "", failed=False))
        with pytest.raises(PortFault, match="expected findings about f4f5 g2g3 from compare_moves, found none; resume"):
            served.answer(POSITIONS[1])
        odds = {"compared": 990, "equity_permille": 5_000, "exact": True, "price_permille": 0}
        monkeypatch.setattr(McpClient, "call", lambda *_: ToolResult(odds, "", failed=False))
        with pytest.raises(PortFault, match="expected an answer of calculate_odds as its schema has it"):
            served.answer(HANDS[0])


def test_two_threads_that_see_one_idle_server_do_not_wait_for_each_other() -> None:
    class Thing:
        def close(self) -> None:
            pass

    pool: Pool[Thing] = Pool(Thing, 2)
    with pool.lent():
        pass  # one is idle now
    with pool.lent() as first, pool.lent() as second:
        assert first is not second
    with pytest.raises(ZeroDivisionError), pool.lent():
        raise ZeroDivisionError
    with pool.lent(), pool.lent():
        pass


FAKE = """
import sys
from mcp.server import MCPServer
from pydantic import BaseModel
server = MCPServer(name="agzamov-tool-holdem", version="1", log_level="ERROR")
defect = sys.argv[1]
if defect == "ends":
    sys.exit("a last word")
class Odds(BaseModel):
    equity: int
@server.tool(structured_output=True)
async def calculate_odds(board: list[str], comparisons_max: int, hands_percent: int, hole: list[str], pot_chips: int,
                         seed: int, to_call_chips: int) -> Odds:
    if defect == "dies":
        import os; os._exit(1)
    return Odds(equity=1)
server.run(transport="stdio")
"""


@pytest.mark.parametrize(
    ("defect", "told"),
    [
        ("ends", r"expected a server that starts, found the server ended; its last line on stderr is 'a last word'"),
        ("dies", r"expected an answer of calculate_odds, found the server ended"),
        ("odd", r"expected an answer of calculate_odds as its schema has it, found Object "),
    ],
)
def test_a_server_that_does_not_answer_as_declared_stops_the_run_with_one_line(
    tmp_path: Path, defect: str, told: str
) -> None:
    script = tmp_path / "fake_tool.py"
    script.write_text(FAKE)
    process = Process((str(script), defect), sys.executable, bare_environment(tmp_path), tmp_path, "auto")
    whole = f"^tool of holdem: {told}.*; its log is .*; resume the run$"
    port_of_fake = ToolPort([ToolServer("holdem", process)], 1, tmp_path)
    with closing(port_of_fake), pytest.raises(PortFault, match=whole) as fault:
        port_of_fake.answer(HANDS[0])
    assert "\n" not in str(fault.value)
