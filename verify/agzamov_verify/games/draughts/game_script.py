"""One game of draughts as a script. After its ballot White is to move, so White has the first place."""

from typing import Final

import msgspec

from ...core.dice import Dice
from ...core.questions import Chat, NoReply, Reply
from ...core.script import Script
from ...table.decision import FIRST_ATTEMPT, ActionReader, Forfeit, Tally, decide
from ...table.declared import Accepted, Fault, read_declared
from ...table.players import GameName, Player, seed_for
from .board import Move
from .prompt import REMINDER, TAG, DraughtsRules, system_message, turn_message
from .rules import DraughtsGame, End
from .spelling import read_move, spelled

HALFPOINTS: Final = 2
"""Of a game, for both players together."""


class DraughtsRecord(msgspec.Struct, frozen=True):
    """The outcome of one game.

    `moves`: those after the ballot, White's first. `white_halfpoints`: 2, 1 or 0. `tallies`: White's and Black's.
    `substituted`: the plies, from 0 after the ballot, whose move was drawn from the seed; `retried`: those whose
    decision came after failed tries of the seat's server.
    """

    game: str
    ballot: str
    moves: tuple[str, ...]
    end: End
    white_halfpoints: int
    tallies: tuple[Tally, Tally]
    substituted: tuple[int, ...] = ()
    retried: tuple[int, ...] = ()

    @property
    def outcomes(self) -> tuple[int, int]:
        """Half-points of White and Black."""
        return self.white_halfpoints, HALFPOINTS - self.white_halfpoints

    @property
    def all_moves(self) -> tuple[str, ...]:
        """The moves from the start of draughts, with the ballot's."""
        return (*self.ballot.split(), *self.moves)


def play(
    name: GameName, ballot: str, players: tuple[Player, ...], rules: DraughtsRules, dice: Dice
) -> Script[DraughtsRecord]:
    """Play one game. `players`: White and Black."""
    return (yield from _Table(name, ballot, players, rules, dice).play())


class _Table:
    """The state of one game between questions."""

    def __init__(
        self, name: GameName, ballot: str, players: tuple[Player, ...], rules: DraughtsRules, dice: Dice
    ) -> None:
        self.game = DraughtsGame(ballot)
        self.name, self.ballot, self.players, self.rules, self.dice = name, ballot, players, rules, dice
        self.systems = tuple(system_message(player.patterns, rules, player.tokens_max) for player in players)
        self.tallies = (Tally(), Tally())
        self.substituted: list[int] = []
        self.retried: list[int] = []
        self.reading = ActionReader(self._read, self._substitute, REMINDER, TAG, spelled)

    def play(self) -> Script[DraughtsRecord]:
        ended: tuple[End, int] | None = None
        while ended is None:
            place = self.game.ply % 2
            tally = self.tallies[place]
            failed = tally.failed_attempts
            asked, planted = self._question(place), self.players[place].planted
            action = yield from decide(asked, self.reading, self.rules.illegal, tally, None, None, planted)
            if tally.failed_attempts > failed:
                self.retried.append(self.game.ply)
            ended = self._act(action, place)
        moves = tuple(self.game.moves[len(self.ballot.split()) :])
        plies = tuple(self.substituted), tuple(self.retried)
        return DraughtsRecord(self.name.id, self.ballot, moves, *ended, self.tallies, *plies)

    def _act(self, action: Move | Forfeit, place: int) -> tuple[End, int] | None:
        """Play the decision of a place; return how the game ended and White's half-points, if it did."""
        if isinstance(action, Forfeit):
            return End.FORFEIT, HALFPOINTS * place
        self.game.push(action)
        end = self.game.end(self.rules.quiet_moves_max, self.rules.plies_max)
        if end is None:
            return None
        return end, HALFPOINTS * (1 - place) if end is End.NO_MOVE else 1

    def _question(self, place: int) -> Chat:
        player = self.players[place]
        messages = (self.systems[place], turn_message(self.game, player.briefing))
        seed = seed_for(player, place, self.name, self.game.ply, self.dice)
        return Chat(FIRST_ATTEMPT, self.name.id, messages, seed, player.seat, self.game.ply)

    def _read(self, answer: Reply | NoReply) -> Accepted[Move] | Fault:
        return read_declared(answer, TAG, lambda text: read_move(text, self.game))

    def _substitute(self, attempt: int) -> Move:
        self.substituted.append(self.game.ply)
        label = f"substitute/{self.name.label}/{self.game.ply}/{attempt}"
        return self.dice.stream(label).choice(self.game.legal())
