"""Streams: matches cut into independent blocks, starts and decks that depend on nothing but the seed."""

from collections import Counter
from typing import Any

import chess
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.matches import Match, Phase
from agzamov_verify.games.chess.game import Chess960, ChessBlock, ChessMatch
from agzamov_verify.games.chess.game_script import ChessRules
from agzamov_verify.games.chess.pattern_sentences import CHESS_PATTERNS, ChessPattern
from agzamov_verify.games.chess.starts import STARTS_960 as STARTS
from agzamov_verify.games.chess.variants import CHESS960
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.game import PokerBlock, PokerMatch
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.seating import alternating

DICE = Dice(bytes(32))
PAWNS = ("a2a3", "a7a6")
PLAN: dict[str, Any] = {
    "title": "Streams",
    "seats": {
        "agent": {"kind": "reference", "patterns": ["castles_early", "folds_button_to_3bet"], "briefing": "You trail."},
        "other": {"kind": "reference"},
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 2},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "agent", "b": "dice", "games": 6, "block_games": 4},
        {"phase": 1, "game": "chess960", "a": "other", "b": "other", "games": 10, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 6, "block_hands": 2},
        {"phase": 1, "game": "holdem", "a": "other", "b": "other", "hands": 6, "block_hands": 6},
    ],
}
CHESS0, CHESS1, POKER0, POKER1 = range(4)


def plan(**changes: object) -> Plan:
    return msgspec.convert({**PLAN, **changes}, Plan)


class Table:
    """Pushes pawns that every start has, folds every hand, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Chat] = []

    def __call__(self, question: Question) -> Answer:
        assert isinstance(question, Chat)
        self.asked.append(question)
        return Reply(text="ACTION: fold" if "holdem" in question.game else f"MOVE: {PAWNS[question.turn]}")


def asked_in(stream: StreamPlan, of: Plan, dice: Dice = DICE) -> list[Chat]:
    table = Table()
    drive(block_script(stream, of, dice), table)
    return table.asked


def asked_in_match(at: int, of: Plan) -> list[Chat]:
    return [question for stream in streams_of(of.matches[at]) for question in asked_in(stream, of)]


def line(question: Chat, label: str) -> str:
    """A labelled line of the user's prompt."""
    return next(one for one in question.messages[-1].content.splitlines() if one.startswith(label))


# --- a match cut into streams --------------------------------------------------------------------


chess_matches = st.builds(
    ChessMatch,
    a=st.just("agent"),
    b=st.just("agent"),
    phase=st.just(1),
    games=st.integers(1, 300).map(lambda half: 2 * half),
    block_games=st.integers(1, 40).map(lambda half: 2 * half),
)
poker_matches = st.builds(
    PokerMatch,
    a=st.just("agent"),
    b=st.just("agent"),
    phase=st.just(1),
    hands=st.integers(1, 50).map(lambda sessions: 100 * sessions),
    block_hands=st.integers(1, 8).map(lambda sessions: 100 * sessions),
)


@given(st.one_of(chess_matches, poker_matches))
def test_streams_hold_every_game_once_and_in_order(match: Match) -> None:
    total = match.games if isinstance(match, ChessMatch) else match.hands
    streams = list(streams_of(match))
    games = [at for stream in streams for at in range(stream.first, stream.first + stream.count)]
    assert games == list(range(total))
    assert [stream.id for stream in streams] == sorted({stream.id for stream in streams})


@given(st.one_of(chess_matches, poker_matches))
def test_both_colours_of_a_start_and_a_whole_session_stay_in_one_stream(match: Match) -> None:
    unit = 2 if isinstance(match, ChessMatch) else 100
    assert all(stream.first % unit == stream.count % unit == 0 for stream in streams_of(match))


def test_a_stream_has_the_matchs_name_and_its_number() -> None:
    streams = list(streams_of(plan().matches[CHESS0]))
    assert [(stream.id, stream.first, stream.count) for stream in streams] == [
        ("p0-chess960-naked-agent-b00000", 0, 4),
        ("p0-chess960-naked-agent-b00001", 4, 2),
    ]


def test_a_stream_needs_no_other_stream() -> None:
    of = plan()
    streams = list(streams_of(of.matches[CHESS1]))
    forwards = {stream.id: asked_in(stream, of) for stream in streams}
    backwards = {stream.id: asked_in(stream, of) for stream in reversed(streams)}
    assert forwards == backwards


def test_the_size_of_blocks_changes_no_question() -> None:
    whole = plan(matches=[{**PLAN["matches"][CHESS1], "block_games": 10}])
    assert asked_in_match(0, whole) == asked_in_match(CHESS1, plan())


# --- who plays which side ------------------------------------------------------------------------


def test_colours_and_the_button_alternate_and_a_begins() -> None:
    assert [alternating(at) for at in range(4)] == [(0, 1), (1, 0)] * 2
    first = {at: [question.to for question in asked_in_match(at, plan()) if question.turn == 0] for at in (0, 2)}
    assert first == {CHESS0: ["agent", "dice"] * 3, POKER0: ["agent", "dice"] * 3}


def test_a_start_is_played_with_both_colours() -> None:
    starts = [line(question, "FEN: ") for question in asked_in_match(CHESS1, plan()) if question.turn == 0]
    assert len(starts) == 10
    assert starts[::2] == starts[1::2]
    assert len(set(starts)) == 5


def test_a_block_is_what_its_games_came_to() -> None:
    of = plan()
    chess_block = drive(block_script(list(streams_of(of.matches[CHESS0]))[1], of, DICE), Table())
    poker_block = drive(block_script(list(streams_of(of.matches[POKER0]))[2], of, DICE), Table())
    assert isinstance(chess_block, ChessBlock)
    assert isinstance(poker_block, PokerBlock)
    assert [record.game[-6:] for record in chess_block.records] == ["g00004", "g00005"]
    assert [record.game[-8:] for record in poker_block.records] == ["h0000004", "h0000005"]
    assert [record.net_chips for record in poker_block.records] == [-50, -50], "the button folds its small blind"
    assert [tally.decisions for tally in poker_block.tallies] == [1, 1], "each seat had the button once"


# --- starts --------------------------------------------------------------------------------------


def test_960_pairs_play_every_start_once() -> None:
    starts = [CHESS960.start(DICE, pair) for pair in range(STARTS)]
    assert set(starts) == {chess.Board.from_chess960_pos(number).fen() for number in range(STARTS)}


def test_a_match_in_which_one_start_would_come_again_is_refused() -> None:
    """So a start pair is the unit everywhere: in a match, in deltas, in tests."""
    at_most, one_more = (ChessMatch(a="model", b="dice", phase=Phase.BASELINE, games=2 * pairs) for pairs in (960, 961))
    assert list(Chess960().match_problems(at_most, ChessRules())) == []
    (problem,) = Chess960().match_problems(one_more, ChessRules())
    wanted = "expected at most 1920: each of 960 starts once with both colours"
    assert (problem.path, problem.message) == ("games", wanted)


@given(st.integers(0, 959), st.integers(0, 959))
def test_a_start_depends_on_its_number_alone(one: int, other: int) -> None:
    before = CHESS960.start(DICE, one)
    CHESS960.start(DICE, other)
    assert CHESS960.start(Dice(bytes(32)), one) == before


def test_another_seed_gives_other_starts_and_other_decks() -> None:
    dice = Dice(bytes(31) + b"\1")
    assert [CHESS960.start(dice, at) for at in range(20)] != [CHESS960.start(DICE, at) for at in range(20)]
    assert [deal_cards(dice, at, (0, 1)) for at in range(3)] != [deal_cards(DICE, at, (0, 1)) for at in range(3)]


def test_phases_and_seats_are_paired_on_the_same_starts() -> None:
    of = plan()
    starts = {
        at: [line(question, "FEN: ") for question in asked_in_match(at, of) if question.turn == 0]
        for at in (CHESS0, CHESS1)
    }
    assert starts[CHESS0] == starts[CHESS1][:6]


def test_no_two_seats_matches_or_games_share_a_seed() -> None:
    of = plan()
    places: dict[int, set[tuple[str, int]]] = {}
    for at in (CHESS0, CHESS1, POKER0, POKER1):
        for question in asked_in_match(at, of):
            places.setdefault(question.seed, set()).add((question.game, question.turn % 2))
    assert all(len(which) == 1 for which in places.values())


# --- decks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("hand", [0, 1, 7, 9_999])
def test_seat_a_gets_the_same_cards_whoever_has_the_button(hand: int) -> None:
    with_button, without = (deal_cards(DICE, hand, order) for order in ((0, 1), (1, 0)))
    assert with_button.button == without.big_blind
    assert with_button.big_blind == without.button
    assert with_button.board == without.board


def test_no_two_matches_share_their_decks() -> None:
    of = plan()
    holes = {
        at: [line(question, "Hole cards: ") for question in asked_in_match(at, of) if question.turn == 0]
        for at in (POKER0, POKER1)
    }
    assert not any(one == other for one, other in zip(holes[POKER0], holes[POKER1], strict=True))
    assert len(set(holes[POKER0])) > 1


def test_a_mirrored_match_plays_every_deck_twice_with_the_seats_exchanged() -> None:
    match = {**PLAN["matches"][POKER1], "a": "agent", "hands": 12}
    of = plan(holdem={"session_hands": 2, "mirrored": True}, matches=[match])
    first = [question for question in asked_in_match(0, of) if question.turn == 0]
    told = [(line(question, "Hole cards: "), question.to) for question in first]
    assert [seat for _, seat in told] == ["agent", "other"] * 6, "the button goes on alternating"
    assert {(hole, {"agent": "other", "other": "agent"}[seat]) for hole, seat in told[:6]} == set(told[6:])
    plain = plan(holdem={"session_hands": 2}, matches=[match])
    unmirrored = [line(question, "Hole cards: ") for question in asked_in_match(0, plain) if question.turn == 0]
    assert unmirrored[:6] == [hole for hole, _ in told[:6]]
    assert len(set(unmirrored)) == 12


def test_no_card_is_dealt_twice_and_every_card_about_equally_often() -> None:
    dealt: Counter[str] = Counter()
    for hand in range(2000):
        deal = deal_cards(DICE, hand, (0, 1))
        cards = (*deal.button, *deal.big_blind, *deal.board)
        assert len(set(cards)) == 9
        dealt.update(cards)
    assert set(dealt) == set(DECK)
    assert stats.chisquare(list(dealt.values())).pvalue > 1e-4


# --- what a seat is told -------------------------------------------------------------------------


def test_a_pattern_is_told_to_its_seat_and_in_its_game_alone() -> None:
    of = plan()
    systems = {
        (at, question.to): question.messages[0].content
        for at in (CHESS0, POKER0)
        for question in asked_in_match(at, of)
    }
    pattern = CHESS_PATTERNS[ChessPattern.CASTLES_EARLY]
    assert pattern in systems[CHESS0, "agent"]
    assert pattern not in systems[CHESS0, "dice"] + systems[POKER0, "agent"]
    assert systems[POKER0, "agent"] != systems[POKER0, "dice"]


def test_a_briefing_is_told_to_its_seat_alone() -> None:
    for at in (CHESS0, POKER0):
        told = {question.to for question in asked_in_match(at, plan()) if "You trail." in question.messages[-1].content}
        assert told == {"agent"}


@pytest.mark.parametrize(
    ("accepts", "told"), [(("seed", "max_tokens"), True), (("max_completion_tokens",), True), (("seed",), False)]
)
@pytest.mark.parametrize("match", [0, 1], ids=["chess960", "holdem"])
def test_a_seat_is_told_a_token_limit_only_where_its_server_is_sent_one(
    accepts: tuple[str, ...], told: bool, match: int
) -> None:
    seats = {"m": {"kind": "openai", "base_url": "http://h/v1", "model": "m", "tokens_max": 77, "accepts": accepts}}
    matches = [
        {"phase": 1, "game": "chess960", "a": "m", "b": "m", "games": 2, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "m", "b": "m", "hands": 2, "block_hands": 2},
    ]
    plan = msgspec.convert({"title": "Limits", "seats": seats, "matches": matches}, Plan)
    question = next(block_script(next(streams_of(plan.matches[match])), plan, Dice(bytes(32))))
    assert isinstance(question, Chat)
    assert ("77 tokens" in question.messages[0].content) is told
