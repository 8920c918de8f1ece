"""Writes the donor notes of each game that has notes: what the placebo of a memory tells in the place of entries.

    python scripts/donor_notes/write.py [GAME ...]

They are the observations of a frozen match between two players that do in each situation what leaves their counts as
nobody would remark on (`chess_donor`, `holdem_donor`): so they tell of another opponent than any run has, and of
nothing that a reader does not expect of a stranger. They follow from this program alone; remake them where a game's
notes or what its reference player expects of a stranger change, and the golden bundles with them.
"""

import inspect
import json
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path

from chess_donor import ChessDonor
from holdem_donor import HoldemDonor

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Evaluation, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.table.game import Game, StreamPlan
from agzamov_verify.table.players import Player
from agzamov_verify.table.prompt_lines import Page, dice, read_page
from agzamov_verify.table.registry import GAMES

ROOT = b"agzamov donor notes 2"
CONTESTS = {"chess960": 60, "chess": 52, "holdem": 60}
"""By game; of standard chess each opening with both colours."""
ASSUMED = {"plies": Fraction(60)}
"""Chess games end after so many plies."""
DONOR = "donor"
PLAYERS = {"chess960": ChessDonor, "chess": ChessDonor, "holdem": HoldemDonor}


def answers_of(name: str) -> Callable[[Question], Answer]:
    """The answers in one contest: of its players, whose counts begin anew, and of an engine that sees no advantage."""
    player = PLAYERS[name]()

    def answer(question: Question) -> Answer:
        if isinstance(question, Chat):
            page: Page = read_page(question.messages)
            return Reply(text=player.reply(page, dice(page, question.seed, DONOR)))
        return Evaluation(0, None)

    return answer


def note(name: str, contest: int) -> str:
    """The observation of one contest: of a chess game, or of a session of hands."""
    game: Game = GAMES[name]
    rules = game.sample_rules(game.rules(), ASSUMED)
    size = game.contest_results(rules, min(game.players))
    players = (Player(DONOR, scripted=True), Player(DONOR, scripted=True))
    stream = StreamPlan(DONOR, game.self_play(DONOR, CONTESTS[name] * size), contest * size, size)
    block = drive(game.script(stream, lambda _: players, rules, Dice(ROOT)), answers_of(name))
    return game.observation(block.records, stream.first, 0)


def main(names: list[str]) -> None:
    """Write the notes of the games of these names, or of all that have notes."""
    with ProcessPoolExecutor() as pool:
        for name in names or [name for name, game in GAMES.items() if game.remembers]:
            contests = CONTESTS[name]
            notes = list(pool.map(note, [name] * contests, range(contests)))
            path = Path(inspect.getfile(type(GAMES[name]))).with_name(GAMES[name].donor_notes_name)
            path.write_text(json.dumps(notes, indent=1) + "\n")
            lengths = sorted(map(len, notes))
            print(f"{path.name} of {name}: {contests} notes of {lengths[0]} to {lengths[-1]} characters")


if __name__ == "__main__":
    main(sys.argv[1:])
