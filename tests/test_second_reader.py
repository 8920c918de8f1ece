"""The second reader, written after docs/spec, and the program agree: on bundles, vectors, replies, single defects."""

import ast
import io
import json
import os
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chess
import pytest

from agzamov_verify.core import canon
from agzamov_verify.plan.manifest import load_manifest
from bundle_defects import RECIPES, made
from bundles.bundle_factory import check, failed_steps
from second_reader import figures, journal
from second_reader.canonical import Refused, Report
from second_reader.chess_game import ChessTable, Game
from second_reader.chess_spelling import Reading, read_move
from second_reader.holdem_game import Hand, strength
from second_reader.holdem_script import HoldemTable
from second_reader.holdem_spelling import read_action
from second_reader.manifest import Run, read_manifest, salt_of
from second_reader.play import Ask, Tally
from second_reader.replay import Replay
from second_reader.results import _repeated, no_finding
from second_reader.scripted import benchmark_action
from second_reader.verify import Verifier, texts_of

ROOT = Path(__file__).parents[1]
SPEC = ROOT / "docs" / "spec"
TEXTS = texts_of(SPEC)
FOLDER = ROOT / "tests" / "second_reader"
SOURCES = sorted(FOLDER.glob("*.py"))
LINES_MAX = 2000
"""Lines of code: neither blank, nor comment, nor docstring."""
OUTSIDE = {"chess", "cryptography", "scipy"}
CORPUS = [json.loads(line) for line in (ROOT / "tests/verify/corpus/replies.jsonl").read_text().splitlines()]
GAMES = {"chess960", "holdem"}
GOLDEN = ROOT / "tests" / "bundles" / "golden" / "agz-0.1"


def vector(name: str) -> Any:
    return json.loads((SPEC / "vectors" / f"{name}.json").read_text())


@pytest.mark.slow
def test_the_command_of_the_page_runs_in_a_clone(tmp_path: Path) -> None:
    """Its pages were looked for where there are none."""
    assert "`PYTHONPATH=tests python -m second_reader BUNDLE`" in (SPEC / "README.md").read_text()
    command = [sys.executable, "-m", "second_reader", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": "tests"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith("REFUSED in steps [1]\n")


def imported(path: Path) -> Iterator[str]:
    """The packages that a module imports from elsewhere."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").split(".")[0]


def lines_of_code(text: str) -> set[int]:
    """The numbers of the lines on which something but a comment or a docstring stands."""
    passed_over = {
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.COMMENT,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    told = {
        node.body[0].lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None
    }
    tokens = [one for one in tokenize.generate_tokens(io.StringIO(text).readline) if one.type not in passed_over]
    kept = [one for one in tokens if one.type != tokenize.STRING or one.start[0] not in told]
    return {line for one in kept for line in range(one.start[0], one.end[0] + 1)}


def test_it_imports_nothing_of_ours_and_is_short() -> None:
    found = {name for path in SOURCES for name in imported(path)}
    assert found - OUTSIDE <= sys.stdlib_module_names
    assert sum(len(lines_of_code(path.read_text())) for path in SOURCES) <= LINES_MAX


def report_of(bundle: Path) -> Report:
    return Verifier(bundle, TEXTS).check()


def held(report: Report, step: int) -> int:
    """The number of things that hold in a step."""
    return sum(at == step and kind == "holds" for at, kind, _ in report.rows)


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    return {row["bundle"].rpartition("golden/")[2]: report_of(ROOT / row["bundle"]) for row in RECIPES["golden"]}


def test_every_golden_bundle_holds(reports: dict[str, Report]) -> None:
    assert len(reports) == 3
    assert {name: report.text(every=False) for name, report in reports.items() if report.failed()} == {}


def test_every_stream_of_naked_matches_is_replayed(reports: dict[str, Report]) -> None:
    whole = reports["agz-0.1/bundle"]
    assert [held(whole, step) for step in (7, 8, 11)] == [12, 6, 26]
    assert [what for at, kind, what in whole.rows if at == 7 and kind != "holds"] == []
    assert held(reports["agz-0.1/systems"], 7) == 3
    assert held(reports["arena-0.1/bundle"], 6) == 1


@pytest.mark.parametrize(("name", "streams"), [("models", 13), ("rules", 6), ("late_rules", 2)])
def test_models_of_golden_bundles_are_read_and_end_as_here(name: str, streams: int) -> None:
    """Replies in every form, substitutes and ends by rare rules; streams with a system are not on the pages."""
    report = report_of(GOLDEN / name)
    assert not report.failed(), report.text(every=False)
    assert held(report, 7) == streams


def reading(row: dict[str, Any]) -> Reading:
    """What is read of a reply of the corpus or of a vector."""
    if row["text"] is None:
        return Reading("no_reply", why="there was no reply")
    if row["game"] == "chess960":
        return read_move(row["text"], row["finish"], chess.Board(row["at"], chess960=True))
    hand = Hand(10_000)
    for told in filter(None, row["at"].split(", ")):
        kind, _, total = told.partition(" ")
        hand.act(kind, int(total or 0))
    return read_action(row["text"], row["finish"], hand)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_it_reads_every_reply_of_the_corpus_alike(game: str) -> None:
    entries = [entry for entry in CORPUS if entry["game"] == game]
    found = [(entry, reading(entry)) for entry in entries]
    wrong = [one for one in found if (one[1].action, one[1].kind) != (one[0]["reads"], one[0]["reply_class"])]
    assert len(entries) > 150
    assert wrong == []


def test_it_rejects_replies_in_the_same_words() -> None:
    rows = vector("rejections")
    found = [(row["text"], reading(row)) for row in rows]
    assert found == [(row["text"], Reading(row["reply_class"], row["reads"], row["why"])) for row in rows]


def test_it_refuses_each_defect_of_a_short_journal() -> None:
    rows = vector("journal")
    assert len(journal.read_lines([line.encode() for line in rows["lines"]], rows["run"], rows["stream"])) == 3
    for row in rows["refused"]:
        with pytest.raises(Refused):
            journal.read_lines([line.encode() for line in row["lines"]], rows["run"], rows["stream"])


# --- vectors of play -----------------------------------------------------------------------------


def run_of(rules: dict[str, Any], root: str = "00" * 32) -> Run:
    """A run of two random seats in which nothing but the rules is of interest."""
    seat = {"kind": "random", "patterns": [], "briefing": ""}
    plan = {"seats": {"first": seat, "second": seat}, "systems": {}, "matches": [], "naked_prompt": "bare", **rules}
    run = Run({"plan": plan}, "00" * 32, bytes.fromhex(root), tuple(range(960)), TEXTS)
    run.plan["protocol"] = "agz-0.1"
    return run


def match_of(game: str) -> dict[str, Any]:
    naked = {"augmentation": "naked", "arm": "naked", "system": ""}
    return {"phase": 1, "game": game, "a": "first", "b": "second", "condition": naked, "games": 40, "hands": 40}


class Play:
    """Drives a script with what seats and engine say."""

    def __init__(self, script: Ask, replies: Iterator[Any], scores: Sequence[Any] = ()) -> None:
        answer, told = None, iter(scores)
        while True:
            try:
                question = script.send(answer)
            except StopIteration as stop:
                self.value = stop.value
                return
            answer = next(replies) if question["ask"] == "chat" else _scored(next(told))


def _scored(score: int | str) -> dict[str, Any]:
    if isinstance(score, int):
        return {"as": "evaluation", "centipawns": score, "mate": None}
    return {"as": "evaluation", "centipawns": None, "mate": int(score.split()[1])}


def _ends(game: Game) -> dict[str, Any]:
    points = {None: 1, 0: 2, 1: 0}
    ending, raw = [game.end, points[game.winner]], [game.raw_end, points[game.raw_winner]]
    return {"moves": " ".join(game.moves), "ending": ending, "raw": raw}


@pytest.mark.parametrize("row", vector("chess_ends"), ids=lambda row: row["why"])
def test_it_ends_a_game_as_the_program_does(row: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("second_reader.chess_game.start_fen", lambda _: row["start"])
    table = ChessTable(run_of({"chess960": row["rules"]}), match_of("chess960"), 0, (Tally(), Tally()))
    replies = ({"as": "reply", "text": f"MOVE: {move}"} for move in row["declared"].split())
    assert _ends(Play(table.play(), replies, row["scores"]).value) == {name: row[name] for name in _ENDS}


_ENDS = ("moves", "ending", "raw")


def forever(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    while True:
        yield answer


def counted(tally: Tally) -> dict[str, int]:
    """Counts of a tally that are not 0."""
    faults = {f"{when}_{kind}": count for when in ("first", "final") for kind, count in getattr(tally, when).items()}
    names = {"characters": "text_characters", "without": "replies_without_tokens"}
    counts = {names.get(name, name): count for name, count in tally.counts.items()}
    return {name: count for name, count in (counts | faults).items() if count}


def label(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    """Let a match have the draw label of a vector."""
    for module in ("play", "holdem_script"):
        monkeypatch.setattr(f"second_reader.{module}.draw_label", lambda _: told)


def test_it_draws_the_same_moves_in_the_place_of_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = vector("substitutes")
    rules = {"chess960": {**vector("chess_ends")[0]["rules"], "plies_max": 20}}
    for row in rows["chess"]:
        label(monkeypatch, row["match"])
        monkeypatch.setattr("second_reader.chess_game.start_fen", lambda _, start=row["start"]: start)
        tallies = Tally(), Tally()
        table = ChessTable(run_of(rules, rows["root"]), match_of("chess960"), row["number"], tallies)
        game = Play(table.play(), forever({"as": "reply", "text": "I resign."})).value
        assert _ends(game) == {name: row[name] for name in _ENDS}
        assert [counted(tally) for tally in table.tallies] == row["places"]
        assert game.substituted


def test_it_draws_the_same_actions_in_the_place_of_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = vector("substitutes")
    rules = {"holdem": {"illegal": "substitute", "mirrored": False, "stack_chips": 10_000}}
    for row in rows["holdem"]:
        label(monkeypatch, row["match"])
        table = HoldemTable(run_of(rules, rows["root"]), match_of("holdem"), row["number"], (Tally(), Tally()))
        hand = Play(table.play(), forever({"as": "no_reply", "reason": "refused"})).value
        actions = [action.removesuffix(" 0") for action in hand.actions]
        assert (actions, hand.end, hand.net) == (row["actions"], row["end"], row["button_chips"])
        assert [counted(tally) for tally in table.tallies] == row["places"]


def test_it_bets_and_pays_as_the_program_does() -> None:
    for row in vector("hands"):
        hand = Hand(row["stack"])
        for action in row["actions"]:
            kinds, least, most = hand.legal()
            assert (hand.to_act, kinds, [least, most]) == (action["place"], action["legal"], action["limits"]), row[
                "why"
            ]
            kind, _, total = action["does"].partition(" ")
            hand.act(kind, int(total or 0))
        table = SimpleNamespace(hand=hand, cards=(row["button"], row["big_blind"], row["board"]))
        loser = action["place"] if kind == "fold" else None
        assert HoldemTable._net(table, loser) == row["button_chips"], row["why"]  # type: ignore[arg-type]


def test_the_benchmark_player_has_the_same_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the 64 draws of a decision is tried."""
    for row in vector("benchmark"):
        raised = [(row["street"], 0, "raise", 0, False)] * row["raises"]
        bets = [row["in_front_chips"], row["in_front_chips"] + row["to_call_chips"]]
        told = (row["legal"], *row["limits"])
        public = {"history": raised, "street": row["street"], "bets": bets, "put_in": [row["pot_chips"], 0]}
        hand = SimpleNamespace(to_act=0, stacks=[10_000, 10_000], legal=lambda told=told: told, **public)
        table = SimpleNamespace(hand=hand, cards=([], [], []))
        for percentile, shares in row["shares_by_percentile"].items():
            monkeypatch.setattr("second_reader.scripted.percentile", lambda *_, rank=int(percentile): rank)
            done = Counter(benchmark_action(table, seed)[1] for seed in range(64))  # type: ignore[arg-type]
            assert done == Counter(dict(zip(map(spelled, row["actions"]), shares, strict=True))), (row, percentile)


def spelled(action: str) -> str:
    """An action of a vector as it is declared."""
    kind, _, chips = action.partition(" ")
    words = {"bet": "bet", "raise": "raise to"}.get(kind, kind)
    return f"{words} {int(chips) / 100:g}" if chips else words


def test_it_counts_and_estimates_as_the_program_does() -> None:
    rows = vector("counts")
    classes = ("no_action", "ambiguous", "illegal", "cut", "no_reply")
    for row in rows["no_finding"]:
        seat = {"seat": "model", **dict.fromkeys(("substituted", "completion_tokens"), 0), **row}
        seat["faults"] = {f"first_{kind}": row.get(f"first_{kind}", 0) for kind in classes}
        assert no_finding([seat]) == row["no_finding"]
    for row in rows["gates"]:
        reason = figures.gate_reason(row["wins"], row["n"], row["first_faults"], row["decisions"])
        assert {"passed": not reason, "reason": reason} == row["gate"]
    for row in vector("estimates"):
        values, careers, wanted = row["values"], row["careers"], row["estimate"]
        size = len(values) // max(1, careers)
        groups = [values[at : at + size] for at in range(0, len(values), size)]
        why = wanted["ci_note"].removeprefix("no finding: ") if wanted["value"] is None else ""
        found = figures.headline(row["figure"], groups, careers, Fraction(row["factor"]), why)
        assert found == {name: wanted[name] for name in found}, row
        assert set(wanted) - set(found) == {"unit"}


# --- cards, golden journals, defects -------------------------------------------------------------


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("As Ks Qs Js Ts 2c 3d", "9s Ks Qs Js Ts 2c 3d"),
        ("2s 2d 2h 2c As 3d 4d", "As Ad Ah Ks Kd 3d 4d"),
        ("As Ad Ah 2s 2d 7d 9c", "Ks Kd Kh Qs Qd 7d 9c"),
        ("2s 4s 6s 8s Ts As Ac", "9s Td Jh Qs Kd 2c 3c"),
        ("2s 3d 4h 5s 6d Kc Kd", "As 2d 3h 4s 5d Kc Kd"),
        ("As 2d 3h 4s 5d 9c 9d", "Ks Kd Kh 2s 3d 9c 7d"),
        ("As Ad Ks Kd 3h 4c 5c", "As Ad Qs Qd Kh 4c 5c"),
        ("As Ad Kh 4c 5c 9d 8d", "As Ad Qh 4c 5c 9d 8d"),
    ],
)
def test_the_better_of_two_hands_wins(better: str, worse: str) -> None:
    assert strength(better.split()) > strength(worse.split())


def test_it_replays_retries_patterns_and_listed_moves_of_golden_journals() -> None:
    """Models that answer oddly: cut, empty and illegal replies, forfeits, games that are played on; a season's seed.

    A stub answered for the random seat too, so step 13 does not hold.
    """
    folder = GOLDEN / "journal"
    run, lines, report = read_manifest((folder / "manifest.json").read_bytes()), journal.Journal(), Report()
    seed, secret = run.plan["seed"], bytes.fromhex((folder / "secret.hex").read_text())
    run.open_seed(secret, salt_of(seed["origin"], seed["value"], None))
    run.texts = TEXTS
    for name, _, _ in run.all_streams():
        lines.lines[name] = journal.split_lines((folder / f"{name}.jsonl").read_bytes())
        lines.entries[name] = journal.read_lines(lines.lines[name], run.run, name)
    outcomes = Replay(run, lines, report).outcomes
    first = sum((tally.first for outcome in outcomes for tally in outcome.tallies), Counter[str]())
    assert (report.failed(), held(report, 7)) == ({13}, 6)
    assert all(first[kind] for kind in ("no_action", "illegal", "cut", "no_reply"))
    ends = json.loads((GOLDEN / "figures.json").read_text())["journal"].values()
    wanted = {name: end for row in ends for name, end in row["ends"].items()}
    assert {one.id: _end(one) for outcome in outcomes for one in outcome.results} == wanted


def _end(result: Any) -> list[Any]:
    if not isinstance(result, Game):
        return [result.end, result.net]
    return [*_ends(result)["ending"], " ".join(result.moves)]


@pytest.mark.parametrize(
    ("temperature", "phases", "briefing", "repeated"),
    [("0.3", (2,), "", "agent"), ("0.3", (1, 2), "", ""), ("0", (2,), "", ""), ("0.3", (2,), "another", "")],
)
def test_a_failed_gate_stops_the_same_repeats(
    temperature: str, phases: Sequence[int], briefing: str, repeated: str
) -> None:
    document = json.loads((GOLDEN / "journal" / "manifest.json").read_text())
    plan = document["plan"]
    plan["seats"]["agent"]["temperature"] = "0"
    warm = {**plan["seats"]["agent"], "temperature": temperature}
    plan["seats"]["warm"] = warm | ({"briefing": briefing} if briefing else {})
    template = next(match for match in plan["matches"] if match["phase"] == 1)
    for phase in phases:
        plan["matches"] += [{**template, "phase": phase, "a": a, "b": "dice"} for a in ("agent", "warm")]
    theirs = load_manifest(canon.dumps(document)).plan.repeats
    assert _repeated(plan, "warm") == repeated == (theirs["warm"].seat if theirs else "")


def test_every_defect_has_its_own_name() -> None:
    names = Counter(recipe["defect"] for recipe in RECIPES["defects"])
    assert max(names.values()) == 1
    assert len(names) >= 40


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES["defects"], ids=[recipe["defect"] for recipe in RECIPES["defects"]])
def test_both_verifiers_refuse_a_single_defect_at_the_same_step(recipe: dict[str, Any], tmp_path: Path) -> None:
    bundle = made(recipe, tmp_path / "bundle")
    report = report_of(bundle)
    assert min(report.failed(), default=0) == recipe["step"], report.text(every=False)
    assert min(failed_steps(check(bundle))) == recipe["step"]


@pytest.mark.slow
def test_a_bundle_that_was_signed_again_unchanged_holds_in_both(tmp_path: Path) -> None:
    bundle = made({"finish": "rechained"}, tmp_path / "bundle")
    assert report_of(bundle).failed() == set()
    assert failed_steps(check(bundle)) == []


@pytest.mark.slow
@pytest.mark.parametrize("text", ["[]", "{}", "7", '{"streams":7}'])
@pytest.mark.parametrize(
    "name", ["manifest.json", "environment.json", "executions.jsonl", "journal/index.json", "results/results.json"]
)
def test_documents_of_another_form_are_refused(name: str, text: str, tmp_path: Path) -> None:
    recipe = {"write": {"file": f"data/{name}", "text": text}, "finish": "signed"}
    assert report_of(made(recipe, tmp_path / "bundle")).failed()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["quickstart", "readermodel-full", "smollm2"])
def test_published_bundles_hold_with_their_intervals(name: str) -> None:
    report = report_of(ROOT / "results" / "bundles" / name)
    assert report.failed() == set(), report.text(every=False)
    assert held(report, 10) > 10
