"""Headline estimates and their intervals (page 9)."""

import hashlib
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from math import comb, gcd, inf, sqrt
from statistics import NormalDist
from typing import Any

from scipy.stats import norm, t

from .canonical import decimal, figure

LEAST = 15
RESAMPLES = 10_000


def gate_passed(wins: int, n: int, faults: int, decisions: int) -> bool:
    p = Fraction(sum(comb(n, k) for k in range(wins, n + 1)), 2**n)
    return 100 * wins > 70 * n and (100 * faults < 20 * decisions if decisions else False) and p < Fraction(5, 100)


def gate_reason(wins: int, n: int, faults: int, decisions: int) -> str:
    """The bounds that a seat missed (8.4.2)."""
    p = Fraction(sum(comb(n, k) for k in range(wins, n + 1)), 2**n)
    missed = {
        f"{wins} wins of {n} are not above 70 %": 100 * wins <= 70 * n,
        "the error rate is not below 20 %": not decisions or 100 * faults >= 20 * decisions,
        "the binomial p is not below 0.05": p >= Fraction(5, 100),
    }
    return "; ".join(words for words, is_missed in missed.items() if is_missed)


def wilson(successes: float, n: int, alpha: float = 0.05) -> tuple[float, float]:
    s, z = successes / n, NormalDist().inv_cdf(1 - alpha / 2)
    half = z * (s * (1 - s) / n + z * z / (4 * n * n)) ** 0.5
    low, high = ((s + z * z / (2 * n) + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return (low if successes else 0.0), (high if successes < n else 1.0)


def resample_sums(
    values: list[int], seed: bytes, sample: int = 0, resamples: int = RESAMPLES
) -> tuple[list[int], list[int]]:
    """Sums and sums of squares of the resamples (9.4)."""
    n, sums, squares, number = len(values), [0] * resamples, [0] * resamples, 0
    wanted = [n] * resamples
    while any(wanted):
        words, block, at = b"", 0, 0
        refused = [0] * resamples
        for resample, count in enumerate(wanted):
            for _ in range(count):
                if at + 2 > len(words):
                    head = seed + bytes([sample]) + number.to_bytes(4, "big") + block.to_bytes(4, "big")
                    words, block, at = hashlib.shake_128(head).digest(65536), block + 1, 0
                product = int.from_bytes(words[at : at + 2], "little") * n
                at += 2
                if product % 2**16 < 2**16 % n:
                    refused[resample] += 1
                else:
                    sums[resample] += values[product >> 16]
                    squares[resample] += values[product >> 16] ** 2
        wanted, number = refused, number + 1
    return sums, squares


def seed_of(values: list[int]) -> bytes:
    unit = gcd(*values) or 1
    return hashlib.sha256(f"1:{','.join(str(value // unit) for value in values)}".encode()).digest()


def _scaled(values: list[int]) -> tuple[list[int], int]:
    power, scaled = 1, values
    while (len(scaled) * max(map(abs, scaled))) ** 2 >= 2**62:
        power *= 10
        scaled = [round(Fraction(value, power)) for value in values]
    return scaled, power


def expanded(values: list[int], seed: bytes) -> tuple[Fraction, Fraction]:
    n, sums = len(values), sorted(resample_sums(values, seed)[0])
    cut = int(RESAMPLES * norm.sf(sqrt(n / (n - 1)) * t.ppf(0.975, n - 1)))
    return Fraction(sums[cut], n), Fraction(sums[RESAMPLES - 1 - cut], n)


def studentised(values: list[int], seed: bytes) -> tuple[Fraction, Fraction] | None:
    """Bounds of the bootstrap-t interval; None where page 9.5 falls back."""
    n, total = len(values), sum(values)
    sums, squares = resample_sums(values, seed)
    spreads = [n * q - s * s for s, q in zip(sums, squares, strict=True)]

    def rank(at: int) -> float:
        away = sums[at] - total
        return away / sqrt(spreads[at]) if spreads[at] else away and inf * away

    ordered, cut = sorted(range(RESAMPLES), key=rank), RESAMPLES * 25 // 1000
    own, steps = n * sum(value * value for value in values) - total * total, []
    for at in (ordered[cut], ordered[RESAMPLES - 1 - cut]):
        if not spreads[at]:
            return None
        with localcontext() as context:
            context.prec = 60
            root = (Decimal(own) / Decimal(spreads[at])).sqrt()
        steps.append(Fraction(sums[at] - total, n) * Fraction(root))
    return Fraction(total, n) - steps[1], Fraction(total, n) - steps[0]


def interval(kind: str, values: list[int], factor: Fraction) -> dict[str, str] | None:
    """The interval of a headline; `kind` is `score` or `bb/100` (9.5)."""
    n = len(values)
    if n < LEAST or (kind == "score" and sum(value != 2 for value in values) < 3):
        return None
    if len(set(values)) == 1:
        if kind == "bb/100":
            return None
        low, high = wilson(float(sum(values) * factor), n)
        return {"high": f"{high:.6f}", "low": f"{low:.6f}", "method": "wilson"}
    seed, (values, power) = seed_of(values), _scaled(values) if kind == "bb/100" else (values, 1)
    method, bounds = "bootstrap-t-10000", None
    if kind == "bb/100":
        bounds = studentised(values, seed)
    if bounds is None:
        method, bounds = "bootstrap-expanded-10000", expanded(values, seed)
    low_, high_ = (bound * power * factor for bound in bounds)
    if kind == "score":
        low_, high_ = max(low_, Fraction(0)), min(high_, Fraction(1))
    return {"high": decimal(high_), "low": decimal(low_), "method": method}


def spread(values: list[Fraction]) -> dict[str, str] | None:
    """The standard deviation, rounded to six decimals."""
    n = len(values)
    if n < 2:
        return None
    mean = sum(values, Fraction(0)) / n
    variance = sum(((value - mean) ** 2 for value in values), Fraction(0)) / (n - 1)
    with localcontext() as context:
        context.prec = 60
        root = (Decimal(variance.numerator) / Decimal(variance.denominator)).sqrt()
        rounded = root.quantize(Decimal("0.000001"), ROUND_HALF_EVEN)
    return figure(Fraction(rounded))


def _student(values: list[Fraction]) -> dict[str, str] | None:
    n = len(values)
    if n < 2:
        return None
    mean = sum(values, Fraction(0)) / n
    squared_error = sum(((value - mean) ** 2 for value in values), Fraction(0)) / (n - 1) / n
    half = Fraction(t.ppf(0.975, n - 1) * sqrt(squared_error))
    return {"high": decimal(mean + half), "low": decimal(mean - half), "method": "student-t"}


def headline(
    kind: str, groups: list[list[int]], careers: int, factor: Fraction, no_finding: str = ""
) -> dict[str, Any]:
    """An estimate of the units of a match, in whole numbers, by career where it has them (9.1, 9.5)."""
    units, per_career = [value for group in groups for value in group], len(groups[0])
    out: dict[str, Any] = {"value": None, "sd": None, "n": [careers if careers > 1 else len(units)], "ci": None}
    out |= {"over": "careers" if careers > 1 else "", "ci_note": "", "by_career": []}
    if no_finding:
        return out | {"ci_note": f"no finding: {no_finding}"}
    if careers == 1:
        out["over"] = "one career"
    if not units:
        return out
    out["value"] = figure(factor * sum(units) / len(units))
    if careers == 1:
        return out
    if careers < 2:
        sd = spread([factor * value for value in units])
        return out | {"sd": sd and [sd], "ci": interval(kind, units, factor), "ci_note": _too_few(kind, units)}
    values = [factor * sum(group) / len(group) for group in groups]
    out["by_career"] = [[decimal(value) for value in values]]
    if per_career < LEAST:
        one, many = UNITS[kind]
        return out | {"ci_note": f"careers of {per_career} {one if per_career == 1 else many}, fewer than {LEAST}"}
    sd = spread(values)
    return out | {"sd": sd and [sd], "ci": _of_careers(kind, values)}


UNITS = {
    "score": ("start played with both colours", "starts played with both colours"),
    "bb/100": ("session", "sessions"),
}


def _too_few(kind: str, units: list[int]) -> str:
    """`ci_note` of units that have no interval (9.5.1)."""
    n, decided = len(units), sum(value != 2 for value in units)
    if n < LEAST:
        return f"n = {n}, an interval needs {LEAST}"
    return f"{decided} of n = {n} decided, an interval needs 3" if kind == "score" and decided < 3 else ""


def _of_careers(kind: str, values: list[Fraction]) -> dict[str, str] | None:
    """9.5.6."""
    if len(set(values)) == 1:
        low, high = wilson(float(sum(values)), len(values))
        return {"high": f"{high:.6f}", "low": f"{low:.6f}", "method": "wilson"} if kind == "score" else None
    bounds = _student(values)
    if bounds and kind == "score":
        cut = {key: min(max(Fraction(bounds[key]), Fraction(0)), Fraction(1)) for key in ("high", "low")}
        bounds |= {key: decimal(value) for key, value in cut.items()}
    return bounds
