"""A game's folder that lacks something says what and where, when it is loaded."""

import sys
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from agzamov_verify.experiment.matches import Match
from agzamov_verify.table.registry import GAMES, IncompleteGame, half

HOLDEM: Any = type(GAMES["holdem"])


class ToyMatch(Match, frozen=True, tag="other"):
    """The match of a game of another name."""


class Nameless(HOLDEM):  # type: ignore[misc] # a class that a registry names
    """A game whose name is not its folder's."""


class Mistagged(HOLDEM):  # type: ignore[misc] # a class that a registry names
    """A game whose match has another game's tag."""

    name: ClassVar[str] = "toy"
    match: ClassVar[type[Match]] = ToyMatch


class Signless:
    """A game without a sign."""

    sign: ClassVar[str]


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (SimpleNamespace(), "games/toy/game.py: expected a value GAME"),
        (SimpleNamespace(GAME=Signless()), "games/toy/game.py: expected values for sign in Signless"),
        (SimpleNamespace(GAME=Nameless()), "games/toy/game.py: expected the game's name to be that of its folder"),
        (SimpleNamespace(GAME=Mistagged()), "games/toy/game.py: expected `tag='toy'` in class ToyMatch"),
    ],
)
def test_an_incomplete_game_is_refused_with_what_it_lacks(
    module: object, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "agzamov_verify.games.toy.game", module)  # type: ignore[arg-type] # a stand-in
    monkeypatch.setattr("agzamov_verify.table.registry.import_module", sys.modules.__getitem__)
    with pytest.raises(IncompleteGame) as refused:
        half("toy", "game")
    assert str(refused.value).startswith(message)
