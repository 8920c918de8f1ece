"""The forecast of an arena (`agzamov arena plan`), as values, text and JSON: its load, and what it can show."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from agzamov_verify.core.columns import paragraph
from agzamov_verify.core.columns import table as in_columns
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.scoring.inference.exact import fixed, square_root
from agzamov_verify.scoring.plannings import PLANNINGS
from agzamov_verify.scoring.sample_sizes import Scoring
from agzamov_verify.table.game import Noun
from agzamov_verify.table.registry import GAMES

from ..run.assumptions import Assumptions
from ..run.call_forecast import decisions
from ..run.simulated_length import RESULTS
from .arena_differences import Difference, GameModel, differences
from .arena_load import ArenaLoad, GameLoad, arena_load
from .plan_summary import LITTLE, UNKNOWN_COST, hours, usd
from .workload import SeatLoad

CHESS, POKER = "chess960", "holdem"
"""Games whose assumed spread stands for the others of wins, and of chips."""
CONTEST_HANDS: Final = 100
MILLION: Final = 10**6
TITLE: Final = "all games"
LOAD_HEAD: Final = ("game", "bouts", "results", "calls", "M tokens")
SEAT_HEAD: Final = ("player", "kind", "calls", "M tokens in", "M tokens out", "cost")
GAME, ROUND = Noun("game", "games"), Noun("round", "rounds")
DIFFERENCE_HEAD: Final = ("game", "two players alone", "in the table", "rounds for 100 Elo", "in bb/100")


class ArenaForecast(msgspec.Struct, frozen=True):
    """What `agzamov arena plan` prints. `draws`, `hundred_sd`: assumed, the second in bb/100.

    `simulated`: by game of finishing orders the mean decisions of one result, for each size of its tables.
    """

    title: str
    load: ArenaLoad
    differences: tuple[Difference, ...]
    draws: Fraction
    hundred_sd: Fraction
    assumptions: Assumptions
    simulated: Mapping[str, tuple[Fraction, ...]] = {}


def arena_forecast(
    whole: Plan, rounds: Sequence[Plan], assumptions: Assumptions, given: Mapping[str, Fraction]
) -> ArenaForecast:
    """The forecast of these rounds. `whole`: a plan with every player. `given`: `draws` and `session_sd` by option."""
    pairs, sessions = (_assumed(game, whole, given) for game in (CHESS, POKER))
    draws = pairs.pairs.draws if pairs.pairs else Fraction(0)
    hundred_sd = sessions.sd * square_root(Fraction(sessions.unit_results, CONTEST_HANDS))
    players = {name: number for number, name in enumerate(whole.seats)}
    bouts = dict[str, list[list[int]]]()
    models, lengths = dict[str, GameModel](), dict[str, set[Fraction]]()
    for plan in rounds:
        for match in plan.matches:
            bouts.setdefault(match.game, []).append([players[name] for name in match.seats])
            models[match.game] = _model(match.game, match, whole, draws, hundred_sd)
            if models[match.game].has_orders:
                lengths.setdefault(match.game, set()).add(decisions(match, plan, assumptions.by_name))
    found = differences(len(players), bouts, models, len(rounds))
    load = arena_load(whole, rounds, assumptions)
    simulated = {game: tuple(sorted(mean)) for game, mean in lengths.items()}
    return ArenaForecast(whole.title, load, found, draws, hundred_sd, assumptions, simulated)


def _assumed(game: str, plan: Plan, given: Mapping[str, Fraction]) -> Scoring:
    """The first scoring of a game: of an option, or the middle of what `agzamov plan` assumes."""
    scorings = PLANNINGS[game].scorings(given, None, plan.rules_of(game))
    return scorings[len(scorings) // 2][0]


def _model(game: str, match: Match, plan: Plan, draws: Fraction, hundred_sd: Fraction) -> GameModel:
    found, seats = GAMES[game], len(match.seats)
    if found.team_names:
        return GameModel(match.planned, has_teams=True)
    if found.has_finishing_order(plan.rules_of(game)):
        return GameModel(match.planned, has_orders=True)
    if found.contest_results(plan.rules_of(game), seats) > 1:
        return GameModel(match.planned, hundred_sd=float(hundred_sd))
    return GameModel(match.planned, draws=float(draws))


def forecast_text(forecast: ArenaForecast) -> str:
    """The forecast for a person."""
    return "\n".join(_lines(forecast)) + "\n"


def _lines(forecast: ArenaForecast) -> Iterator[str]:
    load = forecast.load
    cost = f"{UNKNOWN_COST} (add prices:)" if load.cost_usd is None else usd(load.cost_usd)
    time = hours(load.wall_s)
    about = time if time == LITTLE else f"about {time}"
    flight = f" with {load.in_flight} calls in flight" if load.in_flight else ""
    yield f"{load.calls:,} calls · {_millions(load.tokens)} M tokens · {cost} · {about}{flight}"
    yield ""
    sizes = f"{len(load.seats)} players, {GAME.counted(len(load.games))}, {ROUND.counted(load.rounds)}"
    yield from paragraph("Arena", f"{forecast.title}: {sizes}")
    yield ""
    yield from in_columns(LOAD_HEAD, map(_game_row, load.games))
    yield ""
    yield from in_columns(SEAT_HEAD, map(_seat_row, load.seats))
    yield ""
    yield "The least difference that is found with power 80 %, in Elo"
    yield from in_columns(DIFFERENCE_HEAD, map(_difference_row, forecast.differences))
    yield ""
    yield from paragraph("Assumed", "; ".join(_assumptions(forecast)))


def _millions(tokens: int) -> str:
    return f"{tokens / MILLION:,.1f}"


def _game_row(game: GameLoad) -> tuple[str, ...]:
    counts = game.bouts, game.results, game.calls
    return (game.game, *(f"{count:,}" for count in counts), _millions(game.tokens))


def _seat_row(seat: SeatLoad) -> tuple[str, ...]:
    cost = "unknown" if seat.cost_usd is None else usd(seat.cost_usd) if seat.cost_usd else "-"
    return (seat.seat, seat.kind, f"{seat.calls:,}", _millions(seat.prompt_tokens), _millions(seat.reply_tokens), cost)


def _difference_row(one: Difference) -> tuple[str, ...]:
    elo = ("none" if value is None else f"{value:.0f}" for value in (one.alone, one.ranks))
    rounds = "-" if one.rounds_for_100 is None else f"{one.rounds_for_100:,}"
    return (one.game or TITLE, *elo, rounds, "-" if one.bb_per_100 is None else f"{one.bb_per_100:.0f}")


def _assumptions(forecast: ArenaForecast) -> Iterator[str]:
    assumed = forecast.assumptions
    yield f"{float(100 * forecast.draws):g} % of games drawn (--draws)"
    yield f"SD of 100 hands {float(forecast.hundred_sd):.0f} bb/100 (--session-sd)"
    yield f"{assumed.plies} plies a game of chess (--plies)"
    yield f"{assumed.reply_tokens} tokens a reply (--reply-tokens), up to a model's tokens_max"
    yield f"{float(assumed.seconds_per_call):g} s a call (--seconds-per-call)"
    yield f"{float(assumed.characters_per_token):g} characters a token (--characters-per-token)"
    for game, means in forecast.simulated.items():
        sizes = " or ".join(f"{float(mean):.0f}" for mean in means)
        source = f"mean of {RESULTS} between reference players by these rules"
        yield f"{sizes} decisions a {GAMES[game].result.one} ({source})"
    yield "no reply is refused, and none is asked again"
    yield "in the table: as rank sets show it, for all players together at 95 %"


def forecast_bytes(forecast: ArenaForecast) -> bytes:
    """The forecast as JSON; decimals are text."""
    plain = msgspec.to_builtins(forecast, enc_hook=_decimal)
    load = forecast.load
    plain["load"] |= {
        "calls": load.calls,
        "tokens": load.tokens,
        "cost_usd": None if load.cost_usd is None else fixed(load.cost_usd),
    }
    return msgspec.json.format(msgspec.json.encode(plain, order="deterministic"), indent=1) + b"\n"


def _decimal(value: object) -> str:
    if isinstance(value, Fraction):
        return fixed(value)
    raise TypeError(f"no plain value of {type(value).__name__}")
