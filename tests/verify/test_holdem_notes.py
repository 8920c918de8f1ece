"""Notes on a hold'em opponent: what a seat can have seen, and what a reader makes of it."""

import re
from collections.abc import Sequence

import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.opponent_patterns import Pattern
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.donor import SPREAD, donor_session, drawn_rates
from agzamov_verify.games.holdem.game import GAME
from agzamov_verify.games.holdem.habit_words import Habit, PokerHabits, poker_habits, query
from agzamov_verify.games.holdem.hand_script import HandRecord, PokerRules, play, random_action
from agzamov_verify.games.holdem.notes import CHARS_MAX, observation
from agzamov_verify.games.holdem.pattern_sentences import POKER_PATTERNS, PokerPattern
from agzamov_verify.games.holdem.reference_player import STRANGER
from agzamov_verify.games.holdem.rules import BOARD_CARDS, ActionKind, Deal, Hand, HandEnd, PokerAction
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.players import GameName, Player
from agzamov_verify.table.scripted_players import scripted_reply
from agzamov_verify.table.seating import alternating, by_place, place_of

DICE = Dice(b"notes")
LINE = re.compile(r"([A-Z3][^:]*): (\d+) of (\d+)")


def session(hands: int, kind: str = "random", patterns: tuple[Pattern, ...] = (), first: int = 0) -> list[HandRecord]:
    """Hands of seat A against seat B, who keeps the patterns."""

    def answer(question: Question) -> Reply:
        assert isinstance(question, Chat)
        return Reply(text=scripted_reply(kind, question.messages, question.seed))

    seats = (Player("a"), Player("b", tuple(POKER_PATTERNS[pattern] for pattern in patterns)))
    records = []
    for number in range(first, first + hands):
        deal = deal_cards(DICE, number, alternating(number))
        button, blind = by_place(seats, alternating(number))
        name, tallies = GameName(f"h{number}", f"h{number}"), (Tally(), Tally())
        records.append(drive(play(name, deal, (button, blind), PokerRules(), DICE, tallies), answer))
    return records


def counts(note: str) -> dict[str, tuple[int, int]]:
    matches = [LINE.fullmatch(line) for line in note.splitlines()]
    assert all(matches)
    return {match[1]: (int(match[2]), int(match[3])) for match in matches if match}


def with_other_hidden_cards(record: HandRecord, place: int, seed: int) -> HandRecord:
    """The hand with other cards in the place of those that the player in the other place never saw."""
    assert record.story
    deal = record.story.deal
    showdown = record.end is HandEnd.SHOWDOWN
    shown = BOARD_CARDS[max(played.street for played in record.story.history)]
    board = deal.board if showdown else deal.board[:shown]
    mine, theirs = (deal.button, deal.big_blind) if place else (deal.big_blind, deal.button)
    known = {*mine, *board, *(theirs if showdown else ())}
    rest = [card for card in DECK if card not in known]
    a, b, *others = DICE.stream(f"hidden/{seed}").deal(rest, 7)
    hidden = theirs if showdown else (a, b)
    changed = (*board, *others)[:5]
    return msgspec.structs.replace(
        record,
        story=msgspec.structs.replace(
            record.story,
            deal=Deal(*((mine, hidden) if place else (hidden, mine)), changed),  # type: ignore[arg-type]
        ),
    )


@pytest.mark.parametrize("seat", [0, 1])
def test_cards_that_a_seat_never_saw_change_nothing_that_it_notes(seat: int) -> None:
    records = session(300)
    assert {record.end for record in records} == {HandEnd.FOLD, HandEnd.SHOWDOWN}
    places = [place_of(1 - seat, number) for number in range(len(records))]
    changed = [
        with_other_hidden_cards(record, place, number)
        for number, (record, place) in enumerate(zip(records, places, strict=True))
    ]
    assert changed != records
    assert observation(changed, 0, seat) == observation(records, 0, seat)


def test_each_seat_notes_the_other_ones_habits_whoever_was_on_the_button() -> None:
    record = _played("limp", PokerAction(ActionKind.CALL), PokerAction(ActionKind.CHECK))
    blind, button = "VPIP: 0 of 1\nPFR: 0 of 1\nRaised in the big blind: 0 of 1", "VPIP: 1 of 1\nPFR: 0 of 1"
    assert observation([record], 0, 0) == blind == observation([record], 1, 1)
    assert observation([record], 0, 1) == f"{button}\nLimped on the button: 1 of 1" == observation([record], 1, 0)


def test_a_3bet_pot_is_noted_as_poker_players_count_it() -> None:
    raises = [PokerAction(ActionKind.RAISE, chips) for chips in (250, 750)]
    record = _played("folds", *raises, PokerAction(ActionKind.FOLD))
    assert counts(observation([record], 0, 0)) == {
        "VPIP": (1, 1),
        "PFR": (1, 1),
        "3-bet": (1, 1),
        "Raised in the big blind": (1, 1),
    }
    assert counts(observation([record], 0, 1))["Folded to a 3-bet on the button"] == (1, 1)


def test_a_bet_with_less_than_two_pair_is_noted_where_it_was_shown_alone() -> None:
    to_river = [PokerAction(ActionKind.CALL), *(PokerAction(ActionKind.CHECK),) * 5]
    bet, call, fold = PokerAction(ActionKind.BET, 100), PokerAction(ActionKind.CALL), PokerAction(ActionKind.FOLD)
    shown, folded = _played("called", *to_river, bet, call), _played("not called", *to_river, bet, fold)
    assert counts(observation([shown], 0, 0))["Bet the river with less than two pair, shown"] == (1, 1)
    assert "river with" not in observation([folded], 0, 0)
    assert counts(observation([shown, shown], 0, 1))["Called a bet on the river"] == (1, 1)


def _played(name: str, *actions: PokerAction) -> HandRecord:
    hand = Hand(Deal(("9s", "8s"), ("Ah", "Kd"), ("2c", "7d", "5h", "Jc", "Qc")), (10_000, 10_000))
    for action in actions:
        hand.act(action)
    story = session(1)[0].story
    assert story
    end = HandEnd.FOLD if actions[-1].kind is ActionKind.FOLD else HandEnd.SHOWDOWN
    played = msgspec.structs.replace(story, deal=hand.deal, history=tuple(hand.history))
    return HandRecord(name, end, 0, (0, 0), played)


def test_a_note_is_lines_of_counts_within_the_limit() -> None:
    note = observation(session(1_000), 0, 0)
    assert len(note) <= CHARS_MAX
    assert counts(note).keys() == {habit.value for habit in Habit}
    assert all(times <= occasions for times, occasions in counts(note).values())


def test_a_note_of_nothing_is_empty() -> None:
    assert observation([], 0, 0) == ""
    assert observation([HandRecord("h", HandEnd.FOLD, 0, (0, 0))], 0, 0) == ""


def test_counts_of_a_habit_are_added_up_and_weighed_against_the_prior() -> None:
    line = "Folded to a 3-bet on the button: 4 of 5"
    assert _folds(line) == round((10 * 25 + 400) / 15)
    assert _folds(f"- {line}\nVPIP: 3 of 4\n{line.lower()}.") == round((10 * 25 + 800) / 20)
    assert _folds("\n".join([line] * 10)) == round((10 * 25 + 4000) / 60) > 60
    assert _folds(f"{line}\n- Folds to 3-bet on the button: 85%") == 85
    assert _folds("Folded to a 3-bet on the button: 6 of 5") == STRANGER.folds_button_to_3bet


def _folds(profile: str) -> int:
    return poker_habits(profile, STRANGER).folds_button_to_3bet


def test_3bet_counts_are_not_taken_from_folds_to_a_3bet() -> None:
    assert poker_habits("Folded to a 3-bet on the button: 4 of 5", STRANGER).three_bet == STRANGER.three_bet


def _after_five_sessions(patterns: tuple[Pattern, ...]) -> PokerHabits:
    notes = [observation(session(60, "reference", patterns, first), first, 0) for first in range(0, 300, 60)]
    return poker_habits("\n".join(notes), STRANGER)


@pytest.mark.slow
def test_notes_of_five_real_sessions_make_a_true_habit_believed_and_no_false_one() -> None:
    patterned = _after_five_sessions((PokerPattern.FOLDS_BUTTON_TO_3BET, PokerPattern.NEVER_FOLDS_PAIRS))
    ordinary = _after_five_sessions(())
    assert patterned.folds_button_to_3bet >= 60
    assert ordinary.folds_button_to_3bet < 45
    assert patterned.folds_to_river_bet <= 25
    assert ordinary.folds_to_river_bet > 35


def donor_notes(careers: int, contests: int) -> list[list[str]]:
    """Notes of a donor in each of some careers."""
    match = GAME.self_play("a", contests * GAME.rules().session_hands)
    stream = StreamPlan("s", match, 0, match.planned)
    dice = [DICE.under(f"career {number}") for number in range(careers)]
    return [[GAME.donor_note(stream, GAME.rules(), number, 0, one) for number in range(contests)] for one in dice]


@pytest.mark.parametrize("pattern", POKER_PATTERNS)
def test_notes_of_a_donor_make_no_pattern_believed(pattern: Pattern) -> None:
    (notes,) = donor_notes(1, 40)
    assert all(len(note) <= CHARS_MAX and counts(note) for note in notes)
    donor = poker_habits("\n".join(notes), STRANGER)
    true = poker_habits(POKER_PATTERNS[pattern], STRANGER)
    changed = [name for name in PokerHabits.__slots__ if getattr(true, name) != getattr(STRANGER, name)]
    far = [abs(getattr(donor, name) - getattr(true, name)) for name in changed]
    assert max(far) >= 15


@pytest.mark.slow
def test_ten_donor_notes_leave_the_player_near_what_it_expects_of_a_stranger() -> None:
    """As near as ten notes of a real stranger: chance, a few points of each donor, and what is seldom seen."""
    for notes in donor_notes(30, 10):
        habits = poker_habits("\n".join(notes), STRANGER)
        away = {name: abs(getattr(habits, name) - getattr(STRANGER, name)) for name in PokerHabits.__slots__}
        seldom = {away.pop(name) for name in ("bets_river_light", "folds_button_to_3bet", "check_raise")}
        assert max(away.values()) <= 20, away
        assert max(seldom) <= 25


def test_donors_of_two_careers_are_two_strangers() -> None:
    rates = {drawn_rates(DICE.under(f"career {number}").stream("rates/1")) for number in range(20)}
    assert len(rates) == 20
    spread = [max(column) - min(column) for column in zip(*rates, strict=True)]
    assert max(spread) == 2 * SPREAD


def test_a_session_of_a_donor_is_as_long_as_the_plans() -> None:
    rules = PokerRules(session_hands=30, stack_chips=2_000)
    records = list(donor_session(60, 30, rules, DICE, 0))
    note = observation(records, 60, 0)
    assert "Limped on the button: 0 of 15" in note
    assert all(abs(record.net_chips) <= 2_000 for record in records)


def test_a_query_names_street_position_and_what_is_faced_in_the_words_of_notes() -> None:
    hand = Hand(deal_cards(DICE, 0, (0, 1)), (10_000, 10_000))
    queries = [query(hand)]
    raise_to, call, check = PokerAction(ActionKind.RAISE, 250), PokerAction(ActionKind.CALL), ActionKind.CHECK
    for action in (raise_to, call, PokerAction(check), PokerAction(ActionKind.BET, 300)):
        hand.act(action)
        queries.append(query(hand))
    assert queries == [
        "preflop, button, first to act: 3-bet, Raised in the big blind, VPIP",
        (
            "preflop, big blind, facing a raise: Folded to a 3-bet on the button, PFR, Limped on the button, "
            "Min-raised a pocket pair that was shown"
        ),
        "flop, big blind, first to act: Folded to a bet on the flop, Check-raised",
        "flop, button, checked to: Folded to a bet on the flop, Check-raised",
        "flop, big blind, facing a bet: C-bet the flop, Check-raised",
    ]


def test_a_query_knows_no_hidden_card_and_is_there_for_every_decision() -> None:
    for number in range(60):
        deal = deal_cards(DICE, number, (0, 1))
        hand, other = (Hand(cards, (10_000, 10_000)) for cards in (deal, _swapped(deal)))
        while hand.to_act is not None:
            assert query(hand) == query(other)
            action = random_action(hand, f"{number}/{len(hand.history)}", DICE)
            hand.act(action)
            other.act(action)


def _swapped(deal: Deal) -> Deal:
    return Deal(deal.big_blind, deal.button, deal.board)


def test_sessions_of_one_match_differ() -> None:
    notes: Sequence[str] = [observation(session(20, first=first), first, 0) for first in (0, 20)]
    assert len(set(notes)) == 2
