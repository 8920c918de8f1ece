"""One figure has one interval: every estimate of an analysis, wherever the same contrast stands again."""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from agzamov_verify.experiment.analysis_plan import AnalysisPlan
from agzamov_verify.games.chess.cell import ChessCell
from agzamov_verify.games.chess.match_analysis import chess_analysis
from agzamov_verify.games.holdem.cell import PokerCell
from agzamov_verify.games.holdem.match_analysis import poker_analysis
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.deltas import delta_analysis
from agzamov_verify.scoring.hypotheses.verdicts import verdicts
from agzamov_verify.scoring.match_figures import Setting
from verify.agzamov.generator import POKER, World, arms, evidence, relabelled

LEAST = load_protocol("agz-0.1").verdict
PER_HANDS = "bb/100"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """Everything that an analysis says of two memories: matches, deltas, and the tests of all hypotheses."""
    worlds = World(win=0.5, mean=60), World(win=0.45, mean=30)
    cells = arms(worlds[0]) + [one for one in arms(worlds[1], system="t") if one.key.arm.value == "real"]
    naked = [relabelled(one, system="") for one in cells if one.key.arm.value == "naked"]
    some = evidence([one for one in cells if one.key.arm.value == "real"] + naked)
    matches = []
    for at, cell in enumerate(some.cells.values()):
        setting = Setting(f"m{at}", 2, ("a", "b"), 0, Fraction(1, 20), symmetric=False)
        if isinstance(cell, ChessCell):
            matches.append(msgspec.to_builtins(chess_analysis(cell, setting, some)))
        elif isinstance(cell, PokerCell):
            matches.append(msgspec.to_builtins(poker_analysis(cell, setting, some)))
    hypotheses, tests = verdicts(AnalysisPlan(), some, LEAST)
    return {
        "matches": matches,
        "deltas": msgspec.to_builtins(tuple(delta_analysis(some))),
        "tests": msgspec.to_builtins(tests),
        "hypotheses": msgspec.to_builtins(hypotheses),
    }


def estimates(value: Any, place: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every estimate with an interval, and where it stands."""
    if isinstance(value, dict):
        if {"value", "ci", "n", "sd", "unit"} <= value.keys() and value["ci"]:
            yield place, value
        for name, inner in value.items():
            yield from estimates(inner, f"{place}.{name}")
    elif isinstance(value, list | tuple):
        for at, inner in enumerate(value):
            yield from estimates(inner, f"{place}[{at}]")


def contradictions(document: dict[str, Any]) -> list[str]:
    """The same contrast with two intervals. Groups of one value, of the same sizes and deviations, are the same."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for place, one in estimates(document):
        contrast = f"{one['value']['exact']} {one['n']} {[sd['decimal'] for sd in one['sd']]} {one['unit']}"
        found[contrast][place] = str(one["ci"])
    return [str(places) for places in found.values() if len(set(places.values())) > 1]


def test_the_same_contrast_has_one_interval_everywhere(document: dict[str, Any]) -> None:
    assert contradictions(document) == []
    places = [place for place, _ in estimates(document)]
    assert {place.split("[")[0] for place in places} == {"$.matches", "$.deltas", "$.tests"}
    shared = [one["value"]["exact"] for _, one in estimates(document["deltas"])]
    again = {one["value"]["exact"] for _, one in estimates(document["tests"])}
    assert len(again & set(shared)) >= 4, "draft-H1 tests each delta that stands in the deltas"


def test_another_interval_of_the_same_contrast_is_found(document: dict[str, Any]) -> None:
    """The defect: hold'em deltas in the tests were expanded percentiles, in the deltas studentised."""
    (delta,) = [one for one in document["deltas"] if (one["game"], one["system"]) == (POKER, "s")]
    estimate = delta["performance"]["everything"]
    right = estimate["ci"]
    estimate["ci"] = {**right, "low": "-1.000000"}
    try:
        (found,) = contradictions(document)
    finally:
        estimate["ci"] = right
    assert "$.tests" in found


def test_chips_are_studentised_wherever_they_stand_and_in_whatever_unit(document: dict[str, Any]) -> None:
    methods = {one["ci"]["method"].rpartition("-")[0] for _, one in estimates(document) if one["unit"] == PER_HANDS}
    assert methods == {"bootstrap-t"}
    shares = [row["estimate"] for row in document["tests"] if row["hypothesis"] in {"H3", "E2"}]
    assert shares
    assert all(one["ci"]["method"].startswith("bootstrap-t") for one in shares)
