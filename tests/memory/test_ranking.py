"""What each system finds, and in which order: against SQLite's FTS5, against numpy, and by hand."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from agzamov_memory.decay import WEIGHT_BITS, Decay, weight
from agzamov_memory.entry import Entry
from agzamov_memory.graph import pieces
from agzamov_memory.store import Store
from agzamov_memory.systems import SYSTEMS, Settings

TEXT = "fold folded raise raised river turn flop button 3-bet bluff bluffing king queen castled early late"
WORDS = np.array(TEXT.split(" "))


def memory(
    system: str, folder: Path, contents: list[str], half_life_games: int | None = None, noise_percent: int | None = None
) -> Store:
    """A system that holds these contents, one of each game."""
    folder.mkdir(exist_ok=True)
    made = SYSTEMS[system].make(Settings(folder, half_life_games, noise_percent))
    for number, content in enumerate(contents, 1):
        made.store(Entry(f"e{number:05}", content, (number,), "observation"))
    return made


def numbers(found: list[Entry]) -> list[int]:
    return [int(entry.entry[1:]) for entry in found]


def test_full_text_ranks_as_fts5_does(tmp_path: Path) -> None:
    dice = np.random.default_rng(13)
    contents = [" ".join(dice.choice(WORDS, dice.integers(1, 31))) for _ in range(300)]
    contents[:100] = [f"{content} {content}" for content in contents[:100]]
    searched = memory("full_text", tmp_path, contents)
    fts = sqlite3.connect(":memory:")
    fts.execute("create virtual table notes using fts5(content, tokenize = 'porter unicode61')")
    fts.executemany("insert into notes values (?)", ((content,) for content in contents))
    for terms in (
        ["river"],
        ["fold", "king"],
        ["3", "bet", "turn", "castled"],
        ["queen", "nothing", "early", "button"],
    ):
        rows = fts.execute(
            "select rowid from notes where notes match ? order by round(bm25(notes), 6), rowid desc",
            (" OR ".join(f'"{term}"' for term in terms),),
        )
        expected = [row for (row,) in rows]
        assert len(expected) > 0
        assert numbers(searched.search(" ".join(terms), 1000, 300)) == expected


def test_full_text_by_hand_the_rarer_word_the_shorter_note_and_the_newest_rank_first(tmp_path: Path) -> None:
    contents = [
        "raised the river",
        "raised the turn",
        "raised the flop and then the turn",
        "nothing of it",
        "no",
        "none",
    ]
    searched = memory("full_text", tmp_path, contents)
    assert numbers(searched.search("Raising on the TURN", 5, 6)) == [2, 3, 1]
    assert numbers(searched.search("river turned", 5, 6)) == [1, 2, 3]
    equal = memory("full_text", tmp_path / "equal", ["raised the river", "raised the turn", "no"])
    assert numbers(equal.search("raised", 5, 3)) == [2, 1]
    assert numbers(equal.search("raised", 1, 3)) == [2]


@pytest.mark.parametrize("half_life_games", [1, 3, 7, 20, 100, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_weight_is_two_to_the_minus_age_in_half_lives(half_life_games: int) -> None:
    ages = np.arange(25 * half_life_games)
    found = np.array([weight(int(age), half_life_games) for age in ages])
    assert np.abs(found - 2.0 ** (WEIGHT_BITS - ages / half_life_games)).max() <= 1
    assert (np.diff(found) <= 0).all()
    assert found[0] == 2**WEIGHT_BITS
    assert weight(half_life_games, half_life_games) == 2 ** (WEIGHT_BITS - 1)
    assert weight(30 * half_life_games, half_life_games) == 0


@pytest.mark.parametrize("half_life_games", [1, 7, 20, pytest.param(10_000, marks=pytest.mark.slow)])
def test_the_table_of_weights_holds_them_all(half_life_games: int) -> None:
    decay = Decay(half_life_games)
    for age in (0, 1, 6, 8, 21, 29, 141, 600):
        decay.add(1)
        weighed = decay.weigh(np.array([1]), np.array([3]), now=1 + age)
        assert weighed.tolist() == [3 * weight(age, half_life_games)]


def test_a_weight_is_exact() -> None:
    for half_life_games in (3, 20):
        for age in range(60):
            exact = 1 << (WEIGHT_BITS * half_life_games)
            found = weight(age, half_life_games)
            assert found**half_life_games << age <= exact < (found + 1) ** half_life_games << age


@pytest.mark.parametrize("system", ["full_text", "graph"])
def test_with_a_half_life_a_new_entry_ranks_before_an_old_one_that_fits_better(system: str, tmp_path: Path) -> None:
    contents = ["Bluffed the river: 1 of 2", *["Limped in: 1 of 2"] * 5, "Bluffed the turn: 1 of 2"]
    assert numbers(memory(system, tmp_path / "plain", contents).search("bluffed river", 5, 9)) == [1, 7]
    decaying = memory(system, tmp_path / "decaying", contents, half_life_games=2)
    assert numbers(decaying.search("bluffed river", 5, 9)) == [7, 1]


def test_scores_times_weights_give_the_order_that_numpy_computes(tmp_path: Path) -> None:
    dice = np.random.default_rng(7)
    contents = [" ".join(dice.choice(WORDS, dice.integers(1, 13))) for _ in range(200)]
    plain = sqlite3.connect(":memory:")
    plain.execute("create virtual table notes using fts5(content, tokenize = 'porter unicode61')")
    plain.executemany("insert into notes values (?)", ((content,) for content in contents))
    rows = plain.execute("select rowid, -round(bm25(notes), 6) from notes where notes match 'river OR king'").fetchall()
    found, scores = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    expected = found[np.lexsort((found, -(scores * 2.0 ** (-(200 - found) / 20))))]
    searched = memory("full_text", tmp_path, contents, half_life_games=20)
    assert numbers(searched.search("river king", 1000, 200)) == expected.tolist()


def test_an_entry_of_a_later_game_counts_as_new(tmp_path: Path) -> None:
    searched = memory("full_text", tmp_path, [*["river"] * 4, "the river", *["no"] * 6], half_life_games=1)
    assert numbers(searched.search("river", 5, 3)) == [4, 3, 5, 2, 1]


def test_a_text_file_ranks_by_the_words_in_a_line_then_the_newest(tmp_path: Path) -> None:
    contents = ["river bluff", "river river river", "the turn", "RIVER: a bluff", "3-bet", "3 of 5"]
    searched = memory("file", tmp_path, contents)
    assert numbers(searched.search("bluff on the river", 9, 6)) == [4, 1, 3, 2]
    assert numbers(searched.search("3-bet", 9, 6)) == [5]


def test_a_text_file_has_one_line_for_each_entry(tmp_path: Path) -> None:
    memory("file", tmp_path, ["Folded: 4 of 5\nLimped: 1 of 9", "♞ \x85 \u2028"])
    assert (tmp_path / "memory.txt").read_bytes().decode().split("\n") == [
        '"Folded: 4 of 5\\nLimped: 1 of 9" e00001 game 1 observation',
        '"♞ \x85 \u2028" e00002 game 2 observation',
        "",
    ]


def test_a_line_of_a_note_is_entities_and_the_relations_between_them() -> None:
    entities, relations = pieces("Folded to a 3-bet on the button: 4 of 5")
    assert entities == ["folded", "3-bet", "button"]
    assert relations == [("folded", "to", "3-bet"), ("3-bet", "on", "button")]
    assert pieces("Showed down a bluff, then left: 1 of 2")[1] == [
        ("showed down", "", "bluff"),
        ("bluff", ", then", "left"),
    ]
    assert pieces(": 4 of 5") == ([], [])


def test_a_graph_finds_what_is_named_then_what_is_one_relation_away_then_two(tmp_path: Path) -> None:
    contents = [
        "Raised on the river",  # shares nothing with the query; two relations away: bluffed, button, raised
        "Bluffed on the button",
        "Raised on the button",
        "Castled before move ten",  # not to be reached
    ]
    searched = memory("graph", tmp_path, contents)
    assert numbers(searched.search("Has the opponent bluffed?", 9, 4)) == [2, 3, 1]
    assert numbers(searched.search("opponent", 9, 4)) == []


def test_a_consolidator_sums_the_counts_of_lines_with_the_same_words(tmp_path: Path) -> None:
    searched = memory("consolidator", tmp_path, ["Folded to a 3-bet: 4 of 5\nLimped in", "folded  to a 3-bet: 1 of 3"])
    searched.end_game(2)
    assert searched.entries.page(0, 9) == [
        Entry("d00001", "Folded to a 3-bet: 5 of 8", (1, 2), "summary", ("e00001", "e00002")),
        Entry("d00002", "Limped in", (1,), "summary", ("e00001",)),
    ]
    searched.end_game(3)
    assert [entry.entry for entry in searched.entries.page(0, 9)] == ["d00001", "d00002"]
    searched.store(Entry("e00003", "Folded to a 3-bet: 0 of 9", (4,), "observation"))
    searched.end_game(4)
    assert searched.entries.page(0, 9) == [
        Entry("d00002", "Limped in", (1,), "summary", ("e00001",)),
        Entry("d00003", "Folded to a 3-bet: 5 of 17", (1, 2, 4), "summary", ("e00001", "e00002", "e00003")),
    ]
    assert [entry.entry for entry in searched.search("folding", 9, 5)] == ["d00003"]


def test_noise_damages_the_declared_share_of_the_hits_and_keeps_their_names(tmp_path: Path) -> None:
    contents = [f"Bluffed the river: {number} of 1000" for number in range(1, 101)]
    true = {f"e{number:05}": content for number, content in enumerate(contents, 1)}
    turned = {f"e{number:05}": f"Bluffed the river: {1000 - number} of 1000" for number in range(1, 101)}
    for percent, least, most in ((0, 0, 0), (25, 200, 300), (100, 1000, 1000)):
        searched = memory("noisy", tmp_path / str(percent), contents, noise_percent=percent)
        found = [entry for _ in range(10) for entry in searched.search("river", 100, 100)]
        damaged = [entry for entry in found if entry.content != true[entry.entry]]
        assert len(found) == 1000
        assert least <= len(damaged) <= most
        assert all(entry.content == turned[entry.entry] for entry in damaged)
        assert [entry.content for entry in searched.entries.page(0, 200)] == contents


def test_noise_gives_another_entry_where_there_is_no_count(tmp_path: Path) -> None:
    searched = memory("noisy", tmp_path, [f"note {number}" for number in range(20)], noise_percent=100)
    found = searched.search("note", 20, 20)
    contents = [entry.content for entry in searched.entries.page(0, 200)]
    assert all(entry.content in contents and entry.content != contents[int(entry.entry[1:]) - 1] for entry in found)
    alone = memory("noisy", tmp_path / "alone", ["note"], noise_percent=100)
    assert [entry.content for entry in alone.search("note", 5, 5)] == ["note"]
