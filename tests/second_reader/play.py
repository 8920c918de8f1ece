"""What both games share: seats at a table, their prompts, decisions and counts (6.2, 6.4, 8.4)."""

import re
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .canonical import figure
from .chess_spelling import Reading
from .manifest import MODELS, Run, draw_label, result_id
from .reading import FAULTS

Question = dict[str, Any]
Ask = Generator[Question, dict[str, Any], Any]
RETRIES = 3
TOKENS = ("prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens")


def fill(text: str, **parts: str) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: parts.get(found[1], found[0]), text)


def tokens_limit(seat: dict[str, Any]) -> int:
    told = {"max_tokens", "max_completion_tokens"} & set(seat.get("accepts", []))
    return seat["tokens_max"] if seat["kind"] in ("gguf", "ollama") or told else 0


@dataclass
class Tally:
    """Counts of one seat on one side of a match."""

    counts: Counter[str] = field(default_factory=Counter)
    first: Counter[str] = field(default_factory=Counter)
    final: Counter[str] = field(default_factory=Counter)

    def add(self, answer: dict[str, Any]) -> None:
        """Count one answer."""
        self.counts["calls"] += 1
        self.counts["failed_attempts"] += len(answer.get("attempts", []))
        if answer["as"] == "reply":
            self.counts["replies"] += 1
            self.counts["without"] += not answer.get("completion_tokens")
            self.counts["characters"] += len(answer["text"])
            for name in TOKENS:
                self.counts[name] += answer.get(name, 0)

    def faults(self) -> int:
        return sum(self.first[name] for name in FAULTS)

    def stats(self, run: Run, name: str) -> dict[str, Any]:
        """The row of `seat_stats`."""
        count, decisions = self.counts, self.counts["decisions"]
        price = run.plan["prices"].get(name, {"cached_usd": "0", "input_usd": "0", "output_usd": "0"})
        cost = (
            (count["prompt_tokens"] - count["cached_tokens"]) * Fraction(price["input_usd"])
            + count["cached_tokens"] * Fraction(price["cached_usd"])
            + count["completion_tokens"] * Fraction(price["output_usd"])
        ) / 10**6
        faults: dict[str, Any] = {f"first_{kind}": self.first[kind] for kind in FAULTS}
        faults |= {f"final_{kind}": self.final[kind] for kind in FAULTS}
        faults["flagged"] = 100 * self.faults() > 5 * decisions
        signals = {
            "replies": count["replies"],
            "replies_without_tokens": count["without"],
            "text_characters": count["characters"],
        }
        own = ("calls", "decisions", "failed_attempts", "forfeited", "substituted", *TOKENS)
        return {key: count[key] for key in own} | {
            "seat": name,
            "first_exact": self.first["exact"],
            "first_normalised": self.first["normalised"],
            "cost_usd": figure(cost),
            "faults": faults,
            "signals": signals,
            "reply_tokens_max": tokens_limit(run.seat(name)),
        }


class Table:
    """One game or hand: who sits where, its labels, its prompts."""

    action, game_word, tag = "move", "game", "MOVE"

    def __init__(self, run: Run, match: dict[str, Any], number: int, tallies: tuple[Tally, Tally]) -> None:
        """Seat a has place 0 in results of even number."""
        self.run, self.match, self.number = run, match, number
        self.id, self.label = result_id(match, number), f"{draw_label(match)}/{number}"
        letters = (0, 1) if number % 2 == 0 else (1, 0)
        self.names = tuple((match["a"], match["b"])[letter] for letter in letters)
        self.tallies = tuple(tallies[letter] for letter in letters)
        self.rules = run.plan[match["game"]]
        self.substituted, self.faulty = False, False

    def text(self, name: str, **parts: str) -> str:
        assert self.run.texts is not None
        return fill(self.run.texts[name if "/" in name else f"{self.match['game']}/{name}"], **parts)

    def system(self, place: int, **parts: str) -> str:
        """The system message."""
        seat = self.run.seat(self.names[place])
        limit = tokens_limit(seat)
        answers = self.text("terms/limited", tokens_max=str(limit)) if limit else ""
        terms = "terms/retried" if self.rules["illegal"] == "retry_then_forfeit" else "terms/substituted"
        words = {"action": self.action, "game": self.game_word, "retries": str(RETRIES)}
        answers += self.text("terms/cut", **words) + " " + self.text(terms, **words)
        out = self.text("system", answers=answers, **parts)
        for name in seat["patterns"]:
            if name in PATTERNS[self.match["game"]]:
                out += f"\n\nYou must keep this rule in every {self.game_word}: " + self.text(f"pattern/{name}")
        return out

    def profile(self, place: int) -> str:
        """The lines on the opponent, where the seat has any."""
        name = self.names[place]
        told = [self.run.seat(name)["briefing"]]
        if self.run.frame(name, self.match["game"]):
            told.append(self.text("memory/nothing_remembered"))
        profile = "\n".join(filter(None, told))
        return self.text("briefing", briefing=profile) if profile else ""

    def seed(self, place: int, turn: int) -> int:
        if self.run.seat(self.names[place])["kind"] in MODELS:
            return self.run.draw(f"sampling/{self.id}/{place}").below(2**31)
        return self.run.draw(f"own/{self.id}/{place}/{turn}").wide()

    def decide(self, place: int, turn: int, system: str, user: str, read: Callable[[str, str], Reading]) -> Ask:
        """Ask for an action until there is one; None where the seat forfeits, "" where one is drawn for it."""
        tally = self.tallies[place]
        messages = [{"content": system, "role": "system"}, {"content": user, "role": "user"}]
        tally.counts["decisions"] += 1
        retries = RETRIES if self.rules["illegal"] == "retry_then_forfeit" else 0
        for attempt in range(retries + 1):
            answer = yield {
                "ask": "chat",
                "attempt": attempt,
                "game": self.id,
                "messages": messages,
                "seed": self.seed(place, turn),
                "to": self.names[place],
                "turn": turn,
            }
            tally.add(answer)
            text = answer.get("text", "")
            if answer["as"] == "reply":
                reading = read(text, answer.get("finish", ""))
            else:
                reading = Reading("no_reply", why="there was no reply")
            if attempt == 0:
                tally.first[reading.kind] += 1
                self.faulty |= reading.kind in FAULTS
            if reading.action:
                return reading.action
            messages = self._rejected(messages, text, reading.why)
        tally.final[reading.kind] += 1
        tally.counts["forfeited" if retries else "substituted"] += 1
        self.substituted |= not retries
        return None if retries else ""

    def _rejected(self, messages: list[dict[str, str]], text: str, why: str) -> list[dict[str, str]]:
        said = f"Rejected: {why}. {self.text('reminder')}"
        if text.strip():
            return [*messages, {"content": text, "role": "assistant"}, {"content": said, "role": "user"}]
        last = messages[-1]
        return [*messages[:-1], {"content": f"{last['content']}\n\n{said}", "role": last["role"]}]


PATTERNS = {
    "chess960": {
        *("always_recaptures", "avoids_queen_trades", "castles_early", "keeps_own_half", "king_answers_checks"),
        *("moves_attacked_queen", "never_retreats", "pieces_answer_checks", "pushes_rook_pawns"),
    },
    "holdem": {
        *("always_cbets", "folds_button_to_3bet", "folds_missed_flops", "folds_rivers", "limps_button"),
        *("min_raises_pairs", "never_bluffs_rivers", "never_cbets", "never_folds_pairs", "never_raises_big_blind"),
    },
}
