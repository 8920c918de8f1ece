"""The tables of a forecast (`agzamov plan --details`): tests, each match's detectable effects, calls, assumptions."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from textwrap import wrap
from typing import Final

from agzamov_verify.checks.memory_step import stale_lines
from agzamov_verify.core.columns import WIDTH
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.early_stopping import stopping_rule
from agzamov_verify.scoring.hypotheses.declarations import BY_ID
from agzamov_verify.scoring.plannings import PLANNINGS
from agzamov_verify.scoring.sample_sizes import PaperNote, Scoring
from agzamov_verify.show.absent_arms import NOT_PLAYED, absent_arms
from agzamov_verify.show.glossary import PAPER, label
from agzamov_verify.show.views import condition_words
from agzamov_verify.table.game import Game
from agzamov_verify.table.registry import GAMES

from ..run.assumptions import ASKED, option_of
from .contrasts import DeclaredTest, LeastEffect
from .forecast import SPREADS, ByCareers, Forecast, MatchGroup, Needed, has_benchmark
from .hypothesis_tests import ONE_ARM
from .phase_figures import PhaseFigure
from .plan_summary import LITTLE, hours, usd
from .plan_warnings import gate_words
from .study_forecast import study_forecast_lines
from .workload import Load

IMPOSSIBLE: Final = "none"
UNLIKE: Final = (
    "stores that are worth about the same or normally distributed; of an effect planned for 80 % that two careers of"
    " five have in full and three not at all, 5 % is found"
)
BESIDE: Final = " (told beside it, decides nothing)"
FIRST, COLUMN = 54, 14
METHOD, NARROW = 28, 11


def lines(forecast: Forecast) -> Iterator[str]:
    """Everything behind the first screen."""
    if forecast.study:
        for line in study_forecast_lines(forecast.study):
            yield from _text("", line)
    else:
        yield from _declared(forecast)
        yield from _careers(forecast.careers, forecast.plan)
    yield from _systems(forecast.plan)
    yield ""
    yield from _gates(forecast.plan)
    for group in () if forecast.study else forecast.groups:
        yield ""
        yield from _group(group, forecast)
    for sizes in forecast.needed:
        yield ""
        yield from needed_lines(sizes, forecast)
    if forecast.note:
        yield ""
        yield from _note(forecast.note)
    yield ""
    yield from _load(forecast.load)
    yield ""
    yield from _assumptions(forecast)


def _systems(plan: Plan) -> Iterator[str]:
    """The systems that some match names, in words."""
    for name in plan.systems_played:
        yield from _text("  ", f"system {name}: {plan.systems[name].words(plan.games)}")
    for line in stale_lines(plan):
        yield from _text("  ", line)
    for match in absent_arms(plan):
        where = f"{GAMES[match.game].title}, {match.measured}{condition_words(match.condition)}"
        yield from _text("  ", f"{where}: {NOT_PLAYED}; what as much text does by itself stays in its figures")


# --- the answer ----------------------------------------------------------------------------------


def _declared(forecast: Forecast) -> Iterator[str]:
    yield from _text("In short: ", " ".join(_sentences(forecast)))
    tested = [test for test in (*forecast.tests, *forecast.explored) if test.rows]
    if tested:
        yield ""
        yield f"{label('MDE')} of each declared test: the least true effect that it finds with 80 % {label('power')}"
        yield _head("")
        for test in tested:
            yield f"  {test.id}  {BY_ID[test.id].summary}"
            yield from _text("      ", test.test)
            for before, row in zip((None, *test.rows), test.rows, strict=False):
                if row.whose and (before is None or row.whose != before.whose):
                    yield f"      {row.whose}{BESIDE if row.whose == ONE_ARM else ''}"
                yield _row(row)
        if any(effect is None for test in tested for row in test.rows for effect in row.effects):
            yield from _text("  ", f"{IMPOSSIBLE}: cannot detect any possible effect at this size")
    reasons: dict[str, list[str]] = {}
    for test in (*forecast.tests, *forecast.explored):
        if test.why_not:
            reasons.setdefault(test.why_not, []).append(test.id.value)
    for why_not, names in reasons.items():
        yield from _text("  ", f"{', '.join(names)}  {why_not}")
    if forecast.others:
        other = "other " if forecast.explored else ""
        line = (
            f"{len(forecast.others)} {other}exploratory hypotheses are declared too: they confirm nothing, so no figure"
        )
        yield from _text("  ", line)


def _sentences(forecast: Forecast) -> Iterator[str]:
    yield _in_short(forecast.tests)
    yield from (f"{_found(test)}." for test in forecast.explored if test.rows)
    yield from _of_phases(forecast.groups)
    yield from _by_itself(forecast.groups)


def _in_short(tests: Sequence[DeclaredTest]) -> str:
    if not tests:
        return "the plan declares no hypothesis that a run can confirm (H1 to H5)."
    first = next((test for test in tests if test.rows), None)
    if first is None:
        names = ", ".join(test.id.value for test in tests)
        return f"none of the declared hypotheses {names} can be tested by this plan."
    return f"{_found(first)} (middle column; how widely results spread stands at the end, with its source)."


def _found(test: DeclaredTest) -> str:
    rows = [row for row in test.rows if row.whose != ONE_ARM]
    least = [_middle(row) for row in rows]
    if not all(least):
        return f"{test.id} can be tested, but at this size it finds no possible effect with 80 % probability"
    effects = _listed([(row, effect) for row, effect in zip(rows, least, strict=True) if effect])
    whose = next((f"{row.whose} is moved by" for row in rows if row.whose), "the true effect is")
    return f"{test.id} is found with 80 % probability if {whose} at least {effects}"


def _listed(rows: Sequence[tuple[LeastEffect, float]]) -> str:
    """Effects in words, with their game where there are two."""
    several = len({row.game for row, _ in rows}) > 1
    numbers = [f"{effect:.2g} {row.unit}" if effect < 10 else f"{effect:.0f} {row.unit}" for row, effect in rows]
    places = [f" in {GAMES[row.game].title}" if several else "" for row, _ in rows]
    return " and ".join(map("".join, zip(numbers, places, strict=True)))


def _of_phases(groups: Sequence[MatchGroup]) -> Iterator[str]:
    """Detectable figures of Phases 3 and 5 in every match of each game."""
    greatest: dict[str, dict[str, tuple[LeastEffect, float]]] = {}
    for group in groups:
        for figure in group.figures if not group.why_none else ():
            if figure.row and figure.in_short and (effect := _middle(figure.row)):
                row, by_game = figure.row._replace(game=group.matches[0].game), greatest.setdefault(figure.in_short, {})
                by_game[row.game] = max(by_game.get(row.game, (row, effect)), (row, effect), key=lambda one: one[1])
    for beginning, by_game in greatest.items():
        yield f"{beginning} {_listed([*by_game.values()])}."


def _by_itself(groups: Sequence[MatchGroup]) -> Iterator[str]:
    """Effect that the longest match of each game detects by itself."""
    by_itself = [group for group in groups if group.rows]
    for game in dict.fromkeys(group.matches[0].game for group in by_itself):
        group = max(
            (group for group in by_itself if group.matches[0].game == game), key=lambda group: group.matches[0].planned
        )
        if not group.why_none:
            first, size = group.rows[0], GAMES[game].result.counted(group.matches[0].planned)
            effect = first.one_match[len(first.one_match) // 2]
            if effect is None:
                yield f"One match of {size} cannot tell seat A from an equal opponent, however much better it is."
            else:
                better = f"{_effect(effect)} {first.scoring.unit}"
                yield f"One match of {size} tells seat A from an equal opponent if it is better by {better}."


def _middle(row: LeastEffect) -> float | None:
    return row.effects[len(row.effects) // 2]


def _head(first: str) -> str:
    return f"  {first:<{FIRST}}" + "".join(f"{name:>{COLUMN}}" for name in SPREADS)


def _row(row: LeastEffect) -> str:
    of = f"{GAMES[row.game].title}, {row.unit}" if row.game else row.unit
    cells = [_effect(effect) for effect in row.effects]
    return f"        {f'{of} ({row.over})':<{FIRST - 6}}" + "".join(f"{cell:>{COLUMN}}" for cell in _three(cells))


def _careers(rows: Sequence[ByCareers], plan: Plan) -> Iterator[str]:
    if not rows:
        return
    yield ""
    least = load_protocol(plan.protocol).verdict
    yield from _text(
        "",
        "The same results in 1, 2, 5 or 10 careers, as H1 is tested, middle column (a verdict needs"
        f" {least.careers_min}, each of {least.career_units_min} start pairs or sessions)",
    )
    for by_careers in rows:
        cells = [f"{careers}: {_effect(effect)}" for careers, effect in by_careers.effects]
        game = GAMES[by_careers.game]
        of = f"{game.title}, {by_careers.unit}, {game.result.counted(by_careers.results)}"
        yield f"  {of:<{FIRST - 8}}{'   '.join(cells)}"


# --- matches -------------------------------------------------------------------------------------


def _gates(plan: Plan) -> Iterator[str]:
    for match in plan.matches:
        if line := gate_words(match, plan):
            yield from _text("", f"{match.id}: {line}")


def _group(group: MatchGroup, forecast: Forecast) -> Iterator[str]:
    first = group.matches[0]
    size = GAMES[first.game].result.counted(first.planned) + (f" in {group.careers} careers" if group.careers else "")
    names = ", ".join(f"{match.id}{_early_end(match, forecast.plan)}" for match in group.matches)
    yield from _text("", f"{size}: {names}")
    if not group.rows and not group.figures:
        yield "  no table: it is not known how widely the results of this game spread"
        return
    if group.why_none:
        yield f"  no figure: {group.why_none}"
        return
    yield from _table(group, forecast)
    for figure in group.figures:
        yield from _figure(figure)
    rows = [effect for row in group.rows for effect in (*row.one_match, *row.two_arms)]
    rows += [effect for figure in group.figures if figure.row for effect in figure.row.effects]
    if any(effect is None for effect in rows):
        yield f"  {IMPOSSIBLE}: cannot detect any possible effect at this size"


def _table(group: MatchGroup, forecast: Forecast) -> Iterator[str]:
    if not group.rows:
        if any(figure.row for figure in group.figures):
            yield _head("")
        return
    two_sided, one_sided = (f"{100 * float(alpha):g} %" for alpha in (forecast.alpha, forecast.confirmatory_alpha))
    heads = f"MDE, one match, two-sided {two_sided}", f"MDE, two arms, one-sided {one_sided}"
    yield f"  {'':<{METHOD}}" + "".join(f"{head:>{3 * NARROW}}" for head in heads)
    yield _narrow_head(group.rows[0].scoring)
    for row in group.rows:
        cells = [_effect(effect) for effect in (*_three(row.one_match), *_three(row.two_arms))]
        yield f"  {label(row.scoring.method):<{METHOD}}" + "".join(f"{cell:>{NARROW}}" for cell in cells)


def _figure(figure: PhaseFigure) -> Iterator[str]:
    yield from _text("  ", f"{figure.name}: {figure.test or figure.words}")
    if figure.row:
        yield _row(figure.row)


def _narrow_head(scoring: Scoring) -> str:
    return f"  {PLANNINGS[scoring.game].unit:<{METHOD}}" + "".join(f"{name:>{NARROW}}" for name in (*SPREADS, *SPREADS))


def _early_end(match: Match, plan: Plan) -> str:
    rule = stopping_rule(match, plan)
    return f" (at most; may end early by a sequential test after every {rule.blocks_per_look} blocks)" if rule else ""


def needed_lines(rows: Sequence[Needed], forecast: Forecast) -> Iterator[str]:
    """Games or hands that an effect needs."""
    if not rows:
        return
    first = rows[0]
    results_word, unit = GAMES[first.scoring.game].result.many, PLANNINGS[first.scoring.game].unit
    yield f"{results_word.capitalize()} in each match that detect {float(first.effect):g} {unit}"
    two_sided, one_sided = f"two-sided {float(forecast.alpha):g}", f"one-sided {float(forecast.confirmatory_alpha):g}"
    yield f"  {'':<{METHOD}}{f'one match, {two_sided}':>{3 * NARROW}}{f'two arms, {one_sided}':>{3 * NARROW}}"
    yield f"  {'':<{METHOD}}" + "".join(f"{name:>{NARROW}}" for name in (*SPREADS, *SPREADS))
    for row in rows:
        cells = [
            f"{size:,}" if isinstance(size, int) else "" for size in (*_three(row.one_match), *_three(row.two_arms))
        ]
        yield f"  {label(row.scoring.method):<{METHOD}}" + "".join(f"{cell:>{NARROW}}" for cell in cells)


def _three(cells: Sequence[object]) -> Sequence[object]:
    """One value stands in the middle column."""
    return cells if len(cells) == len(SPREADS) else ("", *cells, "")


def _effect(effect: object) -> str:
    if isinstance(effect, str):
        return effect
    if isinstance(effect, float):
        return f"{effect:.3g}" if effect < 100 else f"{effect:,.0f}"
    return IMPOSSIBLE if effect is None else ""


def _note(note: PaperNote) -> Iterator[str]:
    claim = f"{note.hands:,} hands detect {float(note.effect):g} bb/100"
    yield f"The paper ({PAPER}) notes that {claim}."
    yield "That does not hold for raw results, however little they spread:"
    yield (
        f"  (2.8 x {float(note.sd):g} / {float(note.effect):g})^2 = {float(note.sessions_needed):,.0f} sessions of 100"
        f" = {note.hands_needed:,} hands;"
    )
    yield (
        f"  {note.hands:,} hands detect {float(note.detects):.0f} bb/100"
        f" (2.8 x {float(note.sd):g} / sqrt({note.hands // 100}))"
    )


# --- calls, cost, time, assumptions --------------------------------------------------------------


def _load(load: Load) -> Iterator[str]:
    yield "Calls, cost and estimated time, if every match is played in full"
    for seat in load.seats:
        line = f"{seat.seat} ({seat.kind} seat): {seat.calls:,} calls"
        if seat.prompt_tokens:
            line += f", {seat.prompt_tokens:,} prompt tokens, {seat.reply_tokens:,} reply tokens"
            line += f", {_usd(seat.cost_usd)}"
        yield from _text("  ", f"{line}, {hours(seat.wall_s)}")
    if load.planted.calls:
        yield f"  of these planted: {load.planted.words}"
    if load.evaluations:
        yield f"  adjudication: {load.evaluations:,} positions, {hours(load.engine_s)}"
    if load.tool_answers:
        yield f"  tools: {load.tool_answers:,} answers, {_at_most(load.tool_s)}"
    if load.judged:
        line = f"quality: {load.judged:,} positions judged after the games, at most {load.searches:,} searches"
        yield from _text("  ", f"{line}, {_at_most(load.quality_s)}")
    yield f"  total: {load.calls:,} calls, {_usd(load.cost_usd)}, {hours(load.wall_s)}"


def _usd(cost: Fraction | None) -> str:
    return "cost unknown (no price in the plan)" if cost is None else usd(cost)


def _at_most(seconds: Fraction) -> str:
    most = hours(seconds)
    return most if most == LITTLE else f"at most {most}"


def _assumptions(forecast: Forecast) -> Iterator[str]:
    yield "Assumptions; replace them by options, or take them from a pilot with --from BUNDLE"
    for name, meaning in ASKED.items():
        if _matters(name, forecast.plan.games.values()):
            yield f"  {float(getattr(forecast.assumptions, name)):>10g}  {meaning} ({option_of(name)})"
    for source in forecast.sources():
        source_text = f"{GAMES[source['game']].title}, {source['spread']}" if source["game"] else source["spread"]
        yield from _text(f"  {source_text}: ", source["source"])
    with_policy = any(has_benchmark(match, forecast.plan) for match in forecast.plan.matches)
    for game, planning in PLANNINGS.items():
        if game in forecast.games:
            yield from _text(f"  {GAMES[game].title}: ", planning.assumptions(with_policy=with_policy))
    if any(test.rows for test in forecast.tests):
        yield from _text("  careers: ", UNLIKE)
        yield from _text("  arms: ", "taken for independent: what common starts or decks may save is not assumed")
    yield from _pilot(forecast)


def _matters(name: str, games: Iterable[Game]) -> bool:
    """Whether an assumption changes anything where these games are played."""
    match name:
        case "engine_nodes_per_s":
            return any(game.uses_engine for game in games)
        case "showdowns_per_s":
            return any(game.tool_showdowns_max for game in games)
        case _:
            of_some_game = any(name in game.assumes for game in GAMES.values())
            return not of_some_game or any(name in game.assumes for game in games)


def _pilot(forecast: Forecast) -> Iterator[str]:
    if forecast.pilot is None:
        return
    errors, decisions = forecast.pilot.errors
    rate = f" ({100 * errors / decisions:.2f} %)" if decisions else ""
    line = f"{errors:,} of {decisions:,} decisions had no legal action at the first attempt{rate}"
    yield from _text("  errors: ", f"{line}, {forecast.pilot.source}")


def _text(head: str, text: str) -> Iterator[str]:
    indent = " " * (len(head) - len(head.lstrip()) + 4 if head.strip() else len(head) + 4)
    yield from wrap(text, WIDTH, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False)
