"""The command `explain`: the meaning of a word in the reports."""

import sys

import click

from ..core.columns import ascii_words, paragraph
from ..core.did_you_mean import did_you_mean
from ..show.glossary import LEVELS, MEMORY, PAPER, PLAY, POKER, RUN, SPELLINGS, STATISTICS, TOOLS, Term, find, holding

GROUPS = {
    "Runs and bundles": RUN,
    "Levels and steps": LEVELS,
    "Play": PLAY,
    "Hold'em": POKER,
    "Memory": MEMORY,
    "Tools": TOOLS,
    "Statistics": STATISTICS,
}
EXIT_USAGE = 2


@click.command()
@click.argument("word", nargs=-1)
def explain(word: tuple[str, ...]) -> None:
    """Explain WORD as the reports use it; without WORD, list all words.

    Example: agzamov-verify explain win rate

    Exit code 0: explained. 2: no such word; similar ones are named.
    """
    if not word:
        for heading, terms in GROUPS.items():
            for line in paragraph(heading, "; ".join(term.name for term in terms), 20):
                click.echo(line)
        return
    asked = " ".join(word)
    term = find(asked)
    if term is None:
        hint = did_you_mean(asked, SPELLINGS) or _holding(asked) or "; without a word, explain lists all"
        click.echo(f"error: {ascii_words(asked)[:60]!r} is not in the glossary{hint}", err=True)
        sys.exit(EXIT_USAGE)
    for line in _lines(term):
        click.echo(line)


def _holding(asked: str) -> str:
    """The terms that hold a word which is no term itself."""
    names = ", ".join(holding(asked))
    return f"; it stands in: {names}" if names else ""


def _lines(term: Term) -> list[str]:
    source = term.source.replace("paper", f"the paper ({PAPER})", 1) if term.source.startswith("paper") else term.source
    return [
        *paragraph(term.name, term.text, len(term.name) + 2),
        *paragraph("", f"Source: {source}.", len(term.name) + 2),
    ]
