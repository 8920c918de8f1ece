"""Measure the reader model as it is served: `python reader_evaluate.py readermodel.gguf`. Prints lines of JSON.

    tokens      texts that llama.cpp splits into other tokens than the model was trained on
    by          held-out decisions, by what decides them (the last sentence of the teacher's reply before its action):
                how many replies hold a legal action, and how many the teacher's

Every prompt is made by the protocol's own functions and goes through llama.cpp's chat endpoint at temperature 0. Decks,
notes, passages and figures are from another seed than the training data. 95 % Wilson intervals.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
from reader_data import documents_told, notes, odds, odds_text, rules, teacher_hand
from reader_policy import reply, told
from reading import ADVISED, AHEAD, BEHIND, FAIR, FOLDS_HERE, RULED, SEEN, tokenize
from serving import chat, post, served

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Reply
from agzamov_verify.games.holdem.prompt import TAG, PokerTerms, system_message, turn_message
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.games.holdem.spot import spot_of
from agzamov_verify.scoring.inference.estimate import ALPHA
from agzamov_verify.scoring.inference.proportions import wilson_interval
from agzamov_verify.table.declared import Fault, read_declared

SEED = 90_210
STACK = 10_000
SLOT_TOKENS = 4_096
DECIDED = {
    RULED: "rule",
    FOLDS_HERE: "notes",
    BEHIND: "tool: behind",
    FAIR: "tool: fair",
    AHEAD: "tool: ahead",
    ADVISED: "passages",
    **dict.fromkeys(SEEN, "none"),
}


def share(count: int, of: int) -> dict[str, object]:
    """A count, its share and interval."""
    interval = wilson_interval(count, of, ALPHA)
    return {"count": count, "share": round(count / of, 4), "wilson_95": [interval.low, interval.high]}


def measured(address: str, hands: int) -> dict[str, object]:
    """Agreement with the teacher in held-out hands."""
    rng, dice = np.random.default_rng(SEED), Dice(b"readermodel/held-out")
    asked, legal, same = Counter[str](), Counter[str](), Counter[str]()
    other_tokens = 0
    for number in range(hands):
        for played, player in teacher_hand(rng, number, dice, STACK):
            kept, profile, passages = rules(rng), notes(rng), documents_told(rng)
            spot = spot_of(played, player)
            given = odds(rng, spot) if rng.random() < 0.4 else None
            messages = (
                system_message(kept, PokerTerms(STACK)),
                turn_message(played, player, profile, odds_text(given, rng) if given else "", passages),
            )
            wanted = reply(spot, told("\n".join(kept), profile, passages), given)
            said, finish, _ = chat(address, [(message.role, message.content) for message in messages])
            by = DECIDED[next(token for token in reversed(wanted) if token in DECIDED)]
            declared = read_declared(
                Reply(text=said, finish=finish), TAG, lambda text, played=played: read_action(text, played)
            )
            asked[by] += 1
            legal[by] += not isinstance(declared, Fault)
            same[by] += said.rpartition("\n")[2] == "".join(wanted).rpartition("\n")[2]
            for text in (profile, passages):
                tokens = post(address, "/tokenize", {"content": text.replace("[", "(").replace("]", ")")})["tokens"]
                other_tokens += tokens != tokenize(text.replace("[", "(").replace("]", ")"))
    by_all = {
        by: {"asked": count, "legal": share(legal[by], count), "as_taught": share(same[by], count)}
        for by, count in asked.most_common()
    }
    every = sum(asked.values())
    total = {"asked": every, "legal": share(legal.total(), every), "as_taught": share(same.total(), every)}
    return {"texts_of_other_tokens": other_tokens, "all": total, "by": by_all}


def main() -> None:
    """Serve the file and measure it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("--hands", type=int, default=200)
    options = parser.parse_args()
    with served(options.gguf, 1, SLOT_TOKENS) as address:
        print(json.dumps(measured(address, options.hands), indent=1))


if __name__ == "__main__":
    main()
