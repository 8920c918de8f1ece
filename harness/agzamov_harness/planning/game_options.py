"""The options of `agzamov plan` that games have, found without loading a game."""

from importlib import import_module
from pathlib import Path
from typing import Final

from agzamov_verify import games
from agzamov_verify.scoring.plan_options import GamePlanOptions

MODULE: Final = "plan_options"
FOLDER: Final = Path(games.__file__).parent


def options_of_games() -> list[GamePlanOptions]:
    """The options of each game whose folder has some."""
    places = sorted(f"{games.__name__}.{path.parent.name}.{MODULE}" for path in FOLDER.glob(f"*/{MODULE}.py"))
    return [import_module(place).PLAN_OPTIONS for place in places]
