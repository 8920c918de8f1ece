"""Tables of many seats have a row of the matrix and of a leaderboard, with a rank: what a memory adds to a model there.

Three seats that act in turn; at full size also nine that do, three that bid at once, and nine of two teams that speak
and vote. A served reference player is the model, so the row is ranked as that of any model.
"""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from agzamov_harness.run import signing_keys
from agzamov_verify.core.envelope import key_id
from extending.source_tree import SourceTree

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
GAMES = ("high_card", "blind_bids", "village")
CAREERS, UNITS = 2, 15
"""The fewest careers, and units of each, that have an interval; figures are bounded, so alike careers have one too."""
CHARACTERS_MAX = 600
NOTES_MIN = {"blind_bids": 30, "village": 12}
"""Different notes of 40, by game: a villager's game has few ends."""
PLAN = """
title: What a memory adds at a table of many seats
protocol: agz-next
seats:
  model: {kind: openai, base_url: ADDRESS, model: reference}
  foe: {kind: openai, base_url: ADDRESS, model: reference, briefing: Others sit with you.}
systems: {recent: {kind: memory, server: recent, hits_max: 2}}
matches:
  - {MATCH, condition: {augmentation: memory, arm: naked}}
  - {MATCH, condition: {augmentation: memory, arm: real, system: recent}}
"""


class Table(NamedTuple):
    """A game at a table of so many seats.

    `results`: keys of a match with the size of all careers together. `note`: words that stand in notes alone.
    """

    game: str
    title: str
    seats: int
    results: str
    note: str

    @property
    def match(self) -> str:
        others = ", ".join(["{seat: foe}"] * (self.seats - 2))
        sides = f"a: model, b: foe, others: [{others}]"
        return f"phase: 2, game: {self.game}, {sides}, {self.results}, careers: {CAREERS}"


def high_card(seats: int) -> Table:
    """Of its rounds one for each seat make a unit."""
    results = f"rounds: {CAREERS * UNITS * seats}, block_rounds: {seats}"
    return Table("high_card", "high card", seats, results, "others that stayed: ")


TABLES = (
    high_card(3),
    pytest.param(high_card(9), marks=pytest.mark.exhaustive),
    pytest.param(
        Table("blind_bids", "blind bids", 3, f"rounds: {CAREERS * UNITS}", "highest other bid: "),
        marks=pytest.mark.exhaustive,
    ),
    pytest.param(
        Table("village", "the village", 9, f"games: {CAREERS * UNITS}", "days without a death: "),
        marks=pytest.mark.exhaustive,
    ),
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    tree = SourceTree(tmp_path_factory.mktemp("tree"))
    for game in GAMES:
        tree.add_game(game)
    tree.add_protocol()
    return tree


@pytest.fixture(scope="module")
def served(tree: SourceTree) -> Iterator[str]:
    """The address of the reference players of this tree."""
    with tree.start("serve-reference", "--port", "0", cwd=tree.folder) as server:
        assert server.stdout
        yield server.stdout.readline().strip()
        server.terminate()


@pytest.fixture(scope="module", params=TABLES, ids=lambda table: f"{table.game}-{table.seats}")
def table(request: pytest.FixtureRequest) -> Table:
    chosen: Table = request.param
    return chosen


@pytest.fixture(scope="module")
def bundle(tree: SourceTree, served: str, table: Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree.played(tmp_path_factory.mktemp("played"), PLAN.replace("MATCH", table.match).replace("ADDRESS", served))


@pytest.mark.parametrize("game", NOTES_MIN)
def test_a_game_without_a_donor_of_its_own_has_notes_of_random_players(tree: SourceTree, game: str) -> None:
    notes = json.loads(tree.script(HERE / "print_sample_notes.py", game))
    assert len(set(notes)) >= NOTES_MIN[game]
    assert max(map(len, notes)) <= CHARACTERS_MAX


def test_the_matrix_has_the_cell_of_a_memory_with_what_it_adds(tree: SourceTree, table: Table, bundle: Path) -> None:
    told = json.loads(tree.run("matrix", str(bundle), "--json", cwd=bundle.parent))
    (cell,) = told["matrix"]["entries"]
    assert told["bundles"][0]["level"] == "V1"
    assert (cell["game"], cell["model"]) == (table.game, "openai:reference")
    assert cell["delta"]["ci"], cell["delta"]


def test_notes_of_earlier_results_stand_in_prompts_of_the_seat_with_a_memory_alone(
    tree: SourceTree, table: Table, bundle: Path, tmp_path: Path
) -> None:
    file = tmp_path / "rows.sqlite"
    tree.run("export", str(bundle), "--to", "sqlite", "--out", str(file), cwd=bundle.parent)
    query = "select distinct seat, game like '%-memory_real_recent-%' from decisions where instr(prompt, ?)"
    with closing(sqlite3.connect(file)) as rows:
        assert rows.execute(query, (table.note,)).fetchall() == [("model", True)]


def test_the_leaderboard_ranks_the_model_by_what_its_memory_adds(
    tree: SourceTree, table: Table, bundle: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    shutil.copytree(bundle, tmp_path / "submitted" / "one")
    key = key_id(signing_keys.load(bundle.parent.parent / "key.pem").public_key())
    (tmp_path / "policy.yaml").write_text(f"title: Board\nkeys: {{ada: {key}}}\ndepartures: true\n")
    options = ("--policy", "policy.yaml", "--out", str(site), "--jobs", "1")
    tree.run("leaderboard", "build", "submitted", *options, cwd=tmp_path)
    page = (site / "index.html").read_text()
    assert f"How much memory helps in {table.title}</h2>" in page
    assert f"Opponent: {table.seats - 1} x itself, briefed by" in page
    assert '<td>1</td><th scope="row">openai:reference</th><td>recent <code>' in page
