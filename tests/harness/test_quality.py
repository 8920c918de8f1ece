"""Quality answers from a bundle and back: the work survives anything, and its check finds one altered line."""

import gzip
import hashlib
import json
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from agzamov_harness import cli
from agzamov_harness.run.move_evaluations import ANSWERS, COMPLETE, MAKING, AnswerFile, Asking, judge_run
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_verify.checks import quality_answers
from agzamov_verify.checks.check_log import CheckLog, Status
from agzamov_verify.checks.quality_answers import (
    PlayedRun,
    QualityOptions,
    QualityVerdict,
    check_answers,
    replay_played,
    verify_quality,
)
from agzamov_verify.checks.random_sample import sample
from agzamov_verify.core import canon, gzip_member
from agzamov_verify.core.untrusted_input import open_source
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from agzamov_verify.games.chess.judged_moves import positions_of
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.quality.quality_figures import FIGURES_FILE, INDEX_FILE, answers_name, quality_of
from agzamov_verify.scoring.quality.quality_questions import MoveEvaluation, decode, encode
from agzamov_verify.show.text import quality_text
from bundles.bundle_factory import SEATS, TINY, make
from harness.commands import Commands

NODES, SEED = 300, "5e" * 16
PLAN = {
    "title": "Quality",
    "seats": SEATS,
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 16},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 1, "game": "chess960", "a": "dice", "b": "dice", "games": 4, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "dice", "b": "dice", "hands": 2, "block_hands": 2},
    ],
}
MATCH = "p1-chess960-naked-dice"
STREAMS = [f"{MATCH}-b00000", f"{MATCH}-b00001"]
FIRST = f"{MATCH}-g00000"

try:
    ENGINE = find_engine()
except EngineFault as fault:
    pytest.skip(str(fault), allow_module_level=True)

Places = dict[str, bytes]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run, its bundle, and the bundle's answers."""
    folder = tmp_path_factory.mktemp("quality")
    make(PLAN, folder).rename(folder / "bundle")
    judge_run(played_of(folder / "bundle"), folder / "bundle.quality", asking())
    return folder


def played_of(bundle: Path) -> PlayedRun:
    return replay_played(bundle, CheckLog(), 1)


def asking(jobs: int = 2, nodes: int = NODES, stop: Stop | None = None, **how: Any) -> Asking:
    return Asking(ENGINE, nodes, jobs, stop or Stop(), **how)


def contents(folder: Path) -> Places:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """A copy of the answers, to be spoiled."""
    return Path(shutil.copytree(made / "bundle.quality", tmp_path / "answers"))


def checked(made: Path, answers: Path, sample: int | None = None, seed: str = SEED, **how: Any) -> QualityVerdict:
    options = QualityOptions(how.get("engine", ENGINE), "no engine", 2, sample, seed)
    return verify_quality(made / "bundle", answers, options)


# --- the work ------------------------------------------------------------------------------------


def test_a_bundle_has_one_file_of_answers_for_each_chess_stream(made: Path) -> None:
    found = contents(made / "bundle.quality")
    streams = {name.removesuffix(".jsonl.gz") for name in found if name.endswith(".gz")}
    assert streams == set(STREAMS)
    assert {INDEX_FILE, FIGURES_FILE} <= found.keys()
    assert len(found) == 4
    index = json.loads(found[INDEX_FILE])
    assert (index["nodes"], index["hash_mib"], index["engine"]) == (NODES, 16, "Stockfish 15.1")
    lines = gzip.decompress(found[answers_name(STREAMS[0])])
    assert index["streams"][0]["sha256"] == hashlib.sha256(lines).hexdigest()
    assert index["streams"][0]["lines"] == len(lines.splitlines())


@pytest.mark.slow
def test_one_worker_and_three_leave_the_same_bytes(made: Path, tmp_path: Path) -> None:
    judge_run(played_of(made / "bundle"), tmp_path / "one", asking(jobs=1))
    judge_run(played_of(made / "bundle"), tmp_path / "three", asking(jobs=3))
    assert contents(tmp_path / "one") == contents(tmp_path / "three") == contents(made / "bundle.quality")


class StopAfter:
    """Requests a stop once so many positions have their answer, and notes what it was told."""

    def __init__(self, stop: Stop, count: int) -> None:
        self.stop, self.count = stop, count
        self.told: list[tuple[int, int]] = []

    def __call__(self, done: int, total: int) -> None:
        self.told.append((done, total))
        if len(self.told) == self.count:
            self.stop.request("enough")


@pytest.mark.slow
def test_work_that_was_stopped_goes_on_and_asks_nothing_twice(made: Path, tmp_path: Path) -> None:
    played, folder = played_of(made / "bundle"), tmp_path / "out"
    asked, total = 0, 0
    for count in (3, 7):
        stop = Stop()
        watcher = StopAfter(stop, count)
        with pytest.raises(Stopped, match="enough"):
            judge_run(played, folder, asking(stop=stop, tick=watcher))
        assert not folder.exists()
        assert [done for done, _ in watcher.told] == list(range(asked + 1, asked + count + 1))
        asked, total = watcher.told[-1]
    watcher = StopAfter(Stop(), 0)
    judge_run(played, folder, asking(tick=watcher))
    assert watcher.told == [(done, total) for done in range(asked + 1, total + 1)]
    assert contents(folder) == contents(made / "bundle.quality")
    assert not folder.with_name("out" + MAKING).exists()


def test_a_torn_line_is_asked_again(made: Path, tmp_path: Path) -> None:
    played, folder = played_of(made / "bundle"), tmp_path / "out"
    stop = Stop()
    with pytest.raises(Stopped):
        judge_run(played, folder, asking(stop=stop, tick=StopAfter(stop, 20)))
    recorded = folder.with_name("out" + MAKING) / ANSWERS
    whole = recorded.read_bytes()
    recorded.write_bytes(whole[:-30])
    judge_run(played, folder, asking())
    assert contents(folder) == contents(made / "bundle.quality")


def test_what_a_kill_left_half_written_is_written_again(made: Path, tmp_path: Path) -> None:
    played, folder = played_of(made / "bundle"), tmp_path / "out"
    half_written = folder.with_name("out" + MAKING) / COMPLETE
    half_written.mkdir(parents=True)
    (half_written / "torn.jsonl.gz").write_bytes(b"half")
    judge_run(played, folder, asking())
    assert contents(folder) == contents(made / "bundle.quality")
    assert not half_written.parent.exists()


def test_a_line_that_somebody_wrote_is_refused_with_its_number(made: Path, tmp_path: Path) -> None:
    making = tmp_path / ("out" + MAKING)
    making.mkdir()
    (making / ANSWERS).write_bytes(b'{"judgement":{},"question":""}\n')
    with pytest.raises(ManifestError, match=r"answers.jsonl line 1: expected an answer"):
        judge_run(played_of(made / "bundle"), tmp_path / "out", asking())


def test_answers_at_other_nodes_are_never_taken_for_these(made: Path, tmp_path: Path) -> None:
    played = played_of(made / "bundle")
    first = next(positions_of(next(played.streams()).records[0]))
    norm = load_protocol("agz-0.1").engine
    with AnswerFile(tmp_path / ANSWERS, norm, NODES) as answers:
        answers.add(first, MoveEvaluation("e2e4", first.game, None, 0, "cp 1"))
        assert first in answers
    with AnswerFile(tmp_path / ANSWERS, norm, NODES) as answers:
        assert answers[first].best == "e2e4"
    with AnswerFile(tmp_path / ANSWERS, norm, NODES + 1) as answers:
        assert first not in answers


def test_answers_that_are_there_are_not_overwritten(made: Path) -> None:
    with pytest.raises(ManifestError, match="this folder exists already"):
        judge_run(played_of(made / "bundle"), made / "bundle.quality", asking())


@pytest.mark.slow
def test_an_engine_that_dies_stops_the_work_and_another_goes_on(made: Path, tmp_path: Path) -> None:
    dying = tmp_path / "engine"
    dying.write_text(f"#!/bin/sh\nsed -u 60q | {ENGINE}\n")
    dying.chmod(0o755)
    played, folder = played_of(made / "bundle"), tmp_path / "out"
    with pytest.raises(Stopped, match="the engine failed: the engine process has ended"):
        judge_run(played, folder, msgspec.structs.replace(asking(), engine=dying))
    watcher = StopAfter(Stop(), 0)
    judge_run(played, folder, asking(tick=watcher))
    assert watcher.told[0][0] > 5
    assert contents(folder) == contents(made / "bundle.quality")


def test_a_folder_is_made_by_one_process_at_a_time(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"

    def meanwhile(done: int, _: int) -> None:
        if done == 1:
            with pytest.raises(ManifestError, match="another process is making this folder"):
                judge_run(played_of(made / "bundle"), folder, asking())

    judge_run(played_of(made / "bundle"), folder, asking(tick=meanwhile))


# --- the check -----------------------------------------------------------------------------------


def test_honest_answers_pass_asked_all_again(made: Path) -> None:
    verdict = checked(made, made / "bundle.quality")
    assert (verdict.status, verdict.findings, verdict.wrong_below) == (Status.PASS, [], 1)
    assert verdict.asked == verdict.positions > 50
    assert verdict.results
    assert quality_text.text(verdict).startswith(f"quality  PASS\nall {verdict.positions} positions asked again\n")


def test_a_sample_passes_with_its_confidence_and_its_seed(made: Path) -> None:
    verdict = checked(made, made / "bundle.quality", 20)
    assert (verdict.status, verdict.asked, verdict.seed) == (Status.PASS, 20, SEED)
    assert verdict.wrong_below
    assert 1 < verdict.wrong_below < verdict.positions
    assert f"drawn with seed {SEED}" in quality_text.text(verdict)
    assert f"({verdict.wrong_below}) are wrong" in quality_text.text(verdict)


@pytest.mark.slow
def test_without_an_engine_nothing_is_checked_and_it_says_so(made: Path) -> None:
    verdict = checked(made, made / "bundle.quality", engine=None)
    assert (verdict.status, verdict.remark, verdict.asked) == (Status.NOT_CHECKED, "no engine", 0)
    assert checked(made, made / "bundle.quality", 0).asked == 1, "with an engine at least one is asked"


Edit = Callable[[list[MoveEvaluation]], list[MoveEvaluation]]


def forged(made: Path, answers: Path, edit: Edit, *, figures: bool = True) -> None:
    """Edit a stream's answers, and make everything that follows from them fit, as a careful forger would."""
    played = played_of(made / "bundle")
    index = json.loads((answers / INDEX_FILE).read_bytes())
    by_game: dict[str, list[MoveEvaluation]] = {}
    for row in index["streams"]:
        path = answers / answers_name(row["stream"])
        judgements = [decode(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        if row["stream"] == STREAMS[0]:
            judgements = edit(judgements)
            data = b"".join(encode(judgement) + b"\n" for judgement in judgements)
            path.write_bytes(gzip_member.compressed(data))
            row["lines"], row["sha256"] = len(judgements), hashlib.sha256(data).hexdigest()
        for judgement in judgements:
            by_game.setdefault(judgement.game, []).append(judgement)
    (answers / INDEX_FILE).write_bytes(canon.dumps(index))
    if figures:
        results = quality_of(played.run, played.plan, played.blocks, by_game, index["nodes"])
        (answers / FIGURES_FILE).write_bytes(canon.dumps(results))


def hides_a_blunder(judgements: list[MoveEvaluation]) -> list[MoveEvaluation]:
    """The one move that lost most by its side's own account is called the engine's."""
    at = next(at for at, judgement in enumerate(judgements) if judgement.played)
    played = played_at(judgements[at])
    return [*judgements[:at], MoveEvaluation(played, FIRST, None, at, judgements[at].value), *judgements[at + 1 :]]


MOVES: dict[int, str] = {}


def played_at(judgement: MoveEvaluation) -> str:
    return MOVES[judgement.ply]


@pytest.fixture(autouse=True, scope="module")
def first_game(made: Path) -> None:
    records = next(played_of(made / "bundle").streams()).records
    assert records[0].game == FIRST
    MOVES.update(enumerate(records[0].moves))


@pytest.mark.slow
def test_one_altered_answer_is_found_at_its_place_when_all_are_asked(made: Path, copied: Path) -> None:
    forged(made, copied, hides_a_blunder)
    verdict = checked(made, copied)
    assert verdict.status is Status.FAIL
    (finding,) = verdict.findings
    at = next(ply for ply in MOVES if finding.place == f"{FIRST} ply {ply}")
    assert finding.found.startswith(f"{MOVES[at]} ")
    assert not finding.expected.startswith(f"{MOVES[at]} ")


@pytest.mark.slow
def test_one_altered_answer_is_found_by_the_seeds_that_draw_it_and_by_no_other(made: Path, copied: Path) -> None:
    forged(made, copied, hides_a_blunder)
    played = played_of(made / "bundle")
    positions = [position for stream in played.streams() for one in stream.records for position in positions_of(one)]
    half = len(positions) // 2
    (finding,) = checked(made, copied).findings
    seeds = [number.to_bytes(16, "big").hex() for number in range(100)]
    draws = [
        any(finding.place == f"{one.game} ply {one.ply}" for one in sample(positions, half, seed)) for seed in seeds
    ]
    assert 35 <= sum(draws) <= 65  # half of all answers, so about every second sample
    drawn, passed = (checked(made, copied, half, seeds[draws.index(is_in)]) for is_in in (True, False))
    assert (drawn.status, drawn.findings) == (Status.FAIL, [finding])
    assert (passed.status, passed.findings) == (Status.PASS, [])


@pytest.mark.slow
def test_a_score_off_by_one_is_found(made: Path, copied: Path) -> None:
    def nudge(judgements: list[MoveEvaluation]) -> list[MoveEvaluation]:
        kind, _, value = judgements[5].value.partition(" ")
        return [
            *judgements[:5],
            msgspec.structs.replace(judgements[5], value=f"{kind} {int(value) + 1 or 2}"),
            *judgements[6:],
        ]

    forged(made, copied, nudge)
    assert [finding.place for finding in checked(made, copied).findings] == [f"{FIRST} ply 5"]


def test_a_missing_answer_is_found(made: Path, copied: Path) -> None:
    last = len(gzip.decompress((copied / answers_name(STREAMS[0])).read_bytes()).splitlines())
    forged(made, copied, lambda judgements: judgements[:-1], figures=False)
    (finding,) = checked(made, copied).findings
    assert (finding.place, finding.found) == (f"{answers_name(STREAMS[0])} line {last}", "the end")


def test_an_answer_too_many_is_found(made: Path, copied: Path) -> None:
    forged(made, copied, lambda judgements: [*judgements, judgements[-1]], figures=False)
    (finding,) = checked(made, copied).findings
    assert finding.expected == "no answer too many"


def test_answers_in_another_order_are_found(made: Path, copied: Path) -> None:
    forged(made, copied, lambda judgements: [judgements[1], judgements[0], *judgements[2:]], figures=False)
    (finding,) = checked(made, copied).findings
    assert (finding.expected, finding.found) == (f"{FIRST} ply 0", f"{FIRST} ply 1")


def test_a_played_move_that_was_not_asked_is_found(made: Path, copied: Path) -> None:
    def drop(judgements: list[MoveEvaluation]) -> list[MoveEvaluation]:
        at = next(at for at, judgement in enumerate(judgements) if judgement.played)
        return [*judgements[:at], msgspec.structs.replace(judgements[at], played=None), *judgements[at + 1 :]]

    forged(made, copied, drop, figures=False)
    (finding,) = checked(made, copied).findings
    assert finding.expected == "a score of the played move"


@pytest.mark.parametrize(
    ("key", "value"), [("run", "0" * 16), ("nodes", 301), ("hash_mib", 32), ("net_sha256", "0" * 64), ("engine", "X")]
)
def test_an_index_that_tells_another_story_is_found(made: Path, copied: Path, key: str, value: object) -> None:
    index = json.loads((copied / INDEX_FILE).read_bytes())
    (copied / INDEX_FILE).write_bytes(canon.dumps({**index, key: value}))
    places = [finding.place for finding in checked(made, copied).findings]
    assert places[0] == (f"{INDEX_FILE} {key}" if key != "nodes" else f"{FIGURES_FILE} $.departures[0]")


def test_better_figures_than_the_answers_give_are_found(made: Path, copied: Path) -> None:
    figures = (copied / FIGURES_FILE).read_bytes()
    results = json.loads(figures)
    results["seats"][0]["all"]["best"] += 1
    (copied / FIGURES_FILE).write_bytes(canon.dumps(results))
    (finding,) = checked(made, copied).findings
    assert finding.place == f"{FIGURES_FILE} $.seats[0].all.best"


def missing_stream(folder: Path) -> None:
    (folder / answers_name(STREAMS[0])).unlink()


def extra_file(folder: Path) -> None:
    (folder / answers_name("p0-chess960-naked-dice-b00000")).write_bytes(gzip_member.compressed(b""))


def no_index(folder: Path) -> None:
    (folder / INDEX_FILE).unlink()


def bad_index(folder: Path) -> None:
    (folder / INDEX_FILE).write_bytes(b"{}")


def no_figures(folder: Path) -> None:
    (folder / FIGURES_FILE).unlink()


def not_gzip(folder: Path) -> None:
    (folder / answers_name(STREAMS[0])).write_bytes(b"hello")


def a_bomb(folder: Path) -> None:
    (folder / answers_name(STREAMS[0])).write_bytes(gzip_member.compressed(b"0" * 2**24))


def a_link(folder: Path) -> None:
    (folder / INDEX_FILE).unlink()
    (folder / INDEX_FILE).symlink_to("/etc/passwd")


@pytest.mark.parametrize(
    "spoil", [missing_stream, extra_file, no_index, bad_index, no_figures, not_gzip, a_bomb, a_link]
)
def test_a_hostile_folder_is_a_finding_and_never_an_exception(
    made: Path, copied: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(copied)
    verdict = checked(made, copied, engine=None)
    assert verdict.status is Status.FAIL
    assert len(verdict.findings) == 1


def test_a_folder_that_cannot_be_read_is_a_finding(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(quality_answers, "open_source", refuse)
    verdict = checked(made, made / "bundle.quality")
    assert [(one.expected, one.found) for one in verdict.findings] == [("a readable file", "Permission denied")]
    assert verdict.status is Status.FAIL


def test_the_same_folder_inside_a_bundle_is_checked_the_same_way(made: Path, tmp_path: Path) -> None:
    bundle = Path(shutil.copytree(made / "bundle", tmp_path / "b"))
    shutil.copytree(made / "bundle.quality", bundle / "data" / "quality")
    options, played = QualityOptions(ENGINE, "", 2, 10, SEED), played_of(made / "bundle")
    good, bad = QualityVerdict(), QualityVerdict()
    check_answers(open_source(bundle), "data/quality/", played, options, good)
    assert (good.status, good.findings, good.asked) == (Status.PASS, [], 10)
    extra_file(bundle / "data" / "quality")
    check_answers(open_source(bundle), "data/quality/", played, options, bad)
    assert [finding.place.startswith("data/quality/p0-") for finding in bad.findings] == [True]


def test_answers_about_a_broken_bundle_are_worth_nothing(made: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(made, tmp_path / "made"))
    (broken / "bundle" / "data" / "manifest.json").write_bytes(b"{}")
    verdict = checked(broken, broken / "bundle.quality")
    assert (verdict.status, verdict.remark) == (Status.FAIL, "the bundle fails its own check at step 2")
    assert verdict.results is None


# --- the commands --------------------------------------------------------------------------------


def command(*arguments: object) -> Result:
    return CliRunner().invoke(cli.main, list(map(str, arguments)))


def test_a_bundle_without_moves_to_judge_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    holdem = PLAN["matches"][1:]  # type: ignore[index] # a list
    bundle = make({**PLAN, "matches": holdem}, tmp_path)
    ended = command("quality", bundle)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.endswith("expected games whose moves an engine judges (chess960, chess), found none\n")
    assert not quality_text.answers_folder(bundle).exists()


def test_a_finished_run_and_its_bundle_have_the_same_answers(made: Path, tmp_path: Path) -> None:
    (run,) = (made / "runs").iterdir()
    result = command("quality", run, "--nodes", NODES, "--out", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.output
    assert contents(tmp_path / "out") == contents(made / "bundle.quality")
    assert canon.dumps(json.loads(result.stdout)) == (tmp_path / "out" / FIGURES_FILE).read_bytes()


@pytest.mark.slow
def test_the_answers_go_beside_the_bundle_and_are_checked_there(made: Path, tmp_path: Path) -> None:
    bundle = Path(shutil.copytree(made / "bundle", tmp_path / "b"))
    assert command("check-quality", bundle).exit_code == 2
    made_now = command("quality", bundle, "--nodes", NODES)
    assert made_now.exit_code == 0, made_now.output
    assert "centipawns a move" in made_now.stdout
    assert f"quality at {NODES} nodes, 50000 required" in made_now.stdout
    result = command("check-quality", bundle, "--sample", 20, "--json")
    assert result.exit_code == 0, result.output
    verdict = json.loads(result.stdout)
    assert (verdict["status"], verdict["asked"], len(verdict["seed"])) == ("pass", 20, 32)
    assert command("check-quality", bundle, "--sample", 20, "--seed", SEED).stdout != result.stdout
    assert command("check-quality", bundle, "--seed", "xyz").exit_code == 2
    assert command("check-quality", bundle, "--engine", "/nowhere").exit_code == 3
    assert command("quality", bundle, "--nodes", NODES).exit_code == 2


@pytest.mark.slow
def test_the_check_of_spoiled_answers_exits_1_and_names_the_place(made: Path, copied: Path) -> None:
    forged(made, copied, hides_a_blunder)
    result = command("check-quality", made / "bundle", "--answers", copied, "--all")
    assert result.exit_code == 1
    assert f"step 12 {FIRST} ply" in result.stdout


def test_an_unfinished_run_and_a_broken_bundle_are_refused(made: Path, tmp_path: Path) -> None:
    (run,) = (made / "runs").iterdir()
    unfinished = Path(shutil.copytree(run, tmp_path / "run"))
    shutil.rmtree(unfinished / "journal" / STREAMS[0])
    result = command("quality", unfinished, "--nodes", NODES)
    assert result.exit_code == 4
    assert "is not played to its end" in result.stderr
    broken = Path(shutil.copytree(made / "bundle", tmp_path / "broken"))
    (broken / "bagit.txt").write_text("no")
    assert command("quality", broken, "--nodes", NODES).exit_code == 1


def test_a_bundle_without_chess_needs_no_answers(tmp_path: Path) -> None:
    bundle = make({**TINY, "matches": [match for match in TINY["matches"] if match["game"] == "holdem"]}, tmp_path)
    judge_run(played_of(bundle), quality_text.answers_folder(bundle), asking())
    result = command("check-quality", bundle)
    assert result.exit_code == 0
    assert "no game was played whose moves are judged" in result.stdout


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as started:
        yield started


def answered(folder: Path) -> int:
    path = folder / ANSWERS
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for(condition: Callable[[], bool], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


# An engine that waits before its thirteenth search until a file is there.
WAITING = """#!/bin/sh
searches=0
while read -r line; do
    case $line in go*) searches=$((searches + 1)) ;; esac
    while [ "$searches" -gt 12 ] && [ ! -e {there} ]; do sleep 0.05; done
    printf '%s\\n' "$line"
done | {engine}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "times"), [(signal.SIGKILL, 2), (signal.SIGTERM, 1), (signal.SIGINT, 1)], ids=["kill", "term", "int"]
)
def test_killed_or_stopped_work_leaves_nothing_behind_and_goes_on(
    commands: Commands, made: Path, tmp_path: Path, number: signal.Signals, times: int
) -> None:
    making, kept, signalled, engine = tmp_path / ("out" + MAKING), 0, tmp_path / "signalled", tmp_path / "engine"
    engine.write_text(WAITING.format(there=signalled, engine=ENGINE))
    engine.chmod(0o755)
    arguments = ("quality", made / "bundle", "--nodes", NODES, "--out", tmp_path / "out", "--engine", engine)
    for _ in range(times):
        signalled.unlink(missing_ok=True)
        running = commands.start(*arguments, cwd=tmp_path)
        wait_for(lambda kept=kept: answered(making) >= kept + 5)  # type: ignore[misc]
        running.signal(number)
        signalled.touch()
        ended = running.ended()
        assert ended.code == (-9 if number is signal.SIGKILL else 4), ended
        assert not running.left_behind()
        kept = answered(making)
    if number is not signal.SIGKILL:
        again = "nothing that was answered is lost; the same command goes on"
        assert ended.err == f"stopped by {number.name}; {again}\n"
    assert commands.run(*arguments, cwd=tmp_path).code == 0
    assert contents(tmp_path / "out") == contents(made / "bundle.quality")
