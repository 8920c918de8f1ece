"""One-shot prompts: an exchange about another game stands before each decision, and nobody gains by repeating it."""

from collections.abc import Callable
from typing import Any

import chess
import msgspec
import pytest

from agzamov_harness.adapters.context_length import CutPrompts
from agzamov_harness.reference_server.tool_calls import as_told, remembered
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.journal import GENESIS, VERSION, Entry, asked
from agzamov_verify.core.questions import Chat, Message, NoReply, Reply
from agzamov_verify.core.script import Divergence, Exchanges, Replay, drive
from agzamov_verify.experiment.matches import PositionClass
from agzamov_verify.games.chess import prompt as chess_prompt
from agzamov_verify.games.chess.probe_positions import fens_of
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.games.chess.spelling import read_move
from agzamov_verify.games.holdem import prompt as poker_prompt
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.hand_script import random_action
from agzamov_verify.games.holdem.rules import BIG_BLIND, Hand
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.scoring.departures import departures
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.declared import Accepted, Fault, FaultKind, read_declared
from agzamov_verify.table.planted import bare
from agzamov_verify.table.prompt_lines import (
    EXAMPLE,
    FORM,
    PROFILE,
    TOOL,
    Shots,
    forgotten,
    is_example,
    read_page,
    with_shots,
    without_example,
)
from agzamov_verify.table.registry import GAMES
from agzamov_verify.table.scripted_players import random_answer, scripted_reply

DICE = Dice(bytes(range(32)))
BOTH = ("chess960", "holdem")
STACKS_CHIPS = (2 * BIG_BLIND, 2_500, 10_000, 10_050)


def plan(shots: object, illegal: str = "substitute", **more: Any) -> Plan:
    rules = {"shots": shots, "illegal": illegal}
    pair = {"phase": 0, "a": "model", "b": "dice"}
    return msgspec.convert(
        {
            "title": "Shots",
            "seats": {"model": {"kind": "reference"}, "dice": {"kind": "random"}},
            "chess960": {"adjudication": {"policy": "none"}, "plies_max": 8, **rules},
            "holdem": {"session_hands": 4, **rules},
            "matches": [{**pair, "game": "chess960", "games": 2}, {**pair, "game": "holdem", "hands": 4}],
            **more,
        },
        Plan,
    )


def chats(game: str, planned: Plan) -> list[tuple[Chat, Reply | NoReply]]:
    (match,) = (match for match in planned.matches if match.game == game)
    (stream,) = streams_of(match)
    told = Exchanges(block_script(stream, planned, DICE), random_answer)
    return [(one, answer) for one, answer in told if isinstance(one, Chat) and isinstance(answer, Reply | NoReply)]


@pytest.mark.parametrize("game", BOTH)
def test_one_shot_prompts_differ_by_the_exchange_and_are_played_alike(game: str) -> None:
    without, shown = chats(game, plan(0)), chats(game, plan(1))
    assert [answer.text for _, answer in without if isinstance(answer, Reply)] == [
        answer.text for _, answer in shown if isinstance(answer, Reply)
    ]
    for (bare_one, _), (with_one, _) in zip(without, shown, strict=True):
        assert [message.role for message in with_one.messages] == ["system", "user", "assistant", "user"]
        assert is_example(with_one.messages[1])
        assert without_example(with_one.messages) == bare_one.messages
        assert not any(map(is_example, bare_one.messages)), "the protocol's prompt has none"


@pytest.mark.parametrize("game", BOTH)
def test_an_example_is_no_part_of_what_a_player_reads_or_remembers(game: str) -> None:
    (question, _), *_ = chats(game, plan(1))
    system, example, answer, user = question.messages
    assert read_page(question.messages) == read_page((system, user))
    assert bare(question.messages) == question.messages
    assert forgotten(question.messages, "Nothing is remembered.")[1:3] == (example, answer)
    assert PROFILE in forgotten(question.messages, "Nothing is remembered.")[3].content
    for kind in ("random", "reference"):
        replies = [scripted_reply(kind, messages, 7) for messages in (question.messages, (system, user))]
        assert replies[0] == replies[1]
    called = (*question.messages, Message("", "assistant"), Message("An answer.", "tool", tool_call_id="1"))
    assert as_told(called)[1].content.partition(FORM)[0].endswith(f"{TOOL}An answer.")
    assert remembered(called)[1].content.partition(FORM)[0].endswith(f"{PROFILE}An answer.")


@pytest.mark.parametrize(("sealed", "played"), [(0, 1), (1, 0)])
@pytest.mark.parametrize("game", BOTH)
def test_prompts_of_the_other_variant_diverge_at_the_first_decision(game: str, sealed: int, played: int) -> None:
    (match,) = (match for match in plan(sealed).matches if match.game == game)
    (stream,) = streams_of(match)

    def replayed(recorded: Plan) -> None:
        story = list(Exchanges(block_script(stream, recorded, DICE), random_answer))
        journal = [Entry(answer, GENESIS, asked(question), "run", 0, stream.id, VERSION) for question, answer in story]
        drive(block_script(stream, plan(sealed), DICE), Replay(stream.id, iter(journal)))

    replayed(plan(sealed))
    with pytest.raises(Divergence) as diverged:
        replayed(plan(played))
    assert diverged.value.place.endswith(" entry 0")


def test_retries_come_after_the_example_and_roles_alternate() -> None:
    planned = plan(1, "retry_then_forfeit")
    (match, _), chats_asked = planned.matches, list[Chat]()
    (stream,) = streams_of(match)
    script = block_script(stream, planned, DICE)
    for question, _ in Exchanges(script, lambda _: Reply(text="I resign.")):
        if isinstance(question, Chat):
            chats_asked.append(question)
    retried = next(one for one in chats_asked if one.attempt == 2)
    assert [message.role for message in retried.messages] == ["system", *["user", "assistant"] * 3, "user"]
    assert is_example(retried.messages[1])


# --- what the example declares ----------------------------------------------------------------------


def test_the_example_of_chess_is_legal_in_its_own_position_alone() -> None:
    question, answer = chess_prompt.EXAMPLE_EXCHANGE
    assert (question.content.startswith(EXAMPLE), chess_prompt.EXAMPLE_FEN in question.content) == (True, True)
    assert isinstance(chess_read(answer.content, Game960(chess_prompt.EXAMPLE_FEN)), Accepted)
    starts = [chess.Board.from_chess960_pos(number).fen() for number in range(960)]
    for fen in (*starts, *(fen for part in PositionClass for fen in fens_of(part))):
        game = Game960(fen)
        found = chess_read(answer.content, game)
        assert isinstance(found, Fault), fen
        assert found.kind is FaultKind.ILLEGAL, "declared, so its copier can format"


@pytest.mark.parametrize("stack_chips", STACKS_CHIPS)
def test_the_example_of_holdem_is_legal_in_no_hand_with_the_stacks_of_the_run(stack_chips: int) -> None:
    _, answer = poker_prompt.example_exchange(stack_chips)
    for number in range(40):
        hand = Hand(deal_cards(DICE, number, (0, 1)), (stack_chips, stack_chips))
        while hand.to_act is not None:
            found = poker_read(answer.content, hand)
            assert isinstance(found, Fault)
            assert found.kind is FaultKind.ILLEGAL, "declared, so its copier can format"
            hand.act(random_action(hand, f"{number}/{len(hand.history)}", DICE))


def test_the_example_of_holdem_is_legal_with_its_own_stacks() -> None:
    chips = 10_000
    question, answer = poker_prompt.example_exchange(chips)
    own = poker_prompt.EXAMPLE_STACK * chips
    hand = Hand(deal_cards(DICE, 0, (0, 1)), (own, own))
    raised = read_action(f"raise to {poker_prompt.EXAMPLE_RAISED * chips // BIG_BLIND}", hand)
    assert isinstance(raised, Accepted)
    hand.act(raised.action)
    assert isinstance(poker_read(answer.content, hand), Accepted)
    assert "Both players started with 800 BB, the opponent has raised to 100 BB" in question.content


def chess_read(text: str, game: Game960) -> Accepted[chess.Move] | Fault:
    return read_declared(Reply(text=text), chess_prompt.TAG, lambda said: read_move(said, game))


def poker_read(text: str, hand: Hand) -> Accepted[Any] | Fault:
    return read_declared(Reply(text=text), poker_prompt.TAG, lambda said: read_action(said, hand))


# --- a variant of the protocol ----------------------------------------------------------------------


def test_a_worked_example_departs_from_the_protocol_and_is_a_variant() -> None:
    lines = {f"{game} prompts with 1 worked example, none required" for game in ("chess", "hold'em")}
    assert lines <= set(departures(plan(1)))
    assert not lines & set(departures(plan(0)))
    of: Callable[[Plan], list[str]] = lambda planned: [GAMES[game].variant(planned.rules_of(game)) for game in BOTH]  # noqa: E731
    assert of(plan(0)) == ["standard", ""]
    assert of(plan(1)) == ["standard, 1 worked example", "1 worked example"]


def test_screens_name_it_and_say_nothing_of_the_usual_prompt() -> None:
    assert [VIEWS[game].rules_words(plan(0)) for game in BOTH] == ["", ""]
    assert [VIEWS[game].rules_words(plan(1)) for game in BOTH] == [
        "chess prompt standard, without a list of legal moves, 1 worked example",
        "hold'em prompt with 1 worked example",
    ]


@pytest.mark.parametrize("shots", [2, -1, "1", True])
def test_other_numbers_of_examples_are_refused(shots: object) -> None:
    with pytest.raises(msgspec.ValidationError, match=r"shots"):
        plan(shots)


@pytest.mark.parametrize("shots", [0, 1])
def test_names_of_variants(shots: Shots) -> None:
    assert with_shots("legal_moves", shots) == ("legal_moves", "legal_moves, 1 worked example")[shots]


def test_a_cut_prompt_is_found_with_an_example_too() -> None:
    """The assistant's message of an example is no rejected reply, which may be of any length."""
    (question, _), *_ = chats("chess960", plan(1))
    assert "bytes" in CutPrompts().problem(question.messages, 130)
    rejected = (*question.messages, Message("e2e5", "assistant"), Message("Rejected.", "user"))
    counts = CutPrompts()
    assert counts.problem(question.messages, 900) == ""
    assert counts.problem(rejected, 400) == "", "a rejected reply may be anything"
    assert "token" in counts.problem(question.messages, 400)
