"""Poker decision quality of a match: whose decisions count, per decision and per hundred hands, in which units."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from agzamov_verify.games.holdem.hand_script import HandRecord, PokerRules
from agzamov_verify.games.holdem.match_analysis import NO_QUALITY, PreflopLoss, PreflopScope, preflop_quality
from agzamov_verify.games.holdem.preflop_game import MICRO_BB, STRATEGY_SHA256, loss_micro_bb
from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.games.holdem.starting_hands import class_of
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.units.score_constants import load_score_constants
from verify.variance_reduction.scripted_hands import told

FOLD, CONSTANTS = 0, load_score_constants("agz-0.1").clusters
ACES = loss_micro_bb(0, FOLD, class_of(("Ah", "As")))
FOLDED, RAISED = told("fold"), told("raise 300, fold")


class Both(NamedTuple):
    """Both seats' losses, which are there."""

    a: PreflopLoss
    b: PreflopLoss


def quality(records: Sequence[HandRecord], session_hands: int = 2, *, mirrored: bool = False) -> Both:
    rules = PokerRules(session_hands=session_hands, mirrored=mirrored)
    a, b = preflop_quality(records, rules, CONSTANTS)
    assert a is not None
    assert b is not None
    return Both(a, b)


def exact(estimate: Estimate) -> Fraction:
    assert estimate.value is not None
    return Fraction(estimate.value.exact)


def test_a_seats_hands_with_a_fault_are_left_out_and_the_others_are_not() -> None:
    faulty = HandRecord("h", HandEnd.FOLD, -50, (1, 0), FOLDED.story)
    found = quality([FOLDED, FOLDED, faulty, FOLDED])
    assert (found.a.hands, found.a.left_out, found.a.decisions, found.a.with_loss) == (3, 1, 1, 1)
    assert (found.b.hands, found.b.left_out, found.b.decisions, found.b.with_loss) == (4, 0, 2, 2)
    assert exact(found.a.loss_per_decision) == exact(found.b.loss_per_decision) == Fraction(ACES, 1_000)


def test_losses_are_per_decision_in_mbb_and_per_hundred_hands_in_bb() -> None:
    found = quality([FOLDED, FOLDED, RAISED, FOLDED]).a
    raised = Fraction(exact(found.loss_per_decision) * 2 * 1_000 - ACES)
    assert 0 <= raised < ACES / 100, "raising aces loses next to nothing"
    assert exact(found.loss_per_100_hands) == (ACES + raised) * Fraction(100, 4 * MICRO_BB)
    assert (found.loss_per_decision.unit, found.loss_per_100_hands.unit) == ("mbb per decision", "bb/100")


def test_a_figure_has_its_interval_its_n_and_what_could_be_found() -> None:
    records = [FOLDED if at % 6 < 2 else RAISED for at in range(80)]
    alone, together = (quality(records, mirrored=mirrored).a.loss_per_decision for mirrored in (False, True))
    assert (alone.n, together.n) == ((40,), (20,))
    for found in (alone, together):
        assert found.ci is not None
        assert float(found.ci.low) < float(exact(found)) < float(found.ci.high)
        assert found.mde is not None
    assert exact(alone) == exact(together)


def test_other_stacks_and_no_hands_have_no_quality() -> None:
    assert preflop_quality([FOLDED] * 2, PokerRules(stack_chips=5_000), CONSTANTS) == NO_QUALITY
    assert preflop_quality([], PokerRules(), CONSTANTS) == NO_QUALITY


def test_a_hand_whose_cards_are_not_known_is_left_out() -> None:
    bare = HandRecord("h", HandEnd.FOLD, -50, (0, 0))
    found = quality([bare, bare]).a
    assert (found.hands, found.left_out, found.loss_per_decision.value) == (0, 2, None)


def test_the_scope_says_what_it_is_not() -> None:
    scope = PreflopScope()
    assert "before the flop alone" in scope.scope
    assert "no part of a score" in scope.scope
    assert scope.strategy_sha256 == STRATEGY_SHA256
