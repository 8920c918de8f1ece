"""`python -m agzamov_tools chess960 --engine PATH`, or `holdem`: one tool as an MCP server over stdio."""

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server import MCPServer

from agzamov_verify.engines.uci_engine import NAME, EngineFault, UciEngine, find_engine

from . import calculator_server, engine_server

VERSION = "1"
UNUSABLE = 2
CHESS, HOLDEM = "chess960", "holdem"
HASH_MIB, HASH_MIB_MAX = 16, 4096


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m agzamov_tools", description=__doc__)
    tools = parser.add_subparsers(dest="tool", required=True, metavar="TOOL")
    chess = tools.add_parser(CHESS, help=f"{NAME}: evaluate_position, compare_moves, best_lines")
    chess.add_argument("--engine", metavar="PATH", help="the program, or the socket at which it answers")
    chess.add_argument("--hash-mib", metavar="MIB", type=int, default=HASH_MIB, help="the engine's table (default: 16)")
    tools.add_parser(HOLDEM, help="odds in hold'em: calculate_odds")
    given = parser.parse_args()
    if given.tool == CHESS and not 1 <= given.hash_mib <= HASH_MIB_MAX:
        parser.error(f"--hash-mib: expected 1 to {HASH_MIB_MAX}, found {given.hash_mib}")
    return given


@contextmanager
def served(given: argparse.Namespace) -> Iterator[MCPServer]:
    """The server that was asked for. Raises EngineFault."""
    if given.tool == HOLDEM:
        yield calculator_server.server_of(VERSION)
        return
    with UciEngine(find_engine(given.engine), given.hash_mib) as engine:
        yield engine_server.server_of(engine, VERSION)


def main() -> None:
    """Serve one tool until the client goes away."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the library waits for its input in a thread that Ctrl-C leaves alone
    try:
        with served(arguments()) as server:
            server.run(transport="stdio")
    except EngineFault as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(UNUSABLE) from error


if __name__ == "__main__":
    main()
