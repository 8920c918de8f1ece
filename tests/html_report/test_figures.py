"""Figures of a report of a small bundle with all arms: each condition is seen, and no more is said than is shown."""

import re
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from agzamov_verify.checks.steps import Verdict
from agzamov_verify.show.html_report.arm_figures import arm_figures, conditions_of, differences
from agzamov_verify.show.html_report.figures import (
    delta_figures,
    detectable,
    estimate_cells,
    parts_of,
    result_figures,
    three_digits,
)
from agzamov_verify.show.html_report.markup import html
from agzamov_verify.show.html_report.report_page import Contents, page
from agzamov_verify.show.text.conclusions import found_words, precision_words
from bundles.bundle_factory import check, make

CONDITIONS = (
    {"augmentation": "tools"},
    {"augmentation": "tools", "arm": "placebo", "system": "odds"},
    {"augmentation": "tools", "arm": "real", "system": "odds"},
    {"augmentation": "memory"},
    {"augmentation": "memory", "arm": "real", "system": "truth"},
)
PLAN = {
    "title": "Arms",
    "seats": {"novice": {"kind": "novice"}, "habit": {"kind": "novice", "patterns": ["min_raises_pairs"]}},
    "systems": {
        "odds": {"kind": "tools", "comparisons_max": 990},
        "truth": {"kind": "oracle", "facts": "Raises pairs.", "placebo": "Likes the sea."},
    },
    "holdem": {"session_hands": 4},
    "matches": [
        {"phase": 2, "game": "holdem", "a": "novice", "b": "habit", "hands": 60, "block_hands": 60, "condition": one}
        for one in CONDITIONS
    ],
}


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    verdict = check(make(PLAN, tmp_path_factory.mktemp("arms")))
    assert verdict.level == "V1", verdict.findings
    return verdict


def with_main(match: Any, main: Any) -> Any:
    """The analysis of a match with another main figure."""
    return msgspec.structs.replace(match, bb_per_100=msgspec.structs.replace(match.bb_per_100, everything=main))


def labels(text: str) -> list[str]:
    return re.findall(r'class="label">([^<]+)<', text)


def test_each_condition_is_a_row_naked_first_and_true_facts_are_the_ceiling(verdict: Verdict) -> None:
    tools, memory = map(html, arm_figures(verdict))
    assert labels(tools) == [
        "naked",
        "placebo, odds",
        "real, odds",
        "real less placebo, odds",
        "real less naked, odds",
        "placebo less naked, odds",
    ]
    assert labels(memory) == ["naked", "real, truth (oracle: the ceiling)", "real less naked, truth"]


def test_the_difference_of_a_real_arm_is_that_of_the_analysis(verdict: Verdict) -> None:
    _, analysis, _ = parts_of(verdict)
    conditions = [one for one in conditions_of(verdict) if one.match.condition.augmentation == "tools"]
    content, real, placebo = differences(conditions, verdict)
    (delta,) = [delta for delta in analysis.deltas if delta.augmentation == "tools"]
    assert real.value == delta.score.everything
    exact = [Fraction(one.value.value.exact) for one in (real, placebo, content) if one.value.value]
    assert exact[0] == exact[1] + exact[2]


def test_augmentations_are_rows_of_the_map_so_that_many_fit_on_a_page(verdict: Verdict) -> None:
    (both,) = delta_figures(verdict)
    shown = both[0].findall(".//table/tbody/tr")
    names = ["memory by truth less naked", "tools by odds less placebo", "tools by odds less naked"]
    assert [row[0].text for row in shown] == names
    table = both[1].find(".//table")
    assert table is not None
    assert [cell.text for cell in table.findall("thead//th")] == ["augmentation", "novice@novice"]
    assert [row[0].text for row in table.findall("tbody/tr")] == ["memory by truth", "tools by odds"]


def test_a_figure_of_a_table_has_three_digits_and_no_effect_where_it_has_no_interval(verdict: Verdict) -> None:
    _, analysis, _ = parts_of(verdict)
    value = analysis.matches[0].main.everything
    assert estimate_cells(msgspec.structs.replace(value, ci=None))[1:] == ("none", "15", "none: no interval")
    for cell in estimate_cells(value)[:2]:
        assert all(len(number.replace(".", "").lstrip("0")) <= 3 for number in re.findall(r"[\d.]+", cell)), cell


def test_a_thousand_is_written_out() -> None:
    assert [three_digits(value) for value in (1063.77, -99.23, 0.16667, 0.0)] == ["+1,064", "-99.2", "+0.167", "+0"]


def test_a_baseline_has_no_smallest_detectable_effect_and_a_heading_has_the_one_unit(verdict: Verdict) -> None:
    text = html(next(iter(result_figures(verdict))))
    assert '<th scope="col">big blinds per 100 hands</th>' in text
    assert not re.search(r"<td>[^<]*bb/100", text)


def test_what_no_figure_could_show_is_said_so(verdict: Verdict) -> None:
    results, analysis, _ = parts_of(verdict)
    told = precision_words(results, analysis)
    assert re.fullmatch(
        r"hold'em: the smallest effect that (a real arm|the result of a match) could show is"
        r" [\d,.]+( to [\d,.]+)? bb/100; 100\.0 % of 300"
        r" hands ended by play\.",
        told,
    ), told
    value = analysis.matches[0].main.everything
    assert value.mde
    assert float(detectable(value).replace(",", "")) == pytest.approx(float(value.mde.decimal), rel=0.01)
    assert detectable(msgspec.structs.replace(value, ci=None)) == "none: no interval"
    assert detectable(None) == "none: no interval"
    score = msgspec.structs.replace(value, unit="score", mde=msgspec.structs.replace(value.mde, decimal="1.699"))
    assert detectable(score) == "nothing that this measure could show"
    short = msgspec.structs.replace(analysis, deltas=(), matches=(with_main(analysis.matches[0], score),))
    assert "could show no effect" in precision_words(results, short)
    constant = with_main(analysis.matches[0], msgspec.structs.replace(value, mde=None))
    alone = msgspec.structs.replace(analysis, deltas=(), matches=(constant,))
    assert "results did not vary" in precision_words(results, alone)


def test_a_page_never_names_an_option_of_the_command_and_lists_its_sections(verdict: Verdict) -> None:
    text = page(Contents(verdict, {"matches": []}, "agzamov-verify check arms", False))
    answer = text[text.index('<dl class="answer">') : text.index("</dl>")]
    assert "--details" not in answer
    assert "5 matches: 5 in hold&#x27;em (300 hands)." in answer.replace("'", "&#x27;")
    assert 'href="#results">2 more results</a>' in answer
    contents = text[text.index('aria-label="Contents"') :].partition("</nav>")[0]
    for name in ("results", "arms", "effects", "games", "steps"):
        assert f'href="#{name}"' in contents
        assert f'id="{name}"' in text
    assert text.index('aria-label="Contents"') < text.index('<dl class="answer">')
    assert re.search(r"<summary>All 6 confirmatory hypotheses: \d", text)


def test_deltas_with_an_interval_are_told_first(verdict: Verdict) -> None:
    results, analysis, _ = parts_of(verdict)
    first, *rest = analysis.deltas
    unsure = msgspec.structs.replace(first.performance.everything, ci=None)
    kept = msgspec.structs.replace(first.performance, everything=unsure)
    turned = msgspec.structs.replace(analysis, deltas=(msgspec.structs.replace(first, performance=kept), *rest))
    assert verdict.manifest
    told = found_words(results, turned, verdict.manifest.plan)
    names = re.findall(r"novice@novice with (\w+)", told)
    assert names[0] == rest[0].augmentation
    assert names[1] == first.augmentation
    assert html(next(iter(delta_figures(verdict))))
