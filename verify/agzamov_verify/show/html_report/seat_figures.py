"""Figures of how seats play: winnings less luck, quality of moves, tokens, errors."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ...checks.steps import Verdict
from ...core.seat_letters import seat_letter
from ...plan.manifest import Manifest
from ...scoring.inference.estimate import Estimate
from ...scoring.quality.quality_figures import quality_of
from ...scoring.results import MatchResult
from ...scoring.seat_stats import SeatStats, share
from ...table.declared import FaultKind
from ..text.first_screen import match_words
from ..text.headline import Headline, headlines
from ..views import VIEWS, game_words
from .charts import Whisker, stacked, whiskers
from .figures import (
    ESTIMATED,
    INTERVAL,
    estimate_cells,
    estimated_whisker,
    figure,
    game_of,
    games_of,
    hollow_words,
    interval_words,
    parts_of,
    short_words,
    some_open,
    why_no_interval,
)
from .markup import Child, Element, capital, element, table
from .plane_charts import Dot, scattered

BARS_MAX: Final = 10
"""Of a chart of error classes."""
FAULTS: Final[Mapping[FaultKind, str]] = {kind: kind.value.replace("_", " ") for kind in FaultKind}


def winnings_figures(verdict: Verdict) -> Iterator[Element]:
    """Winnings as they were and by each method of variance reduction."""
    yield from some_open(_winnings(verdict))


def _winnings(verdict: Verdict) -> Iterator[tuple[str, Element]]:
    results, analysis, manifest = parts_of(verdict)
    unfound = {match.id for match in results.matches if match.no_finding}
    for match in analysis.matches:
        adjusted: Mapping[str, Estimate] = getattr(match, "adjusted", {})
        if not adjusted or match.symmetry or (match.id in unfound and any(one.value for one in adjusted.values())):
            continue
        name = match_words(manifest, match.id)
        view = VIEWS[game_of(manifest, match.id)]
        rows = [
            estimated_whisker(method.replace("_", " "), one, view.difference, games_of(match.id))
            for method, one in adjusted.items()
            if one.value
        ]
        chart = whiskers(rows, 0.0, view.figure_unit, f"Winnings in {name}") if rows else None
        numbers = table(
            ("method", view.figure_unit, *ESTIMATED),
            [(key.replace("_", " "), *estimate_cells(one, view.difference)) for key, one in adjusted.items()],
        )
        words = view.adjusted_words + hollow_words(why_no_interval(one) for one in adjusted.values() if one.ci is None)
        yield name, figure(f"Winnings, raw and variance-reduced: {name}", words, chart, numbers)


def quality_figures(verdict: Verdict) -> Iterator[Element]:
    """Centipawns lost by stage of the game, where the bundle has the engine's answers about every move."""
    yield from some_open(_quality(verdict))


def _quality(verdict: Verdict) -> Iterator[tuple[str, Element]]:
    _, _, manifest = parts_of(verdict)
    if not verdict.answers:
        return
    results = quality_of(verdict.run, manifest.plan, verdict.blocks, verdict.answers, manifest.plan.quality.nodes)
    for match, seats in results.by_match.items():
        name = match_words(manifest, match)
        rows, numbers = [], []
        names = [seat.seat for seat in seats]
        for seat in seats:
            who = seat.seat if names.count(seat.seat) == 1 else f"{seat.seat} (seat {seat.side.upper()})"
            aligned = ", which may ask that engine" if seat.engine_alignment else ""
            for stage, group in seat.groups.items():
                if group is not None:
                    loss = group.loss_centipawns
                    low, high = (float(loss.ci.low), float(loss.ci.high)) if loss.ci else (None, None)
                    value = f"{float(loss.value.decimal):.1f}"
                    interval = f"{low:.1f} to {high:.1f}" if low is not None and high is not None else "none"
                    told = f"{value} [{'no interval' if low is None else interval.replace(' to', ',')}]"
                    rows.append(Whisker(f"{who}, {stage}", float(loss.value.decimal), low, high, told, games_of(match)))
                    numbers.append((f"{who}, {stage}{aligned}", value, interval, f"{group.moves:,}"))
        header = ("seat and stage", "centipawns lost a move", INTERVAL, "moves")
        chart = whiskers(rows, None, "centipawns lost a move", f"Quality in {name}") if rows else None
        words = f"By Stockfish at {results.nodes:,} nodes a position; less is better."
        words += " Hollow: no interval." if any(row.low is None for row in rows) else ""
        yield name, figure(f"Quality of play by stage: {name}", words, chart, table(header, numbers))


def efficiency_figures(verdict: Verdict) -> Iterator[Element]:
    """Tokens spent against performance, by game, phase and opponent; nothing where no seat spends any."""
    results, analysis, manifest = parts_of(verdict)
    heads = headlines(results.matches, analysis)
    groups: dict[tuple[object, ...], list[MatchResult]] = {}
    for match in results.matches:
        if _tokens(match.stats) and not match.is_baseline and match.result.count and not match.no_finding:
            alike = match.game, match.phase, match.part, match.opponents
            groups.setdefault(alike, []).append(match)
    for matches in groups.values():
        if len(matches) > 1:
            yield _frontier(matches, heads, manifest)


def _frontier(matches: Sequence[MatchResult], heads: Mapping[str, Headline], manifest: Manifest) -> Element:
    """The efficiency of seats that met the same opponent."""
    view = VIEWS[matches[0].game]
    dots, is_one = [], len({match.measured for match in matches}) == 1
    matches = sorted(matches, key=lambda match: _tokens(match.stats) / match.result.count)
    for match in matches:
        tokens, head = _tokens(match.stats), heads[match.id]
        name = short_words(manifest, match.id).partition(" v ")[0].removeprefix(f"Phase {match.phase:d} ")
        name = name.removesuffix(f", {match.measured}") if is_one else name
        dots.append(Dot(name, tokens / match.result.count, head.value, head.low, head.high))
    axes = f"tokens of the measured seat for each {view.game.result.one}", view.figure_unit
    against = " and ".join(dict.fromkeys(at.seat for at in matches[0].opponents))
    title = f"{capital(game_words(matches[0].game))}, Phase {matches[0].phase:d} against {against}: efficiency frontier"
    on = {(dot.x, dot.y) for dot in dots} & set(frontier(dots))
    rows = [
        (f"{number}. {dot.label}", f"{dot.x:,.0f}", *_result(heads[match.id]), "yes" if (dot.x, dot.y) in on else "")
        for number, (dot, match) in enumerate(zip(dots, matches, strict=True), 1)
    ]
    words = (
        "Points have the numbers of the table. On the line: nothing else is better with fewer tokens. Where intervals"
        " overlap, the order is not shown."
    )
    words += hollow_words(heads[match.id].why_none for match in matches if heads[match.id].low is None)
    numbers = table(("point", axes[0], axes[1], INTERVAL, "on the line"), rows)
    shown = figure(title, words, scattered(dots, frontier(dots), axes, title), numbers, is_open=True)
    shown.set("class", "keyed")
    return shown


def _result(head: Headline) -> tuple[str, str]:
    return VIEWS[head.game].spelled(head.value), interval_words(head)


def frontier(dots: Sequence[Dot]) -> list[tuple[float, float]]:
    """The points that no other point beats with at most as much spent, from the cheapest on."""
    best: list[tuple[float, float]] = []
    for dot in sorted(dots, key=lambda dot: (dot.x, -dot.y)):
        if not best or dot.y > best[-1][1]:
            best.append((dot.x, dot.y))
    return best


class SeatErrors(NamedTuple):
    """First answers of one seat in one match that were no legal action, by class."""

    name: str
    href: str
    stats: SeatStats
    counts: dict[FaultKind, int]


def error_figures(verdict: Verdict) -> Iterator[Element]:
    """First answers that could not be used, by class, of each seat in each match; each class leads to its replies."""
    results, _, manifest = parts_of(verdict)
    rows = [row for match in results.of_matches for row in _errors(match, match_words(manifest, match.match))]
    faulty = sorted((row for row in rows if any(row.counts.values())), key=lambda row: -_share(row))
    if not faulty:
        yield element("p", "Every first answer of every player was usable.")
        return
    drawn = faulty[:BARS_MAX]
    bars = [
        (row.name, [count / row.stats.decisions for count in row.counts.values()], f"{row.href}&unusable=any")
        for row in drawn
    ]
    chart = stacked(bars, _share(faulty[0]) * 1.05, "share of decisions", "Unusable answers by class")
    header = ("player and match", "decisions", *FAULTS.values(), "no usable answer at all")
    numbers = table(header, [_error_cells(row) for row in faulty])
    words = "First answers without a legal action, by class. A number leads to the replies."
    if clean := len(rows) - len(faulty):
        words += f" In {clean} of {len(rows)} rows of players and matches there is none."
    if len(faulty) > len(drawn):
        words += f" Drawn are the {len(drawn)} of {len(faulty)} with the most."
    key = element("p", *(_key(number, name) for number, name in enumerate(FAULTS.values())), class_="key")
    is_open = len(faulty) <= BARS_MAX
    yield figure("Unusable answers by class", words, element("div", key, chart), numbers, is_open=is_open)


def _errors(match: MatchResult, words: str) -> Iterator[SeatErrors]:
    for seat_index, stats in enumerate(match.seat_stats):
        side = seat_letter(seat_index)
        counts = {kind: getattr(stats.faults, f"first_{kind.value}") for kind in FAULTS}
        href = f"{games_of(match.id)}&seat={side}"
        yield SeatErrors(f"{stats.seat} ({side.upper()}): {words}", href, stats, counts)


def _share(row: SeatErrors) -> float:
    return share(sum(row.counts.values()), row.stats.decisions)


def _error_cells(row: SeatErrors) -> tuple[Child, ...]:
    links = (
        element("a", f"{count:,}", href=f"{row.href}&unusable={kind.value}") if count else "0"
        for kind, count in row.counts.items()
    )
    return row.name, f"{row.stats.decisions:,}", *links, f"{row.stats.faults.final:,}"


def team_figures(verdict: Verdict) -> Iterator[Element]:
    """What each team won in each match, once for a match; nothing where no game has teams."""
    results, _, manifest = parts_of(verdict)
    matches = {match.match: match for match in results.matches if match.teams}
    rows = [
        (f"{team.team}: {match_words(manifest, match.id)}", *map(str, (team.won, team.drawn, team.lost, team.count)))
        for match in matches.values()
        for team in match.teams
    ]
    if rows:
        words = "Seats may change their team with each game, so a team's figure is of no seat."
        numbers = table(("team and match", "won", "drawn", "lost", "played"), rows)
        yield figure("Teams", words, None, numbers)


def _tokens(stats: SeatStats) -> int:
    return stats.prompt_tokens + stats.completion_tokens


def _key(number: int, name: str) -> Element:
    return element("span", element("i", class_=f"part-{number}"), name)
