"""A study from its plan to V1 with two people at the real pages, by keyboard: one plays the engine's moves, one any."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import chess
import chess.engine
import pytest
from playwright.sync_api import Browser, Page, expect

from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.dice import Dice
from agzamov_verify.scoring.people.study_figures import DELTAS
from agzamov_verify.show.study_words import study_of
from agzamov_verify.table.survey import GOES_ON, WHICH_ARM
from browser import chromium, noting
from bundles.bundle_factory import engine_path
from harness.commands import Commands, Running
from harness.sealed_runs import Json, wait_for
from people.people_worlds import study

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(engine_path() is None, reason="the arms with a tool ask Stockfish"),
]
NODES = 200
STRONG, WEAK = "ada", "ben"
Chooses = Callable[[chess.Board], chess.Move]


@contextmanager
def engine_moves() -> Iterator[Chooses]:
    """The engine's move at the nodes of the plan."""
    with chess.engine.SimpleEngine.popen_uci(str(engine_path())) as engine:
        engine.configure({"Threads": 1, "Hash": 1})

        def choose(board: chess.Board) -> chess.Move:
            move = engine.play(board, chess.engine.Limit(nodes=NODES), game=object()).move
            assert move
            return move

        yield choose


def any_move() -> Chooses:
    draws = Dice(bytes(32)).stream("a person's moves")
    return lambda board: draws.choice(sorted(board.legal_moves, key=chess.Move.uci))


class AtPage:
    """A person at their page. `guess`: which of the arms that are offered they think it was.

    `resigns_after`: so many moves of their own in a game.
    """

    def __init__(self, tab: Page, choose: Chooses, guess: int, resigns_after: int = 1_000) -> None:
        self.tab, self.noted, self._choose, self._guess = tab, noting(tab), choose, guess
        self.surveys: list[tuple[str, tuple[str, ...]]] = []
        self._moves, self._resigns_after = 0, resigns_after

    def act(self) -> bool:
        """Do what the page asks for by keyboard; whether all is over."""
        state: Json = self.tab.evaluate("play.state")
        step = state.get("step")
        if step == "consent":
            self.tab.get_by_role("button", name="I have read this and want to play").press("Enter")
        elif step == "result":
            self._moves = 0
            self.tab.keyboard.press("Enter")
        elif step == "question" and state["question"]["choices"]["kind"] == "options":
            self._survey(state["question"]["choices"])
        elif step == "question" and self._moves == self._resigns_after:
            for _ in range(2):
                self.tab.locator("#resign").press("Enter")
        elif step == "question":
            self._move(state["question"]["prompt"])
        else:
            return bool(step == "over")
        wait_for(lambda: self.tab.evaluate("play.state.version") != state["version"])
        return False

    def _survey(self, asked: Json) -> None:
        words = tuple(option["words"] for option in asked["options"])
        self.surveys.append((asked["text"], words))
        expect(self.tab.locator("#status")).to_have_text(asked["text"])
        chosen = words[0 if asked["text"] == GOES_ON else self._guess]
        self.tab.get_by_role("button", name=chosen, exact=True).press("Enter")

    def _move(self, prompt: str) -> None:
        fen = re.search("^FEN: (.*)$", prompt, re.MULTILINE)
        assert fen
        board = chess.Board(fen[1], chess960=True)
        self.tab.locator("#move").focus()
        self.tab.keyboard.type(board.san(self._choose(board)))
        self.tab.keyboard.press("Enter")
        self._moves += 1


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[Commands]:
    with Commands(tmp_path) as found:
        yield found


@pytest.fixture
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def plan() -> Json:
    """One start pair in each arm, few plies; everybody's engine has the same nodes."""
    wished = study({STRONG: "human", WEAK: "human"}, games=2, quality={"nodes": NODES})
    rules = {**wished["chess960"], "plies_max": 8}
    seats = {**wished["seats"], "machine": {"kind": "stockfish", "nodes": NODES}}
    return {**wished, "seats": seats, "chess960": rules}


def address(running: Running, name: str) -> str:
    """The address of a person's page, once it is printed."""
    printed = re.compile(rf"^{name} plays at: (\S+)$", re.MULTILINE)
    wait_for(lambda: printed.search(running.errors()) or ended(running))
    found = printed.search(running.errors())
    assert found, running.ended()
    return found[1]


def ended(running: Running) -> bool:
    return not running.alive_after(0)


def played(commands: Commands, browser: Browser, folder: Path) -> tuple[Json, list[AtPage]]:
    """What `agzamov run` printed at the end, and the two people as they played."""
    (folder / "plan.yaml").write_text(json.dumps(plan()))
    assert commands.run("keygen", "key.pem", cwd=folder).code == 0
    options = ("--key", "key.pem", "--out", str(folder / "bundles"), "--json", "--quiet")
    running = commands.start("run", "plan.yaml", *options, cwd=folder)
    with engine_moves() as best:
        people = [
            AtPage(browser.new_page(), best, guess=0),
            AtPage(browser.new_page(), any_move(), guess=1, resigns_after=3),
        ]
        for person, name in zip(people, (STRONG, WEAK), strict=True):
            person.tab.goto(address(running, name))
        wait_for(lambda: sum(map(AtPage.act, people)) == len(people) or ended(running))
    done = running.ended()
    assert done.code == 0, done
    told: Json = json.loads(done.out)
    return told, people


def test_two_people_play_a_study_at_their_pages_and_its_three_deltas_verify(
    commands: Commands, browser: Browser, tmp_path: Path
) -> None:
    told, people = played(commands, browser, tmp_path)
    for person in people:
        assert person.noted == []
        assert [text for text, _ in person.surveys] == [GOES_ON, WHICH_ARM] * 3
        assert len(set(person.surveys)) == 2  # the same words in every arm
    verdict = verify(Path(told["bundle"]), Options(engine_path()))
    assert (verdict.level, verdict.findings) == ("V1", [])
    study = study_of(verdict.analysis)
    assert study
    assert [(row.name, row.estimate.n) for row in study.deltas] == [(name, (2,)) for name in DELTAS]
    orchestration, memory, full = (Fraction(row.estimate.value.exact) for row in study.deltas if row.estimate.value)
    assert full == orchestration + memory
    weak = {name: score for name, score in told["claims"].items() if name.endswith(f"{WEAK}/score")}
    assert list(weak.values()) == ["1.000000"] * 3
    assert study.blinding
    assert [row.pairs for row in study.people] == [dict.fromkeys(("4a", "4b", "4c"), 1)] * 2
    assert study.own_moves
    losses = {
        name: [float(row.loss_centipawns.decimal) for row in study.own_moves.people if row.person == name]
        for name in (STRONG, WEAK)
    }
    assert sum(losses[STRONG]) < sum(losses[WEAK])
