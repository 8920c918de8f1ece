"""Renders a game or hand as its seats saw it, by replaying its stream: prompts are recomputed, not stored."""

import re
from collections.abc import Iterator

from .dice import Dice
from .journal import Entry
from .manifest import Manifest, Match
from .phases.streams import StreamPlan, block_script, streams_of
from .questions import Answer, Chat, Evaluation, NoReply, Question, Reply
from .reading import printable, show_name
from .script import Replay, drive

_NUMBER = re.compile("[0-9]{1,9}")


class NoSuchGame(ValueError):
    """The bundle has no game of that name."""


def stream_of(manifest: Manifest, game: str) -> StreamPlan:
    """The stream that holds `game`. Raises NoSuchGame with the names that there are."""
    for match in manifest.plan.matches:
        prefix = f"{match.id}-"
        number = game.removeprefix(prefix)[1:]
        if game.startswith(prefix) and _NUMBER.fullmatch(number):
            for stream in streams_of(match):
                if stream.first <= int(number) < stream.first + stream.count:
                    return stream
    firsts = ", ".join(first_game(match) for match in manifest.plan.matches)
    raise NoSuchGame(f"no game {show_name(game)!r}; games are called {firsts} and on")


def first_game(match: Match) -> str:
    """The name of a match's first game or hand."""
    return f"{match.id}-{'g00000' if match.game == 'chess960' else 'h0000000'}"


def transcript(
    manifest: Manifest, dice: Dice, stream: StreamPlan, entries: Iterator[Entry], game: str
) -> Iterator[str]:
    """The lines of one game: each prompt, each reply, each engine score. Raises Divergence, NoSuchGame."""
    asked: list[tuple[Question, Answer]] = []
    replay = Replay(stream.id, entries)

    def answer(question: Question) -> Answer:
        given = replay(question)
        if question.game == game:
            asked.append((question, given))
        return given

    drive(block_script(stream, manifest.plan, dice), answer)
    if not asked:
        raise NoSuchGame(f"no game {show_name(game)!r} in stream {stream.id}")
    systems: set[str] = set()
    for question, given in asked:
        yield from _exchange(question, given, systems)


def _exchange(question: Question, given: Answer, systems: set[str]) -> Iterator[str]:
    if not isinstance(question, Chat):
        assert isinstance(given, Evaluation)
        score = f"mate {given.mate}" if given.mate is not None else f"{given.centipawns} cp"
        yield f"-- engine after ply {question.turn}: {score} for the side to move"
        return
    for message in question.messages:
        if message.role == "system":
            if message.content in systems:
                continue
            systems.add(message.content)
        yield f"== turn {question.turn} attempt {question.attempt}: {message.role} to {question.seat}"
        yield from _safe(message.content)
    yield f"== {question.seat} answers"
    yield from _safe(_said(given))


def _said(given: Answer) -> str:
    match given:
        case Reply():
            return given.text
        case NoReply():
            return f"(no reply: {given.reason})"
        case Evaluation():
            return "(an evaluation)"


def _safe(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield "   " + printable(line)
