"""One game or hand of a bundle by replay of its stream: its record, its questions and its answers.

Prompts are not stored: the replay computes them again, byte for byte.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from ..core.dice import Dice
from ..core.did_you_mean import PROPOSED_MAX, near_words
from ..core.journal import Entry
from ..core.questions import (
    Answer,
    Calculate,
    Calculated,
    Called,
    CallTool,
    Chat,
    EndGame,
    Evaluate,
    Evaluation,
    Examine,
    Examined,
    Export,
    Exported,
    Hits,
    NoReply,
    Planted,
    Question,
    Reply,
    Search,
    Settled,
    Store,
    Stored,
)
from ..core.script import Exchanges, Replay, drive
from ..core.seat_letters import seat_letter
from ..core.survey_question import Survey, Surveyed
from ..core.untrusted_input import printable, show_name
from ..experiment.matches import Match
from ..plan.manifest import Manifest
from ..plan.streams import block_script, donors_of, streams_of
from ..table.donor import CareerDonor
from ..table.game import Block, StreamPlan
from ..table.pictures import with_images
from ..table.registry import GAMES
from ..table.seating import by_place

_NUMBER = re.compile("[0-9]{1,9}")
NOT_YET: Final = "This is not yet the time to "
"""How each request begins that a seat is asked before its decision, for its tool."""
PLANTED: Final = "no part of the game, recorded beside it to compare answers to equal prompts"
"""What is said of a planted question wherever one is shown."""


class NoSuchGame(ValueError):
    """The bundle has no game of that name."""


class PlayedGame(NamedTuple):
    """One result, with what was asked in it. `donors`: of its career, by seat, where a seat has a memory."""

    match: Match
    number: int
    record: Any
    asked: tuple[tuple[Question, Answer], ...] = ()
    donors: tuple[CareerDonor, ...] = ()

    @property
    def placed(self) -> tuple[str, ...]:
        """The seats by place, with their letter where a seat plays against itself."""
        return by_place([named_seat(self.match.seats, seat_index) for seat_index in range(len(self.order))], self.order)

    @property
    def order(self) -> tuple[int, ...]:
        """The seats by place, by their index."""
        return GAMES[self.match.game].order(self.record, self.number)

    def won(self, seat_index: int) -> int:
        """1 where a seat won, 0 for neither, -1 where it lost."""
        return GAMES[self.match.game].won(self.record, self.number, seat_index)

    @property
    def first(self) -> str:
        """The seat in the first of two places: White, the button."""
        return self.placed[0]

    @property
    def second(self) -> str:
        """The seat in the second of two places: Black, the big blind."""
        return self.placed[1]


def named_seat(seats: Sequence[str], seat_index: int) -> str:
    """A seat by its name, with its letter where the name stands at the table more than once."""
    name = seats[seat_index]
    return f"{name} ({seat_letter(seat_index).upper()})" if seats.count(name) > 1 else name


def stream_of(manifest: Manifest, game: str, matches: Sequence[Match]) -> StreamPlan:
    """The stream that holds `game`. Raises NoSuchGame with the nearest names in `matches`, those that were played."""
    for match in manifest.plan.matches:
        stem = _stem(match)
        number = game.removeprefix(stem) if game.startswith(stem) else ""
        for stream in streams_of(match) if _NUMBER.fullmatch(number) else ():
            if stream.first <= int(number) < stream.first + stream.count:
                if game != (named := GAMES[match.game].id_of(match, int(number))):
                    raise NoSuchGame(f"no game {show_name(game)!r}; did you mean {named}?")
                return stream
    raise NoSuchGame(f"no game {show_name(game)!r}{_nearest(matches, game)}; show --games lists them")


def _stem(match: Match) -> str:
    """The name of a result of a match, less its number."""
    return f"{match.id}-{GAMES[match.game].number[0]}"


def first_game(match: Match) -> str:
    """The name of a match's first game or hand."""
    return GAMES[match.game].id_of(match, 0)


def _nearest(matches: Sequence[Match], game: str) -> str:
    """The games of the matches whose names are nearest: by their letters, else of the same sort of number."""
    stem, _, number = game.rpartition("-")
    alike = [match.id for match in matches if GAMES[match.game].number[0] == number[:1]]
    by_id = {match.id: match for match in matches}
    close = near_words(stem, by_id) or (alike or list(by_id))[:PROPOSED_MAX]
    last = {name: GAMES[by_id[name].game].id_of(by_id[name], by_id[name].planned - 1) for name in close}
    ranges = " and ".join(f"{first_game(by_id[name])} to {last[name]}" for name in close)
    return f"; the nearest are {ranges}" if ranges else ""


def replay_stream(manifest: Manifest, dice: Dice, stream: StreamPlan, entries: Iterator[Entry]) -> Iterator[PlayedGame]:
    """Every game of a stream. Raises Divergence."""
    script = block_script(stream, manifest.plan, dice, manifest.memories)
    return _games(stream, drive(script, Replay(stream.id, entries)))


def replay_told(manifest: Manifest, dice: Dice, stream: StreamPlan, entries: Iterator[Entry]) -> Iterator[PlayedGame]:
    """Every game of a stream, each with its questions and answers. Raises Divergence."""
    story = Exchanges(block_script(stream, manifest.plan, dice, manifest.memories), Replay(stream.id, entries))
    told = list(story)
    yield from games_with_told(stream, story.value, told, donors_of(stream, manifest.plan, dice))


def games_with_told(
    stream: StreamPlan, block: Block, told: Iterable[tuple[Question, Answer]], donors: tuple[CareerDonor, ...]
) -> Iterator[PlayedGame]:
    """The games of a stream's block, each with its own questions and answers."""
    asked: dict[str, list[tuple[Question, Answer]]] = {}
    for question, answer in told:
        asked.setdefault(question.game, []).append((question, answer))
    for played in _games(stream, block):
        yield played._replace(asked=tuple(asked.get(played.record.game, ())), donors=donors)


def replay_game(manifest: Manifest, dice: Dice, stream: StreamPlan, entries: Iterator[Entry], game: str) -> PlayedGame:
    """One game with its questions and answers. Raises Divergence, NoSuchGame."""
    script = block_script(stream, manifest.plan, dice, manifest.memories)
    story = Exchanges(script, Replay(stream.id, entries))
    asked = tuple(exchange for exchange in story if exchange[0].game == game)
    for played in _games(stream, story.value):
        if played.record.game == game:
            return played._replace(asked=asked, donors=donors_of(stream, manifest.plan, dice))
    raise NoSuchGame(f"no game {show_name(game)!r} in stream {stream.id}; show --games lists those that were played")


def _games(stream: StreamPlan, block: Block) -> Iterator[PlayedGame]:
    for number, record in enumerate(block.records, start=block.first):
        yield PlayedGame(stream.match, number, record)


def transcript(played: PlayedGame) -> Iterator[str]:
    """Each prompt, each reply, each engine score, as they were."""
    systems: set[str] = set()
    for question, answer in played.asked:
        yield from _exchange(question, answer, systems)


def _exchange(question: Question, answer: Answer, systems: set[str]) -> Iterator[str]:
    match question, answer:
        case Chat(), Reply() | NoReply():
            if isinstance(question, Planted):
                yield f"-- {question.to} is asked a planted question: {PLANTED}"
            yield from _prompt(question, systems)
            yield f"== {question.to} answers"
            yield from _safe(_answered(answer))
        case _:
            yield from exchange_lines(question, answer)


def exchange_lines(question: Question, answer: Answer) -> Iterator[str]:
    """A question to the engine, a tool or a memory and its answer, in lines safe for a screen."""
    match question, answer:
        case Evaluate(), Evaluation():
            yield f"-- {question.to} after ply {question.turn}: {evaluation_words(answer)} for the side to move"
        case Examine() | Calculate(), Examined() | Calculated():
            yield from _tool_exchange(question, answer)
        case Search(), Hits():
            yield f"-- {question.to} is searched for {question.query!r} and gives {len(answer.hits)}"
            for hit in answer.hits:
                yield from _safe(f"{hit.entry}: {hit.content}")
        case CallTool(), Called():
            yield f"-- {question.to}'s tool {question.tool} is called and gives {len(answer.text)} characters"
            yield from _safe(answer.text)
        case Store(), Stored():
            yield f"-- {question.to} {'refuses' if answer.refused else 'stores'} {question.entry}"
            yield from _safe(answer.refused or question.content)
        case EndGame(), Settled():
            yield f"-- {question.to} holds {answer.entries} after contest {question.number}"
        case Export(), Exported():
            yield f"-- {question.to} lists {len(answer.entries)} of its entries, from number {question.offset + 1} on"
        case Survey(), Surveyed():
            yield f"-- {question.to} is asked: {question.text}"
            yield from _safe(answer.choice or "(no answer)")


def _tool_exchange(question: Question, answer: Answer) -> Iterator[str]:
    """A question to a tool and its answer."""
    match question, answer:
        case Examine(), Examined():
            each = " each" if question.candidates or question.lines_max else ""
            yield f"-- {question.to} {_examines(question)} with {question.nodes:,} nodes{each}"
            for move in answer.moves:
                yield from _safe(f"{evaluation_words(Evaluation(move.centipawns, move.mate))}: {move.line}")
        case Calculate(), Calculated():
            of = "all" if answer.exact else "a sample of"
            yield f"-- {question.to} compares {of} {answer.compared:,} showdowns of {' '.join(question.hole)}"
            yield f"   equity {answer.equity_permille} of 1000, a call needs {answer.price_permille} of 1000"


def _examines(question: Examine) -> str:
    """Question to the engine about a position, in words."""
    if question.candidates:
        return f"examines {len(question.candidates)} moves"
    return f"finds up to {question.lines_max} best moves" if question.lines_max else "evaluates the position"


def _prompt(question: Chat, systems: set[str]) -> Iterator[str]:
    """The messages of a question; a system message that was shown before is left out."""
    for message in question.messages:
        if message.role == "system":
            if message.content in systems:
                continue
            systems.add(message.content)
        yield f"== turn {question.turn} attempt {question.attempt}: {message.role} to {question.to}"
        yield from _safe(with_images(message))
        for call in message.tool_calls:
            yield from _safe(f"(calls {call.name} {call.arguments})")


def evaluation_words(score: Evaluation) -> str:
    """A score of the engine."""
    return f"mate {score.mate}" if score.mate is not None else f"{score.centipawns} cp"


def _answered(answer: Reply | NoReply) -> str:
    if isinstance(answer, NoReply):
        return f"(no reply: {answer.reason})"
    return "\n".join((answer.text, *(f"(calls {call.name} {call.arguments})" for call in answer.tool_calls)))


def _safe(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield "   " + printable(line)
