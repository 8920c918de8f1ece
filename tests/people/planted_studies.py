"""Made-up results of studies, with planted effects: people of unlike strength, starts that are easier for one side."""

from collections.abc import Mapping, Sequence
from typing import Any

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.dice import WORD, Dice
from agzamov_verify.games.chess.game import ChessBlock
from agzamov_verify.games.chess.game_script import ChessRecord, Ending
from agzamov_verify.games.chess.rules import End
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.people_study import people_of
from agzamov_verify.plan.streams import streams_of
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.game import Block
from agzamov_verify.table.survey import SurveyAnswers, Withdrawal
from people.people_worlds import SEATS, study


def planned(people: int, pairs: int, arms: tuple[str, ...] = ("4a", "4b", "4c"), **changes: Any) -> Plan:
    """A plan of so many people and start pairs of each arm."""
    return plan_from(study({f"p{number}": "random" for number in range(people)}, 2 * pairs, arms, **changes))


def two_strata(people: int, pairs: int) -> Plan:
    """As `planned`, half of the people against a second engine."""
    wished = study({f"p{number}": "random" for number in range(people)}, 2 * pairs)
    wished["seats"] = {**wished["seats"], "strong": SEATS["machine"]}
    for match in wished["matches"]:
        if match["a"] == "machine" and int(match["b"][1:]) >= people // 2:
            match["a"] = "strong"
    return plan_from(wished)


def uniform(dice: Dice, label: str) -> float:
    return dice.stream(label).word() / WORD


def made_up(
    plan: Plan,
    chances: Mapping[str, float],
    seed: int,
    spread: float = 0.15,
    own_effect: float = 0.0,
    pairs: Mapping[str, int] | None = None,
    guesses: Mapping[str, str] | None = None,
) -> dict[str, Sequence[Block]]:
    """Blocks in which the machine wins a game of an arm with these chances, else loses it.

    `spread`: half the range of people's strengths, uniform. `own_effect`: half the range of how unlike people are in
    what an arm does to them. `pairs`: by person, how many pairs of each arm they played before they stopped.
    """
    dice, blocks = Dice(seed.to_bytes(32, "big")), dict[str, Sequence[Block]]()
    for person in people_of(plan):
        strength = spread * (2 * uniform(dice, f"{person.name}") - 1)
        for arm, match in person.matches.items():
            own = own_effect * (2 * uniform(dice, f"{person.name}/{arm.value}") - 1)
            chance = chances[arm.value] + strength + own
            left = (pairs or {}).get(person.name, match.planned)
            made = []
            for stream in streams_of(match):
                units = range(stream.first // 2, (stream.first + stream.count) // 2)
                kept = [unit for unit in units if unit < left]
                records = tuple(
                    _record(match.id, 2 * unit + colour, uniform(dice, f"{match.id}/{unit}/{colour}") < chance)
                    for unit in kept
                    for colour in (0, 1)
                )
                stopped = Withdrawal.TIRED if len(kept) < len(units) else None
                told = tuple((guesses or {}).get(arm.value, "") for _ in kept)
                made.append(ChessBlock(stream.first, records, survey=SurveyAnswers(told, stopped)))
            blocks[match.id] = made
    return blocks


def _record(match: str, index: int, machine_wins: bool) -> ChessRecord:
    """The machine has White in even games."""
    white = 2 * (machine_wins == (index % 2 == 0))
    ending = Ending(End.CHECKMATE, white)
    tally = Tally(decisions=1, first_exact=1)
    return ChessRecord(f"{match}-g{index:05d}", "", ("e2e4",), ending, ending, (tally, tally))
