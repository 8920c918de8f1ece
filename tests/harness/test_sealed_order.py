"""What is played is what was sealed: the order in which a plan was typed changes nothing."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.pipeline import pack
from agzamov_harness.run import run_folder, signing_keys
from agzamov_harness.run.exit_status import HarnessEnded
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.runner import finished
from agzamov_harness.run.seal import seal
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.envelope import key_id
from agzamov_verify.scoring.results import Results
from bundles.bundle_factory import SUBMITTER, TINY, engine_path, make

ROOT = Path(__file__).parents[2]
FIRST_SEAT = "reference"
BRIEFED = """\
title: Two briefed seats that are not named in alphabetical order
seats:
  zoe: {kind: random, briefing: It castles early.}
  amy: {kind: random, briefing: It likes knights.}
holdem: {session_hands: 2}
matches: [{phase: 0, game: holdem, a: zoe, b: amy, hands: 4}]
"""


def run(plan: Path, folder: Path, *options: str) -> Any:
    """`agzamov run` of a plan, in this process."""
    signing_keys.generate(folder / "key.pem")
    how = ["--key", folder / "key.pem", "--runs", folder / "runs", "--out", folder / "bundles"]
    return CliRunner().invoke(main, [str(word) for word in ("run", plan, *how, *options)])


def bundle_in(folder: Path) -> Path:
    (made,) = (folder / "bundles").iterdir()
    return made


def test_two_briefed_seats_typed_in_any_order_leave_a_bundle_that_verifies(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(BRIEFED)
    ended = run(tmp_path / "plan.yaml", tmp_path)
    assert ended.exit_code == 0, ended.output
    verdict = verify(bundle_in(tmp_path), Options())
    assert (verdict.level, verdict.findings) == ("V1", [])
    departures = json.loads((bundle_in(tmp_path) / "data/results/results.json").read_bytes())["departures"]
    assert [line for line in departures if "amy" in line or "zoe" in line], "the plan must be one that shows the order"


@pytest.mark.slow
@pytest.mark.skipif(not engine_path(), reason="no Stockfish here")
def test_the_small_profile_of_the_matrix_leaves_a_bundle_that_verifies(tmp_path: Path) -> None:
    """With one match of Phase 0, in short games of chess, and one memory of each seat: all takes forty minutes."""
    plan = yaml.safe_load((ROOT / "manifests" / "matrix.yaml").read_bytes())
    assert list(plan["seats"]) != sorted(plan["seats"])
    plan["matches"] = [match for match in plan["matches"] if is_gate(match) or is_remembered(match)]
    plan["chess960"] = {**plan.get("chess960", {}), "plies_max": 40}
    (tmp_path / "matrix.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    ended = run(tmp_path / "matrix.yaml", tmp_path, "--small", "--quiet")
    assert ended.exit_code == 0, ended.output
    verdict = verify(bundle_in(tmp_path), Options(engine_path()))
    assert (verdict.level, verdict.findings) == ("V1", [])


def is_gate(match: dict[str, Any]) -> bool:
    """The match of Phase 0 in chess of the first seat: hold'em's has 4,000 hands at its smallest."""
    return (match["phase"], match["game"], match["a"]) == (0, "chess960", FIRST_SEAT)


def is_remembered(match: dict[str, Any]) -> bool:
    """A match of hold'em with the memory `recent`, or its control."""
    condition = match.get("condition", {})
    return match["game"] == "holdem" and (
        condition == {"augmentation": "memory"} or (condition.get("system"), condition.get("arm")) == ("recent", "real")
    )


def test_a_run_goes_on_with_the_manifest_that_its_bytes_spell(tmp_path: Path) -> None:
    seats = {"zoe": {"kind": "random"}, "amy": {"kind": "random"}}
    match = {"phase": 0, "game": "holdem", "a": "zoe", "b": "amy", "hands": 4}
    plan = plan_from({"title": "Order", "seats": seats, "holdem": {"session_hands": 2}, "matches": [match]})
    manifest, secret = seal(plan, key_id(SUBMITTER.public_key()), None)
    assert list(manifest.plan.seats) == ["zoe", "amy"]
    created = run_folder.create(tmp_path, manifest, secret, SUBMITTER)
    assert (
        list(created.manifest.plan.seats) == list(run_folder.load(created.path).manifest.plan.seats) == ["amy", "zoe"]
    )


def test_a_bundle_that_does_not_verify_gets_no_name_and_the_program_is_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*arguments: Any) -> Results:
        right = made_up(*arguments)
        return msgspec.structs.replace(right, departures=(*right.departures, "made up"))

    made_up = pack.results_of
    monkeypatch.setattr(pack, "results_of", wrong)
    directory, blocks = played(tmp_path)
    expected = (
        r"the packed bundle does not verify, step 10 results: .*departures.* the program, or a server that it started,"
        r" is at fault, not your plan: please report it with the folder .*\.making"
    )
    with pytest.raises(HarnessEnded, match=expected):
        pack.pack(directory, blocks, SUBMITTER, tmp_path / "bundles")
    assert [path.name for path in (tmp_path / "bundles").iterdir()] == [f".{directory.manifest.run_id}.making"]


def played(folder: Path) -> tuple[run_folder.RunDirectory, Any]:
    """A tiny run that has been played and not packed by `pack`."""
    made = make(TINY, folder / "made")
    directory = run_folder.load(folder / "made" / "runs" / made.name)
    return directory, finished(directory)
