"""Figures that release 0.3.0 made wrong: right wherever they are shown, and unchanged in documents that never change.

An interval of an unpaired difference was cut to the bounds of one mean, so one below 0 was turned inside out. A ratio
over careers had an interval where one of five careers had anything for it.
"""

import json
import pickle
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from scipy import stats

from agzamov_verify.bundle import ANALYSIS_FILE
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.protocols import documents
from agzamov_verify.protocols.document_shape import shape_of, spelled
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.hypotheses.contrasts import Weighted, estimated, repeated
from agzamov_verify.scoring.inference.estimate import PAIR_SCORE, Estimate, MendedEstimate, Scale
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.inference.unit_values import Ratio, Units
from agzamov_verify.scoring.units.ratios import ratio_figure
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.show.signed_analysis import is_doubtful, signed_analysis
from bundles.make_golden import FOLDER

HOW = Resamples(bytes(32), 2000, Bootstrap.EXPANDED)
ONE = Fraction(1)
UNBOUNDED = Scale(PAIR_SCORE.unit, PAIR_SCORE.factor)
SHAPE = shape_of(Estimate)


def pairs(seed: int, level: float, n: int = 60, scale: Scale = PAIR_SCORE, starts: str = "") -> Units:
    drawn = np.random.default_rng(seed).binomial(4, level, n)
    return Units(tuple(map(int, drawn)), scale, starts)


def difference(first: Units, second: Units) -> Estimate:
    return estimated(repeated([Weighted(first, ONE), Weighted(second, -ONE)]), HOW)


def bounds(value: Estimate) -> tuple[float, float]:
    assert value.ci
    return float(value.ci.low), float(value.ci.high)


def released(value: Estimate) -> Estimate:
    assert isinstance(value, MendedEstimate)
    return value.released


@pytest.mark.parametrize("level", [0.2, 0.5])
def test_an_unpaired_difference_is_cut_to_the_ends_of_a_difference(level: float) -> None:
    found = difference(pairs(1, level), pairs(2, 0.5, 50))
    uncut = difference(pairs(1, level, scale=UNBOUNDED), pairs(2, 0.5, 50, UNBOUNDED))
    assert found.ci == uncut.ci, "it is far from -1 and 1"
    welch = stats.ttest_ind(pairs(1, level).values, pairs(2, 0.5, 50).values, equal_var=False).confidence_interval()
    assert bounds(found) == pytest.approx((welch.low / 4, welch.high / 4), abs=0.01)
    assert bounds(released(found))[0] == 0, "as 0.3.0 has it"
    assert msgspec.structs.replace(released(found), ci=found.ci) == uncut


def test_careers_have_the_same_ends() -> None:
    first, second = (msgspec.structs.replace(units, over="careers") for units in (pairs(1, 0.2, 5), pairs(2, 0.7, 5)))
    found = difference(first, second)
    low, high = bounds(found)
    assert low < float(found.value.decimal if found.value else "nan") < high < 0
    assert bounds(released(found)) == (0, high)


def test_a_difference_that_could_be_beyond_its_ends_is_cut_there() -> None:
    most, least = (Units(values, PAIR_SCORE, over="careers") for values in ((4, 4, 4, 4, 3), (0, 0, 0, 1, 4)))
    found = difference(most, least)
    assert bounds(found)[1] == 1


def test_what_was_right_stays_one_figure() -> None:
    assert type(difference(pairs(1, 0.9), pairs(2, 0.3))) is Estimate, "far above 0"
    paired = difference(pairs(1, 0.2, starts="run"), pairs(2, 0.5, starts="run"))
    assert type(paired) is Estimate
    assert type(estimated([Weighted(pairs(1, 0.99), ONE)], HOW)) is Estimate, "a mean ends at 1"


def test_documents_keep_the_released_figure_and_everything_else_has_the_right_one() -> None:
    found = difference(pairs(1, 0.2), pairs(2, 0.5))
    kept = json.loads(msgspec.json.encode(released(found)))
    assert spelled(found, SHAPE, wished=False) == kept
    assert spelled(found, SHAPE, wished=False, corrected=True) == {**kept, "ci": msgspec.to_builtins(found.ci)}
    assert msgspec.to_builtins(found).keys() == kept.keys(), "scores and tables have no field for it"
    again = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own, which comes from another process
    assert (again, released(again)) == (found, released(found))


def test_a_ratio_that_one_career_of_five_has_anything_for_has_no_interval() -> None:
    constants = load_score_constants("agz-0.1").clusters
    real = Ratio((30, 0, 0, 0, 0), (40, 0, 0, 0, 0), PAIR_SCORE, over="careers")
    control = Ratio((20, 22, 19, 21, 20), (40, 40, 40, 40, 40), PAIR_SCORE, over="careers")
    found = ratio_figure([(real, ONE), (control, -ONE)], constants)
    assert (found.ci, found.ci_note) == (
        None,
        "1 of 5 careers have it, worth 1.0 even ones, an interval needs 90 % of all",
    )
    assert bounds(released(found))[0] > 0, "0.3.0 took it for certain"
    assert type(ratio_figure([(control, ONE)], constants)) is Estimate


def test_a_reader_who_computes_nothing_withholds_what_may_be_wrong() -> None:
    found = difference(pairs(1, 0.2), pairs(2, 0.5))
    assert is_doubtful(msgspec.json.decode(json.dumps(spelled(found, SHAPE, wished=False)), type=Estimate))
    assert not is_doubtful(difference(pairs(1, 0.9), pairs(2, 0.3)))
    assert not is_doubtful(estimated([Weighted(pairs(1, 0.99), ONE)], HOW))


@pytest.mark.parametrize("protocol", ["agz-0.1", "arena-0.1", "play-0.1", "people-0.1"])
def test_an_analysis_without_these_faults_is_read_as_it_is(protocol: str) -> None:
    opened = open_bundle(FOLDER / protocol / "bundle", CheckLog())
    whole = documents.read(protocol, documents.ANALYSIS, opened.payload(ANALYSIS_FILE), Analysis)
    assert signed_analysis(opened) == whole
