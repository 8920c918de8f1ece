"""Phase 0 in words: whether a player passed, and by what it failed. And p-values as sentences have them."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from ...core.columns import ascii_words
from ...protocols.norms import GateNorm
from ...scoring.gate import Gate
from ...scoring.inference.proportions import binomial_p
from ...scoring.inference.significance import Alternative
from ...scoring.results import MatchResult
from ..glossary import label
from ..seat_words import percent
from ..views import VIEWS, game_words

SMALL_P: Final = 0.001


def gate_lines(matches: Sequence[MatchResult], tests: Mapping[str, str], norm: GateNorm) -> Iterator[str]:
    """The outcome of Phase 0 in one sentence without a full stop; none where there was none.

    `tests`: the p-value of each match. Raises ValueError if one is no number.
    """
    gated = [(match, match.gate) for match in matches if match.gate]
    if not gated:
        return
    several = len({match.measured for match, _ in gated}) > 1
    outcomes = []
    for match, gate in gated:
        who = f"{ascii_words(match.measured)} " if several else ""
        outcome = "passed" if gate.passed else "failed"
        outcomes.append(f"{who}{outcome} in {game_words(match.game)} ({_gate(match, gate, tests.get(match.id), norm)})")
    yield f"{label('Phase 0')} (the entry test: usable answers that beat a random player): {'; '.join(outcomes)}"


def failed_gates(matches: Sequence[MatchResult], norm: GateNorm) -> Iterator[str]:
    """Each player that did not pass Phase 0, with the game and what it missed."""
    for match in matches:
        if match.gate and not match.gate.passed:
            where = f"{ascii_words(match.measured)} failed Phase 0, the entry test, in {game_words(match.game)}"
            yield f"{where} ({missed_bounds(match, norm)})"


def missed_bounds(match: MatchResult, norm: GateNorm) -> str:
    """What a player missed in Phase 0; that of chance where it won often enough, but of too few."""
    reason, (wins, n) = gate_reason(match, norm), match.result.wins
    if match.no_finding or 100 * wins <= norm.win_percent_above * n:
        return reason
    by_chance = binomial_p(wins, n, Alternative.GREATER) >= Fraction(norm.p_below)
    return f"{reason}; too few to tell from even chances, p is not under {norm.p_below}" if by_chance else reason


def _gate(match: MatchResult, gate: Gate, p: str | None, norm: GateNorm) -> str:
    n, what = match.result.wins[1], VIEWS[match.game].game.contest.many
    reasons = [gate_reason(match, norm)]
    missed = p is not None and not gate.passed and float(p) >= float(norm.p_below)
    if p is not None and (gate.passed or missed):  # of a player that failed by something else it reads as a pass
        reasons.append(f"p {p_words(p)} against 50 %")
    if missed:
        can_never = Fraction(1, 2) ** n >= Fraction(norm.p_below)
        reasons[-1] += f", under {norm.p_below} needed{f': with {n} {what} it could not pass' if can_never else ''}"
    return ", ".join(reasons)


def gate_reason(match: MatchResult, norm: GateNorm) -> str:
    """Contests won and unusable answers of Phase 0, each with its limit where that was missed; of a match whose actions
    the harness drew the second alone, since the first is no doing of the player.
    """
    wins, n = match.result.wins
    reasons, errors = list[str](), match.stats.error_rate
    if not match.no_finding:
        reasons.append(f"{wins} of {n} {VIEWS[match.game].game.contest.many} won")
        if 100 * wins <= norm.win_percent_above * n:
            reasons[-1] += f", over {norm.win_percent_above} % needed"
    if 100 * errors >= norm.error_percent_below:
        reasons.append(f"{percent(errors)} unusable answers, must be under {norm.error_percent_below} %")
    return "; ".join(reasons)


def p_words(p: str) -> str:
    """A p-value after its name. Raises ValueError if it is no number."""
    value = float(p)
    return f"= {value:.3f}" if not value < SMALL_P else f"< {SMALL_P}"
