"""`agzamov matrix`: the model x augmentation matrix of several bundles, for a person. Lines are safe for a terminal."""

from collections.abc import Iterator
from math import inf
from typing import Any, Final

import click
import msgspec

from agzamov_verify.commands.score_commands import collected_from, over_bundles, tell
from agzamov_verify.core.columns import ascii_words, item, quoted, row
from agzamov_verify.core.waiting import busy, shown
from agzamov_verify.experiment.matches import Arm
from agzamov_verify.scores.score_report import source_lines
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.exact import Figure
from agzamov_verify.scoring.inference.unit_values import ONE_CAREER
from agzamov_verify.show.absent_arms import NOT_PLAYED
from agzamov_verify.show.seat_words import NO_PRICE
from agzamov_verify.show.text.analysis_text import can_be_found, careers_words, estimate
from agzamov_verify.show.views import VIEWS, game_words
from agzamov_verify.table.registry import GAMES

from ..matrix.matrix_table import Matrix, MatrixCell, MatrixDocument, matrix_document
from ..matrix.pairwise_comparisons import Pair

WHOLE_TOKENS_FROM: Final = 10
"""So many tokens of a game or hand, and more, are printed without decimals."""
LEAST_USD: Final = 0.0001
LEAST_P: Final = 0.001
NO_PLACEBO: Final = "no placebo was played, so what a longer prompt does is in it"


def matrix_lines(document: MatrixDocument) -> Iterator[str]:
    """The cells, their cost, all pairs, and the crossings."""
    yield from source_lines(document.bundles, document.protocol, document.warnings)
    yield ""
    yield from _entries(document.matrix)
    yield ""
    yield from _crossings(document.matrix)


def _entries(matrix: Matrix) -> Iterator[str]:
    if matrix.entries:
        yield "EACH MODEL BY WHAT IT HAD (95 % intervals; n: careers, or units such as start pairs and sessions)"
    for entry in matrix.entries:
        yield ascii_words(f"{game_words(entry.game)}, {_named(entry.model)} {entry.column}")
        yield from row("result", _estimate(entry.performance, entry.game, VIEWS[entry.game].result_most))
        yield from _less(entry)
        unit_word = GAMES[entry.game].result.one if entry.game in GAMES else "result"
        front = "; none by the same rules is as good for less" if entry.on_frontier else ""
        yield from row("spent", f"{_tokens(entry.tokens)} tokens{_cost(entry.cost_usd)} a {unit_word}{front}")
    if matrix.interactions:
        yield ""
        yield "WHAT A FULL STACK ADDS BEYOND ITS PARTS: its delta less theirs alone (95 % intervals)"
    for one in matrix.interactions:
        yield ascii_words(f"{game_words(one.game)}, {_named(one.model)} full ({one.system})")
        yield from row("interaction", _estimate(one.value, one.game))
    if matrix.pairs:
        yield ""
        yield "EVERY TWO OF ONE GAME: the first less the second (these intervals hold together at 95 %)"
        yield from item(
            " ",
            "the naked column is self-play, the others met their control's opponent: what an augmentation adds"
            ' is "less its placebo" above, or where none was played "less none", never a difference from that column',
        )
    for pair in matrix.pairs:
        pair_text = f"{_named(pair.model)} {pair.column} less {_named(pair.other_model)} {pair.other_column}"
        yield ascii_words(f"{game_words(pair.game)}, {pair_text}")
        yield from row("difference", _compared(pair))


def _less(entry: MatrixCell) -> Iterator[str]:
    """A cell less each other arm of its system."""
    if entry.less_placebo:
        yield from row("less its placebo", _estimate(entry.less_placebo, entry.game))
    if entry.delta:
        yield from row("less none", _estimate(entry.delta, entry.game))
        if not entry.less_placebo:
            yield from row("", NO_PLACEBO)
    for arm, less in entry.less.items():
        told = _estimate(less, entry.game) if less else NOT_PLAYED
        yield from row(f"less its {arm}{' arm' if arm == Arm.STALE else ''}", told)


def _tokens(value: Figure) -> str:
    """Tokens of one game or hand: whole ones, but for few."""
    tokens = float(value.decimal)
    return f"{tokens:,.0f}" if tokens >= WHOLE_TOKENS_FROM else f"{tokens:.2f}"


def _cost(cost_usd: Figure | None) -> str:
    """Nothing of what costs nothing."""
    if cost_usd is None:
        return f" and {NO_PRICE}"
    usd = float(cost_usd.decimal)
    if not usd:
        return ""
    return f" and {usd:.4f} USD" if usd >= LEAST_USD else f" and less than {LEAST_USD} USD"


def _named(model: str) -> str:
    """A model in quotation marks, without the kind of its seat where no other player can have that name."""
    name = model.removeprefix("openai:")
    return quoted(model if "@" in name else name)


def _estimate(value: Estimate, game: str, most: float = inf) -> str:
    """A figure, its interval, n, and the smallest effect that would be found; in as many decimals as in `verify`.

    `most`: as `can_be_found` has it.
    """
    if value.value is None or value.over == ONE_CAREER:
        return estimate(value, most)
    places = _places(game)
    middle = f"{float(value.value.decimal):.{places}f}"
    bounds = f"[{float(value.ci.low):.{places}f}, {float(value.ci.high):.{places}f}]" if value.ci else ""
    if not value.ci:
        bounds = f"[no interval{f': {value.ci_note}' if value.ci_note else ''}]"
    n = "+".join(map(str, value.n)) + (f" {value.over}" if value.over else "")
    n += f": {careers_words(value.by_career)}" if value.by_career else ""
    if value.mde is None or not value.ci:
        return ascii_words(f"{middle} {bounds} {value.unit} (n {n})")
    least = f"effects from {float(value.mde.decimal):.{places}f} would be found"
    found = least if can_be_found(value, most) else "no effect would be found"
    return ascii_words(f"{middle} {bounds} {value.unit} (n {n}; {found})")


def _places(game: str) -> int:
    """Decimals of the game's headline figure, as `verify` prints it."""
    return len(VIEWS[game].number(0.0).partition(".")[2])


def _p(text: str | None) -> str:
    p = float(text or 1)
    return f"{p:.3f}" if p >= LEAST_P else f"below {LEAST_P}"


def _compared(pair: Pair) -> str:
    """A difference with both p, or why it was not tested."""
    if pair.difference.value is None:
        return ascii_words(pair.note)
    if pair.p:
        return f"{_estimate(pair.difference, pair.game)}, p {_p(pair.p)}, corrected {_p(pair.p_corrected)}"
    difference = msgspec.structs.replace(pair.difference, ci_note="")
    return f"{_estimate(difference, pair.game)}, not compared: {ascii_words(pair.note)}"


def _crossings(matrix: Matrix) -> Iterator[str]:
    yield "A WEAKER MODEL WITH A BETTER AUGMENTATION against a stronger model with a worse one (descriptive)"
    for crossing in matrix.crossings:
        verdict, pair = "beats" if crossing.beats else "is not shown to beat", crossing.pair
        pair_text = (
            f"{_named(pair.model)} with {pair.column} {verdict} {_named(pair.other_model)} with {pair.other_column}"
        )
        yield ascii_words(f"{game_words(pair.game)}, {pair_text}")
        yield from row("difference", _compared(pair))
    if not matrix.crossings:
        yield "  none to compare: no model without help is shown to be weaker than another against the same opponent"
    for name in matrix.in_every_game:
        yield from item(" ", f"in every game: {quoted(name)}")


@click.command()
@over_bundles
def matrix(**options: Any) -> None:
    """Compare models with and without memory, tools and documents, over BUNDLES, with tokens and cost.

    Every bundle is verified first.

    Example: agzamov matrix bundles/*

    Exit code 0: done. 1: a bundle fails its check, or the bundles cannot be combined.
    """
    collected, as_json = collected_from(**options)
    with shown(quiet=as_json), busy("computing the matrix"):
        document = matrix_document(collected)
    tell(document, matrix_lines(document), as_json=as_json)
