"""What an owner may sign and nobody should believe: each bundle is sealed and signed anew around one lie."""

import hashlib
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.pipeline.pack import pack
from agzamov_harness.ports import ChatRequest
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import Answering
from agzamov_harness.run.move_evaluations import judge_promised
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_harness.seat_kinds.scripted_kind import LocalSeat
from agzamov_verify import bundle
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.limits import Budget
from agzamov_verify.checks.move_quality import Judged, read_judged
from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.checks.replay_all import Replayed
from agzamov_verify.checks.steps import Options
from agzamov_verify.core import envelope
from agzamov_verify.core.questions import Answer, Chat, Question
from agzamov_verify.core.script import Answerer
from agzamov_verify.experiment.analysis_plan import SequentialRule
from agzamov_verify.scores.collected_bundles import collect
from agzamov_verify.seats import AnySeat, ReferenceSeat
from bundles import bundle_factory
from bundles.bundle_factory import (
    SEATS,
    Draft,
    bind,
    check,
    failed_steps,
    fit_calls,
    make,
    put,
    recorded,
    reindex,
    replace_manifest,
    rescore,
    reseal,
    streams_of,
    told,
)

Change = Callable[[dict[str, Any]], object]
BASE: dict[str, Any] = {
    "title": "Forged",
    "seats": SEATS,
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 4},
    "holdem": {"session_hands": 2},
}
MATCH = "p1-chess960-naked-agent"
PHASE0 = {"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 20, "block_hands": 2}
HANDS = {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 4, "block_hands": 4}
GAMES = {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 2, "block_games": 2}
DIGEST = "a" * 64
IMAGE = {"config_digest": DIGEST, "manifest_digest": DIGEST, "tree_digest": DIGEST, "diff_ids": [DIGEST]}


def world(question: Question) -> Answer:
    assert isinstance(question, Chat)
    return LocalSeat(ReferenceSeat(), None).complete(ChatRequest(question.messages, question.seed))


def told_again(draft: Draft, change: Change, answer: Answerer = world) -> Draft:
    """Another plan: every promised stream told by `answer`, and everything sealed."""
    replace_manifest(draft, change)
    bind(draft)
    plan = draft.manifest.plan
    for name in [name for name in draft.files if name.startswith(("data/journal/", "data/calls/"))]:
        del draft.files[name]
    names = [one.id for match in sorted(plan.matches, key=lambda one: one.phase) for one in streams_of(match)]
    for name in names:
        put(draft, name, recorded(draft, name, answer))
        fit_calls(draft, name)
    reindex(draft, names)
    rescore(draft)
    reseal(draft)
    return draft


def seat(**what: object) -> Any:
    return msgspec.to_builtins(msgspec.convert(what, AnySeat))


def gguf(sha256: str) -> Change:
    def change(value: dict[str, Any]) -> None:
        value["plan"]["seats"] = {"weights": seat(kind="gguf", weights="model.gguf")}
        for match in value["plan"]["matches"]:
            match["a"] = match["b"] = "weights"
        value["plan"]["isolation"] = "container"
        value["images"] = {"harness": IMAGE, "model": IMAGE}
        value["models"] = {"weights": {"sha256": sha256, "size_bytes": 4096}}

    return change


def contained(draft: Draft) -> Draft:
    rows = [{"image": DIGEST, "part": part} for part in ("harness", "model")]
    draft.put_json(
        bundle.ENVIRONMENT_FILE,
        {**draft.json(bundle.ENVIRONMENT_FILE), "containers": rows, "isolation": "container"},
    )
    return draft


def hashed(draft: Draft, sha256: str) -> Draft:
    """Played in containers by weights that were hashed before and after."""
    seats = {"weights": {"sha256": sha256, "size_bytes": 4096}}
    checks = [{"altered": "", "seats": seats, "when": when, "witness": {}} for when in ("before", "after")]
    draft = contained(draft)
    draft.put_json(bundle.WEIGHTS_FILE, {"checks": checks})
    return told_again(draft, gguf(sha256))


def endpoint(model: str, **more: object) -> Change:
    def change(value: dict[str, Any]) -> None:
        value["plan"]["seats"] = {"agent": seat(kind="openai", base_url="http://127.0.0.1:9/v1", model=model, **more)}

    return change


def score(*paths: Path, command: str = "score") -> Any:
    return CliRunner().invoke(main, [command, *map(str, paths), "--jobs", "1", "--seat-replies-max", "3"])


# --- whose results they are -------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["endpoint", "digest"])
def test_pinned_weights_are_nobody_else(other: str, tmp_path: Path) -> None:
    first = hashed(Draft.of(make({**BASE, "matches": [GAMES]}, tmp_path / "a")), "abcdef123456" + "0" * 52)
    second = Draft.of(make({**BASE, "matches": [HANDS]}, tmp_path / "b"))
    if other == "endpoint":
        second = told_again(second, endpoint("weights@abcdef123456"))
    else:
        second = hashed(second, "abcdef123456" + "f" * 52)
    found = collect([first.write(tmp_path / "c"), second.write(tmp_path / "d")], Options()).evidence
    assert len({key.model for key in found.cells}) == 2


# --- bundles put together ---------------------------------------------------------------------------


def test_one_run_with_two_stories_is_refused(tmp_path: Path) -> None:
    one = Draft.of(make({**BASE, "matches": [PHASE0]}, tmp_path / "made"))
    done = score(one.write(tmp_path / "a"), one.write(tmp_path / "b"))
    assert (done.exit_code, "expected every run once" in done.output) == (1, True)


def test_phase_0_of_several_runs_is_pooled_and_not_chosen(tmp_path: Path) -> None:
    paths = [make({**BASE, "matches": [PHASE0]}, tmp_path / str(nonce), nonce=nonce) for nonce in range(2)]
    (cell,) = collect(paths, Options()).evidence.cells.values()
    assert len(cell.results) == 40


@pytest.mark.slow
def test_cells_of_other_rules_do_not_go_together(tmp_path: Path) -> None:
    first = make({**BASE, "matches": [PHASE0]}, tmp_path / "a")
    second = make({**BASE, "holdem": {"session_hands": 2, "stack_chips": 2_000}, "matches": [HANDS]}, tmp_path / "b")
    done = score(first, second)
    assert (done.exit_code, "expected one set of rules, found " in done.output) == (1, True)


@pytest.mark.slow
def test_chess_with_the_list_of_legal_moves_and_without_are_never_put_together(tmp_path: Path) -> None:
    """Not even where the models differ: a list of legal moves changes what is measured."""
    rules = {**BASE["chess960"], "prompt": "legal_moves"}
    by_other = {**GAMES, "a": "other", "b": "other"}
    first = make({**BASE, "matches": [GAMES]}, tmp_path / "a")
    second = make({**BASE, "chess960": rules, "matches": [by_other]}, tmp_path / "b")
    for command in ("score", "matrix"):
        done = score(first, second, command=command)
        assert done.exit_code == 1
        assert "expected one variant of the Chess960 prompt, found legal_moves in run" in done.output
    assert "Chess960 prompt legal_moves" in score(second).output


@pytest.mark.slow
@pytest.mark.parametrize(("game", "match"), [("chess960", GAMES), ("holdem", HANDS)])
def test_prompts_with_a_worked_example_and_without_are_never_put_together(
    game: str, match: dict[str, Any], tmp_path: Path
) -> None:
    one_shot = {**BASE, game: {**BASE[game], "shots": 1}}
    first = make({**BASE, "matches": [match]}, tmp_path / "a")
    second = make({**one_shot, "matches": [{**match, "a": "other", "b": "other"}]}, tmp_path / "b")
    verdict = check(second)
    assert verdict.level == "V1", told(verdict)
    done = score(first, second)
    assert done.exit_code == 1
    assert "expected one variant of the " in done.output
    assert "1 worked example in run" in done.output
    assert "1 worked example" in score(second).output


def test_matches_against_benchmark_players_are_in_no_score_and_in_nobodys_way(tmp_path: Path) -> None:
    against = [
        {"phase": 1, "game": "holdem", "a": "agent", "b": name, "hands": 4, "block_hands": 4} for name in ("inn", "den")
    ]
    benchmark_seats = {name: {"kind": "benchmark"} for name in ("inn", "den")}
    made = make({**BASE, "seats": {**SEATS, **benchmark_seats}, "matches": [HANDS, *against]}, tmp_path)
    (cell,) = collect([made], Options()).evidence.cells.values()
    assert (cell.key.part, len(cell.results)) == ("", 4)


def test_departures_are_told_where_bundles_are_put_together(tmp_path: Path) -> None:
    made = make({**BASE, "matches": [GAMES]}, tmp_path)
    for command in ("score", "matrix"):
        assert "  - adjudication by none" in score(made, command=command).output


# --- what the manifest promises ---------------------------------------------------------------------


def test_local_weights_without_a_note_that_they_were_hashed_are_found(tmp_path: Path) -> None:
    draft = hashed(Draft.of(make({**BASE, "matches": [GAMES]}, tmp_path)), "b" * 64)
    assert check(draft.write(tmp_path)).level == "V1"
    note = draft.json(bundle.WEIGHTS_FILE)
    for count in (0, 1):
        draft.put_json(bundle.WEIGHTS_FILE, {"checks": note["checks"][:count]})
        reseal(draft)
        assert failed_steps(check(draft.write(tmp_path / f"{count} checks"))) == [4]
    del draft.files[bundle.WEIGHTS_FILE]
    reseal(draft)
    verdict = check(draft.write(tmp_path / "no note"))
    assert (failed_steps(verdict), verdict.findings[0].place) == ([4], bundle.WEIGHTS_FILE)


def test_one_row_is_not_two_containers(tmp_path: Path) -> None:
    draft = hashed(Draft.of(make({**BASE, "matches": [GAMES]}, tmp_path)), "b" * 64)
    row = {"image": f"{DIGEST}, model {DIGEST}", "part": "harness"}
    draft.put_json(
        bundle.ENVIRONMENT_FILE,
        {**draft.json(bundle.ENVIRONMENT_FILE), "containers": [row], "isolation": "container"},
    )
    reseal(draft)
    assert failed_steps(check(draft.write(tmp_path))) == [4]


@pytest.mark.parametrize("secret", ["", "00"])
def test_a_secret_that_can_be_guessed_is_refused(secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = Draft.of(make({**BASE, "matches": [HANDS]}, tmp_path))
    raw = bytes.fromhex(secret)
    monkeypatch.setattr(bundle_factory, "SECRET", raw)
    draft.predicate["seed"]["secret"] = secret
    draft = told_again(draft, lambda value: value.update(secret_commit=hashlib.sha256(raw).hexdigest()))
    assert failed_steps(check(draft.write(tmp_path))) == [5]


def test_sessions_of_no_hands_under_a_rule_are_a_finding_and_no_crash(tmp_path: Path) -> None:
    def change(value: dict[str, Any]) -> None:
        value["plan"]["holdem"]["session_hands"] = 0
        rule = msgspec.to_builtins(SequentialRule("p1-holdem-naked-agent"))
        value["plan"]["analysis"]["sequential"] = [rule]

    draft = Draft.of(make({**BASE, "matches": [HANDS]}, tmp_path))
    replace_manifest(draft, change)
    reseal(draft)
    assert 4 in failed_steps(check(draft.write(tmp_path)))


# --- judgements inside the bundle -------------------------------------------------------------------


@pytest.fixture(scope="module")
def judged_inside(tmp_path_factory: pytest.TempPathFactory, engine: Path) -> Path:
    folder = tmp_path_factory.mktemp("inside")
    plan = plan_from({**BASE, "quality": {"nodes": 20}, "matches": [GAMES]})
    manifest, secret = seal(plan, envelope.key_id(bundle_factory.SUBMITTER.public_key()), engine, bundle_factory.SECRET)
    directory = run_folder.create(folder / "runs", manifest, secret, bundle_factory.SUBMITTER)
    ticks = itertools.count(step=1_500_000)
    blocks = Runner(directory, Answering(world), lambda: next(ticks), State(plan, None), Stop(), 1).play()
    judge_promised(directory, blocks, engine, Stop())
    return pack(directory, blocks, bundle_factory.SUBMITTER, folder / "bundles").bundle


def test_other_nodes_than_promised_are_found_before_the_engine_is_asked(
    judged_inside: Path, engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: object) -> None:
        raise AssertionError("the engine was asked")

    draft = Draft.of(judged_inside)
    for name in ("index.json", "figures.json"):
        value = draft.json(bundle.QUALITY_FOLDER + name)
        value["nodes"] = 1_000_000
        if "departures" in value:
            value["departures"] = ["quality at 1000000 nodes, 50000 required"]
        draft.put_json(bundle.QUALITY_FOLDER + name, value)
    reseal(draft)
    monkeypatch.setattr("agzamov_verify.checks.quality_answers.open_judges", asked)
    verdict = check(draft.write(tmp_path), engine)
    assert (failed_steps(verdict), verdict.findings[0].expected) == ([12], "20"), told(verdict)


def test_answers_that_were_not_signed_are_not_read(
    judged_inside: Path, engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = Draft.of(judged_inside)
    names = [name for name in good.files if name.startswith(bundle.QUALITY_FOLDER)]
    signed = good.copy()
    for name in names:
        signed.files[name] = b"?" * len(good.files[name])
    reseal(signed)
    root = signed.write(tmp_path)

    def late(opened: Opened, replayed: Replayed, log: CheckLog, budget: Budget) -> Judged | None:
        for name in names:
            (root / name).write_bytes(good.files[name])
        return read_judged(opened, replayed, log, budget)

    monkeypatch.setattr("agzamov_verify.checks.steps.read_judged", late)
    verdict = check(root, engine)
    assert (failed_steps(verdict), verdict.findings[0].found) == ([12], "other bytes on a second read")


# --- what cannot be shown ---------------------------------------------------------------------------

SPOILT: list[Change] = [
    lambda value: value["matches"][0]["glicko2"]["everything"].update(a=[]),
    lambda value: value["matches"][0]["score"]["everything"].update(ci={"low": "x", "high": "1.0", "method": "m"}),
    lambda value: value["matches"][0]["glicko2"]["everything"]["a"][-1].update(rating="x"),
]


@pytest.mark.parametrize("spoil", SPOILT, ids=["no ratings", "an interval in words", "a rating in words"])
def test_an_analysis_that_cannot_be_shown_is_refused_in_words(spoil: Change, tiny: Path, tmp_path: Path) -> None:
    draft = Draft.of(tiny)
    value = draft.json(bundle.ANALYSIS_FILE)
    spoil(value)
    draft.put_json(bundle.ANALYSIS_FILE, value)
    reseal(draft)
    done = CliRunner().invoke(main, ["show", str(draft.write(tmp_path)), "--details"])
    assert (done.exit_code, type(done.exception)) == (1, SystemExit)
