"""Every accepted spelling of a hold'em action is read as it is meant, and nothing is guessed."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.prompt import turn_message
from agzamov_verify.games.holdem.rules import ActionKind, Hand, PokerAction
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.table.declared import Accepted, Fault, FaultKind
from agzamov_verify.table.prompt_lines import FORM
from verify.scripted import bet_out, poker_hand
from verify.test_holdem_prompt import DICE, random_line

FOLD, CHECK, CALL, BET, RAISE = ActionKind.FOLD, ActionKind.CHECK, ActionKind.CALL, ActionKind.BET, ActionKind.RAISE
SECONDS_MAX = 2.0

# Said by the button, who faces the big blind with 100 big blinds.

EXACT = {
    "fold": PokerAction(FOLD),
    "call": PokerAction(CALL),
    "raise to 2": PokerAction(RAISE, 200),
    "raise to 2.5": PokerAction(RAISE, 250),
    "raise to 2.50": PokerAction(RAISE, 250),
    "raise to 2.05": PokerAction(RAISE, 205),
    "raise to 100": PokerAction(RAISE, 10_000),
    "raise to 100.00": PokerAction(RAISE, 10_000),
    "all-in": PokerAction(RAISE, 10_000),
}


@pytest.mark.parametrize(("text", "action"), EXACT.items())
def test_the_forms_of_the_prompt_are_exact(text: str, action: PokerAction) -> None:
    assert Accepted(action, exact=True) == read_action(text, poker_hand())


NORMALISED = {
    "Call": PokerAction(CALL),
    "FOLD": PokerAction(FOLD),
    "I fold": PokerAction(FOLD),
    "call 0.5": PokerAction(CALL),
    "call 0.5 BB": PokerAction(CALL),
    "call 1 BB": PokerAction(CALL),
    "call (0.5 BB)": PokerAction(CALL),
    "raise to 2.5 BB": PokerAction(RAISE, 250),
    "raise to 2.5 bb": PokerAction(RAISE, 250),
    "raise to  3": PokerAction(RAISE, 300),
    "raise to 3BB": PokerAction(RAISE, 300),
    "raise to 3 big blinds": PokerAction(RAISE, 300),
    "raise to 2,5": PokerAction(RAISE, 250),
    "raise to a total of 8 BB": PokerAction(RAISE, 800),
    "raise to a total 8 BB": PokerAction(RAISE, 800),
    "raise to 8 BB total": PokerAction(RAISE, 800),
    "Raise to 7.5 Bb": PokerAction(RAISE, 750),
    "re-raise to 3": PokerAction(RAISE, 300),
    "bet 3": PokerAction(RAISE, 300),
    "bet 3 BB": PokerAction(RAISE, 300),
    "ALL-IN": PokerAction(RAISE, 10_000),
    "all in": PokerAction(RAISE, 10_000),
    "allin": PokerAction(RAISE, 10_000),
    "go all-in": PokerAction(RAISE, 10_000),
    "shove": PokerAction(RAISE, 10_000),
    "raise all-in": PokerAction(RAISE, 10_000),
    "all-in 100": PokerAction(RAISE, 10_000),
    "all-in (99.5 BB)": PokerAction(RAISE, 10_000),
    "raise to 100 BB all-in": PokerAction(RAISE, 10_000),
    "raise to 100 (all-in)": PokerAction(RAISE, 10_000),
}


@pytest.mark.parametrize(("text", "action"), NORMALISED.items())
def test_other_spellings_are_read_as_meant(text: str, action: PokerAction) -> None:
    assert Accepted(action, exact=False) == read_action(text, poker_hand())


ILLEGAL = {
    "check": "check is not legal here",
    "bet 1.5": "the amount must be from 2 to 100 BB",
    "raise to 1.99": "the amount must be from 2 to 100 BB",
    "raise to 0": "the amount must be from 2 to 100 BB",
    "raise to 100.01": "the amount must be from 2 to 100 BB",
    "raise to 9999999": "the amount must be from 2 to 100 BB",
}


@pytest.mark.parametrize(("text", "why"), ILLEGAL.items())
def test_an_action_that_is_not_legal_here_is_illegal(text: str, why: str) -> None:
    assert Fault(FaultKind.ILLEGAL, why) == read_action(text, poker_hand())


AMBIGUOUS = {
    "raise 3": "'raise 3' does not say whether that is the total",
    "raise by 3": "'raise by 3' does not say whether that is the total",
    "call 3": "'call 3' where a call costs 0.5 BB",
    "call all-in": "'call all-in' where a call is not all-in",
    "all-in 40": "'all-in 40' is not the amount of an all-in",
    "raise to 40 all-in": "'raise to 40 all-in' is not the amount of an all-in",
}


@pytest.mark.parametrize(("text", "why"), AMBIGUOUS.items())
def test_what_may_mean_two_things_is_not_guessed(text: str, why: str) -> None:
    assert Fault(FaultKind.AMBIGUOUS, why) == read_action(text, poker_hand())


NONSENSE = [
    "",
    "raise",
    "raise to",
    "raise to 2.",
    "raise to .5",
    "raise to -3",
    "raise to +3",
    "raise to 3e2",
    "raise to 0x3",
    "raise to 3 chips",
    "raise to 3BBB",
    "raise to 3 BB BB",
    "raise to $3",
    "raise to 3x",
    "raise to 12345678",
    "raise to 8-10 BB",
    "raise to 3 and fold",
    "raise to <amount>",
    "min-raise",
    "bet",
    "bet pot",
    "bet three",
    "fold fold",
    "fold or call",
    "check/call",
    "pass",
    "not fold",
    "call?",
    "raise to \u0663",  # an Arabic three
]


@pytest.mark.parametrize("text", NONSENSE)
def test_text_in_no_form_of_an_action_declares_none(text: str) -> None:
    fault = read_action(text, poker_hand())
    assert fault == Fault(FaultKind.NO_ACTION, f"{text.lower()[:40]!r} is not one of the forms of an action")


@pytest.mark.parametrize("text", ["raise to 2.555", "raise to 2.500", "bet 3.3333 BB", "raise to 2,555", "call 0.500"])
def test_an_amount_is_never_rounded(text: str) -> None:
    why = f"{text.lower()!r} has an amount of more than two decimals"
    assert read_action(text, poker_hand()) == Fault(FaultKind.NO_ACTION, why)


@pytest.mark.parametrize(
    "text", ["raise to " + "9" * 10**6, "call " * 200_000, " " * 10**6, "raise to 3" + " bb" * 300_000]
)
def test_a_megabyte_of_nonsense_gets_a_short_answer_in_bounded_time(text: str) -> None:
    before = time.process_time()
    fault = read_action(text, poker_hand())
    assert time.process_time() - before < SECONDS_MAX
    assert isinstance(fault, Fault)
    assert (fault.kind, len(fault.why) < 100) == (FaultKind.NO_ACTION, True)


@pytest.mark.parametrize(
    ("line", "stacks", "action"),
    [
        ("", (10_000, 10_000), PokerAction(RAISE, 10_000)),
        ("call, check", (10_000, 10_000), PokerAction(BET, 9_900)),
        ("call, check", (10_000, 130), PokerAction(BET, 30)),
        ("raise 10000", (10_000, 10_000), PokerAction(CALL)),
        ("raise 5000", (10_000, 3_000), PokerAction(CALL)),
        ("raise 200", (10_000, 250), PokerAction(RAISE, 250)),
        ("", (10_000, 100), PokerAction(CALL)),
        ("", (100, 10_000), PokerAction(CALL)),
    ],
)
def test_all_in_bets_or_raises_everything_or_calls_where_that_is_all_one_can(
    line: str, stacks: tuple[int, int], action: PokerAction
) -> None:
    hand = bet_out(poker_hand(stacks=stacks), line)
    assert Accepted(action, exact=True) == read_action("all-in", hand)
    assert hand.fault(action) is None
    if action.kind is CALL:
        assert Accepted(action, exact=False) == read_action("call all-in", hand)


UNOPENED = {
    "bet 2.5": Accepted(PokerAction(BET, 250), exact=True),
    "raise to 2.5": Accepted(PokerAction(BET, 250), exact=False),
    "raise 2.5": Accepted(PokerAction(BET, 250), exact=False),
    "raise by 2.5 BB": Accepted(PokerAction(BET, 250), exact=False),
    "bet a total of 2.5 BB": Accepted(PokerAction(BET, 250), exact=False),
    "check": Accepted(PokerAction(CHECK), exact=True),
    "call": Accepted(PokerAction(CHECK), exact=False),
    "call 0 BB": Accepted(PokerAction(CHECK), exact=False),
    "call 2": Fault(FaultKind.AMBIGUOUS, "'call 2' where a call costs 0 BB"),
    "fold": Fault(FaultKind.ILLEGAL, "fold is not legal here"),
    "raise to 0.5": Fault(FaultKind.ILLEGAL, "the amount must be from 1 to 99 BB"),
}


@pytest.mark.parametrize(("text", "found"), UNOPENED.items())
def test_a_wrong_verb_is_mended_only_where_the_intent_is_plain(text: str, found: Accepted[PokerAction] | Fault) -> None:
    assert found == read_action(text, bet_out(poker_hand(), "call, check"))


FACING_A_BET = {
    "bet 6": Accepted(PokerAction(RAISE, 600), exact=False),
    "raise to 6": Accepted(PokerAction(RAISE, 600), exact=True),
    "call 2 BB": Accepted(PokerAction(CALL), exact=False),
    "bet 2": Fault(FaultKind.ILLEGAL, "the amount must be from 4 to 99 BB"),
    "raise 6": Fault(FaultKind.AMBIGUOUS, "'raise 6' does not say whether that is the total"),
    "check": Fault(FaultKind.ILLEGAL, "check is not legal here"),
}


@pytest.mark.parametrize(("text", "found"), FACING_A_BET.items())
def test_a_bet_against_a_bet_is_a_raise_to_that_total(text: str, found: Accepted[PokerAction] | Fault) -> None:
    assert found == read_action(text, bet_out(poker_hand(), "call, check, bet 200"))


def test_no_amount_can_raise_a_player_who_is_all_in() -> None:
    hand = bet_out(poker_hand(), "raise 10000")
    assert read_action("bet 50", hand) == Fault(FaultKind.ILLEGAL, "bet is not legal here")
    assert read_action("raise to 100", hand) == Fault(FaultKind.ILLEGAL, "raise is not legal here")


def spellings(phrase: str) -> list[str]:
    """What somebody may answer who was shown this phrase of the line of legal actions."""
    ranged = re.fullmatch(r"(bet|raise to a total) from (\S+) to (\S+) BB", phrase)
    if ranged is None:
        return [phrase, phrase.upper(), phrase.capitalize(), f"I {phrase}"]
    verb, *ends = ranged.groups()
    verbs = ["bet", "bet a total of"] if verb == "bet" else ["raise to", verb, f"{verb} of", "Raise to"]
    return [f"{said} {end}{unit}" for said in verbs for end in ends for unit in ("", " BB", "BB", " bb")]


def beyond(phrase: str) -> list[str]:
    """Amounts just outside the range of a phrase."""
    return [
        f"{'bet' if verb == 'bet' else 'raise to'} {float(end) + step:.2f}"
        for verb, low, high in re.findall(r"(bet|raise to a total) from (\S+) to (\S+) BB", phrase)
        for end, step in ((low, -0.01), (high, 0.01))
    ]


def phrases(hand: Hand) -> list[str]:
    """The line of legal actions, as the seat reads it."""
    return (
        turn_message(hand, hand.to_act or 0, "").content.partition(FORM)[0].partition("Legal actions: ")[2].split(", ")
    )


@given(st.integers(0, 10**6))
def test_whatever_the_line_of_legal_actions_invites_is_read_and_nothing_beyond_it(number: int) -> None:
    stream = DICE.stream(f"named/{number}")
    for hand in random_line(stream, deal_cards(DICE, number, (1, 0))):
        for phrase in phrases(hand):
            for text in spellings(phrase):
                read = read_action(text, hand)
                assert isinstance(read, Accepted), text
                assert phrase.startswith(read.action.kind.value)
            assert all(isinstance(read_action(text, hand), Fault) for text in beyond(phrase))
        refused = {"fold", "check"} - set(phrases(hand))
        assert all(isinstance(read_action(word, hand), Fault) for word in refused)


def test_the_papers_range_is_read_as_it_was_refused_before() -> None:
    hand = bet_out(poker_hand(), "raise 200, call, bet 200, call, bet 400")
    assert phrases(hand)[-1] == "raise to a total from 8 to 96 BB"
    assert read_action("raise to a total of 8 BB", hand) == Accepted(PokerAction(RAISE, 800), exact=False)
