"""Figures of a match with careers on the screen of `show --details`: what each number is of is said beside it."""

from pathlib import Path

from click.testing import CliRunner

from agzamov_harness.cli import main

BUNDLE = Path(__file__).parents[2] / "results" / "bundles" / "readermodel"
"""Hold'em against one opponent: the naked arm in sessions, the arm with full-text search in six careers."""


def test_the_sd_of_careers_is_not_called_that_of_sessions() -> None:
    shown = CliRunner().invoke(main, ["show", str(BUNDLE), "--details"])
    assert shown.exit_code == 0, shown.output
    lines = [" ".join(line.split()) for line in shown.output.splitlines()]
    # From the SQLite export by numpy, ddof 1: 90 sessions without a memory; the means of six careers with one.
    assert [line for line in lines if "SD 53.870655" in line] == ["session SD 53.870655 bb/100"]
    assert [line for line in lines if "SD 6.592083" in line] == ["career SD 6.592083 bb/100"]
    words = " ".join(lines)
    for beginning in words.split("before the flop")[1:]:
        told = beginning.partition("(preflop")[0][:400]
        assert not ("careers:" in told and ", n in sessions" in told), told
