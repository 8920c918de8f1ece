"""The live page: what it tells of a run is of the journals alone, and none but this machine's browsers may ask."""

import http.client
import json
import re
import shutil
import signal
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.foundation.browser_server import PageCannotListen, serving
from agzamov_harness.reference_server import chat_server
from agzamov_harness.run import run_folder, signing_keys
from agzamov_harness.watch.live_page import END_S_MAX, LOOK_S, TELLING
from agzamov_harness.watch.live_run import LiveRun
from agzamov_harness.watch.page_server import OPEN_S, Readers, Told, WatchServer
from agzamov_harness.watch.snapshot import TEXT_CHARACTERS_MAX, Snapshot, shortened
from agzamov_verify.bundle import RESULTS_FILE
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.results import Results
from agzamov_verify.show.text.headline import headlines
from bundles.bundle_factory import SELF_PLAY, SMALL, TINY, Draft, gates, make_until, questions
from bundles.make_golden import GOLDEN
from harness.commands import Commands, Running
from harness.http_peer import Exchange, Peer, answers, says

PATIENCE_S = 300
SNAPSHOT = b'{"format":"agz-watch-1"}'


def listening(address: str, port: int = 0) -> WatchServer:
    told = Told(SNAPSHOT, is_final=False)
    return WatchServer(address, port, lambda: told, Readers(time.monotonic), {"one": b'{"game":"one"}'}.get)


# --- who may ask ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[WatchServer]:
    with listening("127.0.0.1") as one, serving(one):
        yield one


def asked(server: WatchServer, method: str, path: str, *headers: tuple[str, str]) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=PATIENCE_S)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value.replace("PORT", str(server.server_port)))
    connection.endheaders()
    answer = connection.getresponse()
    told = (answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    connection.close()
    return told


HOST = ("Host", "127.0.0.1:PORT")
ORIGIN = ("Origin", "http://127.0.0.1:PORT")


@pytest.mark.parametrize(
    "headers",
    [
        (HOST,),
        (("Host", "localhost:PORT"),),
        (HOST, ORIGIN, ("Sec-Fetch-Site", "same-origin")),
        (HOST, ("Sec-Fetch-Site", "none")),
    ],
)
def test_a_browser_of_this_machine_is_answered(server: WatchServer, headers: tuple[tuple[str, str], ...]) -> None:
    assert asked(server, "GET", "/snapshot.json", *headers)[::2] == (200, SNAPSHOT)


def test_a_game_that_is_over_is_answered(server: WatchServer) -> None:
    assert asked(server, "GET", "/games/one.json", HOST)[::2] == (200, b'{"game":"one"}')


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (421, ()),
        (421, (("Host", "127.0.0.1"),)),
        (421, (("Host", "127.0.0.1:1"),)),
        (421, (("Host", "localhost"),)),
        (421, (("Host", "localhost:1"),)),
        (421, (("Host", "127.0.0.2:PORT"),)),
        (421, (("Host", "evil.example:PORT"),)),
        (421, (("Host", "127.0.0.1.evil.example:PORT"),)),
        (421, (HOST, HOST)),
        (421, (HOST, ("Host", "evil.example"))),
        (403, (HOST, ("Origin", "http://evil.example"))),
        (403, (HOST, ("Origin", "null"))),
        (403, (HOST, ("Origin", "http://localhost:PORT"))),
        (403, (HOST, ("Origin", "https://127.0.0.1:PORT"))),
        (403, (HOST, ORIGIN, ("Origin", "http://evil.example"))),
        (403, (HOST, ("Sec-Fetch-Site", "cross-site"))),
        (403, (HOST, ("Sec-Fetch-Site", "same-site"))),
        (403, (HOST, ORIGIN, ("Sec-Fetch-Site", "cross-site"))),
    ],
)
@pytest.mark.parametrize("path", ["/", "/snapshot.json", "/games/one.json"])
def test_any_other_is_refused(
    server: WatchServer, status: int, headers: tuple[tuple[str, str], ...], path: str
) -> None:
    found, _, body = asked(server, "GET", path, *headers)
    assert found == status
    assert body.startswith(str(status).encode())


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "FOO"])
def test_other_methods_are_refused(server: WatchServer, method: str) -> None:
    status, headers, _ = asked(server, method, "/", HOST)
    assert (status, headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "path",
    ["/../secret", "/secret", "/snapshot.json?x", "http://evil.example/", "/games/none.json", "/games/../secret.json"],
)
def test_nothing_else_is_there(server: WatchServer, path: str) -> None:
    assert asked(server, "GET", path, HOST)[0] == 404


def test_the_page_may_run_its_own_script_and_nothing_else(server: WatchServer) -> None:
    status, headers, page = asked(server, "GET", "/", HOST)
    policy = headers["content-security-policy"]
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
    for way in (
        b"innerHTML",
        b"outerHTML",
        b"insertAdjacentHTML",
        b"document.write",
        b"eval(",
        b" style=",
        b" onclick",
    ):
        assert way not in page
    assert asked(server, "HEAD", "/", HOST)[2] == b""


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1", "localhost", "example.org", ""])  # noqa: S104
def test_no_other_address_than_the_loopback_is_listened_on(address: str) -> None:
    with pytest.raises(PageCannotListen, match="--bind"):
        listening(address)


def test_a_port_that_is_taken_is_told(server: WatchServer) -> None:
    with pytest.raises(PageCannotListen, match="choose another --port"):
        listening("127.0.0.1", server.server_port)


def test_an_address_that_is_not_this_machines_is_told_by_its_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WatchServer, "require", lambda *_: None)
    with pytest.raises(PageCannotListen, match=r"192\.0\.2\.1 port 0: .*; name one of this machine with --bind"):
        listening("192.0.2.1")


# --- what is told --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run that was played, in which Phase 0 of hold'em failed, and its bundle."""
    folder = tmp_path_factory.mktemp("played")
    wanted = {"p0-chess960-naked-agent": "passed", "p0-holdem-naked-agent": "failed"}
    bundle = make_until(SMALL, folder, lambda made: gates(made) == wanted)
    return folder / "runs" / bundle.name, bundle


def looked(live: LiveRun) -> Snapshot:
    live.look()
    live.score()
    return live.snapshot()


def live_run(folder: Path) -> LiveRun:
    ticks = iter(range(10**6))
    return LiveRun(run_folder.load(folder), lambda: float(next(ticks)))


def test_a_run_that_was_played_is_told_as_its_bundle_has_it(played: tuple[Path, Path]) -> None:
    folder, bundle = played
    told = looked(live_run(folder))
    draft = Draft.of(bundle)
    results = _decoded(draft.files[RESULTS_FILE], Results)
    analysis = _decoded(draft.files["data/results/analysis.json"], Analysis)
    figures = headlines(results.matches, analysis)
    baselines = {match.id for match in results.matches if match.is_baseline}
    assert {row.match: row.score for row in told.matches if row.score} == {
        name: figure.words for name, figure in figures.items() if name not in baselines
    }
    assert {row.match for row in told.matches if row.is_baseline} > baselines != set()
    assert {row.match for row in told.matches if row.is_left_out} == set(results.not_played)
    assert (told.is_over, told.games, told.broken) == (True, [], [])
    assert (
        told.calls == sum(seat.calls for match in results.matches for seat in match.seat_stats) == told.calls_expected
    )
    assert [row.done for row in told.matches if not row.is_left_out] == [6, 4, 2, 4]
    assert (told.left_s, told.elapsed_s) == (None, None)  # nobody plays it


def test_a_game_in_progress_has_the_prompt_that_its_journal_does_not_hold(
    played: tuple[Path, Path], tmp_path: Path
) -> None:
    source, bundle = played
    folder = tmp_path / source.name
    shutil.copytree(source, folder)
    for other in (folder / "journal").iterdir():
        if other.name != SELF_PLAY:
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    journal = folder / "journal" / SELF_PLAY / "000000.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    prompts = questions(Draft.of(bundle), SELF_PLAY)
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    live = live_run(folder)
    (game,) = looked(live).games
    assert (game.prompt, game.turn) == (prompts[2].messages[-1].content, 3)  # type: ignore[union-attr]
    assert game.reply == json.loads(lines[2])["answer"]["text"]
    fen = next(line for line in prompts[3].messages[-1].content.splitlines() if line.startswith("FEN: "))  # type: ignore[union-attr]
    assert (game.frame["board"], game.frame["to_act"]) == (fen.removeprefix("FEN: ").split()[0], 1)
    last = json.loads(lines[2])["answer"]["text"].partition("MOVE: ")[2]
    assert (game.frame["from"], game.frame["label"]) == (last[:2], f"2. {last}")
    journal.write_bytes(b"".join(lines))
    told = looked(live)
    assert (told.calls, told.games) == (len(lines), [])
    assert {row.match: (row.done, row.planned) for row in told.matches}[game.match] == (2, 2)
    assert told.quiet_s is not None


def test_a_hand_in_progress_shows_its_cards(played: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tmp_path / played[0].name
    shutil.copytree(played[0], folder)
    stream = "p0-holdem-naked-agent-b00000"
    journal = folder / "journal" / stream / "000000.jsonl"
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    (game,) = looked(live_run(folder)).games
    assert [len(cards) for cards in game.frame["holes"]] == [2, 2]
    assert game.places == ["button", "big blind"]
    assert game.waits_for == game.match.rpartition("-")[2] or game.waits_for == "dice"


def test_a_journal_that_was_changed_is_told(played: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tmp_path / played[0].name
    shutil.copytree(played[0], folder)
    journal = folder / "journal" / SELF_PLAY / "000000.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"seq":1,', b'"seq":9,', 1))
    told = looked(live_run(folder))
    assert len(told.broken) == 1
    assert told.broken[0].startswith(f"{SELF_PLAY} entry 1")
    assert not told.is_over


def test_a_long_text_is_cut() -> None:
    assert shortened("x" * TEXT_CHARACTERS_MAX) == "x" * TEXT_CHARACTERS_MAX
    assert shortened("x" * (TEXT_CHARACTERS_MAX + 1)).endswith("x\n… and 1 more characters")


def _decoded(data: bytes, kind: Any) -> Any:
    return msgspec.json.decode(data, type=kind)


# --- the commands --------------------------------------------------------------------------------


@pytest.mark.slow
def test_seven_looks_at_a_run_of_another_process_are_the_same(played: tuple[Path, Path], tmp_path: Path) -> None:
    with Commands(tmp_path) as commands:
        running = commands.start("watch", str(played[0]), cwd=played[0].parent)
        url = _until(lambda: _url(running))
        over = _until(lambda: _scored(_json(f"{url}snapshot.json")))
        assert {json.dumps(_json(f"{url}snapshot.json")) for _ in range(7)} == {json.dumps(over)}
        running.signal(signal.SIGTERM)
        ended = running.ended()
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.slow
def test_a_run_says_where_its_page_is(tmp_path: Path) -> None:
    signing_keys.generate(tmp_path / "key.pem")
    (tmp_path / "plan.json").write_text(json.dumps(TINY))
    with Commands(tmp_path) as commands:
        ended = commands.run("run", "plan.json", "--key", "key.pem", "--watch", cwd=tmp_path)
    assert ended.code == 0, ended
    assert "watch: http://127.0.0.1:" in ended.err


LONG = {"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 20_000}
TO_ITS_END, SHORT = {**LONG, "hands": 8}, {"session_hands": 4}
SEATS = {"agent": {"kind": "random"}, "dice": {"kind": "random"}}


@contextmanager
def watched(folder: Path, **changes: Any) -> Iterator[tuple[Running, str]]:
    """A run with its page, at the page's address."""
    signing_keys.generate(folder / "key.pem")
    plan = {"title": "Long", "seats": SEATS, "matches": [LONG], **changes}
    (folder / "plan.json").write_text(json.dumps(plan))
    with Commands(folder) as commands:
        running = commands.start("run", "plan.json", "--key", "key.pem", "--watch", cwd=folder)
        told = _until(lambda: re.search(r"watch: (http://\S+/)", running.errors()) or not running.alive_after(0))
        assert isinstance(told, re.Match), running.errors()
        yield running, told[1]


@contextmanager
def watched_to_its_end(folder: Path) -> Iterator[tuple[Running, str]]:
    """The same of a short run: once it is sealed, each reply is held until the page has been opened."""
    is_open = Event()

    def held(exchange: Exchange) -> None:
        if any(folder.glob("runs/[!.]*/manifest.json")):
            is_open.wait(PATIENCE_S)
            answers(chat_server.completion(exchange.request_seen.json))(exchange)
        else:  # the first contact
            says("OK", model="random")(exchange)

    with Peer(then=held) as peer:
        asked = {"kind": "openai", "model": "random", "base_url": peer.url, "timeout_s": PATIENCE_S}
        with watched(folder, matches=[TO_ITS_END], holdem=SHORT, seats={**SEATS, "agent": asked}) as (running, url):
            _json(f"{url}snapshot.json")
            is_open.set()
            yield running, url


def read_to_its_end(running: Running, url: str) -> Any:
    """The last snapshot, read as a page reads it, which asks no more after that."""
    told: Any = {"is_final": False}
    while running.alive_after(0.1) and not told["is_final"]:
        with suppress(OSError):
            told = _json(f"{url}snapshot.json")
    return told


@pytest.mark.slow
def test_a_page_that_is_open_when_its_run_ends_is_told_the_end_and_the_last_figures(tmp_path: Path) -> None:
    """The server went with the run: the page stood at the last but one game, with "No answer from the program"."""
    with watched_to_its_end(tmp_path) as (running, url):
        told = read_to_its_end(running, url)
        ended = running.ended(OPEN_S - LOOK_S)  # all pages have read it, so nobody is waited for
    assert ended.code == 0, ended
    assert (told["is_ended"], told["is_over"], told["is_final"], told["stopped_because"]) == (True, True, True, "")
    (row,) = told["matches"]
    assert (row["done"], row["scored"]) == (8, 8)
    assert _scored(told)
    assert TELLING in ended.err


@pytest.mark.slow
def test_a_page_whose_run_is_stopped_is_told_why(tmp_path: Path) -> None:
    with watched(tmp_path) as (running, url):
        _json(f"{url}snapshot.json")
        running.signal(signal.SIGINT)
        told = read_to_its_end(running, url)
        ended = running.ended()
    assert ended.code == 4, ended
    assert (told["is_final"], told["is_over"], told["stopped_because"]) == (True, False, "stopped by SIGINT")
    assert "\nstopped by SIGINT; go on with: " in ended.err


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_page_that_reads_no_further_is_waited_for_briefly_and_not_after_a_signal(number: int, tmp_path: Path) -> None:
    with watched_to_its_end(tmp_path) as (running, url):
        _until(lambda: _json(f"{url}snapshot.json")["is_ended"])
        began = time.monotonic()
        running.signal(number)
        ended = running.ended(END_S_MAX)
    assert (ended.code, "bundle: " in ended.out) == (0, True), ended
    assert time.monotonic() - began < OPEN_S


def test_a_page_is_waited_for_until_it_has_read_the_end_or_has_gone() -> None:
    clock = iter([0.0, 1.0, 2.0, 3.0, 4.0, 11.0])
    readers = Readers(lambda: next(clock))
    readers.told("one", is_final=False)
    readers.told("two", is_final=False)
    readers.told("one", is_final=True)
    assert readers.waiting()  # two, at 3 s
    assert readers.waiting()
    assert not readers.waiting()  # it asked last ten seconds ago


def test_the_folder_of_no_run_is_one_line(tmp_path: Path) -> None:
    with Commands(tmp_path) as commands:
        ended = commands.run("watch", str(tmp_path), cwd=tmp_path)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert "expected the folder of a sealed run" in ended.err


def test_a_bundle_is_no_run_to_watch() -> None:
    result = CliRunner().invoke(main, ["watch", str(GOLDEN / "bundle")])
    assert result.exit_code == 2
    assert result.output.endswith("this is a bundle, whose run is over; look at it with: agzamov report\n")


def _url(running: Running) -> str:
    return running.printed().partition("watch: ")[2].strip()


def _scored(told: Any) -> Any:
    """The snapshot once all is read, and every match that was played has its figure."""
    return (
        told["is_over"]
        and all(row["score"] or row["is_baseline"] or row["is_left_out"] for row in told["matches"])
        and told
    )


def _json(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310 - http, of our own
        return json.loads(answer.read())


def _until(found: Any) -> Any:
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        if value := found():
            return value
        time.sleep(0.1)
    raise AssertionError("nothing came")
