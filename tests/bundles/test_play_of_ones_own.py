"""Forfeits, drawn actions and many comparisons in the answers: no figure of what the form of replies decided."""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from agzamov_harness.exports.in_toto import _claims
from agzamov_harness.leaderboard.board_runs import runs_of
from agzamov_harness.leaderboard.ranking import boards_of
from agzamov_verify.bundle import ANALYSIS_FILE, MANIFEST_FILE, RESULTS_FILE
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.plan.manifest import Price, load_manifest
from agzamov_verify.protocols import documents
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.inference.estimate import PAIR_SCORE, contrast_estimate
from agzamov_verify.scoring.match_cells import cells_of
from agzamov_verify.scoring.own_actions import shares_not_own, why_forfeited
from agzamov_verify.scoring.results import MatchResult, Results
from agzamov_verify.scoring.seat_stats import SeatStats, seat_stats
from agzamov_verify.show.html_report.answer_cards import answer_cards
from agzamov_verify.show.html_report.report_page import Contents, page
from agzamov_verify.show.text import verdict_report
from agzamov_verify.show.text.answer_words import answer_lines, corrected_words, missed_words, other_lines
from agzamov_verify.show.text.answers import Answer as Told
from agzamov_verify.show.text.answers import Comparison, Played, Shown, answers_of
from agzamov_verify.show.text.first_screen import answer_paragraphs
from agzamov_verify.show.text.headline import headlines
from agzamov_verify.show.text.many_comparisons import Corrected, corrected, p_of
from agzamov_verify.table.decision import Tally
from bundles.bundle_factory import MODEL, check, make, told
from conditions import arms_of

RESULTS = Path(__file__).parents[2] / "results/bundles"
FIGURE = "big blinds per 100 hands"
MATCH: dict[str, Any] = {"phase": 2, "game": "holdem", "a": "smol", "b": "rival", "hands": 60, "block_hands": 60}
PLAN: dict[str, Any] = {
    "title": "By forfeit",
    "seats": {"smol": {**MODEL, "tokens_max": 16}, "rival": {**MODEL, "tokens_max": 16, "patterns": []}},
    "systems": {"rag": {"kind": "rag"}},
    "holdem": {"session_hands": 2, "illegal": "retry_then_forfeit"},
    "matches": [{**MATCH, "condition": arm} for arm in arms_of("rag").values()],
}


def player(is_silent: Callable[[Chat], bool]) -> Callable[[Question], Answer]:
    """Models that fold, and say nothing that can be read where `is_silent`."""

    def answered(question: Question) -> Answer:
        assert isinstance(question, Chat)
        text = "I think that" if is_silent(question) else "ACTION: fold"
        return Reply(text=text, finish="stop", prompt_tokens=300, completion_tokens=4)

    return answered


def hand_of(question: Chat) -> int:
    return int(question.game.rpartition("-h")[2])


def checked(made: Path) -> Verdict:
    verdict = check(made)
    assert verdict.level == "V1", told(verdict)
    return verdict


def played_of(verdict: Verdict) -> Played:
    assert verdict.manifest
    assert verdict.results
    return Played(verdict.manifest, verdict.results, verdict.analysis, verdict.blocks)


@pytest.fixture(scope="module")
def forfeited(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    """Three of four hands are forfeited by who acts in them first."""
    silent = player(lambda question: hand_of(question) % 4 > 0)
    return checked(make(PLAN, tmp_path_factory.mktemp("forfeited"), silent))


@pytest.fixture(scope="module")
def some_forfeited(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    """One of four hands is forfeited."""
    silent = player(lambda question: hand_of(question) % 4 == 0)
    return checked(make(PLAN, tmp_path_factory.mktemp("some"), silent))


# --- forfeits ---------------------------------------------------------------------------------------


def test_no_screen_has_a_figure_of_a_match_that_forfeits_decided(forfeited: Verdict) -> None:
    words = " ".join(verdict_report.text(forfeited).split())
    assert "No result for documents in hold'em: 45 of 60 hands were forfeited, with no legal action in any" in words
    report = page(Contents(forfeited, {"matches": []}, "check", sheets=False)).replace("\u00a0", " ")
    assert "45 of 60 hands were forfeited" in report
    assert 'class="dot' not in report
    for shown in (words, verdict_report.details(forfeited)):
        assert FIGURE not in shown
        assert "helped" not in shown


def test_neither_a_board_nor_an_export_has_a_figure_of_forfeits(forfeited: Verdict) -> None:
    assert forfeited.results
    claims = list(_claims(forfeited.results.matches, headlines(forfeited.results.matches, forfeited.analysis)))
    assert [claim["value"] for claim in claims] == [None] * len(claims)
    boards = boards_of(runs_of(forfeited, "one", "ada"), contenders_max=10)
    assert {place.ranks for places in boards.values() for place in places} == {None}
    assert forfeited.manifest
    assert all("were forfeited" in cell.no_finding for cell in cells_of(forfeited.manifest, forfeited.blocks))


def test_a_few_forfeits_leave_the_figure_and_stand_beside_it(some_forfeited: Verdict) -> None:
    (line,) = answer_lines(played_of(some_forfeited))
    assert "forfeited" in line
    assert "of the hands" in line
    assert FIGURE in line or "the same result" in line
    assert all(not row.no_finding for row in some_forfeited.results.matches) if some_forfeited.results else False


def stats_of(decisions: int = 100, substituted: int = 0, forfeits: int = 0, seat: str = "smol") -> SeatStats:
    return seat_stats(seat, Tally(decisions=decisions, substituted=substituted, forfeited=forfeits), Price(), 5)


@pytest.mark.parametrize(
    ("forfeits", "is_decided"), [((49, 0), False), ((50, 0), True), ((25, 25), True), ((25, 24), False)]
)
def test_half_of_the_contests_forfeited_is_too_many(forfeits: tuple[int, int], *, is_decided: bool) -> None:
    seats = [stats_of(forfeits=number) for number in forfeits]
    assert bool(why_forfeited(seats, 100, "games", "agz-0.1")) is is_decided


def test_at_a_table_of_three_the_seat_that_forfeits_most_counts() -> None:
    seats = [stats_of(forfeits=number) for number in (25, 25, 25)]
    assert not why_forfeited(seats, 100, "hands", "agz-0.1")
    assert why_forfeited([*seats[:2], stats_of(forfeits=50)], 100, "hands", "agz-0.1")
    assert not why_forfeited([], 0, "hands", "agz-0.1")


# --- drawn actions ----------------------------------------------------------------------------------


def test_shares_that_are_not_a_seats_own_are_told_in_percent() -> None:
    shares = list(shares_not_own([stats_of(substituted=49), stats_of(seat="rival")], 10, "games"))
    assert [(one.share, one.words) for one in shares] == [
        (Fraction(49, 100), "49 % of the actions of smol were drawn at random")
    ]
    (share,) = shares_not_own([stats_of(forfeits=3)], 10, "games")
    assert share.words == "smol forfeited 30 % of the games"


@pytest.mark.slow
@pytest.mark.parametrize(("every", "is_told"), [(3, True), (60, False)])
def test_the_share_of_drawn_actions_stands_in_the_answer_and_on_its_card(
    every: int, *, is_told: bool, tmp_path: Path
) -> None:
    plan = {**PLAN, "holdem": {"session_hands": 2}}
    silent = player(lambda question: question.to == "smol" and hand_of(question) % every == 0)
    verdict = checked(make(plan, tmp_path, silent))
    words = "of the actions of smol were drawn at random"
    assert (words in " ".join(answer_lines(played_of(verdict)))) is is_told
    report = page(Contents(verdict, {"matches": []}, "check", sheets=False)).replace("\u00a0", " ")
    assert (words in report.partition("What to believe")[0]) is is_told


# --- many comparisons -------------------------------------------------------------------------------


def test_the_p_of_a_figure_is_scipys_welch_test() -> None:
    first, second = [0, 1, 2, 3, 4, 4, 2, 1] * 5, [0, 1, 0, 2, 1, 1, 2, 3] * 5
    value = contrast_estimate([first, second], [Fraction(1), Fraction(-1)], PAIR_SCORE, None)
    p = p_of(value, 0.0)
    assert p is not None
    assert math.isclose(float(p), stats.ttest_ind(first, second, equal_var=False).pvalue, rel_tol=1e-4)
    one = contrast_estimate([first], [Fraction(1)], PAIR_SCORE, None)
    p = p_of(one, 0.4)
    assert p is not None
    assert math.isclose(float(p), stats.ttest_1samp(first, 1.6).pvalue, rel_tol=1e-4)


def test_answers_are_corrected_by_holms_method() -> None:
    ps = [Fraction(1, 100), None, Fraction(4, 100), Fraction(3, 100)]
    found = corrected(ps)
    oracle = multipletests([0.01, 0.04, 0.03], method="holm")[1]
    known = [one for one in found if one]
    assert [one.comparisons for one in known] == [3, 3, 3]
    assert [float(one.p) for one in known] == pytest.approx(list(oracle))
    assert found[1] is None


def test_an_answer_that_holds_alone_only_is_no_difference_and_says_why() -> None:
    figure = Comparison("none", 0.1, 0.01, 0.2, 0.0, "30 starts", p=Fraction(3, 100))
    one = Told("holdem", Shown.BETTER, (figure,), "m", None, "rag", None)
    away = one._replace(shown=Shown.NO_DIFFERENCE, corrected=Corrected(Fraction(12, 100), 4))
    assert corrected_words(one) == ""
    assert corrected_words(away) == (
        "; alone it would be better, but not as one of 4 comparisons (corrected p = 0.120)"
    )
    kept = one._replace(corrected=Corrected(Fraction(1, 100), 4))
    assert corrected_words(kept) == "; p = 0.010, corrected for 4 comparisons"
    assert missed_words([kept, kept]).startswith(
        "Brackets are 95 % intervals, each for its own figure; p is two-sided, corrected for 4 comparisons (Holm's "
        "method)."
    )


def signed(name: str) -> Played:
    """A kept bundle's signed figures, unreplayed."""
    manifest = load_manifest((RESULTS / name / MANIFEST_FILE).read_bytes())
    protocol = manifest.plan.protocol
    results = documents.read(protocol, documents.RESULTS, (RESULTS / name / RESULTS_FILE).read_bytes(), Results)
    analysis = documents.read(protocol, documents.ANALYSIS, (RESULTS / name / ANALYSIS_FILE).read_bytes(), Analysis)
    return Played(manifest, results, analysis, {})


def test_a_run_of_several_answers_has_a_corrected_p_in_each() -> None:
    played = signed("readermodel")
    answers = answers_of(played)
    assert [one.corrected.comparisons for one in answers if one.corrected] == [5] * 5
    assert all(one.shown is Shown.BETTER for one in answers)
    assert all("corrected for 5 comparisons" in line for line in answer_lines(played))
    cards = "".join("".join(card.itertext()) for card in answer_cards(played, ()))
    assert cards.count("corrected for 5 comparisons") == 5
    assert not any("corrected" in line for line in answer_lines(signed("readermodel-full"))), "one answer"


# --- phases beside the answers ----------------------------------------------------------------------


def test_contests_of_other_phases_have_a_line_beside_the_effects() -> None:
    played = signed("readermodel")
    assert other_lines(played) == []
    row = played.results.matches[0]
    other = msgspec.structs.replace(row, id="p3-one", phase=3)
    (line,) = other_lines(beside(played, other))
    assert line.startswith("Phase 3: No result for reader without memory (control) against habit in hold'em")
    (line,) = other_lines(beside(played, other, msgspec.structs.replace(other, id="p3-two")))
    assert line == "Phase 3 in hold'em: 2 contests, each alone: 2 no result."
    shown = beside(played, other)
    assert any(one.startswith("Also       Phase 3: ") for one in answer_paragraphs(shown))


def beside(played: Played, *rows: MatchResult) -> Played:
    return played._replace(results=msgspec.structs.replace(played.results, matches=(*played.results.matches, *rows)))
