"""data/results/analysis.json: recomputed to the last digit, in every bundle."""

import json
import re
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_verify import bundle
from agzamov_verify.protocols import documents
from agzamov_verify.scoring.analysis import Analysis
from bundles.bundle_factory import Draft, check, failed_steps, replace_manifest, reseal
from bundles.make_golden import GOLDEN

FEW = ("--jobs", "1", "--seat-replies-max", "3")


def altered(small: Path, tmp_path: Path, change: object) -> list[str]:
    """The findings of a bundle whose analysis was changed and signed again."""
    draft = Draft.of(small)
    value = draft.json(bundle.ANALYSIS_FILE)
    assert callable(change)
    change(value)
    draft.put_json(bundle.ANALYSIS_FILE, value)
    reseal(draft)
    verdict = check(draft.write(tmp_path))
    assert failed_steps(verdict)[0] == 10
    return [finding.place for finding in verdict.findings]


def test_an_honest_analysis_is_recomputed_and_shown(small: Path) -> None:
    verdict = check(small)
    assert verdict.level == "V1"
    written = (small / bundle.ANALYSIS_FILE).read_bytes()
    assert verdict.analysis == documents.read("agz-0.1", documents.ANALYSIS, written, Analysis)
    shown = " ".join(CliRunner().invoke(main, ["show", str(small), "--details"]).output.split())
    assert "hypotheses 37 not tested by this run" in shown
    assert "seat symmetry self-play" in shown
    assert "both choose games by what happened in them: no effect of a condition can be read from them" in shown


def test_an_embellished_figure_is_found_at_its_place(small: Path, tmp_path: Path) -> None:
    def change(value: dict[str, list[dict[str, object]]]) -> None:
        value["hypotheses"][0]["status"] = "supported"

    assert altered(small, tmp_path, change) == [f"{bundle.ANALYSIS_FILE} $.hypotheses[0].status"]


def test_an_interval_of_too_few_games_is_found_at_its_place(small: Path, tmp_path: Path) -> None:
    def change(value: dict[str, list[dict[str, dict[str, dict[str, object]]]]]) -> None:
        value["matches"][0]["score"]["everything"]["ci"] = {"high": "1.000000", "low": "0.999999", "method": "wilson"}

    assert altered(small, tmp_path, change) == [f"{bundle.ANALYSIS_FILE} $.matches[0].score.everything.ci"]


def test_a_seat_that_is_said_to_lose_less_before_the_flop_is_found_at_its_place(small: Path, tmp_path: Path) -> None:
    def change(value: dict[str, list[dict[str, dict[str, dict[str, dict[str, str]]]]]]) -> None:
        value["matches"][1]["preflop_a"]["loss_per_decision"]["value"]["decimal"] = "0.000001"

    place = f"{bundle.ANALYSIS_FILE} $.matches[1].preflop_a.loss_per_decision.value.decimal"
    assert altered(small, tmp_path, change) == [place]


def test_the_quality_of_preflop_decisions_is_shown_with_its_scope(small: Path) -> None:
    shown = " ".join(CliRunner().invoke(main, ["show", str(small), "--details"]).output.split())
    assert shown.count(" before the flop, ") == 4, "two seats of two matches"
    assert shown.count("without betting after the flop: a diagnostic") == 4


def test_what_a_phase_took_is_what_its_matches_took(small: Path) -> None:
    verdict = check(small)
    assert verdict.analysis is not None
    assert verdict.results is not None
    for phase in verdict.analysis.phases:
        stats = [one for match in verdict.results.matches if match.phase == phase.phase for one in match.seat_stats]
        assert phase.decisions == sum(one.decisions for one in stats) > 0
        assert phase.calls == sum(one.calls for one in stats)
        assert phase.tokens == sum(one.prompt_tokens + one.completion_tokens for one in stats)
        assert Fraction(phase.cost_usd.exact) == sum(Fraction(one.cost_usd.exact) for one in stats)
    assert [phase.phase for phase in verdict.analysis.phases] == [0, 1]


def test_a_missing_analysis_is_a_finding(small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    del draft.files[bundle.ANALYSIS_FILE]
    reseal(draft)
    verdict = check(draft.write(tmp_path))
    assert failed_steps(verdict)[0] == 10
    assert any(finding.place == bundle.ANALYSIS_FILE for finding in verdict.findings)


def test_an_undeclared_hypothesis_is_not_tested_and_the_plan_says_so(small: Path, tmp_path: Path) -> None:
    """Whoever strikes a hypothesis from the sealed plan has another run: the journal no longer fits."""
    draft = Draft.of(small)
    replace_manifest(draft, lambda value: value["plan"]["analysis"].update(hypotheses=["H1"]))
    reseal(draft)
    assert check(draft.write(tmp_path)).failed


# --- several bundles -----------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["score", "matrix", "calibrate"])
def test_every_command_verifies_first_and_names_what_is_missing(small: Path, command: str) -> None:
    done = CliRunner().invoke(main, [command, str(small), *FEW])
    assert done.exit_code == 0, done.output
    assert re.search(
        rf"^run {small.name}, signed by key [0-9a-f]{{16}}: V1, Chess960 prompt standard$", done.output, re.MULTILINE
    )
    assert {"score": "missing", "matrix": "none to compare", "calibrate": "no weights"}[command] in done.output


def test_the_document_says_what_is_missing_and_imputes_nothing(small: Path) -> None:
    done = CliRunner().invoke(main, ["score", str(small), "--json", "--augmentation", "memory", *FEW])
    scores = json.loads(done.output)["scores"]
    assert {one["label"] for one in scores} == {"A(memory)"}
    assert all(one["score"] is None and one["missing"] for one in scores)


def test_a_broken_bundle_is_refused_and_named(small: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(small, broken)
    (broken / bundle.RESULTS_FILE).write_bytes(b"{}")
    done = CliRunner().invoke(main, ["score", str(small), str(broken), *FEW])
    assert done.exit_code == 1
    assert "broken: expected a bundle that passes its check; step 2" in done.output


def test_one_run_twice_is_refused(small: Path) -> None:
    done = CliRunner().invoke(main, ["score", str(small), str(small), *FEW])
    assert done.exit_code == 1
    assert f"expected every run once, found {small.name} in several bundles" in done.output


@pytest.mark.parametrize(
    ("protocol", "told"),
    [
        ("play-0.1", "play-0.1 has no phases with and without a memory, so no score; `show BUNDLE --details` has its"),
        ("arena-0.1", "so no score; `agzamov arena table FOLDER` ranks its players"),
        ("people-0.1", "a study with people is no part of the Agzamov Score; `show BUNDLE --details` has its figures"),
    ],
)
@pytest.mark.parametrize("command", ["score", "matrix", "calibrate"])
def test_a_protocol_without_a_score_is_refused_with_what_shows_its_figures(
    protocol: str, told: str, command: str
) -> None:
    done = CliRunner().invoke(main, [command, str(GOLDEN.parent / protocol / "bundle"), *FEW])
    assert (done.exit_code, done.stderr.count(told)) == (1, 1), done.output


def test_the_record_of_a_leaderboard_beside_its_bundles_is_passed_over(small: Path, tmp_path: Path) -> None:
    (tmp_path / "record.jsonl").write_text("{}")
    alone = CliRunner().invoke(main, ["score", str(small), *FEW])
    assert CliRunner().invoke(main, ["score", str(small), str(tmp_path / "record.jsonl"), *FEW]).stdout == alone.stdout
    only = CliRunner().invoke(main, ["score", str(tmp_path / "record.jsonl"), *FEW])
    assert (only.exit_code, "expected a bundle" in only.stderr) == (2, True)


def test_a_bundle_without_an_engine_at_hand_says_what_was_not_checked(judged: Path) -> None:
    done = CliRunner().invoke(main, ["score", str(judged), "--engine", "/nowhere/stockfish", *FEW])
    assert done.exit_code == 0, done.output
    assert "NOT CHECKED: engine" in " ".join(done.output.split())
