"""The games that there are. A game is one folder of `games` and one name here.

A folder has three modules, each in the layer that needs it: `game` (play), `scoring` (counts and figures) and
`view` (words for a person). So the manifest can know the games without scoring, and scoring without the screen.
Games that are variants of one another share a folder: each of its modules has the parts of all of them, by name.
"""

from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.resources import files
from inspect import get_annotations
from typing import Any, Final

from .game import Game
from .game_tool import GameTool

NAMES: Final = (
    "chess960",
    "chess",
    "draughts",
    "holdem",
    "holdem_ring",
    "holdem_sit_and_go",
    "werewolf",
)


FOLDERS: Final[Mapping[str, str]] = {"chess960": "chess", "holdem_sit_and_go": "holdem_ring"}
"""Folders of games whose folder has another name."""

VARIANTS: Final = "VARIANTS"
"""In a module of a folder of several games: its parts, by the games' names."""

TAGGED: Final = {"game": ("match",), "scoring": ("counts", "analysis"), "view": ()}
"""Fields of each half that are types, with the game's name for a tag."""


def folder_of(name: str) -> str:
    """The package of a game's folder."""
    return f"agzamov_verify.games.{FOLDERS.get(name, name)}"


class IncompleteGame(TypeError):
    """A game's folder lacks something that every game has."""


def half(name: str, module: str) -> Any:
    """One part of a game: GAME, SCORING or VIEW of that module of its folder. Raises IncompleteGame.

    Where the folder has several games, it is the one of that name in VARIANTS of the module.

    Some games have more parts (`parts`): JUDGED_MOVES of `judged_moves`, where an engine judges what was played;
    PLANNING of `planning`, what a plan can detect.
    """
    place = f"games/{FOLDERS.get(name, name)}/{module}.py"
    value = _part(name, module)
    if value is None:
        raise IncompleteGame(
            f"{place}: expected a value {module.upper()}, an instance of the game's class,"
            f" or one for {name} in VARIANTS"
        )
    fields = {field for base in type(value).__mro__ for field in get_annotations(base)}
    missing = sorted(field for field in fields if not hasattr(value, field))
    if missing:
        raise IncompleteGame(f"{place}: expected values for {', '.join(missing)} in {type(value).__name__}")
    if (value if module == "game" else value.game).name != name:
        raise IncompleteGame(f"{place}: expected the game's name to be that of its folder, {name!r}")
    for field in TAGGED.get(module, ()):
        kind = getattr(value, field)
        if kind.__struct_config__.tag != name:
            raise IncompleteGame(f"{place}: expected `tag={name!r}` in class {kind.__name__}")
    if module == "game" and (alone := value.patterns.keys() ^ value.detectors.keys()):
        both = "in `patterns` and in `detectors`"
        raise IncompleteGame(f"{place}: expected each pattern {both}, found {min(alone)} in one of them")
    return value


def _part(name: str, module: str) -> Any:
    """The same, without a look at what it lacks; None where there is none."""
    wanted = f"{folder_of(name)}.{module}"
    try:
        loaded = import_module(wanted)
    except ModuleNotFoundError as error:
        if error.name not in {wanted, folder_of(name)}:
            raise
        raise IncompleteGame(f"{wanted.replace('.', '/')}.py: expected this module of {name}, found none") from error
    variants: Mapping[str, Any] | None = getattr(loaded, VARIANTS, None)
    return getattr(loaded, module.upper(), None) if variants is None else variants.get(name)


def parts(module: str) -> dict[str, Any]:
    """A part that not every game has, of those whose folder has the module, and there one for this variant."""
    having = [name for name in NAMES if (files(folder_of(name)) / f"{module}.py").is_file()]
    return {name: half(name, module) for name in having if _part(name, module) is not None}


GAMES: Final[Mapping[str, Game]] = {name: half(name, "game") for name in NAMES}


TOOLS: Final[Mapping[type[Any], GameTool]] = {game.tool.question: game.tool for game in GAMES.values() if game.tool}
"""The tools of games by the type of question that they answer."""

TOOL_SERVERS: Final[Mapping[str, GameTool]] = {tool.server: tool for tool in TOOLS.values()}
"""The same by the name of their server."""


def game_of_prompt(situation: str) -> Game:
    """The game that a user message is of. Raises ValueError for one of none."""
    game = next((game for game in GAMES.values() if game.sign in situation), None)
    if game is None:
        raise ValueError(f"expected a prompt of {' or '.join(GAMES)}, found {situation[:60]!r}")
    return game


def files_of(names: Iterable[str], file_name: str) -> list[str]:
    """The text files of this name, such as `replay.js`, in the folders of some games; variants share one."""
    found = [files(folder) / file_name for folder in dict.fromkeys(map(folder_of, names))]
    return [file.read_text("utf-8") for file in found if file.is_file()]
