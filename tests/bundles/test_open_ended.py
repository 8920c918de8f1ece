"""A match that its own results may end early: no screen gives it what holds for a match of a fixed size."""

from functools import partial

import msgspec
import pytest

from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.experiment.matches import MEASURED
from agzamov_verify.scoring.inference.samples import Interval
from agzamov_verify.scoring.repeated_figures import repeated_figures
from agzamov_verify.show.html_report.figures import UNKNOWN, _result_row
from agzamov_verify.show.text.headline import ENDS_BY_RESULTS, headlines
from agzamov_verify.show.text.match_details import match_details
from bundles.make_golden import FOLDER

WATCHED = "p1-chess960-naked-other"


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    return verify(FOLDER / "agz-0.1" / "bundle", Options(None))


def test_its_details_have_no_interval_of_a_fixed_size_and_no_detectable_effect(verdict: Verdict) -> None:
    assert verdict.results
    assert verdict.analysis
    assert verdict.manifest
    (row,) = (row for row in verdict.results.matches if row.id == WATCHED)
    (analysed,) = (one for one in verdict.analysis.matches if one.id == WATCHED)
    head = headlines(verdict.results.matches, verdict.analysis)[WATCHED]
    assert (head.sequential, head.is_open_ended, head.few) == (True, True, False)
    told = " ".join(" ".join(match_details(row, head, analysed, verdict.manifest, (None, None))).split())
    assert "MDE" not in told
    everything = analysed.main.everything
    value = msgspec.structs.replace(everything, mde=everything.value, ci=Interval("0.400000", "0.600000", "t"))
    other = msgspec.structs.replace(row.table[1], seat="agent")
    contest = msgspec.structs.replace(row, table=(row.table[0], other))
    of = partial(_result_row, verdict.manifest, contest, value=value, gated=False)
    assert (UNKNOWN in of(head=head), UNKNOWN in of(head=head._replace(sequential=False))) == (True, False)


def test_of_another_seat_of_it_there_is_no_interval_since_one_seat_is_watched(verdict: Verdict) -> None:
    """An arena has a row for each seat, with its letter in the id: it had an interval of a fixed size, unmarked."""
    assert verdict.results
    assert verdict.analysis
    (row,) = (row for row in verdict.results.matches if row.id == WATCHED)
    rows = tuple(msgspec.structs.replace(row, id=f"{WATCHED}@{side}", side=side) for side in "ab")
    analysed = msgspec.structs.replace(
        verdict.analysis,
        matches=tuple(
            msgspec.structs.replace(one, id=f"{WATCHED}@{side}")
            for one in verdict.analysis.matches
            for side in "ab"
            if one.id == WATCHED
        ),
    )
    first, second = headlines(rows, analysed).values()
    assert rows[0].seat_index == MEASURED
    assert (first.sequential, first.low is not None) == (True, True)
    assert (second.sequential, second.low, second.why_none, second.few) == (False, None, ENDS_BY_RESULTS, False)
    assert not any(figure.name.startswith(WATCHED) for figure in repeated_figures(analysed))
