"""Writes the conformance vectors of play: what no golden bundle shows, computed by the program.

    python scripts/write_play_vectors.py

Games that end in each way, substitutes, rejections, hands with odd all-ins, the benchmark's shares, counts and figures.
A test compares every file with what this makes. Replies and engine answers are invented here; nothing is drawn but from
the root that stands in each file.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import msgspec

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Chat, Evaluation, NoReply, Question, Reply
from agzamov_verify.core.script import drive
from agzamov_verify.games.chess import game_script as chess_script
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.games.chess.spelling import read_move
from agzamov_verify.games.holdem import hand_script as holdem_script
from agzamov_verify.games.holdem.benchmark_player import Spot, choices, shares
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.rules import BOARD_CARDS, ActionKind, Deal, Hand, Legal, PokerAction
from agzamov_verify.games.holdem.spelling import read_action
from agzamov_verify.plan.manifest import Price
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.gate import gate_of
from agzamov_verify.scoring.hypotheses.contrasts import Weighted, estimated, repeated
from agzamov_verify.scoring.inference.estimate import PAIR_SCORE, Scale
from agzamov_verify.scoring.inference.intervals import CHESS, POKER, Resamples
from agzamov_verify.scoring.inference.unit_values import NO_FINDING, Units
from agzamov_verify.scoring.own_actions import why_no_finding
from agzamov_verify.scoring.seat_stats import seat_stats
from agzamov_verify.scoring.units.counts import Counts
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.declared import Accepted, Fault, read_declared
from agzamov_verify.table.players import GameName, Player
from agzamov_verify.table.seating import alternating

ROOT: Final = Path(__file__).parent.parent
TARGET: Final = ROOT / "docs" / "spec" / "vectors"
PROTOCOL: Final = "agz-0.1"
SEED: Final = bytes(range(32))
DICE: Final = Dice(SEED)
START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SEATS: Final = (Player("first"), Player("second"))
RETRY: Final = {"illegal": "retry_then_forfeit"}
UNITS_MIN, DECIDED_MIN, RESAMPLES = 15, 3, 10_000


# --- chess ---------------------------------------------------------------------------------------


def chess_ends() -> Any:
    """A game for each row of page 6.5, with the answers of the engine where it is asked."""
    return [_chess_game(*row) for row in _ENDS]


def _engine(**numbers: Any) -> dict[str, Any]:
    """A policy of adjudication; what is not given is as in the plan's defaults."""
    return {"adjudication": {"policy": "none", **numbers}}


SHUFFLE: Final = "g1f3 g8f6 f3g1 f6g8"
MATE: Final = "f2f3 e7e5 g2g4 d8h4"
STALEMATE: Final = "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6"
_QUEEN_UP: Final = "5k2/8/8/8/8/8/7P/Q2K4 w - - 0 1"
_ROOKS: Final = "8/8/8/3k4/8/8/R7/3K4 w - - {clock} 80"
_BY_ENGINE: Final = {"policy": "stockfish", "threshold_centipawns": 1000, "plies": 3}
_ENDS: Final[Sequence[tuple[str, str, dict[str, Any], str, Sequence[int | str]]]] = (
    ("checkmate", START, _engine(), MATE, ()),
    ("stalemate", START, _engine(), STALEMATE, ()),
    ("too little material to mate", "8/8/8/3k4/4p3/8/3N4/3K4 w - - 0 1", _engine(), "d2e4", ()),
    ("a position for the third time", START, _engine(), f"{SHUFFLE} {SHUFFLE}", ()),
    (
        "no square for en passant where nobody can capture so",
        START,
        _engine(),
        "e2e4 g8f6 g1f3 f6g8 f3g1 g8f6 g1f3 f6g8 f3g1",
        (),
    ),
    (
        "a position for the fifth time",
        START,
        {**_engine(), "draw_claims": "never"},
        " ".join([SHUFFLE] * 4),
        (),
    ),
    ("fifty moves", _ROOKS.format(clock=98), _engine(), "a2a3 d5d4", ()),
    ("seventy-five moves", _ROOKS.format(clock=148), {**_engine(), "draw_claims": "never"}, "a2a3 d5d4", ()),
    ("mate on the hundredth half-move", "7k/8/6K1/8/8/8/R7/8 w - - 99 80", _engine(), "a2a8", ()),
    ("the limit of plies", START, {**_engine(), "plies_max": 3}, "e2e4 e7e5 g1f3", ()),
    (
        "ahead on three plies in a row, from the side to move",
        START,
        _engine(**_BY_ENGINE),
        "e2e4 e7e5 g1f3 b8c6 f1c4",
        (1001, 1000, -1001, "mate 3", -1001),
    ),
    ("a mate counts at once", START, _engine(**_BY_ENGINE), "e2e4 e7e5 g1f3", ("mate -1", "mate 1", "mate -7")),
    (
        "the other side ahead begins a new count",
        START,
        _engine(**_BY_ENGINE),
        "e2e4 e7e5 g1f3 b8c6 f1c4",
        (-2000, 2000, 2000, -2000, 2000),
    ),
    (
        "exactly the threshold is not ahead",
        START,
        {**_engine(**_BY_ENGINE), "plies_max": 4},
        "e2e4 e7e5 g1f3 b8c6",
        (1000, -1000, 1000),
    ),
    (
        "points at the threshold are ahead",
        _QUEEN_UP,
        _engine(policy="material", threshold_points=10, plies=2),
        "d1d2 f8g8",
        (),
    ),
    (
        "points below the threshold",
        _QUEEN_UP,
        {**_engine(policy="material", threshold_points=11, plies=2), "plies_max": 4},
        "d1d2 f8g8 d2d3 g8f8",
        (),
    ),
    (
        "adjudicated and played on to the other side's mate",
        START,
        _engine(**{**_BY_ENGINE, "plies": 2}, play_on_percent=100),
        MATE,
        (-2000, 2000),
    ),
    (
        "the fault of the last try is a forfeit",
        START,
        {**_engine(), **RETRY},
        "e2e4 e7e5 e1e3 e1e4 e1e5 none",
        (),
    ),
)


def _chess_game(why: str, start: str, changed: dict[str, Any], moves: str, scores: Sequence[int | str]) -> Any:
    rules = msgspec.convert(changed, chess_script.ChessRules)
    replies, told = iter(moves.split()), iter(scores)

    def answer(question: Question) -> Answer:
        if isinstance(question, Chat):
            return Reply(text=f"MOVE: {next(replies)}")
        score = next(told)
        return Evaluation(score, None) if isinstance(score, int) else Evaluation(None, int(score.split()[1]))

    record = drive(chess_script.play(_name(0, "g"), start, *SEATS, rules, DICE), answer)
    return {
        "why": why,
        "start": start,
        "rules": json.loads(msgspec.json.encode(rules, order="deterministic")),
        "declared": moves,
        "scores": list(scores),
        **_chess_record(record),
    }


def _chess_record(record: chess_script.ChessRecord) -> dict[str, Any]:
    return {
        "moves": " ".join(record.moves),
        "ending": [record.ending.end.value, record.ending.white_halfpoints],
        "raw": [record.raw.end.value, record.raw.white_halfpoints],
    }


def _name(number: int, letter: str) -> GameName:
    return GameName(f"p1-game-naked-first-second-{letter}{number}", f"p1/game/first/second/{number}")


# --- hold'em -------------------------------------------------------------------------------------

CARDS: Final = Deal(("As", "Kd"), ("7c", "7h"), ("Qs", "Jd", "Tc", "2h", "2d"))
SPLIT: Final = Deal(("3s", "4d"), ("3c", "4h"), ("As", "Kd", "Qc", "Jh", "Td"))
_HANDS: Final = (
    ("fold before the flop", 10_000, CARDS, "fold"),
    ("limp and checks to the showdown", 10_000, CARDS, "call,check,check,check,check,check,check,check"),
    ("the least raise is the last raise", 10_000, CARDS, "raise 300,raise 700,raise 1100,fold"),
    ("an all-in that is no full raise ends the raising", 1000, CARDS, "raise 800,raise 1000,call"),
    ("an all-in below the least raise is legal", 450, CARDS, "raise 300,raise 450,fold"),
    ("what nobody matched goes back", 10_000, CARDS, "call,check,bet 9900,fold"),
    ("a short stack calls all-in", 130, CARDS, "raise 130,call"),
    ("equal hands win nothing", 10_000, SPLIT, "call,check,bet 100,call,check,check,check,bet 250,call"),
    ("the last raise is forgotten on the next street", 10_000, CARDS, "raise 900,call,bet 100,raise 200,fold"),
)


def hands() -> Any:
    """Hands with what is legal at each action, and what the button won."""
    return [_hand(*row) for row in _HANDS]


def _hand(why: str, stack: int, deal: Deal, told: str) -> Any:
    hand, rows = Hand(deal, (stack, stack)), []
    for action in told.split(","):
        legal = hand.legal()
        limits = [legal.min_to_chips, legal.max_to_chips]
        rows.append({"place": hand.to_act, "legal": [*legal.kinds], "limits": limits, "does": action})
        hand.act(_action(action))
    cards = {"button": deal.button, "big_blind": deal.big_blind, "board": deal.board}
    over = hand.to_act is None
    return {"why": why, "stack": stack, **cards, "actions": rows, "over": over, "button_chips": hand.net_chips()[0]}


def _action(told: str) -> PokerAction:
    kind, _, chips = told.partition(" ")
    return PokerAction(ActionKind(kind), int(chips or 0))


def substitutes() -> Any:
    """A game and hands in which every reply is a fault, under `illegal: substitute`: all that is played is drawn."""
    games = [_substituted_game(number) for number in range(2)]
    return {"root": SEED.hex(), "chess": games, "holdem": [_substituted_hand(number) for number in range(12)]}


def _substituted_game(number: int) -> Any:
    rules = msgspec.convert({**_engine(), "plies_max": 20}, chess_script.ChessRules)
    name = _name(number, "g")
    record = drive(chess_script.play(name, START, *SEATS, rules, DICE), lambda _: Reply(text="I resign."))
    counts = [_counted(tally) for tally in record.tallies]
    return {
        "match": "p1/game/first/second",
        "number": number,
        "start": START,
        **_chess_record(record),
        "places": counts,
    }


def _substituted_hand(number: int) -> Any:
    name, tallies = _name(number, "h"), (Tally(), Tally())
    deal = deal_cards(DICE, name.label, alternating(number))
    rules = holdem_script.PokerRules()
    record = drive(holdem_script.play(name, deal, SEATS, rules, DICE, tallies), lambda _: NoReply(reason="refused"))
    assert record.story
    done = [f"{one.action.kind.value} {one.action.to_chips or ''}".strip() for one in record.story.history]
    return {
        "match": "p1/game/first/second",
        "number": number,
        "actions": done,
        "end": record.end.value,
        "button_chips": record.net_chips,
        "places": [_counted(tally) for tally in tallies],
    }


def _counted(tally: Tally) -> dict[str, int]:
    names = [name for name in tally.__struct_fields__ if getattr(tally, name)]
    return {name: getattr(tally, name) for name in sorted(names)}


# --- rejections ----------------------------------------------------------------------------------

_TWO_KNIGHTS: Final = "4k3/8/8/8/8/8/8/1N2KN1R w - - 0 1"
_PAWN: Final = "7k/4P3/8/8/8/8/8/4K3 w - - 0 1"
_KING: Final = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
_MOVES: Final = (
    (START, "I think e2e4 is best."),
    (START, "MOVE:"),
    (START, "MOVE: e2e4\nThat is my MOVE."),
    (START, "MOVE: e2e4\nSo I say (MOVE: e4)"),
    (START, "MOVE: e2e4\nI repeat my move: e2e4."),
    (START, f"MOVE: e2e4 {'x' * 200}"),
    (START, "MOVE: e2e4 (best)"),
    (START, "MOVE: **12. Nf3 and then castles short**"),
    (START, "MOVE: e2e5"),
    (START, "MOVE: E2-E5"),
    (START, "MOVE: e1e1"),
    (START, "MOVE: e2e4q"),
    (START, "MOVE: O-O"),
    (START, "MOVE: 0-0-0"),
    (START, "MOVE: 3. Nf6+"),
    (START, "MOVE: Ng1xf3"),
    (START, "MOVE: ed5"),
    (START, "MOVE: e2.e4"),
    (START, "MOVE: E4"),
    (START, "MOVE: --"),
    (START, "MOVE: it's e2e4, I say"),
    (START, "FINAL MOVE: e2e4"),
    (START, "[MOVE: e2e4]"),
    (START, "MOVE: e2e4\u2028MOVE: d2d4"),
    (START, "[THINK]MOVE: d2d4</think>MOVE: e2e4"),
    (START, "<think-aloud>MOVE: d2d4</think>\nMOVE: e2e4"),
    (_TWO_KNIGHTS, "MOVE: Nd2"),
    (_TWO_KNIGHTS, "MOVE: 7. nd2!"),
    (_PAWN, "MOVE: e7e8"),
    (_PAWN, "MOVE: e8"),
    (_PAWN, "MOVE: e7e8k"),
    (_PAWN, "MOVE: e7e8p"),
    (_PAWN, "MOVE: e7e8(N)"),
    (_KING, "MOVE: e1g1"),
    (_KING, "MOVE: Kg1"),
    (_KING, "MOVE: Kxh1"),
)
_ACTIONS: Final = (
    ("", "ACTION:"),
    ("", "ACTION: check"),
    ("call", "ACTION: fold"),
    ("call", "ACTION: call 3 BB"),
    ("call", "ACTION: raise 3"),
    ("call", "ACTION: bet 3"),
    ("call, check", "ACTION: raise by 3"),
    ("call, check", "ACTION: bet 0.5"),
    ("raise 300", "ACTION: call 2.5"),
    ("raise 300", "ACTION: call 3 BB"),
    ("raise 300", "ACTION: call all-in"),
    ("raise 300", "ACTION: I raise 6 BB total"),
    ("raise 300", "ACTION: raise total 6"),
    ("raise 300", "ACTION: raise to 4"),
    ("raise 300", "ACTION: raise to3"),
    ("raise 300", "ACTION: re-raise to  9   BB"),
    ("raise 300", "ACTION: all-in 40"),
    ("raise 300", "ACTION: all-in (99 BB)"),
    ("raise 300", "ACTION: raise to 100 BB (all-in)"),
    ("raise 300", "ACTION: raise to 2.555"),
    ("raise 300", "ACTION: **Raise pot, I am 'committed' with this hand**"),
    ("raise 10000", "ACTION: bet 50"),
    ("raise 10000", "ACTION: raise to 50"),
    ("raise 10000", "ACTION: all-in 99 BB"),
    ("raise 10000", "ACTION: all-in 98 BB"),
    ("raise 10000", "ACTION: all-in"),
)


def rejections() -> Any:
    """Replies with class, what is read, and WHY; `text` null: no reply."""
    cut = [("chess960", START, "MOVE: e2e4", "length"), ("chess960", START, None, ""), ("holdem", "", None, "")]
    rows = [
        *cut,
        *(("chess960", at, text, "stop") for at, text in _MOVES),
        *(("holdem", at, text, "stop") for at, text in _ACTIONS),
    ]
    return [
        {"game": game, "at": at, "text": text, "finish": finish, **_reading(game, at, text, finish)}
        for game, at, text, finish in rows
    ]


def _reading(game: str, at: str, text: str | None, finish: str) -> dict[str, str]:
    answer = NoReply(reason="refused") if text is None else Reply(text=text, finish=finish)
    read: Accepted[Any] | Fault
    if game == "chess960":
        read = read_declared(answer, "MOVE:", lambda told: read_move(told, Game960(at)))
    else:
        hand = Hand(CARDS, (10_000, 10_000))
        for told in filter(None, at.split(", ")):
            hand.act(_action(told))
        read = read_declared(answer, "ACTION:", lambda told: read_action(told, hand))
    if isinstance(read, Fault):
        return {"reply_class": read.kind.value, "reads": "", "why": read.why}
    action = read.action
    reads = action.uci() if game == "chess960" else f"{action.kind.value} {action.to_chips or ''}".strip()
    return {"reply_class": "exact" if read.exact else "normalised", "reads": reads, "why": ""}


# --- the benchmark player, counts and figures ----------------------------------------------------


def benchmark() -> Any:
    """Actions of the benchmark policy with their shares of 64, for percentiles at the edges of its zones."""
    return [row for spot in _spots() for row in _shares(spot)]


def _spots() -> Iterator[Spot]:
    bet, call = (ActionKind.CHECK, ActionKind.BET), (ActionKind.FOLD, ActionKind.CALL)
    raised = (*call, ActionKind.RAISE)
    yield Spot(0, 0, 150, 50, 50, Legal(raised, 200, 10_000))
    yield Spot(0, 1, 400, 200, 100, Legal(raised, 500, 10_000))
    yield Spot(0, 3, 3_000, 1_000, 1_000, Legal(raised, 3_000, 10_000))
    yield Spot(0, 1, 10_100, 9_900, 100, Legal(call, 0, 0))
    yield Spot(1, 0, 200, 0, 0, Legal(bet, 100, 9_900))
    yield Spot(1, 1, 300, 100, 0, Legal(raised, 200, 9_900))
    yield Spot(2, 2, 4_000, 1_500, 500, Legal(raised, 3_500, 7_900))
    yield Spot(3, 0, 9_000, 0, 0, Legal(bet, 100, 5_500))
    yield Spot(3, 5, 9_000, 400, 200, Legal(raised, 1_000, 5_500))
    yield Spot(3, 1, 6_000, 5_000, 0, Legal(raised, 7_000, 7_000))


def _shares(spot: Spot) -> Iterator[Any]:
    acts = [f"{one.kind.value} {one.to_chips or ''}".strip() for one in choices(spot)]
    legal = {"legal": [*spot.legal.kinds], "limits": [spot.legal.min_to_chips, spot.legal.max_to_chips]}
    public = {
        name: getattr(spot, name) for name in ("street", "raises", "pot_chips", "to_call_chips", "in_front_chips")
    }
    of = {str(rank): list(shares(spot, rank)) for rank in (0, 12, 24, 25, 38, 50, 66, 72, 80, 86, 90, 93, 96, 99)}
    yield {**public, **legal, "board_cards": BOARD_CARDS[spot.street], "actions": acts, "shares_by_percentile": of}


class _Wins(Counts, frozen=True, tag="wins"):
    """Wins of so many contests."""

    won: int
    n: int

    @property
    def wins(self) -> tuple[int, int]:
        return self.won, self.n


def counts() -> Any:
    """Rows without a finding, gates with their reason."""
    faulty: Sequence[tuple[dict[str, int], int]] = (
        ({"decisions": 10, "first_exact": 5, "first_illegal": 5, "substituted": 5}, 0),
        ({"decisions": 10, "first_exact": 6, "first_illegal": 4, "substituted": 4}, 0),
        ({"decisions": 24, "first_illegal": 24, "substituted": 24}, 0),
        ({"decisions": 3000, "first_exact": 1000, "first_cut": 2000, "substituted": 2000, "completion_tokens": 99}, 0),
        ({"decisions": 3, "first_exact": 1, "first_cut": 2, "substituted": 2, "completion_tokens": 64}, 32),
        ({"decisions": 3, "first_exact": 1, "first_cut": 2, "substituted": 2, "completion_tokens": 63}, 32),
        ({"decisions": 20, "first_no_action": 18, "first_ambiguous": 2, "substituted": 20}, 0),
        ({"decisions": 20, "first_no_action": 10, "first_no_reply": 10, "substituted": 20}, 0),
        ({"decisions": 0}, 0),
    )
    gates = [(6, 6, 0, 10), (21, 30, 0, 10), (22, 30, 19, 100), (22, 30, 20, 100), (2, 2, 0, 10), (0, 5, 0, 0)]
    return {"no_finding": [_found(*row) for row in faulty], "gates": [_gate(*row) for row in gates]}


def _found(numbers: dict[str, int], limit: int) -> Any:
    stats = seat_stats("model", Tally(**numbers), Price(), 5, limit)
    text = why_no_finding([stats, seat_stats("dice", Tally(decisions=5, first_exact=5), Price(), 5)], PROTOCOL)
    return {**numbers, "reply_tokens_max": limit, "no_finding": text, "flagged": stats.faults.flagged}


def _gate(wins: int, n: int, faults: int, decisions: int) -> Any:
    tally = Tally(decisions=decisions, first_illegal=faults)
    gate = gate_of(_Wins(wins, n), tally, load_protocol(PROTOCOL).phase0)
    told = {"passed": gate.passed, "reason": gate.reason}
    return {"wins": wins, "n": n, "first_faults": faults, "decisions": decisions, "gate": told}


def estimates() -> Any:
    """Headline estimates as the analysis has them: few units, careers, no finding, values beyond 64 bits."""
    score = [2, 3, 2, 4, 1, 2, 2, 3, 0, 4, 2, 2, 3, 1, 2, 4]
    chips = [350 * (at * at % 17) - 900 for at in range(16)]
    big = [value * 10**7 for value in chips]
    why = f"{NO_FINDING}100 % of the actions of model were drawn by the harness: all 24 errors were illegal actions"
    short = {"score": "careers of 4 starts played with both colours, fewer than 15"}
    rows: Sequence[tuple[str, list[int], int, str]] = (
        ("score", score, 0, ""),
        ("score", score[:14], 0, ""),
        ("score", score[:1], 0, ""),
        ("score", [2] * 14 + [3, 1], 0, ""),
        ("score", [4] * 16, 0, ""),
        ("score", score, 1, ""),
        ("score", score * 2, 2, ""),
        ("score", score, 4, short["score"]),
        ("score", score, 0, why),
        ("bb/100", chips, 0, ""),
        ("bb/100", [100] * 16, 0, ""),
        ("bb/100", [0] * 15 + [100], 0, ""),
        ("bb/100", big, 0, ""),
        ("bb/100", chips, 1, ""),
        ("bb/100", chips * 2, 2, ""),
        ("bb/100", [factor * chip + factor for factor in (1, 17, -290, 1100) for chip in chips], 4, ""),
        ("score", [4] * 15 + [3] * 15 + [0] * 14 + [1], 3, ""),
    )
    return [_estimate(*row) for row in rows]


def _estimate(unit: str, values: list[int], careers: int, untested: str) -> Any:
    scale, method, least = (PAIR_SCORE, CHESS, DECIDED_MIN) if unit == "score" else (HUNDRED_HANDS, POKER, 0)
    units = Units(tuple(values), scale, careers=careers, too_short=untested)
    found = estimated(repeated([Weighted(units, Fraction(1))]), Resamples(b"", RESAMPLES, method, UNITS_MIN, least))
    told = json.loads(msgspec.json.encode(msgspec.structs.replace(found, mde=None)))
    del told["mde"]
    return {"figure": unit, "factor": str(scale.factor), "values": values, "careers": careers, "estimate": told}


HUNDRED_HANDS: Final = Scale("bb/100", Fraction(1, 100))


VECTORS: Final[Mapping[str, Callable[[], Any]]] = {
    "benchmark": benchmark,
    "chess_ends": chess_ends,
    "counts": counts,
    "estimates": estimates,
    "hands": hands,
    "rejections": rejections,
    "substitutes": substitutes,
}


def text_of(name: str) -> str:
    """The file of one vector: JSON with an indent of one, ASCII, one line feed at the end."""
    return json.dumps(VECTORS[name](), indent=1) + "\n"


def main() -> None:
    """Write every file."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for name in VECTORS:
        (TARGET / f"{name}.json").write_text(text_of(name))


if __name__ == "__main__":
    main()
