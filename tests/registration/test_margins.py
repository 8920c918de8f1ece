"""The units that a plan's figures have, so that each can be given a margin before the plan is registered."""

from pathlib import Path

import pytest

from agzamov_harness.registry.margins import lacking_margins, require_margins, units_of
from agzamov_harness.run.plan_file import read_plan
from agzamov_verify.bundle import ANALYSIS_FILE, MANIFEST_FILE
from agzamov_verify.plan.manifest import ManifestError, load_manifest
from agzamov_verify.protocols import documents
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.repeated_figures import repeated_figures

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "bundles" / "golden"
BUNDLES = sorted(path.parent for path in [*GOLDEN.glob("*/*/bagit.txt"), *(ROOT / "results").glob("*/*/bagit.txt")])
ARMS = read_plan(ROOT / "manifests" / "matrix.yaml")
"""Arms of memory, tools and documents in both games."""


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: "/".join(path.parts[-2:]))
def test_every_figure_that_is_compared_has_a_unit_of_its_plan(bundle: Path) -> None:
    plan = load_manifest((bundle / MANIFEST_FILE).read_bytes()).plan
    analysis = documents.read(plan.protocol, documents.ANALYSIS, (bundle / ANALYSIS_FILE).read_bytes(), Analysis)
    assert {figure.unit for figure in repeated_figures(analysis)} <= units_of(plan).keys()


def test_results_in_chess_and_differences_of_its_arms_have_units_of_their_own() -> None:
    assert list(units_of(ARMS)) == ["score", "bb/100", "win rate"]
    require_margins({"score": "0.05", "win rate": "0.1", "bb/100": "50"}, ARMS)
    with pytest.raises(ManifestError, match="--margin chess: expected a unit of this plan: score, bb/100, win rate"):
        require_margins({"chess": "0.05"}, ARMS)
    require_margins({"chess": "0.05"}, ARMS, attempt=2)  # its first run was registered by 0.3.0, which took any unit


def test_a_unit_without_a_margin_is_told_unless_no_unit_has_one() -> None:
    assert list(lacking_margins({}, ARMS)) == []
    assert list(lacking_margins(dict.fromkeys(units_of(ARMS), "1"), ARMS)) == []
    (told,) = lacking_margins({"score": "0.05", "bb/100": "50"}, ARMS)
    assert told.startswith("differences between arms in Chess960 have no margin")
    assert told.endswith("add --margin 'win rate=NUMBER'")
