"""`agzamov play-me`: a plan for every wish that can be met, and from nothing to a verified bundle and its report."""

import re
import signal
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.people import casual_game
from agzamov_harness.people.casual_game import OPPONENTS, SMALL_MODEL, CasualGame, Wish, casual_plan
from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.scoring.departures import departures
from harness.commands import Commands, Running
from harness.person_at_page import Person, first_choice

ADDRESS = "http://127.0.0.1:1/v1"
PLAIN = Wish(CasualGame.CHESS960, "reference", 0, "guest", {}, "", "", 20)


@pytest.mark.parametrize("game", CasualGame)
@pytest.mark.parametrize("against", [*OPPONENTS, ADDRESS])
def test_every_opponent_plays_every_game_that_it_can(
    game: CasualGame, against: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{SMALL_MODEL}.gguf").touch()
    monkeypatch.setattr(casual_game, "STORE", tmp_path)
    wish = PLAIN._replace(game=game, against=against, model="some-model", program="toga2")
    if game is CasualGame.HOLDEM and against in {"stockfish", "uci"}:
        with pytest.raises(ManifestError, match="plays chess"):
            casual_plan(wish)
        return
    plan = plan_from(casual_plan(wish))
    assert ([*plan.games], plan.protocol) == ([game.value], "play-0.1")
    expected = against not in {"tiny", "small"}  # whose rules differ, so that it can play at all
    assert (list(departures(plan)) == []) is expected


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--against random --model foo", "--model: expected it with --against the address of an endpoint alone"),
        ("--against reference --skill 3", "--skill: expected it with --against stockfish alone, found --against refer"),
        ("--against stockfish --elo 9", "--elo: expected it with --against uci alone"),
        ("--listen 0.0.0.0", "--listen 0.0.0.0: expected an IP address of this machine"),
    ],
)
def test_an_option_that_does_not_fit_is_refused_before_anything_is_sealed(
    words: str, told: str, tmp_path: Path
) -> None:
    refused = CliRunner().invoke(main, ["play-me", "--no-browser", "--folder", str(tmp_path / "play"), *words.split()])
    assert (refused.exit_code, told in refused.stderr) == (2, True), refused.stderr
    assert not (tmp_path / "play" / "runs").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"against": "deep blue"}, "--against deep blue: expected reference, random, stockfish, uci, tiny, small, "),
        ({"against": "uci"}, "--against uci: expected the engine: --program COMMAND"),
        ({"against": "no.gguf"}, "--against no.gguf: no.gguf: expected a file of weights, found none"),
        ({"against": ADDRESS}, "expected the model's name there: --model NAME"),
        ({"name": "reference"}, "--name reference: your opponent has that name"),
        ({"name": "Anna Smith"}, "seats"),
        ({"results": 3}, "expected even games"),
        ({"name": "<b>anna"}, "expected a name of up to 32 small letters, digits and underscores"),
        ({"name": "a" * 5_000}, "expected a name of up to 32 small letters, digits and underscores"),
        ({"declared": {"rating": 1, "rating_list": "\033[31mred"}}, "expected one line of text without control"),
        ({"declared": {"rating": 1, "rating_list": "x" * 5_000}}, "expected at most 200 characters"),
        ({"against": "uci", "program": "\033[31mred"}, "expected one line of text without control characters"),
        ({"declared": {"rating": 1500}}, "expected rating and rating_list together"),
    ],
)
def test_a_wish_that_cannot_be_met_is_one_clear_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ManifestError, match=re.escape(message)):
        plan_from(casual_plan(PLAIN._replace(**change)))


def test_a_page_that_cannot_be_served_leaves_no_run(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        wrong = {
            "choose another --port": ("--port", taken.getsockname()[1]),
            "name one of this machine with --listen": ("--listen", "192.0.2.1"),
            "--listen example.org: expected an IP address": ("--listen", "example.org"),
            "expected an even number": ("--count", "3"),
            "0 is not in the range 2<=x<=1000": ("--count", "0"),
        }
        for told, options in wrong.items():
            done = CliRunner().invoke(main, list(map(str, ("play-me", "--folder", tmp_path, "--no-browser", *options))))
            assert (done.exit_code, told in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "runs").exists()


def address(running: Running, patience_s: float = 60) -> str:
    """The address of the page that a command prints."""
    end = time.monotonic() + patience_s
    while not (found := re.search(r"plays at: (http\S+/)\n", running.errors())):
        assert time.monotonic() < end, running.errors()
        time.sleep(0.02)
    return found[1]


def test_from_nothing_to_a_verified_bundle_and_its_report(tmp_path: Path) -> None:
    with Commands(tmp_path) as commands:
        words = ("play-me", "--game", "holdem", "--count", "2", "--against", "random", "--no-browser")
        running = commands.start(*words, cwd=tmp_path)
        person = Person(address(running))
        person.play_all(first_choice)
        assert person.state["has_report"]
        report = person.ask("GET", f"{person.path}report.html")
        assert b"guest" in report.body
        assert "Content-Security-Policy" not in report.headers  # its own stands in it
        running.signal(signal.SIGINT)
        ended = running.ended()
    assert ended.code == 0, ended
    bundle = tmp_path / ended.out.splitlines()[-1].removeprefix("bundle: ")
    assert verify(bundle, Options(None)).level == "V1"
    assert (tmp_path / "play" / f"report-{bundle.name}.html").read_bytes() == report.body
    assert (tmp_path / "play" / "key.pem").stat().st_mode & 0o777 == 0o600
