"""Odds in heads-up no-limit hold'em as an MCP server: the equity of a hand, and the equity that a call needs.

Equity is in thousandths of the pot if nobody folds, exact or from a sample that `seed` draws; see the calculator.
"""

from typing import Annotated

import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from agzamov_mcp.plain_server import READ_ONLY, PlainServer
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

HANDS_PERCENT, COMPARISONS, SEED = 100, 5_000, 0
"""Where a client names no number: every hand, and a sample that is off by 0.4 points or less in two cases of three."""
INSTRUCTIONS = "Odds of heads-up no-limit hold'em: the equity of two cards, and the equity that a call needs."

# Strict: a number that came as text is an error of the caller.
Pot = Annotated[int, Field(strict=True, ge=1, le=CHIPS_MAX, description="Chips in the pot before the call.")]
ToCall = Annotated[int, Field(strict=True, ge=0, le=CHIPS_MAX, description="Chips that a call costs; 0 for a check.")]
Percent = Annotated[
    int,
    Field(
        strict=True,
        ge=PERCENT_MIN,
        le=100,
        description="The opponent holds one of the strongest so many percent of hands; 100 for any hand.",
    ),
]
Comparisons = Annotated[
    int,
    Field(
        strict=True,
        ge=COMPARISONS_LEAST,
        le=COMPARISONS_MAX,
        description="Showdowns compared at most; of more a sample is drawn.",
    ),
]
Seed = Annotated[int, Field(strict=True, ge=0, le=SEED_MAX, description="Draws the sample: one seed, one answer.")]
Hole = Annotated[list[str], Field(max_length=5, description="Your two cards, rank and suit, as in ['As', 'Td'].")]
Board = Annotated[list[str], Field(max_length=5, description="The 0, 3, 4 or 5 cards on the board.")]


class Odds(BaseModel):
    """Equity and the equity that a call needs, in thousandths. `exact`: all showdowns were compared, not a sample."""

    compared: int
    equity_permille: int
    exact: bool
    price_permille: int


def server_of(version: str) -> MCPServer:
    """The server of the calculator."""
    server = PlainServer(NAME, version, INSTRUCTIONS)

    @server.tool(structured_output=True, annotations=READ_ONLY)
    async def calculate_odds(
        hole: Hole,
        board: Board,
        pot_chips: Pot,
        to_call_chips: ToCall,
        hands_percent: Percent = HANDS_PERCENT,
        comparisons_max: Comparisons = COMPARISONS,
        seed: Seed = SEED,
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
