"""Real and invented replies, each with the reading that a careful person who knows docs/reading.md gives it.

corpus/replies.jsonl has a line for each reply: the game, where it was said (a FEN; in hold'em what was done in the hand
so far, with totals in chips), its text and finish reason, the action (empty where there is none) and the class, and its
source: invented here, or published by the authors of the test (the game and ply are named; see NOTICE).
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import chess
import pytest

from agzamov_verify.core.questions import Reply
from agzamov_verify.games.chess import prompt as chess_prompt
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.games.chess.spelling import read_move
from agzamov_verify.games.holdem import prompt as poker_prompt
from agzamov_verify.games.holdem.rules import PokerAction
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.table.declared import Accepted, Fault, FaultKind, read_declared
from verify.scripted import bet_out, poker_hand

CORPUS = [json.loads(line) for line in (Path(__file__).parent / "corpus/replies.jsonl").read_text().splitlines()]


def read(entry: dict[str, Any]) -> Accepted[chess.Move] | Accepted[PokerAction] | Fault:
    """The product's reading of an entry of the corpus."""
    reply = Reply(text=entry["text"], finish=entry["finish"])
    if entry["game"] == "chess960":
        game = Game960(entry["at"])
        return read_declared(reply, chess_prompt.TAG, lambda text: read_move(text, game))
    hand = bet_out(poker_hand(), entry["at"])
    return read_declared(reply, poker_prompt.TAG, lambda text: read_action(text, hand))


def told(found: Accepted[chess.Move] | Accepted[PokerAction] | Fault) -> tuple[str, str]:
    """An action and a class, as the corpus writes them."""
    if isinstance(found, Fault):
        return "", found.kind.value
    kind = "exact" if found.exact else "normalised"
    if isinstance(found.action, PokerAction):
        return f"{found.action.kind.value} {found.action.to_chips or ''}".strip(), kind
    return found.action.uci(), kind


@pytest.mark.parametrize("number", range(len(CORPUS)))
def test_every_reply_is_read_as_a_careful_person_reads_it(number: int) -> None:
    entry = CORPUS[number]
    assert told(read(entry)) == (entry["reads"], entry["reply_class"]), entry


def test_the_corpus_is_large_and_has_every_class_in_both_games() -> None:
    assert len(CORPUS) >= 300
    assert sum(entry["source"].startswith("published") for entry in CORPUS) >= 50
    assert len({(entry["game"], entry["at"], entry["text"], entry["finish"]) for entry in CORPUS}) == len(CORPUS)
    classes = Counter((entry["game"], entry["reply_class"]) for entry in CORPUS)
    kinds = ["exact", "normalised", *(kind.value for kind in FaultKind if kind is not FaultKind.NO_REPLY)]
    assert all(classes[game, kind] >= 5 for game in ("chess960", "holdem") for kind in kinds), classes
