"""Measure a GGUF as it is served: `python evaluate.py tinymodel.gguf`. Prints lines of JSON.

Every prompt is made by the protocol's own functions and goes through llama.cpp's chat endpoint at temperature 0:

    chess960   held-out positions of games by Stockfish, random, greedy and noisy players, in both prompt styles
    games      whole games of the model against a random player, the reference player, Stockfish and itself
    retries    what it answers when its first choice is rejected
    holdem     held-out spots of hands by random and reference players

The seeds are other than those of the training data. Games against others than the random player are a fifth as many.
An illegal answer in a game is replaced by a random move; six plies in a row beyond ten pawns by Stockfish decide it.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chess
import chess.engine
import numpy as np
from chess_data import HABITS, choose, start
from serving import chat, served

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Message, Reply
from agzamov_verify.games.chess.game_script import ChessRules
from agzamov_verify.games.chess.prompt import REMINDER, TAG, PromptStyle, system_message, turn_message
from agzamov_verify.games.chess.rules import DrawClaims, Game960
from agzamov_verify.games.chess.spelling import read_move
from agzamov_verify.games.holdem import prompt as poker
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import random_action
from agzamov_verify.games.holdem.rules import Hand, PokerAction
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.scoring.inference.estimate import ALPHA
from agzamov_verify.scoring.inference.proportions import wilson_interval
from agzamov_verify.table import scripted_players as players
from agzamov_verify.table.declared import Accepted, Fault, read_declared

SEED = 90_210
STACK = 10_000
Json = dict[str, Any]


@dataclass(slots=True)
class Count:
    """How many answers were legal, and how the others failed."""

    asked: int = 0
    legal: int = 0
    cut: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    def note(self, action: object, reply: Reply) -> None:
        self.asked += 1
        self.legal += not isinstance(action, Fault)
        self.cut += reply.finish != "stop"
        if isinstance(action, Fault):
            self.faults[action.kind.value] += 1

    def told(self) -> Json:
        interval = wilson_interval(self.legal, self.asked, ALPHA)
        share = round(self.legal / max(1, self.asked), 4)
        return {
            "asked": self.asked,
            "legal": self.legal,
            "share": share,
            "wilson_95": [interval.low, interval.high],
            "cut": self.cut,
            **self.faults,
        }


class Model:
    """The served model as a player of both games. What it answers is noted in the counts that are handed in."""

    def __init__(self, address: str) -> None:
        self.address = address

    def reply(self, messages: list[Message]) -> Reply:
        text, finish, _ = chat(self.address, [(message.role, message.content) for message in messages])
        return Reply(text=text, finish=finish)

    def chess(self, messages: list[Message], game: Game960, *counts: Count) -> chess.Move | Fault:
        reply = self.reply(messages)
        read = read_declared(reply, TAG, lambda text: read_move(text, game))
        for count in counts:
            count.note(read, reply)
        return read.action if isinstance(read, Accepted) else read

    def holdem(self, messages: list[Message], hand: Hand, count: Count) -> Reply:
        reply = self.reply(messages)
        count.note(read_declared(reply, poker.TAG, lambda text: read_action(text, hand)), reply)
        return reply


def chess_prompt(game: Game960, style: PromptStyle) -> list[Message]:
    """What a seat is asked, without patterns and profile."""
    return [system_message((), ChessRules().terms(0)), turn_message(game, style, "")]


class Engine:
    """Stockfish as `chess` drives it: a teacher's move, and a score for adjudication."""

    def __init__(self, path: str) -> None:
        self._engine = chess.engine.SimpleEngine.popen_uci(path)

    def move(self, board: chess.Board, nodes: int = 400) -> chess.Move:
        move = self._engine.play(board, chess.engine.Limit(nodes=nodes)).move
        assert move
        return move

    def centipawns(self, board: chess.Board) -> int:
        """White's score; a mate is 10000."""
        info = self._engine.analyse(board, chess.engine.Limit(nodes=5000))
        return info["score"].white().score(mate_score=10_000)

    def close(self) -> None:
        self._engine.quit()


def held_out(engine: Engine, rng: np.random.Generator, wanted: int) -> list[Game960]:
    """Positions in the midst of games, with the moves that led there."""
    found: list[Game960] = []
    while len(found) < wanted:
        board = start(rng)
        habits = [HABITS[int(rng.integers(len(HABITS)))] for _ in range(2)]
        opening = int(rng.integers(24)) if rng.random() < 0.5 else 0
        game = Game960(board.fen())
        for ply in range(140):
            moves = list(game.board.generate_legal_moves())
            if game.end(DrawClaims.AUTOMATIC):
                break
            best = engine.move(game.board)
            if rng.random() < 0.1:
                found.append(again(game))
            game.push(choose("random" if ply < opening else habits[game.board.turn], game.board, moves, best, rng))
    return found[:wanted]


def again(game: Game960) -> Game960:
    """A copy."""
    copy = Game960(game.start_fen)
    for move in game.moves:
        copy.push(chess.Move.from_uci(move))
    return copy


def legality(model: Model, games: list[Game960]) -> Json:
    """Legal answers in both prompt styles, and in check."""
    told: Json = {}
    for style in PromptStyle:
        everywhere, in_check = Count(), Count()
        for game in games:
            counts = (everywhere, in_check) if game.board.is_check() else (everywhere,)
            model.chess(chess_prompt(game, style), game, *counts)
        told[style.value] = {"all": everywhere.told(), "in_check": in_check.told()}
    return told


def retries(model: Model, games: list[Game960]) -> Json:
    """Second attempts, after the first answer was called illegal, be it so or not."""
    count, same = Count(), 0
    for game in games:
        asked = chess_prompt(game, PromptStyle.STANDARD)
        first = model.reply(asked).text
        why = f"Rejected: {first.split()[-1]} is not legal in this position. {REMINDER}"
        asked += [Message(first, "assistant"), Message(why, "user")]
        model.chess(asked, game, count)
        same += model.reply(asked).text == first
    return {**count.told(), "repeats_the_rejected": same}


Opponent = Callable[[Game960], chess.Move]


def scripted(kind: str, seed: int) -> Opponent:
    """The random or the reference player."""

    def move(game: Game960) -> chess.Move:
        text = players.scripted_reply(kind, tuple(chess_prompt(game, PromptStyle.STANDARD)), seed + game.ply)
        return chess.Move.from_uci(text.rsplit("MOVE: ", 1)[1])

    return move


def match(model: Model, engine: Engine, opponent: Opponent | None, games: int, style: PromptStyle) -> Json:
    """Games with both colours from random starts; None is the model itself. An illegal answer becomes a random move."""
    rng, count, results = np.random.default_rng(SEED), Count(), Counter[str]()
    for n in range(games):
        game = Game960(chess.Board.from_chess960_pos(int(rng.integers(960))).fen())
        mine, beyond, result = n % 2 == 0, [0, 0], ""
        while not result:
            if opponent is None or game.board.turn == mine:
                action = model.chess(chess_prompt(game, style), game, count)
                if isinstance(action, Fault):
                    action = chess.Move.from_uci(game.legal_moves()[int(rng.integers(len(game.legal_moves())))])
            else:
                action = opponent(game)
            game.push(action)
            result = ended(game, engine, beyond, mine=mine)
        results[result] += 1
    return {"games": games, "model": dict(results), "answers": count.told()}


def ended(game: Game960, engine: Engine, beyond: list[int], *, mine: bool) -> str:
    """The model's result once the game is over or six plies in a row are beyond ten pawns, else nothing."""
    if game.end(DrawClaims.AUTOMATIC) or game.ply >= 300:
        outcome = game.board.outcome()
        if outcome is None or outcome.winner is None:
            return "drawn"
        return "won" if outcome.winner == mine else "lost"
    score = engine.centipawns(game.board)
    beyond[0] = beyond[0] + 1 if score > 1000 else 0
    beyond[1] = beyond[1] + 1 if score < -1000 else 0
    if max(beyond) < 6:
        return ""
    return "won" if (beyond[0] >= 6) == mine else "lost"


def holdem(model: Model, hands: int) -> Json:
    """Legal answers in the spots of hands played by random and reference players, and what they were."""
    rng, dice = np.random.default_rng(SEED), Dice(b"tinymodel/held-out")
    count, retried, kinds = Count(), Count(), Counter[str]()
    for n in range(hands):
        hand = Hand(deal_cards(dice, n, (0, 1)), (STACK, STACK))
        wild = rng.random(2) < 0.6
        while hand.to_act is not None:
            asked = [poker.system_message((), poker.PokerTerms(STACK)), poker.turn_message(hand, hand.to_act, "")]
            reply = model.holdem(asked, hand, count)
            kinds[reply.text.split()[1]] += 1
            if rng.random() < 0.1:
                why = Message(f"Rejected: fold is not legal here. {poker.REMINDER}", "user")
                model.holdem([*asked, Message(reply.text, "assistant"), why], hand, retried)
            label = f"act/{n}/{len(hand.history)}"
            hand.act(random_action(hand, label, dice) if wild[hand.to_act] else by_reference(hand, asked, rng))
    return {**count.told(), "kinds": dict(kinds.most_common()), "retries": retried.told()}


def by_reference(hand: Hand, asked: list[Message], rng: np.random.Generator) -> PokerAction:
    """What the reference player does."""
    text = players.scripted_reply("reference", tuple(asked), int(rng.integers(2**31)))
    read = read_action(text.rsplit("ACTION:", 1)[1].strip(), hand)
    assert isinstance(read, Accepted)
    return read.action


def measured(model: Model, engine: Engine, positions: int, hands: int, games: int) -> Iterator[tuple[str, Json]]:
    """The parts of the report, each as soon as it is known."""
    held = held_out(engine, np.random.default_rng(SEED), positions)
    yield "chess960", legality(model, held)
    yield "retries", retries(model, held[: positions // 5])
    yield "holdem", holdem(model, hands)
    opponents: dict[str, Opponent | None] = {
        "random": scripted("random", 1),
        "reference": scripted("reference", 1),
        "stockfish": lambda game: engine.move(game.board),
        "itself": None,
    }
    for name, opponent in opponents.items():
        played = games if name == "random" else games // 5
        if played:
            yield f"standard_v_{name}", match(model, engine, opponent, played, PromptStyle.STANDARD)


def main() -> None:
    """Serve the file, ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--hands", type=int, default=800)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    options = parser.parse_args()
    engine = Engine(options.stockfish)
    with served(options.gguf) as address:
        for name, part in measured(Model(address), engine, options.positions, options.hands, options.games):
            print(json.dumps({name: part}), flush=True)
    engine.close()


if __name__ == "__main__":
    main()
