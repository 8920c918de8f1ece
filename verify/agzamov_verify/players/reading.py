"""What a reference player reads off its prompt: labelled lines, rules it must keep, the opponent profile.

    system message    ... You must keep this rule in every game: castle within your first 8 moves, ...
    user message      the situation, by labelled lines
                      Opponent profile:
                      - VPIP: 68% | PFR: 42% | 3-Bet: 12%

The law: a player knows this text and its seed, nothing else. Dice come from the situation without
the profile, so a profile that says nothing useful leaves every move as it was.
"""

import hashlib
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

import chess

from ..dice import Stream
from ..questions import Message

_RULE = "You must keep this rule in every "
_PROFILE = "\nOpponent profile:\n"
_SIGNS = {"chess960": "\nFEN: ", "holdem": "Hole cards: ["}
"""What gives each game away in a user message."""


@dataclass(frozen=True, slots=True)
class Page:
    """A prompt, taken apart: the rules its reader must keep, the situation, what is said of the opponent."""

    rules: str
    situation: str
    profile: str


def read_page(messages: tuple[Message, ...]) -> Page:
    """The first system and user messages; what follows them are rejections of earlier answers."""
    situation, _, profile = _first(messages, "user").partition(_PROFILE)
    lines = _first(messages, "system").splitlines()
    rules = [line.partition(": ")[2] for line in lines if line.startswith(_RULE)]
    return Page("\n".join(rules), situation, profile)


def game_of(page: Page) -> str:
    """The game that a situation is of. Raises ValueError for one of neither."""
    game = next((game for game, sign in _SIGNS.items() if sign in page.situation), None)
    if game is None:
        raise ValueError(f"expected a prompt of {' or '.join(_SIGNS)}, found {page.situation[:60]!r}")
    return game


def dice(page: Page, seed: int, label: str) -> Stream:
    """The draws of one answer, from the seed and the situation."""
    return Stream(hashlib.sha256(f"{seed}\n{page.situation}".encode()).digest(), label)


def labelled(page: Page, label: str) -> str:
    """What follows `label: ` at the head of a line of the situation. Raises ValueError if no line does."""
    found = re.search(rf"^{label}: (.*)$", page.situation, re.MULTILINE)
    if found is None:
        raise ValueError(f"expected a line that starts with {label!r}, found {page.situation[:60]!r}")
    return found[1]


def _first(messages: tuple[Message, ...], role: str) -> str:
    return next((message.content for message in messages if message.role == role), "")


# --- chess ---------------------------------------------------------------------------------------

_CASTLES = re.compile(r"^(?:- )?castles? within (?:your|its) first (\d{1,3}) moves", re.IGNORECASE | re.MULTILINE)
_AVOIDS_TRADES = re.compile(
    r"^(?:- )?never makes? a move that allows or makes a trade of queens", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class ChessHabits:
    """What a chess player always does, whether it must (a rule) or is known to (a profile)."""

    castles_within_moves: int
    avoids_queen_trades: bool


def chess_habits(text: str) -> ChessHabits:
    """The habits that rules or a profile put in words; none where they say nothing of them."""
    castles = _CASTLES.search(text)
    return ChessHabits(int(castles[1]) if castles else 0, bool(_AVOIDS_TRADES.search(text)))


PositionKey: TypeAlias = tuple[int, ...]


def position_key(board: chess.Board) -> PositionKey:
    """The pieces and the side to move, enough to know a position by."""
    white, turn = board.occupied_co[chess.WHITE], int(board.turn)
    return (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings, white, turn)


def repeatable(page: Page, board: chess.Board) -> frozenset[PositionKey]:
    """The positions of this game that could come back, found by taking the quiet moves back."""
    earlier, known = board.copy(stack=False), set()
    moves = labelled(page, "Moves so far").replace("none", "").split()
    for text in reversed(moves[-board.halfmove_clock :] if board.halfmove_clock else []):
        move = chess.Move.from_uci(text)
        piece = earlier.remove_piece_at(move.to_square)
        far = chess.square_distance(move.from_square, move.to_square) > 1
        if piece is None or earlier.piece_at(move.from_square) or (far and piece.piece_type == chess.KING):
            break  # castling, which cannot come back
        earlier.set_piece_at(move.from_square, piece)
        earlier.turn = not earlier.turn
        known.add(position_key(earlier))
    return frozenset(known)


# --- hold'em -------------------------------------------------------------------------------------

_PERCENTS = {
    "vpip": r"VPIP: (\d{1,3})",
    "pfr": r"PFR: (\d{1,3})",
    "three_bet": r"3-Bet: (\d{1,3})",
    "folds_to_cbet": r"Folds to c-bet: (\d{1,3})",
    "check_raise": r"Check-raise freq: (\d{1,3})",
    "folds_button_to_3bet": r"(?:Folds to 3-bet on the button: |on the button, fold to a 3-bet )(\d{1,3})",
    "min_raises_pairs": r"Min-raises preflop with pocket pairs: (\d{1,3})",
}
_PERCENT = {name: re.compile(words + r"(?:\.\d+)?%", re.IGNORECASE) for name, words in _PERCENTS.items()}
_MIN_RAISES_ALWAYS = re.compile(
    "before the flop, with a pocket pair, raise to the smallest legal amount", re.IGNORECASE
)
_RIVER_BLUFFS = re.compile(r"Bluff-to-value ratio on river: (\d{1,3}(?:\.\d+)?):1", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PokerHabits:
    """A hold'em player's tendencies in percent; `river_bluffs` of its bets on the river."""

    vpip: int
    pfr: int
    three_bet: int
    folds_to_cbet: int
    check_raise: int
    folds_button_to_3bet: int
    min_raises_pairs: int
    river_bluffs: int


def poker_habits(text: str, prior: PokerHabits) -> PokerHabits:
    """The tendencies that rules or a profile put in words, and `prior` where they say nothing."""
    found = {name: words.search(text) for name, words in _PERCENT.items()}
    said = {name: min(100, int(match[1])) for name, match in found.items() if match}
    if _MIN_RAISES_ALWAYS.search(text):
        said["min_raises_pairs"] = 100
    if ratio := _RIVER_BLUFFS.search(text):
        said["river_bluffs"] = round(100 * float(ratio[1]) / (float(ratio[1]) + 1))
    return replace(prior, **said)


class Verb(StrEnum):
    """What a player can do, in the words of the action line."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"


class Who(StrEnum):
    """Who did it, in the words of the history."""

    ME = "you"
    OPPONENT = "opponent"


@dataclass(frozen=True, slots=True)
class Deed:
    """One action of the history; `to_chips` is the total on its street after a bet or raise, else 0."""

    street: str
    who: Who
    verb: Verb
    to_chips: int


@dataclass(frozen=True, slots=True)
class Options:
    """What may be declared now, and the range of totals for a bet or raise (0 where there is none)."""

    verbs: tuple[Verb, ...]
    min_to_chips: int
    max_to_chips: int


@dataclass(frozen=True, slots=True)
class Spot:
    """A hold'em decision as its prompt shows it. 100 chips are one big blind."""

    hole: tuple[str, ...]
    board: tuple[str, ...]
    pot_chips: int
    to_call_chips: int
    stacks_chips: tuple[int, int]
    history: tuple[Deed, ...]
    on_button: bool
    options: Options

    @property
    def price(self) -> float:
        """What a call adds to the pot, as a share of the pot after it."""
        return self.to_call_chips / (self.pot_chips + self.to_call_chips)

    @property
    def in_front_chips(self) -> int:
        """What this player has bet on this street; 0 where it may not raise, and it does not matter."""
        return max(0, self.options.max_to_chips - self.stacks_chips[0])

    @property
    def raises(self) -> list[Deed]:
        """The raises before the flop; the first is the open, the second the 3-bet."""
        return [deed for deed in self.history if deed.street == "preflop" and deed.verb is Verb.RAISE]


_MONEY = r"(\d+(?:\.\d{1,2})?) BB"
_POT = re.compile(rf"^{_MONEY} \| To call: {_MONEY}$")
_STACKS = re.compile(rf"^you {_MONEY} \| opponent {_MONEY}$")
_DEED = re.compile(rf"(you|opponent) (fold|check|call|bet|raise)(?: to)?(?: {_MONEY})?")
_RANGE = re.compile(rf"(bet|raise)(?: to a total)? from (\d+(?:\.\d{{1,2}})?) to {_MONEY}")


def read_spot(page: Page) -> Spot:
    """The decision on `page`. Raises ValueError for a line that does not read."""
    pot, to_call = _amounts(_POT, labelled(page, "Pot"))
    return Spot(
        _cards(labelled(page, "Hole cards")),
        _cards(labelled(page, "Board")),
        pot,
        to_call,
        _amounts(_STACKS, labelled(page, "Stacks")),
        _history(labelled(page, "Action")),
        labelled(page, "Position") == "Button",
        _options(labelled(page, "Legal actions")),
    )


def _cards(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[2-9TJQKA][cdhs]", text))


def _amounts(pattern: re.Pattern[str], text: str) -> tuple[int, int]:
    found = pattern.match(text)
    if found is None:
        raise ValueError(f"expected two amounts in BB, found {text!r}")
    return _chips(found[1]), _chips(found[2])


def _chips(big_blinds: str) -> int:
    whole, _, hundredths = big_blinds.partition(".")
    return int(whole) * 100 + int(hundredths.ljust(2, "0"))


def _history(text: str) -> tuple[Deed, ...]:
    deeds = []
    for part in text.split("; "):
        street, _, done = part.partition(": ")
        for who, verb, amount in _DEED.findall(done):
            deeds.append(Deed(street, Who(who), Verb(verb), _chips(amount) if amount else 0))
    return tuple(deeds)


def _options(text: str) -> Options:
    verbs = [Verb(word) for word in text.split(", ") if word in (Verb.FOLD, Verb.CHECK, Verb.CALL)]
    sized = _RANGE.search(text)
    if sized is None:
        options = Options(tuple(verbs), 0, 0)
    else:
        options = Options((*verbs, Verb(sized[1])), _chips(sized[2]), _chips(sized[3]))
    if not options.verbs or options.min_to_chips > options.max_to_chips:
        raise ValueError(f"expected legal actions, found {text[:60]!r}")
    return options
