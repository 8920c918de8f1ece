"""Plans and seats that are well formed but cannot be run: each problem gets one line with the key's path."""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import islice

import msgspec

from ..core.columns import quoted
from ..core.did_you_mean import did_you_mean
from ..core.questions import RESERVED
from ..experiment.analysis_plan import SequentialRule
from ..experiment.matches import ID_CHARS_MAX, Match, Phase, seat_key
from ..experiment.opponent_patterns import Pattern
from ..experiment.plan_fields import Problem
from ..protocols import PROTOCOLS
from ..protocols.norms import load_protocol
from ..protocols.opponents import Table
from ..seats import KINDS, LocalModelSeat, ScriptedSeat, Seat
from ..table.registry import GAMES
from .condition_problems import condition_problems
from .manifest import Plan
from .people_study import people_problems
from .streams import observations_planned


def seat_problems(plan: Plan) -> Iterator[Problem]:
    """Problems of the seats that make `plan` impossible."""
    for name in sorted(RESERVED.keys() & plan.seats.keys()):
        yield Problem(f"seats.{name}", f"expected another name: in a journal this is {RESERVED[name]}")
    for name, seat in plan.seats.items():
        yield from seat.problems(f"seats.{name}")
        yield from _patterns(f"seats.{name}", seat.patterns, plan)
    for name, seat in plan.playing.items():
        yield from seat.isolation_problems(f"seats.{name}", plan.isolation)
    for kind in KINDS.values():
        seats = {name: seat for name, seat in plan.seats.items() if type(seat) is kind}
        yield from kind.problems_together(seats, {name: seats[name] for name in plan.playing if name in seats})
    for name in plan.prices:
        if name not in plan.seats:
            near = did_you_mean(name, islice(plan.seats, SEATS_NAMED_MAX))
            yield Problem(f"prices.{name}", f"expected the name of a seat, found {name}{near}")


def _players_told_apart(plan: Plan) -> Iterator[Problem]:
    """Seats that are measured and have the same identifier, so that the figures of one would stand for the other."""
    looked_at = [match.seats[index] for match in plan.matches for index in plan.looked_at(match)]
    measured = [name for name in dict.fromkeys(looked_at) if name in plan.seats and name not in plan.repeats]
    seats, of_player = [plan.seats[name] for name in measured], dict[str, str]()
    for name in measured:
        player = plan.seats[name].player_id(name, "", seats)
        if other := of_player.get(player):
            wanted = f"expected a player that results tell from that of seat {other}: both are {quoted(player)}"
            yield Problem(f"seats.{name}", f"{wanted}; rename one of the seats")
        of_player.setdefault(player, name)


BEACON_ROUND = re.compile("[a-z0-9-]{1,32}/[1-9][0-9]{0,12}")
STREAMS_MAX = 40_000
SEATS_NAMED_MAX = 20
MEMORY_CONTAINERS_MAX = 200
"""Each takes 10 MB of the machine while it waits, and half a second to be made."""
OBSERVATIONS_MAX = 5_000
"""Of a watched match: more would be slow to decide again."""


def problems(plan: Plan) -> list[Problem]:
    """Problems that make `plan` impossible; none for one that can be run."""
    return [
        *_rules(plan),
        *_containers(plan),
        *seat_problems(plan),
        *_players_told_apart(plan),
        *_matches(plan),
        *condition_problems(plan),
        *people_problems(plan),
        *_analysis(plan),
    ]


def needs_engine(plan: Plan) -> bool:
    """True if the engine adjudicates some game of `plan`, or is the tool of a seat."""
    adjudicated = any(game.engine_adjudication(plan.rules_of(name)) for name, game in plan.games.items())
    return adjudicated or any(GAMES[match.game].uses_engine for match in plan.tool_matches)


def starts_engine(plan: Plan) -> bool:
    """True if `plan` starts an engine: it adjudicates, is a tool, sits at the table, or judges the moves afterwards."""
    seated = any(seat.starts_engine for seat in plan.playing.values())
    return needs_engine(plan) or seated or plan.quality.nodes > 0


def local_models(plan: Plan) -> dict[str, LocalModelSeat]:
    """The playing seats whose weights are pinned, by name."""
    return {name: seat for name, seat in plan.playing.items() if isinstance(seat, LocalModelSeat)}


def image_parts(plan: Plan) -> tuple[str, ...]:
    """The parts that pinned container images play in `plan`, in alphabetical order; none for processes."""
    if plan.isolation != "container":
        return ()
    systems = {plan.systems[name].image_part for name in plan.systems_played}
    parts = {"harness", *(seat.image_part for seat in plan.playing.values()), *systems}
    return tuple(sorted((parts | {"engine"} if starts_engine(plan) else parts) - {""}))


def _containers(plan: Plan) -> Iterator[Problem]:
    """In containers each store has a container of its own, and they run side by side."""
    if plan.isolation != "container":
        return
    for name in plan.systems_played:
        if plan.systems[name].needs_process:
            message = f"expected process: the server of system {name} is from outside, and there is no image of it"
            yield Problem("isolation", message)
    stores = sum(match.careers * sum(map(bool, plan.memories_of(match))) for match in plan.memory_matches)
    if stores > MEMORY_CONTAINERS_MAX:
        message = f"expected process: containers take {MEMORY_CONTAINERS_MAX} careers with a memory, found {stores}"
        yield Problem("isolation", message)


def _rules(plan: Plan) -> Iterator[Problem]:
    for name, game in GAMES.items():
        yield from (problem.below(name) for problem in game.problems(plan.rules_of(name)))
        if name in plan.games and getattr(plan, name) is msgspec.UNSET:
            yield Problem(name, "expected its rules, since a match plays it; {} for the usual ones")
    if (plan.seed.origin != "self") != bool(plan.seed.value):
        yield Problem("seed.value", "expected a value with origin season or beacon, and none with origin self")
    elif plan.seed.origin == "beacon" and not BEACON_ROUND.fullmatch(plan.seed.value):
        yield Problem("seed.value", f"expected a chain and a round, quicknet/24000000, found {plan.seed.value}")


def _matches(plan: Plan) -> Iterator[Problem]:
    if not plan.matches:
        yield Problem("matches", "expected at least one match")
    seen: set[str] = set()
    for index, match in enumerate(plan.matches):
        path = f"matches[{index}]"
        if match.id in seen:
            yield Problem(path, f"expected one match of its phase, game, condition and seats, found {match.id} again")
        seen.add(match.id)
        if match.game not in (version := PROTOCOLS[plan.protocol]).games:
            games = ", ".join(version.games)
            yield Problem(path, f"expected a game of {version.id} ({games}), found {match.game}")
        elif match.game not in version.claims:
            yield Problem(
                path, f"protocols/{version.folder} names no figures of {match.game} in `claims`: add them there"
            )
        if len(match.id) > ID_CHARS_MAX:
            message = f"expected names of seats and system that make an id of at most {ID_CHARS_MAX} characters"
            yield Problem(path, f"{message}, found {len(match.id)} in {match.id}")
        sizes = GAMES[match.game].match_problems(match, plan.rules_of(match.game))
        yield from (problem.below(path) for problem in sizes)
        for number, shift in enumerate(match.shifts):
            yield from _patterns(f"{path}.shifts[{number}]", shift.patterns, plan)
        yield from _players(path, match)
        yield from _pairing(path, match, plan)
        yield from _draw_offers(path, match, plan)
        yield from _mirrored(path, match, plan)
    streams = sum(-(-match.planned // max(1, match.stream_results)) for match in plan.matches)
    if streams > STREAMS_MAX:
        yield Problem("matches", f"expected at most {STREAMS_MAX} streams, found {streams}; make the blocks larger")


def _patterns(path: str, patterns: Iterable[Pattern], plan: Plan) -> Iterator[Problem]:
    """The first name that no game of the plan's protocol has for a pattern, or that stands there twice."""
    version = PROTOCOLS[plan.protocol]
    known = sorted({pattern for name in version.games for pattern in GAMES[name].patterns})
    seen: set[Pattern] = set()
    for index, pattern in enumerate(patterns):
        if pattern not in known or pattern in seen:
            again = " again" if pattern in seen else ""
            near = "" if pattern in known else did_you_mean(pattern, known)
            message = f"found {pattern}{again}, expected each once of a game of {version.id}: {', '.join(known)}{near}"
            yield Problem(f"{path}.patterns[{index}]", message)
            return
        seen.add(pattern)


def _players(path: str, match: Match) -> Iterator[Problem]:
    """The number of seats that the game takes."""
    game, seats = GAMES[match.game], len(match.table)
    if seats in game.players:
        return
    least, most = game.players[0], game.players[-1]
    expected = f"{least}" if least == most else f"{least} to {most}"
    yield Problem(f"{path}.others", f"expected {expected} seats in {game.title}, found {seats}")


def _pairing(path: str, match: Match, plan: Plan) -> Iterator[Problem]:
    for seat_index, name in enumerate(match.seats):
        key, seat = seat_key(seat_index), plan.seats.get(name)
        if seat is None:
            seats = list(islice(plan.seats, SEATS_NAMED_MAX))
            found = f"found {name}{did_you_mean(name, seats)}"
            yield Problem(f"{path}.{key}", f"expected one of the seats {', '.join(seats)}; {found}")
        elif not plays(seat, match.game):
            title = GAMES[match.game].title
            yield Problem(f"{path}.{key}", f"expected a seat that plays {title}, found {seat.noun}")
        elif seat.pictures and not GAMES[match.game].pictures:
            yield Problem(
                f"{path}.{key}", f"{GAMES[match.game].title} has no image: expected a seat without image_input"
            )
        elif seat_index:
            yield from _opponent(f"{path}.{key}", match, seat_index, plan)


def _mirrored(path: str, match: Match, plan: Plan) -> Iterator[Problem]:
    """A person remembers a deck: in the second half of a mirrored match they would know the opponent's cards."""
    if not getattr(plan.rules_of(match.game), "mirrored", False):
        return
    for seat_index, name in enumerate(match.seats):
        if (seat := plan.seats.get(name)) and seat.is_person:
            message = (
                f"expected no person where decks are mirrored: {name} would be dealt the opponent's cards later on"
            )
            yield Problem(f"{path}.{seat_key(seat_index)}", f"{message}; write {match.game}: {{mirrored: false}}")


def _draw_offers(path: str, match: Match, plan: Plan) -> Iterator[Problem]:
    """Draw offers are of people, and a program's answer is a rule of the plan: a model is never asked for its own."""
    if getattr(plan.rules_of(match.game), "draw_offers", msgspec.UNSET) is msgspec.UNSET:
        return
    key = f"{match.game}.draw_offers"
    if not PROTOCOLS[plan.protocol].people:
        yield Problem(key, f"expected nothing: {plan.protocol} has no people, and nobody else offers draws")
    elif match.phase == Phase.HUMAN:
        yield Problem(key, "expected nothing: an arm that takes draws otherwise than another one tells which it is")
    for seat_index, name in enumerate(match.seats):
        if name in plan.seats and plan.seats[name].is_model:
            expected = "expected a person or a program: no model is asked whether it takes a draw, leave out"
            yield Problem(f"{path}.{seat_key(seat_index)}", f"{expected} {key}")


def plays(seat: Seat, game: str) -> bool:
    """True if a seat can play the game. Where the games compute a kind's replies, the game must have such a player."""
    if isinstance(seat, ScriptedSeat) and seat.played_by_games and seat.kind not in GAMES[game].scripted:
        return False
    return seat.games is None or game in seat.games


def _opponent(path: str, match: Match, seat_index: int, plan: Plan) -> Iterator[Problem]:
    """The rule of the match's phase about the seats that are not measured."""
    rule = PROTOCOLS[plan.protocol].phases.get(match.phase)
    if rule is None or not set(match.seats) <= plan.seats.keys():
        return
    table = Table(match, [plan.seats[seat] for seat in match.seats])
    if expected := rule.opponent.problem(table, seat_index):
        yield Problem(path, f"expected {expected}")


def _rule(path: str, rule: SequentialRule, match: Match, plan: Plan) -> Iterator[Problem]:
    game, planned = GAMES[match.game], observations_planned(match, plan)
    bounds = game.bounds(rule)
    reach = bounds.greatest - bounds.null
    yield from (problem.below(path) for problem in game.rule_problems(rule, plan.rules_of(match.game), planned))
    if not Fraction(rule.of_interest) < reach:
        yield Problem(f"{path}.of_interest", f"expected less than {reach}, the greatest distance from chance")
    yield from _alpha(f"{path}.alpha", rule.alpha, plan)
    if planned > OBSERVATIONS_MAX:
        yield Problem(path, f"expected a match of at most {OBSERVATIONS_MAX} observations, found {planned}")
    phase = PROTOCOLS[plan.protocol].phases.get(match.phase)
    if rule.blocks_per_look and phase and phase.gate:
        yield Problem(f"{path}.blocks_per_look", f"expected 0: Phase {match.phase:d} is decided by a whole match")


def _alpha(path: str, alpha: str, plan: Plan) -> Iterator[Problem]:
    """Alpha must not exceed the protocol's: "supported" would then mean less than its readers think."""
    most = load_protocol(plan.protocol).significance
    if Fraction(alpha) > Fraction(most):
        yield Problem(path, f"expected at most {most}, the significance level of {plan.protocol}, found {alpha}")


def _analysis(plan: Plan) -> Iterator[Problem]:
    declared = plan.analysis.hypotheses
    if len(set(declared)) < len(declared):
        yield Problem("analysis.hypotheses", "expected each hypothesis at most once")
    yield from _alpha("analysis.alpha", plan.analysis.alpha, plan)
    matches = {match.id: match for match in plan.matches}
    watched = [rule.match for rule in plan.analysis.sequential]
    for index, rule in enumerate(plan.analysis.sequential):
        path = f"analysis.sequential[{index}]"
        if rule.match not in matches or rule.match in watched[:index]:
            near = " again" if rule.match in matches else did_you_mean(rule.match, matches)
            found = f"found {rule.match}{near}"
            yield Problem(f"{path}.match", f"expected one of the matches {', '.join(matches)}, each once; {found}")
        if rule.match in matches:
            yield from _rule(path, rule, matches[rule.match], plan)
    if plan.quality.nodes and not any(game.uses_engine for game in plan.games.values()):
        yield Problem("quality.nodes", "expected 0: no game is played whose moves the engine evaluates")
