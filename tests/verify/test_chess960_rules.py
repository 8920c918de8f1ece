"""Chess960 rules against Stockfish's perft, published perft numbers and the chess library's own slow answers."""

import subprocess
from collections import Counter

import chess
import pytest

from agzamov_verify.core.dice import Dice, Stream
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from agzamov_verify.games.chess.rules import DrawClaims, End, Game960
from agzamov_verify.table.declared import Fault, FaultKind

AUTOMATIC, NEVER = DrawClaims.AUTOMATIC, DrawClaims.NEVER
ROOT = bytes(32)
PERFT_DEPTH = 3
STARTS = [chess.Board.from_chess960_pos(number).fen() for number in range(1, 960, 40)]

# Positions and counts to depth 3: https://www.chessprogramming.org/Chess960_Perft_Results
PUBLISHED = {
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9": (21, 528, 12189),
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9": (21, 807, 18002),
    "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9": (20, 479, 10471),
    "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9": (22, 593, 13440),
    "qnbnr1kr/ppp1b1pp/4p3/3p1p2/8/2NPP3/PPP1BPPP/QNB1R1KR w HEhe - 1 9": (29, 899, 26578),
    "bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9": (31, 984, 28677),
    "nqn2krb/p1prpppp/1pbp4/7P/5P2/8/PPPPPKP1/NQNRB1RB w g - 3 9": (21, 461, 10608),
    "nnr1kqbr/pp1pp1p1/2p5/b4p1p/P7/1PNP4/2P1PPPP/N1RBKQBR w HChc - 1 9": (12, 421, 6530),
}


def branch(game: Game960, move: str) -> Game960:
    """A new game, one legal move further."""
    after = Game960(game.start_fen)
    for played in (*game.moves, move):
        read = after.read(played)
        assert isinstance(read, chess.Move)
        after.push(read)
    return after


def library_board(game: Game960) -> chess.Board:
    """The game played by the library alone."""
    board = chess.Board(game.start_fen, chess960=True)
    for text in game.moves:
        board.push_uci(text)
    return board


def perft(game: Game960, depth: int) -> int:
    moves = game.legal_moves()
    return len(moves) if depth == 1 else sum(perft(branch(game, move), depth - 1) for move in moves)


def stockfish_perft(fen: str, depth: int) -> int:
    try:
        engine = find_engine()
    except EngineFault as fault:
        pytest.skip(str(fault))
    commands = f"setoption name UCI_Chess960 value true\nposition fen {fen}\ngo perft {depth}\nquit\n"
    printed = subprocess.run([engine], input=commands, capture_output=True, text=True, check=True).stdout
    return int(printed.partition("Nodes searched: ")[2].split()[0])


@pytest.mark.parametrize(("fen", "leaves"), PUBLISHED.items())
def test_perft_gives_the_published_numbers(fen: str, leaves: tuple[int, ...]) -> None:
    assert leaves == tuple(perft(Game960(fen), depth) for depth in range(1, PERFT_DEPTH + 1))


@pytest.mark.parametrize("fen", STARTS)
def test_perft_of_a_start_is_what_stockfish_counts(fen: str) -> None:
    assert stockfish_perft(fen, PERFT_DEPTH) == perft(Game960(fen), PERFT_DEPTH)


# Random walks: at every ply the text kept by hand must be the library's, and so must the end.


def expected_end(board: chess.Board, claims: DrawClaims) -> End | None:
    """The docstring's order of ends, asked of the library one by one."""
    repetitions, halfmoves = (3, 100) if claims is AUTOMATIC else (5, 150)
    ends = (
        (board.is_checkmate(), End.CHECKMATE),
        (board.is_stalemate(), End.STALEMATE),
        (board.is_insufficient_material(), End.INSUFFICIENT_MATERIAL),
        (
            board.is_repetition(repetitions),
            End.THREEFOLD_REPETITION if claims is AUTOMATIC else End.FIVEFOLD_REPETITION,
        ),
        (board.halfmove_clock >= halfmoves, End.FIFTY_MOVES if claims is AUTOMATIC else End.SEVENTY_FIVE_MOVES),
    )
    return next((end for holds, end in ends if holds), None)


VALUES = {"p": -1, "n": -3, "b": -3, "r": -5, "q": -9, "k": 0, "P": 1, "N": 3, "B": 3, "R": 5, "Q": 9, "K": 0}


FIELDS = (
    *("pawns", "knights", "bishops", "rooks", "queens", "kings", "occupied", "occupied_co", "promoted"),
    *("turn", "castling_rights", "ep_square", "halfmove_clock", "fullmove_number"),
)


def check(game: Game960, board: chess.Board) -> None:
    for field in FIELDS:
        assert getattr(board, field) == getattr(game.board, field), (field, game.fen(), game.moves)
    assert game.board.move_stack == []
    for move in board.pseudo_legal_moves:
        assert board.is_legal(move) == isinstance(game.read(move.uci()), chess.Move), (move, game.fen())
    assert board.fen() == game.fen()
    ranks = [f"{8 - at} {rank}" for at, rank in enumerate(str(board).split("\n"))]
    assert "\n".join([*ranks, "  a b c d e f g h"]) == game.diagram()
    assert sum(VALUES[piece.symbol()] for piece in board.piece_map().values()) == game.material_points()
    for claims in DrawClaims:
        assert expected_end(board, claims) == game.end(claims), (claims, game.fen(), game.moves)


EN_PASSANT_START = "r3k2r/2p1p1p1/8/1P1P1P2/p1p1p1p1/8/1P1P1P1P/R3K2R w KQkq - 0 1"


def is_rare(board: chess.Board, move: chess.Move) -> bool:
    return board.is_castling(move) or board.is_en_passant(move) or move.promotion is not None


def walk(start_fen: str, stream: Stream, plies_max: int, going_back_percent: int) -> Counter[str]:
    """Play at random, fond of rare moves and of undoing the last one, and count what was met."""
    game, board = Game960(start_fen), chess.Board(start_fen, chess960=True)
    met: Counter[str] = Counter()
    while game.ply < plies_max and (moves := game.legal_moves()):
        back = chess.Move.from_uci(game.moves[-2][2:4] + game.moves[-2][:2]).uci() if game.ply > 1 else ""
        goes_back = back in moves and stream.below(100) < going_back_percent
        rare = [text for text in moves if is_rare(board, chess.Move.from_uci(text))]
        move = game.read(back if goes_back else stream.choice(rare if rare and stream.below(2) else moves))
        assert isinstance(move, chess.Move)
        met["castling"] += board.is_castling(move)
        met["en passant"] += board.is_en_passant(move)
        met["promotion"] += move.promotion is not None
        game.push(move)
        board.push(move)
        check(game, board)
        end = game.end(AUTOMATIC)
        met[end.value if end else "none"] += 1
    return met


def bare(number: int) -> str:
    """A start with only kings, rooks and pawns left."""
    board = chess.Board.from_chess960_pos(number)
    for square in chess.scan_forward(board.knights | board.bishops | board.queens):
        board.remove_piece_at(square)
    return board.fen()


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(8))
def test_fen_diagram_material_and_end_are_the_librarys_at_every_ply(chunk: int) -> None:
    stream = Dice(ROOT).stream(f"walk/{chunk}")
    met: Counter[str] = Counter()
    for _ in range(6):
        met += walk(chess.Board.from_chess960_pos(stream.below(960)).fen(), stream, 120, 0)
        met += walk(bare(stream.below(960)), stream, 160, 0)
        met += walk(bare(stream.below(960)), stream, 60, 70)
        met += walk("4k3/P6p/8/3p4/4P3/8/p6P/4K3 w - - 0 1", stream, 60, 0)
    assert min(met["castling"], met["promotion"], met["threefold_repetition"], met["none"]) > 0


def test_random_walks_meet_en_passant_pinned_or_not() -> None:
    stream = Dice(ROOT).stream("walk/en_passant")
    assert sum((walk(EN_PASSANT_START, stream, 14, 0) for _ in range(60)), Counter())["en passant"] > 20


@pytest.mark.slow
def test_the_end_of_any_small_position_is_the_librarys() -> None:
    stream = Dice(ROOT).stream("small")
    met: Counter[End | None] = Counter()
    while met.total() < 3_000:
        board = chess.Board(None, chess960=True)
        corner = [chess.square(file, rank) for file in range(5) for rank in range(5)]
        pieces = [*"Kk", *(stream.choice("QRBNPqrbnp") for _ in range(1 + stream.below(5)))]
        for piece, square in zip(pieces, stream.deal(corner, len(pieces)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(piece))
        board.turn = bool(stream.below(2))
        if board.is_valid():
            game = Game960(board.fen())
            check(game, board)
            met[game.end(AUTOMATIC)] += 1
    assert min(met[End.CHECKMATE], met[End.STALEMATE], met[End.INSUFFICIENT_MATERIAL]) > 10


TEXTS = [chess.square_name(a) + chess.square_name(b) for a in chess.SQUARES for b in chess.SQUARES]
PROMOTIONS = [text + piece for text in TEXTS if text[1] + text[3] in ("78", "21") for piece in "qrbn"]


def legal_texts(game: Game960) -> set[str]:
    """All texts in UCI notation that the game takes for a legal move."""
    return {text for text in TEXTS + PROMOTIONS if isinstance(game.read(text), chess.Move)}


def test_of_all_moves_that_can_be_written_just_the_legal_ones_are_read() -> None:
    """Pins, checks, castling and en passant included: reading takes a shortcut where none of them can matter."""
    stream = Dice(ROOT).stream("written")
    for start in (*STARTS[:6], *(bare(number) for number in range(0, 960, 160)), EN_PASSANT_START):
        game, board = Game960(start), chess.Board(start, chess960=True)
        for _ in range(12):
            assert {move.uci() for move in board.legal_moves} == legal_texts(game), game.fen()
            for _ in range(3):
                moves = game.legal_moves()
                checks = [text for text in moves if board.gives_check(chess.Move.from_uci(text))]
                if moves:
                    move = chess.Move.from_uci(stream.choice(checks or moves))
                    game.push(move)
                    board.push(move)


# Castling in all its spellings.

CASTLINGS = {
    "e1h1": ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"),
    "O-O": ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"),
    "e1a1": ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1", "4k3/8/8/8/8/8/8/2KR3R b - - 1 1"),
    "O-O-O": ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O", "4k3/8/8/8/8/8/8/2KR3R b - - 1 1"),
    "f1g1 takes the rook": ("5k2/8/8/8/8/8/8/R4KR1 w KQ - 0 1", "f1g1", "5k2/8/8/8/8/8/8/R4RK1 b - - 1 1"),
    "f1g1 steps": ("5k2/8/8/8/8/8/8/R4K1R w KQ - 0 1", "f1g1", "5k2/8/8/8/8/8/8/R5KR b - - 1 1"),
    "f1h1": ("5k2/8/8/8/8/8/8/R4K1R w KQ - 0 1", "f1h1", "5k2/8/8/8/8/8/8/R4RK1 b - - 1 1"),
    "O-O from f1": ("5k2/8/8/8/8/8/8/R4KR1 w KQ - 0 1", "O-O", "5k2/8/8/8/8/8/8/R4RK1 b - - 1 1"),
    "O-O-O to the right": ("1k6/8/8/8/8/8/8/RK5R w KQ - 0 1", "O-O-O", "1k6/8/8/8/8/8/8/2KR3R b - - 1 1"),
    "the king stays": ("6k1/8/8/8/8/8/8/R5KR w KQ - 0 1", "g1h1", "6k1/8/8/8/8/8/8/R4RK1 b - - 1 1"),
    "the rook stays": ("4k3/8/8/8/8/8/8/R3KR2 w KQ - 0 1", "e1f1", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"),
    "an inner rook": ("4k3/8/8/8/8/8/8/R4KRR w GA - 0 1", "f1g1", "4k3/8/8/8/8/8/8/R4RKR b - - 1 1"),
    "black": ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "O-O-O", "2kr3r/8/8/8/8/8/8/4K3 w - - 1 2"),
}


@pytest.mark.parametrize(("fen", "text", "after"), CASTLINGS.values(), ids=CASTLINGS.keys())
def test_castling_is_read_as_king_takes_rook_or_as_o_o(fen: str, text: str, after: str) -> None:
    game = Game960(fen)
    move = game.read(text)
    assert isinstance(move, chess.Move)
    game.push(move)
    assert after == game.fen()


def test_castling_stands_in_the_log_as_king_takes_rook() -> None:
    game = branch(Game960("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"), "O-O")
    assert game.moves == ["e1h1"]


def test_x_fen_names_the_castling_rook_once_another_rook_stands_outside_it() -> None:
    """The castling rights have not changed, yet their text has."""
    game = branch(Game960("4k3/8/8/8/8/8/R7/5KR1 w K - 0 1"), "a2h2")
    assert game.fen() == "4k3/8/8/8/8/8/7R/5KR1 b K - 1 1"
    game = branch(branch(game, "e8e7"), "h2h1")
    assert game.fen() == "8/4k3/8/8/8/8/8/5KRR b G - 3 2"
    game = branch(branch(game, "e7e8"), "h1h2")
    assert game.fen() == "4k3/8/8/8/8/8/7R/5KR1 b K - 5 3"


ILLEGAL_TEXTS = {
    "the king's two steps of standard chess": ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1"),
    "castling without the right": ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "e1h1"),
    "O-O without the right": ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "O-O"),
    "castling out of check": ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", "O-O"),
    "castling through check": ("4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1", "e1h1"),
    "castling over a piece": ("4k3/8/8/8/8/8/8/R3KB1R w KQ - 0 1", "O-O"),
    "taking one's own rook without the right": ("4k3/8/8/8/8/8/8/5KRR w - - 0 1", "f1g1"),
    "an empty square's move": (STARTS[0], "e4e5"),
    "the other side's move": (STARTS[0], "e7e5"),
    "a move that leaves the king in check": ("4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1", "e2d3"),
    "a promotion without its piece": ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8"),
    "a promotion by a piece that is no pawn": ("8/4R3/6k1/8/8/8/8/4K3 w - - 0 1", "e7e8q"),
    "a pinned en passant capture": ("8/8/8/K2pP2r/8/8/8/6k1 w - d6 0 1", "e5d6"),
}


@pytest.mark.parametrize(("fen", "text"), ILLEGAL_TEXTS.values(), ids=ILLEGAL_TEXTS.keys())
def test_a_move_that_is_not_legal_here_is_illegal(fen: str, text: str) -> None:
    fault = Game960(fen).read(text)
    assert (FaultKind.ILLEGAL, f"{text} is not legal in this position") == (fault.kind, fault.why)


@pytest.mark.parametrize(
    "text",
    [
        *("", "e4", "Nf3", "e2-e4", "e2 e4", "E2E4", "e2e4.", "e2e9", "i2i4", "e2e2", "0000", "--", "e7e8k", "e7e8Q"),
        *("e2e4q", "0-0", "o-o", "O-O+", "O-O-O-O", "castle", "e2e4 e7e5", "\u04352\u04354", "x" * 100_000),
    ],
)
def test_text_that_is_no_move_declares_no_action(text: str) -> None:
    fault = Game960(STARTS[0]).read(text)
    assert isinstance(fault, Fault)
    assert (fault.kind, len(fault.why) < 60) == (FaultKind.NO_ACTION, True)


# Ends, each with the position one step short of it.


def played(fen: str, moves: str) -> Game960:
    game = Game960(fen)
    for text in moves.split():
        move = game.read(text)
        assert isinstance(move, chess.Move), (text, move)
        game.push(move)
    return game


# The quickest mate of start 925, the king on b1 and the queen on e8.
START_925 = chess.Board.from_chess960_pos(925).fen()
ENDS = {
    "a queen mates in four plies": (START_925, "b2b4 d7d6 b4b5 e8b5", End.CHECKMATE),
    "mate by promotion": ("k7/7P/1K6/8/8/8/8/8 w - - 0 1", "h7h8q", End.CHECKMATE),
    "no mate by promotion to a bishop": ("k7/7P/1K6/8/8/8/8/8 w - - 0 1", "h7h8n", End.INSUFFICIENT_MATERIAL),
    "mate on the hundredth half-move": ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", "a1a8", End.CHECKMATE),
    "stalemate": ("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "g5g6", End.STALEMATE),
    "no stalemate with a pawn to move": ("7k/p4Q2/8/6K1/8/8/8/8 w - - 0 1", "g5g6", None),
    "stalemate with a pawn that is blocked": ("7k/p4Q2/P7/6K1/8/8/8/8 w - - 0 1", "g5g6", End.STALEMATE),
    "stalemate with a pinned pawn": ("7k/4N1p1/8/4B3/8/8/2B5/K7 w - - 0 1", "c2d3", End.STALEMATE),
    "stalemate with a bishop walled in": ("8/4b3/8/8/8/1p6/1P3k2/B6K b - - 0 1", "e7d6", End.STALEMATE),
    "no stalemate with a bishop at large": ("8/4b3/8/8/8/1p6/5k2/B6K b - - 0 1", "e7d6", None),
    "no stalemate with a pawn pinned along its file": ("6k1/6p1/8/8/8/6R1/7R/K4R2 w - - 0 1", "a1b1", None),
    "the last pawn is taken": ("4k3/8/8/8/8/8/3p4/3K4 w - - 0 1", "d1d2", End.INSUFFICIENT_MATERIAL),
    "a rook is left": ("4k2r/8/8/8/8/8/3p4/3K4 w - - 0 1", "d1d2", None),
    "bishops of one colour are left": ("4kb2/8/8/8/8/8/3p4/3KB3 w - - 0 1", "d1d2", End.INSUFFICIENT_MATERIAL),
    "bishops of both colours are left": ("4kb2/8/8/8/8/8/3p4/3K1B2 w - - 0 1", "d1d2", None),
    "one minor piece is left": ("4kb2/8/8/8/8/8/3p4/3K4 w - - 0 1", "d1d2", End.INSUFFICIENT_MATERIAL),
    "the hundredth half-move": ("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", "a1a2", End.FIFTY_MOVES),
    "the ninety-ninth half-move": ("4k3/8/8/8/8/8/8/R3K3 w - - 98 80", "a1a2", None),
    "a capture on the hundredth": ("4k3/8/8/8/8/8/r7/R3K3 w - - 99 80", "a1a2", None),
    "a pawn moves on the hundredth": ("4k3/8/8/8/8/8/P7/R3K3 w - - 99 80", "a2a3", None),
}


@pytest.mark.parametrize(("fen", "moves", "end"), ENDS.values(), ids=ENDS.keys())
def test_a_game_ends_as_the_laws_say(fen: str, moves: str, end: End | None) -> None:
    game = played(fen, moves)
    assert end == game.end(AUTOMATIC)
    assert end == expected_end(library_board(game), AUTOMATIC)


KNIGHTS_OUT_AND_HOME = "f1g3 f8g6 g3f1 g6f8 "


def test_the_third_occurrence_ends_the_game_and_not_one_ply_earlier() -> None:
    assert played(START_925, KNIGHTS_OUT_AND_HOME * 2).end(AUTOMATIC) is End.THREEFOLD_REPETITION
    one_short = played(START_925, (KNIGHTS_OUT_AND_HOME * 2).removesuffix("g6f8 "))
    assert library_board(one_short).can_claim_threefold_repetition()  # where outcome(claim_draw=True) already ends it
    assert one_short.end(AUTOMATIC) is None


def test_a_position_of_another_castling_right_is_another_position() -> None:
    """The diagram stands a third time at ply 8, but at ply 0 White could still castle."""
    game = played("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1e2 e8e7 e2e1 e7e8 " * 2)
    assert game.end(AUTOMATIC) is None
    assert branch(game, "e1e2").end(AUTOMATIC) is End.THREEFOLD_REPETITION


SHUFFLE = "e8d8 g1h1 d8e8 h1g1 "


def test_a_legal_en_passant_capture_makes_another_position() -> None:
    game = played("4k3/8/8/8/4p3/8/3P4/R5K1 w - - 0 1", "d2d4")
    assert game.fen() == "4k3/8/8/8/3Pp3/8/8/R5K1 b - d3 0 1"
    game = played(game.start_fen, "d2d4 " + SHUFFLE * 2)
    assert game.end(AUTOMATIC) is None
    assert branch(game, "e8d8").end(AUTOMATIC) is End.THREEFOLD_REPETITION


def test_a_pinned_en_passant_capture_does_not() -> None:
    game = played("4k3/8/8/8/4p3/8/3P4/4R1K1 w - - 0 1", "d2d4")
    assert game.fen() == "4k3/8/8/8/3Pp3/8/8/4R1K1 b - - 0 1"
    assert played(game.start_fen, "d2d4 " + SHUFFLE * 2).end(AUTOMATIC) is End.THREEFOLD_REPETITION


def test_an_en_passant_capture_takes_the_pawn_off_the_board() -> None:
    game = played("4k3/8/8/8/4p3/8/3P4/R5K1 w - - 0 1", "d2d4 e4d3")
    assert game.fen() == "4k3/8/8/8/8/3p4/8/R5K1 w - - 0 2"


def test_without_claims_only_the_fifth_occurrence_ends_the_game() -> None:
    assert played(START_925, KNIGHTS_OUT_AND_HOME * 2).end(NEVER) is None
    assert played(START_925, (KNIGHTS_OUT_AND_HOME * 4).removesuffix("g6f8 ")).end(NEVER) is None
    assert played(START_925, KNIGHTS_OUT_AND_HOME * 4).end(NEVER) is End.FIVEFOLD_REPETITION


@pytest.mark.parametrize(("clock", "end"), [(99, None), (148, None), (149, End.SEVENTY_FIVE_MOVES)])
def test_without_claims_only_the_150th_half_move_ends_the_game(clock: int, end: End | None) -> None:
    assert end == played(f"4k3/8/8/8/8/8/8/R3K3 w - - {clock} 99", "a1a2").end(NEVER)


@pytest.mark.parametrize(("piece", "after"), ["qQ", "rR", "bB", "nN"])
def test_a_promoted_pawn_becomes_the_declared_piece(piece: str, after: str) -> None:
    assert played("8/P6k/8/8/8/8/8/K7 w - - 0 1", f"a7a8{piece}").fen() == f"{after}7/7k/8/8/8/8/8/K7 b - - 0 1"


def test_a_promoted_piece_in_a_start_is_a_piece_like_any_other() -> None:
    game = played("4k3/8/8/8/8/8/8/Q~3K3 w - - 0 1", "a1a4 e8e7")
    assert game.start_fen == "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"
    assert game.fen() == library_board(game).fen()


@pytest.mark.parametrize(
    "fen",
    [
        "",
        "not a position",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/P3K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w KQ - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1\nquit",
    ],
)
def test_a_start_that_is_no_legal_position_is_refused(fen: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Game960(fen)
