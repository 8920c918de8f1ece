"""The real engine: pinned by name and net, one score for one question, whatever was asked before."""

from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import msgspec
import pytest

from agzamov_verify.core.questions import LINE_MOVES_MAX, TOOL, Evaluate, Evaluation, Examine, ExaminedMove
from agzamov_verify.engines import uci_engine
from agzamov_verify.engines.uci_engine import NAME, NET_SHA256, PLACES, EngineFault, UciEngine, find_engine, legal_after

HASH_MIB, NODES = 16, 5_000
START = chess.Board.from_chess960_pos(925).fen()
MATE_IN_ONE = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"

try:
    ENGINE = find_engine()
    MISSING = ""
except EngineFault as fault:
    ENGINE, MISSING = Path(PLACES[0]), str(fault)

needs_engine = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@pytest.fixture
def engine() -> Iterator[UciEngine]:
    with UciEngine(ENGINE, HASH_MIB) as running:
        yield running


def position(start_fen: str, moves: str = "") -> Evaluate:
    return Evaluate(game="g00000", moves=moves, start_fen=start_fen, turn=len(moves.split()), to=ENGINE)


OPENING = "b2b4 d7d6 f1g3 f8g6 e1d2 e8d7"
KNIGHTS_OUT_AND_HOME = "f1g3 f8g6 g3f1 g6f8"
QUESTIONS = [position(START, " ".join(OPENING.split()[:ply])) for ply in range(7)]


@needs_engine
def test_the_installed_engine_is_the_pinned_one(engine: UciEngine) -> None:
    assert (engine.name, engine.net_sha256()) == (NAME, NET_SHA256)


@needs_engine
def test_a_program_exports_its_net_once_in_a_process_and_a_changed_one_again(
    engine: UciEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uci_engine, "_EXPORTED", set())
    exported = []
    net_sha256 = UciEngine.net_sha256
    monkeypatch.setattr(UciEngine, "net_sha256", lambda running: exported.append(running) or net_sha256(running))
    for _ in range(2):
        engine.require(NAME, NET_SHA256)
    with UciEngine(ENGINE, HASH_MIB) as another:
        another.require(NAME, NET_SHA256)
    assert exported == [engine]
    changed = tmp_path / "stockfish"
    changed.write_bytes(ENGINE.read_bytes() + b"changed")
    changed.chmod(0o700)
    with UciEngine(changed, HASH_MIB) as another:
        another.require(NAME, NET_SHA256)
        assert exported == [engine, another]
    for _ in range(2):  # what was found wrong is asked for again
        with pytest.raises(EngineFault, match="expected the net 0000000000000000"):
            engine.require(NAME, "0" * 64)
    assert len(exported) == 4


@needs_engine
@pytest.mark.parametrize(
    ("fen", "mate"),
    [
        (MATE_IN_ONE, 1),
        ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", -1),
        ("7K/8/6k1/8/8/8/8/r7 b - - 0 1", 1),
    ],
)
def test_a_mate_is_positive_for_the_side_to_move_that_gives_it(engine: UciEngine, fen: str, mate: int) -> None:
    assert engine.evaluate(position(fen), NODES) == Evaluation(None, mate)


@needs_engine
def test_a_score_is_seen_from_the_side_to_move(engine: UciEngine) -> None:
    queen_up = "4k3/pppppppp/8/8/8/8/PPPPPPPP/3QK3 {} - - 0 1"
    white, black = (engine.evaluate(position(queen_up.format(side)), NODES).centipawns for side in "wb")
    assert white is not None
    assert black is not None
    assert white > 300
    assert black < -300


@needs_engine
def test_the_same_question_gets_the_same_score_twice_in_any_order_and_process(engine: UciEngine) -> None:
    scores = [engine.evaluate(question, NODES) for question in QUESTIONS]
    assert scores == [engine.evaluate(question, NODES) for question in QUESTIONS]
    assert scores[::-1] == [engine.evaluate(question, NODES) for question in QUESTIONS[::-1]]
    with UciEngine(ENGINE, HASH_MIB) as other:
        assert scores[3] == other.evaluate(QUESTIONS[3], NODES)
    assert len(set(scores)) > 1


@needs_engine
def test_other_nodes_give_another_score(engine: UciEngine) -> None:
    assert any(engine.evaluate(question, NODES) != engine.evaluate(question, 100 * NODES) for question in QUESTIONS[:2])


@needs_engine
def test_the_moves_before_a_position_are_part_of_the_question(engine: UciEngine) -> None:
    """The knights went out and home: the engine knows that one more round is near a repetition."""
    board = chess.Board(START, chess960=True)
    for move in KNIGHTS_OUT_AND_HOME.split():
        board.push_uci(move)
    with_history = engine.evaluate(position(START, KNIGHTS_OUT_AND_HOME), NODES)
    assert with_history != engine.evaluate(position(board.fen()), NODES)
    assert with_history == engine.evaluate(position(START, KNIGHTS_OUT_AND_HOME), NODES)


@needs_engine
def test_the_best_move_of_a_mate_in_one_is_the_mate(engine: UciEngine) -> None:
    assert engine.best_move(MATE_IN_ONE, "", "nodes 1000") == "a1a8"


@needs_engine
def test_castling_moves_are_understood_as_king_takes_rook(engine: UciEngine) -> None:
    castled = engine.evaluate(position("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1f1"), NODES)
    assert castled != engine.evaluate(position("4k3/8/8/8/8/8/8/4KR2 w F - 0 1"), NODES)


@needs_engine
@pytest.mark.parametrize(
    ("start_fen", "moves"),
    [(START + "\nquit", ""), (START + "\nsetoption name Debug Log File value /tmp/x", ""), (START, "b2b4\nquit")],
)
def test_a_question_with_a_second_line_never_reaches_the_engine(engine: UciEngine, start_fen: str, moves: str) -> None:
    with pytest.raises((ValueError, EngineFault)):
        engine.evaluate(position(start_fen, moves), NODES)
    assert engine.evaluate(position(MATE_IN_ONE), NODES) == Evaluation(None, 1)


@needs_engine
def test_an_engine_that_has_died_is_a_fault_and_may_be_closed_twice(engine: UciEngine) -> None:
    engine._wire.cut()
    with pytest.raises(EngineFault, match="the engine process has ended"):
        engine.evaluate(QUESTIONS[0], NODES)
    engine.close()
    engine.close()


@needs_engine
def test_an_engine_given_by_its_path_is_found() -> None:
    assert find_engine(str(ENGINE)) == ENGINE


def test_a_missing_engine_is_a_fault_that_says_what_to_install() -> None:
    with pytest.raises(EngineFault, match=r"no engine at /nowhere/stockfish; install Stockfish 15\.1"):
        find_engine("/nowhere/stockfish")


def test_a_file_that_is_no_program_is_a_fault(tmp_path: Path) -> None:
    program = tmp_path / "engine"
    program.write_text("hello")
    program.chmod(0o755)
    with pytest.raises(EngineFault, match="cannot start"):
        UciEngine(program, HASH_MIB)


def test_a_program_that_is_no_engine_is_a_fault() -> None:
    with pytest.raises(EngineFault, match="at /bin/true, found a program that ended before `uciok`"):
        UciEngine(Path("/bin/true"), HASH_MIB)


def test_a_wrapper_ends_with_the_program_that_it_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(uci_engine, "HANDSHAKE_S", 0.3)
    wrapper = tmp_path / "engine"
    wrapper.write_text("#!/bin/sh\ncat\n")
    wrapper.chmod(0o755)
    with pytest.raises(EngineFault, match=r"no `uciok` within 0\.3 s"):
        UciEngine(wrapper, HASH_MIB)


def test_a_program_that_never_answers_is_ended_and_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uci_engine, "HANDSHAKE_S", 0.2)
    with pytest.raises(EngineFault, match=r"expected a UCI engine at /bin/cat, found no `uciok` within 0\.2 s"):
        UciEngine(Path("/bin/cat"), HASH_MIB)


def test_an_engine_that_is_slow_to_start_is_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(uci_engine, "HANDSHAKE_S", 60)
    slow = tmp_path / "engine"
    slow.write_text("#!/bin/sh\nsleep 1\necho id name Slow\necho uciok\ncat\n")
    slow.chmod(0o755)
    with UciEngine(slow, HASH_MIB) as engine:
        assert engine.name == "Slow"


def test_an_engine_gets_no_key_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    nosy = tmp_path / "engine"
    nosy.write_text(f"#!/bin/sh\nenv > {tmp_path}/seen\necho uciok\ncat\n")
    nosy.chmod(0o755)
    with UciEngine(nosy, HASH_MIB):
        seen = (tmp_path / "seen").read_text()
    assert "sk-planted" not in seen
    assert "LC_ALL=C.UTF-8" in seen
    assert "PATH=" in seen


# --- as a tool -----------------------------------------------------------------------------------


def examination(*candidates: str, start_fen: str = START, moves: str = "") -> Examine:
    return Examine(
        attempt=0,
        candidates=candidates,
        game="g00000",
        moves=moves,
        nodes=2_000,
        start_fen=start_fen,
        turn=0,
        to=TOOL,
    )


@needs_engine
def test_candidates_are_examined_each_apart_whatever_was_asked_before(engine: UciEngine) -> None:
    both, one, other = (engine.examine(examination(*moves)) for moves in (("b2b4", "c2c3"), ("b2b4",), ("c2c3",)))
    assert both.moves == (*one.moves, *other.moves)
    with UciEngine(ENGINE, HASH_MIB) as another:
        assert another.examine(examination("c2c3", "b2b4")).moves == both.moves[::-1]


@needs_engine
def test_a_line_begins_with_its_candidate_and_is_legal(engine: UciEngine) -> None:
    answer = engine.examine(examination("b2b4", "c2c3", moves="d2d4 d7d5"))
    for candidate, move in zip(("b2b4", "c2c3"), answer.moves, strict=True):
        line = move.line.split()
        assert line[0] == candidate
        assert 1 < len(line) <= LINE_MOVES_MAX
        board = chess.Board(START, chess960=True)
        for text in ("d2d4", "d7d5", *line):
            assert chess.Move.from_uci(text) in board.legal_moves
            board.push_uci(text)


@needs_engine
def test_a_mate_and_a_worse_move_are_told_apart(engine: UciEngine) -> None:
    answer = engine.examine(examination("a1a8", "a1b1", start_fen=MATE_IN_ONE))
    assert answer.moves[0] == ExaminedMove(None, "a1a8", 1)
    assert answer.moves[1] != answer.moves[0]


def independent_search(only: list[str] | None) -> tuple[str, int]:
    """The best move among `only` in START, and its last exact value, by python-chess's own client of that engine."""
    board = chess.Board(START, chess960=True)
    moves = [chess.Move.from_uci(move) for move in only] if only else None
    with chess.engine.SimpleEngine.popen_uci(str(ENGINE)) as other:
        other.configure({"Threads": 1, "Hash": HASH_MIB})
        with other.analysis(board, chess.engine.Limit(nodes=2_000), root_moves=moves) as analysis:
            told = [info for info in analysis if "score" in info and not {"lowerbound", "upperbound"} & set(info)]
            best = analysis.wait().move
    assert best
    return best.uci(), told[-1]["score"].relative.score(mate_score=10**6)


@needs_engine
def test_best_lines_are_those_that_another_client_finds_one_after_another(engine: UciEngine) -> None:
    left = legal_after(START, "")
    expected: list[tuple[str, int]] = []
    for _ in range(3):
        expected.append(independent_search(left if expected else None))
        left.remove(expected[-1][0])
    answer = engine.examine(msgspec.structs.replace(examination(), lines_max=3))
    assert [(move.line.partition(" ")[0], move.centipawns) for move in answer.moves] == expected


@needs_engine
def test_the_start_position_has_an_exact_score_where_the_last_line_is_a_bound(engine: UciEngine) -> None:
    """At 1,000 nodes the last line says at most -1.10; a tool told that as the value of the start position."""
    question = msgspec.structs.replace(examination(start_fen=chess.STARTING_FEN), nodes=1_000)
    lines = list(engine._search(question.start_fen, "", "nodes 1000"))
    assert " score cp -110 upperbound " in lines[-2]
    (told,) = engine.examine(question).moves
    assert (told.centipawns, engine.evaluate(position(chess.STARTING_FEN), 1_000)) == (58, Evaluation(58, None))
    assert engine.search(chess.STARTING_FEN, "", 1_000) == (lines[-1].split()[1], Evaluation(58, None))


@needs_engine
@pytest.mark.parametrize("nodes", [1, 2, 20, 200])
def test_a_search_of_hardly_any_nodes_has_an_exact_score_too(engine: UciEngine, nodes: int) -> None:
    """Its first depths are searched within all values, and so much of them as is done is told."""
    for question in QUESTIONS[:5]:
        for only in ("", legal_after(question.start_fen, question.moves)[0]):
            assert engine.search(question.start_fen, question.moves, nodes, only)[1].centipawns is not None


@needs_engine
def test_a_finished_game_is_no_question_and_the_fault_names_it(engine: UciEngine) -> None:
    mated = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"
    with pytest.raises(EngineFault, match=rf"found no score, from {mated} after no moves, nodes {NODES}$"):
        engine.evaluate(position(mated), NODES)
    assert engine.evaluate(position(MATE_IN_ONE), NODES) == Evaluation(None, 1)


@needs_engine
def test_the_value_of_a_position_is_that_of_a_search_of_all_its_moves(engine: UciEngine) -> None:
    (found,) = engine.examine(examination()).moves
    assert found.centipawns == engine.evaluate(position(START), 2_000).centipawns


@needs_engine
def test_where_few_moves_are_legal_so_many_best_lines_are_found(engine: UciEngine) -> None:
    cornered = "7k/8/5K2/8/8/8/8/6R1 b - - 0 1"
    answer = engine.examine(msgspec.structs.replace(examination(start_fen=cornered), lines_max=10))
    assert sorted(move.line.partition(" ")[0] for move in answer.moves) == legal_after(cornered, "") == ["h8h7"]
