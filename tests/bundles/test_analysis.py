"""data/results/analysis.json: recomputed to the last digit, in every bundle of the second format and in none before."""

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_verify import bundle, canon
from agzamov_verify.checks.figures import check_results
from agzamov_verify.checks.ledger import Ledger, StepFailed
from agzamov_verify.checks.opening import Opened, open_bundle
from agzamov_verify.checks.replays import replay_bundle
from agzamov_verify.cli import main
from agzamov_verify.scoring.analysis import Analysis
from bundles.workshop import Draft, check, failed_steps, replace_manifest, reseal

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*/bundle"))


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
    assert verdict.analysis == canon.loads_as((small / bundle.ANALYSIS_FILE).read_bytes(), Analysis)
    shown = CliRunner().invoke(main, ["show", str(small)])
    assert "hypotheses: 37 not tested by this run" in shown.output
    assert "self-play" in shown.output


def test_an_embellished_figure_is_found_at_its_place(small: Path, tmp_path: Path) -> None:
    def change(value: dict[str, list[dict[str, object]]]) -> None:
        value["hypotheses"][0]["status"] = "supported"

    assert altered(small, tmp_path, change) == [f"{bundle.ANALYSIS_FILE} $.hypotheses[0].status"]


def test_a_narrower_interval_is_found_at_its_place(small: Path, tmp_path: Path) -> None:
    def change(value: dict[str, list[dict[str, dict[str, dict[str, object]]]]]) -> None:
        value["matches"][0]["score"]["everything"]["ci"] = {"high": "1.000000", "low": "0.999999", "method": "wilson"}

    assert altered(small, tmp_path, change) == [f"{bundle.ANALYSIS_FILE} $.matches[0].score.everything.ci.low"]


def test_a_seat_that_is_said_to_lose_less_before_the_flop_is_found_at_its_place(small: Path, tmp_path: Path) -> None:
    def change(value: dict[str, list[dict[str, dict[str, dict[str, dict[str, str]]]]]]) -> None:
        value["matches"][1]["preflop_a"]["loss_per_decision"]["value"]["decimal"] = "0.000001"

    place = f"{bundle.ANALYSIS_FILE} $.matches[1].preflop_a.loss_per_decision.value.decimal"
    assert altered(small, tmp_path, change) == [place]


def test_the_quality_of_preflop_decisions_is_shown_with_its_scope(small: Path) -> None:
    shown = CliRunner().invoke(main, ["show", str(small)])
    lines = [line for line in shown.output.splitlines() if "before the flop" in line]
    assert len(lines) == 4, "two seats of two matches"
    assert all("without betting after the flop: a diagnostic" in line for line in lines)


def test_what_a_phase_took_is_what_its_matches_took(small: Path) -> None:
    verdict = check(small)
    assert verdict.analysis is not None
    assert verdict.results is not None
    for phase in verdict.analysis.phases:
        conducts = [one for match in verdict.results.matches if match.phase == phase.phase for one in match.conduct]
        assert phase.decisions == sum(one.decisions for one in conducts) > 0
        assert phase.calls == sum(one.calls for one in conducts)
        assert phase.tokens == sum(one.prompt_tokens + one.completion_tokens for one in conducts)
        assert Fraction(phase.cost_usd.exact) == sum(Fraction(one.cost_usd.exact) for one in conducts)
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


@pytest.mark.parametrize("folder", GOLDEN, ids=lambda path: path.parent.name)
def test_a_bundle_of_the_first_format_has_no_analysis_and_may_not_have_one(folder: Path) -> None:
    ledger = Ledger()
    opened = open_bundle(folder, ledger)
    replayed = replay_bundle(opened, ledger, 1, 0, lambda _: None)
    assert check_results(opened, replayed, ledger).analysis is None
    with pytest.raises(StepFailed):
        check_results(with_file(opened), replayed, Ledger())


def with_file(opened: Opened) -> Opened:
    return Opened(
        opened.source,
        {**opened.digests, bundle.ANALYSIS_FILE: "0" * 64},
        opened.submitter,
        opened.statement,
        opened.manifest,
        opened.dice,
    )


# --- several bundles -----------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["score", "matrix", "calibrate"])
def test_every_command_verifies_first_and_names_what_is_missing(small: Path, command: str) -> None:
    done = CliRunner().invoke(main, [command, str(small), "--jobs", "1"])
    assert done.exit_code == 0, done.output
    assert f"run {small.name}: V1" in done.output
    assert {"score": "missing", "matrix": "needs Phase 0", "calibrate": "no weights"}[command] in done.output


def test_the_document_says_what_is_missing_and_imputes_nothing(small: Path) -> None:
    done = CliRunner().invoke(main, ["score", str(small), "--json", "--augmentation", "memory", "--jobs", "1"])
    scores = json.loads(done.output)["scores"]
    assert {one["label"] for one in scores} == {"A(memory)"}
    assert all(one["score"] is None and one["missing"] for one in scores)


def test_a_broken_bundle_is_refused_and_named(small: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(small, broken)
    (broken / bundle.RESULTS_FILE).write_bytes(b"{}")
    done = CliRunner().invoke(main, ["score", str(small), str(broken), "--jobs", "1"])
    assert done.exit_code == 1
    assert "broken: expected a bundle that passes its check; step 2" in done.output


def test_one_run_twice_is_refused(small: Path) -> None:
    done = CliRunner().invoke(main, ["score", str(small), str(small), "--jobs", "1"])
    assert done.exit_code == 1
    assert f"expected every run once, found {small.name} in several bundles" in done.output


def test_a_bundle_without_an_engine_at_hand_says_what_was_not_checked(judged: Path) -> None:
    done = CliRunner().invoke(main, ["score", str(judged), "--engine", "/nowhere/stockfish", "--jobs", "1"])
    assert done.exit_code == 0, done.output
    assert "NOT CHECKED: engine" in done.output
