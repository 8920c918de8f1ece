"""How people themselves played in each sub-phase, where the engine judged the moves of a run.

Who asks an engine for moves plays its first choice more often, and loses less, than other players of the declared
rating do. So both figures stand beside the rating that a person declared. They accuse nobody: a quiet game has many
moves that everybody finds, a rating may be old, and strong players meet the engine's choice in about half of their
moves.

The losses are those of the quality figures: centipawns at the same root, a position's value capped.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from ...plan.manifest import Plan
from ...plan.people_study import PERSON, Person
from ...table.game import Block, records_of
from ..inference.estimate import Estimate
from ..inference.exact import Figure, figure
from ..quality.judged_moves import MoveLoss
from ..quality.quality_constants import load_quality_constants
from ..quality.quality_figures import JUDGED
from ..quality.quality_index import moves_by_game
from ..quality.quality_questions import Answers
from .over_people import GAMES_OF_ONE, PersonValues, over_people


class PersonMoves(msgspec.Struct, frozen=True):
    """One person's own moves in one sub-phase. `declared`: the person's own words about their strength."""

    person: str
    declared: str
    sub_phase: str
    games: int
    moves: int
    first_choice: Figure
    loss_centipawns: Figure


class MovesOfSubPhase(msgspec.Struct, frozen=True):
    """The means over people in one sub-phase: share of first choices, and centipawns lost a move."""

    sub_phase: str
    first_choice: Estimate
    loss_centipawns: Estimate


class OwnMoves(msgspec.Struct, frozen=True):
    """People's own moves: each person in each sub-phase, and the means over people."""

    people: tuple[PersonMoves, ...]
    sub_phases: tuple[MovesOfSubPhase, ...]


def own_moves(
    plan: Plan, people: Sequence[Person], blocks: Mapping[str, Sequence[Block]], answers: Answers | None
) -> OwnMoves | None:
    """People's own moves; None where the engine did not judge the moves of the run."""
    if not answers:
        return None
    rows, by_sub_phase = [], dict[str, list[tuple[PersonValues, PersonValues]]]()
    for person in people:
        for sub_phase, match in person.matches.items():
            games = _games(plan, match.game, blocks.get(match.id, ()), answers)
            moves = [move for game in games for move in game]
            if not moves:
                continue
            best = Fraction(sum(move.best for move in moves), len(moves))
            loss = Fraction(sum(move.loss_centipawns for move in moves), len(moves))
            declared = plan.seats[person.name].declared
            counted = sub_phase.value, len(games), len(moves)
            rows.append(PersonMoves(person.name, declared, *counted, figure(best), figure(loss)))
            # One value for each game: of one person alone, games are what is repeated.
            by_game = [(_share(game), _loss(game)) for game in games if game]
            values = (tuple(pair[0] for pair in by_game), tuple(pair[1] for pair in by_game))
            both = PersonValues(person.stratum, values[0]), PersonValues(person.stratum, values[1])
            by_sub_phase.setdefault(sub_phase.value, []).append(both)
    means = tuple(
        MovesOfSubPhase(
            name,
            over_people([one for one, _ in values], "share", (0, 1), GAMES_OF_ONE),
            over_people([other for _, other in values], "centipawns", of_one=GAMES_OF_ONE),
        )
        for name, values in sorted(by_sub_phase.items())
    )
    return OwnMoves(tuple(rows), means) if rows else None


def _games(plan: Plan, game: str, blocks: Sequence[Block], answers: Answers) -> list[list[MoveLoss]]:
    """The person's moves by game; games that the engine has not judged are left out."""
    records = records_of(blocks)
    if any(record.game not in answers for record in records):
        return []
    return moves_by_game(JUDGED[game], records, answers, load_quality_constants(plan.protocol))[PERSON]


def _share(game: Sequence[MoveLoss]) -> Fraction:
    return Fraction(sum(move.best for move in game), len(game))


def _loss(game: Sequence[MoveLoss]) -> Fraction:
    return Fraction(sum(move.loss_centipawns for move in game), len(game))
