"""First screens of a terminal and of reports as they were when they were last looked at (`reference_screens`)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_verify.checks.steps import Verdict
from agzamov_verify.show.html_report.report_page import Contents, page
from agzamov_verify.show.text import verdict_report
from box_font import page_in_boxes
from browser import PROGRAMS, Started, started
from bundles.bundle_factory import check, make
from bundles.make_golden import GOLDEN
from bundles.test_own_actions import PLAN as SILENT
from bundles.test_own_actions import silent
from html_report.in_browser import address_of, opened
from html_report.test_figures import PLAN as ARMS
from reference_screens import REFERENCE, boxes_of, differences, require_boxes, require_same

KINDS = ("contests", "arms", "no-result")
SCREENS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 800}}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    folder = tmp_path_factory.mktemp("bundles")
    bundles = (GOLDEN / "bundle", make(ARMS, folder / "arms"), make(SILENT, folder / "silent", silent))
    return {kind: check(bundle) for kind, bundle in zip(KINDS, bundles, strict=True)}


@pytest.fixture(scope="module", params=PROGRAMS)
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as those:
        yield those


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_terminals_first_screen_is_the_one_that_was_looked_at(kind: str, verdicts: dict[str, Verdict]) -> None:
    found = re.sub(r"\b[0-9a-f]{16}\b", "0" * 16, verdict_report.text(verdicts[kind]))
    require_same(REFERENCE / f"terminal-{kind}.txt", found)


@pytest.mark.slow
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_reports_first_screen_is_laid_out_as_it_was(
    kind: str, screen: str, browsers: Started, verdicts: dict[str, Verdict], tmp_path: Path
) -> None:
    file = tmp_path / "report.html"
    verdict = verdicts[kind]
    contents = Contents(verdict, {"data": "", "run": "0" * 16, "matches": []}, "agzamov-verify check bundle", False)
    text = page(contents).replace(verdict.run, "0" * 16).replace(verdict.submitter[:16], "0" * 16)
    file.write_text(page_in_boxes(text), "utf-8")
    shown, noted = opened(browsers, address_of(file), viewport=SCREENS[screen])
    found = boxes_of(shown, SCREENS[screen]["height"])
    shown.close()
    assert noted == []
    require_boxes(REFERENCE / f"report-{kind}-{screen}-{browsers.name}.json", found)


@pytest.mark.slow
def test_what_has_moved_or_gone_is_told() -> None:
    expected = {"h1": [[10, 10, 100, 20]], "p.big": [[10, 40, 100, 20], [10, 70, 100, 20]]}
    assert differences(expected, expected) == []
    assert differences(expected, {**expected, "h1": [[12, 10, 100, 23]]}) == []
    assert differences(expected, {**expected, "h1": [[10, 14, 100, 20]]}) == [
        "h1: [10, 10, 100, 20] expected, [10, 14, 100, 20] found"
    ]
    assert differences(expected, {**expected, "p.big": [[10, 40, 100, 20]]}) == ["p.big: 2 expected, 1 found"]
    assert differences(expected, {**expected, "b": [[0, 0, 1, 1]]}) == ["b: 0 expected, 1 found"]
