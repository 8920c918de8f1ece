"""Retrieval at a decision: what BM25 finds, what a seat is told, and that a placebo differs in nothing else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Message, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.documents import library
from agzamov_verify.documents.bm25 import Ranking, terms
from agzamov_verify.documents.library import (
    DOCUMENTS,
    PLACEBO_LENGTH_PERCENT,
    SETS,
    Library,
    documents,
    irrelevant_passages,
    passages,
)
from agzamov_verify.games.chess import novice_player as chess_novice
from agzamov_verify.games.chess.prompt import PromptStyle, turn_message
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.games.chess.situation_words import situation_words
from agzamov_verify.games.holdem import novice_player as holdem_novice
from agzamov_verify.plan import manifest
from agzamov_verify.plan.condition_problems import condition_problems
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.systems import RagSystem
from agzamov_verify.table import registry, scripted_players
from agzamov_verify.table.prompt_lines import PROFILE, TOOL, Page, read_page
from conditions import arms_of

DICE = Dice(bytes(32))
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SEATS: dict[str, Any] = {
    "novice": {"kind": "novice"},
    "random": {"kind": "random"},
    "briefed": {"kind": "random", "briefing": "- It bluffs."},
}
CHESS: dict[str, Any] = {"phase": 2, "game": "chess960", "a": "random", "b": "novice", "games": 2}
HANDS: dict[str, Any] = {"phase": 2, "game": "holdem", "a": "random", "b": "novice", "hands": 10, "block_hands": 10}
ARMS = arms_of("rag")
GAMES = pytest.mark.parametrize("game", [CHESS, HANDS], ids=["chess", "holdem"])


def plan(game: dict[str, Any], **system: object) -> Plan:
    wished = {
        "title": "Retrieval",
        "seats": SEATS,
        "systems": {"rag": {"kind": "rag", **system}},
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 12},
        "holdem": {"session_hands": 10},
        "matches": [{**game, "condition": arm} for arm in ARMS.values()],
    }
    return msgspec.convert(wished, Plan)


def asked(game: dict[str, Any], arm: str, **system: object) -> list[Chat]:
    """The questions of one arm's first stream, played by its seats, with seeds alike in all arms."""
    planned, noted = plan(game, **system), []

    def play(question: Question) -> Answer:
        assert isinstance(question, Chat)
        noted.append(question)
        return Reply(
            text=scripted_players.scripted_reply(planned.seats[question.to].kind, question.messages, question.turn)
        )

    drive(block_script(next(streams_of(planned.matches[list(ARMS).index(arm)])), planned, DICE), play)
    return noted


def text(question: Chat) -> str:
    return question.messages[1].content


def in_both_arms(game: dict[str, Any]) -> Iterator[tuple[Chat, Chat]]:
    """The prompts of seat A, a random player, whom no passage moves: the same games in both arms."""
    for real, placebo in zip(asked(game, "real"), asked(game, "placebo"), strict=True):
        assert real.to == placebo.to
        if real.to == game["a"]:
            yield real, placebo


# --- ranking -------------------------------------------------------------------------------------


def test_scores_are_those_of_the_formula_computed_by_hand() -> None:
    """Three passages of 9 terms.

    "rook" stands in one of three: ln(8/3) = 0.980829; twice in 3 terms: 2.2 x 2 / (2 + 0.3 + 0.9 x 3/3) = 1.375; so
    1.348639. "king" stands in two: ln(8/5) = 0.470003; once in 3 terms: 2.2 / (1 + 0.3 + 0.9) = 1; once in 2 terms:
    2.2 / (1 + 0.3 + 0.6) = 1.157894, so 0.544214.
    """
    ranking = Ranking(["Rook, rook; king!", "The Kings", "pawn pawn pawn pawn"])
    assert ranking.search("rooks") == [(0, 1_348_639)]
    assert ranking.search("king") == [(1, 544_214), (0, 470_003)]
    assert ranking.search("king rook king") == [(0, 1_348_639 + 470_003), (1, 544_214)]
    assert ranking.search("bishop") == []


def test_equal_scores_stand_in_the_order_of_the_passages() -> None:
    assert [number for number, _ in Ranking(["a pawn", "my rook", "a rook", "no pawn"]).search("rook pawn")] == [
        0,
        1,
        2,
        3,
    ]


def test_terms_are_words_in_lower_case_without_the_s_of_a_plural() -> None:
    assert terms("Rooks pass; a 3-bet, PAWNS' is") == ["rook", "pass", "a", "3", "bet", "pawn", "is"]


# --- the shipped sets ----------------------------------------------------------------------------

SHIPPED = [(name, game) for name, games in SETS.items() for game in games]


@pytest.mark.parametrize(("name", "game"), SHIPPED)
def test_a_shipped_document_names_its_sources_and_has_passages_of_plain_text(name: str, game: str) -> None:
    assert "Sources of the facts: " in documents(name)[game].partition("\n---\n")[0]
    told = passages(documents(name)[game])
    assert 15 <= len(told) <= 25
    assert len(set(told)) == len(told)
    for passage in (*told, *irrelevant_passages()):
        assert passage.isascii()
        assert "\n" not in passage
        assert not any(
            mark.strip() in passage for mark in (DOCUMENTS, TOOL, PROFILE, "MOVE:", "ACTION:", "CANDIDATES:")
        )


@pytest.mark.parametrize(("name", "game"), SHIPPED)
def test_every_passage_has_placebos_of_its_length(name: str, game: str) -> None:
    for passage in passages(documents(name)[game]):
        assert len(library._fitting(passage)) >= 8


def test_the_words_of_documents_are_sealed_where_a_plan_has_them() -> None:
    without, with_documents = (
        manifest.prompt_digests("agz-0.1"),
        manifest.prompt_digests("agz-0.1", plan(HANDS).systems.values()),
    )
    names = {"documents/basics/chess960", "documents/basics/holdem", "documents/placebo"}
    assert names <= with_documents.keys()
    assert not names & without.keys()


def test_the_page_lists_every_phrase_of_a_search() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rag.md").read_text()
    assert [phrase for game in registry.GAMES.values() for phrase in game.search_phrases if phrase not in page] == []


# --- what is told --------------------------------------------------------------------------------


def told(query: str, *, placebo: bool = False, stream: str = "x", passages_max: int = 3, bytes_max: int = 2000) -> str:
    return Library(documents("basics")["chess960"], passages_max, bytes_max, placebo).told(query, DICE.stream(stream))


def test_passages_are_told_the_best_first_and_as_many_as_may_be() -> None:
    lines = told("endgame rook passed pawn", passages_max=5).splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("- A passed pawn is one that")
    assert told("endgame rook passed pawn", passages_max=2).splitlines() == lines[:2]


def test_bytes_are_cut_between_passages() -> None:
    lines = told("endgame rook passed pawn").splitlines()
    two = sum(len(line) + 1 for line in lines[:2])
    assert told("endgame rook passed pawn", bytes_max=two).splitlines() == lines[:2]
    assert told("endgame rook passed pawn", bytes_max=two - 1).splitlines() == lines[:1]


@pytest.mark.parametrize("placebo", [False, True])
def test_where_nothing_is_found_nothing_is_told(placebo: bool) -> None:
    assert told("xylophone", placebo=placebo) == ""


@pytest.mark.parametrize("stream", [f"draw {number}" for number in range(20)])
def test_a_placebo_is_as_many_irrelevant_passages_each_as_long(stream: str) -> None:
    query = "endgame rook passed pawn"
    lines = (
        told(query, passages_max=5).splitlines(),
        told(query, passages_max=5, placebo=True, stream=stream).splitlines(),
    )
    sky = " ".join(irrelevant_passages())
    for real, placebo in zip(*lines, strict=True):
        assert 100 * abs(len(real) - len(placebo)) <= PLACEBO_LENGTH_PERCENT * len(real)
        assert placebo.removeprefix("- ") in sky
        assert placebo[2].isupper()
        assert placebo.endswith((".", "?", "!"))
    sentences = [sentence for line in lines[1] for sentence in library._SENTENCE_END.split(line.removeprefix("- "))]
    assert len(set(sentences)) == len(sentences)


def test_a_placebo_is_drawn_from_the_seed() -> None:
    drawn = {told("endgame rook", placebo=True, stream=f"draw {number}") for number in range(20)}
    assert len(drawn) > 10
    assert told("endgame rook", placebo=True) == told("endgame rook", placebo=True)


@GAMES
@pytest.mark.parametrize("seat", ["random", "briefed"])
def test_prompts_of_the_arms_differ_in_the_passages_alone_byte_by_byte(game: dict[str, Any], seat: str) -> None:
    pairs = list(in_both_arms({**game, "a": seat}))
    assert pairs
    for real, placebo in pairs:
        pages = [read_page(question.messages) for question in (real, placebo)]
        assert pages[0].documents != pages[1].documents
        assert text(real).replace(pages[0].documents, "") == text(placebo).replace(pages[1].documents, "")
        assert real.messages[0] == placebo.messages[0]
        length = len(pages[0].documents.encode())
        assert 100 * abs(length - len(pages[1].documents.encode())) <= PLACEBO_LENGTH_PERCENT * length


@GAMES
def test_prompts_of_the_naked_arm_are_those_of_the_others_without_passages(game: dict[str, Any]) -> None:
    for naked, real in zip(asked(game, "naked"), asked(game, "real"), strict=True):
        page = read_page(real.messages)
        assert bool(page.documents) == (real.to == game["a"])
        assert text(naked) == text(real).replace(DOCUMENTS + page.documents if page.documents else "", "", 1)


@GAMES
def test_the_passages_stand_between_situation_and_profile(game: dict[str, Any]) -> None:
    prompt = text(next(in_both_arms({**game, "a": "briefed"}))[0])
    assert 0 < prompt.index(DOCUMENTS) < prompt.index(PROFILE)


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        (START, "opening castling right"),
        ("4k3/8/8/3q4/8/8/8/R3K3 w Q - 0 30", "endgame rook castling right behind in material"),
        ("3qk3/8/8/8/8/8/8/3QK2R b - - 0 30", "middlegame behind in material"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 40", "endgame pawn capture a piece that is not defended"),
        ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 40", "endgame pawn behind in material"),
        ("4k3/8/8/8/8/8/4r3/R3K3 w - - 0 40", "endgame rook king in check capture a piece that is not defended"),
    ],
)
def test_a_chess_position_is_searched_by_its_phase_threats_and_material(fen: str, expected: str) -> None:
    assert situation_words(chess.Board(fen, chess960=True)) == expected


# --- plans ---------------------------------------------------------------------------------------


@GAMES
def test_a_plan_with_documents_can_be_run(game: dict[str, Any]) -> None:
    assert list(condition_problems(plan(game))) == []


def test_an_unknown_set_is_refused() -> None:
    found = [str(problem) for problem in condition_problems(plan(HANDS, documents="basic"))]
    assert len(found) == 2
    assert all("systems.rag.documents" in one and ", found basic" in one for one in found)


def test_a_set_without_a_document_for_the_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agzamov_verify.systems.rag_system.SETS", {"basics": ("holdem",)})
    assert list(condition_problems(plan(HANDS))) == []
    found = [str(problem) for problem in condition_problems(plan(CHESS))]
    assert len(found) == 2
    assert all("expected a system for Chess960: basics has no document" in one for one in found)


def test_a_rag_system_is_for_retrieval_alone() -> None:
    planned = plan(HANDS)
    match = msgspec.convert(
        {**HANDS, "condition": {"augmentation": "tools", "arm": "real", "system": "rag"}}, type(planned.matches[0])
    )
    naked = msgspec.convert({**HANDS, "condition": {"augmentation": "tools"}}, type(planned.matches[0]))
    wrong = msgspec.structs.replace(planned, matches=(naked, match))
    assert ["expected rag with system rag" in str(problem) for problem in condition_problems(wrong)] == [True]


def test_the_naked_arm_names_no_system() -> None:
    planned = plan(HANDS)
    match = planned.matches[0]
    named = msgspec.structs.replace(match, condition=msgspec.structs.replace(match.condition, system="rag"))
    wrong = msgspec.structs.replace(planned, matches=(named,))
    assert ["in the naked arm a seat has its prompt alone" in str(one) for one in condition_problems(wrong)] == [True]


def test_a_system_says_what_it_tells() -> None:
    assert "up to 3 passages" in RagSystem().words(GAMES)


# --- scripted players ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "advice"),
    [("chess960", chess_novice.CAPTURES_ADVICE), ("holdem", holdem_novice.PAIR_ADVICE)],
)
def test_what_a_novice_follows_stands_in_the_shipped_set_once(game: str, advice: str) -> None:
    assert sum(advice in passage for passage in passages(documents("basics")[game])) == 1


def test_a_novice_of_chess_takes_what_is_not_defended_where_it_has_read_so() -> None:
    game = Game960("4k3/8/8/q2p4/1P2P3/8/8/4K3 w - - 0 30")
    found = Library(documents("basics")["chess960"], 3, 2000, is_placebo=False).told(
        situation_words(game.board), DICE.stream("x")
    )
    system = Message("Play.", "system")

    def reply(documents: str) -> str:
        return scripted_players.scripted_reply(
            "novice", (system, turn_message(game, PromptStyle.STANDARD, "", documents=documents)), 7
        )

    assert reply(found).endswith("MOVE: b4a5")
    assert reply("- The Sun is a star.") == reply("")


@pytest.mark.parametrize(
    ("hole", "documents", "action"),
    [
        ("Ks, 4d", holdem_novice.PAIR_ADVICE, "bet 4"),
        ("9s, 9d", holdem_novice.PAIR_ADVICE, "bet 4"),
        ("Ks, 9d", holdem_novice.PAIR_ADVICE, "check"),
        ("Ks, 4d", "The Sun is a star.", "check"),
        ("Ks, 4d", "", "check"),
    ],
)
def test_a_novice_of_holdem_bets_a_pair_where_it_has_read_so(hole: str, documents: str, action: str) -> None:
    situation = (
        f"Hole cards: [{hole}]\nBoard: [2c, 3d, 4h]\nPot: 4 BB | To call: 0 BB\nStacks: you 98 BB | opponent 98 BB\n"
        "Action: preflop: opponent call, you check\nPosition: Big blind\nLegal actions: check, bet from 1 to 98 BB"
    )
    page = Page("", situation, "", documents=documents)
    assert holdem_novice.novice_reply(page, DICE.stream("x")).endswith(f"ACTION: {action}")
