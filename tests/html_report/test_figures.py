"""Figures of a report of a small bundle with all arms: each condition is seen, and no more is said than is shown."""

import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from agzamov_verify.checks.steps import Verdict
from agzamov_verify.show.html_report.answer_cards import answer_cards
from agzamov_verify.show.html_report.arm_figures import arm_figures, conditions_of, shown_in_arms
from agzamov_verify.show.html_report.figures import (
    UNKNOWN,
    delta_figures,
    detectable,
    estimate_cells,
    parts_of,
    result_figures,
    three_digits,
)
from agzamov_verify.show.html_report.markup import html
from agzamov_verify.show.html_report.report_page import Contents, page
from agzamov_verify.show.text.answer_words import interval_words
from agzamov_verify.show.text.answers import Answer, Played, Shown, answers_of
from agzamov_verify.show.text.effects import effects_of
from agzamov_verify.show.views import VIEWS
from bundles.bundle_factory import check, make
from bundles.test_own_actions import PLAN as FOLDING
from bundles.test_own_actions import folding

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


def labels(text: str) -> list[str]:
    return re.findall(r'class="label">([^<]+)<', text)


def test_each_condition_is_a_row_naked_first_and_true_facts_are_the_ceiling(verdict: Verdict) -> None:
    tools, memory = map(html, arm_figures(verdict))
    assert labels(tools) == [
        "none",
        "placebo, odds",
        "real, odds",
        "real less placebo, odds",
        "real less none, odds",
        "placebo less none, odds",
    ]
    assert labels(memory) == ["none", "real, truth (oracle: the ceiling)", "real less none, truth"]


def test_the_difference_of_a_real_arm_is_that_of_the_analysis(verdict: Verdict) -> None:
    _, analysis, manifest = parts_of(verdict)
    matches = [one.match for one in conditions_of(verdict) if one.match.condition.augmentation == "tools"]
    content, real, placebo = effects_of(matches, manifest, verdict.blocks)
    (delta,) = [delta for delta in analysis.deltas if delta.augmentation == "tools"]
    assert real.value == delta.score.everything
    exact = [Fraction(one.value.value.exact) for one in (real, placebo, content) if one.value.value]
    assert exact[0] == exact[1] + exact[2]


def test_augmentations_are_rows_of_the_map_so_that_many_fit_on_a_page(verdict: Verdict) -> None:
    (both,) = delta_figures(verdict)
    shown = both[0].findall(".//table/tbody/tr")
    names = ["memory by truth less none", "tools by odds less placebo", "tools by odds less none"]
    assert [row[0].text for row in shown] == names
    table = both[1].find(".//table")
    assert table is not None
    assert [cell.text for cell in table.findall("thead//th")] == ["augmentation", "novice@novice"]
    assert [row[0].text for row in table.findall("tbody/tr")] == ["memory by truth", "tools by odds"]


def test_a_figure_of_a_table_has_three_digits_and_no_effect_where_it_has_no_interval(verdict: Verdict) -> None:
    _, analysis, _ = parts_of(verdict)
    value = analysis.matches[0].main.everything
    assert estimate_cells(msgspec.structs.replace(value, ci=None))[1:] == ("none", "15", UNKNOWN)
    for cell in estimate_cells(value)[:2]:
        assert all(len(number.replace(".", "").lstrip("0")) <= 3 for number in re.findall(r"[\d.]+", cell)), cell


def test_a_thousand_is_written_out() -> None:
    assert [three_digits(value) for value in (1063.77, -99.23, 0.16667, 0.0)] == ["+1,064", "-99.2", "+0.167", "+0"]


def test_a_baseline_has_no_smallest_detectable_effect_and_a_heading_has_the_one_unit(verdict: Verdict) -> None:
    text = html(next(iter(result_figures(verdict))))
    assert '<th scope="col">big blinds per 100 hands</th>' in text
    assert not re.search(r"<td>[^<]*bb/100", text)


def test_what_no_figure_could_show_is_said_so(verdict: Verdict) -> None:
    _, analysis, _ = parts_of(verdict)
    value = analysis.matches[0].main.everything
    assert value.mde
    assert float(detectable(value).replace(",", "")) == pytest.approx(float(value.mde.decimal), rel=0.01)
    assert detectable(msgspec.structs.replace(value, ci=None)) == UNKNOWN
    assert detectable(None) == UNKNOWN
    score = msgspec.structs.replace(value, unit="score", mde=msgspec.structs.replace(value.mde, decimal="1.699"))
    assert detectable(score) == "nothing that this measure could show"


def test_a_match_that_stands_among_the_arms_is_not_told_twice(verdict: Verdict) -> None:
    assert len(labels(html(next(iter(result_figures(verdict)))))) == 5
    assert list(result_figures(verdict, shown_in_arms(verdict))) == []


def test_arms_have_the_figures_of_the_answers_and_lead_to_their_games(verdict: Verdict) -> None:
    manifest, results, analysis = verdict.manifest, verdict.results, verdict.analysis
    assert manifest
    assert results
    (first, _) = answers_of(Played(manifest, results, analysis, verdict.blocks))
    told = re.findall(r'class="told">([^<]*)<', html(next(iter(arm_figures(verdict)))))
    view = VIEWS["holdem"]
    for one in first.figures:
        assert f"{view.difference(one.value)} {interval_words(one, 'holdem')}" in told
    assert f'href="#m={first.match}"' in html(next(iter(arm_figures(verdict))))


def cards_of(verdict: Verdict) -> tuple[list[Any], Sequence[Answer]]:
    """The cards of a bundle, and its answers."""
    assert verdict.manifest
    assert verdict.results
    played = Played(verdict.manifest, verdict.results, verdict.analysis, verdict.blocks)
    return list(answer_cards(played, verdict.memory_use)), answers_of(played)


def test_a_game_with_several_answers_has_a_row_for_each_on_one_scale(verdict: Verdict) -> None:
    cards, answers = cards_of(verdict)
    (card,) = cards
    text = html(card)
    assert re.findall(r'class="verdict [a-z-]+">([^<]+)<', text) == [one.shown.value for one in answers]
    lines = [line.get("x1") for line in card.iter("line") if line.get("class") == "null"]
    assert len(lines) == sum(len(one.figures) for one in answers)
    assert len(set(lines)) == 1
    for one in answers:
        assert f'class="watch" href="#m={one.match}"' in text or f'href="#m={one.match}" class="watch"' in text


def test_help_that_changes_no_result_is_said_to_change_none(tmp_path: Path) -> None:
    cards, answers = cards_of(check(make(FOLDING, tmp_path, folding)))
    (card,) = cards
    assert [one.shown for one in answers] == [Shown.NO_DIFFERENCE]
    text = html(card)
    assert "no difference shown" in text
    assert re.search(r"The same result as without it, and as with a placebo, in each of \d+ sessions", text), text
    assert "[no interval]" not in text


def page_of(verdict: Verdict) -> str:
    return page(Contents(verdict, {"matches": []}, "agzamov-verify check arms", False))


def test_a_page_never_names_an_option_of_the_command_and_lists_its_sections(verdict: Verdict) -> None:
    text = page_of(verdict)
    first = text[text.index('id="answer"') : text.index('id="arms"')]
    assert "--details" not in first
    assert "Hold'em, 300 hands. Players: novice (scripted novice; measured), habit (scripted novice)." in text
    contents = text[text.index('aria-label="Contents"') :].partition("</nav>")[0]
    for name in ("arms", "games", "seats", "more"):
        assert f'href="#{name}"' in contents
        assert f'id="{name}"' in text
    assert text.index('aria-label="Contents"') < text.index('id="answer"')


def test_what_says_nothing_is_folded_away(verdict: Verdict) -> None:
    root = ET.fromstring(_body(page_of(verdict)))  # noqa: S314 - a page of ours
    for name in ("hypotheses", "winnings", "effects", "steps", "words"):
        (section,) = (one for one in root.iter("section") if one.get("id") == name)
        (details,) = section
        assert details.tag == "details"
        assert details.get("open") is None
    hidden = [one.get("id") for one in root.iter("section") if one.get("hidden") is not None]
    assert "planted" in hidden  # nobody was asked equal prompts
    assert not {"arms", "games", "errors"} & set(hidden)


def _body(text: str) -> str:
    """The overview as XML."""
    found = re.search(r'<main id="overview">.*?</main>', text, re.DOTALL)
    assert found
    return found[0]
