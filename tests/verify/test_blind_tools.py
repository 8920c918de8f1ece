"""The placebo of a tool is blind: by the shape of an answer nobody knows whether it is the tool's."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import chess
import pytest

from agzamov_verify.core.dice import Dice, Stream
from agzamov_verify.core.questions import Calculate, ExaminedMove
from agzamov_verify.games.chess.tool import drawn, drawn_value, ranked, told
from agzamov_verify.games.holdem.calculator import calculate
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.equity_quantiles import drawn_equity
from agzamov_verify.games.holdem.rules import BOARD_CARDS, STREETS
from verify.memory.arm_classifier import ArmClassifier, accuracy

DICE = Dice(b"blind tools")
LINES = 3


def test_findings_are_ranked_by_value_with_mates_beyond_and_the_sooner_mate_further_out() -> None:
    mates = [ExaminedMove(None, "e2e4", mate) for mate in (1, 3, -3, -1)]
    values = [ExaminedMove(centipawns, "e2e4", None) for centipawns in (500, 0, -500)]
    best_first = [*mates[:2], *values, *mates[2:]]
    assert ranked(best_first[::-1]) == best_first


def positions(count: int) -> Iterator[chess.Board]:
    """Positions in which pawns are about to promote, and others of the same games."""
    draws, found = DICE.stream("positions"), 0
    while found < count:
        board = chess.Board()
        for _ in range(60 + draws.below(60)):
            legal = sorted(move.uci() for move in board.generate_legal_moves())
            if not legal:
                break
            advances = [text for text in legal if board.piece_type_at(chess.parse_square(text[:2])) == chess.PAWN]
            board.push_uci(draws.choice(advances or legal))
        if board.legal_moves.count() >= LINES:
            found += 1
            yield board.copy(stack=False)


def lines_of(board: chess.Board, draws: Stream) -> list[str]:
    """Lines as an engine gives them: a promotion is to a queen."""
    lines = []
    for first in draws.deal(sorted(move.uci() for move in board.generate_legal_moves()), LINES):
        text, line, after = first[:4] + "q" * (len(first) > 4), list[str](), board.copy(stack=False)
        for _ in range(4):
            line.append(text)
            after.push_uci(text)
            legal = sorted(move.uci() for move in after.generate_legal_moves() if move.promotion in (None, chess.QUEEN))
            if not legal:
                break
            promotions = [one for one in legal if len(one) > 4]
            text = draws.choice(promotions if promotions and draws.below(2) else legal)
        lines.append(" ".join(line))
    return lines


def shapes(moves: Sequence[ExaminedMove]) -> list[tuple[str, ...]]:
    """The number of moves of each line, and the letter of each promotion."""
    return sorted(tuple(text[4:] for text in move.line.split()) for move in moves)


@pytest.mark.slow
def test_a_placebos_lines_have_the_promotions_and_the_lengths_of_the_engines() -> None:
    """6 of 450 of games differed; and of these positions, with pawns about to promote, a letter in nearly each."""
    draws, others, promotions, asked = DICE.stream("lines"), 0, 0, 300
    for number, board in enumerate(positions(asked)):
        moves = [ExaminedMove(10 * at, line, None) for at, line in enumerate(dict.fromkeys(lines_of(board, draws)))]
        firsts = [move.line.partition(" ")[0] for move in moves]
        placebo = drawn(moves, firsts, board, DICE.stream(f"placebo {number}"))
        assert sorted(move.line.partition(" ")[0] for move in placebo) == sorted(firsts)
        others += shapes(placebo) != shapes(moves)
        promotions += any("q" in shape for shape in shapes(moves))
    assert promotions > asked // 10
    assert others <= asked // 100, f"{others} of {asked}"


def engine_like(draws: Stream) -> list[ExaminedMove]:
    """Values as an engine gives them for moves of one position: near to each other, with a blunder now and then."""
    best = sum(draws.below(61) - 30 for _ in range(4))
    off = [0, *(draws.below(40) + (draws.below(4) == 0) * draws.below(400) for _ in range(LINES - 1))]
    lines = ("e2e4 e7e5", "d2d4 d7d5", "g1f3 g8f6")
    return [ExaminedMove(best - sum(off[: at + 1]), line, None) for at, line in enumerate(lines)]


def test_a_placebos_values_are_as_long_in_order_and_of_either_sign() -> None:
    draws, board, turned = DICE.stream("values"), chess.Board(), 0
    for number in range(400):
        moves = engine_like(draws)
        placebo = drawn(moves, [move.line[:4] for move in moves], board, DICE.stream(f"values {number}"))
        values = [move.centipawns or 0 for move in placebo]
        assert all(one >= other for one, other in pairwise(values))
        assert sum(len(told(move)) for move in placebo) == sum(len(told(move)) for move in moves)
        turned += (values[0] > 0) != ((moves[0].centipawns or 0) > 0)
    assert 120 < turned < 280


def shape_of(moves: Sequence[ExaminedMove]) -> str:
    """Signs, sizes and distances of values, in words for the classifier."""
    values = [move.centipawns or 0 for move in moves]
    gaps = [one - other for one, other in pairwise(values)]
    signs = "".join("+" if value >= 0 else "-" for value in values)
    coarse = " ".join(f"gap{at}_{min(gap // 25, 9)}" for at, gap in enumerate(gaps))
    size = f"best_{min(abs(values[0]) // 25, 9)} hundredths_{abs(values[0]) % 10}"
    return f"signs_{signs} {coarse} {size}\nValues: {abs(values[0])} and {sum(gaps)} of {max(1, sum(map(abs, values)))}"


def by_groups(texts: list[str]) -> list[list[str]]:
    """Twenty groups, for an error over them."""
    return [texts[at::20] for at in range(20)]


@pytest.mark.slow
def test_by_its_values_an_answer_of_the_engine_is_told_at_chance() -> None:
    draws, board = DICE.stream("engine"), chess.Board()
    real, placebo = list[str](), list[str]()
    for number in range(1_500):
        true, other = engine_like(draws), engine_like(draws)
        real.append(shape_of(ranked(true)))
        placebo.append(shape_of(drawn(other, [move.line[:4] for move in other], board, DICE.stream(f"e{number}"))))
    judged = accuracy(ArmClassifier(placebo[:1000], real[:1000]), by_groups(placebo[1000:]), by_groups(real[1000:]))
    assert abs(judged.share - 0.5) < 0.08, judged


@pytest.mark.slow
def test_values_drawn_one_by_one_are_told_from_the_engines() -> None:
    """As they were until 0.3.0: each of a sign of its own, any number of as many digits as likely."""
    draws = DICE.stream("before")
    real, placebo = list[str](), list[str]()
    for _ in range(1_500):
        real.append(shape_of(engine_like(draws)))
        alone = [ExaminedMove((1, -1)[draws.below(2)] * draws.below(1000), "e2e4", None) for _ in range(LINES)]
        placebo.append(shape_of(ranked(alone)))
    judged = accuracy(ArmClassifier(placebo[:1000], real[:1000]), by_groups(placebo[1000:]), by_groups(real[1000:]))
    assert judged.share > 0.85, judged


@pytest.mark.parametrize(
    "true", [ExaminedMove(31, "", None), ExaminedMove(-1234, "", None), ExaminedMove(None, "", -12)]
)
def test_a_single_value_is_of_either_sign_and_as_long(true: ExaminedMove) -> None:
    found = [drawn_value(true, DICE.stream(f"single {number}")) for number in range(100)]
    assert len({len(told(one)) for one in found} | {len(told(true))}) == 1
    positive = sum((one.centipawns or one.mate or 0) > 0 for one in found)
    assert 30 < positive < 70


def test_a_placebos_equities_lie_as_the_calculators_do() -> None:
    """Any thousandth was as likely: one in three was below or above what a hand can have before the flop."""
    draws = DICE.stream("equities")
    for street, cards in zip(STREETS, BOARD_CARDS, strict=True):
        true = sorted(equity_of(draws, cards) for _ in range(60))
        placebo = [drawn_equity(street, 100, DICE.stream(f"{street} {number}")) for number in range(400)]
        between = sum(true[6] <= one <= true[53] for one in placebo)
        assert 240 < between < 380, (street, between)
        assert {one % 10 for one in placebo} == set(range(10))


def equity_of(draws: Stream, cards: int) -> int:
    dealt = draws.deal(DECK, 2 + cards)
    question = Calculate(
        attempt=0,
        board=tuple(dealt[2:]),
        comparisons_max=990,
        game="g",
        hands_percent=100,
        hole=(dealt[0], dealt[1]),
        pot_chips=100,
        seed=draws.word(),
        to="tool_a",
        to_call_chips=0,
        turn=0,
    )
    return calculate(question).equity_permille
