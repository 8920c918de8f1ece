"""The authors' summary against the games: every figure that the games give."""

from collections.abc import Iterator

from .findings import Finding, Step
from .reading import SUMMARY, Summary
from .tallies import Tallies

ROUNDING = 1e-9
# The gate of the paper's section 4.1.
SIGNIFICANCE, WIN_RATE_ABOVE, ERROR_RATE_BELOW = 0.05, 0.70, 0.20
_REASONS = ("checkmate", "forfeit", "adjudication", "max_moves", "insufficient_material")


def summary_findings(summary: Summary | None, tallies: Tallies) -> Iterator[Finding]:
    """Each figure of the summary that the games contradict."""
    if summary is None:
        return
    counts, rates = _counts(tallies), _rates(tallies)
    for name, expected in counts.items():
        found = getattr(summary, name)
        if found != expected:
            yield Finding(Step.SUMMARY, SUMMARY, f"{name} {expected}", str(found))
    for name, (rate, half_unit) in rates.items():
        found = getattr(summary, name)
        if abs(found - rate) > half_unit + ROUNDING:
            yield Finding(Step.SUMMARY, SUMMARY, f"{name} {rate:.4f}", str(found))
    if summary.total_api_calls < tallies.model_moves:
        calls = f"total_api_calls of at least the {tallies.model_moves} model moves"
        yield Finding(Step.SUMMARY, SUMMARY, calls, str(summary.total_api_calls))
    yield from _errors(summary, tallies)
    yield from _reasons(summary, tallies)


def _counts(tallies: Tallies) -> dict[str, int | bool]:
    significant = tallies.p_value < SIGNIFICANCE
    reliable = tallies.error_rate < ERROR_RATE_BELOW
    return {
        "phase": 0,
        "n_games": tallies.games,
        "model_wins": tallies.wins,
        "model_losses": tallies.losses,
        "draws": tallies.draws,
        "significant": significant,
        "forfeits": tallies.reasons.get("forfeit", 0),
        "passed": significant and reliable and tallies.wins / tallies.games > WIN_RATE_ABOVE,
    }


def _rates(tallies: Tallies) -> dict[str, tuple[float, float]]:
    """The value of each rounded figure, and half a unit of its last printed digit."""
    return {
        "model_score": (float(tallies.score), 0.0005),
        "win_rate": (tallies.wins / tallies.games, 0.0005),
        "p_value": (float(tallies.p_value), 0.00005),
        "error_rate": (tallies.error_rate, 0.0005),
        "avg_moves": (float(tallies.plies_mean), 0.05),
        "avg_duration_seconds": (tallies.seconds_mean, 0.05),
    }


def _errors(summary: Summary, tallies: Tallies) -> Iterator[Finding]:
    found = summary.format_errors + summary.illegal_errors + summary.nonsense_errors
    if found != tallies.flagged_errors:
        expected = f"format, illegal and nonsense errors of {tallies.flagged_errors} in all"
        yield Finding(Step.SUMMARY, SUMMARY, expected, str(found))


def _reasons(summary: Summary, tallies: Tallies) -> Iterator[Finding]:
    named = {reason: tallies.reasons.get(reason, 0) for reason in _REASONS}
    named["other"] = tallies.games - sum(named.values())
    for reason in sorted(named.keys() | summary.result_reasons.keys()):
        expected, found = named.get(reason, 0), summary.result_reasons.get(reason, 0)
        if expected != found:
            yield Finding(Step.SUMMARY, SUMMARY, f"{reason} {expected}", str(found))
