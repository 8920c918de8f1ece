"""The small model of our own: it is the recorded file, its template reads our prompts, and it plays by the rules."""

import hashlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import chess
import gguf
import pytest
import yaml
from scipy.stats import binomtest

from agzamov_harness.run import signing_keys
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.dice import Dice
from agzamov_verify.games.chess.game_script import ChessRules
from agzamov_verify.games.chess.prompt import EXAMPLE_EXCHANGE, REMINDER, PromptStyle, system_message, turn_message
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.games.holdem import prompt as poker
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import random_action
from agzamov_verify.games.holdem.rules import Hand
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.table.declared import Fault

pytest.importorskip("xllamacpp", reason="no llama.cpp server here: pip install xllamacpp")

AGZAMOV = Path(sys.executable).with_name("agzamov")
FOLDER = Path(__file__).parents[2] / "images/tinymodel"
MODEL = FOLDER / "tinymodel.gguf"
STACK = 10_000
Said = list[tuple[str, str]]


def module(name: str) -> ModuleType:
    """A module of the model's folder, which is no package."""
    spec = importlib.util.spec_from_file_location(f"tinymodel_{name}", FOLDER / f"{name}.py")
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


retemplate, serving, vocabulary = (module(name) for name in ("retemplate", "serving", "vocabulary"))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving.served(MODEL, slots=2) as address:
        yield address


def test_the_model_is_the_recorded_file() -> None:
    recorded = (FOLDER / "tinymodel.gguf.sha256").read_text()
    assert recorded == f"{hashlib.sha256(MODEL.read_bytes()).hexdigest()}  tinymodel.gguf\n"
    assert MODEL.stat().st_size < 6_000_000
    assert recorded.split()[0] in (FOLDER / "README.md").read_text()


def test_the_vocabulary_is_the_one_in_the_file() -> None:
    """Cards and squares come from tables that others may change, and the file is trained on their order."""
    in_the_file = gguf.GGUFReader(MODEL).fields["tokenizer.ggml.tokens"].contents()
    assert in_the_file == vocabulary.TOKENS


def test_the_file_holds_the_template_and_rewriting_it_changes_nothing(tmp_path: Path) -> None:
    template = (FOLDER / "template.jinja").read_text()
    retemplate.rewrite(MODEL, tmp_path / "same.gguf", template)
    assert (tmp_path / "same.gguf").read_bytes() == MODEL.read_bytes()
    retemplate.rewrite(MODEL, tmp_path / "other.gguf", template + "!")
    assert (tmp_path / "other.gguf").read_bytes() != MODEL.read_bytes()


def read(address: str, said: Said) -> list[str]:
    """The tokens that the model reads of a conversation."""
    messages = [{"role": role, "content": content} for role, content in said]
    prompt = serving.post(address, "/apply-template", {"messages": messages})["prompt"]
    numbers = serving.post(address, "/tokenize", {"content": prompt, "add_special": True, "parse_special": True})
    return [vocabulary.TOKENS[number] for number in numbers["tokens"]]


def chess_prompt(game: Game960, style: PromptStyle = PromptStyle.STANDARD) -> Said:
    messages = (
        system_message(("castle within your first 8 moves.",), ChessRules().terms(512)),
        turn_message(game, style, "- a profile", legal=drawn_order(game)),
    )
    return [(message.role, message.content) for message in messages]


def drawn_order(game: Game960) -> list[str]:
    """The legal moves as a seat may find them listed."""
    moves = game.legal_told()
    return Dice(b"tinymodel").stream(f"listed/{game.ply}").deal(moves, len(moves))


def chess_games(games: int, plies: int) -> Iterator[Game960]:
    """Positions of random games, a new one at every ply."""
    for number in range(games):
        stream = Dice(b"tinymodel").stream(f"test/{number}")
        game = Game960(chess.Board.from_chess960_pos(stream.below(960)).fen())
        while game.ply < plies and (moves := game.legal_moves()):
            yield game
            game.push(chess.Move.from_uci(stream.choice(moves)))


@pytest.mark.parametrize("style", PromptStyle)
def test_the_template_reads_of_a_chess_prompt_what_the_model_was_trained_on(address: str, style: PromptStyle) -> None:
    for game in chess_games(3, 60):
        if game.ply % 4 == 0:
            listed = vocabulary.listed(game.legal_moves()) if style is PromptStyle.LEGAL_MOVES else []
            wanted = [*vocabulary.chess_tokens(game.board), *listed, "[answer]"]
            assert read(address, chess_prompt(game, style)) == wanted


def test_the_template_reads_nothing_of_a_worked_example(address: str) -> None:
    game = Game960("4k3/8/8/8/8/8/P7/4K3 w - - 0 1")
    hand = Hand(deal_cards(Dice(b"tinymodel"), 0, (0, 1)), (STACK, STACK))
    hands = (poker.system_message((), poker.PokerTerms(STACK)), poker.turn_message(hand, hand.to_act or 0, ""))
    said_of_hand = [(message.role, message.content) for message in hands]
    for said, example in (
        (chess_prompt(game), EXAMPLE_EXCHANGE),
        (said_of_hand, poker.example_exchange(STACK)),
    ):
        shown = [said[0], *((message.role, message.content) for message in example), said[1]]
        assert read(address, shown) == read(address, said)


def test_one_piece_moved_on_the_diagram_is_read() -> None:
    here, there = Game960("4k3/8/8/8/8/8/P7/4K3 w - - 0 1"), Game960("4k3/8/8/8/8/P7/8/4K3 w - - 0 1")
    differing = set(vocabulary.chess_tokens(here.board)) ^ set(vocabulary.chess_tokens(there.board))
    assert differing == {"+Pa2", "+Pa3", "a2", "a3"}


def holdem_prompts(hands: int) -> Iterator[tuple[Hand, Said]]:
    """Every decision of random hands."""
    dice = Dice(b"tinymodel")
    for number in range(hands):
        hand = Hand(deal_cards(dice, number, (0, 1)), (STACK, STACK))
        while hand.to_act is not None:
            messages = (
                poker.system_message((), poker.PokerTerms(STACK, tokens_max=512)),
                poker.turn_message(hand, hand.to_act, "VPIP: 20%"),
            )
            yield hand, [(message.role, message.content) for message in messages]
            hand.act(random_action(hand, f"test/{number}/{len(hand.history)}", dice))


def test_the_template_reads_of_a_poker_prompt_what_the_model_was_trained_on(address: str) -> None:
    for _, said in holdem_prompts(20):
        assert read(address, said) == [*vocabulary.holdem_tokens(said[1][1]), "[answer]"]


@pytest.mark.slow
def test_a_rejected_move_is_read(address: str) -> None:
    asked = 0
    for game in chess_games(4, 40):
        if game.ply % 5 == 0 and len(game.legal_moves()) > 5:
            said = chess_prompt(game)
            first, _, _ = serving.chat(address, said)
            move = first.removeprefix("MOVE: ")
            rejection = f"Rejected: {move} is not legal in this position. {REMINDER}"
            again = [*said, ("assistant", first), ("user", rejection)]
            assert read(address, again)[-3:] == ["[rejected]", move[:2], "[answer]"]
            assert serving.chat(address, again)[0].startswith("MOVE: ")
            asked += 1
    assert asked > 20


@pytest.mark.slow
@pytest.mark.parametrize("style", PromptStyle)
def test_it_answers_chess_prompts_with_legal_moves_and_ends(address: str, style: PromptStyle) -> None:
    asked = legal = 0
    for game in chess_games(5, 80):
        if game.ply % 4 == 1:
            text, finish, _ = serving.chat(address, chess_prompt(game, style))
            assert (text[:6], finish) == ("MOVE: ", "stop")
            legal += not isinstance(game.read(text[6:]), Fault)
            asked += 1
    assert asked > 80
    assert legal >= 0.92 * asked


@pytest.mark.slow
def test_it_answers_poker_prompts_with_legal_actions_and_raises_at_times(address: str) -> None:
    answers, faults, asked = set(), 0, 0
    for hand, said in holdem_prompts(40):
        text, finish, _ = serving.chat(address, said)
        assert (text[:8], finish) == ("ACTION: ", "stop")
        faults += isinstance(read_action(text[8:], hand), Fault)
        answers.add(text.split()[1])
        asked += 1
    assert asked > 80
    assert faults <= asked // 50
    assert answers >= {"fold", "call", "check", "raise"}


def test_it_says_so_when_a_chat_is_no_prompt_of_the_protocol(address: str) -> None:
    text, finish, _ = serving.chat(address, [("system", "You help."), ("user", "Where is the library?")])
    assert (text, finish) == (vocabulary.FALLBACK, "stop")


PLAN: dict[str, Any] = {
    "title": "Tiny model",
    "seats": {
        "tiny": {"kind": "openai", "model": "tinymodel", "tokens_max": 32, "timeout_s": 300, "concurrency": 2},
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "material", "threshold_points": 10, "plies": 6}, "plies_max": 120},
    "holdem": {"session_hands": 10},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "tiny", "b": "dice", "games": 4, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "tiny", "b": "dice", "hands": 40, "block_hands": 20},
    ],
}


@pytest.mark.slow
def test_whole_games_through_the_harness_have_few_faults_and_verify(address: str, tmp_path: Path) -> None:
    signing_keys.generate(tmp_path / "key.pem")
    plan = json.loads(json.dumps(PLAN))
    plan["seats"]["tiny"]["base_url"] = f"{address}/v1"
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan))
    command = [AGZAMOV, "run", "plan.yaml", "--key", "key.pem", "--out", "out", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    bundle = tmp_path / json.loads(done.stdout)["bundle"]
    verdict = verify(bundle, Options())
    assert (verdict.level, verdict.findings) == ("V1", [])
    for match in json.loads((bundle / "data/results/results.json").read_bytes())["matches"]:
        stats = match["seat_stats"][0]
        faults = stats["faults"]
        assert (faults["first_no_action"], faults["first_no_reply"]) == (0, 0)
        seldom = binomtest(faults["first_illegal"], stats["decisions"], 0.05, "greater")
        assert seldom.pvalue > 1e-4, "at most about one in twenty, whatever positions the run's own seed gives"
        assert stats["decisions"] > 20, "a hand has a decision unless the opponent folds at once"
