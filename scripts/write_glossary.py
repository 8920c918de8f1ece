"""Writes docs/glossary.md from the words that `agzamov explain` explains."""

from collections.abc import Iterator
from pathlib import Path

from agzamov_verify.commands.explain_command import GROUPS
from agzamov_verify.show.glossary import PAPER

TARGET = Path(__file__).parent.parent / "docs" / "glossary.md"


def glossary_text() -> str:
    """The page as it is published."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Glossary"
    yield ""
    yield "Every word and figure that a report prints, as `agzamov explain WORD` explains it. Written by"
    yield f"`scripts/write_glossary.py`. The paper: {PAPER}."
    for heading, terms in GROUPS.items():
        yield from ("", f"## {heading}", "", "| word | meaning | source |", "|---|---|---|")
        for term in terms:
            also = f" ({', '.join(term.also)})" if term.also else ""
            yield f"| {_cell(term.name + also)} | {_cell(term.text)} | {_cell(term.source)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    TARGET.write_text(glossary_text())
