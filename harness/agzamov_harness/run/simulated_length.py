"""Decisions of a result whose length nobody can tell from its rules, such as a sit-and-go: played by reference players.

Stacks, blinds and the number of seats decide how many hands a tournament has. The mean is over results on decks of
their own. Measured by the default rules, 20 sit-and-gos each: 73 decisions at tables of four, 118 of six, 196 of nine,
with standard deviations of 20, 41 and 38; so the mean of 12 has a standard error of 6 to 10 %.
"""

from fractions import Fraction
from functools import cache
from typing import Any, Final

import msgspec

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Question, Reply
from agzamov_verify.core.script import Exchanges
from agzamov_verify.experiment.matches import SeatAt
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.players import Player
from agzamov_verify.table.registry import GAMES
from agzamov_verify.table.scripted_players import scripted_reply

PLAYER: Final = "reference"
RESULTS: Final = 12
DECISIONS_ENOUGH: Final = 3_000
"""No further result is begun after so many decisions, about three seconds of one core: deep stacks play for long."""
DICE: Final = Dice(b"agzamov length of a result".ljust(32, b"\0"))


@cache
def simulated_decisions(name: str, rules: Any, seats: int) -> Fraction:
    """The mean number of decisions of all seats together in one result of a game."""
    game = GAMES[name]
    two = game.self_play(PLAYER, game.unit_results(rules, seats))
    match = msgspec.structs.replace(two, others=(SeatAt(PLAYER),) * (seats - 2))
    players = (Player(PLAYER, scripted=True),) * seats
    asked, results = 0, 0
    while results < RESULTS and asked < DECISIONS_ENOUGH:
        stream = StreamPlan(PLAYER, match, results * game.unit_results(rules, seats), 1)
        asked += sum(1 for _ in Exchanges(game.script(stream, lambda _: players, rules, DICE), _answer))
        results += 1
    return Fraction(asked, results)


def _answer(question: Question) -> Reply:
    assert isinstance(question, Chat), "expected a game in which only its seats are asked"
    return Reply(text=scripted_reply(PLAYER, question.messages, question.seed))
