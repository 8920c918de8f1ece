"""What `run` prints at its end is what `verify` prints of the same bundle."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.run.execution_log import ExecutionLog
from agzamov_verify.core.columns import LABEL_WIDTH

ARMS = """title: three arms in chess
protocol: agz-0.1
isolation: process
seats:
  novice: {kind: novice}
  opponent: {kind: novice, patterns: [king_answers_checks]}
systems:
  notes: {kind: memory, server: history}
chess960: {plies_max: 2, adjudication: {policy: material, threshold_points: 2, plies: 4}}
matches:
"""
"""Three arms whose difference from the placebo is in no sealed analysis in points a game: it is read from the games."""


ONE_SESSION = """title: careers of one session
protocol: agz-0.1
isolation: process
seats:
  agent: {kind: reference}
  opponent: {kind: reference, patterns: [never_folds_pairs]}
systems:
  notes: {kind: memory, server: full_text}
holdem: {session_hands: 4}
matches:
  - {phase: 2, game: holdem, a: agent, b: opponent, hands: 40, careers: 10, condition: {augmentation: memory}}
  - {phase: 2, game: holdem, a: agent, b: opponent, hands: 40, careers: 10,
     condition: {augmentation: memory, arm: real, system: notes}}
"""
"""A career stores notes at the end of its only session, so no search finds any."""


def told(*arguments: str | Path) -> list[str]:
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def result_of(lines: list[str]) -> list[str]:
    first = next(number for number, line in enumerate(lines) if line.startswith("Result"))
    last = next(number for number, line in enumerate(lines) if line.startswith("Measured"))
    return lines[first:last]


def warnings_in(lines: list[str]) -> list[str]:
    """Each warning as one line: those that begin with an exclamation mark, with the lines that they go on in."""
    mark, indent = " " * LABEL_WIDTH + "! ", " " * (LABEL_WIDTH + 2)
    found = list[str]()
    for number, line in enumerate(lines):
        if line.startswith(mark):
            found.append(line.strip())
        elif found and line.startswith(indent) and lines[number - 1].startswith((mark, indent)):
            found[-1] += f" {line.strip()}"
    return found


@pytest.mark.slow
def test_an_effect_with_a_placebo_is_told_at_the_end_of_the_run_as_by_verify(tmp_path: Path) -> None:
    conditions = ("", ", arm: placebo, system: notes", ", arm: real, system: notes")
    matches = (
        f"  - {{phase: 2, game: chess960, a: novice, b: opponent, games: 60, careers: 2,"
        f" condition: {{augmentation: memory{one}}}}}\n"
        for one in conditions
    )
    plan, key = tmp_path / "plan.yaml", tmp_path / "key.pem"
    plan.write_text(ARMS + "".join(matches))
    told("keygen", key)
    ended = told("run", plan, "--key", key, "--runs", tmp_path / "runs", "--out", tmp_path / "bundles")
    bundle = ended[-1].removeprefix("bundle: ")
    assert result_of(ended) == result_of(told("verify", bundle))
    assert "against a placebo" in " ".join(" ".join(result_of(ended)).split())
    assert warnings_in(ended) == warnings_in(told("verify", bundle))


@pytest.mark.slow
def test_a_run_that_was_cut_off_says_so_at_its_end_with_all_that_verify_says(tmp_path: Path) -> None:
    plan, key, runs = tmp_path / "plan.yaml", tmp_path / "key.pem", tmp_path / "runs"
    plan.write_text(ONE_SESSION)
    told("keygen", key)
    told("seal", plan, "--key", key, "--runs", runs)
    (run,) = runs.iterdir()
    ExecutionLog(run / "journal").start()  # and no end, as of a process that was killed
    ended = told("resume", run, "--out", tmp_path / "bundles")
    checked = told("verify", ended[-1].removeprefix("bundle: "))
    assert warnings_in(ended) == warnings_in(checked)
    assert [words in " ".join(warnings_in(ended)) for words in ("cut off", "nothing was found in any")] == [True] * 2
    assert result_of(ended) == result_of(checked)
    assert "nothing that the memory notes stored was put into a prompt" in " ".join(result_of(ended))
