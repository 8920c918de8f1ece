"""Two games whose seats act at once: blind bids for two and more, and a village of hidden roles in which seats speak.

Each is a folder and one line, as in test_new_game. They are played, killed, resumed, verified, forged and shown.
"""

import csv
import json
import re
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.run import signing_keys
from agzamov_verify.bundle import RESULTS_FILE
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import Reply
from bundles.bundle_factory import Draft, chained, edited, entries, put, reseal, reseal_journal
from extending.source_tree import SourceTree, require_golden

pytestmark = pytest.mark.slow

GAMES = ("blind_bids", "village")
PLAN = """
title: Seats that act at once
protocol: agz-next
seats:
  agent: {kind: reference}
  other: {kind: reference}
  dice: {kind: random}
matches:
  - {phase: 0, game: blind_bids, a: other, b: dice, others: [{seat: dice}], rounds: 60}
  - {phase: 1, game: blind_bids, a: agent, b: agent, rounds: 10}
  - {phase: 0, game: village, a: other, b: dice, others: SIX, games: 20}
  - {phase: 1, game: village, a: agent, b: agent, others: [{seat: agent}, {seat: agent}, {seat: agent}], games: 4}
blind_bids: {illegal: retry_then_forfeit}
""".replace("SIX", f"[{', '.join(['{seat: dice}'] * 6)}]")
NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal")
Prompts = dict[str, list[tuple[int, str]]]
BIDS = "p0-blind_bids-naked-other-dice-dice"
VILLAGE = "-".join(("p0-village-naked-other", *["dice"] * 7))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    tree = SourceTree(tmp_path_factory.mktemp("tree"))
    for game in GAMES:
        tree.add_game(game)
    tree.add_protocol()
    return tree


@pytest.fixture(scope="module")
def bundle(tree: SourceTree, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree.played(tmp_path_factory.mktemp("played"), PLAN)


@cache
def verified(tree: SourceTree, bundle: Path, code: int = 0) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(tree.run("verify", str(bundle), "--json", cwd=bundle.parent, code=code))
    return report


@cache
def documents(tree: SourceTree, bundle: Path, game: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(tree.run("show", str(bundle), "--game", game, "--json", cwd=bundle.parent))
    return shown


@pytest.mark.exhaustive
def test_the_golden_bundles_are_verified_as_before(tree: SourceTree) -> None:
    require_golden(tree)


def test_both_games_are_played_and_verified(tree: SourceTree, bundle: Path) -> None:
    report = verified(tree, bundle)
    assert report["level"] == "V1"
    results = {match["id"]: match["result"] for match in report["results"]["matches"]}
    assert (results[BIDS]["rounds"], results[VILLAGE]["games"]) == (60, 20)
    assert set(results[VILLAGE]["teams"]) <= {"won_by_wolves", "won_by_villagers"}


def test_whoever_bids_half_of_its_value_wins_chips_of_bidders_by_chance(tree: SourceTree, bundle: Path) -> None:
    results = {match["id"]: match["result"] for match in verified(tree, bundle)["results"]["matches"]}
    assert results[BIDS]["net_chips"] > 0


def test_a_person_sees_who_said_what_to_whom(tree: SourceTree, bundle: Path) -> None:
    shown = tree.run("show", str(bundle), "--game", f"{VILLAGE}-g00000", "--prompts", cwd=bundle.parent)
    assert "ballot 1 at night: " in shown
    assert "> " in shown
    assert "You say to " in shown
    assert "value " in tree.run("show", str(bundle), "--game", f"{BIDS}-r000001", cwd=bundle.parent)


@pytest.fixture(scope="module")
def prompts(
    tree: SourceTree, bundle: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[tuple[int, str]]]:
    """Turn and prompt of every question of each game."""
    file = tmp_path_factory.mktemp("rows") / "rows.sqlite"
    tree.run("export", str(bundle), "--to", "sqlite", "--out", str(file), cwd=bundle.parent)
    by_game: Prompts = {}
    with closing(sqlite3.connect(file)) as rows:
        for game, turn, prompt in rows.execute("select game, turn, prompt from decisions order by id"):
            by_game.setdefault(game, []).append((turn, prompt))
    return by_game


def test_a_bidder_knows_its_own_value_and_nothing_else(tree: SourceTree, bundle: Path, prompts: Prompts) -> None:
    for number in range(3):
        game = f"{BIDS}-r{number:06d}"
        values = documents(tree, bundle, game)["values"]
        assert prompts[game] == [(place, f"Your value: {value}") for place, value in enumerate(values)]


def test_a_prompt_holds_what_its_seat_heard_in_earlier_rounds_and_nothing_else(
    tree: SourceTree, bundle: Path, prompts: Prompts
) -> None:
    private = 0
    for number in range(4):
        game = f"{VILLAGE}-g{number:05d}"
        said = documents(tree, bundle, game)["said"]
        private += sum(len(one["to"]) == 1 for one in said)
        for turn, prompt in prompts[game]:
            place = turn % 8
            heard = [(NAMES[one["from"]], one["text"]) for one in said if place in one["to"]]
            quotes = quotes_in(prompt)
            assert quotes == heard[: len(quotes)]
            assert len(quotes) == len(heard) or turn < prompts[game][-1][0]
    assert private


def quotes_in(prompt: str) -> list[tuple[str, str]]:
    """Speaker and text of what others said, as a prompt has it."""
    return [
        (speaker, "\n".join(line[2:] for line in lines.strip().splitlines()))
        for speaker, lines in re.findall(r"^([A-Z][a-z]+) says [^\n]*[:.]((?:\n> [^\n]*)*)", prompt, re.MULTILINE)
    ]


def test_both_games_have_a_page_a_table_and_cells_of_the_matrix(tree: SourceTree, bundle: Path, tmp_path: Path) -> None:
    tree.run("report", str(bundle), "--out", str(tmp_path / "report.html"), cwd=bundle.parent)
    assert "blind bids" in (tmp_path / "report.html").read_text()
    table = tree.run("export", str(bundle), "--to", "csv", cwd=bundle.parent)
    assert len(table.splitlines()) == 1 + 60 + 10 + 20 + 4
    matrix = json.loads(tree.run("matrix", str(bundle), "--json", cwd=bundle.parent))
    assert {entry["game"] for entry in matrix["matrix"]["entries"]} >= set(GAMES)


@cache
def wins_of_teams(tree: SourceTree, bundle: Path) -> Counter[str]:
    """Games that each team won in the match of the village, from the games as they are shown."""
    games = [documents(tree, bundle, f"{VILLAGE}-g{number:05d}") for number in range(20)]
    return Counter({"wolf": "wolves", "villager": "villagers"}[game["won"]] for game in games)


def test_what_each_team_won_is_counted_in_a_game_with_teams_alone(tree: SourceTree, bundle: Path) -> None:
    results = {match["id"]: match for match in verified(tree, bundle)["results"]["matches"]}
    won = wins_of_teams(tree, bundle)
    assert won["wolves"] + won["villagers"] == 20
    assert results[VILLAGE]["teams"] == [
        {"team": "villagers", "won": won["villagers"], "drawn": 0, "lost": won["wolves"]},
        {"team": "wolves", "won": won["wolves"], "drawn": 0, "lost": won["villagers"]},
    ]
    assert "teams" not in results[BIDS]


def test_what_each_team_won_is_told_reported_and_exported(tree: SourceTree, bundle: Path, tmp_path: Path) -> None:
    won = wins_of_teams(tree, bundle)["wolves"]
    told = tree.run("verify", str(bundle), "--details", cwd=bundle.parent)
    assert f"wolves: won {won}, drew 0, lost {20 - won} of 20 games" in " ".join(told.split())
    tree.run("report", str(bundle), "--out", str(tmp_path / "report.html"), cwd=bundle.parent)
    page = (tmp_path / "report.html").read_text()
    assert re.search(rf"wolves: Phase 0[^<]*</t[dh]><td[^>]*>{won}</td><td[^>]*>0</td><td[^>]*>{20 - won}</td>", page)
    file = tmp_path / "rows.sqlite"
    tree.run("export", str(bundle), "--to", "sqlite", "--out", str(file), cwd=bundle.parent)
    with closing(sqlite3.connect(file)) as rows:
        found = rows.execute("select team, won, drawn, lost from match_teams where match = ?", (VILLAGE,)).fetchall()
        matches = {match for (match,) in rows.execute("select match from match_teams")}
    assert found == [("villagers", 20 - won, 0, won), ("wolves", won, 0, 20 - won)]
    assert {match.split("-")[1] for match in matches} == {"village"}


def test_a_forged_result_of_a_team_is_found(tree: SourceTree, bundle: Path, tmp_path: Path) -> None:
    draft = Draft.of(bundle, signing_keys.load(bundle.parent.parent / "key.pem"))
    results = draft.json(RESULTS_FILE)
    place = next(number for number, match in enumerate(results["matches"]) if match["id"] == VILLAGE)
    results["matches"][place]["teams"][0]["won"] += 1
    draft.put_json(RESULTS_FILE, results)
    reseal(draft)
    report = verified(tree, draft.write(tmp_path), code=1)
    (failed,) = (step for step in report["steps"] if step["status"] == "fail")
    assert failed["name"] == "results"
    assert f"$.matches[{place}].teams[0].won" in json.dumps(report)


def test_a_leaderboard_takes_a_bundle_of_tables_of_many_seats(tree: SourceTree, bundle: Path, tmp_path: Path) -> None:
    submitted, site = tmp_path / "submitted", tmp_path / "site"
    shutil.copytree(bundle, submitted / "one")
    ada = key_id(signing_keys.load(bundle.parent.parent / "key.pem").public_key())
    (tmp_path / "policy.yaml").write_text(f"title: Board\nkeys: {{ada: {ada}}}\ndepartures: true\nlevel: V1\n")
    options = ("--policy", "policy.yaml", "--out", str(site), "--jobs", "1")
    told = tree.run("leaderboard", "build", str(submitted), *options, cwd=tmp_path)
    assert told.endswith("index.html, 1 accepted\n")


@pytest.mark.parametrize(("match", "declared", "other"), [(BIDS, "BID: ", "BID: 0"), (VILLAGE, "VOTE: ", "VOTE: Ann")])
def test_one_changed_answer_of_a_round_is_found(
    tree: SourceTree, bundle: Path, tmp_path: Path, match: str, declared: str, other: str
) -> None:
    draft = Draft.of(bundle, signing_keys.load(bundle.parent.parent / "key.pem"))
    stream = f"{match}-b00000"
    story = entries(draft, stream)
    at = next(
        number
        for number, entry in enumerate(story)
        if isinstance(entry.answer, Reply) and entry.answer.text.startswith(declared) and entry.answer.text != other
    )
    put(draft, stream, chained(edited(story, at, answer=Reply(text=other)), stream=stream))
    reseal_journal(draft)
    steps = verified(tree, draft.write(tmp_path), code=1)["steps"]
    assert {"seats", "replay", "results"} & {step["name"] for step in steps if step["status"] == "fail"}


def test_a_run_killed_in_the_middle_of_a_round_goes_on_the_same_to_the_byte(tree: SourceTree, tmp_path: Path) -> None:
    run = killed(tree, tmp_path)
    before = journals(run)
    copy = tmp_path / "copy" / run.name
    shutil.copytree(run, copy)
    for folder, concurrency in ((run, "1"), (copy, "32")):
        told = tree.run("resume", str(folder), "--key", "key.pem", "--concurrency", concurrency, cwd=tmp_path)
        assert verified(tree, tmp_path / told.splitlines()[-1].removeprefix("bundle: "))["level"] == "V1"
    ended = [
        {path.relative_to(folder): path.read_bytes() for path in folder.glob("journal/*/*.jsonl")}
        for folder in (run, copy)
    ]
    assert ended[0] == ended[1]
    assert all(ended[0][name].startswith(data[: data.rfind(b"\n") + 1]) for name, data in before.items())
    assert sum(map(len, before.values())) < sum(map(len, ended[0].values()))


def killed(tree: SourceTree, folder: Path) -> Path:
    """A run that was killed while it played; one that was faster than the kill is thrown away."""
    (folder / "plan.yaml").write_text(PLAN)
    tree.run("keygen", "key.pem", cwd=folder)
    for _ in range(10):
        with tree.start("run", "plan.yaml", "--key", "key.pem", cwd=folder) as process:
            wait_for(lambda: bytes_written(folder) > 50_000 or process.poll() is not None)
            is_playing = process.poll() is None
            process.kill()
        (run,) = (folder / "runs").iterdir()
        if is_playing:
            return run
        shutil.rmtree(run)
    raise AssertionError("ten runs were too fast to be killed in their middle")


def journals(run: Path) -> dict[Path, bytes]:
    """The journal of each stream."""
    return {path.relative_to(run): path.read_bytes() for path in run.glob("journal/*/*.jsonl")}


def bytes_written(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("runs/[!.]*/journal/*/*.jsonl"))


def wait_for(condition: Callable[[], bool], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_seat_of_the_village_won_the_games_that_its_list_of_games_says(tree: SourceTree, bundle: Path) -> None:
    results = {match["id"]: match["result"] for match in verified(tree, bundle)["results"]["matches"]}
    table = csv.DictReader(tree.run("export", str(bundle), "--to", "csv", cwd=bundle.parent).splitlines())
    outcomes = Counter(row["outcome"] for row in table if row["match"] == VILLAGE)
    assert outcomes == Counter(won=results[VILLAGE]["won"], lost=20 - results[VILLAGE]["won"])


def test_a_stopping_rule_of_the_village_is_refused_since_its_teams_are_not_equal(
    tree: SourceTree, tmp_path: Path
) -> None:
    (tmp_path / "plan.yaml").write_text(f"{PLAN}analysis: {{sequential: [{{match: {VILLAGE}}}]}}\n")
    tree.run("keygen", "key.pem", cwd=tmp_path)
    told = tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path, code=2, errors=True)
    assert "analysis.sequential[0]: expected none of the village: what equal players win is not known" in told


def test_a_village_of_four_is_refused(tree: SourceTree, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(
        PLAN.replace("{seat: agent}, {seat: agent}, {seat: agent}", "{seat: agent}, {seat: agent}")
    )
    tree.run("keygen", "key.pem", cwd=tmp_path)
    tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path, code=2)
