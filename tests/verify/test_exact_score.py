"""The score of a search: what Stockfish 15.1 wrote, and the same with one line changed."""

import pytest

from agzamov_verify.core.questions import Evaluation
from agzamov_verify.engines.exact_score import NoExactScore, Searched, searched

TRANSCRIPT = """\
info string NNUE evaluation using nn-ad9b42354671.nnue enabled
info depth 4 seldepth 2 multipv 1 score cp 58 nodes 144 nps 72000 hashfull 0 tbhits 0 time 2 pv d2d4
info depth 5 seldepth 2 multipv 1 score cp 58 nodes 174 nps 87000 hashfull 0 tbhits 0 time 2 pv d2d4 a7a6
info depth 6 seldepth 3 multipv 1 score cp -110 upperbound nodes 1000 nps 333333 hashfull 0 tbhits 0 time 3 pv d2d4 a7a6
bestmove d2d4 ponder a7a6
""".splitlines()
"""Stockfish 15.1 on the start position of standard chess at 1,000 nodes, from the fourth depth on."""

BOUND = TRANSCRIPT[-2]
TOLD = Searched("d2d4", Evaluation(58, None), ("d2d4", "a7a6"))


def with_line(line: str) -> list[str]:
    return [line if one is BOUND else one for one in TRANSCRIPT]


def test_the_last_score_that_is_no_bound_is_told() -> None:
    assert searched(TRANSCRIPT) == TOLD


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (BOUND.replace("upperbound", "lowerbound"), TOLD),
        (BOUND.replace(" upperbound", ""), TOLD._replace(evaluation=Evaluation(-110, None))),
        (BOUND.replace("cp -110 upperbound", "mate -3"), TOLD._replace(evaluation=Evaluation(None, -3))),
        (BOUND.replace("cp -110 upperbound", "mate 3 lowerbound"), TOLD),
        (BOUND.replace(" upperbound", "").replace("multipv 1 ", "multipv 2 "), TOLD),
    ],
    ids=["other bound", "exact", "mate", "bound of a mate", "second best line"],
)
def test_the_last_line_counts_where_it_is_a_value_of_the_best_line(line: str, told: Searched) -> None:
    assert searched(with_line(line)) == told


def test_the_move_is_the_engines_last_word_though_its_score_is_a_bound() -> None:
    """A move that was found better at the very end: how good it is was not searched to its end."""
    lines = with_line(BOUND.replace("upperbound", "lowerbound").replace("pv d2d4 a7a6", "pv e2e4"))
    assert searched([*lines[:-1], "bestmove e2e4"]) == TOLD._replace(best="e2e4")


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([BOUND, BOUND, "bestmove d2d4"], "found 2 bounds"),
        (["bestmove d2d4"], "found no score"),
        (["info depth 0 score mate 0", "bestmove (none)"], "found no score"),
    ],
    ids=["bounds alone", "nothing", "a finished game"],
)
def test_a_search_without_an_exact_score_has_none(lines: list[str], found: str) -> None:
    with pytest.raises(NoExactScore, match=f"expected a score that is a value, {found}"):
        searched(lines)
