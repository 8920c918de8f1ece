"""What the reader model learns from: decisions of hands that its teacher plays, and texts to read at them.

The texts are made here: notes with drawn counts, in which older entries may contradict later ones, between notes on
chess, loose sentences and letters without sense; the documents of the set `basics` and passages of drawn words, with
advice that applies and advice that does not; answers of the calculator with drawn figures. The placebo's texts
(astronomy, notes of a donor, a harbour's log) are never shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from reader_policy import reply, told
from reading import ACTIONS, END, FALLBACK, WORDS, ids, spot_text, tokenize, told_text

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Calculated
from agzamov_verify.documents.library import documents, passages
from agzamov_verify.games.chess.habit_words import NOTED
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.habit_words import Habit
from agzamov_verify.games.holdem.hand_script import random_action
from agzamov_verify.games.holdem.pattern_sentences import POKER_PATTERNS, PokerPattern
from agzamov_verify.games.holdem.prompt import PokerTerms, system_message, turn_message
from agzamov_verify.games.holdem.rules import Hand, PokerAction
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.games.holdem.spot import SeenSpot, spot_of
from agzamov_verify.games.holdem.tool import ToldOdds, answer_text
from agzamov_verify.table.declared import Accepted
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, read_page

STACKS = (10_000,) * 6 + (4_000, 5_000)
RANDOM_SHARE, TOOL_SHARE, AGAIN_SHARE, HANDS_SHARE, OTHER_CHAT_SHARE = 0.12, 0.35, 0.02, 0.02, 0.01
ENTRIES_MAX = 4
ADVICE = ("with any pair or better bet the pot", "with two pair or better bet the pot")
NO_ADVICE = (
    "with any pair or better check",
    "with any pair or better call the bet",
    "with a draw alone never bet the pot",
    "with any ace or better raise",
    "bet the pot with nothing at all",
    "with any pair never bet the pot",
)
KEPT = (PokerPattern.FOLDS_RIVERS, PokerPattern.FOLDS_MISSED_FLOPS)
STREET_HABITS = (Habit.FOLDS_TO_CBET, Habit.FOLDS_TO_TURN_BET, Habit.FOLDS_TO_RIVER_BET)


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of a hand: what its player sees, and the situation of its prompt."""

    spot: SeenSpot
    situation: str


# --- texts -----------------------------------------------------------------------------------------------------------


def sentence(rng: np.random.Generator, words: int) -> str:
    """Words without sense, now and then one of drawn letters."""
    drawn = [
        WORDS[int(rng.integers(len(WORDS)))]
        if rng.random() < 0.85
        else "".join(chr(97 + int(letter)) for letter in rng.integers(0, 26, int(rng.integers(2, 11))))
        for _ in range(words)
    ]
    return " ".join(drawn) + "."


def entry(rng: np.random.Generator, rates: dict[Habit, float], hands: int) -> str:
    """A note on one session: counts of habits, drawn by their rates."""
    lines = []
    for habit in Habit:
        share = 1.0 if habit in (Habit.VPIP, Habit.PFR) else 0.08 + 0.4 * rng.random()
        occasions = int(rng.binomial(hands, share))
        if occasions and rng.random() < 0.95:
            lines.append(f"{habit.value}: {int(rng.binomial(occasions, rates[habit]))} of {occasions}")
    return "\n".join(lines)


def drawn_rates(rng: np.random.Generator) -> dict[Habit, float]:
    """How often an opponent does what."""
    return {habit: float(rng.beta(1.2, 1.2)) for habit in Habit}


def notes(rng: np.random.Generator) -> str:
    """An opponent profile: "" or nothing remembered, counts, a rule in words, and much else among it."""
    if rng.random() < 0.25:
        return NOTHING_REMEMBERED if rng.random() < 0.7 else ""
    rates, hands = drawn_rates(rng), int(rng.choice((10, 20, 20, 50)))
    if rng.random() < 0.4:  # an opponent that folds to bets on one street or on all, or does not
        for habit in STREET_HABITS:
            rates[habit] = float(rng.choice((0.25, 0.45, 0.8, 0.95)))
    before = drawn_rates(rng) if rng.random() < 0.2 else rates
    entries = [
        entry(rng, before if rng.random() < 0.5 else rates, hands)
        for _ in range(int(rng.integers(1, ENTRIES_MAX + 1) * rng.random()) + 1)
    ]
    if rng.random() < 0.25:
        entries.append(sentence(rng, int(rng.integers(3, 15))))
    if rng.random() < 0.15:
        noted = [each.label for each in NOTED.values()]
        entries += [f"{label}: {int(rng.integers(5))} of {int(rng.integers(5, 20))}" for label in rng.choice(noted, 3)]
    if rng.random() < 0.1:
        pattern = list(POKER_PATTERNS.values())[int(rng.integers(len(POKER_PATTERNS)))]
        entries.append(f"- {pattern[0].upper()}{pattern[1:]}")
    return "\n".join(entries[int(at)] for at in rng.permutation(len(entries)))


BASICS = {game: passages(text) for game, text in documents("basics").items()}


def documents_told(rng: np.random.Generator) -> str:
    """Passages: none, real ones, drawn ones, with or without advice."""
    if rng.random() < 0.5:
        return ""
    told_ = [str(rng.choice(BASICS["holdem"])) for _ in range(int(rng.integers(0, 4)))]
    if rng.random() < 0.15:
        told_.append(str(rng.choice(BASICS["chess960"])))
    for _ in range(int(rng.integers(0, 3))):
        words = sentence(rng, int(rng.integers(5, 40)))
        at = words.find(" ", int(rng.integers(len(words))))
        if rng.random() < 0.6 and at > 0:
            which = ADVICE if rng.random() < 0.5 else NO_ADVICE
            sign = "." if rng.random() < 0.5 else ","
            words = f"{words[:at]}, {which[int(rng.integers(len(which)))]}{sign}{words[at:]}"
        told_.append(words)
    return "\n".join(f"- {each}" for each in rng.permutation(told_))


def odds(rng: np.random.Generator, spot: SeenSpot) -> ToldOdds:
    """Drawn figures: the price is that of the decision, the equity anything, often near what decides."""
    price = round(1000 * spot.price)
    near = (price, 600)[int(rng.random() < 0.5)]
    equity = int(rng.integers(0, 1001)) if rng.random() < 0.6 else int(rng.normal(near, 80))
    return ToldOdds(max(0, min(1000, equity)), price)


def odds_text(told_: ToldOdds, rng: np.random.Generator) -> str:
    """The calculator's answer, as `games.holdem.tool` writes it."""
    percent = 100 if rng.random() < 0.7 else int(rng.integers(5, 100))
    exact = rng.random() < 0.3
    answer = Calculated(
        compared=990 if rng.random() < 0.7 else 5_001,
        equity_permille=told_.equity_permille,
        exact=exact,
        price_permille=told_.price_permille,
    )
    return answer_text(answer, percent)


# --- decisions -------------------------------------------------------------------------------------------------------


def teacher_hand(rng: np.random.Generator, number: int, dice: Dice, stack: int) -> Iterator[tuple[Hand, int]]:
    """One hand between two teachers who were told something each, and who err now and then, at each of its decisions.

    Gives the hand as it stands, and who is to act.
    """
    played = Hand(deal_cards(dice, number, (0, 1)), (stack, stack))
    known = [told(_rule(rng), notes(rng), documents_told(rng)) for _ in range(2)]
    asks = rng.random(2) < TOOL_SHARE
    while (player := played.to_act) is not None:
        yield played, player
        spot = spot_of(played, player)
        if rng.random() < RANDOM_SHARE:
            played.act(random_action(played, f"act/{number}/{len(played.history)}", dice))
        else:
            played.act(action_of(reply(spot, known[player], odds(rng, spot) if asks[player] else None), played))


def action_of(tokens: list[str], played: Hand) -> PokerAction:
    """The action that a reply declares."""
    read = read_action("".join(tokens).rsplit("ACTION: ", 1)[1], played)
    assert isinstance(read, Accepted), ("".join(tokens), read)
    return read.action


def _rule(rng: np.random.Generator) -> str:
    return POKER_PATTERNS[KEPT[int(rng.integers(2))]] if rng.random() < 0.3 else ""


def rules(rng: np.random.Generator) -> tuple[str, ...]:
    """Rules of its own: mostly none, sometimes one or two, of which the model keeps two kinds."""
    if rng.random() < 0.6:
        return ()
    sentences = list(POKER_PATTERNS.values())
    kept = [POKER_PATTERNS[KEPT[int(rng.integers(2))]]] if rng.random() < 0.8 else []
    others = [sentences[int(rng.integers(len(sentences)))]] if rng.random() < 0.4 else []
    return tuple(dict.fromkeys([*kept, *others]))


@dataclass(frozen=True, slots=True)
class Lesson:
    """One prefix, and the decisions at it: token numbers of what is read and of what is to be answered.

    `facts`: what the prefix says, as numbers (`Told.facts`).
    """

    prefix: list[int]
    asked: list[list[int]]
    answers: list[list[int]]
    facts: list[float]


def lesson(rng: np.random.Generator, decisions: list[Decision], count: int, *, texts: bool = True) -> Lesson:
    """What one opponent's notes, passages and rules tell, or nothing, at `count` decisions that were drawn."""
    kept, profile, documents_ = (rules(rng), notes(rng), documents_told(rng)) if texts else ((), "", "")
    system = system_message(kept, PokerTerms(10_000)).content
    known = told("\n".join(kept), profile, documents_)
    asked, answers = [], []
    tools = rng.random() < TOOL_SHARE
    for at in rng.integers(0, len(decisions), count):
        if not (kept or profile or documents_) and rng.random() < OTHER_CHAT_SHARE:
            asked.append(tokenize("[?][answer]"))
            answers.append([*ids([FALLBACK]), END])
            continue
        decision = decisions[int(at)]
        given = odds(rng, decision.spot) if tools else None
        kind = rng.random()
        situation = decision.situation + ("\nHANDS: <percent>" if kind < HANDS_SHARE and not given else "")
        again = kind > 1 - AGAIN_SHARE
        text = spot_text(situation, odds_text(given, rng) if given else "") + "[again]" * again + "[answer]"
        answer = reply(decision.spot, known, given, asked_hands="[hands]" in text)
        if again:
            passive = [verb for verb in ("check", "call", "fold") if verb in decision.spot.options.verbs]
            answer = [answer[0], ACTIONS[passive[0]]]
        asked.append(tokenize(text))
        answers.append([*ids(answer), END])
    return Lesson(tokenize(told_text(system, profile, documents_)), asked, answers, known.facts)


def sample(seed: int, hands: int) -> list[Decision]:
    """The decisions of so many hands; those after the flop stand twice."""
    rng, dice = np.random.default_rng([seed, 7]), Dice(f"readermodel/{seed}".encode())
    found: list[Decision] = []
    for number in range(hands):
        stack = STACKS[int(rng.integers(len(STACKS)))]
        for played, player in teacher_hand(rng, number, dice, stack):
            page = read_page((system_message((), PokerTerms(stack)), turn_message(played, player, "")))
            decision = Decision(spot_of(played, player), page.situation)
            found += [decision] * (2 if played.board else 1)
    return found
