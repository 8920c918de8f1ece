"""Canonical JSON, figures and the report of a check (pages 1 and 2.7)."""

import hashlib
import json
from fractions import Fraction
from typing import Any


class Refused(Exception):
    """Something that a page refuses."""


def need(condition: object, what: str) -> None:
    if not condition:
        raise Refused(what)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _outside(value: Any, left: int = 8) -> None:
    need(not isinstance(value, float), "a float")
    need(not isinstance(value, int) or abs(value) < 2**53, "an integer of 2^53 or beyond")
    if isinstance(value, (dict, list)):
        need(left, "more than 8 levels")
        for inner in value.values() if isinstance(value, dict) else value:
            _outside(inner, left - 1)
        need(isinstance(value, list) or all(key.isascii() for key in value), "a key beyond ASCII")


def canonical(value: Any) -> bytes:
    _outside(value)
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise Refused("a lone surrogate") from error


def read_canonical(data: bytes) -> Any:
    """The value of canonical bytes."""
    try:
        value = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise Refused(f"no JSON: {error}") from error
    need(canonical(value) == data, "not the canonical spelling")
    return value


def keys(value: Any, must: str, may: str = "") -> dict[str, Any]:
    need(isinstance(value, dict), "no object")
    need(set(must.split()) <= set(value), f"a key is missing: {sorted(set(must.split()) - set(value))}")
    extra = set(value) - set(must.split()) - set(may.split())
    need(not extra, f"unknown keys {sorted(extra)}")
    return value


def is_int(value: Any, low: int = 0, high: int = 2**53 - 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def decimal(value: Fraction) -> str:
    scaled = round(value * 10**6)
    return f"{'-' if scaled < 0 else ''}{abs(scaled) // 10**6}.{abs(scaled) % 10**6:06d}"


def figure(value: Fraction) -> dict[str, str]:
    return {"decimal": decimal(value), "exact": f"{value.numerator}/{value.denominator}"}


STEPS = (
    *("names", "payload", "signature", "manifest", "seed", "journal", "replay", "gate"),
    *("engine", "results", "claims", "quality", "seats", "executions", "memory", "tools"),
)


class Report:
    """What holds, what does not, and what was not checked, by step."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, str, str]] = []

    def say(self, step: int, kind: str, what: str) -> None:
        self.rows.append((step, kind, what))

    def same(self, step: int, found: Any, expected: Any, what: str) -> None:
        told = "" if found == expected else f": found {str(found)[:300]}, expected {str(expected)[:300]}"
        self.say(step, "FAILS" if told else "holds", what + told)

    def failed(self) -> set[int]:
        return {step for step, kind, _ in self.rows if kind == "FAILS"}

    def text(self, every: bool) -> str:
        """Lines to print; those that hold are counted unless all are wanted."""
        out = []
        for step in sorted({row[0] for row in self.rows}):
            rows = [(kind, what) for at, kind, what in self.rows if at == step]
            good = sum(kind == "holds" for kind, _ in rows)
            state = "FAILS" if step in self.failed() else "holds" if good == len(rows) else "partly"
            out.append(f"{step:2} {STEPS[step - 1]:10} {state if good or state == 'FAILS' else 'NOT CHECKED'}: {good}")
            out += [f"      {kind:11} {what}" for kind, what in rows if every or kind != "holds"]
        return "\n".join(out)
