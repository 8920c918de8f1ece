"""Odds in heads-up no-limit hold'em as an MCP server: the equity of a hand, and the equity that a call needs.

Equity is in thousandths of the pot if nobody folds, exact or from a sample that `seed` draws; see the calculator.
"""

from typing import Annotated

import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from agzamov_verify.core.questions import TOOL, Calculate
from agzamov_verify.games.holdem.calculator import calculate
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.starting_hands import PERCENT_MIN

NAME = "agzamov-tool-holdem"
CHIPS_MAX = 2**31
COMPARISONS_LEAST, COMPARISONS_MAX = 990, 2_000_000
SEED_MAX = 2**53 - 1
HOLE_CARDS = 2
BOARDS = (0, 3, 4, 5)
"""Cards on the board before the flop, on the flop, the turn and the river."""

# Strict: a number that came as text is an error of the caller.
Chips = Annotated[int, Field(strict=True, ge=0, le=CHIPS_MAX)]
Pot = Annotated[int, Field(strict=True, ge=1, le=CHIPS_MAX)]
Percent = Annotated[int, Field(strict=True, ge=PERCENT_MIN, le=100)]
Comparisons = Annotated[int, Field(strict=True, ge=COMPARISONS_LEAST, le=COMPARISONS_MAX)]
Seed = Annotated[int, Field(strict=True, ge=0, le=SEED_MAX)]
Cards = Annotated[list[str], Field(max_length=5)]


class Odds(BaseModel):
    """Equity and the equity that a call needs, in thousandths. `exact`: all showdowns were compared, not a sample."""

    compared: int
    equity_permille: int
    exact: bool
    price_permille: int


def server_of(version: str) -> MCPServer:
    """The server of the calculator."""
    server = MCPServer(name=NAME, version=version, log_level="WARNING")

    @server.tool(structured_output=True)
    async def calculate_odds(
        hole: Cards,
        board: Cards,
        pot_chips: Pot,
        to_call_chips: Chips,
        hands_percent: Percent,
        comparisons_max: Comparisons,
        seed: Seed,
    ) -> Odds:
        """Calculate the equity of two cards such as As Kd against one of the strongest so many percent of hands.

        The pot is that before a call. Of more showdowns than `comparisons_max` so many are compared, as `seed` draws.
        """
        _require_cards(hole, board)
        question = Calculate(
            attempt=0,
            board=tuple(board),
            comparisons_max=comparisons_max,
            game="",
            hands_percent=hands_percent,
            hole=tuple(hole),
            pot_chips=pot_chips,
            seed=seed,
            to_call_chips=to_call_chips,
            turn=0,
            to=TOOL,
        )
        found = await anyio.to_thread.run_sync(calculate, question)
        return Odds(
            compared=found.compared,
            equity_permille=found.equity_permille,
            exact=found.exact,
            price_permille=found.price_permille,
        )

    return server


def _require_cards(hole: list[str], board: list[str]) -> None:
    """Raises ToolError."""
    cards = (*hole, *board)
    if strange := next((card for card in cards if card not in DECK), ""):
        raise ToolError(f"expected cards such as As or Td, found {strange!a:.20}")
    if len(hole) != HOLE_CARDS or len(board) not in BOARDS:
        found = f"{len(hole)} and {len(board)}"
        raise ToolError(f"expected 2 cards in the hand and 0, 3, 4 or 5 on the board, found {found}")
    if len(set(cards)) < len(cards):
        raise ToolError(f"expected each card once, found {' '.join(cards)}")
