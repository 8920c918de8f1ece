"""A question to the person at the terminal."""

import sys

import click


def confirmed(question: str) -> bool:
    """The person's answer; no where nobody can be asked."""
    return is_attended() and click.confirm(question, default=False, err=True)


def is_attended() -> bool:
    """True if a person reads and types."""
    return sys.stdin.isatty() and sys.stderr.isatty()
