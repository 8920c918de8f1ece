"""Plans that are well formed but cannot be run: each gets one line with the key's path."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from .analysis_plan import SequentialRule
from .games.chess960.adjudication import AdjudicationPolicy
from .games.holdem.rules import BIG_BLIND
from .manifest import ChessMatch, Match, Plan, PokerMatch
from .questions import ENGINE
from .seats import EndpointSeat, GgufSeat, HouseSeat, LocalModelSeat, OllamaSeat, RandomSeat, Seat, StockfishSeat

PLIES_MAX = 1000
STACK_BB_MAX = 10_000
STREAMS_MAX = 40_000
SEATS_NAMED_MAX = 20
CHESS_REACH = 2
"""Half-points of a start pair between chance and the best, or the worst."""

ALPHA_MAX, OBSERVATIONS_MAX = Fraction(1, 10), 5_000
"""Of a watched match: more would not be a test, or be slow to decide again."""


class Problem(NamedTuple):
    """What is wrong with a plan, and where."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def problems(plan: Plan) -> list[Problem]:
    """Everything that makes `plan` impossible; empty for one that can be run."""
    return [*_rules(plan), *_seats(plan), *_matches(plan), *_analysis(plan)]


def needs_engine(plan: Plan) -> bool:
    """Whether some game of `plan` is adjudicated by the engine."""
    chess = any(isinstance(match, ChessMatch) for match in plan.matches)
    return chess and plan.chess960.adjudication.policy is AdjudicationPolicy.STOCKFISH


def starts_engine(plan: Plan) -> bool:
    """Whether `plan` starts an engine: it adjudicates, it sits at the table, or it judges the moves afterwards."""
    seated = any(isinstance(seat, StockfishSeat) for seat in plan.playing.values())
    return needs_engine(plan) or seated or plan.quality.nodes > 0


def local_models(plan: Plan) -> dict[str, LocalModelSeat]:
    """The playing seats whose weights are pinned, by name."""
    return {name: seat for name, seat in plan.playing.items() if isinstance(seat, LocalModelSeat)}


def observations_planned(match: Match, plan: Plan) -> int:
    """How many observations a rule makes of a whole match: start pairs, sessions, or sessions with their mirrors."""
    if isinstance(match, ChessMatch):
        return match.games // 2
    return match.hands // max(1, plan.holdem.unit_hands)


def image_parts(plan: Plan) -> tuple[str, ...]:
    """The parts that pinned container images play in `plan`, in alphabetical order; none for processes."""
    if plan.isolation != "container":
        return ()
    seats = plan.playing.values()
    needed = {
        "engine": starts_engine(plan),
        "harness": True,
        "model": any(isinstance(seat, GgufSeat) for seat in seats),
        "ollama": any(isinstance(seat, OllamaSeat) for seat in seats),
        "proxy": any(isinstance(seat, EndpointSeat) for seat in seats),
    }
    return tuple(part for part, is_needed in needed.items() if is_needed)


def _rules(plan: Plan) -> Iterator[Problem]:
    rule = plan.chess960.adjudication
    if not 1 <= plan.chess960.plies_max <= PLIES_MAX:
        yield Problem("chess960.plies_max", f"expected 1 to {PLIES_MAX}, found {plan.chess960.plies_max}")
    if rule.plies < 1 or rule.threshold_centipawns < 1 or rule.threshold_points < 1:
        yield Problem("chess960.adjudication", "expected positive thresholds and plies")
    if not 0 <= rule.play_on_percent <= 100:
        yield Problem("chess960.adjudication.play_on_percent", f"expected 0 to 100, found {rule.play_on_percent}")
    if not 2 * BIG_BLIND <= plan.holdem.stack_chips <= STACK_BB_MAX * BIG_BLIND:
        yield Problem("holdem.stack_chips", f"expected {2 * BIG_BLIND} to {STACK_BB_MAX * BIG_BLIND} (100 a BB)")
    if plan.holdem.session_hands < 2 or plan.holdem.session_hands % 2:
        yield Problem("holdem.session_hands", "expected an even number, so that both seats have the button equally")
    if (plan.seed.origin == "season") != bool(plan.seed.value):
        yield Problem("seed.value", "expected a value with origin season, and none with origin self")


def _seats(plan: Plan) -> Iterator[Problem]:
    if ENGINE in plan.seats:
        yield Problem(f"seats.{ENGINE}", "expected another name: in a journal this is the engine that adjudicates")
    for name, seat in plan.seats.items():
        yield from _seat(f"seats.{name}", seat)
    for name, seat in plan.playing.items():
        yield from _isolated(f"seats.{name}", seat, plan.isolation)
    yield from _shared_endpoints(plan)
    for name in plan.prices:
        if name not in plan.seats:
            yield Problem(f"prices.{name}", "expected the name of a seat")


def _shared_endpoints(plan: Plan) -> Iterator[Problem]:
    """Seats of one endpoint share its limits, so they must name the same ones."""
    limits: dict[str, tuple[int, int]] = {}
    for name, seat in plan.seats.items():
        if isinstance(seat, EndpointSeat):
            own = (seat.concurrency, seat.requests_per_minute)
            if limits.setdefault(seat.base_url, own) != own:
                message = "expected the same concurrency and requests_per_minute for all seats of one base_url"
                yield Problem(f"seats.{name}", message)


def _seat(path: str, seat: Seat) -> Iterator[Problem]:
    if isinstance(seat, EndpointSeat | LocalModelSeat):
        yield from _sampling(path, seat)
    match seat:
        case EndpointSeat():
            yield from _endpoint(path, seat)
        case GgufSeat() if not seat.weights:
            yield Problem(f"{path}.weights", "expected the path of a GGUF file, from the plan's folder")
        case OllamaSeat():
            yield from _ollama(path, seat)
        case HouseSeat() if seat.patterns or seat.briefing:
            yield Problem(path, "expected no patterns and no briefing: the house keeps to its published policy")
        case _:
            pass


def _ollama(path: str, seat: OllamaSeat) -> Iterator[Problem]:
    if not seat.model:
        yield Problem(f"{path}.model", "expected the model's name as agzamov models list shows it")
    if not seat.model_digest:
        yield Problem(f"{path}.model_digest", "expected the model's 64 digits as agzamov models list shows them")


def _isolated(path: str, seat: Seat, isolation: str) -> Iterator[Problem]:
    """What a seat needs of its isolation."""
    match seat:
        case GgufSeat() if isolation == "process":
            yield Problem(f"{path}.kind", "expected isolation: container, where a pinned image serves the weights")
        case OllamaSeat() if isolation == "container" and not seat.store:
            yield Problem(f"{path}.store", "expected Ollama's model folder, which the container mounts read-only")
        case EndpointSeat() if isolation == "container" and not seat.base_url.startswith("https://"):
            message = "expected an https:// address: a container reaches hosted providers alone, through the proxy"
            yield Problem(f"{path}.base_url", message)
        case _:
            pass


def _sampling(path: str, seat: EndpointSeat | LocalModelSeat) -> Iterator[Problem]:
    if Fraction(seat.temperature) > 2:
        yield Problem(f"{path}.temperature", f"expected 0 to 2, found {seat.temperature}")
    if not 0 < Fraction(seat.top_p) <= 1:
        yield Problem(f"{path}.top_p", f"expected more than 0 and at most 1, found {seat.top_p}")
    if isinstance(seat, LocalModelSeat) and seat.tokens_max >= seat.context_tokens:
        yield Problem(f"{path}.tokens_max", f"expected fewer than the {seat.context_tokens} tokens of the context")


def _endpoint(path: str, seat: EndpointSeat) -> Iterator[Problem]:
    if not seat.base_url:
        yield Problem(f"{path}.base_url", "expected the endpoint's address, for example http://127.0.0.1:11434/v1")
    if not seat.model:
        yield Problem(f"{path}.model", "expected the model's name as the endpoint lists it")
    if {"max_tokens", "max_completion_tokens"} <= set(seat.accepts):
        yield Problem(f"{path}.accepts", "expected max_tokens or max_completion_tokens, found both")


def _matches(plan: Plan) -> Iterator[Problem]:
    if not plan.matches:
        yield Problem("matches", "expected at least one match")
    seen: set[str] = set()
    for at, match in enumerate(plan.matches):
        path = f"matches[{at}]"
        if match.id in seen:
            yield Problem(path, f"expected one match of its phase, game, condition and seat, found {match.id} again")
        seen.add(match.id)
        yield from _size(path, match, plan)
        yield from _pairing(path, match, plan)
    streams = sum(map(_streams, plan.matches))
    if streams > STREAMS_MAX:
        yield Problem("matches", f"expected at most {STREAMS_MAX} streams, found {streams}; make the blocks larger")


def _streams(match: Match) -> int:
    match match:
        case ChessMatch():
            return -(-match.games // match.block_games)
        case PokerMatch():
            return -(-match.hands // match.block_hands)


def _size(path: str, match: Match, plan: Plan) -> Iterator[Problem]:
    match match:
        case ChessMatch():
            if match.games % 2 or match.block_games % 2:
                yield Problem(path, "expected even games and block_games: a start is played with both colours")
        case PokerMatch():
            session = max(1, plan.holdem.session_hands)  # what is wrong with fewer is said once, of the rules
            if match.hands % session or match.block_hands % session:
                yield Problem(path, f"expected hands and block_hands in whole sessions of {session}")
            elif plan.holdem.mirrored and match.hands % (2 * session):
                message = f"expected hands in pairs of sessions of {session}: each is played again with seats exchanged"
                yield Problem(path, message)


def _pairing(path: str, match: Match, plan: Plan) -> Iterator[Problem]:
    known = {key: plan.seats.get(name) for key, name in (("a", match.a), ("b", match.b))}
    for key, seat in known.items():
        if seat is None:
            names = ", ".join(islice(plan.seats, SEATS_NAMED_MAX))
            yield Problem(f"{path}.{key}", f"expected one of the seats {names}")
        elif isinstance(seat, StockfishSeat) and isinstance(match, PokerMatch):
            yield Problem(f"{path}.{key}", "expected a seat that plays hold'em, found Stockfish")
        elif isinstance(seat, HouseSeat) and isinstance(match, ChessMatch):
            yield Problem(f"{path}.{key}", "expected a seat that plays chess, found the house")
    yield from _phase(path, match, known["b"])


def _phase(path: str, match: Match, opponent: Seat | None) -> Iterator[Problem]:
    if match.phase == 0 and opponent is not None and not isinstance(opponent, RandomSeat):
        yield Problem(f"{path}.b", "expected a random seat in Phase 0")
    if match.phase == 1 and match.a != match.b and not isinstance(opponent, HouseSeat):
        wanted = f"{match.a} or a house seat" if isinstance(match, PokerMatch) else match.a
        yield Problem(f"{path}.b", f"expected {wanted}: Phase 1 is self-play")


def _rule(path: str, rule: SequentialRule, match: Match, plan: Plan) -> Iterator[Problem]:
    poker, planned = isinstance(match, PokerMatch), observations_planned(match, plan)
    most = plan.holdem.session_hands * plan.holdem.stack_chips
    reach = rule.clip_chips if poker else CHESS_REACH
    if poker and not plan.holdem.stack_chips <= rule.clip_chips <= most:
        yield Problem(f"{path}.clip_chips", f"expected {plan.holdem.stack_chips} (a stack) to {most} (a session)")
    if not Fraction(rule.of_interest) < reach:
        yield Problem(f"{path}.of_interest", f"expected less than {reach}, the greatest distance from chance")
    if Fraction(rule.alpha) > ALPHA_MAX:
        yield Problem(f"{path}.alpha", f"expected at most {float(ALPHA_MAX):g}")
    if planned > OBSERVATIONS_MAX:
        yield Problem(path, f"expected a match of at most {OBSERVATIONS_MAX} observations, found {planned}")
    if rule.blocks_per_look and match.phase == 0:
        yield Problem(f"{path}.blocks_per_look", "expected 0: Phase 0 is decided by a whole match")
    if rule.blocks_per_look and plan.holdem.mirrored and poker:
        yield Problem(f"{path}.blocks_per_look", "expected 0: a mirrored match plays every deck from both sides")


def _analysis(plan: Plan) -> Iterator[Problem]:
    declared = plan.analysis.hypotheses
    if len(set(declared)) < len(declared):
        yield Problem("analysis.hypotheses", "expected each hypothesis at most once")
    matches = {match.id: match for match in plan.matches}
    watched = [rule.match for rule in plan.analysis.sequential]
    for at, rule in enumerate(plan.analysis.sequential):
        path = f"analysis.sequential[{at}]"
        if rule.match not in matches or rule.match in watched[:at]:
            yield Problem(f"{path}.match", f"expected one of the matches {', '.join(matches)}, each once")
        if rule.match in matches:
            yield from _rule(path, rule, matches[rule.match], plan)
    if plan.quality.nodes and not any(isinstance(match, ChessMatch) for match in plan.matches):
        yield Problem("quality.nodes", "expected 0: no chess is played")
