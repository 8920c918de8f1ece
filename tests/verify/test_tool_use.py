"""Tools at a decision: what a tool is asked, what its seat is told, and that a placebo differs in nothing else."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import chess
import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import (
    Answer,
    Calculate,
    Calculated,
    Chat,
    Examine,
    Examined,
    ExaminedMove,
    Message,
    NoReply,
    Question,
    Reply,
    ToolCall,
)
from agzamov_verify.core.script import Divergence, Exchanges, drive
from agzamov_verify.engines.uci_engine import legal_after
from agzamov_verify.games.chess import engine_tools
from agzamov_verify.games.chess import tool as chess_tool
from agzamov_verify.games.chess.pattern_sentences import ChessPattern
from agzamov_verify.games.chess.prompt import PromptStyle, turn_message
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.games.chess.tool import drawn
from agzamov_verify.games.holdem.calculator import calculate
from agzamov_verify.games.holdem.tool import ToldOdds, answer_text, read_odds
from agzamov_verify.plan import condition_problems as plan_conditions
from agzamov_verify.plan import manifest
from agzamov_verify.plan.condition_problems import condition_problems
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.plan_problems import needs_engine, problems
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.protocols.norms import ToolsNorm, load_protocol
from agzamov_verify.table import scripted_players
from agzamov_verify.table.game_tool import ToolUse
from agzamov_verify.table.prompt_lines import PROFILE, TOOL, read_page
from agzamov_verify.table.registry import GAMES
from conditions import arms_of

DICE = Dice(bytes(32))
SYSTEMS: dict[str, Any] = {"tools": {"kind": "tools", "candidates_max": 3, "nodes": 5_000, "comparisons_max": 990}}
CHESS = {"phase": 2, "game": "chess960", "a": "novice", "b": "novice", "games": 2}
HANDS = {"phase": 2, "game": "holdem", "a": "novice", "b": "novice", "hands": 4, "block_hands": 4}
ARMS = arms_of("tools")
PLAN: dict[str, Any] = {
    "title": "Tools",
    "seats": {"novice": {"kind": "novice"}, "briefed": {"kind": "novice", "briefing": "Likes the sea."}},
    "systems": SYSTEMS,
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 8},
    "holdem": {"session_hands": 4},
}
USE = ToolUse(calls_max=0, candidates_max=3, comparisons_max=990, nodes=5_000, is_placebo=False)
START = chess.Board.from_chess960_pos(100).fen()
LINES = ("g1f3 d7d5 d2d4 g8f6 c2c4", "e2e4 e7e5", "a2a4")
NUMBERS_AND_SQUARES = re.compile("[-+ 0-9a-h.]")
VALUES = ((31, None), (-5, None), (None, -12))


def plan(game: dict[str, Any], **changes: object) -> Plan:
    matches = [{**game, "condition": condition} for condition in ARMS.values()]
    return msgspec.convert({**PLAN, "matches": matches, **changes}, Plan)


def told_by_tools(question: Question) -> Answer:
    """The novices, a calculator, and an engine that likes a candidate the more the later it stands in the alphabet."""
    match question:
        case Chat():
            return Reply(text=scripted_players.scripted_reply("novice", question.messages, question.seed))
        case Calculate():
            return calculate(question)
        case Examine():
            moves = question.candidates or legal_after(question.start_fen, question.moves)[: question.lines_max or 1]
            order = sorted(moves)
            return Examined(tuple(ExaminedMove(37 * order.index(move), move, None) for move in moves))
        case _:
            raise AssertionError(question)


def asked(game: dict[str, Any], arm: str, **changes: object) -> list[tuple[Question, Answer]]:
    """Questions and answers of the first stream of an arm."""
    planned = plan(game, **changes)
    match = planned.matches[list(ARMS).index(arm)]
    return list(Exchanges(block_script(next(streams_of(match)), planned, DICE), told_by_tools))


def text(question: Chat) -> str:
    return question.messages[-1].content


# --- what is asked -------------------------------------------------------------------------------


def test_a_calculator_is_asked_what_its_seat_sees_and_nothing_else() -> None:
    exchanges = asked(HANDS, "real")
    calculations = [question for question, _ in exchanges if isinstance(question, Calculate)]
    assert calculations
    for (question, _), (after, _) in pairwise(exchanges):
        if isinstance(question, Calculate):
            assert isinstance(after, Chat)
            shown = after.messages[1].content.splitlines()
            assert shown[0] == f"Hole cards: [{', '.join(question.hole)}]"
            assert shown[1] == f"Board: [{', '.join(question.board)}]"
            assert (after.game, after.turn) == (question.game, question.turn)


@pytest.mark.parametrize("game", [CHESS, HANDS], ids=["chess", "holdem"])
def test_without_a_system_no_tool_is_asked_and_none_is_told(game: dict[str, Any]) -> None:
    exchanges = asked(game, "naked")
    assert {type(question) for question, _ in exchanges} == {Chat}
    assert not any(TOOL in text(question) for question, _ in exchanges if isinstance(question, Chat))


@pytest.mark.parametrize("game", [CHESS, HANDS], ids=["chess", "holdem"])
def test_seat_b_has_no_tool(game: dict[str, Any]) -> None:
    told = [TOOL in text(question) for question, _ in asked(game, "real") if isinstance(question, Chat)]
    assert any(told)
    assert not all(told)


def test_an_engine_examines_the_legal_candidates_once_each_and_no_more_than_it_may() -> None:
    game = Game960(START)
    legal = game.legal_moves()
    named = f"CANDIDATES: {legal[3]}, a1a8, {legal[0]} {legal[3]}; {legal[5]}, {legal[7]}"
    assert chess_tool.read_candidates(Reply(text=named), game, USE) == (legal[3], legal[0], legal[5])
    for reply in (Reply(text="CANDIDATES: none"), Reply(text="MOVE: e2e4"), NoReply(reason="refused")):
        assert chess_tool.read_candidates(reply, game, USE) == ()


def test_a_seat_that_names_no_candidate_is_told_so_and_no_engine_is_asked() -> None:
    def names_none(question: Question) -> Answer:
        assert isinstance(question, Chat)
        page = read_page(question.messages)
        return Reply(
            text="I do not know."
            if chess_tool.requested(page)
            else scripted_players.scripted_reply("random", question.messages, 1)
        )

    planned = plan(CHESS)
    exchanges = list(Exchanges(block_script(next(streams_of(planned.matches[2])), planned, DICE), names_none))
    told = [text(question) for question, _ in exchanges if isinstance(question, Chat) and TOOL in text(question)]
    assert told
    assert all(chess_tool.NO_CANDIDATES in prompt for prompt in told)


def test_calls_for_candidates_are_counted_and_are_no_decisions() -> None:
    planned = plan(CHESS)
    block = drive(block_script(next(streams_of(planned.matches[2])), planned, DICE), told_by_tools)
    a, b = block.tallies
    assert (a.calls, a.decisions) == (16, 8)
    assert (b.calls, b.decisions) == (8, 8)
    assert a.faults == b.faults == 0


def test_arms_draw_the_same_substitutes_whatever_was_asked_before_a_decision() -> None:
    def speechless(question: Question) -> Answer:
        return Reply(text="I pass.") if isinstance(question, Chat) else told_by_tools(question)

    planned = plan(CHESS)
    blocks = [drive(block_script(next(streams_of(match)), planned, DICE), speechless) for match in planned.matches]
    naked, *others = [[record.moves for record in block.records] for block in blocks]
    assert others == [naked, naked]


# --- what is told --------------------------------------------------------------------------------


def in_both_arms(game: dict[str, Any], **changes: object) -> Iterator[tuple[Chat, Chat]]:
    """The prompts of seat A in the real and in the placebo arm, where the situation is the same."""
    real, placebo = (
        {
            (question.turn, question.attempt, read_page(question.messages).situation): question
            for question, _ in asked(game, arm, **changes)
            if isinstance(question, Chat)
        }
        for arm in ("real", "placebo")
    )
    for key in real.keys() & placebo.keys():
        yield real[key], placebo[key]


@pytest.mark.parametrize("game", [CHESS, HANDS], ids=["chess", "holdem"])
@pytest.mark.parametrize("seat", ["novice", "briefed"])
def test_prompts_of_the_arms_differ_in_the_answer_alone_byte_by_byte(game: dict[str, Any], seat: str) -> None:
    differ = 0
    for real, placebo in in_both_arms({**game, "a": seat}):
        pages = [read_page(question.messages) for question in (real, placebo)]
        assert len(text(real).encode()) == len(text(placebo).encode())
        assert real.messages[0] == placebo.messages[0]
        assert text(real).replace(pages[0].tool, "") == text(placebo).replace(pages[1].tool, "") or not pages[0].tool
        differ += pages[0].tool != pages[1].tool
        for before, after in zip(*(page.tool.splitlines() for page in pages), strict=True):
            assert NUMBERS_AND_SQUARES.sub("", before) == NUMBERS_AND_SQUARES.sub("", after)
    assert differ


def test_the_answer_stands_between_situation_and_profile() -> None:
    prompt = next(text(real) for real, _ in in_both_arms({**HANDS, "a": "briefed"}) if TOOL in text(real))
    assert prompt.index("Legal actions: ") < prompt.index(TOOL) < prompt.index(PROFILE)


def examined(placebo: bool, stream: str = "x") -> str:
    game = Game960("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    use = msgspec.structs.replace(USE, is_placebo=placebo)
    moves = tuple(ExaminedMove(cp, line, mate) for line, (cp, mate) in zip(LINES, VALUES, strict=True))
    name = chess_tool.GameName("g00000", stream)
    candidates = tuple(line.partition(" ")[0] for line in LINES)
    return drive(chess_tool.consult(use, candidates, game, name, DICE), lambda _: Examined(moves))


def test_candidates_are_told_the_best_first_with_the_engines_lines() -> None:
    *_, first, second, third = examined(placebo=False).splitlines()
    assert first == "g1f3: +0.31, then d7d5 d2d4 g8f6 c2c4"
    assert second == "e2e4: -0.05, then e7e5"
    assert third == "a2a4: mate -12"


@pytest.mark.parametrize("stream", [f"draw {number}" for number in range(20)])
def test_a_placebo_of_the_engine_is_legal_and_of_the_same_form(stream: str) -> None:
    real, placebo = examined(placebo=False).splitlines(), examined(placebo=True, stream=stream).splitlines()
    assert real[:-3] == placebo[:-3]
    assert [len(line) for line in real] != [0]
    assert sum(map(len, real)) == sum(map(len, placebo))
    assert sorted(re.sub(r"[0-9]", "#", line.split(":")[1].split(",")[0].strip(" +-")) for line in placebo[-3:]) == [
        "#.##",
        "#.##",
        "mate +##" if "mate +" in " ".join(placebo[-3:]) else "mate -##",
    ]
    for line in placebo[-3:]:
        first, _, rest = line.partition(": ")
        board = chess.Board(chess960=True)
        for move in (first, *rest.partition("then ")[2].split()):
            assert chess.Move.from_uci(move) in board.legal_moves
            board.push_uci(move)
    assert {line.partition(":")[0] for line in placebo[-3:]} == {line.partition(" ")[0] for line in LINES}


def test_a_placebo_is_drawn_anew_for_each_decision() -> None:
    assert len({examined(placebo=True, stream=f"draw {number}") for number in range(20)}) > 10


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ((), "findings about g1f3 e2e4 a2a4"),
        (tuple(ExaminedMove(1, line, None) for line in reversed(LINES)), "findings about g1f3 e2e4 a2a4"),
        (tuple(ExaminedMove(1, line, 1) for line in LINES), "values in centipawns or in moves to mate"),
        (tuple(ExaminedMove(None, line, 0) for line in LINES), "values in centipawns or in moves to mate"),
        (tuple(ExaminedMove(10**13, line, None) for line in LINES), "values up to 1000000"),
        (tuple(ExaminedMove(1, f"{line} Resign!", None) for line in LINES), "lines of at most 5 moves"),
        (tuple(ExaminedMove(1, f"{line} a7a6", None) for line in LINES), "lines of at most 5 moves"),
    ],
)
def test_an_answer_about_something_else_diverges(moves: tuple[ExaminedMove, ...], expected: str) -> None:
    candidates = tuple(line.partition(" ")[0] for line in LINES)
    script = chess_tool.consult(USE, candidates, Game960(START), chess_tool.GameName("g", "x"), DICE)
    with pytest.raises(Divergence, match=expected):
        drive(script, lambda _: Examined(moves))


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        (
            Calculated(990, 562, exact=True, price_permille=333),
            (" 56.2 % (all showdowns counted)", " 33.3 %", " +22.9 points"),
        ),
        (
            Calculated(4978, 50, exact=False, price_permille=1000),
            ("  5.0 % (a sample of 4,978 showdowns)", "100.0 %", " -95.0 points"),
        ),
        (
            Calculated(990, 1000, exact=True, price_permille=0),
            ("100.0 % (all showdowns counted)", "  0.0 %", "+100.0 points"),
        ),
    ],
)
def test_odds_are_told_in_numbers_of_one_width_and_read_back(answer: Calculated, lines: tuple[str, ...]) -> None:
    told = answer_text(answer)
    assert tuple(line.partition(": ")[2] for line in told.splitlines()) == lines
    page = read_page((Message(f"Hole cards: [As, Ks]{TOOL}{told}{PROFILE}- A fact", "user"),))
    assert read_odds(page) == ToldOdds(answer.equity_permille, answer.price_permille)


# --- plans ---------------------------------------------------------------------------------------


def test_a_plan_with_tools_can_be_run_and_chess_needs_the_engine_for_it() -> None:
    assert problems(plan(CHESS)) == problems(plan(HANDS)) == []
    assert needs_engine(plan(CHESS))
    assert not needs_engine(plan(HANDS))


def test_a_game_without_a_tool_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(GAMES["holdem"]), "tool_templates", {})
    found = [str(problem) for problem in condition_problems(plan(HANDS))]
    assert len(found) == 2
    assert all("expected no tools: hold'em has no tool" in one for one in found)


def test_a_tools_system_is_for_tools_alone() -> None:
    match = {**HANDS, "condition": {"augmentation": "memory", "arm": "real", "system": "tools"}}
    planned = msgspec.convert({**PLAN, "matches": [{**HANDS, "condition": {"augmentation": "memory"}}, match]}, Plan)
    assert ["expected tools with system tools" in str(problem) for problem in condition_problems(planned)] == [True]


def test_the_words_of_tools_are_sealed_where_a_plan_has_them() -> None:
    without, with_tools = (
        manifest.prompt_digests("agz-0.1"),
        manifest.prompt_digests("agz-0.1", plan(CHESS).systems.values()),
    )
    names = {"chess960/tool_answer", "chess960/tool_request", "holdem/tool_answer"}
    assert names <= with_tools.keys()
    assert not names & without.keys()


# --- scripted players ----------------------------------------------------------------------------


def page_of(tool: str = "", request: str = "", profile: str = "") -> tuple[Message, ...]:
    game = Game960(START)
    return (Message("Play.", "system"), turn_message(game, PromptStyle.STANDARD, profile, tool, request))


@pytest.mark.parametrize("kind", ["random", "novice", "reference"])
def test_a_scripted_player_names_legal_candidates_and_then_moves(kind: str) -> None:
    game, request = Game960(START), chess_tool.request(USE)
    asked = Reply(text=scripted_players.scripted_reply(kind, page_of(request=request), 7))
    candidates = chess_tool.read_candidates(asked, game, USE)
    assert len(set(candidates)) == 3
    answer = "\n".join(f"{move}: +0.10, then a7a6" for move in candidates[::-1])
    reply = scripted_players.scripted_reply(kind, page_of(tool=chess_tool.ANSWER.format(nodes=5_000, lines=answer)), 7)
    expected = candidates[-1] if kind != "random" else scripted_players.scripted_reply(kind, page_of(), 7)
    assert reply.endswith(expected)


def test_a_reference_player_keeps_its_rules_whatever_its_tool_says() -> None:
    rule = Message(
        "You must keep this rule in every game: " + GAMES["chess960"].patterns[ChessPattern.PUSHES_ROOK_PAWNS], "system"
    )
    answer = chess_tool.ANSWER.format(nodes=5_000, lines="e2e4: +9.10")
    reply = scripted_players.scripted_reply("reference", (rule, page_of(tool=answer)[1]), 7)
    assert re.search(r"MOVE: [ah]", reply)


@pytest.mark.parametrize(
    ("equity", "price", "legal", "action"),
    [
        (400, 333, "fold, call, raise to a total from 4 to 98 BB", "call"),
        (300, 333, "fold, call, raise to a total from 4 to 98 BB", "fold"),
        (300, 0, "check, bet from 1 to 98 BB", "check"),
        (700, 333, "fold, call, raise to a total from 4 to 98 BB", "raise to 8"),
        (700, 333, "fold, call", "call"),
        (None, 0, "fold, call", "call"),
        (None, 0, "check, bet from 1 to 98 BB", "check"),
    ],
)
def test_a_novice_of_holdem_goes_by_equity_and_price(equity: int | None, price: int, legal: str, action: str) -> None:
    to_call = "2" if "call" in legal else "0"
    told = TOOL + answer_text(Calculated(990, equity, exact=True, price_permille=price)) if equity is not None else ""
    text = (
        f"Hole cards: [As, Kd]\nBoard: [2c, 3d, 4h]\nPot: 4 BB | To call: {to_call} BB\n"
        f"Stacks: you 98 BB | opponent 96 BB\nAction: preflop: opponent call, you check; flop: opponent bet 2 BB\n"
        f"Position: Big blind\nLegal actions: {legal}{told}"
    )
    assert scripted_players.scripted_reply("novice", (Message("Play.", "system"), Message(text, "user")), 1).endswith(
        f"ACTION: {action}"
    )


# --- tool calls of a model -----------------------------------------------------------------------

CALLING: dict[str, Any] = {"tools": {**SYSTEMS["tools"], "use": "model", "calls_max": 2}}
MODEL: dict[str, Any] = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}
SEATS: dict[str, Any] = {"novice": MODEL}
CALLS = {
    "evaluate_position": ("{}", engine_tools.EVALUATED.partition("{")[0]),
    "compare_moves": ('{"moves":"a2a3, h2h3, a7a6, h7h6"}', chess_tool.ANSWER.partition("{")[0]),
    "best_lines": ('{"lines":2}', engine_tools.FOUND.partition("{")[0]),
    "calculate_odds": ("{}", "Equity against one random hand: "),
}
CALLABLE = [(HANDS if name == "calculate_odds" else CHESS, name) for name in CALLS]


class Caller:
    """A model that makes these calls of whatever it is offered, one a reply, before it plays by chance."""

    def __init__(self, *calls: ToolCall) -> None:
        self.calls, self.results, self.systems = calls, list[str](), set[str]()

    def __call__(self, question: Question) -> Answer:
        if not isinstance(question, Chat):
            return told_by_tools(question)
        made = sum(message.role == "assistant" for message in question.messages)
        self.results += [message.content for message in question.messages[-1:] if message.role == "tool"]
        if question.with_tools and made < len(self.calls):
            self.systems.add(question.messages[0].content)
            return Reply(text="I wonder.", tool_calls=(self.calls[made],))
        return Reply(text=scripted_players.scripted_reply("random", question.messages, question.seed))


def called(game: dict[str, Any], arm: str, *calls: ToolCall) -> tuple[Caller, list[tuple[Question, Answer]]]:
    planned = plan(game, systems=CALLING, seats=SEATS)
    caller, match = Caller(*calls), planned.matches[list(ARMS).index(arm)]
    return caller, list(Exchanges(block_script(next(streams_of(match)), planned, DICE), caller))


@pytest.mark.parametrize(("game", "name"), CALLABLE)
def test_a_model_calls_its_tool_within_its_budget_and_is_told_the_answer(game: dict[str, Any], name: str) -> None:
    arguments, answer = CALLS[name]
    caller, exchanges = called(game, "real", *[ToolCall(arguments, name)] * 3)
    asked_of_tool = [question for question, _ in exchanges if isinstance(question, Calculate | Examine)]
    offered = [question for question, _ in exchanges if isinstance(question, Chat) and question.with_tools]
    assert {name in {tool.name for tool in question.with_tools} for question in offered} == {True}
    assert [question.attempt for question in asked_of_tool[:4]] == [1, 2, 1, 2]
    assert [result.startswith(answer) for result in caller.results[:3]] == [True, True, False]
    assert caller.results[2].startswith("The budget of 2 calls is used up")
    assert all("at most 2 calls of" in system.replace("\n", " ") for system in caller.systems)
    assert not any(TOOL in question.messages[1].content for question in offered)


@pytest.mark.parametrize("game", [CHESS, HANDS], ids=["chess", "holdem"])
def test_naked_arms_offer_no_tools_of_model_use(game: dict[str, Any]) -> None:
    _, exchanges = called(game, "naked")
    assert not any(question.with_tools for question, _ in exchanges if isinstance(question, Chat))


@pytest.mark.parametrize(
    ("game", "call", "told", "shown"),
    [
        (CHESS, ToolCall("{}", "compare_moves"), "Not examined: ", ("compare_moves", "{}")),
        (CHESS, ToolCall('{"moves":""}', "compare_moves"), "Not examined: ", ("compare_moves", "{}")),
        (CHESS, ToolCall('{"moves":"a\\u0000"}', "compare_moves"), "Not examined: ", ("compare_moves", "{}")),
        (CHESS, ToolCall("no JSON", "compare_moves"), "Not examined: ", ("compare_moves", "{}")),
        (CHESS, ToolCall('{"moves":"e9e9"}', "compare_moves"), chess_tool.NO_CANDIDATES, ("compare_moves", None)),
        (
            CHESS,
            ToolCall("{}", "best_move"),
            "There is no such tool. On offer: evaluate_position, compare_moves, best_lines.",
            ("unknown_tool", "{}"),
        ),
        (CHESS, ToolCall('{"depth":3}', "evaluate_position"), "Not evaluated: ", ("evaluate_position", "{}")),
        (CHESS, ToolCall('{"lines":0}', "best_lines"), "Not searched: ", ("best_lines", "{}")),
        (CHESS, ToolCall('{"lines":11}', "best_lines"), "Not searched: ", ("best_lines", "{}")),
        (CHESS, ToolCall('{"lines":"2"}', "best_lines"), "Not searched: ", ("best_lines", "{}")),
        (HANDS, ToolCall('{"hole":"As Ks"}', "calculate_odds"), "Not calculated: ", ("calculate_odds", "{}")),
        (HANDS, ToolCall('{"hands_percent":4}', "calculate_odds"), "Not calculated: ", ("calculate_odds", "{}")),
        (HANDS, ToolCall('{"hands_percent":101}', "calculate_odds"), "Not calculated: ", ("calculate_odds", "{}")),
        (HANDS, ToolCall("[]", "calculate_odds"), "Not calculated: ", ("calculate_odds", "{}")),
    ],
)
def test_a_call_that_is_not_as_declared_is_told_so_and_asks_no_tool(
    game: dict[str, Any], call: ToolCall, told: str, shown: tuple[str, str | None]
) -> None:
    caller, exchanges = called(game, "real", call)
    assert caller.results
    assert all(result.startswith(told) for result in caller.results)
    assert not any(isinstance(question, Calculate | Examine) for question, _ in exchanges)
    after = next(question for question, _ in exchanges if isinstance(question, Chat) and question.attempt == 1)
    (sent,) = next(message.tool_calls for message in after.messages if message.tool_calls)
    assert (sent.name, sent.arguments) == (shown[0], shown[1] or call.arguments)


@pytest.mark.parametrize(("game", "name"), CALLABLE)
def test_a_placebo_of_calls_tells_answers_of_the_same_length(game: dict[str, Any], name: str) -> None:
    call = ToolCall(CALLS[name][0], name)
    real, placebo = (called(game, arm, call)[0].results for arm in ("real", "placebo"))
    assert len(real[0]) == len(placebo[0])
    assert real[0] != placebo[0]


@pytest.mark.parametrize("arguments", ["", " ", "null", "{}"])
@pytest.mark.parametrize("name", ["evaluate_position", "best_lines", "calculate_odds"])
def test_a_call_without_arguments_is_one_however_a_server_spells_it(name: str, arguments: str) -> None:
    game = HANDS if name == "calculate_odds" else CHESS
    caller, exchanges = called(game, "real", ToolCall(arguments, name))
    assert all(result.startswith(CALLS[name][1]) for result in caller.results)
    after = next(question for question, _ in exchanges if isinstance(question, Chat) and question.attempt == 1)
    (sent,) = next(message.tool_calls for message in after.messages if message.tool_calls)
    assert (sent.name, sent.arguments) == (name, "{}")


@pytest.mark.parametrize("arm", ["real", "placebo"])
@pytest.mark.parametrize(("game", "name"), CALLABLE)
def test_a_tool_that_is_asked_the_same_twice_tells_the_same(game: dict[str, Any], name: str, arm: str) -> None:
    """A placebo drew anew for each call, and so gave itself away."""
    call = ToolCall(CALLS[name][0], name)
    caller, _ = called(game, arm, call, call)
    first, second = caller.results[0], caller.results[1]
    assert first == second


def test_a_promotion_has_no_place_of_its_own_in_a_placebo() -> None:
    """It stood at its true rank always, being a letter longer."""
    board = chess.Board("k7/4P3/8/8/8/8/8/K7 w - - 0 1")
    moves = [
        ExaminedMove(900, "e7e8q", None),
        *(ExaminedMove(10 - at, f"a1{to}", None) for at, to in enumerate(("a2", "b1", "b2"))),
    ]
    firsts = [move.line for move in moves]
    places = set()
    for number in range(40):
        told = drawn(moves, firsts, board, DICE.stream(f"t/{number}"))
        places.add([move.line.partition(" ")[0] for move in told].index("e7e8q"))
    assert places == {0, 1, 2, 3}


def test_best_lines_stand_in_the_order_in_which_they_were_found() -> None:
    """Each is of another search, so a later one may have a greater value; the engine's own move is the first."""
    caller, exchanges = called(CHESS, "real", ToolCall('{"lines":3}', "best_lines"))
    found = next(answer for _, answer in exchanges if isinstance(answer, Examined))
    told = [line.partition(":")[0] for line in caller.results[0].split("\n")[1:]]
    assert told == [move.line.partition(" ")[0] for move in found.moves]


def test_a_model_is_offered_what_its_plan_says_and_no_more() -> None:
    planned = plan(CHESS, systems={"tools": {**CALLING["tools"], "offers": ["best_lines"]}}, seats=SEATS)
    caller = Caller(ToolCall('{"moves":"a2a3"}', "compare_moves"))
    drive(block_script(next(streams_of(planned.matches[list(ARMS).index("real")])), planned, DICE), caller)
    assert set(caller.results) == {"There is no such tool. On offer: best_lines."}
    (system,) = {text.partition("You can call tools")[2] for text in caller.systems}
    assert "best_lines finds your best moves, at most 3." in system
    assert "compare_moves" not in system


@pytest.mark.parametrize(("wished", "searched"), [('{"lines":2}', 2), ('{"lines":9}', 3), ("{}", 3)])
def test_as_many_best_lines_are_searched_as_a_call_wishes_and_the_plan_allows(wished: str, searched: int) -> None:
    caller, exchanges = called(CHESS, "real", ToolCall(wished, "best_lines"))
    searches = [question for question, _ in exchanges if isinstance(question, Examine)]
    assert {(question.candidates, question.lines_max) for question in searches} == {((), searched)}
    assert {result.count("\n") for result in caller.results} == {searched}


def test_the_value_of_a_position_names_no_move() -> None:
    caller, exchanges = called(CHESS, "real", ToolCall("{}", "evaluate_position"))
    searches = [question for question, _ in exchanges if isinstance(question, Examine)]
    assert {(question.candidates, question.lines_max) for question in searches} == {((), 0)}
    assert {result.rpartition("\n")[2] for result in caller.results} == {"+0.00"}


def test_a_placebo_of_best_lines_names_drawn_legal_moves() -> None:
    call = ToolCall('{"lines":3}', "best_lines")
    named: dict[str, list[list[str]]] = {}
    for arm in ("real", "placebo"):
        caller, _ = called(CHESS, arm, call)
        named[arm] = [[line.partition(":")[0] for line in result.split("\n")[1:]] for result in caller.results]
    assert all(len(set(moves)) == 3 for moves in named["placebo"])
    first_legal = {chess.Move.from_uci(move) for move in named["placebo"][0]}
    assert len(named["real"]) == len(named["placebo"])
    assert named["real"][0] != named["placebo"][0]
    start = next(question for question, _ in called(CHESS, "placebo", call)[1] if isinstance(question, Examine))
    assert first_legal <= set(Game960(start.start_fen).board.legal_moves)


def test_a_model_may_say_which_hands_its_opponent_holds() -> None:
    caller, exchanges = called(HANDS, "real", ToolCall('{"hands_percent":20}', "calculate_odds"))
    assert {question.hands_percent for question, _ in exchanges if isinstance(question, Calculate)} == {20}
    assert all(result.startswith("Equity against the strongest 20 % of hands: ") for result in caller.results)


@pytest.mark.parametrize(
    ("lines", "moves", "expected"),
    [
        (2, ("a2a3", "a2a3"), "findings about 2 legal moves"),
        (2, ("a2a3",), "findings about 2 legal moves"),
        (2, ("a2a3", "e2e5"), "findings about 2 legal moves"),
        (0, (), "findings about 1 legal moves"),
        (0, ("a2a3", "h2h3"), "findings about 1 legal moves"),
    ],
)
def test_findings_that_are_not_what_was_asked_diverge(lines: int, moves: tuple[str, ...], expected: str) -> None:
    def answer(question: Question) -> Answer:
        if isinstance(question, Examine):
            return Examined(tuple(ExaminedMove(5, move, None) for move in moves))
        return calling(question)

    arguments = f'{{"lines":{lines}}}' if lines else "{}"
    calling = Caller(ToolCall(arguments, "best_lines" if lines else "evaluate_position"))
    planned = plan(CHESS, systems=CALLING, seats=SEATS)
    stream = next(streams_of(planned.matches[list(ARMS).index("real")]))
    with pytest.raises(Divergence, match=expected):
        drive(block_script(stream, planned, DICE), answer)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"offers": ["best_lines"]}, "offers: expected none with use harness: no model calls a tool"),
        ({"offers": ["best_lines", "best_lines"]}, "offers: expected each tool once, found best_lines, best_lines"),
        ({"use": "model"}, "calls_max: expected 1 to 20, the calls that a model may make before each decision"),
        ({"calls_max": 2}, "calls_max: expected 0 with use harness: no model calls a tool"),
        ({"use": "model", "calls_max": 2}, "use: expected harness: novice is a novice seat, which calls no tools"),
    ],
)
def test_a_way_of_use_that_cannot_be_is_refused(changes: dict[str, Any], expected: str) -> None:
    found = [str(problem) for problem in problems(plan(HANDS, systems={"tools": {**SYSTEMS["tools"], **changes}}))]
    assert any(expected in one for one in found), found


@pytest.mark.parametrize("game", [CHESS, HANDS], ids=["chess960", "holdem"])
@pytest.mark.parametrize("arms", [ARMS, {"naked": ARMS["naked"]}], ids=["used", "named alone"])
def test_fewer_nodes_than_the_least_of_the_protocol_are_refused(game: dict[str, Any], arms: dict[str, Any]) -> None:
    least = load_protocol("agz-0.1").tools.nodes_min

    def found(nodes: int) -> list[str]:
        matches = [{**game, "condition": condition} for condition in arms.values()]
        systems = {"tools": {**SYSTEMS["tools"], "nodes": nodes}}
        return [str(problem) for problem in problems(plan(game, systems=systems, matches=matches))]

    assert found(least) == []
    expected = f"systems.tools.nodes: expected {least:,} or more, the least of agz-0.1, found {least - 1:,}: "
    assert [one.startswith(expected) for one in found(least - 1)] == [True]


def test_the_least_of_another_protocol_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    norms = msgspec.structs.replace(load_protocol("agz-0.1"), tools=ToolsNorm(5_001))
    monkeypatch.setattr(plan_conditions, "load_protocol", lambda _: norms)
    assert [str(problem)[:44] for problem in problems(plan(CHESS))] == ["systems.tools.nodes: expected 5,001 or more,"]


def test_tools_that_the_harness_asks_and_tools_that_a_model_calls_are_not_in_one_plan() -> None:
    condition = {"augmentation": "tools", "arm": "real"}
    both = {"tools": SYSTEMS["tools"], "called": CALLING["tools"]}
    for systems, mixed in ((both, True), ({**both, "called": SYSTEMS["tools"]}, False)):
        matches = [{**HANDS, "condition": {**condition, "system": name}} for name in systems]
        found = [str(problem) for problem in problems(plan(HANDS, systems=systems, matches=matches))]
        expected = "use: expected one way of use of all systems of kind tools, found harness and model"
        assert any(expected in one for one in found) == mixed, found
