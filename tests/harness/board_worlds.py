"""Runs for tests of a leaderboard, and worlds of many of them."""

from fractions import Fraction
from random import Random  # noqa: TID251 - worlds are simulated, not played
from typing import NamedTuple

from agzamov_harness.leaderboard.board_runs import SEALED, Board, BoardRun, Compared, Contender
from agzamov_harness.leaderboard.ranking import ranked, rows_of
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.exact import figure, fixed
from agzamov_verify.scoring.inference.pooled_runs import RunFigure
from agzamov_verify.scoring.inference.samples import Z_95, Contrast, Interval
from agzamov_verify.show.text.cost_words import Cost

BOARD = Board("chess960", "memory", "itself", "score", Compared.PLACEBO)
MANY_DF = Fraction(10**6)


def measured(value: float, error: float | None, careers: int = 5) -> RunFigure:
    """A figure with a standard error that is known; None: without an interval."""
    x = _rounded(value)
    if error is None:
        return RunFigure(Estimate(figure(x), None, (careers,), None, None, "score", "careers"), None)
    squared_error, half = _rounded(error) ** 2, Z_95 * _rounded(error)
    interval = Interval(fixed(x - half), fixed(x + half), "student-t")
    estimate = Estimate(figure(x), interval, (careers,), None, None, "score", "careers")
    return RunFigure(estimate, Contrast(x, squared_error, MANY_DF))


def _rounded(value: float) -> Fraction:
    return Fraction(round(value * 10**9), 10**9)


def board_run(
    name: str,
    value: float,
    error: float | None = 0.05,
    *,
    key: str = "",
    model: str = "model",
    weights: str = SEALED,
    digest: str = "",
    system: str = "fts",
    system_digest: str = "s",
    lineage: str = "A verbatim",
    submitter: str = "",
    board: Board = BOARD,
    less_naked: RunFigure | None = None,
    warnings: tuple[str, ...] = (),
    level: str = "V1",
    less_filler: RunFigure | None = None,
    match: str = "p2",
    cost: Cost | None = None,
    no_result: str = "",
    unreported: str = "",
) -> BoardRun:
    """One run, by itself a contender; runs with one `key`, `digest` and `system_digest` are of one."""
    return BoardRun(
        board,
        Contender(key or name, digest, system_digest),
        name,
        submitter or name,
        f"run-{name}",
        model,
        system,
        measured(value, error),
        less_naked,
        5,
        level,
        "compliant",
        lineage,
        weights,
        warnings,
        less_filler,
        match,
        cost,
        no_result,
        unreported=unreported,
    )


class Outcome(NamedTuple):
    """Share of worlds in which the cheater's row heads the table, and the mean of its best rank."""

    heads: float
    best_rank: float


HONEST, EFFECT, ERROR = 10, 0.05, 0.04


def many_runs(runs: int, worlds: int, draws: int, seed: int = 1) -> Outcome:
    """Ten honest contenders of one run and effect 0.05; one that submits so many runs of effect 0. All SE 0.04."""
    source = Random(f"{seed} {runs}")
    heads, best = 0, 0
    for _ in range(worlds):
        all_runs = [board_run(f"honest{number}", source.gauss(EFFECT, ERROR), ERROR) for number in range(HONEST)]
        all_runs += [board_run(f"cheat{number}", source.gauss(0, ERROR), ERROR, key="cheat") for number in range(runs)]
        places = ranked(rows_of(all_runs), 10, draws=draws)
        heads += places[0].row.contender.key == "cheat"
        ranks = next(place.ranks for place in places if place.row.contender.key == "cheat")
        assert ranks is not None
        best += ranks[0]
    return Outcome(heads / worlds, best / worlds)
