"""The hold'em player of the donor match: in each situation it does what brings its counts nearest to a stranger's.

A stranger's are those that the reference player expects of an opponent of whom it knows nothing.
"""

from collections import Counter

from agzamov_verify.core.dice import Stream
from agzamov_verify.games.holdem.habit_words import FOLDS_TO_BET, Habit
from agzamov_verify.games.holdem.patterns import TWO_PAIR, best_kind, made_last_raise
from agzamov_verify.games.holdem.random_player import spelled
from agzamov_verify.games.holdem.reference_player import STRANGER
from agzamov_verify.games.holdem.spot import SeenSpot, Verb, Who, read_spot
from agzamov_verify.table.prompt_lines import Page

OPEN_CHIPS, THREE_BET_TIMES = 250, 3
BET_POT_PERCENT = 60
LEADS_PERCENT = 45
"""Bets where no habit is counted."""
LEADS = "Leads"


class HoldemDonor:
    """Both players of one session; each counts its own actions, and each is on the button in every other hand."""

    def __init__(self) -> None:
        self._times: Counter[tuple[str, str]] = Counter()
        self._occasions: Counter[tuple[str, str]] = Counter()
        self._rounding: dict[tuple[str, str], int] = {}
        self._hands = 0
        self._stream: Stream

    def reply(self, page: Page, stream: Stream) -> str:
        """The action of the player to act."""
        self._stream = stream
        spot = read_spot(page)
        if spot.on_button and not spot.history:
            self._hands += 1
        player = "AB"[(self._hands + spot.on_button) % 2]
        verb = self._after_flop(spot, player) if spot.board else self._before_flop(spot, player)
        if verb not in spot.options.verbs:
            verb = Verb.CALL if spot.to_call_chips else Verb.CHECK
        return f"ACTION: {spelled(verb, _total(spot) if verb in (Verb.BET, Verb.RAISE) else 0)}"

    def _before_flop(self, spot: SeenSpot, player: str) -> Verb:
        if len(spot.raises) > 1:
            folds = spot.on_button and len(spot.raises) == 2 and self._takes(player, Habit.FOLDS_BUTTON_TO_3BET)
            return Verb.FOLD if folds else Verb.CALL
        if spot.on_button:
            raises = self._takes(player, Habit.PFR)
            self._count(player, Habit.VPIP, took=raises)
            return Verb.RAISE if raises else Verb.FOLD
        raises = self._takes(player, Habit.THREE_BET if spot.raises else Habit.RAISES_BIG_BLIND)
        self._count(player, Habit.PFR, took=raises)
        if raises or not spot.to_call_chips:
            self._count(player, Habit.VPIP, took=raises)
            return Verb.RAISE if raises else Verb.CHECK
        return Verb.CALL if self._takes(player, Habit.VPIP) else Verb.FOLD

    def _after_flop(self, spot: SeenSpot, player: str) -> Verb:
        street = {3: "flop", 4: "turn", 5: "river"}[len(spot.board)]
        if spot.to_call_chips:
            may_check_raise = _has_checked(spot, street) and Verb.RAISE in spot.options.verbs
            if may_check_raise and self._takes(player, Habit.CHECK_RAISE):
                self._count(player, FOLDS_TO_BET[street], took=False)
                return Verb.RAISE
            return Verb.FOLD if self._takes(player, FOLDS_TO_BET[street]) else Verb.CALL
        if street == "flop" and made_last_raise(spot):
            habit: str = Habit.CBETS
        elif street == "river" and best_kind(spot) < TWO_PAIR:
            habit = Habit.BETS_RIVER_LIGHT
        else:
            habit = LEADS
        bets = street == "river" and habit is LEADS
        if bets:  # with a good hand always, so that light bets have a share
            self._count(player, Habit.BETS_RIVER_LIGHT, took=False)
        return Verb.BET if bets or self._takes(player, habit) else Verb.CHECK

    def _takes(self, player: str, habit: str) -> bool:
        """True if taking this occasion brings the share to a stranger's; it is counted as it is decided.

        A session of so many occasions has the whole number below or above the share, as it is drawn once, so that
        sessions together have the share itself.
        """
        name = Habit(habit).name.lower() if habit in set(Habit) else ""
        percent = getattr(STRANGER, name) if name else LEADS_PERCENT
        times, occasions = self._times[player, habit], self._occasions[player, habit] + 1
        rounding = self._rounding.setdefault((player, habit), self._stream.below(100))
        took = bool(100 * times + rounding < percent * occasions)
        if took or habit != Habit.BETS_RIVER_LIGHT:  # a river that is checked is no bet
            self._count(player, habit, took=took)
        return took

    def _count(self, player: str, habit: str, *, took: bool) -> None:
        self._occasions[player, habit] += 1
        self._times[player, habit] += took


def _has_checked(spot: SeenSpot, street: str) -> bool:
    return any(deed.street == street and (deed.who, deed.verb) == (Who.ME, Verb.CHECK) for deed in spot.history)


def _total(spot: SeenSpot) -> int:
    """The total of a bet or raise, within the rules."""
    if spot.board:
        to_chips = spot.in_front_chips + spot.to_call_chips
        to_chips += (spot.pot_chips + spot.to_call_chips) * BET_POT_PERCENT // 100
    else:
        to_chips = THREE_BET_TIMES * spot.raises[-1].to_chips if spot.raises else OPEN_CHIPS
    return max(spot.options.min_to_chips, min(to_chips, spot.options.max_to_chips))
