"""Answers of the random and the benchmark seat, computed again (6.7, 7.5, the benchmark policy)."""

from typing import Any

from .chess_game import ChessTable
from .dice import DECK, random_stream
from .holdem_game import amount, percentile
from .holdem_script import HoldemTable

ROWS = """A 99 96 95 95 94 91 90 88 85 85 82 81 76 / K 95 99 92 90 89 85 81 76 73 71 67 65 61
Q 93 89 98 85 82 77 72 66 64 60 59 54 51 / J 92 87 80 98 76 71 65 59 53 50 47 46 42
T 90 83 75 69 97 65 60 53 46 40 39 36 33 / 9 87 79 70 61 57 97 53 47 42 36 30 28 25
8 84 73 63 56 49 45 97 44 38 33 27 21 19 / 7 82 68 58 49 43 39 34 96 35 30 23 18 13
6 77 66 54 42 36 32 28 24 91 27 21 16 10 / 5 78 62 51 40 30 26 22 19 17 86 22 16 11
4 74 60 48 37 29 20 15 13 11 12 75 14 9 / 3 71 55 46 35 25 18 10 7 6 7 4 64 5
2 67 52 41 31 23 14 8 4 2 3 1 0 52"""
BETS = (70, 60, 64, 68)
BLUFFS = (0, 14, 10, 14)
STAYS = ((12, 38, 68, 86), (48, 70, 86, 92), (52, 74, 88, 93), (56, 78, 90, 94))
RAISES = ((38, 90, 95, 97), (88, 88, 95, 98), (90, 90, 96, 98), (92, 92, 97, 99))


def _table() -> dict[str, int]:
    """Percentiles by higher and lower rank and suitedness: suited above the diagonal."""
    rows = [line.split() for line in ROWS.replace("\n", " / ").split(" / ")]
    ranks, out = [row[0] for row in rows], {}
    for i, row in enumerate(rows):
        for j, value in enumerate(row[1:]):
            high, low = (ranks[i], ranks[j]) if i <= j else (ranks[j], ranks[i])
            out[high + low + ("s" if j > i else "o")] = int(value)
    return out


PREFLOP = _table()


def _ramp(hand: int, start: int) -> int:
    return max(0, min(64, 32 + 4 * (hand - start)))


def benchmark_action(table: HoldemTable, seed: int) -> tuple[int, str]:
    """The percentile, and the action as it is declared."""
    hand, me = table.hand, table.hand.to_act
    assert me is not None
    kinds, least, most = hand.legal()
    board = table.cards[2][: (0, 3, 4, 5)[hand.street]]
    rank = percentile(table.cards[me], board, DECK, PREFLOP)
    seen = min(3, sum(at == hand.street and kind in ("bet", "raise") for at, _, kind, _, _ in hand.history))
    cost = min(hand.bets[1 - me] - hand.bets[me], hand.stacks[me])
    pot, draw, sized = sum(hand.put_in), seed % 64, kinds[-1] if kinds[-1] in ("bet", "raise") else ""
    if not cost:
        share = BLUFFS[hand.street] if rank < 25 else 7 * _ramp(rank, BETS[hand.street]) // 8
        passive, active = "check", draw >= 64 - share
    else:
        price = 100 * cost // (pot + cost)
        moved = STAYS[hand.street][seen] + (price - 33) * (1 if price < 33 else 3)
        stay = _ramp(rank, min(91, moved))
        share = 7 * _ramp(rank, RAISES[hand.street][seen]) // 8 if sized else 0
        if stay == 0 and seen <= 1 and sized:
            share = max(share, 3)
        fold = 64 - max(stay, share)
        passive, active = ("fold" if draw < fold else "call"), draw >= 64 - share
    if not active:
        return rank, passive
    if not sized:
        return rank, "call" if cost else "check"
    wanted = hand.bets[1 - me] + 3 * (pot + cost) // 4
    chips = most if 3 * wanted > 2 * most else max(least, wanted)
    return rank, f"{'bet' if sized == 'bet' else 'raise to'} {amount(chips)}"


def _random(table: ChessTable | HoldemTable, question: dict[str, Any]) -> str:
    user, seed = question["messages"][1]["content"], question["seed"]
    if isinstance(table, ChessTable):
        moves = table.legal_moves()
        move = random_stream(user, seed, "chess960").choice(moves)
        return f"One of {len(moves)} legal moves, by chance.\nMOVE: {move}"
    kinds, least, most = table.hand.legal()
    stream = random_stream(user, seed, "holdem")
    kind = stream.choice(kinds)
    sized = {"bet": "bet ", "raise": "raise to "}
    text = sized[kind] + amount(least + stream.below(most - least + 1)) if kind in sized else kind
    return f"One of {len(kinds)} kinds of action, by chance.\nACTION: {text}"


def scripted_reply(kind: str, question: dict[str, Any], table: ChessTable | HoldemTable) -> dict[str, Any]:
    """The answer that a scripted seat must have given; without a text where the pages do not tell it."""
    words = sum(len(message["content"].split()) for message in question["messages"])
    out: dict[str, Any] = {"as": "reply", "model": kind, "prompt_tokens": words}
    if kind == "random":
        out["text"] = _random(table, question)
    elif kind == "benchmark" and isinstance(table, HoldemTable):
        rank, action = benchmark_action(table, question["seed"])
        out["text"] = f"Hand percentile {rank}, by the published policy.\nACTION: {action}"
    return out
