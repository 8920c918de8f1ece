"""Bundles of two arms: what was told is said, and no label or weight can be changed behind the reader's back."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_verify import bundle
from bundles.bundle_factory import TINY, Draft, check, failed_steps, make, replace_manifest, reseal, told
from bundles.test_signed_lies import DIGEST, IMAGE, contained, seat, told_again

CONTROL: dict[str, Any] = {
    "phase": 2,
    "game": "chess960",
    "a": "agent",
    "b": "habit",
    "games": 2,
    "block_games": 2,
    "condition": {"augmentation": "memory"},
}
REAL = {**CONTROL, "condition": {"augmentation": "memory", "arm": "real", "system": "best_memory"}}
ARMS: dict[str, Any] = {
    **TINY,
    "seats": {"agent": {"kind": "reference"}, "habit": {"kind": "reference", "patterns": ["castles_early"]}},
    "systems": {"best_memory": {"kind": "oracle", "facts": "- Castles early"}, "unused": {"kind": "oracle"}},
    "matches": [CONTROL, REAL],
}


@pytest.fixture(scope="module")
def arms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(ARMS, tmp_path_factory.mktemp("arms"))


@pytest.mark.slow
def test_a_system_says_what_it_is_whatever_its_name(arms: Path) -> None:
    screen = " ".join(CliRunner().invoke(main, ["verify", str(arms)]).output.split())
    assert "facts about the opponent that the submitter wrote (best_memory, an oracle)" in screen
    assert "best_memory is an oracle: it tells what the submitter wrote" in screen
    assert "unused" not in screen
    assert "so it does not count under the protocol" in screen
    details = " ".join(CliRunner().invoke(main, ["verify", str(arms), "--details"]).output.split())
    assert "system best_memory: oracle, no memory" in details
    assert "seat A is TOLD 15 characters that the submitter wrote" in details
    for command in ("score", "matrix"):
        told = " ".join(CliRunner().invoke(main, [command, str(arms)]).output.split())
        assert "departs from the protocol in " in told
        assert " - system best_memory is an oracle" in told


def test_another_condition_in_the_results_is_found(arms: Path, tmp_path: Path) -> None:
    draft = Draft.of(arms)
    assert check(draft.write(tmp_path)).level == "V1"
    results = draft.json(bundle.RESULTS_FILE)
    results["matches"][0]["table"][0]["condition"]["arm"] = "placebo"
    draft.put_json(bundle.RESULTS_FILE, results)
    reseal(draft)
    verdict = check(draft.write(tmp_path / "forged"))
    assert (failed_steps(verdict), "condition.arm" in told(verdict)) == ([10], True)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"phase": 4}, "plan.matches[1].phase"),
        ({"b": "agent"}, "plan.matches[1].b"),
        ({"shifts": [{"after": 1, "patterns": []}]}, "plan.matches[1].shifts"),
        ({"condition": {"augmentation": "memory", "arm": "real", "system": "x"}}, "plan.matches[1].condition.system"),
    ],
)
def test_a_sealed_plan_that_cannot_be_run_is_a_finding(
    arms: Path, tmp_path: Path, change: dict[str, Any], place: str
) -> None:
    draft = Draft.of(arms)
    replace_manifest(draft, lambda value: value["plan"]["matches"][1].update(change))
    reseal(draft)
    path = draft.write(tmp_path)
    verdict = check(path)
    assert failed_steps(verdict) == [4]
    assert place in told(verdict)
    for command in ("verify", "show", "score", "matrix"):
        done = CliRunner().invoke(main, [command, str(path)])
        assert isinstance(done.exception, SystemExit | None), command


@pytest.mark.parametrize(("weights", "failed"), [("b" * 64, []), ("c" * 64, [4])])
def test_seats_of_one_model_have_the_same_weights(arms: Path, tmp_path: Path, weights: str, failed: list[int]) -> None:
    pins = {"agent": {"sha256": "b" * 64, "size_bytes": 1}, "habit": {"sha256": weights, "size_bytes": 1}}

    def change(value: dict[str, Any]) -> None:
        model = seat(kind="gguf", weights="model.gguf")
        value["plan"] |= {"seats": dict.fromkeys(pins, model), "isolation": "container"}
        value["images"], value["models"] = {"harness": IMAGE, "model": IMAGE}, pins

    assert IMAGE["config_digest"] == DIGEST
    draft = contained(Draft.of(arms))
    checks = [{"altered": "", "seats": pins, "when": when, "witness": {}} for when in ("before", "after")]
    draft.put_json(bundle.WEIGHTS_FILE, {"checks": checks})
    told_again(draft, change)
    verdict = check(draft.write(tmp_path))
    assert failed_steps(verdict) == failed, told(verdict)


@pytest.mark.slow
def test_every_figure_of_both_arms_in_both_games_can_be_printed(tmp_path: Path) -> None:
    """With a shift and a placebo; a label without an explanation would stop the printing."""
    shifts = [{"after": 2, "patterns": []}]
    chess = [{**match, "games": 4, "shifts": shifts} for match in (CONTROL, REAL)]
    poker = [
        {**{name: match[name] for name in match if "games" not in name}, "game": "holdem", "hands": 4, "block_hands": 4}
        for match in chess
    ]
    placebo = {**poker[1], "condition": {**poker[1]["condition"], "arm": "placebo"}}
    systems = {"best_memory": {**ARMS["systems"]["best_memory"], "placebo": "- Likes the sea"}}
    made = make({**ARMS, "systems": systems, "matches": [*chess, *poker, placebo]}, tmp_path)
    for arguments in (["verify", "--details"], ["show", "--details"], ["show", "--games"], ["score"], ["matrix"]):
        done = CliRunner().invoke(main, [*arguments, str(made)])
        assert done.exit_code == 0, done.output
