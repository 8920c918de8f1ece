"""Limits that all models of an arena have alike (seed, "Equal Conditions"), compared over all of its bundles.

Compared is what can change a reply: the most tokens of one, temperature, top_p. What is asked after an answer without
a legal action is a rule of the game, and compared as one. Not compared: how often and how long a failed call is tried
(nobody loses a game by it), and a local model's context (a prompt that does not fit stops the run).
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple

from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.scoring.departures import departures
from agzamov_verify.seats import ModelSeat
from agzamov_verify.seats.seat import Seat

TOP_P: Final = "top_p"


class HouseLimits(NamedTuple):
    """Limits of one model. `tokens`: 0 where its server is sent none. Temperature and `top_p` as exact numbers."""

    tokens: int
    temperature: Fraction
    top_p: Fraction

    @property
    def words(self) -> str:
        """All of them in words."""
        return ", ".join(self.spelled())

    def words_where_unlike(self, other: "HouseLimits", whose: str = "all models have") -> str:
        """Those of this model that others have not, with theirs."""
        pairs = zip(self.spelled(), other.spelled(), strict=True)
        return ", ".join(f"{ours} ({whose} {theirs})" for ours, theirs in pairs if ours != theirs)

    def spelled(self) -> tuple[str, ...]:
        """Each in words."""
        tokens = f"at most {self.tokens} tokens a reply" if self.tokens else "no limit of tokens"
        return tokens, f"temperature {float(self.temperature):g}", f"top_p {float(self.top_p):g}"


def limits_of(seat: Seat) -> HouseLimits | None:
    """The limits of a model; None of a player who is none. A top_p that is not sent is 1, which leaves nothing out."""
    if not isinstance(seat, ModelSeat):
        return None
    is_sent = TOP_P in getattr(seat, "accepts", (TOP_P,))
    return HouseLimits(seat.tokens_limit, Fraction(seat.temperature), Fraction(seat.top_p if is_sent else 1))


def limits_by_model(plan: Plan) -> dict[str, HouseLimits]:
    """The limits of each model that plays in a plan."""
    return {name: limits for name, seat in plan.playing.items() if (limits := limits_of(seat))}


def require_house_rules(file: Path, plan: Plan) -> None:
    """Raises ManifestError where bundles of an arena would not count in its table."""
    if departed := list(departures(plan)):
        raise ManifestError(f"{file}: none of its bundles would count in its table: {'; '.join(departed)}")
    require_one_limit(file, plan)


def require_one_limit(file: Path, plan: Plan) -> None:
    """Raises ManifestError where the models of a roster have not all the same limits."""
    found = limits_by_model(plan)
    first = next(iter(found), "")
    for name, limits in found.items():
        if limits != found[first]:
            unlike_here = limits.words_where_unlike(found[first], f"{first} has")
            raise ManifestError(f"{file}: roster.{name}: expected the limits of all models, found {unlike_here}")


def usual_limits(plans: Iterable[Plan]) -> HouseLimits | None:
    """The limits in most of these plans, of equally many the least; None where no model plays."""
    found = Counter(limits for plan in plans for limits in set(limits_by_model(plan).values()))
    return min(found, key=lambda limits: (-found[limits], limits)) if found else None


def unlike(plan: Plan, match: Match, house: HouseLimits | None) -> list[str]:
    """The models of a match that play under other limits than the arena's."""
    seats = dict.fromkeys(match.seats)
    return [name for name in seats if (limits := limits_of(plan.seats[name])) and house not in (None, limits)]


def unlike_words(plan: Plan, names: Iterable[str], house: HouseLimits) -> str:
    """Whose limits are unlike the arena's, and which."""
    found = ((name, limits_of(plan.seats[name])) for name in dict.fromkeys(names))
    return "; ".join(f"{name} has {limits.words_where_unlike(house)}" for name, limits in found if limits)
