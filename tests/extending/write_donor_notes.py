"""Prints the donor notes of a toy game in a source tree that has it: what seats saw in contests of the random player.

PYTHONPATH=TREE python tests/extending/write_donor_notes.py GAME > tests/extending/GAME/donor_notes.json
"""

import json
import sys

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.players import Player
from agzamov_verify.table.prompt_lines import read_page
from agzamov_verify.table.registry import GAMES

CONTESTS, DONOR = 40, "donor"
"""Contests, of which each is one result; those that were seen alike have one note."""


def main(name: str) -> None:
    """Print the notes of the game of this name."""
    game = GAMES[name]
    match = game.self_play(DONOR, CONTESTS)
    seats = tuple(Player(DONOR, scripted=True) for _ in match.table)

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        return Reply(text=game.scripted["random"](read_page(question.messages), question.seed))

    script = game.script(StreamPlan(DONOR, match, 0, CONTESTS), lambda _: seats, game.rules(), Dice(b"donor notes"))
    records = drive(script, answer).records
    notes = dict.fromkeys(game.observation([record], 0, seat) for record in records for seat in range(len(seats)))
    sys.stdout.write(json.dumps(list(notes), indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
