"""A plan of a run in containers may promise the judgement of every move: the engine of the sealed image gives it."""

import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from agzamov_harness.containers import image_records
from agzamov_harness.containers.container_engine import ContainerEngine
from agzamov_harness.containers.container_lifecycle import RUN_LABEL
from agzamov_harness.containers.image_roles import images_of
from agzamov_harness.containers.supervise import play_in_containers
from agzamov_harness.run.move_evaluations import ANSWERS, MAKING
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import ProgressCounts
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_verify.checks.check_log import Status
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.engines.uci_engine import find_engine
from agzamov_verify.plan.manifest import ManifestError
from containers.engines import ROOT, until
from containers.runs import SMALL, changed, sealed
from harness.commands import Commands, Running

STEP = 12
GOLDEN = ROOT / "tests" / "bundles" / "golden" / "agz-0.1" / "bundle"
NODES, NODES_OF_SECONDS = 300, 50_000
PROMISING = changed(
    SMALL,
    seats={"dice": {"kind": "random"}},
    chess960={"adjudication": {"policy": "none"}, "plies_max": 12},
    matches=[{"phase": 1, "game": "chess960", "a": "dice", "b": "dice", "games": 4, "block_games": 2}],
    quality={"nodes": NODES},
)
SHORT = {"phase": 1, "game": "chess960", "a": "dice", "b": "dice", "block_games": 2}
RESUME_S = 900


@pytest.fixture
def thorough(
    tmp_path: Path, key: Path, engine: ContainerEngine, request: pytest.FixtureRequest
) -> Iterator[RunDirectory]:
    """A run whose judgement takes longer than its games; the number of its games may be given."""
    match = {**SHORT, "games": getattr(request, "param", 4)}
    directory = sealed(changed(PROMISING, matches=[match], quality={"nodes": NODES_OF_SECONDS}), tmp_path, key)
    yield directory
    engine.remove_all({RUN_LABEL: directory.manifest.run_id})


@pytest.mark.slow
def test_the_engine_of_the_sealed_image_judges_where_it_does_nothing_else(
    commands: Commands, key: Path, tmp_path: Path
) -> None:
    directory = sealed(PROMISING, tmp_path, key)
    assert directory.manifest.engine is None, "it does not adjudicate"
    ended = commands.start("resume", directory.path, "--key", key, "--json", cwd=tmp_path).ended(RESUME_S)
    assert ended.code == 0, ended
    bundle = tmp_path / json.loads(ended.out)["bundle"]
    verdict = verify(bundle, Options(find_engine()))
    step = verdict.steps[STEP - 1]
    assert (verdict.level, step.status, "answers asked again" in step.remark) == ("V1", Status.PASS, True), step
    told = json.loads((bundle / "data/environment.json").read_bytes())
    rows = {row["part"]: row for row in told["containers"]}
    assert rows["engine"]["image"] == directory.manifest.images["engine"].config_digest
    assert (told["isolation"], rows["engine"]["ended"]) == ("container", "stopped")
    assert json.loads((bundle / "data/quality/index.json").read_bytes())["nodes"] == NODES


@pytest.mark.slow
def test_the_sealed_image_judges_a_bundle_as_the_engine_of_this_machine_does(
    commands: Commands, engine: ContainerEngine, key: Path, tmp_path: Path
) -> None:
    directory = sealed(changed(SMALL, chess960={"plies_max": 8}), tmp_path, key)
    ran = commands.start("resume", directory.path, "--key", key, "--json", cwd=tmp_path).ended(RESUME_S)
    bundle = tmp_path / json.loads(ran.out)["bundle"]
    ask = ("quality", bundle, "--nodes", str(NODES), "--json", "--out")
    here, there = (commands.run(*ask, *how, cwd=tmp_path) for how in (("here",), ("there", "--image")))
    assert (here.code, there.code) == (0, 0), (here, there)
    assert here.out == there.out
    assert contents(tmp_path / "here") == contents(tmp_path / "there")
    assert not engine.any_left({RUN_LABEL: directory.manifest.run_id})


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_bundle_without_an_image_of_the_engine_is_not_judged_by_one(commands: Commands, tmp_path: Path) -> None:
    ended = commands.run("quality", GOLDEN, "--image", "--out", tmp_path / "answers", cwd=tmp_path)
    assert (ended.code, "expected a run that pins an image of the engine, found none" in ended.err) == (2, True), ended


class Seen:
    """A watcher that remembers how many positions of how many it was told of."""

    positions = planned = 0

    def update(self, counts: ProgressCounts) -> None:
        self.positions, self.planned = counts.positions, counts.positions_planned


@pytest.mark.slow
@pytest.mark.parametrize("thorough", [60], indirect=True, ids=["far from its end, however late the stop is"])
def test_whoever_waits_sees_how_many_positions_are_judged(thorough: RunDirectory) -> None:
    seen, stop = Seen(), Stop()
    with ThreadPoolExecutor(1) as pool:
        execution = pool.submit(play_in_containers, thorough, stop, seen, None)
        until(lambda: seen.positions or execution.done(), "a position is judged")
        stop.request("seen enough")
        with pytest.raises(Stopped, match="seen enough"):
            execution.result()
    assert 0 < seen.positions < seen.planned


@pytest.mark.slow
def test_an_engine_that_is_killed_while_it_judges_costs_no_answer(
    commands: Commands, engine: ContainerEngine, key: Path, thorough: RunDirectory
) -> None:
    answers = thorough.quality.with_name(thorough.quality.name + MAKING) / ANSWERS
    folder = thorough.path.parent.parent
    resume = ("resume", thorough.path, "--key", key, "--json")

    def judging(more_than: int) -> Running:
        running = commands.start(*resume, cwd=folder)
        grown = lambda: answers.exists() and answers.stat().st_size > more_than  # noqa: E731
        until(lambda: grown() or not running.alive_after(0), "a new answer")
        assert running.alive_after(0), running.ended()
        return running

    running = judging(0)
    (made,) = [row.id for row in engine.seen({RUN_LABEL: thorough.manifest.run_id}) if row.name.endswith("-engine")]
    engine.signal(made, "SIGKILL")
    ended = running.ended(RESUME_S)
    assert (ended.code, "container engine ended with exit code 137" in ended.err) == (4, True), ended
    assert not engine.any_left({RUN_LABEL: thorough.manifest.run_id})
    kept = answers.read_bytes()
    running = judging(len(kept))
    running.signal(signal.SIGTERM)
    ended = running.ended(RESUME_S)
    assert (ended.code, "stopped by SIGTERM" in ended.err) == (4, True), ended
    whole = kept[: kept.rfind(b"\n") + 1]
    assert answers.read_bytes().startswith(whole), "nothing is asked twice"
    done = commands.start(*resume, cwd=folder).ended(RESUME_S)
    assert done.code == 0, done
    verdict = verify(folder / json.loads(done.out)["bundle"], Options(find_engine()))
    assert (verdict.level, verdict.steps[STEP - 1].status) == ("V1", Status.PASS), verdict.findings


def test_an_engine_image_with_another_net_is_not_sealed_even_if_it_only_judges(images: Path, tmp_path: Path) -> None:
    plan = plan_from(PROMISING)
    assert images_of(plan, images).pins.keys() == {"engine", "harness"}
    with pytest.raises(
        ManifestError, match=r"built here: stockfish, harness; run `agzamov images build stockfish harn"
    ):
        images_of(plan, tmp_path)
    for name in ("harness", "stockfish"):
        image_records.save(image_records.load(name, images), tmp_path)
    built = image_records.load("stockfish", images)
    labels = {**msgspec.convert(built.start["Labels"], dict[str, str]), "agz.engine.net-sha256": "0" * 64}
    other = msgspec.structs.replace(built, start={**built.start, "Labels": labels})
    image_records.save(other, tmp_path)
    with pytest.raises(ManifestError, match=r"isolation: expected the net ad9b42\w+ in image stockfish, found 0{64}"):
        images_of(plan, tmp_path)
