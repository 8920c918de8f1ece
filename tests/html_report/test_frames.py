"""The frames of a game: one for each action from the start to the end, as independent readers have them."""

from pathlib import Path

import chess
import pytest

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.core.questions import Chat, Evaluation
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.show.games_of_bundle import games_told
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.show.views import VIEWS
from bundles.make_golden import GOLDEN

BUNDLE: Path = GOLDEN / "bundle"


@pytest.fixture(scope="module")
def games() -> tuple[list[PlayedGame], Plan]:
    opened = open_bundle(BUNDLE, CheckLog())
    return [
        played for match in opened.manifest.plan.matches for played in games_told(opened, match)
    ], opened.manifest.plan


def test_a_chess_frame_is_the_position_that_the_prompt_of_its_turn_has(games: tuple[list[PlayedGame], Plan]) -> None:
    asked = 0
    for played in games[0]:
        if played.match.game != "chess960":
            continue
        frames = VIEWS["chess960"].frames(played, games[1])
        assert len(frames) == len(played.record.moves) + 1
        for question, _ in played.asked:
            if isinstance(question, Chat) and not question.attempt:
                line = next(line for line in question.messages[1].content.splitlines() if line.startswith("FEN: "))
                assert line.removeprefix("FEN: ").split()[0] == frames[question.turn]["board"]
                asked += 1
        assert frames[0]["board"] == chess.Board(played.record.start_fen, chess960=True).board_fen()
        assert [ply for ply, frame in enumerate(frames[1:]) if frame.get("drawn")] == list(played.record.substituted)
    assert asked > 50


def test_a_score_is_the_engines_from_the_side_of_white(games: tuple[list[PlayedGame], Plan]) -> None:
    scored = 0
    for played in games[0]:
        if played.match.game != "chess960":
            continue
        frames = VIEWS["chess960"].frames(played, games[1])
        answers = {question.turn: answer for question, answer in played.asked if isinstance(answer, Evaluation)}
        assert {at for at, frame in enumerate(frames) if {"cp", "mate"} & frame.keys()} == set(answers)
        for ply, answer in answers.items():
            sign = -1 if ply % 2 else 1  # the engine scores for the side to move
            if answer.mate is None:
                assert frames[ply]["cp"] == sign * (answer.centipawns or 0)
            else:
                assert frames[ply]["mate"] == sign * answer.mate
        scored += len(answers)
    assert scored > 50


def test_the_title_says_who_won_and_how(games: tuple[list[PlayedGame], Plan]) -> None:
    for played in games[0]:
        title, won = VIEWS[played.match.game].title(played), played.won(0)
        winner = played.placed[played.order.index(0 if won > 0 else 1)]
        assert title.startswith(f"{winner} wins ") if won else "wins" not in title.split(",")[0]
        amount = abs(played.record.net_chips) / 100 if played.match.game == "holdem" else 0
        assert not amount or title.endswith(f"wins {amount:g} bb")


def test_the_chips_of_a_hand_are_all_there_in_each_frame_and_go_where_the_result_says(
    games: tuple[list[PlayedGame], Plan],
) -> None:
    hands, stack = 0, games[1].rules_of("holdem").stack_chips
    for played in games[0]:
        if played.match.game != "holdem":
            continue
        frames = VIEWS["holdem"].frames(played, games[1])
        assert len(frames) == len(played.record.story.history) + 2
        assert all(sum(frame["stacks"]) + sum(frame["bets"]) + frame["pot"] == 2 * stack for frame in frames)
        net = abs(played.record.net_chips)
        assert (frames[-1]["net"], frames[-1]["took"] >= 2 * net) == (net, True)
        assert len(frames[0]["holes"]) == 2
        assert frames[-1]["stacks"] == [stack + played.record.net_chips, stack - played.record.net_chips]
        hands += 1
    assert hands > 5
