"""`agzamov matrix`: the model x augmentation matrix of several bundles."""

from typing import Any

import click

from agzamov_verify.scores.score_commands import collected_from, over_bundles, tell
from agzamov_verify.waiting import busy, shown

from .matrix.matrix_text import matrix_lines
from .matrix.table import matrix_document


@click.command()
@over_bundles
def matrix(**options: Any) -> None:
    """Compute the model x augmentation matrix of BUNDLES, with tokens and cost; compare all pairs.

    Every bundle is verified first. Exit code 0: done. 1: a bundle fails its check, or the bundles cannot be combined.
    """
    collected, as_json = collected_from(**options)
    with shown(quiet=as_json), busy("computing the matrix"):
        document = matrix_document(collected)
    tell(document, matrix_lines(document), as_json=as_json)
