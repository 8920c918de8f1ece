"""The gate of Phase 0: a seat that does not beat the random player plays no later phase of that game.

By agz-0.1 it must win more than 70 % of its games, its error rate must be below 20 %, and the one-sided binomial p of
its wins against an even chance below 0.05. The three bounds are the protocol's (`protocols.norms.GateNorm`). Which
matches a failed gate stops: `early_stopping.matches_to_play`.
"""

from fractions import Fraction

import msgspec

from ..plan.manifest import Plan
from ..protocols import PROTOCOLS
from ..protocols.norms import GateNorm
from ..table.decision import Tally
from .inference.proportions import binomial_p
from .inference.significance import Alternative
from .units.counts import Counts


class Gate(msgspec.Struct, frozen=True):
    """Outcome of Phase 0 for one seat. `reason`: the bounds that it missed."""

    passed: bool
    reason: str


def is_gate(plan: Plan, phase: int) -> bool:
    """True if the matches of the phase decide which seats go further."""
    rule = PROTOCOLS[plan.protocol].phases.get(phase)
    return rule is not None and rule.gate


def gate_of(counts: Counts, tally: Tally, norm: GateNorm) -> Gate:
    """Apply the three bounds to the counts and the decisions of a seat. No decision at all is an error rate of 1."""
    wins, n = counts.wins
    errors = Fraction(tally.faults, tally.decisions) if tally.decisions else Fraction(1)
    reasons = []
    if 100 * wins <= norm.win_percent_above * n:
        reasons.append(f"{wins} wins of {n} are not above {norm.win_percent_above} %")
    if 100 * errors >= norm.error_percent_below:
        reasons.append(f"the error rate is not below {norm.error_percent_below} %")
    if binomial_p(wins, n, Alternative.GREATER) >= Fraction(norm.p_below):
        reasons.append(f"the binomial p is not below {norm.p_below}")
    return Gate(not reasons, "; ".join(reasons))
