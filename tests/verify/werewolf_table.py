"""Games of Werewolf for tests: seats by role, each a scripted player or a function of its own."""

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.games.werewolf.game_script import WerewolfGame
from agzamov_verify.games.werewolf.prompt import SIGN
from agzamov_verify.games.werewolf.record import WerewolfRecord
from agzamov_verify.games.werewolf.rules import Role, WerewolfRules, deal_roles
from agzamov_verify.table.players import GameName, Player
from agzamov_verify.table.prompt_lines import labelled, read_page
from agzamov_verify.table.scripted_players import scripted_reply

Answers = Callable[[Chat], str]


class Told(NamedTuple):
    """A game, and every question with its reply in order."""

    record: WerewolfRecord
    asked: tuple[tuple[Chat, str], ...]


def scripted(kind: str) -> Answers:
    return lambda question: scripted_reply(kind, question.messages, question.seed)


def play(rules: WerewolfRules, seats: int, number: int, answers: Answers, seed: bytes = b"werewolf") -> Told:
    """One game; `answers` gives every reply."""
    dice, asked = Dice(seed), list[tuple[Chat, str]]()
    roles = deal_roles(rules, dice, "games", number, seats)
    players = [Player(f"seat{place}", scripted=True) for place in range(seats)]
    game = WerewolfGame(GameName(f"g{number}", f"games/{number}"), players, roles, rules, dice)

    def answer(question: Question) -> Reply:
        assert isinstance(question, Chat)
        text = answers(question)
        asked.append((question, text))
        return Reply(text=text)

    return Told(drive(game.play(tuple(range(seats))), answer), tuple(asked))


def teams(village: Answers, wolves: Answers) -> Answers:
    """One player for all of the village, another for all wolves."""
    return lambda question: (wolves if role_of(question) == Role.WOLF else village)(question)


def role_of(question: Chat) -> str:
    return labelled(read_page(question.messages), SIGN.removesuffix(": "))


def line(question: Chat, label: str) -> str:
    return labelled(read_page(question.messages), label)


def task_of(question: Chat) -> str:
    return line(question, "Stage").rpartition(", ")[2]


def all_for_one(question: Chat) -> str:
    """A vote that all who live share: random exile, as in the plain game of the literature. Otherwise as random."""
    if task_of(question) != "vote":
        return scripted("random")(question)
    living = sorted(line(question, "Living").split(", "))
    day = f"{question.game}/{line(question, 'Stage')}"
    at = int.from_bytes(hashlib.sha256(day.encode()).digest()[:8], "big") % len(living)
    chosen = living[at] if living[at] != line(question, "Your name") else living[at - 1]
    return f"VOTE: {chosen}"


def wins_of_wolves(games: Sequence[Told]) -> float:
    return sum(told.record.end == "parity" for told in games) / len(games)
