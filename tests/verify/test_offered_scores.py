"""`verify` offers a score where `score` has what it needs: in both games Phase 1, and a control and real arm."""

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agzamov_verify.commands import check_command
from agzamov_verify.commands.check_command import _scores
from agzamov_verify.experiment.matches import Arm, Augmentation, Condition, Phase
from agzamov_verify.show.text.answers import Shown

OF_GAME = (
    (Phase.BASELINE, Condition()),
    (Phase.ASYMMETRIC, Condition(Augmentation.MEMORY)),
    (Phase.ASYMMETRIC, Condition(Augmentation.MEMORY, Arm.REAL, "recent")),
)
ROWS = list(product(("chess960", "holdem"), OF_GAME))


def offered(rows: list[Any], monkeypatch: pytest.MonkeyPatch, shown: Shown = Shown.BETTER, no_finding: str = "") -> int:
    """How many scores are offered for a bundle with these matches."""
    matches = [
        SimpleNamespace(measured="model", game=game, phase=phase, condition=condition, no_finding=no_finding)
        for game, (phase, condition) in rows
    ]
    monkeypatch.setattr(check_command, "answers_of", lambda _: [SimpleNamespace(shown=shown)])
    monkeypatch.setattr(check_command, "Played", lambda *_: None)
    verdict: Any = SimpleNamespace(results=SimpleNamespace(matches=matches), manifest=1, analysis=None, blocks={})
    return len(_scores(verdict, Path("bundle")))


def test_a_whole_bundle_is_offered_its_score(monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(ROWS, monkeypatch) == 1


@pytest.mark.parametrize("left_out", range(len(ROWS)))
def test_a_bundle_that_lacks_one_match_is_offered_none(left_out: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered([row for at, row in enumerate(ROWS) if at != left_out], monkeypatch) == 0


def test_matches_without_a_finding_bring_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(ROWS, monkeypatch, no_finding="drawn") == 0
    assert offered(ROWS, monkeypatch, shown=Shown.NO_RESULT) == 0
