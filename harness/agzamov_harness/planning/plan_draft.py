"""The plan that `agzamov init` writes: arms of one augmentation, as large as so many minutes of a model allow.

An interval needs so many units: of a memory 5 careers of 15 start pairs or sessions, of tools and documents 15 sessions
or 50 start pairs (`norms.json`, `score.json`). The units are made as long as there is time for; where there is not even
time for the shortest ones, few units are played, and the plan and the screen say so.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Final, NamedTuple

from agzamov_verify.experiment.matches import Augmentation
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.protocols import CURRENT
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.units.score_constants import load_score_constants

from ..run.assumptions import Assumptions
from ..run.call_forecast import model_calls
from ..run.plan_file import plan_from_yaml

CHESS, HOLDEM = "chess960", "holdem"
GAMES_OFFERED: Final = (CHESS, HOLDEM)
AUGMENTATIONS_OFFERED: Final = tuple(str(one) for one in (Augmentation.MEMORY, Augmentation.TOOLS, Augmentation.RAG))
MODEL, OPPONENT = "model", "opponent"
PATTERNS: Final = "king_answers_checks, never_retreats, never_folds_pairs, never_bluffs_rivers"
"""Habits of the opponent: without any there is nothing to remember."""
SYSTEMS: Final = {
    "memory": ("notes", "{kind: memory, server: full_text}", "what it saw of its opponent, found by full-text search"),
    "tools": (
        "engine",
        "{kind: tools, candidates_max: 3, nodes: 5000, comparisons_max: 990}",
        "Stockfish, a calculator",
    ),
    "rag": ("basics", "{kind: rag, documents: basics, passages_max: 3, bytes_max: 2000}", "documents on both games"),
}
ARMS: Final = ("", ", arm: placebo, system: {system}", ", arm: real, system: {system}")
PAIR: Final = 2
LENGTHS: Final[Mapping[str, tuple[int, ...]]] = {CHESS: (60, 40, 24, 16, 10), HOLDEM: (20, 10, 4, 2)}
"""Half-moves of a game and hands of a session, the longest first."""
SHORT: Final[Mapping[str, int]] = {CHESS: 16, HOLDEM: 10}
"""Lengths where there is no time for an interval: few units, but not the shortest."""
FEW_CAREERS: Final = 2
UNITS_MAX: Final = 480
"""Start pairs or sessions of a match: Chess960 has 960 starts."""


class Size(NamedTuple):
    """The size of each arm in one game: its results, its careers (0: none), the length of one, and what it can show."""

    game: str
    results: int
    careers: int
    length: int
    has_interval: bool


class Draft(NamedTuple):
    """What a person wishes: the model's seat as lines of YAML, the arms, the games, the calls that there is time for.

    `is_free`: the model is served here, so its tokens have no price.
    """

    seat: tuple[str, ...]
    augmentations: tuple[str, ...]
    games: tuple[str, ...]
    calls_max: int
    title: str
    is_free: bool = False

    @property
    def has_opponent(self) -> bool:
        """True if seat B is the model with habits; else the model plays itself."""
        return "memory" in self.augmentations


def sizes_of(draft: Draft) -> tuple[Size, ...]:
    """The greatest size of each game whose arms have calls for their share of the time; else the shortest.

    A game that has an interval only with a greater share gets it, where the others still have a few units.
    """
    shares = dict.fromkeys(draft.games, draft.calls_max // len(draft.games))
    least = {game: calls_of([_few(game, draft, 1)], draft) for game in draft.games}
    for game in sorted(draft.games, key=lambda one: calls_for_interval(one, draft)):
        others = sum(calls for other, calls in least.items() if other != game)
        needed = calls_for_interval(game, draft)
        if len(shares) > 1 and shares[game] < needed <= draft.calls_max - others:
            shares = dict.fromkeys(shares, (draft.calls_max - needed) // (len(shares) - 1)) | {game: needed}
            break
    return tuple(_size(game, draft, shares[game]) for game in draft.games)


def _size(game: str, draft: Draft, share: int) -> Size:
    longest = next((size for size in _with_interval(game, draft) if calls_of([size], draft) <= share), None)
    if longest is None:
        return _few(game, draft, _most(UNITS_MAX, share, lambda units: calls_of([_few(game, draft, units)], draft)))
    by_max = UNITS_MAX * unit_of(longest) // longest.results
    return _grown(longest, _most(by_max, share, lambda by: calls_of([_grown(longest, by)], draft)))


def _most(greatest: int, calls_max: int, calls: Callable[[int], int]) -> int:
    """The greatest number from 1 to `greatest` that takes no more calls; 1 if none does."""
    numbers = range(1, greatest + 1)
    return max(1, bisect_right(numbers, calls_max, key=calls))


def _grown(size: Size, by: int) -> Size:
    return size._replace(results=size.results * by)


def unit_of(size: Size) -> int:
    """Results of one unit: the two games of a start, the hands of a session."""
    return PAIR if size.game == CHESS else size.length


def _with_interval(game: str, draft: Draft) -> Iterator[Size]:
    """Sizes that have an interval, the longest first."""
    verdict = load_protocol(CURRENT).verdict
    careers = verdict.careers_min if draft.has_opponent else 0
    least = load_score_constants(CURRENT).clusters.units_min
    units = careers * verdict.career_units_min or least["win rate" if game == CHESS else "bb/100"]
    for length in LENGTHS[game]:
        yield Size(game, units * (PAIR if game == CHESS else length), careers, length, has_interval=True)


def _few(game: str, draft: Draft, units: int) -> Size:
    careers = FEW_CAREERS if draft.has_opponent else 0
    results = units * (careers or 1) * (PAIR if game == CHESS else SHORT[game])
    return Size(game, results, careers, SHORT[game], has_interval=False)


def calls_of(sizes: Sequence[Size], draft: Draft) -> int:
    """Calls of models in a plan of these sizes."""
    return model_calls(_sample_plan(sizes, draft), Assumptions())


def calls_for_interval(game: str, draft: Draft) -> int:
    """Calls of the least size of a game that has an interval."""
    return calls_of([[*_with_interval(game, draft)][-1]], draft)


def _sample_plan(sizes: Sequence[Size], draft: Draft) -> Plan:
    """The same plan with any model: calls depend on sizes alone."""
    return plan_from_yaml(_yaml(sizes, draft._replace(seat=ANY_SEAT)).encode(), Path())


ANY_SEAT: Final = ("kind: openai", 'base_url: "http://127.0.0.1:9/v1"', "model: any")


# --- text ----------------------------------------------------------------------------------------


def plan_text(sizes: Sequence[Size], draft: Draft, head: Sequence[str]) -> str:
    """The plan with its comments."""
    return "".join(f"# {line}".rstrip() + "\n" for line in head) + _yaml(sizes, draft)


def _yaml(sizes: Sequence[Size], draft: Draft) -> str:
    lines = [f"title: {draft.title}", f"protocol: {CURRENT}", "isolation: process    # no containers", "", "seats:"]
    lines += _seats(draft)
    lines += ["", "systems:"]
    for kind in draft.augmentations:
        name, settings, words = SYSTEMS[kind]
        lines.append(f"  {name}: {settings}    # {words}")
    for size in sizes:
        lines += ["", *_rules(size)]
    lines += ["", *_MATCHES_HEAD, "matches:"]
    for size in sizes:
        lines += _matches(size, draft)
    return "\n".join([*lines, *_prices(draft), ""])


def _prices(draft: Draft) -> Iterator[str]:
    """Of a model that is served here 0; of any other an example that is commented out."""
    names = (MODEL, OPPONENT) if draft.has_opponent else (MODEL,)
    yield ""
    if draft.is_free:
        yield "prices:    # the model runs on this machine"
        yield from (f"  {name}: {{input_usd: 0, output_usd: 0}}" for name in names)
        return
    yield "# US dollars for a million tokens: put your provider's in, and plan, run and report count the cost."
    yield "# prices:"
    yield from (f"#   {name}: {{input_usd: 1, output_usd: 4}}" for name in names)


def _seats(draft: Draft) -> Iterator[str]:
    yield f"  {MODEL}:"
    yield from (f"    {line}" for line in draft.seat)
    if draft.has_opponent:
        yield f"  {OPPONENT}:    # the same model, told to keep these habits: without any there is nothing to remember"
        yield from (f"    {line.partition('    #')[0]}" for line in draft.seat)
        yield f"    patterns: [{PATTERNS}]"


def _rules(size: Size) -> Iterator[str]:
    if size.game == HOLDEM:
        yield f"holdem: {{session_hands: {size.length}}}    # the protocol asks for 100"
        return
    yield "chess960:"
    yield "  prompt: legal_moves    # the prompt lists the legal moves: a small model names few without it"
    yield f"  plies_max: {size.length}          # half-moves; the protocol asks for 400"
    yield "  adjudication: {policy: material, threshold_points: 2, plies: 4}    # by pieces, not by the engine"


_MATCHES_HEAD: Final = (
    "# Each game is played without help, with a placebo of it (as long, of no use here) and with it. There is no",
    "# Phase 0, so no gate keeps the rest from being played; the protocol asks for one, and for more and longer games.",
)


def _matches(size: Size, draft: Draft) -> Iterator[str]:
    opponent = OPPONENT if draft.has_opponent else MODEL
    counted = "games" if size.game == CHESS else "hands"
    block = "" if size.game == CHESS else f" block_hands: {size.length},"
    for kind in draft.augmentations:
        careers = f" careers: {size.careers}," if kind == "memory" else ""
        for arm in ARMS:
            condition = f"{{augmentation: {kind}{arm.format(system=SYSTEMS[kind][0])}}}"
            seats = f"game: {size.game}, a: {MODEL}, b: {opponent}"
            yield f"  - {{phase: 2, {seats}, {counted}: {size.results},{block}{careers}"
            yield f"     condition: {condition}}}"


def calls_allowed(minutes: int, seconds_per_call: Fraction, side_by_side: int) -> int:
    """Calls that there is time for: 60 · minutes · calls side by side / seconds of each."""
    return max(1, int(60 * minutes * side_by_side / seconds_per_call))


def minutes_of(calls: int, seconds_per_call: Fraction, side_by_side: int) -> int:
    """Minutes that so many calls take."""
    return ceil(calls * seconds_per_call / (60 * side_by_side))


def checked(text: str, folder: Path) -> Plan:
    """The plan that a text spells. Raises ManifestError."""
    return plan_from_yaml(text.encode(), folder)
