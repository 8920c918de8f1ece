"""A memory at the third seat of a table: played by a real server, verified, in no other seat's prompt, and audited.

All three seats of high card have a memory of their own in Phase 3. What a seat notes holds its own cards, so its notes
are of no other seat.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from agzamov_harness.run import signing_keys
from agzamov_verify.core.questions import Answer, Exported, Hits
from agzamov_verify.core.seat_letters import memory_name
from agzamov_verify.memory.career_memory import PROBES
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, PROFILE
from bundles.bundle_factory import Draft, chained, edited, entries, put, reseal_journal
from extending.source_tree import SourceTree

pytestmark = pytest.mark.slow

ROUNDS, CAREERS, SEATS = 24, 2, 3
NOTES = "{augmentation: memory, arm: real, system: recent}"
PLAN = f"""
title: Three seats that remember
protocol: agz-next
seats:
  ann: {{kind: reference}}
  bob: {{kind: reference}}
  cat: {{kind: reference}}
systems: {{recent: {{kind: memory, server: recent, hits_max: 2}}}}
matches:
  - phase: 3
    game: high_card
    a: ann
    b: bob
    others: [{{seat: cat, condition: {NOTES}}}]
    condition: {NOTES}
    b_condition: {NOTES}
    rounds: {ROUNDS}
    careers: {CAREERS}
"""
LIE = "With 1 stay, +9 chips; others that stayed: 2"
MEMORIES = {"ann": memory_name(0), "bob": memory_name(1), "cat": "memory_c"}


class Told(NamedTuple):
    """A decision: what its seat's memory had answered before it, and what its prompt said of the opponents."""

    seat: str
    hits: tuple[str, ...]
    profile: str


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    tree = SourceTree(tmp_path_factory.mktemp("tree"))
    tree.add_game("high_card")
    tree.add_protocol()
    return tree


@pytest.fixture(scope="module")
def bundle(tree: SourceTree, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree.played(tmp_path_factory.mktemp("played"), PLAN)


@pytest.fixture(scope="module")
def draft(bundle: Path) -> Draft:
    return Draft.of(bundle, signing_keys.load(bundle.parent.parent / "key.pem"))


def steps_of(tree: SourceTree, bundle: Path, code: int = 0) -> tuple[str, dict[str, dict[str, Any]]]:
    """The level of a bundle, and the steps of its check by name."""
    told = json.loads(tree.run("verify", str(bundle), "--json", cwd=bundle.parent, code=code))
    return told["level"], {step["name"]: step for step in told["steps"]}


@pytest.fixture(scope="module")
def rows(tree: SourceTree, bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """The tables of an export, which has every prompt, and every call of a memory."""
    file = tmp_path_factory.mktemp("rows") / "rows.sqlite"
    tree.run("export", str(bundle), "--to", "sqlite", "--out", str(file), cwd=bundle.parent)
    with closing(sqlite3.connect(file)) as connection:
        yield connection


def told(rows: sqlite3.Connection) -> Iterator[Told]:
    """Every decision of the run."""
    for game, turn, seat, prompt in rows.execute("select game, turn, seat, prompt from decisions order by id"):
        asked = (game, turn, MEMORIES[seat])
        query = "select answered from tool_calls where game = ? and turn = ? and tool = ? and kind = 'search'"
        *_, (answered,) = rows.execute(f"{query} order by id", asked)
        hits = tuple(hit["content"] for hit in json.loads(answered)["hits"])
        yield Told(seat, hits, prompt.partition(PROFILE)[2])


def stored(rows: sqlite3.Connection, seat: str) -> list[str]:
    """All that a seat's memory was given, in order."""
    query = "select content from memory_entries where memory = ? order by id"
    return [content for (content,) in rows.execute(query, (MEMORIES[seat],))]


def test_three_memories_of_one_table_are_verified(tree: SourceTree, bundle: Path, draft: Draft) -> None:
    level, steps = steps_of(tree, bundle)
    count = SEATS * (ROUNDS // SEATS)
    assert level == "V1"
    assert steps["memory"]["remark"].startswith(f"{SEATS * CAREERS} stores began empty; {count} entries stored")
    assert len(draft.streams()) == CAREERS


def test_the_journal_has_every_call_of_the_memory_of_the_third_seat(draft: Draft) -> None:
    for stream in draft.streams():
        calls = [entry.question.ask for entry in entries(draft, stream) if entry.question.to == MEMORIES["cat"]]
        rounds = ROUNDS // CAREERS
        assert Counter(calls) == {
            "export": 2,
            "search": len(PROBES) + rounds,
            "store": rounds // SEATS,
            "end_game": rounds // SEATS,
        }


def test_a_prompt_holds_what_its_own_seats_memory_answered_and_nothing_of_another(rows: sqlite3.Connection) -> None:
    of_cat = {*stored(rows, "cat")} - {*stored(rows, "ann"), *stored(rows, "bob")}
    assert len(of_cat) == ROUNDS // SEATS, "a set of rounds is noted otherwise by each of its seats"
    decisions = list(told(rows))
    assert len(decisions) == ROUNDS * SEATS
    assert all(one.profile == ("\n".join(one.hits) or NOTHING_REMEMBERED) for one in decisions)
    assert {one.seat for one in decisions if any(note in one.profile for note in of_cat)} == {"cat"}
    assert {one.seat for one in decisions if one.hits} == {*MEMORIES}


def test_the_third_seats_decisions_are_x_rayed(tree: SourceTree, bundle: Path, draft: Draft) -> None:
    match = draft.streams()[0].rpartition("-b")[0]
    shown = tree.run("xray", str(bundle), "--game", f"{match}-r{ROUNDS // CAREERS - 1:06d}", cwd=bundle.parent)
    assert "cat" in shown
    assert "e00003" in shown


def with_other_words(answer: Answer) -> Answer | None:
    """An answer of a memory in which the first entry says something else; None where it has no entry."""
    match answer:
        case Hits(hits=(first, *rest)):
            return Hits((msgspec.structs.replace(first, content=LIE), *rest))
        case Exported(entries=(first, *rest)):
            return msgspec.structs.replace(answer, entries=(msgspec.structs.replace(first, content=LIE), *rest))
    return None


@pytest.mark.parametrize(("ask", "step"), [("search", "replay"), ("export", "memory")])
def test_an_answer_of_the_third_seats_memory_that_was_changed_is_found(
    tree: SourceTree, draft: Draft, tmp_path: Path, ask: str, step: str
) -> None:
    """What was told changes the next prompt; what it says that it holds is compared with what it was given."""
    forged, stream = draft.copy(), draft.streams()[0]
    story = entries(draft, stream)
    at, lie = next(
        (at, lie)
        for at, entry in enumerate(story)
        if entry.question.to == MEMORIES["cat"]
        and entry.question.ask == ask
        and (lie := with_other_words(entry.answer))
    )
    put(forged, stream, chained(edited(story, at, answer=lie), stream=stream))
    reseal_journal(forged)
    _, steps = steps_of(tree, forged.write(tmp_path), code=1)
    assert [name for name, one in steps.items() if one["status"] == "fail"] == [step]
