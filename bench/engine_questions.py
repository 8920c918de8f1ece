"""How many engine scores of a bundle's adjudicated games are asked again, beside the least that could be.

    python bench/engine_questions.py BUNDLE...

Counts, not times: they are the same on any machine. The bound is proved in tests/verify/adjudication_bound.py.
"""

import sys
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import Opened, open_bundle
from agzamov_verify.checks.replay_stream import exchanges_of, witnesses
from agzamov_verify.core.questions import Evaluate, Evaluation
from agzamov_verify.plan.streams import streams_of
from agzamov_verify.table.adjudication import Adjudication, winning_side
from agzamov_verify.table.registry import GAMES
from verify.adjudication_bound import scores_least


def sides_by_game(opened: Opened) -> list[tuple[list[int], Adjudication]]:
    """For each game, the side that each score was for, and the rule."""
    plan, found = opened.manifest.plan, list[tuple[list[int], Adjudication]]()
    for match in plan.matches:
        rule = GAMES[match.game].engine_adjudication(plan.rules_of(match.game))
        for stream in streams_of(match) if rule else ():
            assert rule
            scores = [
                (question.game, winning_side(answer, question.turn % 2 == 0, rule.threshold_centipawns))
                for question, answer in exchanges_of(opened, stream)
                if isinstance(question, Evaluate) and isinstance(answer, Evaluation)
            ]
            found += [([side for _, side in game], rule) for _, game in groupby(scores, lambda score: score[0])]
    return found


def main() -> None:
    for name in sys.argv[1:]:
        games = sides_by_game(open_bundle(Path(name), CheckLog()))
        scores = sum(len(sides) for sides, _ in games)
        asked = sum(len(witnesses(sides, rule.plies)) for sides, rule in games)
        least = sum(scores_least(sides, rule.plies) for sides, rule in games)
        print(f"{name}: {len(games)} games, {scores:,} scores; asked again {asked:,}, at least {least:,}")


if __name__ == "__main__":
    main()
