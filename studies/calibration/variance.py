"""Variance that each variance-reduction method leaves between scripted players: the source of the plan's factors.

    PYTHONPATH=studies .venv/bin/python -m calibration.variance [DECKS]

Each pairing plays DECKS decks, and again with the seats exchanged. Decks are fresh: none of those to which the
value baseline was fitted. Prints the variance of raw hands divided by that of each method, hand for hand.
"""

import hashlib
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.holdem.cell import poker_cell
from agzamov_verify.games.holdem.hand_script import HandRecord, PokerRules
from agzamov_verify.games.holdem.match_analysis import winrates_by_method
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.units.cells import CellKey
from agzamov_verify.table.decision import Tally

SEED = hashlib.sha256(b"agzamov calibration of variance").digest()
DECKS = 8_000
RESAMPLES = Resamples(SEED, 100, Bootstrap.PERCENTILE)  # of intervals, which are not shown here
UNIT_HANDS = 2  # hands are independent here, so the shortest unit shows the variance of a hand best
PAIRINGS = (("tag", "tag2"), ("tag", "lag"), ("nit", "lag"), ("tag", "station"), ("lag", "station"))


def main(decks: int) -> None:
    """Print a row for each pairing, and the least and greatest cut of each method."""
    styles = {style.name: style for style in scripted_players().STYLES}
    seen: dict[str, list[float]] = {}
    for a, b in PAIRINGS:
        found = cuts(mirrored_match(scripted_players(), styles[a], styles[b], decks))
        print(f"{a:<5}{b:<8}", "  ".join(f"{name} {cut:.2f}" for name, cut in found.items()), flush=True)
        for name, cut in found.items():
            seen.setdefault(name, []).append(cut)
    for name, all_cuts in seen.items():
        print(f"{name:<22} {min(all_cuts):.2f} to {max(all_cuts):.2f}")


def mirrored_match(players: ModuleType, a: object, b: object, decks: int) -> list[HandRecord]:
    """The decks once, and again with the seats exchanged, neighbours changing places."""
    dice = Dice(SEED)
    first = players.hands(dice, range(decks), a, b, swapped=False)
    again = players.hands(dice, range(decks), a, b, swapped=True)
    return [*first, *(again[at ^ 1] for at in range(decks))]


def cuts(records: list[HandRecord]) -> dict[str, float]:
    """The variance of raw hands over that of each method, single and mirrored."""
    found = {}
    for mirrored in (False, True):
        rules = PokerRules(session_hands=UNIT_HANDS, mirrored=mirrored)
        cell = poker_cell(CellKey("a", "holdem", 1), records, 0, (Tally(), Tally()), "", rules)
        for method, one in winrates_by_method(cell, RESAMPLES).items():
            name = ("mirrored " if mirrored else "") + method
            found[name] = float(one.variance_cut.decimal) if one.variance_cut else 0.0
    return found


def scripted_players() -> ModuleType:
    """The scripted styles, which stand with the fit of the baseline."""
    if "value_baseline_players" not in sys.modules:
        path = Path(__file__).parents[2] / "scripts" / "value_baseline" / "players.py"
        spec = spec_from_file_location("value_baseline_players", path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    return sys.modules["value_baseline_players"]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DECKS)
