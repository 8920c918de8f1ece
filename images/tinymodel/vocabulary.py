"""The tokens of the tiny model, and how a prompt becomes tokens.

A Chess960 prompt is read as this sequence (`template.jinja` writes it as text, one token for each piece of it):

    [white]                 the side to move
    [K][Q] or [A]..[H]      the mover's castling rights, as in the FEN
    [ep]e6                  the en passant square, where the FEN names one
    +Pe2 +Ke1 ...           the mover's pieces in the order of the diagram (P and p tell White's pawns from Black's)
    -pe7 -Ke8 ...           the opponent's pieces
    [theirs]e7e8 ...        the squares of the opponent's pieces once more
    [mine]e2e1 ...          the squares of the mover's pieces once more
    [legal]e2e3e4e1d1 ...   the legal moves by origin, where the prompt lists them
    [rejected]e2 ...        the pieces whose moves the conversation has rejected: another is to move
    [answer]                -> "MOVE: " e2 e4 </s>

A hold'em prompt is read as

    [holdem][button][Ah][Kd][board][2c]...[pot]1.5[call]0.5[stack]99.5[theirs]99
    fold call raise to 2[to]100 [again] [answer]   -> "ACTION: " "raise to " 2 </s>

A number is a token for its whole part and one for its decimals. Any other chat is read as [?].
"""

import re
from collections.abc import Iterable

import chess

from agzamov_verify.games.holdem.cards import DECK

PIECES = "PpNBRQK"  # White's and Black's pawns go different ways; all else moves alike
WHOLE_MAX = 200
CASTLING = "KQABCDEFGH"
WORDS = ["fold", "check", "call", "bet ", "raise to ", "all-in"]
FALLBACK = "I can only play Chess960 and hold'em in the prompts of this protocol."
TAGS = ["white", "black", "ep", "mine", "legal", "rejected", "answer"]
TAGS += ["holdem", "button", "blind", "board", "pot", "call", "stack", "theirs", "to", "again", "?"]

CONTROL = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
WRITTEN = [
    *chess.SQUARE_NAMES,
    *"qrbn",
    "MOVE: ",
    "ACTION: ",
    *WORDS,
    *(str(whole) for whole in range(WHOLE_MAX + 1)),
    *(f".{hundredths:02d}".rstrip("0") for hundredths in range(1, 100)),
    FALLBACK,
]
READ = [
    *(f"{owner}{piece}{square}" for owner in "+-" for piece in PIECES for square in chess.SQUARE_NAMES),
    *(f"[{letter}]" for letter in CASTLING),
    *(f"[{tag}]" for tag in TAGS),
    *(f"[{card}]" for card in DECK),
]
TOKENS = [*CONTROL, *BYTES, *WRITTEN, *READ]
ID = {token: at for at, token in enumerate(TOKENS)}
END = ID["</s>"]
SQUARE = ID["a1"]
ANSWER = [END, *(ID[token] for token in WRITTEN)]  # what the model may write; every other token is one it never writes
AT = {TOKENS[token]: at for at, token in enumerate(ANSWER)}
assert len(ID) == len(TOKENS)


def ids(tokens: Iterable[str]) -> list[int]:
    """Tokens by their numbers."""
    return [ID[token] for token in tokens]


def number(big_blinds: str) -> list[str]:
    """The tokens of an amount in big blinds: "2.5" -> "2" ".5"."""
    whole, point, decimals = big_blinds.partition(".")
    return [whole, point + decimals] if decimals else [whole]


def chess_tokens(board: chess.Board) -> list[str]:
    """The prefix of a position up to the squares of the mover's pieces."""
    side = board.turn
    rights = board.castling_xfen()
    tokens = ["[white]" if side else "[black]"]
    tokens += [f"[{letter.upper()}]" for letter in rights if letter != "-" and letter.isupper() == side]
    if board.has_legal_en_passant() and board.ep_square is not None:
        tokens += ["[ep]", chess.SQUARE_NAMES[board.ep_square]]
    pieces = {square ^ 56: piece for square, piece in board.piece_map().items()}  # by the diagram's order
    for owner, colour in (("+", side), ("-", not side)):
        tokens += [f"{owner}{_letter(pieces[at])}{_name(at)}" for at in sorted(pieces) if pieces[at].color == colour]
    for tag, colour in (("[theirs]", not side), ("[mine]", side)):
        tokens += [tag, *(_name(at) for at in sorted(pieces) if pieces[at].color == colour)]
    return tokens


def _letter(piece: chess.Piece) -> str:
    return piece.symbol() if piece.piece_type == chess.PAWN else piece.symbol().upper()


def _name(at: int) -> str:
    return chess.SQUARE_NAMES[at ^ 56]


def listed(moves: Iterable[str]) -> list[str]:
    """The list of legal moves by origin; promotions stand once."""
    tokens, origin = ["[legal]"], ""
    for move in moves:
        if len(move) == 4 or move[4] == "q":
            if move[:2] != origin:
                origin = move[:2]
                tokens.append(origin)
            tokens.append(move[2:4])
    return tokens


_AMOUNT = r"(\d+(?:\.\d+)?)"
_RANGE = re.compile(rf"(bet|raise to a total) from {_AMOUNT} to {_AMOUNT} BB")


def holdem_tokens(text: str) -> list[str]:
    """The prefix of a hold'em prompt, without [again] and [answer]."""
    lines = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    tokens = ["[holdem]", "[button]" if lines["Position"] == "Button" else "[blind]"]
    for tag, label in (([], "Hole cards"), (["[board]"], "Board")):
        tokens += [*tag, *(f"[{card}]" for card in lines[label].strip("[]").split(", ") if card)]
    pot, call = re.findall(_AMOUNT, lines["Pot"])
    mine, theirs = re.findall(_AMOUNT, lines["Stacks"])
    for tag, amount in (("[pot]", pot), ("[call]", call), ("[stack]", mine), ("[theirs]", theirs)):
        tokens += [tag, *number(amount)]
    legal = lines["Legal actions"]
    tokens += [word for word in legal.split(", ") if word in WORDS]
    if sized := _RANGE.search(legal):
        verb = "bet " if sized[1] == "bet" else "raise to "
        tokens += [verb, *number(sized[2]), "[to]", *number(sized[3])]
    return tokens
