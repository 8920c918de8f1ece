"""Chess that another program conducts: a position, a decision, the next position.

A game goes on as long as the program's moves follow on the seat's own; a move taken back, another start or `newgame`
begins another one. The seat is asked as in a match, by the same texts, under rules that end no game early and draw a
legal move where an answer holds none: a program wants a move in time.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

import chess
from msgspec.structs import replace

from ...core.dice import Dice
from ...core.questions import REPLY, Chat, Message, NoReply
from ...core.script import Divergence, Script, ask
from ...experiment.matches import Match
from ...table.adjudication import Adjudication, AdjudicationPolicy
from ...table.decision import FIRST_ATTEMPT, IllegalPolicy
from ...table.declared import Fault
from ...table.exhibition import PROGRAM, READY, Command, Exhibition, ExhibitionGame, GameExhibition, read_command
from ...table.game import Game
from ...table.players import Player
from .game import GAME, PLIES_MAX, STANDARD_CHESS
from .game_script import ChessRecord, ChessRules, ChessTable, Ending
from .notes import observation
from .rules import End
from .variants import CHESS960, STANDARD, Variant

VARIANTS_PLAYED: Final[Mapping[str, Variant]] = {"chess960": CHESS960, "chess": STANDARD}
UNKNOWN_END: Final = "Ended as"
"""Beginning of the line of a note that tells the result, which a program keeps to itself."""


class ChessExhibition(Exhibition):
    """The games of one conversation."""

    def __init__(self, match: Match, player: Player, rules: ChessRules, dice: Dice, game: Game) -> None:
        self.games: list[ExhibitionGame] = []
        none = Adjudication(AdjudicationPolicy.NONE)
        self._rules = replace(rules, adjudication=none, illegal=IllegalPolicy.SUBSTITUTE, plies_max=PLIES_MAX)
        self._match, self._player, self._dice, self._game = match, player, dice, game
        self._table: ChessTable | None = None
        self._turn = 0

    def script(self) -> Script[None]:
        said = READY
        while True:
            command = yield from self._ask_program(said)
            table = yield from self._table_of(command)
            said = f"bestmove {(yield from self._decide(table)).uci()}"

    @property
    def _name(self) -> str:
        return self._game.id_of(self._match, max(0, len(self.games) - 1))

    def _ask_program(self, said: str) -> Script[Command]:
        question = Chat(FIRST_ATTEMPT, self._name, (Message(said, "user"),), 0, PROGRAM, self._turn)
        reply = yield from ask(question, REPLY)
        place = f"answer {self._turn} of the program"
        self._turn += 1
        if isinstance(reply, NoReply):
            raise Divergence(place, "a position", "no reply")
        return read_command(place, reply)

    def _table_of(self, command: Command) -> Script[ChessTable]:
        """The table with the position of a command: that of the game that goes on, or of a new one."""
        game, table = (self.games[-1] if self.games else None), self._table
        if game and command.played:
            game.moves[-1] = command.played
            game.late.append(len(game.moves) - 1)
        if game and table and not command.new_game and _goes_on(game, table, command):
            self._push(table, command.moves[len(table.game.moves) :])
            return table
        if game and table:
            yield from self._remember(game)
        return self._begin(command)

    def _begin(self, command: Command) -> ChessTable:
        variant = VARIANTS_PLAYED.get(command.variant)
        place = f"answer {self._turn - 1} of the program"
        if variant is None:
            raise Divergence(place, "chess or chess960", repr(command.variant[:20]))
        name = self._game.name_of(self._match, len(self.games))
        try:
            table = ChessTable(name, command.start_fen, (self._player, self._player), self._rules, self._dice, variant)
        except ValueError as error:
            raise Divergence(place, "a legal position", str(error)[:200]) from error
        self._push(table, command.moves)
        side = 0 if table.game.board.turn else 1
        moves = list(table.game.moves)
        game = ExhibitionGame(name.id, variant.name, table.game.start_fen, not side, moves, table.tallies[side])
        self._table = table
        self.games.append(game)
        return table

    def _push(self, table: ChessTable, moves: tuple[str, ...]) -> None:
        for text in moves:
            move = table.game.read(text)
            if isinstance(move, Fault):
                raise Divergence(f"answer {self._turn - 1} of the program", "legal moves", move.why)
            table.game.push(move)
        if not any(table.game.board.generate_legal_moves()):
            raise Divergence(f"answer {self._turn - 1} of the program", "a position with a legal move", "none")

    def _decide(self, table: ChessTable) -> Script[chess.Move]:
        game, side = self.games[-1], 0 if table.game.board.turn else 1
        move = yield from table.decide(side)
        assert isinstance(move, chess.Move)  # the policy is to draw one, and no person is asked
        game.drawn = list(table.substituted)
        game.moves = [*table.game.moves, move.uci()]
        return move

    def _remember(self, game: ExhibitionGame) -> Script[None]:
        """Give the seat's memory its observation of a game, whose result the program keeps to itself."""
        if not self._player.memory:
            return
        end = Ending(End.UNFINISHED, 1)
        record = ChessRecord(game.id, game.start_fen, tuple(game.moves), end, end, (game.tally, game.tally))
        note = observation((record,), 0 if game.is_white else 1, 0, VARIANTS_PLAYED[game.variant])
        lines = (_without_result(line, len(game.moves)) for line in note.split("\n"))
        yield from self._player.memory.observe(game.id, "\n".join(lines))


def _goes_on(game: ExhibitionGame, table: ChessTable, command: Command) -> bool:
    """Whether a command's moves follow on the seat's last decision, with one more of its opponent or of a pair."""
    known = len(game.moves)
    same = (command.variant, command.start_fen) == (table.game.variant.name, table.game.start_fen)
    return same and command.moves[:known] == tuple(game.moves) and (len(command.moves) - known) % 2 == 1


def _without_result(line: str, plies: int) -> str:
    if not line.startswith(UNKNOWN_END):
        return line
    return f"{line.partition(':')[0]}: not told, after {plies} plies or later"


class ChessGameExhibition(GameExhibition):
    """Exhibitions of Chess960; and of standard chess, where the program plays that."""

    game: ClassVar[Game] = GAME

    def begun(self, match: Match, player: Player, rules: ChessRules, dice: Dice) -> Exhibition:
        return ChessExhibition(match, player, rules, dice, self.game)


class StandardExhibition(ChessGameExhibition):
    """The same under the terms of a match of standard chess."""

    game = STANDARD_CHESS


EXHIBITION: Final[GameExhibition] = ChessGameExhibition()
VARIANTS: Final[Mapping[str, GameExhibition]] = {one.game.name: one for one in (EXHIBITION, StandardExhibition())}
