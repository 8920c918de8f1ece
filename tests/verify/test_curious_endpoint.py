"""A curious endpoint sits in an honest run, keeps all that it is sent, and attacks hidden draws with our own functions.

Each attack must do no better than chance against the seeds and decks of today, and must succeed against a replica of
an older derivation, in which one stream gave the seed that was sent and the one of a random seat, and matches shared
their decks. The attacker is a generous one: it is given the position that the other seat saw.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import combinations

import chess
import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Message, Planted, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.experiment.matches import Match
from agzamov_verify.games.chess import game_script as chess_script
from agzamov_verify.games.holdem import hand_script as holdem_script
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.table import scripted_players
from agzamov_verify.table.players import GameName, Player, seed_for

DICE = Dice(bytes(range(32)))
NARROW = 2**10
"""A search of 2^31 seeds takes an endpoint minutes, and a test too long: here it searches 2^10."""
PLAN = msgspec.convert(
    {
        "title": "Curious",
        "seats": {
            "model": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"},
            "dice": {"kind": "random"},
            "benchmark": {"kind": "benchmark"},
        },
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 24},
        "holdem": {"session_hands": 20},
        "matches": [
            {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 4, "block_games": 4},
            {"phase": 0, "game": "holdem", "a": "model", "b": "dice", "hands": 20, "block_hands": 20},
            {"phase": 1, "game": "holdem", "a": "model", "b": "model", "hands": 20, "block_hands": 20},
            {"phase": 1, "game": "holdem", "a": "model", "b": "benchmark", "hands": 20, "block_hands": 20},
        ],
    },
    Plan,
)
CHESS, POKER, SELF_PLAY, BENCHMARK = PLAN.matches
Derivation = Callable[[Player, int, GameName, int, Dice], int]
Told = tuple[Chat, Reply]


def random_reply(messages: tuple[Message, ...], seed: int) -> str:
    return scripted_players.scripted_reply("random", messages, seed)


def shared_seed(player: Player, at: int, name: GameName, turn: int, dice: Dice) -> int:
    """The older derivation: one seed for all seats of a game, sent to those that are models."""
    return dice.stream(f"sampling/{name.label}").below(2**31)


def narrow_seed_of_a_game(player: Player, at: int, name: GameName, turn: int, dice: Dice) -> int:
    """A seed that is not sent, but is one of few for a whole game: whoever searches them all finds it."""
    return dice.stream(f"own/{name.id}/{at}").below(NARROW)


def narrow_seed_of_a_decision(player: Player, at: int, name: GameName, turn: int, dice: Dice) -> int:
    """Today's derivation, as if the seeds were as few."""
    return seed_for(player, at, name, turn, dice) % NARROW


@contextmanager
def derived(derive: Derivation | None, *, decks_shared: bool = False) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (chess_script, holdem_script) if derive else ():
            patch.setattr(module, "seed_for", derive)
        if decks_shared:
            patch.setattr(Match, "draws", property(lambda match: match.game))
        yield


def told(match: Match) -> list[Told]:
    """Every question of a match but planted ones, and its answer.

    The endpoint answers like any random mover, from seeds of its own.
    """
    story: list[Told] = []

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        own = len(story) if question.to == "model" else question.seed
        kind = "benchmark" if question.to == "benchmark" else "random"
        reply = Reply(text=scripted_players.scripted_reply(kind, question.messages, own))
        if not isinstance(question, Planted):
            story.append((question, reply))
        return reply

    for stream in streams_of(match):
        drive(block_script(stream, PLAN, DICE), answer)
    return story


def sent(story: list[Told]) -> dict[str, int]:
    """The seed that the endpoint was sent, by game; in self-play there are two, and this is the last."""
    return {question.game: question.seed for question, _ in story if question.to == "model"}


def chance_of_more(hits: int, chances: list[Fraction]) -> float:
    """P(at least so many of independent guesses are right), each with its own chance: an exact sum."""
    spread = [Fraction(1)]
    for one in chances:
        spread = [
            (spread[at] if at < len(spread) else 0) * (1 - one) + (spread[at - 1] * one if at else 0)
            for at in range(len(spread) + 1)
        ]
    return float(sum(spread[hits:]))


# --- (a) foretelling the random seat's moves --------------------------------------------------------


def legal_moves(question: Chat) -> list[str]:
    fen = next(line for line in question.messages[1].content.splitlines() if line.startswith("FEN: "))
    return [move.uci() for move in chess.Board(fen.removeprefix("FEN: "), chess960=True).legal_moves]


def foretold_from_what_was_sent() -> tuple[int, list[Fraction]]:
    """How many of the random seat's moves the sent seed gives, and the chance of each."""
    story = told(CHESS)
    seeds = sent(story)
    theirs = [(question, answer) for question, answer in story if question.to == "dice"]
    hits = sum(random_reply(one.messages, seeds[one.game]) == answer.text for one, answer in theirs)
    return hits, [Fraction(1, len(legal_moves(one))) for one, _ in theirs]


def foretold_by_search() -> tuple[int, list[Fraction]]:
    """Per game: search all seeds that explain the random seat's first six moves, and foretell the seventh."""
    hits, chances = 0, []
    story = told(CHESS)
    for game in sorted({question.game for question, _ in story}):
        theirs = [told for told in story if told[0].game == game and told[0].to == "dice"][:7]
        left = list(range(NARROW))
        for question, answer in theirs[:6]:
            left = [seed for seed in left if random_reply(question.messages, seed) == answer.text]
        question, answer = theirs[6]
        guess = random_reply(question.messages, left[0] if left else 0)
        hits += guess == answer.text
        chances.append(Fraction(1, len(legal_moves(question))))
    return hits, chances


def test_the_random_seats_moves_do_not_follow_from_what_is_sent() -> None:
    hits, chances = foretold_from_what_was_sent()
    assert len(chances) > 40
    assert chance_of_more(hits, chances) > 1e-3, f"{hits} of {len(chances)}, {float(sum(chances)):.1f} by chance"


def test_with_one_seed_for_all_seats_every_move_is_foretold() -> None:
    with derived(shared_seed):
        hits, chances = foretold_from_what_was_sent()
    assert hits == len(chances)
    assert chance_of_more(hits, chances) < 1e-40


def test_a_search_of_all_seeds_of_a_decision_foretells_nothing() -> None:
    with derived(narrow_seed_of_a_decision):
        hits, chances = foretold_by_search()
    assert chance_of_more(hits, chances) > 1e-3, f"{hits} of {len(chances)}"


def test_a_search_of_all_seeds_of_a_game_foretells_its_moves() -> None:
    with derived(narrow_seed_of_a_game):
        hits, chances = foretold_by_search()
    assert hits == len(chances) == 4


# --- (b) the opponent's hole cards --------------------------------------------------------------------

HOLES = re.compile(r"^Hole cards: \[(.*)\]$", re.MULTILINE)
CANDIDATES = 100


def holes(question: Chat) -> str:
    found = HOLES.search(question.messages[1].content)
    assert found
    return found[1]


def as_if(question: Chat, cards: str) -> tuple[Message, ...]:
    system, user = question.messages
    return system, Message(HOLES.sub(f"Hole cards: [{cards}]", user.content), user.role)


def pinned() -> tuple[int, int]:
    """In how many hands the random seat's actions leave its true cards and no other of the candidates; of how many."""
    story = told(POKER)
    seeds, hits, played = sent(story), 0, 0
    others = [" ".join(pair) for pair in combinations(DECK, 2)][:: 1326 // CANDIDATES]
    for game, seed in seeds.items():
        theirs = [told for told in story if told[0].game == game and told[0].to == "dice"]
        if len(theirs) < 2:
            continue
        played += 1
        true = holes(theirs[0][0])
        explained = {
            cards
            for cards in {true, *others}
            if all(random_reply(as_if(one, cards), seed) == answer.text for one, answer in theirs)
        }
        hits += true in explained and len(explained) <= 1 + CANDIDATES // 5
    return hits, played


def test_the_opponents_actions_do_not_tell_its_cards_through_the_seed_that_was_sent() -> None:
    """Each of two actions or more is one of two kinds at least: by chance the true cards explain one hand in four."""
    hits, played = pinned()
    assert played >= 5
    assert chance_of_more(hits, [Fraction(1, 4)] * played) > 1e-3, f"{hits} of {played}"


def test_with_one_seed_for_all_seats_they_do() -> None:
    with derived(shared_seed):
        hits, played = pinned()
    assert 2 * hits > played, f"{hits} of {played}"
    assert chance_of_more(hits, [Fraction(1, 4)] * played) < 1e-2


# --- (c) recognising a deck in another match ----------------------------------------------------------


def recognised() -> int:
    """Count the hands against the benchmark player whose cards the other seat saw in self-play by number."""
    seen: dict[str, dict[str, str]] = {}
    for question, _ in told(SELF_PLAY):
        seen.setdefault(question.game[-7:], {})[holes(question)] = question.game
    hits = 0
    benchmark: dict[str, set[str]] = {}
    mine: dict[str, set[str]] = {}
    for question, _ in told(BENCHMARK):
        (benchmark if question.to == "benchmark" else mine).setdefault(question.game[-7:], set()).add(holes(question))
    for hand, cards in benchmark.items():
        hits += bool(cards & seen.get(hand, {}).keys()) or bool(mine.get(hand, set()) & seen.get(hand, {}).keys())
    return hits


def test_no_hand_is_recognised_in_another_match() -> None:
    """Two seats' cards against two of 1326 pairs: 4/1326 by chance in each of 20 hands, 0.06 expected in all."""
    assert chance_of_more(recognised(), [Fraction(4, 1326)] * 20) > 1e-3


def test_with_decks_shared_between_matches_every_hand_is() -> None:
    with derived(None, decks_shared=True):
        assert recognised() >= 15
