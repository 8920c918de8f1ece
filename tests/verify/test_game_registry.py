"""A game's folder that lacks something says what and where, when it is loaded."""

import sys
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from agzamov_verify.experiment.matches import Match
from agzamov_verify.table.registry import GAMES, IncompleteGame, files_of, half, parts

HOLDEM: Any = type(GAMES["holdem"])


class ToyMatch(Match, frozen=True, tag="other"):
    """The match of a game of another name."""


class Nameless(HOLDEM):  # type: ignore[misc] # a class that a registry names
    """A game whose name is not its folder's."""


class ToysMatch(Match, frozen=True, tag="toy"):
    """The match of a game `toy`."""


class Mistagged(HOLDEM):  # type: ignore[misc] # a class that a registry names
    """A game whose match has another game's tag."""

    name: ClassVar[str] = "toy"
    match: ClassVar[type[Match]] = ToyMatch


class Undetected(HOLDEM):  # type: ignore[misc] # a class that a registry names
    """A game with a pattern that nothing counts."""

    name: ClassVar[str] = "toy"
    match: ClassVar[type[Match]] = ToysMatch
    patterns: ClassVar[dict[str, str]] = {**HOLDEM.patterns, "never_counted": "do as you like."}


class Signless:
    """A game without a sign."""

    sign: ClassVar[str]


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (SimpleNamespace(), "games/toy/game.py: expected a value GAME"),
        (SimpleNamespace(GAME=Signless()), "games/toy/game.py: expected values for sign in Signless"),
        (SimpleNamespace(GAME=Nameless()), "games/toy/game.py: expected the game's name to be that of its folder"),
        (
            SimpleNamespace(GAME=Undetected()),
            "games/toy/game.py: expected each pattern in `patterns` and in `detectors`, found never_counted in one",
        ),
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


def test_a_variant_is_found_in_its_folder_by_its_name() -> None:
    assert half("chess", "scoring").game is GAMES["chess"] is half("chess", "game")
    assert half("chess960", "view").game is GAMES["chess960"]
    assert parts("judged_moves").keys() == {"chess960", "chess"}
    assert parts("planning").keys() == {"chess960", "holdem"}, "a module may have no part of a variant"


def test_a_folder_that_lacks_a_part_of_every_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = SimpleNamespace(VARIANTS={"chess960": GAMES["chess960"]})
    monkeypatch.setitem(sys.modules, "agzamov_verify.games.chess.game", module)
    monkeypatch.setattr("agzamov_verify.table.registry.import_module", sys.modules.__getitem__)
    with pytest.raises(IncompleteGame, match=r"games/chess/game.py: .*, or one for chess in VARIANTS"):
        half("chess", "game")


@pytest.mark.parametrize(("name", "module"), [("toy", "game"), ("chess960", "toys")])
def test_a_folder_without_a_module_is_refused_with_its_name(name: str, module: str) -> None:
    with pytest.raises(IncompleteGame, match=rf"\w/{module}.py: expected this module of {name}, found none"):
        half(name, module)


def test_variants_share_the_files_of_their_folder() -> None:
    (script,) = files_of(("chess960", "chess"), "replay.js")
    assert "GAMES.chess = GAMES.chess960" in script


def test_no_text_by_which_a_game_is_known_is_in_a_message_of_another() -> None:
    for name, game in GAMES.items():
        said = [text for other in GAMES.values() if other.name != name for text in other.templates.values()]
        assert not any(game.sign in text for text in said)
