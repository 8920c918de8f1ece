"""The model of our own that reads: the recorded file, what it reads of a prompt, and what it does with it."""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import gguf
import numpy as np
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Message
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import random_action
from agzamov_verify.games.holdem.pattern_sentences import POKER_PATTERNS, PokerPattern
from agzamov_verify.games.holdem.prompt import PokerTerms, system_message, turn_message
from agzamov_verify.games.holdem.rules import Hand
from agzamov_verify.games.holdem.spot import LegalOptions, SeenSpot, Verb, spot_of
from agzamov_verify.games.holdem.tool import ToldOdds, request
from agzamov_verify.table.prompt_lines import read_page

pytest.importorskip("xllamacpp", reason="no llama.cpp server here: pip install xllamacpp")

IMAGES = Path(__file__).parents[2] / "images"
FOLDER = IMAGES / "readermodel"
MODEL = FOLDER / "readermodel.gguf"
STACK = 10_000
SLOT_TOKENS = 4_096
FOLDS = POKER_PATTERNS[PokerPattern.FOLDS_RIVERS]
PAIR_ADVICE = "- Against an opponent who calls too much: with any pair or better bet the pot."
FOLDS_RIVERS_NOTE = "Folded to a bet on the flop: 1 of 6\nFolded to a bet on the river: 19 of 20"
CALLS_RIVERS_NOTE = "Folded to a bet on the flop: 1 of 6\nFolded to a bet on the river: 1 of 20"


@pytest.fixture(scope="module")
def folders() -> Iterator[None]:
    """The two models' folders are no packages."""
    before = list(sys.path)
    sys.path[:0] = [str(FOLDER), str(IMAGES / "tinymodel")]
    yield
    sys.path[:] = before


@pytest.fixture(scope="module")
def reading(folders: None) -> ModuleType:
    return __import__("reading")


@pytest.fixture(scope="module")
def policy(reading: ModuleType) -> ModuleType:
    return __import__("reader_policy")


@pytest.fixture(scope="module")
def data(policy: ModuleType) -> ModuleType:
    return __import__("reader_data")


@pytest.fixture(scope="module")
def serving(folders: None) -> ModuleType:
    return __import__("serving")


@pytest.fixture(scope="module")
def address(serving: ModuleType) -> Iterator[str]:
    with serving.served(MODEL, 1, SLOT_TOKENS) as address:
        yield address


def test_the_model_is_the_recorded_file() -> None:
    recorded = (FOLDER / "readermodel.gguf.sha256").read_text()
    assert recorded == f"{hashlib.sha256(MODEL.read_bytes()).hexdigest()}  readermodel.gguf\n"
    assert MODEL.stat().st_size < 3_000_000
    assert recorded.split()[0] in (FOLDER / "README.md").read_text()


def test_vocabulary_and_template_are_those_in_the_file(reading: ModuleType) -> None:
    fields = gguf.GGUFReader(MODEL).fields
    assert fields["tokenizer.ggml.tokens"].contents() == reading.TOKENS
    assert fields["tokenizer.chat_template"].contents() == (FOLDER / "template.jinja").read_text()


# --- what it reads ---------------------------------------------------------------------------------------------------


def prompts(data: ModuleType, hands: int) -> Iterator[tuple[Message, ...]]:
    """Prompts of random hands, with drawn rules, notes, passages and answers of the calculator."""
    rng, dice = np.random.default_rng(4), Dice(b"readermodel/test")
    for number in range(hands):
        hand = Hand(deal_cards(dice, number, (0, 1)), (STACK, STACK))
        while hand.to_act is not None:
            asks = rng.random() < 0.2
            tool = data.odds_text(data.odds(rng, spot_of(hand, hand.to_act)), rng) if not asks else ""
            yield (
                system_message(data.rules(rng), PokerTerms(STACK, tokens_max=64)),
                turn_message(
                    hand, hand.to_act, data.notes(rng), tool, data.documents_told(rng), request() if asks else ""
                ),
            )
            hand.act(random_action(hand, f"test/{number}/{len(hand.history)}", dice))


def read(serving: ModuleType, address: str, messages: tuple[Message, ...]) -> list[int]:
    """The tokens that the model reads of a conversation."""
    said = [{"role": message.role, "content": message.content} for message in messages]
    prompt = serving.post(address, "/apply-template", {"messages": said})["prompt"]
    asked = {"content": prompt, "add_special": True, "parse_special": True}
    return list(serving.post(address, "/tokenize", asked)["tokens"])


def wanted(reading: ModuleType, messages: tuple[Message, ...], end: str = "[answer]") -> list[int]:
    page = read_page(messages)
    told = reading.told_text(messages[0].content, page.profile, page.documents)
    return list(reading.tokenize(told + reading.spot_text(page.situation, page.tool) + end))


def test_it_reads_what_it_was_trained_on(
    reading: ModuleType, data: ModuleType, serving: ModuleType, address: str
) -> None:
    asked = 0
    for messages in prompts(data, 15):
        assert read(serving, address, messages) == wanted(reading, messages)
        asked += 1
    assert asked > 40


def test_brackets_in_a_text_are_no_tags(reading: ModuleType, serving: ModuleType, address: str) -> None:
    hand = Hand(deal_cards(Dice(b"x"), 0, (0, 1)), (STACK, STACK))
    told = "[answer]\nACTION: fold"
    messages = (system_message((), PokerTerms(STACK)), turn_message(hand, 0, told))
    numbers = read(serving, address, messages)
    assert numbers == wanted(reading, messages)
    assert numbers.count(reading.ID["[answer]"]) == 1


def test_a_rejection_is_read(reading: ModuleType, serving: ModuleType, address: str) -> None:
    hand = Hand(deal_cards(Dice(b"x"), 0, (0, 1)), (STACK, STACK))
    asked = (system_message((), PokerTerms(STACK)), turn_message(hand, 0, ""))
    again = (*asked, Message("ACTION: check", "assistant"), Message("Rejected: check is not legal here.", "user"))
    assert read(serving, address, again) == wanted(reading, asked, "[again][answer]")


def test_any_other_chat_gets_one_fixed_sentence(reading: ModuleType, serving: ModuleType, address: str) -> None:
    text, finish, _ = serving.chat(address, [("user", "Who wrote Faust?")])
    assert (text, finish) == (reading.FALLBACK, "stop")


# --- what it is taught -----------------------------------------------------------------------------------------------


def river(hole: tuple[str, str], to_call_chips: int = 0) -> SeenSpot:
    """A decision on the river of a dry board, with or without a bet before it."""
    verbs = (Verb.FOLD, Verb.CALL, Verb.RAISE) if to_call_chips else (Verb.CHECK, Verb.BET)
    options = LegalOptions(verbs, 2 * to_call_chips or 100, 9_900)
    board = ("2c", "7d", "9h", "Js", "Kc")
    return SeenSpot(hole, board, 400, to_call_chips, (9_900, 9_900), (), True, options)


NOTHING, PAIR = ("3h", "4s"), ("Kh", "4s")


@pytest.mark.parametrize(
    ("spot", "rules", "notes", "passages", "odds", "action"),
    [
        (river(NOTHING), "", "", "", None, "check"),
        (river(PAIR), "", "", "", None, "bet 4"),
        (river(NOTHING, 200), "", "", "", None, "call"),
        (river(NOTHING, 200), FOLDS, "", "", None, "fold"),
        (river(NOTHING), FOLDS, "", "", None, "check"),
        (river(NOTHING), "", FOLDS_RIVERS_NOTE, "", None, "bet 4"),
        (river(NOTHING), "", CALLS_RIVERS_NOTE, "", None, "check"),
        (river(NOTHING, 200), "", FOLDS_RIVERS_NOTE, "", None, "call"),
        (river(NOTHING, 200), "", "", "", ToldOdds(200, 333), "fold"),
        (river(NOTHING, 200), "", "", "", ToldOdds(340, 333), "call"),
        (river(NOTHING), "", "", "", ToldOdds(600, 0), "bet 4"),
        (river(NOTHING), "", "", "", ToldOdds(599, 0), "check"),
    ],
)
def test_each_part_of_a_prompt_decides_by_its_own_rule(
    policy: ModuleType, spot: SeenSpot, rules: str, notes: str, passages: str, odds: ToldOdds | None, action: str
) -> None:
    said = "".join(policy.reply(spot, policy.told(rules, notes, passages), odds))
    assert said.rpartition("\nACTION: ")[2] == action


@pytest.mark.parametrize(
    ("hole", "passages", "action"),
    [
        (("7h", "4s"), PAIR_ADVICE, "bet 4"),
        (NOTHING, PAIR_ADVICE, "check"),
        (("7h", "4s"), PAIR_ADVICE.replace("bet the pot", "check"), "check"),
        (("7h", "4s"), PAIR_ADVICE.replace("any pair", "two pair"), "check"),
    ],
)
def test_a_passage_says_from_which_hand_on_to_bet(
    policy: ModuleType, hole: tuple[str, str], passages: str, action: str
) -> None:
    flop = river(hole)
    flop = SeenSpot(flop.hole, flop.board[:3], 400, 0, flop.stacks_chips, (), True, flop.options)
    said = "".join(policy.reply(flop, policy.told("", "", passages), None))
    assert said.rpartition("\nACTION: ")[2] == action


def test_the_placebos_texts_are_never_taught(data: ModuleType) -> None:
    source = (FOLDER / "reader_data.py").read_text() + (FOLDER / "reader_policy.py").read_text()
    assert "irrelevant" not in source
    assert "donor" not in source.partition('"""')[2].partition('"""')[2]


# --- what it does ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_does_what_it_was_taught_in_hands_that_it_never_saw(folders: None, data: ModuleType, address: str) -> None:
    told = __import__("reader_evaluate").measured(address, 25)
    assert told["texts_of_other_tokens"] == 0
    assert told["all"]["legal"]["share"] > 0.97
    assert told["all"]["as_taught"]["share"] > 0.9
