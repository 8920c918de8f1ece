"""The command `agzamov plan`: reads a plan, says what it can detect and what it will cost, and on which assumptions."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from agzamov_verify import canon
from agzamov_verify.manifest import ChessMatch, Match, Plan
from agzamov_verify.phases.looks import stopping_rule
from agzamov_verify.reading import printable
from agzamov_verify.scoring.agzamov.cells import house_sides
from agzamov_verify.scoring.exact import fixed
from agzamov_verify.scoring.planning import (
    ALPHAS,
    CHESS,
    CUTS,
    HOUSE_CUTS,
    POKER,
    Arms,
    Detectable,
    Needed,
    PaperNote,
    Scoring,
    chess_scorings,
    detectable,
    needed,
    paper_note,
    poker_scorings,
)

from .exits import faults
from .planning import Assumptions, Load, load_of
from .seal import read_plan

GAMES: Final = {"chess": CHESS, "poker": POKER}
ASKED: Final = {
    "plies": "half-moves of a chess game",
    "decisions_per_hand": "decisions of both players in a poker hand",
    "characters_per_token": "characters of a prompt in a token",
    "reply_tokens": "tokens of a model's reply",
    "seconds_per_call": "seconds that a model takes to reply",
    "scripted_ms_per_call": "milliseconds of one core for a reply of the reference player",
    "engine_nodes_per_s": "positions that one core of the engine searches in a second",
    "cores": "cores of the machine",
}
HOUSE: Final = "house"
"""What more there is where the house sits on one side of a match in hold'em."""
EFFECT_MAX: Final = {CHESS: Fraction(1, 2), POKER: Fraction(10_000)}


class Effect(click.ParamType[tuple[str, Fraction]]):
    """`chess=0.05` or `poker=4`: a game and a positive number in its unit."""

    name = "GAME=NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Fraction]:
        game, _, number = str(value).partition("=")
        if game not in GAMES:
            self.fail(f"expected chess=NUMBER or poker=NUMBER, found {value!r}", param, ctx)
        effect, most = _positive(number), EFFECT_MAX[GAMES[game]]
        if effect is None or effect > most:
            self.fail(
                f"expected a number above 0 and at most {float(most):g} after {game}=, found {number!r}", param, ctx
            )
        return GAMES[game], effect


class Positive(click.ParamType[Fraction]):
    """A positive decimal number, exactly."""

    name = "NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        found = value if isinstance(value, Fraction) else _positive(str(value))
        if found is None:
            self.fail(f"expected a number above 0, found {value!r}", param, ctx)
        return found


def _positive(text: str) -> Fraction | None:
    try:
        found = Fraction(text) if len(text) <= 20 else None
    except (ValueError, ZeroDivisionError):
        return None
    return found if found and found > 0 else None


def _assumed(command: Any) -> Any:
    """An option for each assumption; counts are whole."""
    for name, what in reversed(ASKED.items()):
        default = getattr(Assumptions(), name)
        kind = click.IntRange(1, 10**9) if isinstance(default, int) else Positive()
        option = f"--{name.replace('_', '-')}"
        command = click.option(
            option, type=kind, default=default, show_default=f"{float(default):g}", help=f"Assume: {what}."
        )(command)
    return command


@click.command("plan")
@click.argument("path", metavar="PLAN", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--effect", "effects", type=Effect(), multiple=True, help="An effect to find: chess=0.05 or poker=4. Repeatable."
)
@click.option(
    "--session-sd",
    type=Positive(),
    default=Fraction(90),
    show_default="90",
    help="Assume: SD of 100 raw hands, bb/100.",
)
@click.option(
    "--draws",
    type=Positive(),
    default=Fraction(35, 100),
    show_default="0.35",
    help="Assume: share of chess games drawn.",
)
@_assumed
@click.option("--json", "as_json", is_flag=True, help="Print it as canonical JSON.")
def plan_command(
    path: Path,
    *,
    effects: tuple[tuple[str, Fraction], ...],
    session_sd: Fraction,
    draws: Fraction,
    as_json: bool,
    **given: Any,
) -> None:
    """Say what PLAN (YAML) can detect, how much a wanted effect needs, and what the run will cost.

    Nothing is sealed or played. Exit code 0: it is printed. 2: the plan or an option is wrong.
    """
    if draws >= 1:
        raise click.BadParameter(f"expected a share below 1, found {float(draws):g}", param_hint="--draws")
    with faults():
        plan = read_plan(path)
        scorings = {CHESS: chess_scorings(draws), POKER: poker_scorings(CUTS, plan.holdem.session_hands, session_sd)}
        if any(_has_house(match, plan) for match in plan.matches):
            scorings[HOUSE] = poker_scorings(HOUSE_CUTS, plan.holdem.session_hands, session_sd)
        forecast = Forecast(plan, scorings, effects, session_sd, Assumptions(**given))
    if as_json:
        click.echo(canon.dumps(forecast.plain()).decode())
        return
    for line in forecast.lines():
        click.echo(printable(line))


class Forecast:
    """Everything that the command says of one plan, as text and as plain values."""

    def __init__(
        self,
        plan: Plan,
        scorings: Mapping[str, Sequence[Scoring]],
        effects: Sequence[tuple[str, Fraction]],
        session_sd: Fraction,
        given: Assumptions,
    ) -> None:
        self._plan, self._scorings, self._given = plan, scorings, given
        self._matches = [(match, list(self._of_match(match))) for match in plan.matches]
        self._needed = [list(_needed(scorings[game], effect)) for game, effect in effects]
        games = {match.game for match in plan.matches} | {game for game, _ in effects}
        self._note = paper_note(session_sd) if POKER in games else None
        self._load: Load = load_of(plan, given)

    def lines(self) -> Iterator[str]:
        """The whole forecast for a person."""
        yield f"{self._plan.title}: what it can detect, with 80 % power and a two-sided test"
        for match, found in self._matches:
            yield f"{match.id}: {_size(match)}{self._early_end(match)}"
            yield from _detectable_lines(found)
        for some in self._needed:
            yield from _needed_lines(some)
        if self._note:
            yield from _note_lines(self._note)
        yield from _load_lines(self._load)
        yield "assumed (each is an option; see agzamov plan --help)"
        for name, what in ASKED.items():
            yield f"  {float(getattr(self._given, name)):>10g}  {what}"
        for source in dict.fromkeys(one.source for some in self._scorings.values() for one in some):
            yield f"  {source}"

    def plain(self) -> dict[str, Any]:
        """The same as plain values; decimals are text."""
        return {
            "assumptions": {name: _text(getattr(self._given, name)) for name in ASKED},
            "detectable": [
                {"match": match.id, "results": _results(match), **_plain_detectable(one)}
                for match, found in self._matches
                for one in found
            ],
            "load": _plain_load(self._load),
            "needed": [_plain_needed(one) for some in self._needed for one in some],
            "paper_note": None if self._note is None else _plain_note(self._note),
        }

    def _early_end(self, match: Match) -> str:
        rule = stopping_rule(match, self._plan)
        return f" at most; looked at after every {rule.blocks_per_look} blocks, and may end early" if rule else ""

    def _of_match(self, match: Match) -> Iterator[Detectable]:
        more = self._scorings[HOUSE] if _has_house(match, self._plan) else ()
        for scoring in (*self._scorings[match.game], *more):
            for alpha in ALPHAS:
                for arms in Arms:
                    yield detectable(scoring, _results(match), arms, alpha)


def _has_house(match: Match, plan: Plan) -> bool:
    return len(house_sides(match, plan)) == 1


def _needed(scorings: Sequence[Scoring], effect: Fraction) -> Iterator[Needed]:
    for scoring in scorings:
        for alpha in ALPHAS:
            for arms in Arms:
                yield needed(scoring, effect, arms, alpha)


# --- for a person --------------------------------------------------------------------------------


def _table_head(first: str) -> str:
    columns = "".join(f"{f'{arms.value}, alpha {float(alpha):g}':>25}" for alpha in ALPHAS for arms in Arms)
    return f"  {first:<26}{columns}"


def _rows(found: Sequence[Any]) -> Iterator[list[Any]]:
    """One list for each scoring: alphas by arms."""
    width = len(ALPHAS) * len(Arms)
    return (list(found[at : at + width]) for at in range(0, len(found), width))


def _detectable_lines(found: Sequence[Detectable]) -> Iterator[str]:
    yield _table_head(found[0].scoring.unit)
    for row in _rows(found):
        cells = "".join(f"{'too few' if one.effect is None else f'{float(one.effect):.3g}':>25}" for one in row)
        yield f"  {row[0].scoring.method:<26}{cells}"


def _needed_lines(found: Sequence[Needed]) -> Iterator[str]:
    first = found[0]
    what = "games" if first.scoring.game == CHESS else "hands"
    yield f"to find {float(first.effect):g} {first.scoring.unit}: {what} of each match"
    yield _table_head("")
    for row in _rows(found):
        yield f"  {row[0].scoring.method:<26}" + "".join(f"{one.results:>25,}" for one in row)


def _note_lines(note: PaperNote) -> Iterator[str]:
    claim = f"{note.hands:,} hands detect {float(note.effect):g} bb/100"
    yield f"The paper's note that {claim} does not hold for raw results:"
    yield (
        f"  (2.8 x {float(note.sd):g} / {float(note.effect):g})^2 = {float(note.sessions_needed):,.0f} sessions of 100"
        f" = {note.hands_needed:,} hands; {note.hands:,} hands detect {float(note.detects):.0f} bb/100"
        f" (2.8 x {float(note.sd):g} / sqrt({note.hands // 100}))"
    )


def _load_lines(load: Load) -> Iterator[str]:
    yield "what it will take, if every match is played"
    for seat in load.seats:
        told = f"  {seat.seat} ({seat.kind}): {seat.calls:,} calls"
        if seat.prompt_tokens:
            told += f", {seat.prompt_tokens:,} prompt tokens, {seat.reply_tokens:,} reply tokens"
            told += f", {float(seat.cost_usd):,.2f} USD"
        yield f"{told}, {_hours(seat.wall_s)}"
    if load.evaluations:
        yield f"  engine: {load.evaluations:,} positions, {_hours(load.engine_s)}"
    yield f"  in all: {load.calls:,} calls, {float(load.cost_usd):,.2f} USD, about {_hours(load.wall_s)}"


def _hours(seconds: Fraction) -> str:
    minutes = float(seconds) / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:,.1f} h"


def _size(match: Match) -> str:
    return f"{_results(match):,} {'games' if isinstance(match, ChessMatch) else 'hands'}"


def _results(match: Match) -> int:
    return match.games if isinstance(match, ChessMatch) else match.hands


# --- for a program -------------------------------------------------------------------------------


def _text(value: int | Fraction) -> int | str:
    return value if isinstance(value, int) else fixed(value)


def _common(scoring: Scoring, arms: Arms, alpha: Fraction) -> dict[str, Any]:
    named = {"game": scoring.game, "method": scoring.method, "unit": scoring.unit, "source": scoring.source}
    return {
        **named,
        "unit_results": scoring.unit_results,
        "sd": fixed(scoring.sd),
        "arms": arms.value,
        "alpha": fixed(alpha),
    }


def _plain_detectable(one: Detectable) -> dict[str, Any]:
    effect = None if one.effect is None else fixed(one.effect)
    return {**_common(one.scoring, one.arms, one.alpha), "effect": effect}


def _plain_needed(one: Needed) -> dict[str, Any]:
    return {**_common(one.scoring, one.arms, one.alpha), "effect": fixed(one.effect), "results": one.results}


def _plain_note(note: PaperNote) -> dict[str, Any]:
    return {name: _text(value) for name, value in msgspec.structs.asdict(note).items()}


def _plain_load(load: Load) -> dict[str, Any]:
    seats = [
        {
            name: value if isinstance(value, str) else _text(value)
            for name, value in msgspec.structs.asdict(seat).items()
        }
        for seat in load.seats
    ]
    totals = {"calls": load.calls, "cost_usd": fixed(load.cost_usd), "wall_s": fixed(load.wall_s)}
    return {"seats": seats, "evaluations": load.evaluations, "engine_s": fixed(load.engine_s), **totals}
