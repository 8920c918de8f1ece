"""A model's seat that declares its actions in every form that is read, and in many that are not.

What it says is drawn from the question, so that bundles of it can be made again. It calls tools where it is offered
some, is cut off, refuses, and fails.
"""

import chess
import msgspec

from agzamov_harness.ports import Completion
from agzamov_verify.core.questions import Answer, Chat, NoReply, Question, Reply, ToolCall, Try
from bundles.eccentric_seat import action_of, draw_of, is_stubborn, random_action

BODIES = (
    "{tag} {value}",
    "{tag} {value}",
    "{tag} {value}",
    "I have thought.\n**{tag}** `{value}`\n",
    "<think>Perhaps\n{tag} {bad}\nno.</think>\n{tag} {value}",
    "<think>\n{tag} {bad}",
    "{tag} {bad}</think> So.\n{tag} {value}",
    "{tag} \\boxed{{{value}}}",
    "{tag} $\\boxed{{\\text{{{value}}}}}$",
    "Final answer: {tag} {value}.",
    '1. {tag} "{value}"<|im_end|>',
    "{lower} <{value}>",
    "{tag} {value}\nSo my {lower} {value}",
    "{tag} {value}\nNo, {tag} {bad}",
    "{wide} {value}\u200b",
    "{tag} {bad}",
    "I cannot decide.",
    "[THINK]{tag} {bad}[/THINK]{tag} {value}",
    "<|channel|>analysis {tag} {bad}<|end|><|channel|>final\n{tag} {value}",
    "-> {tag} [{value}]",
    "{tag} {value} because " + "it is good " * 30,
    "",
)
"""What a reply is made of: `tag` stands before the action, `value` is the action, `bad` is none."""
ILLEGAL = "{tag} {bad}"
BAD = {"MOVE:": "a1b8", "ACTION:": "raise to 0.5"}
FINISHES = ("length", "stop", "", "eos_token", "end_turn")
ARGUMENTS = {
    "evaluate_position": ("{}", "", '{"x":1}'),
    "best_lines": ("{}", '{"lines":2}', '{"lines":99}'),
    "calculate_odds": ("{}", '{"hands_percent":30}', '{"hands_percent":0}'),
    "memory_save": ('{"text":"It opened with a pawn \u00e9."}', '{"text":""}', '{"text":"It folds."}'),
    "memory_search": ('{"query":"castled first moves"}', '{"query":""}', '{"query":"folded river"}'),
}
"""Arguments of tools: good ones, and such as are refused."""


def of_the_paper(question: Question) -> Answer:
    """Chess960 and hold'em for two, with calls of tools. At some decisions every try is illegal."""
    assert isinstance(question, Chat)
    draw = draw_of(question)
    if question.with_tools and draw % 5 < 3:
        return Reply(text="I ask.", tool_calls=(_call(question, draw),), completion_tokens=3, prompt_tokens=50)
    told = [one for one in question.messages if one.role == "user" and _is_situation(one.content)]
    if not told:
        return Reply(text="Noted.", completion_tokens=1)
    shown = msgspec.structs.replace(question, messages=(question.messages[0], told[0]))
    return _said(shown, action_of(told[0].content, draw), ILLEGAL if is_stubborn(question) else "")


def of_the_arena(question: Question) -> Answer:
    """Any game of the arena: where it acts, the random player's action."""
    assert isinstance(question, Chat)
    system, situation = question.messages[:2]
    return _said(question, random_action(system, situation, draw_of(question)))


def fen_of(content: str) -> str | None:
    """The position that a prompt shows."""
    return next((line.removeprefix("FEN: ") for line in content.splitlines() if line.startswith("FEN: ")), None)


def king_by_two_squares(board: chess.Board, castling: chess.Move) -> str:
    """Castling written as the king's move by two squares, as in standard chess."""
    king = chess.square_name(castling.from_square)
    return king + ("g" if board.is_kingside_castling(castling) else "c") + king[1]


def _is_situation(content: str) -> bool:
    return "FEN: " in content or "Legal actions: " in content


def _call(question: Chat, draw: int) -> ToolCall:
    tool = question.with_tools[draw % len(question.with_tools)]
    arguments = ARGUMENTS.get(tool.name) or _compared(question)
    return ToolCall(arguments[draw // 13 % len(arguments)], tool.name if draw % 17 else "unknown_tool")


def _compared(question: Chat) -> tuple[str, ...]:
    fens = [fen for one in question.messages if (fen := fen_of(one.content))]
    legal = sorted(move.uci() for move in chess.Board(fens[0], chess960=True).legal_moves) if fens else []
    return f'{{"moves":"{", ".join(legal[:3])}"}}', '{"moves":""}', "{}"


def _said(question: Chat, action: str, body: str = "") -> Answer:
    """An action in `body` or one of many; sometimes cut off, refused, or after failed tries."""
    draw = draw_of(question)
    tries = (Try("503 Service Unavailable", "status"), Try("read timeout", "timeout"))[: draw // 7 % 3]
    if draw % 31 == 0:
        return NoReply(reason="content_filter", attempts=tries)
    line = next((line for line in reversed(action.splitlines()) if ":" in line), action)
    word, _, value = line.partition(": ")
    tag = f"{word}:"
    body = (body or BODIES[draw // 3 % len(BODIES)]).format(
        tag=tag,
        lower=tag.lower(),
        wide="".join(chr(ord(one) + 0xFEE0) for one in tag),
        value=_spelled(tag, value, question, draw // 101),
        bad=BAD.get(tag, "Nobody"),
    )
    words = len(body.split())
    return Completion(
        attempts=tries,
        fingerprint="fp",
        id=f"c{draw:08x}",
        cached_tokens=draw % 50,
        completion_tokens=words,
        finish=FINISHES[min(len(FINISHES) - 1, draw % 37)],
        model="eccentric-1",
        prompt_tokens=100 + draw % 50,
        reasoning_tokens=min(draw % 3, words),
        text=body,
    )


def _spelled(tag: str, value: str, question: Chat, draw: int) -> str:
    if tag == "MOVE:" and value[:1].isalpha():
        fen = fen_of(question.messages[-1].content)
        return _chess_move(value, chess.Board(fen, chess960=True), draw) if fen else value
    if tag == "MOVE:":
        return _draughts_move(value, draw)
    if tag == "ACTION:":
        return _poker_action(value, draw)
    return (value, value, value.lower(), value.upper(), f"{value}s")[draw % 5]


def _chess_move(value: str, board: chess.Board, draw: int) -> str:
    try:
        move = board.parse_san(value) if value.startswith("O") else board.parse_uci(value)
    except ValueError:
        return value
    san = board.san(move)
    if board.is_castling(move):
        return (san, king_by_two_squares(board, move), san.replace("O", "0"), value)[draw % 4]
    forms = (
        value,
        value,
        san,
        san.rstrip("+#"),
        f"{value[:2]}-{value[2:4]}" + (f"={value[4:].upper()}" if value[4:] else ""),
        f"{value[:2]} {value[2:]}",
        f"{board.fullmove_number}. {san}",
        san.lower(),
        san.upper(),
        chess.SQUARE_NAMES[move.to_square],
        f"{value[:2]}x{value[2:]}",
        san[:1] + san[-2:],
    )
    return forms[draw % len(forms)]


def _draughts_move(value: str, draw: int) -> str:
    squares = value.replace("x", "-").split("-")
    forms = (
        value,
        value,
        " ".join(squares),
        f"{squares[0]}-{squares[-1]}",
        f"{squares[0]}x{squares[-1]}",
        value.replace("-", "->"),
        f"5. {value}!",
        "-".join(squares[:2]),
        "x".join(squares),
    )
    return forms[draw % len(forms)]


def _poker_action(value: str, draw: int) -> str:
    verb, _, amount = value.rpartition(" ")
    if value == "call":
        forms: tuple[str, ...] = ("call", "call", "I call", "CALL.", "Call 1", "check")
    elif value == "all-in":
        forms = ("all-in", "All in", "shove", "raise all-in", "I go all in", "call all-in")
    elif amount and verb in ("bet", "raise to"):
        forms = (
            value,
            value,
            f"{verb} {amount} BB",
            f"bet {amount}",
            f"raise to {amount}",
            f"Raise {amount}",
            f"re-raise to {amount}bb",
            f"bet a total of {amount}",
            f"raise by {amount}",
            f"{verb} {amount.replace('.', ',')}",
            f"{verb} {amount}.125",
            f"{verb} {amount}, all-in",
        )
    else:
        forms = (value, value, value.upper(), f"I {value}", "call")
    return forms[draw % len(forms)]
