"""The first screen of a round of an arena: in each game what every player took, and the games in which they met.

A round has a unit or so of each pairing, from which nothing can be concluded: the table of all rounds is what ranks.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ...core.columns import foreign_name
from ...scoring.results import MatchResult
from ..text.answers import Played
from ..text.first_screen import ARENA
from ..text.headline import Headline, headlines
from ..views import VIEWS, game_words, size_words
from .markup import Element, capital, element, table

NOTHING_SHOWN: Final = "One round shows nothing by itself."


def round_cards(played: Played) -> Iterator[Element]:
    """What a round is, then a card for each game that was played."""
    yield element("p", ARENA, " ", NOTHING_SHOWN, class_="claim")
    rows = played.results.matches
    games = dict.fromkeys(row.game for row in rows)
    cards = [_card(game, [row for row in rows if row.game == game], played) for game in games]
    yield element("div", *cards, class_="answers")


def _card(game: str, rows: Sequence[MatchResult], played: Played) -> Element:
    """Players by their figure, best first, and every pairing or table with a link to its games."""
    view, figures = VIEWS[game], headlines(played.results.matches, played.analysis)
    taken: dict[str, tuple[float, int]] = {}
    for row in rows:
        sum_, count = taken.get(row.measured, (0.0, 0))
        taken[row.measured] = sum_ + figures[row.id].value * row.result.count, count + row.result.count
    means = {name: sum_ / max(1, count) for name, (sum_, count) in taken.items()}
    ranked = sorted(means, key=lambda name: (-means[name], name))
    lines = [(foreign_name(name), size_words(taken[name][1], game), view.spelled(means[name])) for name in ranked]
    by_match: dict[str, list[MatchResult]] = {}
    for row in rows:
        by_match.setdefault(row.match, []).append(row)
    met = [element("li", _met(match, seats, figures)) for match, seats in by_match.items()]
    games = element("details", element("summary", "Who met whom, and their games"), element("ul", *met), class_="more")
    head = element("div", element("h2", capital(game_words(game))), class_="answer-head")
    return element("article", head, table(("player", "played", view.figure_unit), lines), games, class_="answer")


def _met(match: str, seats: Sequence[MatchResult], figures: Mapping[str, Headline]) -> Element:
    """What each seat of a match took, with a link to the match's games."""
    spelled = VIEWS[seats[0].game].spelled
    words = ", ".join(f"{foreign_name(row.measured)} {spelled(figures[row.id].value)}" for row in seats)
    return element("a", words, href=f"#m={match}")
