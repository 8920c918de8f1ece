"""The options of `agzamov plan` that games have: found without loading a game, and those of the games' own planning."""

from agzamov_harness.planning.game_options import options_of_games
from agzamov_verify.scoring.plannings import PLANNINGS


def test_each_game_that_can_be_planned_has_its_options_and_no_other_has() -> None:
    declared = {options.game: options for options in options_of_games()}
    assert declared == {name: planning.options for name, planning in PLANNINGS.items()}


def test_no_two_games_have_an_option_of_one_name() -> None:
    found = options_of_games()
    effects = [options.effect_name for options in found]
    names = [option.name for options in found for option in options.assumed]
    assert (len(set(effects)), len(set(names))) == (len(effects), len(names))
