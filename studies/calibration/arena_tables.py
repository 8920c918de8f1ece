"""Made-up tables of an arena: hands of hold'em on duplicate decks, and games of two teams."""

from typing import Final

import numpy as np

from agzamov_verify.scoring.arena_ratings.results_table import Floats, TableResults, TeamResults

PLAYERS: Final = 12
SEATED, DECKS = 4, 100
SEAT_EFFECTS: Final = np.array([15.0, -25.0, -20.0, 30.0])
"""Button, small blind, big blind, cut-off, in bb/100."""
HAND_SD, CARDS_SD, DECK_SD, LUCKY_SHARE = 700.0, 600.0, 300.0, 0.15
"""Spread of a hand's chips without the cards of the board, and of what they gave in the hands that reached them."""
TABLE, SETS, WOLVES = 8, 60, 2
SET_UP: Final = 0.3


def win_rates() -> Floats:
    """True win rates in bb/100."""
    return np.linspace(60, -60, PLAYERS)


def at_chip_tables(truth: Floats, draw: np.random.Generator) -> tuple[TableResults, Floats]:
    """Sets of four random players who have every place once with each deck; results with luck, and the luck.

    What a place won with a deck is alike in its rotations. Few hands are large, as in play.
    """
    players = np.stack([draw.permutation(PLAYERS)[:SEATED] for _ in range(DECKS)])
    player = np.stack([np.roll(players, turn, axis=1) for turn in range(SEATED)], axis=1).reshape(-1, SEATED)
    hands = len(player)
    mu = truth[player]
    expected = mu - (mu.sum(axis=1, keepdims=True) - mu) / (SEATED - 1) + SEAT_EFFECTS
    large = (draw.random((hands, 1)) < LUCKY_SHARE) / np.sqrt(LUCKY_SHARE)
    luck = _level(draw.normal(0, CARDS_SD, player.shape) * large)
    deck = np.repeat(_level(draw.normal(0, DECK_SD, (DECKS, SEATED))), SEATED, axis=0)
    other = _level(draw.standard_t(4, player.shape) * HAND_SD / np.sqrt(2))
    chips = expected + luck + deck + other
    table = np.repeat(np.arange(hands, dtype=np.int64), SEATED)
    seat = np.tile(np.arange(SEATED, dtype=np.int64), hands)
    rank = (chips[:, None, :] > chips[:, :, None]).sum(axis=2).astype(np.int64)
    columns = player.ravel().astype(np.int64), rank.ravel(), chips.ravel(), seat, table // SEATED
    return TableResults(PLAYERS, table, *columns), luck.ravel()


def _level(values: Floats) -> Floats:
    """What adds up to 0 at each table."""
    return np.asarray(values - values.mean(axis=1, keepdims=True), dtype=np.float64)


def village_and_wolves() -> tuple[Floats, Floats]:
    """True strengths as one of the village and as a wolf, in logits: not in one order."""
    village = np.linspace(1, -1, PLAYERS)
    return village, np.roll(village, PLAYERS // 3)


def at_team_tables(village: Floats, wolves: Floats, draw: np.random.Generator) -> TeamResults:
    """Sets of eight random players, whose roles turn: in a set each is a wolf twice, the seer and the doctor once."""
    rows: list[tuple[int, int, int, int, bool, int]] = []
    for number in range(SETS):
        players = draw.permutation(PLAYERS)[:TABLE]
        for turn in range(TABLE):
            seated = np.roll(players, turn)
            of_wolves, of_village = seated[:WOLVES], seated[WOLVES:]
            x = SET_UP + village[of_village].mean() - wolves[of_wolves].mean()
            won = bool(draw.random() < 1 / (1 + np.exp(-x)))
            for place, player in enumerate(seated.tolist()):
                rows.append((TABLE * number + turn, player, int(place < WOLVES), min(place, WOLVES + 2), won, number))
    table, player_, team, role, won_, cluster = (np.array(column) for column in zip(*rows, strict=True))
    return TeamResults(PLAYERS, table, player_, team, role, won_.astype(np.bool_), cluster)
