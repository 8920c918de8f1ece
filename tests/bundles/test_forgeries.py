"""The eleven forgeries that the authors' own verify script accepts, done to a bundle of ours.

Each was made on the published Phase 0 data (shared/data/phase0/FACTS.md). Here each is tried twice:
by somebody without the key, who is stopped by the digests, and by the owner, who seals everything
again and is stopped by the replay or by the recomputed results.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_verify import bundle
from agzamov_verify.checks.check_log import Number
from agzamov_verify.core.journal import Entry
from bundles.bundle_factory import (
    CHESS0,
    CHESS1,
    GAMES0,
    GAMES1,
    SELF_PLAY,
    Draft,
    another_move,
    chained,
    check,
    edited,
    entries,
    failed_steps,
    fit_calls,
    journal_file,
    put,
    reindex,
    reseal,
    told,
)

WON, SELF_PLAYED = 0, 2
RESULTS = bundle.RESULTS_FILE


@dataclass(frozen=True, slots=True)
class Forgery:
    """What was done, and where its owner is stopped after sealing everything again."""

    name: str
    forge: Callable[[Draft], None]
    step: Number
    place: str


FORGERIES: list[Forgery] = []


def forgery(step: Number, place: str) -> Callable[[Callable[[Draft], None]], Callable[[Draft], None]]:
    def note(forge: Callable[[Draft], None]) -> Callable[[Draft], None]:
        FORGERIES.append(Forgery(forge.__name__, forge, step, place))
        return forge

    return note


def change_score(draft: Draft, match: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Edit the results of a match as the summary of the published run was edited."""
    value = draft.json(RESULTS)
    change(value["matches"][match]["result"])
    draft.put_json(RESULTS, value)


def games_of(story: Sequence[Entry], game: str) -> list[Entry]:
    return [entry for entry in story if entry.question.game == game]


@forgery(Number.RESULTS, f"{RESULTS} $.matches[0].result.adjudicated.losses")
def one_winner_is_flipped(draft: Draft) -> None:
    change_score(draft, WON, lambda result: result["adjudicated"].update(wins=5, losses=1))


@forgery(Number.RESULTS, f"{RESULTS} $.matches[0].result.adjudicated.losses")
def all_adjudicated_winners_are_flipped(draft: Draft) -> None:
    def flip(result: dict[str, Any]) -> None:
        score = result["adjudicated"]
        score["wins"], score["losses"], score["pairs"] = score["losses"], score["wins"], score["pairs"][::-1]

    change_score(draft, WON, flip)


@forgery(Number.REPLAY, f"{GAMES0} entry 3")
def a_game_is_cut_and_still_adjudicated(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    second = games_of(story, f"{CHESS0}-g00001")
    rewrite(draft, GAMES0, [*story[:3], *second])


@forgery(Number.REPLAY, f"{SELF_PLAY} entry 0")
def the_draw_is_deleted(draft: Draft) -> None:
    story = entries(draft, SELF_PLAY)
    rewrite(draft, SELF_PLAY, games_of(story, f"{CHESS1}-g00001"))


@forgery(Number.REPLAY, f"{SELF_PLAY} entry 0")
def the_draw_is_replaced_by_a_copy_of_game_1(draft: Draft) -> None:
    """A won game's questions and answers, under the drawn game's name."""
    copy = [
        msgspec.structs.replace(entry, question=msgspec.structs.replace(entry.question, game=f"{CHESS1}-g00000"))
        for entry in games_of(entries(draft, GAMES0), f"{CHESS0}-g00000")
    ]
    rewrite(draft, SELF_PLAY, [*copy, *games_of(entries(draft, SELF_PLAY), f"{CHESS1}-g00001")])


@forgery(Number.REPLAY, f"{GAMES0} entry 0")
def a_position_is_another_one(draft: Draft) -> None:
    """The games of another pair, played from its own start, under this pair's names."""
    names = {f"{CHESS0}-g0000{at + 2}": f"{CHESS0}-g0000{at}" for at in range(2)}
    moved = [
        msgspec.structs.replace(
            entry, question=msgspec.structs.replace(entry.question, game=names[entry.question.game])
        )
        for entry in entries(draft, GAMES1)
    ]
    rewrite(draft, GAMES0, moved)


@forgery(Number.RESULTS, f"{RESULTS} $.departures")
def the_summary_is_forged(draft: Draft) -> None:
    draft.put_json(RESULTS, {**draft.json(RESULTS), "departures": ["none worth a word"]})


@forgery(Number.REPLAY, f"{GAMES0} entry 0")
def the_games_of_a_stream_are_deleted(draft: Draft) -> None:
    """PGN and reasoning of the published run; here both are the journal."""
    rewrite(draft, GAMES0, [])
    del draft.files[journal_file(GAMES0)]


@forgery(Number.RESULTS, f"{RESULTS} $.matches[2].result.decided.ends")
def the_draw_is_called_a_win_by_forfeit(draft: Draft) -> None:
    def relabel(result: dict[str, Any]) -> None:
        result["decided"].update(ends={"forfeit": 1, "ply_limit": 1}, forfeit=1)

    change_score(draft, SELF_PLAYED, relabel)


@forgery(Number.REPLAY, f"{SELF_PLAY} entry ")
def the_last_two_moves_are_altered(draft: Draft) -> None:
    story = entries(draft, SELF_PLAY)
    at = len(games_of(story, f"{CHESS1}-g00000")) - 2
    others = [another_move(draft, SELF_PLAY, at), another_move(draft, SELF_PLAY, at + 1)]
    rewrite(draft, SELF_PLAY, edited(edited(story, at, answer=others[0]), at + 1, answer=others[1]))


@forgery(Number.RESULTS, f"{RESULTS} $.matches[0].result.decided.ends")
def a_win_is_called_a_stalemate(draft: Draft) -> None:
    change_score(draft, WON, lambda result: result["decided"]["ends"].update(stalemate=1))


def rewrite(draft: Draft, stream: str, story: Sequence[Entry]) -> None:
    put(draft, stream, chained(story, stream=stream))
    fit_calls(draft, stream)


@pytest.mark.parametrize("forgery", FORGERIES, ids=[forgery.name for forgery in FORGERIES])
def test_somebody_without_the_key_is_stopped_by_the_digests(forgery: Forgery, small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    forgery.forge(draft)
    assert failed_steps(check(draft.write(tmp_path))) == [Number.PAYLOAD]


@pytest.mark.parametrize("forgery", FORGERIES, ids=[forgery.name for forgery in FORGERIES])
def test_the_owner_is_stopped_after_sealing_everything_again(forgery: Forgery, small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    forgery.forge(draft)
    reindex(draft)
    reseal(draft)
    verdict = check(draft.write(tmp_path))
    assert failed_steps(verdict) == [forgery.step], told(verdict)
    assert forgery.place in verdict.findings[0].place, told(verdict)


def test_these_are_eleven() -> None:
    assert len(FORGERIES) == 11
