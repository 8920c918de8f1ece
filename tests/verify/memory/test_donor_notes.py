"""The donor notes of each game: as a program wrote them, pinned with the prompts, and of use to nobody."""

import hashlib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Evaluation, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.games.chess.pattern_sentences import ChessPattern
from agzamov_verify.games.holdem.pattern_sentences import PokerPattern
from agzamov_verify.plan.manifest import all_digests, prompt_digests
from agzamov_verify.table import scripted_players
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.players import Player
from agzamov_verify.table.prompt_lines import PROFILE
from agzamov_verify.table.registry import GAMES

SCRIPTS = Path(__file__).parents[3] / "scripts" / "donor_notes"
NOTED = [name for name, game in GAMES.items() if game.remembers]
DICE = Dice(b"inert")
PATTERNS = {
    "chess960": ChessPattern.NEVER_RETREATS,
    "chess": ChessPattern.NEVER_RETREATS,
    "holdem": PokerPattern.NEVER_FOLDS_PAIRS,
}
RESULTS = {"chess960": 1, "chess": 1, "holdem": 40}
TOLD = 10
OTHERS_PERCENT_MAX = {"chess960": 0, "chess": 0, "holdem": 3}
"""So many decisions may be others with ten donor notes than with none."""


@pytest.mark.parametrize("name", NOTED)
def test_a_manifest_pins_the_donor_notes(name: str) -> None:
    folder = Path(str(GAMES[name].__class__.__module__).replace(".", "/")).parent
    data = (Path(__file__).parents[3] / "verify" / folder / GAMES[name].donor_notes_name).read_bytes()
    assert all_digests([name], [])[f"{name}/donor_notes"] == hashlib.sha256(data).hexdigest()


def test_a_manifest_pins_those_of_the_games_of_its_protocol_alone() -> None:
    pinned = prompt_digests("agz-0.1")
    assert [name for name in NOTED if f"{name}/donor_notes" in pinned] == ["chess960", "holdem"]


def test_the_variants_of_chess_have_notes_of_their_own() -> None:
    assert not set(GAMES["chess"].donor_notes) & set(GAMES["chess960"].donor_notes)


@pytest.mark.parametrize("name", NOTED)
def test_there_are_enough_donor_notes_of_different_words(name: str) -> None:
    notes = GAMES[name].donor_notes
    assert len(set(notes)) == len(notes) >= 30
    assert max(map(len, notes)) <= 600


@pytest.mark.parametrize("name", NOTED)
def test_donor_notes_are_what_their_program_writes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(SCRIPTS)
    writer: Any = importlib.import_module("write")
    assert writer.note(name, 7) == GAMES[name].donor_notes[7]


def decisions(name: str) -> Sequence[tuple[Chat, str]]:
    """What a reference player is asked against one that keeps a pattern, and what it answers."""
    game, pattern = GAMES[name], PATTERNS[name]
    asked: list[tuple[Chat, str]] = []

    def answer(question: Question) -> Answer:
        if not isinstance(question, Chat):
            return Evaluation(0, None)
        text = scripted_players.scripted_reply("reference", question.messages, question.seed)
        if question.to == "a":
            asked.append((question, text))
        return Reply(text=text)

    seats = (Player("a", scripted=True), Player("b", (game.patterns[pattern],), scripted=True))
    rules = game.rules() if name == "holdem" else game.rules(plies_max=40)
    stream = StreamPlan("s", game.self_play("a", RESULTS[name]), 0, RESULTS[name])
    drive(game.script(stream, lambda _: seats, rules, DICE), answer)
    return asked


def with_profile(question: Chat, profile: str) -> Chat:
    messages = tuple(
        msgspec.structs.replace(message, content=message.content + PROFILE + profile)
        if message.role == "user"
        else message
        for message in question.messages
    )
    return msgspec.structs.replace(question, messages=messages)


@pytest.mark.parametrize("name", NOTED)
def test_ten_donor_notes_leave_nearly_every_decision_as_it_was(name: str) -> None:
    order, asked = DICE.stream("windows"), decisions(name)
    others = 0
    for question, text in asked:
        told = with_profile(question, "\n".join(order.deal(GAMES[name].donor_notes, TOLD)))
        again = scripted_players.scripted_reply("reference", told.messages, told.seed)
        others += again.rpartition("\n")[2] != text.rpartition("\n")[2]
    assert len(asked) >= 20
    assert 100 * others <= OTHERS_PERCENT_MAX[name] * len(asked), f"{others} of {len(asked)}"
