"""The donor's notes of each game: made again from the seed, a stranger's, and of use to nobody."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

import agzamov_verify
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Evaluation, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.games.chess.pattern_sentences import ChessPattern
from agzamov_verify.games.holdem.pattern_sentences import PokerPattern
from agzamov_verify.plan.manifest import Plan, all_digests
from agzamov_verify.plan.streams import donor_of
from agzamov_verify.seats import RandomSeat
from agzamov_verify.table import scripted_players
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.players import Player
from agzamov_verify.table.prompt_lines import PROFILE, without_form
from agzamov_verify.table.registry import GAMES

NOTED = [name for name, game in GAMES.items() if game.remembers]
DICE = Dice(b"inert")
PATTERNS = {
    "chess960": ChessPattern.NEVER_RETREATS,
    "chess": ChessPattern.NEVER_RETREATS,
    "holdem": PokerPattern.NEVER_FOLDS_PAIRS,
}
RESULTS = {"chess960": 1, "chess": 1, "holdem": 40}
SIZES = {"chess960": 20, "chess": 20, "holdem": 1_000}
TOLD = 10
OTHERS_PERCENT_MAX = {"chess960": 10, "chess": 10, "holdem": 15}
"""So many decisions may be others with ten donor notes than with none."""


def notes_of(name: str, career: str, seat_index: int = 0, count: int = 3) -> list[str]:
    """Notes of the donor of a career of a plan whose three arms have careers of the same numbers."""
    stream = StreamPlan(career, GAMES[name].self_play("a", SIZES[name]), 0, SIZES[name])
    plan = Plan("Donors", {"a": RandomSeat()}, ())
    donor = donor_of(stream, seat_index, plan, DICE)
    return [donor.note(number) for number in range(count)]


@pytest.mark.parametrize("name", NOTED)
def test_a_donors_notes_follow_from_seed_career_and_seat(name: str) -> None:
    again = donor_of.__globals__["_donor"]
    first = notes_of(name, "career 1")
    again.cache_clear()
    assert notes_of(name, "career 1") == first
    assert not set(first) & set(notes_of(name, "career 2"))
    assert not set(first) & set(notes_of(name, "career 1", 1))


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTED)
def test_a_donor_knows_its_notes_in_a_text_and_no_others(name: str) -> None:
    stream = StreamPlan("career 3", GAMES[name].self_play("a", SIZES[name]), 0, SIZES[name])
    donor = donor_of(stream, 0, Plan("Donors", {"a": RandomSeat()}, ()), DICE)
    notes = [donor.note(number) for number in (2, 0, 1)]
    assert donor.notes_in("\n".join(notes)) == notes
    assert donor.notes_in("\n".join([*notes, "Never stored: 1 of 1"])) == []
    assert donor.notes_in("") == []


def test_no_note_of_a_placebo_is_shipped_or_pinned() -> None:
    """A table of them was what told the placebo from the memory (attack.md, finding 2)."""
    assert not [name for name in all_digests(NOTED, []) if "donor" in name]
    package = Path(agzamov_verify.__file__).parent
    assert not [path for path in package.rglob("*") if "donor" in path.name and path.suffix not in (".py", ".pyc")]


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
        msgspec.structs.replace(message, content=PROFILE.join((without_form(message.content)[0], profile)))
        if message.role == "user"
        else message
        for message in question.messages
    )
    return msgspec.structs.replace(question, messages=messages)


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTED)
def test_ten_donor_notes_leave_most_decisions_as_they_were(name: str) -> None:
    """Nearly as few as ten notes of a real stranger change (6 %): counts vary, and the player goes by them."""
    asked, others = decisions(name), 0
    donors = [DICE.under(f"donor {number}") for number in range(3)]
    match = GAMES[name].self_play("a", SIZES[name])
    stream = StreamPlan("s", match, 0, match.planned)
    rules = GAMES[name].rules()
    told = [
        "\n".join(GAMES[name].donor_note(stream, rules, number, 0, one) for number in range(TOLD)) for one in donors
    ]
    for at, (question, text) in enumerate(asked):
        other = with_profile(question, told[at % len(told)])
        again = scripted_players.scripted_reply("reference", other.messages, other.seed)
        others += again.rpartition("\n")[2] != text.rpartition("\n")[2]
    assert len(asked) >= 20
    assert 100 * others <= OTHERS_PERCENT_MAX[name] * len(asked), f"{others} of {len(asked)}"
