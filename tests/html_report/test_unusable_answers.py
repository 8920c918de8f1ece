"""Unusable answers of a game as its page shows them: those that the tallies count, each with why and what followed."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.core.questions import Answer, Question, Reply
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.show.games_of_bundle import games_told
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.show.unusable_answers import Consequence, UnusableAnswer, unusable_answers
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.declared import FaultKind
from bundles.bundle_factory import TINY, TINY_MODEL, make, world_of

ILLEGAL = {"chess960": "MOVE: a1h8", "holdem": "ACTION: raise to 9999"}


def played_with(folder: Path, spoil: dict[str, str | None], **changes: Any) -> list[tuple[PlayedGame, Plan]]:
    """The games of a bundle whose seat `agent` answers so in each game of a kind; None: its server cut the reply."""
    wished = {**TINY_MODEL, **changes}
    seats = world_of(msgspec.convert(TINY, Plan), None)

    def answer(question: Question) -> Answer:
        given = seats(question)
        kind = next((game for game in spoil if game in question.game), "")
        if question.to != "agent" or not kind or not isinstance(given, Reply):
            return given
        text = spoil[kind]
        return msgspec.structs.replace(given, **({"finish": "length"} if text is None else {"text": text}))

    opened = open_bundle(make(wished, folder, answer), CheckLog())
    plan = opened.manifest.plan
    return [(played, plan) for match in plan.matches for played in games_told(opened, match)]


def found_in(played: PlayedGame, plan: Plan) -> list[UnusableAnswer]:
    frames = VIEWS[played.match.game].frames(played, plan)
    replaced = frozenset(at - 1 for at, frame in enumerate(frames) if frame.get("drawn"))
    return list(unusable_answers(played, plan, replaced))


def tallied(played: PlayedGame) -> Counter[tuple[int, str]]:
    """Unusable answers by place and class, as a game of chess counts them; of a hand by place alone."""
    record = played.record
    if played.match.game == "holdem":
        return Counter({(place, ""): count for place, count in enumerate(record.faults) if count})
    counts = {
        (place, kind.value): getattr(tally, f"first_{kind.value}")
        for place, tally in enumerate(record.tallies)
        for kind in FaultKind
    }
    return Counter({key: count for key, count in counts.items() if count})


@pytest.mark.parametrize(
    ("spoil", "kind", "why"),
    [
        ({"chess960": "I resign", "holdem": "I resign"}, FaultKind.NO_ACTION, "no line starts with"),
        (dict(ILLEGAL), FaultKind.ILLEGAL, ""),
        ({"chess960": None, "holdem": None}, FaultKind.CUT, "the reply was cut off"),
    ],
)
def test_an_unusable_answer_is_of_the_class_that_is_counted_and_says_why(
    spoil: dict[str, str | None], kind: FaultKind, why: str, tmp_path: Path
) -> None:
    seen = Counter[str]()
    for played, plan in played_with(tmp_path, spoil):
        found = found_in(played, plan)
        by_class = played.match.game != "holdem"
        assert Counter((one.place, one.kind.value if by_class else "") for one in found) == tallied(played)
        for one in found:
            assert played.placed[one.place].startswith("agent")
            assert one.then is Consequence.REPLACED
            if one.kind is kind:
                assert why in one.why
                seen[played.match.game] += 1
    assert min(seen["chess960"], seen["holdem"]) > 1


def test_a_game_of_usable_answers_has_none(tmp_path: Path) -> None:
    for played, plan in played_with(tmp_path, {}):
        assert found_in(played, plan) == []


def test_after_the_last_try_the_game_is_lost(tmp_path: Path) -> None:
    games = played_with(
        tmp_path,
        {"chess960": "I resign", "holdem": "I resign"},
        chess960={"adjudication": {"policy": "none"}, "plies_max": 4, "illegal": "retry_then_forfeit"},
        holdem={"session_hands": 2, "illegal": "retry_then_forfeit"},
    )
    lost = Counter(
        played.match.game
        for played, plan in games
        if [one.then for one in found_in(played, plan)][-1:] == [Consequence.LOST]
    )
    assert min(lost["chess960"], lost["holdem"]) > 1
