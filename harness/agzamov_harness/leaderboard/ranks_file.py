"""The boards of a leaderboard for a program, in JSON of ASCII alone: `ranks.json` beside the page.

    {"boards":[{"augmentation":"memory","compared":"placebo","game":"chess960","opponent":"itself","rows":[{"careers":10,
    "contender":{"key":"5a09...","system":"77b2...","weights":""},"effect":{...},"level":"V1","models":["openai:m"],
    "ranks":[1,2],"runs":[{"effect":{...},"run":"19d7...","submission":"ada-1","warnings":["..."]}],"shown":"better",
    "why":"",...}],"unit":"score"}],"format":"agz-leaderboard-ranks-1"}

`shown` is better, worse, no difference shown, or no result, and then `why` says why. `cost`: decisions and tokens of
the measured seat, and of its control. The unit "score" is points a game. `effect`, `less_naked` and `less_filler` are
estimates as analysis.json has them; `ranks` is null where a row has none, and `why_none` says why. Names are as their
submitters wrote them: spell them out before you show them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from agzamov_verify.scoring.inference.estimate import Estimate

from .board_runs import Board, BoardRun
from .ranking import Ranked

RANKS: Final = "ranks.json"
FORMAT: Final = "agz-leaderboard-ranks-1"


def ranks_text(boards: Mapping[Board, Sequence[Ranked]], gone: Mapping[str, int]) -> str:
    """The file. `gone`: by key, the accepted runs that were taken away."""
    told = [{**board._asdict(), "rows": [_row(place, gone) for place in places]} for board, places in boards.items()]
    return json.dumps({"format": FORMAT, "boards": told}, sort_keys=True, separators=(",", ":")) + "\n"


def _row(place: Ranked, gone: Mapping[str, int]) -> dict[str, Any]:
    row = place.row
    return {
        "contender": row.contender._asdict(),
        "submitter": row.submitter,
        "models": row.models,
        "systems": row.systems,
        "ranks": place.ranks,
        "why_none": place.why_none,
        "shown": row.answer.shown.value,
        "why": row.answer.why,
        "cost": row.cost._asdict() if row.cost else None,
        "level": row.level,
        "warnings": row.warnings,
        "careers": row.careers,
        "effect": _plain(row.effect),
        "less_naked": _plain(row.less_naked),
        "less_filler": _plain(row.less_filler),
        "plan": row.plan,
        "lineage": row.lineage,
        "weights": row.weights,
        "runs": [_run(run) for run in row.runs],
        "runs_taken_away": gone.get(row.contender.key, 0),
    }


def _run(run: BoardRun) -> dict[str, Any]:
    return {
        "run": run.run,
        "submission": run.submission,
        "careers": run.careers,
        "effect": _plain(run.figure.estimate),
        "less_naked": _plain(run.less_naked.estimate if run.less_naked else None),
        "less_filler": _plain(run.less_filler.estimate if run.less_filler else None),
        "warnings": list(run.warnings),
        "unreported": run.unreported,
        "other_runs": run.other_runs,
    }


def _plain(estimate: Estimate | None) -> Any:
    return msgspec.to_builtins(estimate)
