"""A seat whose actions the harness drew has no finding: on the screen, in the report, in a matrix and on a board."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.commands.matrix_command import matrix_lines
from agzamov_harness.exports.in_toto import _claims
from agzamov_harness.leaderboard.board_runs import runs_of
from agzamov_harness.leaderboard.ranking import boards_of
from agzamov_harness.matrix.matrix_table import MatrixDocument, matrix_of
from agzamov_verify.bundle import claims_of
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.games.chess.who_stands_better import Better, judgement_line
from agzamov_verify.plan.manifest import Price
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.hypotheses.evidence import Evidence
from agzamov_verify.scoring.match_cells import cells_of, probes_of
from agzamov_verify.scoring.own_actions import why_no_finding
from agzamov_verify.scoring.seat_stats import seat_stats
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.show.html_report.report_page import Contents, page
from agzamov_verify.show.text import verdict_report
from agzamov_verify.show.text.headline import headlines
from agzamov_verify.table.decision import Tally
from bundles.bundle_factory import MODEL, check, make, told
from conditions import arms_of

LIMIT, FIGURE = 16, "big blinds per 100 hands"
DRAWN = "100 % of the actions of smol were drawn by the harness: all "
REASON = f"errors were replies that the plan's limit of {LIMIT} tokens cut"
PLAN: dict[str, Any] = {
    "title": "Nothing of its own",
    "seats": {
        "smol": {**MODEL, "tokens_max": LIMIT},
        "rival": {**MODEL, "tokens_max": LIMIT, "patterns": ["never_bluffs_rivers"]},
    },
    "systems": {"rag": {"kind": "rag"}},
    "holdem": {"session_hands": 2},
    "matches": [
        {
            "phase": 2,
            "game": "holdem",
            "a": "smol",
            "b": "rival",
            "hands": 32,
            "block_hands": 32,
            "condition": arm,
        }
        for arm in arms_of("rag").values()
    ],
}


def silent(question: Question) -> Answer:
    """A model that only ever begins to think."""
    assert isinstance(question, Chat)
    return Reply(text="I think that", finish="length", prompt_tokens=300, completion_tokens=LIMIT)


def folding(question: Question) -> Answer:
    """A model that declares its actions."""
    assert isinstance(question, Chat)
    return Reply(text="ACTION: fold", finish="stop", prompt_tokens=300, completion_tokens=4)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    return checked(make(PLAN, tmp_path_factory.mktemp("drawn"), silent))


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    return checked(make(PLAN, tmp_path_factory.mktemp("own"), folding))


def checked(made: Path) -> Verdict:
    verdict = check(made)
    assert verdict.level == "V1", told(verdict)
    return verdict


def test_the_first_screen_says_that_there_is_no_result_and_why(drawn: Verdict, own: Verdict) -> None:
    screen = verdict_report.text(drawn)
    words = " ".join(screen.split())
    found = re.search(
        rf"No result for documents in hold'em: smol gave no usable answer in any of (\d+) decisions \(\1 were cut at"
        rf" {LIMIT} tokens\); try a tokens_max above {LIMIT} or a worked example before each decision \(holdem: ",
        words,
    )
    assert found
    assert "did better" not in words
    assert FIGURE not in words, "no figure of drawn actions"
    assert "no result" in screen.partition("Departs")[2], "in the table too"
    assert not drawn_flags(drawn), "said above"
    assert "usable answer" not in verdict_report.text(own)


def drawn_flags(verdict: Verdict) -> list[str]:
    return [line for line in verdict_report.warnings_told(verdict) if "errors" in line]


def test_a_report_says_what_the_seat_cannot_do_and_what_to_try(drawn: Verdict, own: Verdict) -> None:
    report = page(Contents(drawn, {"matches": []}, "check", sheets=False)).replace("\u00a0", " ")
    assert re.search(
        rf"(smol|rival) gave no usable answer in any of [\d,]+ decisions \(\d+ were cut at {LIMIT} tokens\)", report
    )
    assert f"To try next: </strong>a tokens_max above {LIMIT} or a worked example" in report
    assert "To try next" not in page(Contents(own, {"matches": []}, "check", sheets=False))


def test_a_seat_that_acts_by_itself_has_its_figures(own: Verdict) -> None:
    assert own.results
    assert own.analysis
    assert "no result" not in verdict_report.text(own) + verdict_report.details(own)
    assert all(delta.performance.everything.value for delta in own.analysis.deltas)


def test_no_document_has_a_figure_or_a_test_of_drawn_actions(drawn: Verdict) -> None:
    assert drawn.analysis
    document = json.loads(verdict_report.json(drawn))
    assert [one["match"] for one in document["no_findings"]] == [match.id for match in drawn.analysis.matches]
    assert all(one["why"].startswith(DRAWN) for one in document["no_findings"])
    (smol, rival) = document["failed_answers"]
    assert (smol["seat"], smol["cannot"], rival["seat"]) == ("smol", ["format"], "rival")
    assert 0 < smol["decisions"] == smol["cut"], "of all three matches"
    for match in drawn.analysis.matches:
        figure = match.main.everything
        assert (figure.value, figure.ci, match.p_won) == (None, None, None)
        assert figure.ci_note.startswith(f"no finding: {DRAWN}")
        assert match.learned is None or match.learned.verdict.value not in ("learned", "declined")
    assert all(test.test.p is None for test in drawn.analysis.tests)
    assert FIGURE not in verdict_report.details(drawn)


def test_the_report_draws_no_point_for_drawn_actions(drawn: Verdict, own: Verdict) -> None:
    told, other = (page(Contents(verdict, {"matches": []}, "check", sheets=False)) for verdict in (drawn, own))
    assert f"No result: {DRAWN}" in told.replace("\u00a0", " ")
    assert 'class="dot' not in told
    assert 'class="dot' in other
    assert "No result:" not in other


def test_neither_a_board_ranks_nor_a_matrix_compares_drawn_actions(drawn: Verdict) -> None:
    boards = boards_of(runs_of(drawn, "one", "ada"), contenders_max=10)
    for places in boards.values():
        for place in places:
            assert place.ranks is None
            assert place.row.effect.value is None
            assert place.why_none == "no result"
            assert " gave no usable answer in " in place.row.answer.why
    assert drawn.manifest
    protocol = load_protocol("agz-0.1")
    cells = cells_of(drawn.manifest, drawn.blocks)
    evidence = Evidence(cells, load_score_constants("agz-0.1"), str.encode, protocol.bootstrap_resamples)
    matrix = matrix_of(evidence, protocol.verdict)
    assert [entry.performance.value for entry in matrix.entries] == [None] * len(matrix.entries)
    assert not any(entry.on_frontier for entry in matrix.entries)
    lines = " ".join(" ".join(matrix_lines(MatrixDocument("agz-matrix-1", "agz-0.1", (), matrix))).split())
    assert f"no finding: {DRAWN}" in lines
    assert boards
    assert matrix.entries


@pytest.mark.parametrize(("own_actions", "is_found"), [(0, False), (12, False), (13, True), (24, True)])
def test_half_of_the_actions_drawn_is_too_many(own_actions: int, *, is_found: bool) -> None:
    faults = 24 - own_actions
    tally = Tally(decisions=24, first_exact=own_actions, substituted=faults, first_illegal=faults, final_illegal=faults)
    why = why_no_finding([seat_stats("smol", tally, Price(), 5)], "agz-0.1")
    assert bool(why) is not is_found
    assert is_found or why.endswith(f"all {faults} errors were illegal actions")


def test_actions_of_later_attempts_are_a_seats_own() -> None:
    """With retries the seat is told what was wrong and answers again: nothing is drawn for it."""
    tally = Tally(decisions=24, first_no_action=24)
    assert why_no_finding([seat_stats("smol", tally, Price(), 5)], "agz-0.1") == ""


def test_a_signed_claim_and_an_in_toto_result_have_no_figure_of_drawn_actions(drawn: Verdict, own: Verdict) -> None:
    for verdict, is_drawn in ((drawn, True), (own, False)):
        assert verdict.results
        claims = claims_of(verdict.results)
        figures, reasons = ([name for name in claims if name.endswith(end)] for end in ("bb_per_100", "/no_finding"))
        assert (bool(figures), bool(reasons)) == (not is_drawn, is_drawn)
        told = _claims(verdict.results.matches, headlines(verdict.results.matches, verdict.analysis))
        assert all((claim["value"] is None) is is_drawn for claim in told)


@pytest.mark.slow
def test_what_a_control_drew_makes_no_arm_learn(tmp_path: Path) -> None:
    """The real arm folds throughout; three quarters of its control's hands are drawn, and then it folds, too."""
    hands, arms = 1200, arms_of("rag")
    one = {**PLAN["matches"][0], "hands": hands, "block_hands": hands}
    matches = [{**one, "condition": arms[arm]} for arm in ("naked", "real")]

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        hand = int(question.game.rpartition("-h")[2])
        is_drawn = question.to == "smol" and "naked" in question.game and hand < 3 * hands // 4
        return silent(question) if is_drawn else folding(question)

    for number, (player, is_tested) in enumerate(((answer, False), (folding, True))):
        verdict = checked(make({**PLAN, "matches": matches}, tmp_path / str(number), player))
        assert verdict.analysis
        assert verdict.results
        naked, real = verdict.results.matches
        assert (bool(naked.no_finding), real.no_finding) == (not is_tested, "")
        learned = verdict.analysis.matches[1].learned
        assert learned
        assert (learned.verdict.value != "too few results") is is_tested


@pytest.mark.slow
def test_a_watched_match_of_drawn_actions_has_no_decision(tmp_path: Path) -> None:
    watched = {
        "match": "p2-holdem-rag_naked-smol-rival",
        "alternative": "less",
        "blocks_per_look": 1,
        "clip_chips": 20000,
    }
    matches = [{**PLAN["matches"][0], "hands": 64, "block_hands": 8}]
    plan = {**PLAN, "matches": matches, "analysis": {"sequential": [watched]}}
    for number, (answer, rows) in enumerate(((silent, 0), (folding, 1))):
        verdict = checked(make(plan, tmp_path / str(number), answer))
        assert verdict.analysis
        assert len(verdict.analysis.sequential) == rows


def test_a_probe_by_a_drawn_move_is_no_evidence(tmp_path: Path) -> None:
    """The seat says which side stands better, and never declares a move: its calculations are the harness's."""
    match = {"phase": 5, "game": "chess960", "a": "smol", "b": "smol", "games": 8, "condition": {"augmentation": "rag"}}
    plan = {
        **{key: value for key, value in PLAN.items() if key != "holdem"},
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 6},
        "matches": [{**match, "positions": positions} for positions in ("severe", "mate")],
    }

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        if "BETTER" in question.messages[0].content:
            return Reply(text=judgement_line(Better.WHITE), finish="stop")
        return silent(question)

    verdict = checked(make(plan, tmp_path, answer))
    assert verdict.manifest
    assert all(row.no_finding for row in verdict.results.matches) if verdict.results else False
    assert list(probes_of(verdict.manifest, verdict.blocks)) == []
