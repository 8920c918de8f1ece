"""What is played: three in a row on nine squares, by two seats that take turns to begin."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import ClassVar, Final

import msgspec

from ...core.dice import Dice, Stream
from ...core.questions import Chat, Message, NoReply, Reply
from ...core.script import Script
from ...experiment.analysis_plan import SequentialRule
from ...experiment.matches import Match, Phase
from ...experiment.opponent_patterns import Adherence
from ...experiment.plan_fields import Count, Part, Problem
from ...table.decision import ActionReader, Forfeit, IllegalPolicy, Tally, added, answer_terms, decide
from ...table.declared import Accepted, Fault, FaultKind, read_declared
from ...table.game import Block, Bounds, Game, SeatsAt, StreamPlan, Utility
from ...table.players import GameName, Player, seed_for
from ...table.prompt_lines import Page, labelled, scripted_player
from ...table.seating import alternating, by_place, by_seat

LINES: Final = ("012", "345", "678", "036", "147", "258", "048", "246")
CENTRE: Final = 4
TAG: Final = "MOVE:"
SYSTEM: Final = (
    "You are playing noughts and crosses. The squares are numbered 1 to 9, row by row. Three of your marks in a row "
    "win. {answers}\nDeclare your move on the last line of your answer, in exactly this form:\nMOVE: <square>"
)
TAKES_CENTRE: Final = "take square 5 as soon as it is free."
REMINDER: Final = "Declare one free square on the last line, in the form MOVE: <square>"
TURN: Final = "Squares: {squares}\nYour mark: {mark}\nFree: {free}"


class NoughtsMatch(Match, frozen=True, tag="noughts"):
    """Games in pairs: each seat begins one. `block_games` of them share a stream."""

    games: Count = 20
    block_games: Count = 2

    @property
    def planned(self) -> int:
        return self.games

    @property
    def block_results(self) -> int:
        return self.block_games


class NoughtsRules(Part, frozen=True):
    """The rules of play of one run."""

    illegal: IllegalPolicy = IllegalPolicy.SUBSTITUTE


class NoughtsRecord(msgspec.Struct, frozen=True):
    """One game: the squares in the order of play, and the winner (0: who began, 1: the other, -1: nobody)."""

    game: str
    moves: tuple[int, ...]
    winner: int
    forfeited: bool
    tallies: tuple[Tally, Tally]

    @property
    def outcomes(self) -> tuple[int, int]:
        """Half-points by place: 2 won, 1 drawn, 0 lost."""
        return ((1, 1), (2, 0), (0, 2))[self.winner + 1]


class NoughtsBlock(Block, frozen=True):
    """Records of the games of one stream."""

    records: tuple[NoughtsRecord, ...]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        pairs = enumerate(self.records, start=self.first)
        return added(by_seat(record.tallies, alternating(index)) for index, record in pairs)


def play(name: GameName, players: tuple[Player, ...], rules: NoughtsRules, dice: Dice) -> Script[NoughtsRecord]:
    """Play one game."""
    squares, tallies, winner, forfeited = ["."] * 9, (Tally(), Tally()), -1, False
    moves: list[int] = []
    while winner < 0 and len(moves) < len(squares) and not forfeited:
        at, mark = len(moves) % 2, "XO"[len(moves) % 2]
        question = _question(name, players[at], at, squares, rules, dice)
        move = yield from decide(question, _reader(name, squares, len(moves), dice), rules.illegal, tallies[at])
        if isinstance(move, Forfeit):
            winner, forfeited = 1 - at, True
            break
        squares[move] = mark
        moves.append(move)
        if any(all(squares[int(one)] == mark for one in line) for line in LINES):
            winner = at
    return NoughtsRecord(name.id, tuple(moves), winner, forfeited, tallies)


def _question(name: GameName, player: Player, at: int, squares: list[str], rules: NoughtsRules, dice: Dice) -> Chat:
    turn = 9 - squares.count(".")
    answers = answer_terms(rules.illegal, player.tokens_max, "move", "game")
    free = " ".join(str(one + 1) for one in _free(squares))
    text = TURN.format(squares="".join(squares), mark="XO"[at], free=free)
    if player.briefing:
        text += f"\nOpponent profile:\n{player.briefing}"
    habits = "".join(f"\n\nYou must keep this rule in every game: {pattern}" for pattern in player.patterns)
    messages = (Message(SYSTEM.format(answers=answers) + habits, "system"), Message(text, "user"))
    return Chat(0, name.id, messages, seed_for(player, at, name, turn, dice), player.seat, turn)


def _free(squares: list[str]) -> list[int]:
    return [at for at, mark in enumerate(squares) if mark == "."]


def _reader(name: GameName, squares: list[str], turn: int, dice: Dice) -> ActionReader[int]:
    def read_square(text: str) -> Accepted[int] | Fault:
        if len(text) != 1 or text not in "123456789":
            return Fault(FaultKind.NO_ACTION, "a square from 1 to 9 was expected")
        if squares[int(text) - 1] != ".":
            return Fault(FaultKind.ILLEGAL, f"square {text} is taken")
        return Accepted(int(text) - 1, exact=True)

    def read(answer: Reply | NoReply) -> Accepted[int] | Fault:
        return read_declared(answer, TAG, read_square)

    def substitute(attempt: int) -> int:
        return dice.stream(f"substitute/{name.label}/{turn}/{attempt}").choice(_free(squares))

    return ActionReader(read, substitute, REMINDER)


def random_reply(page: Page, stream: Stream) -> str:
    """A free square by chance."""
    return f"MOVE: {stream.choice(labelled(page, 'Free').split())}"


def reference_reply(page: Page, stream: Stream) -> str:
    """What its rule asks for, else a square that wins or stops the opponent from winning, else one by chance."""
    squares, mark = labelled(page, "Squares"), labelled(page, "Your mark")
    free = labelled(page, "Free").split()
    if TAKES_CENTRE in page.rules and "5" in free:
        return "MOVE: 5"
    for own in (mark, "XO"[mark == "X"]):
        for line in LINES:
            there = [squares[int(one)] for one in line]
            if sorted(there) == sorted([".", own, own]):
                return f"MOVE: {int(line[there.index('.')]) + 1}"
    return f"MOVE: {stream.choice(free)}"


def took_centre(record: NoughtsRecord, place: int) -> Adherence:
    """An occasion is a move of this player while the middle square is free."""
    mine = [at for at in range(place, len(record.moves), 2) if CENTRE not in record.moves[:at]]
    return Adherence(len(mine), sum(record.moves[at] == CENTRE for at in mine))


class Noughts(Game):
    """Noughts and crosses."""

    name = "noughts"
    utility = Utility.CONSTANT_SUM
    title = "noughts and crosses"
    match = NoughtsMatch
    rules = NoughtsRules
    templates: ClassVar = {"noughts/system": SYSTEM, "noughts/reminder": REMINDER, "noughts/turn": TURN}
    patterns: ClassVar = {"takes_centre": TAKES_CENTRE}
    detectors: ClassVar = {"takes_centre": took_centre}
    scripted: ClassVar = {
        "random": scripted_player("random/noughts", random_reply),
        "reference": scripted_player("reference/noughts", reference_reply),
    }
    sign = "Squares: "

    def script(self, stream: StreamPlan, seats_at: SeatsAt, rules: NoughtsRules, dice: Dice) -> Script[Block]:
        records = []
        for index in range(stream.first, stream.first + stream.count):
            players = by_place(seats_at(index), alternating(index))
            records.append((yield from play(self.name_of(stream.match, index), players, rules, dice)))
        return NoughtsBlock(stream.first, tuple(records))

    def problems(self, rules: NoughtsRules) -> Iterator[Problem]:
        return iter(())

    def match_problems(self, match: NoughtsMatch, rules: NoughtsRules) -> Iterator[Problem]:
        if match.games % 2 or match.block_games % 2:
            yield Problem("", "expected even games and block_games: each seat begins as often")

    def bounds(self, rule: SequentialRule) -> Bounds:
        return Bounds(0, 4, 2)

    def self_play(self, seat: str, results: int) -> NoughtsMatch:
        return NoughtsMatch(a=seat, b=seat, phase=Phase.BASELINE, games=results)

    def unit_results(self, rules: NoughtsRules, seats: int) -> int:
        return 2

    def decisions(self, rules: NoughtsRules, assumed: Mapping[str, Fraction]) -> Fraction:
        return Fraction(8)


GAME = Noughts()
