"""Forecast of a plan as values: detectable effects of its declared tests and matches, calls, cost and time."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any, Final, NamedTuple

import msgspec

from agzamov_verify.experiment.analysis_plan import PRIMARY
from agzamov_verify.experiment.matches import UNEVEN, Match, Phase
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.people_study import is_study
from agzamov_verify.scoring.departures import too_short
from agzamov_verify.scoring.hypotheses.declarations import BY_ID, Family
from agzamov_verify.scoring.inference.exact import fixed, square_root
from agzamov_verify.scoring.sample_sizes import (
    Arms,
    PaperNote,
    Scoring,
    detectable,
    needed,
    one_match,
    paper_note,
    two_arms,
)
from agzamov_verify.scoring.units.score_constants import POKER
from agzamov_verify.seats import benchmark_sides

from ..run.assumptions import Assumptions
from .contrasts import DeclaredTest, careers_of
from .hypothesis_tests import ExploratoryTests, Tests
from .phase_figures import PhaseFigure, arms_race_figures, stress_figures
from .pilot_bundles import Pilot
from .shorter_careers import ShorterCareers, effect_of_h1, shorter_careers
from .spreads import AssumedSpreads
from .study_forecast import assumed_draws, study_forecast, study_plain
from .workload import Load, load_of

SPREADS: Final = ("narrow", "middle", "wide")
"""Columns: how widely results spread."""
CAREERS_SHOWN: Final = (1, 2, 5, 10)
NO_TEST: Final = "no test"
OF_THEIR_OWN: Final = (Phase.ARMS_RACE, Phase.STRESS)
"""Phases that have figures of their own: their matches are no comparison with a control on equal terms."""
ONE_CAREER: Final = "with one career nothing is repeated, so nothing about the system is tested"


class Detectable(NamedTuple):
    """Least effects of one method in matches of one size, by how widely results spread; None: none that can be."""

    scoring: Scoring
    one_match: tuple[float | None, ...]
    two_arms: tuple[float | None, ...]


class MatchGroup(NamedTuple):
    """Matches that are played and scored alike, and their detectable effects by each method.

    `careers`: those that are repeated. `figures`: what forced shifts, Phase 3 and Phase 5 are about.
    """

    matches: tuple[Match, ...]
    careers: int
    rows: tuple[Detectable, ...]
    why_none: str
    figures: tuple[PhaseFigure, ...] = ()


class Needed(NamedTuple):
    """Games or hands of each match that an effect needs, by each method and how widely results spread."""

    scoring: Scoring
    effect: Fraction
    one_match: tuple[int, ...]
    two_arms: tuple[int, ...]


class ByCareers(NamedTuple):
    """Effect that H1's test detects in one game if the same results are k careers; NO_TEST where there is no test."""

    game: str
    unit: str
    results: int
    effects: tuple[tuple[int, float | str | None], ...]


class Forecast:
    """Everything that the command prints of one plan."""

    def __init__(
        self,
        plan: Plan,
        spreads: AssumedSpreads,
        effects: Sequence[tuple[str, Fraction]],
        assumptions: Assumptions,
        pilot: Pilot | None,
    ) -> None:
        self.plan, self.spreads, self.assumptions, self.pilot = plan, spreads, assumptions, pilot
        self.alpha = Fraction(plan.analysis.alpha)
        self.confirmatory_alpha = self.alpha / PRIMARY
        icc = {game: icc.value for game, icc in spreads.icc.items()}
        tests = Tests(plan, spreads.performance, icc)
        self.tests: tuple[DeclaredTest, ...] = tuple(tests.all())
        self.explored = tuple(ExploratoryTests(plan, spreads).all())
        planned = {test.id for test in self.explored}
        self.others = tuple(
            name
            for name in plan.analysis.hypotheses
            if BY_ID[name].family is not Family.CONFIRMATORY and name not in planned
        )
        self.groups = tuple(self._groups())
        self.careers = tuple(self._by_careers(tests))
        self.shorter = self._shorter_careers()
        self.needed = [list(self._needed(game, effect)) for game, effect in effects]
        self.games = {match.game for match in plan.matches} | {game for game, _ in effects}
        self.note: PaperNote | None = _note(spreads) if POKER in self.games else None
        self.load: Load = load_of(plan, assumptions)
        self.study = study_forecast(plan, assumed_draws(plan), Fraction(assumptions.plies)) if is_study(plan) else None

    def _groups(self) -> Iterator[MatchGroup]:
        """Matches after Phase 0, grouped by everything that decides their detectable effects."""
        kinds: dict[tuple[Any, ...], list[Match]] = {}
        for match in self.plan.matches:
            if match.phase != Phase.SANITY:
                of_phase = (match.phase, match.part) if match.phase in OF_THEIR_OWN else ()
                played = match.game, match.planned, careers_of(match), has_benchmark(match, self.plan)
                kinds.setdefault((*played, match.shifts, *of_phase), []).append(match)
        for (game, results, careers, benchmark, *_), matches in kinds.items():
            short = too_short(matches[0], self.plan) if careers else ""
            own = matches[0].phase in OF_THEIR_OWN
            rows = () if own else tuple(self._rows(game, results, careers, benchmark=benchmark))
            figures = tuple(self._figures(matches[0]))
            yield MatchGroup(tuple(matches), careers, rows, ONE_CAREER if careers == 1 else short, figures)

    def _figures(self, match: Match) -> Iterator[PhaseFigure]:
        if match.phase == Phase.STRESS:
            yield from stress_figures(match, self.plan, self.spreads)
        elif match.game in self.spreads.icc:
            yield from arms_race_figures(match, self.plan, self.spreads)

    def _rows(self, game: str, results: int, careers: int, *, benchmark: bool) -> Iterator[Detectable]:
        all_spreads = [self.spreads.scorings, *([self.spreads.against_policy] if benchmark else [])]
        for spreads in all_spreads:
            for methods in zip(*spreads.get(game, ()), strict=True):
                if careers and methods[0].mirrored:  # a career would meet a deck twice
                    continue
                icc = self.spreads.icc[game].value
                one_match_effects = (
                    detectable(one_match(scoring, results, self.alpha, careers, icc)) for scoring in methods
                )
                alpha = self.confirmatory_alpha
                two_arms_effects = (detectable(two_arms(scoring, results, alpha, careers, icc)) for scoring in methods)
                yield Detectable(methods[0], tuple(one_match_effects), tuple(two_arms_effects))

    def _by_careers(self, tests: Tests) -> Iterator[ByCareers]:
        """Of the first real arm with careers in each game, at the middle standard deviation."""
        for game, spreads in self.spreads.performance.items():
            arms = [real for real, _ in tests.arms.deltas(game) if real.careers]
            if not arms:
                continue
            scoring, icc = spreads[len(spreads) // 2], self.spreads.icc[game].value
            effects: list[tuple[int, float | str | None]] = []
            for careers in CAREERS_SHOWN:
                played = msgspec.structs.replace(arms[0], careers=careers)
                tested = careers > 1 and not too_short(played, self.plan)
                least = (
                    effect_of_h1(scoring, played.planned, self.confirmatory_alpha, careers, icc) if tested else NO_TEST
                )
                effects.append((careers, least))
            yield ByCareers(game, scoring.unit, arms[0].planned, tuple(effects))

    def _shorter_careers(self) -> ShorterCareers | None:
        """What more careers would change, at the middle standard deviation; None of a study: a career is a person."""
        if is_study(self.plan):
            return None
        middle = {game: spreads[len(spreads) // 2] for game, spreads in self.spreads.performance.items()}
        icc = {game: icc.value for game, icc in self.spreads.icc.items()}
        return shorter_careers(self.plan, self.assumptions, middle, icc, self.confirmatory_alpha)

    def _needed(self, game: str, effect: Fraction) -> Iterator[Needed]:
        for methods in zip(*self.spreads.scorings[game], strict=True):
            if effect <= methods[0].reach:
                one_match_sizes = (needed(scoring, effect, Arms.ONE, self.alpha) for scoring in methods)
                two_arms_sizes = (needed(scoring, effect, Arms.TWO, self.confirmatory_alpha) for scoring in methods)
                yield Needed(methods[0], effect, tuple(one_match_sizes), tuple(two_arms_sizes))

    def plain(self) -> dict[str, Any]:
        """The forecast as plain values; decimals are text."""
        return {
            "assumptions": {name: _text(value) for name, value in asdict(self.assumptions).items()},
            "by_careers": [_plain_careers(row) for row in self.careers],
            "declared": [_plain_test(test) for test in self.tests],
            "detectable": [
                {"matches": [match.id for match in group.matches], "results": group.matches[0].planned, **row}
                for group in self.groups
                for row in map(_plain_detectable, group.rows)
            ],
            "exploratory": [_plain_test(test) for test in self.explored],
            "figures": [
                {"matches": [match.id for match in group.matches], **_plain_figure(figure)}
                for group in self.groups
                for figure in group.figures
            ],
            "load": _plain_load(self.load),
            "needed": [_plain_needed(row) for sizes in self.needed for row in sizes],
            "paper_note": None if self.note is None else _plain_note(self.note),
            "spreads": self.sources(),
            **({"people": study_plain(self.study)} if self.study else {}),
        }

    def sources(self) -> list[dict[str, str]]:
        """Source of each assumption about the games of the plan, in words."""
        rows = []
        for game, scorings in self.spreads.scorings.items():
            if game in self.games:
                names = SPREADS if len(scorings) > 1 else ("SD",)
                rows += [
                    {"game": game, "spread": name, "source": methods[0].source}
                    for name, methods in zip(names, scorings, strict=True)
                ]
        for game in sorted({match.game for match in self.plan.matches if match.part in UNEVEN}):
            names = SPREADS if len(self.spreads.held[game]) > 1 else ("SD",)
            rows += [
                {"game": game, "spread": f"uneven positions, {name}", "source": held.source}
                for name, held in zip(names, self.spreads.held[game], strict=True)
            ]
        in_careers = {group.matches[0].game for group in self.groups if group.careers}
        iccs = {game: icc.source for game, icc in self.spreads.icc.items() if game in in_careers}
        if len(set(iccs.values())) == 1:
            iccs = {"": next(iter(iccs.values()))}
        return rows + [{"game": game, "spread": "careers", "source": source} for game, source in iccs.items()]


def _note(spreads: AssumedSpreads) -> PaperNote:
    """With the paper's own standard deviation, or the one that an option gives."""
    scorings = spreads.scorings[POKER]
    if len(scorings) > 1:
        return paper_note()
    raw = scorings[0][0]
    return paper_note(raw.sd * square_root(Fraction(raw.unit_results, 100)))


def has_benchmark(match: Match, plan: Plan) -> bool:
    """True if the benchmark player plays on exactly one side of a match."""
    return len(benchmark_sides(match.seats, plan.seats)) == 1


def _text(value: int | Fraction) -> int | str:
    return value if isinstance(value, int) else fixed(value)


def _effects(effects: Sequence[float | None]) -> list[str | None]:
    return [None if effect is None else f"{effect:.6f}" for effect in effects]


def _plain_scoring(scoring: Scoring) -> dict[str, Any]:
    described = {"game": scoring.game, "method": scoring.method, "unit": scoring.unit}
    return {**described, "unit_results": scoring.unit_results}


def _plain_detectable(row: Detectable) -> dict[str, Any]:
    return {**_plain_scoring(row.scoring), "one_match": _effects(row.one_match), "two_arms": _effects(row.two_arms)}


def _plain_needed(row: Needed) -> dict[str, Any]:
    sizes = {"one_match": list(row.one_match), "two_arms": list(row.two_arms)}
    return {**_plain_scoring(row.scoring), "effect": fixed(row.effect), **sizes}


def _plain_test(test: DeclaredTest) -> dict[str, Any]:
    rows = [
        {"game": row.game, "unit": row.unit, "over": row.over, "whose": row.whose, "effects": _effects(row.effects)}
        for row in test.rows
    ]
    return {"id": test.id.value, "test": test.test, "rows": rows, "why_not": test.why_not}


def _plain_figure(figure: PhaseFigure) -> dict[str, Any]:
    row = figure.row
    effects = {"unit": row.unit, "over": row.over, "effects": _effects(row.effects)} if row else {}
    return {"figure": figure.name, "test": figure.test, **effects, "words": figure.words}


def _plain_careers(row: ByCareers) -> dict[str, Any]:
    effects = [
        {"careers": careers, "effect": None if isinstance(effect, str) else _effects([effect])[0]}
        for careers, effect in row.effects
    ]
    return {"game": row.game, "unit": row.unit, "results": row.results, "effects": effects}


def _plain_note(note: PaperNote) -> dict[str, Any]:
    return {name: _text(value) for name, value in msgspec.structs.asdict(note).items()}


def _plain_load(load: Load) -> dict[str, Any]:
    seats = [
        {
            name: value if isinstance(value, str | None) else _text(value)
            for name, value in msgspec.structs.asdict(seat).items()
        }
        for seat in load.seats
    ]
    totals = {
        "calls": load.calls,
        "cost_usd": None if load.cost_usd is None else fixed(load.cost_usd),
        "wall_s": fixed(load.wall_s),
    }
    engine = {"evaluations": load.evaluations, "engine_s": fixed(load.engine_s)}
    tools = {"tool_answers": load.tool_answers, "tool_s": fixed(load.tool_s)}
    quality = {"judged": load.judged, "searches": load.searches, "quality_s": fixed(load.quality_s)}
    planted = {name: _text(value) for name, value in msgspec.structs.asdict(load.planted).items()}
    return {"seats": seats, "planted": planted, **engine, **tools, **quality, **totals}
