"""What `run` prints at its end is what `verify` prints of the same bundle."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main

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


def told(*arguments: str | Path) -> list[str]:
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def result_of(lines: list[str]) -> list[str]:
    first = next(number for number, line in enumerate(lines) if line.startswith("Result"))
    last = next(number for number, line in enumerate(lines) if line.startswith("Measured"))
    return lines[first:last]


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
