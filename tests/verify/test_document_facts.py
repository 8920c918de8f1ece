"""The facts of the shipped documents that can be computed, from the numbers in their text; and their sources."""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb

import chess
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.documents.library import documents, irrelevant_document, passages
from agzamov_verify.games.chess.situation_words import POINTS
from agzamov_verify.games.holdem.cards import CARDS, DECK, evaluate, handtype
from agzamov_verify.games.holdem.rules import BIG_BLIND, SMALL_BLIND, ActionKind, Deal, Hand, PokerAction
from agzamov_verify.games.holdem.starting_hands import combos, meetings
from verify.endings import KING_MOVES, TRIANGLE, Position, is_legal, is_mate, solved

BASICS = documents("basics")
TEXTS = {"chess960": BASICS["chess960"], "holdem": BASICS["holdem"], "astronomy": irrelevant_document()}
STARTS = tuple(chess.Board.from_chess960_pos(number) for number in range(960))
SOURCE = re.compile(r'^- "(.+?)": (.+)\.$', re.MULTILINE)

WHOLE = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "eight": 8, "nine": 9, "half": 2}
PARTS = {"half": 2, "third": 3, "quarter": 4, "sixth": 6}
SPOKEN = "|".join(WHOLE)

COMPUTED = {
    "chess960": {
        "In the opening of Chess960",
        "Look in the opening at",
        "Bring knights and bishops",
        "Castling in Chess960 ends",
        "Castle early while the",
        "Keep the pawns in",
        "A king in check",
        "Before every move look",
        "Whoever is behind in",
        "With king and pawn",
        "To mate a bare",
    },
    "holdem": {
        "On the button before",
        "In the big blind",
        "Pot odds for a",
        "Count the outs of",
        "On the flop most",
        "On the turn one",
        "Facing a bet on",
        "The size of a",
    },
    "astronomy": {
        "The Sun is a",
        "Mercury is the planet",
        "Venus is nearly as",
        "The Moon always shows",
        "Jupiter is the largest",
        "Uranus lies on its",
        "The nearest star beyond",
    },
}
"""The first words of the passages of which something is computed here."""


def told(name: str, beginning: str) -> str:
    """The passage that begins so."""
    [passage] = [text for text in passages(TEXTS[name]) if text.startswith(beginning)]
    return passage


def read(pattern: str, text: str) -> tuple[str, ...]:
    """The groups of the one place where a passage says so."""
    [found] = list(re.finditer(pattern, text))
    return found.groups()


def counts(pattern: str, text: str) -> list[int]:
    return [WHOLE[group] if group in WHOLE else int(group.replace(",", "")) for group in read(pattern, text)]


def one_in(pattern: str, text: str) -> list[Fraction]:
    """Chances that are written as "one time in four"."""
    return [Fraction(1, WHOLE[group]) for group in read(pattern, text)]


# --- sources -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTS)
def test_every_passage_has_one_source_line_in_its_order(name: str) -> None:
    beginnings = [beginning for beginning, _ in SOURCE.findall(TEXTS[name].partition("\n---\n")[0])]
    told_passages = passages(TEXTS[name])
    assert len(beginnings) == len(told_passages)
    for beginning, passage in zip(beginnings, told_passages, strict=True):
        assert passage.startswith(beginning)


@pytest.mark.parametrize("name", TEXTS)
def test_what_a_source_line_calls_computed_is_computed_here(name: str) -> None:
    lines = SOURCE.findall(TEXTS[name].partition("\n---\n")[0])
    assert {beginning for beginning, sources in lines if "Computed" in sources} == COMPUTED[name]


@pytest.mark.parametrize("name", TEXTS)
def test_every_short_name_of_a_source_is_explained(name: str) -> None:
    header = TEXTS[name].partition("\n---\n")[0]
    explained = set(re.findall(r"(?:^|\. )(Robert's Rules|[A-Z][A-Za-z]+): ", header, re.MULTILINE))
    for _, sources in SOURCE.findall(header):
        for source in re.sub(r"\([^)]*\)", "", sources).split(";"):
            named = re.match(r" *(Robert's Rules|[A-Z][A-Za-z]+)", source)
            assert named is None or named.group(1) in explained | {"The"}, source
            assert named or re.match(r" *(\d|.*advice of our own|the points|that a check)", source), source


# --- Chess960 ------------------------------------------------------------------------------------


def test_the_number_of_starts_is_that_of_the_orders_which_the_laws_allow() -> None:
    text = told("chess960", "In the opening of Chess960")
    allowed = 0
    for order in {"".join(pieces) for pieces in permutations("RNBQKBNR")}:
        bishops = [place for place, piece in enumerate(order) if piece == "B"]
        allowed += order.index("R") < order.index("K") < order.rindex("R") and sum(bishops) % 2 == 1
    assert counts(r"drawn by lot out of (\d+)", text) == [allowed] == [len(STARTS)]


def undefended(board: chess.Board, side: chess.Color) -> list[chess.Square]:
    rank = chess.BB_RANK_2 if side else chess.BB_RANK_7
    return [square for square in chess.SquareSet(rank) if not board.is_attacked_by(side, square)]


def is_attacked_after_a_pawn_move(start: chess.Board) -> bool:
    """True if a pawn move of White lets a queen or bishop on its first square attack an undefended pawn."""
    long = start.occupied_co[chess.WHITE] & (start.queens | start.bishops)
    targets = undefended(start, chess.BLACK)
    for move in start.legal_moves:
        if start.piece_type_at(move.from_square) == chess.PAWN:
            after = start.copy(stack=False)
            after.push(move)
            if any(after.attackers_mask(chess.WHITE, square) & long for square in targets):
                return True
    return False


def test_starts_with_an_undefended_pawn_and_with_an_attack_on_one_are_counted() -> None:
    text = told("chess960", "Look in the opening at")
    some = sum(bool(undefended(start, chess.WHITE)) for start in STARTS)
    attacked = sum(map(is_attacked_after_a_pawn_move, STARTS))
    assert counts(r"in (\d+) of the (\d+) starts at least one", text) == [some, len(STARTS)]
    assert counts(r"In (\d+) starts a queen or bishop", text) == [attacked]
    assert undefended(chess.Board(), chess.WHITE) == []


def test_a_knight_attacks_so_many_squares_near_the_centre_and_in_a_corner() -> None:
    text = told("chess960", "Bring knights and bishops")
    squares = [chess.popcount(chess.BB_KNIGHT_ATTACKS[square]) for square in chess.SQUARES]
    assert counts(rf"attacks up to ({SPOKEN}) squares, in a corner only ({SPOKEN})", text) == [
        max(squares),
        squares[chess.A1],
    ]
    assert all(squares[square] == max(squares) for square in chess.SquareSet(chess.BB_CENTER))


def castling_cases() -> Iterator[tuple[int, int, int, int]]:
    """King's and rook's file, and those on which they end as the passage says."""
    text = told("chess960", "Castling in Chess960 ends")
    ends = read(
        r"h-side the king comes to the (.)-file and the rook to the (.)-file,"
        r" towards the a-side the king comes to the (.)-file and the rook to the (.)-file",
        text,
    )
    h_king, h_rook, a_king, a_rook = ("abcdefgh".index(file) for file in ends)
    for king, rook in permutations(range(8), 2):
        if 0 < king < 7:
            yield king, rook, *((h_king, h_rook) if rook > king else (a_king, a_rook))


def may_castle(king: int, rook: int, extra: dict[chess.Square, chess.Piece]) -> set[tuple[int, int]]:
    """The ends of king and rook by castling with this rook, beside which there are these pieces."""
    board = chess.Board(None, chess960=True)
    board.set_piece_at(king, chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(rook, chess.Piece(chess.ROOK, chess.WHITE))
    board.set_piece_at(chess.A5 if rook else chess.H5, chess.Piece(chess.KING, chess.BLACK))
    for square, piece in extra.items():
        board.set_piece_at(square, piece)
    board.castling_rights = chess.BB_SQUARES[rook]
    found = set()
    for move in board.generate_castling_moves():
        after = board.copy()
        after.push(move)
        [rook_end] = [square for square in after.pieces(chess.ROOK, chess.WHITE) if square < 8]
        found.add((after.king(chess.WHITE) or 0, rook_end))
    return found


def test_castling_needs_what_the_passage_says_and_no_more() -> None:
    """One piece on any other square of the first rank, and one attack down any file, for each place of both pieces."""
    knight, enemy = chess.Piece(chess.KNIGHT, chess.WHITE), chess.Piece(chess.ROOK, chess.BLACK)
    for king, rook, king_end, rook_end in castling_cases():
        walk = set(range(min(king, king_end), max(king, king_end) + 1))
        crossed = walk | set(range(min(rook, rook_end), max(rook, rook_end) + 1))
        assert may_castle(king, rook, {}) == {(king_end, rook_end)}
        for square in {*range(8)} - {king, rook}:
            assert bool(may_castle(king, rook, {square: knight})) == (square not in crossed)
        for file in range(8):
            assert bool(may_castle(king, rook, {chess.square(file, 7): enemy})) == (file not in walk)


def test_so_many_kings_start_on_the_files_that_are_named() -> None:
    text = told("chess960", "Castle early while the")
    number, starts, first, second = read(r"In (\d+) of the (\d+) starts .* on the (.)-file or the (.)-file", text)
    files = [chess.FILE_NAMES[chess.square_file(start.king(chess.WHITE) or 0)] for start in STARTS]
    assert (int(number), int(starts)) == (files.count(first) + files.count(second), len(STARTS))


def test_a_pawn_never_guards_again_what_it_guarded_before_a_step() -> None:
    assert "A pawn never goes back" in told("chess960", "Keep the pawns in")
    guarded = chess.BB_PAWN_ATTACKS[chess.WHITE]
    for square in range(chess.A2, chess.A8):
        assert not any(guarded[square] & guarded[later] for later in range(square + 8, chess.A8, 8))


def ways_out(board: chess.Board) -> Iterator[tuple[str, int, bool]]:
    """Of each legal move in check: its kind, the number of checks, and whether a knight gives one."""
    king = board.king(board.turn)
    assert king is not None
    checkers = board.checkers()
    for move in board.legal_moves:
        taken = move.to_square + (-8 if board.turn else 8) if board.is_en_passant(move) else move.to_square
        if move.from_square == king:
            kind = "move"
        elif taken in checkers:
            kind = "take"
        else:
            assert all(move.to_square in chess.SquareSet.between(king, checker) for checker in checkers)
            kind = "between"
        yield kind, len(checkers), any(board.piece_type_at(checker) == chess.KNIGHT for checker in checkers)


@pytest.mark.slow
def test_ways_out_of_check_are_the_three_of_the_passage() -> None:
    text = told("chess960", "A king in check")
    found = set()
    for game in range(150):
        draws, board = Dice(bytes(32)).stream(f"check {game}"), STARTS[game * 6].copy()
        for _ in range(120):
            moves = sorted(board.legal_moves, key=chess.Move.uci)
            if not moves:
                break
            if board.is_check():
                found |= set(ways_out(board))
            board.push(draws.choice(moves))
    assert counts(rf"at most ({SPOKEN}) ways out", text) == [len({kind for kind, _, _ in found})]
    assert {kind for kind, checks, _ in found if checks == 2} == {"move"}
    assert {kind for kind, _, by_knight in found if by_knight} == {"take", "move"}


def test_to_take_what_is_worth_more_gains_points_even_if_the_taker_is_lost() -> None:
    assert "worth more than the piece that takes it may be taken" in told("chess960", "Before every move look")
    count = told("chess960", "Count an exchange before")
    [queen, rook, minor, pawn] = counts(
        rf"A queen counts ({SPOKEN}), a rook ({SPOKEN}), a bishop or a knight ({SPOKEN}), a pawn ({SPOKEN})\.", count
    )
    assert [POINTS[piece] for piece in (chess.QUEEN, chess.ROOK, chess.PAWN)] == [queen, rook, pawn]
    assert {POINTS[chess.BISHOP], POINTS[chess.KNIGHT]} == {minor}
    assert queen > rook > minor > pawn > 0


@pytest.mark.parametrize("piece", ["bishop", "knight"])
def test_a_lone_minor_piece_cannot_mate_a_bare_king(piece: str) -> None:
    assert piece in read("(a .*) alone cannot mate a bare king", told("chess960", "Whoever is behind in"))[0]
    kind = chess.PIECE_NAMES.index(piece)
    for place in product(chess.SQUARES, chess.SQUARES, TRIANGLE):
        position = Position(*place)
        assert not is_legal(kind, position, chess.BLACK) or not is_mate(kind, position)


@pytest.mark.slow
def test_the_king_before_its_pawn_wins_with_one_square_between_but_for_the_cases_named() -> None:
    text = told("chess960", "With king and pawn")
    assert "in front of the pawn" in text
    [between] = counts(rf"with ({SPOKEN}) square between the two", text)
    edges = {chess.FILE_NAMES.index(file) for file in read(r"on the (.)-file or (.)-file", text)}
    ending, failures = solved(chess.PAWN), set()
    for pawn, bare, turn in product(range(chess.A2, chess.A7), chess.SQUARES, chess.COLORS):
        position = Position(pawn + 8 * (between + 1), pawn, bare)
        is_taken = turn == chess.BLACK and KING_MOVES[bare] >> pawn & 1
        if position.king < 64 and not is_taken and is_legal(chess.PAWN, position, turn):
            failures |= set() if ending.is_won(position, turn) else {chess.square_file(pawn)}
    assert failures == edges


def test_in_opposition_whoever_moves_cannot_go_forward() -> None:
    [between] = counts(rf"face each other with ({SPOKEN}) square between", told("chess960", "With king and pawn"))
    for king in range(8, 64 - 8 * (between + 1)):
        forward = KING_MOVES[king] & chess.BB_RANKS[chess.square_rank(king) + 1]
        assert forward & ~KING_MOVES[king + 8 * (between + 1)] == 0


@pytest.mark.slow
def test_mates_take_at_most_so_many_moves() -> None:
    text = told("chess960", "To mate a bare")
    rook, queen = counts(r"at most (\d+) moves, with a queen at most (\d+)", text)
    assert (solved(chess.ROOK).longest_win_moves, solved(chess.QUEEN).longest_win_moves) == (rook, queen)


# --- hold'em -------------------------------------------------------------------------------------


def test_the_button_posts_the_small_blind_and_acts_first_before_the_flop_and_last_after_it() -> None:
    assert "acts first before the flop, and last on flop" in told("holdem", "Heads-up the button posts")
    deal = Deal(("Ah", "Kd"), ("2c", "7d"), ("3h", "4h", "9s", "Js", "Qc"))
    hand = Hand(deal, (100 * BIG_BLIND, 100 * BIG_BLIND))
    assert (hand.put_in, hand.to_act) == ([SMALL_BLIND, BIG_BLIND], 0)
    hand.act(PokerAction(ActionKind.CALL))
    order = []
    while hand.to_act is not None:
        order.append((hand.street, hand.to_act))
        hand.act(PokerAction(ActionKind.CHECK))
    assert order == [(0, 1), (1, 1), (1, 0), (2, 1), (2, 0), (3, 1), (3, 0)]


def test_the_hands_to_raise_are_so_many_and_the_best_of_them_are_ahead_of_a_random_hand() -> None:
    text = told("holdem", "On the button before")
    some, of = counts(rf"raise with about ({SPOKEN}) hands of ({SPOKEN}): every pair", text)
    raised = [hole for hole in combinations(DECK, 2) if is_raised(*hole)]
    assert abs(Fraction(len(raised), comb(52, 2)) - Fraction(some, of)) < Fraction(1, 100)
    assert "every pair, every ace and every king wins more often than it loses" in text
    _, edges = meetings()
    for holdings, edge in zip(combos(), edges, strict=True):
        ranks = {card[0] for card in holdings[0]}
        assert (len(ranks) == 2 and not ranks & {*"AK"}) or sum(edge) > 0, holdings[0]


def is_raised(first: str, second: str) -> bool:
    """A pair, a high card of those that the passage names, or one suit."""
    return first[0] == second[0] or first[1] == second[1] or bool({first[0], second[0]} & {*"AKQJ"})


def needed(call: Fraction | int, pot: Fraction | int) -> Fraction:
    """The chance at which a call into a pot, which holds the bet, costs nothing."""
    return Fraction(call) / (pot + call)


def test_the_price_of_a_call_before_the_flop() -> None:
    text = told("holdem", "In the big blind")
    to, call, pot = counts(r"Against a raise to (\d) BB a call costs (\d) BB for a pot of (\d)", text)
    [other] = counts(r"; against a raise to (\d) BB", text)
    chances = one_in(rf"one time in ({SPOKEN}); .* one time in ({SPOKEN})", text)
    assert (call, pot) == (to - 1, to + 1)
    assert chances == [needed(call, pot), needed(other - 1, other + 1)]


def test_pot_odds() -> None:
    text = told("holdem", "Pot odds for a")
    assert "at least c / (p + c)" in text
    *chances, _ = read(r"bet of the whole pot that is one (\w+), facing half the pot one (\w+), (facing)", text)
    [bet, chance] = read(r"facing a (\w+) of the pot one (\w+)", text)
    bets = [Fraction(1), Fraction(1, 2), Fraction(1, PARTS[bet])]
    assert [needed(size, 1 + size) for size in bets] == [Fraction(1, PARTS[one]) for one in (*chances, chance)]


def outs(hole: str, board: str, kind: str) -> int:
    """The cards that make a hand of this kind."""
    cards = [*hole.split(), *board.split()]
    rest = [card for card in DECK if card not in cards]
    return sum(handtype(evaluate([CARDS[one] for one in (*cards, card)])) == kind for card in rest)


def completed(number: int, cards: int) -> Fraction:
    """The chance that one of so many outs comes, with so many cards to come of those that are not seen."""
    unseen = 45 + cards
    return 1 - Fraction(comb(unseen - number, cards), comb(unseen, cards))


OUTS = {
    "Flush": outs("Ah Kh", "2h 7h 9c", "Flush"),
    "open": outs("9d 8c", "7s 6h Kc", "Straight"),
    "inside": outs("9d 8c", "Js 7h 2c", "Straight"),
}


def test_outs_and_what_each_is_worth() -> None:
    text = told("holdem", "Count the outs of")
    pattern = rf"flush draw has ({SPOKEN}), an open straight draw ({SPOKEN}), an inside straight draw ({SPOKEN})\."
    assert counts(pattern, text) == list(OUTS.values())
    two_cards, one_card = counts(rf"about ({SPOKEN}) in a hundred if both .*, and for one card about ({SPOKEN})", text)
    for number in OUTS.values():
        assert abs(completed(number, 2) * 100 / number - two_cards) < Fraction(1, 4)
        assert abs(completed(number, 1) * 100 / number - one_card) < Fraction(1, 4)


def test_two_ranks_pair_the_flop_so_often_and_a_bluff_must_win_so_often() -> None:
    text = told("holdem", "On the flop most")
    paired = 1 - Fraction(comb(50 - 6, 3), comb(50, 3))
    [pair] = one_in(rf"pair a card of the flop about one time in ({SPOKEN})", text)
    assert abs(paired - pair) < Fraction(1, 100)
    [bluff] = one_in(rf"of half the pot, .* must win one time in ({SPOKEN}) to pay as a bluff", text)
    assert bluff == risked(Fraction(1, 2))


def risked(bet: Fraction | int) -> Fraction:
    """How often a bluff of so many pots must win the pot to cost nothing."""
    return Fraction(bet) / (1 + bet)


def test_a_draw_comes_in_about_half_as_often_on_the_turn() -> None:
    assert "about half as often as from the flop" in told("holdem", "On the turn one")
    for number in OUTS.values():
        assert Fraction(1, 2) < completed(number, 1) / completed(number, 2) < Fraction(3, 5)


def test_a_call_of_a_pot_sized_bet_on_the_river() -> None:
    assert one_in(rf"bet of the pot a call must win one time in ({SPOKEN})", told("holdem", "Facing a bet on")) == [
        needed(1, 2)
    ]


def test_the_price_of_a_bluff() -> None:
    text = told("holdem", "The size of a")
    pattern = rf"half the pot must win one time in ({SPOKEN}) .*, a bet of the whole pot one time in ({SPOKEN})\."
    assert one_in(pattern, text) == [risked(Fraction(1, 2)), risked(1)]


# --- astronomy -----------------------------------------------------------------------------------

LIGHT_KM_S = Fraction("299792.458")
UNIT_KM = Fraction("149597870.7")
YEAR_DAYS = Fraction("365.25")
MASSES = {"Mercury": "0.055", "Venus": "0.815", "Earth": "1", "Mars": "0.107", "Jupiter": "317.8"} | {
    "Saturn": "95.2",
    "Uranus": "14.5",
    "Neptune": "17.1",
}
"""In masses of the Earth, of NASA's planetary fact sheets; as are the periods below."""


def test_light_from_the_sun_and_the_light_year() -> None:
    [minutes] = counts(rf"a little more than ({SPOKEN}) minutes", told("astronomy", "The Sun is a"))
    assert minutes < UNIT_KM / LIGHT_KM_S / 60 < minutes + Fraction(1, 2)
    text = told("astronomy", "The nearest star beyond")
    assert "nine and a half million million kilometres" in text
    light_year_km = LIGHT_KM_S * 86_400 * YEAR_DAYS
    assert abs(light_year_km / 10**12 - Fraction("9.5")) < Fraction(1, 10)
    [light_years] = counts(rf"a little more than ({SPOKEN}) light years", text)
    [years] = counts(r"Voyager 1 .* more than ([\d,]+) years", text)
    distance, speed_km_s = Fraction("4.25"), Fraction("17.0")
    assert light_years < distance < light_years + Fraction(1, 2)
    assert years < distance * LIGHT_KM_S / speed_km_s < years * Fraction(11, 10)


def test_turns_and_years() -> None:
    mercury = told("astronomy", "Mercury is the planet")
    [year_days] = counts(r"A year there lasts (\d+) days", mercury)
    assert "turns three times about its axis while it goes round the Sun twice" in mercury
    assert abs(3 * Fraction("58.646") - 2 * year_days) < 1
    assert "one turn takes longer than its year" in told("astronomy", "Venus is nearly as")
    assert Fraction("243.02") > Fraction("224.70")
    light, dark = counts(r"(\d+) years of light and then (\d+) years of darkness", told("astronomy", "Uranus lies on"))
    assert light == dark == round(Fraction("84.01") / 2)


def test_the_cycle_of_the_moon_and_the_mass_of_jupiter() -> None:
    [days] = counts(r"takes about (\d+) and a half days", told("astronomy", "The Moon always shows"))
    cycle = 1 / (1 / Fraction("27.3217") - 1 / Fraction("365.256"))
    assert abs(cycle - days - Fraction(1, 2)) < Fraction(1, 10)
    assert "more than twice as much as all the others together" in told("astronomy", "Jupiter is the largest")
    masses = {planet: Fraction(mass) for planet, mass in MASSES.items()}
    assert 2 * sum(mass for planet, mass in masses.items() if planet != "Jupiter") < masses["Jupiter"]
