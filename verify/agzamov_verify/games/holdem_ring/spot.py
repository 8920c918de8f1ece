"""A decision at a table of hold'em as its player sees it, read off the prompt."""

import re
from typing import Final

import msgspec

from ...poker.actions import BIG_BLIND, BOARD_CARDS, STREETS, ActionKind, Legal
from ...table.prompt_lines import Page, labelled
from .positions import ALONE
from .prompt import FOLDED
from .sit_and_go_prompt import SIGN

_MONEY: Final = r"(\d{1,7}(?:\.\d{1,2})?) BB"
_POT: Final = re.compile(rf"{_MONEY} \| To call: {_MONEY}")
_PLAYER: Final = re.compile(rf"(\S+)( \(you\))? (?:{FOLDED}|{_MONEY}(?:, bet {_MONEY})?)")
_BLINDS: Final = re.compile(rf".* players left, blinds {_MONEY} and {_MONEY}")
_RAISE: Final = re.compile(rf" (?:bet|raise to) {_MONEY}")


class SeenPlayer(msgspec.Struct, frozen=True):
    """A player: its stack and its bet of this street in chips; `is_live`: it has not folded."""

    name: str
    is_me: bool
    is_live: bool
    stack_chips: int
    bet_chips: int


class SeenSpot(msgspec.Struct, frozen=True):
    """A decision as its prompt shows it. `raises`: totals of this street, in order.

    `since`: of these, those after the player's own last action of this street; None before it has acted.
    """

    hole: tuple[str, ...]
    board: tuple[str, ...]
    players: tuple[SeenPlayer, ...]
    pot_chips: int
    to_call_chips: int
    raises: tuple[int, ...]
    since: tuple[int, ...] | None = None
    small_blind_chips: int = 0
    big_blind_chips: int = BIG_BLIND

    @property
    def me(self) -> SeenPlayer:
        return next(player for player in self.players if player.is_me)

    @property
    def rivals(self) -> tuple[SeenPlayer, ...]:
        """The players who are still in, without the one who is to act."""
        return tuple(player for player in self.players if player.is_live and not player.is_me)

    @property
    def legal(self) -> Legal:
        """What is legal now."""
        me, highest = self.me, max(player.bet_chips for player in self.players)
        passive = (ActionKind.FOLD, ActionKind.CALL) if self.to_call_chips else (ActionKind.CHECK,)
        everything = me.bet_chips + me.stack_chips
        if everything <= highest or all(one.bet_chips + one.stack_chips <= highest for one in self.rivals):
            return Legal(passive, 0, 0)
        posted, step = self._posted_chips, self.big_blind_chips
        before = posted
        for to_chips in self.raises:
            step, before = max(step, to_chips - before), to_chips
        acted_at = (posted, *self.raises)[len(self.raises) - len(self.since)] if self.since is not None else None
        if acted_at is not None and highest - acted_at < step:
            return Legal(passive, 0, 0)
        kind = ActionKind.RAISE if highest else ActionKind.BET
        return Legal((*passive, kind), min(highest + step, everything), everything)

    @property
    def _posted_chips(self) -> int:
        """The greater of the blinds that were posted, in front of players who may have had less."""
        if self.board:
            return 0
        small, big = self.players[-2:] if len(self.players) == len(ALONE) else self.players[1:3]
        posts = (small, self.small_blind_chips), (big, self.big_blind_chips)
        return max(min(blind, one.bet_chips + one.stack_chips) if one.is_live else blind for one, blind in posts)


def read_spot(page: Page) -> SeenSpot:
    """The decision on `page`. Raises ValueError for a line that does not read."""
    pot = _POT.fullmatch(labelled(page, "Pot"))
    found = [_PLAYER.fullmatch(text) for text in labelled(page, "Players").split("; ")]
    players = tuple(_player(one) for one in found if one)
    board = _cards(labelled(page, "Board"))
    if pot is None or len(players) < len(found) or sum(one.is_me for one in players) != 1:
        raise ValueError(f"expected pot and players of a hand, found {page.situation[:60]!r}")
    street = f"{STREETS[BOARD_CARDS.index(len(board))]}: "
    rounds = labelled(page, "Action").split("; ")
    now = next((text for text in rounds if text.startswith(street)), "")
    raises = tuple(_chips(amount) for amount in _RAISE.findall(now))
    acted = now.removeprefix(street).split(", ")
    own = [number for number, text in enumerate(acted) if text.startswith("you ")]
    later = tuple(_chips(amount) for amount in _RAISE.findall(", ".join(acted[own[-1] + 1 :]))) if own else None
    small, big = _blinds(page)
    hole = _cards(labelled(page, "Your cards" if is_sit_and_go(page) else "Your hand"))
    return SeenSpot(hole, board, players, _chips(pot[1]), _chips(pot[2]), raises, later, small, big)


def is_sit_and_go(page: Page) -> bool:
    """Whether the hand on `page` is one of a sit-and-go."""
    return page.situation.startswith(SIGN)


def _blinds(page: Page) -> tuple[int, int]:
    """Small and big blind in chips; 0 and 100 at a table whose stacks reset, where no turn tells them."""
    if not is_sit_and_go(page):
        return 0, BIG_BLIND
    found = _BLINDS.fullmatch(page.situation.partition("\n")[0])
    if found is None:
        raise ValueError(f"expected the blinds of a hand, found {page.situation[:60]!r}")
    return _chips(found[1]), _chips(found[2])


def _player(matched: re.Match[str]) -> SeenPlayer:
    name, me, stack, bet = matched.groups()
    return SeenPlayer(name, bool(me), stack is not None, _chips(stack or "0"), _chips(bet or "0"))


def _cards(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[2-9TJQKA][cdhs]", text))


def _chips(big_blinds: str) -> int:
    whole, _, hundredths = big_blinds.partition(".")
    return int(whole) * BIG_BLIND + int(hundredths.ljust(2, "0"))
