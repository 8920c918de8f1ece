"""A seat that does everything a seat can do: faults, retries, forfeits, refusals, failed calls."""

import hashlib

import chess

from agzamov_harness.ports import Completion
from agzamov_verify.core import canon
from agzamov_verify.core.questions import Answer, Chat, Message, NoReply, Question, Reply, Try
from agzamov_verify.table.scripted_players import scripted_reply

ENDPOINT = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "eccentric-1", "temperature": "0.3"}


def eccentric(question: Question) -> Answer:
    """An answer drawn from the question. In chess it castles where it can, in hold'em for two it seldom folds."""
    assert isinstance(question, Chat)
    return answer_with(question, action_of(question.messages[1].content, draw_of(question)))


def eccentric_in_any_game(question: Question) -> Answer:
    """The same in every game: where it acts, the random player's action, drawn from the question."""
    assert isinstance(question, Chat)
    system, situation = question.messages[:2]
    return answer_with(question, random_action(system, situation, draw_of(question)))


def draw_of(question: Question) -> int:
    return int.from_bytes(hashlib.sha256(canon.dumps(question)).digest()[:4], "big")


def random_action(system: Message, situation: Message, draw: int) -> str:
    """The random player's reply. An image's board is written into the text; asked for the board alone, it is that."""
    placement = next((shown.of for shown in situation.shown), "")
    if "BOARD:" in system.content:
        return f"BOARD: {placement}" if draw % 3 else "BOARD: 8/8/8/8/8/8/8/8"
    text = situation.content.replace("(its board is in the image)", placement)
    return scripted_reply("random", (system, Message(text, "user")), draw)


def answer_with(question: Chat, action: str) -> Answer:
    """`action` in one of many moods; or a refusal, or no answer."""
    draw = draw_of(question)
    tries = (Try("503 Service Unavailable", "status"), Try("read timeout", "timeout"))[: draw // 7 % 3]
    if is_stubborn(question):
        return Reply(text="I will not move.", attempts=tries)
    if draw % 23 == 0:
        return NoReply(reason="content_filter", attempts=tries)
    body = MOODS[draw % len(MOODS)].format(action=action)
    length = draw % 29 == 0
    return Completion(
        attempts=tries,
        fingerprint="fp_golden" if draw % 2 else "",
        id=f"chatcmpl-{draw:08x}",
        cached_tokens=draw % 50,
        completion_tokens=len(body.split()),
        finish="length" if length else "stop",
        model="eccentric-1",
        prompt_tokens=100 + draw % 50,
        reasoning_tokens=draw % 3,
        text=body,
    )


MOODS = (
    "{action}",
    "I have thought.\n{action}\n",
    "  {action}  \n\nThat is all.",
    "MOVE: e9e9\nACTION: dance\nNo, wait.\n{action}",
    "\N{BLACK CHESS QUEEN} \N{EM DASH} voil\N{LATIN SMALL LETTER A WITH GRAVE}.\r\n{action}",
    "I cannot decide between two of them.",
    "{action}\nMOVE: a1a1\nACTION: raise to 1",
)


def is_stubborn(question: Chat) -> bool:
    """Whether the seat gives nothing at this decision however often it is asked, and so forfeits."""
    return hashlib.sha256(f"{question.game} {question.turn}".encode()).digest()[0] < 6


def action_of(situation: str, draw: int) -> str:
    """Some legal action, castling where it can be castled."""
    fen = next((line.removeprefix("FEN: ") for line in situation.splitlines() if line.startswith("FEN: ")), None)
    if fen is None:
        legal = next(line for line in situation.splitlines() if line.startswith("Legal actions: "))
        return "ACTION: " + hold_em_action(legal.removeprefix("Legal actions: ").split(", "), draw)
    board = chess.Board(fen, chess960=True)
    moves = sorted(board.legal_moves, key=lambda move: (not board.is_capture(move), move.uci()))
    castling = next((move for move in moves if board.is_castling(move)), None)
    if castling and draw % 2:
        return "MOVE: " + ("O-O" if board.is_kingside_castling(castling) else "O-O-O")
    return f"MOVE: {castling or moves[draw % min(3, len(moves))]}"


def hold_em_action(legal: list[str], draw: int) -> str:
    """Any of the legal ones, the smallest bet or raise, or all-in; seldom a fold."""
    if draw % 11 == 0:
        return "all-in"
    words = legal[1:] if len(legal) > 1 and draw % 9 else legal
    verb, _, amounts = words[draw % len(words)].partition(" from ")
    return f"{verb.removesuffix(' a total')} {amounts.split()[0]}" if amounts else verb
