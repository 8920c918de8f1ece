"""A hand of hold'em: prompts, order of questions, result (page 7)."""

from dataclasses import dataclass

from .dice import cards_of_hand
from .holdem_game import STREETS, Hand, amount, strength
from .holdem_spelling import read_action
from .manifest import draw_label, total
from .play import Ask, Table


@dataclass
class Played:
    """How a hand went; `net` is what the button won."""

    id: str
    number: int
    cards: tuple[list[str], ...]
    actions: list[str]
    end: str
    net: int
    faulty: bool


def told_history(history: list[tuple[int, int, str, int, bool]], me: int) -> str:
    """The actions so far, as the prompt tells them."""
    streets = []
    for street, name in enumerate(STREETS):
        done = []
        for at, who, kind, chips, all_in in history:
            if at == street:
                sized = {"bet": f"bet {amount(chips)} BB", "raise": f"raise to {amount(chips)} BB"}.get(kind, kind)
                done.append(f"{'you' if who == me else 'opponent'} {sized}{' all-in' if all_in else ''}")
        if done:
            streets.append(f"{name}: {', '.join(done)}")
    return "; ".join(streets) or "none"


def told_legal(kinds: list[str], least: int, most: int) -> str:
    sized = {"bet": "bet", "raise": "raise to a total"}
    return ", ".join(
        f"{sized[kind]} from {amount(least)} to {amount(most)} BB" if kind in sized else kind for kind in kinds
    )


class HoldemTable(Table):
    """A hand that is being played."""

    action, game_word, tag = "action", "hand", "ACTION"

    def play(self) -> Ask:
        """The script of the hand; it gives what was `Played`."""
        rules, match = self.rules, self.match
        self.cards = cards_of_hand(self.run.root, draw_label(match), self.number, total(match), rules["mirrored"])
        self.hand, end, loser = Hand(rules["stack_chips"]), "", None
        while self.hand.to_act is not None:
            place, turn = self.hand.to_act, len(self.hand.history)
            told = yield from self.decide(
                place,
                turn,
                self.system(place, stack=amount(rules["stack_chips"])),
                self.user(place),
                lambda text, finish: read_action(text, finish, self.hand),
            )
            if told is None:
                end, loser = "forfeit", place
                break
            kind, _, chips = (told or self._substitute(turn)).partition(" ")
            self.hand.act(kind, int(chips or 0))
            if kind == "fold":
                end, loser = "fold", place
        net = self._net(loser)
        actions = [f"{kind} {chips}" for _, _, kind, chips, _ in self.hand.history]
        return Played(self.id, self.number, self.cards, actions, end or "showdown", net, self.faulty)

    def _substitute(self, turn: int) -> str:
        kinds, least, most = self.hand.legal()
        stream = self.run.draw(f"substitute/{self.label}/{turn}/0")
        kind = stream.choice(kinds)
        return f"{kind} {least + stream.below(most - least + 1)}" if kind in ("bet", "raise") else kind

    def _net(self, loser: int | None) -> int:
        matched = min(self.hand.put_in)
        if loser is not None:
            return -matched if loser == 0 else matched
        mine, theirs = (strength([*hole, *self.cards[2]]) for hole in self.cards[:2])
        return matched if mine > theirs else -matched if theirs > mine else 0

    def user(self, place: int) -> str:
        """The user message of the player to act."""
        hand = self.hand
        cost = min(hand.bets[1 - place] - hand.bets[place], hand.stacks[place])
        board = self.cards[2][: (0, 3, 4, 5)[hand.street]]
        out = self.text(
            "turn",
            hole=", ".join(self.cards[place]),
            board=", ".join(board),
            pot=amount(sum(hand.put_in)),
            to_call=amount(cost),
            mine=amount(hand.stacks[place]),
            theirs=amount(hand.stacks[1 - place]),
            history=told_history(hand.history, place),
            position=("Button", "Big blind")[place],
            legal=told_legal(*hand.legal()),
        )
        return out + self.profile(place) + self.text("form")
