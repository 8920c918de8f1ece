"""Figures of a report of a small bundle with all arms: each condition is seen, and no more is said than is shown."""

import re

import msgspec
import pytest

from agzamov_verify.checks import Verdict
from agzamov_verify.display.conclusions import found_words, precision_words
from agzamov_verify.html_report.arm_figures import arm_figures
from agzamov_verify.html_report.figures import delta_figures, detectable, parts_of, result_figures
from agzamov_verify.html_report.markup import html
from agzamov_verify.html_report.page import Contents, page
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
    "holdem": {"session_hands": 10},
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


def labels(text: str) -> list[str]:
    return re.findall(r'class="label">([^<]+)<', text)


def test_each_condition_is_a_row_naked_first_and_true_facts_are_the_ceiling(verdict: Verdict) -> None:
    (figure,) = arm_figures(verdict)
    assert labels(html(figure)) == [
        "tools: naked",
        "tools: placebo by odds",
        "tools: real by odds",
        "memory: naked",
        "memory: real by truth (oracle: the ceiling)",
    ]


def test_what_no_figure_could_show_is_said_so(verdict: Verdict) -> None:
    results, analysis, _ = parts_of(verdict)
    told = precision_words(results, analysis)
    assert re.fullmatch(
        r"hold'em: the smallest effect that a figure could show is \d+( to \d+)? bb/100; 100\.0 % of 300 hands ended by"
        r" play\.",
        told,
    ), told
    value = analysis.matches[0].main.everything
    assert detectable(value) == f"{float(value.mde.decimal):.3g} bb/100" if value.mde else False
    assert detectable(msgspec.structs.replace(value, ci=None)) == "none: too little was repeated"
    assert detectable(None) == "none: too little was repeated"
    score = msgspec.structs.replace(value, unit="score", mde=msgspec.structs.replace(value.mde, decimal="1.699"))
    assert detectable(score) == "more than there is to gain"
    assert "none: too little was repeated" not in html(next(iter(result_figures(verdict))))


def test_a_page_never_names_an_option_of_the_command_and_lists_its_sections(verdict: Verdict) -> None:
    text = page(Contents(verdict, {"matches": []}, "agzamov-verify check arms", False))
    answer = text[text.index('<dl class="answer">') : text.index("</dl>")]
    assert "--details" not in answer
    assert "5 matches: 5 in hold&#x27;em (300 hands)." in answer.replace("'", "&#x27;")
    contents = text[text.index('aria-label="Contents"') :].partition("</nav>")[0]
    for name in ("results", "arms", "effects", "games", "steps"):
        assert f'href="#{name}"' in contents
        assert f'id="{name}"' in text


def test_deltas_with_an_interval_are_told_first(verdict: Verdict) -> None:
    results, analysis, _ = parts_of(verdict)
    first, *rest = analysis.deltas
    unsure = msgspec.structs.replace(first.performance.everything, ci=None)
    kept = msgspec.structs.replace(first.performance, everything=unsure)
    turned = msgspec.structs.replace(analysis, deltas=(msgspec.structs.replace(first, performance=kept), *rest))
    told = found_words(results, turned, "below")
    names = re.findall(r"novice@novice with (\w+)", told)
    assert names[0] == rest[0].augmentation
    assert names[1] == first.augmentation
    assert html(next(iter(delta_figures(verdict))))
