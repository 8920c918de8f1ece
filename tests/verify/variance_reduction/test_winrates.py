"""A match by every method: units, mirrors, variance cut, and what happens where there is little to see."""

import statistics
from collections.abc import Sequence
from fractions import Fraction

import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.holdem.cell import MILLICHIPS, PokerCell, poker_cell
from agzamov_verify.games.holdem.control_variates import PER_CHIP, Method, net_units
from agzamov_verify.games.holdem.hand_script import HandRecord, PokerRules
from agzamov_verify.games.holdem.match_analysis import MethodWinrate, winrates_by_method
from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.units.cells import CellKey
from agzamov_verify.table.decision import Tally
from verify.variance_reduction.scripted_hands import script, told

players = script("value_baseline/players.py")
RAW, ALL_IN, STREET_EQUITY, BASELINE = Method
HOW = Resamples(bytes(32), 200, Bootstrap.PERCENTILE)
SESSION, DECKS = 10, 1_000
DICE = Dice(b"session tests".ljust(32))
PAIRINGS = {
    "tag tag": (players.TAG, players.TAG),
    "tag lag": (players.TAG, players.LAG),
    "lag station": (players.LAG, players.STATION),
}


@pytest.fixture(scope="module", params=PAIRINGS.values(), ids=PAIRINGS.keys())
def match(request: pytest.FixtureRequest) -> list[HandRecord]:
    """A mirrored match: DECKS hands, and again with the seats exchanged, neighbours changing places."""
    a, b = request.param
    first = players.hands(DICE, range(DECKS), a, b, swapped=False)
    again = players.hands(DICE, range(DECKS), a, b, swapped=True)
    return [*first, *(again[at ^ 1] for at in range(DECKS))]


def cell_of(records: Sequence[HandRecord], session_hands: int, *, mirrored: bool = False) -> PokerCell:
    rules = PokerRules(session_hands=session_hands, mirrored=mirrored)
    return poker_cell(CellKey("m", "holdem", 1), records, 0, (Tally(), Tally()), "", rules)


def by_method(records: Sequence[HandRecord], *, mirrored: bool) -> dict[Method, MethodWinrate]:
    found = winrates_by_method(cell_of(records, SESSION, mirrored=mirrored), HOW)
    return {Method(name): one for name, one in found.items()}


def a_chips(records: Sequence[HandRecord], method: Method) -> list[float]:
    """Seat A's result of every hand."""
    return [net_units(one, method) / PER_CHIP * (-1) ** at for at, one in enumerate(records)]


# --- in simulation -------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [ALL_IN, STREET_EQUITY, BASELINE])
def test_what_is_taken_out_is_nothing_on_average(match: list[HandRecord], method: Method) -> None:
    removed = [raw - left for raw, left in zip(a_chips(match, RAW), a_chips(match, method), strict=True)]
    pairs = [one + removed[DECKS + (at ^ 1)] for at, one in enumerate(removed[:DECKS])]
    for sample in (removed[:DECKS], removed[DECKS:], pairs):
        assert statistics.stdev(sample) > 0
        assert abs(statistics.mean(sample)) < 3.5 * statistics.stdev(sample) / len(sample) ** 0.5


def test_each_method_leaves_less_variance_and_mirrors_leave_less_still(match: list[HandRecord]) -> None:
    plain, mirrored = (by_method(match, mirrored=together) for together in (False, True))
    cuts = [Fraction(plain[method].variance_cut.exact) for method in Method]  # type: ignore[union-attr]
    assert cuts[0] == 1
    assert cuts[0] <= cuts[1] + Fraction(1, 10) < cuts[2] < cuts[3]
    for method in Method:
        assert Fraction(mirrored[method].variance_cut.exact) > Fraction(plain[method].variance_cut.exact)  # type: ignore[union-attr]
    assert Fraction(mirrored[BASELINE].variance_cut.exact) > 2  # type: ignore[union-attr]


def test_a_player_against_himself_is_even_and_the_interval_says_so() -> None:
    first = players.hands(DICE, range(4_000), players.TAG, players.TAG, swapped=False)
    again = players.hands(DICE, range(4_000), players.TAG, players.TAG, swapped=True)
    records = [*first, *(again[at ^ 1] for at in range(4_000))]
    found = by_method(records, mirrored=True)[BASELINE].winrate
    assert found.ci is not None
    assert float(found.ci.low) < 0 < float(found.ci.high)


# --- by hand -------------------------------------------------------------------------------------


def made_up(*nets: int) -> list[HandRecord]:
    """Hands, by what seat A won: it has the button in even ones."""
    return [HandRecord("h", HandEnd.FOLD, net if at % 2 == 0 else -net, (0, 0)) for at, net in enumerate(nets)]


def test_a_unit_is_a_session_or_a_session_and_its_mirror() -> None:
    records = made_up(1, 2, 3, 4, 50, 60, 70, 80)
    assert cell_of(records, 2).measured().values == (3, 7, 110, 150)
    assert cell_of(records, 2, mirrored=True).measured().values == (113, 157)


def test_the_winrate_is_the_same_however_units_are_made() -> None:
    records = made_up(1, 2, 3, 4, 50, 60, 70, 80)
    for mirrored in (False, True):
        units = cell_of(records, 2, mirrored=mirrored).measured()
        assert Fraction(sum(units.values), len(units.values)) * units.scale.factor == Fraction(270, 8)


def test_a_unit_is_rounded_once_and_half_even() -> None:
    records = [told("raise 10000, call"), told("fold")]
    units = cell_of(records, 2).adjusted(ALL_IN)
    exact = Fraction(net_units(records[0], ALL_IN) - net_units(records[1], ALL_IN), PER_CHIP) * MILLICHIPS
    assert exact.denominator > 1
    assert units is not None
    assert units.values == (round(exact),)


def test_one_unit_has_no_spread_and_equal_units_leave_no_variance_to_compare() -> None:
    for records, mirrored in (([told("fold")] * 2, False), ([told("fold")] * 8, True)):
        found = winrates_by_method(cell_of(records, 2, mirrored=mirrored), HOW)
        assert list(found) == list(Method)
        assert {(one.variance_cut, one.sd_per_100_hands, one.winrate.ci) for one in found.values()} == {
            (None, None, None)
        }
        assert found["raw"].winrate.value.decimal == "0.000000"  # type: ignore[union-attr]


def test_sd_per_100_hands_is_the_usual_one() -> None:
    nets = (500, -100, 300, -200, 900, 0, -700, 40)
    raw = winrates_by_method(cell_of(made_up(*nets), 2), HOW)["raw"]
    sessions = [nets[at] + nets[at + 1] for at in range(0, 8, 2)]
    per_hand = statistics.variance(sessions) / 2
    assert raw.sd_per_100_hands is not None
    assert float(raw.sd_per_100_hands.decimal) == pytest.approx((per_hand / 100) ** 0.5, abs=1e-6)
    assert raw.variance_cut is not None
    assert raw.variance_cut.exact == "1/1"


def test_fewer_units_than_the_protocol_asks_have_no_factor_of_variance() -> None:
    cell = cell_of(made_up(500, -100, 300, -200, 900, 0, -700, 40), 2)
    assert winrates_by_method(cell, HOW, 4)["raw"].variance_cut is not None
    assert {found.variance_cut for found in winrates_by_method(cell, HOW, 5).values()} == {None}


def test_mirrored_decks_that_cancel_cut_the_variance_by_what_the_two_sessions_share() -> None:
    """Sessions of +-100 that are all chance but for 1, 2, 3 and 4 chips: by hand, the mirrors leave those."""
    first, again = (101, 0, -98, 0), (-100, 0, 101, 0)
    raw = winrates_by_method(cell_of(made_up(*first, *again), 2, mirrored=True), HOW)["raw"]
    alone = statistics.variance([101, -98, -100, 101]) / 2
    together = statistics.variance([1, 3]) / 4
    assert raw.variance_cut is not None
    assert float(raw.variance_cut.decimal) == pytest.approx(alone / together, rel=1e-6)


def test_without_the_cards_there_is_raw_alone() -> None:
    assert list(winrates_by_method(cell_of(made_up(1, 2), 2), HOW)) == ["raw"]
