"""UCI engines at the table: sealed by their digests, asked again where the program is at hand, else attested."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_harness.ports import ChatRequest, PortFault
from agzamov_harness.run.engine_programs import EngineProgram, engine_programs, find_program, with_programs
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.program_consent import outside_engines, require_consent
from agzamov_harness.seat_kinds.uci_kind import UciChatPort
from agzamov_verify.checks.check_log import Number, Status
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core.questions import Message
from agzamov_verify.experiment.matches import Phase
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.plan.plan_problems import problems
from agzamov_verify.seats import AnswerCheck, UciSeat
from agzamov_verify.show.text import verdict_report
from agzamov_verify.table.registry import GAMES
from bundles.bundle_factory import (
    ALL_REPLIES,
    Draft,
    fit_calls,
    make,
    put,
    recorded,
    reindex,
    rescore,
    reseal,
    told,
    world_of,
)
from verify.test_player_engine import fake

GAMES_FOLDER = "/usr/games"
PLAN: dict[str, Any] = {
    "title": "Engines",
    "protocol": "arena-0.1",
    "seats": {"fish": {"kind": "uci", "program": "stockfish", "nodes": 200}, "dice": {"kind": "random"}},
    "chess": {"plies_max": 10, "adjudication": {"policy": "none"}},
    "matches": [{"phase": 6, "game": "chess", "a": "fish", "b": "dice", "games": 2, "block_games": 2}],
}
SEATED = "p6-chess-naked-fish-dice"
WORLDS: dict[str, dict[str, Any]] = {
    "full strength": {"nodes": 500},
    "skill": {"nodes": 500, "options": {"Skill Level": "3"}, "attested": True},
    "elo": {"nodes": 500, "elo": 1400},
}


def installed(program: str) -> str:
    """The program where it is; the test is skipped where it is not."""
    found = shutil.which(program) or shutil.which(program, path=GAMES_FOLDER)
    if not found:
        pytest.skip(f"no {program} here")
    return found


def pinned(seats: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A plan as it is sealed: with the digests and names of its engines."""
    plan = plan_from({**PLAN, "seats": {**PLAN["seats"], **seats}, **changes})
    plan = with_programs(plan, list(engine_programs(plan, Path())))
    names = {name: json.loads(msgspec.json.encode(seat)) for name, seat in plan.seats.items()}
    return {**PLAN, "seats": names, **changes}


def remark(verdict: Verdict) -> str:
    return verdict.steps[Number.SEATS - 1].remark


def checked(bundle: Path, *programs: str) -> Verdict:
    return verify(bundle, Options(limits=ALL_REPLIES, programs=tuple(map(Path, programs))))


@pytest.mark.slow
@pytest.mark.parametrize("strength", WORLDS)
def test_stockfish_at_three_strengths_is_played_and_verified(strength: str, tmp_path: Path) -> None:
    program = installed("stockfish")
    seat = {"kind": "uci", "program": "stockfish", **WORLDS[strength]}
    verdict = checked(make(pinned({"fish": seat}), tmp_path), program)
    assert verdict.level == "V1", told(verdict)
    expected = {
        "full strength": "10 of 10 replies of fish, kind uci",
        "skill": "moves of fish attested (as the plan says)",
        "elo": "moves of fish attested (limited to Elo 1400 it chooses by chance)",
    }
    assert expected[strength] in remark(verdict)


OTHERS = {
    "fairy-stockfish": {"nodes": 300},
    "ethereal-chess": {"nodes": 300},
    "glaurung": {"nodes": 3_000},  # with fewer it may find no move
    "toga2": {"depth": 3},  # it does not know `go nodes`
}


@pytest.mark.slow
@pytest.mark.parametrize("program", OTHERS)
def test_other_engines_are_asked_again_where_their_program_is_named(program: str, tmp_path: Path) -> None:
    path = installed(program)
    seat = {"kind": "uci", "program": program, **OTHERS[program]}
    bundle = make(pinned({"fish": seat}), tmp_path)
    verdict = checked(bundle, path, sys.executable)
    assert (verdict.level, "10 of 10 replies of fish, kind uci" in remark(verdict)) == ("V1", True), told(verdict)
    verdict = checked(bundle, sys.executable)
    assert verdict.level == "V1"
    assert remark(verdict).startswith("moves of fish attested (no program with sha256 ")
    assert "or are not at hand here" in " ".join(verdict_report.details(verdict).split())


@pytest.mark.slow
def test_a_changed_move_is_found_by_whoever_has_the_program_and_attested_by_others(tmp_path: Path) -> None:
    path = installed("stockfish")
    draft = Draft.of(make(pinned({}), tmp_path))
    world, stream = world_of(draft.manifest.plan, None), f"{SEATED}-b00000"

    def answer(question: Any) -> Any:
        given = world(question)
        changed = (question.game, question.turn) == (f"{SEATED}-g00000", 0)
        return msgspec.structs.replace(given, text="MOVE: a2a3") if changed else given

    put(draft, stream, recorded(draft, stream, answer))
    world.close()
    fit_calls(draft, stream)
    reindex(draft)
    rescore(draft)
    reseal(draft)
    forged = draft.write(tmp_path)
    verdict = checked(forged, path)
    assert [finding.place for finding in verdict.findings] == [f"game {SEATED}-g00000 turn 0"]
    assert verdict.steps[Number.SEATS - 1].status is Status.FAIL
    assert checked(forged).level == "V1"


@pytest.mark.slow
def test_a_bundle_cannot_have_a_program_set_an_option_that_writes_files(tmp_path: Path) -> None:
    """A signed bundle may name any option; an engine at hand is not told one that is a text."""
    path, log = installed("stockfish"), tmp_path / "written"
    wished = pinned({})
    wished["seats"]["fish"]["options"] = {"Debug Log File": log.name}
    answers = world_of(plan_from(pinned({})), None)
    verdict = checked(make(wished, tmp_path, answers), path)
    answers.close()
    assert verdict.level == "V1"
    assert "the program could not be asked: option Debug Log File of Stockfish 15.1: expected no value" in remark(
        verdict
    )
    assert not log.exists()
    assert not Path(log.name).exists()


PROBLEMS: dict[str, tuple[dict[str, Any], str]] = {
    "no program": ({"program": ""}, "seats.fish.program: expected a UCI engine"),
    "two limits": ({"nodes": 1, "depth": 1}, "seats.fish.depth: expected nodes or depth, found both"),
    "threads": ({"options": {"Threads": "2"}}, "expected nothing: an engine plays on one thread; found Threads"),
    "hash": ({"options": {"hash": "2"}}, "expected hash_mib; found hash"),
    "elo": ({"options": {"uci_elo": "1400"}}, "expected elo; found uci_elo"),
    "book": ({"options": {"OwnBook": "true"}}, "a book is a file that the program's digest does not cover"),
    "twice": ({"options": {"Contempt": "1", "contempt": "2"}}, "expected each option once"),
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_seat_that_cannot_be_played_is_told_in_one_line(problem: str) -> None:
    changes, words = PROBLEMS[problem]
    with pytest.raises(ManifestError, match=words.split(":")[0]) as error:
        plan_from({**PLAN, "seats": {**PLAN["seats"], "fish": {**PLAN["seats"]["fish"], **changes}}})
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_containers_have_no_image_of_it() -> None:
    with pytest.raises(
        ManifestError, match=r"isolation: expected process: there is no image of the engine of seats.fish"
    ):
        plan_from({**PLAN, "isolation": "container"})


def seat(path: Path, **changes: Any) -> UciSeat:
    return UciSeat(program=str(path), nodes=1, attested=True, **changes)


def test_a_program_that_is_missing_or_another_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(PortFault, match=r"expected a UCI engine, found no program no-such-engine"):
        find_program("fish", UciSeat(program="no-such-engine"), tmp_path)
    path = fake(tmp_path, "say('bestmove e2e4')")
    with pytest.raises(PortFault, match=f"seats.fish.binary_sha256: expected {'ab' * 32}, found"):
        find_program("fish", seat(path, binary_sha256="ab" * 32), tmp_path)
    with pytest.raises(PortFault, match=r"is a script, and its digest says not what it starts"):
        find_program("fish", UciSeat(program="./fakefish"), tmp_path)
    below = UciSeat(program="./fakefish", attested=True)
    assert find_program("fish", below, tmp_path).path == path


def looked_at(engine: UciSeat, game: str, folder: Path) -> None:
    """What is done before a plan is sealed, in a plan of a game."""
    plan = plan_from(PLAN)
    match = GAMES[game].match(a="fish", b="dice", phase=Phase.ARENA)
    plan = msgspec.structs.replace(plan, seats={**plan.seats, "fish": engine}, matches=(match,))
    with_programs(plan, [find_program("fish", engine, folder)])


def test_an_engine_without_chess960_is_refused_for_it(tmp_path: Path) -> None:
    path = fake(tmp_path, "say('bestmove e2e4')")
    with pytest.raises(
        PortFault, match=r"seats.fish: Fakefish 1 has no option UCI_Chess960: it plays chess, not chess960"
    ):
        looked_at(seat(path), "chess960", tmp_path)
    installed("toga2")
    with pytest.raises(PortFault, match=r"Toga II 3.0 has no option UCI_Chess960"):
        looked_at(UciSeat(program="toga2", depth=2), "chess960", tmp_path)


def test_an_engine_with_chess960_is_taken_for_it(tmp_path: Path) -> None:
    installed("fairy-stockfish")
    looked_at(UciSeat(program="fairy-stockfish", nodes=200), "chess960", tmp_path)


def test_an_engine_that_draws_and_does_not_say_so_is_refused(tmp_path: Path) -> None:
    """It answers another move each time that it is asked."""
    answer = "n = globals().get('n', -1) + 1; say('bestmove ' + 'a2a3 b2b3 c2c3 d2d3'.split()[n % 4])"
    path = fake(tmp_path, answer)
    program = EngineProgram("fish", path, "ab" * 32)
    plan = plan_from(PLAN)
    with pytest.raises(PortFault, match=r"seats\.fish: Fakefish 1 answered|answers otherwise when it is asked again"):
        with_programs(plan, [program])


def test_nothing_is_started_without_consent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = fake(tmp_path, "say('bestmove e2e4')")
    plan = plan_from({**PLAN, "seats": {**PLAN["seats"], "fish": json.loads(msgspec.json.encode(seat(path)))}})
    engines = outside_engines(plan, tmp_path)
    assert [engine.program for engine in engines] == [EngineProgram("fish", path, engines[0].program.sha256)]
    with pytest.raises(ManifestError, match=r"seat fish starts a UCI engine that does not come with Agzamov, as you: "):
        require_consent(engines, given=False)
    require_consent(engines, given=True)
    require_consent(engines, given=False)
    path.write_text(path.read_text() + "# another\n")
    with pytest.raises(ManifestError, match=r"--start-programs"):
        require_consent(outside_engines(plan, tmp_path), given=False)


@pytest.mark.parametrize("answer", ["sys.exit(1)", "say('bestmove e2e5')", "say('bestmove ' + 'x' * 9000)"])
def test_an_engine_that_fails_stops_the_run_and_plays_no_move(answer: str, tmp_path: Path) -> None:
    port = UciChatPort(fake(tmp_path, answer), seat(tmp_path / "fakefish"), 1)
    situation = "You play White. A game of chess.\nFEN: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    with pytest.raises(PortFault, match=r"the engine failed: .*; resume the run"):
        port.complete(ChatRequest((Message(situation, "user"),), 0))
    port.close()


def test_the_seat_tells_its_engine_limits_and_what_is_attested() -> None:
    full = UciSeat(engine="Toga II 3.0", binary_sha256="ab" * 32, depth=4)
    assert full.words("") == (
        "UCI engine Toga II 3.0 (sha256 abababababab) at depth 4 a move, hash 16 MiB, no model;"
        " asked again by whoever has the program"
    )
    weak = UciSeat(engine="Stockfish 15.1", elo=1400, options={"Contempt": "0"})
    assert weak.words("") == (
        "UCI engine Stockfish 15.1 at nodes 10000 a move, hash 16 MiB, limited to Elo 1400, Contempt 0, no model;"
        " moves attested"
    )
    assert (full.check, weak.check) == (AnswerCheck.ENGINE, AnswerCheck.FORM)
    assert full.engine_nodes == 1600
    assert hash(full.manner) != hash(weak.manner)
    assert not list(problems(plan_from(PLAN)))
