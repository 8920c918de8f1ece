"""`--fail-on-gate`: exit code 5 where a seat did not pass Phase 0, of runs and of checks, and 0 without it."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_harness.run import signing_keys
from agzamov_verify import cli as verify_cli
from agzamov_verify.bundle import RESULTS_FILE
from agzamov_verify.commands.failed_gates import require_gates
from agzamov_verify.protocols import documents
from agzamov_verify.scoring.results import Results
from bundles.make_golden import GOLDEN

PLAN = """\
title: A gate
seats:
  agent: {{kind: random}}
chess960: {{adjudication: {{policy: none}}, plies_max: 4}}
matches:
  - {{phase: {phase}, game: chess960, a: agent, b: agent, games: 2}}
"""
GATE = "p0-chess960-naked-agent"
FAILED = rf"error: agent did not pass Phase 0 in {GATE}: 0 wins of 2 are not above 70 %; .*\n"
NAMED = "agent failed Phase 0, the entry test, in Chess960 (0 of 2 games won, over 70 % needed)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gates")
    signing_keys.generate(folder / "key.pem")
    return folder


def command(*words: object) -> Result:
    return CliRunner().invoke(main, list(map(str, words)))


def played(folder: Path, phase: int, *options: str) -> Result:
    plan = folder / f"phase{phase}.yaml"
    plan.write_text(PLAN.format(phase=phase))
    where = ("--key", folder / "key.pem", "--runs", folder / "runs", "--bundles", folder / "made", "--json")
    return command("run", plan, *where, *options)


@pytest.mark.slow
def test_a_seat_that_does_not_pass_ends_runs_and_checks_with_5_after_the_bundle_is_made(folder: Path) -> None:
    """The random player against itself. A script could not tell: the exit code was 0."""
    made = played(folder, 0, "--fail-on-gate")
    outcome = json.loads(made.stdout)
    assert (made.exit_code, outcome["failed_gates"]) == (5, [GATE])
    assert re.search(FAILED, made.stderr)
    bundle = outcome["bundle"]
    for asked in (["verify", bundle], ["verify", bundle, "--json"]):
        without, with_it = command(*asked), command(*asked, "--fail-on-gate")
        assert (without.exit_code, with_it.exit_code) == (0, 5)
        assert with_it.stdout == without.stdout
        assert re.search(FAILED, with_it.stderr)
    assert json.loads(without.stdout)["failed_gates"] == [GATE]
    scored = command("score", bundle)
    assert (scored.exit_code, NAMED in " ".join(scored.stdout.split())) == (0, True)
    assert json.loads(command("score", bundle, "--json").stdout)["bundles"][0]["failed_gates"] == [NAMED]
    alone = CliRunner().invoke(verify_cli.main, ["check", bundle, "--fail-on-gate"])
    assert alone.exit_code == 5
    again = command(
        "pack",
        re.findall(r"^run: (\S+)", made.stderr, re.MULTILINE)[0],
        "--key",
        folder / "key.pem",
        "--out",
        folder / "two",
    )
    assert again.exit_code == 0, "not asked for"


def test_without_a_gate_that_failed_the_exit_code_is_0(folder: Path) -> None:
    made = played(folder, 1, "--fail-on-gate")
    outcome = json.loads(made.stdout)
    assert (made.exit_code, outcome["failed_gates"]) == (0, [])
    assert command("verify", outcome["bundle"], "--fail-on-gate").exit_code == 0


def test_a_gate_that_was_passed_ends_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """The golden bundle has one of each."""
    results = documents.read("agz-0.1", documents.RESULTS, (GOLDEN / "bundle" / RESULTS_FILE).read_bytes(), Results)
    passed = tuple(row for row in results.matches if row.gate and row.gate.passed)
    assert passed
    require_gates(msgspec.structs.replace(results, matches=passed))
    assert capsys.readouterr().err == ""
    with pytest.raises(SystemExit) as ended:
        require_gates(results)
    assert ended.value.code == 5
    assert capsys.readouterr().err.count("did not pass Phase 0") == 1


def test_a_bundle_that_fails_a_check_is_1_whatever_its_gates(folder: Path) -> None:
    bundle = Path(json.loads(played(folder, 0).stdout)["bundle"])
    (bundle / "data" / "manifest.json").write_text("{}")
    assert command("verify", bundle, "--fail-on-gate").exit_code == 1


@pytest.mark.slow
def test_a_protocol_whose_gates_were_not_passed_ends_with_5_once_all_is_played(folder: Path) -> None:
    for phase in (0, 1):
        (folder / f"phase{phase}.yaml").write_text(PLAN.format(phase=phase))
    plans = (folder / "phase0.yaml", folder / "phase1.yaml")
    asked = ("protocol", "run", folder / "whole", *plans, "--key", folder / "key.pem", "--json")
    ended = command(*asked, "--fail-on-gate")
    assert ended.exit_code == 5, ended.output
    assert re.search(FAILED, ended.stderr)
    assert len(list((folder / "whole/bundles").iterdir())) == 2
    assert command(*asked).exit_code == 0
