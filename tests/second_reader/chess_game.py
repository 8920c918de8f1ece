"""A game of Chess960: prompts, order of questions, end (page 6)."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import chess

from .chess_spelling import read_move
from .dice import start_fen
from .play import Ask, Table

POINTS = {chess.QUEEN: 9, chess.ROOK: 5, chess.BISHOP: 3, chess.KNIGHT: 3, chess.PAWN: 1, chess.KING: 0}
RULES = (
    "checkmate",
    "stalemate",
    "insufficient_material",
    "threefold_repetition",
    "fivefold_repetition",
    "fifty_moves",
    "seventy_five_moves",
)


@dataclass
class Game:
    """How a game went: winners are 0 for White, 1 for Black, None for nobody."""

    id: str
    number: int
    start: str
    moves: list[str] = field(default_factory=list)
    end: str = ""
    winner: int | None = None
    raw_end: str = ""
    raw_winner: int | None = None
    substituted: bool = False
    drawn: set[int] = field(default_factory=set)


def diagram(board: chess.Board) -> str:
    rows = []
    for rank in range(7, -1, -1):
        pieces = (board.piece_at(8 * rank + file) for file in range(8))
        rows.append(" ".join([str(rank + 1), *(piece.symbol() if piece else "." for piece in pieces)]))
    return "\n".join([*rows, "  a b c d e f g h"])


class ChessTable(Table):
    """A game that is being played."""

    def play(self) -> Ask:
        """The script of the game; it gives the `Game`."""
        start = start_fen(self.run.starts[self.number // 2])
        self.board, self.game = chess.Board(start, chess960=True), Game(self.id, self.number, start)
        self.seen = Counter([self._position()])
        self.run_of, self.run_length = None, 0
        plan = self.rules["adjudication"]
        played_on = self.run.draw(f"play_on/{self.label}").below(100) < plan["play_on_percent"]
        adjudicated = False
        while not self.game.raw_end:
            place = 0 if self.board.turn else 1
            move = yield from self._ask(place)
            if move is None:
                self._close("forfeit", 1 - place, adjudicated)
                break
            self._push(move)
            ended = self._end_by_rules()
            if ended:
                self._close(*ended, adjudicated)
            elif not adjudicated and plan["policy"] != "none" and (yield from self._adjudicate(plan)):
                adjudicated, self.game.end, self.game.winner = True, "adjudication", self.run_of
                if not played_on:
                    self.game.raw_end = "unfinished"
        self.game.substituted = self.substituted
        return self.game

    def _close(self, end: str, winner: int | None, adjudicated: bool) -> None:
        self.game.raw_end, self.game.raw_winner = end, winner
        if not adjudicated:
            self.game.end, self.game.winner = end, winner

    def _position(self) -> str:
        return " ".join(self.board.fen().split()[:4])

    def _push(self, move: str) -> None:
        self.board.push_uci(move)
        self.game.moves.append(move)
        self.seen[self._position()] += 1

    def legal_moves(self) -> list[str]:
        return sorted(move.uci() for move in self.board.legal_moves)

    def _ask(self, place: int) -> Ask:
        turn = len(self.game.moves)
        move = yield from self.decide(
            place,
            turn,
            self._system(place),
            self.user(place, turn),
            lambda text, finish: read_move(text, finish, self.board),
        )
        if move == "":
            self.game.drawn.add(turn)
            return self.run.draw(f"substitute/{self.label}/{turn}/0").choice(self.legal_moves())
        return move

    def _system(self, place: int) -> str:
        rules, plan = self.rules, self.rules["adjudication"]
        stopped = {"stockfish": "by_engine", "material": "by_material", "none": "never_stopped"}[plan["policy"]]
        if plan["play_on_percent"] == 100:
            stopped = "never_stopped"
        ends = " ".join(
            self.text(
                name,
                centipawns=str(plan["threshold_centipawns"]),
                points=str(plan["threshold_points"]),
                plies=str(plan["plies"]),
                plies_max=str(rules["plies_max"]),
            )
            for name in (f"draws_{rules['draw_claims']}", "ply_limit", stopped)
        )
        return self.system(place, ends=ends)

    def user(self, place: int, turn: int) -> str:
        """The user message of the side to move."""
        out = self.text(
            "turn",
            side=("White", "Black")[place],
            fen=self.board.fen(),
            diagram=diagram(self.board),
            moves=" ".join(self.game.moves) or "none",
        )
        if self.rules["prompt"] == "legal_moves":
            legal = self.legal_moves()
            dealt = self.run.draw(f"listed/{self.label}/{turn}").deal(legal, len(legal))
            out += self.text("legal", legal=" ".join(dealt))
        return out + self.profile(place) + self.text("form")

    def _end_by_rules(self) -> tuple[str, int | None] | None:
        """Rows 1 to 6 of 6.5."""
        never = self.rules["draw_claims"] == "never"
        if not any(self.board.legal_moves):
            mover = 1 if self.board.turn else 0
            return ("checkmate", mover) if self.board.is_check() else ("stalemate", None)
        if self.board.is_insufficient_material():
            return "insufficient_material", None
        if self.seen[self._position()] >= (5 if never else 3):
            return ("fivefold_repetition" if never else "threefold_repetition"), None
        if self.board.halfmove_clock >= (150 if never else 100):
            return ("seventy_five_moves" if never else "fifty_moves"), None
        return ("ply_limit", None) if len(self.game.moves) >= self.rules["plies_max"] else None

    def _adjudicate(self, plan: dict[str, Any]) -> Ask:
        """Whether a side has been ahead for long enough."""
        ahead: int | None = None
        if plan["policy"] == "stockfish":
            answer = yield {
                "ask": "evaluate",
                "game": self.id,
                "moves": " ".join(self.game.moves),
                "start_fen": self.game.start,
                "to": "engine",
                "turn": len(self.game.moves),
            }
            to_move, limit = 0 if self.board.turn else 1, plan["threshold_centipawns"]
            if answer["mate"] is not None:
                ahead = to_move if answer["mate"] > 0 else 1 - to_move
            elif abs(answer["centipawns"]) > limit:
                ahead = to_move if answer["centipawns"] > 0 else 1 - to_move
        else:
            worth = [0, 0]
            for piece in self.board.piece_map().values():
                worth[0 if piece.color else 1] += POINTS[piece.piece_type]
            gap = worth[0] - worth[1]
            ahead = None if abs(gap) < plan["threshold_points"] else 0 if gap > 0 else 1
        self.run_length = 0 if ahead is None else self.run_length + 1 if ahead == self.run_of else 1
        self.run_of = ahead
        return ahead is not None and self.run_length >= plan["plies"]
