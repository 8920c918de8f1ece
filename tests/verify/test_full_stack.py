"""The full stack: what is recalled steers what the tool examines, the arms differ in the augmented text alone."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import msgspec
import pytest
from pokerkit import StandardHighHand

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import (
    Calculate,
    Calculated,
    Chat,
    Examine,
    Message,
    NoReply,
    Question,
    Reply,
    Search,
)
from agzamov_verify.core.script import Exchanges
from agzamov_verify.documents.library import DOCUMENTS
from agzamov_verify.games.chess import novice_player as chess_novice
from agzamov_verify.games.chess.prompt import PromptStyle, turn_message
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.games.chess.tool import STEERED, request
from agzamov_verify.games.holdem import tool as holdem_tool
from agzamov_verify.games.holdem.calculator import equity
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.pattern_sentences import PokerPattern
from agzamov_verify.games.holdem.starting_hands import PERCENT_MIN, percents, strongest
from agzamov_verify.plan import manifest
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.plan_problems import image_parts, needs_engine, problems
from agzamov_verify.plan.streams import block_script, donor_of, memories_played, memory_stores, streams_of
from agzamov_verify.scoring.departures import departures
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.show.xray import SeatMemory, XrayedDecision, seats_with_memory, xray, xray_document, xray_lines
from agzamov_verify.systems import FullSystem
from agzamov_verify.table import scripted_players
from agzamov_verify.table.game_tool import ToolUse
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, PROFILE, TOOL, read_page
from agzamov_verify.table.registry import GAMES
from stack_world import CHESS, FULL, HANDS, SYSTEMS, StackWorld, plan_of

DICE = Dice(bytes(32))
ROOK_PAWNS = "Pushed its a-pawn or h-pawn in its first 6 moves where it could: 9 of 9"
PAIRS = "Min-raised a pocket pair that was shown: 9 of 9"
USE = ToolUse(calls_max=0, candidates_max=3, comparisons_max=990, nodes=5_000, is_placebo=False, is_steered=True)
BOTH = pytest.mark.parametrize(("game", "note"), [(CHESS, ROOK_PAWNS), (HANDS, PAIRS)], ids=["chess", "holdem"])


def plan(*matches: dict[str, Any], **changes: Any) -> Plan:
    return msgspec.convert(plan_of(*(matches or (CHESS, HANDS)), **changes), Plan)


def with_system(name: str, **settings: object) -> Plan:
    return plan(HANDS, systems={**SYSTEMS, name: {**SYSTEMS[name], **settings}})


def asked(game: dict[str, Any], arm: str, world: Callable[[Question], Any] | None = None) -> list[Question]:
    """The questions of the first stream of an arm."""
    planned = plan(game)
    match = planned.matches[list(FULL).index(arm)]
    story = Exchanges(block_script(next(streams_of(match)), planned, DICE), world or StackWorld())
    return [question for question, _ in story]


def chats(questions: list[Question], seat: str = "novice") -> Iterator[Chat]:
    return (question for question in questions if isinstance(question, Chat) and question.to == seat)


def text(question: Chat) -> str:
    return question.messages[1].content


# --- plans ---------------------------------------------------------------------------------------


def test_a_plan_with_a_full_stack_can_be_run_and_all_its_parts_are_played() -> None:
    planned = plan()
    assert problems(planned) == []
    assert planned.systems_played == ("full", "recent", "tool", "basics")
    assert memories_played(planned) == ("recent",)
    assert set(memory_stores(planned).values()) == {"recent"}
    assert needs_engine(planned)
    server = planned.systems["recent"].image_part
    assert server
    assert image_parts(plan(isolation="container")) == tuple(sorted(("engine", "harness", server, "tools")))
    assert planned.ways_of_use == {"memory": ["harness"], "tools": ["harness"]}
    for words in ("memory recent", "tools tool", "documents basics"):
        assert words in planned.systems["full"].words(GAMES)


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("full", {"memory": ""}, "systems.full.memory: expected the name of a system of the plan for memory"),
        ("full", {"tools": "axe"}, "systems.full: expected a system of the plan for tools, found axe"),
        ("full", {"documents": "tool"}, "systems.full: expected a system of the plan for rag, found tool"),
        ("full", {"memory": "full"}, "systems.full: expected a system of the plan for memory, found full"),
        ("full", {"traits": ["semantic"]}, "systems.full.traits: expected none that the system cannot have"),
        (
            "tool",
            {"use": "model", "calls_max": 1},
            "systems.tool.use: expected harness: tool is a part of full, whose parts the harness asks",
        ),
        (
            "basics",
            {"documents": "none"},
            (
                "systems.basics.documents: expected one of basics, or a folder of your own with a slash: none/, found"
                " none"
            ),
        ),
        ("recent", {"half_life_games": 3}, "systems.recent.half_life_games: expected 0"),
    ],
)
def test_one_defect_of_a_part_is_one_line(name: str, settings: dict[str, Any], expected: str) -> None:
    found = {str(problem) for problem in problems(with_system(name, **settings))}
    assert any(line.startswith(expected) for line in found), found


@pytest.mark.parametrize("part", ["tools", "documents"])
def test_one_system_is_no_two_parts_of_a_full_stack(part: str) -> None:
    """Two parts of one name would be one part, and the stack less than it says."""
    wished = {**SYSTEMS, "full": {**SYSTEMS["full"], part: SYSTEMS["full"]["memory"]}}
    found = [str(problem) for problem in problems(plan(HANDS, systems=wished))]
    expected = f"systems.full.{part}: expected another system than the other parts are, found recent twice"
    assert expected in found, found


def test_a_full_stack_keeps_a_store_so_careers_are_planned() -> None:
    found = [str(problem) for problem in problems(plan({**HANDS, "careers": 0}))]
    assert any("expected a number of careers: recent keeps a store" in line for line in found)


def test_departures_of_a_part_are_told() -> None:
    oracle = {"kind": "oracle", "facts": "Folds.", "placebo": "Calls."}
    systems = {**SYSTEMS, "truth": oracle}
    for memory in ("truth", "recent"):
        planned = plan(HANDS, systems={**systems, "full": {**SYSTEMS["full"], "memory": memory}})
        told = any("system truth is an oracle" in line for line in departures(planned))
        assert told == (memory == "truth")


def test_every_word_of_the_requests_is_sealed() -> None:
    names = manifest.prompt_digests("agz-0.1", plan(HANDS).systems.values())
    assert {"chess960/tool_request_steered", "holdem/tool_request", "holdem/tool_hands"} <= names.keys()


# --- prompts -------------------------------------------------------------------------------------


@BOTH
def test_what_is_recalled_stands_where_a_seat_says_what_is_to_be_examined(game: dict[str, Any], note: str) -> None:
    requests = [question for question in chats(asked(game, "real", StackWorld(note))) if question.attempt == 0]
    told = [question for question in requests if note in text(question)]
    assert len(requests) > len(told) > 0
    for question in told:
        prompt = text(question)
        assert prompt.index("This is not yet the time to ") < prompt.index(DOCUMENTS) < prompt.index(PROFILE)
        assert "In the light of what you are told" in prompt or STEERED in prompt
        assert TOOL not in prompt


@BOTH
def test_prompts_of_the_arms_differ_in_the_augmented_text_alone(game: dict[str, Any], note: str) -> None:
    """Whatever is played, for the players answer alike in all arms: by chance, deaf to what they are told."""

    class Deaf(StackWorld):
        def __call__(self, question: Question) -> Any:
            if not isinstance(question, Chat):
                return super().__call__(question)
            page = read_page(question.messages)
            situation = Message(page.situation, "user")
            player = "random" if game is CHESS or not holdem_tool.is_requested(page) else "novice"
            return Reply(text=scripted_players.scripted_reply(player, (Message("", "system"), situation), 7))

    naked, placebo, real = (list(chats(asked(game, arm, Deaf(note)))) for arm in FULL)
    assert [(one.game.rpartition("-")[2], one.turn, one.attempt) for one in real] == [
        (one.game.rpartition("-")[2], one.turn, one.attempt) for one in placebo
    ]
    decisions = 0
    for true, drawn in zip(real, placebo, strict=True):
        assert true.messages[0] == drawn.messages[0]
        pages = read_page(true.messages), read_page(drawn.messages)
        assert pages[0].situation == pages[1].situation
        assert without(true) == without(drawn)
        assert bool(pages[0].profile) == bool(pages[1].profile)
        assert bool(pages[0].documents) == bool(pages[1].documents)
        assert len(pages[0].tool) == len(pages[1].tool) or game is CHESS
        decisions += true.attempt
    assert decisions == len(naked) == len(real) // 2
    asked_for = [question for question in real if question.attempt]
    assert [without(question) for question in asked_for] == [without(question) for question in naked]
    assert {read_page(question.messages).profile for question in naked} == {NOTHING_REMEMBERED}


def without(question: Chat) -> str:
    """A user message without the augmented text."""
    page, prompt = read_page(question.messages), text(question)
    for head, part in ((DOCUMENTS, page.documents), (TOOL, page.tool), (PROFILE, page.profile)):
        prompt = prompt.replace(head + part, "", 1) if part else prompt
    return prompt


def test_the_placebo_has_a_donors_notes_irrelevant_passages_and_a_drawn_answer() -> None:
    pages = [read_page(question.messages) for question in chats(asked(HANDS, "placebo", StackWorld(PAIRS)))]
    told = {page.profile for page in pages} - {"", NOTHING_REMEMBERED}
    planned = plan(HANDS)
    donor = donor_of(next(streams_of(planned.matches[list(FULL).index("placebo")])), 0, planned, DICE)
    assert told
    assert all(donor.notes_in(profile) == [profile] for profile in told)
    found = asked(HANDS, "real", StackWorld(PAIRS))
    assert not {page.documents for page in pages} & {read_page(one.messages).documents for one in chats(found)}
    answers: list[int] = []

    def noting(question: Question) -> Any:
        answer = world(question)
        if isinstance(answer, Calculated):
            answers.append(answer.equity_permille)
        return answer

    world = StackWorld(PAIRS)
    odds = [holdem_tool.read_odds(read_page(one.messages)) for one in chats(asked(HANDS, "placebo", noting))]
    assert [one.equity_permille for one in odds if one] != answers


def test_hands_that_a_seat_declares_are_those_that_it_is_compared_with() -> None:
    said = {"HANDS: 30": 30, "HANDS: 5 %": 5, "HANDS: 4": 100, "HANDS: 101": 100, "HANDS: few": 100, "fold": 100}
    assert {words: holdem_tool.read_hands(Reply(text=words)) for words in said} == said
    assert holdem_tool.read_hands(NoReply(reason="refused")) == 100

    class Narrow(StackWorld):
        def __call__(self, question: Question) -> Any:
            if isinstance(question, Chat) and holdem_tool.is_requested(read_page(question.messages)):
                return Reply(text="HANDS: 30")
            return super().__call__(question)

    questions = asked(HANDS, "real", Narrow())
    assert {question.hands_percent for question in questions if isinstance(question, Calculate)} == {30}
    told = [read_page(question.messages) for question in chats(questions) if question.attempt]
    assert all(page.tool.startswith("Equity against the strongest 30 % of hands: ") for page in told)
    assert all(holdem_tool.read_odds(page) for page in told)


# --- the calculator ------------------------------------------------------------------------------


@pytest.mark.parametrize("percent", [PERCENT_MIN, 30])
def test_on_the_river_the_strongest_hands_are_compared_as_pokerkit_compares_them(percent: int) -> None:
    hole, river = ("8s", "9s"), ("Ts", "3h", "Js", "2d", "Qc")
    unseen = [card for card in DECK if card not in (*hole, *river)]
    mine = StandardHighHand.from_game("".join(hole), "".join(river))
    hands = [hand for hand in combinations(unseen, 2) if percents()[hand[1], hand[0]] < percent]
    theirs = [StandardHighHand.from_game("".join(hand), "".join(river)) for hand in hands]
    found = equity(hole, river, 5_000, 1, percent)
    assert found == (sum(2 * (mine > one) + (mine == one) for one in theirs), len(hands), True)


def test_against_stronger_hands_equity_is_less_and_a_sample_is_near_it() -> None:
    hole, turn = ("Kd", "9s"), ("Ts", "3h", "Js", "2d")
    exact = [equity(hole, turn, 100_000, 1, percent) for percent in (5, 40, 100)]
    shares = [one.halfpoints / one.compared / 2 for one in exact]
    assert shares == sorted(shares)
    assert all(one.exact for one in exact)
    sample = equity(hole, turn, 5_000, 3, 40)
    assert sample.compared <= 5_000
    assert abs(sample.halfpoints / sample.compared / 2 - shares[1]) < 0.03
    before = [equity(hole, (), 5_000, 1, percent) for percent in (5, 100)]
    assert before[0].exact
    assert before[0].halfpoints / before[0].compared < before[1].halfpoints / before[1].compared


@pytest.mark.parametrize("percent", [PERCENT_MIN, 50])
def test_the_strongest_hands_are_as_many_as_their_share(percent: int) -> None:
    assert 0 <= len(strongest(percent)) - percent * 1_326 / 100 < 1
    assert ("Ac", "Ad") in strongest(percent)
    assert ("2c", "3d") not in strongest(percent)


def test_seven_cards_never_take_all_of_the_least_share() -> None:
    """Three cards of a rank take all its pairs, so seven take those of two ranks at most."""
    pairs = {first[0] for first, second in strongest(PERCENT_MIN) if first[0] == second[0]}
    assert len(pairs) > 2


# --- scripted players ----------------------------------------------------------------------------


def named(fen: str, profile: str, documents: str = "") -> list[str]:
    """What the novice of chess has examined."""
    message = turn_message(Game960(fen), PromptStyle.STANDARD, profile, request=request(USE), documents=documents)
    reply = scripted_players.scripted_reply("novice", (Message("Play.", "system"), message), 7)
    return reply.rpartition("CANDIDATES: ")[2].split(", ")


def test_a_novice_of_chess_has_the_middle_examined_where_it_recalls_that_its_opponent_pushes_rook_pawns() -> None:
    fen, advice = "4k3/8/8/q7/1P6/8/3P4/4K3 w - - 0 {move}", f"- {chess_novice.CAPTURES_ADVICE}"
    early, late = fen.format(move=6), fen.format(move=7)
    assert named(early, "") == named(early, "Likes the sea.")
    assert named(early, ROOK_PAWNS) != named(early, "")
    assert named(early, ROOK_PAWNS)[0] == "d2d4"
    assert named(early, "", advice)[0] == "b4a5"
    assert named(early, ROOK_PAWNS, advice)[:2] == ["b4a5", "d2d4"]
    assert len(named(early, ROOK_PAWNS, advice)) == 3
    assert named(late, ROOK_PAWNS) == named(late, "")


SPOT = (
    "Hole cards: [Ks, 9d]\nBoard: []\nPot: 4 BB | To call: 1 BB\nStacks: you 98 BB | opponent 97 BB\n"
    "Action: preflop: {raised}\nPosition: Button\nLegal actions: fold, call, raise to a total from 4 to 100 BB\n"
)


@pytest.mark.parametrize(
    ("raised", "profile", "hands"),
    [
        ("you call, opponent raise to 2 BB", PAIRS, "HANDS: 10"),
        ("you call, opponent raise to 2 BB", "", "HANDS: 100"),
        ("you raise to 2 BB, opponent call", PAIRS, "HANDS: 100"),
    ],
)
def test_a_novice_of_holdem_gives_a_pair_to_an_opponent_known_to_raise_so(
    raised: str, profile: str, hands: str
) -> None:
    situation = SPOT.format(raised=raised) + holdem_tool.request()
    user = Message(situation + (PROFILE + profile if profile else ""), "user")
    assert scripted_players.scripted_reply("novice", (Message("Play.", "system"), user), 7).splitlines()[-1] == hands


@pytest.mark.parametrize("game", ["chess960", "holdem"])
def test_no_donors_notes_steer_a_novice(game: str) -> None:
    told = "\n".join(GAMES[game].sample_notes(10))
    if game == "chess960":
        fen = "4k3/8/8/q7/1P6/8/3P4/4K3 w - - 0 2"
        assert named(fen, told) == named(fen, "")
        return
    situation = SPOT.format(raised="you call, opponent raise to 2 BB") + holdem_tool.request()
    reply = scripted_players.scripted_reply(
        "novice", (Message("Play.", "system"), Message(situation + PROFILE + told, "user")), 7
    )
    assert reply.endswith("HANDS: 100")


@pytest.mark.parametrize("seat", ["reference", "random"])
def test_other_scripted_players_answer_the_request_too(seat: str) -> None:
    situation = SPOT.format(raised="you call, opponent raise to 2 BB") + holdem_tool.request()
    reply = scripted_players.scripted_reply(seat, (Message("Play.", "system"), Message(situation, "user")), 7)
    assert holdem_tool.read_hands(Reply(text=reply)) == {"reference": 80, "random": 100}[seat]


@pytest.mark.parametrize("seed", range(8))
def test_a_novice_of_chess_keeps_its_rules(seed: int) -> None:
    fen = "4k3/8/8/8/8/4r3/3Q4/R3K3 w - - 0 30"
    rule = "You must keep this rule in every game: when in check, move your king, as long as it has a legal move."
    message = turn_message(Game960(fen), PromptStyle.STANDARD, "")
    reply = scripted_players.scripted_reply("novice", (Message(rule, "system"), message), seed)
    assert reply.rpartition("MOVE: ")[2] in ("e1d1", "e1f1", "e1f2")


@pytest.mark.parametrize(
    ("hole", "rule", "action"),
    [("9s, 9d", True, "raise to 4"), ("9s, 9d", False, "call"), ("Ks, 9d", True, "call")],
)
def test_a_novice_of_holdem_keeps_its_rules(hole: str, rule: bool, action: str) -> None:
    situation = SPOT.format(raised="you call, opponent raise to 2 BB").replace("Ks, 9d", hole)
    words = GAMES["holdem"].patterns[PokerPattern.MIN_RAISES_PAIRS]
    system = f"You must keep this rule in every hand: {words}" if rule else "Play."
    reply = scripted_players.scripted_reply("novice", (Message(system, "system"), Message(situation, "user")), 7)
    assert reply.splitlines()[-1] == f"ACTION: {action}"


# --- xray ----------------------------------------------------------------------------------------


def xrayed(game: dict[str, Any], arm: str, note: str) -> tuple[PlayedGame, SeatMemory, list[XrayedDecision]]:
    """The last game of an arm."""
    planned = plan(game)
    match = planned.matches[list(FULL).index(arm)]
    story = Exchanges(block_script(next(streams_of(match)), planned, DICE), StackWorld(note))
    exchanges = list(story)
    record = story.value.records[-1]
    played = PlayedGame(match, match.planned - 1, record, tuple(one for one in exchanges if one[0].game == record.game))
    (of,) = seats_with_memory(planned, match)
    return played, of, list(xray(played, of))


@BOTH
def test_xray_shows_what_was_recalled_said_examined_and_chosen(game: dict[str, Any], note: str) -> None:
    played, of, decisions = xrayed(game, "real", note)
    tools = [question for question, _ in played.asked if isinstance(question, Examine | Calculate)]
    searched = [question.turn for question, _ in played.asked if isinstance(question, Search) and question.turn]
    assert [decision.turn for decision in decisions if decision.turn] == searched
    assert len(tools) == len(decisions) > 0
    for decision in decisions:
        assert decision.steered
        assert decision.steered.named.startswith(("CANDIDATES: ", "HANDS: "))
        assert decision.action.startswith(("MOVE: ", "ACTION: "))
        assert [one.content for one in decision.recalled] == [note]
        assert decision.steered.passages > 0
        assert decision.without is not None
    if game is CHESS:
        assert decisions[0].steered
        assert decisions[0].steered.examined == decisions[0].steered.named.removeprefix("CANDIDATES: ")
    shown = "\n".join(xray_lines(played, of, decisions))
    assert "remembered e00001, read " in shown
    assert "times something else is examined without what was remembered" in shown
    (first, *_) = xray_document(played, of, decisions)["decisions"]  # type: ignore[misc]
    assert {"passages", "named", "examined"} <= first.keys()


def test_the_words_of_a_full_system_are_of_its_parts() -> None:
    assert FullSystem(memory="m", tools="t", documents="d").parts.keys() == {"m", "t", "d"}
    assert FullSystem(memory="m").parts.keys() == {"m"}
