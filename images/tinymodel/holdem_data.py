"""Hold'em spots of our own making: hands played by our rules, with the reference player's choice.

The prompts are those of the protocol; the reference player answers them, random and reference players play them.
A bet or raise is taught in the two sizes that can be copied from a prompt: the smallest total, or everything when the
reference player wants more than half of it. A file holds one line of JSON for each spot:

    {"tokens": [...], "legal": ["fold", "call", "raise to ", "all-in"], "least": ["2"], "teacher": "call"}
"""

import argparse
import json
from pathlib import Path
from time import monotonic

import numpy as np
from vocabulary import holdem_tokens, number

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import random_action
from agzamov_verify.games.holdem.prompt import PokerTerms, system_message, turn_message
from agzamov_verify.games.holdem.rules import ActionKind, Hand, PokerAction, in_bb
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.table import scripted_players as players
from agzamov_verify.table.declared import Accepted

SHARD = 10_000
STACKS = (10_000,) * 6 + (2_000, 5_000)
SIZED = (ActionKind.BET, ActionKind.RAISE)


def asked(hand: Hand, stack_chips: int, seed: int) -> tuple[str, PokerAction]:
    """The user prompt of the player to act, and what the reference player does."""
    player = hand.to_act
    assert player is not None
    turn = turn_message(hand, player, "")
    answer = players.scripted_reply("reference", (system_message((), PokerTerms(stack_chips)), turn), seed)
    read = read_action(answer.rsplit("ACTION:", 1)[1].strip(), hand)
    assert isinstance(read, Accepted)
    return turn.content, read.action


def spot(hand: Hand, text: str, action: PokerAction) -> str:
    """A line of the file."""
    legal = hand.legal()
    words = [kind.value for kind in legal.kinds if kind not in SIZED]
    teacher, least = action.kind.value, []
    if legal.max_to_chips:
        verb = "bet " if legal.kinds[-1] is ActionKind.BET else "raise to "
        words += [verb, "all-in"]
        least = number(in_bb(legal.min_to_chips))
        if action.kind in SIZED:
            teacher = "all-in" if 2 * action.to_chips > legal.max_to_chips else verb
    return json.dumps({"tokens": holdem_tokens(text), "legal": words, "least": least, "teacher": teacher})


def play(rng: np.random.Generator, number_: int, dice: Dice) -> list[str]:
    """The spots of one hand."""
    stack = STACKS[int(rng.integers(len(STACKS)))]
    wild = rng.random(2) < 0.6  # who plays at random here
    hand = Hand(deal_cards(dice, number_, (0, 1)), (stack, stack))
    spots = []
    while hand.to_act is not None:
        text, action = asked(hand, stack, int(rng.integers(2**31)))
        spots.append(spot(hand, text, action))
        label = f"act/{number_}/{len(spots)}"
        hand.act(random_action(hand, label, dice) if wild[hand.to_act] and rng.random() < 0.8 else action)
    return spots


def main() -> None:
    """Write the shards that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shards", type=int, default=12)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for shard in range(options.shards):
        path = options.folder / f"holdem-{options.seed}-{shard:03d}.jsonl"
        if path.exists():
            continue
        rng, began, spots, hands = np.random.default_rng([options.seed, shard]), monotonic(), [], 0
        dice = Dice(f"tinymodel/{options.seed}/{shard}".encode())
        while len(spots) < SHARD:
            spots += play(rng, hands, dice)
            hands += 1
        path.with_suffix(".part").write_text("\n".join(spots) + "\n")
        path.with_suffix(".part").rename(path)
        print(path.name, len(spots), f"{monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
