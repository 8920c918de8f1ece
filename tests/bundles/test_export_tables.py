"""The tables of an export: what SQLite and Parquet hold is what was asked and answered, to the character."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from agzamov_harness.cli import main
from agzamov_harness.commands import export_command
from agzamov_harness.exports.table_schema import TABLES
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.core.questions import Answer, Chat, Hits, NoReply, Question, Reply, Search
from agzamov_verify.show.games_of_bundle import games_told, outcome
from agzamov_verify.show.replayed_game import PlayedGame
from bundles.bundle_factory import TINY_MODEL, make
from bundles.make_golden import GOLDEN
from harness.small_disk import can_mount, small_disk
from stack_world import HANDS, bundle_of, plan_of

BUNDLE = GOLDEN / "bundle"
PAGE = Path(__file__).parents[2] / "docs" / "exports.md"
HOSTILE = "=cmd|' /C calc'!A0\x00\x1b[2J</script><script>alert(1)</script>\u202e\u2028'); drop table games; --"


def exported(bundle: Path, to: str, out: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["export", str(bundle), "--to", to, "--out", str(out), *arguments])


@cache
def played_in(bundle: Path) -> list[PlayedGame]:
    opened = open_bundle(bundle, CheckLog())
    return [played for match in opened.manifest.plan.matches for played in games_told(opened, match)]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle whose seat has a memory, a tool and documents: three arms of one career."""
    return bundle_of(plan_of({**HANDS, "hands": 8}), tmp_path_factory.mktemp("stack"))


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    out = tmp_path_factory.mktemp("golden") / "run.sqlite"
    assert exported(BUNDLE, "sqlite", out).exit_code == 0
    assert [path.name for path in out.parent.iterdir()] == ["run.sqlite"]
    with closing(sqlite3.connect(out)) as base:
        yield base


@pytest.fixture(scope="module")
def remembered(stack: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    out = tmp_path_factory.mktemp("remembered") / "run.sqlite"
    ended = exported(stack, "sqlite", out)
    assert ended.exit_code == 0, ended.output
    with closing(sqlite3.connect(out)) as base:
        yield base


def test_every_game_and_every_call_is_a_row(golden: sqlite3.Connection) -> None:
    played = played_in(BUNDLE)
    assert golden.execute("select id, outcome from games order by rowid").fetchall() == [
        (one.record.game, outcome(one)) for one in played
    ]
    asked = [
        (question.game, question.turn, question.to, question.messages[-1].content, answer.text)
        for one in played
        for question, answer in one.asked
        if isinstance(question, Chat) and isinstance(answer, Reply)
    ]
    assert golden.execute("select game, turn, seat, prompt, reply from decisions order by id").fetchall() == asked
    assert all(time > 0 for (time,) in golden.execute("select ms from decisions"))


def test_the_action_of_a_decision_is_what_was_played(golden: sqlite3.Connection) -> None:
    chess = [one for one in played_in(BUNDLE) if one.match.game == "chess960"]
    moves = "select action from decisions where game = ? order by turn"
    for one in chess:
        assert [move for (move,) in golden.execute(moves, [one.record.game])] == list(one.record.moves)
    kinds = {
        action.split()[0] for (action,) in golden.execute("select action from decisions where game like '%holdem%'")
    }
    assert {"fold", "call", "raise"} <= kinds


def test_the_signed_figures_stand_in_the_matches(golden: sqlite3.Connection) -> None:
    opened = open_bundle(BUNDLE, CheckLog())
    ((run, digest),) = golden.execute("select id, digest from runs").fetchall()
    assert (run, digest) == (opened.manifest.run_id, opened.statement.subject[0].digest.sha256)
    claims, unit = opened.statement.predicate.claims, {"chess960": "score", "holdem": "bb_per_100"}
    told = golden.execute("select id, figure from matches").fetchall()
    assert told == [
        (match.id, float(claims[f"{match.id}/{unit[match.game]}"])) for match in opened.manifest.plan.matches
    ]


@pytest.mark.parametrize("base", ["golden", "remembered"])
def test_every_foreign_key_has_its_row(base: str, request: pytest.FixtureRequest) -> None:
    connection: sqlite3.Connection = request.getfixturevalue(base)
    assert connection.execute("pragma foreign_key_check").fetchall() == []
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]


def test_entries_that_were_delivered_name_the_game_that_they_are_from(
    stack: Path, remembered: sqlite3.Connection
) -> None:
    searched = [
        (question, answer)
        for one in played_in(stack)
        for question, answer in one.asked
        if isinstance(question, Search) and isinstance(answer, Hits)
    ]
    rows = remembered.execute(
        "select told.content, game from memory_delivered as told"
        " left join memory_entries on memory_entries.id = told.entry where told.content != ''"
    ).fetchall()
    assert rows
    told = {hit.content for _, answer in searched for hit in answer.hits}
    assert {content for content, _ in rows} <= told
    assert all(game for _, game in rows)
    kinds = {kind for (kind,) in remembered.execute("select kind from tool_calls")}
    assert {"search", "store", "end_game", "export", "calculate"} <= kinds


def test_the_queries_of_the_page_answer(golden: sqlite3.Connection, remembered: sqlite3.Connection) -> None:
    queries = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(queries) == 5
    for query in queries:
        assert golden.execute(query).fetchall() or remembered.execute(query).fetchall(), query


def test_the_page_lists_every_column() -> None:
    page = PAGE.read_text()
    for name, table in TABLES.items():
        (line,) = (line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert set(table.columns) <= set(re.findall(r"`([a-z_]+)`", line)), name


def test_hostile_replies_are_values_and_nothing_else(tmp_path: Path) -> None:
    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        return NoReply(reason=HOSTILE) if question.turn else Reply(text=HOSTILE)

    made = make(TINY_MODEL, tmp_path, answer)
    out = tmp_path / "run.sqlite"
    assert exported(made, "sqlite", out).exit_code == 0
    with closing(sqlite3.connect(out)) as base:
        told = set(base.execute("select reply, reason from decisions"))
        assert told == {(HOSTILE, None), (None, HOSTILE)}
        assert base.execute("select count(*) from decisions_fts where decisions_fts match 'alert'").fetchone()[0]
    assert exported(made, "parquet", tmp_path / "run").exit_code == 0
    assert HOSTILE in parquet.read_table(tmp_path / "run" / "decisions.parquet")["reply"].to_pylist()


def test_a_folder_that_is_there_is_told_before_anything_is_read(tmp_path: Path) -> None:
    result = exported(BUNDLE, "parquet", tmp_path)
    assert (result.exit_code, result.output) == (
        2,
        f"error: {tmp_path}: it exists already; name another folder, or remove it\n",
    )


def test_parquet_has_the_same_rows(golden: sqlite3.Connection, tmp_path: Path) -> None:
    assert exported(BUNDLE, "parquet", tmp_path / "run").exit_code == 0
    assert {path.stem for path in (tmp_path / "run").iterdir()} == set(TABLES)
    for name, table in TABLES.items():
        read: list[dict[str, Any]] = parquet.read_table(tmp_path / "run" / f"{name}.parquet").to_pylist()
        rows = golden.execute(f"select * from {name} order by rowid").fetchall()  # noqa: S608 - a name of ours
        assert [tuple(row[column] for column in table.columns) for row in read] == rows


def test_the_rows_of_one_match_alone(golden: sqlite3.Connection, tmp_path: Path) -> None:
    match, out = "p1-holdem-naked-other", tmp_path / "run.sqlite"
    assert exported(BUNDLE, "sqlite", out, "--match", match).exit_code == 0
    with closing(sqlite3.connect(out)) as base:
        assert base.execute("select distinct match from games").fetchall() == [(match,)]


@pytest.mark.parametrize("to", ["sqlite", "parquet"])
def test_a_broken_bundle_leaves_no_file(to: str, tiny: Path, tmp_path: Path) -> None:
    copy = tmp_path / "bundle"
    for path in tiny.rglob("*"):
        if path.is_file():
            target = copy / path.relative_to(tiny)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    calls = next(copy.glob("data/calls/*"))
    calls.write_bytes(calls.read_bytes()[:-1])
    ended = exported(copy, to, tmp_path / "out")
    assert (ended.exit_code, len(ended.stderr.splitlines())) == (1, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]


@pytest.mark.parametrize(("to", "module"), [("sqlite", "sqlite_file"), ("parquet", "parquet_files")])
def test_a_library_that_is_missing_is_one_line(
    to: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Missing(SimpleNamespace):
        def __getattr__(self, name: str) -> object:
            raise ImportError(name="some_library")

    monkeypatch.setattr(export_command, module, Missing())
    ended = exported(BUNDLE, to, tmp_path / "out")
    assert (ended.exit_code, ended.stderr) == (
        2,
        f"error: --to {to}: some_library is not installed; type: make exports (in a clone)\n",
    )


@pytest.mark.parametrize("to", ["sqlite", "parquet"])
def test_a_full_disk_is_one_line_with_the_path_and_leaves_no_file(to: str, tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("no small disk can be mounted here")
    with small_disk(tmp_path / "disk", 64):
        ended = exported(BUNDLE, to, out := tmp_path / "disk" / "games")
        assert (ended.exit_code, ended.stderr.count("\n")) == (2, 1)
        assert ended.stderr.startswith(f"error: {out}")
        assert re.search("No space left on device|full", ended.stderr)
        assert not [*(tmp_path / "disk").iterdir()]


@pytest.mark.parametrize("to", ["sqlite", "parquet"])
def test_tables_need_a_place(to: str) -> None:
    ended = CliRunner().invoke(main, ["export", str(BUNDLE), "--to", to])
    assert (ended.exit_code, ended.stderr) == (2, f"error: --to {to} needs --out: what to write\n")
