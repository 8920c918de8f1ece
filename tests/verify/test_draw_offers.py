"""Draw offers and resignations of people at chess: who may make one, and that all follows from plan and answers."""

from collections.abc import Mapping

import chess
import pytest

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.games.chess.draw_offers import DrawOffers, OfferState, expected_centipawns, offer_state
from agzamov_verify.games.chess.game_script import ChessRecord, ChessRules, Ending, play
from agzamov_verify.games.chess.person_moves import chess_choices
from agzamov_verify.games.chess.rules import End, Game960
from agzamov_verify.games.chess.variants import STANDARD
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy
from agzamov_verify.table.decision import IllegalPolicy
from agzamov_verify.table.players import GameName, Player

ANNA, BEN, ROBOT = Player("anna", is_person=True), Player("ben", is_person=True), Player("robot")
AT_ONCE = DrawOffers(plies_min=0, threshold_centipawns=20, gap_plies=4)
SHUFFLE = {"anna": ("b1c3", "c3b1"), "ben": ("b8c6", "c6b8"), "robot": ("b8c6", "c6b8")}
"""White's and Black's moves, over and over."""


class Table:
    """A game from a script of answers by seat and turn; every other move goes to and fro. `asked`: by turn."""

    def __init__(self, answers: Mapping[int, str], black: Player = BEN, rule: DrawOffers | None = AT_ONCE) -> None:
        self.asked: dict[int, Chat] = {}
        self._answers, self._black = answers, black
        none = Adjudication(AdjudicationPolicy.NONE)
        self._rules = ChessRules(none, illegal=IllegalPolicy.RETRY_THEN_FORFEIT, plies_max=12)
        if rule:
            self._rules = ChessRules(none, illegal=IllegalPolicy.RETRY_THEN_FORFEIT, plies_max=12, draw_offers=rule)

    def play(self, start: str = chess.STARTING_FEN) -> ChessRecord:
        name = GameName("g", "g")
        script = play(name, start, ANNA, self._black, self._rules, Dice(b"draws"), variant=STANDARD)
        return drive(script, self._answer)

    def _answer(self, question: Question) -> Reply:
        assert isinstance(question, Chat)
        first = self.asked.setdefault(question.turn, question) is question
        text = self._answers.get(question.turn, "") if first else ""
        return Reply(text=f"MOVE: {text or SHUFFLE[question.to][question.turn // 2 % 2]}")

    def state(self, turn: int) -> OfferState | None:
        return offer_state(self.asked[turn].messages[-1].content)


def test_a_person_takes_the_offer_of_another_person() -> None:
    record = Table({2: "c3b1 (=)", 3: "draw"}).play()
    assert (record.ending, len(record.moves), record.draw_offers) == (Ending(End.AGREEMENT, 1), 3, (2,))
    assert record.outcomes == (1, 1)


@pytest.mark.parametrize(("turn", "halfpoints"), [(0, 0), (3, 2)])
def test_a_person_resigns_in_place_of_a_move_and_has_lost(turn: int, halfpoints: int) -> None:
    record = Table({turn: "resign"}, rule=None).play()
    assert (record.ending, len(record.moves)) == (Ending(End.RESIGNATION, halfpoints), turn)
    assert [(tally.forfeited, tally.faults) for tally in record.tallies] == [(0, 0), (0, 0)]


def test_a_program_that_says_so_has_named_no_legal_move() -> None:
    record = Table({1: "resign"}, black=ROBOT).play()
    assert (record.ending.end is End.RESIGNATION, record.tallies[1].faults) == (False, 1)


def test_a_move_declines_and_the_next_offer_has_to_wait() -> None:
    table = Table({0: "b1c3 (=)"})
    record = table.play()
    assert record.ending.end is not End.AGREEMENT
    may, later = OfferState.MAY, OfferState.LATER
    assert [table.state(turn) for turn in range(5)] == [may, OfferState.OPEN, OfferState.DECLINED, may, may]
    assert Table({0: "b1c3 (=)"}, rule=DrawOffers(gap_plies=6)).play().draw_offers == (0,)
    waiting = Table({0: "b1c3 (=)"}, rule=DrawOffers(gap_plies=6))
    waiting.play()
    assert [waiting.state(turn) for turn in (2, 4, 6)] == [OfferState.DECLINED, later, may]


@pytest.mark.parametrize(
    "answers",
    [{0: "draw"}, {0: "b1c3 (=)", 2: "c3b1 (=)"}, {0: "b1c3 (=)", 1: "b8c6 (=)"}, {0: "b1c3 (=)", 2: "draw"}],
    ids=["nothing was offered", "too early again", "instead of an answer", "one's own offer"],
)
def test_what_is_not_allowed_is_no_action(answers: Mapping[int, str]) -> None:
    record = Table(answers).play()
    assert record.ending.end is not End.AGREEMENT
    assert len(record.draw_offers) == min(1, len(answers) - 1)
    assert sum(tally.first_illegal + tally.first_no_action for tally in record.tallies) == 1


def test_a_program_answers_by_the_rule_of_the_plan_and_is_asked_nothing() -> None:
    taken = Table({0: "b1c3 (=)"}, ROBOT)
    assert taken.play().ending == Ending(End.AGREEMENT, 1)
    assert [*taken.asked] == [0]
    too_early = Table({0: "b1c3 (=)"}, ROBOT, DrawOffers(plies_min=2))
    assert too_early.play().ending.end is not End.AGREEMENT
    assert (too_early.state(1), too_early.state(2)) == (None, OfferState.DECLINED)
    proud = Table({0: "b1c3 (=)"}, ROBOT, DrawOffers(plies_min=0, threshold_centipawns=-1_000))
    assert proud.play().ending.end is not End.AGREEMENT


def test_a_program_that_is_ahead_declines() -> None:
    queen_up = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1"
    assert expected_centipawns(Game960(queen_up.replace(" w ", " b "), STANDARD)) > 500
    assert Table({0: "b1c3 (=)"}, ROBOT).play(queen_up).ending.end is not End.AGREEMENT


def test_a_move_that_ends_the_game_comes_before_the_offer_with_it() -> None:
    mates = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"
    record = Table({0: "a1a8 (=)"}, ROBOT, DrawOffers(plies_min=0, threshold_centipawns=10_000)).play(mates)
    assert (record.ending, record.draw_offers) == (Ending(End.CHECKMATE, 2), ())


def test_without_the_rule_nobody_is_told_of_draws_and_the_mark_is_none() -> None:
    table = Table({}, rule=None)
    table.play()
    assert all("raw offer" not in message.content for one in table.asked.values() for message in one.messages)
    record = Table({0: "b1c3 (=)"}, rule=None).play()
    assert record.draw_offers == ()
    assert record.tallies[0].first_no_action + record.tallies[0].first_illegal == 1


def test_a_program_reads_nothing_of_draw_offers() -> None:
    with_rule, without = Table({}, ROBOT), Table({}, ROBOT, None)
    with_rule.play()
    without.play()
    assert with_rule.asked[1] == without.asked[1]
    assert with_rule.asked[0] != without.asked[0]


def test_a_page_offers_what_the_prompt_says() -> None:
    table = Table({0: "b1c3 (=)"})
    table.play()
    may, asked, declined = (chess_choices(table.asked[turn].messages, STANDARD) for turn in range(3))
    assert [one.shown["draw_offers"] for one in (may, asked, declined)] == ["may", "open", "declined"]
    assert [one.is_legal("draw") for one in (may, asked, declined)] == [False, True, False]
    assert [one.is_legal("g1f3 (=)") for one in (may, declined)] == [True, False]
    assert not asked.is_legal("g8f6 (=)")
    assert asked.is_legal("g8f6")


def plan(**changes: object) -> dict[str, object]:
    return {
        "title": "Draws",
        "protocol": "play-0.1",
        "seats": {"anna": {"kind": "human"}, "fish": {"kind": "stockfish", "nodes": 100}},
        "chess": {"adjudication": {"policy": "none"}, "illegal": "retry_then_forfeit", "draw_offers": {}},
        "matches": [{"phase": 6, "game": "chess", "a": "anna", "b": "fish", "games": 2}],
        **changes,
    }


MODEL = {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seats": {"anna": {"kind": "human"}, "fish": MODEL}}, r"matches\[0\]\.b: expected a person or a program"),
        ({"protocol": "arena-0.1"}, "chess.draw_offers: expected nothing: arena-0.1 has no people"),
    ],
)
def test_a_plan_whose_offers_nobody_could_answer_is_refused(change: dict[str, object], message: str) -> None:
    plan_from(plan())
    with pytest.raises(ManifestError, match=message):
        plan_from(plan(**change))


def test_a_study_that_compares_arms_has_no_draw_offers() -> None:
    rules = {"adjudication": {"policy": "none"}, "illegal": "retry_then_forfeit", "draw_offers": {}}
    matches = [{"phase": 4, "game": "chess960", "a": "fish", "b": "anna", "games": 2}]
    study = plan(protocol="people-0.1", people={}, chess960=rules, matches=matches)
    del study["chess"]
    with pytest.raises(ManifestError, match=r"chess960\.draw_offers: expected nothing: an arm"):
        plan_from(study)
