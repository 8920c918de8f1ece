"""The planted questions of each seat in a stream: rates by the protocol, and the common spots by the sealed seed.

A common spot is a prompt of a game that scripted players play for this alone, with dice that are drawn from the run's:
half of them between random players, half between novices, each at a drawn decision. So there are openings and late
positions, even and lopsided ones, and none says anything of a start or a deck of the run.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec

from ..core.dice import Dice
from ..core.questions import Answer, Chat, Question, Reply
from ..core.script import Exchanges
from ..experiment.matches import Match
from ..experiment.opponent_patterns import Pattern
from ..protocols.norms import load_protocol
from ..seats.model_seat import ModelSeat
from ..seats.seat import Seat
from ..table.game import StreamPlan
from ..table.planted import PlantedQuestions, Quota, Spot
from ..table.players import PictureWish, Player
from ..table.registry import GAMES
from ..table.scripted_players import RANDOM, random_answer, scripted_reply
from .manifest import Plan

DECISIONS_MAX: Final = 80
"""A spot is one of so many first decisions of a result."""
SPOTS_KEPT: Final = 1024
"""Common spots that are kept in memory: those of 64 seats."""
LEAST_KEPT: Final = 64
NOVICE: Final = "novice"


class PlantedProfile(NamedTuple):
    """What stands in the place of memories in a seat's bare prompts: in common spots, and in decisions asked again."""

    common: str
    again: str


def planted_key(name: str, seat: Seat) -> str:
    """What decides a model's replies, in one text: two seats of one model, address and prompts have one key.

    `Seat.manner` lacks address and weights, by which models differ. A seat without a model has its name alone.
    """
    if not seat.is_model:
        return name
    apart = ModelSeat.serving - {"base_url"}
    own = {key: value for key, value in msgspec.to_builtins(seat).items() if key not in apart}
    return str(msgspec.json.encode(own, order="sorted"), "utf-8")


class SpotSeat(NamedTuple):
    """What the prompts of a seat have in every match of a game: they are equal to those of its common spots."""

    key: str
    patterns: tuple[Pattern, ...]
    briefing: str
    frame: str
    tokens_max: int
    pictures: PictureWish | None = None


def planted_questions(
    stream: StreamPlan, seat_index: int, plan: Plan, dice: Dice, profile: PlantedProfile
) -> PlantedQuestions | None:
    """The planted questions of the seat at `seat_index` in a stream; None where no model plays it."""
    match = stream.match
    name = match.seats[seat_index]
    seat = plan.seats[name]
    if not seat.is_model:
        return None
    norm, game = load_protocol(plan.protocol).planted, GAMES[match.game]
    end = stream.first + stream.count
    least = (
        [result for result in results if stream.first <= result < end]
        for results in _least(match, seat_index, norm.common_min, norm.again_min, dice)
    )
    rules, unlearned = plan.rules_of(match.game), "\n".join(filter(None, (seat.briefing, profile.again)))
    patterns = tuple(game.patterns[pattern] for pattern in seat.patterns if pattern in game.patterns)
    own = SpotSeat(
        planted_key(name, seat), patterns, seat.briefing, profile.common, seat.tokens_limit, _spot_pictures(seat)
    )
    spot = partial(common_spot, match.game, rules, norm.spots, own, dice)
    draws = dice.stream(f"planted/{stream.id}/{seat_index}")
    natural_key = dice.stream("planted/natural").below(2**32)
    return PlantedQuestions(norm, draws, spot, Quota(*least), game.number_in, natural_key, unlearned)


def _spot_pictures(seat: Seat) -> PictureWish | None:
    """How a seat is shown the positions of spots: as those of games, and none is read back."""
    return msgspec.structs.replace(seat.pictures, read_back=0) if seat.pictures else None


@lru_cache(maxsize=LEAST_KEPT)
def _least(match: Match, seat_index: int, common: int, again: int, dice: Dice) -> tuple[list[int], list[int]]:
    """Results of a match in which a seat is asked in any case, however few decisions it makes: the last ones first."""
    draws = dice.stream(f"planted/least/{match.id}/{seat_index}")
    drawn = ([draws.below(match.planned) for _ in range(number)] for number in (common, again))
    first, second = (sorted(results, reverse=True) for results in drawn)
    return first, second


@lru_cache(maxsize=SPOTS_KEPT)
def common_spot(game: str, rules: Any, number: int, own: SpotSeat, dice: Dice, index: int) -> Spot:
    """One of `number` spots of a game under its rules, with what is a seat's own.

    A prompt of one result between scripted players, as the seat would be asked. The beginning of a game is played for
    it, so a spot is made when it is first asked: a small bundle asks few of them.
    """
    dice, match = dice.under(f"planted/{game}/{own.key}"), GAMES[game].self_play("spots", number)
    stream = StreamPlan("spots", match, index, 1)
    player = Player(
        "spots",
        own.patterns,
        own.briefing,
        scripted=True,
        tokens_max=own.tokens_max,
        nothing_told=own.frame,
    )
    seats = (player,) * len(stream.match.seats)
    kind = NOVICE if stream.first % 2 and NOVICE in GAMES[game].scripted else RANDOM
    draws = dice.stream(f"spot/{stream.first}")
    wanted, seed = draws.below(DECISIONS_MAX), draws.below(2**31)
    asked, given = list[Chat](), list[Answer]()
    for question, answer in Exchanges(GAMES[game].script(stream, lambda _: seats, rules, dice), partial(_answer, kind)):
        given.append(answer)
        if isinstance(question, Chat):
            asked.append(question)
            if len(asked) > wanted:
                break
    number = wanted % len(asked)
    if own.pictures:
        asked = _in_pictures(game, stream, rules, player, own.pictures, dice, given)
    return Spot.of(asked[number].messages, seed)


def _in_pictures(
    game: str, stream: StreamPlan, rules: Any, player: Player, wish: PictureWish, dice: Dice, given: Sequence[Answer]
) -> list[Chat]:
    """The questions of the same play, whose players are shown images: scripted players read text alone."""
    seats = (msgspec.structs.replace(player, pictures=wish),) * len(stream.match.seats)
    answers = iter(given)
    questions = Exchanges(GAMES[game].script(stream, lambda _: seats, rules, dice), lambda _: next(answers))
    exchanges = islice(questions, len(given))
    return [question for question, _ in exchanges if isinstance(question, Chat)]


def _answer(kind: str, question: Question) -> Answer:
    if isinstance(question, Chat):
        return Reply(text=scripted_reply(kind, question.messages, question.seed))
    return random_answer(question)
